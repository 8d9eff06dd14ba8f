package ijson_test

import (
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// readTable reads an object of any names whose values are texts.
func readTable(r *ijson.Reader) (names, values []string) {
	for n := r.Names(); n.Next(); {
		names = append(names, n.Name())
		values = append(values, r.Text())
	}
	return names, values
}

func TestNames(t *testing.T) {
	const text = ` {"b":"1", "\u0061":"2","":"3" , "é😀":"4"}`
	r := ijson.NewReader(text, testCode)
	n := r.Names()
	if !n.OK() || n.Start() != 1 {
		t.Errorf("no object at 1: %v, %d", n.OK(), n.Start())
	}
	var names []string
	var offsets []int
	for n.Next() {
		if !n.Seen(n.Name()) || n.Seen("x") {
			t.Errorf("%q is not seen, or x is", n.Name())
		}
		names, offsets = append(names, n.Name()), append(offsets, n.At())
		r.Text()
	}
	if want := []string{"b", "a", "", "é😀"}; !slices.Equal(names, want) || n.Next() || !n.OK() || r.End() != nil {
		t.Errorf("%q, want %q (%v)", names, want, r.End())
	}
	if want := []int{2, 11, 24, 33}; !slices.Equal(offsets, want) {
		t.Errorf("names at %v, want %v", offsets, want)
	}
	r = ijson.NewReader("{}", testCode)
	if names, _ := readTable(r); names != nil || r.End() != nil {
		t.Errorf("an empty object has %q (%v)", names, r.End())
	}
}

// Names that are repeated are given each, in their order; other faults stay faults.
func TestRepeatedNames(t *testing.T) {
	r := ijson.NewReader(`{"a":"1","b":"2","a":"3"}`, testCode)
	var members []string
	for n := r.RepeatedNames(); n.Next(); {
		members = append(members, n.Name()+r.Text())
	}
	if want := []string{"a1", "b2", "a3"}; !slices.Equal(members, want) || r.End() != nil {
		t.Errorf("%q, want %q (%v)", members, want, r.End())
	}
	r = ijson.NewReader(`{"a":"1","a":2}`, testCode)
	for n := r.RepeatedNames(); n.Next(); {
		r.Text()
	}
	if faults := r.End(); len(faults) != 1 || faults[0].Path != "$.a" {
		t.Errorf("%v", faults)
	}
}

func TestNamesFaults(t *testing.T) {
	const rule = "must be a non-empty string without white space at its ends"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"no object", ` [{"a":"b"}]`, []string{"1 $: must be an object"}},
		{"null", `null`, []string{"0 $: must be an object"}},
		{"wrong values", `{"a":1,"b":"c","c":{"a":1e999}}`, []string{"5 $.a: " + rule, "19 $.c: " + rule}},
		{"the last value", `{"a":"b","c":""}`, []string{"13 $.c: " + rule}},
		{"a name twice", `{"a":"b","a":"c"}`, []string{"9 $.a: duplicate field"}},
		{"a name twice, escaped", `{"\u0061":"b","a":"c"}`, []string{"14 $.a: duplicate field"}},
		{"a name three times", `{"a":"b","a":1,"a":{"x":"\ud800"}}`, []string{"9 $.a: duplicate field", "15 $.a: duplicate field"}},
		{"what it holds twice", `{"a":1,"b":"c","a":2}`, []string{"5 $.a: " + rule, "15 $.a: duplicate field"}},
		{"a name with a lone surrogate", `{"x\ud800":1,"b":""}`, []string{"3 $.x: lone surrogate in a string", "17 $.b: " + rule}},

		{"cut off", `{"a":"b"`, []string{"8 $: unexpected end of text, expected ',' or '}'"}},
		{"cut off behind a name", `{"a"`, []string{"4 $: unexpected end of text, expected ':'"}},
		{"cut off in a name", `{"a":"b","c`, []string{"11 $: unexpected end of text in a string"}},
		{"no colon", `{"a" "b"}`, []string{`5 $: unexpected character '"', expected ':'`}},
		{"no colon behind a lone surrogate", `{"\ud800" "b"}`, []string{`10 $: unexpected character '"', expected ':'`}},
		{"a comma last", `{"a":"b",}`, []string{"9 $: unexpected character '}', expected a field name in quotes"}},
		{"broken after a fault", `{"a":1,"b":!}`, []string{"11 $: unexpected character '!', expected a value"}},
		{"broken in a duplicate", `{"a":"b","a":[!]}`, []string{"14 $: unexpected character '!', expected a value"}},
		{"broken behind a lone surrogate", `{"\ud800":!}`, []string{"10 $: unexpected character '!', expected a value"}},
		{"content behind", `{"a":"b"}}`, []string{"9 $: unexpected character '}', expected the end of the document"}},
	}
	for _, tt := range tests {
		r := ijson.NewReader(tt.text, testCode)
		readTable(r)
		expectFaults(t, tt.name, describe(r.End()), tt.want...)
	}
	// The paths of an object within another value.
	r := ijson.NewReader(`[{"a":"b"},{"c":"","c":1}]`, testCode)
	for l := r.List(); l.Next(); {
		readTable(r)
	}
	expectFaults(t, "in a list", describe(r.End()), "16 $[1].c: "+rule, "19 $[1].c: duplicate field")
}

// Members that must be there are those of the object, if there is one.
func TestNamesDemanded(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a":"x","b":"y","c":"z"}`: nil,
		` {"c":"x"}`:                {"1 $.a: missing field", "1 $.b: missing field"},
		`{"b":"x"}`:                 {"0 $.a: missing field"},
		`[]`:                        {"0 $: must be an object"},
		`{"b":"x"`:                  {"8 $: unexpected end of text, expected ',' or '}'"},
	} {
		r := ijson.NewReader(text, testCode)
		n := r.Names()
		for n.Next() {
			r.Text()
		}
		n.Demand("a", "b")
		expectFaults(t, text, describe(r.End()), want...)
	}
}

// The objects count for the depth.
func TestNamesDepth(t *testing.T) {
	r := ijson.NewPartReader(testCode)
	r.OuterDepth = 64
	r.Reset("{}")
	if n := r.Names(); n.OK() || n.Next() {
		t.Error("a 65th object is read")
	}
	expectFaults(t, "too deep", describe(r.End()), "0 $: more than 64 arrays and objects open at once")
	r.OuterDepth = 63
	r.Reset("{}")
	if n := r.Names(); !n.OK() || n.Next() || r.End() != nil {
		t.Errorf("a 64th object is refused: %v", r.End())
	}
}
