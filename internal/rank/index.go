package rank

import (
	"fmt"
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the index of a catalog: what a criterion can ask for, by model, by
// kind and key of measurement, in the order of observations.

// Ranker ranks requests against one catalog. It is immutable and safe for
// concurrent use; [New] makes one.
type Ranker struct {
	asOf, digest string
	models       map[record.Model]*model
	none         *model // for every model without observations
}

// New indexes a catalog, its models on all processors. It fails if a model has more
// measurements, or more texts in its observations, than can be numbered.
func New(c *catalog.Catalog) (*Ranker, error) {
	entries := c.Models()
	models := index.Build(len(entries), func(n int, reader *catalog.RecordReader) *model {
		return newModel(&entries[n], c.AsOf(), reader, math.MaxInt32)
	})
	k := &Ranker{c.AsOf(), c.Digest(), make(map[record.Model]*model, len(entries)), &model{}}
	for i, m := range models {
		if m == nil {
			return nil, fmt.Errorf("model %s has too many observations to rank: at most %d measurements and as many texts can be numbered",
				entries[i].IdentityJSON, math.MaxInt32)
		}
		k.models[entries[i].Identity] = m
	}
	return k, nil
}

// find returns the index of a model.
func (k *Ranker) find(identity record.Model) *model {
	if m := k.models[identity]; m != nil {
		return m
	}
	return k.none
}

// model is the index of the observations of one model. Those whose outcome is
// invalid are left out: no rule looks at them.
type model struct {
	index.Model
	observations []observation
	scopes       []*record.Scope // the distinct ones
	tasks        []task          // the distinct ones
}

// observation is what a criterion asks of an observation, apart from values.
type observation struct {
	id     string
	scope  int32 // in the model's scopes
	task   int32 // in the model's tasks
	source sourceClasses
	fresh  bool // holds at the catalog's asOf
}

// task is what an observation measured, as far as requests tell tasks apart.
type task struct {
	family string // "" if the observation has none
	suite  string // "" for null
}

// newModel indexes the observations of a model. It returns nil if there is more to
// number than the limit allows.
func newModel(entry *catalog.ModelEntry, asOf string, reader *catalog.RecordReader, limit int) *model {
	m := &model{}
	var builder index.Builder
	var tasks index.Numbering[task]
	for _, o := range entry.Observations {
		rec := reader.Read(o)
		if rec.Outcome.Status == record.OutcomeInvalid {
			continue
		}
		if !builder.Add(rec, limit) {
			return nil
		}
		m.observations = append(m.observations, observation{
			id:     o.ID(),
			scope:  builder.Scopes.Number(&rec.Execution),
			task:   tasks.Number(task{rec.Task.Family, string(rec.Task.Suite)}),
			source: sourceClass(rec.SourceClass),
			fresh:  rec.Freshness.HoldsAt(record.Timestamp(asOf)),
		})
	}
	m.observations = slices.Clip(m.observations)
	m.scopes, m.tasks = slices.Clip(builder.Scopes.Distinct), slices.Clip(tasks.Keys)
	m.Model = builder.Finish()
	return m
}
