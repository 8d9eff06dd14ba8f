package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
)

func smallHandler() (http.Handler, error) {
	text, err := os.ReadFile("testdata/catalog.json")
	if err != nil {
		return nil, err
	}
	c, err := catalog.Parse(context.Background(), problem.Source{Name: "catalog.json", Text: string(text)})
	if err != nil {
		return nil, err
	}
	return httpapi.NewHandler(c, httpapi.Options{})
}

// The handler under a prefix of a mux, behind middleware.
func ExampleNewHandler() {
	handler, err := smallHandler()
	if err != nil {
		fmt.Println(err)
		return
	}
	onlyKnown := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	mux := http.NewServeMux()
	mux.Handle("/catalog/", onlyKnown(http.StripPrefix("/catalog", handler)))
	server := httptest.NewServer(mux)
	defer server.Close()

	r, _ := http.NewRequest(http.MethodGet, server.URL+"/catalog/v1/models", nil)
	for _, token := range []string{"", "Bearer secret"} {
		r.Header.Set("Authorization", token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Printf("%d %q\n", response.StatusCode, response.Header.Get("X-Service-Catalog-As-Of"))
	}
	// Output:
	// 401 ""
	// 200 "2026-07-01T00:00:00.000Z"
}

// Behind a writer that hides everything but the interface, all answers are what
// they are, also those that come before the body was read.
func TestHandlerBehindPlainWriter(t *testing.T) {
	handler, err := smallHandler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	}))
	defer server.Close()
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, "/v1/models", "", http.StatusOK},
		{http.MethodGet, "/v1/models", "a body", http.StatusOK},
		{http.MethodPost, "/v1/rank", "{", http.StatusBadRequest},
		{http.MethodPost, "/v1/rank", strings.Repeat(" ", 1<<20+1), http.StatusRequestEntityTooLarge},
		{http.MethodPost, "/v1/nothing", strings.Repeat(" ", 100000), http.StatusNotFound},
	} {
		r, err := http.NewRequest(test.method, server.URL+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != test.status || response.Header.Get("Cache-Control") == "" {
			t.Errorf("%s %s: status %d, want %d", test.method, test.path, response.StatusCode, test.status)
		}
	}
}
