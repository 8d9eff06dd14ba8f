package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/service/record"
)

func open(t *testing.T, folder string) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(folder, Folder), func() { t.Error("another process has the store") })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// look is a look at a body, which the store keeps.
func look(t *testing.T, s *Store, at, body string) record.Look {
	t.Helper()
	if err := s.Keep(t.Context(), body); err != nil {
		t.Fatal(err)
	}
	l := record.Look{
		SchemaVersion: record.LookSchema, Source: "acme", At: record.Timestamp(at), Verdict: record.Accepted, Rows: 1,
		Bodies: []record.JSON{record.JSON(`{"bodySha256":"` + canonical.SumText(body) + `"}`)},
	}
	if err := s.Add(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	return l
}

const first, second = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"

// What was stored is there for who opens the store next, equal bytes once.
func TestStore(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	look(t, s, first, "body")
	look(t, s, second, "body")
	s.Close()
	s = open(t, folder)
	defer s.Close()
	looks := s.Looks("acme")
	if len(looks) != 2 || looks[1].At != second || len(s.Looks("other")) != 0 {
		t.Errorf("%+v", looks)
	}
	if text, err := s.Body(canonical.SumText("body")); err != nil || text != "body" {
		t.Errorf("%q, %v", text, err)
	}
	entries, err := os.ReadDir(filepath.Join(folder, Folder, bodiesName))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d bodies, %v", len(entries), err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, Folder, ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A line that is not whole is cut off, and the next one is read.
func TestTornLine(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	look(t, s, first, "body")
	s.Close()
	index := filepath.Join(folder, Folder, indexName)
	whole, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(index, append(slices.Clone(whole), whole[:n]...), 0o600); err != nil {
			t.Fatal(err)
		}
		s = open(t, folder)
		if len(s.Looks("acme")) != 1 {
			t.Fatalf("%d bytes of a line: %d looks", n, len(s.Looks("acme")))
		}
		s.Close()
		if now, err := os.ReadFile(index); err != nil || string(now) != string(whole) {
			t.Fatalf("%d bytes of a line are left", n)
		}
	}
}

// A body whose bytes are others is as good as gone, and is stored again.
func TestDamagedBody(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	look(t, s, first, "body")
	sum := canonical.SumText("body")
	if err := os.WriteFile(s.bodyPath(sum), []byte("bodx"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Body(sum); err == nil {
		t.Fatal("damaged bytes are taken")
	}
	look(t, s, second, "body")
	if text, err := s.Body(sum); err != nil || text != "body" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestPrune(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	look(t, s, first, "one")
	kept := look(t, s, second, "other")
	isKept, want := func(l record.Look) bool { return l.At == kept.At }, Pruned{Looks: 1, Bodies: 1, Bytes: int64(len("one"))}
	if dry, err := s.Prune(t.Context(), isKept, true); err != nil || dry != want || !s.Has(canonical.SumText("one")) || len(s.Looks("acme")) != 2 {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	if p, err := s.Prune(t.Context(), isKept, false); err != nil || p != want || s.Has(canonical.SumText("one")) || !s.Has(canonical.SumText("other")) {
		t.Errorf("dropped %+v, %v", p, err)
	}
	s.Close()
	s = open(t, folder)
	defer s.Close()
	if looks := s.Looks("acme"); len(looks) != 1 || looks[0].At != second {
		t.Errorf("%+v", looks)
	}
}

// The second waits for the first, and says so once.
func TestTwoAtOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), Folder)
	s, err := Open(t.Context(), folder, func() { t.Error("nobody has the store") })
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan bool, 2)
	opened := make(chan *Store)
	go func() {
		other, err := Open(t.Context(), folder, func() { waits <- true })
		if err != nil {
			t.Error(err)
		}
		opened <- other
	}()
	<-waits
	select {
	case <-opened:
		t.Fatal("two have the store")
	case <-time.After(100 * time.Millisecond):
	}
	s.Close()
	(<-opened).Close()
	if len(waits) > 0 {
		t.Error("it says twice that it waits")
	}
	held := open(t, filepath.Dir(folder))
	defer held.Close()
	ctx, stop := context.WithCancel(t.Context())
	_, err = Open(ctx, folder, stop)
	if !errors.Is(err, files.ErrInterrupt) {
		t.Errorf("interrupted, it says %v", err)
	}
}

func output(name, text string) Output {
	return Output{name, func(w *files.Writer) error { _, err := w.WriteString(text); return err }}
}

func texts(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"a", "b"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// Outputs are written all or none: if one fails, if the run ends before they take their places,
// and while they do.
func TestPublish(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	if err := s.Publish(t.Context(), []Output{output("a", "1"), output("b", "1")}); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := s.Publish(t.Context(), []Output{output("a", "2"), {"b", func(*files.Writer) error { return full }}})
	if !errors.Is(err, full) || texts(t, folder) != "11" {
		t.Errorf("%v, %s", err, texts(t, folder))
	}
	aside := filepath.Join(folder, Folder, outputsName)
	for _, tt := range []struct{ whole, want string }{{"", "11"}, {`["a","b"]`, "33"}} {
		if err := os.MkdirAll(aside, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"b": "3", wholeName: tt.whole} { // a has taken its place
			if text != "" {
				if err := os.WriteFile(filepath.Join(aside, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if tt.whole != "" {
			if err := os.WriteFile(filepath.Join(folder, "a"), []byte("3"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		s = open(t, folder)
		if got := texts(t, folder); got != tt.want {
			t.Errorf("with the list %q the outputs are %s, want %s", tt.whole, got, tt.want)
		}
		if _, err := os.Stat(aside); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", aside, err)
		}
	}
	s.Close()
}
