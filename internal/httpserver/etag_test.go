package httpserver

import (
	"strings"
	"testing"
)

func TestMatchesETag(t *testing.T) {
	const etag = `"service-00ff"`
	for _, lines := range [][]string{
		{etag},
		{`*`},
		{` * `},
		{`W/` + etag},
		{`"a", ` + etag},
		{etag + `, "a"`},
		{`"a",W/"b" ,	` + etag},
		{`"a,b", ` + etag},
		{`,, ` + etag},
		{`"a"`, etag},
		{`nonsense`, etag},
	} {
		if !MatchesETag(lines, etag) {
			t.Errorf("%q does not match", lines)
		}
	}
	for _, lines := range [][]string{
		nil,
		{``},
		{`""`},
		{`"service-00fe"`},
		{`"service-00FF"`},
		{`service-00ff`},
		{`'service-00ff'`},
		{`"service-00ff`},
		{`w/` + etag},
		{`W/ ` + etag},
		{`"a ` + etag + ` b"`},
		{`nonsense, ` + etag}, // it is not a list from there on
		{`"*"`},
	} {
		if MatchesETag(lines, etag) {
			t.Errorf("%q matches", lines)
		}
	}
}

// Whatever a client sends, it matches only if the tag or a star is in it,
// and a list that ends with the tag after well-formed tags always does.
func FuzzMatchesETag(f *testing.F) {
	const etag = `"service-00ff"`
	f.Add(`W/"a", "b"`, "c")
	f.Add(`*`, "")
	f.Add(etag, `\`)
	f.Add(`"`, `,`)
	f.Fuzz(func(t *testing.T, list, tag string) {
		if MatchesETag([]string{list}, etag) && !strings.Contains(list, etag) && !strings.Contains(list, "*") {
			t.Errorf("%q matches", list)
		}
		if strings.Contains(tag, `"`) {
			return
		}
		if good := `W/"` + tag + `" , ` + etag; !MatchesETag([]string{good}, etag) {
			t.Errorf("%q does not match", good)
		}
	})
}
