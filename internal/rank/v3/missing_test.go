package v3_test

import (
	"slices"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

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
