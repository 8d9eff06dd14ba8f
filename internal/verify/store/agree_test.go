package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// Whatever bundles are loaded in turn, new, again or as updates, each store that is open meanwhile
// gives the answers of a memory store of what was loaded so far: from the cache, filled or not, and
// without it. Ids are refs of others, claims grow over parts, and records are large and small.
func TestStoresAgree(t *testing.T) {
	for kind, empty := range databases() {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(kind, "/", seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 12))
				address := empty(t)
				l := storetest.Loader(t, address)
				stores := []producer.BatchStore{storetest.Open(t, address), storetest.Open(t, address)}
				store.Forget(stores[1]) // it is not filled either
				held := heldRecords{}
				for range 5 {
					next := held.grow(rng)
					if _, err := l.Load(t.Context(), next.Bundle(t), true); err != nil {
						t.Fatal(err)
					}
					refs := agreedRefs()
					rng.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
					for _, s := range stores {
						compareWithMemory(t, s, refs, held.draft().Bundle(t))
					}
				}
			})
		}
	}
}

const agreedIDs = 12 // of each kind

// agreedRefs are the ids and refs that records of this test may have, and one that none has.
func agreedRefs() []string {
	refs := []string{"nowhere"}
	for i := range agreedIDs {
		refs = append(refs, claimID(i), fmt.Sprint("ref.", i))
	}
	return refs
}

// claimID is the id of a claim: an odd one for some, and as a ref that of others, too.
func claimID(i int) string {
	switch i {
	case 0:
		return "\x00"
	case 1:
		return strings.Repeat("é", 600)
	}
	return fmt.Sprint("claim.", i)
}

// heldRecords are the records that a store holds, by kind and id.
type heldRecords [4]map[string]string

func (h *heldRecords) draft() storetest.Draft {
	sorted := func(records map[string]string) []string {
		var list []string
		for _, id := range slices.Sorted(maps.Keys(records)) {
			list = append(list, records[id])
		}
		return list
	}
	return storetest.Draft{Claims: sorted(h[0]), Evidence: sorted(h[1]), Events: sorted(h[2]), AuthorityTrace: sorted(h[3])}
}

// grow adds records, changes claims and traces, and returns what is to be loaded for that.
func (h *heldRecords) grow(rng *rand.Rand) storetest.Draft {
	next := heldRecords{}
	for kind := range next {
		next[kind] = map[string]string{}
		if h[kind] == nil {
			h[kind] = map[string]string{}
		}
	}
	ref := func() string {
		if rng.IntN(3) == 0 {
			return claimID(rng.IntN(agreedIDs))
		}
		return fmt.Sprint("ref.", rng.IntN(agreedIDs))
	}
	filler := func() string {
		return fmt.Sprintf(`,"metadata":{"log":%q}`, strings.Repeat("x", []int{0, 10, 3000, 20_000}[rng.IntN(4)]))
	}
	put := func(kind int, id, record string, movable bool) {
		if _, has := h[kind][id]; has && (!movable || rng.IntN(2) == 0) {
			record = h[kind][id] // again, as it is
		}
		h[kind][id], next[kind][id] = record, record
	}
	claim := func(i int) string {
		if _, has := next[0][claimID(i)]; !has {
			put(0, claimID(i), storetest.Claim(claimID(i), fmt.Sprintf(`,"currentIntegrityRef":%s`, canonical.Quote(ref())), filler()), true)
		}
		return claimID(i)
	}
	for range rng.IntN(8) {
		claim(rng.IntN(agreedIDs))
	}
	for range rng.IntN(20) {
		i := rng.IntN(4 * agreedIDs)
		id := fmt.Sprint("e", i)
		put(1, id, storetest.Evidence(id, claim(i%agreedIDs), fmt.Sprintf(`,"integrityRef":%s`, canonical.Quote(ref())), filler()), false)
	}
	for range rng.IntN(40) {
		i := rng.IntN(8 * agreedIDs)
		id := fmt.Sprint("v", i)
		put(2, id, storetest.Event(id, claim(i%agreedIDs), fmt.Sprint("actor.", i%5), fmt.Sprintf(`,"notes":%q`, strings.Repeat("y", rng.IntN(4000)))), false)
	}
	for range rng.IntN(4) {
		id := fmt.Sprint("t", rng.IntN(agreedIDs))
		put(3, id, storetest.Trace(id, fmt.Sprint("actor.", rng.IntN(8)), []string{claimID(rng.IntN(agreedIDs)), "gone"}, fmt.Sprintf(`,"integrityRef":%s`, canonical.Quote(ref()))), true)
	}
	return next.draft()
}

// compareWithMemory demands the answers of memory to each ref, and to all of them.
func compareWithMemory(t *testing.T, s producer.BatchStore, refs []string, held ...*bundle.Bundle) {
	t.Helper()
	memory, err := producer.NewMemoryStore(held...)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		want, _ := memory.LookupByIntegrityRef(t.Context(), ref)
		for _, kept := range []bool{false, true} { // the second time it is
			got, err := s.LookupByIntegrityRef(t.Context(), ref)
			if err != nil || !isSame(got, want) {
				t.Errorf("%.80q (kept: %v): not what memory has: %.300s, %v", ref, kept, fmt.Sprint(got), err)
			}
		}
	}
	want, _ := memory.LookupByIntegrityRefs(t.Context(), refs)
	if got, err := s.LookupByIntegrityRefs(t.Context(), refs); err != nil || !slices.EqualFunc(got, want, isSame) {
		t.Errorf("all at once: not what memory has, %v", err)
	}
}

// isSame reports whether two answers have the same records in the same order.
func isSame(a, b *bundle.Records) bool {
	if a == nil || b == nil {
		return a == b
	}
	for kind := range bundle.Stored {
		if !slices.Equal(*a.List(kind), *b.List(kind)) {
			return false
		}
	}
	return true
}
