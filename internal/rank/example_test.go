package rank_test

import (
	"context"
	"fmt"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
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
	request, err := rank.ReadRequest(problem.Source{Name: "request.json", Text: `{
		"schemaVersion": "service.rank.request/v1", "task": {"family": "any", "suite": null},
		"inventory": [` + fmt.Sprintf(candidate, "a", "large") + `,` + fmt.Sprintf(candidate, "b", "small") + `,` + fmt.Sprintf(candidate, "c", "new") + `],
		"requirements": [{"measurementKey": "price.input", "aggregation": "fact", "operator": "lte", "value": 10}],
		"preferences": [{"measurementKey": "price.input", "aggregation": "fact", "direction": "minimize", "weight": 2}]}`})
	if err != nil {
		fmt.Println(err)
		return
	}
	ranker, err := rank.New(snapshot)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := ranker.Rank(ctx, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range append(result.Ranked(), result.Excluded()...) {
		fmt.Printf("%s: rank %d, score %g of %g\n", p.CandidateID, p.Rank, p.Score, result.Maximum())
		for _, reason := range p.Reasons {
			fmt.Printf("   %s: %s\n", reason.Code, reason.Summary)
		}
	}

	// Output:
	// b: rank 1, score 2 of 2
	//    REQUIREMENT_MET: price.input satisfied lte
	//    PREFERENCE_SCORE: minimize contributed 2
	// a: rank 0, score 0 of 2
	//    REQUIREMENT_NOT_MET: price.input did not satisfy lte
	// c: rank 0, score 0 of 2
	//    MISSING_EVIDENCE: missing evidence for price.input
}
