package rank_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// fleet makes a model, its observation of a value of key k and its candidate for
// each value. The ids of the candidates are those given, else c0, c1 and so on.
func fleet(values []string, ids ...string) (docs []string, inventory string) {
	var all []observed
	var launched []string
	for i, v := range values {
		model := fmt.Sprintf(`{"id":"m%d","revision":null,"quantization":null}`, i)
		if v != "" {
			all = append(all, observed{model: model, measurements: v})
		}
		id := fmt.Sprintf("c%d", i)
		if len(ids) > 0 {
			id = ids[i]
		}
		launched = append(launched, launch(id, model, profileP))
	}
	return numbered(all...), strings.Join(launched, ",")
}

func order(r []candidateJSON) (ids []string) {
	for _, c := range r {
		ids = append(ids, c.CandidateID)
	}
	return ids
}

func TestScores(t *testing.T) {
	docs, inventory := fleet([]string{sample("10", ""), sample("20", ""), "", sample("40", ""), sample(`"fast"`, ""), sample("30", "")})
	got := judge(t, docs, asked{inventory: inventory, preferences: prefer("mean", "maximize", "3")})
	want := map[string]float64{"c0": 0, "c1": 1, "c2": 0, "c3": 3, "c4": 0, "c5": 2}
	if !slices.Equal(order(got.Ranked), []string{"c3", "c5", "c1", "c0", "c2", "c4"}) || got.ScoreScale.Maximum != 3 {
		t.Errorf("order %q, maximum %v", order(got.Ranked), got.ScoreScale.Maximum)
	}
	for i, c := range got.Ranked {
		if c.Score == nil || *c.Score != want[c.CandidateID] || c.Rank != i+1 {
			t.Errorf("%s has rank %d and score %v, want %d and %v", c.CandidateID, c.Rank, c.Score, i+1, want[c.CandidateID])
		}
	}
	got = judge(t, docs, asked{inventory: inventory, preferences: prefer("mean", "minimize", "3")})
	if !slices.Equal(order(got.Ranked), []string{"c0", "c1", "c5", "c2", "c3", "c4"}) || *got.Ranked[1].Score != 2 {
		t.Errorf("order %q, second score %v", order(got.Ranked), *got.Ranked[1].Score)
	}
}

// TestManyTies has more equal scores than a sort that is not stable leaves in
// order by chance.
func TestManyTies(t *testing.T) {
	const n = 100
	values := make([]string, n)
	for i := range values {
		values[i] = sample(fmt.Sprint(i%2), "")
	}
	docs, inventory := fleet(values)
	got := order(judge(t, docs, asked{inventory: inventory, preferences: prefer("mean", "maximize", "1")}).Ranked)
	if better, worse := got[:n/2], got[n/2:]; len(got) != n || !slices.IsSorted(better) || !slices.IsSorted(worse) {
		t.Errorf("ranked %q", got)
	}
}

// TestExcludedDoNotCount looks at a scale whose ends are excluded.
func TestExcludedDoNotCount(t *testing.T) {
	docs, inventory := fleet([]string{sample("0", ""), sample("10", ""), sample("20", ""), sample("90", "")})
	got := judge(t, docs, asked{inventory: inventory, preferences: prefer("mean", "maximize", "1"),
		requirements: require("min", "gte", "10") + "," + require("min", "lte", "20")})
	if !slices.Equal(order(got.Ranked), []string{"c2", "c1"}) || *got.Ranked[0].Score != 1 || *got.Ranked[1].Score != 0 {
		t.Errorf("ranked %+v", got.Ranked)
	}
	if !slices.Equal(order(got.Excluded), []string{"c0", "c3"}) || got.Excluded[0].Score != nil || got.Excluded[0].Rank != 0 {
		t.Errorf("excluded %+v", got.Excluded)
	}
}

func TestScoresThatOverflow(t *testing.T) {
	docs, inventory := fleet([]string{sample("-1.7e308", ""), sample("1.7e308", ""), sample("0", "")})
	got := judge(t, docs, asked{inventory: inventory, preferences: prefer("mean", "maximize", "1e308")})
	for i, want := range []float64{1e308, 5e307, 0} {
		if *got.Ranked[i].Score != want {
			t.Errorf("score %d is %v, want %v", i+1, *got.Ranked[i].Score, want)
		}
	}
}

// TestTiesAreOrderedByID orders equal scores by UTF-16 code units.
func TestTiesAreOrderedByID(t *testing.T) {
	ids := []string{"\uFB33", "b", "\U0001F600", "B", "a", "é"}
	for _, value := range []string{sample("1", ""), ""} {
		docs, inventory := fleet([]string{value, value, value, value, value, value}, ids...)
		want := []string{"B", "a", "b", "é", "\U0001F600", "\uFB33"}
		got := judge(t, docs, asked{inventory: inventory, preferences: prefer("mean", "maximize", "1")})
		if !slices.Equal(order(got.Ranked), want) {
			t.Errorf("ranked %q, want %q", order(got.Ranked), want)
		}
		for i, c := range got.Ranked {
			if c.Rank != i+1 {
				t.Errorf("%s has rank %d, want %d", c.CandidateID, c.Rank, i+1)
			}
		}
		got = judge(t, docs, asked{inventory: inventory, requirements: require("mean", "eq", "2")})
		if !slices.Equal(order(got.Excluded), want) {
			t.Errorf("excluded %q, want %q", order(got.Excluded), want)
		}
	}
}

// TestScoreIsAddedInOrder takes weights whose sum depends on the order, and
// products that would differ if they were fused with the sum.
func TestScoreIsAddedInOrder(t *testing.T) {
	values, weights, want := sensitiveSum(t)
	var measurements [3][]string
	var preferences []string
	maximum := 0.0
	for k, weight := range weights {
		for i, v := range []float64{0, values[k], 1} {
			measurements[i] = append(measurements[i], fmt.Sprintf(`{"key":"k%02d","kind":"sample","value":%v}`, k, v))
		}
		preferences = append(preferences, fmt.Sprintf(`{"measurementKey":"k%02d","aggregation":"mean","direction":"maximize","weight":%v}`, k, weight))
		maximum += weight
	}
	slices.Reverse(preferences)
	docs, inventory := fleet([]string{strings.Join(measurements[0], ","), strings.Join(measurements[1], ","), strings.Join(measurements[2], ",")})
	got := judge(t, docs, asked{inventory: inventory, preferences: strings.Join(preferences, ",")})
	if *got.Ranked[1].Score != want || *got.Ranked[0].Score != maximum || got.ScoreScale.Maximum != maximum {
		t.Errorf("scores %v and %v of %v, want %v and %v", *got.Ranked[1].Score, *got.Ranked[0].Score, got.ScoreScale.Maximum, want, maximum)
	}
}

// sensitiveSum returns factors whose products add up to another number if they
// are added from the end, or without rounding the products.
func sensitiveSum(t *testing.T) (values, weights []float64, sum float64) {
	const terms, attempts = 50, 1000
	random := rand.New(rand.NewPCG(3, 4))
	for range attempts {
		values, weights = make([]float64, terms), make([]float64, terms)
		sum, fused, backwards := 0.0, 0.0, 0.0
		for i := range values {
			values[i], weights[i] = random.Float64(), random.Float64()
			product := float64(values[i] * weights[i])
			sum += product
			fused = math.FMA(values[i], weights[i], fused)
		}
		for i := terms - 1; i >= 0; i-- {
			product := float64(values[i] * weights[i])
			backwards += product
		}
		if sum != fused && sum != backwards {
			return values, weights, sum
		}
	}
	t.Fatal("no such factors")
	return nil, nil, 0
}
