package service_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/model-catalog-service/svc/service"
)

// The handler is mounted under a prefix of somebody else's mux, behind their
// middleware.
func ExampleNewCatalogHandler() {
	c, err := service.CompileCatalog(context.Background(), exampleRuns(), service.CompileOptions{AsOf: november})
	if err != nil {
		log.Fatal(err)
	}
	catalog, err := service.NewCatalogHandler(c, service.CatalogHandlerOptions{MaxConcurrentRankRequests: 2})
	if err != nil {
		log.Fatal(err)
	}
	authenticated := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, _, ok := r.BasicAuth(); !ok {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	mux := http.NewServeMux()
	mux.Handle("/models/", authenticated(http.StripPrefix("/models", catalog)))

	server := httptest.NewServer(mux)
	defer server.Close()
	for _, user := range []string{"", "ada"} {
		request, _ := http.NewRequest("GET", server.URL+"/models/v1/models/unknown", nil)
		if user != "" {
			request.SetBasicAuth(user, "")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Printf("%s %.56s\n", response.Status, body)
	}
	// Output:
	// 401 Unauthorized who are you?
	//
	// 404 Not Found {"catalog":{"asOf":"2026-11-01T00:00:00.000Z","digest":"
}
