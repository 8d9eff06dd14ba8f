package producer_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// FuzzQuery reads queries as the standard library does, and more strictly.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"ref=c1", "ref=a+b&ref=%C3%A9&nonce=n", "ref=%", "nonce=&ref=", "%72ef=x&&=;", "ref=%00&ref=%ff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, err := producer.ParseQuestion(query)
		if err != nil {
			if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidVerifyRequest || q != nil {
				t.Fatalf("%v, %v", q, err)
			}
			return
		}
		checkQuestion(t, q)
		theirs, err := url.ParseQuery(strings.ReplaceAll(query, ";", "%3B"))
		if err != nil || !slices.Equal(theirs["ref"], q.Refs) || theirs.Get("nonce") != q.Nonce {
			t.Fatalf("%q: %+v, the library reads %q, %v", query, q, theirs, err)
		}
	})
}

func checkQuestion(t *testing.T, q *producer.Question) {
	t.Helper()
	if len(q.Refs) == 0 || len(q.Refs) > bundle.MaxRefs || utf8.RuneCountInString(q.Nonce) > producer.MaxNonceChars || !utf8.ValidString(q.Nonce) {
		t.Fatalf("%d refs, nonce %q", len(q.Refs), q.Nonce)
	}
	for _, ref := range q.Refs {
		if ref == "" || len(ref) > bundle.MaxRefBytes || !utf8.ValidString(ref) {
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
		q, err := producer.ReadQuestion(body)
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

// FuzzRef asks for any ref, by GET and by POST.
func FuzzRef(f *testing.F) {
	for _, seed := range []string{"c1", "shared", "é", "a b", "\x00", "\xff", "", "sha256:00", `"`, "%", "+"} {
		f.Add(seed)
	}
	handler := newHandler(f, mustStore(f, verifytest.Linked), verifytest.NewEd25519(f).Signer, nil)
	f.Fuzz(func(t *testing.T, ref string) {
		get := httptest.NewRecorder()
		handler.ServeHTTP(get, httptest.NewRequest(http.MethodGet, producer.HachurePath+"?ref="+url.QueryEscape(ref), nil))
		valid := ref != "" && len(ref) <= bundle.MaxRefBytes && utf8.ValidString(ref)
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
		r := httptest.NewRequest(http.MethodPost, producer.ProfilePath, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		post := httptest.NewRecorder()
		handler.ServeHTTP(post, r)
		if post.Body.String() != get.Body.String() {
			t.Fatalf("%q: GET says %s, POST says %s", ref, get.Body, post.Body)
		}
		var a answered
		verifytest.Decode(t, get.Body.String(), &a)
		if m := a.Bundle.Metadata; !slices.Equal(m.RequestedRefs, []string{ref}) {
			t.Fatalf("%q: metadata %+v", ref, m)
		}
	})
}
