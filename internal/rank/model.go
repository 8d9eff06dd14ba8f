package rank

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// model is the index of the observations of one model, without those whose
// outcome is invalid: no rule looks at them.
type model struct {
	observations []observation
	// measurements stand by series, and in a series in the order of their
	// observations.
	measurements []measurement
	series       []series        // by key and kind
	scopes       []catalog.Scope // distinct
	evidence     textLists       // ids of evidence
	basis, gaps  textLists       // of uncertainty
}

// observation is what a criterion asks of an observation.
type observation struct {
	id            string
	family, suite int32 // numbers of the task's texts, 0 for null
	scope         int32 // in the model's scopes
	source        sourceClasses
	level         level
	fresh         bool // holds at the catalog's asOf
}

// measurement is one value of one observation.
type measurement struct {
	value
	unit        string // "" for none
	observation int32  // in the model's observations
}

// value is a string, a number or a boolean.
type value struct {
	kind   byte    // '"' for a string, '0' for a number, 't' or 'f' for a boolean
	number float64 // if it is one
	json   string  // canonical; may be left out for a number
}

// series is the measurements of one key and kind.
type series struct {
	key        string
	fact       bool
	start, end int32 // in the model's measurements
}

func compareSeries(a, b series) int {
	if c := strings.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(toInt(a.fact), toInt(b.fact))
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// find returns the measurements of a key and kind.
func (m *model) find(key string, fact bool) []measurement {
	i, found := slices.BinarySearchFunc(m.series, series{key: key, fact: fact}, compareSeries)
	if !found {
		return nil
	}
	return m.measurements[m.series[i].start:m.series[i].end]
}

// level is how uncertain an observation is, from best to worst.
type level uint8

const (
	levelLow level = iota
	levelModerate
	levelHigh
	levelUnknown
)

var levelNames = []string{"low", "moderate", "high", "unknown"}

// textLists holds a list of texts for each observation of a model. Each
// distinct text is kept once, in compareText order.
type textLists struct {
	raw  []string
	json []string // the same as canonical JSON
	of   []int32  // numbers of texts: those of the first observation, of the second, and so on
	ends []int32  // where in of those of an observation end
}

// numbers returns the numbers of the texts of an observation.
func (t *textLists) numbers(observation int32) []int32 {
	start := int32(0)
	if observation > 0 {
		start = t.ends[observation-1]
	}
	return t.of[start:t.ends[observation]]
}

// builder makes the index of one model.
type builder struct {
	ranker *Ranker
	model  *model
	series map[series]int32 // with start and end zero, to its number
	of     []int32          // the number of the series of each measurement
	scopes map[string]int32 // by kind and canonical JSON of the profile
	// the texts met so far, to their numbers
	evidence, basis, gaps map[string]int32
	enc                   canonical.Encoder
}

func newBuilder(k *Ranker) *builder {
	return &builder{
		ranker:   k,
		model:    &model{},
		series:   map[series]int32{},
		scopes:   map[string]int32{},
		evidence: map[string]int32{},
		basis:    map[string]int32{},
		gaps:     map[string]int32{},
	}
}

// add adds an observation; they come in order of their ids.
func (b *builder) add(id string, rec *catalog.Record) {
	if rec.Outcome.Status == catalog.OutcomeInvalid {
		return
	}
	m, number := b.model, int32(len(b.model.observations))
	o := observation{
		id:     id,
		scope:  b.scope(&rec.Execution),
		source: sourceClass(rec.SourceClass),
		level:  level(slices.Index(levelNames, rec.Uncertainty.Level)),
		fresh:  rec.Freshness.ValidUntil == "" || rec.Freshness.ValidUntil > b.ranker.asOf,
	}
	if rec.Task.Family != "" {
		o.family = b.ranker.families.add(rec.Task.Family)
		if rec.Task.Suite != "" {
			o.suite = b.ranker.suites.add(rec.Task.Suite)
		}
	}
	m.observations = append(m.observations, o)
	for i := range rec.Measurements {
		b.addMeasurement(number, &rec.Measurements[i])
	}
	for i := range rec.Evidence {
		m.evidence.add(b.evidence, rec.Evidence[i].ID)
	}
	m.evidence.endObservation()
	for _, s := range rec.Uncertainty.Basis {
		m.basis.add(b.basis, s)
	}
	m.basis.endObservation()
	for _, s := range rec.Uncertainty.Gaps {
		m.gaps.add(b.gaps, s)
	}
	m.gaps.endObservation()
}

// scope returns the number of a scope.
func (b *builder) scope(s *catalog.Scope) int32 {
	b.enc.Buf = append(b.enc.Buf[:0], s.Kind...)
	if s.Kind != "" {
		catalog.EncodeProfile(&b.enc, &s.Profile)
	}
	number, known := b.scopes[string(b.enc.Buf)]
	if !known {
		number = int32(len(b.model.scopes))
		b.scopes[string(b.enc.Buf)] = number
		b.model.scopes = append(b.model.scopes, *s)
	}
	return number
}

func (b *builder) addMeasurement(observation int32, rec *catalog.Measurement) {
	s := series{key: rec.Key, fact: rec.Kind == catalog.Fact}
	number, known := b.series[s]
	if !known {
		number = int32(len(b.series))
		b.series[s] = number
	}
	b.of = append(b.of, number)
	b.model.measurements = append(b.model.measurements, measurement{
		value: newValue(rec.Value), unit: rec.Unit, observation: observation,
	})
}

func newValue(s catalog.Scalar) value {
	v := value{kind: s.Kind, json: s.Text}
	switch s.Kind {
	case '0':
		v.number = s.Float()
	case '"':
		v.json = string(canonical.AppendString(nil, s.Text))
	case 't':
		v.json = "true"
	case 'f':
		v.json = "false"
	}
	return v
}

// finish brings everything into order.
func (b *builder) finish() *model {
	b.sortSeries()
	b.model.evidence.sort()
	b.model.basis.sort()
	b.model.gaps.sort()
	return b.model
}

// sortSeries moves the measurements of each series together.
func (b *builder) sortSeries() {
	m := b.model
	m.series = make([]series, len(b.series))
	for s, number := range b.series {
		m.series[number] = s
	}
	for _, number := range b.of {
		m.series[number].end++ // counts, for now
	}
	for i, end := 0, int32(0); i < len(m.series); i++ {
		s := &m.series[i]
		s.start = end
		end += s.end
		s.end = s.start
	}
	sorted := make([]measurement, len(m.measurements))
	for i, number := range b.of {
		s := &m.series[number]
		sorted[s.end] = m.measurements[i]
		s.end++
	}
	m.measurements = sorted
	slices.SortFunc(m.series, compareSeries)
}

// add adds a text to the observation that is being added. known numbers the
// texts met so far.
func (t *textLists) add(known map[string]int32, text string) {
	number, is := known[text]
	if !is {
		number = int32(len(t.raw))
		known[text] = number
		t.raw = append(t.raw, text)
	}
	t.of = append(t.of, number)
}

func (t *textLists) endObservation() { t.ends = append(t.ends, int32(len(t.of))) }

// sort renumbers the texts in their order and renders them.
func (t *textLists) sort() {
	order := make([]int32, len(t.raw))
	for i := range order {
		order[i] = int32(i)
	}
	sort.Slice(order, func(a, b int) bool { return canonical.CompareText(t.raw[order[a]], t.raw[order[b]]) < 0 })
	var (
		sorted  = make([]string, len(t.raw))
		numbers = make([]int32, len(t.raw))
		ends    = make([]int, len(t.raw))
		buf     []byte
	)
	for i, old := range order {
		sorted[i] = t.raw[old]
		numbers[old] = int32(i)
		buf = canonical.AppendString(buf, sorted[i])
		ends[i] = len(buf)
	}
	for i, old := range t.of {
		t.of[i] = numbers[old]
	}
	t.raw, t.json = sorted, make([]string, len(sorted))
	for i, all, start := 0, string(buf), 0; i < len(ends); i++ {
		t.json[i] = all[start:ends[i]]
		start = ends[i]
	}
}
