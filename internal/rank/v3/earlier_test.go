package v3_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// Every request of version 1 or 2 has a translation, which differs from it in version
// and ids alone.
func TestTranslate(t *testing.T) {
	n := 0
	for i, v := range vectortest.Parts[struct{ Request json.RawMessage }](t, "../testdata/requests.jsonl.gz") {
		q, err := v3.ReadRequest(problem.Source{Text: string(v.Request)})
		if err != nil {
			continue
		}
		n++
		translated, err := q.Translate()
		if err != nil {
			t.Errorf("request %d has no translation: %v", i, err)
			continue
		}
		text := translated.JSON()
		for role, members := range map[string]string{"requirement": "requirements", "preference": "preferences"} {
			var request map[string]json.RawMessage
			var list []struct {
				ID     string
				Weight float64
			}
			if json.Unmarshal([]byte(text), &request) != nil || json.Unmarshal(request[members], &list) != nil {
				t.Fatalf("request %d is translated to %s", i, text)
			}
			next := 1
			for _, c := range list {
				if role == "preference" && c.Weight == 0 { // an advisory
					continue
				}
				if id := fmt.Sprintf("%s-%03d", role, next); c.ID != id {
					t.Errorf("request %d: %s has the id %q", i, id, c.ID)
				}
				next++
			}
		}
		mustRead(t, text)
	}
	if n < 250 {
		t.Errorf("%d requests were translated: there are more", n)
	}
}

// A schemaVersion that is none of those that there are, or none at all, is a fault by the
// rules of version 3, which names all.
func TestUnknownVersion(t *testing.T) {
	for text, want := range map[string]string{
		`{"schemaVersion":"service.rank.request/v4","inventory":[]}`: "$.schemaVersion: must be service.rank.request/v1, service.rank.request/v2 or service.rank.request/v3",
		`{"schemaVersion":7,"inventory":[]}`:                         "$.schemaVersion: must be service.rank.request/v1, service.rank.request/v2 or service.rank.request/v3",
		`{"inventory":[]}`:                                           "$.schemaVersion: missing field",
		`{"schemaVersion":null,"inventory":[]}`:                      "$.schemaVersion: missing field",
		`[]`:                                                         "$: must be an object",
		`{"schemaVersion":"service.rank.request/v1"}`:                "$.task: missing field",
	} {
		_, err := v3.ReadRequest(problem.Source{Text: text})
		if faults := problem.All(err); len(faults) == 0 || faults[0].Code != problem.InvalidRankRequest || !strings.HasSuffix(faults[0].Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"schemaVersion":"service.rank.result/v4"}`: "must be service.rank.result/v1, service.rank.result/v2 or service.rank.result/v3",
		`{"schemaVersion":"service.rank.result/v3"}`: "$.catalog: missing field",
		`{"schemaVersion":"service.rank.result/v1"}`: "$.catalog: missing field",
	} {
		if err := v3.CheckResults(problem.Source{Text: text}); !slices.ContainsFunc(problem.All(err), func(e *problem.Error) bool { return strings.HasSuffix(e.Error(), want) }) {
			t.Errorf("%s: %v, want %s", text, problem.All(err), want)
		}
	}
}

const (
	requestV1 = `{"schemaVersion":"service.rank.request/v1","task":{"family":"f","suite":null},"inventory":[{"id":"a","model":{"id":"m","revision":null,"quantization":null},` +
		`"execution":{"runtime":{"id":"r","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}}],"requirements":[],` +
		`"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1}]}`
	requestV3 = `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"m"}}]}`
)

// Both ways to a result keep to the limit, and both kinds of request are explained.
func TestLimitAndExplanation(t *testing.T) {
	k := newRanker(t)
	for _, text := range []string{requestV1, requestV3} {
		const limit = 100
		if answer, err := k.RankText(t.Context(), []byte("before"), text, limit); !errors.As(err, new(*rank.TooLargeError)) || string(answer) != "before" {
			t.Errorf("%s: %q, error %v", text, answer, err)
		}
		q, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if x, err := k.Explain(t.Context(), q, "a"); err != nil || x.Candidate.ID != "a" || x.Request.SHA256 != canonical.Sum([]byte(q.JSON())) {
			t.Errorf("%s is explained as %+v, error %v", text, x, err)
		}
		if _, err := k.Explain(t.Context(), q, "b"); !errors.As(err, new(*v3.UnknownCandidateError)) {
			t.Errorf("%s explains a candidate that it does not have: %v", text, err)
		}
		translated, err := q.Translate()
		if err != nil {
			t.Fatal(err)
		}
		if again := mustRead(t, translated.JSON()); again.IsEarlier() || again.JSON() != translated.JSON() {
			t.Errorf("%s is translated to %s", text, translated.JSON())
		}
	}
}
