package statistics_test

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/rank/statistics"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// Quantiles are those that R computes, within 1e-10.
func TestQuantiles(t *testing.T) {
	f, err := os.Open("testdata/quantiles.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checked := 0
	for lines := bufio.NewScanner(f); lines.Scan(); checked++ {
		var level, want float64
		var freedom int
		if _, err := fmt.Sscan(lines.Text(), &level, &freedom, &want); err != nil {
			t.Fatal(err)
		}
		got := statistics.Normal(level)
		if freedom > 0 {
			got = statistics.Student(level, freedom)
		}
		if math.Abs(got-want) > 1e-10*want {
			t.Errorf("level %v, %d degrees of freedom: %v, R has %v", level, freedom, got, want)
		}
	}
	if checked < 100 {
		t.Errorf("%d quantiles were compared", checked)
	}
}

// The tables of quantiles and of intervals are what R prints.
func TestTablesOfR(t *testing.T) {
	for _, name := range []string{"quantiles", "intervals"} {
		out, err := exec.Command(vectortest.Tool(t, "Rscript", "R, such as Debian's package r-base-core"), "testdata/"+name+".R").Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil || string(out) != string(want) {
			t.Errorf("R prints other %s, error %v", name, err)
		}
	}
}

// Wilson's intervals are those of R's prop.test, and two of them make Newcombe's.
func TestIntervalsOfR(t *testing.T) {
	f, err := os.Open("testdata/intervals.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const tolerance = 1e-10
	checked := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kind string
		var x, n, x2, n2, level float64
		var want, got statistics.Interval
		if strings.HasPrefix(lines.Text(), "wilson") {
			_, err = fmt.Sscan(lines.Text(), &kind, &x, &n, &level, &want.Low, &want.High)
			got = statistics.Wilson(x/n, n, statistics.Normal(level))
		} else {
			_, err = fmt.Sscan(lines.Text(), &kind, &x, &n, &x2, &n2, &level, &want.Low, &want.High)
			i, j := statistics.Wilson(x/n, n, statistics.Normal(level)), statistics.Wilson(x2/n2, n2, statistics.Normal(level))
			d := x/n - x2/n2
			got = statistics.Interval{Low: d - math.Hypot(x/n-i.Low, j.High-x2/n2), High: d + math.Hypot(i.High-x/n, x2/n2-j.Low)}
		}
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Low-want.Low) > tolerance || math.Abs(got.High-want.High) > tolerance {
			t.Errorf("%s: %v to %v", lines.Text(), got.Low, got.High)
		}
		checked[kind]++
	}
	if checked["wilson"] < 200 || checked["newcombe"] < 100 {
		t.Errorf("%v intervals were compared", checked)
	}
}

// A sum is that of exact arithmetic, rounded once, in every order.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 4))
	for range 5000 {
		values := make([]float64, r.IntN(20))
		exact := new(big.Float).SetPrec(4000)
		for i := range values {
			values[i] = math.Ldexp(r.NormFloat64(), r.IntN(80)-40)
			if i > 0 && r.IntN(4) == 0 {
				values[i] = -values[i-1]
			}
			exact.Add(exact, new(big.Float).SetFloat64(values[i]))
		}
		want, _ := exact.Float64()
		for range 3 {
			r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			if got := statistics.Sum(values); got != want {
				t.Fatalf("%v: %v, want %v", values, got, want)
			}
		}
	}
	if got := statistics.Sum([]float64{math.MaxFloat64, math.MaxFloat64}); !math.IsInf(got, 1) {
		t.Errorf("what is too large comes to %v", got)
	}
}

// Intervals hold the mean, stay from 0 to 1, and only widen with the level.
func TestIntervalsGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 5))
	for range 2000 {
		n := 2 + r.IntN(8)
		means, trials := make([]float64, n), make([]float64, n)
		for i := range means {
			means[i], trials[i] = float64(r.IntN(21))/20, float64(1+r.IntN(40))
		}
		mean := statistics.Mean(means)
		var before [2]statistics.Interval
		for k, level := range []float64{0.5, 0.9, 0.99, 0.9999} {
			now := [2]statistics.Interval{statistics.Benchmark(means, trials, statistics.Normal(level)), statistics.Tasks(means, statistics.Student(level, n-1))}
			for side, i := range now {
				const rounding = 1e-12
				if !i.Known || i.Low < 0 || i.High > 1 || i.Low > mean+rounding || i.High < mean-rounding {
					t.Fatalf("%v of %v at %v: %+v", means, trials, level, i)
				}
				if k > 0 && (i.Low > before[side].Low || i.High < before[side].High) {
					t.Fatalf("%v at %v: %+v, before %+v", means, level, i, before[side])
				}
			}
			before = now
		}
	}
}

// Of one task nothing is known, nor where no spread is seen and no bounds are known.
func TestNothingKnown(t *testing.T) {
	if i := statistics.Tasks([]float64{0.5}, 1); i.Known {
		t.Errorf("one task: %+v", i)
	}
	if i := statistics.Spread([]float64{7, 7, 7}, 4.3); i.Known {
		t.Errorf("equal values without bounds: %+v", i)
	}
	if _, known := statistics.SharedMargin([]float64{0.25, 0.25}, 12.7); known {
		t.Error("equal differences have a margin")
	}
	// Three means of 0.7 differ in floating point from their mean; no spread was seen all the same.
	if i := statistics.Tasks([]float64{0.7, 0.7, 0.7}, 4.3); i.High-i.Low < 0.5 {
		t.Errorf("three equal tasks: %+v", i)
	}
}

// world draws the mean of one task.
type world struct {
	name string
	draw func(r *rand.Rand) float64
	mean float64
}

var worlds = []world{
	{"uniform", func(r *rand.Rand) float64 { return r.Float64() }, 0.5},
	{"U-shaped", func(r *rand.Rand) float64 { return beta(r, 0.84, 0.36) }, 0.7},
	{"0 or 1, p = .5", func(r *rand.Rand) float64 { return coin(r, 0.5) }, 0.5},
	{"0 or 1, p = .7", func(r *rand.Rand) float64 { return coin(r, 0.7) }, 0.7},
	{"0 or 1, p = .9", func(r *rand.Rand) float64 { return coin(r, 0.9) }, 0.9},
	{"skewed", func(r *rand.Rand) float64 { return beta(r, 2.7, 0.3) }, 0.9},
}

func coin(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// beta draws from a beta distribution, as a share of two gamma variables (Marsaglia and Tsang 2000).
func beta(r *rand.Rand, a, b float64) float64 {
	gamma := func(a float64) float64 {
		boost := 1.0
		if a < 1 {
			boost = math.Pow(r.Float64(), 1/a)
			a++
		}
		d := a - 1.0/3
		for {
			x := r.NormFloat64()
			v := 1 + x/math.Sqrt(9*d)
			if v = v * v * v; v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
				return boost * d * v
			}
		}
	}
	x, y := gamma(a), gamma(b)
	return x / (x + y)
}

// least is how many of the intervals at 0.95 must hold the true mean.
func (w *world) least(tasks int) float64 {
	switch {
	case w.name == "U-shaped" && tasks < 5:
		return 0.90
	case w.name == "skewed" && tasks < 30:
		return 0.88
	}
	return 0.93
}

// Of the intervals for other tasks at 0.95, enough hold the true mean. docs/certainty.md has the table.
func TestCoverageOfTasks(t *testing.T) {
	draws := vectortest.Rounds(4000)
	for _, w := range worlds {
		r := rand.New(rand.NewPCG(5, 26))
		for _, tasks := range []int{3, 5, 10, 30} {
			quantile := statistics.Student(0.95, tasks-1)
			held, width := 0, 0.0
			for range draws {
				means := make([]float64, tasks)
				for i := range means {
					means[i] = w.draw(r)
				}
				i := statistics.Tasks(means, quantile)
				if i.Low <= w.mean && w.mean <= i.High {
					held++
				}
				width += i.High - i.Low
			}
			coverage := float64(held) / float64(draws)
			t.Logf("%s, %d tasks: %.3f, width %.2f", w.name, tasks, coverage, width/float64(draws))
			if slack := 2 * math.Sqrt(0.05/float64(draws)); coverage < w.least(tasks)-slack {
				t.Errorf("%s, %d tasks: %.3f of the intervals hold the mean, at least %.2f must", w.name, tasks, coverage, w.least(tasks))
			}
		}
	}
}

// Of the intervals for the same benchmark of three tasks of 20 questions, enough hold the true mean;
// of two equal models hardly ever one is shown to be better.
func TestCoverageOfBenchmark(t *testing.T) {
	const draws = 4000
	r := rand.New(rand.NewPCG(5, 27))
	z := statistics.Normal(0.95)
	trials := []float64{20, 20, 20}
	answer := func(p []float64) []float64 {
		means := make([]float64, len(p))
		for i := range p {
			for range 20 {
				means[i] += coin(r, p[i]) / 20
			}
		}
		return means
	}
	held, apart := 0, 0
	for range draws {
		p := []float64{0.2 + 0.7*r.Float64(), 0.2 + 0.7*r.Float64(), 0.2 + 0.7*r.Float64()}
		a, b := answer(p), answer(p)
		i, j := statistics.Benchmark(a, trials, z), statistics.Benchmark(b, trials, z)
		if mean := statistics.Mean(p); i.Low <= mean && mean <= i.High {
			held++
		}
		if x, y := statistics.Mean(a), statistics.Mean(b); x-y > math.Hypot(x-i.Low, j.High-y) || y-x > math.Hypot(y-j.Low, i.High-x) {
			apart++
		}
	}
	if share := float64(held) / draws; share < 0.93 {
		t.Errorf("%.3f of the intervals hold the mean", share)
	}
	if share := float64(apart) / draws; share > 0.065 {
		t.Errorf("%.3f of equal pairs are told apart", share)
	}
	t.Logf("held %.3f, told apart %.3f", float64(held)/draws, float64(apart)/draws)
}

// FuzzInterval holds what [TestIntervalsGrow] does for two tasks of any shares and sizes.
func FuzzInterval(f *testing.F) {
	f.Add(0.5, 0.25, 20.0, 3.0)
	f.Fuzz(func(t *testing.T, a, b, n, m float64) {
		if !(a >= 0 && a <= 1 && b >= 0 && b <= 1 && n >= 1 && m >= 1 && n < 1e9 && m < 1e9) {
			t.Skip()
		}
		for _, i := range []statistics.Interval{statistics.Benchmark([]float64{a, b}, []float64{n, m}, 1.96), statistics.Tasks([]float64{a, b}, 12.7)} {
			if !i.Known || !(0 <= i.Low && i.Low <= i.High && i.High <= 1) {
				t.Errorf("%v and %v of %v and %v: %+v", a, b, n, m, i)
			}
		}
	})
}

func Example() {
	i := statistics.Benchmark([]float64{0.55, 0.65, 0.9}, []float64{20, 20, 20}, statistics.Normal(0.95))
	j := statistics.Tasks([]float64{0.55, 0.65, 0.9}, statistics.Student(0.95, 2))
	fmt.Printf("%.3f to %.3f\n%.3f to %.3f\n", i.Low, i.High, j.Low, j.High)
	// Output:
	// 0.582 to 0.796
	// 0.267 to 0.937
}

func BenchmarkStudent(b *testing.B) {
	for _, freedom := range []int{2, 10, 224} {
		b.Run(fmt.Sprint(freedom), func(b *testing.B) {
			for b.Loop() {
				statistics.Student(0.9999, freedom)
			}
		})
	}
}
