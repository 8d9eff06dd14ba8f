package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/record"
)

// unmarshal reads a text into a record that must have all of its members.
func unmarshal[T any](t *testing.T, text []byte) (record T) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&record); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return record
}

func TestErrorList(t *testing.T) {
	_, err := service.ValidateModelIdentity(`{"id": "", "revision": 3, "quantization": null}`)
	if want := "$.id: must be a non-empty string without white space at its ends (and 1 more)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if faults := service.Faults(err); len(faults) != 2 || faults[1].Path != "$.revision" {
		t.Errorf("%v", faults)
	}
	if faults := service.Faults(context.Canceled); faults != nil {
		t.Errorf("a context has the faults %v", faults)
	}
	long := service.ErrorList{{Path: "$[0]", Reason: "a"}, {Path: "$[1]", Reason: "b"}, {Path: "$", Reason: "c", Rest: 40}}
	if want := "$[0]: a (and 41 more)"; long.Error() != want {
		t.Errorf("%v, want %s", long, want)
	}
	if faults := service.Faults(&service.Error{Path: "$"}); len(faults) != 1 || faults[0].Path != "$" {
		t.Errorf("one fault: %v", faults)
	}
	cause := errors.New("cause")
	if err := (service.ErrorList{{Err: cause}}); !errors.Is(err, cause) {
		t.Error("the cause of a fault is not found")
	}
}

// A catalog without an instant is refused, and so is what is dated after it.
func TestCompileOptions(t *testing.T) {
	runs := exampleRuns()
	_, err := service.CompileCatalog(t.Context(), runs, service.CompileOptions{})
	expectCode(t, "no instant", err, "INVALID_COMPILE_OPTIONS", "$.asOf")
	_, err = service.CompileCatalog(t.Context(), runs, service.CompileOptions{AsOf: time.Unix(0, 0)})
	expectCode(t, "1970", err, "INVALID_COMPILE_OPTIONS", "$.observations[0].freshness.observedAt")
	twice := []string{runs[0], runs[0]}
	_, err = service.CompileCatalog(t.Context(), twice, service.CompileOptions{AsOf: november})
	expectCode(t, "twice", err, "DUPLICATE_OBSERVATION", "$.observations")
	c, err := service.CompileCatalog(t.Context(), twice, service.CompileOptions{AsOf: november, Dedupe: true})
	if err != nil || c.Observations() != 1 {
		t.Errorf("deduped: %v", err)
	}
}

// A result is its canonical JSON, unless it is longer than allowed.
func TestRankResult(t *testing.T) {
	c, err := service.ParseCatalog(t.Context(), readExample(t, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	request, err := service.ValidateRankRequest(readExample(t, "fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := service.RankCatalog(t.Context(), c, request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := result.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := service.CanonicalJSON(marshal(t, result)); err != nil || !bytes.Equal(again, text) {
		t.Errorf("marshaled: %v\n%s\n%s", err, again, text)
	}
	dst, err := result.AppendJSON([]byte("before"), 100)
	if e, ok := errors.AsType[*service.ResultTooLargeError](err); !ok || e.Limit != 100 || string(dst) != "before" {
		t.Errorf("%q, %v", dst, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := service.RankCatalog(ctx, c, request); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// Validated values are marshaled as the documents that they are.
func TestMarshal(t *testing.T) {
	o, err := service.NormalizeObservation(exampleRuns()[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := service.ParseCatalog(t.Context(), readExample(t, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	q, err := service.ValidateRankRequest(readExample(t, "fix-issues.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := local.LoadPackagedApprovedSourceManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value any
		want  string
	}{{o, o.JSON()}, {c, service.SerializeCatalog(c)}, {q, q.JSON()}, {m, m.JSON()}} {
		if got, err := service.CanonicalJSON(marshal(t, tt.value)); err != nil || string(got) != tt.want {
			t.Errorf("%T: %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
	var written bytes.Buffer
	if n, err := c.WriteTo(&written); err != nil || int(n) != c.Size() || written.String() != service.SerializeCatalog(c) {
		t.Errorf("%d bytes written, %v", n, err)
	}
}

// The answers of the HTTP API are read into their structs, and exchanges are observed.
func TestAPIAnswers(t *testing.T) {
	c, err := service.ParseCatalog(t.Context(), readExample(t, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	var observed []service.Exchange
	h, err := service.NewCatalogHandler(c, service.CatalogHandlerOptions{Observe: func(e service.Exchange) { observed = append(observed, e) }})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) []byte {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Body.Bytes()
	}
	list := unmarshal[record.APIModels](t, get("/v1/models"))
	if list.SchemaVersion != record.APIModelsSchema || list.Catalog.Digest != c.Digest() || !list.Catalog.AsOf.Time().Equal(c.AsOf()) {
		t.Errorf("%+v", list)
	}
	observations := 0
	for _, entry := range list.Models {
		model := unmarshal[record.APIModel](t, get("/v1/models/"+entry.Key))
		if model.Model.Key != entry.Key || len(model.Model.Observations) != int(entry.ObservationCount) || len(model.Conflicts) != int(entry.ConflictCount) {
			t.Errorf("%+v", model)
		}
		observations += len(model.Model.Observations)
	}
	if observations != c.Observations() || observations == 0 {
		t.Errorf("%d observations, want %d", observations, c.Observations())
	}
	refused := unmarshal[record.APIError](t, get("/v1/models/unknown"))
	if refused.SchemaVersion != record.APIErrorSchema || refused.Error.Code != "MODEL_NOT_FOUND" {
		t.Errorf("%+v", refused)
	}
	if len(observed) != len(list.Models)+2 || observed[0].Route != "/v1/models" || observed[0].Status != http.StatusOK {
		t.Errorf("observed %+v", observed)
	}
	if h.RanksInFlight() != 0 || h.HeldBytes() != 0 {
		t.Errorf("%d ranks in flight, %d bytes", h.RanksInFlight(), h.HeldBytes())
	}
	if _, err := service.NewCatalogHandler(c, service.CatalogHandlerOptions{MaxRankResponseBytes: -1}); err == nil {
		t.Error("a negative limit is accepted")
	}
}

// The documents of sources are read into their structs and come out whole.
func TestSourceRecords(t *testing.T) {
	manifest, err := local.LoadPackagedApprovedSourceManifest()
	if err != nil {
		t.Fatal(err)
	}
	again, err := service.ParseApprovedSourceManifest(marshal(t, manifest.Record()), service.DefaultSourceRegistry())
	if err != nil || again.Digest() != manifest.Digest() || again.JSON() != manifest.JSON() {
		t.Errorf("the manifest's record is another manifest: %v", err)
	}
	declarations := manifest.Record().Sources
	for _, source := range declarations {
		if digest, err := service.SHA256(marshal(t, source)); err != nil || digest != service.DefaultSourceRegistry()[source.ID] {
			t.Errorf("%s: digest %s, %v, the registry has another", source.ID, digest, err)
		}
	}
	_, err = service.ParseApprovedSourceManifest(manifest.JSON(), service.SourceRegistry{})
	expectCode(t, "unapproved", err, "INVALID_SOURCE_MANIFEST", "$.sources[0].id")

	read := func(name string) service.NamedText {
		return service.NamedText{Name: name, Text: string(readExample(t, "sources/openrouter/"+name))}
	}
	body, mapping := read("models.json"), read("mapping.json")
	old := unmarshal[service.SourceEnvelope](t, []byte(read("models.json.snapshot.json").Text))
	fetch := service.SourceFetch{URL: old.URL, FetchedAt: old.FetchedAt.Time(), MediaType: old.MediaType, Redirects: old.Redirects}
	if old.ETag != nil {
		fetch.ETag = *old.ETag
	}
	envelope, err := service.PinSource("openrouter-models", fetch, body, manifest)
	if err != nil || envelope.Reference != old.Reference {
		t.Fatalf("pinned again: %+v, %v", envelope, err)
	}
	adapter := service.NewOpenRouterAdapter()
	request := service.SourceRequest{
		Manifest:  manifest,
		Snapshots: []service.SourceFile{{Body: body, Envelope: service.NamedText{Text: string(marshal(t, envelope))}}},
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
	if err := sources.CheckAcquisition(problem.Source{Text: string(marshal(t, result.Acquisition))}); err != nil {
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
	for _, lacking := range []service.SourceRequest{{Mapping: mapping}, {Mapping: mapping, Snapshots: request.Snapshots}} {
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
	manifest, err := local.LoadPackagedApprovedSourceManifest()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"lm-eval": true, "inspect": true}
	for _, source := range manifest.Record().Sources {
		want[source.ID] = true
	}
	lists := 0
	for _, a := range []*service.SourceAdapter{
		service.NewAiderAdapter(), service.NewGenAIPricesAdapter(), service.NewLiteLLMAdapter(), service.NewLiveBenchAdapter(),
		service.NewLMArenaAdapter(), service.NewInspectAdapter(), service.NewEveryEvalEverAdapter(), service.NewOpenRouterEndpointsAdapter(), service.NewLMEvalAdapter(), service.NewSWEBenchAdapter(), service.NewModelsDevAdapter(), service.NewOpenRouterAdapter(),
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

// brokenStore is a store that cannot answer, one ref at a time.
type brokenStore struct{ err error }

func (s brokenStore) LookupByIntegrityRef(context.Context, string) (*service.VerificationRecords, error) {
	return nil, s.err
}

// ownStore is a caller's store, many refs at once: that of another, copied.
type ownStore struct{ service.VerificationBatchStore }

// A responder answers alike from a store of this package and from one of its caller.
func TestVerificationStores(t *testing.T) {
	memory, err := service.NewMemoryStore(exampleBundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	options := service.VerificationOptions{Source: "s", StatusFunctionVersion: service.StatusFunctionVersion}
	refs := []string{"claim.atlas-70b.repairs", "unknown", "claim.borealis-1.repairs"}
	respond := func(store service.VerificationStore) (*service.VerificationResponse, error) {
		r, err := service.NewVerificationResponder(store, options)
		if err != nil {
			return nil, err
		}
		return r.Respond(t.Context(), refs, later, "n")
	}
	want, err := respond(memory)
	if err != nil || !strings.Contains(string(want.Bundle), `"unknownRefs":["unknown"]`) || want.Envelope != nil {
		t.Fatalf("%+v, %v", want, err)
	}
	single := struct{ service.VerificationStore }{memory}
	for _, store := range []service.VerificationStore{ownStore{memory}, single} {
		if got, err := respond(store); err != nil || !bytes.Equal(got.JSON, want.JSON) {
			t.Errorf("%T: %v\n%s\n%s", store, err, got.JSON, want.JSON)
		}
	}
	broken := errors.New("broken")
	_, err = respond(brokenStore{broken})
	if _, ok := errors.AsType[*service.VerificationStoreError](err); !ok || !errors.Is(err, broken) {
		t.Errorf("a broken store: %v", err)
	}
	if _, err := respond(nil); err == nil {
		t.Error("no store is accepted")
	}
	const limit = 8 << 20
	long, err := service.ParseTrustBundle(strings.Replace(string(readExample(t, "claims.json")), `"subjectId": "`, `"subjectId": "`+strings.Repeat("x", limit), 1))
	if err != nil {
		t.Fatal(err)
	}
	large, err := service.NewMemoryStore(long)
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []service.VerificationStore{large, ownStore{large}} {
		_, err := respond(store)
		if tooLarge, ok := errors.AsType[*service.VerificationAnswerTooLargeError](err); !ok || tooLarge.Limit != limit || tooLarge.Error() == "" {
			t.Errorf("%T: a large answer: %v", store, err)
		}
	}
	refs = []string{"\xff"}
	_, err = respond(memory)
	expectCode(t, "no UTF-8", err, "INVALID_VERIFY_REQUEST", "$.refs")
	other := strings.Replace(string(readExample(t, "claims.json")), `"subjectId": "`, `"subjectId": "other-`, 1)
	b, err := service.ParseTrustBundle(other)
	if err != nil {
		t.Fatal(err)
	}
	_, err = service.NewMemoryStore(exampleBundle("claims.json"), b)
	expectCode(t, "differing bundles", err, "INVALID_TRUST_BUNDLE", "$.claims")
	if records := b.Records(); len(records.Claims) != 2 || len(records.Evidence) == 0 || len(records.Events) == 0 || b.SchemaVersion() < 5 || b.Source() == "" {
		t.Errorf("%+v", records)
	}
}

// Exchanges of the endpoint are observed, and dated by its clock.
func TestVerificationHandler(t *testing.T) {
	store, err := service.NewMemoryStore(exampleBundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := service.NewVerificationResponder(store, service.VerificationOptions{Source: "s", StatusFunctionVersion: "2"})
	if err != nil {
		t.Fatal(err)
	}
	var observed []service.Exchange
	h := service.NewVerificationHandler(r, service.VerificationHandlerOptions{
		Now:     func() time.Time { return later },
		Observe: func(e service.Exchange) { observed = append(observed, e) },
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/hachure/verify?ref=x", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"respondedAt":"2026-11-20T00:00:00.000Z"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if len(observed) != 1 || observed[0].Status != http.StatusOK || observed[0].Method != http.MethodGet {
		t.Errorf("observed %+v", observed)
	}
}

// A signed statement is read into the struct of an envelope and holds what was signed.
func TestEnvelope(t *testing.T) {
	private, _ := exampleKeys()
	signer, err := service.NewKeySigner(private)
	if err != nil {
		t.Fatal(err)
	}
	statement, err := service.ToInTotoStatement(readExample(t, "claims.json"), []string{"c1"})
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := service.ToDSSEEnvelope(t.Context(), statement, signer)
	if err != nil || !bytes.Equal(envelope.Payload, statement) || len(envelope.Signatures) != 1 || envelope.Signatures[0].KeyID != signer.KeyID() {
		t.Fatalf("%+v, %v", envelope, err)
	}
	store, err := service.NewMemoryStore(exampleBundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := service.NewVerificationResponder(store, service.VerificationOptions{Source: "s", StatusFunctionVersion: "2", Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	response, err := r.Respond(t.Context(), []string{"c1"}, later, "")
	if err != nil {
		t.Fatal(err)
	}
	answer := unmarshal[struct {
		Bundle   json.RawMessage
		Envelope json.RawMessage
	}](t, response.JSON)
	if !bytes.Equal(answer.Bundle, response.Bundle) || !bytes.Equal(answer.Envelope, marshal(t, response.Envelope)) {
		t.Errorf("%s, but the envelope is %s", answer.Envelope, marshal(t, response.Envelope))
	}
}

// A receipt has all members of the JSON that the command line prints.
func TestReceipt(t *testing.T) {
	text := string(readExample(t, "claims-held.json"))
	inner, err := bundle.Read(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	held := exampleBundle("claims-held.json")
	const now = "2026-11-20T00:00:00.0000000001Z"
	function, err := status.New(status.DefaultVersion, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"{}", text, string(readExample(t, "claims.json"))} {
		want := receiver.Receive(inner, []receiver.Answer{{Text: answer}}, receiver.Options{Function: function, Require: record.StatusVerified}).JSON()
		receipt, err := service.ReceiveAnswers(held, []service.ReceivedAnswer{{JSON: answer}}, service.ReceiveOptions{Now: now, Require: record.StatusVerified})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := service.CanonicalJSON(marshal(t, receipt)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v\n%s\n%s", err, got, want)
		}
	}
	for _, bad := range []service.ReceiveOptions{{}, {Now: "2026-11-20"}, {Now: now, StatusFunctionVersion: "5"}, {Now: "2016-12-31T23:59:60Z", StatusFunctionVersion: "3"}} {
		if r, err := service.ReceiveAnswers(held, nil, bad); err == nil {
			t.Errorf("%+v gives the receipt %+v", bad, r)
		}
	}
	for _, version := range service.StatusFunctionVersions() {
		r, err := service.ReceiveAnswers(held, nil, service.ReceiveOptions{Now: now, StatusFunctionVersion: version})
		if err != nil || r.StatusFunctionVersion != version {
			t.Errorf("version %s: %+v, %v", version, r, err)
		}
	}
	send := func(_ context.Context, question []byte) (io.ReadCloser, error) {
		if !json.Valid(question) {
			t.Errorf("question %s", question)
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	answers, err := service.AskForClaims(t.Context(), held, service.AskOptions{NoNonce: true}, send)
	if err != nil || len(answers) != 1 || answers[0].JSON != text || answers[0].Nonce != "" || len(answers[0].Refs) != 2 {
		t.Errorf("%+v, %v", answers, err)
	}
	_, err = service.AskForClaims(t.Context(), held, service.AskOptions{MaxBytes: 10}, send)
	if e, ok := errors.AsType[*service.AnswersTooLargeError](err); !ok || e.Limit != 10 {
		t.Errorf("%v", err)
	}
}
