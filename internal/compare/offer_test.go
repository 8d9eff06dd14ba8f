package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// ranUnder is an exact execution of a harness, in a workflow unless condition is false.
func ranUnder(condition any) Object {
	e := Ran("bench")
	if condition != false {
		e["workflow"] = Object{"id": "bench", "version": "1", "condition": condition}
	}
	return e
}

func TestOffers(t *testing.T) {
	price, score := []any{Fact("price", 1)}, []any{Sample("score", 1)}
	alone := At("partly")
	alone["adapter"] = Component("a")
	list := []Statement{
		{ID: "m", Execution: At("shop"), Measurements: price}, {ID: "m", Execution: At("shop"), Measurements: price, Until: May2},
		{ID: "m", Execution: At("mall"), Measurements: price}, {ID: "m", Execution: At("other"), Measurements: []any{Fact("limit", 1)}},
		{ID: "m", Execution: alone, Measurements: price}, {ID: "m", Measurements: price},
		{ID: "m", Execution: ranUnder("low"), Measurements: score}, {ID: "m", Execution: ranUnder("high"), Measurements: score},
		{ID: "m", Execution: ranUnder("none"), Measurements: []any{Sample("other", 1)}},
		{ID: "n", Execution: At("shop"), Measurements: price}, {ID: "n", Execution: ranUnder(nil), Measurements: score}, {ID: "n", Execution: ranUnder(false), Measurements: score},
		{ID: "m", Execution: At("free"), Measurements: append([]any{Fact("offer.service", "free")}, price...)},
		{ID: "m", Execution: At("gone"), Measurements: append([]any{Fact("lifecycle.status", "withdrawn")}, price...)},
		{ID: "m", Execution: At("over"), Measurements: append([]any{Fact("lifecycle.retires", "2026-05")}, price...)},
		{ID: "m", Execution: At("alias"), Measurements: append([]any{Fact("offer.kind", "alias")}, price...)},
		{ID: "priced", Execution: At("shop"), Measurements: price},
		{ID: "scored", Execution: ranUnder("low"), Measurements: score},
	}
	describe := func(list []compare.Candidate) (lines []string) {
		for _, c := range list {
			w := c.Execution.Workflow
			lines = append(lines, fmt.Sprintf("%s | %s %s/%s %t", c.ID, c.Execution.Runtime.ID, w.ID, w.Condition, c.IsOffer))
		}
		return lines
	}
	want := []string{
		"m on mall, high | mall your-agent/high true", "m on mall, low | mall your-agent/low true",
		"m on shop, high | shop your-agent/high true", "m on shop, low | shop your-agent/low true",
		"n on shop#1 | shop / true", "n on shop#2 | shop your-agent/ true",
		"priced | shop / false", "scored | bench bench/low false",
	}
	c := Compile(t, June1, list...)
	got := describe(compare.Offers(c, []string{"price", "score"}))
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	// What is asked of one of the keys, or of many, is among what is asked of each.
	each := describe(compare.CandidatesOfEach(c, []string{"price", "score", "other"}))
	for _, line := range want {
		if line = strings.NewReplacer("#1", "", "#2", "").Replace(line); !slices.Contains(each, line) {
			t.Errorf("%s is not among %q", line, each)
		}
	}
	if got := describe(compare.Offers(c, []string{"price"})); slices.ContainsFunc(got, func(line string) bool { return strings.HasSuffix(line, "true") }) {
		t.Errorf("offers without anything measured: %q", got)
	}
}

// A model that would have more offers than any real one has the candidates that it has anyway.
func TestOffersAreBounded(t *testing.T) {
	for _, n := range []int{32, 33} {
		var list []Statement
		for i := range n {
			list = append(list, Statement{ID: "m", Execution: At(fmt.Sprint("shop", i)), Measurements: []any{Fact("price", 1)}},
				Statement{ID: "m", Execution: ranUnder(fmt.Sprint("condition", i)), Measurements: []any{Sample("score", 1)}})
		}
		want := map[int]int{32: 1024, 33: 33}[n]
		if got := compare.Offers(Compile(t, June1, list...), []string{"price", "score"}); len(got) != want {
			t.Errorf("%d places and conditions: %d offers, want %d", n, len(got), want)
		}
	}
}
