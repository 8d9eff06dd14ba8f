package service

import (
	"context"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// CostOptions say what a task takes, and whose offers count.
type CostOptions struct {
	Task     *record.TaskTokens // nil: 20,000 tokens of input and 3,000 of output
	Runtimes []string           // providers; nil: all
}

// CostTable returns what a task costs at everybody who sells one of the models, the cheapest first.
// Models are named as for [ListMeasurements], and it fails as that does.
func CostTable(c *Catalog, models []string, options CostOptions) (*record.CostTable, error) {
	var all []*catalog.ModelEntry
	for _, name := range models {
		found, err := contents.FindModels(c.inner, name)
		if err != nil {
			_, err = newContents(nil, err)
			return nil, err
		}
		all = append(all, found...)
	}
	return contents.Costs(c.inner, all, contents.CostOptions{Task: options.Task, Runtimes: options.Runtimes}), nil
}

// CompareOptions say what of some models is compared.
type CompareOptions struct {
	Task       *record.TaskTokens // as of [CostOptions]
	Runtimes   []string           // providers at which the models may run; nil: any
	Confidence float64            // of intervals and comparisons; 0: 0.95
	Target     string             // benchmark or tasks; empty: benchmark where the number of questions is known
}

// CompareModels holds models against each other, key by key. Models are ids, each perhaps with @
// and a condition, such as openai/gpt-5@effort=high. It fails as [DraftRankRequest] does.
func CompareModels(ctx context.Context, c *Catalog, models []string, options CompareOptions) (*record.Comparison,
	error) {
	ranker, err := v3.New(c.inner)
	if err != nil {
		return nil, err
	}
	comparison, err := v3.Compare(ctx, c.inner, ranker, v3.HeadToHead{
		Models: models, Runtimes: options.Runtimes, Tokens: options.Task, Confidence: options.Confidence,
		Target: options.Target,
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, questionError(err)
	}
	return comparison, nil
}
