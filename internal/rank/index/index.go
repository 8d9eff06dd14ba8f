// Package index holds what rankers of every version keep of the observations of a
// model: the measurements by key and kind, the distinct execution scopes, and the texts
// that results repeat. What occurs again and again is kept once and numbered; numbers
// take 32 bits.
package index

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// Value is a string, a number or a boolean.
type Value struct {
	Kind   byte    // '"' for a string, '0' for a number, 't' or 'f' for a boolean
	Number float64 // if it is one
	JSON   string  // canonical; a number that was computed has none
}

// NewValue returns a value as a record has it.
func NewValue(s record.Scalar) Value {
	v := Value{Kind: s.Kind, JSON: s.Text}
	switch s.Kind {
	case '0':
		v.Number = s.Float()
	case '"':
		v.JSON = canonical.Quote(s.Text)
	case 't':
		v.JSON = "true"
	case 'f':
		v.JSON = "false"
	}
	return v
}

// Scalar returns the value as records have it.
func (v *Value) Scalar() record.Scalar {
	switch v.Kind {
	case '0':
		return record.Scalar{Kind: '0', Text: string(v.AppendJSON(nil))}
	case '"':
		return record.Scalar{Kind: '"', Text: ijson.NewReader(v.JSON, "").String()}
	}
	return record.Scalar{Kind: v.Kind}
}

// AppendJSON appends the value as canonical JSON.
func (v *Value) AppendJSON(dst []byte) []byte {
	if v.JSON == "" {
		return canonical.AppendNumber(dst, v.Number)
	}
	return append(dst, v.JSON...)
}

// Measurement is one value of one observation.
type Measurement struct {
	Value
	Unit        string // "" for none
	Observation int32
}

// SeriesKey tells which measurements make a series.
type SeriesKey struct {
	Key  string
	Fact bool // or else a sample
}

// Compare orders keys, samples before facts.
func (k SeriesKey) Compare(other SeriesKey) int {
	switch order := strings.Compare(k.Key, other.Key); {
	case order != 0 || k.Fact == other.Fact:
		return order
	case other.Fact:
		return -1
	}
	return 1
}

// Level is how uncertain an observation is, from best to worst.
type Level uint8

// The levels, whose names LevelNames has.
const (
	LevelLow Level = iota
	LevelModerate
	LevelHigh
	LevelUnknown
)

// LevelNames are the names of levels.
var LevelNames = []string{record.LevelLow, record.LevelModerate, record.LevelHigh, record.LevelUnknown}

// Model is the index of the observations of a model.
type Model struct {
	Measurements []Measurement // by series, and in a series in the order of their observations
	Evidence     Lists         // ids of evidence
	Basis, Gaps  Lists         // of uncertainty
	levels       []Level       // by observation
	series       []series      // by key and kind
}

// series is where the measurements of one key and kind are.
type series struct {
	SeriesKey
	start, end int32
}

// Find returns the measurements of a key and kind, and the number of the first.
func (m *Model) Find(key SeriesKey) (list []Measurement, first int32) {
	i, found := slices.BinarySearchFunc(m.series, key, func(s series, k SeriesKey) int { return s.Compare(k) })
	if !found {
		return nil, 0
	}
	s := m.series[i]
	return m.Measurements[s.start:s.end], s.start
}

// Series calls yield for the key of each series.
func (m *Model) Series(yield func(SeriesKey) bool) {
	for _, s := range m.series {
		if !yield(s.SeriesKey) {
			return
		}
	}
}

// Keys returns the keys of facts.
func (m *Model) Keys() (keys []string) {
	for _, s := range m.series {
		if s.Fact {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Builder indexes the observations of a model, in order. The zero value has none.
type Builder struct {
	Scopes       Scopes
	keys         Numbering[SeriesKey]
	keyOf        []int32 // by measurement
	measurements []Measurement
	levels       []Level
	evidence     ListsBuilder
	basis, gaps  ListsBuilder
}

// Add adds an observation, unless numbers would not reach below the limit then. The lists of
// the record are not kept.
func (b *Builder) Add(rec *record.Observation, limit int) (fits bool) {
	if max(len(b.measurements)+len(rec.Measurements), b.evidence.Len()+len(rec.Evidence),
		b.basis.Len()+len(rec.Uncertainty.Basis), b.gaps.Len()+len(rec.Uncertainty.Gaps)) > limit {
		return false // and there is less of everything else
	}
	observation := int32(len(b.levels))
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		b.keyOf = append(b.keyOf, b.keys.Number(SeriesKey{m.Key, m.Kind == record.Fact}))
		b.measurements = append(b.measurements, Measurement{NewValue(m.Value), m.Unit, observation})
	}
	b.levels = append(b.levels, Level(slices.Index(LevelNames, rec.Uncertainty.Level)))
	for i := range rec.Evidence {
		b.evidence.Add(rec.Evidence[i].ID)
	}
	b.evidence.EndList()
	b.basis.AddList(rec.Uncertainty.Basis)
	b.gaps.AddList(rec.Uncertainty.Gaps)
	return true
}

// Finish returns the index.
func (b *Builder) Finish() Model {
	m := Model{Evidence: b.evidence.Finish(), Basis: b.basis.Finish(), Gaps: b.gaps.Finish(),
		levels: slices.Clip(b.levels)}
	m.series = make([]series, len(b.keys.Keys))
	for i, key := range b.keys.Keys {
		m.series[i].SeriesKey = key
	}
	for _, number := range b.keyOf {
		m.series[number].end++ // counts them, for now
	}
	end := int32(0)
	for i := range m.series {
		s := &m.series[i]
		s.start, end = end, end+s.end
		s.end = s.start
	}
	m.Measurements = make([]Measurement, len(b.measurements))
	for i, number := range b.keyOf {
		s := &m.series[number]
		m.Measurements[s.end] = b.measurements[i]
		s.end++
	}
	slices.SortFunc(m.series, func(a, b series) int { return a.Compare(b.SeriesKey) })
	return m
}

// Scopes numbers distinct execution scopes. The zero value has none.
type Scopes struct {
	Distinct  []*record.Scope   // by number; one that is null has nothing but the kind
	numbering Numbering[string] // of kind and canonical JSON
	encoder   canonical.Encoder
}

// Number returns the number of a scope. Its tool surface is not kept.
func (n *Scopes) Number(s *record.Scope) int32 {
	n.encoder.Buf = n.encoder.Buf[:0]
	if s.Kind != "" {
		n.encoder.Raw(s.Kind)
		catalog.EncodeProfile(&n.encoder, &s.Profile)
	}
	if number, known := n.numbering.Numbers[string(n.encoder.Buf)]; known {
		return number
	}
	kept := &record.Scope{}
	if s.Kind != "" {
		*kept = *s
		kept.ToolSurface = slices.Clone(s.ToolSurface)
	}
	n.Distinct = append(n.Distinct, kept)
	return n.numbering.Number(string(n.encoder.Buf))
}

// Uncertainty unites that of observations of a model: the worst level, all basis texts and
// all gap texts.
type Uncertainty struct {
	Model       *Model
	Basis, Gaps Union
	Level       Level // the worst
	Known       bool  // there is any observation
}

// Reset turns to a model.
func (u *Uncertainty) Reset(m *Model) {
	u.Model, u.Level, u.Known = m, LevelLow, false
	u.Basis.Reset(len(m.Basis.Texts))
	u.Gaps.Reset(len(m.Gaps.Texts))
}

// Add adds an observation.
func (u *Uncertainty) Add(observation int32) {
	u.Known = true
	u.Level = max(u.Level, u.Model.levels[observation])
	u.Basis.Add(u.Model.Basis.Numbers(observation))
	u.Gaps.Add(u.Model.Gaps.Numbers(observation))
}

// Build makes n indexes, on all processors.
func Build[T any](n int, build func(number int, reader *catalog.RecordReader) T) []T {
	all := make([]T, n)
	var (
		next    atomic.Int64
		running sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), n) {
		running.Go(func() {
			reader := catalog.NewRecordReader()
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				all[i-1] = build(int(i-1), reader)
			}
		})
	}
	running.Wait()
	return all
}
