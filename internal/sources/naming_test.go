package sources_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// listFiles are patterns of the real files of price sources.
var listFiles = map[string]string{
	modelsdev.Source: "models-dev/tree.*.tar", litellm.Source: "litellm/*.json", genaiprices.Source: "genai-prices/data.*.json",
	openrouter.Source: "openrouter/models.*.json",
}

// No real file of any list contradicts itself, and the tree of July has at most 1,500 models.
func TestMeasuresOfOneList(t *testing.T) {
	vectortest.SkipLong(t)
	root := vectortest.Data(t, "data")
	for _, s := range priceSources {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(listFiles[s.adapter.Source()])))
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: %d files, %v", s.adapter.Source(), len(files), err)
		}
		for _, path := range files {
			name, _ := filepath.Rel(root, path)
			r := importPrices(t, s.adapter, problem.Source{}, realFile(t, s.adapter.Source(), s.url, filepath.ToSlash(name), day1))
			models, conflicts := measure(t, r)
			t.Logf("%s: %d models, %d conflicts; %s", name, models, len(conflicts), r.Summary())
			for _, c := range conflicts[:min(len(conflicts), 10)] {
				t.Errorf("%s: %+v", name, c)
			}
			if strings.Contains(name, "tree.2026-07-01") && models > 1500 {
				t.Errorf("%s: %d models", name, models)
			}
		}
	}
}

// measure counts the models of an import and compiles it.
func measure(t *testing.T, r *sources.Result) (models int, conflicts []catalog.Conflict) {
	t.Helper()
	var docs []string
	if err := r.Lines(func(line []byte) error { docs = append(docs, string(line)); return nil }); err != nil {
		t.Fatal(err)
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: timestamp.End})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	reader := catalog.NewRecordReader()
	for _, o := range r.Observations {
		ids[reader.Read(o).Model.ID] = true
	}
	return len(ids), c.Conflicts()
}

// places returns where facts stand, each as "model at runtime", with revision and quantization
// if there are any, and what the offer is.
func places(r *sources.Result) (list []string) {
	facts := map[string][]string{}
	for _, o := range r.Observations {
		rec := o.Record()
		at := rec.Model.ID
		for _, part := range []string{string(rec.Model.Revision), string(rec.Model.Quantization)} {
			if part != "" {
				at += " " + part
			}
		}
		at += " at " + rec.Execution.Runtime.ID + ":"
		for _, m := range rec.Measurements {
			fact := m.Key
			if strings.HasPrefix(m.Key, "offer.") {
				fact += "=" + m.Value.Text
			}
			facts[at] = append(facts[at], fact)
		}
	}
	for at, keys := range facts {
		slices.Sort(keys)
		list = append(list, at+" "+strings.Join(keys, " "))
	}
	slices.Sort(list)
	return list
}

// reported returns the rows of diagnostics with these reasons.
func reported(r *sources.Result, reasons ...sources.Reason) (list []string) {
	for _, d := range r.Diagnostics {
		if slices.Contains(reasons, d.Reason) {
			list = append(list, string(d.Reason)+" "+d.Row)
		}
	}
	return list
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Services and regions are in the runtime, aliases and routers say what they are and nothing else,
// and of two rows that are one model the one with the nearest name keeps it.
func TestNamedOffers(t *testing.T) {
	const price = `"pricing":{"prompt":"0.000001"}`
	var rows []string
	for _, id := range []string{"moonshotai/kimi-k2.6", "moonshotai/kimi-k2.6:free", "moonshotai/Kimi-K2.6", "~moonshotai/kimi-latest", "openrouter/auto", "anthropic/claude-haiku-4.5-20251001"} {
		rows = append(rows, `{"id":"`+id+`",`+price+`}`)
	}
	f := sourcetest.Pin(t, openrouter.Source, modelsURL, day1, `{"data":[`+strings.Join(rows, ",")+`]}`)
	r := importPrices(t, openrouter.New(), problem.Source{}, f)
	expect(t, "offers", places(r), []string{
		"anthropic/claude-haiku-4.5 20251001 at openrouter: offer.id=anthropic/claude-haiku-4.5-20251001 offer.service=standard price.input",
		"moonshotai/Kimi-K2.6 at openrouter: offer.id=moonshotai/Kimi-K2.6 offer.service=standard price.input",
		"moonshotai/kimi-k2.6 at openrouter: offer.id=moonshotai/kimi-k2.6 offer.service=standard price.input",
		"moonshotai/kimi-k2.6 at openrouter:free: offer.id=moonshotai/kimi-k2.6:free offer.service=free price.input",
		"openrouter/auto at openrouter: offer.id=openrouter/auto offer.kind=router offer.service=standard",
		"~moonshotai/kimi-latest at openrouter: offer.id=~moonshotai/kimi-latest offer.kind=alias offer.service=standard",
	})
	expect(t, "report", reported(r, sources.SeveralOffers, sources.OpenModel, sources.Disputed), []string{"several-offers moonshotai/Kimi-K2.6"})
	if n := r.Acquisition.Identified; n["alias"] != 1 || n["router"] != 1 || n["several-offers"] != 1 || n["maker/2"] != 3 {
		t.Errorf("identified %v", n)
	}
	if r := importPrices(t, openrouter.New(), byV1(openrouter.Source), f); r.Acquisition.SkippedFor[sources.RowAlias] != 1 || r.Acquisition.Identified != nil ||
		slices.ContainsFunc(places(r), func(s string) bool { return strings.Contains(s, "offer.") || strings.Contains(s, "openrouter:free") }) {
		t.Errorf("by offer/v1: %q", places(r))
	}
	entries := `"identity":"offer/v2","entries":{"moonshotai/Kimi-K2.6":{"model":"moonshotai/kimi-k2.6"},"openrouter/auto":{"model":"a/b"},"moonshotai/kimi-k2.6:free":{"none":"a test"}}`
	r = importPrices(t, openrouter.New(), v2(openrouter.Source, entries), f)
	expect(t, "offers with a mapping", places(r)[:3], []string{
		"a/b at openrouter: offer.id=openrouter/auto offer.service=standard price.input",
		"anthropic/claude-haiku-4.5 20251001 at openrouter: offer.id=anthropic/claude-haiku-4.5-20251001 offer.service=standard price.input",
		"moonshotai/kimi-k2.6 at openrouter: offer.id=moonshotai/Kimi-K2.6 offer.service=standard price.input",
	})
	expect(t, "report with a mapping", reported(r, sources.SeveralOffers), []string{"several-offers moonshotai/kimi-k2.6"})
}

// A row whose own id is the model that another row keeps takes the next id that is free, and a
// row of which no maker is known has the id of offer/v1.
func TestOwnIDs(t *testing.T) {
	row := func(key, provider string) string {
		return `"` + key + `":{"litellm_provider":"` + provider + `","mode":"chat","input_cost_per_token":1e-06}`
	}
	f := litellmFile(t, day1, strings.Join([]string{row("gpt-5", "openai"), row("openai/openai/gpt-5", "openai"), row("owl", "nobody")}, ","))
	r := importPrices(t, litellm.New(), problem.Source{}, f)
	expect(t, "offers", places(r), []string{
		"nobody/owl at nobody: offer.id=owl offer.litellm=owl offer.mode=chat offer.service=standard price.input",
		"openai/gpt-5 at openai: offer.id=gpt-5 offer.litellm=gpt-5 offer.mode=chat offer.service=standard price.input",
		"openai/openai/gpt-5 at openai: offer.id=openai/gpt-5 offer.litellm=openai/openai/gpt-5 offer.mode=chat offer.service=standard price.input",
	})
	expect(t, "report", reported(r, sources.SeveralOffers, sources.OpenModel), []string{"several-offers openai/openai/gpt-5", "open owl"})
}

// An offer that is not in the newest snapshot of a complete list is withdrawn from then on, until
// it comes back. One that is listed under another id, an alias and an offer of a list that is not
// complete are not.
func TestWithdrawnOffers(t *testing.T) {
	listed := func(at string, ids ...string) sources.File {
		var rows []string
		for _, id := range ids {
			rows = append(rows, `{"id":"`+id+`","pricing":{"prompt":"0.000001"}}`)
		}
		return sourcetest.Pin(t, openrouter.Source, modelsURL, at, `{"data":[`+strings.Join(rows, ",")+`]}`)
	}
	withdrawn := func(mapping problem.Source, files ...sources.File) (list []string) {
		for _, o := range importPrices(t, openrouter.New(), mapping, files...).Observations {
			rec := o.Record()
			if m := rec.Measurements[0]; m.Key == "lifecycle.status" {
				list = append(list, rec.Model.ID+" "+m.Value.Text+" "+string(rec.Freshness.ObservedAt[:10])+" "+string(rec.Freshness.ValidUntil[:10])+" "+rec.Evidence[0].ID)
			}
		}
		slices.Sort(list)
		return list
	}
	one := listed(day1, "moonshotai/kimi-k2.6", "deepseek/deepseek-v3.2", "qwen/Qwen3-Max", "~moonshotai/kimi-latest")
	two := listed(day2, "moonshotai/kimi-k2.6", "qwen/qwen3-max")
	three := listed(day3, "moonshotai/kimi-k2.6", "qwen/qwen3-max", "deepseek/deepseek-v3.2")
	const gone = "deepseek/deepseek-v3.2 withdrawn 2026-07-02 "
	evidence := "openrouter-models:deepseek/deepseek-v3.2#lifecycle@" + day2
	expect(t, "gone", withdrawn(problem.Source{}, one, two), []string{gone + "2026-07-03 " + evidence})
	expect(t, "gone for long", withdrawn(problem.Source{}, one, two, listed(day3, "qwen/qwen3-max")), []string{
		gone + "2026-07-04 " + evidence,
		"moonshotai/kimi-k2.6 withdrawn 2026-07-03 2026-07-04 openrouter-models:moonshotai/kimi-k2.6#lifecycle@" + day3,
	})
	expect(t, "back", withdrawn(problem.Source{}, one, two, three), []string{gone + "2026-07-03 " + evidence})
	expect(t, "by offer/v1", withdrawn(byV1(openrouter.Source), one, two), nil)
	r := importPrices(t, litellm.New(), problem.Source{}, litellmFile(t, day1, gpt("1e-06")), litellmFile(t, day2, ""))
	if slices.ContainsFunc(places(r), func(s string) bool { return strings.Contains(s, "lifecycle") }) {
		t.Errorf("a list that is not complete: %q", places(r))
	}
}

// The address of evidence is that of the bytes: the blob of the commit with the line or the file of
// the row, the blob itself where a branch was read, the API. By offer/v1 it is that of the list.
func TestAddressesOfEvidence(t *testing.T) {
	commit := strings.Repeat("ab", 20)
	const raw = "https://raw.githubusercontent.com/BerriAI/litellm/"
	const file = "/model_prices_and_context_window.json"
	body := "{\n" + gpt("1e-06") + "}"
	pin := func(url string) sources.File { return sourcetest.Pin(t, litellm.Source, url, day1, body) }
	for _, tt := range []struct {
		name    string
		adapter sources.Adapter
		mapping problem.Source
		file    sources.File
		want    string
	}{
		{"a commit", litellm.New(), problem.Source{}, pin(raw + commit + file), "https://github.com/BerriAI/litellm/blob/" + commit + file + "#L2"},
		{"a branch", litellm.New(), problem.Source{}, pin(raw + "main" + file), "https://api.github.com/repos/BerriAI/litellm/git/blobs/8683d93d3c0dad2a8cd177afd1f540437062f452"},
		{"an API", openrouter.New(), problem.Source{}, sourcetest.Pin(t, openrouter.Source, modelsURL, day1, models("acme/atlas")), modelsURL},
		{"offer/v1", litellm.New(), byV1(litellm.Source), pin(raw + commit + file), raw + "main" + file},
	} {
		for _, o := range importPrices(t, tt.adapter, tt.mapping, tt.file).Observations {
			if got := string(o.Record().Evidence[0].URI); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
		}
	}
}

// A tree of models.dev tells its commit, whatever it was fetched by.
func TestAddressesOfTrees(t *testing.T) {
	vectortest.SkipLong(t)
	const commit = "f3fc692299671838c7c65fd8126bf84d81a2e817"
	f := realFile(t, modelsdev.Source, "https://codeload.github.com/anomalyco/models.dev/tar.gz/refs/heads/dev", "models-dev/tree.2026-07-01.f3fc6922.tar", day1)
	reader := catalog.NewRecordReader()
	for _, o := range importPrices(t, modelsdev.New(), problem.Source{}, f).Observations {
		e := reader.Read(o).Evidence[0]
		row, _, _ := strings.Cut(strings.TrimPrefix(e.ID, "models-dev:"), "#")
		provider, id, _ := strings.Cut(row, "/")
		want := "https://github.com/anomalyco/models.dev/blob/" + commit + "/providers/" + provider + "/models/" + strings.ReplaceAll(id, " ", "%20") + ".toml"
		if string(e.URI) != want {
			t.Fatalf("%s: %s, want %s", e.ID, e.URI, want)
		}
	}
}

// Gaps and facts say what a price leaves out and that a date has passed, by offer/v2 alone.
func TestDoubts(t *testing.T) {
	rows := `"gemini/gemini-3-pro":{"litellm_provider":"gemini","cache_creation_input_token_cost":1e-06,"input_cost_per_token":1e-06,
		"search_context_cost_per_query":{"search_context_size_low":0.01},"deprecation_date":"2026-07-01"},
		"gpt-5":{"litellm_provider":"openai","cache_creation_input_token_cost":1e-06,"input_cost_per_token":1e-06,"deprecation_date":"2026-07-02"}`
	told := func(mapping problem.Source) (list []string) {
		for _, o := range importPrices(t, litellm.New(), mapping, litellmFile(t, day1, rows)).Observations {
			rec := o.Record()
			for _, gap := range rec.Uncertainty.Gaps {
				for _, part := range []string{"cache is kept", "searches", "has passed"} {
					if strings.Contains(gap, part) {
						list = append(list, rec.Measurements[0].Key+": "+part)
					}
				}
			}
			for _, m := range rec.Measurements {
				if m.Key == "lifecycle.status" {
					list = append(list, rec.Model.ID+" is "+m.Value.Text)
				}
			}
		}
		slices.Sort(list)
		return list
	}
	expect(t, "by offer/v2", told(problem.Source{}), []string{
		"google/gemini-3-pro is deprecated", "lifecycle.deprecated: has passed", "price.cache_write: cache is kept", "price.input: searches",
	})
	expect(t, "by offer/v1", told(byV1(litellm.Source)), nil)
}
