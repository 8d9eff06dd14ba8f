package v3_test

import (
	"fmt"
	"maps"
	"strconv"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// manyCandidates are what is measured of candidate i in catalogs of many.
var manyCandidates = map[string]func(i int) []observed{
	// One benchmark of some hundred questions each.
	"questions": func(i int) []observed { return []observed{measuredTask(i, "f/s", i*7919%101, 100+i*31%400)} },
	// Three tasks that all have in common, of 20 questions each.
	"subsets": func(i int) []observed { return measuredTasks(i, 0, 3, 20) },
	// All are equal.
	"ties": func(i int) []observed { return []observed{measuredTask(i, "f/s", 50, 100)} },
	// Nobody says of how many questions the benchmark is.
	"unknown": func(i int) []observed { return []observed{measuredTask(i, "f/s", i*7919%101, 0)} },
	// Every five candidates are offers of one model, and have its benchmark in common.
	"offers": func(i int) []observed {
		if i%5 > 0 {
			return nil
		}
		return []observed{measuredTask(i/5, "f/s", i*7919%101, 100+i*31%400)}
	},
}

// fewCandidates are such that take a comparison for each pair of those who share tasks.
var fewCandidates = map[string]func(i int) []observed{
	"tasks":   func(i int) []observed { return measuredTasks(i, 0, 9, 0) },
	"overlap": func(i int) []observed { return measuredTasks(i, i%9/8*(i%4), 3, 20) },
	"mixed":   func(i int) []observed { return measuredTasks(i, 0, 1+i%4, i%3*10) },
}

// measuredTask is a share of questions, in percent, that a candidate has right; 0 questions: nobody says of how many.
func measuredTask(i int, task string, percent, questions int) observed {
	o := observed{model: candidateOf(i), task: task, measurements: measuredKey("k", "sample", strconv.Itoa(percent), "percent")}
	if questions > 0 {
		o.measurements += "," + measuredKey("n", "sample", strconv.Itoa(questions), "")
	}
	return o
}

// measuredTasks are as many tasks from a first one on.
func measuredTasks(i, first, count, questions int) (all []observed) {
	for k := first; k < first+count; k++ {
		all = append(all, measuredTask(i, "f/s/"+strconv.Itoa(k), 2*(i%40)+i*(31+k)%21, questions))
	}
	return all
}

func candidateOf(i int) string { return fmt.Sprintf("m%05d", i) }

// offerOf returns the model and the runtime of an offer.
func offerOf(i int) (model, runtime string) { return candidateOf(i / 5), "rt" + strconv.Itoa(i%5) }

// crowd returns n candidates with prices, and a request for the quality and the price of all.
func crowd(name string, of func(i int) []observed, n int) (all []observed, request string) {
	inventory := list(n, func(i int) string {
		model, runtime := candidateOf(i), "rt"
		if name == "offers" {
			model, runtime = offerOf(i)
		}
		all = append(all, of(i)...)
		all = append(all, observed{model: model, execution: runtimeScope(runtime), measurements: measuredKey("price.output", "fact", fmt.Sprintf("%de-8", 1+i*7907%97*10), "USD/token")})
		return fmt.Sprintf(`{"id":"c%05d","model":{"id":"%s"},"execution":{"runtime":{"id":"%s"}}}`, i, model, runtime)
	})
	return all, `{"schemaVersion":"service.rank.request/v3","inventory":[` + inventory + `],"preferences":[
		{"measurementKey":"k","aggregation":"mean","transfer":["execution"],"direction":"maximize","weight":1},
		{"measurementKey":"price.output","aggregation":"fact","direction":"minimize","weight":0.5,"scale":{"low":1e-8,"high":1e-5,"log":true}}],
		"keys":[{"key":"k","bounds":{"low":0,"high":100},"size":{"trials":"n"}}],"cost":{"inputTokens":0,"outputTokens":500},"choice":{"within":0.03,"by":"usd-per-task"}}`
}

// BenchmarkDoubling ranks many candidates, and writes the result.
func BenchmarkDoubling(b *testing.B) {
	for name, of := range manyCandidates {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 80, func(n int) func() {
				all, request := crowd(name, of, n)
				k, q := newRanker(b, all...), mustRead(b, request)
				return func() { mustWrite(b, mustEvaluate(b, k, q)) }
			})
		})
	}
}

// Two implementations agree to the byte on many candidates, of which this one does not compare each pair.
func TestCrowds(t *testing.T) {
	vectortest.SkipRace(t)
	t.Parallel()
	ask := second(t)
	worlds := maps.Clone(manyCandidates)
	maps.Copy(worlds, fewCandidates)
	for name, of := range worlds {
		all, request := crowd(name, of, 150)
		v, got := vectorOf(t, numbered(all...), request)
		if want := ask(v); got != want {
			t.Errorf("%s:%s", name, difference(got, want))
		}
	}
}

// BenchmarkMany ranks 5,000 candidates by two preferences.
func BenchmarkMany(b *testing.B) {
	worlds := maps.Clone(manyCandidates)
	maps.Copy(worlds, fewCandidates)
	for name, of := range worlds {
		b.Run(name, func(b *testing.B) {
			all, request := crowd(name, of, 5000)
			k, q := newRanker(b, all...), mustRead(b, request)
			for b.Loop() {
				mustEvaluate(b, k, q)
			}
		})
	}
}
