package rank

import (
	"runtime"
	"sync"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// Ranker ranks requests against one catalog. It is immutable and safe for
// concurrent use; [New] makes one.
type Ranker struct {
	asOf, digest string
	models       map[catalog.Model]*model
	none         *model // stands for every model without observations
	// families and suites number the texts of the tasks.
	families, suites numbering
}

// numbering numbers distinct texts from 1. A text without a number has 0.
type numbering map[string]int32

func (n numbering) add(text string) int32 {
	number, known := n[text]
	if !known {
		number = int32(len(n) + 1)
		n[text] = number
	}
	return number
}

// New indexes a catalog, on all processors.
func New(c *catalog.Catalog) *Ranker {
	k := &Ranker{
		asOf:     c.AsOf(),
		digest:   c.Digest(),
		models:   make(map[catalog.Model]*model, len(c.Models())),
		none:     &model{},
		families: numbering{},
		suites:   numbering{},
	}
	var (
		current *catalog.ModelEntry
		b       *builder
	)
	finish := func() {
		if b != nil {
			k.models[current.Identity] = b.finish()
		}
	}
	decode(c.Models(), func(d *decoded) {
		if d.model != current {
			finish()
			current, b = d.model, newBuilder(k)
		}
		b.add(d.observation.ID(), &d.record)
	})
	finish()
	return k
}

// decoded is an observation with its record.
type decoded struct {
	model       *catalog.ModelEntry
	observation catalog.Observation
	record      catalog.Record
}

// batch is a run of observations that one worker decodes.
type batch struct {
	items []decoded
	done  chan struct{}
}

// batchSize is how many observations make a batch: enough to make its handing
// over cheap, little enough to keep memory small and all workers busy.
const batchSize = 256

// decode hands all observations over, in the catalog's order. They are decoded
// ahead on all processors, but never more than a few batches of them. The
// goroutines that it starts have ended when it returns.
func decode(models []catalog.ModelEntry, use func(*decoded)) {
	var (
		workers = runtime.GOMAXPROCS(0)
		work    = make(chan *batch, workers)
		ordered = make(chan *batch, 2*workers)
		running sync.WaitGroup
	)
	for range workers {
		running.Go(func() {
			for b := range work {
				for i := range b.items {
					b.items[i].record = b.items[i].observation.Record()
				}
				close(b.done)
			}
		})
	}
	running.Go(func() {
		defer close(work)
		defer close(ordered)
		batches(models, func(b *batch) {
			ordered <- b
			work <- b
		})
	})
	for b := range ordered {
		<-b.done
		for i := range b.items {
			use(&b.items[i])
		}
	}
	running.Wait()
}

// batches cuts the observations of all models into batches.
func batches(models []catalog.ModelEntry, emit func(*batch)) {
	newBatch := func() *batch {
		return &batch{items: make([]decoded, 0, batchSize), done: make(chan struct{})}
	}
	b := newBatch()
	for i := range models {
		for _, o := range models[i].Observations {
			b.items = append(b.items, decoded{model: &models[i], observation: o})
			if len(b.items) == batchSize {
				emit(b)
				b = newBatch()
			}
		}
	}
	emit(b)
}
