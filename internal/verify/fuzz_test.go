package verify_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
)

// FuzzQuery reads queries as the standard library does, and more strictly.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"ref=c1", "ref=a+b&ref=%C3%A9&nonce=n", "ref=%", "nonce=&ref=", "%72ef=x&&=;", "ref=%00&ref=%ff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, err := verify.ParseQuestion(query)
		if err != nil {
			if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidVerifyRequest || q != nil {
				t.Fatalf("%v, %v", q, err)
			}
			return
		}
		checkQuestion(t, q)
		theirs, err := url.ParseQuery(strings.ReplaceAll(query, ";", "%3B"))
		if err != nil || !slices.Equal(theirs["ref"], q.Refs) || theirs.Get("nonce") != q.Nonce {
			t.Fatalf("%q: %q, the library reads %q, %v", query, q, theirs, err)
		}
	})
}

func checkQuestion(t *testing.T, q *verify.Question) {
	t.Helper()
	if len(q.Refs) == 0 || len(q.Refs) > verify.MaxRefs || utf8.RuneCountInString(q.Nonce) > verify.MaxNonceChars || !utf8.ValidString(q.Nonce) {
		t.Fatalf("%d refs, nonce %q", len(q.Refs), q.Nonce)
	}
	for _, ref := range q.Refs {
		if ref == "" || len(ref) > verify.MaxRefBytes || !utf8.ValidString(ref) {
			t.Fatalf("ref %q", ref)
		}
	}
}

// FuzzBody reads bodies as the standard library does, and more strictly.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{"refs":["c1"]}`, `{"nonce":"\u00e9","x":{"refs":[]},"refs":["a","\n"]}`, `{"refs":[""]}`, `{"refs":["a"],"refs":["b"]}`, "\uFEFF{\"refs\":[\"a\"]}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		q, err := verify.ReadQuestion(body)
		if err != nil {
			if faults := problem.All(err); len(faults) == 0 || faults[0].Code != problem.InvalidVerifyRequest || q != nil {
				t.Fatalf("%v, %v", q, err)
			}
			return
		}
		checkQuestion(t, q)
		var members map[string]json.RawMessage // names are exact there, in structs they are not
		var refs []string
		var nonce string
		if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "\uFEFF")), &members); err != nil {
			t.Fatalf("%q is no JSON: %v", body, err)
		}
		if err := json.Unmarshal(members["refs"], &refs); err != nil || !slices.Equal(refs, q.Refs) {
			t.Fatalf("%q: %q, want %q", body, q.Refs, refs)
		}
		if text, ok := members["nonce"]; ok {
			if err := json.Unmarshal(text, &nonce); err != nil || nonce == "" {
				t.Fatalf("%q: nonce %q, %v", body, nonce, err)
			}
		}
		if nonce != q.Nonce {
			t.Fatalf("%q: nonce %q, want %q", body, q.Nonce, nonce)
		}
	})
}

// FuzzEnvelope writes what it reads so that it reads the same again.
func FuzzEnvelope(f *testing.F) {
	pair := newEd25519(f)
	e, err := verify.ToDSSEEnvelope(f.Context(), []byte("{}"), pair.signer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(e.AppendJSON(nil)))
	f.Add(`{"payload":"","payloadType":"\u0000","signatures":[{"sig":"AAA="},{"keyid":"","sig":""}],"x":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := verify.ReadEnvelope(text)
		if err != nil {
			return
		}
		written := e.AppendJSON(nil)
		again, err := verify.ReadEnvelope(string(written))
		if err != nil || !bytes.Equal(again.AppendJSON(nil), written) {
			t.Fatalf("%q is written as %s, which is read as %+v, %v", text, written, again, err)
		}
		pae := verify.AppendPAE(nil, e.PayloadType, e.Payload)
		for _, s := range e.Signatures {
			if pair.public.Verify(pae, s.Sig) && !bytes.Equal(e.Payload, []byte("{}")) {
				t.Fatalf("a forged signature: %s", written)
			}
		}
	})
}

// FuzzBundle holds what is accepted to what is promised: records come out as
// they went in, answers can be read, and whoever holds the bundle and asks about
// it finds nothing new.
func FuzzBundle(f *testing.F) {
	f.Add(readFile(f, "testdata/full.json"))
	f.Add(linked)
	f.Add(scene(asHeld))
	f.Add(`{"claims":[{"qualifiers":{"":`)
	f.Add(strings.Replace(readFile(f, "testdata/full.json"), `"split": "test"`, `"split": 1, "": [], "?": "x"`, 1))
	f.Add(`{"schemaVersion":6.0,"source":"","claims":[],"evidence":[],"policies":[],"events":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		b, err := verify.ReadBundle(problem.Source{Name: "b", Text: text})
		if err != nil {
			for _, fault := range problem.All(err) {
				if fault.Code != problem.InvalidTrustBundle || fault.Place.Line < 1 {
					t.Fatalf("problem %+v", fault)
				}
			}
			return
		}
		raw, err := verify.ReadRawBundle(problem.Source{Name: "b", Text: text})
		if err != nil || !slices.Equal(raw.Claims, b.Claims()) || !slices.Equal(raw.Events, b.Events()) {
			t.Fatalf("merging reads other records: %v", err)
		}
		store, err := verify.NewMemoryStore(b, b)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		r := mustResponder(t, store, nil)
		var answers []verify.Answer
		for _, refs := range verify.Questions(b) {
			response, err := r.Respond(t.Context(), refs, now, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, claim := range b.Claims() {
				if slices.Contains(refs, claim.ID) && !bytes.Contains(response.JSON, []byte(claim.JSON)) {
					t.Fatalf("%s is not in %s", claim.JSON, response.JSON)
				}
			}
			answers = append(answers, verify.Answer{Text: string(response.JSON)})
		}
		if len(answers) == 0 {
			return
		}
		receipt := verify.Receive(b, answers, verify.ReceiveOptions{Now: now})
		if len(receipt.Outcomes) > 0 {
			t.Fatalf("outcomes %+v", receipt.Outcomes)
		}
	})
}

// FuzzRef asks for any ref, by GET and by POST.
func FuzzRef(f *testing.F) {
	for _, seed := range []string{"c1", "shared", "é", "a b", "\x00", "\xff", "", "sha256:00", `"`, "%", "+"} {
		f.Add(seed)
	}
	handler := newHandler(f, mustStore(f, linked), newEd25519(f).signer, nil)
	f.Fuzz(func(t *testing.T, ref string) {
		get := httptest.NewRecorder()
		handler.ServeHTTP(get, httptest.NewRequest(http.MethodGet, verify.HachurePath+"?ref="+url.QueryEscape(ref), nil))
		valid := ref != "" && len(ref) <= verify.MaxRefBytes && utf8.ValidString(ref)
		if (get.Code == http.StatusOK) != valid || !valid && get.Code != http.StatusBadRequest {
			t.Fatalf("%q: %d %s", ref, get.Code, get.Body)
		}
		if !valid {
			return
		}
		body, err := json.Marshal(map[string]any{"refs": []string{ref}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, verify.ProfilePath, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		post := httptest.NewRecorder()
		handler.ServeHTTP(post, r)
		if post.Body.String() != get.Body.String() {
			t.Fatalf("%q: GET says %s, POST says %s", ref, get.Body, post.Body)
		}
		var a answered
		decodeJSON(t, get.Body.String(), &a)
		if m := a.Bundle.Metadata; !slices.Equal(m.RequestedRefs, []string{ref}) {
			t.Fatalf("%q: metadata %+v", ref, m)
		}
	})
}
