package v3_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// FuzzRequest reads arbitrary requests. What is accepted has a normal form that reads
// as itself, and a text that does, and ranks; what is refused says where.
func FuzzRequest(f *testing.F) {
	for i, q := range requestSeeds(f) {
		if text := q.Text(); i%8 == 0 && len(text) < 4096 {
			f.Add(text)
		}
	}
	f.Add(exampleRequest(f))
	f.Add(request("m n", `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1,"transfer":["execution","model.revision"],"resolve":["newest"]}]`))
	k := newRanker(f,
		observed{measurements: sample("1", "s"), task: "f/s/1"}, observed{measurements: sample("2", "s"), task: "f/s/2"},
		observed{model: "n", measurements: sample("3", "s"), task: "f/s/1"}, observed{model: "n@r", measurements: sample("5", ""), execution: scope("rt", "")},
		observed{model: "c", measurements: sample("true", ""), task: "f/s"}, observed{model: "c", measurements: fact("4", "s")},
	)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			list := problem.All(err)
			if q != nil || len(list) == 0 {
				t.Fatalf("request %v, error %v", q, err)
			}
			for _, e := range list {
				if e.Code != problem.InvalidRankRequest || !strings.HasPrefix(e.Path, "$") || e.Offset > len(text) || e.Offset < 0 && e.Rest == 0 {
					t.Errorf("fault %+v", e)
				}
			}
			return
		}
		normal := q.JSON()
		again, err := v3.ReadRequest(problem.Source{Text: normal})
		if err != nil || again.JSON() != normal {
			t.Fatalf("%q has the normal form %q, which reads as %v, error %v", text, normal, again, err)
		}
		if laidOut := q.Text(); len(laidOut) <= v3.MaxRequestBytes {
			if again, err := v3.ReadRequest(problem.Source{Text: laidOut}); err != nil || again.JSON() != normal {
				t.Fatalf("%q is written as %q, which reads as %v, error %v", text, laidOut, again, err)
			}
		}
		result := mustRank(t, k, q)
		r := mustEvaluate(t, k, q)
		for i, c := range result.Ranked {
			x := mustExplain(t, r, c.CandidateID)
			if *x.Placement.Rank != uint64(i+1) || *x.Placement.Score != c.Score {
				t.Errorf("%s is explained at %s", c.CandidateID, canonical.MustMarshal(x.Placement))
			}
		}
		for _, c := range result.Excluded {
			if x := mustExplain(t, r, c.CandidateID); x.Placement.Rank != nil {
				t.Errorf("%s is explained at %s", c.CandidateID, canonical.MustMarshal(x.Placement))
			}
		}
	})
}

// FuzzResult reads arbitrary results. What is accepted is written as a result that
// reads as the same.
func FuzzResult(f *testing.F) {
	f.Add(richResult(f))
	f.Fuzz(func(t *testing.T, text string) { fuzzDocument(t, text, v3.ReadResult) })
}

// FuzzExplanation does the same with explanations.
func FuzzExplanation(f *testing.F) {
	r := mustEvaluate(f, mustIndex(f, exampleCatalog(f)), mustRead(f, exampleRequest(f)))
	for _, id := range []string{"gpt-5", "kimi-k2"} {
		f.Add(string(canonical.MustMarshal(mustExplain(f, r, id))))
	}
	f.Fuzz(func(t *testing.T, text string) { fuzzDocument(t, text, v3.ReadExplanation) })
}

func fuzzDocument[T any](t *testing.T, text string, read func(problem.Source) (*T, error)) {
	d, err := read(problem.Source{Text: text})
	if err != nil {
		list := problem.All(err)
		if d != nil || len(list) == 0 {
			t.Fatalf("document %v, error %v", d, err)
		}
		for _, e := range list {
			if !strings.HasPrefix(e.Path, "$") || e.Offset > len(text) || e.Offset < 0 && e.Rest == 0 {
				t.Errorf("fault %+v", e)
			}
		}
		return
	}
	written := canonical.MustMarshal(d)
	again, err := read(problem.Source{Text: string(written)})
	if err != nil || string(canonical.MustMarshal(again)) != string(written) {
		t.Fatalf("%q is written as %q, which reads as %v, error %v", text, written, again, err)
	}
}
