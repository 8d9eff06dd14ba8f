package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

const (
	models     = `{"data":[]}`
	modelsPath = "/api/v1/models"
	bundlePath = "/static/js/main.b0448181.js"
	page       = `<!doctype html><script defer="defer" src="./static/js/main.b0448181.js"></script>`
	bundle     = `(()=>{var e=["2024-06-24","2024-07-26","2024-08-31"];document.title=e[2]})()`
	plainJSON  = "application/json; charset=utf-8"
)

// A download is pinned: its envelope says where it came from and by what way.
func TestFetchSnapshot(t *testing.T) {
	s := newSite(t)
	s.mux.HandleFunc(modelsPath, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere?a=1", http.StatusFound)
	})
	s.mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", plainJSON)
		w.Header().Set("ETag", `W/"1"`)
		_, _ = io.WriteString(w, models)
	})
	var told int64
	s.opts.Progress = func(n int64) { told += n }
	folder := filepath.Join(t.TempDir(), "made")
	saved, err := s.fetch("openrouter-models", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "openrouter-models.20261101T060000123Z.8fe32e407a10.json")
	if len(saved) != 1 || saved[0].Path != path || saved[0].State != New || !saved[0].Importable {
		t.Errorf("saved %+v", saved)
	}
	if told != int64(len(models)) {
		t.Errorf("told of %d bytes, %d came", told, len(models))
	}
	e := open(t, s, "openrouter-models", path).Envelope()
	if e.URL != s.origin+modelsPath || e.ETag != `W/"1"` || e.MediaType != plainJSON || e.FetchedAt != "2026-11-01T06:00:00.123Z" ||
		!slices.Equal(e.Redirects, []string{s.origin + "/elsewhere?a=1"}) || e.Reference != saved[0].Reference {
		t.Errorf("envelope %+v", e)
	}
	if got := names(t, folder); !slices.Equal(got, []string{filepath.Base(path), filepath.Base(path) + sources.EnvelopeSuffix}) {
		t.Errorf("the folder has %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}

	// The SHA-256 that was asked for must be that of the bytes.
	if _, err := s.fetch("openrouter-models", e.BodySHA256, t.TempDir()); err != nil {
		t.Error(err)
	}
	empty := t.TempDir()
	_, err = s.fetch("openrouter-models", strings.Repeat("0", 64), empty)
	wantError(t, err, "the SHA-256 of the bytes is "+e.BodySHA256)
	if got := names(t, empty); got != nil {
		t.Errorf("left %q", got)
	}
}

func open(t *testing.T, s *site, source, path string) *sources.Snapshot {
	t.Helper()
	read := func(name string) problem.Source {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return problem.Source{Name: name, Text: string(b)}
	}
	snapshot, err := sources.Open(sources.File{Body: read(path), Envelope: read(path + sources.EnvelopeSuffix)}, source, s.manifest)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want ...%s...", err, part)
	}
}

// What did not change is asked for on condition, and kept once more with the time of
// the second look. Nothing that is there is ever written over.
func TestFetchAgain(t *testing.T) {
	s := newSite(t)
	body, tag := models, `"1"`
	s.mux.HandleFunc(modelsPath, func(w http.ResponseWriter, r *http.Request) {
		if tag != "" && r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", plainJSON)
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		_, _ = io.WriteString(w, body)
	})
	folder := t.TempDir()
	step := func(what string, want State, request string) (path string) {
		t.Helper()
		later := s.world.Now().Add(time.Hour)
		s.world.Now = func() time.Time { return later }
		before := names(t, folder)
		saved, err := s.fetch("openrouter-models", "", folder)
		if err != nil || len(saved) != 1 || saved[0].State != want {
			t.Fatalf("%s: %+v, %v", what, saved, err)
		}
		if got := s.requests(); !slices.Equal(got, []string{request}) {
			t.Errorf("%s: asked %q, want %q", what, got, request)
		}
		if after := names(t, folder); len(after) != len(before)+2 {
			t.Errorf("%s: %q after %q", what, after, before)
		}
		e := open(t, s, "openrouter-models", saved[0].Path).Envelope()
		if at, _ := timestamp.Format(later); e.Reference != saved[0].Reference || e.FetchedAt != at {
			t.Errorf("%s: %+v", what, e)
		}
		return saved[0].Path
	}
	const plainly, onCondition = "GET " + modelsPath, "GET " + modelsPath + ` "1"`
	step("first", New, plainly)
	step("304", Again, onCondition)
	tag = `"2"`
	step("the same bytes under another tag", Again, onCondition)
	body, tag = `{"data":[] }`, `"3"`
	path := step("other bytes", New, "GET "+modelsPath+` "2"`)
	// What does not hold is as good as not there.
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	step("a body that was changed", New, "GET "+modelsPath+` "2"`)
}

// The tree in a packed tar is what is pinned, with the time that its entries have.
func TestFetchTree(t *testing.T) {
	var tree bytes.Buffer
	w := tar.NewWriter(&tree)
	const row = "[cost]\ninput = 1\n"
	at := time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC)
	if err := w.WriteHeader(&tar.Header{Name: "top/providers/acme/models/atlas.toml", Mode: 0o644, Size: int64(len(row)), ModTime: at}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, row)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pack := func(text string) string { return string(pack(t, text)) }
	s := newSite(t)
	const head = "/anomalyco/models.dev/tar.gz/refs/heads/dev"
	s.answer(head, "application/x-gzip", pack(tree.String()))
	request := Request{Manifest: s.manifest, Source: "models-dev", Folder: t.TempDir(), Head: true, PublishedAt: modelsdev.New().PublishedAt}
	saved, err := fetch(t.Context(), request, s.opts, s.world)
	if err != nil || len(saved) != 1 || !strings.HasPrefix(filepath.Base(saved[0].Path), "models-dev-head.20261101T060000123Z.") || filepath.Ext(saved[0].Path) != ".tar" {
		t.Fatalf("%+v, %v", saved, err)
	}
	got := open(t, s, "models-dev", saved[0].Path)
	if e := got.Envelope(); got.Body() != tree.String() || e.MediaType != sources.MediaTar || e.PublishedAt != "2026-10-31T12:00:00.000Z" {
		t.Errorf("%+v", e)
	}

	// What comes out of a packing counts, and stops the download.
	commit := strings.Repeat("ab", 20)
	s.answer("/anomalyco/models.dev/tar.gz/"+commit, "application/gzip", pack(strings.Repeat("\x00", 1<<20)))
	request.Revision = commit
	_, err = fetch(t.Context(), request, s.opts, s.world)
	wantError(t, err, "more than the 65536 bytes that are approved")
	// Only a tree comes packed.
	s.answer(modelsPath, "application/gzip", pack(models))
	_, err = s.fetch("openrouter-models", "", t.TempDir())
	wantError(t, err, `is of media type "application/gzip"`)
}

// A revision is all of its artifacts.
func TestFetchRevision(t *testing.T) {
	s := newSite(t)
	s.answer("/table_2026_01_08.csv", "text/csv; charset=utf-8", "model,a\nx,1.0\n")
	s.answer("/categories_2026_01_08.json", plainJSON, `{"Coding":["a"]}`)
	folder := t.TempDir()
	saved, err := s.fetch("livebench", "2026-01-08", folder)
	if err != nil || len(saved) != 2 || !sources.IsPinnedAs("livebench-2026-01-08-categories.json", filepath.Base(saved[0].Path)) || !sources.IsPinnedAs("livebench-2026-01-08-table.csv", filepath.Base(saved[1].Path)) {
		t.Fatalf("%+v, %v", saved, err)
	}
	open(t, s, "livebench", saved[1].Path)

	commit := strings.Repeat("ab", 20)
	s.answer("/Aider-AI/aider/"+commit+"/aider/website/_data/polyglot_leaderboard.yml", "text/plain; charset=utf-8", "- dirname: x\n")
	if saved, err = s.fetch("aider-polyglot", commit, folder); err != nil || len(saved) != 1 || !sources.IsPinnedAs("aider-polyglot-"+commit+"-leaderboard.yml", filepath.Base(saved[0].Path)) {
		t.Errorf("%+v, %v", saved, err)
	}

	// If one of two is not there, neither is written.
	s.answer("/categories_2025_12_23.json", plainJSON, `{}`)
	empty := t.TempDir()
	_, err = s.fetch("livebench", "2025-12-23", empty)
	wantError(t, err, "/table_2025_12_23.csv: the answer is 404 Not Found")
	if got := names(t, empty); got != nil {
		t.Errorf("left %q", got)
	}
}

// Without a revision the newest is discovered.
func TestFetchDiscovers(t *testing.T) {
	s := newSite(t)
	s.answer("/{$}", "text/html; charset=utf-8", page)
	s.answer(bundlePath, "application/javascript; charset=utf-8", bundle)
	s.answer("/table_2024_08_31.csv", "text/csv", "model,a\nx,1.0\n")
	s.answer("/categories_2024_08_31.json", plainJSON, `{"Coding":["a"]}`)
	folder := t.TempDir()
	saved, err := s.fetch("livebench", "", folder)
	if err != nil || len(saved) != 5 {
		t.Fatalf("%+v, %v", saved, err)
	}
	var importable int
	for _, one := range saved {
		if one.State != New {
			t.Errorf("%+v", one)
		}
		if one.Importable {
			importable++
		}
	}
	if importable != 2 {
		t.Errorf("%d bodies can be imported", importable)
	}
	text, err := os.ReadFile(filepath.Join(folder, "livebench-proposal.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := discovery.ReadProposal(problem.Source{Text: string(text)})
	if err != nil || p.CurrentRevision != "2024-08-31" || p.Bundle.URL != s.origin+bundlePath {
		t.Errorf("%+v, %v", p, err)
	}
	isNew := func(one SavedFile) bool { return one.State != Again && one.Reference != "" }
	if saved, err = s.fetch("livebench", "", folder); err != nil || slices.ContainsFunc(saved, isNew) {
		t.Errorf("again: %+v, %v", saved, err)
	}
}

// Where the bundle of the page is gone, the asset manifest tells.
func TestFetchByAssetManifest(t *testing.T) {
	s := newSite(t)
	s.answer("/{$}", "text/html", page)
	s.answer("/table_2024_08_31.csv", "text/csv", "model,a\nx,1.0\n")
	s.answer("/categories_2024_08_31.json", plainJSON, `{"Coding":["a"]}`)
	folder := filepath.Join(t.TempDir(), "none")
	_, err := s.fetch("livebench", "", folder)
	wantError(t, err, s.origin+bundlePath+" is gone, and "+s.origin+"/asset-manifest.json: the answer is 404")

	s.answer("/asset-manifest.json", "application/json", `{"files":{"main.js":"./static/js/main.0123abcd.js"}}`)
	_, err = s.fetch("livebench", "", folder)
	wantError(t, err, "neither "+s.origin+bundlePath+", which the index names, nor "+s.origin+"/static/js/main.0123abcd.js, which the asset manifest names, is there")
	if got := names(t, folder); got != nil {
		t.Errorf("left %q", got)
	}
	s.answer("/static/js/main.0123abcd.js", "text/javascript", bundle)
	if saved, err := s.fetch("livebench", "", folder); err != nil || len(saved) != 5 {
		t.Errorf("%+v, %v", saved, err)
	}
}

// What goes wrong ends in an error that says so, and leaves no file.
func TestFetchFails(t *testing.T) {
	head := func(w http.ResponseWriter, pairs ...string) {
		w.Header().Set("Content-Type", plainJSON)
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Set(pairs[i], pairs[i+1])
		}
	}
	redirect := func(to string) func(*site, http.ResponseWriter, *http.Request) {
		return func(s *site, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", strings.ReplaceAll(to, "ORIGIN", s.origin))
			w.WriteHeader(http.StatusFound)
		}
	}
	status := func(code int, pairs ...string) func(*site, http.ResponseWriter, *http.Request) {
		return func(_ *site, w http.ResponseWriter, _ *http.Request) {
			head(w, pairs...)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, models)
		}
	}
	endless := func(_ *site, w http.ResponseWriter, _ *http.Request) {
		head(w)
		for {
			if _, err := io.WriteString(w, strings.Repeat(" ", 4096)); err != nil {
				return
			}
		}
	}
	for name, tt := range map[string]struct {
		serve  func(*site, http.ResponseWriter, *http.Request)
		change func(*site)
		reason string
	}{
		"redirect off the origin":       {serve: redirect("https://example.com/api/v1/models"), reason: "is redirected to https://example.com/api/v1/models, which is not on the origin https://" + host},
		"redirect to another port":      {serve: redirect("https://" + host + ":1/"), reason: "is redirected to https://" + host + ":1/, which is not on the origin"},
		"redirect to http":              {serve: redirect("http://" + host + "/"), reason: "is redirected to http://" + host + "/, which is not on the origin"},
		"redirect to a private address": {serve: redirect("https://10.0.0.1/"), reason: "is redirected to https://10.0.0.1/, which is not on the origin"},
		"redirect to the metadata":      {serve: redirect("http://169.254.169.254/latest"), reason: "is redirected to http://169.254.169.254/latest"},
		"redirect with credentials":     {serve: redirect("https://a:b@" + host + "/"), reason: "is redirected to https://a:xxxxx@" + host + "/"},
		"redirect with a fragment":      {serve: redirect("ORIGIN" + modelsPath + "#a"), reason: "which is not on the origin"},
		"redirect for ever":             {serve: redirect(modelsPath), reason: "is redirected more than 3 times"},
		"redirect without address":      {serve: func(_ *site, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) }, reason: "302"},
		"private address":               {change: func(s *site) { s.resolver.addresses = [][]string{{"10.0.0.1"}} }, reason: "10.0.0.1 is not a public address"},
		"loopback, as commands do":      {change: func(s *site) { s.world.Permit = isPublic }, reason: "127.0.0.1 is not a public address"},
		"loopback in the other form":    {change: func(s *site) { s.world.Permit = isPublic; s.resolver.addresses = [][]string{{"::ffff:127.0.0.1"}} }, reason: "127.0.0.1 is not a public address"},
		"one private address of two":    {change: func(s *site) { s.resolver.addresses = [][]string{{"192.168.0.1", "127.0.0.1"}} }, reason: "192.168.0.1 is not a public address"},
		"private at the second look-up": {
			serve: func(s *site, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close")
				redirect("/again")(s, w, r)
			},
			change: func(s *site) { s.resolver.addresses = [][]string{{"127.0.0.1"}, {"10.0.0.1"}} },
			reason: "10.0.0.1 is not a public address",
		},
		"no such name":          {change: func(s *site) { s.resolver.addresses = [][]string{{}} }, reason: host + " has no address"},
		"unknown authority":     {change: func(s *site) { s.opts.Roots = nil }, reason: "certificate"},
		"endless body":          {serve: endless, reason: "has more than the 65536 bytes that are approved"},
		"large body":            {serve: status(200, "Content-Length", "65537"), reason: "the answer has 65537 bytes, at most 65536 are approved"},
		"slow body":             {serve: slow, change: impatient, reason: "took longer than 300ms"},
		"slow head":             {serve: func(_ *site, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, change: impatient, reason: "took longer than 300ms"},
		"broken off":            {serve: status(200, "Content-Length", "100"), reason: "the answer breaks off"},
		"media type":            {serve: status(200, "Content-Type", "text/html; charset=utf-8"), reason: `the answer is of media type "text/html; charset=utf-8", not application/json`},
		"no media type":         {serve: status(200, "Content-Type", ""), reason: "the answer is of media type"},
		"another charset":       {serve: status(200, "Content-Type", "application/json; charset=utf-16"), reason: "the answer is of media type"},
		"truncated gzip":        {serve: zipped(30), reason: "the answer breaks off: unexpected EOF"},
		"not gzip":              {serve: status(200, "Content-Encoding", "gzip"), reason: "the answer breaks off: gzip: invalid header"},
		"much in a little gzip": {serve: zipped(1 << 20), reason: "has more than the 65536 bytes that are approved"},
		"another encoding":      {serve: status(200, "Content-Encoding", "br"), reason: `the answer is encoded as "br", which was not asked for`},
		"304 unasked":           {serve: status(304), reason: "the answer is 304 Not Modified"},
		"204":                   {serve: status(204), reason: "the answer is 204 No Content"},
		"206":                   {serve: status(206), reason: "the answer is 206 Partial Content"},
		"403":                   {serve: status(403), reason: "the answer is 403 Forbidden"},
		"429":                   {serve: status(429, "Retry-After", "120"), reason: "the answer is 429 Too Many Requests, try again after 120 seconds"},
		"429, a date":           {serve: status(429, "Retry-After", "Sun, 01 Nov 2026 07:00:00 GMT"), reason: "try again after Sun, 01 Nov 2026 07:00:00 GMT"},
		"429, nothing said":     {serve: status(429), reason: "the answer is 429 Too Many Requests"},
		"500":                   {serve: status(500), reason: "the answer is 500 Internal Server Error"},
		"503":                   {serve: status(503, "Retry-After", "1"), reason: "503 Service Unavailable, try again after 1 seconds"},
		"599":                   {serve: status(599), reason: "the answer is 599"},
		"invalid UTF-8":         {serve: func(_ *site, w http.ResponseWriter, _ *http.Request) { head(w); _, _ = io.WriteString(w, "\xff") }, reason: "$.body: invalid UTF-8"},
		"headers without end":   {serve: status(200, "X", strings.Repeat("x", 64<<10)), reason: "error"},
		"hangs up":              {serve: func(*site, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, reason: "/api/v1/models: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			if tt.serve == nil {
				tt.serve = status(200)
			}
			s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { tt.serve(s, w, r) })
			if tt.change != nil {
				tt.change(s)
			}
			folder := t.TempDir()
			saved, err := s.fetch("openrouter-models", "", folder)
			wantError(t, err, tt.reason)
			wantError(t, err, s.origin+modelsPath)
			if got := names(t, folder); saved != nil || got != nil {
				t.Errorf("saved %+v, left %q", saved, got)
			}
		})
	}
}

func impatient(s *site) { s.opts.Timeout = 300 * time.Millisecond }

// slow writes a byte now and then.
func slow(_ *site, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", plainJSON)
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, " ")
		w.(http.Flusher).Flush()
		time.Sleep(10 * time.Millisecond)
	}
}

// zipped serves white space in gzip, less the end of its compressed form if there
// is little of it.
func zipped(size int) func(*site, http.ResponseWriter, *http.Request) {
	return func(_ *site, w http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(bytes.Repeat([]byte(" "), size)) // to memory
		_ = z.Close()
		w.Header().Set("Content-Type", plainJSON)
		w.Header().Set("Content-Encoding", "gzip")
		if size < 1<<10 {
			b.Truncate(b.Len() - 10)
		}
		_, _ = w.Write(b.Bytes())
	}
}

// The old files stay when a fetch fails.
func TestFailureKeepsOldFiles(t *testing.T) {
	s := newSite(t)
	fails := false
	s.mux.HandleFunc(modelsPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", plainJSON)
		if fails {
			w.Header().Set("Content-Length", "100")
		}
		_, _ = io.WriteString(w, models)
	})
	folder := t.TempDir()
	saved, err := s.fetch("openrouter-models", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	fails = true
	_, err = s.fetch("openrouter-models", "", folder)
	wantError(t, err, "breaks off")
	open(t, s, "openrouter-models", saved[0].Path)
	if got := names(t, folder); len(got) != 2 {
		t.Errorf("left %q", got)
	}
}

// A cancelled fetch ends at once.
func TestFetchIsCancelled(t *testing.T) {
	s := newSite(t)
	ctx, stop := context.WithCancel(context.Background())
	s.mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { stop(); <-r.Context().Done() })
	_, err := fetch(ctx, Request{Manifest: s.manifest, Source: "openrouter-models", Folder: t.TempDir()}, s.opts, s.world)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What is asked for must make sense before anything is asked of anybody.
func TestRequestsAreRefused(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ source, revision, reason string }{
		{"nobody", "", "the manifest approves no source nobody"},
		{"lm-eval", "", "the manifest approves no source lm-eval"},
		{"aider-polyglot", "", "aider-polyglot needs a revision (a full-git-sha): its revisions cannot be discovered"},
		{"aider-polyglot", "main", "main is not a revision of aider-polyglot: must be a full-git-sha"},
		{"livebench", "2026_01_08", "2026_01_08 is not a revision of livebench: must be a calendar-date"},
		{"livebench", "2026-02-30", "must be a calendar-date"},
		{"openrouter-models", "2026-01-08", "must be a sha256"},
	} {
		_, err := s.fetch(tt.source, tt.revision, t.TempDir())
		wantError(t, err, tt.reason)
	}
	if got := s.requests(); got != nil {
		t.Errorf("asked %q", got)
	}
}

// What is exported dials public addresses alone; no option changes that.
func TestFetchDialsPublicAddresses(t *testing.T) {
	s := newSite(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.origin, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		m := manifestOf(t, "https://"+host+":"+port)
		_, err := Fetch(context.Background(), Request{Manifest: m, Source: "openrouter-models", Folder: t.TempDir()}, s.opts)
		wantError(t, err, "is not a public address")
	}
	if got := s.requests(); got != nil {
		t.Errorf("asked %q", got)
	}
}

func TestIsPublic(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "185.199.108.153", "172.15.0.1", "172.32.0.1", "2606:50c0:8000::153", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8", "223.255.255.255"} {
		if !isPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
	for _, a := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:10.0.0.1", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00::1", "ff02::1", "2001:db8::1", "2001::1", "2002:a00:1::", "3fff::1",
		"64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "fec0::1",
	} {
		if isPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// The newest day is today or, as long as there is nothing of today, yesterday.
func TestFetchNewestDay(t *testing.T) {
	s := newSite(t)
	const folder = "/sui414/openrouter-pricing-data/main/data/csv/endpoints/date="
	s.answer(folder+"2026-10-31.csv", "text/plain", "yesterday")
	for _, want := range []string{"2026-10-31", "2026-11-01"} {
		saved, err := s.fetch("openrouter-endpoints", "", t.TempDir())
		if err != nil || len(saved) != 1 {
			t.Fatalf("%v: %v", saved, err)
		}
		if e := open(t, s, "openrouter-endpoints", saved[0].Path).Envelope(); e.URL != s.origin+folder+want+".csv" {
			t.Errorf("fetched %s", e.URL)
		}
		if want == "2026-10-31" {
			s.answer(folder+"2026-11-01.csv", "text/plain", "today")
		}
	}
	_, err := s.fetch("openrouter-endpoints", "2026-10-30", t.TempDir())
	wantError(t, err, "404")
}
