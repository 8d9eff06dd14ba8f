package sources_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

func packagedText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(text string, registry sources.Registry) (*sources.Manifest, error) {
	return sources.ParseManifest(problem.Source{Name: "manifest", Text: text}, registry)
}

func TestPackagedManifest(t *testing.T) {
	m := sourcetest.Manifest(t)
	want := []struct {
		id              string
		refresh, maxAge uint64
		entry           string
		entryBytes      uint64
		kind, grammar   string
	}{
		{"aider-polyglot", 24, 168, "https://raw.githubusercontent.com/Aider-AI/aider/main/aider/website/_data/polyglot_leaderboard.yml", 8 << 20, "commit", "full-git-sha"},
		{"every-eval-ever", 24, 168, "https://codeload.github.com/evaleval/every_eval_ever/tar.gz/refs/heads/main", 64 << 20, "commit", "full-git-sha"},
		{"genai-prices", 24, 168, "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json", 16 << 20, "commit", "full-git-sha"},
		{"litellm-prices", 24, 168, "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json", 16 << 20, "commit", "full-git-sha"},
		{"livebench", 24, 168, "https://livebench.ai/", 1 << 20, "release", "calendar-date"},
		{"lmarena", 24, 168, "https://raw.githubusercontent.com/lmarena/arena-catalog/main/data/leaderboard-text-style-control.json", 8 << 20, "commit", "full-git-sha"},
		{"models-dev", 24, 168, "https://codeload.github.com/anomalyco/models.dev/tar.gz/refs/heads/dev", 64 << 20, "commit", "full-git-sha"},
		{"openrouter-endpoints", 6, 24, "https://raw.githubusercontent.com/sui414/openrouter-pricing-data/main/README.md", 1 << 20, "release", "calendar-date"},
		{"openrouter-models", 6, 24, "https://openrouter.ai/api/v1/models", 8 << 20, "snapshot", "sha256"},
		{"swe-bench", 24, 168, "https://raw.githubusercontent.com/SWE-bench/swe-bench.github.io/master/data/leaderboards.json", 16 << 20, "commit", "full-git-sha"},
	}
	all := m.Sources()
	if len(all) != len(want) {
		t.Fatalf("%d sources", len(all))
	}
	for i, w := range want {
		s := all[i]
		if s.ID != w.id || s.Freshness != (sources.Interval{RefreshHours: w.refresh, MaxAgeHours: w.maxAge}) || s.Resolver.Entrypoint.URL != w.entry ||
			s.Resolver.Entrypoint.MaxBytes != w.entryBytes || s.Revision != (sources.Revision{Kind: w.kind, Grammar: w.grammar}) || s.Resolver.MaxBytes != max(w.entryBytes, 8<<20) {
			t.Errorf("%+v", s)
		}
		for _, a := range s.Artifacts.Items {
			if a.MaxBytes != max(w.entryBytes, 8<<20) {
				t.Errorf("%s %s: %d bytes", s.ID, a.ID, a.MaxBytes)
			}
		}
	}
	if m.Digest() != canonical.Sum([]byte(m.JSON())) {
		t.Error("the digest is not that of the normalized manifest")
	}
	again, err := parse(m.JSON(), sources.DefaultRegistry())
	if err != nil || again.Digest() != m.Digest() || again.JSON() != m.JSON() {
		t.Errorf("the normalized manifest is another: %v", err)
	}
}

// The order of sources, artifacts and limitations says nothing.
func TestManifestOrder(t *testing.T) {
	v, err := ijson.ReadValue(packagedText(t), problem.InvalidSourceManifest)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := v.Get("sources")
	slices.Reverse(list.Items)
	for _, s := range list.Items {
		artifacts, _ := s.Get("artifacts")
		items, _ := artifacts.Get("items")
		slices.Reverse(items.Items)
		limits, _ := s.Get("knownLimitations")
		slices.Reverse(limits.Items)
	}
	m, err := parse(string(v.AppendCanonical(nil)), sources.DefaultRegistry())
	if err != nil || m.Digest() != sourcetest.Manifest(t).Digest() {
		t.Errorf("%v", err)
	}
}

// Reusing an approved name with anything else fails, whatever text of the
// declaration was changed.
func TestManifestToTheLetter(t *testing.T) {
	text := packagedText(t)
	changed := 0
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		value = strings.TrimSuffix(value, ",")
		if !ok || strings.HasSuffix(value, "{") || strings.HasSuffix(value, "[") || value == "[]" || strings.Contains(value, "{ ") || strings.Contains(name, "schemaVersion") {
			continue
		}
		var other string
		switch {
		case strings.HasSuffix(value, `"`):
			other = value[:len(value)-1] + `x"`
		case value == "true":
			other = "false"
		case value == "false":
			other = "true"
		case value == "null":
			other = `"https://example.org/"`
		default:
			other = value[:len(value)-1] + "9"
		}
		if _, err := parse(strings.Replace(text, line, strings.Replace(line, value, other, 1), 1), sources.DefaultRegistry()); err == nil {
			t.Errorf("approved although changed: %s", strings.TrimSpace(line))
		} else if e := problem.All(err)[0]; e.Code != problem.InvalidSourceManifest || !strings.HasPrefix(e.Path, "$.sources[") {
			t.Errorf("%s: %s %v", strings.TrimSpace(line), e.Code, e)
		}
		changed++
	}
	if changed < 60 {
		t.Errorf("only %d texts were changed", changed)
	}
}

// declaration is a source with text in the place of other text.
func declaration(replace ...string) string {
	const base = `{"id":"house","owner":"O","sourceClass":"external","canonicalOrigin":"https://a.example",
"attribution":{"name":"N","url":"https://b.example/x"},"license":{"identifier":"MIT","evidenceUrl":null},"trustRationale":"T","knownLimitations":[],
"freshness":{"refreshIntervalHours":1,"maxAgeHours":2},"revision":{"kind":"opaque","grammar":"opaque-token"},
"resolver":{"adapter":"r","version":"1","entrypoint":{"sourceId":"house-index","url":"https://a.example/","mediaType":"text/html","maxBytes":10},"derivedResourcePolicy":"none","maxBytes":10},
"artifacts":{"adapter":"a","version":"1","items":[{"id":"t","required":true,"urlTemplate":"https://a.example/{revision}.csv","mediaType":"text/csv","maxBytes":10}]},
"proposalPolicy":{"newRevision":"review","unknownRows":"review","mappingChanges":"review"}}`
	s := base
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(s, replace[i]) {
			panic("no " + replace[i])
		}
		s = strings.Replace(s, replace[i], replace[i+1], 1)
	}
	return s
}

func manifest(declarations ...string) string {
	return `{"schemaVersion":"service.approved-source-manifest/v1","sources":[` + strings.Join(declarations, ",") + `]}`
}

// approve returns a registry for declarations that are in normal order.
func approve(t *testing.T, declarations ...string) sources.Registry {
	t.Helper()
	r := sources.Registry{}
	for _, d := range declarations {
		v, err := ijson.ReadValue(d, problem.InvalidSourceManifest)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := v.Get("id")
		r[id.Text] = canonical.Sum(v.AppendCanonical(nil))
	}
	return r
}

// A registry of the caller's own approves other sources.
func TestOwnRegistry(t *testing.T) {
	d := declaration()
	m, err := parse(manifest(d), approve(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if r, reason := m.Resource("house", "https://a.example/v1.0_rc-2.csv"); reason != "" || r.SourceID != "house-v1.0_rc-2-t" || r.Revision != "v1.0_rc-2" {
		t.Errorf("%+v %s", r, reason)
	}
	for _, u := range []string{"https://a.example/a/b.csv", "https://a.example/.csv", "https://a.example/%61.csv", "https://a.example/..csv", "https://a.example/" + strings.Repeat("a", 129) + ".csv"} {
		if r, reason := m.Resource("house", u); reason == "" {
			t.Errorf("%s is %+v", u, r)
		}
	}
	if m, err := parse(manifest(), nil); err != nil || len(m.Sources()) != 0 {
		t.Errorf("no sources: %v", err)
	}
}

func TestRefusedManifests(t *testing.T) {
	s := "$.sources[0]"
	tests := []struct{ name, text, path, reason string }{
		{"not approved", manifest(declaration()), s + ".id", "no source that the registry approves"},
		{"an unknown field", manifest(declaration(`"owner":"O"`, `"owner":"O","mood":1`)), s + ".mood", "unknown field"},
		{"a missing field", manifest(declaration(`"owner":"O",`, ``)), s + ".owner", "missing field"},
		{"another class", manifest(declaration(`"external"`, `"first-party"`)), s + ".sourceClass", "must be external"},
		{"a name with spaces", manifest(declaration(`"id":"house"`, `"id":"my house"`)), s + ".id", "lower-case letters"},
		{"an origin with a path", manifest(declaration(`"https://a.example"`, `"https://a.example/"`)), s + ".canonicalOrigin", "must be an origin"},
		{"an origin without TLS", manifest(declaration(`"https://a.example"`, `"http://a.example"`)), s + ".canonicalOrigin", "must be an origin"},
		{"an origin in capitals", manifest(declaration(`"https://a.example"`, `"https://A.example"`)), s + ".canonicalOrigin", "must be an origin"},
		{"credentials", manifest(declaration(`https://b.example/x`, `https://u:p@b.example/x`)), s + ".attribution.url", "credentials"},
		{"a fragment", manifest(declaration(`https://b.example/x`, `https://b.example/x#y`)), s + ".attribution.url", "fragment"},
		{"an empty fragment", manifest(declaration(`https://b.example/x`, `https://b.example/x#`)), s + ".attribution.url", "fragment"},
		{"a relative URL", manifest(declaration(`https://b.example/x`, `/x`)), s + ".attribution.url", "absolute URL"},
		{"dots in a path", manifest(declaration(`https://b.example/x`, `https://b.example/../x`)), s + ".attribution.url", "normal form"},
		{"licence evidence that is no URL", manifest(declaration(`"evidenceUrl":null`, `"evidenceUrl":"LICENSE"`)), s + ".license.evidenceUrl", "absolute URL"},
		{"kind and grammar that differ", manifest(declaration(`"opaque-token"`, `"sha256"`)), s + ".revision.grammar", "must be opaque-token, which goes with opaque"},
		{"no such kind", manifest(declaration(`"kind":"opaque"`, `"kind":"tag"`)), s + ".revision.kind", "must be release"},
		{"an entrypoint elsewhere", manifest(declaration(`"url":"https://a.example/"`, `"url":"https://b.example/"`)), s + ".resolver.entrypoint.url", "must be on the origin"},
		{"a template elsewhere", manifest(declaration(`https://a.example/{rev`, `https://b.example/{rev`)), s + ".artifacts.items[0].urlTemplate", "must be on the origin"},
		{"a template whose host varies", manifest(declaration(`https://a.example/{revision}.csv`, `https://{revision}.a.example/`)), s + ".artifacts.items[0].urlTemplate", "must be on the origin"},
		{"a template that ends a host", manifest(declaration(`https://a.example/{revision}.csv`, `https://a.example{revision}/`)), s + ".artifacts.items[0].urlTemplate", "must be on the origin"},
		{"no slot", manifest(declaration(`/{revision}.csv`, `/x.csv`)), s + ".artifacts.items[0].urlTemplate", "exactly one of"},
		{"two slots", manifest(declaration(`/{revision}.csv`, `/{revision}/{revision}.csv`)), s + ".artifacts.items[0].urlTemplate", "exactly one of"},
		{"both slots", manifest(declaration(`/{revision}.csv`, `/{revision}/{revision_underscore}.csv`)), s + ".artifacts.items[0].urlTemplate", "exactly one of"},
		{"another slot", manifest(declaration(`/{revision}.csv`, `/{revision}/{user}.csv`)), s + ".artifacts.items[0].urlTemplate", "exactly one of"},
		{"no bytes", manifest(declaration(`"maxBytes":10}`, `"maxBytes":0}`)), s + ".resolver.entrypoint.maxBytes", "must be from 1"},
		{"too many bytes", manifest(declaration(`"maxBytes":10}`, `"maxBytes":99999999}`)), s + ".resolver.entrypoint.maxBytes", "must be from 1"},
		{"an age below the interval", manifest(declaration(`"maxAgeHours":2`, `"maxAgeHours":0.5`)), s + ".freshness.maxAgeHours", "integral"},
		{"an age below the interval", manifest(declaration(`"refreshIntervalHours":1`, `"refreshIntervalHours":3`)), s + ".freshness.maxAgeHours", "at least refreshIntervalHours"},
		{"a media type with a parameter", manifest(declaration(`"text/html"`, `"text/html; charset=utf-8"`)), s + ".resolver.entrypoint.mediaType", "without parameters"},
		{"a policy of its own", manifest(declaration(`"unknownRows":"review"`, `"unknownRows":"accept"`)), s + ".proposalPolicy.unknownRows", "must be review"},
		{"no artifact", manifest(declaration(`[{"id":"t","required":true,"urlTemplate":"https://a.example/{revision}.csv","mediaType":"text/csv","maxBytes":10}]`, `[]`)), s + ".artifacts.items", "must be empty if the kind of revision is snapshot"},
		{"a source twice", manifest(declaration(), declaration()), "$.sources", "once"},
		{"too many sources", manifest(slices.Repeat([]string{`{}`}, 129)...), "$.sources[0].id", "missing field"},
		{"another version", strings.Replace(manifest(), "/v1", "/v2", 1), "$.schemaVersion", "must be service.approved-source-manifest/v1"},
		{"a duplicate field", `{"schemaVersion":1,"schemaVersion":2}`, "$.schemaVersion", "duplicate field"},
		{"depth", strings.Repeat("[", 100_000), "$", "more than 64"},
		{"not JSON", "sources: []", "$", "unexpected character"},
		{"a large file", strings.Repeat(" ", 256<<10+1), "$", "at most 262144"},
	}
	for _, tt := range tests {
		registry := sources.DefaultRegistry()
		if tt.name == "a source twice" {
			registry = approve(t, declaration())
		}
		_, err := parse(tt.text, registry)
		faults := problem.All(err)
		if !slices.ContainsFunc(faults, func(e *problem.Error) bool {
			return e.Code == problem.InvalidSourceManifest && e.Path == tt.path && strings.Contains(e.Reason, tt.reason) && e.Place.File == "manifest"
		}) {
			t.Errorf("%s: %v, want %s: %s", tt.name, err, tt.path, tt.reason)
		}
	}
	_, err := parse(manifest(slices.Repeat([]string{`0`}, 129)...), nil)
	if !slices.ContainsFunc(problem.All(err), func(e *problem.Error) bool {
		return e.Path == "$.sources" && strings.Contains(e.Reason, "at most 128 sources")
	}) {
		t.Error("129 sources")
	}
}
