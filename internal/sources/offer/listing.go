package offer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Listing is what one body of a price source says.
type Listing struct {
	Rows       []Row          // each of the list, in its order
	NewMembers map[string]int // how many rows have a member that nothing reads
}

// NewListing makes a listing of rows in their order: of rows with one offer all
// but one are skipped, and members that nothing reads are counted.
func NewListing(rows []Row) *Listing {
	l := &Listing{Rows: rows, NewMembers: map[string]int{}}
	l.skipRepeated()
	for i := range rows {
		r := &rows[i]
		if r.Skip != "" && r.Skip != RowEmpty {
			r.Notes = nil // nothing of it was read
			continue
		}
		for _, name := range r.unknown {
			l.NewMembers[name]++
		}
	}
	return l
}

// skipRepeated skips rows whose offer another row has. Rows that are skipped for
// another reason do not count.
func (l *Listing) skipRepeated() {
	stays := map[Offer]*Row{}
	for i := range l.Rows {
		r := &l.Rows[i]
		if r.Skip != "" {
			continue
		}
		if other := stays[r.Offer]; other == nil || r.precedence.compare(other.precedence) < 0 {
			stays[r.Offer] = r
		}
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		if stay := stays[r.Offer]; r.Skip == "" && stay != r {
			r.Skip = RowRepeated
			r.Why = fmt.Sprintf("has the offer of the row %s, %s", canonical.Quote(stay.ID), difference(r, stay))
			r.Declarations = nil
		}
	}
}

func (p precedence) compare(q precedence) int {
	switch {
	case p.bare != q.bare && p.bare:
		return +1
	case p.bare != q.bare:
		return -1
	}
	return cmp.Compare(p.provider, q.provider)
}

// difference says in which facts a row differs from the one that stays.
func difference(r, stay *Row) string {
	facts := map[string]string{} // by key, what the row that stays says
	for _, d := range stay.Declarations {
		if d.Name == Described {
			continue
		}
		for _, f := range d.Facts {
			facts[f.Key] = f.String()
		}
	}
	var differ []string
	for _, d := range r.Declarations {
		if d.Name == Described {
			continue
		}
		for _, f := range d.Facts {
			if facts[f.Key] != f.String() {
				differ = append(differ, f.Key)
			}
			delete(facts, f.Key)
		}
	}
	differ = slices.Sorted(slices.Values(slices.AppendSeq(differ, maps.Keys(facts))))
	if len(differ) == 0 {
		return "and says the same"
	}
	const most = 5
	more := ""
	if len(differ) > most {
		more = fmt.Sprintf(" and %d more", len(differ)-most)
		differ = differ[:most]
	}
	return "and differs in " + strings.Join(differ, ", ") + more
}

// Skipped counts the rows that give nothing, by reason.
func (l *Listing) Skipped() map[Reason]int {
	skipped := map[Reason]int{}
	for i := range l.Rows {
		if reason := l.Rows[i].Skip; reason != "" {
			skipped[reason]++
		}
	}
	return skipped
}

// Locate gives every row and note its place in the body, going through it once.
func (l *Listing) Locate(body string) {
	var list problem.List
	for i := range l.Rows {
		r := &l.Rows[i]
		list = append(list, &problem.Error{Offset: r.offset})
		for _, n := range r.Notes {
			list = append(list, &problem.Error{Offset: n.offset})
		}
	}
	list.Locate(body, problem.Start(""))
	next := 0
	place := func() problem.Place {
		next++
		return list[next-1].Place
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		r.Place = place()
		for j := range r.Notes {
			r.Notes[j].Place = place()
		}
	}
}

// LocateNotes gives every note the place that its offset has, where the body is one
// of several files.
func (l *Listing) LocateNotes(locate func(offset int) problem.Place) {
	for i := range l.Rows {
		for j := range l.Rows[i].Notes {
			n := &l.Rows[i].Notes[j]
			n.Place = locate(n.offset)
		}
	}
}

// NewMembersNote returns the one note on members that nothing reads, each with the
// number of rows that have it; false if there are none.
func (l *Listing) NewMembersNote() (n Note, ok bool) {
	names := slices.Sorted(maps.Keys(l.NewMembers))
	return Note{Reason: NewMembers, Message: NewMembersMessage(names, l.NewMembers)}, len(names) > 0
}

// NewMembersMessage names members that nothing reads, of many the first twenty, with
// their numbers where these are known.
func NewMembersMessage(names []string, counts map[string]int) string {
	const most = 20
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = canonical.Quote(name)
		if counts != nil {
			quoted[i] += fmt.Sprintf(" (%d)", counts[name])
		}
	}
	return "not known and not taken: " + strings.Join(quoted, ", ") + more
}

// MaxRows is how many rows a listing has at most.
const MaxRows = 100_000

// TooManyRows refuses a body with more.
const TooManyRows = "more than 100000 rows"
