package explore_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// leaderboards compiles the examples.
func leaderboards(t testing.TB, asOf string) *catalog.Catalog {
	t.Helper()
	files, err := filepath.Glob("../../examples/leaderboards/observations/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var docs []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hostile compiles observations whose texts look like markup, scripts and formulas.
func hostile(t testing.TB) *catalog.Catalog {
	return comparetest.Compile(t, "2026-06-02T00:00:00.000Z", comparetest.Hostile()...)
}

func request(t testing.TB, file string) explore.Request {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	q, err := v3.ReadRequest(problem.Source{Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return explore.Request{Name: filepath.Base(file), Request: q}
}

// extras are a diff and a request.
func extras(t testing.TB, old, new *catalog.Catalog) explore.Extras {
	t.Helper()
	return asked(t, request(t, "../../examples/leaderboards/coding.json"), old, new)
}

// asked are extras with a request of one's own.
func asked(t testing.TB, q explore.Request, old, new *catalog.Catalog) explore.Extras {
	t.Helper()
	return explore.Extras{Diff: diffOf(t, old, new, q), Requests: []explore.Request{q}, CatalogFile: "catalog.json"}
}

func diffOf(t testing.TB, old, new *catalog.Catalog, asked ...explore.Request) *record.CatalogDiff {
	t.Helper()
	var sides []*ranking.Side
	for _, c := range []*catalog.Catalog{old, new} {
		var requests []*v3.Request
		for _, q := range asked {
			requests = append(requests, q.Request)
		}
		side, err := ranking.NewSide(t.Context(), c, requests...)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, side)
	}
	d, err := ranking.Diff(t.Context(), sides[0], sides[1], compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func handler(t testing.TB, c *catalog.Catalog, e explore.Extras) http.Handler {
	t.Helper()
	api, err := httpapi.NewHandler(c, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := explore.NewHandler(api, api.Ranker(), e)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

// Neither the page nor the API behind it answers a page of another origin.
func TestForeignPages(t *testing.T) {
	h := handler(t, leaderboards(t, "2025-12-02T12:00:00.000Z"), explore.Extras{CatalogFile: "catalog.json"})
	for _, path := range []string{"/", "/explore/extras.json", "/v1/models", "/v1/catalog/snapshot", "/nowhere"} {
		if w := get(h, "GET", path, "Origin", "https://evil.example"); w.Code != 403 || strings.Contains(w.Body.String(), "gpt-5") {
			t.Errorf("%s: %d for a page of another origin", path, w.Code)
		}
		if w := get(h, "GET", path, "Origin", "http://example.com"); w.Code == 403 {
			t.Errorf("%s: %d for its own page", path, w.Code)
		}
	}
}

// An entity tag counts as in the API: whole, in a list, weak or as a star.
func TestEntityTags(t *testing.T) {
	h := handler(t, leaderboards(t, "2025-12-02T12:00:00.000Z"), explore.Extras{CatalogFile: "catalog.json"})
	tag := strings.TrimPrefix(get(h, "GET", "/").Header().Get("ETag"), "W/")
	for condition, status := range map[string]int{
		tag: 304, "W/" + tag: 304, "*": 304, `"a", ` + tag: 304, `"a` + tag + `b"`: 200, strings.Trim(tag, `"`): 200,
	} {
		if w := get(h, "GET", "/", "If-None-Match", condition); w.Code != status {
			t.Errorf("If-None-Match: %s: %d, want %d", condition, w.Code, status)
		}
	}
}

// The page's own paths have the policy; everything else is answered as the API does.
func TestPaths(t *testing.T) {
	c := leaderboards(t, "2025-12-02T12:00:00.000Z")
	h := handler(t, c, explore.Extras{CatalogFile: "catalog.json"})
	for path, mediaType := range map[string]string{
		"/": "text/html; charset=utf-8", "/explore/app.js": "text/javascript; charset=utf-8", "/explore/app.css": "text/css; charset=utf-8", "/explore/extras.json": "application/json", "/explore/index.json": "application/json", "/explore/app.js.map": "application/json",
	} {
		w := get(h, "GET", path)
		if w.Code != 200 || w.Header().Get("Content-Type") != mediaType || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		want := map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
		}
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", path, name, got, value)
			}
		}
		if again := get(h, "GET", path, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
			t.Errorf("%s: %d for its own entity tag", path, again.Code)
		}
		if head := get(h, "HEAD", path); head.Code != 200 || head.Body.Len() != 0 {
			t.Errorf("HEAD %s: %d, %d bytes", path, head.Code, head.Body.Len())
		}
		if post := get(h, "POST", path); post.Code != 405 || post.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d %v", path, post.Code, post.Header())
		}
	}
	if name := get(h, "GET", "/explore/app.js").Header().Get("SourceMap"); !strings.Contains(get(h, "GET", name).Body.String(), `"main.js"`) {
		t.Errorf("the script names the map %q", name)
	}
	if got, want := get(h, "GET", "/explore/extras.json").Body.String(), `{"catalogFile":"catalog.json","diff":null,"requests":[]}`; got != want {
		t.Errorf("extras are %s, want %s", got, want)
	}
	api, err := httpapi.NewHandler(c, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/models", "/v1/catalog/snapshot", "/explore", "/explore/", "/explore/main.js", "/index.html", "//", "/%65xplore/app.js"} {
		got, want := get(h, "GET", path), get(api, "GET", path)
		if got.Code != want.Code || got.Body.String() != want.Body.String() || got.Header().Get("Content-Security-Policy") != "" {
			t.Errorf("%s: %d, the API says %d", path, got.Code, want.Code)
		}
	}
}

// Script and style are made of the sources that there are, and stay small together.
func TestBundle(t *testing.T) {
	script, style := bundled(t, "app.js", "web/*.js", "// %s\n"), bundled(t, "app.css", "web/*.css", "/* %s */\n")
	const most = 60_000 // as they are sent
	var sent bytes.Buffer
	for _, text := range [][]byte{script, style} {
		z := gzip.NewWriter(&sent)
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := sent.Len(); n > most {
		t.Errorf("script and style are sent as %d bytes, at most %d", n, most)
	}
	for _, end := range []string{"</script", "<!--", "</style"} {
		if bytes.Contains(script, []byte(end)) || bytes.Contains(style, []byte(end)) {
			t.Errorf("%s would end the script of a report", end)
		}
	}
}

// The modules of the page have one form, none of the mistakes that a linter finds, and types that agree.
func TestModulesAreClean(t *testing.T) {
	for _, command := range [][]string{
		{"biome", "ci", "--error-on-warnings", "--colors=off", "."},
		{"tsc", "-p", "."},
	} {
		t.Run(command[0], func(t *testing.T) {
			check := exec.Command(vectortest.Tool(t, command[0], "@biomejs/biome and typescript from npm"), command[1:]...)
			check.Dir = "web"
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", command, err, out)
			}
		})
	}
}

// bundled reads a file that a bundle has, and demands that it names its sources in its first line.
func bundled(t *testing.T, file, pattern, first string) []byte {
	t.Helper()
	sources, err := filepath.Glob(pattern)
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	slices.Sort(sources)
	hash := sha256.New()
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(name), len(text), text)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(first, fmt.Sprintf("sha256 of the sources: %x", hash.Sum(nil))); !strings.HasPrefix(string(text), want) {
		t.Errorf("%s is stale: go generate ./internal/explore", file)
	}
	return text
}

// Nothing in the sources makes markup or code of a text.
func TestSourcesMakeNoMarkup(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\son[a-z]+\s*=\s*["']|localStorage|sessionStorage|document\.cookie|indexedDB`)
	files, err := filepath.Glob("web/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if found := forbidden.FindString(line); found != "" {
				t.Errorf("%s:%d has %q", name, n+1, found)
			}
		}
	}
}

func report(t testing.TB, c *catalog.Catalog, e explore.Extras, opts explore.ReportOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := explore.WriteReport(t.Context(), &b, c, e, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A report is one file whose policy allows its own script and style alone, the same
// bytes each time.
func TestReport(t *testing.T) {
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-04T00:00:00.000Z")
	e := extras(t, old, new)
	opts := explore.ReportOptions{Title: `<b>"Models" & more</b>`, Version: "v1<2"}
	text := report(t, new, e, opts)
	e.CatalogFile = "elsewhere.json"
	if report(t, new, e, opts) != text {
		t.Error("another report of the same")
	}
	for _, tag := range []string{"script", "style"} {
		m := regexp.MustCompile(`(?s)<` + tag + `>(.*?)</` + tag + `>`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s", tag)
		}
		sum := sha256.Sum256([]byte(m[1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(text, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	for _, part := range []string{"<title>&lt;b&gt;&#34;Models&#34; &amp; more&lt;/b&gt;</title>", new.Digest(), "svc v1&lt;2", "<noscript>", "openai/gpt-5", "default-src 'none'"} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q", part)
		}
	}
	if strings.Contains(text, "<b>") || strings.Contains(text, "://") && strings.Contains(text, `src="http`) {
		t.Error("it has markup of its title, or loads from elsewhere")
	}
	opts.MaxBytes = 1000
	err := explore.WriteReport(t.Context(), &bytes.Buffer{}, new, e, opts)
	if tooLarge, ok := errors.AsType[*explore.TooLargeError](err); !ok || !strings.Contains(tooLarge.Error(), " bytes, more than the ") {
		t.Errorf("over its limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := explore.WriteReport(ctx, &bytes.Buffer{}, new, e, explore.ReportOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context has ended: %v", err)
	}
}

// Without a script a report is the answer, whom nobody beats, as a table and drawn, and the sources.
func TestReportWithoutScript(t *testing.T) {
	e := explore.Extras{Requests: []explore.Request{request(t, "../../examples/leaderboards/choice.json")}}
	text := report(t, leaderboards(t, "2025-12-02T12:00:00.000Z"), e, explore.ReportOptions{})
	plain := text[strings.Index(text, "<noscript>"):strings.Index(text, "</noscript>")]
	for _, part := range []string{"<h2><bdi>choice.json</bdi></h2>", "<p>Take gpt-5: ", "95% confidence interval", "(1 to ", "<svg ", "A task</th>", "<h2>Sources</h2>"} {
		if !strings.Contains(plain, part) {
			t.Errorf("it lacks %q", part)
		}
	}
}

// Texts of strangers are no markup in a report.
func TestHostileReport(t *testing.T) {
	text := report(t, hostile(t), explore.Extras{}, explore.ReportOptions{})
	plain := text[strings.Index(text, "<noscript>"):strings.Index(text, "</noscript>")]
	allowed := regexp.MustCompile(`</?(noscript|h1|h2|p|table|tr|th|td|bdi|br)( scope="row")?>`)
	if rest := allowed.ReplaceAllString(plain, ""); strings.ContainsAny(rest, "<>") {
		t.Errorf("markup: %.2000s", rest)
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d scripts end, want 2", n)
	}
}

func emptyCatalog(t testing.TB) *catalog.Catalog {
	return comparetest.Compile(t, "2026-01-01T00:00:00.000Z")
}

func readCatalog(t testing.TB, file string) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Name: file, Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
