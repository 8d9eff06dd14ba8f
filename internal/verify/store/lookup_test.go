package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

// The plain query answers what leads to one claim at most, of one state of the database.
// All else is left to the general query.
func TestOneClaim(t *testing.T) {
	state := func(s string) store.Cell { return store.Cell{Kind: store.RowState, Text: s} }
	names := func(claim string) store.Cell { return store.Cell{Kind: store.RowClaimRef, Text: claim} }
	record := func(id string) store.Cell {
		return store.Cell{Kind: store.RowPart, Text: store.Packed(bundle.KindClaim, id, `{"id":"`+id+`"}`)}
	}
	trace := store.Cell{Kind: store.RowTraceRef, Text: "t"}
	claim, other := record("ref"), record("other")
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
		"traces of a claim that is gone":   {ref: []store.Cell{state("1"), {Kind: store.RowTrace, Text: store.Packed(bundle.KindTrace, "t", `{"id":"t"}`)}}, asked: 1},
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

// Of a claim that is kept, another name needs one query, and none the next time. A claim that
// was found by another name needs none. After a load all is looked up again.
func TestOtherNames(t *testing.T) {
	cells := func(state string, more ...store.Cell) []store.Cell {
		return append([]store.Cell{{Kind: store.RowState, Text: state}}, more...)
	}
	database := func(state string) map[string][]store.Cell {
		name := store.Cell{Kind: store.RowClaimRef, Text: "claim"}
		return map[string][]store.Cell{
			"claim": cells(state, store.Cell{Kind: store.RowPart, Text: store.Packed(bundle.KindClaim, "claim", `{"id":"claim","in":"`+state+`"}`)}),
			"name":  cells(state, name), "other": cells(state, name), "unknown": cells(state),
		}
	}
	for _, tt := range []struct {
		refs, asked []string
		loadBefore  int // the index of a ref
	}{
		{[]string{"claim", "name", "name", "other", "claim"}, []string{"claim", "name", "other"}, -1},
		{[]string{"name", "claim", "other", "other"}, []string{"name", "claim", "other"}, -1},
		{[]string{"unknown", "unknown"}, []string{"unknown"}, -1},
		{[]string{"name", "name"}, []string{"name", "claim", "name", "claim"}, 1},
		{[]string{"name", "claim", "name"}, []string{"name", "claim", "claim", "name"}, 1},
	} {
		found, asked, err := store.LookUpInTurn(t.Context(), tt.refs, func(i int) (string, map[string][]store.Cell) {
			state := "old"
			if tt.loadBefore >= 0 && i >= tt.loadBefore {
				state = "new"
			}
			return state, database(state)
		})
		if err != nil || !slices.Equal(asked, tt.asked) {
			t.Errorf("%q: asked for %q, %v; want %q", tt.refs, asked, err, tt.asked)
			continue
		}
		for i, ref := range tt.refs {
			want := `{"id":"claim","in":"old"}`
			if tt.loadBefore >= 0 && i >= tt.loadBefore {
				want = strings.Replace(want, "old", "new", 1)
			}
			switch r := found[i]; {
			case ref == "unknown" && r != nil:
				t.Errorf("%q is known: %+v", ref, r)
			case ref != "unknown" && (r == nil || len(r.Claims) != 1 || r.Claims[0].JSON != want):
				t.Errorf("%q: %+v for the %d. time, want %s", ref, r, i, want)
			}
		}
	}
}
