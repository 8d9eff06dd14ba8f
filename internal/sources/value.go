package sources

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// Decimal reads a decimal number as tables print it: digits with or without a
// fraction, perhaps a minus sign, no exponent and no leading zeros. The value is
// the nearest binary64 number; nothing is computed.
//
//	Decimal("0.00000008333333333333334") // 8.333333333333334e-8
//	Decimal("73.")                       // not ok
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

// Count reads a number as a count.
func Count(f float64) record.Count {
	if f < 0 || f > ijson.MaxCount || f != math.Trunc(f) {
		return record.Count{}
	}
	return record.Count{N: uint64(f), Known: true}
}

// Object is a JSON object of names and the canonical JSON of their values, in the
// order of the names:
//
//	Object("score", "7.5", "task", `"zebra_puzzle"`) // {"score":7.5,"task":"zebra_puzzle"}
func Object(members ...string) []byte {
	size := len(`{}`)
	for i := 0; i < len(members); i += 2 {
		size += len(members[i]) + len(members[i+1]) + len(`"":,`)
	}
	b := append(make([]byte, 0, size), '{')
	for i := 0; i < len(members); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canonical.AppendString(b, members[i]), ':')
		b = append(b, members[i+1]...)
	}
	return append(b, '}')
}

// Uncertainty is what a record says of how sure it is, one sentence after the
// other.
type Uncertainty record.Uncertainty

// Basisf adds a sentence that says what the record rests on.
func (u *Uncertainty) Basisf(format string, args ...any) {
	u.Basis = append(u.Basis, fmt.Sprintf(format, args...))
}

// Gapf adds a sentence that says what the source does not tell.
func (u *Uncertainty) Gapf(format string, args ...any) {
	u.Gaps = append(u.Gaps, fmt.Sprintf(format, args...))
}
