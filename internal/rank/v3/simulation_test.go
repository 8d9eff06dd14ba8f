package v3_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// These simulations draw models whose true quality is known, have them ranked, and count how often what a
// result says is so. docs/certainty.md has the numbers of long tests.

// drawing draws what is measured of one task, as a share, of so many questions; 0: nobody says.
type drawing struct {
	name   string
	task   func(r *rand.Rand) float64
	mean   float64 // of all tasks of the kind
	trials int
}

func bernoulli(p float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return 1
		}
		return 0
	}
}

// betaOf draws from a beta distribution with small whole parameters over a denominator, by a power of
// uniform numbers (Johnk 1964).
func betaOf(a, b float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		for {
			x, y := math.Pow(r.Float64(), 1/a), math.Pow(r.Float64(), 1/b)
			if x+y <= 1 && x+y > 0 {
				return x / (x + y)
			}
		}
	}
}

// answers draws the share of so many questions that are answered right.
func answers(p float64, n int) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		right := 0
		for range n {
			if r.Float64() < p {
				right++
			}
		}
		return float64(right) / float64(n)
	}
}

// simulation is a catalog of drawn models.
type simulation struct {
	all        []observed
	trials     int
	benchmarks int // suites of tasks, each of which is a preference; 0: all tasks are one
}

// add adds what is measured of a model on a task, in percent.
func (s *simulation) add(model, task string, share float64) {
	suite := "s"
	if s.benchmarks > 0 {
		suite, task, _ = strings.Cut(task, "/")
	}
	o := observed{evidence: fmt.Sprint(model, "-", task, "-", len(s.all)), model: model, task: "f/" + suite + "/" + task, measurements: sample(strconv.FormatFloat(100*share, 'g', 12, 64), "percent")}
	if s.trials > 0 {
		o.measurements += "," + measuredKey("n", "sample", strconv.Itoa(s.trials), "")
	}
	s.all = append(s.all, o)
}

// world returns the ranking of the drawn models.
func (s *simulation) world(t *testing.T) *world {
	size := ""
	if s.trials > 0 {
		size = `,"size":{"trials":"n"}`
	}
	preferences := list(max(1, s.benchmarks), func(i int) string {
		suite := "s"
		if s.benchmarks > 0 {
			suite += strconv.Itoa(i)
		}
		return `{"id":"p` + strconv.Itoa(i) + `","measurementKey":"k","aggregation":"mean","task":{"suite":"` + suite + `"},"direction":"maximize","weight":1,` +
			`"scale":{"low":0,"high":100},"transfer":["execution"]}`
	})
	return &world{ranker: newRanker(t, s.all...), members: `"preferences":[` + preferences + `],"keys":[{"key":"k","bounds":{"low":0,"high":100}` + size + `}]`}
}

// Enough of the intervals at 0.95 hold the true mean, in every world.
func TestSimulatedCoverage(t *testing.T) {
	vectortest.SkipRace(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 1))
	zeros := func(r *rand.Rand) float64 { // a third each of 0, 1 and what is between
		return []float64{0, 1, r.Float64()}[r.IntN(3)]
	}
	for _, d := range []drawing{
		{"boolean, p = .5", bernoulli(0.5), 0.5, 0}, {"boolean, p = .7", bernoulli(0.7), 0.7, 0}, {"boolean, p = .9", bernoulli(0.9), 0.9, 0},
		{"U-shaped, mean .7", betaOf(0.84, 0.36), 0.7, 0}, {"skewed, mean .9", betaOf(2.7, 0.3), 0.9, 0}, {"with 0s and 1s", zeros, 0.5, 0},
	} {
		for _, tasks := range []int{3, 5, 10, 30, 500} {
			isBoolean := strings.HasPrefix(d.name, "boolean")
			if isBoolean && tasks != 5 && tasks != 30 && tasks != 500 || !isBoolean && tasks > 30 {
				continue
			}
			draws := vectortest.Rounds(2400)
			if tasks == 500 {
				draws /= 12
			}
			held, width := 0, 0.0
			const atOnce = 200
			for start := 0; start < draws; start += atOnce {
				s := &simulation{trials: d.trials}
				var ids []string
				for i := range min(atOnce, draws-start) {
					ids = append(ids, "m"+strconv.Itoa(i))
					for k := range tasks {
						for range 1 + k%2*r.IntN(8)*(1-min(1, tasks/100)) { // some tasks run up to eight times, all alike
							s.add(ids[i], strconv.Itoa(k), 0)
						}
					}
				}
				values := map[string]float64{}
				for i := range s.all {
					o := &s.all[i]
					key := o.model + o.task
					if _, known := values[key]; !known {
						values[key] = d.task(r)
					}
					o.measurements = strings.Replace(o.measurements, `"value":0`, `"value":`+strconv.FormatFloat(100*values[key], 'g', 12, 64), 1)
				}
				for _, c := range s.world(t).rank(t, ids, "").Ranked {
					e := c.Reasons[0].Estimate
					if *e.Low <= 100*d.mean && 100*d.mean <= *e.High {
						held++
					}
					width += (*e.High - *e.Low) / 100
				}
			}
			least := 0.93
			switch {
			case strings.HasPrefix(d.name, "U-shaped") && tasks < 5:
				least = 0.90
			case strings.HasPrefix(d.name, "skewed") && tasks < 30:
				least = 0.88
			}
			share, slack := float64(held)/float64(draws), 2.5*math.Sqrt(0.06/float64(draws))
			t.Logf("%s, %d tasks: %.3f, width %.2f", d.name, tasks, share, width/float64(draws))
			if share < least-slack {
				t.Errorf("%s, %d tasks: %.3f of the intervals hold the mean, at least %.2f must", d.name, tasks, share, least)
			}
		}
	}
}

// Two equal models are hardly ever told apart: on all tasks, on some that both have, with reruns, and by
// three benchmarks at once.
func TestSimulatedFalseDifferences(t *testing.T) {
	vectortest.SkipRace(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 2))
	for _, w := range []struct {
		name       string
		trials     int
		benchmarks int
		draw       func(s *simulation, a, b string)
	}{
		{"3 x 20 questions", 20, 0, func(s *simulation, a, b string) {
			for k := range 3 {
				p := 0.2 + 0.7*r.Float64()
				s.add(a, strconv.Itoa(k), answers(p, 20)(r))
				s.add(b, strconv.Itoa(k), answers(p, 20)(r))
			}
		}},
		{"10 shared tasks", 0, 0, func(s *simulation, a, b string) { drawShared(s, r, a, b, 10, 0) }},
		{"30 shared tasks", 0, 0, func(s *simulation, a, b string) { drawShared(s, r, a, b, 30, 0) }},
		{"100 shared tasks", 0, 0, func(s *simulation, a, b string) { drawShared(s, r, a, b, 100, 0) }},
		{"partial overlap: 10 shared, 20 of each alone", 0, 0, func(s *simulation, a, b string) { drawShared(s, r, a, b, 10, 20) }},
		{"three benchmarks of 3, 30 and 100 tasks", 0, 3, func(s *simulation, a, b string) {
			for i, tasks := range []int{3, 30, 100} {
				for k := range tasks {
					p := r.Float64()
					for _, id := range []string{a, b} {
						s.add(id, fmt.Sprint("s", i, "/", k), min(1, max(0, p+0.1*r.NormFloat64())))
					}
				}
			}
		}},
		{"30 boolean tasks, failures run again", 0, 0, func(s *simulation, a, b string) {
			for k := range 30 {
				p := r.Float64()
				for _, id := range []string{a, b} {
					for run := range 3 {
						x := bernoulli(p)(r)
						s.add(id, strconv.Itoa(k), x)
						if run == 0 && x == 1 {
							break
						}
					}
				}
			}
		}},
	} {
		pairs, apart := vectortest.Rounds(1600), 0
		const atOnce = 50
		for start := 0; start < pairs; start += atOnce {
			s := &simulation{trials: w.trials, benchmarks: w.benchmarks}
			n := min(atOnce, pairs-start)
			for i := range n {
				w.draw(s, "a"+strconv.Itoa(i), "b"+strconv.Itoa(i))
			}
			world := s.world(t)
			for i := range n {
				if c := world.rank(t, []string{"a" + strconv.Itoa(i), "b" + strconv.Itoa(i)}, "").Ranked[0]; c.RankInterval.High == 1 || c.RankInterval.Low == 2 {
					apart++
				}
			}
		}
		share := float64(apart) / float64(pairs)
		t.Logf("%s: %.3f told apart", w.name, share)
		if share > 0.065+2.5*math.Sqrt(0.06/float64(pairs)) {
			t.Errorf("%s: %.3f of equal pairs are told apart", w.name, share)
		}
	}
}

// drawShared draws two equal models on shared tasks, which differ in how hard they are, and on some of their own.
func drawShared(s *simulation, r *rand.Rand, a, b string, shared, alone int) {
	draw := func(p float64) float64 { return min(1, max(0, p+0.1*r.NormFloat64())) }
	for k := range shared {
		p := r.Float64()
		s.add(a, strconv.Itoa(k), draw(p))
		s.add(b, strconv.Itoa(k), draw(p))
	}
	for k := range alone {
		s.add(a, "a"+strconv.Itoa(k), draw(r.Float64()))
		s.add(b, "b"+strconv.Itoa(k), draw(r.Float64()))
	}
}

// Of equal candidates, each is among the best.
func TestSimulatedEqualCandidates(t *testing.T) {
	vectortest.SkipRace(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 3))
	for _, n := range []int{2, 10, 50} {
		for _, isBenchmark := range []bool{true, false} {
			rounds, best, all := vectortest.Rounds(4000/n), 0, 0
			for range rounds {
				s := &simulation{}
				var ids []string
				for i := range n {
					ids = append(ids, "m"+strconv.Itoa(i))
				}
				tasks := 30
				if isBenchmark {
					s.trials, tasks = 20, 3
				}
				for k := range tasks {
					p := 0.2 + 0.7*r.Float64()
					for _, id := range ids {
						if isBenchmark {
							s.add(id, strconv.Itoa(k), answers(p, 20)(r))
						} else {
							s.add(id, strconv.Itoa(k), bernoulli(p)(r))
						}
					}
				}
				for _, c := range s.world(t).rank(t, ids, "").Ranked {
					all++
					if *c.AmongBest {
						best++
					}
				}
			}
			share := float64(best) / float64(all)
			t.Logf("%d equal candidates, benchmark %v: %.3f among the best", n, isBenchmark, share)
			if share < 0.95-2.5*math.Sqrt(0.06/float64(rounds)) {
				t.Errorf("%d equal candidates, benchmark %v: %.3f among the best", n, isBenchmark, share)
			}
		}
	}
}

// The cheapest within 3% of the best score loses at most 3% more true quality than the best score does.
func TestSimulatedChoice(t *testing.T) {
	vectortest.SkipRace(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 4))
	for _, tasks := range []int{3, 10, 50} {
		rounds, byScore, byCost := vectortest.Rounds(800), 0.0, 0.0
		for range rounds {
			s := &simulation{trials: 20}
			var ids []string
			quality, most := map[string]float64{}, 0.0
			for i := range 8 {
				id := "m" + strconv.Itoa(i)
				ids = append(ids, id)
				quality[id] = 0.5 + 0.3*r.Float64()
				most = max(most, quality[id])
				for k := range tasks {
					s.add(id, strconv.Itoa(k), answers(quality[id], 20)(r))
				}
				usd := fmt.Sprintf("%de-7", 1+r.IntN(90))
				s.all = append(s.all, observed{model: id, evidence: id + "-price", execution: runtimeScope("rt"),
					measurements: measuredKey("price.input", "fact", usd, "USD/token") + "," + measuredKey("price.output", "fact", usd, "USD/token")})
			}
			result := s.world(t).rank(t, ids, `,"cost":{"inputTokens":20000,"outputTokens":3000},"choice":{"within":0.03,"by":"`+v3.CostID+`"}`)
			byScore += most - quality[result.Choice.Best]
			byCost += most - quality[result.Choice.CandidateID]
		}
		byScore, byCost = byScore/float64(rounds), byCost/float64(rounds)
		t.Logf("%d tasks of 20 questions: the best score loses %.4f, the cheapest within 3%% of it %.4f", tasks, byScore, byCost)
		if byCost > byScore+0.03 {
			t.Errorf("%d tasks: the choice loses %.4f, the best score %.4f", tasks, byCost, byScore)
		}
	}
}
