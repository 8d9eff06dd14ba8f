package console

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{
		"":                   0,
		"gpt-4":              5,
		"é":                  1,
		"e\u0301":            1, // the accent is a character of its own
		"\u0915\u094D\u0937": 2, // Devanagari with a mark that joins
		"通义千问":               8,
		"한글":                 4,
		"\u1112\u1161\u11AB": 2, // the same syllable, letter by letter
		"ＡＢ":                 4, // full width
		"ｱｲ":                 2, // half width
		"😀":                  2,
		"│█…":                3, // ambiguous ones are narrow
	} {
		if got := columns(s); got != want {
			t.Errorf("%q has %d columns, want %d", s, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for s, want := range map[string]string{
		"short":                       "short",
		strings.Repeat("é", 40):       strings.Repeat("é", 40),
		strings.Repeat("é", 41):       strings.Repeat("é", 39) + "…",
		strings.Repeat("한", 20):       strings.Repeat("한", 20), // two columns each
		strings.Repeat("한", 21):       strings.Repeat("한", 19) + "…",
		strings.Repeat("e\u0301", 41): strings.Repeat("e\u0301", 39) + "…",
		strings.Repeat("a", 39) + "한": strings.Repeat("a", 39) + "…",
		strings.Repeat("a", 38) + "한": strings.Repeat("a", 38) + "한",
		"\x1b[31m":                    `\x1b[31m`,
		strings.Repeat("\n", 30):      strings.Repeat(`\n`, 19) + `\…`,
	} {
		if got := Clip(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// Cells are padded by what is seen of them, not by the codes of their colours,
// and no line ends in white space.
func TestTable(t *testing.T) {
	paint := newStyle(true)
	var table Table
	table.Add(Cell{paint.Heading, []string{"A"}}, Cell{nil, []string{"B"}}, Cell{nil, []string{"C"}})
	table.Add(Cell{nil, []string{"éé"}}, Cell{nil, nil}, Cell{paint.Faint, []string{"1", "22"}})
	want := "\x1b[1mA\x1b[22m   B  C\n" +
		"éé     \x1b[2m1\x1b[22m\n" +
		"       \x1b[2m22\x1b[22m\n"
	if got := table.String(); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// Columns stay below each other whatever script the text is in.
func TestTableOfWideCharacters(t *testing.T) {
	var table Table
	for _, name := range []string{"plain", "通义", "cafe\u0301", "😀"} {
		table.Add(Cell{nil, []string{name}}, Cell{nil, []string{"|"}})
	}
	for line := range strings.Lines(table.String()) {
		before, _, _ := strings.Cut(line, "|")
		if columns(before) != len("plain  ") {
			t.Errorf("the second column of %q begins after %d", line, columns(before))
		}
	}
}
