package quantity_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
)

// What people write is read as what it means, to the last bit: 0.8 dollars per million
// tokens is 8e-7, which dividing 0.8 by a million does not give.
func TestRead(t *testing.T) {
	for text, want := range map[string]struct {
		number float64
		unit   string
	}{
		"200000": {200000, ""}, "-1.5e3": {-1500, ""}, ".5": {0.5, ""}, " 7 ": {7, ""}, "0": {0, ""}, "2e5": {200000, ""},
		"200k": {200000, ""}, "128K": {128000, ""}, "1M": {1e6, ""}, "1.5M": {1.5e6, ""}, "200,000": {200000, ""}, "1_000_000": {1e6, ""},
		"200 k": {200000, ""}, "1 M": {1e6, ""}, "1.5 M tokens": {1.5e6, "tokens"}, "5 m/s": {5, "m/s"}, "5 Ki": {5, "Ki"}, "$5 M": {5e6, "USD"},
		"200k tokens": {200000, "tokens"}, "200,000 tokens": {200000, "tokens"}, "320 ms": {320, "ms"}, "320ms": {320, "ms"},
		"90%": {90, "percent"}, "90 %": {90, "percent"}, "90 percent": {90, "percent"}, "$5": {5, "USD"}, "$ 0.40": {0.4, "USD"}, "5 USD": {5, "USD"},
		"5/M": {5e-6, "USD/token"}, "5/m": {5e-6, "USD/token"}, "5 /M": {5e-6, "USD/token"}, "$5/M": {5e-6, "USD/token"}, "0.8/M": {8e-7, "USD/token"},
		"$5 / 1M": {5e-6, "USD/token"}, "5/MTok": {5e-6, "USD/token"}, "$1,500.00 per million tokens": {1.5e-3, "USD/token"}, "5 USD/M": {5e-6, "USD/token"},
		"0.000005 USD/token": {5e-6, "USD/token"}, "$5e-6/token": {5e-6, "USD/token"}, "-$5": {-5, "USD"}, "50 tokens/s": {50, "tokens/s"}, "3 @a1": {3, "@a1"},
	} {
		if a, err := quantity.Read(text); err != nil || a.Number != want.number || a.Unit != want.unit {
			t.Errorf("%q: %+v, error %v", text, a, err)
		}
	}
	for text, cause := range map[string]string{
		"": "number", "x": "number", "/M": "number", "01": "number", "0x1": "number", "1e3/M": "number", "5k/M": "number", "5/M/M": "number", "$5%": "number", "$5 tokens": "number",
		"$$5": "number", "1 2": "number", "NaN": "number", "[1]": "number", "5k%": "number", "1e999": "larger", "1.5.2": "number", "--5": "number",
		"0,5": "comma", "1,5": "comma", "20,00": "comma", "0,005": "comma", "200_00": "comma", "1m": "ends in m", "1 m": "ends in m", "5m tokens": "ends in m",
	} {
		if a, err := quantity.Read(text); err == nil && cause != "" || err != nil && !strings.Contains(err.Error(), cause) {
			t.Errorf("%q: %+v, error %v", text, a, err)
		}
	}
	for text, want := range map[string]float64{"90%": 0.9, "88.2%": 0.882, "7": 0.07} {
		if a, err := quantity.Read(text); err != nil || a.Share() != want {
			t.Errorf("%q: %v, error %v", text, a.Share(), err)
		}
	}
}

// What this package writes it reads, so that a number can be pasted from an answer.
func TestReadWhatIsWritten(t *testing.T) {
	text, err := os.ReadFile("testdata/quantities.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Quantities [][]any }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	const close = 1e-3 // what is left of four digits
	for _, q := range list.Quantities {
		number, unit, phrase := q[0].(float64), q[1].(string), q[2].(string)
		if a, err := quantity.Read(phrase); err != nil || a.Unit != unit || math.Abs(a.Number-number) > close*math.Abs(number) {
			t.Errorf("%s: %v %s, error %v, not %v %s", phrase, a.Number, a.Unit, err, number, unit)
		}
	}
}
