package console

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/model-catalog-service/svc/internal/printable"
)

// Printable escapes what could break a line or command a terminal, as [printable.Text] does.
func Printable(s string) string { return printable.Text(s) }

// Clip makes a text printable and fit for a column of a table. A letter keeps its
// accents.
func Clip(s string) string {
	const widest = 40
	return clip(Printable(s), widest)
}

// clip shortens a printable text to so many columns.
func clip(s string, widest int) string {
	if Columns(s) <= widest {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeColumns(r); used > widest-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// ClipColumns makes the texts of a table printable, and clips the widest columns until the table
// has a width; without one it clips columns as [Clip] does, but the last one.
func ClipColumns(lines [][]string, width int) {
	const least = 8
	var widths []int
	for _, line := range lines {
		for i, text := range line {
			if line[i] = Printable(text); i == len(widths) {
				widths = append(widths, 0)
			}
			if width == 0 && i < len(line)-1 {
				line[i] = Clip(text)
			}
			widths[i] = max(widths[i], Columns(line[i]))
		}
	}
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; width > 0 && total > width; total-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= least {
			break
		}
		widths[widest]--
	}
	for _, line := range lines {
		for i := range line {
			line[i] = clip(line[i], widths[i])
		}
	}
}

// Columns is how many columns of a terminal a printable text takes.
func Columns(s string) (n int) {
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// runeColumns is how many columns a character takes: two if it is wide, as Unicode
// has it for most of East Asia and for emoji, none if it is drawn onto the one before
// it, as marks are and the Hangul letters that complete a syllable.
func runeColumns(r rune) int {
	isJoining := r >= '\u1160' && r <= '\u11FF'
	if isJoining || unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Wrap breaks a printable text between words into lines of at most width columns, and
// words that are longer wherever they reach the end. A width that leaves no room is taken
// for twenty.
func Wrap(text string, width int) []string { return wrap(text, width, false) }

// wrapWhole is Wrap but that words stay whole, however long they are.
func wrapWhole(text string, width int) []string { return wrap(text, width, true) }

func wrap(text string, width int, isWhole bool) (lines []string) {
	const least = 20
	width = max(width, least)
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		for !isWhole && Columns(word) > width { // longer than any line
			if line != "" {
				lines, line = append(lines, line), ""
			}
			cut, used := len(word), 0
			for i, r := range word {
				if used += runeColumns(r); used > width {
					cut = i
					break
				}
			}
			lines, word = append(lines, word[:cut]), word[cut:]
		}
		switch {
		case line == "":
			line = word
		case Columns(line)+1+Columns(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
