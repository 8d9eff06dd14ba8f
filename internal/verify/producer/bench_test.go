package producer_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// manyClaims is how many claims the measured store has, each with three pieces
// of evidence and three events.
const manyClaims = 10_000

func manyBundle() string {
	var claims, pieces, events []string
	for i := range manyClaims {
		claims = append(claims, fmt.Sprintf(`{"id":"claim.acme.atlas-70b.%d","subjectType":"model","subjectId":"acme/atlas-70b","facet":"coding","claimType":"benchmark",`+
			`"fieldOrBehavior":"repair.fixed","value":{"rate":0.%d,"runs":100},"createdAt":"2026-06-01T00:00:00.000Z","updatedAt":"2026-06-01T00:00:00.000Z","currentIntegrityRef":"sha256:%064x"}`, i, i+1, i))
		for k := range 3 {
			pieces = append(pieces, fmt.Sprintf(`{"id":"evidence.%d.%d","claimId":"claim.acme.atlas-70b.%d","evidenceType":"test_output","method":"validation","sourceRef":"runs/%d",`+
				`"excerptOrSummary":"74 of 100 tasks were repaired","observedAt":"2026-06-01T00:00:00.000Z","collectedBy":"bench","integrityRef":"sha256:%064x","passing":true}`, i, k, i, i, 1_000_000+3*i+k))
			events = append(events, fmt.Sprintf(`{"id":"event.%d.%d","claimId":"claim.acme.atlas-70b.%d","status":"verified","actor":"operator","method":"review","evidenceIds":["evidence.%d.%d"],`+
				`"createdAt":"2026-06-0%dT00:00:00.000Z"}`, i, k, i, i, k, k+1))
		}
	}
	return `{"schemaVersion":5,"source":"acme","claims":[` + strings.Join(claims, ",") + `],"evidence":[` + strings.Join(pieces, ",") +
		`],"policies":[],"events":[` + strings.Join(events, ",") + `]}`
}

var manyStore = sync.OnceValue(func() *producer.MemoryStore {
	t := &testing.B{}
	return mustStore(t, manyBundle())
})

func manyRefs(from, n int) []string {
	refs := make([]string, n)
	for i := range refs {
		refs[i] = "claim.acme.atlas-70b." + strconv.Itoa((from+i*37)%manyClaims)
	}
	return refs
}

// cases calls f for answers with and without a signature, to 1 and to 64 refs.
func cases(b *testing.B, f func(b *testing.B, r *producer.Responder, refs int)) {
	for _, signed := range []bool{false, true} {
		var signer dsse.Signer
		name := "unsigned"
		if signed {
			signer, name = verifytest.NewEd25519(b).Signer, "ed25519"
		}
		r := mustResponder(b, manyStore(), signer)
		for _, refs := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/refs=%d", name, refs), func(b *testing.B) { f(b, r, refs) })
		}
	}
}

// BenchmarkRespond puts answers together, without HTTP.
func BenchmarkRespond(b *testing.B) {
	cases(b, func(b *testing.B, r *producer.Responder, refs int) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			response, err := r.Respond(b.Context(), manyRefs(n, refs), respondedAt, "")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(response.JSON)))
			n++
		}
	})
}

// BenchmarkSign is the share of the signature alone.
func BenchmarkSign(b *testing.B) {
	for _, pair := range []verifytest.KeyPair{verifytest.NewEd25519(b), verifytest.NewP256(b)} {
		b.Run(pair.Name, func(b *testing.B) {
			pae := dsse.AppendPAE(nil, dsse.PayloadType, make([]byte, 3000))
			for b.Loop() {
				if _, err := pair.Signer.Sign(b.Context(), pae); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLookup is the share of the memory store alone.
func BenchmarkLookup(b *testing.B) {
	for _, refs := range []int{1, 64} {
		b.Run(fmt.Sprintf("refs=%d", refs), func(b *testing.B) {
			asked := manyRefs(1, refs)
			for b.Loop() {
				if _, err := manyStore().LookupByIntegrityRefs(b.Context(), asked); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkServe asks over TCP, from four times as many connections as there are
// processors, and reports how many questions were answered in a second and how
// long one in a hundred took at least.
func BenchmarkServe(b *testing.B) {
	cases(b, func(b *testing.B, r *producer.Responder, refs int) {
		server := httptest.NewServer(producer.NewHandler(r, producer.HandlerOptions{}))
		defer server.Close()
		connections := 4 * runtime.GOMAXPROCS(0)
		var all []time.Duration
		var mu sync.Mutex
		var clients sync.WaitGroup
		b.ResetTimer()
		for c := range connections {
			clients.Go(func() {
				took, err := askAgain(server.Listener.Addr().String(), refs, c, b.N/connections+1)
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				all = append(all, took...)
				mu.Unlock()
			})
		}
		clients.Wait()
		b.StopTimer()
		slices.Sort(all)
		b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "requests/s")
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
	})
}

// askAgain asks n times over one connection and returns how long each answer
// took. It does no more than it must, as it takes from the server's time.
func askAgain(address string, refs, client, n int) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	took := make([]time.Duration, 0, n)
	for i := range n {
		question := []byte("GET " + producer.HachurePath + "?ref=" + strings.Join(manyRefs(client*1000+i, refs), "&ref=") + " HTTP/1.1\r\nHost: x\r\n\r\n")
		start := time.Now()
		if _, err := conn.Write(question); err != nil {
			return nil, err
		}
		length, err := readHead(in)
		if err != nil {
			return nil, err
		}
		if _, err := in.Discard(length); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

// readHead reads the head of an answer that must be good, and returns the length
// of its body.
func readHead(in *bufio.Reader) (length int, err error) {
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		switch text := string(line); {
		case first && text != "HTTP/1.1 200 OK\r\n":
			return 0, fmt.Errorf("answered %s", text)
		case text == "\r\n":
			return length, nil
		case strings.HasPrefix(text, "Content-Length: "):
			if length, err = strconv.Atoi(strings.TrimSpace(text[len("Content-Length: "):])); err != nil {
				return 0, err
			}
		}
	}
}
