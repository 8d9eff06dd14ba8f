package rank

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// Ranker ranks requests against one catalog. It is immutable and safe for
// concurrent use; [New] makes one.
type Ranker struct {
	asOf, digest string
	models       map[catalog.Model]*model
	none         *model // stands for every model without observations
}

// New indexes a catalog, on all processors.
func New(c *catalog.Catalog) *Ranker {
	k := &Ranker{
		asOf:   c.AsOf(),
		digest: c.Digest(),
		models: make(map[catalog.Model]*model, len(c.Models())),
		none:   &model{},
	}
	for _, j := range indexModels(c) {
		k.models[j.entry.Identity] = j.model
	}
	return k
}

// modelJob is the indexing of one model, in parts.
type modelJob struct {
	entry *catalog.ModelEntry
	parts []*builder
	left  atomic.Int32 // parts that are not built yet
	model *model       // the outcome
}

// partJob is one of the parts: a run of the model's observations.
type partJob struct {
	of           *modelJob
	part         int
	observations []catalog.Observation
}

// partSize is how many observations make a part: so many that parts are cheap
// to put together, so few that one large model keeps all processors busy.
const partSize = 1024

// indexModels indexes all models of a catalog. The goroutines that it starts
// have ended when it returns.
func indexModels(c *catalog.Catalog) []*modelJob {
	models, parts := divide(c.Models())
	var (
		next    atomic.Int64
		running sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		running.Go(func() {
			reader := catalog.NewRecordReader()
			for n := next.Add(1); n <= int64(len(parts)); n = next.Add(1) {
				parts[n-1].run(c.AsOf(), reader)
			}
		})
	}
	running.Wait()
	return models
}

// divide cuts the work into parts.
func divide(entries []catalog.ModelEntry) (models []*modelJob, parts []partJob) {
	for i := range entries {
		j := &modelJob{entry: &entries[i]}
		all := j.entry.Observations
		for first := 0; first < len(all); first += partSize {
			parts = append(parts, partJob{j, len(j.parts), all[first:min(first+partSize, len(all))]})
			j.parts = append(j.parts, nil)
		}
		j.left.Store(int32(len(j.parts)))
		models = append(models, j)
	}
	return models, parts
}

// run builds the part. Whoever builds the last one puts all together.
func (p *partJob) run(asOf string, reader *catalog.RecordReader) {
	b := newBuilder(asOf)
	for _, o := range p.observations {
		b.add(o.ID(), reader.Read(o))
	}
	j := p.of
	j.parts[p.part] = b
	if j.left.Add(-1) > 0 {
		return
	}
	whole := j.parts[0]
	for _, part := range j.parts[1:] {
		whole.append(part)
	}
	j.model, j.parts = whole.finish(), nil
}
