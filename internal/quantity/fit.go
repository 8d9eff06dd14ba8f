package quantity

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file says what an amount means for a key whose values have a unit:
//
//	price.output=5/M          0.000005, if the unit is USD/token
//	coding.score=90%          90 if the unit is percent; 0.9 of values from 0 to 1
//	price.output=5            refused: 5 dollars for a token, or for a million?
//	limits.context=5 ms       refused: the unit is tokens
//
// What could mean something else in the unit of the key is refused, with what to write.

// DearestToken is the most dollars that a token may cost. What is above it is meant for a
// million tokens.
const DearestToken = 0.001

// Values are what is known of the values of a key, to which an amount has to fit.
type Values struct {
	Key          string
	Unit         string // "" for none
	Low, High    float64
	HasFractions bool // between 0 and 1
	AreShares    bool // of a whole, such as how many of all trials were solved
}

// Fit returns the number of an amount in the unit of the values. The error says what to write.
func (v *Values) Fit(a Amount) (float64, error) {
	isPrice := v.Unit == perToken
	switch isShare := v.AreShares || v.Low >= 0 && v.High <= 1; {
	case a.Number < 0 && v.Low >= 0 && (v.Unit == "tokens" || strings.HasPrefix(v.Unit, "USD/")):
		return 0, fmt.Errorf("%s is in %s, and cannot be below 0", v.Key, v.Unit)
	case isPrice && (a.Unit == "" || a.Unit == "USD") && a.Number > DearestToken:
		return 0, fmt.Errorf("%s is in USD/token: write %s/M for %[2]s dollars per million tokens", v.Key,
			cmp.Or(a.millions, a.plain(0)))
	case a.Unit == "" && v.Unit == "percent" && a.Number > 0 && a.Number < 1 && !v.HasFractions:
		const percent = 2
		return 0, fmt.Errorf("%s is in percent, from %s to %s: write %s%% or %s%%", v.Key, Number(v.Low), Number(v.High),
			a.plain(percent), a.plain(0))
	case a.Unit == "", a.Unit == v.Unit, a.Unit == "USD" && strings.HasPrefix(v.Unit, "USD/"):
		return a.Number, nil
	case a.Unit == "percent" && v.Unit == "" && isShare:
		return a.Share(), nil
	case a.Unit == perToken && v.Unit != "" && a.millions != "":
		return 0, fmt.Errorf("%s is in %s, not in dollars per million tokens, which /M means: write %sM for %[3]s million",
			v.Key, v.Unit, a.millions)
	case v.Unit == "":
		return 0, fmt.Errorf("the values of %s have no unit: write the number alone, without %s", v.Key,
			strings.Replace(a.Unit, "percent", "%", 1))
	}
	return 0, fmt.Errorf("%s is in %s, not in %s: write %s", v.Key, v.Unit, a.Unit, v.example())
}

// example is how a number in the unit of the values is written.
func (v *Values) example() string {
	switch v.Unit {
	case perToken:
		return "5/M for 5 dollars per million tokens"
	case "percent":
		return "90%"
	}
	return "a number alone, or one in " + v.Unit
}

// plain writes an amount as it was read, without grouping or an exponent, with its point so
// many places further on the right. Where that is too long to be read, it has an exponent.
func (a Amount) plain(places int) string {
	const longest = 60
	digits := strings.ToLower(a.digits)
	if digits == "" {
		digits = strconv.FormatFloat(a.Number, 'e', -1, 64)
	}
	size, isNegative := strings.CutPrefix(digits, "-")
	d := readDecimal(size).shift(places)
	if math.Abs(float64(d.point)) > longest || len(d.digits) > longest {
		return strconv.FormatFloat(a.Number*math.Pow10(places), 'e', -1, 64)
	}
	if isNegative {
		return "-" + d.plain(0)
	}
	return d.plain(0)
}
