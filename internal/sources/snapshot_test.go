package sources_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

const (
	fetchedAt = "2026-11-01T12:00:00.000Z"
	tableURL  = "https://livebench.ai/table_2026_01_08.csv"
	tableID   = "livebench-2026-01-08-table"
)

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The reference is what the format says, computed by other means.
func TestReference(t *testing.T) {
	f := sourcetest.Pin(t, "livebench", tableURL, fetchedAt, "model,a\n")
	var members map[string]any
	if err := json.Unmarshal([]byte(f.Envelope.Text), &members); err != nil {
		t.Fatal(err)
	}
	reference := members["reference"]
	delete(members, "reference")
	rest, err := json.Marshal(members) // sorted, and nothing in it that needs an escape
	if err != nil {
		t.Fatal(err)
	}
	want := "service-snapshot:" + tableID + "?url=" + url.QueryEscape(tableURL) + "&sha256=" + hexSum([]byte("model,a\n")) +
		"&fetchedAt=" + url.QueryEscape(fetchedAt) + "&snapshotSha256=" + hexSum(rest)
	if reference != want {
		t.Errorf("reference %s\nwant %s", reference, want)
	}
	if len(members) != 10 || members["schemaVersion"] != "service.source.snapshot/v1" || members["sourceId"] != tableID || members["etag"] != nil {
		t.Errorf("envelope %s", f.Envelope.Text)
	}
}

// Values are form-urlencoded as the URL Standard does it.
func TestReferenceEncoding(t *testing.T) {
	e := sources.Envelope{SourceID: "lm-eval", URL: "urn:lm-eval:a~b*c d/é", BodySHA256: "0"}
	if got := e.Bind(); !strings.HasPrefix(got, "service-snapshot:lm-eval?url=urn%3Alm-eval%3Aa%7Eb*c+d%2F%C3%A9&sha256=0&") {
		t.Error(got)
	}
}

// What JSON cannot hold is refused, not replaced.
func TestPinInvalidText(t *testing.T) {
	body := problem.Source{Name: "body", Text: "model,a\n"}
	for _, f := range []sources.Download{
		{FetchedAt: fetchedAt, ETag: "\xff"},
		{FetchedAt: fetchedAt, MediaType: "text/csv\xff"},
		{FetchedAt: fetchedAt, Redirects: []string{tableURL + "\xff"}},
		{FetchedAt: "\xff"},
	} {
		f.URL = tableURL
		_, err := sources.Pin("livebench", f, body, sourcetest.Manifest(t))
		sourcetest.Refused(t, fmt.Sprintf("%+v", f), err, "$", "invalid UTF-8")
	}
}

// envelope is a right one for a table whose body is the text, with members in
// the place of its own; the reference binds what it then says, unless given.
func envelope(body string, changes map[string]any) string {
	e := map[string]any{
		"schemaVersion": "service.source.snapshot/v1", "sourceId": tableID, "url": tableURL, "status": 200, "fetchedAt": fetchedAt,
		"mediaType": "text/csv", "redirects": []string{}, "etag": nil, "bodySha256": hexSum([]byte(body)), "bodyBytes": len(body),
	}
	for name, value := range changes {
		e[name] = value
	}
	if _, given := e["reference"]; !given {
		rest, _ := json.Marshal(e) // texts and numbers always marshal
		e["reference"] = fmt.Sprintf("service-snapshot:%s?url=%s&sha256=%s&fetchedAt=%s&snapshotSha256=%s", e["sourceId"],
			url.QueryEscape(fmt.Sprint(e["url"])), e["bodySha256"], url.QueryEscape(fmt.Sprint(e["fetchedAt"])), hexSum(rest))
	}
	text, _ := json.Marshal(e)
	return string(text)
}

func open(t *testing.T, body, envelope string) error {
	t.Helper()
	_, err := sources.Open(sources.File{
		Body:     problem.Source{Name: "body", Text: body},
		Envelope: problem.Source{Name: "envelope", Text: envelope},
	}, "livebench", sourcetest.Manifest(t))
	return err
}

func TestOpen(t *testing.T) {
	const body = "model,a\n"
	set := func(name string, value any) map[string]any { return map[string]any{name: value} }
	for name, changes := range map[string]map[string]any{
		"as pinned":       nil,
		"with a charset":  set("mediaType", "text/csv; charset=utf-8"),
		"with a redirect": set("redirects", []string{"https://livebench.ai/a"}),
		"with an etag":    set("etag", `W/"x"`),
	} {
		if err := open(t, body, envelope(body, changes)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	tests := []struct {
		name    string
		changes map[string]any
		path    string
		reason  string
	}{
		{"other bytes", set("bodySha256", hexSum(nil)), "$.bodySha256", "does not fit the body"},
		{"fewer bytes", set("bodyBytes", 7), "$.bodyBytes", "the body has 8 bytes"},
		{"another reference", set("reference", "service-snapshot:"+tableID), "$.reference", "does not bind"},
		{"another resource", set("sourceId", "livebench-2026-01-08-categories"), "$.sourceId", "must be " + tableID},
		{"another source", set("url", "https://openrouter.ai/api/v1/models"), "$.url", "is not a URL that the manifest approves for livebench, but one of openrouter-models"},
		{"another origin", set("url", "https://livebench.ai.example.org/table_2026_01_08.csv"), "$.url", "is not a URL"},
		{"no such day", set("url", "https://livebench.ai/table_2026_02_30.csv"), "$.url", "is not a URL"},
		{"an error page", set("status", 404), "$.status", "must be 200"},
		{"another media type", set("mediaType", "text/html"), "$.mediaType", "must be text/csv"},
		{"another charset", set("mediaType", "text/csv; charset=utf-16"), "$.mediaType", "must be text/csv"},
		{"a redirect elsewhere", set("redirects", []string{"https://example.org/"}), "$.redirects", "must be on the origin"},
		{"a redirect without TLS", set("redirects", []string{"http://livebench.ai/"}), "$.redirects", "with https"},
		{"four redirects", set("redirects", []string{"https://livebench.ai/a", "https://livebench.ai/b", "https://livebench.ai/c", "https://livebench.ai/d"}), "$.redirects", "at most 3"},
		{"no time", set("fetchedAt", "2026-11-01"), "$.fetchedAt", "must be a timestamp"},
		{"another version", set("schemaVersion", "service.source.snapshot/v3"), "$.schemaVersion", "must be service.source.snapshot/v1 or service.source.snapshot/v2"},
		{"another version than that of its members", set("schemaVersion", "service.source.snapshot/v2"), "$.schemaVersion", "for an envelope with publishedAt"},
		{"an empty etag", set("etag", ""), "$.etag", "must be null or"},
		{"an unknown field", set("mood", "good"), "$.mood", "unknown field"},
	}
	for _, tt := range tests {
		err := open(t, body, envelope(body, tt.changes))
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
		if faults := problem.All(err); len(faults) > 0 && faults[0].Place.File != "envelope" {
			t.Errorf("%s: %+v", tt.name, faults[0].Place)
		}
	}
}

// The reference commits to every member: none can change alone.
func TestReferenceBindsAll(t *testing.T) {
	const body = "model,a\n"
	right := envelope(body, nil)
	for old, new := range map[string]string{
		fetchedAt:                "2026-11-01T12:00:00.001Z",
		`"mediaType":"text/csv"`: `"mediaType":"text/csv;charset=utf-8"`,
		`"redirects":[]`:         `"redirects":["https://livebench.ai/x"]`,
		`"etag":null`:            `"etag":"x"`,
	} {
		changed := strings.Replace(right, old, new, 1)
		if old == fetchedAt {
			changed = strings.Replace(right, `"fetchedAt":"`+old, `"fetchedAt":"`+new, 1)
		}
		if changed == right {
			t.Fatalf("nothing to change: %s", old)
		}
		sourcetest.Refused(t, new, open(t, body, changed), "$.reference", "does not bind")
	}
}

func TestBodies(t *testing.T) {
	tests := []struct {
		name, body, reason string
		line, column       int
	}{
		{"invalid UTF-8", "model\né\xff", "invalid UTF-8", 2, 2},
		{"UTF-16", "m\x00o\x00", "holds a NUL", 1, 2},
		{"UTF-16 with a mark", "\xff\xfem\x00", "invalid UTF-8", 1, 1},
		{"a byte order mark", "\uFEFFmodel", "byte order mark", 1, 1},
		{"a NUL", "model\n,\x00", "holds a NUL", 2, 2},
	}
	for _, tt := range tests {
		err := open(t, tt.body, envelope(tt.body, nil))
		sourcetest.Refused(t, tt.name, err, "$.body", tt.reason)
		if faults := problem.All(err); len(faults) > 0 && faults[0].Place != (problem.Place{File: "body", Line: tt.line, Column: tt.column}) {
			t.Errorf("%s: %+v", tt.name, faults[0].Place)
		}
	}
	large := strings.Repeat("x", 8<<20+1)
	sourcetest.Refused(t, "too many bytes", open(t, large, envelope(large, nil)), "$.bodyBytes", "at most 8388608")
	index := strings.Repeat("x", 1<<20+1)
	if _, err := sourcetest.TryPin(t, "livebench", "https://livebench.ai/", fetchedAt, index); err == nil {
		t.Error("an index of more than 1 MiB is approved")
	}
	sourcetest.Refused(t, "a large envelope", open(t, "", strings.Repeat(" ", 70_000)), "$", "an envelope has at most")
}

// What the resources of the sources are called.
func TestResources(t *testing.T) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	m := sourcetest.Manifest(t)
	const bundle = "https://livebench.ai/static/js/main.b0448181.js"
	for _, tt := range []struct{ source, url, id string }{
		{"aider-polyglot", "https://raw.githubusercontent.com/Aider-AI/aider/" + sha + "/aider/website/_data/polyglot_leaderboard.yml", "aider-polyglot-" + sha + "-leaderboard"},
		{"livebench", tableURL, tableID},
		{"livebench", "https://livebench.ai/categories_2024_06_24.json", "livebench-2024-06-24-categories"},
		{"livebench", "https://livebench.ai/", "livebench-index"},
		{"livebench", bundle, "livebench-bundle-" + hexSum([]byte(`{"url":"` + bundle + `"}`))[:24]},
		{"openrouter-models", "https://openrouter.ai/api/v1/models", "openrouter-models"},
		{"lm-eval", "urn:lm-eval:team/run:1", "lm-eval"},
	} {
		if r, reason := m.Resource(tt.source, tt.url); reason != "" || r.SourceID != tt.id {
			t.Errorf("%s is %q %s, want %s", tt.url, r.SourceID, reason, tt.id)
		}
	}
	for _, tt := range []struct{ source, url string }{
		{"aider-polyglot", "https://raw.githubusercontent.com/Aider-AI/aider/" + sha[1:] + "/aider/website/_data/polyglot_leaderboard.yml"},
		{"aider-polyglot", "https://raw.githubusercontent.com/Aider-AI/aider/" + strings.ToUpper(sha) + "/aider/website/_data/polyglot_leaderboard.yml"},
		{"aider-polyglot", "https://raw.githubusercontent.com/Aider-AI/aider/" + sha + "/aider/website/_data/polyglot_leaderboard.yml?x"},
		{"livebench", "https://livebench.ai"},
		{"livebench", "https://livebench.ai/static/js/main.b0448181.js.map"},
		{"livebench", "https://livebench.ai/static/js/main.B0448181.js"},
		{"livebench", "https://livebench.ai/table_2026_01_08.csv#"},
		{"nobody", "https://livebench.ai/"},
		{"lm-eval", "urn:lm-eval:"}, {"lm-eval", "urn:lm-eval:a b"}, {"lm-eval", "file:///x"},
	} {
		if r, reason := m.Resource(tt.source, tt.url); reason == "" {
			t.Errorf("%s of %s is %s", tt.url, tt.source, r.SourceID)
		}
	}
}

// An envelope by itself is of whatever source it says.
func TestCheckEnvelope(t *testing.T) {
	m := sourcetest.Manifest(t)
	check := func(text string) error { return sources.CheckEnvelope(problem.Source{Name: "envelope", Text: text}, m) }
	if err := check(envelope("", nil)); err != nil {
		t.Error(err)
	}
	run := sourcetest.Pin(t, "lm-eval", "urn:lm-eval:x", fetchedAt, "{}")
	if err := check(run.Envelope.Text); err != nil {
		t.Error(err)
	}
	sourcetest.Refused(t, "no source", check(envelope("", map[string]any{"url": "https://example.org/"})), "$.url", "is a URL of no approved source")
}
