package sources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/sources"
)

func ExampleDiscover() {
	manifest, err := sources.PackagedManifest()
	if err != nil {
		fmt.Println(err)
		return
	}
	pin := func(url, body string) sources.File {
		text := service.NamedText{Name: url, Text: body}
		fetch := sources.Download{URL: url, FetchedAt: time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)}
		envelope, err := sources.Pin("livebench", fetch, text, manifest)
		if err != nil {
			fmt.Println(err)
			return sources.File{}
		}
		written, err := json.Marshal(envelope)
		if err != nil {
			fmt.Println(err)
		}
		return sources.File{Body: text, Envelope: service.NamedText{Text: string(written)}}
	}
	index := pin("https://livebench.ai/", `<script defer src="./static/js/main.b0448181.js"></script>`)
	bundle, err := sources.LocateBundle(index, "livebench", manifest)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bundle)
	proposal, err := sources.Discover(sources.DiscoveryRequest{
		Manifest: manifest, Source: "livebench", Index: index,
		Bundle: pin(bundle, `n("0"===t?"2024-06-24":"1"===t?"2024-07-26":"2"===t?"2024-08-31":"2024-11-25")`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(proposal.Revisions, proposal.Artifacts[1].URL)
	// Output:
	// https://livebench.ai/static/js/main.b0448181.js
	// [2024-06-24 2024-07-26 2024-08-31 2024-11-25] https://livebench.ai/table_2024_11_25.csv
}

// A pinned answer of OpenRouter's API becomes observations, and these a catalog.
func ExampleNewOpenRouter() {
	read := func(name string) service.NamedText {
		text, err := os.ReadFile("../../examples/sources/openrouter/" + name)
		if err != nil {
			log.Fatal(err)
		}
		return service.NamedText{Name: name, Text: string(text)}
	}
	manifest, err := sources.PackagedManifest()
	if err != nil {
		log.Fatal(err)
	}
	result, err := sources.NewOpenRouter().Import(sources.Request{
		Manifest:  manifest,
		Snapshots: []sources.File{{Body: read("models.json"), Envelope: read("models.json.snapshot.json")}},
		Mapping:   read("mapping.json"),
	})
	if err != nil {
		log.Fatal(err)
	}
	var observations []string
	for _, o := range result.Observations {
		observations = append(observations, o.Input())
	}
	c, err := catalog.Compile(context.Background(), observations, catalog.CompileOptions{AsOf: servicetest.November.Add(12 * time.Hour)})
	if err != nil {
		log.Fatal(err)
	}
	a := result.Acquisition
	fmt.Printf("%d rows, %d imported, %d skipped, %d observations\n", a.Rows, a.Imported, a.Skipped, c.Observations())
	for m := range c.Models() {
		fmt.Println(m.Identity.ID, len(m.Observations))
	}
	// Output:
	// 6 rows, 3 imported, 3 skipped, 33 observations
	// nimbus/cirrus-large 8
	// acme/atlas-70b 18
	// acme/basalt-8b 7
}

// A list of prices needs no mapping: what it offers is known by its own ids.
func ExampleNewLiteLLM() {
	manifest, err := sources.PackagedManifest()
	if err != nil {
		log.Fatal(err)
	}
	body := service.NamedText{Name: "prices.json", Text: `{"openrouter/deepseek/deepseek-v3.2": {"litellm_provider": "openrouter", "mode": "chat",
		"input_cost_per_token": 5e-7, "output_cost_per_token": 2e-6, "max_input_tokens": 131072}}`}
	const commit = "cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a"
	envelope, err := sources.Pin("litellm-prices", sources.Download{
		URL:       "https://raw.githubusercontent.com/BerriAI/litellm/" + commit + "/model_prices_and_context_window.json",
		FetchedAt: time.Date(2026, 10, 1, 6, 0, 0, 0, time.UTC),
	}, body, manifest)
	if err != nil {
		log.Fatal(err)
	}
	pinned, err := json.Marshal(envelope)
	if err != nil {
		log.Fatal(err)
	}
	adapter := sources.NewLiteLLM()
	mapping, _ := adapter.OfferMapping()
	result, err := adapter.Import(sources.Request{
		Manifest: manifest, Mapping: mapping,
		Snapshots: []sources.File{{Body: body, Envelope: service.NamedText{Name: "prices.json.snapshot.json", Text: string(pinned)}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	var facts []string
	for _, o := range result.Observations {
		record := o.Record()
		for _, m := range record.Measurements {
			facts = append(facts, strings.TrimSpace(fmt.Sprintln(record.Model.ID, "at", record.Execution.Runtime.ID, m.Key, m.Value, m.Unit)))
		}
	}
	slices.Sort(facts)
	fmt.Println(strings.Join(facts, "\n"))
	// Output:
	// deepseek/deepseek-v3.2 at openrouter limits.input 131072 tokens
	// deepseek/deepseek-v3.2 at openrouter offer.id deepseek/deepseek-v3.2
	// deepseek/deepseek-v3.2 at openrouter offer.litellm openrouter/deepseek/deepseek-v3.2
	// deepseek/deepseek-v3.2 at openrouter offer.mode chat
	// deepseek/deepseek-v3.2 at openrouter offer.service standard
	// deepseek/deepseek-v3.2 at openrouter price.input 5e-7 USD/token
	// deepseek/deepseek-v3.2 at openrouter price.output 0.000002 USD/token
}
