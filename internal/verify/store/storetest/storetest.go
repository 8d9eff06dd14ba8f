// Package storetest is the suite of tests that every store passes, and what
// finds or starts a PostgreSQL server for it.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// Lookups tests a kind of store. open returns a store of the records of bundles,
// which were loaded in their order; the store ends with the test.
func Lookups(t *testing.T, open func(t *testing.T, bundles ...*bundle.Bundle) producer.BatchStore) {
	for name, test := range map[string]func(*testing.T, opener){
		"Names":         testNames,
		"Shared":        testShared,
		"Traces":        testTraces,
		"NamedTraces":   testNamedTraces,
		"Order":         testOrder,
		"Verbatim":      testVerbatim,
		"Exact":         testExact,
		"OddTexts":      testOddTexts,
		"Bundles":       testBundles,
		"FirstSpelling": testFirstSpelling,
		"Batch":         testBatch,
		"Concurrent":    testConcurrent,
		"Cancelled":     testCancelled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

type opener = func(t *testing.T, bundles ...*bundle.Bundle) producer.BatchStore

// answer is the ids that a look-up is to answer.
type answer struct{ claims, evidence, events, traces []string }

// expect looks refs up, each by itself and then all at once, and compares the
// ids that are answered. A nil answer means an unknown ref.
func expect(t *testing.T, s producer.BatchStore, want map[string]*answer) {
	t.Helper()
	var refs []string
	for ref, ids := range want {
		refs = append(refs, ref)
		got, err := s.LookupByIntegrityRef(t.Context(), ref)
		if err != nil {
			t.Errorf("%q: %v", ref, err)
		}
		compare(t, ref, got, ids)
	}
	all, err := s.LookupByIntegrityRefs(t.Context(), refs)
	if err != nil || len(all) != len(refs) {
		t.Fatalf("%d answers to %d refs, error %v", len(all), len(refs), err)
	}
	once := once{}
	for i, ref := range refs {
		compare(t, ref+" (of many)", all[i], once.of(want[ref]))
	}
}

// once is the records that refs of a look-up have led to, by kind and id.
type once map[string]bool

// of returns what is left of an answer when each record comes with the first ref that
// leads to it.
func (o once) of(a *answer) *answer {
	if a == nil {
		return nil
	}
	left := func(kind string, ids []string) (list []string) {
		for _, id := range ids {
			if !o[kind+id] {
				o[kind+id] = true
				list = append(list, id)
			}
		}
		return list
	}
	return &answer{left("claim ", a.claims), left("evidence ", a.evidence), left("event ", a.events),
		left("trace ", a.traces)}
}

func compare(t *testing.T, ref string, got *bundle.Records, want *answer) {
	t.Helper()
	if got == nil || want == nil {
		if got != nil || want != nil {
			t.Errorf("%.80q: got %+v, want %+v", ref, got, want)
		}
		return
	}
	for _, list := range []struct {
		name string
		got  []bundle.Record
		want []string
	}{
		{"claims", got.Claims, want.claims}, {"evidence", got.Evidence, want.evidence},
		{"events", got.Events, want.events}, {"traces", got.AuthorityTrace, want.traces},
	} {
		if ids := idsOf(list.got); !slices.Equal(ids, list.want) {
			t.Errorf("%.80q: %s %.300s, want %.300s", ref, list.name, fmt.Sprintf("%.40q", ids), fmt.Sprintf("%.40q", list.want))
		}
	}
}

func idsOf(list []bundle.Record) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

func testNames(t *testing.T, open opener) {
	s := open(t, Draft{
		Claims: []string{
			Claim("c1", member("currentIntegrityRef", `"sha256:1"`), anchor("currentIntegrityAnchor", "anchor:1")),
			Claim("c2", member("currentIntegrityRef", `"c2"`)), // its own id
		},
		Evidence: []string{
			Evidence("e1", "c1", integrityRef("sha256:e1"), anchor("integrityAnchor", "anchor:e1")),
			Evidence("e2", "c2", integrityRef("same"), anchor("integrityAnchor", "same")),
			Evidence("e3", "c1"),
		},
		Events: []string{Event("v1", "c1", "bob"), Event("v2", "c2", "ann"), Event("v3", "c1", "ann")},
	}.Bundle(t))
	c1 := &answer{[]string{"c1"}, []string{"e1", "e3"}, []string{"v1", "v3"}, nil}
	c2 := &answer{[]string{"c2"}, []string{"e2"}, []string{"v2"}, nil}
	expect(t, s, map[string]*answer{
		"c1": c1, "sha256:1": c1, "anchor:1": c1, "sha256:e1": c1, "anchor:e1": c1,
		"c2": c2, "same": c2,
		// The ids of evidence and events, and what other members say, name nothing.
		"e1": nil, "v1": nil, "bob": nil, "s": nil, "a": nil, "m": nil, "": nil,
	})
}

func testShared(t *testing.T, open opener) {
	s := open(t, Draft{
		Claims: []string{
			Claim("c1", member("currentIntegrityRef", `"x"`)),
			Claim("c2", member("currentIntegrityRef", `"x"`)),
			Claim("c3"),
			Claim("x"), // an id that is also a ref
		},
		Evidence: []string{Evidence("e3", "c3", integrityRef("x")), Evidence("e2", "c2", integrityRef("y")),
			Evidence("e1", "c1", integrityRef("y"))},
		Events: []string{Event("v3", "c3", "bob"), Event("v1", "c1", "bob")},
	}.Bundle(t))
	expect(t, s, map[string]*answer{
		"x":  {[]string{"c1", "c2", "c3", "x"}, []string{"e1", "e2", "e3"}, []string{"v1", "v3"}, nil},
		"y":  {[]string{"c1", "c2"}, []string{"e1", "e2"}, []string{"v1"}, nil},
		"c2": {[]string{"c2"}, []string{"e2"}, nil, nil},
	})
}

func testTraces(t *testing.T, open opener) {
	s := open(t, Draft{
		Claims: []string{Claim("c1"), Claim("c2"), Claim("c3"), Claim("c4")},
		Events: []string{Event("v1", "c1", "bob"), Event("v2", "c2", "ann"), Event("v3", "c1", "ann"),
			Event("v4", "c1", "bob")},
		AuthorityTrace: []string{
			Trace("t1", "bob", nil),
			Trace("t2", "nobody", []string{"c2", "c3", "c2"}),
			Trace("t3", "ann", []string{"c1"}),
			Trace("t4", "nobody", nil),
			Trace("t0", "bob", []string{"c3"}),
		},
	}.Bundle(t))
	expect(t, s, map[string]*answer{
		"c1": {[]string{"c1"}, nil, []string{"v1", "v3", "v4"}, []string{"t0", "t1", "t3"}},
		"c2": {[]string{"c2"}, nil, []string{"v2"}, []string{"t2", "t3"}},
		"c3": {[]string{"c3"}, nil, nil, []string{"t0", "t2"}},
		"c4": {[]string{"c4"}, nil, nil, nil},
	})
}

func testNamedTraces(t *testing.T, open opener) {
	s := open(t, Draft{
		Claims: []string{Claim("c1"), Claim("c2", member("currentIntegrityRef", `"both"`))},
		Events: []string{Event("v1", "c1", "bob")},
		AuthorityTrace: []string{
			Trace("t1", "x", []string{"c1"}, integrityRef("ref:t1"), anchor("integrityAnchor", "anchor:t1")),
			Trace("t2", "x", nil, integrityRef("ref:t2")),
			Trace("t3", "x", []string{"gone"}, integrityRef("ref:t3")),
			Trace("t4", "x", []string{"gone"}, integrityRef("both")),
			Trace("t5", "bob", []string{"c1", "c2"}, integrityRef("both"), anchor("integrityAnchor", "both")),
		},
	}.Bundle(t))
	t1 := &answer{[]string{"c1"}, nil, []string{"v1"}, []string{"t1", "t5"}}
	expect(t, s, map[string]*answer{
		"ref:t1": t1, "anchor:t1": t1,
		// A trace is known although it names no claim, or none that is there; a
		// claim that is not there brings no other trace.
		"ref:t2": {nil, nil, nil, []string{"t2"}},
		"ref:t3": {nil, nil, nil, []string{"t3"}},
		"both":   {[]string{"c1", "c2"}, nil, []string{"v1"}, []string{"t1", "t4", "t5"}},
		"gone":   nil, "t1": nil, "x": nil,
	})
}

// testOrder holds stores to UTF-16 order, which is neither that of bytes nor of
// any locale.
func testOrder(t *testing.T, open opener) {
	sorted := []string{"", "1", "10", "2", "A", "B", "_", "a", "ab", "b", "\u00e4", "\U0001F600", "\uE000", "\uFFFD"}
	d := Draft{Claims: []string{Claim("claim")}}
	for i := range sorted {
		id := sorted[(i*5+3)%len(sorted)]
		d.Claims = append(d.Claims, Claim(id, member("currentIntegrityRef", `"all"`)))
		d.Evidence = append(d.Evidence, Evidence(id, "claim", integrityRef("all")))
		d.Events = append(d.Events, Event(id, "claim", "bob"))
		d.AuthorityTrace = append(d.AuthorityTrace, Trace(id, "bob", nil))
	}
	s := open(t, d.Bundle(t))
	claims := slices.Insert(slices.Clone(sorted), slices.Index(sorted, "\u00e4"), "claim")
	expect(t, s, map[string]*answer{
		"claim": {[]string{"claim"}, sorted, sorted, sorted},
		"all":   {claims, sorted, sorted, sorted},
	})
}

// testVerbatim demands every byte of records back.
func testVerbatim(t *testing.T, open opener) {
	free := `{"z":1.0,"a":1e2,"m":[1E+2,-0.0,1.50,100,1.7976931348623157e308,5e-324,0.1],` +
		`"\u0061\/":"\u00e9\u0000\ud83d\ude00\u2028'\"","":null,"' OR 1=1 --":"$1 ? %s \\x00"}`
	d := Draft{
		Claims:         []string{Claim("c1", member("metadata", free), member("confidenceBasis", free))},
		Evidence:       []string{Evidence("e1", "c1", member("metadata", free))},
		Events:         []string{Event("v1", "c1", "bob", member("notes", `"\u00e9 \ud83d\ude00 \u0000"`))},
		AuthorityTrace: []string{Trace("t1", "bob", nil, member("metadata", free))},
	}
	d.Claims[0] = strings.Replace(d.Claims[0], `"value":1,`, `"value":`+free+`,`, 1)
	// The order of members is not that of the schema, nor canonical.
	d.Claims = append(d.Claims,
		`{"updatedAt":"2026-01-01T00:00:00Z","value":[1.0],"ttlSeconds":1e2,"id":"c2","subjectType":"model","subjectId":"m",`+
			`"claimType":"speed","fieldOrBehavior":"tokens","createdAt":"2026-01-01T00:00:00.000+00:00",`+
			`"currentIntegrityRef":"r"}`)
	s := open(t, d.Bundle(t))
	got, err := s.LookupByIntegrityRefs(t.Context(), []string{"c1", "c2"})
	if err != nil || got[0] == nil || got[1] == nil {
		t.Fatalf("got %v, %v", got, err)
	}
	for _, list := range []struct {
		got  []bundle.Record
		want string
	}{
		{got[0].Claims, d.Claims[0]}, {got[0].Evidence, d.Evidence[0]}, {got[0].Events, d.Events[0]},
		{got[0].AuthorityTrace, d.AuthorityTrace[0]}, {got[1].Claims, d.Claims[1]},
	} {
		if len(list.got) != 1 || list.got[0].JSON != list.want {
			t.Errorf("got  %v\nwant %s", list.got, list.want)
		}
	}
}

func testExact(t *testing.T, open opener) {
	s := open(t, Draft{Claims: []string{Claim("sha256:aB"), Claim("caf\u00e9"), Claim("100%_")}}.Bundle(t))
	want := map[string]*answer{
		"sha256:aB": {claims: []string{"sha256:aB"}},
		"caf\u00e9": {claims: []string{"caf\u00e9"}},
		"100%_":     {claims: []string{"100%_"}},
	}
	for _, ref := range []string{
		"sha256:ab", "SHA256:aB", " sha256:aB", "sha256:aB ", "sha256:aB\n", "sha256:aB\x00", "sha256:a", "aB",
		"cafe\u0301", "cafe", "caf\xe9", "caf\u00e9\xff", "100%", "%", "_", "100%__", "100\\%_", "'", "\"", "[]", "{}",
		"null", "\\", "\\u0000",
	} {
		want[ref] = nil
	}
	expect(t, s, want)
}

// testOddTexts uses ids and refs that no index of a database takes as they are.
func testOddTexts(t *testing.T, open opener) {
	odd := []string{
		"\x00", "a\x00", "a\x00b", "\x01", "\x01sha256:00", "\x02", "\u007f", "\uFFFF", "\uFEFF", "\r\n\t",
		strings.Repeat("x", 1024), strings.Repeat("x", 1025), strings.Repeat("x", 2048), strings.Repeat("x", 100_000),
		strings.Repeat("\U0001F600", 256), strings.Repeat("\U0001F600", 257),
	}
	slices.SortFunc(odd, canonical.CompareText)
	d := Draft{}
	want := map[string]*answer{}
	for i, id := range odd {
		d.Claims = append(d.Claims, Claim(id))
		d.Evidence = append(d.Evidence, Evidence(id, id, integrityRef("r"+id)))
		d.Events = append(d.Events, Event(id, id, "by"+id))
		d.AuthorityTrace = append(d.AuthorityTrace, Trace(id, "by"+id, nil, integrityRef("all")),
			Trace(id+"!", "?", []string{id}))
		traces := []string{id, id + "!"}
		found := &answer{[]string{id}, []string{id}, []string{id}, traces}
		want[id], want["r"+id] = found, found
		if i == 0 {
			want["all"] = &answer{traces: odd}
		}
	}
	expect(t, open(t, d.Bundle(t)), want)
}

// testBundles looks at records of one bundle that belong to those of another.
func testBundles(t *testing.T, open opener) {
	s := open(t,
		Draft{
			Claims:         []string{Claim("c1"), Claim("c2")},
			Evidence:       []string{Evidence("e1", "c1", integrityRef("r"))},
			AuthorityTrace: []string{Trace("t1", "bob", []string{"c3"}, integrityRef("t"))},
		}.Bundle(t),
		Draft{
			Claims:         []string{Claim("c3"), Claim("c1")},
			Evidence:       []string{Evidence("e3", "c3", integrityRef("r")), Evidence("e1", "c1", integrityRef("r"))},
			Events:         []string{Event("v1", "c1", "bob")},
			AuthorityTrace: []string{Trace("t2", "x", []string{"c2"})},
		}.Bundle(t),
	)
	expect(t, s, map[string]*answer{
		"c1": {[]string{"c1"}, []string{"e1"}, []string{"v1"}, []string{"t1"}},
		"c2": {[]string{"c2"}, nil, nil, []string{"t2"}},
		"t":  {[]string{"c3"}, []string{"e3"}, nil, []string{"t1"}},
		"r":  {[]string{"c1", "c3"}, []string{"e1", "e3"}, []string{"v1"}, []string{"t1"}},
	})
}

func testFirstSpelling(t *testing.T, open opener) {
	first := strings.Replace(Claim("c1"), `"value":1,`, `"value":1.0,`, 1)
	again := strings.Replace(Claim("c1"), `"value":1,`, `"value":10e-1,`, 1)
	s := open(t, Draft{Claims: []string{first}}.Bundle(t), Draft{Claims: []string{again, Claim("c2")}}.Bundle(t))
	got, err := s.LookupByIntegrityRef(t.Context(), "c1")
	if err != nil || got == nil || len(got.Claims) != 1 || got.Claims[0].JSON != first {
		t.Errorf("got %+v, %v, want %s", got, err, first)
	}
}

func testBatch(t *testing.T, open opener) {
	const n = 300
	s := open(t, Many(n).Bundle(t))
	refs := make([]string, 256)
	want := make([]*answer, len(refs))
	for i := range refs {
		if i%5 == 4 {
			refs[i] = fmt.Sprintf("unknown:%d", i%2) // repeats
			continue
		}
		k := i % 200 // repeats
		id := ManyID(k)
		want[i] = &answer{
			[]string{id},
			[]string{"evidence." + id + ".0", "evidence." + id + ".1", "evidence." + id + ".2"},
			[]string{"event." + id + ".0", "event." + id + ".1", "event." + id + ".2"}, nil,
		}
		if refs[i] = id; i%2 == 1 {
			refs[i] = ManyRef(k)
		}
	}
	got, err := s.LookupByIntegrityRefs(t.Context(), refs)
	if err != nil || len(got) != len(refs) {
		t.Fatalf("%d answers, error %v", len(got), err)
	}
	once := once{}
	for i := range got {
		compare(t, refs[i], got[i], once.of(want[i]))
	}
	if got, err := s.LookupByIntegrityRefs(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no refs: %v, %v", got, err)
	}
}

func testConcurrent(t *testing.T, open opener) {
	const n, each = 20, 50
	s := open(t, Many(n).Bundle(t))
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range each {
				id := ManyID((w + i) % n)
				got, err := s.LookupByIntegrityRef(t.Context(), id)
				if err != nil || got == nil || len(got.Claims) != 1 || got.Claims[0].ID != id || len(got.Evidence) != 3 ||
					len(got.Events) != 3 {
					t.Errorf("%s: %+v, %v", id, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// testCancelled: whatever happens, a known ref is not reported as unknown.
func testCancelled(t *testing.T, open opener) {
	s := open(t, Draft{Claims: []string{Claim("c1")}}.Bundle(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := s.LookupByIntegrityRef(ctx, "c1"); err == nil && got == nil {
		t.Error("a known ref is unknown when the context is done")
	}
	expect(t, s, map[string]*answer{"c1": {claims: []string{"c1"}}}) // it goes on
}
