//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// recording is an answer of the measured server, which the bare one repeats.
type recording struct {
	Number int
	Header http.Header
	Body   []byte
}

func (r *recording) path() string { return fmt.Sprintf("/%d", r.Number) }

// record asks the measured server once for each benchmark and leaves the answers
// in a folder.
func record(dir string, svc *process, benchmarks []benchmark) error {
	for i := range benchmarks {
		b := &benchmarks[i]
		request, err := http.NewRequest(b.method(), svc.url+b.path, bytes.NewReader(b.body))
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s: %s", b.name, response.Status, body)
		}
		response.Header.Del("Date")
		b.records = recording{i, response.Header, body}
		text, err := json.Marshal(b.records)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("answer-%d", i)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// serveRecordings is the bare server: a handler for each recording that reads
// the body of the request and writes header and body of the answer.
func serveRecordings(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "answer-*"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r recording
		if err := json.Unmarshal(text, &r); err != nil {
			return err
		}
		mux.HandleFunc(r.path(), func(w http.ResponseWriter, request *http.Request) {
			_, _ = io.Copy(io.Discard, request.Body)
			header := w.Header()
			for name, values := range r.Header {
				header[name] = values
			}
			_, _ = w.Write(r.Body)
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+l.Addr().String())
	return http.Serve(l, mux) //nolint:gosec // nobody but the benchmark talks to it
}
