package quantity_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
)

// The page of svc explore is held to the same file.
func TestQuantities(t *testing.T) {
	text, err := os.ReadFile("testdata/quantities.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Quantities, Changes [][]any }
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for _, q := range want.Quantities {
		if got := quantity.Phrase(q[0].(float64), q[1].(string)); got != q[2] {
			t.Errorf("%v %s: %s, want %s", q[0], q[1], got, q[2])
		}
	}
	for _, c := range want.Changes {
		if got := quantity.Change(c[0].(float64)); got != c[1] {
			t.Errorf("%v: %s, want %s", c[0], got, c[1])
		}
	}
}

// Where there is little room, a number has fewer digits, and an integer as many.
func TestRounded(t *testing.T) {
	for _, tt := range []struct {
		number     float64
		unit, want string
	}{
		{0.4333, "", "0.43"}, {61.55, "percent", "62%"}, {200000, "tokens", "200,000 tokens"}, {1.234e-6, "USD/token", "$1.20 per million tokens"},
		{12.6789, "USD", "$12.68"}, {0.9999, "", "1"}, {1234.5, "ms", "1,235 ms"},
	} {
		if got := quantity.RoundedPhrase(tt.number, tt.unit, 2); got != tt.want {
			t.Errorf("%g %s: %s, want %s", tt.number, tt.unit, got, tt.want)
		}
	}
	if got := quantity.Signed(0.5) + quantity.Signed(-0.5) + quantity.Signed(0); got != "+0.5−0.5+0" {
		t.Error(got)
	}
	if got := quantity.Count(1, "model") + quantity.Count(5264, "model"); got != "1 model5,264 models" {
		t.Error(got)
	}
}

// What is written is read as what it says: a price of few digits exactly, an integer too,
// and any other number within the digits that are left.
func FuzzPhrase(f *testing.F) {
	for _, number := range []float64{0, 6e-7, 8.333333333333334e-8, 5e-324, 1.7e308, 123.456, 999999, 999.95, 0.99995, 1e15, 9.9999e-7} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, number float64) {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			t.Skip()
		}
		plain := strings.NewReplacer("−", "-", ",", "", "$", "")
		text := quantity.Number(number)
		read, err := strconv.ParseFloat(plain.Replace(text), 64)
		isWhole := number == math.Trunc(number) && math.Abs(number) < 1e15
		if err != nil && math.Abs(number) < 1e308 || isWhole && read != number || math.Abs(number) < 1e308 && math.Abs(read-number) > 0.00051*math.Abs(number) && math.Abs(number) > 1e-320 {
			t.Errorf("%g is written as %s", number, text)
		}
		price, _ := quantity.Text(number, "USD/token")
		exact := strconv.FormatFloat(number, 'e', -1, 64)
		mantissa, _, _ := strings.Cut(exact, "e")
		whole, fraction, found := strings.Cut(plain.Replace(price), ".")
		if !found || len(fraction) < 2 || strings.Count(price, "$") != 1 {
			t.Errorf("the price %g is written as %s", number, price)
		}
		const most = 11
		if digits := strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0"); len(digits) <= most && strings.Trim(strings.TrimPrefix(whole, "-")+fraction, "0") != digits {
			t.Errorf("the price %s is written as %s", exact, price)
		}
	})
}

// The price of other records has all digits.
func TestPerMillion(t *testing.T) {
	for price, want := range map[string]string{"6e-7": "0.6", "0.00000125": "1.25", "8.333333333333334e-8": "0.08333333333333334", "0": "0", "0.01": "10000", "5": "5000000", "1.5e+21": "1500000000000000000000000000", "1e-9": "0.001"} {
		if got := quantity.PerMillion(price); got != want {
			t.Errorf("%s: %s, want %s", price, got, want)
		}
	}
}
