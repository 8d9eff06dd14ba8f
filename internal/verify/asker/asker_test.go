package asker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestParseEndpoint(t *testing.T) {
	const path = "/.well-known/hachure/verify"
	for text, want := range map[string]string{
		"https://producer.example":             "https://producer.example" + path,
		"http://127.0.0.1:4245/":               "http://127.0.0.1:4245" + path,
		"https://producer.example?tenant=a":    "https://producer.example" + path + "?tenant=a",
		"https://producer.example/own/verify":  "https://producer.example/own/verify",
		"https://producer.example/own/verify/": "https://producer.example/own/verify/",
	} {
		got, err := ParseEndpoint(text)
		if again, errOfAgain := ParseEndpoint(got); err != nil || got != want || errOfAgain != nil || again != want {
			t.Errorf("%s: %s, error %v; again %s, error %v", text, got, err, again, errOfAgain)
		}
	}
	for text, want := range map[string]error{
		"https://user:secret@producer.example": ErrCredentials,
		"https://user@producer.example":        ErrCredentials,
		"https://user:s%ecret@producer":        ErrCredentials,
		"user:secret@producer.example":         ErrCredentials,
		"user@producer.example":                ErrCredentials,
		"https://producer.example:4245x/a@b":   ErrCredentials, // which may be one
		"":                                     ErrEndpoint,
		"producer.example":                     ErrEndpoint,
		"ftp://producer.example":               ErrEndpoint,
		"https:///path":                        ErrEndpoint,
		"https://producer.example#part":        ErrEndpoint,
		"https://producer.example\n":           ErrEndpoint,
	} {
		if got, err := ParseEndpoint(text); !errors.Is(err, want) {
			t.Errorf("%q: %s, error %v", text, got, err)
		}
	}
}

// read asks an endpoint and reads the answer.
func read(ctx context.Context, a *Asker) (string, error) {
	body, err := a.Send(ctx, []byte(`{"refs":["a"]}`))
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

// A question is JSON sent by POST. Only an answer with status 200, from the endpoint itself,
// whole and in time is one.
func TestSend(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/right", func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept") != "application/json" || string(question) != `{"refs":["a"]}` {
			t.Errorf("%s %s %s", r.Method, r.Header, question)
		}
		io.WriteString(w, "answer")
	})
	mux.Handle("/moved", http.RedirectHandler("/right", http.StatusPermanentRedirect))
	mux.HandleFunc("/down", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "words of a stranger", http.StatusServiceUnavailable)
	})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "answ")
	})
	wait := func(r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client goes
		<-r.Context().Done()
	}
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { wait(r) })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "answ")
		_ = http.NewResponseController(w).Flush()
		wait(r)
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	for path, want := range map[string]string{
		"/right":  "",
		"/moved":  " answered 308 Permanent Redirect",
		"/down":   " answered 503 Service Unavailable",
		"/empty":  " answered 204 No Content",
		"/none":   " answered 404 Not Found",
		"/broken": ": the answer broke off: unexpected EOF",
		"/silent": " does not answer: context deadline exceeded",
		"/slow":   ": the answer broke off: context deadline exceeded",
	} {
		a := New(server.URL+path, nil, Access{})
		if a.client.Timeout != answerTime {
			t.Errorf("an answer may take %s", a.client.Timeout)
		}
		if path == "/silent" || path == "/slow" {
			a.client.Timeout = 100 * time.Millisecond
		}
		text, err := read(t.Context(), a)
		a.Close()
		switch {
		case want == "" && (err != nil || text != "answer"):
			t.Errorf("%s: %s, error %v", path, text, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), server.URL+path+want)):
			t.Errorf("%s: %s, error %v", path, text, err)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(ctx, New(server.URL+"/silent", nil, Access{})); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// transport counts what goes through it.
type transport struct {
	sent, closed int
}

func (t *transport) RoundTrip(*http.Request) (*http.Response, error) {
	t.sent++
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("answer"))}, nil
}

func (t *transport) CloseIdleConnections() { t.closed++ }

// Connections of the caller stay open, as others may use them.
func TestTransport(t *testing.T) {
	var own transport
	a := New("https://producer.example/verify", &own, Access{})
	text, err := read(t.Context(), a)
	a.Close()
	if err != nil || text != "answer" || own != (transport{sent: 1}) {
		t.Errorf("%s, error %v, %+v", text, err, own)
	}
	if New("https://producer.example/verify", nil, Access{}).client.Transport == http.DefaultTransport {
		t.Error("an asker closes connections of the default transport, which are not its own")
	}
}
