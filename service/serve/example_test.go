package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

// The handler is mounted under a prefix of somebody else's mux, behind their
// middleware.
func ExampleNewCatalogHandler() {
	c, err := catalog.Compile(context.Background(), servicetest.Runs(), catalog.CompileOptions{AsOf: servicetest.November})
	if err != nil {
		log.Fatal(err)
	}
	catalog, err := serve.NewCatalogHandler(c, serve.CatalogOptions{MaxConcurrentRankRequests: 2})
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

// The page is served, with what changed and a request to begin with.
func ExampleNewExploreHandler() {
	page, err := serve.NewExploreHandler(context.Background(), servicetest.SecondDay(), serve.ExploreOptions{
		PageOptions: serve.PageOptions{Against: servicetest.FirstDay(), Requests: []serve.NamedRequest{{Name: "cheapest.json", Request: servicetest.Cheapest()}}},
		CatalogFile: "prices.json",
	})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(page)
	defer server.Close()
	for _, path := range []string{"/", "/explore/extras.json", "/v1/models"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		fmt.Println(path, response.StatusCode, response.Header.Get("Content-Type"))
	}
	// Output:
	// / 200 text/html; charset=utf-8
	// /explore/extras.json 200 application/json
	// /v1/models 200 application/json; charset=utf-8
}

// The page becomes one file.
func ExampleWriteReport() {
	var page bytes.Buffer
	err := serve.WriteReport(context.Background(), &page, servicetest.SecondDay(), serve.ReportOptions{Title: "Prices of October"})
	if err != nil {
		log.Fatal(err)
	}
	head, _, _ := strings.Cut(page.String(), "\n")
	fmt.Println(head, strings.Contains(page.String(), "<title>Prices of October</title>"))
	// Output:
	// <!doctype html> true
}

// An agent is served over streams, as one that starts the program as its child does.
func ExampleNewAgent() {
	agent, err := serve.NewAgent(servicetest.SecondDay(), serve.AgentOptions{Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	questions := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"query":"kimi"}}}
`
	var answers bytes.Buffer
	if err := agent.Serve(context.Background(), strings.NewReader(questions), &answers); err != nil {
		log.Fatal(err)
	}
	for decoder := json.NewDecoder(&answers); ; {
		var answer struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		if err := decoder.Decode(&answer); err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		var found struct{ Rows [][]any }
		for _, content := range answer.Result.Content {
			if err := json.Unmarshal([]byte(content.Text), &found); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println(answer.ID, found.Rows)
	}
	// Output:
	// 1 []
	// 2 [[moonshotai/kimi-k2 openrouter 2 2026-10-05]]
}

func ExampleNewResponder() {
	store, err := serve.NewMemoryStore(servicetest.Bundle("claims.json"))
	if err != nil {
		log.Fatal(err)
	}
	responder, err := serve.NewResponder(store, serve.ResponderOptions{
		Source:                "bench.example.org",
		StatusFunctionVersion: verify.StatusFunctionVersion,
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := responder.Respond(context.Background(), []string{"claim.unheard-of"}, servicetest.Later, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", answer.JSON)
	// Output:
	// {"bundle":{"schemaVersion":5,"source":"bench.example.org","claims":[],"evidence":[],"policies":[],"events":[],"metadata":{"respondedAt":"2026-11-20T00:00:00.000Z","statusFunctionVersion":"4","requestedRefs":["claim.unheard-of"],"unknownRefs":["claim.unheard-of"]}}}
}

// A producer answers inside its own mux, with signed answers. Whoever holds claims
// of it asks what became of them.
func ExampleNewVerificationHandler() {
	private, public := servicetest.Keys()
	signer, err := verify.NewKeySigner(private)
	if err != nil {
		log.Fatal(err)
	}
	store, err := serve.NewMemoryStore(servicetest.Bundle("claims.json"))
	if err != nil {
		log.Fatal(err)
	}
	responder, err := serve.NewResponder(store, serve.ResponderOptions{
		Source: "bench.example.org", StatusFunctionVersion: verify.StatusFunctionVersion, Signer: signer,
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/.well-known/profile/verify", serve.NewVerificationHandler(responder, serve.VerificationOptions{}))
	server := httptest.NewServer(mux)
	defer server.Close()

	key, err := verify.ParsePublicKey(public)
	if err != nil {
		log.Fatal(err)
	}
	post := func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/.well-known/profile/verify", bytes.NewReader(question))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		return response.Body, nil
	}
	held := servicetest.Bundle("claims-held.json")
	answers, err := verify.Ask(context.Background(), held, verify.AskOptions{}, post)
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := verify.Receive(held, answers, verify.ReceiveOptions{
		Now: time.Now().UTC().Format(time.RFC3339), Keys: []*verify.PublicKey{key}, Require: record.StatusVerified,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, claim := range receipt.Claims {
		fmt.Println(claim.ID, claim.Before, claim.After)
	}
	for _, outcome := range receipt.Outcomes {
		fmt.Println(outcome.Code, outcome.Records)
	}
	fmt.Println(receipt.OK, string(receipt.Answers[0].KeyID) == key.ID())
	// Output:
	// claim.atlas-70b.repairs verified stale
	// claim.borealis-1.repairs verified verified
	// STATUS_FELL [claims "claim.atlas-70b.repairs"]
	// STATUS_NOT_MET [claims "claim.atlas-70b.repairs"]
	// false true
}
