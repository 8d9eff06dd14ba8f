package producer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

var respondedAt = time.Date(2026, time.July, 18, 8, 0, 0, 123_999_999, time.FixedZone("", 7200))

func mustStore(t testing.TB, texts ...string) *producer.MemoryStore {
	t.Helper()
	var bundles []*bundle.Bundle
	for _, text := range texts {
		bundles = append(bundles, verifytest.Bundle(t, text))
	}
	store, err := producer.NewMemoryStore(bundles...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func mustResponder(t testing.TB, store producer.Store, signer dsse.Signer) *producer.Responder {
	t.Helper()
	r, err := producer.NewResponder(store, producer.ResponderOptions{Source: "acme \"x\"", StatusFunctionVersion: "2", Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answered is an answer as an independent reader sees it.
type answered struct {
	Bundle struct {
		SchemaVersion                            json.Number
		Source                                   string
		Claims, Evidence, Events, AuthorityTrace []struct{ ID string }
		Policies                                 []any
		Metadata                                 struct {
			RespondedAt, StatusFunctionVersion string
			RequestedRefs, UnknownRefs         []string
			Nonce                              *string
		}
	}
	Envelope *struct{ Payload, PayloadType string }
}

func respond(t testing.TB, r *producer.Responder, nonce string, refs ...string) (answered, string) {
	t.Helper()
	response, err := r.Respond(t.Context(), refs, respondedAt, nonce)
	if err != nil {
		t.Fatal(err)
	}
	var a answered
	verifytest.Decode(t, string(response.JSON), &a)
	return a, string(response.JSON)
}

func idsOf(list []struct{ ID string }) string {
	var ids []string
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

func TestWhatRefsStandFor(t *testing.T) {
	r := mustResponder(t, mustStore(t, verifytest.Linked), nil)
	for refs, want := range map[string][5]string{ // claims, evidence, events, traces, unknown
		"c1":           {"c1", "e1 e3", "v1 v2", "t2"},
		"c2":           {"c2", "e2", "", "t1"},
		"c3":           {"c3", "", "", "t1"},
		"anchor-c1":    {"c1", "e1 e3", "v1 v2", "t2"},
		"shared":       {"c1 c2", "e1 e2 e3", "v1 v2", "t1 t2"},
		"ref-e3":       {"c1", "e1 e3", "v1 v2", "t2"},
		"anchor-e1":    {"c1", "e1 e3", "v1 v2", "t2"},
		"ref-t1":       {"c2 c3", "e2", "", "t1"},
		"anchor-t3":    {"", "", "", "t3"},
		"e1":           {"", "", "", "", "e1"},
		"t1":           {"", "", "", "", "t1"},
		"C1":           {"", "", "", "", "C1"},
		" c1":          {"", "", "", "", " c1"},
		"c3,c1":        {"c3 c1", "e1 e3", "v1 v2", "t1 t2"},
		"x,c1,x,c1":    {"c1", "e1 e3", "v1 v2", "t2", "x x"},
		"ref-t1,c1,c2": {"c2 c3 c1", "e2 e1 e3", "v1 v2", "t1 t2"},
		"shared,c3":    {"c1 c2 c3", "e1 e2 e3", "v1 v2", "t1 t2"},
	} {
		a, text := respond(t, r, "", strings.Split(refs, ",")...)
		b := a.Bundle
		got := [5]string{idsOf(b.Claims), idsOf(b.Evidence), idsOf(b.Events), idsOf(b.AuthorityTrace), strings.Join(b.Metadata.UnknownRefs, " ")}
		if got != want {
			t.Errorf("%s: %q, want %q", refs, got, want)
		}
		if requested := strings.Join(b.Metadata.RequestedRefs, ","); requested != refs || b.Metadata.UnknownRefs == nil {
			t.Errorf("%s: metadata %+v", refs, b.Metadata)
		}
		if strings.Contains(text, `"authorityTrace"`) != (want[3] != "") {
			t.Errorf("%s: authorityTrace is there, or not: %s", refs, text)
		}
	}
}

func TestAnswer(t *testing.T) {
	r := mustResponder(t, mustStore(t, verifytest.Linked), nil)
	_, text := respond(t, r, "n\"\u2028", "c3", "x")
	want := `{"bundle":{"schemaVersion":5,"source":"acme \"x\"","claims":[{"id":"c3","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":null,` +
		`"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}],"evidence":[],"policies":[],"events":[],"authorityTrace":[` +
		`{"id":"t1","subject":{"subjectType":"s","subjectId":"i"},"actorRef":"cid","authorityType":"role","authorityRef":"r","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z",` +
		`"claimIds":["c3","c2","nobody's"],"integrityRef":"ref-t1"}],"metadata":{"respondedAt":"2026-07-18T06:00:00.123Z","statusFunctionVersion":"2",` +
		`"requestedRefs":["c3","x"],"unknownRefs":["x"],"nonce":"n\"` + "\u2028" + `"}}}`
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if a, text := respond(t, r, "", "c1"); a.Bundle.Metadata.Nonce != nil || !strings.Contains(text, `"value":1e2,`) {
		t.Errorf("answer %s", text)
	}
}

// The latest version of the schema is told where evidence needs it, however that
// is written.
func TestSchemaVersionOfAnswers(t *testing.T) {
	schema := verifytest.Schema(t, vectortest.Data(t, "vectors", "hachure", "schemas"))
	for evidence, want := range map[string]string{
		`"evidenceType":"attestation"`:              "5",
		`"evidenceType":"runtime_observation"`:      "7",
		`"evidenceType":"runtime\u005fobservation"`: "7",
		`"evidenceType":"attestation","execution":{"runner":"mcp","label":"l","environment":"test"}`:                   "7",
		`"evidenceType":"attestation","execution":{"runner":"mcp","label":"l","environmen\u0074":"test"}`:              "7",
		`"evidenceType":"attestation","execution":{"runner":"mcp","label":"l"}`:                                        "5",
		`"evidenceType":"attestation","execution":{"runner":"mcp","label":"environment","metadata":{"environment":1}}`: "5",
		`"evidenceType":"attestation","metadata":{"evidenceType":"runtime_observation"}`:                               "5",
	} {
		text := strings.Replace(verifytest.Linked, `"evidenceType":"attestation"`, evidence, 1)
		a, body := respond(t, mustResponder(t, mustStore(t, text), nil), "", "c1")
		if a.Bundle.SchemaVersion.String() != want {
			t.Errorf("%s: version %s, want %s", evidence, a.Bundle.SchemaVersion, want)
		}
		verifytest.Validate(t, schema, bundleOf(t, body))
	}
}

// bundleOf returns an answer's bundle without the metadata that the profile adds.
func bundleOf(t testing.TB, answer string) map[string]json.RawMessage {
	t.Helper()
	var a struct{ Bundle map[string]json.RawMessage }
	verifytest.Decode(t, answer, &a)
	if _, ok := a.Bundle["metadata"]; !ok {
		t.Errorf("no metadata in %s", answer)
	}
	delete(a.Bundle, "metadata")
	return a.Bundle
}

func TestAnswersValidate(t *testing.T) {
	schema := verifytest.Schema(t, vectortest.Data(t, "vectors", "hachure", "schemas"))
	for _, refs := range [][]string{{"unknown"}, {"c2"}, {"shared", "c3", "x"}} {
		_, text := respond(t, mustResponder(t, mustStore(t, verifytest.Linked), verifytest.NewEd25519(t).Signer), "n", refs...)
		verifytest.Validate(t, schema, bundleOf(t, text))
	}
	_, text := respond(t, mustResponder(t, mustStore(t, verifytest.File(t, "../bundle/testdata/full.json")), nil), "", "c1", "c2")
	verifytest.Validate(t, schema, bundleOf(t, text))
}

// What is signed is a statement about the very bundle, one subject for each ref.
func TestSignedAnswer(t *testing.T) {
	for _, pair := range []verifytest.KeyPair{verifytest.NewEd25519(t), verifytest.NewP256(t)} {
		r := mustResponder(t, mustStore(t, verifytest.File(t, "../bundle/testdata/full.json")), pair.Signer)
		response, err := r.Respond(t.Context(), []string{"c1", "é", "c1"}, respondedAt, "n")
		if err != nil {
			t.Fatal(err)
		}
		e := response.Envelope
		if !pair.Public.Verify(dsse.AppendPAE(nil, e.PayloadType, e.Payload), e.Signatures[0].Sig) || e.Signatures[0].KeyID != pair.Public.ID() {
			t.Errorf("%s: the signature does not verify", pair.Name)
		}
		want, err := dsse.NewStatement(response.Bundle(), []string{"c1", "é", "c1"})
		if err != nil || !bytes.Equal(e.Payload, want) {
			t.Errorf("%s: %v\npayload %s\nwant    %s", pair.Name, err, e.Payload, want)
		}
		if text := string(response.JSON); text != `{"bundle":`+string(response.Bundle())+`,"envelope":`+string(e.AppendJSON(nil))+`}` {
			t.Errorf("%s: answer %s", pair.Name, text)
		}
		if !bytes.Contains(response.Bundle(), []byte(`{"score":1.0,"of":1e2,"\u006eames":["é","\u00e9","\/"]`)) {
			t.Errorf("%s: the spelling of a value has changed: %s", pair.Name, response.Bundle())
		}
	}
}

func TestMemoryStoreOfSeveralBundles(t *testing.T) {
	other := strings.Replace(verifytest.Linked, `"value":1.0`, `"value":1`, 1)
	other = strings.Replace(other, `{"id":"v1"`, `{"id":"v0","claimId":"c2","status":"proposed","actor":"dan","method":"m","evidenceIds":[],"createdAt":"2026-01-01T00:00:00Z"},{"id":"v1"`, 1)
	a, text := respond(t, mustResponder(t, mustStore(t, verifytest.Linked, other), nil), "", "c2")
	if got := [2]string{idsOf(a.Bundle.Events), idsOf(a.Bundle.AuthorityTrace)}; got != [2]string{"v0", "t1 t3"} || !strings.Contains(text, `"value":1.0`) {
		t.Errorf("%v in %s", got, text)
	}
	changed := strings.Replace(verifytest.Linked, `"value":null`, `"value":0`, 1)
	_, err := producer.NewMemoryStore(verifytest.Bundle(t, verifytest.Linked), verifytest.Bundle(t, changed))
	faults := problem.All(err)
	if len(faults) != 1 || faults[0].Code != problem.InvalidTrustBundle || faults[0].Error() != `$.claims: "c3" has another content in bundle 2 than in one before` {
		t.Errorf("problems %v", err)
	}
}

// fakeStore answers as it is told to.
type fakeStore struct {
	look func(ctx context.Context, ref string) (*bundle.Records, error)
}

func (s fakeStore) LookupByIntegrityRef(ctx context.Context, ref string) (*bundle.Records, error) {
	return s.look(ctx, ref)
}

// fakeBatch is a fakeStore that can look many refs up.
type fakeBatch struct {
	fakeStore
	asked [][]string
	cut   int
}

func (s *fakeBatch) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*bundle.Records, error) {
	s.asked = append(s.asked, slices.Clone(refs))
	var list []*bundle.Records
	for _, ref := range refs {
		r, err := s.look(ctx, ref)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list[s.cut:], nil
}

func TestResponderAsksInBatches(t *testing.T) {
	memory := mustStore(t, verifytest.Linked)
	batch := &fakeBatch{fakeStore: fakeStore{memory.LookupByIntegrityRef}}
	want, _ := respond(t, mustResponder(t, memory, nil), "", "c3", "x", "c1", "c3", "x")
	got, _ := respond(t, mustResponder(t, batch, nil), "", "c3", "x", "c1", "c3", "x")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("answer %+v, want %+v", got, want)
	}
	if len(batch.asked) != 1 || !slices.Equal(batch.asked[0], []string{"c3", "x", "c1"}) {
		t.Errorf("asked %v", batch.asked)
	}
	batch.cut = 1
	_, err := mustResponder(t, batch, nil).Respond(t.Context(), []string{"c1", "c2"}, respondedAt, "")
	if _, away := errors.AsType[*producer.StoreError](err); err == nil || away || err.Error() != "the store gave 1 answers to 2 refs" {
		t.Errorf("a store that drops answers: %v", err)
	}
}

// One by one, refs are looked up at once, but not all of them.
func TestResponderAsksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		memory := mustStore(t, verifytest.Linked)
		slow := fakeStore{func(ctx context.Context, ref string) (*bundle.Records, error) {
			now := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			time.Sleep(time.Second)
			return memory.LookupByIntegrityRef(ctx, ref)
		}}
		var refs []string
		for i := range 60 {
			refs = append(refs, fmt.Sprint("x", i))
		}
		refs = append(refs, "c3", "c1", "c2", "c3")
		start := time.Now()
		a, _ := respond(t, mustResponder(t, slow, nil), "", refs...)
		if idsOf(a.Bundle.Claims) != "c3 c1 c2" || !slices.Equal(a.Bundle.Metadata.UnknownRefs, refs[:60]) {
			t.Errorf("answer %+v", a)
		}
		if took := time.Since(start); most.Load() != 8 || took != 8*time.Second {
			t.Errorf("%d at once, in %s", most.Load(), took)
		}
	})
}

// A store that fails is not taken for one that knows nothing.
func TestStoreFailures(t *testing.T) {
	broken := errors.New("no connection")
	memory := mustStore(t, verifytest.Linked)
	fails := func(ctx context.Context, ref string) (*bundle.Records, error) {
		if ref == "c2" {
			return nil, broken
		}
		return memory.LookupByIntegrityRef(ctx, ref)
	}
	for name, store := range map[string]producer.Store{"one by one": fakeStore{fails}, "batch": &fakeBatch{fakeStore: fakeStore{fails}}} {
		for _, refs := range [][]string{{"c2"}, {"c1", "c2", "c3", "x"}} {
			response, err := mustResponder(t, store, nil).Respond(t.Context(), refs, respondedAt, "")
			if _, ok := errors.AsType[*producer.StoreError](err); !ok || !errors.Is(err, broken) || response != nil {
				t.Errorf("%s, %v: %v", name, refs, err)
			}
		}
	}
	panics := fakeStore{func(context.Context, string) (*bundle.Records, error) { panic("boom") }}
	_, err := mustResponder(t, panics, nil).Respond(t.Context(), []string{"c1"}, respondedAt, "")
	if _, away := errors.AsType[*producer.StoreError](err); err == nil || away {
		t.Errorf("a store that panics: %v", err)
	}
	damaged := fakeStore{func(context.Context, string) (*bundle.Records, error) {
		return &bundle.Records{Claims: []bundle.Record{{ID: "c", JSON: `{"id":`}}}, nil
	}}
	if _, err := mustResponder(t, damaged, verifytest.NewEd25519(t).Signer).Respond(t.Context(), []string{"c"}, respondedAt, ""); err == nil {
		t.Error("a damaged record is signed")
	}
}

// Neither a store that never answers nor one that does not look at its context
// holds an answer up.
func TestHangingStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := fakeStore{func(context.Context, string) (*bundle.Records, error) { <-release; return nil, nil }}
		polite := fakeStore{func(ctx context.Context, _ string) (*bundle.Records, error) { <-ctx.Done(); return nil, ctx.Err() }}
		for name, store := range map[string]producer.Store{"deaf": deaf, "polite": polite, "batch": &fakeBatch{fakeStore: polite}} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			start := time.Now()
			_, err := mustResponder(t, store, nil).Respond(ctx, []string{"a", "b"}, respondedAt, "")
			if _, ok := errors.AsType[*producer.StoreError](err); !ok || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
				t.Errorf("%s: %v after %s", name, err, time.Since(start))
			}
			cancel()
		}
		close(release)
	})
}

type failingSigner struct{}

func (failingSigner) KeyID() string { return "k" }
func (failingSigner) Sign(context.Context, []byte) ([]byte, error) {
	return nil, errors.New("the key is locked away")
}

func TestResponderRefuses(t *testing.T) {
	store := mustStore(t, verifytest.Linked)
	for name, options := range map[string]producer.ResponderOptions{
		"Source must not be empty":                {StatusFunctionVersion: "2"},
		"StatusFunctionVersion must not be empty": {Source: "s"},
		"Source must be UTF-8":                    {Source: "\xff", StatusFunctionVersion: "2"},
	} {
		if _, err := producer.NewResponder(store, options); err == nil || err.Error() != name {
			t.Errorf("%v, want %s", err, name)
		}
	}
	if _, err := producer.NewResponder(nil, producer.ResponderOptions{Source: "s", StatusFunctionVersion: "2"}); err == nil {
		t.Error("no store is accepted")
	}
	r := mustResponder(t, store, nil)
	if _, err := r.Respond(t.Context(), []string{"a"}, time.Time{}, ""); err == nil || !strings.Contains(err.Error(), "zero time") {
		t.Errorf("an answer of the zero time: %v", err)
	}
	for _, q := range []producer.Question{{Refs: []string{"a", "\xff"}}, {Refs: []string{"a"}, Nonce: "\xff"}} {
		_, err := r.Respond(t.Context(), q.Refs, respondedAt, q.Nonce)
		if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidVerifyRequest {
			t.Errorf("%+v: %v", q, err)
		}
	}
	_, err := mustResponder(t, store, failingSigner{}).Respond(t.Context(), []string{"c1"}, respondedAt, "")
	if err == nil || !strings.Contains(err.Error(), "the key is locked away") {
		t.Errorf("a signer that fails: %v", err)
	}
}

// An answer has 8 MiB at most, its envelope included. What would have more is refused,
// before it is put together if its records alone are too many.
func TestLargeAnswers(t *testing.T) {
	store := func(size int) producer.Store {
		return fixed{&bundle.Records{Claims: []bundle.Record{{ID: "x", JSON: `{"id":"x","value":"` + strings.Repeat("x", size) + `"}`}}}}
	}
	const around = 1 << 10
	for _, tt := range []struct {
		size   int
		signer dsse.Signer
		ok     bool
	}{
		{producer.MaxAnswerBytes - around, nil, true},
		{producer.MaxAnswerBytes - 100, nil, false},
		{producer.MaxAnswerBytes, nil, false},
		{producer.MaxAnswerBytes/3 - around, verifytest.NewEd25519(t).Signer, true},
		{producer.MaxAnswerBytes / 2, verifytest.NewEd25519(t).Signer, false},
	} {
		r := mustResponder(t, store(tt.size), tt.signer)
		_, err := r.Respond(t.Context(), []string{"x"}, respondedAt, "")
		if _, isLarge := errors.AsType[*producer.TooLargeError](err); isLarge == tt.ok || isLarge != (err != nil) {
			t.Errorf("%d bytes, signed %v: %v", tt.size, tt.signer != nil, err)
		}
	}
}

// fixed is a store that answers the same to all refs.
type fixed struct{ records *bundle.Records }

func (f fixed) LookupByIntegrityRef(context.Context, string) (*bundle.Records, error) {
	return f.records, nil
}

// Records, what names them and what traces name have numbers of four bytes. More than there
// are numbers is refused, in several bundles as in one.
func TestNumbersSuffice(t *testing.T) {
	first, second := storetest.Draft{}, storetest.Draft{}
	for i := range 3 {
		first.Claims = append(first.Claims, storetest.Claim(fmt.Sprint("a", i)))
		second.Claims = append(second.Claims, storetest.Claim(fmt.Sprint("b", i)))
	}
	named := storetest.Draft{Claims: []string{
		storetest.Claim("c1", `,"currentIntegrityRef":"r1"`), storetest.Claim("c2", `,"currentIntegrityRef":"r2"`),
	}}
	judged := storetest.Draft{Claims: first.Claims[:1]}
	for i := range 5 {
		judged.Events = append(judged.Events, storetest.Event(fmt.Sprint("v", i), "a0", "ann"))
	}
	linked := storetest.Draft{
		Claims: first.Claims,
		AuthorityTrace: []string{
			storetest.Trace("t1", "ann", []string{"a0", "a1", "a2"}), storetest.Trace("t2", "ann", []string{"a0", "a1", "a2"}),
		},
	}
	for name, tt := range map[string]struct {
		bundles []storetest.Draft
		needs   int
	}{
		"records of one bundle":       {[]storetest.Draft{first}, 3},
		"records of two bundles":      {[]storetest.Draft{first, second}, 6},
		"records that nothing names":  {[]storetest.Draft{judged}, 5},
		"refs":                        {[]storetest.Draft{named}, 4},
		"claims that traces name":     {[]storetest.Draft{linked}, 6},
		"claims that are named twice": {[]storetest.Draft{linked, linked}, 6},
	} {
		var bundles []*bundle.Bundle
		for _, d := range tt.bundles {
			bundles = append(bundles, d.Bundle(t))
		}
		if _, err := producer.NewSmallMemoryStore(tt.needs, bundles); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := producer.NewSmallMemoryStore(tt.needs-1, bundles); err == nil {
			t.Errorf("%s: %d numbers are enough", name, tt.needs-1)
		}
	}
}
