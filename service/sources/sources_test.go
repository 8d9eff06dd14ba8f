package sources_test

import (
	"encoding/json"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	insidesources "github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/sources"
)

// The documents of sources are read into their structs and come out whole.
func TestSourceRecords(t *testing.T) {
	manifest, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	again, err := sources.ParseManifest(servicetest.Marshal(t, manifest.Record()), sources.DefaultRegistry())
	if err != nil || again.Digest() != manifest.Digest() || again.JSON() != manifest.JSON() {
		t.Errorf("the manifest's record is another manifest: %v", err)
	}
	declarations := manifest.Record().Sources
	for _, source := range declarations {
		if digest, err := service.SHA256(servicetest.Marshal(t, source)); err != nil || digest != sources.DefaultRegistry()[source.ID] {
			t.Errorf("%s: digest %s, %v, the registry has another", source.ID, digest, err)
		}
	}
	_, err = sources.ParseManifest(manifest.JSON(), sources.Registry{})
	servicetest.ExpectCode(t, "unapproved", err, "INVALID_SOURCE_MANIFEST", "$.sources[0].id")

	read := func(name string) service.NamedText {
		return service.NamedText{Name: name, Text: string(servicetest.Read("sources/openrouter/" + name))}
	}
	body, mapping := read("models.json"), read("mapping.json")
	old := servicetest.Unmarshal[sources.Envelope](t, []byte(read("models.json.snapshot.json").Text))
	fetch := sources.Download{URL: old.URL, FetchedAt: old.FetchedAt.Time(), MediaType: old.MediaType, Redirects: old.Redirects}
	if old.ETag != nil {
		fetch.ETag = *old.ETag
	}
	envelope, err := sources.Pin("openrouter-models", fetch, body, manifest)
	if err != nil || envelope.Reference != old.Reference {
		t.Fatalf("pinned again: %+v, %v", envelope, err)
	}
	adapter := sources.NewOpenRouter()
	request := sources.Request{
		Manifest:  manifest,
		Snapshots: []sources.File{{Body: body, Envelope: service.NamedText{Text: string(servicetest.Marshal(t, envelope))}}},
		Mapping:   mapping,
	}
	if err := adapter.CheckMapping(request.Mapping); err != nil {
		t.Errorf("the mapping: %v", err)
	}
	rows, err := adapter.Rows(manifest, request.Snapshots)
	if err != nil || len(rows) != 6 {
		t.Errorf("rows %v, %v", rows, err)
	}
	result, err := adapter.Import(request)
	if err != nil || len(result.Observations) != result.Acquisition.Observations || len(result.Observations) == 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if err := insidesources.CheckAcquisition(problem.Source{Text: string(servicetest.Marshal(t, result.Acquisition))}); err != nil {
		t.Errorf("the acquisition's record: %v", err)
	}
	if d := result.Diagnostics[0]; d.Path == "" || d.Message == "" || d.Place.File != "models.json" || d.Place.Line == 0 {
		t.Errorf("%+v", d)
	}
	request.Strict = true
	_, err = adapter.Import(request)
	if faults := service.Faults(err); len(faults) == 0 || faults[0].Code != service.InvalidSourceSnapshot {
		t.Errorf("strict: %v", err)
	}
	for _, lacking := range []sources.Request{{Mapping: mapping}, {Mapping: mapping, Snapshots: request.Snapshots}} {
		if _, err := adapter.Import(lacking); len(service.Faults(err)) == 0 {
			t.Errorf("an import without a manifest of %d snapshots: %v", len(lacking.Snapshots), err)
		}
	}
	if !json.Valid([]byte(adapter.BlankEntry())) || adapter.Source() != "openrouter-models" {
		t.Errorf("%s: blank entry %s", adapter.Source(), adapter.BlankEntry())
	}
}

// Every approved source has an adapter, and so have the runs of one's own.
func TestAdapters(t *testing.T) {
	manifest, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"lm-eval": true, "inspect": true}
	for _, source := range manifest.Record().Sources {
		want[source.ID] = true
	}
	lists := 0
	for _, a := range []*sources.Adapter{
		sources.NewAider(), sources.NewGenAIPrices(), sources.NewLiteLLM(), sources.NewLiveBench(),
		sources.NewLMArena(), sources.NewInspect(), sources.NewEveryEvalEver(), sources.NewOpenRouterEndpoints(), sources.NewLMEval(), sources.NewSWEBench(), sources.NewModelsDev(), sources.NewOpenRouter(),
	} {
		if !want[a.Source()] {
			t.Errorf("an adapter of %s, which is not approved or has two", a.Source())
		}
		delete(want, a.Source())
		if mapping, ok := a.OfferMapping(); ok {
			lists++
			if err := a.CheckMapping(mapping); err != nil {
				t.Errorf("%s: %v", a.Source(), err)
			}
		}
	}
	if len(want) > 0 || lists != 5 {
		t.Errorf("no adapters for %v, %d lists of prices", want, lists)
	}
}
