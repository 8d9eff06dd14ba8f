// Package quantity writes numbers and their units as people read them, and reads them as
// people write them. Whatever svc prints, and the page of svc explore, whose text.js has the
// same rules, write a number alike. JSON has the number itself.
//
//	200000 tokens                  200,000 tokens
//	0.6666666666666666             0.6667
//	12345.678 ms                   12,346 ms
//	61.5 percent                   61.5%
//	3 USD                          $3.00
//	0.0000019 USD/token            $1.90 per million tokens
//	0.0000012345678 USD/token      $1.2345678 per million tokens
//
// Integers are whole, other numbers have four significant digits. What is rounded is the
// shortest decimal text of a number, which is what its author wrote, and halves go up. A
// price of tokens keeps all its digits: nothing but its decimal point moves.
package quantity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Digits is how many significant digits a number has that is no integer.
const Digits = 4

// perToken is the unit of prices that are shown for a million tokens, and million is by
// how many places their point moves.
const (
	perToken = "USD/token"
	million  = 6
)

// Number returns a number without a unit.
func Number(f float64) string { return Rounded(f, Digits) }

// Rounded is Number with so many digits, where there is little room.
func Rounded(f float64, digits int) string {
	const smallest, largest = 1e-6, 1e15
	d := newDecimal(f)
	if size := math.Abs(f); size != 0 && size < smallest || size >= largest {
		return sign(f) + d.round(digits).scientific()
	}
	return sign(f) + d.round(max(digits, d.point)).grouped(0)
}

// Signed is Number with a sign before a gain, too.
func Signed(f float64) string {
	if f < 0 {
		return Number(f)
	}
	return "+" + Number(f)
}

// Text returns a number, and the name of its unit, which is empty if the number has its
// sign. So a table can have both in columns of their own.
func Text(f float64, unit string) (text, name string) { return write(f, unit, Digits) }

// Phrase returns a number with its unit.
func Phrase(f float64, unit string) string { return RoundedPhrase(f, unit, Digits) }

// RoundedPhrase is Phrase with so many digits, where there is little room.
func RoundedPhrase(f float64, unit string, digits int) string {
	text, name := write(f, unit, digits)
	return strings.TrimSpace(text + " " + name)
}

func write(f float64, unit string, digits int) (text, name string) {
	const cents = 2
	d := newDecimal(f)
	switch unit {
	case perToken:
		if d = d.shift(million); digits != Digits {
			d = d.round(max(digits, d.point))
		}
		return sign(f) + "$" + d.grouped(cents), "per million tokens"
	case "USD":
		return sign(f) + "$" + d.round(max(digits, d.point+cents)).grouped(cents), ""
	case "percent":
		return Rounded(f, digits) + "%", ""
	}
	return Rounded(f, digits), unit
}

// Change returns a change by a factor: +150%, −75%, +0.4%.
func Change(ratio float64) string {
	const percent, digits = 100, 2
	text := Rounded((ratio-1)*percent, digits) + "%"
	if ratio < 1 {
		return text
	}
	return "+" + text
}

// Count returns a number of things. The noun is a singular that takes an s.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Number(float64(n)) + " " + noun
}

// Bytes writes a number of bytes, at least in kilobytes.
func Bytes(n int64) string {
	const kilo = 1000
	if n >= kilo*kilo {
		return fmt.Sprintf("%.1f MB", float64(n)/(kilo*kilo))
	}
	return fmt.Sprintf("%d kB", (n+kilo-1)/kilo)
}

// PerMillion returns a price per token, as records write it, as one per million tokens,
// for records of others. The decimal point moves, and nothing is rounded:
//
//	6e-7         0.6
//	0.00000125   1.25
func PerMillion(perToken string) string {
	return readDecimal(perToken).shift(million).plain(0)
}

// decimal is the number 0.digits times ten to the point. Its digits end without a zero;
// 0 has none.
type decimal struct {
	digits string
	point  int
}

// newDecimal returns the shortest decimal that is read as the size of f.
func newDecimal(f float64) decimal { return readDecimal(strconv.FormatFloat(math.Abs(f), 'e', -1, 64)) }

// readDecimal reads a number without a sign.
func readDecimal(text string) decimal {
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point, _ := strconv.Atoi(exponent) // 0 without one
	digits := strings.TrimLeft(whole+fraction, "0")
	point += len(whole) - (len(whole+fraction) - len(digits))
	if digits = strings.TrimRight(digits, "0"); digits == "" {
		return decimal{}
	}
	return decimal{digits, point}
}

// shift moves the point to the right.
func (d decimal) shift(places int) decimal {
	if d.digits != "" {
		d.point += places
	}
	return d
}

// round leaves so many significant digits.
func (d decimal) round(n int) decimal {
	if len(d.digits) <= n {
		return d
	}
	digits := []byte(d.digits[:n])
	if d.digits[n] >= '5' {
		for n--; n >= 0 && digits[n] == '9'; n-- {
		}
		if n < 0 {
			return decimal{"1", d.point + 1}
		}
		digits[n]++
		return decimal{string(digits[:n+1]), d.point}
	}
	return decimal{strings.TrimRight(string(digits), "0"), d.point}
}

// plain writes a number without an exponent, with so many decimals at least.
func (d decimal) plain(decimals int) string {
	digits := strings.Repeat("0", max(0, 1-d.point)) + d.digits
	point := max(1, d.point)
	digits += strings.Repeat("0", max(0, point+decimals-len(digits)))
	if len(digits) == point {
		return digits
	}
	return digits[:point] + "." + digits[point:]
}

// grouped is plain with commas between thousands.
func (d decimal) grouped(decimals int) string {
	const group = 3
	text := d.plain(decimals)
	for i := max(1, d.point) - group; i > 0; i -= group {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// scientific writes a number with an exponent, as ECMAScript does.
func (d decimal) scientific() string {
	fraction := d.digits[1:]
	if fraction != "" {
		fraction = "." + fraction
	}
	exponent := strconv.Itoa(d.point - 1)
	if d.point > 0 {
		exponent = "+" + exponent
	}
	return d.digits[:1] + fraction + "e" + exponent
}

func sign(f float64) string {
	if f < 0 {
		return "−"
	}
	return ""
}
