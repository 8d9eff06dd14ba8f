package lock_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/lock"
)

// What an application relies on is written down once.
func ExampleMake() {
	l, unlocked, err := lock.Make(context.Background(), servicetest.FirstDay(), lock.Options{
		Uses: []lock.Use{{Runtime: "openrouter", Model: "x-ai/grok-4"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(l.Text())
	fmt.Println(len(unlocked) > 0, unlocked[0])
	// Output:
	// {
	//   "catalog": {
	//     "asOf": "2026-10-01T01:00:00.000Z",
	//     "digest": "4d0fc1eab5e3ccb3d8f0bf91f738da17eea294372cf051668df253400095af75"
	//   },
	//   "policy": {},
	//   "schemaVersion": "service.models.lock/v1",
	//   "uses": [
	//     {
	//       "execution": {"adapter":null,"effectiveContextTokens":null,"hardware":null,"runtime":{"id":"openrouter","version":null},"toolSurface":[],"workflow":null},
	//       "facts": {
	//         "price.input": {"unit": "USD/token", "value": 0.000003},
	//         "price.output": {"unit": "USD/token", "value": 0.000015}
	//       },
	//       "id": "openrouter:x-ai/grok-4",
	//       "model": {"id":"x-ai/grok-4","quantization":null,"revision":null}
	//     }
	//   ]
	// }
	// true {openrouter:x-ai/grok-4 capability.open_weights missing}
}

// Later one is told what of it is no longer so.
func ExampleCheck() {
	ctx := context.Background()
	l, _, err := lock.Make(ctx, servicetest.FirstDay(), lock.Options{
		Uses: []lock.Use{{Runtime: "openrouter", Model: "openai/o1"}, {Runtime: "openrouter", Model: "x-ai/grok-4"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	check, err := lock.Check(ctx, servicetest.SecondDay(), l, time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range check.Findings {
		fmt.Println(f.Level, f.Code, f.Use, f.Message)
	}
	// Output:
	// fail MODEL_GONE openrouter:openai/o1 the catalog has nothing on openai/o1 any more: choose another model
	// fail PRICE_UP openrouter:x-ai/grok-4 rose from $15.00 to $18.00 per million tokens (+20%): accept it with svc check --update, or choose another model
}
