package rank

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// This file is the index of a catalog: what a criterion can ask for, by model, by
// kind and key of measurement, in the order of observations. What occurs again and
// again (scopes, tasks, texts) is kept once and numbered; numbers take 32 bits.

// Ranker ranks requests against one catalog. It is immutable and safe for
// concurrent use; [New] makes one.
type Ranker struct {
	asOf, digest string
	models       map[catalog.Model]*model
	none         *model // for every model without observations
}

// New indexes a catalog, its models on all processors. It fails if a model has more
// measurements, or more texts in its observations, than can be numbered.
func New(c *catalog.Catalog) (*Ranker, error) {
	entries := c.Models()
	indexes := make([]*model, len(entries))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		workers.Go(func() {
			reader := catalog.NewRecordReader()
			for n := next.Add(1); n <= int64(len(entries)); n = next.Add(1) {
				indexes[n-1] = newModel(&entries[n-1], c.AsOf(), reader, math.MaxInt32)
			}
		})
	}
	workers.Wait()
	k := &Ranker{c.AsOf(), c.Digest(), make(map[catalog.Model]*model, len(entries)), &model{}}
	for i, m := range indexes {
		if m == nil {
			return nil, fmt.Errorf("model %s has too many observations to rank: at most %d measurements and as many texts can be numbered",
				entries[i].IdentityJSON, math.MaxInt32)
		}
		k.models[entries[i].Identity] = m
	}
	return k, nil
}

// find returns the index of a model.
func (k *Ranker) find(identity catalog.Model) *model {
	if m := k.models[identity]; m != nil {
		return m
	}
	return k.none
}

// model is the index of the observations of one model. Those whose outcome is
// invalid are left out: no rule looks at them.
type model struct {
	observations []observation
	// measurements are sorted by series, and in a series in the order of their
	// observations.
	measurements  []measurement
	seriesNumbers map[seriesKey]int32
	series        []series
	scopes        []catalog.Scope // the distinct ones
	tasks         []task          // the distinct ones
	evidence      textLists       // ids of evidence
	basis, gaps   textLists       // of uncertainty
}

// observation is what a criterion asks of an observation, apart from values.
type observation struct {
	id     string
	scope  int32 // in the model's scopes
	task   int32 // in the model's tasks
	source sourceClasses
	level  int  // in levels
	fresh  bool // holds at the catalog's asOf
}

// task is what an observation measured, as far as requests tell tasks apart.
type task struct {
	family string // "" if the observation has none
	suite  string // "" for null
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
	json   string  // canonical; a number that was computed has none
}

func newValue(s catalog.Scalar) value {
	v := value{kind: s.Kind, json: s.Text}
	switch s.Kind {
	case '0':
		v.number = s.Float()
	case '"':
		v.json = canonical.Quote(s.Text)
	case 't':
		v.json = "true"
	case 'f':
		v.json = "false"
	}
	return v
}

// seriesKey tells which measurements make a series.
type seriesKey struct {
	key  string
	fact bool // or else a sample
}

// find returns the measurements of a key and kind, and the number of the first.
func (m *model) find(key seriesKey) (list []measurement, first int32) {
	number, found := m.seriesNumbers[key]
	if !found {
		return nil, 0
	}
	s := m.series[number]
	return m.measurements[s.start:s.end], s.start
}

// series is where the measurements of one key and kind are.
type series struct{ start, end int32 }

// levels are how uncertain an observation may be, from best to worst.
var levels = []string{catalog.LevelLow, catalog.LevelModerate, catalog.LevelHigh, catalog.LevelUnknown}

// textLists holds a list of texts for each observation of a model. Each
// distinct text is kept once, in compareText order, so that lists are united by
// their numbers.
type textLists struct {
	texts   []string
	json    []string // the texts as canonical JSON
	numbers []int32  // of texts: those of the first observation, of the second, and so on
	ends    []int32  // by observation: where its own end in numbers
}

// list returns the numbers of the texts of an observation.
func (t *textLists) list(observation int32) []int32 {
	start := int32(0)
	if observation > 0 {
		start = t.ends[observation-1]
	}
	return t.numbers[start:t.ends[observation]]
}

// numbering numbers distinct keys in the order in which they come, from 0.
type numbering[K comparable] struct {
	numbers map[K]int32
	keys    []K // by number
}

func newNumbering[K comparable]() numbering[K] { return numbering[K]{numbers: map[K]int32{}} }

// number returns the number of a key, which may be new.
func (n *numbering[K]) number(key K) int32 {
	number, known := n.numbers[key]
	if !known {
		number = int32(len(n.keys)) // which the builder holds below its limit
		n.numbers[key] = number
		n.keys = append(n.keys, key)
	}
	return number
}

// builder indexes the observations of one model.
type builder struct {
	asOf         string
	observations []observation
	measurements []measurement
	series       numbering[seriesKey]
	seriesOf     []int32           // by measurement
	scopes       numbering[string] // by kind and canonical JSON of the profile
	scopeOf      []catalog.Scope   // by number
	tasks        numbering[task]
	evidence     textsBuilder
	basis, gaps  textsBuilder
	encoder      canonical.Encoder
}

// newModel indexes the observations of a model. It returns nil if there is more to
// number than the limit allows.
func newModel(entry *catalog.ModelEntry, asOf string, reader *catalog.RecordReader, limit int) *model {
	b := &builder{
		asOf:     asOf,
		series:   newNumbering[seriesKey](),
		scopes:   newNumbering[string](),
		tasks:    newNumbering[task](),
		evidence: newTextsBuilder(),
		basis:    newTextsBuilder(),
		gaps:     newTextsBuilder(),
	}
	for _, o := range entry.Observations {
		rec := reader.Read(o)
		if rec.Outcome.Status == catalog.OutcomeInvalid {
			continue
		}
		if b.size(rec) > limit {
			return nil
		}
		b.add(o.ID(), rec)
	}
	return b.finish()
}

// size is how many numbers the largest list needs with another observation. There
// are fewer observations, scopes, tasks and series than measurements.
func (b *builder) size(rec *catalog.Record) int {
	return max(len(b.measurements)+len(rec.Measurements), len(b.evidence.numbers)+len(rec.Evidence),
		len(b.basis.numbers)+len(rec.Uncertainty.Basis), len(b.gaps.numbers)+len(rec.Uncertainty.Gaps))
}

// add adds an observation; they come in order of their ids. The lists of the
// record are not kept.
func (b *builder) add(id string, rec *catalog.Record) {
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		b.seriesOf = append(b.seriesOf, b.series.number(seriesKey{m.Key, m.Kind == catalog.Fact}))
		b.measurements = append(b.measurements, measurement{newValue(m.Value), m.Unit, int32(len(b.observations))})
	}
	b.observations = append(b.observations, observation{
		id:     id,
		scope:  b.scope(&rec.Execution),
		task:   b.tasks.number(task{rec.Task.Family, rec.Task.Suite}),
		source: sourceClass(rec.SourceClass),
		level:  slices.Index(levels, rec.Uncertainty.Level),
		fresh:  rec.Freshness.ValidUntil == "" || rec.Freshness.ValidUntil > b.asOf,
	})
	for i := range rec.Evidence {
		b.evidence.add(rec.Evidence[i].ID)
	}
	b.basis.add(rec.Uncertainty.Basis...)
	b.gaps.add(rec.Uncertainty.Gaps...)
	for _, t := range []*textsBuilder{&b.evidence, &b.basis, &b.gaps} {
		t.endList()
	}
}

// scope returns the number of a scope.
func (b *builder) scope(s *catalog.Scope) int32 {
	var kept catalog.Scope // a null scope has nothing but the kind
	b.encoder.Buf = b.encoder.Buf[:0]
	if s.Kind != "" {
		kept = *s
		b.encoder.Raw(s.Kind)
		catalog.EncodeProfile(&b.encoder, &s.Profile)
	}
	if number, known := b.scopes.numbers[string(b.encoder.Buf)]; known {
		return number
	}
	kept.ToolSurface = slices.Clone(kept.ToolSurface)
	b.scopeOf = append(b.scopeOf, kept)
	return b.scopes.number(string(b.encoder.Buf))
}

// finish returns the index.
func (b *builder) finish() *model {
	m := &model{
		observations:  slices.Clip(b.observations),
		seriesNumbers: b.series.numbers,
		scopes:        slices.Clip(b.scopeOf),
		tasks:         slices.Clip(b.tasks.keys),
		evidence:      b.evidence.finish(),
		basis:         b.basis.finish(),
		gaps:          b.gaps.finish(),
	}
	m.series, m.measurements = b.groupSeries()
	return m
}

// groupSeries brings the measurements of each series together.
func (b *builder) groupSeries() ([]series, []measurement) {
	all := make([]series, len(b.series.keys))
	for _, number := range b.seriesOf {
		all[number].end++ // counts them, for now
	}
	end := int32(0)
	for i := range all {
		all[i].start, end = end, end+all[i].end
		all[i].end = all[i].start
	}
	grouped := make([]measurement, len(b.measurements))
	for i, number := range b.seriesOf {
		s := &all[number]
		grouped[s.end] = b.measurements[i]
		s.end++
	}
	return all, grouped
}

// textsBuilder makes textLists.
type textsBuilder struct {
	numbering numbering[string]
	numbers   []int32
	ends      []int32
}

func newTextsBuilder() textsBuilder { return textsBuilder{numbering: newNumbering[string]()} }

// add adds texts to the list of the next observation.
func (t *textsBuilder) add(texts ...string) {
	for _, text := range texts {
		t.numbers = append(t.numbers, t.numbering.number(text))
	}
}

// endList ends the list of an observation.
func (t *textsBuilder) endList() { t.ends = append(t.ends, int32(len(t.numbers))) }

// finish numbers the texts anew, in their order, and renders them.
func (t *textsBuilder) finish() textLists {
	texts := t.numbering.keys
	order := make([]int32, len(texts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return canonical.CompareText(texts[a], texts[b]) })
	var (
		lists   = textLists{texts: make([]string, len(texts)), json: make([]string, len(texts)), numbers: slices.Clip(t.numbers), ends: slices.Clip(t.ends)}
		numbers = make([]int32, len(texts)) // by former number
		json    []byte
		ends    = make([]int, len(texts))
	)
	for i, former := range order {
		lists.texts[i] = texts[former]
		numbers[former] = int32(i)
		json = canonical.AppendString(json, texts[former])
		ends[i] = len(json)
	}
	for i, former := range lists.numbers {
		lists.numbers[i] = numbers[former]
	}
	whole, start := string(json), 0
	for i, end := range ends {
		lists.json[i] = whole[start:end]
		start = end
	}
	return lists
}
