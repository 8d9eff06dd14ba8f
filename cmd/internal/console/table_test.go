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
		if got := Columns(s); got != want {
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
	table.Add(Cell{Paint: paint.Heading, Lines: []string{"A"}}, Text("B"), Text("C"))
	table.Add(Text("éé"), Text(), Cell{Paint: paint.Faint, Lines: []string{"1", "22"}})
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
		table.Add(Text(name), Text("|"))
	}
	for line := range strings.Lines(table.String()) {
		before, _, _ := strings.Cut(line, "|")
		if Columns(before) != len("plain  ") {
			t.Errorf("the second column of %q begins after %d", line, Columns(before))
		}
	}
}

func offers() *Table {
	var t Table
	t.Head(newStyle(false), "RANK", "MODEL", "SCORE", "", "WHY", "MISSING")
	t.Add(Text("1"), Text("acme/atlas-2"), Text("1.313 of 2"), Cell{Lines: []string{"████"}, Spare: true},
		Cell{Lines: []string{"+0.8767 coding.pass-rate = 88.12", "+0.4363 price"}, Short: []string{"+0.88 coding.pass-rate = 88", "+0.44 price"}}, Text())
	t.Add(Text("2"), Text("zephyr"), Text("1 of 2"), Cell{Lines: []string{"███"}, Spare: true}, Text("+1 price"), Text())
	return &t
}

// A table loses what can be spared first: columns without anything, the bar, digits; at
// last its columns.
func TestFit(t *testing.T) {
	const wide = `RANK  MODEL         SCORE             WHY
1     acme/atlas-2  1.313 of 2  ████  +0.8767 coding.pass-rate = 88.12
                                      +0.4363 price
2     zephyr        1 of 2      ███   +1 price
`
	const noBar = `RANK  MODEL         SCORE       WHY
1     acme/atlas-2  1.313 of 2  +0.8767 coding.pass-rate = 88.12
                                +0.4363 price
2     zephyr        1 of 2      +1 price
`
	const short = `RANK  MODEL         SCORE       WHY
1     acme/atlas-2  1.313 of 2  +0.88 coding.pass-rate = 88
                                +0.44 price
2     zephyr        1 of 2      +1 price
`
	const blocks = `RANK 1
  MODEL  acme/atlas-2
  SCORE  1.313 of 2
  WHY    +0.8767 coding.pass-rate = 88.12
         +0.4363 price

RANK 2
  MODEL  zephyr
  SCORE  1 of 2
  WHY    +1 price
`
	const narrow = `RANK 1
  MODEL  acme/atlas-2
  SCORE  1.313 of 2
  WHY    +0.8767
         coding.pass-rate =
         88.12
         +0.4363 price

RANK 2
  MODEL  zephyr
  SCORE  1 of 2
  WHY    +1 price
`
	for width, want := range map[int]string{0: wide, 70: wide, 69: noBar, 64: noBar, 63: short, 59: short, 58: blocks, 30: narrow} {
		if got := offers().Fit(width); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"one line":                        "one line",
		"a line that is longer than that": "a line that is/longer than that",
		strings.Repeat("x", 45) + " y":    strings.Repeat("x", 20) + "/" + strings.Repeat("x", 20) + "/xxxxx y",
		"two " + strings.Repeat("通", 11):  "two/" + strings.Repeat("通", 10) + "/通",
		"indented  by  two":               "indented  by  two",
	} {
		if got := strings.Join(Wrap(text, 20), "/"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// In blocks a mark precedes the row that has it, and no row has a line for none.
func TestMarkedBlocks(t *testing.T) {
	var table Table
	table.Head(newStyle(false), "", "RANK", "MODEL")
	table.Add(Text(">"), Text("1"), Text("atlas"))
	table.Add(Text(""), Text("2"), Text("zephyr"))
	if got, want := table.Blocks(80), "> RANK 1\n  MODEL  atlas\n\nRANK 2\n  MODEL  zephyr\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
