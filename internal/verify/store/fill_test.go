package store_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// The answers to the ids of all claims are kept before anybody asks: at the start, and
// after a load as soon as a question shows it. They are those that memory gives.
func TestFilling(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			const n = 150
			address := empty(t)
			l := storetest.Loader(t, address)
			draft := storetest.Many(n)
			draft.Claims = append(draft.Claims, storetest.Claim("\x01odd", `,"currentIntegrityRef":"`+storetest.ManyID(7)+`"`))
			draft.Evidence = append(draft.Evidence, storetest.Evidence("odd", storetest.ManyID(5), `,"integrityRef":"`+storetest.ManyID(6)+`"`))
			draft.AuthorityTrace = []string{
				storetest.Trace("t1", "reviewer:1", nil), storetest.Trace("t2", "x", []string{storetest.ManyID(3), "nowhere"}),
				storetest.Trace("t3", "y", []string{storetest.ManyID(4)}, `,"integrityRef":"`+storetest.ManyID(9)+`"`),
			}
			load := func() {
				t.Helper()
				if _, err := l.Load(t.Context(), draft.Bundle(t), false); err != nil {
					t.Fatal(err)
				}
			}
			load()
			s := storetest.Open(t, address)
			check := func(want int) {
				t.Helper()
				memory, err := producer.NewMemoryStore(draft.Bundle(t))
				if err != nil {
					t.Fatal(err)
				}
				kept, _ := store.Kept(s)
				for deadline := time.Now().Add(time.Minute); len(kept) < want && time.Now().Before(deadline); kept, _ = store.Kept(s) {
					time.Sleep(10 * time.Millisecond)
				}
				if len(kept) != want {
					t.Fatalf("%d answers are kept, want %d", len(kept), want)
				}
				for i := range n {
					id := storetest.ManyID(i)
					found, _ := memory.LookupByIntegrityRef(t.Context(), id)
					if !reflect.DeepEqual(kept[id], found) {
						t.Errorf("%s: %+v is kept, want %+v", id, kept[id], found)
					}
				}
			}
			check(n + 1)

			draft.Claims = append(draft.Claims, storetest.Claim("new"))
			draft.Evidence = append(draft.Evidence, storetest.Evidence("more", storetest.ManyID(0)))
			load()
			if found, err := s.LookupByIntegrityRef(t.Context(), "new"); found == nil || err != nil {
				t.Fatal(found, err)
			}
			check(n + 2)
		})
	}
}

// Claims whose records are too much for one answer together are kept one by one, and
// those are left out whose own are.
func TestFillingLarge(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			address := empty(t)
			draft := storetest.Draft{}
			for claim, pieces := range map[string]int{"a": 3, "b": 9, "c": 3, "d": 3} {
				draft.Claims = append(draft.Claims, storetest.Claim(claim))
				for i := range pieces {
					draft.Evidence = append(draft.Evidence, storetest.Evidence(fmt.Sprint(claim, i), claim, `,"metadata":{"log":"`+strings.Repeat("x", 1<<20)+`"}`))
				}
			}
			if _, err := storetest.Loader(t, address).Load(t.Context(), draft.Bundle(t), false); err != nil {
				t.Fatal(err)
			}
			s := storetest.Open(t, address)
			kept, _ := store.Kept(s)
			for deadline := time.Now().Add(time.Minute); kept["d"] == nil && time.Now().Before(deadline); kept, _ = store.Kept(s) {
				time.Sleep(10 * time.Millisecond)
			}
			if len(kept) != 3 || kept["b"] != nil || kept["d"] == nil || len(kept["a"].Evidence) != 3 {
				t.Errorf("%d answers are kept", len(kept))
			}
		})
	}
}

// Filling stops where the cache is full, and drives nothing out of it.
func TestFillingBound(t *testing.T) {
	const most = 320 << 20
	for _, each := range []int{1 << 20, 19 << 20} {
		count, bytes := store.FillUp(each)
		if bytes > most || bytes < most-each-1000 || count != bytes/(each+1) {
			t.Errorf("%s: %d answers of %d bytes are kept, which take %d", fmt.Sprint(each), count, each, bytes)
		}
	}
}

// Filling rests after each step while anybody asks, and goes on at once while nobody does.
func TestFillingRests(t *testing.T) {
	const batches, step, rests = 9, time.Second, 1
	for name, tt := range map[string]struct {
		ask  bool
		want time.Duration
	}{
		"nobody asks": {false, (batches + 1) * step}, // the last step finds nothing
		"questions":   {true, (batches + 1) * (1 + rests) * step},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			worked, err := store.FillSteps(t.Context(), batches, func(s producer.Store) {
				time.Sleep(step)
				if tt.ask {
					_, _ = s.LookupByIntegrityRef(t.Context(), "1") // as soon as it is in the cache
				}
			})
			if took := time.Since(began); err != nil || took != tt.want || worked != (batches+1)*step {
				t.Errorf("%s: took %v, worked %v, %v; want %v", name, took, worked, err, tt.want)
			}
		})
	}
}
