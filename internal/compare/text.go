package compare

import (
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// perToken is the unit of prices that are shown for a million tokens.
const perToken = "USD/token"

// Text returns a value and its unit as people read them: a price for a million tokens,
// integers whole, other numbers with four significant digits. Prices are moved by their
// decimal point, without arithmetic, so that nothing is rounded:
//
//	0.0000006 USD/token   $0.60      per million tokens
//	1024000 tokens        1,024,000  tokens
//	0.6666666666666666    0.6667
//	true                  true
func (v Value) Text() (text, unit string) {
	switch v.Value.Kind {
	case '0':
	case '"':
		return v.Value.Text, string(v.Unit)
	default:
		return strconv.FormatBool(v.Value.Kind == 't'), string(v.Unit)
	}
	if v.Unit == perToken {
		const decimals, cents = 6, 2
		digits, minus := strings.CutPrefix(v.Value.Text, "-")
		whole, fraction, _ := strings.Cut(movePoint(digits, decimals), ".")
		fraction += strings.Repeat("0", max(0, cents-len(fraction)))
		return signOf(minus) + "$" + groupThousands(whole) + "." + fraction, "per million tokens"
	}
	return NumberText(catalog.Scalar(v.Value).Float()), string(v.Unit)
}

// NumberText returns a number as people read it: integers whole, others with four
// significant digits.
func NumberText(f float64) string { return rounded(f, 4) }

// PercentText returns a change by a factor as people read it: +150%, −75%, +0.4%.
func PercentText(ratio float64) string {
	percent := (ratio - 1) * 100
	return map[bool]string{true: "−", false: "+"}[percent < 0] + rounded(math.Abs(percent), 2) + "%"
}

func rounded(f float64, digits int) string {
	const tooSmall, tooLarge = 1e-4, 1e15
	size := math.Abs(f)
	if size != 0 && size < tooSmall || size >= tooLarge {
		size, _ = strconv.ParseFloat(strconv.FormatFloat(size, 'e', digits-1, 64), 64) // what was written is read
		return signOf(f < 0) + string(canonical.AppendNumber(nil, size))
	}
	decimals := 0
	if size != math.Trunc(size) {
		decimals = max(0, digits-1-int(math.Floor(math.Log10(size))))
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(size, 'f', decimals, 64), ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		fraction = "." + fraction
	}
	return signOf(f < 0) + groupThousands(whole) + fraction
}

func signOf(negative bool) string {
	if negative {
		return "−"
	}
	return ""
}

// movePoint moves the decimal point of a number, which has no sign, to the right. It
// may have an exponent; what is returned has none.
func movePoint(number string, places int) string {
	mantissa, exponent, _ := strings.Cut(number, "e")
	if n, err := strconv.Atoi(exponent); err == nil {
		places += n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point := whole+fraction, len(whole)+places
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	digits += strings.Repeat("0", max(0, point-len(digits)))
	whole, fraction = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

func groupThousands(digits string) string {
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// Text returns what a slot says and in which unit. Several values are alternatives; a
// slot that is absent, which is nil, says a dash.
func (f *Fact) Text() (text, unit string) {
	if f == nil {
		return "–", ""
	}
	const few = 3
	var values []string
	for i, v := range f.Values[:min(len(f.Values), few)] {
		value, in := v.Text()
		if i == 0 {
			unit = in
		}
		if in != unit {
			value += " " + in
		}
		values = append(values, value)
	}
	if more := f.ValueCount - len(values); more > 0 {
		values = append(values, NumberText(float64(more))+" more")
	}
	text = strings.Join(values, " or ")
	if f.State == StateExpired {
		text += " (expired)"
	}
	return text, unit
}

// Name is the identity of a model in one text.
func (i Identity) Name() string {
	return catalog.Model{ID: i.ID, Revision: string(i.Revision), Quantization: string(i.Quantization)}.Name()
}

// Runs says in one text how a model is run: what an execution scope names of runtime,
// adapter and workflow. It is empty for the scope that says nothing.
func (s Scope) Runs() string {
	scope, err := catalog.ParseScope(string(s))
	if err != nil { // as null is
		return ""
	}
	var parts []string
	for _, part := range []string{scope.Runtime.ID, scope.Adapter.ID, scope.Workflow.ID, scope.Workflow.Condition} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
