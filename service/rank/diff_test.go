package rank_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	insidecatalog "github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// request ranks two of the models of random catalogs, by a fact and by samples.
const request = `{"schemaVersion":"service.rank.request/v3","inventory":[
	{"id":"a","model":{"id":"a"},"execution":{"runtime":{"id":"r"}}},{"id":"b","model":{"id":"b"},"execution":{"runtime":{"id":"q"}}}],
	"requirements":[{"measurementKey":"l","aggregation":"count","transfer":["execution"],"operator":"gte","value":1}],
	"preferences":[{"measurementKey":"k","aggregation":"mean","transfer":["execution"],"resolve":["newest"],"direction":"minimize","weight":2},
		{"measurementKey":"l","aggregation":"fact","transfer":["execution"],"resolve":["newest"],"direction":"maximize","weight":1}]}`

// A diff has all members of the JSON that the command line prints, whatever was compared.
func TestCatalogDiff(t *testing.T) {
	inner, err := v3.ReadRequest(problem.Source{Text: request})
	if err != nil {
		t.Fatal(err)
	}
	q, err := rank.ParseRequest(request)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for range 40 {
		all := comparetest.Random(rnd, 40)
		old, new := comparetest.Compile(t, comparetest.May31, comparetest.Some(rnd, all)...), comparetest.Compile(t, comparetest.June1, comparetest.Some(rnd, all)...)
		sides := [2]*ranking.Side{}
		for i, c := range []*insidecatalog.Catalog{old, new} {
			if sides[i], err = ranking.NewSide(t.Context(), c, inner); err != nil {
				t.Fatal(err)
			}
		}
		want, err := ranking.Diff(t.Context(), sides[0], sides[1], compare.Options{Limit: compare.DefaultLimit})
		if err != nil {
			t.Fatal(err)
		}
		for change, n := range want.Summary.Facts {
			seen[change] += n
		}
		got, err := rank.Diff(t.Context(), (*catalog.Catalog)(old), (*catalog.Catalog)(new), catalog.DiffOptions{}, q)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := service.CanonicalJSON(servicetest.Marshal(t, got)); err != nil || !bytes.Equal(text, ijson.MustWriteTagged(want)) {
			t.Fatalf("the record of a diff is another one, %v\n%s\n%s", err, text, ijson.MustWriteTagged(want))
		}
		alone, err := catalog.Diff(t.Context(), (*catalog.Catalog)(old), (*catalog.Catalog)(new), catalog.DiffOptions{})
		if err != nil || len(alone.Rankings) > 0 {
			t.Fatalf("without requests: %v, %v", alone, err)
		}
		alone.Rankings, alone.Summary.Rankings = got.Rankings, got.Summary.Rankings
		if !bytes.Equal(servicetest.Marshal(t, alone), servicetest.Marshal(t, got)) {
			t.Errorf("without requests the diff is another one\n%s\n%s", servicetest.Marshal(t, alone), servicetest.Marshal(t, got))
		}
	}
	if seen[compare.Added] == 0 || seen[compare.Removed] == 0 {
		t.Errorf("nothing changed: %v", seen)
	}
}

func TestDiffOptions(t *testing.T) {
	old, new := servicetest.FirstDay(), servicetest.SecondDay()
	if d, err := catalog.Diff(t.Context(), old, new, catalog.DiffOptions{Limit: -1}); err != nil || len(d.Models) != 0 || d.LeftOut[record.DiffModels] != 3 {
		t.Errorf("without a limit: %+v, %v", d, err)
	}
	if d, err := catalog.Diff(t.Context(), old, new, catalog.DiffOptions{Limit: 1, Only: []record.DiffKind{record.DiffModels}}); err != nil || len(d.Models) != 1 || d.LeftOut[record.DiffModels] != 2 || len(d.Only) != 1 {
		t.Errorf("limited: %+v, %v", d, err)
	}
	if _, err := rank.Diff(t.Context(), old, new, catalog.DiffOptions{Only: []record.DiffKind{"prices"}}); err == nil {
		t.Error("an unknown kind is accepted")
	}
	if _, err := catalog.Diff(t.Context(), new, old, catalog.DiffOptions{}); err == nil {
		t.Error("the newer catalog comes first")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rank.Diff(ctx, old, new, catalog.DiffOptions{}, servicetest.Cheapest()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
