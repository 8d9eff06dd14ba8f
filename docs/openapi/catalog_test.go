package openapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The catalog that is served, a model of it, and its entity tag.
const (
	catalogFile = "../../internal/httpapi/testdata/catalog.json"
	modelPath   = "/v1/models/fe17f73e5ca4e0931a004eb127e90e51be0ae38e682d10d1e03999f99db445c7"
	catalogTag  = `"service-8f4108f52bb265056f5119e16c98a3a5b649900ecc0778c0899ae20e24cacd68"`
)

// The servers of the catalog.
const (
	standard  = "standard"
	stingy    = "stingy"    // allows results of 256 bytes
	busy      = "busy"      // has one slot, which is taken
	tottering = "tottering" // fails before the first answer to each request
)

// The rank requests of the description.
const (
	rankOne = `{"schemaVersion":"service.rank.request/v1","task":{"family":"chat","suite":null},` +
		`"inventory":[{"id":"here","model":{"id":"example/large","revision":"r1","quantization":null},` +
		`"execution":{"runtime":{"id":"vllm","version":"1"},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}}],` +
		`"requirements":[],"preferences":[{"measurementKey":"context.window","aggregation":"fact","direction":"maximize","weight":1}]}`
	rankTwo = `{"schemaVersion":"service.rank.request/v2","task":{"family":"chat","suite":null},"inventory":[],` +
		`"requirements":[{"measurementKey":"context.window","aggregation":"fact","operator":"gte","value":32768}],"preferences":[],` +
		`"advisories":[{"id":"window","measurementKey":"context.window","aggregation":"fact"}]}`
	rankThree = `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"here","model":{"id":"example/large","revision":"r1"}}],` +
		`"preferences":[{"measurementKey":"context.window","aggregation":"fact","transfer":["execution"],"direction":"maximize","weight":1,"scale":{"low":0,"high":262144}}]}`
	rankAsked = `{"schemaVersion":"service.rank.question/v1","maximize":["context.window"]}`
)

func TestCatalogService(t *testing.T) {
	drive(t, load(t, "catalog.yaml"), startCatalog(t), catalogCalls())
}

func catalogCalls() (calls []call) {
	add := func(c call) {
		if c.server == "" {
			c.server = standard
		}
		calls = append(calls, c)
	}
	for path, target := range map[string]string{
		"/v1/models": "/v1/models", "/v1/models/{key}": modelPath, "/v1/catalog/snapshot": "/v1/catalog/snapshot",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			read := call{method: method, path: path, target: target}
			with := func(why string, status int, header map[string]string) {
				c := read
				c.why, c.status, c.header = why, status, header
				add(c)
			}
			with("reads", 200, nil)
			read.plus = map[string]string{"Accept": "text/html", "Accept-Encoding": "gzip", "Accept-Language": "de", "Range": "bytes=0-1"}
			with("asks for another representation", 200, nil)
			read.plus = nil
			with("has another catalog", 200, map[string]string{"If-None-Match": `"service-0"`})
			with("has the catalog", 304, map[string]string{"If-None-Match": catalogTag})
			with("has the catalog, among others", 304, map[string]string{"If-None-Match": `"a", W/` + catalogTag})
			with("has anything", 304, map[string]string{"If-None-Match": "*"})
			read.target = "/" + target + "//?" + ignored
			with("another spelling of the path", 200, nil)
			read.target, read.server = target, tottering
			read.code = "INTERNAL_ERROR"
			with("fails", 500, nil)
		}
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			add(call{why: "only reads", method: method, path: path, target: target, status: 405, code: "METHOD_NOT_ALLOWED"})
		}
		add(call{why: "fails", server: tottering, method: "PUT", path: path, target: target, status: 500, code: "INTERNAL_ERROR"})
	}
	for _, method := range []string{"GET", "HEAD"} {
		unknown := call{method: method, path: "/v1/models/{key}", status: 404, code: "MODEL_NOT_FOUND"}
		unknown.why, unknown.target = "no key", "/v1/models/example"
		add(unknown)
		unknown.why, unknown.target = "nothing is unescaped", strings.Replace(modelPath, "models/f", "models/%66", 1)
		add(unknown)
		unknown.why, unknown.target, unknown.header = "unknown, whatever the client has", "/v1/models/example", map[string]string{"If-None-Match": "*"}
		add(unknown)
	}
	calls = append(calls, rankCalls()...)
	return append(calls, otherPathCalls()...)
}

func rankCalls() (calls []call) {
	const path = "/v1/rank"
	post := func(why, server, body string, status int, code string) *call {
		calls = append(calls, call{why: why, server: server, method: "POST", path: path, body: body, status: status, code: code,
			header: map[string]string{"Content-Type": "application/json"}})
		return &calls[len(calls)-1]
	}
	tooLong := rankOne + strings.Repeat(" ", 1<<20+1-len(rankOne))
	post("version 1", standard, rankOne, 200, "")
	post("version 2", standard, rankTwo, 200, "")
	post("version 3", standard, rankThree, 200, "")
	post("a question", standard, rankAsked, 200, "")
	post("a question about a key that is not there", standard, strings.Replace(rankAsked, "window", "wind", 1), 400, "INVALID_RANK_REQUEST")
	post("type and tag are not looked at", standard, rankOne, 200, "").plus =
		map[string]string{"Content-Type": "text/plain", "If-None-Match": "*", "Accept": "text/html"}
	post("as long as may be", standard, tooLong[:1<<20], 200, "")
	post("no length", standard, rankOne, 200, "").stream = true
	post("no JSON", standard, "rank them", 400, "INVALID_RANK_REQUEST")
	post("no body", standard, "", 400, "INVALID_RANK_REQUEST")
	post("unknown field", standard, strings.Replace(rankOne, `"requirements":`, `"colour":"blue","requirements":`, 1), 400, "INVALID_RANK_REQUEST")
	post("compressed", standard, "\x1f\x8b\x08", 400, "INVALID_RANK_REQUEST").plus = map[string]string{"Content-Encoding": "gzip"}
	post("too long, as declared", standard, tooLong, 413, "PAYLOAD_TOO_LARGE")
	post("too long, as it turns out", standard, tooLong, 413, "PAYLOAD_TOO_LARGE").stream = true
	post("too long, though no slot is free", busy, tooLong, 413, "PAYLOAD_TOO_LARGE")
	post("too large a result", stingy, rankOne, 422, "RANK_RESULT_TOO_LARGE")
	post("too large a result of version 3", stingy, rankThree, 422, "RANK_RESULT_TOO_LARGE")
	post("no slot", busy, rankOne, 503, "RANK_CAPACITY_EXCEEDED")
	post("fails", tottering, rankOne, 500, "INTERNAL_ERROR")
	for _, server := range []string{standard, busy} {
		calls = append(calls, call{why: "preflight", server: server, method: "OPTIONS", path: path, status: 204, plus: map[string]string{
			"Origin": "https://page.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}})
	}
	calls = append(calls, call{why: "fails", server: tottering, method: "OPTIONS", path: path, status: 500, code: "INTERNAL_ERROR"})
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "BREW"} {
		calls = append(calls,
			call{why: "no rank", server: standard, method: method, path: path, status: 405, code: "METHOD_NOT_ALLOWED"},
			call{why: "fails", server: tottering, method: method, path: path, status: 500, code: "INTERNAL_ERROR"})
	}
	return calls
}

// otherPathCalls ask for paths that OpenAPI cannot describe, since they are all
// that it does not describe. x-other-paths does, once for all.
func otherPathCalls() (calls []call) {
	for code, targets := range map[string]map[string]string{
		"NOT_FOUND": {
			"/":                      "nothing stands at the root",
			"/v1":                    "nor at the version",
			"/V1/models":             "case matters",
			"/healthz":               "the operators' port is another",
			"/v1/models/a/b":         "a segment too many",
			"/v1/rank/../models":     "dots are segments",
			"/v1/%6dodels":           "nothing is unescaped",
			"/v1/catalog":            "half a path",
			"/v1/catalog/snapshot/x": "more than a path",
			"/openapi.yaml":          "descriptions are not served",
		},
		"UNSUPPORTED_API_VERSION": {
			"/v2":        "another version",
			"/v2/models": "another version of a path that there is",
			"/validate":  "whatever begins with v is taken for a version",
			"/v":         "even that alone",
		},
	} {
		for target, why := range targets {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
				calls = append(calls, call{why: why, server: standard, method: method, target: target, status: 404, code: code})
			}
		}
	}
	return append(calls,
		call{why: "the server as a whole", server: standard, method: "OPTIONS", target: "*", status: 404, code: "NOT_FOUND"},
		call{why: "fails", server: tottering, method: "GET", target: "/", status: 500, code: "INTERNAL_ERROR"})
}

// startCatalog starts all servers of the catalog.
func startCatalog(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(catalogFile)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Name: catalogFile, Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	handler := func(options httpapi.Options) *httpapi.Handler {
		h, err := httpapi.NewHandler(c, options)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := handler(httpapi.Options{Trust: "verified"})
	one := handler(httpapi.Options{MaxConcurrentRankRequests: 1, Trust: "superseded"})
	servers := map[string]string{
		standard: start(t, h),
		stingy:   start(t, handler(httpapi.Options{MaxRankResponseBytes: 256, Trust: "unknown"})),
		busy:     start(t, one),
		tottering: start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(&totteringWriter{ResponseWriter: w}, r)
		})),
	}
	takeSlot(t, one)
	return servers
}

// totteringWriter panics once, before anything of an answer is sent.
type totteringWriter struct {
	http.ResponseWriter
	fell bool
}

func (w *totteringWriter) Header() http.Header {
	if !w.fell {
		w.fell = true
		panic("the cause, which nobody may see")
	}
	return w.ResponseWriter.Header()
}

func (w *totteringWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// takeSlot takes the only slot of a handler until the test ends.
func takeSlot(t *testing.T, h *httpapi.Handler) {
	t.Helper()
	ctx := endless{t.Context(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/rank", strings.NewReader(rankOne)).WithContext(ctx))
	}()
	t.Cleanup(func() {
		close(ctx.end)
		<-done
	})
	<-ctx.begun
}

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
