package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// Whichever bit of the rows of claims in an SQLite file is another one, no answer differs from what
// was loaded: it is an error, and the store says within a while that it is not ready.
func TestDamagedRows(t *testing.T) {
	const claims = 6
	folder := t.TempDir()
	path := filepath.Join(folder, "records.db")
	draft := storetest.Many(claims)
	draft.AuthorityTrace = []string{storetest.Trace("trace", "reviewer:1", []string{storetest.ManyID(2)})}
	l := storetest.Loader(t, "sqlite:"+path)
	if _, err := l.Load(t.Context(), draft.Bundle(t), false); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := producer.NewMemoryStore(draft.Bundle(t))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i, record := range draft.Claims {
		const before, after = 60, 40 // cells of the row
		first := bytes.Index(whole, []byte(record)) - before
		if first < 0 {
			t.Fatal("the file has no such claim")
		}
		for at := first; at < first+before+len(record)+after; at++ {
			if !vectortest.Sample(at) {
				continue
			}
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1 << (at % 8)
			name := filepath.Join(folder, fmt.Sprint(at, ".db"))
			if err := os.WriteFile(name, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			s, closeStore, err := store.Open(t.Context(), storetest.Address(t, "sqlite:"+name))
			if err != nil { // the damage was met at once
				refused++
				continue
			}
			for k := range claims {
				id := storetest.ManyID(k)
				want, _ := memory.LookupByIntegrityRef(t.Context(), id)
				got, err := s.LookupByIntegrityRef(t.Context(), id)
				if err == nil && !isSame(got, want) {
					t.Errorf("claim %d, byte %d (%q): %s has %.500s", i, at-first, whole[at], id, fmt.Sprint(got))
				}
				if err == nil {
					continue
				}
				if refused++; !becomesUnready(t, s) {
					t.Errorf("claim %d, byte %d (%q): the store is ready after %v", i, at-first, whole[at], err)
				}
			}
			if err := closeStore(); err != nil {
				t.Error(err)
			}
			os.Remove(name)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// becomesUnready reports whether a store says within a while that it is not ready.
func becomesUnready(t *testing.T, s store.Store) bool {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if s.Ready(t.Context()) != nil {
			return true
		}
	}
	return false
}
