package service_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
)

// A pinned answer of OpenRouter's API becomes observations, and these a catalog.
func ExampleNewOpenRouterAdapter() {
	read := func(name string) service.SourceText {
		text, err := os.ReadFile("../examples/sources/openrouter/" + name)
		if err != nil {
			log.Fatal(err)
		}
		return service.SourceText{Name: name, Text: string(text)}
	}
	manifest, err := local.LoadPackagedApprovedSourceManifest()
	if err != nil {
		log.Fatal(err)
	}
	result, err := service.NewOpenRouterAdapter().Import(service.SourceRequest{
		Manifest:  manifest,
		Snapshots: []service.SourceFile{{Body: read("models.json"), Envelope: read("models.json.snapshot.json")}},
		Mapping:   read("mapping.json"),
	})
	if err != nil {
		log.Fatal(err)
	}
	var observations []string
	for _, o := range result.Observations {
		observations = append(observations, o.Input())
	}
	c, err := service.CompileCatalog(context.Background(), observations, service.CompileOptions{AsOf: november.Add(12 * time.Hour)})
	if err != nil {
		log.Fatal(err)
	}
	a := result.Acquisition
	fmt.Printf("%d rows, %d imported, %d skipped, %d observations\n", a.Rows, a.Imported, a.Skipped, c.Observations())
	for m := range c.Models() {
		fmt.Println(m.Identity.ID, len(m.Observations))
	}
	for _, d := range result.Diagnostics {
		if d.Reason == service.RowAlias {
			fmt.Println(d.Message)
		}
	}
	// Output:
	// 6 rows, 3 imported, 3 skipped, 35 observations
	// nimbus/cirrus-large 9
	// acme/atlas-70b 18
	// acme/basalt-8b 8
	// "~acme/atlas-latest" is an alias: what it names changes without notice
}
