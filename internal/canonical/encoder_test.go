package canonical_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
)

func TestEncoder(t *testing.T) {
	tests := []struct {
		name   string
		encode func(*canonical.Encoder)
		want   string
	}{
		{"raw", func(e *canonical.Encoder) { e.Raw(`{"a":`) }, `{"a":`},
		{"text", func(e *canonical.Encoder) { e.Text("a\n\"😀") }, `"a\n\"😀"`},
		{"text or null, a text", func(e *canonical.Encoder) { e.TextOrNull("a\t") }, `"a\t"`},
		{"text or null, null", func(e *canonical.Encoder) { e.TextOrNull("") }, `null`},
		{"no texts", func(e *canonical.Encoder) { e.Texts(nil) }, `[]`},
		{"one text", func(e *canonical.Encoder) { e.Texts([]string{"a"}) }, `["a"]`},
		{"texts in their order", func(e *canonical.Encoder) { e.Texts([]string{"b", "", "a\\"}) }, `["b","","a\\"]`},
		{"zero", func(e *canonical.Encoder) { e.Uint(0) }, `0`},
		{"largest count", func(e *canonical.Encoder) { e.Uint(1<<53 - 1) }, `9007199254740991`},
		{"number", func(e *canonical.Encoder) { e.Number(1e21) }, `1e+21`},
		{"true", func(e *canonical.Encoder) { e.Bool(true) }, `true`},
		{"false", func(e *canonical.Encoder) { e.Bool(false) }, `false`},
	}
	for _, tt := range tests {
		var e canonical.Encoder
		tt.encode(&e)
		if got := string(e.Buf); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		e = canonical.Encoder{Buf: []byte("[1,")}
		tt.encode(&e)
		if got := string(e.Buf); got != "[1,"+tt.want {
			t.Errorf("%s after other text: %s", tt.name, got)
		}
	}
}

// Verbatim changes nothing for strings that need no escape.
func TestEncoderVerbatim(t *testing.T) {
	for _, s := range []string{"", "a", "é한😀", "\x7f\u2028"} {
		plain, verbatim := canonical.Encoder{}, canonical.Encoder{Verbatim: true}
		for _, e := range []*canonical.Encoder{&plain, &verbatim} {
			e.Text(s)
			e.TextOrNull(s)
			e.Texts([]string{s, s})
		}
		if string(plain.Buf) != string(verbatim.Buf) {
			t.Errorf("%q: %s verbatim, want %s", s, verbatim.Buf, plain.Buf)
		}
	}
}

// The hashes are those of FIPS 180-4's own examples.
func TestSum(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc":                          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		strings.Repeat("a", 1_000_000): "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
	} {
		if got, again := canonical.Sum([]byte(text)), canonical.SumText(text); got != want || again != want {
			t.Errorf("the sum of %.9q is %s and %s, want %s", text, got, again, want)
		}
	}
}

func TestIsHash(t *testing.T) {
	hash := canonical.Sum(nil)
	if len(hash) != canonical.HashSize || !canonical.IsHash(hash) || !canonical.IsHash(strings.Repeat("0123456789abcdef", 4)) {
		t.Error("a hash is refused")
	}
	if canonical.IsHash("") || canonical.IsHash(hash[1:]) || canonical.IsHash(hash+"0") {
		t.Error("a text of another length is accepted")
	}
	for i := range hash {
		for c := range 256 {
			got := canonical.IsHash(hash[:i] + string([]byte{byte(c)}) + hash[i+1:])
			if want := strings.IndexByte("0123456789abcdef", byte(c)) >= 0; got != want {
				t.Errorf("byte %#x at %d: %v, want %v", c, i, got, want)
			}
		}
	}
}
