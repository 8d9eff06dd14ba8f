package local_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
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
	if service.SerializeCatalog(c) != string(file) {
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
	if err != nil || response.StatusCode != http.StatusOK || string(body) != service.SerializeCatalog(c) {
		t.Errorf("status %d, %v, %d bytes", response.StatusCode, err, len(body))
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(s.URL() + "/v1/models"); err == nil {
		t.Error("a closed server answers")
	}
}
