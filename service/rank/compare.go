package rank

import (
	"context"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// CompareOptions say what of some models is compared.
type CompareOptions struct {
	Task       *record.TaskTokens // as of [catalog.CostOptions]
	Runtimes   []string           // providers at which the models may run; nil: any
	Confidence float64            // of intervals and comparisons; 0: 0.95
	Target     string             // benchmark or tasks; empty: benchmark where the number of questions is known
}

// Compare holds models against each other, key by key. Models are ids, each perhaps with @
// and a condition, such as openai/gpt-5@effort=high. It fails as [Draft] does.
func Compare(ctx context.Context, c *catalog.Catalog, models []string, options CompareOptions) (*record.Comparison,
	error) {
	ranker, err := v3.New((*inside.Catalog)(c))
	if err != nil {
		return nil, err
	}
	comparison, err := v3.Compare(ctx, (*inside.Catalog)(c), ranker, v3.HeadToHead{
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
