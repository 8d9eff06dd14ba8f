package ijson_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is no JSON is refused at the offending character, with path $ and with
// nothing else said of the document.
func TestSyntax(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "0 $: unexpected end of text, expected a value"},
		{"white space alone", " \n\t\r", "4 $: unexpected end of text, expected a value"},
		{"byte order mark alone", "\uFEFF", "3 $: unexpected end of text, expected a value"},

		{"two values", "1 2", "2 $: unexpected character '2', expected the end of the document"},
		{"two objects", "{} {}", "3 $: unexpected character '{', expected the end of the document"},
		{"stray bracket behind", "[]]", "2 $: unexpected character ']', expected the end of the document"},
		{"stray comma behind", "{},", "2 $: unexpected character ',', expected the end of the document"},
		{"stray bracket", "]", "0 $: unexpected character ']', expected a value"},
		{"comment", "// no\n1", "0 $: unexpected character '/', expected a value"},

		{"array without end", "[1", "2 $: unexpected end of text, expected ',' or ']'"},
		{"array with empty item", "[1,,2]", "3 $: unexpected character ',', expected a value"},
		{"array with comma first", "[,1]", "1 $: unexpected character ',', expected a value"},
		{"array with comma last", "[1,]", "3 $: unexpected character ']', expected a value"},
		{"array without comma", "[1 2]", "3 $: unexpected character '2', expected ',' or ']'"},
		{"array closed as object", "[1}", "2 $: unexpected character '}', expected ',' or ']'"},
		{"empty array closed as object", "[}", "1 $: unexpected character '}', expected a value"},

		{"object without end", "{", "1 $: unexpected end of text, expected a field name in quotes"},
		{"object with comma first", `{,"a":1}`, "1 $: unexpected character ',', expected a field name in quotes"},
		{"object with comma last", `{"a":1,}`, "7 $: unexpected character '}', expected a field name in quotes"},
		{"object without comma", `{"a":1"b":2}`, `6 $: unexpected character '"', expected ',' or '}'`},
		{"object without colon", `{"a" 1}`, "5 $: unexpected character '1', expected ':'"},
		{"object with two colons", `{"a"::1}`, "5 $: unexpected character ':', expected a value"},
		{"object without value", `{"a":}`, "5 $: unexpected character '}', expected a value"},
		{"object with bare name", "{a:1}", "1 $: unexpected character 'a', expected a field name in quotes"},
		{"object with single quotes", "{'a':1}", `1 $: unexpected character '\'', expected a field name in quotes`},
		{"object with a number as name", "{1:1}", "1 $: unexpected character '1', expected a field name in quotes"},
		{"object closed as array", `{"a":1]`, "6 $: unexpected character ']', expected ',' or '}'"},
		{"empty object closed as array", "{]", "1 $: unexpected character ']', expected a field name in quotes"},

		{"word too long", "nullx", "4 $: unexpected character 'x', expected the end of the document"},
		{"word too short", "[tru]", "4 $: unexpected character ']', expected true"},
		{"word cut off", "nul", "3 $: unexpected end of text, expected null"},
		{"word in capitals", "True", "0 $: unexpected character 'T', expected a value"},
		{"words of other languages", "undefined", "0 $: unexpected character 'u', expected a value"},
		{"not a number", "NaN", "0 $: unexpected character 'N', expected a value"},
		{"infinity", "[-Infinity]", "2 $: unexpected character 'I', expected a number without leading zeros"},

		{"NUL alone", "\x00", `0 $: unexpected character '\x00', expected a value`},
		{"NUL in an array", "[\x00]", `1 $: unexpected character '\x00', expected a value`},
		{"NUL behind", "1\x00", `1 $: unexpected character '\x00', expected the end of the document`},
		{"NUL in a string", "\"a\x00\"", `2 $: unexpected character '\x00', expected an escape for a control character`},
		{"NUL after a name", "{\"a\"\x00:1}", `4 $: unexpected character '\x00', expected ':'`},

		{"the offset counts bytes", `["é한😀" x]`, "13 $: unexpected character 'x', expected ',' or ']'"},
		{"the character is a whole one", "[é]", "1 $: unexpected character 'é', expected a value"},
		{"nothing else is said", `{"a":1e999,"a":2,"b":"\ud800",x}`, "30 $: unexpected character 'x', expected a field name in quotes"},
	}
	for _, tt := range tests {
		refuse(t, tt.name, tt.text, tt.want)
	}
}

func TestEncoding(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"lone continuation", "\x80", "0 $: invalid UTF-8"},
		{"in a string", "[\"é\xff\"]", "4 $: invalid UTF-8"},
		{"in a name", "{\"\xc3\":1}", "2 $: invalid UTF-8"},
		{"between values", "[1,\xfe2]", "3 $: invalid UTF-8"},
		{"behind the document", "{}\xff", "2 $: invalid UTF-8"},
		{"cut off", "\"\xf0\x9f\x98", "1 $: invalid UTF-8"},
		{"overlong", "\"\xc0\xaf\"", "1 $: invalid UTF-8"},
		{"a surrogate as bytes", "\"\xed\xa0\x80\"", "1 $: invalid UTF-8"},
		{"above U+10FFFF", "\"\xf4\x90\x80\x80\"", "1 $: invalid UTF-8"},
		{"before any syntax error", "x\"\xff\"", "2 $: invalid UTF-8"},
		{"UTF-16, big endian", "\xfe\xff\x00[\x00]", "0 $: invalid UTF-8"},
		{"UTF-16, little endian", "\xff\xfe[\x00]\x00", "0 $: invalid UTF-8"},
		{"UTF-16 without mark", "[\x00]\x00", `1 $: unexpected character '\x00', expected a value`},
		{"UTF-32", "\x00\x00\x00[\x00\x00\x00]", `0 $: unexpected character '\x00', expected a value`},
	}
	for _, tt := range tests {
		refuse(t, tt.name, tt.text, tt.want)
	}
	// U+FFFD may be written; it is what broken UTF-8 is often read as.
	accept(t, "\"\uFFFD\"", "\"\uFFFD\"")
}

// One byte order mark may stand in front and nowhere else.
func TestByteOrderMark(t *testing.T) {
	accept(t, "\uFEFF{\"a\":1}", `{"a":1}`)
	accept(t, "\uFEFF \n1", "1")
	accept(t, "\"\uFEFF\"", "\"\uFEFF\"")
	const unexpected = `unexpected character '\ufeff', expected `
	refuse(t, "two", "\uFEFF\uFEFF1", "3 $: "+unexpected+"a value")
	refuse(t, "behind", "1\uFEFF", "1 $: "+unexpected+"the end of the document")
	refuse(t, "after white space", " \uFEFF1", "1 $: "+unexpected+"a value")
	refuse(t, "in an array", "[\uFEFF1]", "1 $: "+unexpected+"a value")
	refuse(t, "before a name", "{\uFEFF\"a\":1}", "1 $: "+unexpected+"a field name in quotes")
}

// White space is the four characters of RFC 8259, anywhere between tokens.
func TestWhiteSpace(t *testing.T) {
	const spaced = "#{#\"a\"#:#[#1#,#true#,#[#]#]#,#\"b\"#:#{#}#}#"
	for _, space := range []string{"", " ", "\t", "\n", "\r", "\r\n", " \t\r\n "} {
		accept(t, strings.ReplaceAll(spaced, "#", space), `{"a":[1,true,[]],"b":{}}`)
	}
	for _, other := range []string{"\v", "\f", "\u0085", "\u00A0", "\u1680", "\u180E", "\u2000", "\u200B", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"} {
		for i := range spaced {
			if spaced[i] != '#' {
				continue
			}
			text := strings.ReplaceAll(spaced[:i], "#", "") + other + strings.ReplaceAll(spaced[i+1:], "#", "")
			if got, faults := canonicalOf(text); faults == nil {
				t.Errorf("%q is read as %s", text, got)
			}
		}
	}
}

// A document cut off anywhere is refused, but for a number, whose first digits
// are a number too.
func TestTruncated(t *testing.T) {
	const text = "\uFEFF {\"a\\u00e9\\ud83d\\ude00\": [1.5e+3, -0, \"x\\n한\", true, false, null, {}], \"b\": {\"c\": []}}"
	accept(t, text, `{"aé😀":[1500,0,"x\n한",true,false,null,{}],"b":{"c":[]}}`)
	for n := range len(text) {
		if got, faults := canonicalOf(text[:n]); faults == nil {
			t.Errorf("%q is read as %s", text[:n], got)
		} else if len(faults) != 1 || !strings.HasPrefix(strings.TrimLeft(faults[0], "0123456789"), " $: ") {
			t.Errorf("%q: %s, want one fault at $", text[:n], faults)
		}
	}
}

// A byte changed to any other is refused or leaves JSON. What is accepted is
// accepted by encoding/json too, and means the same.
func TestChangedByte(t *testing.T) {
	const text = "{\"a\\u00e9\\ud83d\\ude00\": [1.5e+3, -0, \"x\\n한\", true, false, null, {}], \"b\": {\"c\": []}}"
	for i := range len(text) {
		for c := range 256 {
			changed := text[:i] + string([]byte{byte(c)}) + text[i+1:]
			got, faults := canonicalOf(changed)
			if faults != nil {
				continue
			}
			var theirs any
			if err := json.Unmarshal([]byte(changed), &theirs); err != nil {
				t.Errorf("%q is read as %s, encoding/json: %v", changed, got, err)
				continue
			}
			if want := canonicalAny(theirs); got != want {
				t.Errorf("%q is read as %s, want %s", changed, got, want)
			}
		}
	}
}
