package offer

import (
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// Decimal is a number as it is printed: a sign and decimal digits, of which none
// is lost however many there are. Prices stay decimals until their unit is
// settled, and become binary once:
//
//	d, _ := ParseDecimal("0.8") // USD per million tokens
//	d.Shift(-6).Float()         // 8e-07, the double nearest to 0.0000008
//
// Dividing the double 0.8 by a million gives 8.000000000000001e-07, another one.
type Decimal struct {
	negative bool
	digits   string // neither begins nor ends with 0; "" is zero
	exponent int64  // the value is 0.digits times ten to the power of it
}

// ParseDecimal reads a number as JSON writes it (RFC 8259 section 6): perhaps a
// minus sign, digits without leading zeros, perhaps a fraction and an exponent.
func ParseDecimal(literal string) (d Decimal, ok bool) {
	s, negative := strings.CutPrefix(literal, "-")
	whole, s := cutDigits(s)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return Decimal{}, false
	}
	fraction := ""
	if rest, has := strings.CutPrefix(s, "."); has {
		if fraction, s = cutDigits(rest); fraction == "" {
			return Decimal{}, false
		}
	}
	exponent := int64(0)
	if s != "" {
		if exponent, ok = parseExponent(s); !ok {
			return Decimal{}, false
		}
	}
	digits := whole
	if fraction != "" {
		digits += fraction
	}
	significant := strings.TrimLeft(digits, "0")
	d = Decimal{
		negative: negative,
		digits:   strings.TrimRight(significant, "0"),
		exponent: exponent + int64(len(whole)-(len(digits)-len(significant))),
	}
	if d.digits == "" {
		d = Decimal{} // there is one zero
	}
	return d, true
}

// parseExponent reads e or E, perhaps a sign, and digits.
func parseExponent(s string) (n int64, ok bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	digits, rest := cutDigits(s)
	if digits == "" || rest != "" {
		return 0, false
	}
	const most = 1 << 40 // far beyond what the digits of a text can make up for
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > most { // digits alone fail by being too many
		n = most
	}
	if negative {
		n = -n
	}
	return n, true
}

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i]-'0' < 10 {
		i++
	}
	return s[:i], s[i:]
}

// Shift returns the number times ten to the power of n.
func (d Decimal) Shift(n int) Decimal {
	if d.digits != "" {
		d.exponent += int64(n)
	}
	return d
}

// IsNegative reports whether the number is below 0.
func (d Decimal) IsNegative() bool { return d.negative }

// Float returns the nearest double, ties to even: infinite where the number is
// beyond all doubles, 0 where it is nearer to that than to the smallest one.
func (d Decimal) Float() float64 {
	// Doubles reach from 4.9e-324 to 1.8e308.
	const beyond, below = 310, -330
	f := 0.0
	switch {
	case d.digits == "" || d.exponent < below:
	case d.exponent > beyond:
		f = math.Inf(1)
	default:
		f, _ = strconv.ParseFloat("0."+d.digits+"e"+strconv.FormatInt(d.exponent, 10), 64) // an error comes with infinity
	}
	if d.negative {
		return -f
	}
	return f
}

// Count returns the number as a count, if it is a whole one from 0 to 2^53-1:
// 128000, 128000.0 and 1.28e5 are one count.
func (d Decimal) Count() (n uint64, ok bool) {
	const digits = 16 // of the largest count
	switch {
	case d.digits == "":
		return 0, true
	case d.negative || d.exponent > digits || d.exponent < int64(len(d.digits)):
		return 0, false
	}
	n, _ = strconv.ParseUint(d.digits+strings.Repeat("0", int(d.exponent)-len(d.digits)), 10, 64)
	return n, n <= ijson.MaxCount
}
