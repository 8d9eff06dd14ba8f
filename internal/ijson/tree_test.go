package ijson_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// The example of RFC 8785 section 3.2.2, and what else makes canonical JSON.
func TestCanonical(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{
		  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
		  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
		  "literals": [null, true, false]
		}`, `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		// Its section 3.2.3: the order of member names.
		{`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\uFB33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{` [ ] `, `[]`},
		{`{ }`, `{}`},
		{`[[],{},"",0]`, `[[],{},"",0]`},
		{`{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}],"":0}`, `{"":0,"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`},
		{`{"ab":1,"a":2,"B":3,"b":4,"aa":5,"10":6,"9":7}`, `{"10":6,"9":7,"B":3,"a":2,"aa":5,"ab":1,"b":4}`},
	}
	for _, tt := range tests {
		accept(t, tt.text, tt.want)
		accept(t, tt.want, tt.want)
		theirs, err := jcs.Transform([]byte(tt.text))
		if err != nil || string(theirs) != tt.want {
			t.Errorf("jcs writes %s as %s, %v", tt.text, theirs, err)
		}
	}
}

// A name may occur once in each object.
func TestDuplicateNames(t *testing.T) {
	const duplicate = ": duplicate field"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"at the top", `{"a":1,"b":2,"a":1}`, []string{"13 $.a" + duplicate}},
		{"escaped", `{"id":1,"\u0069d":2}`, []string{"8 $.id" + duplicate}},
		{"escaped first", `{"\u0069d":1,"id":2}`, []string{"13 $.id" + duplicate}},
		{"a pair and its escapes", `{"😀":1,"\ud83d\ude00":2}`, []string{"10 $.😀" + duplicate}},
		{"empty", `{"":1,"":2}`, []string{"6 $." + duplicate}},
		{"inside", `[0,{"a":{"b":[],"b":{}}}]`, []string{"16 $[1].a.b" + duplicate}},
		{"several", `{"a":1,"a":2,"a":3,"b":{"c":1,"c":2}}`, []string{"30 $.b.c" + duplicate, "7 $.a" + duplicate, "13 $.a" + duplicate}},
		{"with a fault in the second value", `{"a":[1],"a":"\udb00"}`, []string{"14 $.a: lone surrogate in a string", "9 $.a" + duplicate}},
		{"beside one that is no text", `{"":1,"\ud800":2}`, []string{"7 $.: lone surrogate in a string"}},
	}
	for _, tt := range tests {
		refuse(t, tt.name, tt.text, tt.want...)
	}
	accept(t, `[{"a":1},{"a":{"a":{}}},{"A":1,"a":2,"a ":3}]`, `[{"a":1},{"a":{"a":{}}},{"A":1,"a":2,"a ":3}]`)
}

func TestGet(t *testing.T) {
	v, err := ijson.ReadValue(`{"a":[1],"\u0062":null}`, testCode)
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := v.Get("a"); !ok || a.Kind != '[' || len(a.Items) != 1 || a.Items[0].Text != "1" {
		t.Errorf("a is %+v, %v", a, ok)
	}
	if b, ok := v.Get("b"); !ok || b.Kind != 'n' {
		t.Errorf("b is %+v, %v", b, ok)
	}
	if c, ok := v.Get("c"); ok {
		t.Errorf("c is %+v", c)
	}
}

// Random values, written with random white space, escapes and order of members,
// have the canonical text that two other ways of computing it give.
func TestCanonicalAgreesWithOracles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7493, 5))
	for range 3000 {
		text := randomJSON(rnd, 4)
		var theirs any
		if err := json.Unmarshal([]byte(text), &theirs); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := canonicalAny(theirs)
		accept(t, text, want)
		if transformed, err := jcs.Transform([]byte("[" + text + "]")); err != nil || string(transformed) != "["+want+"]" {
			t.Fatalf("jcs writes %s as %s, %v; want %s", text, transformed, err, want)
		}
	}
}

func randomJSON(rnd *rand.Rand, depth int) string {
	space := func() string { return []string{"", "", " ", "\n\t"}[rnd.IntN(4)] }
	kind := rnd.IntN(7)
	if depth == 0 {
		kind %= 5
	}
	var out string
	switch kind {
	case 0:
		out = []string{"null", "true", "false"}[rnd.IntN(3)]
	case 1, 2:
		out = []string{"0", "-0", "1.50", "1e3", "2E-9", "123456789012345680000", "1e21", "-7", "0.1", "5e-324"}[rnd.IntN(10)]
	case 3, 4:
		out = randomString(rnd)
	case 5:
		items := make([]string, rnd.IntN(4))
		for i := range items {
			items[i] = randomJSON(rnd, depth-1)
		}
		out = "[" + space() + strings.Join(items, ",") + "]"
	case 6:
		seen := map[string]bool{}
		var members []string
		for range rnd.IntN(5) {
			name := randomString(rnd)
			var plain string
			json.Unmarshal([]byte(name), &plain)
			if !seen[plain] {
				seen[plain] = true
				members = append(members, name+space()+":"+randomJSON(rnd, depth-1))
			}
		}
		out = "{" + space() + strings.Join(members, ",") + "}"
	}
	return space() + out + space()
}

func randomString(rnd *rand.Rand) string {
	parts := []string{"a", "b", "A", "1", "é", `\u00e9`, `\u0061`, "😀", `\ud83d\ude00`, "\uFB33", `\ufb33`, `\n`, `\u000a`, `\/`, "/", `\"`, `\\`, `\u001F`, "\u2028", "<", "\x7f"}
	out := `"`
	for range rnd.IntN(4) {
		out += parts[rnd.IntN(len(parts))]
	}
	return out + `"`
}
