package httpserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// What a server adds to that of the library: a request and its answer, over
// loopback.
func BenchmarkServer(b *testing.B) {
	for name, size := range map[string]int{"100B": 100, "80KB": 80000, "4MB": 4_000_000} {
		body := make([]byte, size)
		length := []string{strconv.Itoa(size)}
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Length"] = length
			_, _ = w.Write(body)
		})
		b.Run(name+"/library", func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			go func() { _ = http.Serve(l, h) }() //nolint:gosec // what it lacks is what is measured
			askAgain(b, l.Addr().String(), size)
		})
		b.Run(name+"/ours", func(b *testing.B) {
			l, err := httpserver.Listen(b.Context(), "127.0.0.1", 0)
			if err != nil {
				b.Fatal(err)
			}
			s := httpserver.Start(l, h, httpserver.Options{})
			askAgain(b, l.Addr().String(), size)
			if err := s.Close(b.Context()); err != nil {
				b.Error(err)
			}
		})
	}
}

// askAgain asks on one connection, again and again.
func askAgain(b *testing.B, address string, size int) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.WriteString(conn, "GET /v1/models HTTP/1.1\r\nHost: svc.example\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n"); err != nil {
			b.Fatal(err)
		}
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if len(line) == len("\r\n") {
				break
			}
		}
		if _, err := in.Discard(size); err != nil {
			b.Fatal(err)
		}
	}
}
