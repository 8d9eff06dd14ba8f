package schemas_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
)

// answers are what handlers answered, held against the schemas.
type answers struct {
	t       *testing.T
	schemas map[string]*jsonschema.Schema
	codes   map[string]bool // of errors
	bodies  map[string]any  // one of each schema
}

func newAnswers(t *testing.T) *answers {
	return &answers{t, map[string]*jsonschema.Schema{}, map[string]bool{}, map[string]any{}}
}

// hold holds a body against a schema.
func (a *answers) hold(what, schema, body string) {
	a.t.Helper()
	if a.schemas[schema] == nil {
		a.schemas[schema] = compile(a.t, schema)
	}
	d := document(a.t, body)
	if err := a.schemas[schema].Validate(d); err != nil {
		a.t.Errorf("%s: %v\n%s", what, err, body)
	}
	a.bodies[schema] = d
	if object, _ := d.(map[string]any); strings.HasPrefix(schema, "error-") {
		fault, _ := object["error"].(map[string]any)
		a.codes[fmt.Sprint(fault["code"])] = true
	}
}

// ask asks a handler and holds its answer against the schema.
func (a *answers) ask(h http.Handler, r *http.Request, status int, schema string) {
	a.t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	what := r.Method + " " + r.URL.String()
	if w.Code != status {
		a.t.Errorf("%s: status %d, want %d", what, w.Code, status)
	}
	a.hold(what, schema, w.Body.String())
}

// demandCodes demands that the answers had every code of the schema.
func (a *answers) demandCodes(schema string) {
	a.t.Helper()
	root := document(a.t, schemaText(a.t, schema))
	var codes []string
	walkSchema(root, "#", func(at string, s map[string]any) {
		if words, ok := s["enum"].([]any); ok && strings.HasSuffix(at, "/code") {
			codes = texts(words)
		}
	})
	if got := slices.Sorted(maps.Keys(a.codes)); !slices.Equal(got, codes) {
		a.t.Errorf("the schema has the codes %v,\nanswered were %v", codes, got)
	}
}

// demandStrict demands that the schema knows every member of a body, and needs
// it unless its path is one of those that may be left out.
func (a *answers) demandStrict(schema string, optional *regexp.Regexp) {
	a.t.Helper()
	mutate(a.bodies[schema], func(what string, mutant any) {
		at, change, _ := strings.Cut(what, ": ")
		name, without := strings.CutPrefix(change, "without ")
		if change != "odd" && (!without || name == "first" || optional.MatchString(at+"."+name)) {
			return
		}
		if a.schemas[schema].Validate(mutant) == nil {
			a.t.Errorf("%s: accepted %s", schema, what)
		}
	})
}

// broken is a body that panics when it is read.
type broken struct{ io.Reader }

func (broken) Read([]byte) (int, error) { panic("broken") }
func (broken) Close() error             { return nil }

// endless is the context of a request. Who looks whether it has ended, as ranking
// does, learns it at the end.
type endless struct {
	context.Context
	begun, end chan struct{}
}

func (e endless) Err() error {
	select {
	case e.begun <- struct{}{}:
	case <-e.end:
	}
	<-e.end
	return nil
}

func newHandler(t *testing.T, options httpapi.Options) http.Handler {
	t.Helper()
	contradiction := strings.Replace(partialDeclaration, `"value":1`, `"value":2`, 1)
	h, err := httpapi.NewHandler(compiled(t, "2026-07-01T00:00:00.000Z", fullObservation, partialDeclaration, contradiction), options)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What the catalog API answers is as the schemas say, and every code of errors
// that they know is answered.
func TestCatalogAPI(t *testing.T) {
	a := newAnswers(t)
	h := newHandler(t, httpapi.Options{MaxConcurrentRankRequests: 1})
	get := func(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }
	post := func(body string) *http.Request {
		return httptest.NewRequest(http.MethodPost, "/v1/rank", strings.NewReader(body))
	}
	a.ask(h, get("/v1/models"), 200, "model-list")
	models, _ := a.bodies["model-list"].(map[string]any)["models"].([]any)
	if len(models) != 2 {
		t.Fatalf("%d models", len(models))
	}
	for _, m := range models {
		a.ask(h, get("/v1/models/"+fmt.Sprint(m.(map[string]any)["key"])), 200, "model-detail")
		if detail := a.bodies["model-detail"].(map[string]any); len(detail["conflicts"].([]any)) > 0 {
			a.demandStrict("model-detail", regexp.MustCompile(`\.unit$`))
		}
	}
	a.demandStrict("model-list", regexp.MustCompile(`^$`))
	a.ask(h, get("/v1/catalog/snapshot"), 200, "catalog")
	a.ask(h, post(requestV1), 200, "rank-result")
	a.ask(h, post(requestV2), 200, "rank-result")
	a.ask(h, post(requestV3), 200, "rank-result-v3")

	a.ask(h, get("/v1/models/x"), 404, "error-service")
	a.ask(h, get("/"), 404, "error-service")
	a.ask(h, get("/v2/models"), 404, "error-service")
	a.ask(h, post("{}"), 400, "error-service")
	a.ask(h, post("{"), 400, "error-service")
	a.ask(h, get("/v1/rank"), 405, "error-service")
	a.ask(h, post(strings.Repeat(" ", 1<<20+1)), 413, "error-service")
	for _, request := range []string{requestV1, requestV3} {
		a.ask(newHandler(t, httpapi.Options{MaxRankResponseBytes: 1}), post(request), 422, "error-service")
	}
	a.ask(h, post(`{"schemaVersion":"service.rank.request/v3"}`), 400, "error-service")
	a.ask(h, httptest.NewRequest(http.MethodPost, "/v1/rank", broken{}), 500, "error-service")

	ctx := endless{t.Context(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), post(requestV1).WithContext(ctx))
	}()
	<-ctx.begun
	a.ask(h, post(requestV1), 503, "error-service")
	close(ctx.end)
	<-done

	a.demandStrict("error-service", regexp.MustCompile(`^$`))
	a.demandCodes("error-service")
}

// The bodies of the conformance cases of the catalog API are as the schemas say.
func TestCatalogAPICases(t *testing.T) {
	a := newAnswers(t)
	of := map[string]string{
		"service.api.models/v1": "model-list", "service.api.model/v1": "model-detail", "service.catalog/v2": "catalog",
		"service.rank.result/v1": "rank-result", "service.rank.result/v2": "rank-result", "service.api.error/v1": "error-service",
	}
	for _, cases := range filesOf(t, "internal/httpapi/testdata/*.http") {
		for n, line := range strings.Split(cases.text, "\n") {
			body, ok := strings.CutPrefix(line, "< {")
			if !ok {
				continue
			}
			var head struct{ SchemaVersion string }
			if err := json.Unmarshal([]byte("{"+body), &head); err != nil || of[head.SchemaVersion] == "" {
				t.Fatalf("%s:%d: %q, %v", cases.name, n+1, head.SchemaVersion, err)
			}
			a.hold(fmt.Sprint(cases.name, ":", n+1), of[head.SchemaVersion], "{"+body)
		}
	}
	for version, schema := range of {
		if a.bodies[schema] == nil {
			t.Errorf("no case is answered with %s", version)
		}
	}
}

// testSigner signs with a key that is no secret.
type testSigner struct{ fault error }

func (testSigner) KeyID() string { return "test" }

func (s testSigner) Sign(_ context.Context, pae []byte) ([]byte, error) {
	return ed25519.Sign(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), pae), s.fault
}

// noStore answers nothing.
type noStore struct{}

func (noStore) LookupByIntegrityRef(context.Context, string) (*bundle.Records, error) {
	return nil, errors.New("out of order")
}

// hugeStore knows more than an answer may have.
type hugeStore struct{}

func (hugeStore) LookupByIntegrityRef(context.Context, string) (*bundle.Records, error) {
	return &bundle.Records{Claims: []bundle.Record{{ID: "c1", JSON: `"` + strings.Repeat("x", producer.MaxAnswerBytes) + `"`}}}, nil
}

func endpoint(t *testing.T, store producer.Store, signer dsse.Signer) http.Handler {
	t.Helper()
	return producer.NewHandler(responder(t, store, signer), producer.HandlerOptions{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
}

func responder(t *testing.T, store producer.Store, signer dsse.Signer) *producer.Responder {
	t.Helper()
	r, err := producer.NewResponder(store, producer.ResponderOptions{Source: "test", StatusFunctionVersion: string(status.DefaultVersion), Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fullStore(t *testing.T) producer.Store {
	t.Helper()
	b, err := bundle.Read(problem.Source{Text: bundleSeeds(t)[0].text})
	if err != nil {
		t.Fatal(err)
	}
	store, err := producer.NewMemoryStore(b)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// responses are answers of the endpoint, signed and unsigned.
func responses(t *testing.T) (docs []doc) {
	for _, signer := range []dsse.Signer{nil, testSigner{}} {
		for _, query := range []string{"?ref=c2&ref=nobody&nonce=n", "?ref=c1"} {
			w := httptest.NewRecorder()
			endpoint(t, fullStore(t), signer).ServeHTTP(w, httptest.NewRequest(http.MethodGet, producer.ProfilePath+query, nil))
			docs = append(docs, doc{fmt.Sprintf("%s, signer %T", query, signer), w.Body.String()})
		}
	}
	return docs
}

// responseSeeds is one of them that has every member but those of records, which
// are as in bundles.
func responseSeeds(t *testing.T) []doc {
	const signed = 2
	return responses(t)[signed : signed+1]
}

// svc verify also reads a bundle that stands alone, as static producers give it.
// That is no answer of an endpoint, and the one thing that a schema refuses and the
// code takes.
func TestBundleAlone(t *testing.T) {
	answer := document(t, responseSeeds(t)[0].text)
	alone := answer.(map[string]any)["bundle"]
	if err := compile(t, "verification-response").Validate(alone); err == nil {
		t.Error("the schema takes it for an answer")
	}
	if err := checkResponse(written(t, alone)); err != nil {
		t.Error(err)
	}
}

// What the verification endpoint answers is as the schemas say, and every code
// of errors that they know is answered.
func TestVerificationEndpoint(t *testing.T) {
	a := newAnswers(t)
	store := fullStore(t)
	h := endpoint(t, store, testSigner{})
	ask := func(h http.Handler, method, rest, mediaType, body string, status int) {
		t.Helper()
		r := httptest.NewRequest(method, producer.HachurePath+rest, strings.NewReader(body))
		r.Header.Set("Content-Type", mediaType)
		schema := "error-verification"
		if status == http.StatusOK {
			schema = "verification-response"
		}
		a.ask(h, r, status, schema)
	}
	ask(h, http.MethodGet, "?ref=c1&ref=c2&nonce=n", "", "", 200)
	ask(h, http.MethodPost, "", "application/json", `{"refs":["c1","nobody"]}`, 200)
	ask(endpoint(t, store, nil), http.MethodGet, "?ref=c1", "", "", 200)

	ask(h, http.MethodGet, "", "", "", 400)
	ask(h, http.MethodPost, "", "application/json", `{"refs":[""]}`, 400)
	ask(h, http.MethodGet, "/more?ref=c1", "", "", 404)
	ask(h, http.MethodDelete, "", "", "", 405)
	ask(h, http.MethodPost, "", "application/json", strings.Repeat(" ", 1<<20+1), 413)
	ask(h, http.MethodPost, "", "text/plain", "{}", 415)
	ask(endpoint(t, store, testSigner{errors.New("no key")}), http.MethodGet, "?ref=c1", "", "", 500)
	ask(endpoint(t, noStore{}, nil), http.MethodGet, "?ref=c1", "", "", 503)
	ask(endpoint(t, hugeStore{}, nil), http.MethodGet, "?ref=c1", "", "", 422)

	stuck := make(chan struct{}) // the clock of a handler that answers as much at once as it does
	full := producer.NewHandler(responder(t, store, nil), producer.HandlerOptions{Now: func() time.Time { <-stuck; return time.Now() }})
	var all sync.WaitGroup
	var isFull atomic.Bool // one was refused
	for !isFull.Load() {
		before := full.AnswersInFlight()
		all.Go(func() {
			w := httptest.NewRecorder()
			full.ServeHTTP(w, httptest.NewRequest(http.MethodGet, producer.HachurePath+"?ref=c1", nil))
			if w.Code == http.StatusServiceUnavailable {
				isFull.Store(true)
			}
		})
		for full.AnswersInFlight() == before && !isFull.Load() {
			time.Sleep(time.Millisecond)
		}
	}
	ask(full, http.MethodGet, "?ref=c1", "", "", 503)
	close(stuck)
	all.Wait()

	a.demandStrict("error-verification", regexp.MustCompile(`^$`))
	a.demandCodes("error-verification")
}
