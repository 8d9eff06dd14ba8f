package store_test

import (
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

// The plain query answers what leads to one claim at most, of one state of the database.
// All else is left to the general query.
func TestOneClaim(t *testing.T) {
	state := func(s string) store.Cell { return store.Cell{Kind: store.RowState, Key: s} }
	names := func(claim string) store.Cell { return store.Cell{Kind: store.RowClaimRef, Key: claim} }
	record := func(kind bundle.Kind, id string) store.Cell {
		return store.Cell{Kind: int(kind), Key: id, Text: `{"id":"` + id + `"}`}
	}
	trace := store.Cell{Kind: store.RowTraceRef, Key: "t"}
	claim, other := record(bundle.KindClaim, "ref"), record(bundle.KindClaim, "other")
	for name, tt := range map[string]struct {
		ref, other []store.Cell // the answers to the two keys
		claim      string       // that is found
		further    bool
		asked      int
	}{
		"unknown":                          {ref: []store.Cell{state("1")}, asked: 1},
		"a claim":                          {ref: []store.Cell{state("1"), claim}, claim: "ref", asked: 1},
		"a claim that also names itself":   {ref: []store.Cell{state("1"), names("ref"), claim}, claim: "ref", asked: 1},
		"another name":                     {ref: []store.Cell{state("1"), names("other")}, other: []store.Cell{state("1"), other}, claim: "other", asked: 2},
		"twice the same name":              {ref: []store.Cell{state("1"), names("other"), names("other")}, other: []store.Cell{state("1"), other}, claim: "other", asked: 2},
		"a state without a load":           {ref: []store.Cell{state(""), names("other")}, other: []store.Cell{state(""), other}, claim: "other", asked: 2},
		"a claim and another name":         {ref: []store.Cell{state("1"), names("other"), claim}, further: true, asked: 1},
		"the same in another order":        {ref: []store.Cell{claim, names("other"), state("1")}, further: true, asked: 1},
		"two names":                        {ref: []store.Cell{state("1"), names("other"), names("third")}, further: true, asked: 1},
		"a trace":                          {ref: []store.Cell{state("1"), trace}, further: true, asked: 1},
		"a claim and a trace":              {ref: []store.Cell{state("1"), trace, claim}, further: true, asked: 1},
		"loaded in between":                {ref: []store.Cell{state("1"), names("other")}, other: []store.Cell{state("2"), other}, further: true, asked: 2},
		"loaded for the first time":        {ref: []store.Cell{state(""), names("other")}, other: []store.Cell{state("2"), other}, further: true, asked: 2},
		"the name of a claim that is gone": {ref: []store.Cell{state("1"), names("other")}, other: []store.Cell{state("1")}, further: true, asked: 2},
		"the name of a claim that names":   {ref: []store.Cell{state("1"), names("other")}, other: []store.Cell{state("1"), names("third"), other}, further: true, asked: 2},
		"traces of a claim that is gone":   {ref: []store.Cell{state("1"), record(bundle.KindTrace, "t")}, asked: 1},
	} {
		found, ok, asked, err := store.FindClaim(t.Context(), map[string][]store.Cell{"ref": tt.ref, "other": tt.other})
		got := ""
		if found != nil {
			got = found.Claims[0].ID
		}
		if err != nil || ok == tt.further || got != tt.claim || !slices.Equal(asked, []string{"ref", "other"}[:tt.asked]) {
			t.Errorf("%s: claim %q, ok %v, asked for %q, %v", name, got, ok, asked, err)
		}
	}
}
