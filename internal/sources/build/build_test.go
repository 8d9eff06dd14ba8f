package build_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/build"
	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
	"github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// silent is a watcher that says nothing.
type silent struct{}

func (silent) Expect(string, int64) {}
func (silent) Bytes(string, int64)  {}
func (silent) Retry(_, _ string)    {}
func (silent) Done(_, _ string)     {}

// yard is a folder with a recipe, and the hosts of its sources.
type yard struct {
	hosts  *hosttest.Hosts
	folder string
	text   string // of the recipe
	now    time.Time
}

func newYard(t *testing.T, lines ...string) *yard {
	t.Helper()
	return &yard{
		hosts: hosttest.New(t), folder: t.TempDir(), now: time.Date(2026, 8, 1, 6, 0, 0, 0, time.UTC),
		text: "version: 1\nsources:\n  " + strings.Join(lines, "\n  ") + "\n",
	}
}

func adapters() []sources.Adapter {
	return []sources.Adapter{aider.New(), genaiprices.New(), litellm.New(), livebench.New(), modelsdev.New(), openrouter.New(),
		inspectlog.New(), everyeval.New()}
}

func (y *yard) build(t *testing.T, change func(*build.Request)) (r *build.Result, err error) {
	t.Helper()
	y.request(t, func(req build.Request) {
		if change != nil {
			change(&req)
		}
		r, err = build.Build(t.Context(), req)
	})
	return r, err
}

// request opens the store, and calls what needs a request.
func (y *yard) request(t *testing.T, call func(build.Request)) {
	t.Helper()
	kept, err := store.Open(t.Context(), filepath.Join(y.folder, store.Folder), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	src := problem.Source{Name: recipe.FileName, Text: y.text}
	r, err := recipe.Read(src, recipe.Known())
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(y.hosts.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	call(build.Request{
		Recipe: r, Text: src, Folder: y.folder, Store: kept, Adapters: adapters(), Manifest: sourcetest.Manifest(t), Version: "test",
		Jobs: 2, Fetch: fetch.Options{Roots: roots, World: hosttest.World(y.hosts.Port, y.now)}, Watch: silent{},
	})
}

func (y *yard) must(t *testing.T, change func(*build.Request)) *build.Result {
	t.Helper()
	r, err := y.build(t, change)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (y *yard) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(y.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Runs and tables of one's own are lines of a recipe, which also say what is wrong with which file.
func TestOwnFiles(t *testing.T) {
	y := newYard(t, "inspect: { files: logs/** }", "table: { files: own/*.csv, map: columns.json }")
	header := func(task string) string {
		return `{"status":"success","eval":{"eval_id":"` + task + `","task":"` + task + `","model":"openai/gpt-5"},
			"stats":{"completed_at":"2026-07-30T00:00:00Z"},"results":{"total_samples":1,"completed_samples":1,"scores":[]}}`
	}
	const sample = `{"id":"a","epoch":1,"scores":{"exact":{"value":"C"}}}`
	asJSON := func(task string) string { return header(task)[:len(header(task))-1] + `,"samples":[` + sample + `]}` }
	run := func(task string) string {
		var log bytes.Buffer
		z := zip.NewWriter(&log)
		for name, text := range map[string]string{"header.json": header(task), "samples/a_epoch_1.json": sample} {
			part, err := z.Create(name)
			if err == nil {
				_, err = part.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	for name, text := range map[string]string{
		"logs/june/a.eval": run("triage"),
		"logs/june/a.json": asJSON("triage"),
		"logs/july/b.json": asJSON("search"),
		"logs/logs.json":   `{"june/a.eval":{}}`,
		"logs/notes.jsonl": "{}",
		"own/scores.csv":   "model,key,value,day\nopenai/gpt-5,acme.score,71.5,2026-07-30\n",
		"own/notes.eval":   "is no table",
		"columns.json":     `{"model":"model","key":"key","value":"value","date":"day"}`,
	} {
		y.write(t, name, text)
	}
	built := y.must(t, nil).Build
	text := y.read(t, recipe.Catalog)
	if s := built.Sources[0]; s.Rows != 3 || s.Imported != 2 || s.Skipped["same-run"] != 1 {
		t.Errorf("%+v", s)
	}
	if built.Models != 1 || strings.Count(text, `"inspect.triage.exact"`) != 1 || strings.Count(text, `"inspect.search.exact"`) != 1 || !strings.Contains(text, `"acme.score"`) {
		t.Errorf("%+v\n%s", built, text)
	}
	for _, name := range []string{"logs/b.eval", "own/b.csv"} {
		y.write(t, name, "garbage\nx,y\n")
		_, err := y.build(t, nil)
		if faults := problem.All(err); len(faults) != 1 || faults[0].Place.File != name || faults[0].Place.Line == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(filepath.Join(y.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	y.write(t, "columns.json", `{"model":"model"}`)
	if _, err := y.build(t, nil); !strings.Contains(fmt.Sprint(err), "$.key: missing field") {
		t.Error(err)
	}
}

// Of the archive of Every Eval Ever, which is larger than a body may be, a recipe takes the collections
// that it names: other ones are another snapshot.
func TestCollections(t *testing.T) {
	y := newYard(t, "openrouter-models:", "every-eval-ever: { collections: [exam, quiz] }")
	y.hosts.Serve(hosttest.OpenRouter, list(2, "0.000001"))
	record := func(collection string) []byte {
		return fmt.Appendf(nil, `{"schema_version":"0.2.2","evaluation_id":"%s/acme_atlas/1","retrieved_timestamp":"1777613486","source_metadata":{},`+
			`"model_info":{"id":"acme/atlas-0"},"evaluation_results":[{"evaluation_name":"All","score_details":{"score":0.5}}]}`, collection)
	}
	var body bytes.Buffer
	w := tar.NewWriter(&body)
	for _, f := range []struct {
		name string
		text []byte
	}{{"exam/a", record("exam")}, {"quiz/a", record("board")}, {"zeros/a", make([]byte, 65<<20)}, {"zoo/a", record("zoo")}} {
		if err := sources.AddFile(w, "every_eval_ever-7ea9d9f/data/"+f.name+".json", f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	y.hosts.Serve(hosttest.EveryEval, body.String())
	first := y.must(t, nil)
	one := first.Lock.Sources[1].Bodies
	if text := y.read(t, recipe.Catalog); len(one) != 1 || one[0].URL != "https://"+hosttest.EveryEval+"#data/exam,data/quiz" || one[0].Bytes > 1<<14 ||
		!strings.Contains(text, `"eee.exam.all"`) || !strings.Contains(text, `"eee.board.all"`) || strings.Contains(text, `"eee.zoo.all"`) {
		t.Fatalf("%+v\n%v", one, first.Warnings)
	}
	// Nobody asks again for what a commit holds, and the lock gives it to the byte where the store has nothing.
	y.hosts.Asked()
	y.now = y.now.AddDate(0, 0, 2)
	y.must(t, nil)
	if asked := y.hosts.Asked(); len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}
	text := y.read(t, recipe.Catalog)
	if err := os.Remove(filepath.Join(y.folder, store.Folder, "bodies", one[0].SHA256)); err != nil {
		t.Fatal(err)
	}
	if _, err := y.build(t, func(r *build.Request) { r.Locked, r.Offline = true, true }); err == nil || !strings.Contains(err.Error(), one[0].URL+" of 2026-08-01T06:00:00.000Z is gone") {
		t.Errorf("--locked --offline: %v", err)
	}
	y.must(t, func(r *build.Request) { r.Locked = true })
	if asked := y.hosts.Asked(); y.read(t, recipe.Catalog) != text || len(asked) != 1 {
		t.Errorf("--locked gives another catalog, or asked %q", asked)
	}
	// Other collections are another snapshot, which the store does not have.
	y.text = strings.Replace(y.text, "exam, quiz", "zoo", 1)
	offline := y.must(t, func(r *build.Request) { r.Offline = true })
	if s := offline.Build.Sources[1]; s.State != "absent" {
		t.Errorf("%+v", s)
	}
	if r := y.must(t, nil); r.Lock.Sources[1].Bodies[0].SHA256 == one[0].SHA256 || !strings.Contains(y.read(t, recipe.Catalog), `"eee.zoo.all"`) {
		t.Errorf("%+v", r.Lock.Sources[1])
	}
	y.text = strings.Replace(y.text, "zoo", "none", 1)
	if r := y.must(t, nil); !strings.Contains(strings.Join(r.Warnings, " "), "the archive has no file in data/none: built without it") {
		t.Errorf("%q", r.Warnings)
	}
	y.text = strings.Replace(y.text, "{ collections: [none] }", "", 1)
	if r := y.must(t, nil); !strings.Contains(strings.Join(r.Warnings, " "), "more than 64 MiB in the folders that are taken: name fewer: built without it") {
		t.Errorf("%q", r.Warnings)
	}
}

func (y *yard) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(y.folder, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// offer is a row of OpenRouter's list.
func offer(id, price string) string {
	return fmt.Sprintf(`{"id":%q,"canonical_slug":%[1]q,"name":%[1]q,"created":1700000000,"context_length":8192,"architecture":{"input_modalities":["text"],`+
		`"output_modalities":["text"]},"pricing":{"prompt":%q,"completion":%[2]q},"top_provider":{"context_length":8192,"max_completion_tokens":null},`+
		`"supported_parameters":["tools"]}`, id, price)
}

// list is an answer of OpenRouter with so many rows.
func list(rows int, price string) string {
	var all []string
	for i := range rows {
		all = append(all, offer(fmt.Sprintf("acme/atlas-%d", i), price))
	}
	return `{"data":[` + strings.Join(all, ",") + `]}`
}

// Captures of days, one build after another, give the catalog that one import of all gives.
func TestDailyBuildsEqualOneImport(t *testing.T) {
	vectortest.SkipRace(t)
	days := []string{"2025-07-29.wikiarena", "2026-06-16.chlnga", "2026-03-10.dongasai", "2026-07-17", "2026-07-18", "2026-07-19", "2026-07-28", "2026-07-31"}
	y := newYard(t, "openrouter-models: { indexes: [artificial-analysis, design-arena] }")
	var pinned []sources.File
	for i, day := range days {
		body := hosttest.Capture(t, day)
		y.now = y.now.AddDate(0, 0, 1)
		y.hosts.Serve(hosttest.OpenRouter, body)
		r := y.must(t, nil)
		if n := len(r.Lock.Sources[0].Bodies); n != i+1 {
			t.Fatalf("build %d uses %d bodies: %v", i, n, r.Warnings)
		}
		at, _ := timestamp.Format(y.now)
		pinned = append(pinned, sourcetest.Pin(t, openrouter.Source, "https://"+hosttest.OpenRouter, at, body))
	}
	result, err := openrouter.New().Import(sources.Request{Manifest: sourcetest.Manifest(t), Snapshots: pinned})
	if err != nil {
		t.Fatal(err)
	}
	var docs []string
	for _, o := range result.Observations {
		docs = append(docs, o.Input())
	}
	at, _ := timestamp.Format(y.now)
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: at})
	if err != nil {
		t.Fatal(err)
	}
	if y.read(t, recipe.Catalog) != c.Serialize() {
		t.Error("the catalogs differ")
	}
	// And the lock gives it again, in another folder whose store is empty but for the bodies.
	other := *y
	other.folder = t.TempDir()
	if err := os.CopyFS(filepath.Join(other.folder, store.Folder, "bodies"), os.DirFS(filepath.Join(y.folder, store.Folder, "bodies"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other.folder, recipe.LockName), []byte(y.read(t, recipe.LockName)), 0o600); err != nil {
		t.Fatal(err)
	}
	other.must(t, func(r *build.Request) { r.Locked, r.Offline = true, true })
	for _, name := range []string{recipe.Catalog, recipe.LockName} {
		if other.read(t, name) != y.read(t, name) {
			t.Errorf("--locked gives another %s", name)
		}
	}
	if err := os.RemoveAll(filepath.Join(other.folder, store.Folder, "bodies")); err != nil {
		t.Fatal(err)
	}
	if _, err := other.build(t, func(r *build.Request) { r.Locked = true }); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("bytes that are gone: %v", err)
	}
	if err := os.Remove(filepath.Join(other.folder, recipe.LockName)); err != nil {
		t.Fatal(err)
	}
	if _, err := other.build(t, func(r *build.Request) { r.Locked = true }); err == nil || !strings.Contains(err.Error(), recipe.LockName+" is missing") {
		t.Errorf("no lock: %v", err)
	}
}

// The answers that hosts give when something is wrong: whatever it is, the catalog is built from the
// last good body, and the reason is told.
func TestFaultyAnswers(t *testing.T) {
	say := func(status int, mediaType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const plain = "application/json"
	good := list(20, "0.000001")
	for name, tt := range map[string]struct {
		fault  http.HandlerFunc
		state  string
		reason string
	}{
		"an error":            {say(200, plain, `{"error":{"message":"busy"}}`), "held", "the adapter refuses it"},
		"an error beside":     {say(200, plain, `{"data":[],"error":{"code":500}}`), "held", "the adapter refuses it"},
		"nothing":             {say(200, plain, ""), "held", "the adapter refuses it"},
		"an empty list":       {say(200, plain, `{"data":[]}`), "held", "it has no rows"},
		"no list":             {say(200, plain, `{}`), "held", "the adapter refuses it"},
		"null":                {say(200, plain, `null`), "held", "the adapter refuses it"},
		"a bare list":         {say(200, plain, `[]`), "held", "the adapter refuses it"},
		"a list of nothing":   {say(200, plain, `{"data":[1,2,3]}`), "held", "the adapter refuses it"},
		"a further page":      {say(200, plain, good[:len(good)-1]+`,"total_count":20,"links":{"next":"/2"}}`), "held", "the adapter refuses it"},
		"a wrong count":       {say(200, plain, good[:len(good)-1]+`,"total_count":21,"links":{"next":null}}`), "held", "the adapter refuses it"},
		"shrunken":            {say(200, plain, list(15, "0.000001")), "held", "it has 15 rows, the one before had 20"},
		"one row":             {say(200, plain, list(1, "0.000001")), "held", "it has 1 rows, the one before had 20"},
		"half":                {say(200, plain, good[:len(good)/2]), "held", "the adapter refuses it"},
		"twice":               {say(200, plain, good+good), "held", "the adapter refuses it"},
		"bad UTF-8":           {say(200, plain, `{"data":["`+"\xff"+`"]}`), "missed", "invalid UTF-8"},
		"a mark before":       {say(200, plain, "\ufeff"+good), "missed", "byte order mark"},
		"a NUL":               {say(200, plain, "{\x00}"), "missed", "NUL"},
		"deep":                {say(200, plain, strings.Repeat("[", 1<<20)), "held", "the adapter refuses it"},
		"another type":        {say(200, "text/html", "<p>sign in</p>"), "missed", `media type "text/html"`},
		"no type":             {say(200, "", good), "missed", "media type"},
		"not found":           {say(404, plain, "{}"), "missed", "404 Not Found"},
		"forbidden":           {say(403, plain, "{}"), "missed", "403 Forbidden"},
		"a fault of the host": {say(500, plain, "{}"), "missed", "500 Internal Server Error"},
		"busy for ever":       {say(429, plain, "{}"), "missed", "429 Too Many Requests"},
		"no content":          {say(204, plain, ""), "missed", "204 No Content"},
		"too large": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", plain)
			w.Header().Set("Content-Length", "99999999999")
		}, "missed", "are approved"},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", plain)
			piece := []byte(strings.Repeat(" ", 1<<20))
			for range 100 {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, "missed", "are approved"},
		"encoded": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", plain)
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte(good))
		}, "missed", "breaks off"},
		"a bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", plain)
			w.Header().Set("Content-Encoding", "gzip")
			var piece bytes.Buffer // a whole member: a file may have many
			z := gzip.NewWriter(&piece)
			_, _ = z.Write(make([]byte, 1<<20))
			_ = z.Close()
			for range 100 {
				if _, err := w.Write(piece.Bytes()); err != nil {
					return
				}
			}
		}, "missed", "are approved"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://livebench.ai/", http.StatusFound)
		}, "missed", "not on the origin"},
		"in a circle": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "missed", "redirected more than"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", plain)
			w.Header().Set("Content-Length", fmt.Sprint(len(good)))
			_, _ = w.Write([]byte(good[:100]))
		}, "missed", "breaks off"},
		"stalled": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", plain)
			_, _ = w.Write([]byte(good[:100]))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "missed", "nothing came"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t, "openrouter-models:")
			y.hosts.Serve(hosttest.OpenRouter, good)
			y.must(t, nil)
			before := y.read(t, recipe.Catalog)
			y.hosts.Fail(hosttest.OpenRouter, tt.fault)
			y.now = y.now.Add(7 * time.Hour)
			r := y.must(t, nil)
			s := r.Build.Sources[0]
			if s.State != tt.state || !strings.Contains(string(s.Reason), tt.reason) || s.Rows != 20 || s.Overdue {
				t.Errorf("%+v", s)
			}
			if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], string(s.Reason)) {
				t.Errorf("warnings %q", r.Warnings)
			}
			y.now = y.now.AddDate(0, 0, 2)
			if r = y.must(t, nil); !r.Build.Sources[0].Overdue || !strings.Contains(r.Warnings[0], "OLDER THAN") {
				t.Errorf("once it is overdue: %q", r.Warnings)
			}
			if !strings.Contains(before, "acme/atlas-19") || !strings.Contains(y.read(t, recipe.Catalog), "acme/atlas-19") {
				t.Error("the last good body is not used")
			}
		})
	}
}

// What is held back is taken if somebody says so, whether it is asked for again or in the store.
func TestAccept(t *testing.T) {
	for _, isOffline := range []bool{false, true} {
		y := newYard(t, "openrouter-models:")
		y.hosts.Serve(hosttest.OpenRouter, list(20, "0.000001"))
		y.must(t, nil)
		y.hosts.Serve(hosttest.OpenRouter, list(2, "0.000001"))
		y.now = y.now.Add(7 * time.Hour)
		y.must(t, nil)
		r := y.must(t, func(r *build.Request) { r.Accept, r.Offline = []string{"openrouter-models"}, isOffline })
		if s := r.Build.Sources[0]; s.State != "built" || len(r.Lock.Sources[0].Bodies) != 2 || len(r.Warnings) > 0 {
			t.Errorf("%+v, %q", s, r.Warnings)
		}
		if _, err := y.build(t, func(r *build.Request) { r.Accept, r.Offline = []string{"openrouter-models"}, true }); err == nil {
			t.Error("nothing is held back, and it is taken")
		}
	}
}

// Without anything there is no catalog, and the old one stays.
func TestNothing(t *testing.T) {
	y := newYard(t, "openrouter-models:")
	if _, err := y.build(t, nil); err == nil || !strings.Contains(err.Error(), "no source gave anything") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(y.folder, recipe.Catalog)); err == nil {
		t.Error("a catalog of nothing")
	}
	// Without a network the store has to have it: what it lacks is named.
	y = newYard(t, "models-dev:\n  litellm-prices:")
	const want = "no source gave anything: models-dev, litellm-prices: the store has nothing of it"
	if _, err := y.build(t, func(r *build.Request) { r.Offline = true }); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A decision of a person says which model a name is.
func TestDecisions(t *testing.T) {
	y := newYard(t, "openrouter-models:\ndecisions: decisions.json")
	y.hosts.Serve(hosttest.OpenRouter, list(2, "0.000001"))
	if _, err := y.build(t, nil); err == nil || !strings.Contains(err.Error(), "the recipe names decisions.json") {
		t.Errorf("without the file: %v", err)
	}
	text := `{"acme/atlas-1":"other/name"}`
	if err := os.WriteFile(filepath.Join(y.folder, "decisions.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	y.must(t, nil)
	if c := y.read(t, recipe.Catalog); !strings.Contains(c, `"id":"other/name"`) || strings.Contains(c, `"identity":{"id":"acme/atlas-1"`) {
		t.Error("the decision has no effect")
	}
}

// Pruning drops what the recipe names no more, and nothing that the lock or the next build refers to.
func TestPrune(t *testing.T) {
	y := newYard(t, "openrouter-models:", "litellm-prices:")
	y.hosts.Serve(hosttest.OpenRouter, list(20, "0.000001"))
	y.hosts.Serve(hosttest.LiteLLM, `{"acme/atlas":{"litellm_provider":"acme","mode":"chat","input_cost_per_token":8e-07,"output_cost_per_token":4e-06}}`)
	y.must(t, nil)
	y.hosts.Serve(hosttest.OpenRouter, list(19, "0.000002"))
	y.now = y.now.Add(7 * time.Hour)
	y.must(t, nil)
	// An older instant needs less, and its build keeps what is newer.
	y.must(t, func(r *build.Request) { r.AsOf, r.Offline = "2026-08-01T07:00:00.000Z", true })
	prune := func(isDry bool) (p store.Pruned) {
		t.Helper()
		y.request(t, func(r build.Request) {
			r.DryRun = isDry
			var err error
			if p, err = build.Prune(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		})
		return p
	}
	if p := prune(false); p != (store.Pruned{}) {
		t.Errorf("what is needed is dropped: %+v", p)
	}
	before := y.read(t, recipe.Catalog)
	y.text = strings.Replace(y.text, "  litellm-prices:\n", "", 1)
	if p := prune(true); p.Looks != 0 || p.Bodies != 0 {
		t.Errorf("what the lock names is dropped: %+v", p)
	}
	y.must(t, func(r *build.Request) { r.Offline = true })
	dry := prune(true)
	if p := prune(false); p != dry || p.Looks != 1 || p.Bodies != 1 || p.Bytes == 0 {
		t.Errorf("dropped %+v, and said %+v", p, dry)
	}
	if y.must(t, func(r *build.Request) { r.Locked, r.Offline = true, true }); before == y.read(t, recipe.Catalog) {
		t.Error("the catalog still has the list that the recipe does not name")
	}
}

// Two builds a day for years keep a bounded store, and each is as quick as the one before. A record that is lost
// is made again, though nothing is new.
func TestYearsOfBuilds(t *testing.T) {
	y := newYard(t, "openrouter-models:")
	builds := 16
	if !vectortest.IsShort() {
		builds = 1500
	}
	most := 0
	for n := range builds {
		y.now = y.now.Add(12 * time.Hour)
		y.hosts.Serve(hosttest.OpenRouter, list(3, fmt.Sprintf("0.00000%04d", 1000+n)))
		r := y.must(t, nil)
		most = max(most, len(r.Lock.Sources[0].Bodies))
	}
	bodies, err := os.ReadDir(filepath.Join(y.folder, store.Folder, "bodies"))
	if err != nil {
		t.Fatal(err)
	}
	const days, daily, weekly = 2 * 8, 31, 400 / 7 // looks
	if most > days+daily+weekly || len(bodies) > days+daily+weekly || most < min(builds/2, days+daily) {
		t.Errorf("after %d builds one uses %d bodies, and the store has %d", builds, most, len(bodies))
	}
	if err := os.Remove(filepath.Join(y.folder, recipe.BuildName)); err != nil {
		t.Fatal(err)
	}
	before := y.read(t, recipe.Catalog)
	if r := y.must(t, nil); r.UpToDate || y.read(t, recipe.BuildName) == "" || y.read(t, recipe.Catalog) != before {
		t.Errorf("up to date: %v", r.UpToDate)
	}
	if r := y.must(t, nil); !r.UpToDate {
		t.Error("it is not up to date")
	}
}

// A list that nobody touched for longer than its values are valid is as valid as the day it is fetched, and what
// it stated before is no reason to fetch newer files.
func TestHeadOfLongAgo(t *testing.T) {
	y := newYard(t, "models-dev:")
	tree := func(published time.Time, price string) string {
		var b strings.Builder
		w := tar.NewWriter(&b)
		text := "name = \"Atlas\"\ncost = { input = 1, output = " + price + " }\nlimit = { context = 1000, output = 100 }\n"
		if err := w.WriteHeader(&tar.Header{Name: "tree/providers/acme/models/atlas.toml", Mode: 0o644, Size: int64(len(text)), ModTime: published}); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(text))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, price := range []string{"5", "6", "7", "8"} {
		y.hosts.Serve(hosttest.ModelsDev, tree(y.now.AddDate(0, 0, -10), price))
		y.must(t, nil)
		y.now = y.now.AddDate(0, 0, 11)
	}
	y.now = y.now.AddDate(0, 0, -11)
	c, err := catalog.Parse(t.Context(), problem.Source{Text: y.read(t, recipe.Catalog)})
	if err != nil {
		t.Fatal(err)
	}
	price := c.Expiry("price.output")
	if price.Observations != 1 || price.Expired != 0 || c.Observations() < 6 {
		t.Errorf("%+v of %d observations", price, c.Observations())
	}
	until, _ := timestamp.Format(y.now.AddDate(0, 0, 7))
	if text := y.read(t, recipe.Catalog); !strings.Contains(text, `"validUntil":"`+until+`"`) {
		t.Errorf("nothing is valid until %s, a week from the fetch", until)
	}
}

// Of the figures of others that OpenRouter lists, a catalog has those that the recipe names, and without a word
// of it those of Artificial Analysis.
func TestIndexes(t *testing.T) {
	text, err := os.ReadFile("../../../examples/sources/openrouter/models.json")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][2]bool{
		"openrouter-models:":                                                  {true, false},
		"openrouter-models: { indexes: [] }":                                  {false, false},
		"openrouter-models: { indexes: [design-arena] }":                      {false, true},
		"openrouter-models: { indexes: [artificial-analysis, design-arena] }": {true, true},
	} {
		y := newYard(t, line)
		y.hosts.Serve(hosttest.OpenRouter, string(text))
		y.must(t, nil)
		made := y.read(t, recipe.Catalog)
		if got := [2]bool{strings.Contains(made, "openrouter.artificial_analysis."), strings.Contains(made, "openrouter.design_arena.")}; got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// A build writes what gateways read by the answers to their questions, anew once the choice changes.
func TestGateways(t *testing.T) {
	y := newYard(t, "observations: { files: own.jsonl }\nquestions: [ask/coding.json]\ngateways: [litellm, portkey]")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(y.folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(y.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sell := func(one, two, client string) {
		t.Helper()
		write("own.jsonl", ownOffer("one", one, client)+ownOffer("two", two, client))
	}
	const client = "@ai-sdk/openai-compatible"
	write("ask/coding.json", `{"schemaVersion":"service.rank.question/v1","models":["acme/a"],"runtimes":["one","two"],"minimize":["price.output"]}`)
	sell("1e-6", "2e-6", client)
	r := y.must(t, nil)
	first, json := y.read(t, "coding.gateway.yaml"), y.read(t, "coding.gateway.json")
	if !strings.Contains(first, `model_name: "coding"`) || !strings.Contains(first, `model: "openai/local-one"`) || strings.Contains(first, "local-two") ||
		!strings.Contains(json, `"api_key": "$ONE_KEY"`) || len(r.Warnings) != 0 || r.Build.Questions[0].Winner != "a" {
		t.Errorf("%s%s%q %+v", first, json, r.Warnings, r.Build.Questions)
	}
	// A new price that leaves the choice as it is leaves the file as it is.
	sell("1.5e-6", "2e-6", client)
	y.must(t, nil)
	if y.read(t, "coding.gateway.yaml") != first {
		t.Error("the choice is the same, the file is not")
	}
	sell("3e-6", "2e-6", client)
	r = y.must(t, nil)
	if second := y.read(t, "coding.gateway.yaml"); !strings.Contains(second, `model: "openai/local-two"`) {
		t.Errorf("%s%+v", second, r.Build.Questions)
	}
	// Whom nobody knows to call leaves the file as it is, and a warning says so.
	sell("1e-6", "2e-6", "@ai-sdk/azure")
	r = y.must(t, nil)
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "coding.gateway.yaml: the choice, a, is left out: gateways need more than a key for @ai-sdk/azure") ||
		!strings.Contains(y.read(t, "coding.gateway.yaml"), "local-two") {
		t.Errorf("%q", r.Warnings)
	}
	// A file that somebody removed is written again, and a question that nothing answers fails no build.
	sell("1e-6", "2e-6", client)
	y.must(t, nil)
	if err := os.Remove(filepath.Join(y.folder, "coding.gateway.yaml")); err != nil {
		t.Fatal(err)
	}
	if r := y.must(t, nil); r.UpToDate || y.read(t, "coding.gateway.yaml") != first {
		t.Error("the file is not written again")
	}
	if r := y.must(t, nil); !r.UpToDate {
		t.Error("there is nothing new")
	}
	write("ask/coding.json", `{"schemaVersion":"service.rank.question/v1","maximize":["absent.key"]}`)
	if r := y.must(t, nil); len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "chooses nobody") || r.Build.Questions[0].Winner != "" {
		t.Errorf("%q", r.Warnings)
	}
	write("ask/coding.json", `{"schemaVersion":"service.rank.question/v1","maximise":[]}`)
	if _, err := y.build(t, nil); err == nil || !strings.Contains(err.Error(), "maximise") {
		t.Error(err)
	}
}

// ownOffer is an observation of one's own of a seller.
func ownOffer(seller, price, client string) string {
	facts := ""
	for _, f := range [][2]string{{"offer.api", "https://" + seller + ".example/v1"}, {"offer.client", client}, {"offer.id", "local-" + seller},
		{"offer.key_variable", strings.ToUpper(seller) + "_KEY"}, {"offer.mode", "chat"}} {
		facts += fmt.Sprintf(`{"key":%q,"kind":"fact","value":%q},`, f[0], f[1])
	}
	const day = `"2026-07-01T00:00:00.000Z"`
	return `{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":"acme/a","revision":null,"quantization":null},"execution":{"kind":"partial",` +
		`"runtime":{"id":"` + seller + `","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null},"task":null,` +
		`"measurements":[` + facts + `{"key":"price.output","kind":"fact","value":` + price + `,"unit":"USD/token"}],"outcome":null,"usage":null,"sourceClass":"external",` +
		`"evidence":[{"id":"own:` + seller + `","kind":"log","uri":null,"digest":null,"observedAt":` + day + `}],` +
		`"freshness":{"observedAt":` + day + `,"validUntil":null},"uncertainty":{"level":"low","basis":["b"],"gaps":[]}}` + "\n"
}
