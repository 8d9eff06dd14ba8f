// Package settle shows where sources contradict each other, and settles it by what a
// person says: which source to prefer, and rulings on single facts.
//
// Contradictions are the conflicts that compiling finds, by the same code. Nothing is
// changed, averaged or outvoted: of the observations of a contradiction some are left
// out, and each that is left out is listed. A source is what stands before the first
// colon of an evidence id.
package settle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// The schema versions of what goes in and comes out.
const (
	RulingsSchema = "service.source-rulings/v1"
	ReportSchema  = "service.contradictions/v1"
)

// Ruling is a person's word on one fact: which source to believe of it.
type Ruling struct {
	Model      string `json:"model"`
	Runtime    string `json:"runtime"`
	Key        string `json:"key"`
	Source     string `json:"source"`
	ValidUntil string `json:"validUntil" is:"timestamp"` // of no contradiction that begins later
	Reason     string `json:"reason"`
}

// ReadRulings reads { schemaVersion, rulings }. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func ReadRulings(src problem.Source) ([]Ruling, error) {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	var doc struct {
		SchemaVersion string   `json:"schemaVersion" is:"service.source-rulings/v1"`
		Rulings       []Ruling `json:"rulings"`
	}
	ijson.ReadTagged(r, &doc)
	return doc.Rulings, r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}

// Decisions are what a person says.
type Decisions struct {
	Prefer  []string          // sources, the most preferred first; [Seller] is the list of whoever sells it
	Rulings []Ruling          // which come before any preference
	Sellers map[string]string // the list of a seller's own, by the id of the seller
}

// Seller stands for a source among those that are preferred: the list of whoever sells the offer.
const Seller = "seller"

// Report says where sources contradict each other and what became of it.
type Report struct {
	Keys           []Key           `json:"keys"`
	Contradictions []Contradiction `json:"contradictions"`
	LeftOut        []Statement     `json:"leftOut"`
	WithoutEffect  []Ruling        `json:"rulingsWithoutEffect"`
	Sources        []string        `json:"-"` // of all facts, sorted
}

// Key counts the offers of which several sources state a key.
type Key struct {
	Key           string `json:"key"`
	Shared        int    `json:"shared"`
	Agreeing      int    `json:"agreeing"`
	Contradicting int    `json:"contradicting"`
	Apart         int    `json:"apart"` // of these, with numbers 1.5 times apart or more
}

// Contradiction is a conflict of several statements on one fact.
type Contradiction struct {
	Model      string      `json:"model"`
	Runtime    string      `json:"runtime"`
	Key        string      `json:"key"`
	Statements []Statement `json:"statements"`
}

// Statement is what an observation says of a fact.
type Statement struct {
	Observation string      `json:"observationId"`
	Source      string      `json:"source"`
	Value       scalar      `json:"value"`
	ObservedAt  string      `json:"observedAt"`
	ValidUntil  record.Text `json:"validUntil"`
	Evidence    []string    `json:"evidence"`

	key string
}

// Key is the key of the measurement that the statement is about.
func (s *Statement) Key() string { return s.key }

// scalar is a value that is written as JSON.
type scalar struct{ record.Scalar }

// MarshalJSON writes the value.
func (s scalar) MarshalJSON() ([]byte, error) {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, s.Scalar)
	return e.Buf, nil
}

// JSON is the report as canonical JSON.
func (r *Report) JSON() []byte {
	return canonical.MustMarshal(struct {
		SchemaVersion string `json:"schemaVersion"`
		Report
	}{ReportSchema, *r})
}

// Settle returns where the sources of a catalog contradict each other, and the ids of
// the observations that the decisions leave out.
func Settle(c *catalog.Catalog, d Decisions) (*Report, map[string]bool) {
	s := settlement{
		decisions: d, leftOut: map[string]bool{}, sources: map[string]bool{}, used: make([]bool, len(d.Rulings)),
		keys:           map[string]*Key{},
		contradictions: []Contradiction{}, listed: []Statement{},
	}
	conflicts := map[string][]catalog.Conflict{}
	for _, x := range c.Conflicts() {
		conflicts[x.ModelKey] = append(conflicts[x.ModelKey], x)
	}
	models := c.Models()
	for i := range models {
		s.model(&models[i], conflicts[models[i].Key])
	}
	report := &Report{Keys: []Key{}, Contradictions: s.contradictions, LeftOut: s.listed, WithoutEffect: []Ruling{}}
	for _, k := range s.keys {
		report.Keys = append(report.Keys, *k)
	}
	report.Sources = slices.Sorted(maps.Keys(s.sources))
	slices.SortFunc(report.Keys, func(a, b Key) int { return strings.Compare(a.Key, b.Key) })
	slices.SortFunc(report.Contradictions, func(a, b Contradiction) int {
		return cmp.Or(strings.Compare(a.Model, b.Model), strings.Compare(a.Runtime, b.Runtime), strings.Compare(a.Key, b.Key))
	})
	slices.SortFunc(report.LeftOut, func(a, b Statement) int {
		return cmp.Or(strings.Compare(a.Observation, b.Observation), strings.Compare(a.key, b.key))
	})
	for i, used := range s.used {
		if !used {
			report.WithoutEffect = append(report.WithoutEffect, d.Rulings[i])
		}
	}
	return report, s.leftOut
}

// settlement is the state of a Settle.
type settlement struct {
	decisions      Decisions
	keys           map[string]*Key
	sources        map[string]bool
	contradictions []Contradiction
	leftOut        map[string]bool
	listed         []Statement
	used           []bool
}

// place is a fact of one execution and task.
type place struct{ execution, task, key string }

// factStatements are the statements on a fact.
type factStatements struct {
	runtime    string
	statements []Statement
}

func (s *settlement) model(m *catalog.ModelEntry, conflicts []catalog.Conflict) {
	reader := catalog.NewRecordReader()
	facts := map[place]*factStatements{}
	var order []place
	for _, o := range m.Observations {
		rec := reader.Read(o)
		for _, x := range rec.Measurements {
			if x.Kind != record.Fact {
				continue
			}
			at := place{fmt.Sprintf("%#v", rec.Execution), fmt.Sprintf("%#v", rec.Task), x.Key}
			if facts[at] == nil {
				facts[at] = &factStatements{runtime: rec.Execution.Runtime.ID}
				order = append(order, at)
			}
			st := Statement{Observation: o.ID(), Value: scalar{x.Value}, ObservedAt: string(rec.Freshness.ObservedAt),
				ValidUntil: record.Text(rec.Freshness.ValidUntil), key: x.Key}
			for _, e := range rec.Evidence {
				st.Evidence = append(st.Evidence, e.ID)
			}
			st.Source, _, _ = strings.Cut(st.Evidence[0], ":")
			s.sources[st.Source] = true
			facts[at].statements = append(facts[at].statements, st)
		}
	}
	inConflict := map[string]map[string]bool{} // observations by key of the measurement
	for _, c := range conflicts {
		v, err := ijson.ReadValue(c.JSON, problem.InvalidCatalog)
		if err != nil {
			continue // what compiling wrote is JSON
		}
		key, _ := v.Get("measurementKey")
		ids, _ := v.Get("observationIds")
		for _, id := range ids.Items {
			if inConflict[key.Text] == nil {
				inConflict[key.Text] = map[string]bool{}
			}
			inConflict[key.Text][id.Text] = true
		}
	}
	for _, at := range order {
		s.fact(m.Identity.ID, at.key, facts[at], inConflict[at.key])
	}
}

// fact counts what is said of a fact, and settles it if that is contradictory.
func (s *settlement) fact(model, key string, f *factStatements, inConflict map[string]bool) {
	if record.NamesOffer(key) {
		return
	}
	sources, values := map[string]bool{}, map[record.Scalar]bool{}
	c := Contradiction{Model: model, Runtime: f.runtime, Key: key}
	for _, st := range f.statements {
		sources[st.Source], values[st.Value.Scalar] = true, true
		if inConflict[st.Observation] {
			c.Statements = append(c.Statements, st)
		}
	}
	if len(sources) > 1 {
		k := s.keys[key]
		if k == nil {
			k = &Key{Key: key}
			s.keys[key] = k
		}
		k.Shared++
		switch {
		case len(c.Statements) > 0:
			k.Contradicting++
			if isApart(c.Statements) {
				k.Apart++
			}
		case len(values) == 1:
			k.Agreeing++
		}
	}
	if len(c.Statements) == 0 {
		return
	}
	slices.SortFunc(c.Statements, func(a, b Statement) int {
		return cmp.Or(strings.Compare(a.ObservedAt, b.ObservedAt), strings.Compare(a.Source, b.Source),
			strings.Compare(a.Observation, b.Observation))
	})
	s.contradictions = append(s.contradictions, c)
	s.keep(&c, s.order(&c))
}

// isApart reports whether numbers of a contradiction are 1.5 times apart.
func isApart(list []Statement) bool {
	const ratio = 1.5
	least, most := list[0].Value, list[0].Value
	for _, st := range list {
		if st.Value.Kind != '0' {
			return false
		}
		if st.Value.Float() < least.Float() {
			least = st.Value
		}
		if st.Value.Float() > most.Float() {
			most = st.Value
		}
	}
	return most.Float() >= ratio*least.Float()
}

// order returns the sources to believe of a contradiction, one before the other: that
// of a ruling, then those that are preferred.
func (s *settlement) order(c *Contradiction) (order []string) {
	begin := c.Statements[len(c.Statements)-1].ObservedAt
	for i, r := range s.decisions.Rulings {
		if r.Model == c.Model && r.Runtime == c.Runtime && r.Key == c.Key && begin < r.ValidUntil &&
			slices.ContainsFunc(c.Statements, func(st Statement) bool { return st.Source == r.Source }) {
			s.used[i] = true
			order = append(order, r.Source)
			break
		}
	}
	seller, _, _ := strings.Cut(c.Runtime, ":")
	for _, name := range s.decisions.Prefer {
		if name != Seller {
			order = append(order, name)
		} else if own := s.decisions.Sellers[seller]; own != "" {
			order = append(order, own)
		}
	}
	return order
}

// keep leaves out what contradicts sources, the most believed first. What one leaves
// out contradicts nothing any more, and what one states no later one leaves out.
func (s *settlement) keep(c *Contradiction, order []string) {
	for i, source := range order {
		believed := s.timeline(c, source)
		for _, st := range c.Statements {
			if slices.Contains(order[:i+1], st.Source) || s.leftOut[st.Observation] {
				continue
			}
			if believed.contradicts(&st) {
				s.leftOut[st.Observation] = true
				s.listed = append(s.listed, st)
			}
		}
	}
}

// timeline is what one source states of a fact, by the time from which it holds. A fact may
// have thousands of statements, so those that contradict another are not looked for one by
// one.
type timeline []moment

// moment is the begin of a statement, and which of those that began until then holds the
// longest: of all, and of those with another value than that.
type moment struct {
	begin         string
	longest, next term
}

// term is a value and the time until which it is stated, empty for no end.
type term struct {
	value scalar
	until string
	holds bool // false: there is no such term
}

func (t term) outlasts(other term) bool {
	return !other.holds || other.until != "" && (t.until == "" || t.until > other.until)
}

// timeline returns what a source states and is not left out. Statements are sorted by
// their begin.
func (s *settlement) timeline(c *Contradiction, source string) (list timeline) {
	var m moment
	for _, st := range c.Statements {
		if st.Source != source || s.leftOut[st.Observation] {
			continue
		}
		m.begin = st.ObservedAt
		switch t := (term{st.Value, string(st.ValidUntil), true}); {
		case m.longest.holds && t.value == m.longest.value:
			if t.outlasts(m.longest) {
				m.longest = t
			}
		case t.outlasts(m.longest):
			m.longest, m.next = t, m.longest
		case t.outlasts(m.next):
			m.next = t
		}
		list = append(list, m)
	}
	return list
}

// contradicts reports whether the source states another value for a time of the statement.
func (l timeline) contradicts(st *Statement) bool {
	n := len(l)
	if st.ValidUntil != "" {
		n, _ = slices.BinarySearchFunc(l, string(st.ValidUntil), func(m moment,
			until string) int {
			return strings.Compare(m.begin, until)
		})
	}
	if n == 0 {
		return false
	}
	t := l[n-1].longest
	if t.value == st.Value {
		t = l[n-1].next
	}
	return t.holds && (t.until == "" || st.ObservedAt < t.until)
}

// Table is the report for people, a line for each key.
func (r *Report) Table() string {
	var b strings.Builder
	const form = "%-*s  %6s  %8s  %13s  %10s\n"
	width := len("KEY")
	for _, k := range r.Keys {
		width = max(width, len(k.Key))
	}
	fmt.Fprintf(&b, form, width, "KEY", "SHARED", "AGREEING", "CONTRADICTING", "1.5X APART")
	for _, k := range r.Keys {
		fmt.Fprintf(&b, form, width, k.Key, fmt.Sprint(k.Shared), fmt.Sprint(k.Agreeing), fmt.Sprint(k.Contradicting),
			fmt.Sprint(k.Apart))
	}
	return b.String()
}
