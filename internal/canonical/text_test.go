package canonical_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/model-catalog-service/svc/internal/canonical"
)

func TestAppendString(t *testing.T) {
	tests := []struct{ s, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{"\"\\", `"\"\\"`},
		{"\b\t\n\f\r", `"\b\t\n\f\r"`},
		{"\x00\x01\x0b\x0e\x1b\x1f", `"\u0000\u0001\u000b\u000e\u001b\u001f"`}, // lower-case digits
		{"/<>&'", `"/<>&'"`}, // no need to escape
		{"\x7f\u0080\u2028\u2029\uFEFF", "\"\x7f\u0080\u2028\u2029\uFEFF\""},
		{"é한😀", `"é한😀"`},
		{"\nab\n\nc", `"\nab\n\nc"`},
	}
	for _, tt := range tests {
		if got := string(canonical.AppendString(nil, tt.s)); got != tt.want {
			t.Errorf("%q is written %s, want %s", tt.s, got, tt.want)
		}
		if got := string(canonical.AppendString([]byte(`["a",`), tt.s)); got != `["a",`+tt.want {
			t.Errorf("%q after other text: %s", tt.s, got)
		}
	}
}

// Every character, alone, is written as an independent implementation of RFC
// 8785 writes it, and reads back as itself.
func TestAppendStringAgreesWithJCS(t *testing.T) {
	for c := rune(0); c <= utf8.MaxRune; c++ {
		if c >= 0xE000 && c < 0xF000 || c > 0x10FFF && c < 0x10F000 {
			continue // no border lies within
		}
		if utf16.IsSurrogate(c) {
			continue
		}
		got := canonical.AppendString(nil, string(c))
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != string(c) {
			t.Fatalf("%U is written %s, which reads as %q (%v)", c, got, back, err)
		}
		if c >= 0x300 && c < 0xD000 {
			continue // the oracle is slow
		}
		quoted, _ := json.Marshal(string(c)) // escapes more than it must
		want, err := jcs.Transform(append(append([]byte("["), quoted...), ']'))
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != "["+string(got)+"]" {
			t.Fatalf("%U is written %s, want %s", c, got, want)
		}
	}
}

func TestCompareText(t *testing.T) {
	ascending := []string{
		"", "\x00", "\x00\x00", "\n", "1", "10", "2", "A", "B", "Z", "a", "aa", "b",
		"\x7f", "\u0080", "é", "\u07FF", "\u0800", "한", "\uD7FF",
		"\U00010000", "😀", "\U0010FFFF", // surrogate pairs, D800 to DBFF in front
		"\uE000", "\uFB33", "\uFEFF", "\uFFFF",
	}
	for i, a := range ascending {
		for k, b := range ascending {
			if got := sign(canonical.CompareText(a, b)); got != sign(i-k) {
				t.Errorf("CompareText(%q, %q) is %d, want %d", a, b, got, sign(i-k))
			}
			if got := sign(canonical.CompareText("한"+a, "한"+b)); got != sign(i-k) {
				t.Errorf("with 한 before both: CompareText(%q, %q) is %d, want %d", a, b, got, sign(i-k))
			}
		}
	}
}

// Random strings, most of them alike at the start, order as their UTF-16 code
// units do.
func TestCompareTextAgreesWithUTF16(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 2))
	borders := []rune{0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xEFFF, 0xF000, 0xFB33, 0xFFFF,
		0x10000, 0x103FF, 0x10400, 0x1F600, 0xFFFFF, 0x100000, 0x10FFFF}
	random := func() string {
		text := make([]rune, rnd.IntN(5))
		for i := range text {
			text[i] = borders[rnd.IntN(len(borders))]
		}
		return string(text)
	}
	for range 200000 {
		a, b := random(), random()
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := sign(canonical.CompareText(a, b)); got != want {
			t.Fatalf("CompareText(%+q, %+q) is %d, want %d", a, b, got, want)
		}
	}
}

func TestValidString(t *testing.T) {
	for _, s := range []string{"", "a", "é한😀\x00\uFFFF\U0010FFFF"} {
		if !canonical.ValidString(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"\x80", "a\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"} {
		if canonical.ValidString(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}
