package ijson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

func TestKindAndOffset(t *testing.T) {
	for text, want := range map[string]byte{
		"{}": '{', "[]": '[', `""`: '"', "true": 't', "false": 'f', "null": 'n', "0": '0', "7.5": '7', "-1": '-', "": 0,
	} {
		r := ijson.NewReader("\uFEFF \n"+text, testCode)
		if got, at := r.Kind(), r.Offset(); got != want || at != len("\uFEFF \n") {
			t.Errorf("%q: kind %q at %d, want %q", text, got, at, want)
		}
	}
}

func TestBool(t *testing.T) {
	for text, want := range map[string]bool{"true": true, " false ": false} {
		r := ijson.NewReader(text, testCode)
		if got := r.Bool(); got != want || r.End() != nil {
			t.Errorf("%q is %v (%v)", text, got, r.End())
		}
	}
	for _, text := range []string{"null", "0", `"true"`, "[true]", `{"true":true}`} {
		r := ijson.NewReader(text, testCode)
		r.Bool()
		expectFaults(t, text, describe(r.End()), "0 $: must be true or false")
	}
	for _, text := range []string{"tru", "truth", "fals", "faLse"} {
		r := ijson.NewReader(text, testCode)
		r.Bool()
		if faults := describe(r.End()); len(faults) != 1 || !strings.Contains(faults[0], "$: unexpected ") {
			t.Errorf("%q: %s", text, faults)
		}
	}
}

func TestNull(t *testing.T) {
	r := ijson.NewReader(" null,", testCode)
	if !r.Null() || r.Null() || r.Kind() != ',' {
		t.Error("null is not read once")
	}
	for _, text := range []string{"nul", "NULL", `"null"`, "0", ""} {
		if r := ijson.NewReader(text, testCode); r.Null() || r.Offset() != 0 {
			t.Errorf("%q is null", text)
		}
	}
}

// A wrong value is one fault, and reading goes on behind it.
func TestReadingGoesOn(t *testing.T) {
	r := ijson.NewReader(`[{"a":[1,{"b":"]"}]}, "x", 1e999, [], true, "last"]`, testCode)
	var got []string
	for l := r.List(); l.Next(); {
		switch l.Index() {
		case 0, 3:
			r.Text()
		case 1:
			r.Bool()
		case 2:
			r.Number()
		case 4:
			r.Enum("a", "b")
		case 5:
			got = append(got, r.Text())
		}
	}
	expectFaults(t, "list", describe(r.End()),
		"1 $[0]: must be a non-empty string without white space at its ends",
		"22 $[1]: must be true or false",
		"27 $[2]: number too large: at most 1.7976931348623157e+308",
		"34 $[3]: must be a non-empty string without white space at its ends",
		"38 $[4]: must be a or b")
	if len(got) != 1 || got[0] != "last" {
		t.Errorf("behind the faults is read %q", got)
	}
}

func TestList(t *testing.T) {
	for _, text := range []string{"null", "{}", `"[]"`, "1"} {
		r := ijson.NewReader(" "+text, testCode)
		l := r.List()
		if l.OK() || l.Next() || l.Next() {
			t.Errorf("%s has items", text)
		}
		expectFaults(t, text, describe(r.End()), "1 $: must be a list")
	}
	for text, want := range map[string]int{"[]": 0, " [ ] ": 0, "[1]": 1, "[1,2 , 3]": 3} {
		r := ijson.NewReader(text, testCode)
		l := r.List()
		if !l.OK() || l.Start() != strings.IndexByte(text, '[') {
			t.Errorf("%s is no list, or does not start at %d", text, l.Start())
		}
		n := 0
		for ; l.Next(); n++ {
			if l.Index() != n || r.Number() == "" {
				t.Errorf("%s: item %d has index %d", text, n, l.Index())
			}
		}
		if n != want || r.End() != nil {
			t.Errorf("%s has %d items, want %d (%v)", text, n, want, r.End())
		}
	}
}

// Items that must be there are those of the array, if there is one.
func TestListDemanded(t *testing.T) {
	for text, want := range map[string][]string{
		`[1]`:  nil,
		` [ ]`: {"1 $: must not be empty"},
		`{}`:   {"0 $: must be a list"},
		`[`:    {"1 $: unexpected end of text, expected a value"},
	} {
		r := ijson.NewReader(text, testCode)
		l := r.List()
		for l.Next() {
			r.Number()
		}
		l.DemandItems()
		expectFaults(t, text, describe(r.End()), want...)
	}
}

// Skip looks at the grammar alone, of values of any kind.
func TestSkip(t *testing.T) {
	for _, text := range []string{
		"null", "true", "false", "0", "-1.5e+7", "1e999", `""`, `"a\"b"`, "[]", "{}", "[[],{}]", `{"a":{},"b":[]}`,
		`{"a":[1,"]",{"}":null}],"b":"\u005d"}`, ` [ 1 , { "a" : [ ] } ] `, `{"a":1,"a":2}`,
	} {
		r := ijson.NewReader("["+text+",7]", testCode)
		l := r.List()
		l.Next()
		r.Skip()
		if !l.Next() || r.Number() != "7" || l.Next() || r.End() != nil {
			t.Errorf("%s is not skipped to its end (%v)", text, r.End())
		}
	}
	for _, text := range []string{
		"", "[", "{", "[1", `{"a"`, `{"a":`, `{"a":1`, "[1,]", `{"a":1,}`, "[1}", `{"a":1]`, "[1 2]", `{"a" 1}`, "{1:1}", "[,]", "{,}",
		"]", "}", ",", ":", "01", "1.", "nul", "nullx", `"a`, `"\x"`, "[\"\n\"]", "[[[]]", "[]]", `{"a":{"b":[}]}}`,
	} {
		r := ijson.NewReader(text, testCode)
		r.Skip()
		if faults := r.End(); len(faults) != 1 || faults[0].Path != "$" || !r.IsBroken() {
			t.Errorf("%q is skipped: %v", text, faults)
		}
	}
}

// Each fault has its own code, path and offset; Broken drops all others.
func TestFail(t *testing.T) {
	r := ijson.NewReader("[1,2]", testCode)
	if r.Faulty() || r.IsBroken() {
		t.Error("a new Reader is faulty")
	}
	for l := r.List(); l.Next(); {
		at := r.Offset()
		r.Number()
		r.Fail(at, "", "100%")
		r.FailAs(problem.UnsupportedSchema, at, ".kind", "%d of %d", l.Index(), 2)
	}
	if !r.Faulty() || r.IsBroken() {
		t.Error("the faults are not known")
	}
	expectFaults(t, "Fail", describe(r.End()), "1 $[0]: 100%", "UNSUPPORTED_SCHEMA 1 $[0].kind: 0 of 2", "3 $[1]: 100%", "UNSUPPORTED_SCHEMA 3 $[1].kind: 1 of 2")

	r.Broken(4, "enough")
	r.Broken(5, "too late")
	r.Fail(5, "", "too late")
	if !r.IsBroken() {
		t.Error("the text is not broken")
	}
	expectFaults(t, "Broken", describe(r.End()), "4 $: enough")
}

// A Reader that is used again knows nothing of the text before.
func TestReset(t *testing.T) {
	r := ijson.NewReader("\uFEFF"+`{"a":"\n\ud800", [`, "OLD")
	r.Skip()
	if r.End() == nil || !r.Faulty() || !r.IsBroken() || !r.Escaped() {
		t.Error("a broken text is not")
	}
	r.Reset(`[[1]]`)
	if r.Faulty() || r.IsBroken() || r.Escaped() || r.Offset() != 0 {
		t.Error("something is left of the text before")
	}
	r.Skip()
	if r.End() != nil {
		t.Errorf("the next text is refused: %v", r.End())
	}
	r.Reset("[1,\xff]")
	if faults := r.End(); len(faults) != 1 || faults[0].Code != "OLD" || faults[0].Offset != 3 {
		t.Errorf("invalid UTF-8 after Reset: %v", faults)
	}
	deep, _ := nested(64, "", func(int) bool { return false })
	for range 3 {
		r.Reset(deep[:64]) // 64 are left open
		r.Skip()
		r.Reset(deep)
		r.Skip()
		if r.End() != nil {
			t.Errorf("the depth of the text before counts: %v", r.End())
		}
	}
}

// A part of a document has no byte order mark, and the arrays and objects around
// it count.
func TestPartReader(t *testing.T) {
	r := ijson.NewPartReader(testCode)
	r.Reset("\uFEFF[]")
	r.Skip()
	expectFaults(t, "byte order mark", describe(r.End()), `0 $: unexpected character '\ufeff', expected a value`)

	for name, isObject := range shapes {
		r.OuterDepth = 4
		text, _ := nested(60, "1", isObject)
		r.Reset(text)
		r.Skip()
		expectFaults(t, name, describe(r.End()))
		text, last := nested(61, "1", isObject)
		r.Reset(text)
		r.Skip()
		expectFaults(t, name, describe(r.End()), describeAt(last, "$: more than 64 arrays and objects open at once"))
	}
	if n := ijson.LenByteOrderMark("\uFEFF\uFEFF"); n != 3 {
		t.Errorf("a byte order mark has %d bytes", n)
	}
	for _, text := range []string{"", "\xef\xbb", " \uFEFF", "\uFFFE"} {
		if n := ijson.LenByteOrderMark(text); n != 0 {
			t.Errorf("%q begins with a byte order mark of %d bytes", text, n)
		}
	}
}

// A text that is not JSON has that as its cause, and no other fault has.
func TestErrNotJSON(t *testing.T) {
	for text, want := range map[string]bool{"": true, "x": true, "[": true, "[1] 2": true, "\xff": true, strings.Repeat("[", 65): true,
		"1e999": false, `"\ud800"`: false, `{"a":1,"a":2}`: false} {
		_, err := ijson.ReadValue(text, testCode)
		if got := errors.Is(err, ijson.ErrNotJSON); err == nil || got != want {
			t.Errorf("%q: %v is ErrNotJSON: %v, want %v", text, err, got, want)
		}
	}
}
