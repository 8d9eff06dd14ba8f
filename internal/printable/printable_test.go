package printable_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/printable"
)

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"":                   "",
		"plain, é € 😀 \\n":   "plain, é € 😀 \\n",
		"a\nb\tc\r":          `a\nb\tc\r`,
		"\x00\x1b\x7f\u0085": `\x00\x1b\x7f\u0085`,
		"\u00a0\u2028\u202e": `\u00a0\u2028\u202e`,
		"\xff\xc3":           `\xff\xc3`,
		"\ufffd":             "\ufffd",
		"\U000e0001":         `\U000e0001`,
	} {
		if got := printable.Text(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// Only the beginning of a line is a command, after blanks, too.
func TestLine(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "a::b": "a::b", "a ::b": "a ::b", ":a": ":a", "##a": "##a", "# a": "# a",
		"::error::x\n":      "\\u003a:error::x\n",
		" \t::x":            " \t\\u003a:x",
		"##[add-mask]x":     "\\u0023#[add-mask]x",
		"  ##vso[task]x":    "  \\u0023#vso[task]x",
		"##teamcity[block]": "\\u0023#teamcity[block]",
	} {
		if got := printable.Line(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestDoubt(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "acme/atlas-70b": "", "модель": "", "模型-7b": "", "café": "", "cafe\u0301": "", "a b": "", "😀": "", "::x": "",
		"a\x00":     "has the control character U+0000",
		"a\u0085":   "has the control character U+0085",
		"a\u202eb":  "has U+202E, which turns the direction of text",
		"a\u200bb":  "has U+200B, which nobody sees",
		"a\u00a0b":  "has U+00A0, which nobody sees",
		"\uff21cme": "has U+FF21, which looks like another letter",
		"ﬁne":       "has U+FB01, which looks like another letter",
		"аcme":      "mixes Latin letters with Cyrillic ones, such as U+0430",
		"acmε":      "mixes Latin letters with Greek ones, such as U+03B5",
	} {
		if got := printable.Doubt(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Names are found wherever a document has them and however they are escaped; a text that is
// cut off or no JSON does no harm.
func TestNames(t *testing.T) {
	text := `{"id":"a\u0000","name":"\u0000","x":{"id" : "é","key":"b\u202e","keys":["\u202e"],"revision":null,"suite":"\ud83d\ude00"}}
{"quantization":"аc","a\"id":"\u0000","id":"c:\u0007"}`
	var got []string
	printable.Names(text, func(name string, offset int) { got = append(got, fmt.Sprintf("%q at %d", name, offset)) })
	want := []string{`"a\x00" at 6`, fmt.Sprintf(`"b\u202e" at %d`, strings.Index(text, `"b\u`)),
		fmt.Sprintf(`"аc" at %d`, strings.Index(text, `"аc`)), fmt.Sprintf(`"c:\a" at %d`, strings.Index(text, `"c:`))}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for end := range len(text) {
		printable.Names(text[:end], func(string, int) {})
		printable.Names(text[end:], func(string, int) {})
	}
}
