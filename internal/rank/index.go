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
	"github.com/model-catalog-service/svc/internal/rank/texts"
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
	evidence      texts.Lists     // ids of evidence
	basis, gaps   texts.Lists     // of uncertainty
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

// builder indexes the observations of one model.
type builder struct {
	asOf         string
	observations []observation
	measurements []measurement
	series       texts.Numbering[seriesKey]
	seriesOf     []int32                 // by measurement
	scopes       texts.Numbering[string] // by kind and canonical JSON of the profile
	scopeOf      []catalog.Scope         // by number
	tasks        texts.Numbering[task]
	evidence     texts.Builder
	basis, gaps  texts.Builder
	encoder      canonical.Encoder
}

// newModel indexes the observations of a model. It returns nil if there is more to
// number than the limit allows.
func newModel(entry *catalog.ModelEntry, asOf string, reader *catalog.RecordReader, limit int) *model {
	b := &builder{asOf: asOf}
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
	return max(len(b.measurements)+len(rec.Measurements), b.evidence.Len()+len(rec.Evidence),
		b.basis.Len()+len(rec.Uncertainty.Basis), b.gaps.Len()+len(rec.Uncertainty.Gaps))
}

// add adds an observation; they come in order of their ids. The lists of the
// record are not kept.
func (b *builder) add(id string, rec *catalog.Record) {
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		b.seriesOf = append(b.seriesOf, b.series.Number(seriesKey{m.Key, m.Kind == catalog.Fact}))
		b.measurements = append(b.measurements, measurement{newValue(m.Value), m.Unit, int32(len(b.observations))})
	}
	b.observations = append(b.observations, observation{
		id:     id,
		scope:  b.scope(&rec.Execution),
		task:   b.tasks.Number(task{rec.Task.Family, rec.Task.Suite}),
		source: sourceClass(rec.SourceClass),
		level:  slices.Index(levels, rec.Uncertainty.Level),
		fresh:  rec.Freshness.HoldsAt(b.asOf),
	})
	for i := range rec.Evidence {
		b.evidence.Add(rec.Evidence[i].ID)
	}
	for _, text := range rec.Uncertainty.Basis {
		b.basis.Add(text)
	}
	for _, text := range rec.Uncertainty.Gaps {
		b.gaps.Add(text)
	}
	for _, t := range []*texts.Builder{&b.evidence, &b.basis, &b.gaps} {
		t.EndList()
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
	if number, known := b.scopes.Numbers[string(b.encoder.Buf)]; known {
		return number
	}
	kept.ToolSurface = slices.Clone(kept.ToolSurface)
	b.scopeOf = append(b.scopeOf, kept)
	return b.scopes.Number(string(b.encoder.Buf))
}

// finish returns the index.
func (b *builder) finish() *model {
	m := &model{
		observations:  slices.Clip(b.observations),
		seriesNumbers: b.series.Numbers,
		scopes:        slices.Clip(b.scopeOf),
		tasks:         slices.Clip(b.tasks.Keys),
		evidence:      b.evidence.Finish(),
		basis:         b.basis.Finish(),
		gaps:          b.gaps.Finish(),
	}
	m.series, m.measurements = b.groupSeries()
	return m
}

// groupSeries brings the measurements of each series together.
func (b *builder) groupSeries() ([]series, []measurement) {
	all := make([]series, len(b.series.Keys))
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
