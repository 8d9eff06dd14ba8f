package openrouter_test

import (
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
)

// readCapture reads what a collector kept: the list of data without its envelope.
func readCapture(body, _ string) (*offer.Listing, error) {
	return openrouter.ReadListing(`{"data":` + body + `}`)
}

func TestVectors(t *testing.T) { offertest.Check(t, "openrouter", readCapture) }

func TestSuccession(t *testing.T) { offertest.CheckSuccession(t, "openrouter-models", readCapture) }

// Overrides of longer prompts are bands. What overrides a price at a time of day leaves that
// price without one value: that of its band, or else of short prompts.
func TestOverrides(t *testing.T) {
	const member = ".data[0].pricing.overrides"
	for _, tt := range []struct {
		name, overrides string
		want            []string
	}{
		{"none", ``, []string{"price.input 0.000001", "price.output 0.000002"}},
		{"longer prompts", `{"min_prompt_tokens":200000,"prompt":"0.000003"}`, []string{"price.input 0.000001", "price.input@context>200000 0.000003", "price.output 0.000002"}},
		{"a time", `{"utc_start":100,"utc_end":200,"prompt":"0.000003"}`, []string{"price.output 0.000002", "unknown-price at " + member + "[0]"}},
		{"a time of pictures", `{"utc_start":100,"utc_end":200,"image":"0.000003"}`, []string{"price.input 0.000001", "price.output 0.000002"}},
		{"longer prompts, and a time of them", `{"min_prompt_tokens":200000,"prompt":"0.000003","completion":"0.000004"},{"min_prompt_tokens":200000,"utc_start":100,"prompt":"0.000005"}`,
			[]string{"price.input 0.000001", "price.output 0.000002", "price.output@context>200000 0.000004", "unknown-price at " + member + "[1]"}},
		{"a time of longer prompts comes first", `{"min_prompt_tokens":200000,"utc_start":100,"prompt":"0.000005"},{"min_prompt_tokens":100000,"prompt":"0.000003"}`,
			[]string{"price.input 0.000001", "price.input@context>100000 0.000003", "price.output 0.000002", "unknown-price at " + member + "[0]"}},
		{"neither", `{"prompt":"0.000003"},{"min_prompt_tokens":0,"prompt":"0.000003"},{"min_prompt_tokens":"5","prompt":"0.000003"}`,
			[]string{"price.input 0.000001", "price.output 0.000002", "invalid-value at " + member + "[0]", "invalid-value at " + member + "[1].min_prompt_tokens", "invalid-value at " + member + "[2].min_prompt_tokens"}},
		{"an unknown condition", `{"min_prompt_tokens":5,"weekday":1,"prompt":"0.000003"}`, []string{"price.input 0.000001", "price.output 0.000002", "invalid-value at " + member + "[0]"}},
	} {
		l, err := readCapture(`[{"id":"p/m","pricing":{"prompt":"0.000001","completion":"0.000002","overrides":[`+tt.overrides+`]}}]`, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := offertest.Show(&l.Rows[0]); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A value that is not what it should be is left out, and the rest of its row taken, as of
// every price list.
func TestValuesLeftOut(t *testing.T) {
	const row, top = ".data[0].", "top_provider."
	for _, tt := range []struct {
		members string
		want    []string
	}{
		{`"pricing":{"prompt":0.000001,"completion":"0.000002","input_cache_read":null}`, []string{"price.output 0.000002", "invalid-value at " + row + "pricing.prompt"}},
		{`"pricing":{"prompt":"0","completion":"0","overrides":[{"min_prompt_tokens":5,"prompt":"0"},{"min_prompt_tokens":5,"prompt":"0"}]}`,
			[]string{"price.input 0", "price.input@context>5 0", "price.output 0"}},
		{`"pricing":{"prompt":"0.000001","overrides":{}}`, []string{"price.input 0.000001", "invalid-value at " + row + "pricing.overrides"}},
		{`"pricing":{"prompt":"0.000001","overrides":[5]}`, []string{"price.input 0.000001", "invalid-value at " + row + "pricing.overrides[0]"}},
		{`"pricing":{"prompt":"0.000001","overrides":null}`, []string{"price.input 0.000001"}},
		{`"pricing":[]`, []string{"invalid-value at " + row + "pricing", "row-empty"}},
		{`"pricing":null`, []string{"row-empty"}},
		{`"context_length":8192.5,"top_provider":{"context_length":null,"max_completion_tokens":"4096"}`,
			[]string{"invalid-value at " + row + "context_length", "invalid-value at " + row + top + "max_completion_tokens", "row-empty"}},
		{`"context_length":8192.0,"top_provider":5`, []string{"limits.context 8192", "invalid-value at " + row + "top_provider"}},
		{`"supported_parameters":["tools","tools"]`, []string{"capability.reasoning false", "capability.structured_outputs false", "capability.tools true"}},
		{`"supported_parameters":["tools",5]`, []string{"invalid-value at " + row + "supported_parameters", "row-empty"}},
		{`"architecture":{"input_modalities":["smell","smell"],"output_modalities":"text"}`,
			[]string{"modality.input.audio false", "modality.input.image false", "modality.input.pdf false", "modality.input.text false", "modality.input.video false",
				"openrouter.input_modalities.smell true", "invalid-value at " + row + "architecture.output_modalities"}},
		{`"reasoning":{"supported_efforts":["high","high",""],"default_effort":"high"}`, []string{"openrouter.reasoning.default_effort \"high\"", "invalid-value at " + row + "reasoning.supported_efforts"}},
		{`"reasoning":{"supported_efforts":["high","high"]}`, []string{"openrouter.reasoning.effort.high true"}},
		{`"benchmarks":{"artificial_analysis":{"coding_index":"13","agentic_index":true},"design_arena":{}}`,
			[]string{"invalid-value at " + row + "benchmarks.artificial_analysis.coding_index", "invalid-value at " + row + "benchmarks.artificial_analysis.agentic_index",
				"invalid-value at " + row + "benchmarks.design_arena", "row-empty"}},
		{`"created":1e400,"benchmarks":{"artificial_analysis":{"coding_index":1e400,"agentic_index":5}}`,
			[]string{"openrouter.artificial_analysis.agentic_index 5", "invalid-value at " + row + "benchmarks.artificial_analysis.coding_index"}},
		{`"benchmarks":{"artificial_analysis":[],"design_arena":[5,{"arena":"a","category":""},{"arena":"a","category":"b","elo":1,"rank":"1"},{"arena":"a","category":"c","elo":1},{"arena":"a","category":"c","elo":2}]}`,
			[]string{"openrouter.design_arena.elo 1", "invalid-value at " + row + "benchmarks.artificial_analysis", "invalid-value at " + row + "benchmarks.design_arena[0]",
				"invalid-value at " + row + "benchmarks.design_arena[1]", "invalid-value at " + row + "benchmarks.design_arena[2].rank", "contradicts-itself at " + row + "benchmarks.design_arena[3].elo"}},
	} {
		l, err := readCapture(`[{"id":"p/m",`+tt.members+`},{"id":"p/n","context_length":5}]`, "")
		if err != nil {
			t.Errorf("%s: %v", tt.members, err)
			continue
		}
		offertest.Hold(t, l)
		if got := offertest.Show(&l.Rows[0]); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.members, got, tt.want)
		}
		if l.Rows[1].Skip != "" {
			t.Errorf("%s: the next row is skipped: %s", tt.members, l.Rows[1].Why)
		}
	}
}

// Of several rows with one id the first stays.
func TestRepeatedID(t *testing.T) {
	l, err := readCapture(`[{"id":"p/m","context_length":5},{"id":"p/m","context_length":6},{"id":"p/m","alias_target":{}}]`, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := []offer.Reason{l.Rows[0].Skip, l.Rows[1].Skip, l.Rows[2].Skip}; !slices.Equal(got, []offer.Reason{"", offer.RowRepeated, offer.RowAlias}) {
		t.Errorf("%q", got)
	}
}

// A variant does not repeat the indexes of its base model, but has its own where the base is
// not in the answer.
func TestRelayedTwice(t *testing.T) {
	const index = `"benchmarks":{"artificial_analysis":{"coding_index":13}}`
	l, err := readCapture(`[{"id":"p/m:free",`+index+`,"context_length":5},{"id":"p/m",`+index+`},{"id":"p/n:free",`+index+`},{"id":"p/m:batch","benchmarks":{},"context_length":5}]`, "")
	if err != nil {
		t.Fatal(err)
	}
	const own = "openrouter.artificial_analysis.coding_index 13"
	for i, want := range [][]string{
		{"limits.context 5", "relayed-twice at .data[0].benchmarks"},
		{own},
		{own},
		{"limits.context 5"},
	} {
		if got := offertest.Show(&l.Rows[i]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", l.Rows[i].ID, got, want)
		}
	}
}
