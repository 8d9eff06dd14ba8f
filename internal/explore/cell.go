package explore

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// This file makes cells of observations.

// filler fills cells, and remembers what facts say in each slot.
type filler struct {
	asOf  record.Timestamp
	slots map[string]*slot
}

// slot is what facts say of a key in one scope and for one task.
type slot struct {
	cell     *cell
	contents []content
}

type content struct {
	value record.Scalar
	unit  string
}

func newFiller(asOf string) *filler { return &filler{record.Timestamp(asOf), map[string]*slot{}} }

// add adds the measurements of an observation to cells. Who says what holds is named where values
// are no numbers.
func (f *filler) add(id string, rec *record.Observation, cells map[string]*cell, who string) {
	holds := rec.Freshness.HoldsAt(f.asOf)
	where := ""
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		c := cells[m.Key]
		if c == nil {
			c = &cell{}
			cells[strings.Clone(m.Key)] = c
		}
		isSample := m.Kind == record.Sample
		c.Sample = c.Sample || isSample
		if !holds || isSample && rec.Outcome.Status == record.OutcomeInvalid {
			c.expire(rec, m, holds)
			continue
		}
		c.hold(m, who, id)
		if isSample || record.NamesOffer(m.Key) {
			continue
		}
		if where == "" {
			where = scopeKey(&rec.Execution) + "\n" + rec.Task.Family + "\n" + string(rec.Task.Suite) + "\n" +
				string(rec.Task.TaskID)
		}
		f.state(m, c, where)
	}
}

// scopeKey is a text that is the same for equal scopes.
func scopeKey(s *record.Scope) string {
	if runtime, isAlone := s.RuntimeAlone(); isAlone { // as nearly all are
		return runtime
	}
	return string(canonical.MustMarshal(s))
}

// state notes what a fact says in its slot.
func (f *filler) state(m *record.Measurement, c *cell, where string) {
	name := m.Key + "\n" + where
	s := f.slots[name]
	if s == nil {
		s = &slot{cell: c}
		f.slots[name] = s
	}
	if said := (content{m.Value, m.Unit}); !slices.Contains(s.contents, said) {
		said.value.Text, said.unit = strings.Clone(said.value.Text), strings.Clone(said.unit)
		s.contents = append(s.contents, said)
	}
}

// settle marks the cells of slots in which facts say several things, and reports whether there is
// one.
func (f *filler) settle() (isTorn bool) {
	for _, s := range f.slots {
		if len(s.contents) > 1 {
			s.cell.Conflict, isTorn = true, true
		}
	}
	return isTorn
}

// trim leaves out what the list does not show: the observation, and who says what where all say the
// same.
func (c *cell) trim() {
	c.Only = ""
	if len(c.Says) < 2 {
		c.Says = nil
	}
}

// hold adds a value that holds.
func (c *cell) hold(m *record.Measurement, who, id string) {
	c.Only = ""
	if c.N++; c.N == 1 {
		c.Only = id
		c.Unit = record.Text(strings.Clone(m.Unit))
	} else if string(c.Unit) != m.Unit {
		c.Mixed = true
	}
	if m.Value.Kind == '0' {
		f := m.Value.Float()
		if c.Low == nil || f < *c.Low {
			c.Low = &f
		}
		if c.High == nil || f > *c.High {
			c.High = &f
		}
		return
	}
	const few = 4
	value := record.Scalar{Kind: m.Value.Kind, Text: strings.Clone(m.Value.Text)}
	if !slices.Contains(c.Texts, value) {
		if len(c.Texts) == few {
			return
		}
		c.Texts = append(c.Texts, value)
	}
	if m.Value.Kind == '"' || who == "" {
		return
	}
	word := map[byte]string{'t': "yes", 'f': "no"}[m.Value.Kind]
	if c.Says == nil {
		c.Says = map[string][]string{}
	}
	if !slices.Contains(c.Says[word], who) {
		c.Says[word] = append(c.Says[word], strings.Clone(who))
	}
}

// expire notes a value that does not hold: the last one is shown where none does.
func (c *cell) expire(rec *record.Observation, m *record.Measurement, holds bool) {
	if at := string(rec.Freshness.ObservedAt); at >= c.lastAt {
		c.lastAt = strings.Clone(at)
		c.Last = &expired{Value: record.Scalar{Kind: m.Value.Kind, Text: strings.Clone(m.Value.Text)},
			Unit: record.Text(strings.Clone(m.Unit))}
		if !holds {
			c.Last.Until = record.Text(strings.Clone(string(rec.Freshness.ValidUntil)))
		}
	}
}
