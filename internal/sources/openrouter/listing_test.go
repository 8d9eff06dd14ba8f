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
