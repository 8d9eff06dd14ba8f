package catalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
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

func TestIsTimestamp(t *testing.T) {
	for _, s := range timestamps {
		if !catalog.IsTimestamp(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range noTimestamps {
		if catalog.IsTimestamp(s) {
			t.Errorf("%q is accepted", s)
		}
	}
	for i := range timestamps[0] {
		for c := range 256 {
			s := timestamps[0][:i] + string([]byte{byte(c)}) + timestamps[0][i+1:]
			if got, want := catalog.IsTimestamp(s), isInstant(s); got != want {
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
func TestIsTimestampAgreesWithTime(t *testing.T) {
	for _, year := range []int{0, 1, 4, 100, 400, 1582, 1600, 1700, 1900, 1999, 2000, 2024, 2025, 2100, 2400, 9996, 9999} {
		for month := range 20 {
			for day := range 40 {
				s := fmt.Sprintf("%04d-%02d-%02dT12:00:00.000Z", year, month, day)
				if got, want := catalog.IsTimestamp(s), isInstant(s); got != want {
					t.Errorf("%q: %v, want %v", s, got, want)
				}
			}
		}
	}
	for n := range 100 {
		for _, form := range []string{"2026-07-18T%02d:00:00.000Z", "2026-07-18T00:%02d:00.000Z", "2026-07-18T00:00:%02d.000Z", "2026-07-18T00:00:00.%02d9Z"} {
			s := fmt.Sprintf(form, n)
			if got, want := catalog.IsTimestamp(s), isInstant(s); got != want {
				t.Errorf("%q: %v, want %v", s, got, want)
			}
		}
	}
}

// A time is written in UTC and cut to milliseconds, and one of a year that
// timestamps do not have is none.
func TestFormatTimestamp(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-07-17T22:00:00.123Z": time.Date(2026, 7, 18, 0, 0, 0, 123_999_999, east),
		"0000-01-01T00:00:00.000Z": time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		catalog.EndOfTime:          time.Date(10000, 1, 1, 1, 59, 59, 999_999_999, east),
	} {
		if got, ok := catalog.FormatTimestamp(at); got != want || !ok {
			t.Errorf("%v is %s, %v, want %s", at, got, ok, want)
		}
	}
	for _, at := range []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, east)} {
		if got, ok := catalog.FormatTimestamp(at); ok {
			t.Errorf("%v is %s", at, got)
		}
	}
}
