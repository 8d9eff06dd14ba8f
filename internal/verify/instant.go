package verify

import "time"

// parseInstant reads an RFC 3339 date-time of any offset and precision. Letters
// may be lower-case; a leap second, which only the last second of a UTC day can
// be, is the instant after it.
func parseInstant(s string) (t time.Time, ok bool) {
	const form = "dddd-dd-ddTdd:dd:dd"
	if len(s) < len(form)+len("Z") {
		return t, false
	}
	for i := range len(form) {
		switch c := s[i]; {
		case form[i] == 'd' && (c < '0' || c > '9'):
			return t, false
		case form[i] == 'T' && c != 'T' && c != 't':
			return t, false
		case form[i] != 'd' && form[i] != 'T' && c != form[i]:
			return t, false
		}
	}
	nanos, zone, ok := parseFraction(s[len(form):])
	if !ok {
		return t, false
	}
	offset, ok := parseZone(zone)
	if !ok {
		return t, false
	}
	at := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	year, month, day, hour, minute, second := at(0)*100+at(2), at(5), at(8), at(11), at(14), at(17)
	leap := second == 60
	if leap {
		second = 59
	}
	if hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Year() != year || int(t.Month()) != month || t.Day() != day {
		return t, false // no such day
	}
	t = t.Add(-offset)
	if leap {
		if t.Hour() != 23 || t.Minute() != 59 {
			return t, false
		}
		t = t.Add(time.Second)
	}
	return t.Add(nanos), true
}

// parseFraction reads the fraction of a second that s begins with, if it does.
// Digits behind the ninth are dropped.
func parseFraction(s string) (nanos time.Duration, rest string, ok bool) {
	if s[0] != '.' {
		return 0, s, true
	}
	i, unit := 1, 100*time.Millisecond
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		nanos += time.Duration(s[i]-'0') * unit
		unit /= 10
	}
	return nanos, s[i:], i > 1
}

// parseZone reads Z or an offset from UTC.
func parseZone(s string) (offset time.Duration, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+hh:mm") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	hours, minutes := time.Duration(s[1]-'0')*10+time.Duration(s[2]-'0'), time.Duration(s[4]-'0')*10+time.Duration(s[5]-'0')
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	offset = hours*time.Hour + minutes*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// milliseconds returns how many milliseconds lie between the epoch and t. Sums
// are made of floating numbers, which cannot overflow: a lifetime may be as
// long as a number can say.
func milliseconds(t time.Time) float64 {
	const nanosPerMilli = 1e6
	return float64(t.UnixMilli()) + float64(t.Nanosecond()%nanosPerMilli)/nanosPerMilli
}

// instantLayout is how this package writes a time: UTC, with milliseconds.
const instantLayout = "2006-01-02T15:04:05.000Z"
