package local_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

func TestReadCatalogFile(t *testing.T) {
	c, err := local.ReadCatalogFile(t.Context(), "../../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	if catalog.Serialize(c) != string(file) {
		t.Error("the catalog does not serialize to the file that it was read from")
	}
}

func TestReadCatalogFileErrors(t *testing.T) {
	if _, err := local.ReadCatalogFile(t.Context(), "absent.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{\n  \"schemaVersion\": \"service.catalog/v1\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := local.ReadCatalogFile(t.Context(), bad)
	e, ok := errors.AsType[*service.Error](err)
	if !ok || e.Code != service.UnsupportedCatalogSchema || e.Path != "$.schemaVersion" {
		t.Fatalf("a v1 catalog: %v", err)
	}
	if at := e.Place; at.File != bad || at.Line != 2 || at.Column != 20 {
		t.Errorf("the fault stands at %v, want line 2, column 20", at)
	}
}

// Files and directories compile to what their observations do, and faults have their place.
func TestObservationFiles(t *testing.T) {
	ctx, options := t.Context(), catalog.CompileOptions{AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	want, err := local.ReadCatalogFile(ctx, "../../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	const folder = "../../examples/observations"
	for _, paths := range [][]string{{folder}, {folder + "/runs.jsonl", folder + "/facts.json"}} {
		c, err := local.CompileFiles(ctx, options, paths...)
		if err != nil || c.Digest() != want.Digest() {
			t.Errorf("%s: %v", paths, err)
		}
		observations, err := local.ReadObservationFiles(ctx, paths...)
		if err != nil || len(observations) != want.Observations() {
			t.Errorf("%s: %d observations, %v", paths, len(observations), err)
		}
	}

	empty, below := t.TempDir(), t.TempDir()
	bad := filepath.Join(below, "2026", "bad.ndjson")
	if err := os.Mkdir(filepath.Dir(bad), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func(...string) error{
		"compiling": func(paths ...string) error { _, err := local.CompileFiles(ctx, options, paths...); return err },
		"reading":   func(paths ...string) error { _, err := local.ReadObservationFiles(ctx, paths...); return err },
	} {
		faults := service.Faults(load(folder, below))
		if len(faults) == 0 || faults[0].Code != service.InvalidObservation || faults[0].Place.File != bad || faults[0].Place.Line != 2 {
			t.Errorf("%s a bad file: %+v", name, faults)
		}
		for _, path := range []string{"absent", empty} {
			if !isPathError(load(folder, path)) {
				t.Errorf("%s %s: %v", name, path, load(path))
			}
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := local.CompileFiles(canceled, options, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	_, err = local.CompileFiles(ctx, catalog.CompileOptions{AsOf: options.AsOf.AddDate(-1, 0, 0)}, folder)
	if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.InvalidCompileOptions || e.Place.File == "" {
		t.Errorf("a year before: %v", err)
	}
}

func TestReadRankRequestFile(t *testing.T) {
	request, err := local.ReadRankRequestFile("../../examples/fix-issues.json")
	if err != nil || request.SchemaVersion() != record.RankRequestSchemaV2 {
		t.Errorf("%v", err)
	}
	folder := t.TempDir()
	bad, large := filepath.Join(folder, "bad.json"), filepath.Join(folder, "large.json")
	if err := os.WriteFile(bad, []byte("{\n\"schemaVersion\": \"service.rank.request/v3\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = local.ReadRankRequestFile(bad)
	if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.InvalidRankRequest || e.Path != "$.inventory" || e.Place.File != bad {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(large, make([]byte, rank.MaxRequestBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"absent.json", large} {
		if _, err := local.ReadRankRequestFile(file); !isPathError(err) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func isPathError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

func TestStartCatalogServer(t *testing.T) {
	c, err := local.ReadCatalogFile(t.Context(), "../../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := local.StartCatalogServer(t.Context(), c, local.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(s.URL() + "/v1/catalog/snapshot")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK || string(body) != catalog.Serialize(c) {
		t.Errorf("status %d, %v, %d bytes", response.StatusCode, err, len(body))
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(s.URL() + "/v1/models"); err == nil {
		t.Error("a closed server answers")
	}
}
