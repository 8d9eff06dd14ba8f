package cmd

import (
	"errors"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
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
		*i.value, err = formatInstant(i.now())
		return err
	}
	t, err := parseInstant(value)
	if err != nil {
		return err
	}
	*i.value, err = formatInstant(t)
	return err
}

// formatInstant writes a time as records have it: UTC, with milliseconds.
func formatInstant(t time.Time) (string, error) {
	s, ok := timestamp.Format(t)
	if !ok {
		return "", errors.New("must be in the years 0000 to 9999 of UTC")
	}
	return s, nil
}

var (
	errNoInstant   = errors.New("must be an RFC 3339 instant like 2026-07-18T06:00:00Z, a date like 2026-07-18, or now")
	errFinerDigits = errors.New("must have at most milliseconds: finer digits would be lost")
)

// parseInstant reads an RFC 3339 instant of at most milliseconds, or a date.
func parseInstant(s string) (time.Time, error) {
	i, ok := timestamp.ParseDate(s)
	if !ok {
		i, ok = timestamp.Parse(s)
	}
	if !ok || i.IsLeap() {
		return time.Time{}, errNoInstant
	}
	_, fraction, _ := strings.Cut(s, ".")
	if digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789")); digits > len("mmm") {
		return time.Time{}, errFinerDigits
	}
	return i.Time(), nil
}
