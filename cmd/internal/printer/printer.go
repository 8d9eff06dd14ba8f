// Package printer prints results for people: rankings of every version, explanations, and
// what a catalog holds. JSON, for programs, is printed by the commands themselves.
//
// Each kind of result has a file, which begins with what it looks like. They all follow
// these rules:
//
//   - A line fits the terminal. Where a table does not, each of its rows becomes a block of
//     lines; output that goes elsewhere may be as wide as it is.
//   - Numbers have four digits, or two where there is little room, and their unit. Prices
//     are in dollars for a million tokens.
//   - Ids are clipped, and text from outside is escaped: see package console.
package printer

import (
	"math"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/canonical"
)

// Printer prints on a console.
type Printer struct{ *console.Console }

// New returns a printer.
func New(c *console.Console) *Printer { return &Printer{c} }

// CatalogName is what people call a catalog.
func CatalogName(digest, asOf string) string {
	return "catalog " + digest[:shortHash] + " as of " + asOf
}

// printOrigin prints what was asked of which catalog.
func (p *Printer) printOrigin(request, digest, asOf string) {
	name, catalog := console.Printable(request), CatalogName(digest, asOf)
	between := "  "
	if width := p.Width(); width > 0 && console.Columns(name+between+catalog) > width {
		between = "\n"
	}
	p.Print(p.Out.Heading.Sprint(name) + between + catalog + "\n\n")
}

// enumeration joins words as a sentence lists them: a, b and c.
func enumeration(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// quantity says a number with its unit as people say it: four digits, money with its
// sign, and prices of tokens by the million.
func quantity(f float64, unit string) string { return roundedQuantity(f, unit, fourDigits) }

// roundedQuantity is quantity with so many digits.
func roundedQuantity(f float64, unit string, digits int) string {
	const million = 1e6
	switch unit {
	case "":
		return roundedDecimal(f, digits)
	case "percent":
		return roundedDecimal(f, digits) + "%"
	case "USD":
		return dollars(f, digits)
	case "USD/token":
		return dollars(f*million, digits) + " per million tokens"
	}
	return roundedDecimal(f, digits) + " " + console.Clip(unit)
}

// dollars writes an amount with no decimals or with two at least: $3, $1.90, $0.0015.
func dollars(f float64, digits int) string {
	text := "$" + roundedDecimal(math.Abs(f), digits)
	if _, decimals, found := strings.Cut(text, "."); found && len(decimals) == 1 {
		text += "0"
	}
	if f < 0 {
		return "-" + text
	}
	return text
}

func percent(f float64) string { return shortDecimal(100*f) + "%" }

// shortDecimal writes a number with four digits, and an integer with all, without an
// exponent where one can do without.
func shortDecimal(f float64) string { return roundedDecimal(f, fourDigits) }

// How many digits numbers have where there is room for them, and where there is little.
const (
	fourDigits = 4
	twoDigits  = 2
)

// roundedDecimal is shortDecimal with so many digits.
func roundedDecimal(f float64, digits int) string {
	const smallest, largest = 1e-9, 1e15
	size := math.Abs(f)
	switch {
	case f == 0:
		return "0"
	case size < smallest || size >= largest:
		return strconv.FormatFloat(f, 'g', digits, 64)
	case f == math.Trunc(f):
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64) // its own output
	return string(canonical.AppendNumber(nil, short))
}
