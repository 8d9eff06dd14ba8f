package discovery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// hostile are programs of as many bytes as a bundle may have that are made to
// cost time, memory or the stack, and what they are refused for.
func hostile() map[string]struct{ code, reason string } {
	const size = 8<<20 - 1<<10
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := 0; i < n && b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	nested := func(depth int, open, inside, shut string) string {
		return strings.Repeat(open, depth) + inside + strings.Repeat(shut, depth)
	}
	const open, levels = "brackets open at once", "too many nested"
	return map[string]struct{ code, reason string }{
		"lists":               {fill("["), open},
		"parentheses":         {fill("("), open},
		"blocks":              {fill("{"), open},
		"calls":               {fill("a("), open},
		"functions":           {fill("function a(){"), open},
		"templates":           {fill("`${"), open},
		"list patterns":       {"var " + fill("["), open},
		"object patterns":     {"var " + fill("{a:"), open},
		"classes":             {fill("(class{a="), open},
		"hidden patterns":     {"a={}/1;var " + fill("["), "is not JavaScript"},
		"operators":           {fill("!"), "tokens"},
		"conditionals":        {fill("a?b:"), "tokens"},
		"fewer conditionals":  {strings.Repeat("a?b:", 1<<17), levels},
		"fewer operators":     {strings.Repeat("!", 1<<19), levels},
		"sums":                {strings.Repeat("a+", 1<<18), levels},
		"members":             {strings.Repeat("a.", 1<<18), levels},
		"arrows":              {strings.Repeat("a=>", 1<<18), "names in nested scopes"},
		"labels":              {strings.Repeat("a:", 1<<18), levels},
		"else if":             {strings.Repeat("if(a)b;else ", 1<<16), levels},
		"statements":          {fill("a;"), "tokens"},
		"comments":            {fill("/*!*/"), "holds no list"},
		"line terminators":    {fill("\u2028"), "holds no list"},
		"one name":            {fill("a"), "holds no list"},
		"names, arrows":       {numbered(100_000, "v%[1]d;") + numbered(100_000, "x%[1]d=>%[1]d;"), "holds no list"},
		"names, functions":    {nested(150, "(function(){", numbered(100_000, "v%[1]d;"), "})();"), "names in nested scopes"},
		"names, blocks":       {nested(300, "{", numbered(27_000, "var v%[1]d;"), "}"), "names in nested scopes"},
		"names, loops":        {strings.Repeat("for(;;)", 900) + "{" + numbered(27_000, "v%[1]d;") + "}", "names in nested scopes"},
		"names, loops, list":  {strings.Repeat("for(;;)", 900) + numbered(27_000, "v%[1]d,") + "1;", "names in nested scopes"},
		"names, bodies":       {strings.Repeat("a=>", 900) + "(" + numbered(27_000, "v%[1]d,") + "1)", "names in nested scopes"},
		"names, async":        {nested(300, "async(", numbered(27_000, "v%[1]d,")+"1", ")"), "names in nested scopes"},
		"names, groups":       {nested(300, "(", numbered(27_000, "v%[1]d,")+"1", ")"), "names in nested scopes"},
		"one name, blocks":    {nested(300, "{", strings.Repeat("var v;", 20_000), "}"), "names in nested scopes"},
		"names, parameters":   {nested(200, "((a,b)=>", numbered(100_000, "v%[1]d,")+"1", ")"), "names in nested scopes"},
		"text without end":    {`"` + fill("a"), "is not JavaScript"},
		"pattern without end": {"a=/[" + fill("a"), "is not JavaScript"},
	}
}

// None of them is found to hold anything, and none ends the program.
func TestHostileBundles(t *testing.T) {
	for name, tt := range hostile() {
		t.Run(name, func(t *testing.T) {
			dates, err := releases(tt.code)
			if dates != nil || err == nil || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("%v, %v, want ...%s...", dates, err, tt.reason)
			}
		})
	}
}

// More bytes than a bundle may have are not parsed at all.
func TestHugeBundle(t *testing.T) {
	_, err := sourcetest.TryPin(t, "livebench", bundleURL, fetchedAt, strings.Repeat("[", 10<<20))
	if faults := problem.All(err); len(faults) == 0 || faults[0].Code != problem.InvalidSourceSnapshot || faults[0].Path != "$.bodyBytes" {
		t.Errorf("%v", err)
	}
}

// Pages that are made to cost time.
func TestHostilePages(t *testing.T) {
	const size = 1<<20 - 1<<10
	m := sourcetest.Manifest(t)
	for _, piece := range []string{"<div>", "<b><a>", "<table><b>", "<svg>", "<template>", "<p><font size=1>", "</p>", "<!--", "<a b=c d=e ", "&amp", "<script>", "<select><option>", "<b id=x><p>"} {
		t.Run(piece, func(t *testing.T) {
			_, err := Bundle(file(t, indexURL, strings.Repeat(piece, size/len(piece))), "livebench", m)
			if faults := problem.All(err); len(faults) == 0 || faults[0].Code != problem.InvalidSourceDiscovery || faults[0].Path != "$.index.body" {
				t.Errorf("%v", err)
			}
		})
	}
}

// A program like the real ones, and the hostile ones.
func BenchmarkReleases(b *testing.B) {
	programs := map[string]string{"build": build(otherCode(200<<10, 0) + slider(known...) + otherCode(200<<10, 9000))}
	for name, tt := range hostile() {
		programs[name] = tt.code
	}
	for name, code := range programs {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = releases(code) // hostile ones are refused
			}
		})
	}
}

// Whatever the bytes are, discovery ends, and what it finds are releases.
func FuzzReleases(f *testing.F) {
	for _, code := range []string{
		build(slider(known...)), `var a=` + list(known...), `N(` + chainOf("T", known...) + `)`, otherCode(1000, 0),
		`if(!1){var a=` + list(known...) + `}`, `((a,b)=>{})`, "a=/[/]/.b/2", "`${`${a}`}`", "class A{#b=1;static{}}", "({a,...b}=c)", "([...{a}])=>1",
	} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		dates, err := releases(code)
		if (err == nil) == (len(dates) < len(reviewedPrefix)) {
			t.Fatalf("%v, %v", dates, err)
		}
		for i, d := range dates {
			if !sources.IsDate(d) || i > 0 && d <= dates[i-1] {
				t.Errorf("finds %v", dates)
			}
		}
		again, _ := releases(code)
		if fmt.Sprint(again) != fmt.Sprint(dates) {
			t.Errorf("finds %v, then %v", dates, again)
		}
	})
}

// Whatever a page is, it names no bundle but one of the site.
func FuzzBundle(f *testing.F) {
	f.Add(page)
	f.Add(`<base href="//x"><script src=a>`)
	m := sourcetest.Manifest(f)
	f.Fuzz(func(t *testing.T, body string) {
		in, err := sourcetest.TryPin(t, "livebench", indexURL, fetchedAt, body)
		if err != nil {
			return
		}
		u, err := Bundle(in, "livebench", m)
		if (err == nil) != strings.HasPrefix(u, "https://livebench.ai/static/js/main.") {
			t.Errorf("%q, %v", u, err)
		}
	})
}
