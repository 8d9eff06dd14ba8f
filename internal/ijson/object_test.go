package ijson_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

func TestObject(t *testing.T) {
	full := box{id: "b", note: "n", size: 3, sized: true, tags: []string{"x", "y"}, lid: lid{"flat", ""}}
	bare := box{id: "b", lid: lid{"round", "red"}}
	tests := []struct {
		name, text string
		want       box
	}{
		{"all members", `{"id":"b","note":"n","size":3,"tags":["x","y"],"lid":{"shape":"flat","color":""}}`, full},
		{"another order", `{"lid":{"color":"","shape":"flat"},"tags":["x","y"],"size":3,"note":"n","id":"b"}`, full},
		{"escapes and space", " { \"\\u0069d\" : \"\\u0062\" , \"note\":\"n\",\n\"size\":3e0,\"tags\":[ \"x\" ,\"y\" ],\"lid\":{\"shape\":\"flat\",\"color\":\"\"}}", full},
		{"null and left out", `{"id":"b","note":null,"size":null,"lid":{"shape":"round","color":"red"}}`, bare},
	}
	for _, tt := range tests {
		r := ijson.NewReader(tt.text, testCode)
		got := readBox(r)
		expectFaults(t, tt.name, describe(r.End()))
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// The place of a fault: an unknown or repeated member at its name, a missing
// one at the object, a wrong value at the value.
func TestObjectFaults(t *testing.T) {
	const (
		unknown = "unknown field, allowed are id, note, size, tags, lid"
		meantID = "unknown field, did you mean id? Allowed are id, note, size, tags, lid"
		noLid   = "0 $.lid: missing field"
		text    = "must be a non-empty string without white space at its ends"
	)
	rest := `"note":null,"size":null,"lid":{"shape":"flat","color":""}}`
	tests := []struct {
		name, text string
		want       []string
	}{
		{"wrong value", `{"id": 5,` + rest, []string{"7 $.id: " + text}},
		{"unknown field", `{"id":"b", "x" :1,` + rest, []string{"11 $.x: " + unknown}},
		{"unknown field in an inner object", `{"id":"b","note":null,"size":null,"lid":{"shape":"flat","color":"","y":[]}}`,
			[]string{"67 $.lid.y: unknown field, allowed are shape, color"}},
		{"names as they are", "{\"id\":\"b\",\"a.b[0]\\n \":1,\"\":2,\"ID\":3,\"id \":4," + rest,
			[]string{"10 $.a.b[0]\n : " + unknown, "24 $.: " + unknown, "29 $.ID: " + meantID, "36 $.id : " + meantID}},
		{"name in other letters", `{"\u0049d":1,"id":"b",` + rest, []string{"1 $.Id: " + meantID}},
		{"name with a lone surrogate", `{"id":"b","\ud800":1,` + rest, []string{"11 $.: lone surrogate in a string"}},
		{"known member twice", `{"id":"b","id":"c",` + rest, []string{"10 $.id: duplicate field"}},
		{"the same member twice", `{"id":"b","id":"b",` + rest, []string{"10 $.id: duplicate field"}},
		{"known member three times", `{"id":"b","id":"b","id":"b",` + rest, []string{"10 $.id: duplicate field", "19 $.id: duplicate field"}},
		{"known member twice, once escaped", `{"\u0069d":"b","id":"b",` + rest, []string{"15 $.id: duplicate field"}},
		{"known member twice, again escaped", `{"id":"b","i\u0064":"b",` + rest, []string{"10 $.id: duplicate field"}},
		{"known member again where canonical order has it", `{"id":"b","note":null,"size":null,"lid":{"shape":"flat","color":""},"note":null}`,
			[]string{"68 $.note: duplicate field"}},
		{"unknown field twice", `{"x":1,"id":"b","x":2,` + rest, []string{"1 $.x: " + unknown, "16 $.x: " + unknown}},
		{"repeated with a wrong value", `{"id":"b","id":[],` + rest, []string{"10 $.id: duplicate field"}},
		{"repeated after a wrong value", `{"id":[],"id":"b",` + rest, []string{"9 $.id: duplicate field", "6 $.id: " + text}},
		{"twice within an unknown field", `{"id":"b","x":{"a":1,"a":1},` + rest, []string{"10 $.x: " + unknown}},
		{"a lone surrogate within an unknown field", `{"id":"b","x":["\ud800"],` + rest, []string{"10 $.x: " + unknown}},
		{"a name that goes on", `{"idx":1,"id":"b",` + rest, []string{"1 $.idx: " + meantID}},
		{"no colon", `{"id" "b"}`, []string{`6 $: unexpected character '"', expected ':'`}},
		{"missing field", ` {"id":"b","note":null,"size":null}`, []string{"1 $.lid: missing field"}},
		{"missing fields", `{"size":null}`, []string{"0 $.id: missing field", "0 $.note: missing field", noLid}},
		{"no members", `{}`, []string{"0 $.id: missing field", "0 $.note: missing field", "0 $.size: missing field", noLid}},
		{"missing fields of an inner object", `{"id":"b","note":null,"size":null,"lid": {}}`,
			[]string{"41 $.lid.shape: missing field", "41 $.lid.color: missing field"}},
		{"null for what is not optional", `{"id":null,"note":null,"size":null,"tags":null,"lid":null}`,
			[]string{"6 $.id: " + text, "42 $.tags: must be a list", "53 $.lid: must be an object"}},
		{"wrong kind, whatever it holds", `{"id":{"a":1,"a":1e999,"b":"\ud800"},` + rest, []string{"6 $.id: " + text}},
		{"no object", `[{"id":"b"}]`, []string{"0 $: must be an object"}},
		{"no object but a word", ` null`, []string{"1 $: must be an object"}},
		{"no object but a text", `"{}"`, []string{"0 $: must be an object"}},
		{"items of a list", `{"id":"b","note":"n","size":null,"tags":["a",1,""],"lid":{"shape":"flat","color":""}}`,
			[]string{"45 $.tags[1]: " + text, "47 $.tags[2]: " + text}},
	}
	for _, tt := range tests {
		expectFaults(t, tt.name, boxFaults(tt.text), tt.want...)
	}
}

// Text that is no JSON is one fault at $, wherever it stops to be JSON and
// whatever was found before.
func TestObjectBroken(t *testing.T) {
	for _, text := range []string{
		`{"x":!}`, `{"x":{"a":!}}`, `{"x":[1,!]}`, `{"x":"!`, `{"x":1!}`, `{"x"!`, `{"\ud800":!}`, `{"\ud800"!`, `{"\ud800!`,
		`{"x":1,"y":!}`, `{"id":"b","id":!}`, `{"id":!}`, `{"id":{"a":!}}`, `{"id":5,!}`, `{"id":5!`, `{"id":"b","tags":[1,!]}`, `{"id":"b","tags":[!`,
		`{"id":"","x":1,"lid":{"y":2,!}}`, `{"id":"","x":1,"lid":{"y":!}}`, `{"size":1.!}`, `{"size":-!}`, `{"note":n!}`, `{"lid":{"shape":"!`,
	} {
		at := strings.IndexByte(text, '!')
		if strings.HasSuffix(text, `"!`) || strings.HasSuffix(text, "0!") { // an unfinished string
			text = text[:at]
		}
		faults := boxFaults(text)
		if len(faults) != 1 {
			t.Errorf("%s: %s, want one fault", text, faults)
			continue
		}
		offset, fault, _ := strings.Cut(faults[0], " ")
		if !strings.HasPrefix(fault, "$: unexpected ") || offset != fmt.Sprint(at) && !strings.Contains(text, ":n!") {
			t.Errorf("%s: %s, want a syntax error at %d", text, faults[0], at)
		}
	}
	for _, behind := range []string{"x", "{}", ",", "}"} {
		text := `{"x":1}`
		expectFaults(t, behind, boxFaults(text+behind), fmt.Sprintf("7 $: unexpected character %q, expected the end of the document", behind[0]))
	}
}

// In each object: unknown fields, then missing ones, then values, both in the
// order of its fields and depth first; then rules that tie members together.
func TestFaultOrder(t *testing.T) {
	tests := []struct {
		name    string
		members []string
		want    []string
	}{
		{"values in the order of fields", []string{`"id":1`, `"note":2`, `"size":"3"`, `"tags":4`, `"lid":5`},
			[]string{"$.id", "$.note", "$.size", "$.tags", "$.lid"}},
		{"unknown, missing, wrong", []string{`"x":1`, `"size":""`, `"note":null`, `"lid":{"shape":"flat","color":""}`},
			[]string{"$.x", "$.id", "$.size"}},
		{"the outer object's own before the inner's", []string{`"id":"b"`, `"note":1`, `"lid":{"z":1,"color":2}`},
			[]string{"$.size", "$.note", "$.lid.z", "$.lid.shape", "$.lid.color"}},
		{"depth first", []string{`"id":"b"`, `"note":null`, `"size":-1`, `"tags":["",1,"ok"," "]`, `"lid":{"shape":1,"color":2}`},
			[]string{"$.size", "$.tags[0]", "$.tags[1]", "$.tags[3]", "$.lid.shape", "$.lid.color", "$.note"}},
		{"rules over several members last", []string{`"id":""`, `"note":null`, `"size":null`, `"tags":["a"]`, `"lid":{"shape":"flat","color":"flat"}`},
			[]string{"$.id", "$.lid.color", "$.note"}},
	}
	for _, tt := range tests {
		first := boxFaults("{" + strings.Join(tt.members, ",") + "}")
		expectPaths(t, tt.name, first, tt.want...)
		permute(tt.members, func(members []string) {
			text := "{" + strings.Join(members, ",") + "}"
			if got := boxFaults(text); !slices.Equal(withoutOffsets(got), withoutOffsets(first)) {
				t.Errorf("%s: %s\n got %s\nwant %s", tt.name, text, got, first)
			}
		})
	}
	// Members that may not be there come in the order of the text.
	expectPaths(t, "unknown ones", boxFaults(`{"y":1,"id":"b","x":1,"id":"c","a":1}`), "$.y", "$.x", "$.id", "$.a", "$.note", "$.size", "$.lid")
}

// Of a text with more faults than are told, the first are told, in whatever order
// the members stand, and how many more there are.
func TestFirstOfManyFaults(t *testing.T) {
	const many = 20_000
	tags := `"tags":[` + strings.Repeat("0,", many-1) + `0]`
	unknown := strings.TrimSuffix(strings.Repeat(`"x":0,`, many), ",")
	tests := []struct {
		name    string
		members []string
		want    []string // the first paths
		total   int
	}{
		{"an item of a list", []string{tags, `"id":1`, `"lid":{"color":1}`, `"y":2`, `"note":null`},
			[]string{"$.y", "$.size", "$.id", "$.tags[0]", "$.tags[1]"}, many + 6},
		{"unknown fields", []string{`"tags":0`, unknown, `"id":1`, `"size":""`, `"note":null`},
			[]string{"$.x", "$.x", "$.x"}, many + 4},
		{"an item of an inner list", []string{`"note":null`, `"tags":[` + strings.Repeat(`"",`, many) + `""]`, `"lid":{"x":1,"color":3}`, `"id":"b"`, `"size":-1`},
			[]string{"$.size", "$.tags[0]", "$.tags[1]"}, many + 6},
	}
	for _, tt := range tests {
		for n := range tt.members { // each was first, and last
			members := slices.Concat(tt.members[n:], tt.members[:n])
			got := withoutOffsets(boxFaults("{" + strings.Join(members, ",") + "}"))
			if len(got) != ijson.DefaultMaxFaults+1 {
				t.Fatalf("%s: %d faults", tt.name, len(got))
			}
			for i, want := range tt.want {
				if path, _, _ := strings.Cut(got[i], ":"); path != want {
					t.Errorf("%s: fault %d at %s, want %s", tt.name, i, path, want)
				}
			}
			want := fmt.Sprintf("$: %d more problems", tt.total-ijson.DefaultMaxFaults)
			if last := got[len(got)-1]; last != want {
				t.Errorf("%s: the last is %q, want %q", tt.name, last, want)
			}
		}
	}
}

// A text is not read on when so many faults are counted that no more are: the first
// are told in their order, and that there may be others.
func TestTextOfTooManyFaults(t *testing.T) {
	const many = 2 * problem.MostCounted
	list := func(item string) string { return "[" + strings.Repeat(item+",", many) + item + "]" }
	for name, tt := range map[string]struct {
		text string
		want []string // the first paths
	}{
		"items":          {`{"tags":` + list("0") + `,"y":1}`, []string{"$.tags[0]", "$.tags[1]"}},
		"after others":   {`{"id":1,"y":1,"tags":` + list("0") + `}`, []string{"$.y", "$.id", "$.tags[0]"}},
		"unknown fields": {`{` + strings.Repeat(`"x":0,`, many) + `"id":1}`, []string{"$.x", "$.x"}},
		"objects":        {`{"lid":{` + strings.Repeat(`"x":0,`, many) + `"color":1}}`, []string{"$.lid.x", "$.lid.x"}},
		"no JSON after":  {`{"tags":` + list("0") + `]`, []string{"$.tags[0]"}},
	} {
		got := withoutOffsets(boxFaults(tt.text))
		for i, want := range tt.want {
			if path, _, _ := strings.Cut(got[i], ":"); path != want {
				t.Errorf("%s: fault %d at %s, want %s", name, i, path, want)
			}
		}
		if last := got[len(got)-1]; len(got) != problem.DefaultMost+1 || last != "$: at least 99000 more problems: the rest was not read" {
			t.Errorf("%s: %d faults, the last is %q", name, len(got), last)
		}
	}
	// What is skipped has no faults, however many there are in it.
	r := ijson.NewReader(`{"skipped":`+list(`"\ud800"`)+`,"id":1,"color":"red"}`, testCode)
	for n := r.Names(); n.Next(); {
		if n.Name() == "skipped" {
			r.Count()
		} else {
			r.Text()
		}
	}
	expectFaults(t, "skipped", describe(r.End()), "11 $.skipped: must be an integral number from 0 to 9007199254740991",
		fmt.Sprintf("%d $.id: must be a non-empty string without white space at its ends", len(`{"skipped":`)+len(list(`"\ud800"`))+len(`,"id":`)))
}

// Whether a value has faults shows even where no more are kept.
func TestMarkBeyondTheFaultsKept(t *testing.T) {
	r := ijson.NewReader(`[`+strings.Repeat("0,", 100_000)+`"good"]`, testCode)
	for l := r.List(); l.Next(); {
		mark := r.Mark()
		if good := r.Text() != ""; good != (r.Mark() == mark) {
			t.Fatalf("item %d: good is %v, the mark went from %d to %d", l.Index(), good, mark, r.Mark())
		}
	}
}

// permute yields all orders of a few strings.
func permute(list []string, yield func([]string)) {
	var rest func(k int)
	rest = func(k int) {
		if k == len(list) {
			yield(list)
			return
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			rest(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	list = slices.Clone(list)
	rest(0)
}

func withoutOffsets(faults []string) []string {
	out := slices.Clone(faults)
	for i := range out {
		_, out[i], _ = strings.Cut(out[i], " ")
	}
	return out
}

func TestObjectWalk(t *testing.T) {
	r := ijson.NewReader(` {"id":"b"}`, testCode)
	o := boxShape.Read(r, &box{})
	if !o.OK() || o.Start() != 1 || !boxShape.Has(o, "id") || boxShape.Has(o, "note") || boxShape.Has(o, "other") {
		t.Errorf("an object at 1: %v, %d, has id: %v, note: %v", o.OK(), o.Start(), boxShape.Has(o, "id"), boxShape.Has(o, "note"))
	}
	r = ijson.NewReader(`[]`, testCode)
	if o = boxShape.Read(r, &box{}); o.OK() {
		t.Error("an array is an object")
	}
	r = ijson.NewPartReader(testCode)
	r.OuterDepth = ijson.MaxDepth
	r.Reset("{}")
	if o = boxShape.Read(r, &box{}); o.OK() {
		t.Error("a 65th object is read")
	}
	r.Reset("[]")
	if l := r.List(); l.OK() || l.Next() {
		t.Error("a 65th array is read")
	}
}

// A Shape has at most 64 members, all of them usable.
func TestManyMembers(t *testing.T) {
	var required []ijson.ShapeMember[*ijson.Reader, int]
	var members []string
	for i := range 64 {
		required = append(required, ijson.Required(fmt.Sprintf("m%d", i), func(r *ijson.Reader, n *int) {
			if r.Count() != uint64(i) {
				t.Errorf("the value of m%d is not its own", i)
			}
			*n++
		}))
		members = append(members, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	shape := ijson.NewShape(required...)
	read := func(text string) (faults []string, n int) {
		r := ijson.NewReader(text, testCode)
		shape.Read(r, &n)
		return describe(r.End()), n
	}
	faults, n := read("{" + strings.Join(members, ",") + "}")
	expectFaults(t, "all", faults)
	if n != 64 {
		t.Errorf("%d of 64 members are read", n)
	}
	slices.Reverse(members)
	faults, _ = read("{" + strings.Join(members, ",") + "}")
	expectFaults(t, "backwards", faults)
	faults, _ = read("{" + strings.Join(members[1:63], ",") + "}") // backwards: without m63 and m0
	expectFaults(t, "but two", faults, "0 $.m0: missing field", "0 $.m63: missing field")
}

// Open objects may have members that nobody asked for, of any shape. They must
// be JSON all the same.
func TestOpenShape(t *testing.T) {
	shape := ijson.NewOpenShape(
		ijson.Required("id", func(r *ijson.Reader, id *string) { *id = r.String() }),
		ijson.Optional("note", func(r *ijson.Reader, _ *string) { _ = r.String() }),
	)
	read := func(text string) (id string, faults []string) {
		r := ijson.NewReader(text, testCode)
		shape.Read(r, &id)
		return id, describe(r.End())
	}
	for _, text := range []string{`{"id":"a"}`, `{"x":1,"id":"a","y":{"id":2,"z":[[]]},"z":null}`, `{"id":"a","":[],"i\u0064d":"b"}`} {
		if id, faults := read(text); id != "a" || faults != nil {
			t.Errorf("%s: %q %v", text, id, faults)
		}
	}
	_, faults := read(`{"x":{},"y":"\ud800"}`)
	expectFaults(t, "missing", faults, "13 $.y: lone surrogate in a string", "0 $.id: missing field")
	_, faults = read(`{"id":"a","x":[1,]}`)
	expectFaults(t, "broken", faults, "17 $: unexpected character ']', expected a value")
	_, faults = read(`{"id":"a","id":"b","x":0}`)
	expectFaults(t, "duplicate", faults, "10 $.id: duplicate field")
	_, faults = read(`{"x":1,"id":"a","x":[1e999],"y":{"z":1e999,"\u007a":2}}`)
	expectFaults(t, "others", faults, "16 $.x: duplicate field", "37 $.y.z: number too large: at most 1.7976931348623157e+308", "43 $.y.z: duplicate field")
}
