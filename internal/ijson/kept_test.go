package ijson_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

func TestTextList(t *testing.T) {
	const text = ` [ "a", "\u00e9\"\\", "[\"]", "" , "}" ] `
	r := ijson.NewReader(text, problem.InvalidJSON)
	list := r.TextList()
	if faults := r.End(); faults != nil {
		t.Fatal(faults)
	}
	var positions []int
	var texts []string
	for i, s := range list.All() {
		positions, texts = append(positions, i), append(texts, s)
	}
	if !slices.Equal(texts, []string{"a", "é\"\\", `["]`, "", "}"}) || !slices.Equal(positions, []int{0, 1, 2, 3, 4}) {
		t.Errorf("%q at %v", texts, positions)
	}
	for range list.All() {
		break // it may end early
	}
	for n := range len(texts) + 1 {
		if equal := list.Equal(texts[:n]); equal != (n == len(texts)) {
			t.Errorf("the list is equal to its first %d texts: %v", n, equal)
		}
	}
	if list.Equal(append(texts[:4:4], "{")) || list.Equal(append(texts[:5:5], "")) || !ijson.TextList("[]").Equal(nil) {
		t.Error("lists are compared wrongly")
	}
	for range ijson.TextList("").All() {
		t.Error("a list that is not there has a text")
	}
	for text, want := range map[string]string{
		`{}`:         "$: must be a list",
		`["a",1]`:    "$[1]: must be a string",
		`["\ud800"]`: "$[0]: lone surrogate in a string",
	} {
		r := ijson.NewReader(text, problem.InvalidJSON)
		r.TextList()
		if faults := r.End(); len(faults) != 1 || faults[0].Error() != want {
			t.Errorf("%s: %v, want %s", text, faults, want)
		}
	}
	r = ijson.NewReader(`["a","c"]`, problem.InvalidJSON)
	r.EnumList("a", "b")
	if faults := r.End(); len(faults) != 1 || faults[0].Error() != "$[1]: must be a or b" {
		t.Errorf("faults %v", faults)
	}
}

// A value that is kept is the text between the tokens around it.
func TestSkipText(t *testing.T) {
	r := ijson.NewReader(` [ {"a" : 1} , 2 ]`, problem.InvalidJSON)
	var texts []string
	for l := r.List(); l.Next(); {
		texts = append(texts, r.SkipText())
	}
	if !slices.Equal(texts, []string{`{"a" : 1}`, "2"}) || r.End() != nil {
		t.Errorf("%q", texts)
	}
	r = ijson.NewReader(`{"a"`, problem.InvalidJSON)
	if text := r.SkipText(); text != "" || !r.IsBroken() {
		t.Errorf("a broken text has the part %q", text)
	}
}

func TestCanonicalText(t *testing.T) {
	text, err := ijson.Canonical(`{"b" : [1.0], "a":"\u00e9"}`, problem.InvalidTrustBundle)
	if err != nil || string(text) != `{"a":"é","b":[1]}` {
		t.Errorf("%s, %v", text, err)
	}
	_, err = ijson.Canonical(`{"b":1,"b":2}`, problem.InvalidTrustBundle)
	if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidTrustBundle || faults[0].Path != "$.b" {
		t.Errorf("%v", err)
	}
}

func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":"x","\u0061":"y","":"z"}`:  "",
		`[]`:                             "0 $: must be an object",
		`{"a":1,"b":"x"}`:                "5 $.a: must be a string",
		`{"b":"x","a":"y","\u0062":"z"}`: "17 $.b: duplicate field",
		`{"a":"x","a":1,"a":"y"}`:        "9 $.a: duplicate field, 13 $.a: must be a string, 15 $.a: duplicate field",
		`{"a":"x"`:                       "8 $: unexpected end of text, expected ',' or '}'",
	} {
		r := ijson.NewReader(text, testCode)
		r.Members(func(string) { _ = r.String() })
		got := describe(r.End())
		slices.Sort(got)
		wanted := strings.Split(want, ", ")
		slices.Sort(wanted)
		if strings.Join(got, "|") != strings.Join(wanted, "|") && strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
