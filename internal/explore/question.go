package explore

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// FirstRequest drafts what Rank begins with where nobody brings a request: who is best by
// the benchmark that most models have together with a price, the cheapest first of those
// that are tied. It is what svc new request --maximize KEY --cheapest writes, and false
// where the catalog does not have what that takes.
func FirstRequest(c *catalog.Catalog) (Request, bool) {
	key := leadingBenchmark(c)
	if key == "" {
		return Request{}, false
	}
	question := &v3.Question{Maximize: []string{key}, Cheapest: true}
	draft, err := v3.Draft(c, *question)
	if err != nil {
		return Request{}, false
	}
	return Request{"Cheapest of the best by " + key, draft.Request, question,
		[]string{"--maximize", key, "--cheapest"}, true}, true
}

// leadingBenchmark returns the key of samples with numbers in force that most models have
// together with a price, "" if none has one. It is none of which less is better, or that counts
// something.
func leadingBenchmark(c *catalog.Catalog) (leading string) {
	counts := map[string]int{}
	records := catalog.NewRecordReader()
	for i := range c.Models() {
		scores, isPriced := map[string]bool{}, false
		for _, o := range c.Models()[i].Observations {
			rec := records.Read(o)
			if !rec.Freshness.HoldsAt(record.Timestamp(c.AsOf())) || rec.Outcome.Status == record.OutcomeInvalid {
				continue
			}
			for k := range rec.Measurements {
				switch m := &rec.Measurements[k]; {
				case m.Value.Kind != '0':
				case m.Kind == record.Fact:
					isPriced = isPriced || m.Key == "price.output"
				case !scores[m.Key] && !quantity.LessIsBetter(m.Key, m.Unit) && !quantity.IsCount(m.Key, m.Unit):
					scores[strings.Clone(m.Key)] = true
				}
			}
		}
		for key := range scores {
			if isPriced {
				counts[key]++
			}
		}
	}
	for key, n := range counts {
		if n > counts[leading] || n == counts[leading] && canonical.CompareText(key, leading) < 0 {
			leading = key
		}
	}
	return leading
}
