//go:build unix

package store_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// What was kept is good until the stamp changes, and every load changes it: a claim is
// found as soon as it was loaded, though it was just asked for in vain.
func TestStampOfWAL(t *testing.T) {
	address := newSQLite(t)
	loader := storetest.Loader(t, address)
	load := func(id string) {
		t.Helper()
		draft := storetest.Draft{Claims: []string{storetest.Claim(id)}}
		if _, err := loader.Load(t.Context(), draft.Bundle(t), false); err != nil {
			t.Fatal(err)
		}
	}
	load("first")
	s := storetest.Open(t, address)
	known := func(id string) bool {
		t.Helper()
		found, err := s.LookupByIntegrityRef(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return found != nil
	}
	before, ok := store.StampOf(s)
	if !ok {
		t.Fatal("the database has no stamp")
	}
	for _, id := range []string{"a", "b", "c"} {
		for range 2 { // the second time it is kept that it is unknown
			if known(id) {
				t.Fatalf("%s is known before it was loaded", id)
			}
		}
		if again, _ := store.StampOf(s); again != before {
			t.Error("a look-up changed the stamp")
		}
		load(id)
		if !known(id) {
			t.Errorf("%s is not known after it was loaded", id)
		}
		after, ok := store.StampOf(s)
		if !ok || after == before {
			t.Error("a load left the stamp as it was")
		}
		before = after
	}
}

// Without a wal-index SQLite itself is asked, each time.
func TestNoStampInOtherModes(t *testing.T) {
	address := newSQLite(t)
	loader := storetest.Loader(t, address)
	load := func(id string) {
		t.Helper()
		if _, err := loader.Load(t.Context(), storetest.Draft{Claims: []string{storetest.Claim(id)}}.Bundle(t), false); err != nil {
			t.Fatal(err)
		}
	}
	load("first")
	if now, err := loader.SetJournal(t.Context(), "delete"); err != nil || now != "delete" {
		t.Fatal(now, err)
	}
	s := storetest.Open(t, address)
	if _, ok := store.StampOf(s); ok {
		t.Fatal("a stamp without a wal-index")
	}
	for _, id := range []string{"a", "b"} {
		if found, err := s.LookupByIntegrityRef(t.Context(), id); found != nil || err != nil {
			t.Fatal(found, err)
		}
		load(id)
		if found, err := s.LookupByIntegrityRef(t.Context(), id); found == nil || err != nil {
			t.Errorf("%s is not known after it was loaded: %v", id, err)
		}
	}
}
