package v3_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// These tests hold the statistics against R, which does not share a line with them,
// and skip where it is not: Debian has it as r-base-core.

// runR runs a program of R, which writes numbers, and returns these.
func runR(t *testing.T, program string) (numbers []float64) {
	t.Helper()
	path := vectortest.Tool(t, "Rscript", "r-base-core")
	c := exec.CommandContext(t.Context(), path, "--vanilla", "-")
	c.Stdin = strings.NewReader("write <- function(...) cat(sprintf('%.17g', c(...)), '')\n" + program)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("Rscript: %v", err)
	}
	for _, field := range strings.Fields(string(out)) {
		var f float64
		if _, err := fmt.Sscan(field, &f); err != nil {
			t.Fatalf("Rscript wrote %q", field)
		}
		numbers = append(numbers, f)
	}
	return numbers
}

// rVector writes numbers as R reads them, without loss.
func rVector(list []float64) string {
	return "c(" + join(list, func(f float64) string { return fmt.Sprintf("%.17g", f) }) + ")"
}

func join[T any](items []T, text func(T) string) string {
	return list(len(items), func(i int) string { return text(items[i]) })
}

func expectClose(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)+1e-300) {
		t.Errorf("%s is %.17g, R has %.17g", what, got, want)
	}
}

// rank2 ranks model a and b by the mean of their samples, or by their success rates,
// on a scale from 0 to 1 with the weight 1, so that a difference of scores is one of
// values. Samples of equal position are of one task if the two share tasks.
func rank2(t *testing.T, a, b []float64, aggregation, confidence string, shared bool) *v3.Result {
	t.Helper()
	var all []observed
	for model, samples := range map[string][]float64{"a": a, "b": b} {
		for i, x := range samples {
			task := fmt.Sprintf("f/s/%d", i)
			if !shared {
				task += model
			}
			value := fmt.Sprintf("%.17g", x)
			if aggregation == "success-rate" {
				value = fmt.Sprint(x == 1)
			}
			all = append(all, observed{evidence: fmt.Sprint(model, i), model: model, measurements: sample(value, ""), task: task})
		}
	}
	return mustRank(t, newRanker(t, all...), mustRead(t, request("a b",
		`"confidence":`+confidence+`,"preferences":[{"measurementKey":"k","aggregation":"`+aggregation+`","direction":"maximize","weight":1,"scale":{"low":0,"high":1}}]`)))
}

// estimateOf returns the estimate of a candidate's only preference.
func estimateOf(t *testing.T, r *v3.Result, candidate string) *v3.Estimate {
	t.Helper()
	for _, c := range r.Ranked {
		if c.CandidateID == candidate {
			return c.Reasons[0].Estimate
		}
	}
	t.Fatalf("%s is not ranked", candidate)
	return nil
}

var confidenceTexts = []string{"0.8", "0.9", "0.95", "0.99", "0.999"}

// Quantiles of the normal distribution are those of R to the last digits, with all
// corrections.
func TestQuantilesAgainstR(t *testing.T) {
	want := runR(t, `for (p in c(.8,.9,.95,.99,.999)) for (n in c(2,3,4,6,8,12,17,23,33,46,65,91,128)) write(-qnorm((1-p)/2/2^ceiling(log2(n*(n-1)/2))))`)
	k := newRanker(t)
	i := 0
	for _, confidence := range confidenceTexts {
		for _, n := range []int{2, 3, 4, 6, 8, 12, 17, 23, 33, 46, 65, 91, 128} {
			names := make([]string, n)
			for j := range names {
				names[j] = fmt.Sprintf("m%03d", j)
			}
			r := mustRank(t, k, mustRead(t, request(strings.Join(names, " "), `"correction":"bonferroni","confidence":`+confidence)))
			expectClose(t, fmt.Sprintf("the quantile at %s for %d candidates", confidence, n), r.Statistics.Quantile, want[i], 1e-11)
			i++
		}
	}
}

// The interval of a mean of samples of a task each is that of Student's t. Fisher's
// expansion of its quantile is within these bounds.
func TestMeanAgainstR(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	sizes := []struct {
		n      int
		within [5]float64 // relative, by confidence
	}{
		{2, [5]float64{0.03, 0.06, 0.12, 0.4, 0.8}},
		{3, [5]float64{2e-3, 4e-3, 0.01, 0.05, 0.2}},
		{4, [5]float64{3e-4, 6e-4, 2e-3, 0.01, 0.05}},
		{6, [5]float64{3e-5, 6e-5, 2e-4, 1e-3, 0.01}},
		{11, [5]float64{1e-6, 2e-6, 5e-6, 5e-5, 3e-4}},
		{31, [5]float64{5e-9, 1e-8, 3e-8, 3e-7, 2e-6}},
		{200, [5]float64{1e-11, 1e-11, 1e-11, 3e-11, 2e-10}},
	}
	var program strings.Builder
	samples := make([][]float64, len(sizes))
	for i, size := range sizes {
		samples[i] = draw(source, size.n, 0, 1)
		fmt.Fprintf(&program, "x <- %s\n", rVector(samples[i]))
		for _, confidence := range confidenceTexts {
			fmt.Fprintf(&program, "r <- t.test(x, conf.level=%s); write(mean(x), r$stderr, r$conf.int[2]-mean(x))\n", confidence)
		}
	}
	want := runR(t, program.String())
	for i, size := range sizes {
		for j, confidence := range confidenceTexts {
			e := estimateOf(t, rank2(t, samples[i], samples[i], "mean", confidence, false), "a")
			what := fmt.Sprintf("of %d samples at %s", size.n, confidence)
			expectClose(t, "the mean "+what, e.Value, want[0], 1e-12)
			expectClose(t, "the standard error "+what, *e.StandardError, want[1], 1e-12)
			expectClose(t, "the half width "+what, *e.High-e.Value, want[2], size.within[j])
			if e.Method != "cluster-robust" || *e.Clusters != uint64(size.n) {
				t.Errorf("%s the method is %s", what, e.Method)
			}
			want = want[3:]
		}
	}
}

// draw draws normal samples.
func draw(source *rand.Rand, n int, mean, deviation float64) []float64 {
	samples := make([]float64, n)
	for i := range samples {
		samples[i] = mean + deviation*source.NormFloat64()
	}
	return samples
}

// The interval of a success rate of a task each is Wilson's.
func TestSuccessRateAgainstR(t *testing.T) {
	cases := []struct{ successes, n int }{{0, 2}, {1, 2}, {2, 2}, {0, 10}, {3, 10}, {10, 10}, {37, 60}}
	var program strings.Builder
	for _, c := range cases {
		for _, confidence := range confidenceTexts {
			fmt.Fprintf(&program, "write(suppressWarnings(prop.test(%d, %d, conf.level=%s, correct=FALSE))$conf.int)\n", c.successes, c.n, confidence)
		}
	}
	want := runR(t, program.String())
	for _, c := range cases {
		samples := make([]float64, c.n)
		for i := range c.successes {
			samples[i] = 1
		}
		for _, confidence := range confidenceTexts {
			e := estimateOf(t, rank2(t, samples, samples, "success-rate", confidence, false), "a")
			what := fmt.Sprintf("of %d of %d at %s", c.successes, c.n, confidence)
			expectClose(t, "the lower end "+what, *e.Low, want[0], 1e-9)
			expectClose(t, "the upper end "+what, *e.High, want[1], 1e-9)
			if e.Method != "wilson" {
				t.Errorf("%s the method is %s", what, e.Method)
			}
			want = want[2:]
		}
	}
}

// The mean of clusters of several samples has the standard error that R computes of
// the clusters' sums of residuals, with the correction of small numbers of clusters.
func TestClustersAgainstR(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	var all []observed
	var samples, clusters []float64
	for i := range 40 {
		cluster := source.IntN(9)
		x := float64(cluster)/3 + source.NormFloat64()
		samples, clusters = append(samples, x), append(clusters, float64(cluster))
		all = append(all, observed{measurements: sample(fmt.Sprintf("%.17g", x), ""), task: fmt.Sprintf("f/s/%d", cluster), evidence: fmt.Sprint("e", i)})
	}
	want := runR(t, fmt.Sprintf(`x <- %s; g <- %s; m <- length(unique(g)); fit <- lm(x ~ 1); u <- tapply(residuals(fit), g, sum)
		write(mean(x), sqrt(m/(m-1)*sum(u^2))/length(x), m)`, rVector(samples), rVector(clusters)))
	r := mustRank(t, newRanker(t, all...), mustRead(t, request("m", `"preferences":[{"measurementKey":"k","aggregation":"mean","direction":"maximize","weight":1}]`)))
	e := estimateOf(t, r, "m")
	expectClose(t, "the mean", e.Value, want[0], 1e-12)
	expectClose(t, "the standard error", *e.StandardError, want[1], 1e-12)
	if float64(*e.Clusters) != want[2] || e.N != 40 {
		t.Errorf("%d clusters of %v samples", *e.Clusters, e.N)
	}
}

// A comparison of two means is Welch's test where they share no task, and the paired
// test where they share all.
func TestComparisonAgainstR(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	for _, test := range []struct {
		a, b   []float64
		shared bool
	}{
		{draw(source, 12, 0.7, 0.2), draw(source, 30, 0.5, 0.1), false},
		{draw(source, 40, 0.7, 0.01), draw(source, 9, 0.6, 0.3), false},
		{draw(source, 25, 0.7, 0.2), draw(source, 25, 0.6, 0.2), true},
	} {
		want := runR(t, fmt.Sprintf(`r <- t.test(%s, %s, paired=%s); write(r$stderr, diff(r$conf.int)/2)`,
			rVector(test.a), rVector(test.b), strings.ToUpper(fmt.Sprint(test.shared))))
		r := rank2(t, test.a, test.b, "mean", "0.95", test.shared)
		c := r.Ranked[1].Comparison
		what := fmt.Sprintf("of %d and %d samples", len(test.a), len(test.b))
		expectClose(t, "the standard error "+what, *c.StandardError, want[0], 1e-12)
		expectClose(t, "the margin "+what, *c.Margin, want[1], 3e-5)
		if isPaired := len(c.Paired) == 1; isPaired != test.shared {
			t.Errorf("the comparison %s is paired: %v", what, isPaired)
		}
	}
}
