package console

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/files"
)

// An id that begins like a command to a CI runner is none, however its line comes in pieces.
func TestPrintedLinesCommandNobody(t *testing.T) {
	var stdout, stderr strings.Builder
	c := New(&stdout, &stderr)
	c.Print("::a\n  ")
	c.Printf("%s %s", "::b", "::c")
	c.Print("::d\n##[e]")
	c.Print(" ::f\n")
	c.PrintWrapped("  ", "::g")
	c.Note("::h")
	c.Misuse("##[i]", "::j", "")
	c.Warn("::k")
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	if got, want := stdout.String(), "\\u003a:a\n  \\u003a:b ::c::d\n\\u0023#[e] ::f\n  \\u003a:g\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := stderr.String(), "\\u003a:h\n\\u0023#[i]\n\\u003a:j\n\nwarning: ::k\n"; got != want {
		t.Errorf("%q, want %q", got, want)
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
