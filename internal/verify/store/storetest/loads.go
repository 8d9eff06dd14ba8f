package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

// Loads tests loading into a kind of database. empty returns the address of a
// database that holds nothing yet.
func Loads(t *testing.T, empty func(t *testing.T) string) {
	for name, test := range map[string]func(*testing.T, string){
		"Report":       testReport,
		"Refused":      testRefused,
		"Update":       testUpdate,
		"UpdateRefs":   testUpdateRefs,
		"Large":        testLarge,
		"TwoAtOnce":    testTwoAtOnce,
		"WholeOrNot":   testWholeOrNot,
		"NoSchema":     testNoSchema,
		"OpenedBefore": testOpenedBefore,
		"Interrupted":  testInterrupted,
	} {
		t.Run(name, func(t *testing.T) { test(t, empty(t)) })
	}
}

// Address reads an address that must be right.
func Address(tb testing.TB, text string) store.Address {
	tb.Helper()
	a, err := store.ParseAddress(text)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// Loader opens a database for loading, until the test ends.
func Loader(tb testing.TB, address string) *store.Loader {
	tb.Helper()
	l, err := store.OpenLoader(tb.Context(), Address(tb, address))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := l.Close(); err != nil {
			tb.Error(err)
		}
	})
	return l
}

// Open opens a store for look-ups, until the test ends.
func Open(tb testing.TB, address string) store.Store {
	tb.Helper()
	s, closeStore, err := store.Open(tb.Context(), Address(tb, address))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := closeStore(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// load loads a bundle that must go in.
func load(t *testing.T, l *store.Loader, d Draft, update bool) store.Report {
	t.Helper()
	report, err := l.Load(t.Context(), d.Bundle(t), update)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func testReport(t *testing.T, address string) {
	l := Loader(t, address)
	d := Draft{
		Claims:         []string{Claim("c1"), Claim("c2")},
		Evidence:       []string{Evidence("e1", "c1"), Evidence("e2", "c1"), Evidence("e3", "c2")},
		Events:         []string{Event("v1", "c1", "bob")},
		AuthorityTrace: []string{Trace("t1", "bob", nil), Trace("t2", "bob", nil)},
	}
	all := store.Counts{Claims: 2, Evidence: 3, Events: 1, AuthorityTrace: 2}
	for _, step := range []struct {
		update bool
		want   store.Report
	}{
		{false, store.Report{Added: all}},
		{false, store.Report{Present: all}},
		{true, store.Report{Present: all}},
	} {
		if got := load(t, l, d, step.update); got != step.want {
			t.Errorf("got %+v, want %+v", got, step.want)
		}
	}
	if got := load(t, l, Draft{}, false); got != (store.Report{}) {
		t.Errorf("an empty bundle: %+v", got)
	}
	more := Draft{Claims: []string{Claim("c2"), Claim("c3")}, Evidence: []string{Evidence("e4", "c2")}}
	want := store.Report{Added: store.Counts{Claims: 1, Evidence: 1}, Present: store.Counts{Claims: 1}}
	if got := load(t, l, more, false); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// testRefused: another content under a known id is refused, and with it all of
// its bundle.
func testRefused(t *testing.T, address string) {
	l := Loader(t, address)
	load(t, l, Draft{
		Claims:         []string{Claim("c1")},
		Evidence:       []string{Evidence("e1", "c1")},
		Events:         []string{Event("v1", "c1", "bob")},
		AuthorityTrace: []string{Trace("t1", "bob", nil)},
	}, false)
	s := Open(t, address)
	other := member("metadata", `{"moved":true}`)
	for _, test := range []struct {
		name   string
		draft  Draft
		update bool
		want   store.ConflictError
	}{
		{"claim", Draft{Claims: []string{Claim("c1", other)}}, false,
			store.ConflictError{Kind: "claim", ID: "c1", Movable: true}},
		{"evidence", Draft{Evidence: []string{Evidence("e1", "c1", other)}}, false,
			store.ConflictError{Kind: "evidence", ID: "e1"}},
		{"evidence, updating", Draft{Evidence: []string{Evidence("e1", "c1", other)}}, true,
			store.ConflictError{Kind: "evidence", ID: "e1"}},
		{"evidence of another claim", Draft{Evidence: []string{Evidence("e1", "new")}}, true,
			store.ConflictError{Kind: "evidence", ID: "e1"}},
		{"event", Draft{Events: []string{Event("v1", "c1", "ann")}}, false, store.ConflictError{Kind: "event", ID: "v1"}},
		{"event, updating", Draft{Events: []string{Event("v1", "c1", "ann")}}, true,
			store.ConflictError{Kind: "event", ID: "v1"}},
		{"trace", Draft{AuthorityTrace: []string{Trace("t1", "ann", nil)}}, false,
			store.ConflictError{Kind: "authority trace", ID: "t1", Movable: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := test.draft
			if d.Claims == nil {
				d.Claims = []string{Claim("c1")}
			}
			d.Claims = append(d.Claims, Claim("new", member("currentIntegrityRef", `"new ref"`)))
			d.Evidence = append(d.Evidence, Evidence("new", "c1"), Evidence("new too", "new", integrityRef("new evidence")))
			d.AuthorityTrace = append(d.AuthorityTrace, Trace("new", "bob", []string{"c1"}, integrityRef("new trace")))
			report, err := l.Load(t.Context(), d.Bundle(t), test.update)
			conflict, ok := errors.AsType[*store.ConflictError](err)
			if !ok || *conflict != test.want {
				t.Errorf("got error %v, want %+v", err, test.want)
			} else if !strings.Contains(err.Error(), conflict.Kind) || !strings.Contains(err.Error(), conflict.ID) {
				t.Errorf("%q does not name %s and %s", err, conflict.Kind, conflict.ID)
			}
			if report != (store.Report{}) {
				t.Errorf("a refused bundle is reported as %+v", report)
			}
			expect(t, s, map[string]*answer{
				"c1":  {[]string{"c1"}, []string{"e1"}, []string{"v1"}, []string{"t1"}},
				"new": nil, "new ref": nil, "new evidence": nil, "new trace": nil,
			})
		})
	}
}

func testUpdate(t *testing.T, address string) {
	l := Loader(t, address)
	load(t, l, Draft{
		Claims:         []string{Claim("c1"), Claim("c2")},
		AuthorityTrace: []string{Trace("t1", "bob", nil), Trace("t2", "bob", nil)},
	}, false)
	claim := Claim("c1", member("currentIntegrityRef", `"v2"`), member("metadata", `{"n":1.0}`))
	trace := Trace("t1", "bob", nil, member("revokedAt", `"2026-02-01T00:00:00Z"`))
	got := load(t, l, Draft{
		Claims:         []string{Claim("c0"), claim, Claim("c2")},
		AuthorityTrace: []string{trace},
		Events:         []string{Event("v1", "c1", "bob")},
	}, true)
	want := store.Report{
		Added:   store.Counts{Claims: 1, Events: 1},
		Present: store.Counts{Claims: 1},
		Updated: store.Counts{Claims: 1, AuthorityTrace: 1},
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s := Open(t, address)
	found, err := s.LookupByIntegrityRef(t.Context(), "v2")
	if err != nil || found == nil || found.Claims[0].JSON != claim || found.AuthorityTrace[0].JSON != trace {
		t.Errorf("got %+v, %v", found, err)
	}
	// An update with the same content keeps the spelling.
	load(t, l, Draft{Claims: []string{strings.Replace(claim, "1.0", "1", 1)}}, true)
	if found, err = s.LookupByIntegrityRef(t.Context(), "c1"); err != nil || found.Claims[0].JSON != claim {
		t.Errorf("got %+v, %v", found, err)
	}
}

// testUpdateRefs: what no longer names a record no longer finds it.
func testUpdateRefs(t *testing.T, address string) {
	l := Loader(t, address)
	load(t, l, Draft{
		Claims: []string{
			Claim("c1", member("currentIntegrityRef", `"old"`), anchor("currentIntegrityAnchor", "kept")),
			Claim("c2", member("currentIntegrityRef", `"tested"`)),
			Claim("c3"),
		},
		Evidence:       []string{Evidence("e2", "c2", integrityRef("tested"))},
		Events:         []string{Event("v3", "c3", "ann")},
		AuthorityTrace: []string{Trace("t1", "bob", []string{"c1"}, integrityRef("old trace"))},
	}, false)
	load(t, l, Draft{
		Claims: []string{
			Claim("c1", member("currentIntegrityRef", `"new"`), anchor("currentIntegrityAnchor", "kept")),
			Claim("c2"),
		},
		AuthorityTrace: []string{Trace("t1", "ann", []string{"c2"}, integrityRef("new trace"))},
	}, true)
	c1 := &answer{claims: []string{"c1"}}
	c2 := &answer{[]string{"c2"}, []string{"e2"}, nil, []string{"t1"}}
	expect(t, Open(t, address), map[string]*answer{
		"c1": c1, "new": c1, "kept": c1, "old": nil,
		"c2": c2, "tested": c2, "new trace": c2, "old trace": nil,
		"c3": {[]string{"c3"}, nil, []string{"v3"}, []string{"t1"}},
	})
}

// testLarge loads more than goes into one statement, by number and by size.
func testLarge(t *testing.T, address string) {
	const n = 700
	d := Many(n)
	for i := range 3 {
		d.Claims = append(d.Claims, Claim(fmt.Sprintf("large.%d", i),
			member("metadata", `{"x":"`+strings.Repeat("x", 3<<20)+`"}`)))
	}
	names := make([]string, 1200)
	for i := range names {
		names[i] = ManyID(i)
	}
	d.AuthorityTrace = []string{Trace("t1", "x", names)}
	l := Loader(t, address)
	all := store.Counts{Claims: n + 3, Evidence: 3 * n, Events: 3 * n, AuthorityTrace: 1}
	if got := load(t, l, d, false); got != (store.Report{Added: all}) {
		t.Errorf("got %+v", got)
	}
	if got := load(t, l, d, false); got != (store.Report{Present: all}) {
		t.Errorf("again: %+v", got)
	}
	s := Open(t, address)
	for i := range n {
		found, err := s.LookupByIntegrityRef(t.Context(), ManyRef(i))
		if err != nil || found == nil || len(found.Claims) != 1 || len(found.Evidence) != 3 || len(found.Events) != 3 ||
			len(found.AuthorityTrace) != 1 {
			t.Fatalf("claim %d: %+v, %v", i, found, err)
		}
	}
	found, err := s.LookupByIntegrityRef(t.Context(), "large.2")
	if err != nil || found == nil || found.Claims[0].JSON != d.Claims[n+2] {
		t.Errorf("a large claim: %v", err)
	}
}

// testInterrupted: of a bundle whose loading is interrupted nothing is there, whatever was
// there before, and the loader goes on.
func testInterrupted(t *testing.T, address string) {
	const n = 700
	d := Many(n)
	l := Loader(t, address)
	s := Open(t, address)
	for range 2 { // into empty tables, and beside another claim
		for last := 1; last <= 4; last++ { // among claims, evidence and events
			ctx, stop := context.WithCancel(t.Context())
			chunks := 0
			l.Progress = func(int) {
				if chunks++; chunks == last {
					stop()
				}
			}
			report, err := l.Load(ctx, d.Bundle(t), false)
			stop()
			if !errors.Is(err, context.Canceled) || report != (store.Report{}) || chunks > last+1 {
				t.Errorf("interrupted after %d chunks: %+v, %v after %d", last, report, err, chunks)
			}
			if got := CountMany(t, s, n); got != 0 {
				t.Errorf("interrupted after %d chunks: %d claims are there", last, got)
			}
		}
		l.Progress = nil
		load(t, l, Draft{Claims: []string{Claim("other")}}, false)
	}
	load(t, l, d, false)
	checkMany(t, s, n)
}

// testTwoAtOnce lets several loaders load the same records and some of their
// own, into a database without schema.
func testTwoAtOnce(t *testing.T, address string) {
	const loaders, n = 4, 300
	reports := make([]store.Report, loaders)
	var wg sync.WaitGroup
	for i := range loaders {
		wg.Go(func() {
			l, err := store.OpenLoader(t.Context(), Address(t, address))
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			d := Many(n)
			d.Claims = append(d.Claims, Claim(fmt.Sprintf("of.%d", i)))
			if reports[i], err = l.Load(t.Context(), d.Bundle(t), false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	added, present := 0, 0
	for _, r := range reports {
		added += r.Added.Claims
		present += r.Present.Claims
	}
	if added != n+loaders || present != (loaders-1)*n {
		t.Errorf("%d claims were added and %d there, want %d and %d", added, present, n+loaders, (loaders-1)*n)
	}
	s := Open(t, address)
	want := map[string]*answer{}
	for i := range loaders {
		id := fmt.Sprintf("of.%d", i)
		want[id] = &answer{claims: []string{id}}
	}
	expect(t, s, want)
	checkMany(t, s, n)
}

// checkMany demands the whole bundle [Many] of n claims.
func checkMany(t *testing.T, s producer.BatchStore, n int) {
	t.Helper()
	if got := CountMany(t, s, n); got != n {
		t.Errorf("%d of %d claims are there", got, n)
	}
}

// CountMany returns how many claims of the bundle [Many] are there, each with
// all that belongs to it.
func CountMany(t *testing.T, s producer.BatchStore, n int) (claims int) {
	t.Helper()
	refs := make([]string, n)
	for i := range refs {
		refs[i] = ManyID(i)
	}
	for chunk := range slices.Chunk(refs, 256) {
		found, err := s.LookupByIntegrityRefs(t.Context(), chunk)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range found {
			if f == nil {
				continue
			}
			claims++
			if len(f.Claims) != 1 || len(f.Evidence) != 3 || len(f.Events) != 3 {
				t.Errorf("half a record: %s has %d evidence, %d events", chunk[i], len(f.Evidence), len(f.Events))
			}
		}
	}
	return claims
}

// testWholeOrNot looks up while a bundle is loaded: it is there whole or not at
// all.
func testWholeOrNot(t *testing.T, address string) {
	const n = 256
	l := Loader(t, address)
	s := Open(t, address)
	done := make(chan error, 1)
	bundle := Many(5 * n).Bundle(t)
	ctx := t.Context()
	go func() {
		_, err := l.Load(ctx, bundle, false)
		done <- err
	}()
	for loading := true; loading; {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			loading = false
		default:
		}
		if got := CountMany(t, s, n); got != 0 && got != n {
			t.Fatalf("%d of %d claims are there", got, n)
		}
	}
	checkMany(t, s, n)
}

func testNoSchema(t *testing.T, address string) {
	a := Address(t, address)
	if _, _, err := store.Open(t.Context(), a); !errors.Is(err, store.ErrNoSchema) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening a database without anything: error %v", err)
	}
	Loader(t, address)
	Open(t, address)
}

// testOpenedBefore: what is loaded later is found by stores that are open.
func testOpenedBefore(t *testing.T, address string) {
	l := Loader(t, address)
	s := Open(t, address)
	expect(t, s, map[string]*answer{"c1": nil})
	for i := range 3 {
		id := fmt.Sprintf("c%d", i)
		load(t, l, Draft{Claims: []string{Claim(id)}}, false)
		expect(t, s, map[string]*answer{id: {claims: []string{id}}})
	}
}
