package export_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// market has an offer with bands and a name like a formula, one with prices that contradict each
// other, one without a price, and one that was retired.
func market() []stated {
	price := func(model, runtime, key string, usd float64, uri string) stated {
		return stated{model: model, runtime: runtime, key: key, value: usd, unit: "USD/token", uri: uri}
	}
	return []stated{
		price("a/m", "shop", "price.input", 1e-6, "https://a.example"), price("a/m", "shop", "price.input@context>200000", 2e-6, "https://a.example"),
		stated{model: "a/m", runtime: "shop", key: record.OfferID, value: "@cf/a,m"},
		price("b/m", "shop", "price.output", 3e-6, "https://a.example"), price("b/m", "shop", "price.input", 1e-6, "https://a.example"),
		price("b/m", "shop", "price.input", 2e-6, "https://b.example"),
		stated{model: "c/m", runtime: "shop", key: "limits.context", value: 8, unit: "tokens"},
		price("d/m", "shop", "price.input", 1e-6, "https://a.example"),
		stated{model: "d/m", runtime: "shop", key: record.LifecycleRetires, value: "2020-01-31"},
	}
}

// The table has a row for each offer that has a price, and a column for each price.
func TestPrices(t *testing.T) {
	file, err := export.Text(t.Context(), compile(t, market()...), export.Options{Format: record.FormatPrices})
	if err != nil {
		t.Fatal(err)
	}
	const want = `model,revision,quantization,provider,service,id,price.input,price.input@context>200000,price.output
a/m,,,shop,,"@cf/a,m",0.000001,0.000002,
b/m,,,shop,,b/m,,,0.000003
`
	if file.Text != want || file.Report.Exported.Rows != 2 || file.Report.Exported.Facts != 3 {
		t.Errorf("%+v\n%s", file.Report.Exported, file.Text)
	}
	if l := file.Report.LeftOut; len(l) != 1 || l[0].Model != "b/m" || l[0].Key != "price.input" || l[0].Reason != record.ExportConflict {
		t.Errorf("%+v", l)
	}
}

// Of what nobody sells any more no row is made, and rows of the base are reported.
func TestDeadRows(t *testing.T) {
	c := compile(t, append(state("a/dead", "shop", whole()), append(state("a/alive", "shop", whole()),
		stated{model: "a/dead", runtime: "shop", key: record.LifecycleStatus, value: record.StatusWithdrawn})...)...)
	for base, want := range map[string]string{
		"": " ",
		`{"shop/a/dead":{"litellm_provider":"shop","input_cost_per_token":1e-6,"output_cost_per_token":1e-6}}`: "the base has it as shop/a/dead",
	} {
		o := export.Options{Format: record.FormatLiteLLM}
		if base != "" {
			o.Base = &problem.Source{Text: base}
		}
		file, err := export.Text(t.Context(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		var details []string
		for _, l := range file.Report.LeftOut {
			if l.Reason == record.ExportEnded {
				details = append(details, string(l.Detail)+" ")
			}
		}
		if len(details) != 1 || strings.TrimSpace(details[0]) != strings.TrimSpace(want) || strings.Contains(file.Text, "dead") != (base != "") || !strings.Contains(file.Text, "alive") {
			t.Errorf("%q: %q in %s", base, details, file.Text)
		}
	}
}
