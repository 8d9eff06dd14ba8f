package ijson_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

type person struct {
	name, nick string
	age        uint64
}

var personShape = ijson.NewShape(
	ijson.Required("name", func(r *ijson.Reader, p *person) { p.name = r.Text() }),
	ijson.Required("age", func(r *ijson.Reader, p *person) { p.age = r.Count() }),
	ijson.Optional("nick", func(r *ijson.Reader, p *person) { p.nick = r.Text() }),
)

// guest is a reader around a Reader, as rooms have their own.
type guest struct {
	*ijson.Reader
	greeting string
}

var guestShape = ijson.NewOpenShape(
	ijson.Required("name", func(g guest, p *person) { p.name = g.greeting + g.Text() }),
)

// A shape reads what its members say, in any order, and keeps what is not there.
func TestShape(t *testing.T) {
	r := ijson.NewReader(` {"age": 7, "name": "Ada"}`, testCode)
	p := person{nick: "kept"}
	o := personShape.Read(r, &p)
	if faults := r.End(); faults != nil || p != (person{"Ada", "kept", 7}) || !o.OK() || o.Start() != 1 {
		t.Errorf("%+v at %d, %v", p, o.Start(), faults)
	}
	if !personShape.Has(o, "age") || personShape.Has(o, "nick") {
		t.Error("age is missing, or nick is there")
	}
	g := guest{ijson.NewReader(`{"other":[1],"name":"Ada"}`, testCode), "Dear "}
	if guestShape.Read(g, &p); g.End() != nil || p.name != "Dear Ada" {
		t.Errorf("%+v, %v", p, g.End())
	}
}

// The faults of a shape are those of its fields, in their order.
func TestShapeFaults(t *testing.T) {
	for text, want := range map[string][]string{
		`[]`:                               {"0 $: must be an object"},
		`{"nick":"","colour":1,"age":1}`:   {"11 $.colour: unknown field, allowed are name, age, nick", "0 $.name: missing field", "8 $.nick: must be a non-empty string without white space at its ends"},
		`{"name":"x","name":"y","age":-1}`: {"12 $.name: duplicate field", "29 $.age: must be an integral number from 0 to 9007199254740991"},
	} {
		r := ijson.NewReader(text, testCode)
		personShape.Read(r, &person{})
		expectFaults(t, text, describe(r.End()), want...)
	}
}

// A rule about several members faults one of them: its value, or the object if it
// has none.
func TestFailMember(t *testing.T) {
	r := ijson.NewReader(`[{"name":"x","age":1}, {"age" : 2,"name":"y","nick":"z"}]`, testCode)
	for l := r.List(); l.Next(); {
		o := personShape.Read(r, &person{})
		r.FailMember(o.Start(), "nick", "must differ")
		r.FailMember(o.Start(), "age", "must be %d", 3)
	}
	expectFaults(t, "fault of a member", describe(r.End()),
		"1 $[0].nick: must differ", "19 $[0].age: must be 3", "52 $[1].nick: must differ", "32 $[1].age: must be 3")
	r = ijson.NewReader(`{"lid":{"color": 1}}`, testCode)
	r.Skip()
	r.FailMember(0, "lid.color", "must be red")
	r.FailMember(0, "lid.size", "must be 2")
	expectFaults(t, "members of members", describe(r.End()), "17 $.lid.color: must be red", "0 $.lid.size: must be 2")
}

func TestLocate(t *testing.T) {
	const text = `{"a":[1, {"b":"x"}], "c": null}`
	for _, tt := range []struct {
		path []any
		want int
	}{
		{nil, 0}, {[]any{"a"}, 5}, {[]any{"a", 0}, 6}, {[]any{"a", 1, "b"}, 14}, {[]any{"c"}, 26},
		{[]any{"b"}, -1}, {[]any{"a", 2}, -1}, {[]any{"a", "b"}, -1}, {[]any{"c", 0}, -1},
	} {
		if got := ijson.Locate(text, tt.path...); got != tt.want {
			t.Errorf("%v is at %d, want %d", tt.path, got, tt.want)
		}
	}
	if got := ijson.Locate(`{"a":`, "a"); got != -1 {
		t.Errorf("in a text that ends within a value: %d", got)
	}
	if got := ijson.PathOf("claims", 3, "id"); got != ".claims[3].id" {
		t.Errorf("path %s", got)
	}
}

// White space goes where it stands between tokens, and nowhere else.
func TestCompact(t *testing.T) {
	for text, want := range map[string]string{
		``: ``, `{"a":1}`: `{"a":1}`, " { \"a b\" :\t[ 1 ,\r\n2 ] } ": `{"a b":[1,2]}`, `"\" x"  `: `"\" x"`, `"\\" 1`: `"\\"1`,
	} {
		if got := ijson.Compact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// The entry that stands for faults which were not kept has no place in the text:
// it is about none of its characters.
func TestMoreProblemsHaveNoPlace(t *testing.T) {
	text := "[" + strings.Repeat("0,", 2*ijson.DefaultMaxFaults) + "0]"
	r := ijson.NewReader(text, testCode)
	for l := r.List(); l.Next(); {
		r.Text()
	}
	list := r.End().Locate(text, problem.Start("f"))
	last := list[len(list)-1]
	if last.Offset != problem.NoOffset || last.Rest != ijson.DefaultMaxFaults+1 || last.Place != (problem.Place{}) {
		t.Errorf("%+v", last)
	}
	if kept := slices.ContainsFunc(list[:len(list)-1], func(e *problem.Error) bool { return e.Rest > 0 }); kept || len(list) != ijson.DefaultMaxFaults+1 {
		t.Errorf("%d entries", len(list))
	}
}

func TestLists(t *testing.T) {
	r := ijson.NewReader(`[["b","a"],["b","a"],["","x "],["x","x"],["","","y","y"]]`, testCode)
	var lists [][]string
	for l := r.List(); l.Next(); {
		switch l.Index() {
		case 0:
			lists = append(lists, r.Texts())
		case 1:
			lists = append(lists, r.UniqueTexts())
		case 2:
			lists = append(lists, r.Strings())
		case 3, 4:
			r.UniqueTexts()
		}
	}
	if want := [][]string{{"b", "a"}, {"a", "b"}, {"", "x "}}; !slices.EqualFunc(lists, want, slices.Equal) {
		t.Errorf("%q, want %q", lists, want)
	}
	expectFaults(t, "repeated", describe(r.End()), `31 $[3]: must hold each text once: "x" is repeated`,
		"42 $[4][0]: must be a non-empty string without white space at its ends", "45 $[4][1]: must be a non-empty string without white space at its ends",
		`41 $[4]: must hold each text once: "y" is repeated`)
}

type order struct {
	id, key, note string
	parts         []string
}

var orderShape = ijson.NewSparseShape(
	ijson.RequiredWith("parts", "id", func(r *ijson.Reader, o *order) { o.id = r.Text() }),
	ijson.RequiredWithout("parts", "key", func(r *ijson.Reader, o *order) { o.key = r.Text() }),
	ijson.Optional("parts", func(r *ijson.Reader, o *order) { o.parts = r.Texts() }),
	ijson.Required("note", func(r *ijson.Reader, o *order) { o.note = r.Text() }),
)

// In a sparse shape null is the same as left out, for required members too, and
// which members are required may depend on others.
func TestSparseShape(t *testing.T) {
	for text, want := range map[string][]string{
		`{"key":"k","note":"n"}`:                        nil,
		`{"id":null,"key":"k","parts":null,"note":"n"}`: nil,
		`{"note":"n","parts":["p"],"id":"i"}`:           nil,
		`{"note":"n","parts":["p"],"id":"i","key":"k"}`: nil,
		`{}`:                       {"0 $.key: missing field", "0 $.note: missing field"},
		`{"key":null,"note":null}`: {"0 $.key: missing field", "0 $.note: missing field"},
		`{"parts":null,"note":""}`: {"0 $.key: missing field", "21 $.note: must be a non-empty string without white space at its ends"},
		`{"parts":7,"note":"n"}`:   {"0 $.id: missing field", "9 $.parts: must be a list"},
		`{"key":null,"key":"k","note":"n","parts":["p"],"id":"i"}`: {"12 $.key: duplicate field"},
		`{"colour":null,"key":"k","note":"n"}`:                     {"1 $.colour: unknown field, allowed are id, key, parts, note"},
		`{"key":"k","note":"n","parts":[null],"id":"i"}`:           {"31 $.parts[0]: must be a non-empty string without white space at its ends"},
	} {
		r := ijson.NewReader(text, testCode)
		orderShape.Read(r, &order{})
		expectFaults(t, text, describe(r.End()), want...)
	}
	r := ijson.NewReader(`{"id":null,"key":"k","note":"n"}`, testCode)
	o := orderShape.Read(r, &order{})
	if orderShape.Has(o, "id") || orderShape.Has(o, "parts") || !orderShape.Has(o, "key") {
		t.Error("null is taken for a value, or a value for none")
	}
}
