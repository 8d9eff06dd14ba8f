package canonical_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/model-catalog-service/svc/internal/canonical"
)

func TestAppendNumber(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"}, // minus zero has no sign
		{1, "1"},
		{-1, "-1"},
		{0.1, "0.1"},
		{1.0 / 3, "0.3333333333333333"},
		{100, "100"},
		{1e20, "100000000000000000000"},
		{999999999999999900000, "999999999999999900000"}, // the last without exponent
		{1e21, "1e+21"},
		{-1e21, "-1e+21"},
		{1.5e21, "1.5e+21"},
		{0.000001, "0.000001"}, // the least without exponent
		{9.999999999999997e-7, "9.999999999999997e-7"},
		{1e-7, "1e-7"}, // one digit of exponent, where strconv writes two
		{-1e-7, "-1e-7"},
		{1e-9, "1e-9"},
		{1e-10, "1e-10"},
		{1e100, "1e+100"},
		{1e-100, "1e-100"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.SmallestNonzeroFloat64, "5e-324"},
		{1 << 53, "9007199254740992"},
		{1<<53 - 1, "9007199254740991"},
		{123456789012345680000, "123456789012345680000"},
	}
	for _, tt := range tests {
		if got := string(canonical.AppendNumber(nil, tt.f)); got != tt.want {
			t.Errorf("%g is written %s, want %s", tt.f, got, tt.want)
		}
	}
}

func TestAppendNumberAppends(t *testing.T) {
	for _, f := range []float64{0, 1, 1e-7, 1e21, 0.5} {
		alone := string(canonical.AppendNumber(nil, f))
		if got := string(canonical.AppendNumber([]byte("1e-05"), f)); got != "1e-05"+alone {
			t.Errorf("%g after 1e-05 is %s", f, got)
		}
	}
}

// randomFloats yields finite numbers of every magnitude, and those beside powers
// of two and ten, where shortest digits are hardest to find.
func randomFloats(n int, yield func(float64)) {
	rnd := rand.New(rand.NewPCG(8785, 1))
	for range n {
		if f := math.Float64frombits(rnd.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			yield(f)
		}
		yield(float64(rnd.Int64N(1 << 54)))
		yield(math.Round(rnd.Float64()*1e6) / 1e3)
	}
	for e := -1074; e < 1024; e++ {
		around(math.Ldexp(1, e), yield)
	}
	for e := -323; e <= 308; e++ {
		f, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
		around(f, yield)
	}
}

func around(f float64, yield func(float64)) {
	yield(math.Nextafter(f, 0))
	yield(f)
	yield(-f)
	if above := math.Nextafter(f, math.Inf(1)); !math.IsInf(above, 0) {
		yield(above)
	}
}

// An independent implementation of RFC 8785 writes the same digits.
func TestAppendNumberAgreesWithJCS(t *testing.T) {
	randomFloats(20000, func(f float64) {
		want, err := jcs.NumberToJSON(f)
		if err != nil {
			t.Fatalf("%g: %v", f, err)
		}
		if got := string(canonical.AppendNumber(nil, f)); got != want {
			t.Errorf("%x is written %s, want %s", f, got, want)
		}
	})
}

// What is written reads as the same number, and no text with fewer digits does.
func TestAppendNumberIsShortest(t *testing.T) {
	randomFloats(5000, func(f float64) {
		text := string(canonical.AppendNumber(nil, f))
		if back, err := strconv.ParseFloat(text, 64); err != nil || back != f {
			t.Errorf("%x is written %s, which reads as %x", f, text, back)
		}
		if digits := significant(text); digits > 1 {
			shorter, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', digits-2, 64), 64)
			if err == nil && shorter == f {
				t.Errorf("%x is written %s, with %d digits where fewer do", f, text, digits)
			}
		}
	})
}

// significant counts the digits of a number that are no mere zeros at an end.
func significant(text string) int {
	mantissa, _, _ := strings.Cut(text, "e")
	mantissa = strings.TrimPrefix(mantissa, "-")
	if !strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(mantissa, "0")
	}
	return len(strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "0"))
}
