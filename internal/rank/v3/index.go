package v3

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank/texts"
)

// Ranker ranks requests against one catalog, of which it holds an index. It is
// immutable and safe for concurrent use; [New] makes one.
type Ranker struct {
	asOf, digest string
	models       map[string]*model // by model id
	none         *model            // stands for every model without observations
}

// New indexes a catalog, on all processors. It fails if a model has more
// measurements, or more texts in its observations, than can be numbered.
func New(c *catalog.Catalog) (*Ranker, error) {
	k := &Ranker{asOf: c.AsOf(), digest: c.Digest(), models: map[string]*model{}, none: &model{tasks: []task{{}}}}
	entries := map[string][]*catalog.ModelEntry{}
	var names []string
	for i := range c.Models() {
		entry := &c.Models()[i]
		id := entry.Identity.ID
		if entries[id] == nil {
			names = append(names, id)
		}
		entries[id] = append(entries[id], entry)
	}
	models := make([]*model, len(names))
	var (
		next    atomic.Int64
		running sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		running.Go(func() {
			reader := catalog.NewRecordReader()
			for n := next.Add(1); n <= int64(len(names)); n = next.Add(1) {
				models[n-1] = newModel(entries[names[n-1]], k.asOf, reader, math.MaxInt32)
			}
		})
	}
	running.Wait()
	for i, id := range names {
		if models[i] == nil {
			return nil, fmt.Errorf("model %s has too many observations to rank: at most %d measurements and as many texts can be numbered",
				canonical.Quote(id), math.MaxInt32)
		}
		k.models[id] = models[i]
	}
	return k, nil
}

// model is the index of the observations of one model id, whatever the revision
// and quantization.
//
// What many observations share is kept once and called by its number: tasks,
// groups, clusters and texts. So a criterion compares numbers, and a candidate is
// held against each group once, however many observations there are.
type model struct {
	observations []observation // by id
	measurements []measurement // by series, and in a series in the order of their observations
	series       []series      // by key and kind
	tasks        []task        // the distinct ones; the first is that of observations without one
	groups       []group       // the distinct ones
	clusters     []cluster     // the distinct ones, by key
	evidence     texts.Lists   // ids of evidence
	basis, gaps  texts.Lists   // of uncertainty
}

// observation is what a criterion asks of an observation, apart from values.
type observation struct {
	source     catalog.Observation
	observedAt string // timestamp
	task       int32
	group      int32
	cluster    int32
	party      sourceClasses
	level      level
	fresh      bool // holds at the catalog's asOf
	invalid    bool // its outcome says that nothing was measured
}

// task is what an observation measured. Family is "" if it has none, the others
// are "" for null.
type task struct{ family, suite, id string }

// group is what samples must share to be counted together: the conditions that
// they were measured under.
type group struct {
	model         catalog.Model
	scope         *catalog.Scope
	family, suite string // "" if there is no task
	evaluator     catalog.Component
	party         sourceClasses
}

// cluster is what shares luck: the runs of one task, or what one list of evidence
// shows.
//
// Its key is canonical JSON: {"task":["code","suite",null]} or {"evidence":["run-1"]}.
type cluster struct {
	key    string
	isTask bool
}

// measurement is one value of one observation.
type measurement struct {
	value
	unit        string // "" for none
	observation int32
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

func (k seriesKey) compare(other seriesKey) int {
	switch c := strings.Compare(k.key, other.key); {
	case c != 0:
		return c
	case k.fact == other.fact:
		return 0
	case other.fact:
		return -1
	}
	return 1
}

// series is where the measurements of one key and kind stand.
type series struct {
	seriesKey
	start, end int32
}

// find returns the measurements of a key and kind.
func (m *model) find(key seriesKey) []measurement {
	i, found := slices.BinarySearchFunc(m.series, key, func(s series, k seriesKey) int { return s.compare(k) })
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

var levelNames = []string{catalog.LevelLow, catalog.LevelModerate, catalog.LevelHigh, catalog.LevelUnknown}

// groupKey is what distinct groups differ in.
type groupKey struct {
	model         catalog.Model
	scope         int32
	family, suite string
	evaluator     catalog.Component
	party         sourceClasses
}

// indexer makes the index of one model.
type indexer struct {
	index     model
	asOf      string
	keys      texts.Numbering[seriesKey]
	unsorted  []measurement
	keyOf     []int32                 // by unsorted measurement
	scopes    texts.Numbering[string] // by kind and canonical JSON
	scopeOf   []*catalog.Scope        // by number
	tasks     texts.Numbering[task]
	groupKeys texts.Numbering[groupKey]
	clusters  texts.Numbering[string]
	evidence  texts.Builder
	basis     texts.Builder
	gaps      texts.Builder
	enc       canonical.Encoder
}

// newModel indexes the observations of the entries of one model id. It returns nil
// if there is more to number than the limit allows.
func newModel(entries []*catalog.ModelEntry, asOf string, reader *catalog.RecordReader, limit int) *model {
	type source struct {
		entry       *catalog.ModelEntry
		observation catalog.Observation
	}
	var all []source
	for _, entry := range entries {
		for _, o := range entry.Observations {
			all = append(all, source{entry, o})
		}
	}
	if len(entries) > 1 {
		slices.SortFunc(all, func(a, b source) int { return strings.Compare(a.observation.ID(), b.observation.ID()) })
	}
	x := &indexer{asOf: asOf}
	x.tasks.Number(task{})
	for i := range all {
		rec := reader.Read(all[i].observation)
		if x.size(rec) > limit {
			return nil
		}
		x.add(all[i].observation, all[i].entry.Identity, rec)
	}
	return x.finish()
}

// size is how many numbers the largest list needs with another observation. There
// are fewer observations, groups, clusters and tasks than measurements.
func (x *indexer) size(rec *catalog.Record) int {
	return max(len(x.unsorted)+len(rec.Measurements), x.evidence.Len()+len(rec.Evidence),
		x.basis.Len()+len(rec.Uncertainty.Basis), x.gaps.Len()+len(rec.Uncertainty.Gaps))
}

// add adds an observation. The lists of the record are not kept.
func (x *indexer) add(source catalog.Observation, identity catalog.Model, rec *catalog.Record) {
	number := int32(len(x.index.observations))
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		x.keyOf = append(x.keyOf, x.keys.Number(seriesKey{m.Key, m.Kind == catalog.Fact}))
		x.unsorted = append(x.unsorted, measurement{newValue(m.Value), m.Unit, number})
	}
	t := task{rec.Task.Family, rec.Task.Suite, rec.Task.TaskID}
	party := sourceClasses(1 << slices.Index(sourceNames, rec.SourceClass))
	x.index.observations = append(x.index.observations, observation{
		source:     source,
		observedAt: rec.Freshness.ObservedAt,
		task:       x.tasks.Number(t),
		group:      x.group(groupKey{identity, x.scope(&rec.Execution), t.family, t.suite, rec.Task.Evaluator, party}),
		cluster:    x.cluster(&t, rec.Evidence),
		party:      party,
		level:      level(slices.Index(levelNames, rec.Uncertainty.Level)),
		fresh:      rec.Freshness.HoldsAt(x.asOf),
		invalid:    rec.Outcome.Status == catalog.OutcomeInvalid,
	})
	for i := range rec.Evidence {
		x.evidence.Add(rec.Evidence[i].ID)
	}
	x.evidence.EndList()
	for _, text := range rec.Uncertainty.Basis {
		x.basis.Add(text)
	}
	x.basis.EndList()
	for _, text := range rec.Uncertainty.Gaps {
		x.gaps.Add(text)
	}
	x.gaps.EndList()
}

// scope returns the number of a scope.
func (x *indexer) scope(s *catalog.Scope) int32 {
	x.enc.Buf = x.enc.Buf[:0]
	if s.Kind != "" {
		x.enc.Raw(s.Kind)
		catalog.EncodeProfile(&x.enc, &s.Profile)
	}
	if number, known := x.scopes.Numbers[string(x.enc.Buf)]; known {
		return number
	}
	kept := &catalog.Scope{} // a null scope has nothing but the kind
	if s.Kind != "" {
		*kept = *s
		kept.ToolSurface = slices.Clone(s.ToolSurface)
	}
	x.scopeOf = append(x.scopeOf, kept)
	return x.scopes.Number(string(x.enc.Buf))
}

// group returns the number of a group.
func (x *indexer) group(key groupKey) int32 {
	number := x.groupKeys.Number(key)
	if int(number) == len(x.index.groups) {
		x.index.groups = append(x.index.groups, group{key.model, x.scopeOf[key.scope], key.family, key.suite, key.evaluator, key.party})
	}
	return number
}

// The keys of clusters begin so.
const evidenceCluster, taskCluster = `{"evidence":`, `{"task":[`

// cluster returns the number of the cluster of an observation.
func (x *indexer) cluster(t *task, evidence []catalog.Evidence) int32 {
	e := &x.enc
	e.Buf = e.Buf[:0]
	if t.id != "" {
		e.Raw(taskCluster)
		e.Text(t.family)
		e.Raw(`,`)
		e.TextOrNull(t.suite)
		e.Raw(`,`)
		e.Text(t.id)
		e.Raw(`]}`)
	} else {
		e.Raw(evidenceCluster + `[`)
		for i := range evidence { // which are sorted
			separate(e, i)
			e.Text(evidence[i].ID)
		}
		e.Raw(`]}`)
	}
	if number, known := x.clusters.Numbers[string(e.Buf)]; known {
		return number
	}
	return x.clusters.Number(string(e.Buf))
}

// finish returns the index.
func (x *indexer) finish() *model {
	m := &x.index
	m.observations = slices.Clip(m.observations)
	m.groups = slices.Clip(m.groups)
	m.tasks = slices.Clip(x.tasks.Keys)
	m.evidence, m.basis, m.gaps = x.evidence.Finish(), x.basis.Finish(), x.gaps.Finish()
	m.series, m.measurements = x.sortSeries()
	keys, anew := texts.Sort(x.clusters.Keys)
	m.clusters = make([]cluster, len(keys))
	for i, key := range keys {
		m.clusters[i] = cluster{key, strings.HasPrefix(key, taskCluster)}
	}
	for i := range m.observations {
		m.observations[i].cluster = anew[m.observations[i].cluster]
	}
	return m
}

// sortSeries brings the measurements of each series together.
func (x *indexer) sortSeries() ([]series, []measurement) {
	all := make([]series, len(x.keys.Keys))
	for i, key := range x.keys.Keys {
		all[i].seriesKey = key
	}
	for _, number := range x.keyOf {
		all[number].end++ // counts them, for now
	}
	end := int32(0)
	for i := range all {
		all[i].start, end = end, end+all[i].end
		all[i].end = all[i].start
	}
	sorted := make([]measurement, len(x.unsorted))
	for i, number := range x.keyOf {
		s := &all[number]
		sorted[s.end] = x.unsorted[i]
		s.end++
	}
	slices.SortFunc(all, func(a, b series) int { return a.compare(b.seriesKey) })
	return all, sorted
}
