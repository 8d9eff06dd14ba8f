package ijson_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// FuzzCanonical holds reading and writing of documents of any shape against
// jsontext, which refuses duplicate names, invalid UTF-8 and lone surrogates too.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`null`, `[true,false]`, "\uFEFF {\"b\":[1.5e+3,-0],\"a\":\"\\ud83d\\ude00\\n\"} ", `{"a":1,"\u0061":2}`, `"\ud800"`, `"\udc00\ud800"`,
		`1e999`, `9007199254740993`, `123456789012345680000`, `1000000000000000000000`, `1e-400`, `5e-324`, `01`, `1.`, `[1,]`, `{"a":1,}`,
		"\"\xff\"", "\"\x00\"", `"\u0000"`, strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65),
		`{"\ufb33":1,"\ud83d\ude00":2,"\uffff":{"":[{}]}}`, `nullx`, `{}{}`, "[1\u00a0]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, faults := canonicalOf(text); slices.ContainsFunc(faults, func(f string) bool { return !strings.Contains(f, " $") }) {
			t.Fatalf("%q: %s", text, faults) // reading with a tree and without differ
		}
		v, err := ijson.ReadValue(text, testCode)
		theirs, theirErr := canonicalByJSONText(text)
		if err != nil {
			checkRefusal(t, text, problem.All(err), theirErr)
			return
		}
		once := string(v.AppendCanonical(nil))
		if theirErr != nil {
			t.Fatalf("%q is read as %s, jsontext: %v", text, once, theirErr)
		}
		if theirs != once {
			t.Fatalf("%q is read as %s, by jsontext as %s", text, once, theirs)
		}
		again, err := ijson.ReadValue(once, testCode)
		if err != nil {
			t.Fatalf("the canonical text %s of %q is refused: %v", once, text, err)
		}
		if twice := string(again.AppendCanonical(nil)); twice != once {
			t.Fatalf("the canonical text %s of %q is read as %s", once, text, twice)
		}
	})
}

// canonicalByJSONText reads a document of one value, before which a byte order
// mark may stand.
func canonicalByJSONText(text string) (string, error) {
	d := jsontext.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
	v, err := d.ReadValue()
	if err != nil {
		return "", err
	}
	v = bytes.Clone(v)
	if _, err := d.ReadToken(); err != io.EOF {
		return "", errors.New("trailing content")
	}
	err = v.Canonicalize()
	return string(v), err
}

// extraRules begin the reasons for which this package refuses what is strict
// JSON by jsontext.
var extraRules = []string{
	"number too large: ",
	"integer that binary64 cannot hold: ",
	"more than 64 arrays and objects open at once",
}

// checkRefusal holds faults against the text and the verdict of jsontext.
func checkRefusal(t *testing.T, text string, faults problem.List, theirErr error) {
	if len(faults) == 0 {
		t.Fatalf("%q is refused without a fault", text)
	}
	extra := false
	for _, e := range faults {
		if e.Code != testCode || !strings.HasPrefix(e.Path, "$") || e.Reason == "" || e.Offset < 0 || e.Offset > len(text) {
			t.Fatalf("%q: malformed fault %+v", text, e)
		}
		for _, rule := range extraRules {
			extra = extra || strings.HasPrefix(e.Reason, rule)
		}
	}
	if theirErr == nil && !extra {
		t.Fatalf("%q is refused, not by jsontext: %v", text, faults)
	}
}
