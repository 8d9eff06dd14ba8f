package v3

import (
	"github.com/model-catalog-service/svc/internal/rank/index"
	"iter"
	"math"
	"slices"
)

// estimate says how far a number would move if it were measured again on other
// tasks of the kind. Its arithmetic is binary64 in the order written, with no more
// than + - × / and square root. Each product that is added to something is
// converted first, which keeps it from being fused with the sum; so every machine
// comes to the same bits.
//
// Four samples of three tasks, the scores 1 of a, 0 of b, 1 and 0 of c, have the mean
// v = 0.5. The tasks pull it by (1-v)/4, (0-v)/4 and ((1-v)+(0-v))/4, so that their spread is
// V = 3/2 × (1/64 + 1/64 + 0) and the standard error 0.217, with two degrees of freedom.
// At a confidence of 0.95 the interval reaches 4.27 standard errors to each side: three
// tasks say little.
type estimate struct {
	method        method
	n             float64 // how many entries, or trials, or the fewest of a term
	clusters      int     // 0 for null
	standardError float64 // this and the next two unless the method is unknown
	low, high     float64
	freedom       float64 // degrees of freedom, 0 for none
}

// method is how an estimate was made. The zero value says that there is none.
type method uint8

const (
	exact         method = iota + 1 // of a fact or a count
	clusterRobust                   // of a mean, from the spread between clusters
	wilson                          // of a success rate
	reported                        // of a mean, from standard errors that were published
	binomial                        // of a mean that is a share of trials
	summed                          // of a sum, from its terms
	unknown
)

var methodNames = []string{"exact", "cluster-robust", "wilson", "reported", "trials", "sum", "unknown"}

func (m method) String() string { return methodNames[m-1] }

// known reports whether the estimate has a standard error.
func (e *estimate) known() bool { return e.method != 0 && e.method != unknown }

// pull is how far a cluster draws a mean away from what it would be.
type pull struct {
	cluster int32 // in the model's clusters
	size    float64
}

// clusterSum is a cluster while pulls are added up.
type clusterSum struct {
	count int32 // of the estimate that met it last
	sum   float64
}

// estimate estimates the number of a cell from the measurements in use.
func (v *evaluation) estimate(out *cell, keepPulls bool) {
	m, e, k := v.measure, &out.estimate, float64(len(v.used))
	e.n = k
	v.estimates++
	switch m.aggregation {
	case aggregateFact, aggregateCount:
		e.method, e.low, e.high = exact, out.Number, out.Number
		return
	case aggregateMin, aggregateMax:
		e.method = unknown
		return
	}
	switch {
	case v.mixes && !v.agreed():
		e.method = unknown
		return
	case m.errorKey != "":
		v.estimateReported(out)
	case m.trials.key != "":
		v.estimateTrials(out)
	default:
		v.pull(out.Number)
		e.clusters = len(v.pulls)
		e.estimateClusters(m.aggregation, out.Number, v.pulls, v.z)
		if keepPulls {
			out.pulls = append(v.pullLists.reserve(len(v.pulls)), v.pulls...)
		}
	}
	e.settle()
}

// settle gives up an estimate that says nothing: a standard error of 0, which is
// no proof that nothing varies, and numbers that are too large.
func (e *estimate) settle() {
	if e.known() && e.method != exact && e.standardError == 0 || !finite(e.standardError) || !finite(e.low) || !finite(e.high) {
		e.method = unknown
	}
}

func finite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// pull computes how far each cluster of the measurements in use pulls their mean,
// by the clusters' keys.
func (v *evaluation) pull(mean float64) {
	v.touched = v.touched[:0]
	for _, i := range v.used {
		number := v.observation(i).cluster
		c := &v.clusters[number]
		if c.count != v.estimates {
			*c = clusterSum{count: v.estimates}
			v.touched = append(v.touched, number)
		}
		x := v.series[i].Number
		if v.series[i].Kind == 't' {
			x = 1
		}
		c.sum += x - mean
	}
	slices.Sort(v.touched)
	v.pulls = v.pulls[:0]
	for _, number := range v.touched {
		v.pulls = append(v.pulls, pull{number, v.clusters[number].sum / float64(len(v.used))})
	}
}

// spread is the variance of a mean between clusters.
func spread(squares float64, m int) float64 {
	return float64(float64(m) / float64(m-1) * squares)
}

// estimateClusters estimates a mean or success rate v from what its clusters pull.
func (e *estimate) estimateClusters(a aggregation, v float64, pulls []pull, z float64) {
	m := len(pulls)
	if m < 2 {
		e.method = unknown
		return
	}
	squares := 0.0
	for _, u := range pulls {
		squares += float64(u.size * u.size)
	}
	variance := spread(squares, m)
	e.freedom = float64(m - 1)
	if a == aggregateMean {
		e.method = clusterRobust
		e.standardError = math.Sqrt(variance)
		e.around(v, quantile(z, e.freedom))
		return
	}
	e.method = wilson
	if float64(m) == e.n {
		e.wilson(v, e.n, z)
		return
	}
	effective := float64(m)
	if variance != 0 {
		effective = v * (1 - v) / variance
	}
	e.wilson(v, min(effective, e.n), quantile(z, e.freedom))
}

// around sets the ends of an interval at q standard errors from a value.
func (e *estimate) around(v, q float64) {
	margin := float64(q * e.standardError)
	e.low, e.high = v-margin, v+margin
}

// wilson sets what Wilson's score interval says of a share p of n trials, and the
// standard error of Agresti and Caffo, which is not 0 where p is 0 or 1.
func (e *estimate) wilson(p, n, q float64) {
	s := float64(q * q)
	d := 1 + s/n
	center := (p + s/(2*n)) / d
	half := q * math.Sqrt(p*(1-p)/n+s/(4*n*n)) / d
	e.low, e.high = center-half, center+half
	if p == 0 {
		e.low = 0
	}
	if p == 1 {
		e.high = 1
	}
	r := (float64(p*n) + 1) / (n + 2)
	e.standardError = math.Sqrt(r * (1 - r) / (n + 2))
}

// estimateReported estimates a mean from the standard errors that stand beside its
// measurements.
func (v *evaluation) estimateReported(out *cell) {
	e := &out.estimate
	e.method = unknown
	squares := 0.0
	for s := range v.companions(v.measure.errorKey) {
		if s == nil || s.Unit != out.unit || s.Number <= 0 {
			return
		}
		squares += float64(s.Number * s.Number)
	}
	if v.repeatsTasks() {
		return
	}
	e.method = reported
	e.standardError = math.Sqrt(squares) / e.n
	e.around(out.Number, v.z)
}

// estimateTrials estimates a mean that is a share from the numbers of trials that
// stand beside its measurements.
func (v *evaluation) estimateTrials(out *cell) {
	e := &out.estimate
	e.method = unknown
	scale := v.measure.trials.scale
	share := out.Number / scale
	inverse, trials := 0.0, 0.0
	for t := range v.companions(v.measure.trials.key) {
		if t == nil || t.Number < 2 {
			return
		}
		inverse += 1 / t.Number
		trials += t.Number
	}
	if share < 0 || share > 1 || v.repeatsTasks() {
		return
	}
	effective := float64(e.n*e.n) / inverse
	e.method, e.n, e.freedom = binomial, trials, effective-1
	e.wilson(share, effective, v.z)
	e.low, e.high, e.standardError = e.low*scale, e.high*scale, e.standardError*scale
}

// companions yields, for each measurement in use, the number that is the sample of
// another key in the same observation, nil if there is none.
func (v *evaluation) companions(key string) iter.Seq[*index.Measurement] {
	others, _ := v.model.Find(index.SeriesKey{Key: key})
	return func(yield func(*index.Measurement) bool) {
		for _, i := range v.used {
			n, found := slices.BinarySearchFunc(others, v.series[i].Observation, func(m index.Measurement, observation int32) int {
				return int(m.Observation - observation)
			})
			var other *index.Measurement
			if found && others[n].Kind == '0' {
				other = &others[n]
			}
			if !yield(other) {
				return
			}
		}
	}
}

// repeatsTasks reports whether two measurements in use are of one task: two runs
// of the same tasks are not twice as many tasks.
func (v *evaluation) repeatsTasks() bool {
	for _, i := range v.used {
		task := &v.tasks[v.observation(i).task]
		if *task == v.estimates {
			return true
		}
		*task = v.estimates
	}
	return false
}

// variance is a square of a standard error, and its degrees of freedom, 0 for none.
type variance struct{ value, freedom float64 }

// sumVariances adds up variances, whose degrees of freedom it pools as
// Satterthwaite does.
func sumVariances(parts []variance) variance {
	total := variance{}
	for _, p := range parts {
		total.value += p.value
	}
	inverse := 0.0
	for _, p := range parts {
		if p.freedom != 0 {
			r := p.value / total.value
			inverse += float64(r*r) / p.freedom
		}
	}
	if total.value > 0 && inverse > 0 {
		total.freedom = 1 / inverse
	}
	return total
}

// estimateSum estimates a sum from its terms.
func estimateSum(sum []term, out *cell, z float64) (e estimate) {
	e.method, e.n = exact, math.Inf(1)
	parts := make([]variance, len(sum))
	for i := range sum {
		t := &out.terms[i].estimate
		e.n = min(e.n, t.n)
		s := float64(sum[i].factor * t.standardError)
		parts[i] = variance{float64(s * s), t.freedom}
		switch {
		case !t.known() || e.method == unknown:
			e.method = unknown
		case t.method != exact:
			e.method = summed
		}
	}
	total := sumVariances(parts)
	e.standardError, e.freedom = math.Sqrt(total.value), total.freedom
	e.around(out.Number, quantile(z, e.freedom))
	e.settle()
	return e
}

// quantile is z, a quantile of the normal distribution, or that of Student's with
// as many degrees of freedom, by Fisher's expansion.
func quantile(z, freedom float64) float64 {
	if freedom == 0 {
		return z
	}
	s := float64(z * z)
	a := float64(z * (s + 1) / 4) // which compilers multiply by a quarter
	b := z * (float64((float64(5*s)+16)*s) + 3) / 96
	c := z * (float64((float64((float64(3*s)+19)*s)+17)*s) - 15) / 384
	d := z * (float64((float64((float64((float64(79*s)+776)*s)+1482)*s)-1920)*s) - 945) / 92160
	return z + (a+(b+(c+d/freedom)/freedom)/freedom)/freedom
}

// normalQuantile returns the quantile of the normal distribution that leaves half of
// what a confidence leaves outside on each side, halved as often as is said.
func normalQuantile(confidence float64, halved int) float64 {
	switch confidence {
	case 0.8:
	case 0.9:
		halved++
	case 0.95:
		halved += 2
	case 0.99:
		return quantiles99[halved]
	default:
		return quantiles999[halved]
	}
	return quantiles80[halved]
}

// The quantiles of the normal distribution at confidences of 0.8, 0.99 and 0.999.
// Each next one leaves half as much outside.
var (
	quantiles80 = [...]float64{1.2815515655446004, 1.6448536269514726, 1.9599639845400543, 2.2414027276049455,
		2.497705474412373, 2.7343687865331816, 2.9551668474978383, 3.162817965621285,
		3.359353717934311, 3.546337887363597, 3.7250035156206796, 3.896342532608328,
		4.0611665320644335, 4.220149256827845, 4.373857080753245, 4.522771375589632}
	quantiles99 = [...]float64{2.575829303548901, 2.8070337683438042, 3.023341439739147, 3.2272184259631564,
		3.4205267011318727, 3.6047113948643736, 3.7809198112948956, 3.950080233745913,
		4.112955916936896, 4.270183164230848, 4.422298854889823, 4.569760776625969,
		4.712962929092799, 4.852247235111397}
	quantiles999 = [...]float64{3.290526731491895, 3.480756404346213, 3.6622599308877013, 3.8361069311758977,
		4.0031675714504615, 4.164160673543728, 4.319687929004684, 4.470258813395326,
		4.616309105544308, 4.7582149040668025, 4.896303406847703, 5.030861320021209,
		5.162141502123923, 5.290368274700087}
)
