package ijson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
)

func TestString(t *testing.T) {
	tests := []struct{ text, want string }{
		{`""`, ""},
		{`"plain"`, "plain"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u00E9\uFB33"`, "Aéé\uFB33"},
		{`"\u0000\u001F\u007f"`, "\x00\x1f\x7f"},
		{`"\ud83d\ude00\uD83D\uDE00"`, "😀😀"},
		{`"\ud800\udc00\udbff\udfff"`, "\U00010000\U0010FFFF"},
		{`"a\u00e9b\\u0041"`, `aéb\u0041`},
		{`"\ufeff\ufffe\uffff\ufffd"`, "\uFEFF\uFFFE\uFFFF\uFFFD"},
		{"\"é한😀\x7f\u2028\"", "é한😀\x7f\u2028"},
	}
	for _, tt := range tests {
		r := ijson.NewReader(tt.text, testCode)
		if got := r.String(); got != tt.want || r.End() != nil {
			t.Errorf("%s is read as %q, want %q (%v)", tt.text, got, tt.want, r.End())
		}
		var theirs string
		if err := json.Unmarshal([]byte(tt.text), &theirs); err != nil || theirs != tt.want {
			t.Errorf("encoding/json reads %s as %q, %v", tt.text, theirs, err)
		}
	}
}

func TestStringRefused(t *testing.T) {
	const (
		lone   = "lone surrogate in a string"
		hex    = "expected four hexadecimal digits"
		escape = `expected one of " \ / b f n r t u after the backslash`
	)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"high surrogate alone", `"\ud800"`, []string{"1 $: " + lone}},
		{"high surrogate, then text", `"a\uDBFFb"`, []string{"2 $: " + lone}},
		{"high surrogate, then another escape", `"\ud83d\n"`, []string{"1 $: " + lone}},
		{"high surrogate, then a character", `"\ud83d\u0041"`, []string{"1 $: " + lone}},
		{"high surrogate, then a whole pair", `"\ud800\ud83d\ude00"`, []string{"1 $: " + lone}},
		{"low surrogate alone", `"\udc00"`, []string{"1 $: " + lone}},
		{"low surrogate at the end", `"abc\uDFFF"`, []string{"4 $: " + lone}},
		{"pair in the wrong order", `"\ude00\ud83d"`, []string{"1 $: " + lone, "7 $: " + lone}},
		{"each lone surrogate of a list", `["\ud800","x","\ude00"]`, []string{"2 $[0]: " + lone, "15 $[2]: " + lone}},
		{"in a member", `{"a":"\ud800"}`, []string{"6 $.a: " + lone}},

		{"no end", `"abc`, []string{"4 $: unexpected end of text in a string"}},
		{"no end after an escape", `"\n`, []string{"3 $: unexpected end of text in a string"}},
		{"quote escaped away", `"a\"`, []string{"4 $: unexpected end of text in a string"}},
		{"backslash at the end", `"\`, []string{"2 $: unexpected end of text, " + escape}},
		{"unknown escape", `"\x41"`, []string{"2 $: unexpected character 'x', " + escape}},
		{"escaped single quote", `"\'"`, []string{`2 $: unexpected character '\'', ` + escape}},
		{"capital U", `"\U0041"`, []string{"2 $: unexpected character 'U', " + escape}},
		{"three digits", `"\u123"`, []string{`6 $: unexpected character '"', ` + hex}},
		{"no hexadecimal digit", `"\u12g4"`, []string{"5 $: unexpected character 'g', " + hex}},
		{"digit of another script", `"\u１234"`, []string{"3 $: unexpected character '１', " + hex}},
		{"braces", `"\u{41}"`, []string{"3 $: unexpected character '{', " + hex}},
		{"second half cut off", `"\ud83d\ude0"`, []string{`12 $: unexpected character '"', ` + hex}},
		{"digits cut off", `"\u00`, []string{"5 $: unexpected end of text, " + hex}},
	}
	for _, tt := range tests {
		refuse(t, tt.name, tt.text, tt.want...)
	}
}

// Every control character must be escaped, in values and names.
func TestControlCharacters(t *testing.T) {
	for c := range 0x20 {
		reason := fmt.Sprintf("unexpected character %q, expected an escape for a control character", rune(c))
		refuse(t, "in a value", fmt.Sprintf("[\"ab%c\"]", c), "4 $: "+reason)
		refuse(t, "after an escape", fmt.Sprintf("[\"\\n%c\"]", c), "4 $: "+reason)
		refuse(t, "in a name", fmt.Sprintf("{\"%c\":1}", c), "2 $: "+reason)
		accept(t, fmt.Sprintf(`"\u%04x"`, c), string(jsonOf(string(rune(c)))))
	}
}

func jsonOf(s string) []byte { return []byte(quote(s)) }

// trimmed are the characters that ECMAScript's trim removes.
const trimmed = "\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF"

// A text has no white space at its ends. Each character of the Basic
// Multilingual Plane, and some above, is tried at both.
func TestTextIsTrimmed(t *testing.T) {
	const rule = "must be a non-empty string without white space at its ends"
	for c := rune(0); c <= 0x1FFFF; c++ {
		if c >= 0xD800 && c <= 0xDFFF {
			continue
		}
		space := strings.ContainsRune(trimmed, c)
		for _, s := range []string{string(c) + "a", "a" + string(c), string(c), string(c) + "é", "é" + string(c)} {
			if ijson.IsText(s) == space {
				t.Errorf("IsText(%+q) is %v", s, !space)
			}
		}
		if !ijson.IsText("a" + string(c) + "a") {
			t.Errorf("%U is refused in the middle", c)
		}
	}
	for _, s := range strings.Split(trimmed, "") {
		for _, text := range []string{s, s + "a", "a" + s, "\u00e9" + s} {
			r := ijson.NewReader(string(jsonOf(text)), testCode)
			r.Text()
			expectFaults(t, text, describe(r.End()), "0 $: "+rule)
			r = ijson.NewReader(string(jsonOf(text)), testCode)
			r.TextOrNull()
			expectFaults(t, text, describe(r.End()), "0 $: must be null or a"+strings.TrimPrefix(rule, "must be a"))
		}
	}
	for _, s := range []string{"\u0085", "\u200B", "\u180E", "\u2060", "\x00", "\x1f", "\x7f"} {
		for _, text := range []string{s, s + "a", "a" + s} {
			r := ijson.NewReader(string(jsonOf(text)), testCode)
			if got := r.Text(); got != text || r.End() != nil {
				t.Errorf("%+q is read as %+q (%v)", text, got, r.End())
			}
		}
	}
}

func TestText(t *testing.T) {
	const rule = "must be a non-empty string without white space at its ends"
	for _, text := range []string{`""`, `" a"`, `"a "`, `"\u00a0a"`, "null", "1", "true", "{}", "[]", `["a"]`} {
		r := ijson.NewReader("\n"+text, testCode)
		if got := r.Text(); got != "" {
			t.Errorf("%s is refused and read as %q", text, got)
		}
		expectFaults(t, text, describe(r.End()), "1 $: "+rule)
		if text == "null" {
			continue
		}
		r = ijson.NewReader("\n"+text, testCode)
		if got := r.TextOrNull(); got != "" {
			t.Errorf("%s is refused and read as %q", text, got)
		}
		expectFaults(t, text, describe(r.End()), "1 $: must be null or a"+strings.TrimPrefix(rule, "must be a"))
	}
	r := ijson.NewReader(` null `, testCode)
	if got := r.TextOrNull(); got != "" || r.End() != nil {
		t.Errorf("null is read as %q (%v)", got, r.End())
	}
	for _, read := range []func(*ijson.Reader) string{(*ijson.Reader).Text, (*ijson.Reader).TextOrNull} {
		r := ijson.NewReader(` "a\u0062 c" `, testCode)
		if got := read(r); got != "ab c" || r.End() != nil {
			t.Errorf("%q is read (%v)", got, r.End())
		}
	}
	// A lone surrogate is one fault, not two.
	r = ijson.NewReader(`"\ud800"`, testCode)
	r.Text()
	expectFaults(t, "lone surrogate", describe(r.End()), "1 $: lone surrogate in a string")
}

// TextLimit counts bytes of UTF-8, not of the text with its escapes.
func TestTextLimit(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{`"abcd"`, nil},
		{`"éé"`, nil},
		{`"\u00e9\u00e9"`, nil},
		{`"😀"`, nil},
		{`"abcde"`, []string{"0 $: must be at most 4 bytes of UTF-8, has 5"}},
		{`"aéé"`, []string{"0 $: must be at most 4 bytes of UTF-8, has 5"}},
		{`"😀\u0021"`, []string{"0 $: must be at most 4 bytes of UTF-8, has 5"}},
		{`"     "`, []string{"0 $: must be at most 4 bytes of UTF-8, has 5"}},
	}
	for _, tt := range tests {
		for _, read := range []func(*ijson.Reader) string{(*ijson.Reader).Text, (*ijson.Reader).TextOrNull, (*ijson.Reader).String} {
			r := ijson.NewReader(tt.text, testCode)
			r.TextLimit = 4
			read(r)
			expectFaults(t, tt.text, describe(r.End()), tt.want...)
		}
	}
	r := ijson.NewReader(`["a","ab"]`, testCode)
	r.TextLimit = 1
	for l := r.List(); l.Next(); {
		r.Text()
	}
	expectFaults(t, "one byte", describe(r.End()), "5 $[1]: must be at most 1 bytes of UTF-8, has 2")
}

func TestEnum(t *testing.T) {
	for text, want := range map[string]string{`"flat"`: "flat", `"r\u006fund"`: "round"} {
		r := ijson.NewReader(text, testCode)
		if got := r.Enum("flat", "round"); got != want || r.End() != nil {
			t.Errorf("%s is read as %q (%v)", text, got, r.End())
		}
	}
	const close = ", did you mean flat?"
	for text, question := range map[string]string{`""`: "", `"Flat"`: close, `"flat "`: close, `"fla"`: close, `"falt"`: close, `"flatter"`: "",
		"null": "", "1": "", "false": "", `["flat"]`: "", `{"flat":1}`: ""} {
		r := ijson.NewReader(" "+text, testCode)
		if got := r.Enum("flat", "round"); got != "" {
			t.Errorf("%s is refused and read as %q", text, got)
		}
		expectFaults(t, text, describe(r.End()), "1 $: must be flat or round"+question)
	}
	for want, values := range map[string][]string{
		"a": {"a"}, "a or b": {"a", "b"}, "a, b, c or d": {"a", "b", "c", "d"}, "": nil,
	} {
		if got := ijson.Alternatives(values); got != want {
			t.Errorf("Alternatives(%q) is %q, want %q", values, got, want)
		}
	}
}

// Escaped tells whether any string, a name or a skipped one too, had an escape.
func TestEscaped(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":"b","c":["d"]}`: false, `{"a":"\u0062"}`: true, `{"\u0061":1}`: true, `["\n"]`: true, "[\"é\x7f\"]": false,
	} {
		r := ijson.NewReader(text, testCode)
		r.Skip()
		if r.End() != nil || r.Escaped() != want {
			t.Errorf("%s: Escaped is %v, want %v (%v)", text, r.Escaped(), want, r.End())
		}
	}
}
