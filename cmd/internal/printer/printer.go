// Package printer prints results for people: rankings of every version, explanations, and
// what a catalog holds. JSON, for programs, is printed by the commands themselves.
//
// Each kind of result has a file, which begins with what it looks like. They all follow
// these rules:
//
//   - A line fits the terminal. Where a table does not, each of its rows becomes a block of
//     lines; output that goes elsewhere may be as wide as it is.
//   - Numbers are written as package quantity writes them, with two digits where there is
//     little room.
//   - Ids are clipped, and text from outside is escaped: see package console.
package printer

import (
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/quantity"
)

// Printer prints on a console.
type Printer struct {
	*console.Console
	Trust string // a sentence on what became of the catalog; empty where nobody asks
}

// New returns a printer.
func New(c *console.Console) *Printer { return &Printer{Console: c} }

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
	p.Print(p.Out.Heading.Sprint(name) + between + catalog + "\n")
	if p.Trust != "" {
		p.printProse(p.Trust)
	}
	p.Print("\n")
}

// proseWidth is how wide sentences are at most, so that they are easy to read.
const proseWidth = 80

// printProse prints sentences, at the width of the terminal if that is less.
func (p *Printer) printProse(text string) { p.printIndented("", text) }

// printIndented is printProse with a margin before each line.
func (p *Printer) printIndented(margin, text string) {
	width := p.Width()
	if width == 0 || width > proseWidth {
		width = proseWidth
	}
	for _, line := range console.Wrap(text, width-len(margin)) {
		p.Print(margin + line + "\n")
	}
}

// printRest says how many ranked candidates are not shown.
func (p *Printer) printRest(shown, all int) {
	if more := all - shown; more > 0 {
		p.Print("\n")
		p.printProse(quantity.Count(more, "more candidate") + ". Use --top " + strconv.Itoa(all) +
			" to list all, or --explain ID for one.")
	}
}

// repeat prints the answer once more where all that was printed since then does not fit
// the height of the terminal, so that it is what one sees.
func (p *Printer) repeat(answer string, before int) {
	if height := p.Height(); height > 0 && p.Lines()-before >= height {
		p.Print("\n")
		p.printProse(answer)
	}
}

// enumeration joins words as a sentence lists them: a, b and c.
func enumeration(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// twoDigits is how many digits numbers have where there is little room.
const twoDigits = 2

// amount is a number with its unit, which comes from outside.
func amount(f float64, unit string) string { return roundedAmount(f, unit, quantity.Digits) }

// roundedAmount is amount with so many digits.
func roundedAmount(f float64, unit string, digits int) string {
	return quantity.RoundedPhrase(f, console.Clip(unit), digits)
}

// percent is a part of one in percent.
func percent(part float64) string { return quantity.Phrase(100*part, "percent") }

// number is a count.
func number(n int) string { return quantity.Number(float64(n)) }

// wrapped breaks a text into lines of at most so many columns, any number if that is zero, with
// a margin that is deeper from the second on. An empty text has none.
func wrapped(text, margin string, room int) (lines []string) {
	if text == "" {
		return nil
	}
	parts := []string{text}
	if room > 0 {
		parts = console.Wrap(text, room-2*len(margin))
	}
	for n, part := range parts {
		if n > 0 {
			part = margin + part
		}
		lines = append(lines, margin+part)
	}
	return lines
}
