package catalog

import (
	"context"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/record"
)

// CostOptions say what a task takes, and whose offers count.
type CostOptions struct {
	Task     *record.TaskTokens // nil: 20,000 tokens of input and 3,000 of output
	Runtimes []string           // providers; nil: all
}

// Costs returns what a task costs at everybody who sells one of the models, the cheapest first.
// Models are named as for [ListMeasurements], and it fails as that does.
func Costs(ctx context.Context, c *Catalog, models []string, options CostOptions) (*record.CostTable, error) {
	var all []*catalog.ModelEntry
	for _, name := range models {
		found, err := contents.FindModels(c.inside(), name)
		if err != nil {
			_, err = newContents(nil, err)
			return nil, err
		}
		all = append(all, found...)
	}
	return contents.Costs(ctx, c.inside(), all, contents.CostOptions{Task: options.Task, Runtimes: options.Runtimes})
}
