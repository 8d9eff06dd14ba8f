package discovery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// The list is found in all shapes that builds have.
func TestReleasesAreFound(t *testing.T) {
	for name, code := range map[string]string{
		"list":                        `const ti=` + list(known...) + `;`,
		"list as a property":          `const ti={dates:` + list(known...) + `,n:1};`,
		"list in an argument":         `(0,n(43).createContext)(` + list(known...) + `);`,
		"list in templates":           "const ti=[`" + strings.Join(known, "`,`") + "`];",
		"list in single quotes":       `const ti=['` + strings.Join(known, `','`) + `'];`,
		"list with a comma at end":    `const ti=["` + strings.Join(known, `" , "`) + `",];`,
		"list mapped":                 list(known...) + `.map(e=>e);`,
		"the prefix alone":            `const ti=` + list(known[:3]...) + `;`,
		"chain":                       `N(` + chainOf("T", known...) + `);`,
		"chain, other names":          `$_(` + chainOf("é", known...) + `);`,
		"chain in parentheses":        `N((` + chainOf("T", known[:5]...) + `));`,
		"chain behind a condition":    `N(T?` + chainOf("T", known...) + `:null);`,
		"chain in an else":            `N(T?null:` + chainOf("T", known...) + `);`,
		"chain of one release more":   `N(` + chainOf("T", append(slices.Clone(known), "2026-06-25")...) + `);`,
		"slider":                      slider(known...),
		"slider and list":             slider(known...) + `const tz=` + list(known...) + `;`,
		"slider, twice":               slider(known...) + `{` + slider(known...) + `}`,
		"slider among other code":     otherCode(200<<10, 0) + slider(known...) + otherCode(200<<10, 9000),
		"list among other code":       otherCode(200<<10, 0) + `const ti=` + list(known...) + `;` + otherCode(200<<10, 9000),
		"other list in a comment":     slider(known...) + `/* ` + list(known[:4]...) + ` */// ` + list(known[:4]...) + "\n",
		"other list in a string":      slider(known...) + `const tz='` + list(known[:4]...) + `';`,
		"other list in an expression": slider(known...) + `const tz=/` + strings.ReplaceAll(list(known[:4]...), `"`, `\"`) + `/;`,
		"other list never reached":    slider(known...) + `if(!1){var tz=` + list(known[:4]...) + `}`,
		"other dates":                 slider(known...) + `const tz=["2024-06-24","2024-08-31"],ty=["2023-01-01","2022-01-01"],tx=e?"2024-01-01":"2023-01-01";`,
		"default of something else":   slider(known...) + `const tz=(0,r.useState)("2024-01-01");`,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := discover(t, page, build(code))
			if err != nil {
				t.Fatal(err)
			}
			want := known
			switch {
			case strings.Contains(code, "2026-06-25"):
				want = append(slices.Clone(known), "2026-06-25")
			case name == "the prefix alone":
				want = known[:3]
			case name == "chain in parentheses":
				want = known[:5]
			}
			if !slices.Equal(p.Revisions, want) || p.CurrentRevision != want[len(want)-1] {
				t.Errorf("found %v, current %s", p.Revisions, p.CurrentRevision)
			}
		})
	}
}

// What is hostile, or has changed so that a person must look, is refused.
func TestBundlesAreRefused(t *testing.T) {
	const none = "holds no list of releases"
	good := list(known...)
	with := func(at int, item string) string {
		items := slices.Clone(known)
		return strings.Replace(list(items...), `"`+items[at]+`"`, item, 1)
	}
	for name, tt := range map[string]struct{ code, reason string }{
		"nothing":                        {``, none},
		"one release, no list":           {`fetch("./table_2024_06_24.csv");`, none},
		"properties behind names":        {`"June"===e&&(0,ei.jsx)(ti,{dateStr:"2024-06-24"}),"July"===e&&(0,ei.jsx)(ti,{dateStr:"2024-07-26"});`, none},
		"two lists that differ":          {`var ti=` + good + `,tz=` + list(known[:9]...) + `;`, "lists of releases that differ"},
		"a list and a chain that differ": {slider(known...) + `var tz=` + list(append(slices.Clone(known), "2026-06-25")...) + `;`, "lists of releases that differ"},
		"list in a comment":              {`/* ` + good + ` */`, none},
		"list in a line comment":         {`// ` + good + "\n", none},
		"list in a string":               {`var ti='` + good + `';`, none},
		"list in a template":             {"var ti=`" + good + "`;", none},
		"list in a regular expression":   {`var ti=/` + strings.ReplaceAll(good, `"`, `\"`) + `/;`, none},
		"list of one text":               {`var ti="` + strings.Join(known, ",") + `".split(",");`, none},
		"never, if":                      {`if(!1){var ti=` + good + `}`, none},
		"never, if as text":              {`if("a"==="b")var ti=` + good + `;`, none},
		"never, else":                    {`if(1)n();else{var ti=` + good + `}`, none},
		"never, and":                     {`!1&&n(` + good + `);`, none},
		"never, or":                      {`!0||n(` + good + `);`, none},
		"never, conditional":             {`n(0?` + good + `:[]);`, none},
		"never, void":                    {`n(void 0?` + good + `:[]);`, none},
		"never, while":                   {`while(false)n(` + good + `);`, none},
		"never, for":                     {`for(;!1;)n(` + good + `);`, none},
		"never, behind return":           {`function tz(){return 1;n(` + good + `)}`, none},
		"never, behind throw":            {`function tz(){{throw 1}n(` + good + `)}`, none},
		"never, behind both branches":    {`function tz(){if(n)return 1;else return 2;n(` + good + `)}`, none},
		"never, behind break":            {`switch(n){case 1:break;n(` + good + `)}`, none},
		"computed, variable":             {`var ti=` + with(4, `d`) + `;`, "item 5 is computed"},
		"computed, sum":                  {`var ti=` + with(9, `"2026-01"+"-08"`) + `;`, "item 10 is computed"},
		"computed, template":             {`var ti=` + with(9, "`2026-${m}-08`") + `;`, "item 10 is computed"},
		"computed, spread":               {`var ti=` + with(9, `...d`) + `;`, "item 10 is computed"},
		"computed, escape":               {`var ti=` + with(9, `"\x32026-01-08"`) + `;`, "item 10 is computed"},
		"computed, hole":                 {`var ti=` + with(4, ``) + `;`, "item 5 is computed"},
		"computed, in the prefix":        {`var ti=` + with(1, `d`) + `;`, none},
		"a number":                       {`var ti=` + with(5, `20250425`) + `;`, "item 6 is computed"},
		"no such date":                   {`var ti=` + with(4, `"2025-02-30"`) + `;`, `item 5 is not a date: "2025-02-30"`},
		"another form of date":           {`var ti=` + with(4, `"2025_04_02"`) + `;`, `item 5 is not a date`},
		"not a date":                     {`var ti=` + with(9, `"latest"`) + `;`, `item 10 is not a date`},
		"falling":                        {`var ti=` + with(9, `"2025-12-22"`) + `;`, "does not rise: 2025-12-23 precedes 2025-12-22"},
		"twice the same":                 {`var ti=` + with(9, `"2025-12-23"`) + `;`, "does not rise"},
		"another beginning":              {`var ti=` + list(known[1:]...) + `;`, none},
		"backwards":                      {`var ti=` + list(reversed(known)...) + `;`, none},
		"made longer by push":            {`var ti=` + good + `;ti.push("2026-02-02");`, "grows as the program runs, by 2026-02-02"},
		"made longer by concat":          {`n(` + good + `.concat(["2026-02-02"]));`, "grows as the program runs, by 2026-02-02"},
		"made longer by spreading":       {`var ti=` + good + `,tz=[...ti,"2026-02-02"];`, "grows as the program runs, by 2026-02-02"},
		"chain with a computed outcome":  {`N(` + strings.Replace(chainOf("T", known...), `"2025-12-23"`, `d`, 1) + `);`, "a chain of releases whose item 9 is computed"},
		"chain with a computed end":      {`N(` + chainOf("T", known...) + `+d);`, "a chain of releases whose item 10 is computed"},
		"chain that asks twice":          {`N(` + strings.Replace(chainOf("T", known...), `"4"===`, `"3"===`, 1) + `);`, `asks twice whether ("3"===T)`},
		"chain with a dead end":          {`N("0"===T?"2024-06-24":!0?"2024-07-26":"2024-08-31");`, none},
		"the inverse chain alone":        {`N(` + inverse("T", known...) + `);`, none},
		"another default":                {strings.Replace(slider(known...), `useState)("2026-01-08")`, `useState)("2025-12-23")`, 1), "shows the release 2025-12-23 by default"},
		"a newer default":                {strings.Replace(slider(known...), `useState)("2026-01-08")`, `useState)("2026-06-25")`, 1), "shows the release 2026-06-25 by default"},
		"not JavaScript":                 {`<!doctype html><p>Not found`, "is not JavaScript"},
		"cut off":                        {`var ti=["2024-06-24","2024-07-26","2024-08-31`, "is not JavaScript"},
	} {
		t.Run(name, func(t *testing.T) {
			code := build(tt.code)
			if name == "not JavaScript" || name == "cut off" {
				code = tt.code
			}
			p, err := discover(t, page, code)
			if p != nil {
				t.Fatalf("proposes %v", p.Revisions)
			}
			refused(t, err, "$.bundle.body", tt.reason)
		})
	}
}

func reversed(dates []string) []string {
	out := slices.Clone(dates)
	slices.Reverse(out)
	return out
}

// A page names one main bundle.
func TestBundleOfPage(t *testing.T) {
	m := sourcetest.Manifest(t)
	script := func(address string) string {
		return `<!doctype html><head><script defer src="` + address + `"></script></head>`
	}
	for name, body := range map[string]string{
		"relative":             script("./static/js/main.b0448181.js"),
		"relative, plain":      script("static/js/main.b0448181.js"),
		"from the root":        script("/static/js/main.b0448181.js"),
		"absolute":             script(bundleURL),
		"without scheme":       script("//livebench.ai/static/js/main.b0448181.js"),
		"with detours":         script("./a/../static/js/main.b0448181.js"),
		"spaces around":        script("\n ./static/js/main.b0448181.js "),
		"entities":             script("./static/js/main&#46;b0448181.js"),
		"capitals":             strings.ToUpper(`<!doctype html><script src=`) + `"./static/js/main.b0448181.js"></SCRIPT>`,
		"module":               `<script type="module" src="/static/js/main.b0448181.js"></script>`,
		"base":                 `<base href="/static/"><script src="js/main.b0448181.js"></script>`,
		"others beside":        script("./static/js/main.b0448181.js") + script("https://example.com/static/js/main.00000000.js") + script("./static/js/787.b0448181.chunk.js") + `<script>"./static/js/main.00000000.js"</script>`,
		"another in a comment": script("./static/js/main.b0448181.js") + `<!-- ` + script("./static/js/main.00000000.js") + ` -->`,
		"another in noscript":  script("./static/js/main.b0448181.js") + `<noscript>` + script("./static/js/main.00000000.js") + `</noscript>`,
		"another in template":  script("./static/js/main.b0448181.js") + `<template>` + script("./static/js/main.00000000.js") + `</template>`,
		"another in text":      script("./static/js/main.b0448181.js") + `<textarea>` + script("./static/js/main.00000000.js") + `</textarea>`,
		"another as data":      script("./static/js/main.b0448181.js") + `<script type="text/plain" src="./static/js/main.00000000.js"></script>`,
	} {
		if u, err := Bundle(file(t, indexURL, body), "livebench", m); err != nil || u != bundleURL {
			t.Errorf("%s: %s, %v", name, u, err)
		}
	}
	for name, tt := range map[string]struct {
		body  string
		count int
	}{
		"none":                   {`<!doctype html><p>Moved`, 0},
		"empty address":          {`<script src=""></script>`, 0},
		"another origin":         {script("https://livebench.ai.example.com/static/js/main.b0448181.js"), 0},
		"another scheme":         {script("http://livebench.ai/static/js/main.b0448181.js"), 0},
		"another port":           {script("https://livebench.ai:8443/static/js/main.b0448181.js"), 0},
		"credentials":            {script("https://a:b@livebench.ai/static/js/main.b0448181.js"), 0},
		"base elsewhere":         {`<base href="https://example.com/">` + script("./static/js/main.b0448181.js"), 0},
		"query":                  {script("./static/js/main.b0448181.js?v=2"), 0},
		"hash too long":          {script("./static/js/main.b04481810.js"), 0},
		"hash no hexadecimal":    {script("./static/js/main.b044818x.js"), 0},
		"another folder":         {script("./js/main.b0448181.js"), 0},
		"not an address":         {script("%zz"), 0},
		"two":                    {script("./static/js/main.b0448181.js") + script("./static/js/main.00000000.js"), 2},
		"twice the same":         {script("./static/js/main.b0448181.js") + script("/static/js/main.b0448181.js"), 2},
		"preloaded, not run":     {`<link rel="preload" as="script" href="./static/js/main.b0448181.js">`, 0},
		"in a comment":           {`<!-- ` + script("./static/js/main.b0448181.js") + ` -->`, 0},
		"in a drawing":           {`<svg><script src="./static/js/main.b0448181.js"></script></svg>`, 0},
		"in the text of scripts": {`<script>document.write('<script src="./static/js/main.b0448181.js">')</script>`, 0},
	} {
		_, err := Bundle(file(t, indexURL, tt.body), "livebench", m)
		t.Run(name, func(t *testing.T) { refused(t, err, "$.index.body", fmt.Sprintf("has %d scripts", tt.count)) })
	}
}

// Where the bundle that the page names is gone, the asset manifest tells.
func TestAssetManifest(t *testing.T) {
	m := sourcetest.Manifest(t)
	other := "https://livebench.ai/static/js/main.0123abcd.js"
	req := Request{
		Manifest: m, Source: "livebench",
		Index:  file(t, indexURL, page),
		Bundle: file(t, other, build(slider(known...))),
	}
	_, err := Propose(req)
	refused(t, err, "$.bundle.url", "must be "+bundleURL+", which the site names")

	assets := func(text string) problem.Source { return problem.Source{Name: "asset-manifest.json", Text: text} }
	req.AssetManifest = assets(`{"files":{"main.css":"./static/css/main.1.css","main.js":"./static/js/main.0123abcd.js","index.html":"./index.html"},"entrypoints":["static/js/main.0123abcd.js"]}`)
	p, err := Propose(req)
	if err != nil || p.Bundle.URL != other {
		t.Fatalf("%v, %v", p, err)
	}
	// It does not take the place of what the page names.
	req.Bundle = file(t, bundleURL, build(slider(known...)))
	if p, err = Propose(req); err != nil || p.Bundle.URL != bundleURL {
		t.Errorf("%v, %v", p, err)
	}
	for name, tt := range map[string]struct{ text, path, reason string }{
		"not JSON":       {`{"files":`, "$.assetManifest", "unexpected end"},
		"a page":         {page, "$.assetManifest", "unexpected character"},
		"a list":         {`[]`, "$.assetManifest", "must be an object"},
		"no files":       {`{}`, "$.assetManifest.files", "missing field"},
		"no main bundle": {`{"files":{}}`, "$.assetManifest.files.main.js", "missing field"},
		"named twice":    {`{"files":{"main.js":"a","main.js":"b"}}`, "$.assetManifest.files.main.js", "duplicate field"},
		"elsewhere":      {`{"files":{"main.js":"https://example.com/static/js/main.0123abcd.js"}}`, "$.assetManifest.files.main.js", "must be the address of a main bundle"},
		"something else": {`{"files":{"main.js":"./table_2026_01_08.csv"}}`, "$.assetManifest.files.main.js", "must be the address of a main bundle"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := BundleOfAssets(assets(tt.text), "livebench", m)
			refused(t, err, tt.path, tt.reason)
		})
	}
}

// Snapshots must hold, and be those of the source that is asked for.
func TestRequestsAreRefused(t *testing.T) {
	m := sourcetest.Manifest(t)
	index, bundle := file(t, indexURL, page), file(t, bundleURL, build(slider(known...)))
	changed := bundle
	changed.Body.Text += " "
	noEnvelope := index
	noEnvelope.Envelope.Text = "{}"
	for name, tt := range map[string]struct {
		req          Request
		path, reason string
	}{
		"unknown source":      {Request{Source: "nobody", Index: index, Bundle: bundle}, "$.source", "is of no approved source"},
		"no such source":      {Request{Source: "aider-polyglot", Index: index, Bundle: bundle}, "$.source", "must be a source whose releases are in its main bundle"},
		"changed bundle":      {Request{Source: "livebench", Index: index, Bundle: changed}, "$.bundle.bodyBytes", "but the body has"},
		"index without proof": {Request{Source: "livebench", Index: noEnvelope, Bundle: bundle}, "$.index.schemaVersion", "missing field"},
		"bundle as index":     {Request{Source: "livebench", Index: bundle, Bundle: bundle}, "$.index.url", "must be " + indexURL},
		"index as bundle":     {Request{Source: "livebench", Index: index, Bundle: index}, "$.bundle.url", "must be " + bundleURL},
	} {
		t.Run(name, func(t *testing.T) {
			tt.req.Manifest = m
			_, err := Propose(tt.req)
			refused(t, err, tt.path, tt.reason)
		})
	}
}

// A proposal is the same for the same bytes, says where it comes from and what
// the newest release is made of, and reads back as it was written.
func TestProposal(t *testing.T) {
	p, err := discover(t, page, build(slider(known...)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := discover(t, page, build(slider(known...)))
	if err != nil || string(again.JSON()) != string(p.JSON()) {
		t.Errorf("differs: %s\n%s", p.JSON(), again.JSON())
	}
	m := sourcetest.Manifest(t)
	index, _ := sources.Open(file(t, indexURL, page), "livebench", m)
	if p.ManifestDigest != m.Digest() || p.Entrypoint.Reference != index.Envelope().Reference || p.Bundle.URL != bundleURL || p.Resolver.Adapter != "livebench-main-bundle" {
		t.Errorf("%+v", p)
	}
	if len(p.Artifacts) != 2 || p.Artifacts[1] != (Artifact{ID: "table", SourceID: "livebench-2026-01-08-table", URL: "https://livebench.ai/table_2026_01_08.csv", MediaType: "text/csv", Required: true, MaxBytes: 8 << 20}) {
		t.Errorf("artifacts %+v", p.Artifacts)
	}
	read, err := ReadProposal(problem.Source{Text: string(p.JSON())})
	if err != nil || string(read.JSON()) != string(p.JSON()) {
		t.Errorf("reads as %+v, %v", read, err)
	}
	rest := strings.Replace(string(p.JSON()), `"id":"`+p.ID+`",`, "", 1)
	if got := canonical.Sum([]byte(rest)); got != p.ID {
		t.Errorf("the id is %s, the SHA-256 of the rest %s", p.ID, got)
	}
	for name, tt := range map[string]struct{ old, new, path, reason string }{
		"another release":  {`"2026-01-08"],`, `"2026-01-08","2026-02-02"],`, "$.currentRevision", "must be the last of revisions, 2026-02-02"},
		"falling":          {`"2025-12-23",`, `"2025-11-25",`, "$.revisions[8]", "must be later than the one before, 2025-11-25"},
		"no date":          {`"2025-12-23",`, `"2025-12-32",`, "$.revisions[8]", "must be a date"},
		"another id":       {p.ID, strings.Repeat("0", 64), "$.id", "must be " + p.ID},
		"another digest":   {m.Digest(), strings.Repeat("0", 64), "$.id", "the SHA-256 of the rest"},
		"another bundle":   {p.Bundle.SHA256 + `","sourceId`, strings.Repeat("0", 64) + `","sourceId`, "$.bundle.reference", "must name the sourceId and the sha256"},
		"another artifact": {"livebench-2026-01-08-table", "livebench-2025-12-23-table", "$.artifacts", "must hold artifacts of the current revision"},
		"without https":    {`"url":"https://livebench.ai/table_`, `"url":"http://livebench.ai/table_`, "$.artifacts", "must be an absolute URL with https"},
		"out of order":     {`"id":"table"`, `"id":"aable"`, "$.artifacts[1].id", `must follow "categories"`},
		"unknown field":    {`"sourceId":"livebench"}`, `"sourceId":"livebench","x":1}`, "$.x", "unknown field"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(string(p.JSON()), tt.old, tt.new, 1)
			if text == string(p.JSON()) {
				t.Fatal("nothing was changed")
			}
			_, err := ReadProposal(problem.Source{Text: text})
			refused(t, err, tt.path, tt.reason)
		})
	}
}
