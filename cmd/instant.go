package cmd

import (
	"errors"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// instant is an option that takes a time: any RFC 3339 instant with at most
// milliseconds, a date, which means its midnight UTC, or now. It yields a
// timestamp as records have them.
type instant struct {
	value *string
	now   func() time.Time
}

func (i *instant) String() string { return *i.value }
func (i *instant) Type() string   { return "time" }

func (i *instant) Set(value string) (err error) {
	if value == "now" {
		*i.value, err = timestamp(i.now())
		return err
	}
	t, err := parseInstant(value)
	if err != nil {
		return err
	}
	*i.value, err = timestamp(t)
	return err
}

// timestamp writes a time as records have it: UTC, with milliseconds.
func timestamp(t time.Time) (string, error) {
	s, ok := catalog.FormatTimestamp(t)
	if !ok {
		return "", errors.New("must be in the years 0000 to 9999 of UTC")
	}
	return s, nil
}

var (
	errNoInstant   = errors.New("must be an RFC 3339 instant like 2026-07-18T06:00:00Z, a date like 2026-07-18, or now")
	errFinerDigits = errors.New("must have at most milliseconds: finer digits would be lost")
)

// parseInstant reads an RFC 3339 instant or a date. The form is looked at before
// the time package reads it, which takes more than RFC 3339 does.
func parseInstant(s string) (time.Time, error) {
	if hasForm(s, "dddd-dd-dd") {
		t, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return t, errNoInstant
		}
		return t, nil
	}
	s = strings.ToUpper(s) // RFC 3339 allows t and z
	const whole = "dddd-dd-ddTdd:dd:dd"
	if len(s) < len(whole) || !hasForm(s[:len(whole)], whole) {
		return time.Time{}, errNoInstant
	}
	zone := s[len(whole):]
	fraction := 0
	if strings.HasPrefix(zone, ".") {
		zone = zone[1:]
		rest := strings.TrimLeft(zone, "0123456789")
		fraction = len(zone) - len(rest)
		zone = rest
	}
	isOffset := hasForm(zone, "+dd:dd") || hasForm(zone, "-dd:dd")
	if zone != "Z" && !(isOffset && zone[1:3] <= "23" && zone[4:6] <= "59") {
		return time.Time{}, errNoInstant
	}
	if fraction > len("mmm") {
		return time.Time{}, errFinerDigits
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, errNoInstant // no such day, hour, minute or second, or a point without digits
	}
	return t, nil
}

// hasForm reports whether s is the form with a digit for each d.
func hasForm(s, form string) bool {
	if len(s) != len(form) {
		return false
	}
	for i := range len(form) {
		isDigit := s[i] >= '0' && s[i] <= '9'
		if form[i] == 'd' && !isDigit || form[i] != 'd' && s[i] != form[i] {
			return false
		}
	}
	return true
}
