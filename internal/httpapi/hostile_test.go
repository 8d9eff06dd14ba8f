package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
)

// openFiles is how many connections a test of this process may have open, both
// ends of each counted.
func openFiles(t *testing.T, want int) int {
	t.Helper()
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for len(files) < 2*want+200 {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		files = append(files, f)
	}
	return max(0, min(want, (len(files)-200)/2))
}

// Ten thousand connections that do nothing, or as many as the system lets this
// process have, and dozens that do their worst: reads are answered all the
// while, memory stays bounded, and in the end nothing is left of them.
func TestHostileClients(t *testing.T) {
	c := generatedCatalog(t, 1000)
	h := newTestHandler(t, c, Options{})
	snapshot := h.docs.snapshot.Body[0]
	before := runtime.NumGoroutine()
	l, err := httpserver.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := httpserver.Start(l, h, httpserver.Options{})
	address := l.Addr().String()

	idle := openFiles(t, 10000-500)
	t.Logf("%d idle connections", idle)
	var conns []net.Conn
	closeAll := func() {
		for _, conn := range conns {
			conn.Close()
		}
	}
	defer closeAll()
	heap := heapBytes()
	for range idle {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		// A connection is idle once it had a request; until then it is late.
		fmt.Fprint(conn, "HEAD /v1/models HTTP/1.1\r\nHost: svc.example\r\n\r\n")
		if _, err := conn.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	for n := range 40 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					misbehave(address, n)
				}
			}
		})
	}
	for _, http2 := range []bool{false, true} {
		client := newClient(t, http2)
		for range 5 {
			got := get(t, client, "http://"+address+"/v1/models")
			got.wants(t, h, http.StatusOK, "")
			if got := get(t, client, "http://"+address+"/v1/catalog/snapshot"); got.text != string(snapshot) {
				t.Errorf("the snapshot has %d bytes, want %d", len(got.text), len(snapshot))
			}
		}
		client.CloseIdleConnections()
	}
	// A connection costs buffers and stacks of some ten KiB, at both its ends;
	// bodies and answers are bounded by the slots.
	most := uint64(idle+200)*80<<10 + 64<<20
	if grown := heapBytes() - min(heap, heapBytes()); grown > most {
		t.Errorf("memory has grown by %d bytes, want at most %d", grown, most)
	}
	close(done)
	all.Wait()
	closeAll()
	eventually(t, "all slots are free and no answer waits", func() bool { return h.RanksInFlight() == 0 && h.HeldBytes() == 0 })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	eventually(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// misbehave does one of the things that clients should not do. What comes of it
// does not matter.
func misbehave(address string, kind int) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	const read = "GET /v1/catalog/snapshot HTTP/1.1\r\nHost: svc.example\r\n\r\n"
	switch kind % 10 {
	case 0: // begins a body and leaves
		fmt.Fprint(conn, rankHead(contentLength(1000))+"{")
	case 1: // reads a little of a large answer
		fmt.Fprint(conn, read)
		_, _ = io.CopyN(io.Discard, conn, 1000)
	case 2: // asks for a lot at once and reads nothing
		fmt.Fprint(conn, strings.Repeat(read, 20))
		time.Sleep(10 * time.Millisecond)
	case 3: // a body without end
		fmt.Fprint(conn, rankHead("Transfer-Encoding: chunked"))
		for range 100 {
			if _, err := fmt.Fprintf(conn, "10000\r\n%s\r\n", strings.Repeat(" ", 0x10000)); err != nil {
				break
			}
		}
	case 4: // no HTTP
		_, _ = conn.Write(bytes.Repeat([]byte{0xFF, 0x00}, 5000))
		_, _ = io.Copy(io.Discard, conn)
	case 5: // a head that does not end
		for range 100 {
			if _, err := fmt.Fprintf(conn, "X-Filler: %s\r\n", strings.Repeat("x", 2000)); err != nil {
				break
			}
		}
	case 6: // declares more than it has, and closes its side
		fmt.Fprint(conn, rankHead(contentLength(500))+rankRequest[:100])
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
	case 7: // leaves while its request is ranked
		fmt.Fprint(conn, rankHead(contentLength(len(rankRequest)))+rankRequest)
	case 8: // HTTP/2 that is none
		fmt.Fprint(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+strings.Repeat("\x00", 100))
		_, _ = io.CopyN(io.Discard, conn, 100)
	case 9: // asks and resets
		fmt.Fprint(conn, read)
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
}

// A client that closes its side after a read gets its answer, and what it had
// sent before is answered in order.
func TestHalfClosedRead(t *testing.T) {
	h := newTestHandler(t, smallCatalog(t), Options{})
	w := dial(t, start(t, h))
	const read = "GET /v1/models HTTP/1.1\r\nHost: svc.example\r\n\r\n"
	w.send(t, read+read+"POST /v1/nothing HTTP/1.1\r\nHost: svc.example\r\nContent-Length: 0\r\n\r\n")
	if err := w.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	w.receive(t, http.MethodGet).wants(t, h, http.StatusOK, "")
	w.receive(t, http.MethodGet).wants(t, h, http.StatusOK, "")
	w.receive(t, http.MethodPost).wants(t, h, http.StatusNotFound, httpserver.CodeNotFound)
	w.wantsClose(t)
}

// Serving a document allocates nothing that grows with the catalog.
func TestReadsAllocateNothingLarge(t *testing.T) {
	for _, n := range []int{10, 2000} {
		h := newTestHandler(t, generatedCatalog(t, n), Options{})
		key := ""
		for key = range h.docs.models {
			break
		}
		for _, path := range []string{"/v1/models", "/v1/models/" + key, "/v1/catalog/snapshot"} {
			r, err := http.NewRequest(http.MethodGet, path, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := &discardWriter{header: http.Header{}}
			const most = 8 // small ones; the race detector throws away a part of what pools hold
			if allocations := testing.AllocsPerRun(100, func() { h.ServeHTTP(w, r) }); allocations > most {
				t.Errorf("%d observations, %s: %v allocations, want at most %d", n, path, allocations, most)
			}
		}
	}
}

type discardWriter struct{ header http.Header }

func (w *discardWriter) Header() http.Header         { return w.header }
func (w *discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *discardWriter) WriteHeader(int)             {}

// Documents say what the catalog says: the list counts, each model is the piece
// of the snapshot, and all conflicts are under their models.
func TestDocuments(t *testing.T) {
	large := largeModelCatalog(t)
	for _, c := range []*catalog.Catalog{generatedCatalog(t, 0), generatedCatalog(t, 1), generatedCatalog(t, 3000), large} {
		h := newTestHandler(t, c, Options{})
		if string(h.docs.snapshot.Body[0]) != c.Serialize() {
			t.Error("the snapshot is not the serialized catalog")
		}
		read, err := catalog.Parse(t.Context(), problem.Source{Text: c.Serialize()})
		if err != nil {
			t.Fatal(err)
		}
		if text := read.Serialize(); unsafe.StringData(text) != unsafe.StringData(read.Serialize()) {
			t.Error("the snapshot that a catalog was read from is copied")
		}
		if len(h.docs.models) != len(c.Models()) {
			t.Fatalf("%d models, want %d", len(h.docs.models), len(c.Models()))
		}
		conflicts := 0
		for i := range c.Models() {
			m := &c.Models()[i]
			pieces := h.docs.models[m.Key].Body
			got := string(bytes.Join(pieces, nil))
			if at := unsafe.SliceData(pieces[1]); uintptr(unsafe.Pointer(at))-uintptr(unsafe.Pointer(&h.docs.snapshot.Body[0][0])) >= uintptr(c.Size()) {
				t.Error("a document has a copy of its model, not a piece of the snapshot")
			}
			var list []string
			for _, conflict := range c.Conflicts() {
				if conflict.ModelKey == m.Key {
					list = append(list, conflict.JSON)
				}
			}
			conflicts += len(list)
			want := `{"catalog":{"asOf":"` + c.AsOf() + `","digest":"` + c.Digest() + `"},"conflicts":[` + strings.Join(list, ",") +
				`],"model":` + string(m.AppendJSON(nil)) + `,"schemaVersion":"service.api.model/v1"}`
			if got != want {
				t.Errorf("model %s is %.200s, want %.200s", m.Key, got, want)
			}
			item := fmt.Sprintf(`{"conflictCount":%d,"identity":%s,"key":"%s","observationCount":%d}`, len(list), m.IdentityJSON, m.Key, len(m.Observations))
			if !bytes.Contains(h.docs.list.Body[0], []byte(item)) {
				t.Errorf("the list lacks %s", item)
			}
		}
		if conflicts != len(c.Conflicts()) || c == large && conflicts == 0 {
			t.Errorf("%d conflicts are under models, of %d", conflicts, len(c.Conflicts()))
		}
	}
}
