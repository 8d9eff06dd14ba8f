package service_test

import (
	"errors"
	"os"
	"testing"

	"github.com/model-catalog-service/svc/service"
)

func readExample(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What the library compiles it parses and serializes again, and both ways of
// ranking give one answer.
func TestCatalogAndRanking(t *testing.T) {
	ctx, text := t.Context(), readExample(t, "catalog.json")
	c, err := service.ParseCatalog(ctx, text)
	if err != nil || service.SerializeCatalog(c) != string(text) {
		t.Fatalf("the example catalog does not come back: %v", err)
	}
	if err := service.ValidateCatalogSnapshot(ctx, text); err != nil {
		t.Error(err)
	}
	request, err := service.ValidateRankRequest(readExample(t, "fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	once, err := service.RankCatalog(ctx, c, request)
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := service.NewCatalogRanker(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ranker.Rank(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	a, err := once.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := again.AppendJSON(nil, 0); err != nil || string(a) != string(b) {
		t.Errorf("%v\n%s\n%s", err, a, b)
	}
	if record, err := once.RecordV2(); err != nil || len(record.Ranked) != 3 {
		t.Errorf("%+v, %v", record, err)
	}
}

// Every validator refuses with its own code and the path of the fault.
func TestValidators(t *testing.T) {
	profile := func(doc string) error { _, err := service.ValidateExecutionProfile(doc); return err }
	scope := func(doc string) error { _, err := service.ValidateExecutionScope(doc); return err }
	model := func(doc string) error { _, err := service.ValidateModelIdentity(doc); return err }
	sum := func(doc string) error { _, err := service.SHA256(doc); return err }
	snapshot := func(doc string) error { return service.ValidateCatalogSnapshot(t.Context(), doc) }
	const members = `"runtime":{"id":"r","version":null},"adapter":null,"effectiveContextTokens":5.0,"hardware":null,"workflow":null,"toolSurface":`
	tests := []struct {
		name       string
		validate   func(string) error
		good, bad  string
		code, path string
	}{
		{"observation", service.ValidateObservation[string], exampleRuns()[0], `{"schemaVersion":"service.observation/v2","id":1}`, "INVALID_OBSERVATION", "$.id"},
		{"model", model, `{"id":"m","revision":null,"quantization":null}`, `{"id":"m","revision":"","quantization":null}`, "INVALID_OBSERVATION", "$.revision"},
		{"profile", profile, "{" + members + "[]}", "{" + members + "null}", "INVALID_OBSERVATION", "$.toolSurface"},
		{"scope", scope, `{"kind":"partial",` + members + "null}", `{"kind":"exact",` + members + "null}", "INVALID_OBSERVATION", "$.toolSurface"},
		{"snapshot", snapshot, string(readExample(t, "catalog.json")), "[]", "INVALID_CATALOG", "$"},
		{"hash", sum, " {} ", "[1e999]", "INVALID_JSON", "$[0]"},
	}
	for _, tt := range tests {
		if err := tt.validate(tt.good); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		e, ok := errors.AsType[*service.Error](tt.validate(tt.bad))
		if !ok || string(e.Code) != tt.code || e.Path != tt.path {
			t.Errorf("%s: %+v, want %s at %s", tt.name, e, tt.code, tt.path)
		}
	}
}

func TestTextAndHash(t *testing.T) {
	if service.CompareText("\U0001F600", "\uFB33") >= 0 {
		t.Error("U+1F600 must sort before U+FB33")
	}
	const empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // printf '{}' | sha256sum
	if got, err := service.SHA256("{\n}"); err != nil || got != empty {
		t.Errorf("hash of {}: %s, %v", got, err)
	}
}
