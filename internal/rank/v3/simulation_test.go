package v3

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// The simulations draw results of benchmarks from a known truth, many times, and
// count how often what is said of them is right. Models are put into an index
// directly, since compiling as many catalogs takes its time.

// drawn is a sample of a task.
type drawn struct {
	task  int
	value float64
}

// newSimulated returns the index of a model that has samples of key k, booleans or
// numbers. Tasks of one number are one task, whatever the model.
func newSimulated(samples []drawn, isBoolean bool) *model {
	m := &model{
		tasks: []task{{}}, groups: []group{{model: record.Model{ID: "m"}, scope: &record.Scope{}, family: "f", party: external}},
	}
	var builder index.Builder
	var tasks []int
	for _, s := range samples {
		tasks = append(tasks, s.task)
	}
	slices.Sort(tasks)
	tasks = slices.Compact(tasks)
	for _, number := range tasks {
		m.clusters = append(m.clusters, cluster{fmt.Sprintf(`{"task":["f",null,"%06d"]}`, number), true})
		m.tasks = append(m.tasks, task{family: "f", id: fmt.Sprint(number)})
	}
	for _, s := range samples {
		number, _ := slices.BinarySearch(tasks, s.task)
		m.observations = append(m.observations, observation{task: int32(number + 1), cluster: int32(number), party: external, fresh: true})
		v := record.Scalar{Kind: '0', Text: strconv.FormatFloat(s.value, 'g', -1, 64)}
		if isBoolean {
			v = record.Scalar{Kind: map[bool]byte{true: 't', false: 'f'}[s.value == 1]}
		}
		builder.Add(&record.Observation{Measurements: []record.Measurement{{Key: "k", Value: v}}}, len(samples))
	}
	m.Model = builder.Finish()
	return m
}

// mustSimulate ranks models by the mean or success rate of key k.
func mustSimulate(t testing.TB, models []*model, aggregation, members string) *Ranking {
	t.Helper()
	k := &Ranker{models: map[string]*model{}, none: &model{tasks: []task{{}}}}
	inventory := ""
	for i, m := range models {
		id := fmt.Sprintf("m%03d", i)
		k.models[id] = m
		if i > 0 {
			inventory += ","
		}
		inventory += `{"id":"` + id + `","model":{"id":"` + id + `"}}`
	}
	q, err := ReadRequest(problem.Source{Text: `{"schemaVersion":"service.rank.request/v3","inventory":[` + inventory + `],` + members +
		`"preferences":[{"measurementKey":"k","aggregation":"` + aggregation + `","direction":"maximize","weight":1,"scale":{"low":-1000,"high":1000}}]}`})
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// benchmark is a truth: tasks, each run some times. A task is harder or easier than
// others, by a deviation of its own; runs of it share that.
type benchmark struct {
	name        string
	tasks, runs int
	isBoolean   bool
	truth       float64 // the mean over all tasks of the kind
	difficulty  func(source *rand.Rand) float64
	run         func(source *rand.Rand, difficulty float64) float64
}

// drawTasks draws the difficulties of tasks.
func (b *benchmark) drawTasks(source *rand.Rand) []float64 {
	difficulties := make([]float64, b.tasks)
	for i := range difficulties {
		difficulties[i] = b.difficulty(source)
	}
	return difficulties
}

// drawModel draws what a model that is as good as all others makes of tasks.
func (b *benchmark) drawModel(source *rand.Rand, firstTask int, difficulties []float64) *model {
	var samples []drawn
	for task, difficulty := range difficulties {
		for range b.runs {
			samples = append(samples, drawn{firstTask + task, b.run(source, difficulty)})
		}
	}
	return newSimulated(samples, b.isBoolean)
}

// flip is 1 with a probability.
func flip(source *rand.Rand, p float64) float64 {
	if source.Float64() < p {
		return 1
	}
	return 0
}

// normalBenchmark has scores around 0, with as much deviation between tasks as between
// runs of one.
func normalBenchmark(tasks, runs int) *benchmark {
	return &benchmark{fmt.Sprintf("mean, normal, %d tasks × %d", tasks, runs), tasks, runs, false, 0,
		func(source *rand.Rand) float64 { return source.NormFloat64() },
		func(source *rand.Rand, difficulty float64) float64 { return difficulty + source.NormFloat64() }}
}

// skewedBenchmark has times, of which few are long.
func skewedBenchmark(tasks int) *benchmark {
	return &benchmark{fmt.Sprintf("mean, exponential, %d tasks × 1", tasks), tasks, 1, false, 1,
		func(source *rand.Rand) float64 { return source.ExpFloat64() },
		func(source *rand.Rand, difficulty float64) float64 { return difficulty }}
}

// passBenchmark is passed or not. Where tasks are run more than once, half of them are
// much easier than the others.
func passBenchmark(tasks, runs int, p float64) *benchmark {
	spread := 0.0
	if runs > 1 {
		spread = min(p, 1-p) * 0.8
	}
	return &benchmark{fmt.Sprintf("success-rate, %v, %d tasks × %d", p, tasks, runs), tasks, runs, true, p,
		func(source *rand.Rand) float64 { return p + spread*(2*flip(source, 0.5)-1) },
		flip}
}

// simulationRounds multiplies the rounds of the simulations. The numbers of the tables
// below are of 25 times as many for intervals and ten times for separations.
const simulationRounds = 1

// At a confidence of 0.95 so many intervals hold the truth.
func TestCoverageOfIntervals(t *testing.T) {
	vectortest.SkipLong(t)
	const models, rounds, tolerance = 100, 20 * simulationRounds, 0.015
	for _, test := range []struct {
		*benchmark
		holds float64 // share
	}{
		{normalBenchmark(2, 1), 0.943}, {normalBenchmark(3, 1), 0.950}, {normalBenchmark(5, 1), 0.950}, {normalBenchmark(30, 1), 0.951},
		{normalBenchmark(5, 4), 0.950}, {normalBenchmark(30, 4), 0.951},
		{skewedBenchmark(5), 0.884}, {skewedBenchmark(30), 0.928}, {skewedBenchmark(100), 0.943},
		{passBenchmark(5, 1, 0.5), 0.938}, {passBenchmark(5, 1, 0.05), 0.977},
		{passBenchmark(30, 1, 0.5), 0.957}, {passBenchmark(30, 1, 0.05), 0.938},
		{passBenchmark(200, 1, 0.5), 0.944}, {passBenchmark(200, 1, 0.05), 0.966},
		{passBenchmark(5, 4, 0.5), 0.960}, {passBenchmark(30, 4, 0.5), 0.960}, {passBenchmark(30, 4, 0.1), 0.957}, {passBenchmark(200, 4, 0.1), 0.950},
	} {
		source := rand.New(rand.NewPCG(7, 8))
		holds := 0.0
		for range rounds {
			list := make([]*model, models)
			for i := range list {
				list[i] = test.drawModel(source, 0, test.drawTasks(source))
			}
			r := mustSimulate(t, list, test.aggregation(), "")
			for i := range list {
				e := &r.cellsOf(i, preference)[0].estimate
				if !e.known() {
					t.Fatalf("%s: an interval is not known", test.name)
				}
				if e.low <= test.truth && test.truth <= e.high {
					holds += 1. / models / rounds
				}
			}
		}
		t.Logf("| %s | %.3f |", test.name, holds)
		if math.Abs(holds-test.holds) > tolerance {
			t.Errorf("%s: %.3f of the intervals hold the truth, want %.3f", test.name, holds, test.holds)
		}
	}
}

func (b *benchmark) aggregation() string {
	if b.isBoolean {
		return "success-rate"
	}
	return "mean"
}

// Of candidates that are equal in truth so many rankings separate some at a confidence
// of 0.95: those whose tasks are their own, and those that all run the same tasks.
func TestFalseSeparations(t *testing.T) {
	vectortest.SkipLong(t)
	const rounds, tolerance = 100 * simulationRounds, 0.1
	for _, test := range []struct {
		*benchmark
		candidates            int
		none, bonferroni      float64 // shares of rankings, each with its own tasks
		pairedNone, pairedAll float64 // the same with the same tasks
	}{
		{passBenchmark(100, 1, 0.5), 2, 0.06, 0.06, 0.03, 0.03},
		{passBenchmark(100, 1, 0.5), 10, 0.67, 0.03, 0.62, 0.03},
		{normalBenchmark(100, 1), 2, 0.04, 0.04, 0.06, 0.06},
		{normalBenchmark(100, 1), 10, 0.61, 0.02, 0.64, 0.02},
		{normalBenchmark(5, 1), 10, 0.50, 0.01, 0.54, 0.02},
		{passBenchmark(100, 1, 0.95), 10, 0.51, 0.00, 0.54, 0.00},
	} {
		got := [4]float64{}
		for i := range got {
			isCorrected, isPaired := i%2 == 1, i >= 2
			source := rand.New(rand.NewPCG(9, 10))
			for range rounds {
				list := make([]*model, test.candidates)
				tasks, firstTask := test.drawTasks(source), 0
				for j := range list {
					if !isPaired {
						tasks, firstTask = test.drawTasks(source), j*test.tasks
					}
					list[j] = test.drawModel(source, firstTask, tasks)
				}
				members := ""
				if isCorrected {
					members = `"correction":"bonferroni",`
				}
				r := mustSimulate(t, list, test.aggregation(), members)
				if slices.ContainsFunc(r.comparisons, func(c comparison) bool { return c.outcome == separable }) {
					got[i] += 1. / rounds
				}
			}
		}
		t.Logf("| %s | %d | %.2f | %.2f | %.2f | %.2f |", test.name, test.candidates, got[0], got[1], got[2], got[3])
		for i, want := range [4]float64{test.none, test.bonferroni, test.pairedNone, test.pairedAll} {
			if math.Abs(got[i]-want) > tolerance {
				t.Errorf("%s, %d candidates: %.3f, want %.3f", test.name, test.candidates, got, want)
			}
		}
	}
}
