package console

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/files"
)

func TestPrintable(t *testing.T) {
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
		if got := Printable(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// Several failures at once have a line each.
func TestJoinedFailures(t *testing.T) {
	var stderr strings.Builder
	c := New(&strings.Builder{}, &stderr)
	c.Fail(errors.Join(errors.New("one"), files.Named("two", errors.New("three\nfour"))))
	if got, want := stderr.String(), "service: one\nservice: two: three\\nfour\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// However a document comes in pieces, on a terminal it is the same value, and all of it
// can be printed.
func TestDocument(t *testing.T) {
	const text = `["a\u202e😀é` + "\u007f\u0085\u2067\U000e0001\u00a0" + `", 5 ]` + "\n"
	const escaped = `["a\u202e😀é\u007f\u0085\u2067\udb40\udc01\u00a0", 5 ]` + "\n"
	for size := 1; size <= len(text); size++ {
		for _, terminal := range []bool{false, true} {
			var out strings.Builder
			c := New(&out, io.Discard)
			c.outTerminal = terminal
			d := c.Document()
			for piece := range slices.Chunk([]byte(text), size) {
				if n, err := d.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			want := text
			if terminal {
				want = escaped
			}
			if out.String() != want {
				t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
			}
		}
	}
}
