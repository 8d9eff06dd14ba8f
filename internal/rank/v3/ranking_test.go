package v3_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// A result that is as long as the limit is written, a longer one refused: while it is
// written or, if the ids alone are too long, before.
func TestLimit(t *testing.T) {
	k, q := mustIndex(t, exampleCatalog(t)), mustRead(t, exampleRequest(t))
	whole := mustWrite(t, mustEvaluate(t, k, q))
	for _, limit := range []int{len(whole), len(whole) - 1, 1000, 500, 66, 1} {
		var text []byte
		r, err := k.Rank(t.Context(), q, limit)
		if err == nil {
			text, err = r.AppendJSON([]byte("before"), limit)
		}
		if limit == len(whole) {
			if err != nil || string(text) != "before"+whole {
				t.Errorf("limit %d: error %v", limit, err)
			}
			continue
		}
		tooLarge, is := errors.AsType[*rank.TooLargeError](err)
		if !is || tooLarge.Limit != limit || r != nil && string(text) != "before" {
			t.Errorf("limit %d: %q, error %v", limit, text, err)
		}
	}
}

// Evaluation ends when no result within the limit is possible, so that it holds no
// more than one that is.
func TestLimitWhileEvaluating(t *testing.T) {
	var all []observed
	for i := range 300 {
		all = append(all, observed{measurements: sample(fmt.Sprint(i), ""), task: "f"})
	}
	q := mustRead(t, request("m n", `"advisories":[`+list(8, func(i int) string { return fmt.Sprintf(`{"id":"a%d","measurementKey":"k","aggregation":"mean"}`, i) })+`]`))
	k := newRanker(t, all...)
	const limit = 100_000 // 300 ids of 66 bytes fit five times
	if _, err := k.Rank(t.Context(), q, limit); !errors.As(err, new(*rank.TooLargeError)) {
		t.Errorf("error %v", err)
	}
	r, err := k.Rank(t.Context(), q, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = r.AppendJSON(nil, 1_000_000); err != nil {
		t.Error(err)
	}
}

// countdown is a context that ends when it was looked at so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A context that ends, ends the evaluation, wherever that is.
func TestCancel(t *testing.T) {
	k, q := mustIndex(t, exampleCatalog(t)), mustRead(t, exampleRequest(t))
	const looks = 6*(2+2) + 6 + 6 // requirements and preferences of six candidates, tie breakers, comparisons
	for n := range looks {
		if _, err := k.Rank(&countdown{t.Context(), n}, q, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: error %v", n, err)
		}
	}
	if _, err := k.Rank(&countdown{t.Context(), looks}, q, 0); err != nil {
		t.Errorf("after %d looks: error %v", looks, err)
	}
}

// One ranker answers many requests at once, and one ranking is written by many.
func TestConcurrentUse(t *testing.T) {
	k, q := mustIndex(t, exampleCatalog(t)), mustRead(t, exampleRequest(t))
	shared := mustEvaluate(t, k, q)
	want := mustWrite(t, shared)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			r, err := k.Rank(t.Context(), q, 0)
			if err != nil {
				t.Error(err)
				return
			}
			for _, r := range []*v3.Ranking{r, shared} {
				if text, err := r.AppendJSON(nil, 0); err != nil || string(text) != want {
					t.Errorf("another result, error %v", err)
				}
				if _, err := r.Explain(t.Context(), "gpt-5"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
}

// An inventory without candidates, and a request without criteria, have results.
func TestEmptyRequests(t *testing.T) {
	k := newRanker(t)
	r := mustRank(t, k, mustRead(t, request("", `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":2}]`)))
	if len(r.Ranked)+len(r.Excluded) != 0 || r.ScoreScale.Maximum != 2 || r.ScoreScale.Scales[0].Low != nil || r.Statistics.Comparisons != 0 {
		t.Errorf("result %+v", r)
	}
	r = mustRank(t, k, mustRead(t, request("b a", `"minimumCoverage":1`)))
	if len(r.Ranked) != 2 || r.Ranked[0].CandidateID != "a" || r.Ranked[1].TieGroup != 1 || r.Ranked[1].Coverage != 1 || r.ScoreScale.Kind != "request-relative" {
		t.Errorf("result %+v", r)
	}
}

// The order in which a request lists what it does not rank is of no account.
func TestOrderOfRequest(t *testing.T) {
	k := mustIndex(t, exampleCatalog(t))
	want := mustWrite(t, mustEvaluate(t, k, mustRead(t, exampleRequest(t))))
	lines := strings.Split(exampleRequest(t), "\n")
	lines[2], lines[6] = lines[6], lines[2] // candidates
	if got := mustWrite(t, mustEvaluate(t, k, mustRead(t, strings.Join(lines, "\n")))); got != want {
		t.Error("another order of the inventory makes another result")
	}
}
