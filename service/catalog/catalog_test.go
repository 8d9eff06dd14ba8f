package catalog_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	insidecatalog "github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
)

// Every validator refuses with its own code and the path of the fault.
func TestValidators(t *testing.T) {
	profile := func(doc string) error { _, err := catalog.ValidateProfile(doc); return err }
	scope := func(doc string) error { _, err := catalog.ValidateScope(doc); return err }
	model := func(doc string) error { _, err := catalog.ValidateModel(doc); return err }
	sum := func(doc string) error { _, err := service.SHA256(doc); return err }
	snapshot := func(doc string) error { return catalog.Validate(t.Context(), doc) }
	const members = `"runtime":{"id":"r","version":null},"adapter":null,"effectiveContextTokens":5.0,"hardware":null,"workflow":null,"toolSurface":`
	tests := []struct {
		name       string
		validate   func(string) error
		good, bad  string
		code, path string
	}{
		{"observation", catalog.ValidateObservation[string], servicetest.Runs()[0], `{"schemaVersion":"service.observation/v2","id":1}`, "INVALID_OBSERVATION", "$.id"},
		{"model", model, `{"id":"m","revision":null,"quantization":null}`, `{"id":"m","revision":"","quantization":null}`, "INVALID_OBSERVATION", "$.revision"},
		{"profile", profile, "{" + members + "[]}", "{" + members + "null}", "INVALID_OBSERVATION", "$.toolSurface"},
		{"scope", scope, `{"kind":"partial",` + members + "null}", `{"kind":"exact",` + members + "null}", "INVALID_OBSERVATION", "$.toolSurface"},
		{"snapshot", snapshot, string(servicetest.Read("catalog.json")), "[]", "INVALID_CATALOG", "$"},
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

// public returns a catalog as the library has it.
func public(t *testing.T, c *insidecatalog.Catalog) *catalog.Catalog {
	t.Helper()
	p, err := catalog.Parse(t.Context(), c.Serialize())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Streams are compiled as texts are, and faults have their place.
func TestCompileSources(t *testing.T) {
	text := string(servicetest.Read("observations/runs.jsonl"))
	source := func(name, text string) catalog.Source {
		return catalog.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	}
	options := catalog.CompileOptions{AsOf: servicetest.November}
	want, err := catalog.Compile(t.Context(), servicetest.Runs(), options)
	if err != nil {
		t.Fatal(err)
	}
	got, err := catalog.CompileSources(t.Context(), []catalog.Source{source("runs.jsonl", text)}, options)
	if err != nil || got.Digest() != want.Digest() {
		t.Errorf("from a stream: %v", err)
	}
	read, err := catalog.ReadObservations(t.Context(), []catalog.Source{source("runs.jsonl", text), source("again.jsonl", text)})
	if err != nil || len(read) != want.Observations() {
		t.Fatalf("%d observations, %v", len(read), err)
	}
	if again, err := catalog.CompileObservations(t.Context(), read, options); err != nil || again.Digest() != want.Digest() {
		t.Errorf("from observations: %v", err)
	}
	for _, refuse := range []func([]catalog.Source) error{
		func(s []catalog.Source) error {
			_, err := catalog.CompileSources(t.Context(), s, options)
			return err
		},
		func(s []catalog.Source) error {
			_, err := catalog.ReadObservations(t.Context(), s)
			return err
		},
	} {
		faults := service.Faults(refuse([]catalog.Source{source("bad.jsonl", text+"{}\n")}))
		if len(faults) == 0 || faults[0].Code != service.InvalidObservation || faults[0].Place.File != "bad.jsonl" || faults[0].Place.Line != strings.Count(text, "\n")+1 {
			t.Errorf("%v", faults)
		}
		err := refuse([]catalog.Source{{Name: "closed", Open: func() (io.ReadCloser, error) { return nil, os.ErrPermission }}})
		if !errors.Is(err, os.ErrPermission) || service.Faults(err) != nil {
			t.Errorf("%v", err)
		}
	}
	_, err = catalog.NewObservation(record.Observation{})
	servicetest.ExpectCode(t, "nothing", err, "INVALID_OBSERVATION", "$.kind")
	_, err = catalog.NewObservation(record.Observation{SchemaVersion: "service.observation/v1"})
	servicetest.ExpectCode(t, "another version", err, "UNSUPPORTED_SCHEMA", "$.schemaVersion")
	record := read[0].Record()
	if o, err := catalog.NewObservation(record); err != nil || o.ID() != read[0].ID() {
		t.Errorf("%v", err)
	}
	record.Kind = "guess"
	_, err = catalog.NewObservation(record)
	servicetest.ExpectCode(t, "a guess", err, "INVALID_OBSERVATION", "$.kind")
}

// Contents have all members of the JSON that the command line prints.
func TestContents(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, inner := range []*insidecatalog.Catalog{comparetest.Compile(t, comparetest.May31, comparetest.Random(rnd, 60)...), comparetest.Compile(t, comparetest.June1)} {
		c := public(t, inner)
		at := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
		for _, o := range []catalog.ListOptions{{}, {AsOf: at}, {Key: "k", AsOf: at}, {Stale: true}, {Conflicts: true}, {Source: "external"}} {
			want := contents.Options{Key: o.Key, Source: o.Source, Stale: o.Stale, Conflicts: o.Conflicts}
			if !o.AsOf.IsZero() {
				want.AsOf = "2026-05-12T00:00:00.000Z"
			}
			found := contents.Found{}
			for i := range inner.Models() {
				if m := &inner.Models()[i]; m.Identity.ID == "a" {
					found.Models = append(found.Models, m)
				}
			}
			models, modelsErr := contents.Models(inner, want)
			keys, keysErr := contents.Keys(inner, want)
			measurements, measurementsErr := contents.Measurements(t.Context(), inner, found.Models, want)
			for name, list := range map[string]struct {
				want    *record.CatalogContents
				wantErr error
				got     func() (*record.CatalogContents, error)
			}{
				"models":       {models, modelsErr, func() (*record.CatalogContents, error) { return catalog.ListModels(c, o) }},
				"keys":         {keys, keysErr, func() (*record.CatalogContents, error) { return catalog.ListKeys(c, o) }},
				"measurements": {measurements, measurementsErr, func() (*record.CatalogContents, error) { return catalog.ListMeasurements(t.Context(), c, "a", o) }},
			} {
				got, err := list.got()
				if list.wantErr != nil || found.Models == nil && name == "measurements" {
					if _, ok := errors.AsType[*catalog.AbsentNameError](err); !ok || name != "measurements" && err.Error() != list.wantErr.Error() {
						t.Errorf("%s by %+v: %v, want %v", name, o, err, list.wantErr)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s by %+v: %v", name, o, err)
				}
				if text, err := service.CanonicalJSON(servicetest.Marshal(t, got)); err != nil || !bytes.Equal(text, ijson.MustWriteTagged(list.want)) {
					t.Errorf("the record of %s is another one, %v\n%s\n%s", name, err, text, ijson.MustWriteTagged(list.want))
				}
			}
		}
	}
	c := servicetest.FirstDay()
	_, err := catalog.ListModels(c, catalog.ListOptions{Key: "price.outptu"})
	if absent, ok := errors.AsType[*catalog.AbsentNameError](err); !ok || absent.Closest != "price.output" {
		t.Errorf("%v", err)
	}
	observation := record.List[string]{}
	for m := range c.Models() {
		observation = append(observation, m.Observations[0].ID)
	}
	_, err = catalog.ListMeasurements(t.Context(), c, observation[0], catalog.ListOptions{})
	if _, ok := errors.AsType[*catalog.AbsentNameError](err); !ok {
		t.Errorf("an observation: %v", err)
	}
	both := servicetest.PriceLists(1, servicetest.Offer{Model: "moonshotai/kimi-k2", Input: 1, Output: 2}, servicetest.Offer{Model: "moonshotai/kimi-k2-thinking", Input: 1, Output: 2})
	_, err = catalog.ListMeasurements(t.Context(), both, "moonshotai/ki", catalog.ListOptions{})
	if ambiguous, ok := errors.AsType[*catalog.AmbiguousNameError](err); !ok || ambiguous.Count != 2 || !strings.Contains(err.Error(), "moonshotai/kimi-k2") {
		t.Errorf("%v", err)
	}
	if _, err := catalog.ListKeys(c, catalog.ListOptions{AsOf: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("the year 10000 is accepted")
	}
}

// A catalog without an instant is refused, and so is what is dated after it.
func TestCompileOptions(t *testing.T) {
	runs := servicetest.Runs()
	_, err := catalog.Compile(t.Context(), runs, catalog.CompileOptions{})
	servicetest.ExpectCode(t, "no instant", err, "INVALID_COMPILE_OPTIONS", "$.asOf")
	_, err = catalog.Compile(t.Context(), runs, catalog.CompileOptions{AsOf: time.Unix(0, 0)})
	servicetest.ExpectCode(t, "1970", err, "INVALID_COMPILE_OPTIONS", "$.observations[0].freshness.observedAt")
	twice := []string{runs[0], runs[0]}
	_, err = catalog.Compile(t.Context(), twice, catalog.CompileOptions{AsOf: servicetest.November})
	servicetest.ExpectCode(t, "twice", err, "DUPLICATE_OBSERVATION", "$.observations")
	c, err := catalog.Compile(t.Context(), twice, catalog.CompileOptions{AsOf: servicetest.November, Dedupe: true})
	if err != nil || c.Observations() != 1 {
		t.Errorf("deduped: %v", err)
	}
}

// A text of a struct that no JSON can hold is named by its path.
func TestNewObservationOfNoText(t *testing.T) {
	const bad = "\xff"
	for path, o := range map[string]record.Observation{
		"$.model.id":                 {Model: record.Model{ID: bad}},
		"$.execution.runtime.id":     {Execution: record.Scope{Profile: record.Profile{Runtime: record.Component{ID: bad}}}},
		"$.execution.toolSurface[1]": {Execution: record.Scope{Profile: record.Profile{ToolSurface: []string{"a", bad}}}},
		"$.measurements[0].value":    {Measurements: []record.Measurement{{Value: record.String(bad)}}},
		"$.evidence[0].observedAt":   {Evidence: []record.Evidence{{ObservedAt: bad}}},
		"$.uncertainty.basis[0]":     {Uncertainty: record.Uncertainty{Basis: []string{bad}}},
	} {
		_, err := catalog.NewObservation(o)
		servicetest.ExpectCode(t, path, err, "INVALID_OBSERVATION", path)
	}
}
