package producer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

func newHandler(t testing.TB, store producer.Store, signer dsse.Signer, log io.Writer) *producer.Handler {
	t.Helper()
	options := producer.HandlerOptions{Now: func() time.Time { return respondedAt }}
	if log != nil {
		options.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	return producer.NewHandler(mustResponder(t, store, signer), options)
}

// reply is a response of the handler, seen from outside.
type reply struct {
	status int
	header http.Header
	body   string
}

func ask(t testing.TB, server *httptest.Server, method, target, media, body string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(text)}
}

// errorOf reads an error document, which must be canonical JSON.
func errorOf(t testing.TB, r reply) (code, message string) {
	t.Helper()
	var e struct {
		Error         struct{ Code, Message string }
		SchemaVersion string
	}
	verifytest.Decode(t, r.body, &e)
	if e.SchemaVersion != "service.verify.error/v1" || e.Error.Message == "" {
		t.Errorf("error document %s", r.body)
	}
	quoted, _ := json.Marshal(e.Error.Message)
	if want := `{"error":{"code":"` + e.Error.Code + `","message":` + string(quoted) + `},"schemaVersion":"service.verify.error/v1"}`; r.body != want {
		t.Errorf("error document %s, want %s", r.body, want)
	}
	return e.Error.Code, e.Error.Message
}

func (r reply) checkHeaders(t testing.TB, name string) {
	t.Helper()
	for header, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if got := r.header.Values(header); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %s is %q", name, header, got)
		}
	}
}

const bothPaths = 2

func paths() [bothPaths]string { return [bothPaths]string{producer.ProfilePath, producer.HachurePath} }

// GET, HEAD and POST, at both paths, answer alike.
func TestHandlerAnswers(t *testing.T) {
	if paths() != [bothPaths]string{"/.well-known/profile/verify", "/.well-known/hachure/verify"} {
		t.Errorf("paths %v", paths())
	}
	server := httptest.NewServer(newHandler(t, mustStore(t, verifytest.Linked), verifytest.NewEd25519(t).Signer, nil))
	defer server.Close()
	for _, tt := range []struct{ query, body string }{
		{"?ref=c1", `{"refs":["c1"]}`},
		{"?ref=c1&ref=x&ref=c1", `{"refs":["c1","x","c1"]}`},
		{"?nonce=a+b%26&ref=c3", `{"nonce":"a b&","refs":["c3"]}`},
		{"?a=b&&=&ref=%C3%A9&x=%00&later", "\uFEFF {\"later\":{\"refs\":1},\"refs\":[\"\\u00e9\"],\"x\":[null]}"},
		{"?ref=a%2Bb+c%3D=d;e&r%65f=2", `{"refs":["a+b c==d;e","2"]}`},
		{"?ref=" + strings.Repeat("x", bundle.MaxRefBytes), `{"refs":["` + strings.Repeat("x", bundle.MaxRefBytes) + `"]}`},
		{"?" + strings.Repeat("ref=c1&", bundle.MaxRefs), `{"refs":["c1"` + strings.Repeat(`,"c1"`, bundle.MaxRefs-1) + `]}`},
		{"?ref=c&nonce=" + url.QueryEscape(strings.Repeat("😀", producer.MaxNonceChars)), `{"refs":["c"],"nonce":"` + strings.Repeat("😀", producer.MaxNonceChars) + `"}`},
	} {
		var first reply
		for i, path := range paths() {
			get := ask(t, server, http.MethodGet, path+tt.query, "", "")
			if get.status != http.StatusOK {
				t.Fatalf("%.60s: %d %s", tt.query, get.status, get.body)
			}
			get.checkHeaders(t, tt.query)
			post := ask(t, server, http.MethodPost, path+"?ref=not+this", "Application/JSON; charset=utf-8", tt.body)
			if post.body != get.body || post.status != get.status {
				t.Errorf("%.60s: GET says %s, POST says %d %s", tt.query, get.body, post.status, post.body)
			}
			post.checkHeaders(t, tt.query)
			head := ask(t, server, http.MethodHead, path+tt.query, "", "")
			if head.body != "" || head.status != get.status || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) {
				t.Errorf("%.60s: HEAD says %+v", tt.query, head)
			}
			head.checkHeaders(t, tt.query)
			if i > 0 && get.body != first.body {
				t.Errorf("%.60s: the paths differ: %s and %s", tt.query, first.body, get.body)
			}
			first = get
		}
	}
}

func TestHandlerErrors(t *testing.T) {
	server := httptest.NewServer(newHandler(t, mustStore(t, verifytest.Linked), nil, nil))
	defer server.Close()
	const invalid, is = "INVALID_VERIFY_REQUEST", "application/json"
	path := producer.ProfilePath
	for _, tt := range []struct {
		method, target, media, body string
		status                      int
		code                        string
	}{
		{"GET", path, "", "", 400, invalid},
		{"GET", path + "?", "", "", 400, invalid},
		{"GET", path + "?Ref=c1", "", "", 400, invalid},
		{"GET", path + "?ref", "", "", 400, invalid},
		{"GET", path + "?ref=", "", "", 400, invalid},
		{"GET", path + "?ref=c1&ref=", "", "", 400, invalid},
		{"GET", path + "?ref=c1&x=%", "", "", 400, invalid},
		{"GET", path + "?ref=c1&x=%4", "", "", 400, invalid},
		{"GET", path + "?ref=c1&%zz=1", "", "", 400, invalid},
		{"GET", path + "?ref=%FF", "", "", 400, invalid},
		{"GET", path + "?ref=" + strings.Repeat("x", bundle.MaxRefBytes+1), "", "", 400, invalid},
		{"GET", path + "?" + strings.Repeat("ref=c1&", bundle.MaxRefs+1), "", "", 400, invalid},
		{"GET", path + "?ref=c1&nonce=", "", "", 400, invalid},
		{"GET", path + "?ref=c1&nonce", "", "", 400, invalid},
		{"GET", path + "?ref=c1&nonce=a&nonce=a", "", "", 400, invalid},
		{"GET", path + "?ref=c1&nonce=%FF", "", "", 400, invalid},
		{"GET", path + "?ref=c1&nonce=" + strings.Repeat("x", producer.MaxNonceChars+1), "", "", 400, invalid},
		{"POST", path, is, ``, 400, invalid},
		{"POST", path, is, `{`, 400, invalid},
		{"POST", path, is, `[]`, 400, invalid},
		{"POST", path, is, `{}`, 400, invalid},
		{"POST", path, is, `{"refs":"c1"}`, 400, invalid},
		{"POST", path, is, `{"refs":[]}`, 400, invalid},
		{"POST", path, is, `{"refs":[1]}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1",null]}`, 400, invalid},
		{"POST", path, is, `{"refs":[""]}`, 400, invalid},
		{"POST", path, is, `{"refs":["\ud800"]}`, 400, invalid},
		{"POST", path, is, "{\"refs\":[\"\xff\"]}", 400, invalid},
		{"POST", path, is, `{"refs":["c1"],"refs":["c1"]}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"]} x`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"],"x":` + strings.Repeat("[", 100), 400, invalid},
		{"POST", path, is, `{"refs":["` + strings.Repeat("x", bundle.MaxRefBytes+1) + `"]}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"` + strings.Repeat(`,"c1"`, bundle.MaxRefs) + `]}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"],"nonce":""}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"],"nonce":null}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"],"nonce":7}`, 400, invalid},
		{"POST", path, is, `{"refs":["c1"],"nonce":"` + strings.Repeat("é", producer.MaxNonceChars+1) + `"}`, 400, invalid},
		{"GET", "/", "", "", 404, "NOT_FOUND"},
		{"GET", path + "/?ref=c1", "", "", 404, "NOT_FOUND"},
		{"GET", "/.well-known/profile/Verify?ref=c1", "", "", 404, "NOT_FOUND"},
		{"GET", "/.well-known/profile/verif%79?ref=c1", "", "", 404, "NOT_FOUND"},
		{"GET", "//.well-known/profile/verify?ref=c1", "", "", 404, "NOT_FOUND"},
		{"GET", "/.well-known/profile/../profile/verify?ref=c1", "", "", 404, "NOT_FOUND"},
		{"DELETE", "/nowhere", "", "", 404, "NOT_FOUND"},
		{"DELETE", path, "", "", 405, "METHOD_NOT_ALLOWED"},
		{"PUT", path, is, `{"refs":["c1"]}`, 405, "METHOD_NOT_ALLOWED"},
		{"OPTIONS", path, "", "", 405, "METHOD_NOT_ALLOWED"},
		{"get", path + "?ref=c1", "", "", 405, "METHOD_NOT_ALLOWED"},
		{"POST", path, "", `{"refs":["c1"]}`, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"POST", path, "text/json", `{"refs":["c1"]}`, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"POST", path, "application/jsonx", `{"refs":["c1"]}`, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"POST", path, "application/x-www-form-urlencoded", `ref=c1`, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"POST", path, "text/plain", strings.Repeat(" ", 1<<20+1), 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"POST", path, is, strings.Repeat(" ", 1<<20+1), 413, "PAYLOAD_TOO_LARGE"},
		{"POST", path, is, strings.Repeat("x", 8<<20), 413, "PAYLOAD_TOO_LARGE"},
		{"POST", path, is, `{"refs":["c1"]}` + strings.Repeat(" ", 1<<20-15), 200, ""},
	} {
		name := fmt.Sprintf("%s %.80s %s %.60q", tt.method, tt.target, tt.media, tt.body)
		r := ask(t, server, tt.method, tt.target, tt.media, tt.body)
		r.checkHeaders(t, name)
		if r.status != tt.status {
			t.Errorf("%s: %d %s, want %d", name, r.status, r.body, tt.status)
			continue
		}
		if tt.code == "" {
			continue
		}
		if code, _ := errorOf(t, r); code != tt.code {
			t.Errorf("%s: code %s, want %s", name, code, tt.code)
		}
		if allow := r.header.Get("Allow"); (allow == "GET, HEAD, POST") != (tt.status == 405) {
			t.Errorf("%s: Allow is %q", name, allow)
		}
		if tt.method == "GET" {
			head := ask(t, server, "HEAD", tt.target, "", "")
			if head.status != r.status || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(r.body)) {
				t.Errorf("%s: HEAD says %+v", name, head)
			}
		}
	}
}

// A body of unknown length is measured as it comes.
func TestHandlerMeasuresChunkedBodies(t *testing.T) {
	server := httptest.NewServer(newHandler(t, mustStore(t, verifytest.Linked), nil, nil))
	defer server.Close()
	for size, want := range map[int]int{1 << 20: 200, 1<<20 + 1: 413, 3 << 20: 413} {
		body := `{"refs":["c1"]}` + strings.Repeat(" ", size-15)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+producer.HachurePath, io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes: %s", size, response.Status)
		}
	}
}

// Who waits to be asked for a body that is too long is not asked.
func TestHandlerDoesNotAskForLongBodies(t *testing.T) {
	server := httptest.NewServer(newHandler(t, mustStore(t, verifytest.Linked), nil, nil))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\r\n", producer.HachurePath)
	line := make([]byte, len("HTTP/1.1 413"))
	if _, err := io.ReadFull(conn, line); err != nil || string(line) != "HTTP/1.1 413" {
		t.Errorf("%q, %v", line, err)
	}
}

// What is answered without its body is answered at once, whatever body it declares and
// never sends.
func TestHandlerDoesNotWaitForBodies(t *testing.T) {
	server := httptest.NewServer(newHandler(t, mustStore(t, verifytest.Linked), nil, nil))
	defer server.Close()
	for request, status := range map[string]string{
		"GET " + producer.HachurePath + " HTTP/1.1\r\n":                              "400",
		"GET /elsewhere HTTP/1.1\r\n":                                                "404",
		"PUT " + producer.HachurePath + " HTTP/1.1\r\n":                              "405",
		"POST " + producer.HachurePath + " HTTP/1.1\r\nContent-Type: text/plain\r\n": "415",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%sHost: x\r\nContent-Length: 10\r\n\r\n", request)
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute)) // a body may take that long to be given up
		line := make([]byte, len("HTTP/1.1 415"))
		if _, err := io.ReadFull(conn, line); err != nil || string(line) != "HTTP/1.1 "+status {
			t.Errorf("%q: %q, %v", request, line, err)
		}
		conn.Close()
	}
}

// Stores that fail are told apart from stores that know nothing, and causes go to the
// log alone.
func TestHandlerTellsFailuresApart(t *testing.T) {
	var log bytes.Buffer
	for _, tt := range []struct {
		name   string
		store  producer.Store
		signer dsse.Signer
		status int
		code   string
		cause  string
	}{
		{"away", fakeStore{func(context.Context, string) (*bundle.Records, error) { return nil, errors.New("secret host is away") }}, nil, 503, "STORE_UNAVAILABLE", "secret host is away"},
		{"panic", fakeStore{func(context.Context, string) (*bundle.Records, error) { panic("secret boom") }}, nil, 500, "INTERNAL_ERROR", "secret boom"},
		{"no JSON", fixed{&bundle.Records{Claims: []bundle.Record{{ID: "x", JSON: `{"id":"x"`}}}}, nil, 500, "INTERNAL_ERROR", `record \"x\"`},
		{"another id", fixed{&bundle.Records{Events: []bundle.Record{{ID: "x", JSON: `{"id":"y"}`}}}}, nil, 500, "INTERNAL_ERROR", `whose id is \"y\"`},
		{"no object", fixed{&bundle.Records{Evidence: []bundle.Record{{ID: "x", JSON: `"x"`}}}}, nil, 500, "INTERNAL_ERROR", "is no record"},
		{"signer", mustStore(t, verifytest.Linked), failingSigner{}, 500, "INTERNAL_ERROR", "the key is locked away"},
		{"signer panics", mustStore(t, verifytest.Linked), panickingSigner{}, 500, "INTERNAL_ERROR", "secret key"},
	} {
		log.Reset()
		server := httptest.NewServer(newHandler(t, tt.store, tt.signer, &log))
		r := ask(t, server, http.MethodGet, producer.HachurePath+"?ref=c1", "", "")
		server.Close()
		r.checkHeaders(t, tt.name)
		code, message := errorOf(t, r)
		if r.status != tt.status || code != tt.code || strings.Contains(message, "secret") {
			t.Errorf("%s: %d %s", tt.name, r.status, r.body)
		}
		if (r.header.Get("Retry-After") == "1") != (tt.status == 503) {
			t.Errorf("%s: Retry-After is %q", tt.name, r.header.Get("Retry-After"))
		}
		if !strings.Contains(log.String(), tt.cause) || strings.Contains(log.String(), `c1"`) {
			t.Errorf("%s: log %s", tt.name, &log)
		}
	}
}

// While the store is away, the log says so once a second, however many ask.
func TestHandlerInOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := newHandler(t, fakeStore{func(context.Context, string) (*bundle.Records, error) { return nil, errors.New("away") }}, nil, &log)
		for range 1000 {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, producer.HachurePath+"?ref=c1", nil))
			if w.Code != http.StatusServiceUnavailable {
				t.Fatalf("status %d", w.Code)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 10 || strings.Count(log.String(), "omitted=99") != 9 {
			t.Errorf("%d lines for 1,000 requests in 10 seconds: %s", lines, &log)
		}
	})
}

type panickingSigner struct{ failingSigner }

func (panickingSigner) Sign(context.Context, []byte) ([]byte, error) { panic("secret key") }

// A store that hangs is cut off after ten seconds.
func TestHandlerCutsOffStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := fakeStore{func(context.Context, string) (*bundle.Records, error) { <-release; return nil, nil }}
		polite := fakeStore{func(ctx context.Context, _ string) (*bundle.Records, error) { <-ctx.Done(); return nil, ctx.Err() }}
		for name, store := range map[string]producer.Store{"deaf": deaf, "polite": polite} {
			w, start := httptest.NewRecorder(), time.Now()
			r := httptest.NewRequest(http.MethodGet, producer.HachurePath+"?ref=c1", nil).WithContext(t.Context())
			newHandler(t, store, nil, nil).ServeHTTP(w, r)
			if w.Code != http.StatusServiceUnavailable || time.Since(start) != 10*time.Second {
				t.Errorf("%s: %d after %s", name, w.Code, time.Since(start))
			}
		}
		close(release)
	})
}

// The handler works inside anyone's middleware.
func TestHandlerBehindMiddleware(t *testing.T) {
	mux := http.NewServeMux()
	handler := newHandler(t, mustStore(t, verifytest.Linked), nil, nil)
	authenticated := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "p" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 100)
		handler.ServeHTTP(w, r)
	})
	mux.Handle("/api/", http.StripPrefix("/api", authenticated))
	for target, want := range map[string]int{
		"/api" + producer.HachurePath: http.StatusOK, "/api/x": http.StatusNotFound, producer.HachurePath: http.StatusNotFound,
	} {
		r := httptest.NewRequest(http.MethodGet, target+"?ref=c1", nil)
		r.SetBasicAuth("u", "p")
		w := httptest.NewRecorder()
		if mux.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	for body, want := range map[string]int{`{"refs":["c1"]}`: http.StatusOK, `{"refs":["` + strings.Repeat("x", 100) + `"]}`: http.StatusRequestEntityTooLarge} {
		r := httptest.NewRequest(http.MethodPost, "/api"+producer.HachurePath, strings.NewReader(body))
		r.SetBasicAuth("u", "p")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if mux.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d", body, w.Code)
		}
	}
	w := httptest.NewRecorder()
	if mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api"+producer.HachurePath+"?ref=c1", nil)); w.Code != http.StatusUnauthorized {
		t.Errorf("without a password: %d", w.Code)
	}
}

// Pages of an origin may ask, and caches keep an answer, if the producer says so; errors are not kept.
func TestOriginAndMaxAge(t *testing.T) {
	server := httptest.NewServer(producer.NewHandler(mustResponder(t, mustStore(t, verifytest.Linked), nil), producer.HandlerOptions{
		Origin: "https://app.example", MaxAge: 90 * time.Second, Now: func() time.Time { return respondedAt }}))
	defer server.Close()
	for _, tt := range []struct {
		method, target, cache string
		status                int
	}{
		{http.MethodGet, producer.HachurePath + "?ref=c1", "max-age=90", 200},
		{http.MethodPost, producer.HachurePath, "max-age=90", 200},
		{http.MethodGet, producer.HachurePath, "no-store", 400},
		{http.MethodOptions, producer.ProfilePath, "no-store", 204},
		{http.MethodPut, producer.ProfilePath, "no-store", 405},
		{http.MethodOptions, "/elsewhere", "no-store", 404},
	} {
		r := ask(t, server, tt.method, tt.target, "application/json", `{"refs":["c1"]}`)
		if r.status != tt.status || r.header.Get("Cache-Control") != tt.cache ||
			r.header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
			(r.header.Get("Access-Control-Allow-Methods") == "GET, HEAD, POST, OPTIONS") != (tt.status == 204) ||
			(r.header.Get("Allow") == "GET, HEAD, POST, OPTIONS") != (tt.status == 204 || tt.status == 405) {
			t.Errorf("%s %s: %d %v", tt.method, tt.target, r.status, r.header)
		}
	}
}

// A plus sign in a query is a space, unless only the ref with the sign itself names something.
func TestPlusInRefs(t *testing.T) {
	known := map[string]bool{"a+b": true, "c d": true, "e+f": true, "e f": true}
	server := httptest.NewServer(newHandler(t, fakeStore{func(_ context.Context, ref string) (*bundle.Records, error) {
		if !known[ref] {
			return nil, nil
		}
		return &bundle.Records{}, nil
	}}, nil, nil))
	defer server.Close()
	r := ask(t, server, http.MethodGet, producer.HachurePath+"?ref=x&ref=a+b&ref=c+d&ref=e+f&ref=g+h&ref=a%2Bb&ref=a%20b", "", "")
	const want = `"requestedRefs":["x","a+b","c d","e f","g h","a+b","a b"],"unknownRefs":["x","g h","a b"]`
	if r.status != 200 || !strings.Contains(r.body, want) {
		t.Errorf("%d %s, want %s", r.status, r.body, want)
	}
}
