package sources

import (
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
)

// Decimal reads a decimal number as tables print it: digits with or without a
// fraction, perhaps a minus sign, no exponent and no leading zeros. The value is
// the nearest binary64 number; nothing is computed.
func Decimal(literal string) (value float64, ok bool) {
	digits := strings.TrimPrefix(literal, "-")
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	if !areDigits(whole) || len(whole) > 1 && whole[0] == '0' || hasFraction && !areDigits(fraction) {
		return 0, false
	}
	value, err := strconv.ParseFloat(literal, 64)
	return value, err == nil && !math.IsInf(value, 0)
}

func areDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Number is a number as the value of a measurement.
func Number(f float64) catalog.Scalar {
	return catalog.Scalar{Kind: '0', Text: string(canonical.AppendNumber(nil, f))}
}

// Text is a string as the value of a measurement.
func Text(s string) catalog.Scalar { return catalog.Scalar{Kind: '"', Text: s} }

// Bool is a boolean as the value of a measurement.
func Bool(b bool) catalog.Scalar {
	if b {
		return catalog.Scalar{Kind: 't'}
	}
	return catalog.Scalar{Kind: 'f'}
}

// Count reads a number as a count.
func Count(f float64) catalog.Count {
	if f < 0 || f > ijson.MaxCount || f != math.Trunc(f) {
		return catalog.Count{}
	}
	return catalog.Count{N: uint64(f), Known: true}
}

// Midnight is the timestamp of the first instant of a date, UTC.
func Midnight(date string) string { return date + "T00:00:00.000Z" }
