package status

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
)

// rational is a time in seconds since 1970, by arbitrary precision, read by package
// time but for the fraction.
func rational(text string) *big.Rat {
	whole, fraction := text, "0"
	if at := strings.IndexByte(text, '.'); at >= 0 {
		rest := strings.TrimLeft(text[at+1:], "0123456789")
		whole, fraction = text[:at]+rest, text[at+1:len(text)-len(rest)]
	}
	leap := strings.Contains(whole, ":60")
	t, err := time.Parse(time.RFC3339, strings.Replace(strings.ToUpper(whole), ":60", ":59", 1))
	if err != nil {
		return nil
	}
	seconds := big.NewRat(t.Unix(), 1)
	if leap {
		seconds.Add(seconds, big.NewRat(1, 1))
	}
	part, _ := new(big.Rat).SetString("0." + fraction)
	return seconds.Add(seconds, part)
}

// FuzzLifetime holds the lifetimes and the order of times of version 4 against
// arbitrary precision.
func FuzzLifetime(f *testing.F) {
	f.Add("2026-01-01T00:00:00Z", "2026-01-01T16:48:00Z", 0.7)
	f.Add("2026-01-01T00:00:00Z", "2026-01-01T16:48:00.00000000000000000000001Z", 0.7)
	f.Add("2026-01-01T00:00:00.9Z", "2026-01-01T00:00:01.00000000001Z", 0.1)
	f.Add("1969-12-31T23:59:59.99999Z", "1970-01-01T00:00:00.1Z", 5e-324)
	f.Add("0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999-23:59", 1e300)
	f.Add("2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.5Z", 0.0)
	f.Add("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.2345678901234567Z", 1.2345678901234567)
	f.Add("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", math.Copysign(0, -1))
	f.Add("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.1Z", 1.1574074074074074e-06)
	f.Fuzz(func(t *testing.T, from, to string, factor float64) {
		since, fromReadable := timestamp.Parse(from)
		now, toReadable := timestamp.Parse(to)
		if !fromReadable || !toReadable || math.IsNaN(factor) || math.IsInf(factor, 0) || factor < 0 {
			t.Skip()
		}
		start, end := rational(from), rational(to)
		if start == nil || end == nil {
			t.Skip() // package time reads fewer
		}
		if got, want := since.Compare(now), start.Cmp(end); got != want {
			t.Errorf("%s against %s: %d, want %d", from, to, got, want)
		}
		for _, u := range []unit{second, day} {
			length, _ := new(big.Rat).SetString(strconv.FormatFloat(factor, 'g', -1, 64))
			length.Mul(length, big.NewRat(int64(u), 1))
			over := end.Cmp(new(big.Rat).Add(start, length)) > 0
			if got := (exact{}).isOver(now, since, factor, u); got != over {
				t.Errorf("%s, %v times %d s from %s: over %v, want %v", to, factor, u, from, got, over)
			}
			// Half of the instants that are tried are the very end of a lifetime.
			if last := new(big.Rat).Add(start, length); length.Cmp(big.NewRat(1e9, 1)) < 0 && factor > 1e-30 {
				text, before := instantText(last)
				if at, readable := timestamp.Parse(text); readable && (exact{}).isOver(at, since, factor, u) {
					t.Errorf("%v times %d s from %s are over at %s", factor, u, from, text)
				}
				after, _ := timestamp.Parse(before + "1Z")
				if later, readable := timestamp.Parse(before + "1Z"); readable && !(exact{}).isOver(after, since, factor, u) {
					t.Errorf("%v times %d s from %s are not over at %v", factor, u, from, later)
				}
			}
		}
	})
}

// instantText writes a time, and what it is without its zone, with all digits.
func instantText(seconds *big.Rat) (text, open string) {
	whole := new(big.Int).Div(seconds.Num(), seconds.Denom()) // rounded down
	fraction := new(big.Rat).Sub(seconds, new(big.Rat).SetInt(whole))
	digits := strings.TrimPrefix(fraction.FloatString(400), "0")
	open = time.Unix(whole.Int64(), 0).UTC().Format("2006-01-02T15:04:05") + digits
	return open + "Z", open
}
