package discovery

import (
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// A slash is taken for what it is, and what is written is still JavaScript.
func TestPlain(t *testing.T) {
	for _, tt := range []struct{ code, want string }{
		{"a/b/c", "a*b*c"},
		{"a/=b", "a*=b"},
		{"a=/b/g.test(c)", `a="".test(c)`},
		{`a=/[/"']/`, `a=""`},
		{"(a)/b/c", "(a)*b*c"},
		{"if(a)/b/.c()", `if(a)"".c()`},
		{"while(a)/b/.c()", `while(a)"".c()`},
		{"a.if(b)/c/d", "a.if(b)*c*d"},
		{"a[0]/b/c", "a[0]*b*c"},
		{"function f(){return/a/}", `function f(){return""}`},
		{"if(a){}/b/.c()", `if(a){}"".c()`},
		{"a++/b/c", "a++*b*c"},
		{"a.return/b/c", "a.return*b*c"},
		{"this/a/b", "this*a*b"},
		{"`${a/b}`/c/d", "`${a*b}`*c*d"},
		{"typeof/a/", `typeof""`},
		{"a?/b/:/c/", `a?"":""`},
		{"!/a/", `!""`},
		{"1/2/3", "1*2*3"},
		{`"a"/2/b`, `"a"*2*b`},
		{"a=>a", "(a)=>a"},
		{"async a=>a", "async (a)=>a"},
		{"a=>b=>c", "(a)=>(b)=>c"},
		{"(a)=>a", "(a)=>a"},
		{"f(a=>{},b)", "f((a)=>{},b)"},
		{"a/*b*/+c//d\n;e", "a +c \n;e"},
	} {
		got, err := plain(tt.code)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s becomes %s, %v, want %s", tt.code, got, err, tt.want)
		}
		for _, code := range []string{tt.code, tt.want} {
			if _, err := js.Parse(parse.NewInputString(code), js.Options{}); err != nil {
				t.Errorf("%s: %v", code, err)
			}
		}
	}
	for _, code := range []string{`"a`, "`a", "a=/b", "a=/[/", "/*", "1a"} {
		if got, err := plain(code); err == nil || !strings.Contains(err.Error(), "is not JavaScript") && !strings.Contains(err.Error(), "without an end") {
			t.Errorf("%s becomes %s, %v", code, got, err)
		}
	}
}
