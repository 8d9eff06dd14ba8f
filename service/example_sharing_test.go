package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

// offer is what a price list says of a model on a day: dollars for a million tokens.
type offer struct {
	model         string
	input, output float64
}

// priceLists returns the catalog of a day of October 2026 from the list of that day.
func priceLists(day int, offers ...offer) *service.Catalog {
	from := time.Date(2026, 10, day, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(0, 0, 7)
	var observations []service.Observation
	for _, offer := range offers {
		for key, dollars := range map[string]float64{"price.input": offer.input, "price.output": offer.output} {
			o, err := service.NewObservation(record.Observation{
				SchemaVersion: record.ObservationSchema,
				Kind:          "declaration",
				Model:         record.Model{ID: offer.model},
				Execution:     record.Scope{Kind: "partial", Profile: record.Profile{Runtime: record.Component{ID: "openrouter"}}},
				Measurements:  []record.Measurement{{Key: key, Kind: "fact", Value: record.Number(dollars / 1e6), Unit: "USD/token"}},
				SourceClass:   "external",
				Evidence: []record.Evidence{{
					ID: "openrouter-models:" + offer.model + "#" + key, Kind: "price-list", URI: "https://openrouter.ai/models",
					ObservedAt: record.NewTimestamp(from),
				}},
				Freshness:   record.Freshness{ObservedAt: record.NewTimestamp(from), ValidUntil: record.NewTimestamp(until)},
				Uncertainty: record.Uncertainty{Level: "low", Basis: []string{"a list of prices"}},
			})
			if err != nil {
				log.Fatal(err)
			}
			observations = append(observations, o)
		}
	}
	c, err := service.CompileObservations(context.Background(), observations, service.CompileOptions{AsOf: from.Add(time.Hour)})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// firstDay and secondDay are catalogs of two days.
func firstDay() *service.Catalog {
	return priceLists(1, offer{"moonshotai/kimi-k2", 0.5, 2.5}, offer{"openai/o1", 15, 60}, offer{"x-ai/grok-4", 3, 15})
}

func secondDay() *service.Catalog {
	return priceLists(5, offer{"moonshotai/kimi-k2", 0.5, 2}, offer{"x-ai/grok-4", 3, 18})
}

// cheapest asks for the cheapest output.
func cheapest() *service.RankRequest {
	request := service.RankRequestRecord{
		SchemaVersion: service.RankRequestSchemaV3,
		Preferences: []service.Preference{{
			Measure:   service.Measure{MeasurementKey: "price.output", Aggregation: "fact"},
			Direction: "minimize", Weight: 1, Scale: &service.Scale{Low: 0, High: 20e-6},
		}},
	}
	for _, model := range []string{"moonshotai/kimi-k2", "openai/o1", "x-ai/grok-4"} {
		request.Inventory = append(request.Inventory, service.Candidate{
			ID: model, Model: record.Model{ID: model},
			Execution: &service.Execution{Runtime: &record.Component{ID: "openrouter"}},
		})
	}
	valid, err := service.NewRankRequest(request)
	if err != nil {
		log.Fatal(err)
	}
	return valid
}

// A price rose, one fell, and a model went.
func ExampleDiffCatalogs() {
	d, err := service.DiffCatalogs(context.Background(), firstDay(), secondDay(), service.DiffOptions{})
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
	list, err := service.ListMeasurements(secondDay(), "x-ai/grok-4", service.ContentsOptions{Key: "price"})
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

// Why a request is answered differently.
func ExampleDiffRankings() {
	rankings, err := service.DiffRankings(context.Background(), firstDay(), secondDay(), cheapest())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range rankings[0].Candidates {
		for _, why := range c.Criteria {
			fmt.Println(c.CandidateID, why.Role, why.MeasurementKey, why.Causes, why.Old.Status, why.New.Status)
		}
	}
	// Output:
	// moonshotai/kimi-k2 preference price.output [value came went] ok ok
	// openai/o1 preference price.output [status went] ok missing
	// x-ai/grok-4 preference price.output [value came went] ok ok
}

// What an application relies on is written down once.
func ExampleLockModels() {
	lock, unlocked, err := service.LockModels(context.Background(), firstDay(), service.LockOptions{
		Uses: []service.ModelUse{{Runtime: "openrouter", Model: "x-ai/grok-4"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(lock.Text())
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
func ExampleCheckModels() {
	ctx := context.Background()
	lock, _, err := service.LockModels(ctx, firstDay(), service.LockOptions{
		Uses: []service.ModelUse{{Runtime: "openrouter", Model: "openai/o1"}, {Runtime: "openrouter", Model: "x-ai/grok-4"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	check, err := service.CheckModels(ctx, secondDay(), lock, time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC))
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

// LiteLLM's map of prices is continued: what the catalog knows better is replaced, and all
// else stays byte for byte.
func ExampleExportCatalog() {
	file, err := service.ExportCatalog(context.Background(), secondDay(), service.ExportOptions{
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

// The page is served, with what changed and a request to begin with.
func ExampleNewExploreHandler() {
	page, err := service.NewExploreHandler(context.Background(), secondDay(), service.ExploreOptions{
		PageOptions: service.PageOptions{Against: firstDay(), Requests: []service.NamedRequest{{Name: "cheapest.json", Request: cheapest()}}},
		CatalogFile: "prices.json",
	})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(page)
	defer server.Close()
	for _, path := range []string{"/", "/explore/extras.json", "/v1/models"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		fmt.Println(path, response.StatusCode, response.Header.Get("Content-Type"))
	}
	// Output:
	// / 200 text/html; charset=utf-8
	// /explore/extras.json 200 application/json
	// /v1/models 200 application/json; charset=utf-8
}

// The page becomes one file.
func ExampleWriteReport() {
	var page bytes.Buffer
	err := service.WriteReport(context.Background(), &page, secondDay(), service.ReportOptions{Title: "Prices of October"})
	if err != nil {
		log.Fatal(err)
	}
	head, _, _ := strings.Cut(page.String(), "\n")
	fmt.Println(head, strings.Contains(page.String(), "<title>Prices of October</title>"))
	// Output:
	// <!doctype html> true
}

// An agent is served over streams, as one that starts the program as its child does.
func ExampleNewAgent() {
	agent, err := service.NewAgent(secondDay(), service.AgentOptions{Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	questions := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_models","arguments":{"query":"kimi"}}}
`
	var answers bytes.Buffer
	if err := agent.Serve(context.Background(), strings.NewReader(questions), &answers); err != nil {
		log.Fatal(err)
	}
	for decoder := json.NewDecoder(&answers); ; {
		var answer struct {
			ID     int
			Result struct {
				StructuredContent struct {
					Models []struct {
						ID       string
						Runtimes []string
					}
				}
			}
		}
		if err := decoder.Decode(&answer); err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.ID, answer.Result.StructuredContent.Models)
	}
	// Output:
	// 1 []
	// 2 [{moonshotai/kimi-k2 [openrouter]}]
}
