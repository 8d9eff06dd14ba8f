package compare_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/compare"
)

func TestValueText(t *testing.T) {
	for _, tt := range []struct{ kind, value, unit, text, shown string }{
		{"0", "6e-7", "USD/token", "$0.60", "per million tokens"},
		{"0", "0.000006", "USD/token", "$6.00", "per million tokens"},
		{"0", "0.00000184", "USD/token", "$1.84", "per million tokens"},
		{"0", "8.333333333333334e-8", "USD/token", "$0.08333333333333334", "per million tokens"},
		{"0", "1.25e-7", "USD/token", "$0.125", "per million tokens"},
		{"0", "0", "USD/token", "$0.00", "per million tokens"},
		{"0", "-0.001", "USD/token", "−$1,000.00", "per million tokens"},
		{"0", "12", "USD/token", "$12,000,000.00", "per million tokens"},
		{"0", "1.5e+21", "USD/token", "$1,500,000,000,000,000,000,000,000,000.00", "per million tokens"},
		{"0", "6e-7", "USD", "6e-7", "USD"},
		{"0", "1024000", "tokens", "1,024,000", "tokens"},
		{"0", "0.6666666666666666", "", "0.6667", ""},
		{"0", "12345.678", "ms", "12,346", "ms"},
		{"0", "-3.14159", "", "−3.142", ""},
		{"0", "999.99", "", "1,000", ""},
		{"0", "1e+300", "", "1e+300", ""},
		{"t", "", "", "true", ""},
		{"f", "", "x", "false", "x"},
		{`"`, "MIT", "", "MIT", ""},
		{`"`, "", "USD/token", "", "USD/token"},
	} {
		text, unit := compare.Value{Value: compare.Scalar{Kind: tt.kind[0], Text: tt.value}, Unit: canonical.Text(tt.unit)}.Text()
		if text != tt.text || unit != tt.shown {
			t.Errorf("%s %s: %q %q, want %q %q", tt.value, tt.unit, text, unit, tt.text, tt.shown)
		}
	}
}

func TestPercentText(t *testing.T) {
	for ratio, want := range map[float64]string{31.25: "+3,025%", 0.1: "−90%", 1.004: "+0.4%", 0.991: "−0.9%", 2.5: "+150%", 1: "+0%", 1.0000001: "+0.00001%", -1: "−200%", 1.1: "+10%"} {
		if got := compare.PercentText(ratio); got != want {
			t.Errorf("%g: %s, want %s", ratio, got, want)
		}
	}
}

// A price that is shown is the price: moving the point back gives the digits again.
func FuzzPriceText(f *testing.F) {
	for _, price := range []float64{0, 6e-7, 8.333333333333334e-8, 1e-323, 1.7e308, 123.456, 1e-6, 999999} {
		f.Add(price)
	}
	f.Fuzz(func(t *testing.T, price float64) {
		if price < 0 || price != price || price > 1e300 {
			t.Skip()
		}
		number := string(canonical.AppendNumber(nil, price))
		text, _ := compare.Value{Value: compare.Scalar{Kind: '0', Text: number}, Unit: "USD/token"}.Text()
		digits := func(s string) string {
			s, _, _ = strings.Cut(s, "e")
			return strings.Trim(strings.NewReplacer("$", "", ",", "", ".", "").Replace(s), "0")
		}
		if digits(text) != digits(number) || !strings.HasPrefix(text, "$") {
			t.Errorf("%s is shown as %s", number, text)
		}
	})
}
