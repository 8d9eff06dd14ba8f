package quantity

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// This file reads quantities as people write them, also those that this package writes:
//
//	200000                      200k          1.5M         200,000 tokens
//	$5/M                        5 / m         $5.00 per million tokens
//	90%                         320 ms        $0.40
//	200 k                       1 M           −5

// Amount is a number as somebody wrote it, and the unit that was written with it.
type Amount struct {
	Number float64
	Unit   string // as records have it, such as percent, USD or USD/token; "" if none was written
	digits string // the number, in decimal

	millions string // how many millions, if it was written in millions or per million
}

// What is wrong with a quantity that nobody should have to guess.
var (
	errNumber = errors.New("is not a number, such as 200000, 200k, 90% or 5/M")
	errCommas = errors.New("has a comma or underscore that does not group thousands: write 200,000 or 0.5")
	errLarge  = errors.New("is larger than numbers can be")
	errMilli  = errors.New("ends in m, which could be a million or a thousandth: write M for a million")
)

var (
	amountParts  = regexp.MustCompile(`^(\$?)\s*(-?)\s*(\$?)([0-9][0-9,_]*(?:\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?(.*)$`)
	groupedWhole = regexp.MustCompile(`^(0|[1-9][0-9]{0,2}(,[0-9]{3})+|[1-9][0-9]{0,2}(_[0-9]{3})+|[1-9][0-9]*)$`)
	isPerMillion = regexp.MustCompile(`^(?i:(/|per )\s*(1\s*)?(m|million|mtok|mtokens)(\s*tokens?)?)$`)
	isPerToken   = regexp.MustCompile(`^(?i:(/|per )\s*token)$`)
	isSuffixed   = regexp.MustCompile(`^[kKmM]($|[\s/%])|^\s+[kKmM]($|\s)`)     // 5 m/s is a speed
	isUnit       = regexp.MustCompile(`^\p{L}[\p{L}/]*$|^\s+[^\s0-9.,$%/-].*$`) // with digits only after a space
)

// Read reads a quantity. It refuses what could mean two things. The error says why, as the
// end of a sentence.
func Read(text string) (a Amount, err error) {
	parts := amountParts.FindStringSubmatch(strings.Replace(strings.TrimSpace(text), "−", "-", 1))
	if parts == nil || parts[1] != "" && parts[3] != "" {
		return a, errNumber
	}
	isDollar := parts[1]+parts[3] != ""
	whole, fraction, isFraction := strings.Cut(parts[4], ".")
	if whole == "" {
		whole = "0"
	}
	switch {
	case groupedWhole.MatchString(whole):
	case strings.ContainsAny(whole, ",_"):
		return a, errCommas
	default: // zeros before it
		return a, errNumber
	}
	a.digits = parts[2] + strings.NewReplacer(",", "", "_", "").Replace(whole)
	if isFraction {
		a.digits += "." + fraction
	}
	tail, exponent := parts[6], parts[5]
	mantissa := a.digits
	if isSuffixed.MatchString(tail) && exponent == "" {
		tail = strings.TrimSpace(tail)
		switch tail[0] {
		case 'm':
			return a, errMilli
		case 'M':
			exponent, a.millions = "e6", mantissa
		default:
			exponent = "e3"
		}
		tail = tail[1:]
	}
	rest := strings.TrimSpace(tail)
	switch isScaled := exponent != ""; {
	case rest == "" && isDollar:
		a.Unit = "USD"
	case rest == "":
	case isPerMillion.MatchString(strings.TrimPrefix(rest, "USD")):
		if isScaled {
			return a, errNumber
		}
		a.Unit, exponent, a.millions = perToken, "e-6", mantissa // exact, as dividing a double would not be
	case isPerToken.MatchString(strings.TrimPrefix(rest, "USD")):
		a.Unit = perToken
	case rest == "%" && !isDollar && !isScaled:
		a.Unit = "percent"
	case isDollar || !isUnit.MatchString(tail):
		return a, errNumber
	default:
		a.Unit = rest
	}
	a.digits += exponent
	if a.Number, err = strconv.ParseFloat(a.digits, 64); err != nil {
		return a, errLarge
	}
	return a, nil
}

// Share returns what is a part of one, of a percentage: 0.9 of 90%. A part is read to the
// last bit, as somebody would write it.
func (a Amount) Share() float64 {
	f, err := strconv.ParseFloat(a.digits+"e-2", 64)
	if err != nil { // it has an exponent
		return a.Number / 100
	}
	return f
}
