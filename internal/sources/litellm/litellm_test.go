package litellm_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
)

func mustRead(t testing.TB, body string) *offer.Listing {
	t.Helper()
	l, err := litellm.Read(body)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Each trap of the list: what a row gives.
func TestRows(t *testing.T) {
	const of = `"litellm_provider":"openai","mode":"chat"`
	tests := []struct {
		name, key, row string
		want           []string
	}{
		{"prices per token", "m", `{` + of + `,"input_cost_per_token":1.5e-07,"output_cost_per_token":0.0000006,"output_cost_per_reasoning_token":2e-06}`,
			[]string{"price.input 1.5e-7", "price.output 6e-7", "price.reasoning 0.000002"}},
		{"float dirt stays", "m", `{` + of + `,"input_cost_per_token":2.4997000000000006e-07}`, []string{"price.input 2.4997000000000006e-7"}},
		{"0 is no price", "m", `{` + of + `,"input_cost_per_token":0.0,"output_cost_per_token":1e-06}`,
			[]string{"price.output 0.000001", "unknown-price at .m.input_cost_per_token"}},
		{"another unit", "m", `{` + of + `,"input_cost_per_token":0.005,"output_cost_per_token":1e-06}`,
			[]string{"implausible-price at .m.input_cost_per_token", "implausible-price at .m.output_cost_per_token", "row-empty"}},
		{"numbers that no double holds", "m", `{` + of + `,"input_cost_per_token":1e400,"max_input_tokens":9007199254740993,"max_output_tokens":8192,"max_tokens":1e999}`,
			[]string{"limits.output 8192", "implausible-price at .m.input_cost_per_token", "invalid-value at .m.max_input_tokens"}},
		{"a price in text", "m", `{` + of + `,"input_cost_per_token":"1e-06"}`, []string{"invalid-value at .m.input_cost_per_token", "row-empty"}},
		{"bands in names", "m", `{` + of + `,"cache_creation_input_token_cost":1e-06,"cache_creation_input_token_cost_above_1hr":2e-06,
			"cache_creation_input_token_cost_above_200k_tokens":3e-06,"cache_creation_input_token_cost_above_1hr_above_200k_tokens":4e-06,
			"input_cost_per_token_above_128k_tokens":5e-06}`,
			[]string{"price.cache_write 0.000001", "price.cache_write@context>200000 0.000003", "price.cache_write@context>200000,ttl=1h 0.000004",
				"price.cache_write@ttl=1h 0.000002", "price.input@context>128000 0.000005"}},
		{"classes of service and other things than tokens", "m", `{` + of + `,"input_cost_per_token":1e-06,"input_cost_per_token_batches":1,"input_cost_per_token_priority":1,
			"input_cost_per_token_above_272k_tokens_flex":1,"input_cost_per_audio_token":1,"output_cost_per_image_token":1,"input_cost_per_character":1,"input_dbu_cost_per_token":1,
			"search_context_cost_per_query":{"a":1},"ocr_cost_per_page":1,"supports_web_search":true}`,
			[]string{"price.input 0.000001"}},
		{"the older name of a cache price", "m", `{` + of + `,"input_cost_per_token_cache_hit":1e-06}`, []string{"price.cache_read 0.000001"}},
		{"both names", "m", `{` + of + `,"input_cost_per_token_cache_hit":1e-06,"cache_read_input_token_cost":2e-06}`, []string{"price.cache_read 0.000002"}},
		{"tiers", "m", `{` + of + `,"tiered_pricing":[{"range":[0,256000.0],"input_cost_per_token":1e-06,"output_cost_per_reasoning_token":3e-06},{"range":[256000.0,1000000.0],"input_cost_per_token":2e-06}]}`,
			[]string{"price.input 0.000001", "price.input@context>256000 0.000002", "price.reasoning 0.000003"}},
		{"a price of its own name wins over tiers", "m", `{` + of + `,"tiered_pricing":[{"range":[0,5],"input_cost_per_token":1e-06},{"range":[200000,5],"input_cost_per_token":2e-06}],
			"input_cost_per_token":4e-06,"input_cost_per_token_above_200k_tokens":5e-06}`,
			[]string{"price.input 0.000004", "price.input@context>200000 0.000005"}},
		{"tiers of results", "m", `{` + of + `,"max_input_tokens":5,"tiered_pricing":[{"max_results_range":[0,25],"input_cost_per_query":0.005}]}`, []string{"limits.input 5"}},
		{"tiers that are none", "m", `{` + of + `,"tiered_pricing":[{"input_cost_per_token":1e-06},{"range":[-1,2],"input_cost_per_token":1e-06},7]}`,
			[]string{"invalid-value at .m.tiered_pricing[0]", "invalid-value at .m.tiered_pricing[1]", "invalid-value at .m.tiered_pricing[2]", "row-empty"}},
		{"max_input_tokens is no context window", "m", `{` + of + `,"max_input_tokens":272000.0,"max_output_tokens":128000,"max_tokens":5}`, []string{"limits.input 272000", "limits.output 128000"}},
		{"an output limit that repeats the input", "m", `{` + of + `,"max_input_tokens":8192,"max_output_tokens":8192.0}`, []string{"limits.input 8192", "limit-not-separate at .m.max_output_tokens"}},
		{"limits that are none", "m", `{` + of + `,"max_input_tokens":0,"max_output_tokens":"8192"}`, []string{"invalid-value at .m.max_input_tokens", "invalid-value at .m.max_output_tokens", "row-empty"}},
		{"modalities that lists name are there, others are not known", "m", `{` + of + `,"supported_modalities":["text","image"],"supported_output_modalities":["text","code"]}`,
			[]string{"modality.input.image true", "modality.input.text true", "modality.output.text true"}},
		{"flags", "m", `{` + of + `,"supports_vision":true,"supports_audio_input":false,"supports_video_input":true,"supports_pdf_input":false,"supports_audio_output":true,
			"supports_function_calling":true,"supports_response_schema":false,"supports_reasoning":null}`,
			[]string{"capability.structured_outputs false", "capability.tools true", "modality.input.audio false", "modality.input.image true", "modality.input.pdf false",
				"modality.input.video true", "modality.output.audio true"}},
		{"a list that is silent on what a flag says", "m", `{` + of + `,"supported_modalities":["text"],"supports_vision":true}`, []string{"modality.input.image true", "modality.input.text true"}},
		{"a flag against a list", "m", `{` + of + `,"supported_output_modalities":["audio","text"],"supports_audio_output":false}`,
			[]string{"modality.output.text true", "contradicts-itself at .m.supported_output_modalities"}},
		{"a date", "m", `{` + of + `,"deprecation_date":"2026-02-30"}`, []string{"invalid-value at .m.deprecation_date", "row-empty"}},
		{"no mode", "m", `{"litellm_provider":"openai","max_input_tokens":5}`, []string{"limits.input 5"}},
		{"another mode", "m", `{"litellm_provider":"openai","mode":"rerank","max_input_tokens":5}`, []string{"row-other-mode"}},
		{"documentation", "sample_spec", `{` + of + `,"max_tokens":"LEGACY parameter"}`, []string{"row-no-model"}},
		{"a class of prices", "together-ai-4.1b-8b", `{"litellm_provider":"together_ai","input_cost_per_token":2e-07}`, []string{"row-no-model"}},
		{"another class of prices", "fireworks-ai-up-to-4b", `{"litellm_provider":"fireworks_ai","input_cost_per_token":2e-07}`, []string{"row-no-model"}},
		{"no provider", "fallback_generalizations", `{"rules":[]}`, []string{"row-no-model"}},
		{"no object", "m", `5`, []string{"row-no-model"}},
		{"a key that is a prefix alone", "openai/", `{` + of + `,"max_input_tokens":5}`, []string{"row-no-id"}},
		{"nothing", "m", `{` + of + `}`, []string{"row-empty"}},
		{"a member twice", "m", `{` + of + `,"supports_vision":true,"supports_vision":true,"input_cost_per_token":1e-06,"input_cost_per_token":0.000001}`,
			[]string{"modality.input.image true", "price.input 0.000001"}},
		{"two things of one member", "m", `{` + of + `,"output_cost_per_token":1e-06,"input_cost_per_token":1e-06,"input_cost_per_token":2e-06,"max_input_tokens":5,"max_input_tokens":6}`,
			[]string{"price.output 0.000001", "contradicts-itself at .m.input_cost_per_token", "contradicts-itself at .m.max_input_tokens"}},
		{"tiers twice", "m", `{` + of + `,"tiered_pricing":[{"range":[0],"input_cost_per_token":1e-06}],"tiered_pricing":[{"range":[0],"input_cost_per_token":2e-06,"output_cost_per_token":3e-06}]}`,
			[]string{"price.output 0.000003", "contradicts-itself at .m.tiered_pricing[0].input_cost_per_token"}},
		{"off-peak prices", "m", `{` + of + `,"input_cost_per_token":2.7e-07,"input_cost_per_token_above_128k_tokens":3e-07,"output_cost_per_token":1e-06,"input_cost_per_token_cache_hit":7e-08,
			"off_peak_pricing":{"hours_utc":["16:30-00:30"],"weekday_timezone":"UTC","input_cost_per_token":1.35e-07,"cache_read_input_token_cost":3.5e-08}}`,
			[]string{"price.output 0.000001", "unknown-price at .m.off_peak_pricing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := mustRead(t, `{"`+tt.key+`":`+tt.row+`}`)
			if got := offertest.Show(&l.Rows[0]); !slices.Equal(got, tt.want) {
				t.Errorf("%s,\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if len(l.NewMembers) > 0 {
				t.Errorf("new members %v", l.NewMembers)
			}
		})
	}
}

// A key is the local id, but for the prefix of its provider.
func TestLocalIDs(t *testing.T) {
	tests := []struct{ key, provider, runtime, localID string }{
		{"gpt-4o", "openai", "openai", "gpt-4o"},
		{"openai/gpt-4o", "openai", "openai", "gpt-4o"},
		{"openai/openai/gpt-4o", "openai", "openai", "openai/gpt-4o"},
		{"azure/eu/gpt-4o", "azure", "azure", "eu/gpt-4o"},
		{"azure/gpt-3.5-turbo-instruct", "azure_text", "azure", "gpt-3.5-turbo-instruct"},
		{"azure_ai/jais-30b-chat", "azure_ai", "azure", "jais-30b-chat"},
		{"vertex_ai/claude-opus-4", "vertex_ai-anthropic_models", "google-vertex", "claude-opus-4"},
		{"gemini/gemini-2.5-pro", "gemini", "google", "gemini-2.5-pro"},
		{"amazon-nova/nova-lite", "amazon_nova", "nova", "nova-lite"},
		{"bedrock/us-east-1/anthropic.claude-v1", "bedrock", "amazon-bedrock", "us-east-1/anthropic.claude-v1"},
		{"replicateopenai/gpt-oss-20b", "replicate", "replicate", "replicateopenai/gpt-oss-20b"},
		{"ft:gpt-4o-2024-08-06", "openai", "openai", "ft:gpt-4o-2024-08-06"},
		{"groq/a/b", "xai", "xai", "groq/a/b"},
	}
	for _, tt := range tests {
		l := mustRead(t, `{"`+tt.key+`":{"litellm_provider":"`+tt.provider+`","max_input_tokens":5}}`)
		if got := l.Rows[0].Offer; got != (offer.Offer{Runtime: tt.runtime, LocalID: tt.localID}) {
			t.Errorf("%s of %s is %+v", tt.key, tt.provider, got)
		}
	}
}

// Of two keys of one offer that with a prefix stays, else that of the provider that
// the table names first, else the first. A key that is there twice is two rows.
func TestRepeated(t *testing.T) {
	l := mustRead(t, `{"deepseek-chat":{"litellm_provider":"deepseek","max_input_tokens":5},"deepseek/deepseek-chat":{"litellm_provider":"deepseek","max_input_tokens":6},
		"azure_ai/gpt-x":{"litellm_provider":"azure_ai","max_input_tokens":5},"azure/gpt-x":{"litellm_provider":"azure","max_input_tokens":5},
		"together_ai/baai/x":{"litellm_provider":"together_ai","max_input_tokens":5},"together_ai/BAAI/x":{"litellm_provider":"together_ai","max_input_tokens":5}}`)
	want := map[string]string{"deepseek-chat": `has the offer of the row "deepseek/deepseek-chat", and differs in limits.input`, "azure_ai/gpt-x": `has the offer of the row "azure/gpt-x", and says the same`}
	twice := mustRead(t, `{"a":{"litellm_provider":"openai","max_input_tokens":5},"b":{},"a":{"litellm_provider":"openai","max_input_tokens":6}}`)
	if first, last := &twice.Rows[0], &twice.Rows[2]; first.Skip != "" || last.Skip != offer.RowRepeated || last.Why != `has the offer of the row "a", and differs in limits.input` {
		t.Errorf("a key that is there twice: %s, %s: %s", first.Skip, last.Skip, last.Why)
	}
	for _, r := range l.Rows {
		if why, isRepeated := want[r.ID]; isRepeated != (r.Skip == offer.RowRepeated) || r.Why != why {
			t.Errorf("%s: %s, %s", r.ID, r.Skip, r.Why)
		}
	}
}

func TestNewMembers(t *testing.T) {
	l := mustRead(t, `{"a":{"litellm_provider":"x","input_cost_per_token_above_5k_words":1,"price":2,"supported_modalities":["smell"],"tiered_pricing":[{"range":[0],"per":1}]},
		"b":{"litellm_provider":"x","price":2,"input_cost_per_token_above_1hr":3},"c":{"litellm_provider":"x","mode":"ocr","price":2}}`)
	n, _ := l.NewMembersNote()
	if want := `not known and not taken: "input_cost_per_token_above_1hr" (1), "input_cost_per_token_above_5k_words" (1), "price" (2), "supported_modalities: smell" (1), "tiered_pricing.per" (1)`; n.Message != want {
		t.Errorf("%s, want %s", n.Message, want)
	}
}

// Notes say where in the body a value stands.
func TestPlaces(t *testing.T) {
	l := mustRead(t, "{\n \"é\": {\"litellm_provider\": \"x\", \"mode\": \"ocr\"},\n \"m\": {\n  \"litellm_provider\": \"x\", \"max_input_tokens\": 0}}")
	if at := l.Rows[0].Place; at.Line != 2 || at.Column != 2 {
		t.Errorf("the first row is at %+v", at)
	}
	if r := l.Rows[1]; r.Place.Line != 3 || r.Notes[0].Place.Line != 4 || r.Notes[0].Place.Column != 48 {
		t.Errorf("%+v and %+v", r.Place, r.Notes[0].Place)
	}
}

// What is not I-JSON, or no price map at all, is refused.
func TestRefusals(t *testing.T) {
	for body, path := range map[string]string{
		``:                     "$",
		`[]`:                   "$",
		`{"a":{"b":01}}`:       "$",
		`{"a":{}} {}`:          "$",
		"{\"a\":\"\xff\"}":     "$",
		`{"a":{"x":"\ud800"}}`: "$.a.x",
	} {
		_, err := litellm.Read(body)
		e, ok := errors.AsType[*problem.Error](err)
		if !ok || e.Code != problem.InvalidSourceSnapshot || e.Path != path || e.Place.Line == 0 {
			t.Errorf("%s: %v at %+v", body, err, e)
		}
	}
}

// Hostile bodies are read or refused in bounded time and memory.
func TestHostile(t *testing.T) {
	digits := strings.Repeat("1", 10_000_000)
	for name, body := range map[string]string{
		"a price of ten million digits":   `{"m":{"litellm_provider":"x","input_cost_per_token":0.` + strings.Repeat("0", 10_000_000) + `1}}`,
		"a limit of ten million digits":   `{"m":{"litellm_provider":"x","max_input_tokens":5.` + digits + `}}`,
		"a whole number of them":          `{"m":{"litellm_provider":"x","max_input_tokens":` + digits + `}}`,
		"a band of them":                  `{"m":{"litellm_provider":"x","input_cost_per_token_above_` + digits + `k_tokens":1}}`,
		"lists within lists":              `{"m":` + strings.Repeat("[", 1_000_000),
		"a hundred thousand rows and one": `{` + manyRows(offer.MaxRows+1) + `}`,
		"a row of many members":           `{"m":{"litellm_provider":"x",` + strings.TrimSuffix(manyRows(100_000), ",") + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			l, err := litellm.Read(body)
			if err == nil && len(l.Rows) != 1 {
				t.Errorf("%d rows", len(l.Rows))
			}
			runtime.GC()
		})
	}
	if _, err := litellm.Read(`{` + manyRows(offer.MaxRows+1) + `}`); err == nil || !strings.Contains(err.Error(), offer.TooManyRows) {
		t.Errorf("too many rows: %v", err)
	}
}

func manyRows(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + strings.Repeat("x", i%7) + strings.Repeat("y", i/7%11))
		for k := i; k > 0; k /= 10 {
			b.WriteByte(byte('0' + k%10))
		}
		b.WriteString(`":{}`)
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	f.Add(`{"a/b":{"litellm_provider":"a","mode":"chat","input_cost_per_token":1e-6,"tiered_pricing":[{"range":[0,1],"output_cost_per_token":0.1}],"max_input_tokens":5.0}}`)
	f.Add(`{"a":{"litellm_provider":"vertex_ai-x","supports_vision":false,"supported_modalities":["image"],"deprecation_date":"2026-01-01","input_cost_per_token_above_1k_tokens":"x"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		l, err := litellm.Read(body)
		if err != nil {
			for _, e := range problem.All(err) {
				if e.Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(e.Path, "$") {
					t.Errorf("refused with %s at %s", e.Code, e.Path)
				}
			}
			return
		}
		offertest.Hold(t, l)
	})
}
