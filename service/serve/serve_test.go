package serve_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

// A report is refused before anything is written, and what a page shows must fit it.
func TestPages(t *testing.T) {
	var page bytes.Buffer
	err := serve.WriteReport(t.Context(), &page, servicetest.SecondDay(), serve.ReportOptions{MaxBytes: 1000})
	if _, ok := errors.AsType[*serve.ReportTooLargeError](err); !ok || page.Len() > 0 {
		t.Errorf("%v after %d bytes", err, page.Len())
	}
	options := serve.PageOptions{Against: servicetest.SecondDay()}
	if err := serve.WriteReport(t.Context(), &page, servicetest.FirstDay(), serve.ReportOptions{PageOptions: options}); err == nil {
		t.Error("what it is against is newer")
	}
	if _, err := serve.NewExploreHandler(t.Context(), servicetest.FirstDay(), serve.ExploreOptions{PageOptions: options}); err == nil {
		t.Error("what it is against is newer")
	}
	if _, err := serve.NewExploreHandler(t.Context(), servicetest.FirstDay(), serve.ExploreOptions{Handler: serve.CatalogOptions{MaxRankResponseBytes: -1}}); err == nil {
		t.Error("a negative limit is accepted")
	}
	page.Reset()
	options = serve.PageOptions{Against: servicetest.FirstDay(), Requests: []serve.NamedRequest{{Name: "cheapest.json", Request: servicetest.Cheapest()}}}
	handler, err := serve.NewExploreHandler(t.Context(), servicetest.SecondDay(), serve.ExploreOptions{PageOptions: options, CatalogFile: "prices.json"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/explore/extras.json", nil))
	extras := servicetest.Unmarshal[struct {
		Diff     record.CatalogDiff `json:"diff"`
		Requests []struct {
			Name    string             `json:"name"`
			Request rank.RequestRecord `json:"request"`
		} `json:"requests"`
		CatalogFile string `json:"catalogFile"`
	}](t, w.Body.Bytes())
	if extras.Diff.New.Digest != servicetest.SecondDay().Digest() || len(extras.Diff.Rankings) != 1 || extras.CatalogFile != "prices.json" ||
		len(extras.Requests) != 1 || len(extras.Requests[0].Request.Inventory) != 3 {
		t.Errorf("%s", w.Body)
	}
}

// An agent answers over HTTP, and refuses pages of other origins.
func TestAgent(t *testing.T) {
	if _, err := serve.NewAgent(servicetest.FirstDay(), serve.AgentOptions{Against: []*catalog.Catalog{servicetest.SecondDay()}}); err == nil {
		t.Error("what it is against is newer")
	}
	observed := make(chan serve.Exchange, 10)
	agent, err := serve.NewAgent(servicetest.SecondDay(), serve.AgentOptions{Against: []*catalog.Catalog{servicetest.FirstDay()}, Observe: func(e serve.Exchange) { observed <- e }})
	if err != nil {
		t.Fatal(err)
	}
	handler := agent.Handler()
	server := httptest.NewServer(handler)
	defer server.Close()
	for origin, want := range map[string]int{"": http.StatusOK, "https://elsewhere.example": http.StatusForbidden} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+serve.AgentPath, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			q.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != want || want == http.StatusOK && !strings.Contains(string(body), `"name":"what_changed"`) {
			t.Errorf("origin %q: %d, %v, %s", origin, answer.StatusCode, err, body)
		}
		if e := <-observed; e.Status != want || e.Route != serve.AgentPath {
			t.Errorf("origin %q: observed %+v", origin, e)
		}
	}
	server.Close()
	if handler.CallsInFlight() != 0 || handler.HeldBytes() != 0 {
		t.Errorf("%d calls in flight, %d bytes", handler.CallsInFlight(), handler.HeldBytes())
	}
}

// The answers of the HTTP API are read into their structs, and exchanges are observed.
func TestAPIAnswers(t *testing.T) {
	c, err := catalog.Parse(t.Context(), servicetest.Read("catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	var observed []serve.Exchange
	h, err := serve.NewCatalogHandler(c, serve.CatalogOptions{Observe: func(e serve.Exchange) { observed = append(observed, e) }})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) []byte {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Body.Bytes()
	}
	list := servicetest.Unmarshal[record.APIModels](t, get("/v1/models"))
	if list.SchemaVersion != record.APIModelsSchema || list.Catalog.Digest != c.Digest() || !list.Catalog.AsOf.Time().Equal(c.AsOf()) {
		t.Errorf("%+v", list)
	}
	observations := 0
	for _, entry := range list.Models {
		model := servicetest.Unmarshal[record.APIModel](t, get("/v1/models/"+entry.Key))
		if model.Model.Key != entry.Key || len(model.Model.Observations) != int(entry.ObservationCount) || len(model.Conflicts) != int(entry.ConflictCount) {
			t.Errorf("%+v", model)
		}
		observations += len(model.Model.Observations)
	}
	if observations != c.Observations() || observations == 0 {
		t.Errorf("%d observations, want %d", observations, c.Observations())
	}
	refused := servicetest.Unmarshal[record.APIError](t, get("/v1/models/unknown"))
	if refused.SchemaVersion != record.APIErrorSchema || refused.Error.Code != "MODEL_NOT_FOUND" {
		t.Errorf("%+v", refused)
	}
	if len(observed) != len(list.Models)+2 || observed[0].Route != "/v1/models" || observed[0].Status != http.StatusOK {
		t.Errorf("observed %+v", observed)
	}
	if h.RanksInFlight() != 0 || h.HeldBytes() != 0 {
		t.Errorf("%d ranks in flight, %d bytes", h.RanksInFlight(), h.HeldBytes())
	}
	if _, err := serve.NewCatalogHandler(c, serve.CatalogOptions{MaxRankResponseBytes: -1}); err == nil {
		t.Error("a negative limit is accepted")
	}
}

// brokenStore is a store that cannot answer, one ref at a time.
type brokenStore struct{ err error }

func (s brokenStore) LookupByIntegrityRef(context.Context, string) (*verify.Records, error) {
	return nil, s.err
}

// ownStore is a caller's store, many refs at once: that of another, copied.
type ownStore struct{ serve.BatchStore }

// A responder answers alike from a store of this package and from one of its caller.
func TestVerificationStores(t *testing.T) {
	memory, err := serve.NewMemoryStore(servicetest.Bundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	options := serve.ResponderOptions{Source: "s", StatusFunctionVersion: verify.StatusFunctionVersion}
	refs := []string{"claim.atlas-70b.repairs", "unknown", "claim.borealis-1.repairs"}
	respond := func(store serve.Store) (*serve.Response, error) {
		r, err := serve.NewResponder(store, options)
		if err != nil {
			return nil, err
		}
		return r.Respond(t.Context(), refs, servicetest.Later, "n")
	}
	want, err := respond(memory)
	if err != nil || !strings.Contains(string(want.Bundle), `"unknownRefs":["unknown"]`) || want.Envelope != nil {
		t.Fatalf("%+v, %v", want, err)
	}
	single := struct{ serve.Store }{memory}
	for _, store := range []serve.Store{ownStore{memory}, single} {
		if got, err := respond(store); err != nil || !bytes.Equal(got.JSON, want.JSON) {
			t.Errorf("%T: %v\n%s\n%s", store, err, got.JSON, want.JSON)
		}
	}
	broken := errors.New("broken")
	_, err = respond(brokenStore{broken})
	if _, ok := errors.AsType[*serve.StoreError](err); !ok || !errors.Is(err, broken) {
		t.Errorf("a broken store: %v", err)
	}
	if _, err := respond(nil); err == nil {
		t.Error("no store is accepted")
	}
	const limit = 8 << 20
	long, err := verify.ParseBundle(strings.Replace(string(servicetest.Read("claims.json")), `"subjectId": "`, `"subjectId": "`+strings.Repeat("x", limit), 1))
	if err != nil {
		t.Fatal(err)
	}
	large, err := serve.NewMemoryStore(long)
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []serve.Store{large, ownStore{large}} {
		_, err := respond(store)
		if tooLarge, ok := errors.AsType[*serve.AnswerTooLargeError](err); !ok || tooLarge.Limit != limit || tooLarge.Error() == "" {
			t.Errorf("%T: a large answer: %v", store, err)
		}
	}
	refs = []string{"\xff"}
	_, err = respond(memory)
	servicetest.ExpectCode(t, "no UTF-8", err, "INVALID_VERIFY_REQUEST", "$.refs")
	other := strings.Replace(string(servicetest.Read("claims.json")), `"subjectId": "`, `"subjectId": "other-`, 1)
	b, err := verify.ParseBundle(other)
	if err != nil {
		t.Fatal(err)
	}
	_, err = serve.NewMemoryStore(servicetest.Bundle("claims.json"), b)
	servicetest.ExpectCode(t, "differing bundles", err, "INVALID_TRUST_BUNDLE", "$.claims")
	if records := b.Records(); len(records.Claims) != 2 || len(records.Evidence) == 0 || len(records.Events) == 0 || b.SchemaVersion() < 5 || b.Source() == "" {
		t.Errorf("%+v", records)
	}
}

// Exchanges of the endpoint are observed, and dated by its clock.
func TestVerificationHandler(t *testing.T) {
	store, err := serve.NewMemoryStore(servicetest.Bundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := serve.NewResponder(store, serve.ResponderOptions{Source: "s", StatusFunctionVersion: "2"})
	if err != nil {
		t.Fatal(err)
	}
	var observed []serve.Exchange
	h := serve.NewVerificationHandler(r, serve.VerificationOptions{
		Now:     func() time.Time { return servicetest.Later },
		Observe: func(e serve.Exchange) { observed = append(observed, e) },
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

// The answer that the examples of package verify receive is one of a responder.
func TestStoredAnswer(t *testing.T) {
	private, _ := servicetest.Keys()
	signer, err := verify.NewKeySigner(private)
	if err != nil {
		t.Fatal(err)
	}
	store, err := serve.NewMemoryStore(servicetest.Bundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := serve.NewResponder(store, serve.ResponderOptions{
		Source: "bench.example.org", StatusFunctionVersion: verify.StatusFunctionVersion, Signer: signer,
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := r.Respond(t.Context(), []string{"claim.atlas-70b.repairs", "claim.borealis-1.repairs"}, servicetest.Later, "")
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := os.ReadFile("../verify/testdata/answer.json"); err != nil || string(stored) != string(answer.JSON)+"\n" {
		t.Errorf("%v\n%s\n%s", err, stored, answer.JSON)
	}
}
