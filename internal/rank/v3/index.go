package v3

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/service/record"
)

// Ranker ranks requests against one catalog, of which it holds an index. It is
// immutable and safe for concurrent use; [New] makes one.
type Ranker struct {
	catalog      *catalog.Catalog
	asOf, digest string
	models       map[string]*model // by model id
	none         *model            // stands for every model without observations
	bands        []uint64          // lengths of prompts above which there are other prices, the largest first
	surveyed     func() *survey    // what questions ask about, once somebody asks one
	known        func() *knownNames
}

// Catalog is what the ranker ranks by.
func (k *Ranker) Catalog() *catalog.Catalog { return k.catalog }

// New indexes a catalog, on all processors. It fails if a model has more
// measurements, or more texts in its observations, than can be numbered.
func New(c *catalog.Catalog) (*Ranker, error) {
	k := &Ranker{catalog: c, asOf: c.AsOf(), digest: c.Digest(), models: map[string]*model{},
		none: &model{tasks: []Task{{}}}}
	entries := map[string][]*catalog.ModelEntry{}
	var ids []string
	for i := range c.Models() {
		entry := &c.Models()[i]
		id := entry.Identity.ID
		if entries[id] == nil {
			ids = append(ids, id)
		}
		entries[id] = append(entries[id], entry)
	}
	models := index.Build(len(ids), func(n int, reader *catalog.RecordReader) *model {
		return newModel(entries[ids[n]], k.asOf, reader, math.MaxInt32)
	})
	for i, id := range ids {
		if models[i] == nil {
			return nil, fmt.Errorf("model %s has too many observations to rank: at most %d measurements and as many texts can "+
				"be numbered",
				canonical.Quote(id), math.MaxInt32)
		}
		k.models[id] = models[i]
	}
	k.bands = bandsOf(k.models)
	k.known = sync.OnceValue(k.knownNames)
	k.surveyed = sync.OnceValue(func() *survey { return newSurvey(c, keys.Default()) })
	return k, nil
}

// model is the index of the observations of one model id, whatever the revision
// and quantization.
//
// What many observations share is kept once and called by its number: tasks,
// groups, clusters and texts. So a criterion compares numbers, and a candidate is
// held against each group once, however many observations there are.
type model struct {
	index.Model
	observations []observation // by id
	tasks        []Task        // the distinct ones; the first, which is zero, is that of observations without one
	groups       []group       // the distinct ones
	hasOwnSuites bool          // own runs are of several suites
	clusters     []cluster     // the distinct ones, by key
}

// observation is what a criterion asks of an observation, apart from values.
type observation struct {
	source     catalog.Observation
	observedAt string // timestamp
	task       int32
	group      int32
	cluster    int32
	party      sourceClasses
	fresh      bool // holds at the catalog's asOf
	invalid    bool // its outcome says that nothing was measured
}

// group is what samples must share to be counted together: the conditions that
// they were measured under.
type group struct {
	model         record.Model
	scope         *record.Scope
	family, suite string // "" if there is no task
	evaluator     record.Component
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

// groupKey is what distinct groups differ in.
type groupKey struct {
	model         record.Model
	scope         int32
	family, suite string
	evaluator     record.Component
	party         sourceClasses
}

// indexer makes the index of one model.
type indexer struct {
	index.Builder
	model     model
	asOf      string
	tasks     index.Numbering[Task]
	groupKeys index.Numbering[groupKey]
	clusters  index.Numbering[string]
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
	x.tasks.Number(Task{})
	for i := range all {
		rec := reader.Read(all[i].observation)
		if !x.Add(rec, limit) {
			return nil
		}
		x.add(all[i].observation, all[i].entry.Identity, rec)
	}
	return x.finish()
}

// add adds an observation. The lists of the record are not kept.
func (x *indexer) add(source catalog.Observation, identity record.Model, rec *record.Observation) {
	t := Task{Family: record.Text(rec.Task.Family), Suite: rec.Task.Suite, TaskID: rec.Task.TaskID}
	party := sourceClasses(1 << slices.Index(sourceNames, rec.SourceClass))
	x.model.observations = append(x.model.observations, observation{
		source:     source,
		observedAt: string(rec.Freshness.ObservedAt),
		task:       x.tasks.Number(t),
		group: x.group(groupKey{identity, x.Scopes.Number(&rec.Execution), rec.Task.Family, string(t.Suite),
			rec.Task.Evaluator, party}),
		cluster: x.cluster(&t, rec.Evidence),
		party:   party,
		fresh:   rec.Freshness.HoldsAt(record.Timestamp(x.asOf)),
		invalid: rec.Outcome.Status == record.OutcomeInvalid,
	})
}

// group returns the number of a group.
func (x *indexer) group(key groupKey) int32 {
	number := x.groupKeys.Number(key)
	if int(number) == len(x.model.groups) {
		x.model.groups = append(x.model.groups, group{key.model, x.Scopes.Distinct[key.scope], key.family, key.suite,
			key.evaluator, key.party})
	}
	return number
}

// The keys of clusters begin so.
const evidenceCluster, taskCluster = `{"evidence":`, `{"task":[`

// cluster returns the number of the cluster of an observation.
func (x *indexer) cluster(t *Task, evidence []record.Evidence) int32 {
	e := &x.enc
	e.Buf = e.Buf[:0]
	if t.TaskID != "" {
		e.Raw(taskCluster)
		e.Text(string(t.Family))
		e.Raw(`,`)
		e.TextOrNull(string(t.Suite))
		e.Raw(`,`)
		e.Text(string(t.TaskID))
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
	m := &x.model
	m.Model = x.Finish()
	m.observations, m.groups, m.tasks = slices.Clip(m.observations), slices.Clip(m.groups), slices.Clip(x.tasks.Keys)
	keys, renumbered := index.Sort(x.clusters.Keys)
	own := slices.DeleteFunc(slices.Clone(m.groups), func(g group) bool { return g.party != firstParty })
	m.hasOwnSuites = slices.ContainsFunc(own, func(g group) bool { return g.suite != own[0].suite })
	m.clusters = make([]cluster, len(keys))
	for i, key := range keys {
		m.clusters[i] = cluster{key, strings.HasPrefix(key, taskCluster)}
	}
	for i := range m.observations {
		m.observations[i].cluster = renumbered[m.observations[i].cluster]
	}
	return m
}
