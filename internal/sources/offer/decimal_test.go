package offer

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// One price has one double, whatever the list writes and per whatever it is.
func TestDecimalIsNearest(t *testing.T) {
	tests := []struct {
		literal string
		shift   int
		want    float64
	}{
		{"0.8", -6, 8e-07},
		{"8e-07", 0, 8e-07},
		{"0.0000008", 0, 8e-07},
		{"800e-3", -6, 8e-07},
		{"0.024999999999999998", -6, 2.4999999999999998e-08},
		{"2.4997000000000006e-07", 0, 2.4997000000000006e-07},
		{"0.00000008333333333333334", 0, 8.333333333333334e-08},
		{"5.0", -6, 5e-06},
		{"128000.0", 0, 128000},
		{"9007199254740993", 0, 9007199254740992}, // ties to even
		{"9007199254740995", 0, 9007199254740996},
		{"-1", 0, -1},
		{"0", -6, 0},
		{"-0.0e5", -6, 0},
		{"1e400", 0, math.Inf(1)},
		{"-1e400", 0, math.Inf(-1)},
		{"1e-400", 0, 0},
		{"5e-324", 0, math.SmallestNonzeroFloat64},
		{"2e-324", 0, 0},
		{"1e99999999999999999999", 0, math.Inf(1)},
		{"1e-99999999999999999999", 0, 0},
		{"0e99999999999999999999", 0, 0},
	}
	for _, tt := range tests {
		d, ok := ParseDecimal(tt.literal)
		if got := d.Shift(tt.shift).Float(); !ok || got != tt.want {
			t.Errorf("%s, shifted by %d: %v %t, want %v", tt.literal, tt.shift, got, ok, tt.want)
		}
	}
	perMillion := 0.8 // a double
	if perMillion/1e6 == 8e-07 {
		t.Error("dividing gives the same: the test shows nothing")
	}
}

// Numbers of millions of digits are read in time in proportion to their length,
// and exactly: no digit is too far out to count.
func TestDecimalHuge(t *testing.T) {
	const n = 10_000_000
	zeros := strings.Repeat("0", n)
	for literal, want := range map[string]float64{
		"0." + zeros + "8e" + strconv.Itoa(n-6):       8e-07,
		"8" + zeros + "e-" + strconv.Itoa(n+7):        8e-07,
		"9007199254740993." + zeros + "1":             9007199254740994, // above the tie
		"9007199254740992.9" + strings.Repeat("9", n): 9007199254740992,
		"1" + zeros: math.Inf(1),
	} {
		d, ok := ParseDecimal(literal)
		if got := d.Float(); !ok || got != want {
			t.Errorf("%s...%s: %v %t, want %v", literal[:20], literal[len(literal)-10:], got, ok, want)
		}
	}
}

func TestDecimalCount(t *testing.T) {
	for literal, want := range map[string]uint64{
		"0": 0, "128000": 128000, "128000.0": 128000, "1.28e5": 128000, "1280000e-1": 128000,
		"9007199254740991": ijson.MaxCount,
	} {
		d, _ := ParseDecimal(literal)
		if n, ok := d.Count(); !ok || n != want {
			t.Errorf("%s: %d %t", literal, n, ok)
		}
	}
	for _, literal := range []string{"-1", "0.5", "128000.5", "9007199254740992", "1e16", "1e400", "1e-1"} {
		d, _ := ParseDecimal(literal)
		if n, ok := d.Count(); ok {
			t.Errorf("%s is the count %d", literal, n)
		}
	}
}

// FuzzDecimal holds the reader against package encoding/json, for what is a number,
// and package math/big, for which one.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0.8", "8e-07", "-1", "00", "1.", ".5", "+1", "1e", "1e+5", "0x1", "1_0", "9007199254740993", "2.2250738585072011e-308", "1e400", "0e5", "-0"} {
		f.Add(s, -6)
	}
	f.Fuzz(func(t *testing.T, s string, shift int) {
		shift %= 400
		d, ok := ParseDecimal(s)
		isNumber := json.Valid([]byte(s)) && strings.Trim(s, "-+.eE0123456789") == ""
		if ok != isNumber {
			t.Fatalf("%q: is a number %t, want %t", s, ok, isNumber)
		}
		_, exponent, _ := strings.Cut(strings.ToLower(s), "e")
		if !ok || len(exponent) > len("-9999") {
			return
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is no rational number", s)
		}
		exact.Mul(exact, new(big.Rat).SetFrac(power(max(shift, 0)), power(max(-shift, 0))))
		want, _ := exact.Float64()
		if got := d.Shift(shift).Float(); got != want {
			t.Errorf("%q, shifted by %d: %v, want %v", s, shift, got, want)
		}
		whole, _ := new(big.Rat).SetString(s)
		n, isCount := d.Count()
		wantCount := whole.IsInt() && whole.Sign() >= 0 && whole.Num().Cmp(big.NewInt(ijson.MaxCount)) <= 0
		if isCount != wantCount || isCount && n != whole.Num().Uint64() {
			t.Errorf("%q: the count %d %t, want %t", s, n, isCount, wantCount)
		}
	})
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
