package export_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// offered states facts of the model acme/m at a runtime: keys with values, one after the other.
func offered(runtime string, facts ...any) (list []stated) {
	for i := 0; i < len(facts); i += 2 {
		key := facts[i].(string)
		list = append(list, stated{model: "acme/m", runtime: runtime, key: key, value: facts[i+1], unit: unitOf(key), row: "openrouter-models:m#" + key})
		if runtime != "openrouter" {
			list[len(list)-1].row = "models-dev:" + runtime + "/m#" + key
		}
	}
	return list
}

// priced is what a new row of LiteLLM needs.
func priced(runtime string) []stated {
	return offered(runtime, "price.input", 1e-6, "price.output", 2e-6, "limits.context", 9000, "modality.output.text", true)
}

// What becomes of a base, byte by byte.
func TestRows(t *testing.T) {
	seenAt := func(day string, list []stated) []stated {
		list[0].seen = day
		return list
	}
	said := func(uri string, list []stated) []stated {
		for i := range list {
			list[i].uri = uri
		}
		return list
	}
	// Everything that a new row of models.dev needs, in the shortest form.
	whole := func(runtime string, more ...any) []stated {
		facts := []any{"price.input", 1e-6, "price.output", 2e-6, "limits.context", 9000, "limits.output", 800, "capability.tools", true,
			"capability.reasoning", false, "capability.open_weights", false, "lifecycle.released", "2026-01"}
		for _, medium := range []string{"text", "image", "audio", "video", "pdf"} {
			facts = append(facts, "modality.input."+medium, medium == "text", "modality.output."+medium, medium == "text")
		}
		list := offered(runtime, append(facts, more...)...)
		kept := map[string]stated{} // the last of each key
		for _, s := range list {
			kept[s.key] = s
		}
		return slices.Collect(maps.Values(kept))
	}
	const llRow = `{"input_cost_per_token":0.000001,"litellm_provider":"PROVIDER","max_input_tokens":9000,"output_cost_per_token":0.000002,"supported_output_modalities":["text"]}`
	row := func(provider string) string { return strings.Replace(llRow, "PROVIDER", provider, 1) }
	const chat = `"mode":"chat","input_cost_per_token":3e-7,"litellm_provider":` // of a row that importing takes
	mdRow := func(cost, rest string) string {
		return `{"acme":{"models":{"m":{"id":"m","name":"m","modalities":{"input":["text"],"output":["text"]},"attachment":false,"reasoning":false,"tool_call":true,"open_weights":false,` +
			`"release_date":"2026-01","cost":{"input":1,"output":2` + cost + `},"limit":{"context":9000,"output":800},"last_updated":"2026-07-01"` + rest + `}}}}`
	}
	mdBase := func(row string) string { return `{"acme":{"models":{"m":` + row + `}}}` }
	cwBase := func(row string) string { return `[{"id":"acme","models":[{"id":"m"` + row + `}]}]` }
	for name, tt := range map[string]struct {
		format     record.ExportFormat
		facts      []stated
		base, want string
		leftOut    []string // key and reason
	}{
		"litellm: a new row": {record.FormatLiteLLM, priced("acme"), `{}`, `{"acme/m":` + row("acme") + `}`, []string{"limits.context widened"}},
		"litellm: the local id and the mode as the list says": {record.FormatLiteLLM, append(priced("acme:eu"), offered("acme:eu", "offer.id", "models/m-1", "offer.mode", "responses", "offer.region", "eu")...), `{}`,
			`{"acme/models/m-1":` + strings.Replace(row("acme"), `"output`, `"mode":"responses","output`, 1) + `}`, []string{"limits.context widened"}},
		"litellm: the key that LiteLLM has": {record.FormatLiteLLM, append(priced("acme"), offered("acme", "offer.id", "m", "offer.litellm", "acme_ai/m")...), `{}`, `{"acme_ai/m":` + row("acme") + `}`,
			[]string{"limits.context widened"}},
		"models.dev: a row by its local id": {record.FormatModelsDev, offered("acme:free", "capability.tools", true, "offer.id", "m:free", "offer.service", "free"),
			`{"acme":{"models":{"m":{},"m:free":{}}}}`, `{"acme":{"models":{"m":{},"m:free":{"tool_call":true}}}}`, nil},
		"an alias is no model": {record.FormatModelsDev, offered("acme", "offer.id", "m", "offer.kind", "alias"), mdBase(`{}`), ``, []string{" not-representable"}},
		"litellm: a limit of the input comes before one of the context": {record.FormatLiteLLM, append(priced("acme"), offered("acme", "limits.input", 700, "limits.output", 80)...), `{}`,
			`{"acme/m":{"input_cost_per_token":0.000001,"litellm_provider":"acme","max_input_tokens":700,"max_output_tokens":80,"max_tokens":80,"output_cost_per_token":0.000002,"supported_output_modalities":["text"]}}`,
			[]string{"limits.context not-representable"}},
		"litellm: the source is the first https address of the price of the input": {record.FormatLiteLLM, slices.Concat(said("http://a.example/", priced("acme")),
			said("https://b.example/", offered("acme", "price.output", 2e-6)), said("https://c.example/", offered("acme", "price.input", 1e-6))), `{}`,
			`{"acme/m":` + strings.Replace(row("acme"), `2,"supp`, `2,"source":"https://c.example/","supp`, 1) + `}`, []string{"limits.context widened"}},
		"litellm: no source that is not https":             {record.FormatLiteLLM, said("http://a.example/", priced("acme")), `{}`, `{"acme/m":` + row("acme") + `}`, []string{"limits.context widened"}},
		"litellm: the provider that the table names first": {record.FormatLiteLLM, priced("cohere"), `{}`, `{"cohere/m":` + row("cohere") + `}`, []string{"limits.context widened"}},
		"litellm: the provider of a runtime with another name": {record.FormatLiteLLM, priced("google"), `{}`, `{"gemini/m":` + row("gemini") + `}`,
			[]string{"limits.context widened"}},
		"litellm: the provider that most rows name": {record.FormatLiteLLM, priced("cohere"),
			`{"a":{` + chat + `"cohere"},"cohere/b":{` + chat + `"cohere_chat"},"cohere/c":{` + chat + `"cohere_chat"}}`,
			`{"a":{` + chat + `"cohere"},"cohere/b":{` + chat + `"cohere_chat"},"cohere/c":{` + chat + `"cohere_chat"},"cohere/m":` + row("cohere_chat") + `}`, []string{"limits.context widened"}},
		"litellm: a runtime that is the name of another's provider": {record.FormatLiteLLM, priced("gemini"), `{}`, ``, []string{" not-representable", "limits.context widened"}},
		"litellm: what writes no text": {record.FormatLiteLLM, offered("acme", "price.input", 1e-6, "price.output", 2e-6, "limits.context", 9000, "modality.output.text", false), `{}`, ``,
			[]string{" not-representable", "limits.context widened"}},
		"litellm: a month is no date": {record.FormatLiteLLM, offered("acme", "lifecycle.deprecated", "2027-01"), `{"acme/m":{` + chat + `"acme"}}`, ``, []string{"lifecycle.deprecated not-representable"}},
		"litellm: a date":             {record.FormatLiteLLM, offered("acme", "lifecycle.deprecated", "2027-01-31"), `{"acme/m":{` + chat + `"acme"}}`, `{"acme/m":{` + chat + `"acme","deprecation_date":"2027-01-31"}}`, nil},
		"litellm: a limit of the context is not put over one of the input": {record.FormatLiteLLM, offered("acme", "limits.context", 9000), `{"acme/m":{` + chat + `"acme","max_input_tokens":7}}`, ``, []string{"limits.context not-representable"}},
		"litellm: lists of modalities are corrected": {record.FormatLiteLLM, offered("acme", "modality.input.image", false, "modality.input.audio", false, "modality.input.video", true),
			`{"acme/m":{` + chat + `"acme","supported_modalities":["text","audio","image","video"]}}`,
			`{"acme/m":{` + chat + `"acme","supported_modalities":["text","video"],"supports_vision":false,"supports_audio_input":false}}`, nil},
		"litellm: new rows are sorted, at the end": {record.FormatLiteLLM, slices.Concat(priced("zeta"), priced("togetheraa"), priced("togetherai")), `{"sample_spec":{}}`,
			`{"sample_spec":{},"together_ai/m":` + row("together_ai") + `,"togetheraa/m":` + row("togetheraa") + `,"zeta/m":` + row("zeta") + `}`, []string{"limits.context widened", "limits.context widened", "limits.context widened"}},

		"models.dev: a new row": {record.FormatModelsDev, whole("acme"), `{"acme":{"models":{}}}`, mdRow("", ""), nil},
		"models.dev: the day of the newest evidence": {record.FormatModelsDev, seenAt("2026-07-09", whole("acme")), `{"acme":{"models":{}}}`,
			strings.Replace(mdRow("", ""), "2026-07-01", "2026-07-09", 1), nil},
		"models.dev: what reasons has options": {record.FormatModelsDev, whole("acme", "capability.reasoning", true, "price.reasoning", 3e-6), `{"acme":{"models":{}}}`,
			strings.Replace(mdRow(`,"reasoning":3`, `,"reasoning_options":[]`), `"reasoning":false`, `"reasoning":true`, 1), nil},
		"models.dev: a price of reasoning needs reasoning": {record.FormatModelsDev, whole("acme", "price.reasoning", 3e-6, "price.reasoning@context>64000", 3e-6, "price.input@context>64000", 3e-6, "price.output@context>64000", 4e-6),
			`{"acme":{"models":{}}}`, mdRow(`,"tiers":[{"input":3,"output":4,"tier":{"size":64000,"type":"context"}}]`, ""),
			[]string{"price.reasoning not-representable", "price.reasoning@context>64000 not-representable"}},
		"models.dev: only 200,000 tokens have a second place": {record.FormatModelsDev, offered("acme", "price.input@context>199000", 3e-6, "price.output@context>199000", 4e-6), mdBase(`{"cost":{"input":1,"output":2}}`),
			mdBase(`{"cost":{"input":1,"output":2,"tiers":[{"input":3,"output":4,"tier":{"size":199000,"type":"context"}}]}}`), nil},
		"models.dev: no tier is for a time to live": {record.FormatModelsDev, offered("acme", "price.input@ttl=1h", 3e-6, "price.output@ttl=1h", 4e-6, "price.input@context>64000,ttl=1h", 3e-6, "price.output@context>64000,ttl=1h", 4e-6),
			mdBase(`{"cost":{"input":1,"output":2}}`), ``,
			[]string{"price.input@context>64000,ttl=1h not-representable", "price.input@ttl=1h not-representable", "price.output@context>64000,ttl=1h not-representable", "price.output@ttl=1h not-representable"}},
		"models.dev: of a tier that is there one price is enough": {record.FormatModelsDev, offered("acme", "price.output@context>200000", 5e-6, "price.cache_read@context>64000", 1e-6),
			mdBase(`{"cost":{"input":1,"output":2,"tiers":[{"input":3,"output":4,"tier":{"type":"other","size":200000}},{"input":3,"output":4,"tier":{"type":"context","size":200000}}],"context_over_200k":{"input":3,"output":4}}}`),
			mdBase(`{"cost":{"input":1,"output":2,"tiers":[{"input":3,"output":4,"tier":{"type":"other","size":200000}},{"input":3,"output":5,"tier":{"type":"context","size":200000}}],"context_over_200k":{"input":3,"output":5}}}`),
			[]string{"price.cache_read@context>64000 not-representable"}},
		"models.dev: a cutoff with a day stays":      {record.FormatModelsDev, offered("acme", "knowledge.cutoff", "2025-06"), mdBase(`{"knowledge":"2025-06-30"}`), mdBase(`{"knowledge":"2025-06-30"}`), nil},
		"models.dev: another cutoff":                 {record.FormatModelsDev, offered("acme", "knowledge.cutoff", "2025-07"), mdBase(`{"knowledge":"2025-06-30"}`), mdBase(`{"knowledge":"2025-07"}`), nil},
		"models.dev: half a limit breaks its reader": {record.FormatModelsDev, offered("acme", "limits.context", 9000), mdBase(`{}`), ``, []string{"limits.context not-representable"}},
		"models.dev: half a price is read as free":   {record.FormatModelsDev, offered("acme", "price.input", 1e-6), mdBase(`{}`), ``, []string{"price.input not-representable"}},
		"models.dev: attachments need one modality":  {record.FormatModelsDev, offered("acme", "modality.input.pdf", true, "capability.tools", true), mdBase(`{}`), mdBase(`{"attachment":true,"tool_call":true}`), []string{"modality.input.pdf not-representable"}},
		"models.dev: no attachments need all": {record.FormatModelsDev, offered("acme", "modality.input.pdf", false, "modality.input.image", false, "modality.input.audio", false, "capability.tools", true), mdBase(`{}`), mdBase(`{"tool_call":true}`),
			[]string{"modality.input.audio not-representable", "modality.input.image not-representable", "modality.input.pdf not-representable"}},
		"models.dev: modalities in any order": {record.FormatModelsDev, offered("acme", "modality.output.text", true, "modality.output.image", true, "modality.output.audio", false, "modality.output.video", false, "modality.output.pdf", false),
			mdBase(`{"modalities":{"input":["text"],"output":["image", "text"]}}`), mdBase(`{"modalities":{"input":["text"],"output":["image", "text"]}}`), nil},
		"models.dev: other modalities": {record.FormatModelsDev, offered("acme", "modality.output.text", true, "modality.output.image", true, "modality.output.audio", false, "modality.output.video", false, "modality.output.pdf", false),
			mdBase(`{"modalities":{"input":["text"],"output":["text"]}}`), mdBase(`{"modalities":{"input":["text"],"output":["text","image"]}}`), nil},
		"models.dev: modalities of one direction alone": {record.FormatModelsDev, offered("acme", "modality.output.text", true, "modality.output.image", true, "modality.output.audio", false, "modality.output.video", false, "modality.output.pdf", false),
			mdBase(`{}`), ``, []string{"modality.output.audio not-representable", "modality.output.image not-representable", "modality.output.pdf not-representable", "modality.output.text not-representable", "modality.output.video not-representable"}},
		"models.dev: the provider with the runtime's name": {record.FormatModelsDev, offered("google-vertex", "capability.tools", true),
			`{"google-vertex-anthropic":{"models":{"m":{}}},"google-vertex":{"models":{"m":{}}}}`, `{"google-vertex-anthropic":{"models":{"m":{}}},"google-vertex":{"models":{"m":{"tool_call":true}}}}`, nil},
		"models.dev: a new row of the provider with the runtime's name": {record.FormatModelsDev, whole("google-vertex"),
			`{"google-vertex-anthropic":{"models":{}},"google-vertex":{"models":{}}}`, strings.Replace(mdRow("", ""), `{"acme"`, `{"google-vertex-anthropic":{"models":{}},"google-vertex"`, 1), nil},
		"models.dev: a row that only another provider has": {record.FormatModelsDev, offered("google-vertex", "capability.tools", true),
			`{"google-vertex":{"models":{}},"google-vertex-anthropic":{"models":{"m":{}}}}`, `{"google-vertex":{"models":{}},"google-vertex-anthropic":{"models":{"m":{"tool_call":true}}}}`, nil},

		"the identity without revision and quantization has the name": {record.FormatModelsDev, append(offered("acme", "capability.tools", true),
			stated{model: "acme/m", revision: "1", runtime: "acme", key: "capability.tools", value: false},
			stated{model: "acme/m", quantization: "q4", runtime: "acme", key: "capability.tools", value: false}), mdBase(`{}`), mdBase(`{"tool_call":true}`), []string{" same-name", " same-name"}},
		"of two ids none has the name": {record.FormatModelsDev, []stated{{model: "acme/m", runtime: "acme", key: "capability.tools", value: true}, {model: "m", runtime: "acme", key: "capability.tools", value: true}},
			mdBase(`{}`), ``, []string{" same-name", " same-name"}},
		"a row of a router names nothing elsewhere": {record.FormatModelsDev, []stated{{model: "acme/m", runtime: "acme", key: "capability.tools", value: true, row: "openrouter-models:x#tools"}}, mdBase(`{}`), mdBase(`{"tool_call":true}`), nil},
		"a row of genai-prices": {record.FormatCatwalk, []stated{{model: "acme/x", runtime: "amazon-bedrock", key: "limits.context", value: 9, unit: "tokens", row: "genai-prices:aws/m#limits"}},
			`[{"id":"amazon-bedrock","models":[{"id":"m"}]}]`, `[{"id":"amazon-bedrock","models":[{"id":"m","context_window":9}]}]`, nil},
		"a row of LiteLLM whose prefix is a part of the id": {record.FormatCatwalk, []stated{{model: "acme/lab/m", runtime: "acme", key: "limits.context", value: 9, unit: "tokens", row: "litellm-prices:acme/lab/m#limits"}},
			`[{"id":"acme","models":[{"id":"lab/m"},{"id":"acme/lab/m"}]}]`, `[{"id":"acme","models":[{"id":"lab/m"},{"id":"acme/lab/m","context_window":9}]}]`, nil},
		"a band in another order is unknown":       {record.FormatLiteLLM, offered("acme", "price.input@ttl=1h,context>200000", 1e-6), `{"acme/m":{` + chat + `"acme"}}`, ``, []string{"price.input@ttl=1h,context>200000 not-representable"}},
		"what is contradicted is not unknown, too": {record.FormatLiteLLM, append(priced("acme"), offered("acme", "price.input", 3e-6)...), `{}`, ``, []string{"price.input conflict"}},
		"litellm: the space of a neighbour": {record.FormatLiteLLM, priced("beta"), "{\n\t\"acme/m\" : {\n\t\t\"mode\" : \"chat\"\n\t}\n}\n",
			"{\n\t\"acme/m\" : {\n\t\t\"mode\" : \"chat\"\n\t},\n\t\"beta/m\": {\n\t\t\"input_cost_per_token\": 0.000001,\n\t\t\"litellm_provider\": \"beta\",\n\t\t\"max_input_tokens\": 9000,\n\t\t\"output_cost_per_token\": 0.000002,\n\t\t\"supported_output_modalities\": [\"text\"]\n\t}\n}\n",
			[]string{"limits.context widened"}},
		"catwalk: the space of a neighbour": {record.FormatCatwalk, offered("acme", "price.input", 1e-6, "price.output", 2e-6, "price.cache_read", 1e-7, "price.cache_write", 3e-6, "limits.context", 9000, "limits.output", 80, "capability.reasoning", true, "modality.input.image", false),
			"[{\"id\":\"acme\",\"models\":[\n {\n  \"id\": \"x\"\n }\n]}]",
			"[{\"id\":\"acme\",\"models\":[\n {\n  \"id\": \"x\"\n },\n {\n  \"id\": \"m\",\n  \"name\": \"m\",\n  \"cost_per_1m_in\": 1,\n  \"cost_per_1m_out\": 2,\n  \"cost_per_1m_in_cached\": 3,\n  \"cost_per_1m_out_cached\": 0.1,\n  \"context_window\": 9000,\n  \"default_max_tokens\": 80,\n  \"can_reason\": true,\n  \"supports_attachments\": false\n }\n]}]", nil},
		"catwalk: what is asked for by default is lowered":      {record.FormatCatwalk, offered("acme", "limits.output", 80), cwBase(`,"default_max_tokens":81`), cwBase(`,"default_max_tokens":80`), nil},
		"catwalk: what is asked for by default is not raised":   {record.FormatCatwalk, offered("acme", "limits.output", 80), cwBase(`,"default_max_tokens":79`), cwBase(`,"default_max_tokens":79`), nil},
		"catwalk: what is asked for by default is not invented": {record.FormatCatwalk, offered("acme", "limits.output", 80), cwBase(``), ``, []string{"limits.output not-representable"}},
		"catwalk: the provider with the runtime's name": {record.FormatCatwalk, offered("google-vertex", "limits.context", 80),
			`[{"id":"google-vertex-anthropic","models":[{"id":"m"}]},{"id":"google-vertex","models":[{"id":"m"}]}]`, `[{"id":"google-vertex-anthropic","models":[{"id":"m"}]},{"id":"google-vertex","models":[{"id":"m","context_window":80}]}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text, report := exported(t, compile(t, tt.facts...), export.Options{Format: tt.format, Base: &problem.Source{Text: tt.base}})
			if text != tt.want {
				t.Errorf("it is\n%s\nwant\n%s", text, tt.want)
			}
			var leftOut []string
			for _, l := range report.LeftOut {
				leftOut = append(leftOut, fmt.Sprint(string(l.Key), " ", l.Reason))
			}
			if slices.Sort(leftOut); !slices.Equal(leftOut, tt.leftOut) {
				t.Errorf("left out: %q, want %q", leftOut, tt.leftOut)
			}
			if report.Base == nil || report.Base.SHA256 != canonical.Sum([]byte(tt.base)) {
				t.Errorf("the base is %v", report.Base)
			}
		})
	}
}

// Lists of a line have at most 64 entries; a runtime that nobody asks for and a run that
// does not count have no line; and a cell that begins with a space keeps it.
func TestLinesOf(t *testing.T) {
	var facts []stated
	for i := range 70 {
		facts = append(facts, stated{model: "acme/m", runtime: "acme", key: "price.input", value: float64(i+1) / 1e6, unit: "USD/token", uri: fmt.Sprint("https://list.example/", i)})
	}
	facts = append(facts, stated{model: "acme/m", runtime: "other", key: "note", value: "x"}, stated{model: "acme/m", runtime: "acme", key: "note", value: " x"})
	docs := []string{strings.Replace(sample("acme/m", 1, "0.5"), `"status":"rejected"`, `"status":"invalid"`, 1)}
	for _, s := range facts {
		docs = append(docs, s.observation())
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	file, err := export.Text(t.Context(), c, export.Options{Format: record.FormatNDJSON, Runtimes: []string{"acme", "vllm"}})
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(file.Text))
	var l struct {
		Values                       []any
		ObservationIDs, EvidenceURIs []string
	}
	if decode(t, lines[len(lines)-1], &l); len(lines) != 2 || len(l.Values) != 64 || len(l.ObservationIDs) != 64 || len(l.EvidenceURIs) != 64 {
		t.Errorf("%d lines, the last with %d values, %d ids, %d addresses", len(lines), len(l.Values), len(l.ObservationIDs), len(l.EvidenceURIs))
	}
	table, err := export.Text(t.Context(), c, export.Options{Format: record.FormatCSV})
	if err != nil || strings.Count(table.Text, "\n") != 4 || !strings.Contains(table.Text, `,value," x",`) {
		t.Errorf("%v: %.500s", err, table.Text)
	}
}
