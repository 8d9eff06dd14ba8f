package offer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Subject is an offer and the model that it is said to be of. The runtime is the provider, or
// names the service and the region, too: see [record.OfferRuntime].
type Subject struct {
	Offer
	Model record.Model
}

// Sighting is a row of one snapshot that states a declaration.
type Sighting struct {
	At   string // when the snapshot was published or fetched, a timestamp
	Row  string
	Read string // see [Declaration]
	File string // of the row in the body, "" if that is one
	Line int
}

// Run is a longest series of snapshots, one right after another, that state a
// declaration of a subject with the same facts.
type Run struct {
	*Subject
	// Declaration is that of the first snapshot.
	Declaration Declaration
	First, Last Sighting
	Snapshots   int
	// Ended is the time of the snapshot after the last one, which states something
	// else or nothing; "" while there is none.
	Ended string

	until  string // what the last snapshot says of when the facts end
	newest int    // the number of its last snapshot
}

// ValidUntil returns until when the facts of a run hold: until the snapshot after
// its last one, or so many hours after the last one while there is no other, and
// no longer than the source announced at last. If the newest snapshot was seen again,
// seenAt says when, and the hours count from then. The timestamp notAfter, if it is
// not "", bounds all that.
func (r *Run) ValidUntil(seenAt string, maxAgeHours uint64, notAfter string) string {
	until := r.Ended
	if until == "" {
		until = timestamp.AddHours(max(r.Last.At, seenAt), maxAgeHours)
	}
	for _, earlier := range []string{r.until, notAfter} {
		if earlier != "" && earlier < until {
			until = earlier
		}
	}
	return until
}

// Succession makes runs of the listings of several snapshots. Its zero value has
// none.
type Succession struct {
	Came, Went int // subjects, from one snapshot to the next, added up
	Closed     int // runs that ended
	// Complete says that each listing has all offers: what one lacks that was there before is
	// withdrawn.
	Complete bool

	subjects  map[Subject]*history
	withdrawn map[place]*Run
	closed    []*Run
	at        string // of the newest snapshot
	count     int    // of snapshots
}

// history is what the newest snapshot says of a subject.
type history struct {
	open   map[string]*Run // by the name of the declaration
	newest int             // the number of the last snapshot that has the subject
	row    string          // the last that the subject was in
	// isModel says that facts are stated of it beyond what the offer is: aliases have none.
	isModel bool
}

// place is where facts of a subject stand.
type place struct {
	runtime string
	model   record.Model
}

// Add takes the listing of a snapshot that is later than all before it. Identify returns the
// subject of a row by its index, the zero Subject for one that is as if it were not there.
func (s *Succession) Add(at string, l *Listing, identify func(i int) Subject) error {
	if at <= s.at {
		return fmt.Errorf("the snapshot of %s is not later than that of %s", at, s.at)
	}
	if s.subjects == nil {
		s.subjects = map[Subject]*history{}
	}
	s.at = at
	s.count++
	for i := range l.Rows {
		row := &l.Rows[i]
		if row.Skip != "" {
			continue
		}
		if subject := identify(i); subject != (Subject{}) {
			s.see(subject, row)
		}
	}
	var gone []*Run
	for subject, h := range s.subjects {
		for name, run := range h.open {
			if run.newest != s.count {
				s.end(run)
				delete(h.open, name)
			}
		}
		if h.newest != s.count {
			s.Went++
			delete(s.subjects, subject)
			if s.Complete && h.isModel {
				gone = append(gone, s.withdrawal(subject, h.row))
			}
		}
	}
	s.withdraw(gone)
	return nil
}

// Withdrawn is the value of lifecycle.status of an offer that its seller does not list any more.
const Withdrawn = "withdrawn"

// withdrawal is the run of a subject that the newest snapshot lacks.
func (s *Succession) withdrawal(subject Subject, row string) *Run {
	return &Run{
		Subject: &subject,
		Declaration: Declaration{
			Name:  Lifecycle,
			Facts: []Fact{{Status, Text(Withdrawn)}},
			Read:  `{"listed":false}`,
			Gaps:  []string{"the list has all offers and not this one any more: why is not stated"},
		},
		First: Sighting{At: s.at, Row: row, Read: `{"listed":false}`},
	}
}

// withdraw goes on with the runs of what was withdrawn before and begins those of what is gone,
// but for offers that are listed under another id, or whose id is listed as another model.
func (s *Succession) withdraw(gone []*Run) {
	if len(gone)+len(s.withdrawn) == 0 {
		return
	}
	places, ids := map[place]bool{}, map[string]bool{}
	for subject := range s.subjects {
		places[place{subject.Runtime, subject.Model}] = true
		ids[subject.LocalID] = true
	}
	if s.withdrawn == nil {
		s.withdrawn = map[place]*Run{}
	}
	for _, run := range gone {
		if at := (place{run.Runtime, run.Model}); !places[at] && !ids[run.LocalID] {
			s.withdrawn[at] = run
		}
	}
	for at, run := range s.withdrawn {
		if places[at] || ids[run.LocalID] {
			s.end(run)
			delete(s.withdrawn, at)
			continue
		}
		run.Last = Sighting{At: s.at, Row: run.First.Row, Read: run.Declaration.Read}
		run.Snapshots++
	}
}

// see takes what a row of the newest snapshot says of a subject.
func (s *Succession) see(subject Subject, row *Row) {
	h := s.subjects[subject]
	if h == nil {
		h = &history{open: make(map[string]*Run, len(row.Declarations))}
		s.subjects[subject] = h
		if s.count > 1 {
			s.Came++
		}
	}
	h.newest, h.row = s.count, row.ID
	for _, d := range row.Declarations {
		h.isModel = h.isModel || d.Name != Described
		sighting := Sighting{s.at, row.ID, d.Read, row.Place.File, row.Place.Line}
		run := h.open[d.Name]
		if run == nil || !run.Declaration.States(&d) {
			if run != nil {
				s.end(run)
			}
			d.Facts = slices.Clone(d.Facts) // which are a part of those of the row
			run = &Run{Subject: &subject, Declaration: d, First: sighting}
			h.open[d.Name] = run
		}
		run.Last, run.until, run.newest = sighting, d.Until, s.count
		run.Snapshots++
	}
}

func (s *Succession) end(run *Run) {
	run.Ended = s.at
	s.closed = append(s.closed, run)
	s.Closed++
}

// Runs returns all runs, ordered by subject, declaration and time.
func (s *Succession) Runs() []*Run {
	runs := slices.AppendSeq(slices.Clone(s.closed), maps.Values(s.withdrawn))
	for _, h := range s.subjects {
		for _, run := range h.open {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b *Run) int {
		return cmp.Or(
			strings.Compare(a.Runtime, b.Runtime),
			strings.Compare(a.LocalID, b.LocalID),
			strings.Compare(a.Declaration.Name, b.Declaration.Name),
			strings.Compare(a.First.At, b.First.At),
			strings.Compare(a.Model.ID, b.Model.ID),
			strings.Compare(string(a.Model.Revision), string(b.Model.Revision)),
			strings.Compare(string(a.Model.Quantization), string(b.Model.Quantization)),
		)
	})
	return runs
}
