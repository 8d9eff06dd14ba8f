package v3_test

import (
	"slices"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// What a build says of its sources: of which it has numbers, of which old ones, and of which none.
func TestBuiltOf(t *testing.T) {
	b := &record.CatalogBuild{Sources: []record.BuiltSource{
		{ID: "prices", Rows: 9, SeenAt: "2026-08-01T06:00:00.000Z"},
		{ID: "board", Rows: 65, SeenAt: "2026-08-01T06:00:00.000Z", Revision: "2026-01-08"},
		{ID: "list", Rows: 3, SeenAt: "2026-07-01T06:00:00.000Z", Revision: "cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a", Overdue: true, Reason: "503"},
		{ID: "held", Rows: 3, SeenAt: "2026-07-31T06:00:00.000Z", Reason: "it has 1 rows, the one before had 3"},
		{ID: "observations", Rows: 2}, {ID: "gone", Reason: "404"},
	}}
	const want = "Built of prices (2026-08-01), board (release 2026-01-08, seen 2026-08-01), list (2026-07-01), held (2026-07-31), observations."
	if got := v3.BuiltOf(b); got != want {
		t.Error(got)
	}
	if got := v3.Shortcomings(b); !slices.Equal(got, []string{
		"the catalog has list as of 2026-07-01, longer ago than its numbers are valid: 503",
		"the catalog has held as of 2026-07-31: it has 1 rows, the one before had 3", "the catalog has nothing of gone: 404",
	}) {
		t.Errorf("%q", got)
	}
	if got := v3.BuiltOf(&record.CatalogBuild{}); got != "" {
		t.Error(got)
	}
}

// Rows that are in no model are counted for the leaderboards that the question prefers.
func TestMissingRows(t *testing.T) {
	value := func(f float64) []record.UnknownValue { return []record.UnknownValue{{Key: "score", Value: f}} }
	b := &record.CatalogBuild{Sources: []record.BuiltSource{
		{ID: "board", Rows: 65, Unknown: []record.UnknownRow{{Label: "a-high", Values: value(78.2)}, {Label: "b", Values: value(70)}, {Label: "c"}}},
		{ID: "prices", Rows: 9},
	}}
	want := []string{"2 of 65 rows of board are in no model of this catalog, best of them a-high (78.2)"}
	if got := v3.MissingRows(b, &v3.Question{Maximize: []string{"score"}}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := v3.MissingRows(b, &v3.Question{Maximize: []string{"other"}}); got != nil {
		t.Errorf("%q", got)
	}
}
