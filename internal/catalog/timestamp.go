package catalog

import (
	"time"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// EndOfTime is the last instant that a timestamp can name. What is valid
// without end is valid until then.
const EndOfTime = "9999-12-31T23:59:59.999Z"

const timestampRule = "must be a timestamp like 2026-07-18T00:00:00.000Z: UTC, with milliseconds"

// ReadTimestamp reads a timestamp.
func ReadTimestamp(r *ijson.Reader) string {
	s, at, ok := r.StringOr(timestampRule)
	if !ok {
		return ""
	}
	if !IsTimestamp(s) {
		r.Fail(at, "", timestampRule)
		return ""
	}
	return s
}

// IsTimestamp reports whether s has the form YYYY-MM-DDTHH:MM:SS.mmmZ and names
// a real instant: a day of the proleptic Gregorian calendar in the years 0000 to
// 9999, hours 00 to 23, no leap second. As the form is of fixed width, timestamps
// are in order of time when they are in order of text.
func IsTimestamp(s string) bool {
	const form = "dddd-dd-ddTdd:dd:dd.dddZ"
	if len(s) != len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == 'd' {
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		} else if s[i] != form[i] {
			return false
		}
	}
	two := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) &&
		two(11) <= 23 && two(14) <= 59 && two(17) <= 59
}

// TimestampLayout is the form of a timestamp as package time has it.
const TimestampLayout = "2006-01-02T15:04:05.000Z"

// FormatTimestamp writes an instant as a timestamp, less what is finer than
// milliseconds. It reports false for a year that timestamps do not have.
func FormatTimestamp(t time.Time) (timestamp string, ok bool) {
	timestamp = t.UTC().Format(TimestampLayout)
	return timestamp, IsTimestamp(timestamp)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
