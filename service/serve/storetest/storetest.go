// Package storetest holds a store of one's own to what responders expect of a [serve.Store]. A test
// of the store calls [Run]:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T, bundle *verify.Bundle) serve.Store {
//			store := newStore(t)
//			load(t, store, bundle.Records())
//			return store
//		})
//	}
package storetest

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

//go:embed bundle.json
var bundleText string

// led is the ids of the records that each ref leads to, in their order: claims, evidence, events
// and traces.
var led = map[string]string{
	"claim.a":          "claim.a | evidence.a1 |  | trace.named",
	"claim.b":          "claim.b | evidence.b1 evidence.b2 | event.b1 event.b2 | trace.one",
	"claim.\U0001F600": "claim.\U0001F600 |  |  | ",
	"claim.\uFB33":     "claim.\uFB33 |  |  | trace.named",
	"anchor:a":         "claim.a | evidence.a1 |  | trace.named",
	"anchor:a1":        "claim.a | evidence.a1 |  | trace.named",
	"ref:b2":           "claim.b | evidence.b1 evidence.b2 | event.b1 event.b2 | trace.one",
	"ref:shared": "claim.a claim.b | evidence.a1 evidence.b1 evidence.b2 | event.b1 event.b2 |" +
		" trace.named trace.one",
	"ref:trace":    "claim.a claim.\uFB33 | evidence.a1 |  | trace.named",
	"anchor:trace": "claim.a claim.\uFB33 | evidence.a1 |  | trace.named",
	"ref:lonely":   " |  |  | trace.lonely",
	// What names nothing: ids of other records, other members, and another case.
	"evidence.a1": "", "event.b1": "", "trace.one": "", "reviewer:one": "", "anchor": "", "storetest.example": "",
	"Claim.a": "", "claim.": "", "claim.%": "", "no such ref": "", "'; --": "", strings.Repeat("x", 2048): "",
}

// Run tests a store. The function it is given returns one that holds the records of a bundle, and
// nothing else; what has to be closed is for t.Cleanup.
func Run(t *testing.T, open func(t *testing.T, bundle *verify.Bundle) serve.Store) {
	t.Helper()
	bundle, err := verify.ParseBundle(bundleText)
	if err != nil {
		t.Fatal(err)
	}
	store := open(t, bundle)
	written := map[string]string{}
	for _, list := range lists(bundle.Records()) {
		for _, r := range list {
			written[r.ID] = r.JSON
		}
	}
	t.Run("refs", func(t *testing.T) {
		for ref, want := range led {
			found, err := store.LookupByIntegrityRef(t.Context(), ref)
			if err != nil {
				t.Errorf("%.40q: %v", ref, err)
			} else if got := ids(found); got != want {
				t.Errorf("%.40q leads to %q, want %q", ref, got, want)
			}
			checkWritten(t, found, written)
		}
	})
	t.Run("many at once", func(t *testing.T) { testMany(t, store) })
	t.Run("after its context", func(t *testing.T) { testEnded(t, store) })
	if batch, ok := store.(serve.BatchStore); ok {
		t.Run("batches", func(t *testing.T) { testBatches(t, batch, written) })
	}
}

// checkWritten demands that records come back as their producer wrote them, with the digits of
// numbers.
func checkWritten(t *testing.T, found *verify.Records, written map[string]string) {
	t.Helper()
	if found == nil {
		return
	}
	for _, list := range lists(found) {
		for _, r := range list {
			if r.JSON != written[r.ID] {
				t.Errorf("%s came back as %s, it was %s", r.ID, r.JSON, written[r.ID])
			}
		}
	}
}

// testMany asks from many goroutines at once.
func testMany(t *testing.T, store serve.Store) {
	var group sync.WaitGroup
	for range 4 {
		for ref, want := range led {
			group.Go(func() {
				if found, err := store.LookupByIntegrityRef(t.Context(), ref); err != nil || ids(found) != want {
					t.Errorf("%.40q leads to %q, %v", ref, ids(found), err)
				}
			})
		}
	}
	group.Wait()
}

// testEnded demands that a store answers or fails at once when nobody waits any more.
func testEnded(t *testing.T, store serve.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan error, 1)
	go func() {
		found, err := store.LookupByIntegrityRef(ctx, "claim.a")
		if err == nil && ids(found) != led["claim.a"] {
			err = fmt.Errorf("it answers %q, which is neither the answer nor an error", ids(found))
		} else {
			err = nil
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the store has not returned after 10 seconds")
	}
}

// testBatches demands an entry for each ref. Each record is in the entry of the first ref that
// leads to it, and later ones may leave it out.
func testBatches(t *testing.T, store serve.BatchStore, written map[string]string) {
	for _, refs := range [][]string{
		{"claim.b"}, {"no such ref", "claim.a", "claim.b", "no such ref"}, {"ref:trace", "claim.a", "ref:lonely"},
		{"claim.a", "claim.a", "ref:shared"},
	} {
		found, err := store.LookupByIntegrityRefs(t.Context(), refs)
		if err != nil || len(found) != len(refs) {
			t.Fatalf("%q: %d entries, %v", refs, len(found), err)
		}
		earlier := map[string]bool{}
		for i, ref := range refs {
			if (found[i] == nil) != (led[ref] == "") {
				t.Errorf("%q: the entry of %q is %+v", refs, ref, found[i])
				continue
			}
			checkWritten(t, found[i], written)
			has := strings.Fields(ids(found[i]))
			for id := range strings.FieldsSeq(led[ref]) {
				if id != "|" && !earlier[id] && !slices.Contains(has, id) {
					t.Errorf("%q: the entry of %q lacks %s", refs, ref, id)
				}
			}
			for _, id := range has {
				if !slices.Contains(strings.Fields(led[ref]), id) {
					t.Errorf("%q: the entry of %q has %s", refs, ref, id)
				}
				earlier[id] = true
			}
		}
	}
}

func lists(r *verify.Records) [][]verify.Record {
	return [][]verify.Record{r.Claims, r.Evidence, r.Events, r.AuthorityTrace}
}

// ids returns the ids of records as led has them, "" for none at all.
func ids(found *verify.Records) string {
	if found == nil {
		return ""
	}
	var kinds []string
	for _, list := range lists(found) {
		var ids []string
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		kinds = append(kinds, strings.Join(ids, " "))
	}
	return strings.Join(kinds, " | ")
}
