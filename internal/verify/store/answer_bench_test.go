package store_test

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// BenchmarkAnswers asks an endpoint over HTTP, from several connections of this
// process, for random claims among all. It reports requests a second, as a number and
// as a share of those from memory in the same run, and the 99th percentile of the time
// that one takes. Databases were asked for all claims before, as far as their caches
// go. Beside it stand what the query (BenchmarkLookup) and the signature
// (BenchmarkSignature) cost alone.
func BenchmarkAnswers(b *testing.B) {
	bundle := storetest.Many(manyClaims).Bundle(b)
	memory, err := producer.NewMemoryStore(bundle)
	if err != nil {
		b.Fatal(err)
	}
	fromMemory := map[string]float64{}
	b.Run("Memory", func(b *testing.B) { benchmarkAnswers(b, memory, fromMemory) })
	for name, empty := range databases() {
		b.Run(name, func(b *testing.B) {
			address := empty(b)
			if _, err := storetest.Loader(b, address).Load(b.Context(), bundle, false); err != nil {
				b.Fatal(err)
			}
			s := storetest.Open(b, address)
			for i := range manyClaims {
				if _, err := s.LookupByIntegrityRef(b.Context(), storetest.ManyID(i)); err != nil {
					b.Fatal(err)
				}
			}
			benchmarkAnswers(b, s, fromMemory)
		})
	}
}

// benchmarkAnswers keeps the rates of what it runs first, which are those from memory.
func benchmarkAnswers(b *testing.B, s producer.Store, fromMemory map[string]float64) {
	for _, signer := range []dsse.Signer{nil, newSigner(b)} {
		kind := "unsigned"
		if signer != nil {
			kind = "signed"
		}
		responder, err := producer.NewResponder(s, producer.ResponderOptions{
			Source: "bench", StatusFunctionVersion: string(status.DefaultVersion), Signer: signer,
		})
		if err != nil {
			b.Fatal(err)
		}
		server := httptest.NewServer(producer.NewHandler(responder, producer.HandlerOptions{}))
		for _, refs := range []int{1, 64} {
			name := fmt.Sprintf("%s/refs=%d", kind, refs)
			b.Run(name, func(b *testing.B) {
				rate := benchmarkRequests(b, server.Listener.Addr().String(), refs)
				if _, isMemory := s.(*producer.MemoryStore); isMemory {
					fromMemory[name] = rate
				} else if fromMemory[name] > 0 {
					b.ReportMetric(rate/fromMemory[name], "of-memory")
				}
			})
		}
		server.Close()
	}
}

// newSigner returns a signer with a new Ed25519 key.
func newSigner(b *testing.B) dsse.Signer {
	b.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		b.Fatal(err)
	}
	signer, err := dsse.ReadSigner(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err != nil {
		b.Fatal(err)
	}
	return signer
}

// benchmarkRequests sends requests from eight connections for each processor.
func benchmarkRequests(b *testing.B, address string, refs int) (perSecond float64) {
	var mu sync.Mutex
	var all []time.Duration
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		var took []time.Duration
		answers := bufio.NewReaderSize(conn, 64<<10)
		for pb.Next() {
			start := time.Now()
			if err := exchange(conn, answers, refs); err != nil {
				b.Error(err)
				return
			}
			took = append(took, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, took...)
	})
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	perSecond = float64(len(all)) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "requests/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
	return perSecond
}

// exchange asks for random claims. A client this simple leaves most of the
// machine to the server.
func exchange(conn net.Conn, answers *bufio.Reader, refs int) error {
	var request bytes.Buffer
	request.WriteString("GET " + producer.ProfilePath + "?")
	for i := range refs {
		if i > 0 {
			request.WriteByte('&')
		}
		request.WriteString("ref=" + storetest.ManyID(mathrand.IntN(manyClaims)))
	}
	request.WriteString(" HTTP/1.1\r\nHost: bench\r\n\r\n")
	if _, err := conn.Write(request.Bytes()); err != nil {
		return err
	}
	response, err := http.ReadResponse(answers, nil)
	if err != nil {
		return err
	}
	var body strings.Builder
	if _, err := io.Copy(&body, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !strings.Contains(body.String(), `"unknownRefs":[]`) {
		return fmt.Errorf("%d %.300s", response.StatusCode, body.String())
	}
	return nil
}

// BenchmarkSignature signs the answer for one claim.
func BenchmarkSignature(b *testing.B) {
	signer := newSigner(b)
	pae := bytes.Repeat([]byte("x"), 5000)
	for b.Loop() {
		if _, err := signer.Sign(b.Context(), pae); err != nil {
			b.Fatal(err)
		}
	}
}
