package export_test

import (
	"context"
	"fmt"
	"log"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/export"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
)

// LiteLLM's map of prices is continued: what the catalog knows better is replaced, and all
// else stays byte for byte.
func ExampleCatalog() {
	file, err := export.Catalog(context.Background(), servicetest.SecondDay(), export.Options{
		Format: record.FormatLiteLLM,
		Base: &service.NamedText{Name: "model_prices.json", Text: `{
  "openrouter/moonshotai/kimi-k2": {"mode": "chat", "litellm_provider": "openrouter",
    "input_cost_per_token": 5e-7, "output_cost_per_token": 2.5e-6}
}
`},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", file.Data)
	for _, change := range file.Report.Changed {
		fmt.Println(change.Row, change.Member, change.Old, "->", change.New)
	}
	for _, omission := range file.Report.LeftOut {
		fmt.Println("left out:", omission.Model, omission.Key, omission.Reason)
	}
	// Output:
	// {
	//   "openrouter/moonshotai/kimi-k2": {"mode": "chat", "litellm_provider": "openrouter",
	//     "input_cost_per_token": 5e-7, "output_cost_per_token": 0.000002}
	// }
	// openrouter/moonshotai/kimi-k2 output_cost_per_token 0.0000025 -> 0.000002
	// left out: x-ai/grok-4 limits.input unknown
	// left out: x-ai/grok-4 modality.output.text unknown
}
