package problem_test

import (
	"math/rand/v2"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
)

// Lines and columns count from 1, columns in code points.
func TestPlaceAfter(t *testing.T) {
	tests := []struct {
		text         string
		line, column int
	}{
		{"", 1, 1},
		{"ab", 1, 3},
		{"a\n", 2, 1},
		{"a\nb", 2, 2},
		{"a\r\nb", 2, 2}, // a carriage return ends no line
		{"a\rb", 1, 4},
		{"\n\n\n", 4, 1},
		{"é", 1, 2},       // two bytes
		{"한", 1, 2},       // three bytes
		{"😀", 1, 2},       // four bytes, one code point
		{"e\u0301", 1, 3}, // a combining mark is a code point of its own
		{"😀\n한é", 2, 3},
		{"\u2028\u0085\v\f", 1, 5}, // these end no line
		{"\uFEFF{", 1, 3},
	}
	for _, tt := range tests {
		got := problem.Start("f").After(tt.text)
		if want := (problem.Place{File: "f", Line: tt.line, Column: tt.column}); got != want {
			t.Errorf("after %q: %+v, want %+v", tt.text, got, want)
		}
	}
}

// The place behind two texts is the same, at once or one after the other.
func TestPlaceAfterIsAdditive(t *testing.T) {
	const text = "{\n\t\"한\": \"é😀\",\r\n\n\"\uFEFF\": 1\n}"
	whole := problem.Start("f").After(text)
	line, column := 1, 1
	for i, c := range text {
		first := problem.Start("f").After(text[:i])
		if first != (problem.Place{File: "f", Line: line, Column: column}) {
			t.Errorf("offset %d: %+v, want %d:%d", i, first, line, column)
		}
		if got := first.After(text[i:]); got != whole {
			t.Errorf("cut at %d: %+v, want %+v", i, got, whole)
		}
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
}

// Locate finds the place of every offset, in any order, and leaves alone what
// has none. The text may begin in the middle of a file.
func TestLocate(t *testing.T) {
	const before, text = "{\n\"é\": ", "[1,\n\"한\",\n 😀x,\n\n\ty]"
	start := problem.Start("f").After(before)
	var offsets []int
	for i := range text {
		offsets = append(offsets, i, i)
	}
	offsets = append(offsets, len(text))
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		list := problem.List{problem.New(problem.InvalidCatalog, "$", "nowhere")}
		for _, offset := range offsets {
			e := problem.New(problem.InvalidCatalog, "$", "there")
			e.Offset = offset
			list = append(list, e)
		}
		located := list.Locate(text, start)
		if len(located) != len(list) {
			t.Fatalf("%d faults of %d are left", len(located), len(list))
		}
		for _, e := range located {
			want := problem.Place{}
			if e.Offset >= 0 {
				want = problem.Start("f").After(before + text[:e.Offset])
			}
			if e.Place != want {
				t.Errorf("offset %d: %+v, want %+v", e.Offset, e.Place, want)
			}
		}
		rnd.Shuffle(len(offsets), func(i, j int) { offsets[i], offsets[j] = offsets[j], offsets[i] })
	}
	if got := (problem.List)(nil).Locate("text", start); got != nil {
		t.Errorf("no faults become %v", got)
	}
}
