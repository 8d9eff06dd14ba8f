package dispatch_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

type asked struct {
	Request json.RawMessage
	Expect  struct{ ResultSha256 string }
}

func newRanker(t testing.TB, asOf string, observations []json.RawMessage) *dispatch.Ranker {
	t.Helper()
	docs := make([]string, len(observations))
	for i, o := range observations {
		docs[i] = string(o)
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return dispatch.New(c)
}

// expectResult holds the text of an answer against its hash, and reads it again.
func expectResult(t *testing.T, name string, k *dispatch.Ranker, a asked) {
	t.Helper()
	text, err := k.RankText(t.Context(), nil, string(a.Request), 0)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	} else if canonical.Sum(text) != a.Expect.ResultSha256 {
		t.Errorf("%s has another result: %s", name, text)
	} else if err := dispatch.CheckResults(problem.Source{Text: string(text)}); err != nil {
		t.Errorf("%s: its result does not read: %v", name, err)
	}
}

// Requests of versions 1 and 2 are answered as the vectors of that version say.
func TestVersions(t *testing.T) {
	rankers := map[string]*dispatch.Ranker{}
	for _, v := range vectortest.Parts[struct {
		Name, AsOf   string
		Observations []json.RawMessage
	}](t, "../../catalog/testdata/catalogs.jsonl.gz") {
		rankers[v.Name] = newRanker(t, v.AsOf, v.Observations)
	}
	for _, v := range vectortest.Parts[struct {
		Catalog  string
		Requests []asked
	}](t, "../testdata/ranks.jsonl.gz") {
		for _, a := range v.Requests {
			expectResult(t, v.Catalog, rankers[v.Catalog], a)
		}
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
		_, err := dispatch.ReadRequest(problem.Source{Text: text})
		if faults := problem.All(err); len(faults) == 0 || faults[0].Code != problem.InvalidRankRequest || !strings.HasSuffix(faults[0].Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"schemaVersion":"service.rank.result/v4"}`: "must be service.rank.result/v1, service.rank.result/v2 or service.rank.result/v3",
		`{"schemaVersion":"service.rank.result/v3"}`: "$.catalog: missing field",
		`{"schemaVersion":"service.rank.result/v1"}`: "$.catalog: missing field",
	} {
		if err := dispatch.CheckResults(problem.Source{Text: text}); !slices.ContainsFunc(problem.All(err), func(e *problem.Error) bool { return strings.HasSuffix(e.Error(), want) }) {
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
	k := newRanker(t, "2026-06-01T00:00:00.000Z", nil)
	if err := k.Prepare(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{requestV1, requestV3} {
		const limit = 100
		if answer, err := k.RankText(t.Context(), []byte("before"), text, limit); !errors.As(err, new(*rank.TooLargeError)) || string(answer) != "before" {
			t.Errorf("%s: %q, error %v", text, answer, err)
		}
		q, err := dispatch.ReadRequest(problem.Source{Text: text})
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
		if again, err := dispatch.ReadRequest(problem.Source{Text: translated}); err != nil || again.Current == nil {
			t.Errorf("%s is translated to %s, error %v", text, translated, err)
		}
	}
}
