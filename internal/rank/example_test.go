package rank_test

import (
	"context"
	"fmt"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// price is a declaration of what a model costs.
const price = `{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":%q,"revision":null,"quantization":null},
	"execution":null,"task":null,"measurements":[{"key":"price.input","kind":"fact","value":%g,"unit":"USD per million tokens"}],
	"outcome":null,"usage":null,"sourceClass":"external",
	"evidence":[{"id":"price-list","kind":"page","uri":null,"digest":null,"observedAt":"2026-05-01T00:00:00.000Z"}],
	"freshness":{"observedAt":"2026-05-01T00:00:00.000Z","validUntil":null},
	"uncertainty":{"level":"low","basis":["the vendor's own list"],"gaps":[]}}`

// candidate is a model in the one way that the caller can launch it.
const candidate = `{"id":%q,"model":{"id":%q,"revision":null,"quantization":null},
	"execution":{"runtime":{"id":"vllm","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}}`

// Three models are at hand, the price of two is known. One is too dear; the
// other gets the whole weight, as the only one on the scale.
func Example() {
	ctx := context.Background()
	snapshot, _, err := catalog.Compile(ctx, []string{
		fmt.Sprintf(price, "large", 12.0), fmt.Sprintf(price, "small", 0.5),
	}, catalog.Options{AsOf: "2026-06-01T00:00:00.000Z"})
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := v3.ReadRequest(problem.Source{Name: "request.json", Text: `{
		"schemaVersion": "service.rank.request/v1", "task": {"family": "any", "suite": null},
		"inventory": [` + fmt.Sprintf(candidate, "a", "large") + `,` + fmt.Sprintf(candidate, "b", "small") + `,` + fmt.Sprintf(candidate, "c", "new") + `],
		"requirements": [{"measurementKey": "price.input", "aggregation": "fact", "operator": "lte", "value": 10}],
		"preferences": [{"measurementKey": "price.input", "aggregation": "fact", "direction": "minimize", "weight": 2}]}`})
	if err != nil {
		fmt.Println(err)
		return
	}
	ranker, err := v3.New(snapshot)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := ranker.Rank(ctx, request, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	criteria := result.Criteria()
	for _, c := range result.Outcomes() {
		fmt.Printf("%s: %s, score %g of %g\n", c.CandidateID, c.Outcome, c.Score.Value, result.Maximum())
		for i, cell := range c.Cells {
			if cell != nil {
				fmt.Printf("   %s: %s is %s\n", cell.Code, criteria[i].MeasurementKey, cell.Status)
			}
		}
	}

	// Output:
	// b: ranked, score 2 of 2
	//    REQUIREMENT_MET: price.input is ok
	//    PREFERENCE_SCORE: price.input is ok
	// a: excluded, score 0 of 2
	//    REQUIREMENT_NOT_MET: price.input is ok
	// c: excluded, score 0 of 2
	//    MISSING_EVIDENCE: price.input is missing
}
