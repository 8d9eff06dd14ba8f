package ijson_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// spans are values of every kind that end where they end.
var spans = []string{
	"null", "true", "-1.5e+7", `""`, `"a"`, `"]}"`, `"\""`, `"\\"`, `"\\\""`, `"\\\\"`, `"a\\"`, `"\u005d"`, "[]", "{}", "[1,[2,{}],3]",
	`{"a":{"b":[1,"]"]},"c":"}"}`, `{"a\"}":1}`, `{"a\\":[]}`, " [\n1 ] ", `["é한😀",{}]`,
}

// Span takes a value whole, whatever stands behind it.
func TestSpan(t *testing.T) {
	for _, value := range spans {
		for _, behind := range []string{"", " ", ",1", " , 2", "]", " ]", "}", "\n", "\t}"} {
			r := ijson.NewReader(value+behind, testCode)
			if got, want := r.Span(), strings.TrimSpace(value); got != want {
				t.Errorf("%q begins with the value %q, want %q", value+behind, got, want)
			}
		}
	}
}

// What ends with a bracket or a quote ends there, whatever follows.
func TestSpanEndsAtItsBracket(t *testing.T) {
	for _, value := range []string{"{}", "[]", `"a"`, `{"a":[{}]}`, `[[""]]`} {
		for _, behind := range []string{"x", "{}", "[]", `"b"`, "1", ":"} {
			if got := ijson.NewReader(value+behind, testCode).Span(); got != value {
				t.Errorf("%s begins with the value %s", value+behind, got)
			}
			if got := ijson.SpanEnd(value+behind, 0); got != len(value) {
				t.Errorf("%s: the value ends at %d", value+behind, got)
			}
		}
	}
}

// The items of a list are cut out whole, and each at its place.
func TestSpanOfItems(t *testing.T) {
	text := "[" + strings.Join(spans, " , ") + "]"
	r := ijson.NewReader(text, testCode)
	n := 0
	for l := r.List(); l.Next(); n++ {
		at := r.Offset()
		got := r.Span()
		if want := strings.TrimSpace(spans[n]); got != want || text[at:at+len(got)] != got {
			t.Errorf("item %d is %q at %d, want %q", n, got, at, want)
		}
	}
	if n != len(spans) || r.End() != nil {
		t.Errorf("%d items of %d (%v)", n, len(spans), r.End())
	}
}

func TestSpanRefused(t *testing.T) {
	const end = "unexpected end of text"
	tests := []struct{ text, want string }{
		{"", "0 $: " + end + ", expected a value"},
		{" ", "1 $: " + end + ", expected a value"},
		{",", "0 $: unexpected character ',', expected a value"},
		{" ]", "1 $: unexpected character ']', expected a value"},
		{"}", "0 $: unexpected character '}', expected a value"},
		{"[1", "2 $: " + end + " in a value"},
		{`{"a":[]`, "7 $: " + end + " in a value"},
		{`"a`, "2 $: " + end + " in a value"},
		{`"a\"`, "4 $: " + end + " in a value"},
		{`["a]`, "4 $: " + end + " in a value"},
		{`{"a\\\"}`, "8 $: " + end + " in a value"},
	}
	for _, tt := range tests {
		r := ijson.NewReader(tt.text, testCode)
		if got := r.Span(); got != "" {
			t.Errorf("%q is refused and gives %q", tt.text, got)
		}
		expectFaults(t, tt.text, describe(r.End()), tt.want)
	}
}

// A span that reads as one value is cut in the right place: reading the list
// item by item, each from its span, says yes to what reading it at once does.
func TestSpansMeanTheSame(t *testing.T) {
	const text = `[{"a":[1,"]",{"b":"\\\""}]}, "x\u005d", -1.5, null,[[],{}]]`
	bySpans := func(text string) (whole string, ok bool) {
		r := ijson.NewReader(text, testCode)
		var items []string
		ok = true
		for l := r.List(); l.Next(); {
			item, faults := canonicalOf(r.Span())
			items = append(items, item)
			ok = ok && faults == nil
		}
		return "[" + strings.Join(items, ",") + "]", ok && r.End() == nil
	}
	for i := range len(text) {
		for c := range 128 {
			changed := text[:i] + string(rune(c)) + text[i+1:]
			want, faults := canonicalOf(changed)
			got, ok := bySpans(changed)
			if ok != (faults == nil && strings.HasPrefix(want, "[")) || ok && got != want {
				t.Errorf("%q by spans is %s, %v; at once %s %v", changed, got, ok, want, faults)
			}
		}
	}
}
