package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
)

// A price rose, one fell, and a model went.
func ExampleDiff() {
	d, err := catalog.Diff(context.Background(), servicetest.FirstDay(), servicetest.SecondDay(), catalog.DiffOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range d.Models {
		fmt.Println(m.Identity.ID, m.Change)
		for _, f := range m.Facts {
			if f.Ratio.Known {
				fmt.Printf("  %s %v -> %v %s\n", f.MeasurementKey, f.Old.Values[0].Value.Float(), f.New.Values[0].Value.Float(), f.New.Values[0].Unit)
			}
		}
	}
	fmt.Println(d.Summary.Facts["changed"], "facts changed")
	// Output:
	// moonshotai/kimi-k2 changed
	//   price.output 2.5e-06 -> 2e-06 USD/token
	// openai/o1 removed
	// x-ai/grok-4 changed
	//   price.output 1.5e-05 -> 1.8e-05 USD/token
	// 2 facts changed
}

// What a catalog knows of a model, down to where it can be seen.
func ExampleListMeasurements() {
	list, err := catalog.ListMeasurements(context.Background(), servicetest.SecondDay(), "x-ai/grok-4", catalog.ListOptions{Key: "price"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range list.Models[0].Measurements {
		seen := m.Observations[0]
		fmt.Println(m.MeasurementKey, m.State, m.Values[0].Value.Float(), m.Values[0].Unit, "until", seen.ValidUntil.Time().Format(time.DateOnly), seen.Evidence[0].URI)
	}
	// Output:
	// price.input value 3e-06 USD/token until 2026-10-12 https://openrouter.ai/models
	// price.output value 1.8e-05 USD/token until 2026-10-12 https://openrouter.ai/models
}

// A vendor's statement about its model is built, compiled and written.
func ExampleCompile() {
	page := record.NewTimestamp(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
	observation, err := json.Marshal(record.Observation{
		SchemaVersion: record.ObservationSchema,
		Kind:          "declaration",
		Model:         record.Model{ID: "acme/atlas-70b"},
		Measurements: []record.Measurement{
			{Key: "context.window", Kind: "fact", Value: record.Number(131072), Unit: "tokens"},
		},
		SourceClass: "external",
		Evidence: []record.Evidence{
			{ID: "acme-atlas-page", Kind: "vendor-page", URI: "https://acme.example/atlas", ObservedAt: page},
		},
		Freshness:   record.Freshness{ObservedAt: page},
		Uncertainty: record.Uncertainty{Level: "low", Basis: []string{"the vendor says so"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	c, err := catalog.Compile(context.Background(), [][]byte{observation}, catalog.CompileOptions{AsOf: servicetest.November})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.AsOf(), c.Digest()[:8], c.Size(), "bytes")
	for m := range c.Models() {
		for _, o := range m.Observations {
			fmt.Println(m.Identity.ID, o.Measurements[0].Key, o.Measurements[0].Value.Value())
		}
	}
	// Output:
	// 2026-11-01 00:00:00 +0000 UTC ced174da 1001 bytes
	// acme/atlas-70b context.window 131072
}

func ExampleNormalizeObservation() {
	o, err := catalog.NormalizeObservation(servicetest.Runs()[0])
	if err != nil {
		log.Fatal(err)
	}
	seen := o.Record()
	fmt.Printf("%.8s %s %s\n", o.ID(), seen.Model.ID, seen.Model.Revision)
	for _, m := range seen.Measurements {
		fmt.Printf("%s: %s %v %q\n", m.Key, m.Kind, m.Value.Value(), m.Unit)
	}
	// Output:
	// 9d6ff133 acme/atlas-70b 2026-08-14
	// repair.cost: sample 0.31 "USD"
	// repair.fixed: sample true ""
	// repair.seconds: sample 212.4 "seconds"
}
