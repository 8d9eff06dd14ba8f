package timestamp_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
)

var timestamps = []string{
	"2026-07-18T00:00:00.000Z",
	"2026-12-31T23:59:59.999Z",
	"0000-01-01T00:00:00.000Z", // years 0000 to 9999
	"9999-12-31T23:59:59.999Z",
	"1970-01-01T00:00:00.000Z",
	"0000-02-29T00:00:00.000Z", // a leap year
	"2000-02-29T00:00:00.000Z",
	"2024-02-29T00:00:00.000Z",
	"2026-04-30T00:00:00.000Z",
}

var noTimestamps = []string{
	"", "now", "0", "1784332800000",
	// Another form.
	"2026-07-18", "2026-07-18T00:00", "2026-07-18T00:00:00", "2026-07-18T00:00:00.000",
	"2026-07-18T00:00:00Z", "2026-07-18T00:00:00.00Z", "2026-07-18T00:00:00.0000Z", "2026-07-18T00:00:00.000000Z",
	"2026-07-18T00:00:00.000z", "2026-07-18t00:00:00.000Z", "2026-07-18 00:00:00.000Z", "2026-07-18T00:00:00,000Z",
	"2026-07-18T00:00:00.000+00:00", "2026-07-18T00:00:00.000+0000", "2026-07-18T02:00:00.000+02:00", "2026-07-18T00:00:00.000-0",
	"20260718T000000.000Z", "2026-7-18T00:00:00.000Z", "2026-07-18T0:00:00.0000Z", "2026/07/18T00:00:00.000Z", "2026-07-18T00-00-00.000Z",
	" 2026-07-18T00:00:00.000Z", "2026-07-18T00:00:00.000Z ", "2026-07-18T00:00:00.000ZZ",
	"+2026-07-18T00:00:00.000Z", "-0001-07-18T00:00:00.000Z", "12026-07-18T00:00:00.000Z", "+002026-07-18T00:00:00.000Z", "26-07-18T00:00:00.000000Z",
	"２026-07-18T00:00:00.0Z", "2026-07-18T00:00:00.00aZ", "2026-W29-6T00:00:00.000Z", "2026-199T00:00:00.000Z",
	// No real instant.
	"2026-00-18T00:00:00.000Z", "2026-13-18T00:00:00.000Z", "2026-07-00T00:00:00.000Z", "2026-07-32T00:00:00.000Z",
	"2026-02-29T00:00:00.000Z", "2026-02-30T00:00:00.000Z", "2024-02-30T00:00:00.000Z", "2026-04-31T00:00:00.000Z", "2026-06-31T00:00:00.000Z", "2026-09-31T00:00:00.000Z", "2026-11-31T00:00:00.000Z",
	"1900-02-29T00:00:00.000Z", "2100-02-29T00:00:00.000Z", // no leap years
	"2026-07-18T24:00:00.000Z", "2026-07-18T25:00:00.000Z", "2026-07-18T00:60:00.000Z",
	"2026-07-18T00:00:60.000Z", "2016-12-31T23:59:60.000Z", // no leap second
}

func TestValid(t *testing.T) {
	for _, s := range timestamps {
		if !timestamp.Valid(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range noTimestamps {
		if timestamp.Valid(s) {
			t.Errorf("%q is accepted", s)
		}
	}
	for i := range timestamps[0] {
		for c := range 256 {
			s := timestamps[0][:i] + string([]byte{byte(c)}) + timestamps[0][i+1:]
			if got, want := timestamp.Valid(s), isInstant(s); got != want {
				t.Errorf("%q: %v, want %v", s, got, want)
			}
		}
	}
}

// isInstant asks package time, which knows the same calendar: what it reads and
// writes again alike is a real instant.
func isInstant(s string) bool {
	const form = "2006-01-02T15:04:05.000Z"
	instant, err := time.Parse(form, s)
	return err == nil && instant.Format(form) == s
}

// Every day of some years, and every number of two digits as any part of a time.
func TestValidAgreesWithTime(t *testing.T) {
	for _, year := range []int{0, 1, 4, 100, 400, 1582, 1600, 1700, 1900, 1999, 2000, 2024, 2025, 2100, 2400, 9996, 9999} {
		for month := range 20 {
			for day := range 40 {
				s := fmt.Sprintf("%04d-%02d-%02dT12:00:00.000Z", year, month, day)
				if got, want := timestamp.Valid(s), isInstant(s); got != want {
					t.Errorf("%q: %v, want %v", s, got, want)
				}
			}
		}
	}
	for n := range 100 {
		for _, form := range []string{"2026-07-18T%02d:00:00.000Z", "2026-07-18T00:%02d:00.000Z", "2026-07-18T00:00:%02d.000Z", "2026-07-18T00:00:00.%02d9Z"} {
			s := fmt.Sprintf(form, n)
			if got, want := timestamp.Valid(s), isInstant(s); got != want {
				t.Errorf("%q: %v, want %v", s, got, want)
			}
		}
	}
}

// A time is written in UTC and cut to milliseconds, and one of a year that
// timestamps do not have is none.
func TestFormat(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-07-17T22:00:00.123Z": time.Date(2026, 7, 18, 0, 0, 0, 123_999_999, east),
		"0000-01-01T00:00:00.000Z": time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		timestamp.End:              time.Date(10000, 1, 1, 1, 59, 59, 999_999_999, east),
	} {
		if got, ok := timestamp.Format(at); got != want || !ok {
			t.Errorf("%v is %s, %v, want %s", at, got, ok, want)
		}
	}
	for _, at := range []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, east)} {
		if got, ok := timestamp.Format(at); ok {
			t.Errorf("%v is %s", at, got)
		}
	}
}

// Date-times of RFC 3339, and what they are in UTC. Some other texts are none.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"2026-07-18T06:00:00Z":              "2026-07-18T06:00:00Z",
		"2026-07-18t06:00:00z":              "2026-07-18T06:00:00Z",
		"2026-07-18T06:00:00+02:00":         "2026-07-18T04:00:00Z",
		"2026-07-18T06:00:00-23:59":         "2026-07-19T05:59:00Z",
		"2026-07-18T06:00:00-00:00":         "2026-07-18T06:00:00Z",
		"2026-07-18T06:00:00.5Z":            "2026-07-18T06:00:00.5Z",
		"2026-07-18T06:00:00.123456789123Z": "2026-07-18T06:00:00.123456789Z",
		"1969-12-31T23:59:59.9996Z":         "1969-12-31T23:59:59.9996Z",
		"0000-02-29T00:00:00Z":              "0000-02-29T00:00:00Z",
		"1500-02-28T00:00:00Z":              "1500-02-28T00:00:00Z",
		"2024-02-29T00:00:00Z":              "2024-02-29T00:00:00Z",
		"2016-12-31T23:59:60Z":              "2017-01-01T00:00:00Z",
		"2017-01-01T00:59:60+01:00":         "2017-01-01T00:00:00Z",
		"1963-05-05T23:59:60.25Z":           "1963-05-06T00:00:00.25Z",
	} {
		i, ok := timestamp.Parse(text)
		if got := i.Time().Format(time.RFC3339Nano); !ok || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, ok, want)
		}
		if isLeap := strings.Contains(text, ":60"); i.IsLeap() != isLeap {
			t.Errorf("%q: leap %v", text, i.IsLeap())
		}
	}
	for _, text := range []string{
		"2025-02-29T00:00:00Z", "1500-02-29T00:00:00Z", "2026-06-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
		"2026-07-18T24:00:00Z", "2026-07-18T06:60:00Z", "2026-07-18T06:00:60Z", "2026-07-18T23:59:61Z", "2016-12-31T23:59:60+01:00",
		"2026-07-18T06:00:00", "2026-07-18T06:00Z", "2026-07-18 06:00:00Z", "2026-07-18", "2026-07-18T06:00:00.Z", "2026-07-18T06:00:00,5Z",
		"2026-07-18T06:00:00+0200", "2026-07-18T06:00:00+24:00", "2026-07-18T06:00:00+02:60", "2026-07-18T06:00:00ZZ", " 2026-07-18T06:00:00Z",
		"2026-07-18T06:00:00Z\n", "+2026-07-18T06:00:00Z", "２026-07-18T06:00:00Z", "2026-07-18T06:00:00.٣Z", "not a time", "",
	} {
		if i, ok := timestamp.Parse(text); ok {
			t.Errorf("%q is %v", text, i.Time())
		}
	}
}

// Instants compare by all their digits.
func TestCompare(t *testing.T) {
	ordered := []string{
		"0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00Z", "1969-12-31T23:59:59.9Z", "1970-01-01T00:00:00Z",
		"1970-01-01T00:00:00.00009Z", "1970-01-01T00:00:00.0001Z", "1970-01-01T00:00:00.000100000000000000000001Z",
		"1970-01-01T00:00:00.5Z", "1970-01-01T00:00:00.51Z", "1970-01-01T00:00:01Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-23:59",
	}
	for a, x := range ordered {
		for b, y := range ordered {
			i, iOK := timestamp.Parse(x)
			j, jOK := timestamp.Parse(y)
			if got, want := i.Compare(j), cmp.Compare(a, b); got != want || !iOK || !jOK {
				t.Errorf("%s against %s: %d, want %d", x, y, got, want)
			}
		}
	}
	a, _ := timestamp.Parse("2026-07-18T00:00:00.500000Z")
	b, _ := timestamp.Parse("2026-07-18T02:00:00.5+02:00")
	if a.Compare(b) != 0 || a != b {
		t.Errorf("%v is not %v", a, b)
	}
}

// Milliseconds are rounded down, before 1970 too.
func TestMilliseconds(t *testing.T) {
	for text, want := range map[string]int64{
		"1970-01-01T00:00:00Z":          0,
		"1969-12-31T23:59:59.9996Z":     -1,
		"1970-01-01T00:00:00.0009999Z":  0,
		"1970-01-01T00:00:01.002Z":      1002,
		"2026-07-18T00:00:00.12345678Z": time.Date(2026, 7, 18, 0, 0, 0, 123_000_000, time.UTC).UnixMilli(),
	} {
		if i, ok := timestamp.Parse(text); !ok || i.Milliseconds() != want {
			t.Errorf("%s: %d, %v, want %d", text, i.Milliseconds(), ok, want)
		}
	}
}

func TestFromTime(t *testing.T) {
	for _, want := range []time.Time{time.Unix(0, 0), time.Unix(-1, 999_000_001), time.Date(12000, 1, 1, 0, 0, 0, 5, time.UTC), time.Date(-3, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if got := timestamp.FromTime(want).Time(); !got.Equal(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestParseDate(t *testing.T) {
	if i, ok := timestamp.ParseDate("2024-02-29"); !ok || i.Time() != time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC) {
		t.Errorf("%v, %v", i.Time(), ok)
	}
	for _, text := range []string{"2023-02-29", "2024-2-29", "2024-02-29 ", "2024-02-29T00:00:00Z", ""} {
		if i, ok := timestamp.ParseDate(text); ok {
			t.Errorf("%q is %v", text, i.Time())
		}
	}
}

// What Parse takes, package time takes as the same instant; leap seconds, offsets
// and digits beyond the ninth apart, which it does not have.
func FuzzParse(f *testing.F) {
	for _, s := range append(timestamps, noTimestamps...) {
		f.Add(s)
	}
	f.Add("2016-12-31T23:59:60.25+00:00")
	f.Fuzz(func(t *testing.T, s string) {
		i, ok := timestamp.Parse(s)
		theirs, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
		switch {
		case ok && !i.IsLeap() && (err != nil || !theirs.Equal(i.Time())):
			t.Errorf("%q: %v, package time %v, %v", s, i.Time(), theirs, err)
		case ok && timestamp.FromTime(i.Time()).Time() != i.Time():
			t.Errorf("%q: %v comes back as another", s, i.Time())
		case !ok && timestamp.Valid(s):
			t.Errorf("%q is a timestamp, and no instant", s)
		}
	})
}
