// Package exporttest makes catalogs of real files for tests of what is written from them,
// and the files that formats continue. Tests that use it skip where the real files are not
// there.
package exporttest

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// list is a price source and its real files.
type list struct {
	adapter sources.Adapter
	url     string
	files   string // a pattern below the folder of real files
}

const noCommit = "0000000000000000000000000000000000000000"

var lists = []list{
	{modelsdev.New(), "https://codeload.github.com/anomalyco/models.dev/tar.gz/" + noCommit, "models-dev/tree.*.tar"},
	{litellm.New(), "https://raw.githubusercontent.com/BerriAI/litellm/" + noCommit +
		"/model_prices_and_context_window.json", "litellm/*.json"},
	{genaiprices.New(), "https://raw.githubusercontent.com/pydantic/genai-prices/" + noCommit +
		"/prices/new_data/v2/data.json", "genai-prices/data.*.json"},
	{openrouter.New(), "https://openrouter.ai/api/v1/models", "openrouter/models.*.json"},
}

// File is a real file of a price source.
type File struct {
	Name   string // of the file, without its folder
	Source string
	Text   string
	At     string // when it was seen: the end of the day in its name
	list   *list
}

// Files returns the real files of a price source, all if it has no name.
func Files(t testing.TB, source string) (found []File) {
	t.Helper()
	for i := range lists {
		l := &lists[i]
		if source != "" && l.adapter.Source() != source {
			continue
		}
		names, err := filepath.Glob(filepath.Join(vectortest.Data(t, "data"), filepath.FromSlash(l.files)))
		if err != nil || len(names) == 0 {
			t.Fatalf("there are no files %s: %v", l.files, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f := File{Name: filepath.Base(name), Source: l.adapter.Source(), Text: string(text), list: l}
			if f.Source == openrouter.Source && strings.HasPrefix(f.Text, "[") { // its collector dropped the envelope
				f.Text = `{"data":` + f.Text + `}`
			}
			_, day, _ := strings.Cut(f.Name, ".")
			f.At = day[:len("2006-01-02")] + "T23:59:59.000Z"
			found = append(found, f)
		}
	}
	return found
}

// Observations imports real files of one source without a mapping, so that every row is
// the model that its id names.
func Observations(t testing.TB, files ...File) (docs []string) {
	t.Helper()
	manifest, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	var snapshots []sources.File
	for _, f := range files {
		body := problem.Source{Name: f.Name, Text: f.Text}
		e, err := sources.Pin(f.Source, sources.Download{URL: f.list.url, FetchedAt: f.At}, body, manifest)
		if err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, sources.File{Body: body, Envelope: problem.Source{Name: "envelope",
			Text: string(e.JSON())}})
	}
	r, err := files[0].list.adapter.Import(sources.Request{Manifest: manifest, Snapshots: snapshots})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Observations {
		docs = append(docs, o.Input())
	}
	return docs
}

// Real is a catalog of real files.
type Real struct {
	Name    string
	Catalog *catalog.Catalog
}

var (
	compiled = map[string]*catalog.Catalog{}
	mutex    sync.Mutex
)

// Catalog is what one real file says, as of the end of its day. It is compiled once.
func Catalog(t testing.TB, f File) *catalog.Catalog {
	t.Helper()
	mutex.Lock()
	defer mutex.Unlock()
	if compiled[f.Name] == nil {
		compiled[f.Name] = Compile(t, f.At, Observations(t, f))
	}
	return compiled[f.Name]
}

// Compile compiles observations; what is there twice counts once.
func Compile(t testing.TB, asOf string, docs []string) *catalog.Catalog {
	t.Helper()
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: asOf, Dedupe: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Mixed is a catalog of what four lists said in one week of July 2026. It has
// contradictions, and facts that have expired.
func Mixed(t testing.TB) *catalog.Catalog {
	t.Helper()
	mutex.Lock()
	defer mutex.Unlock()
	const name, day = "mixed", "2026-07-05"
	if compiled[name] == nil {
		var docs []string
		for _, source := range []string{modelsdev.Source, litellm.Source, openrouter.Source} {
			files := slices.DeleteFunc(Files(t, source), func(f File) bool { return f.At[:len(day)] > day })
			docs = append(docs, Observations(t, files[len(files)-1])...)
		}
		compiled[name] = Compile(t, day+"T23:59:59.000Z", docs)
	}
	return compiled[name]
}

// All returns the catalog of each real file, and the mixed one; where tests do less, the
// newest file of each source alone.
func All(t testing.TB) (all []Real) {
	t.Helper()
	files := Files(t, "")
	if vectortest.IsShort() {
		for i, f := range files {
			if i == len(files)-1 || files[i+1].Source != f.Source {
				all = append(all, Real{f.Source + " " + f.Name, Catalog(t, f)})
			}
		}
		return all
	}
	for _, f := range files {
		all = append(all, Real{f.Source + " " + f.Name, Catalog(t, f)})
	}
	return append(all, Real{"mixed", Mixed(t)})
}

// Providers is the file of models.dev with the providers of a real tree as they are
// reached, and no models.
func Providers(t testing.TB, f File) string {
	t.Helper()
	providers := map[string]any{}
	for r := tar.NewReader(strings.NewReader(f.Text)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(h.Name, "/")
		if len(parts) != 4 || parts[1] != "providers" || parts[3] != "provider.toml" {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		provider := map[string]any{}
		if err := toml.Unmarshal(text, &provider); err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
		provider["id"], provider["models"] = parts[2], map[string]any{}
		providers[parts[2]] = provider
	}
	text, err := json.MarshalIndent(providers, "", "  ")
	if err != nil || len(providers) < 100 {
		t.Fatalf("%d providers, %v", len(providers), err)
	}
	return string(text) + "\n"
}

// Entry returns a file of a real tree of models.dev, by its path below the top folder.
func Entry(t testing.TB, f File, path string) string {
	t.Helper()
	for r := tar.NewReader(strings.NewReader(f.Text)); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if _, name, _ := strings.Cut(h.Name, "/"); name != path {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}
