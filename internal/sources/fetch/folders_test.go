package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// archive is a packed tree with so many MiB of zeros beside a record.
func archive(t *testing.T, level, megabytes int, pairs ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	piece := make([]byte, 1<<20)
	if err := w.WriteHeader(&tar.Header{Name: "eee/data/other/big.json", Mode: 0o644, Size: int64(megabytes) << 20}); err != nil {
		t.Fatal(err)
	}
	for range megabytes {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := sources.AddFile(w, pairs[i], []byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Of an archive that is larger than a body, and never kept as a whole, folders are taken.
func TestFetchFolders(t *testing.T) {
	vectortest.SkipRace(t)
	s := newSite(t)
	commit := strings.Repeat("ab", 20)
	path := "/evaleval/every_eval_ever/tar.gz/" + commit
	request := Request{Manifest: s.manifest, Source: sources.EveryEvalEver, Revision: commit, Folder: t.TempDir(), Folders: []string{"data/exam"}}
	want, err := sources.TakeFolders(bytes.NewReader(unpack(t, archive(t, gzip.BestSpeed, 0, "eee/data/exam/a.json", "{}"))), request.Folders)
	if err != nil {
		t.Fatal(err)
	}
	var serve http.HandlerFunc
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-gzip")
		serve(w, r)
	})
	whole := archive(t, gzip.NoCompression, 66, "eee/data/exam/a.json", "{}", "eee/data/exams/b.json", "{}")
	seekable := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(whole))
	}
	asked := 0
	brokenOff := func(isResumable bool) http.HandlerFunc {
		asked = 0
		return func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked > 1 && isResumable {
				seekable(w, r)
				return
			}
			w.Header().Set("ETag", `"1"`)
			if isResumable {
				w.Header().Set("Accept-Ranges", "bytes")
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
			if asked > 1 {
				_, _ = w.Write(whole)
				return
			}
			_, _ = w.Write(whole[:1<<20])
			panic(http.ErrAbortHandler)
		}
	}
	came := int64(0)
	opts := s.opts
	opts.Progress = func(n int64) { came += n }
	for name, handler := range map[string]http.HandlerFunc{"whole": seekable, "gone on with": brokenOff(true), "asked for again": brokenOff(false)} {
		serve, came, asked = handler, 0, 0
		request.Folder = t.TempDir()
		saved, err := fetch(t.Context(), request, opts, s.world)
		if err != nil || len(saved) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		got := open(t, s, sources.EveryEvalEver, saved[0].Path)
		if e := got.Envelope(); got.Body() != want || e.URL != s.origin+path+"#data/exam" || e.MediaType != sources.MediaTar || came != int64(len(whole)) {
			t.Errorf("%s: %+v, %d of %d bytes", name, e, came, len(whole))
		}
	}
	say := func(body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
	}
	small := archive(t, gzip.BestSpeed, 1, "eee/data/exam/a.json", "{}")
	for name, tt := range map[string]struct {
		serve  http.HandlerFunc
		world  func(*World)
		reason string
	}{
		"a bomb":             {say(archive(t, gzip.BestSpeed, 4, "eee/data/exam/a.json", "{}")), func(w *World) { w.MostUnpacked = 3 << 20 }, "the archive has more than the 3145728 bytes that are read, unpacked"},
		"a bomb at its end":  {say(append(bytes.Clone(small), archive(t, gzip.BestSpeed, 4)...)), func(w *World) { w.MostUnpacked = 3 << 20 }, "the archive has more than the 3145728 bytes"},
		"an endless answer":  {say(whole), func(w *World) { w.MostRead = 1 << 20 }, "the answer has more than the 1048576 bytes that are approved"},
		"a long answer":      {seekable, func(w *World) { w.MostRead = 1 << 20 }, "at most 1048576 are approved"},
		"too much is taken":  {say(archive(t, gzip.BestSpeed, 65, "eee/data/exam/a.json", "{}")), nil, "the archive has more than 64 MiB in the folders that are taken"},
		"a cut packing":      {say(small[:len(small)-20]), nil, "the answer breaks off: unexpected EOF"},
		"another packing":    {say([]byte("PK\x03\x04 and so on")), nil, "the answer breaks off: gzip: invalid header"},
		"nothing":            {say(nil), nil, "the answer breaks off: EOF"},
		"no tar":             {say(pack(t, strings.Repeat("x", 5000))), nil, "the archive is not a tar"},
		"nothing in folders": {say(archive(t, gzip.BestSpeed, 0)), nil, "the archive has no file in data/exam"},
	} {
		serve = tt.serve
		world := s.world
		if tt.world != nil {
			tt.world(&world)
		}
		r := request
		if r.Folder = t.TempDir(); name == "too much is taken" {
			r.Folders = []string{"data/other"}
		}
		_, err := fetch(t.Context(), r, s.opts, world)
		wantError(t, err, tt.reason)
		wantError(t, err, s.origin+path+"#data/")
		if got := names(t, r.Folder); got != nil {
			t.Errorf("%s left %q", name, got)
		}
	}
	// Whoever is interrupted leaves nothing, and no reader.
	ctx, stop := context.WithCancel(t.Context())
	serve = func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(whole[:1<<20])
		stop()
		<-r.Context().Done()
	}
	_, err = fetch(ctx, request, s.opts, s.world)
	wantError(t, err, "context canceled")
}

func pack(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
