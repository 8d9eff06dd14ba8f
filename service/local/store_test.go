package local_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/serve/storetest"
	"github.com/model-catalog-service/svc/service/sources"
	"github.com/model-catalog-service/svc/service/verify"
)

// What is loaded into a database is found there, and other content is refused.
func TestLoadAndLookUp(t *testing.T) {
	ctx := t.Context()
	text, err := os.ReadFile("../../examples/claims.json")
	if err != nil {
		t.Fatal(err)
	}
	claims := service.NamedText{Name: "claims.json", Text: string(text)}
	address := "sqlite:" + filepath.Join(t.TempDir(), "records.db")
	loader, err := local.OpenLoader(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	report, err := loader.Load(ctx, claims, false)
	if err != nil || report.Added.Claims != 2 || report.Present.Claims != 0 {
		t.Errorf("%+v, %v", report, err)
	}
	other := claims
	other.Text = strings.Replace(claims.Text, `"subjectId": "`, `"subjectId": "other-`, 1)
	_, err = loader.Load(ctx, other, false)
	if conflict, ok := errors.AsType[*local.LoadConflictError](err); !ok || conflict.Kind != "claim" || !conflict.Movable || !strings.Contains(err.Error(), conflict.ID) {
		t.Errorf("%v", err)
	}
	if report, err := loader.Load(ctx, other, true); err != nil || report.Updated.Claims != 1 || report.Present.Claims != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	_, err = loader.Load(ctx, service.NamedText{Name: "bad.json", Text: "{}"}, false)
	if faults := service.Faults(err); len(faults) == 0 || faults[0].Code != service.InvalidTrustBundle || faults[0].Place.File != "bad.json" {
		t.Errorf("%v", err)
	}
	if err := loader.Close(); err != nil {
		t.Error(err)
	}

	store, closeStore, err := local.OpenStore(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	found, err := store.LookupByIntegrityRefs(ctx, []string{"claim.atlas-70b.repairs", "unknown"})
	if err != nil || len(found) != 2 || found[1] != nil || len(found[0].Claims) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if !strings.Contains(found[0].Claims[0].JSON, `"other-`) {
		t.Errorf("%s", found[0].Claims[0].JSON)
	}
	if one, err := store.LookupByIntegrityRef(ctx, "unknown"); one != nil || err != nil {
		t.Errorf("%+v, %v", one, err)
	}
}

func TestOpenStoreErrors(t *testing.T) {
	if _, _, err := local.OpenStore(t.Context(), "mysql://h/d"); err == nil {
		t.Error("an unknown kind of store is opened")
	}
	if _, _, err := local.OpenStore(t.Context(), "file:absent.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := local.OpenStore(t.Context(), "file:"+bad)
	if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.InvalidTrustBundle || e.Place.File != bad {
		t.Errorf("bad file: %v", err)
	}
}

func TestReadApprovedSourceManifest(t *testing.T) {
	packaged, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(file, []byte(packaged.JSON()), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := local.ReadApprovedSourceManifest(file); err != nil || m.Digest() != packaged.Digest() {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(packaged.JSON(), "https://", "http://", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = local.ReadApprovedSourceManifest(file)
	if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.InvalidSourceManifest || e.Place.File != file || e.Place.Line != 1 {
		t.Errorf("%v", err)
	}
	if _, err := local.ReadApprovedSourceManifest("absent.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

// Stores of files and databases are held to what is asked of stores of others.
func TestStoresConform(t *testing.T) {
	for _, scheme := range []string{"file:", "sqlite:"} {
		t.Run(scheme, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, bundle *verify.Bundle) serve.Store {
				text, err := os.ReadFile("../serve/storetest/bundle.json")
				if err != nil {
					t.Fatal(err)
				}
				address := scheme + filepath.Join(t.TempDir(), "claims")
				if scheme == "file:" {
					address += ".json"
					err = os.WriteFile(strings.TrimPrefix(address, scheme), text, 0o600)
				} else {
					err = load(t, address, service.NamedText{Name: "bundle.json", Text: string(text)})
				}
				if err != nil {
					t.Fatal(err)
				}
				store, end, err := local.OpenStore(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { end() })
				return store
			})
		})
	}
}

func load(t *testing.T, address string, bundle service.NamedText) error {
	loader, err := local.OpenLoader(t.Context(), address)
	if err != nil {
		return err
	}
	defer loader.Close()
	_, err = loader.Load(t.Context(), bundle, false)
	return err
}
