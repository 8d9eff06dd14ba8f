package ijson_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/model-catalog-service/svc/internal/ijson"
)

func TestNumber(t *testing.T) {
	tests := []struct{ text, want string }{
		{"0", "0"},
		{"-0", "0"},
		{"-0.0", "0"},
		{"0e5", "0"},
		{"7", "7"},
		{"-7", "-7"},
		{"5.0", "5"},
		{"5.250", "5.25"},
		{"1e3", "1000"},
		{"1E+3", "1000"},
		{"1.5e-3", "0.0015"},
		{"0.1", "0.1"},
		{"0.000001", "0.000001"},
		{"0.0000001", "1e-7"},
		{"0.00000012", "1.2e-7"},
		{"0.1000", "0.1"},

		// Fractions round to the nearest, ties to even, and underflow gives 0.
		{"0.30000000000000001", "0.3"},
		{"0.1000000000000000055511151231257827", "0.1"},
		{"9007199254740993.0", "9007199254740992"},
		{"9007199254740993e0", "9007199254740992"},
		{"9007199254740995.0", "9007199254740996"},
		{"1e-400", "0"},
		{"-1e-400", "0"},
		{"1e-999999999999", "0"},
		{"0e999999999999", "0"},
		{"2e-324", "0"},
		{"3e-324", "5e-324"},
		{"1.7976931348623158e308", "1.7976931348623157e+308"},

		// Integers that binary64 holds, and the texts that it writes them as.
		{"9007199254740991", "9007199254740991"},
		{"9007199254740992", "9007199254740992"},
		{"9007199254740994", "9007199254740994"},
		{"-9007199254740992", "-9007199254740992"},
		{"9007199254740992.0", "9007199254740992"},
		{"123456789012345683968", "123456789012345680000"}, // exact
		{"123456789012345680000", "123456789012345680000"}, // canonical
		{"100000000000000000000", "100000000000000000000"},
		{"1000000000000000000000", "1e+21"}, // exact
		{"-1000000000000000000000", "-1e+21"},
		{"999999999999999868928", "999999999999999900000"}, // exact
		{"999999999999999900000", "999999999999999900000"}, // canonical
		{"1" + strings.Repeat("0", 22), "1e+22"},           // exact, the largest power of ten that is
	}
	for _, tt := range tests {
		accept(t, tt.text, tt.want)
		accept(t, "["+tt.text+" ]", "["+tt.want+"]")
	}
}

func TestNumberRefused(t *testing.T) {
	const (
		tooLarge = "0 $: number too large: at most 1.7976931348623157e+308"
		nearest  = "0 $: integer that binary64 cannot hold: the nearest is "
	)
	tests := []struct{ text, want string }{
		{"1e999", tooLarge},
		{"-1e999", tooLarge},
		{"1e309", tooLarge},
		{"1.7976931348623159e308", tooLarge},
		{"1e99999999999999999999", tooLarge},
		{"1" + strings.Repeat("0", 400), tooLarge},

		{"9007199254740993", nearest + "9007199254740992"},
		{"-9007199254740993", nearest + "-9007199254740992"},
		{"9007199254740995", nearest + "9007199254740996"},
		{"123456789012345678901", nearest + "123456789012345680000"},
		{"123456789012345680001", nearest + "123456789012345680000"},
		{"1000000000000000000001", nearest + "1e+21"},
		{"1" + strings.Repeat("0", 23), nearest + "1e+23"},

		{"01", "1 $: unexpected character '1', expected a number without leading zeros"},
		{"-01", "2 $: unexpected character '1', expected a number without leading zeros"},
		{"00", "1 $: unexpected character '0', expected a number without leading zeros"},
		{"00.5", "1 $: unexpected character '0', expected a number without leading zeros"},
		{"+1", "0 $: unexpected character '+', expected a value"},
		{".5", "0 $: unexpected character '.', expected a value"},
		{"-", "1 $: unexpected end of text, expected a number without leading zeros"},
		{"--1", "1 $: unexpected character '-', expected a number without leading zeros"},
		{"-.5", "1 $: unexpected character '.', expected a number without leading zeros"},
		{"1.", "2 $: unexpected end of text, expected a digit"},
		{"1.e5", "2 $: unexpected character 'e', expected a digit"},
		{"1e", "2 $: unexpected end of text, expected a digit"},
		{"1e+", "3 $: unexpected end of text, expected a digit"},
		{"1e5.5", "3 $: unexpected character '.', expected the end of the document"},
		{"1.2.3", "3 $: unexpected character '.', expected the end of the document"},
		{"0x10", "1 $: unexpected character 'x', expected the end of the document"},
		{"1_000", "1 $: unexpected character '_', expected the end of the document"},
		{"1,5", "1 $: unexpected character ',', expected the end of the document"},
		{"٣", "0 $: unexpected character '٣', expected a value"},
		{"- 1", "1 $: unexpected character ' ', expected a number without leading zeros"},
		{"1 e5", "2 $: unexpected character 'e', expected the end of the document"},
	}
	for _, tt := range tests {
		refuse(t, "number", tt.text, tt.want)
	}
	refuse(t, "in a list", `[1, 1e999, "a", 9007199254740993]`,
		"4 $[1]: number too large: at most 1.7976931348623157e+308",
		"16 $[3]: integer that binary64 cannot hold: the nearest is 9007199254740992")
}

// An integer literal is accepted if and only if it is the exact value of the
// number that it reads as, or that number's canonical text: the rule, computed
// with whole numbers of any size.
func TestIntegersAgreeWithBigArithmetic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(53, 3))
	check := func(literal string) {
		f, err := strconv.ParseFloat(literal, 64)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := jcs.NumberToJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		exact, _ := new(big.Int).SetString(literal, 10)
		held, _ := new(big.Float).SetFloat64(f).Int(nil)
		want := literal == canonical || exact.Cmp(held) == 0
		if got, faults := canonicalOf(literal); (faults == nil) != want || want && got != canonical {
			t.Errorf("%s is read as %s %s; the binary64 number is %s, its text %s", literal, got, faults, held, canonical)
		}
	}
	for digits := 1; digits <= 40; digits++ {
		for range 200 {
			b := []byte{byte('1' + rnd.IntN(9))}
			for len(b) < digits {
				b = append(b, byte('0'+rnd.IntN(10)))
			}
			check(string(b))
			check("-" + string(b))
			for i := min(digits, 17); i < digits; i++ {
				b[i] = '0'
			}
			check(string(b))
			n, _ := new(big.Int).SetString(string(b), 10)
			f, _ := new(big.Float).SetInt(n).Float64()
			held, _ := new(big.Float).SetFloat64(f).Int(nil)
			check(held.String()) // exact
			check(held.Add(held, big.NewInt(1)).String())
		}
	}
}

// Fractions read as strconv reads them and are written canonically.
func TestFractionsAgreeWithStrconv(t *testing.T) {
	rnd := rand.New(rand.NewPCG(754, 4))
	for range 20000 {
		var literal string
		switch rnd.IntN(4) {
		case 0:
			literal = fmt.Sprintf("%d.%0*d", rnd.IntN(3), 1+rnd.IntN(20), rnd.IntN(1e6))
		case 1:
			literal = fmt.Sprintf("-%d.%d", rnd.Uint64()>>rnd.IntN(64), rnd.Uint64()>>rnd.IntN(64))
		case 2:
			literal = fmt.Sprintf("%d.%de%d", rnd.IntN(10), rnd.IntN(1e9), rnd.IntN(640)-330)
		case 3:
			literal = strconv.FormatFloat(math.Float64frombits(rnd.Uint64()&^(1<<62)), 'e', rnd.IntN(20), 64)
		}
		f, err := strconv.ParseFloat(literal, 64)
		got, faults := canonicalOf(literal)
		if err != nil { // above the largest
			if faults == nil {
				t.Errorf("%s is read as %s", literal, got)
			}
			continue
		}
		if want, _ := jcs.NumberToJSON(f); got != want {
			t.Errorf("%s is read as %s %s, want %s", literal, got, faults, want)
		}
	}
}

func TestCount(t *testing.T) {
	const (
		rule   = "must be an integral number from 0 to 9007199254740991"
		orNull = "must be null or an integral number from 0 to 9007199254740991"
	)
	for text, want := range map[string]uint64{
		"0": 0, "-0": 0, "0.0": 0, "5": 5, "5.0": 5, "1e3": 1000, "1E+3": 1000, "12.5e1": 125, "1e-400": 0,
		"9007199254740991":       ijson.MaxCount,
		"9007199254740991.0":     ijson.MaxCount,
		"9.007199254740991e15":   ijson.MaxCount,
		"90071992547409910e-1":   ijson.MaxCount,
		"9007199254740991000e-3": ijson.MaxCount,
	} {
		r := ijson.NewReader(text, testCode)
		if n := r.Count(); n != want || r.End() != nil {
			t.Errorf("%s is the count %d, want %d (%v)", text, n, want, r.End())
		}
		r = ijson.NewReader(text, testCode)
		if n, known := r.CountOrNull(); n != want || !known || r.End() != nil {
			t.Errorf("%s is the count %d, %v, want %d (%v)", text, n, known, want, r.End())
		}
	}
	for text, reason := range map[string]string{
		"-1": "", "0.5": "", "-0.5": "", "1e-3": "", "1.5e0": "", "9007199254740991.5": "",
		"9007199254740992": "", "9007199254740992.0": "", "1e16": "", "1e21": "", "1e300": "",
		`"5"`: "", "true": "", "[]": "", `{"a":1}`: "",
		"1e999":            "number too large: at most 1.7976931348623157e+308",
		"9007199254740993": "integer that binary64 cannot hold: the nearest is 9007199254740992",
	} {
		r := ijson.NewReader(" "+text, testCode)
		r.Count()
		expectFaults(t, text, describe(r.End()), "1 $: "+orElse(reason, rule))
		r = ijson.NewReader(" "+text, testCode)
		if n, known := r.CountOrNull(); n != 0 || known {
			t.Errorf("%s is refused and known to be %d, %v", text, n, known)
		}
		expectFaults(t, text, describe(r.End()), "1 $: "+orElse(reason, orNull))
	}
	r := ijson.NewReader("null", testCode)
	if n, known := r.CountOrNull(); n != 0 || known || r.End() != nil {
		t.Errorf("null is the count %d, %v (%v)", n, known, r.End())
	}
	r = ijson.NewReader("null", testCode)
	r.Count()
	expectFaults(t, "null", describe(r.End()), "0 $: "+rule)
	for _, text := range []string{"01", "00", "-01", "012345678901234567"} {
		r := ijson.NewReader(text, testCode)
		if r.Count(); !errors.Is(r.End().Err(), ijson.ErrNotJSON) {
			t.Errorf("%s is a count: %v", text, r.End())
		}
	}
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}
