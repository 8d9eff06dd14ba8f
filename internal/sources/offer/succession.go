package offer

import (
	"cmp"
	"fmt"
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

	subjects map[Subject]*history
	closed   []*Run
	at       string // of the newest snapshot
	count    int    // of snapshots
}

// history is what the newest snapshot says of a subject.
type history struct {
	open   map[string]*Run // by the name of the declaration
	newest int             // the number of the last snapshot that has the subject
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
		}
	}
	return nil
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
	h.newest = s.count
	for _, d := range row.Declarations {
		sighting := Sighting{s.at, row.ID, d.Read}
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
	runs := slices.Clone(s.closed)
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
