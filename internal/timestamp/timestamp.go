// Package timestamp knows the two notations of time that svc reads.
//
// A timestamp is how records of svc have an instant: YYYY-MM-DDTHH:MM:SS.mmmZ,
// UTC, always with milliseconds. One instant has one text, and texts are in order
// of time when they are in order of bytes, so that records compare them as they
// are. [Valid] and [Format] are about it.
//
// An [Instant] is a date-time of RFC 3339, as people and other producers write it:
// any offset, any number of digits of a second. It keeps all of them, since two
// producers may differ in the tenth. [Parse] reads it:
//
//	i, ok := timestamp.Parse("2026-07-18T02:00:00.25+02:00")
//	i.Time() // 2026-07-18 00:00:00.25 UTC
package timestamp

import (
	"strings"
	"time"
)

// Layout is the form of a timestamp as package time has it.
const Layout = "2006-01-02T15:04:05.000Z"

// End is the last instant that a timestamp can name. What is valid without end is
// valid until then.
const End = "9999-12-31T23:59:59.999Z"

// Rule is what a refusal says that a timestamp must be.
const Rule = "must be a timestamp like 2026-07-18T00:00:00.000Z: UTC, with milliseconds"

// Valid reports whether s has the form YYYY-MM-DDTHH:MM:SS.mmmZ and names a real
// instant: a day of the proleptic Gregorian calendar in the years 0000 to 9999,
// hours 00 to 23, no leap second.
func Valid(s string) bool {
	return hasForm(s, "dddd-dd-ddTdd:dd:dd.dddZ") && validDay(s) && validClock(s) && two(s, 17) <= 59
}

// Format writes an instant as a timestamp, less what is finer than milliseconds.
// It reports false for a year that timestamps do not have.
func Format(t time.Time) (timestamp string, ok bool) {
	timestamp = t.UTC().Format(Layout)
	return timestamp, Valid(timestamp)
}

// AddHours returns the timestamp so many hours after another, at most [End].
func AddHours(timestamp string, hours uint64) string {
	const most = 10_000 * 366 * 24 // beyond any year that there is
	t, err := time.Parse(Layout, timestamp)
	if err != nil || hours > most {
		return End
	}
	if later, ok := Format(t.Add(time.Duration(hours) * time.Hour)); ok {
		return later
	}
	return End
}

// LastDay reads a date, or a month, of which it is the last day:
//
//	2026-07-15    15 July
//	2026-07       31 July
func LastDay(text string) (time.Time, bool) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, true
	}
	t, err := time.Parse("2006-01", text)
	return t.AddDate(0, 1, -1), err == nil
}

// Instant is a point in time to the last digit that was written.
type Instant struct {
	seconds  int64  // since 1970-01-01T00:00:00Z
	fraction string // digits of a second after the point, without zeros at the end
	leap     bool
}

const whole = "dddd-dd-ddTdd:dd:dd"

// Parse reads a date-time of RFC 3339: YYYY-MM-DDThh:mm:ss, perhaps a point and
// one digit or more, then Z or an offset up to 23:59. T and Z may be lower-case;
// years are 0000 to 9999. Second 60 is read where UTC has 23:59:60, on whatever
// day: it is the instant after it.
func Parse(s string) (Instant, bool) {
	const separator = len("YYYY-MM-DD")
	if len(s) > separator && s[separator] == 't' {
		s = s[:separator] + "T" + s[separator+1:]
	}
	if len(s) <= len(whole) || !hasForm(s[:len(whole)], whole) || !validDay(s) || !validClock(s) {
		return Instant{}, false
	}
	fraction, zone, ok := cutFraction(s[len(whole):])
	if !ok {
		return Instant{}, false
	}
	offset, ok := parseZone(zone)
	if !ok {
		return Instant{}, false
	}
	second := two(s, 17)
	day := time.Date(two(s, 0)*100+two(s, 2), time.Month(two(s, 5)), two(s, 8), two(s, 11), two(s, 14), second, 0,
		time.UTC)
	i := Instant{seconds: day.Unix() - offset, fraction: strings.TrimRight(fraction, "0"), leap: second == 60}
	const secondsOfDay = 86_400
	if second > 60 || i.leap && i.seconds%secondsOfDay != 0 {
		return Instant{}, false
	}
	return i, true
}

// FromTime returns the instant of a time.
func FromTime(t time.Time) Instant {
	i, _ := Parse("2000-01-01T00:00:00" + t.UTC().Format(".000000000") + "Z")
	i.seconds = t.Unix()
	return i
}

// Compare returns -1, 0 or +1 as i is before, at or after j.
func (i Instant) Compare(j Instant) int {
	switch {
	case i.seconds < j.seconds:
		return -1
	case i.seconds > j.seconds:
		return +1
	}
	return strings.Compare(i.fraction, j.fraction) // digits of equal weight are aligned
}

// Unix returns the whole seconds since 1970-01-01T00:00:00Z, rounded down, and
// the digits of the fraction that follows, without zeros at the end.
func (i Instant) Unix() (seconds int64, fraction string) { return i.seconds, i.fraction }

// IsLeap reports whether the instant was written as second 60.
func (i Instant) IsLeap() bool { return i.leap }

// Time returns the instant less what is finer than a nanosecond.
func (i Instant) Time() time.Time { return time.Unix(i.seconds, i.cut(9)).UTC() }

// Milliseconds returns the whole milliseconds since 1970-01-01T00:00:00Z, rounded
// down.
func (i Instant) Milliseconds() int64 { return i.seconds*1000 + i.cut(3) }

// String writes the instant in UTC, with all its digits but no fewer than those of a
// timestamp.
func (i Instant) String() string {
	const milliseconds = 3
	digits := i.fraction + strings.Repeat("0", max(0, milliseconds-len(i.fraction)))
	return time.Unix(i.seconds, 0).UTC().Format("2006-01-02T15:04:05.") + digits + "Z"
}

// Truncate returns the instant less what is finer than milliseconds.
func (i Instant) Truncate() Instant {
	const milliseconds = 3
	if len(i.fraction) > milliseconds {
		i.fraction = strings.TrimRight(i.fraction[:milliseconds], "0")
	}
	return i
}

// cut returns the first digits of the fraction as a number.
func (i Instant) cut(digits int) (n int64) {
	for k := range digits {
		n *= 10
		if k < len(i.fraction) {
			n += int64(i.fraction[k] - '0')
		}
	}
	return n
}

// ParseDate reads a date, YYYY-MM-DD, which means its midnight in UTC.
func ParseDate(s string) (Instant, bool) {
	if !hasForm(s, "dddd-dd-dd") {
		return Instant{}, false
	}
	return Parse(s + "T00:00:00Z")
}

// hasForm reports whether s is the form, with a digit for each d.
func hasForm(s, form string) bool {
	if len(s) != len(form) {
		return false
	}
	for i := range len(form) {
		isDigit := s[i]-'0' < 10
		if form[i] == 'd' && !isDigit || form[i] != 'd' && s[i] != form[i] {
			return false
		}
	}
	return true
}

// two returns the number of two digits at i.
func two(s string, i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }

// validDay reports whether the date that s begins with exists.
func validDay(s string) bool {
	year, month, day := two(s, 0)*100+two(s, 2), two(s, 5), two(s, 8)
	return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

func validClock(s string) bool { return two(s, 11) <= 23 && two(s, 14) <= 59 }

func daysOf(year, month int) int {
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

// cutFraction cuts off the fraction of a second that s begins with, if it does.
func cutFraction(s string) (digits, rest string, ok bool) {
	if s[0] != '.' {
		return "", s, true
	}
	rest = strings.TrimLeft(s[1:], "0123456789")
	digits = s[1 : len(s)-len(rest)]
	return digits, rest, digits != ""
}

// parseZone reads Z or an offset from UTC, in seconds.
func parseZone(s string) (offset int64, ok bool) {
	switch {
	case s == "Z" || s == "z":
		return 0, true
	case !hasForm(s, "+dd:dd") && !hasForm(s, "-dd:dd"):
		return 0, false
	}
	hours, minutes := two(s, 1), two(s, 4)
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	offset = int64(hours*60+minutes) * 60
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}
