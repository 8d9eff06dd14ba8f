package v3

import (
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/rank/statistics"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says how sure a value is. A mean is taken task first: the mean of the entries of each
// task, then the mean of the tasks, so that tasks that were run again weigh no more than others.
//
// Four samples of three tasks, the scores 1 of a, 0 of b, 1 and 0 of c, have the task means 1, 0
// and 0.5, and the value 0.5. Nothing says of how many questions they are, so the interval is about
// other tasks of the kind: 0.13 to 0.87 at 0.8, all but everything at 0.95.

// basis is what an interval rests on. The zero value says that there is no number.
type basis uint8

const (
	exact          basis = iota + 1 // a fact or a count
	benchmarkBasis                  // the number of questions of each task
	tasksBasis                      // the spread between tasks
	publishedBasis                  // standard errors that the source gives
	sumBasis                        // the terms of a sum
	unknownBasis                    // one task, or the smallest or largest of values
)

var basisNames = []string{"exact", "benchmark", "tasks", "published", "sum", "unknown"}

func (b basis) String() string { return basisNames[b-1] }

// size is how the number of questions is known.
type size uint8

const (
	statedSize   size = iota + 1 // by who publishes the benchmark
	inferredSize                 // from the values
	measuredSize                 // from the observations
)

var sizeNames = []string{"stated", "inferred", "measured"}

// estimate says how sure the number of a cell is, at the confidence of the request.
type estimate struct {
	basis       basis
	low, high   float64 // unless the basis is unknown
	tasks       int     // 0 where there are none
	trials      float64 // of all tasks, 0 where unknown
	size        size    // of the trials, or 0
	own, public int     // entries by who measured them
}

// isKnown reports whether there is an interval.
func (e *estimate) isKnown() bool { return e.basis != 0 && e.basis != unknownBasis }

// taskMean is the mean of the entries of one task, or of what shares its luck otherwise.
type taskMean struct {
	cluster  int32 // in the model's clusters
	number   int32 // of the task among all candidates, see [Ranking.numberTasks]; -1 if it is no task
	mean     float64
	trials   float64 // 0 if unknown
	variance float64 // by published standard errors, 0 if unknown
}

// quantiles are those of one level, each worked out once.
type quantiles struct {
	level, normal float64
	student       map[int]float64
}

func newQuantiles(level float64) *quantiles {
	return &quantiles{level: level, student: map[int]float64{}}
}

func (q *quantiles) z() float64 {
	if q.normal == 0 {
		q.normal = statistics.Normal(q.level)
	}
	return q.normal
}

// t returns the quantile of so many degrees of freedom.
func (q *quantiles) t(freedom int) float64 {
	t, known := q.student[freedom]
	if !known {
		t = statistics.Student(q.level, freedom)
		q.student[freedom] = t
	}
	return t
}

// averageTasks makes the value of a mean or a success rate, task first.
func (v *evaluation) averageTasks(out *cell) {
	var all tally
	for _, i := range v.used {
		all.add(&v.series[i])
	}
	out.unit = all.first.Unit
	isRate := v.measure.aggregation == aggregateSuccessRate
	if all.moreUnits || isRate && all.bools < all.n || !isRate && all.numbers < all.n {
		out.status = incomparable
		return
	}
	v.sortByTask()
	tasks := v.taskLists.reserve(len(v.touched))
	v.means = v.means[:0]
	for start, end := 0, 0; start < len(v.byTask); start = end {
		cluster := v.observation(v.byTask[start]).cluster
		for end = start; end < len(v.byTask) && v.observation(v.byTask[end]).cluster == cluster; {
			end++
		}
		t := v.taskMean(v.byTask[start:end])
		t.cluster = cluster
		tasks = append(tasks, t)
		v.means = append(v.means, t.mean)
	}
	value := statistics.Mean(v.means)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		out.status = incomparable
		return
	}
	out.setNumber(value)
	out.tasks = tasks
	v.estimateTasks(out)
}

// sortByTask puts the measurements in use into the order of their tasks.
func (v *evaluation) sortByTask() {
	v.byTask = append(v.byTask[:0], v.used...)
	slices.SortStableFunc(v.byTask,
		func(a, b int32) int { return int(v.observation(a).cluster - v.observation(b).cluster) })
	v.touched = v.touched[:0]
	for _, i := range v.byTask {
		if n := len(v.touched); n == 0 || v.touched[n-1] != v.observation(i).cluster {
			v.touched = append(v.touched, v.observation(i).cluster)
		}
	}
}

// taskMean returns the mean of the entries of a task, of how many trials it is, and its variance.
func (v *evaluation) taskMean(entries []int32) (t taskMean) {
	v.values = v.values[:0]
	variance, hasTrials, hasErrors := 0.0, true, true
	for _, i := range entries {
		m := &v.series[i]
		x := m.Number
		if m.Kind == 't' {
			x = 1
		}
		v.values = append(v.values, x)
		trials, standardError := v.sizeOf(i)
		t.trials += trials
		variance += float64(standardError * standardError)
		hasTrials, hasErrors = hasTrials && trials > 0, hasErrors && standardError > 0
	}
	n := float64(len(entries))
	t.mean, t.variance = statistics.Mean(v.values), variance/(n*n)
	if !hasTrials {
		t.trials = 0
	}
	if !hasErrors {
		t.variance = 0
	}
	return t
}

// sizeOf returns of how many trials an entry is, or its standard error; 0 where the keys of the
// request or the observation do not say.
func (v *evaluation) sizeOf(i int32) (trials, standardError float64) {
	if v.measure.aggregation == aggregateSuccessRate {
		if v.target == targetBenchmark {
			return 1, 0
		}
		return 0, 0
	}
	about := v.measure.about
	if about == nil || about.Size == nil {
		return 0, 0
	}
	s := about.Size
	switch {
	case s.Tasks != nil:
		return float64(s.Tasks[string(v.model.tasks[v.observation(i).task].TaskID)]), 0
	case s.Trials != "":
		return max(0, v.companion(i, string(s.Trials))), 0
	}
	return 0, max(0, v.companion(i, string(s.StandardError)))
}

// companion returns the number that is the sample of another key in the same observation, 0 if
// there is none.
func (v *evaluation) companion(i int32, key string) float64 {
	others, _ := v.model.Find(index.SeriesKey{Key: key})
	n, found := slices.BinarySearchFunc(others, v.series[i].Observation, func(m index.Measurement, observation int32) int {
		return int(m.Observation - observation)
	})
	if !found || others[n].Kind != '0' {
		return 0
	}
	return others[n].Number
}

// estimateTasks says what the interval of a mean rests on, and takes it.
func (v *evaluation) estimateTasks(out *cell) {
	e := &out.estimate
	e.tasks = len(out.tasks)
	hasTrials, hasErrors := true, true
	for i := range out.tasks {
		e.trials += out.tasks[i].trials
		hasTrials, hasErrors = hasTrials && out.tasks[i].trials > 0, hasErrors && out.tasks[i].variance > 0
	}
	for _, i := range v.used {
		if v.observation(i).party == firstParty {
			e.own++
		} else {
			e.public++
		}
	}
	_, isBounded := v.measure.bounds(out)
	switch {
	case hasErrors && v.target != targetTasks:
		e.basis = publishedBasis
	case hasTrials && isBounded && v.target != targetTasks:
		e.basis, e.size = benchmarkBasis, v.measure.sizeBasis()
	case e.tasks >= 2 && v.target != targetBenchmark:
		e.basis = tasksBasis
	default:
		e.basis = unknownBasis
	}
	if e.basis != benchmarkBasis {
		e.trials = 0
	}
	i := v.measure.interval(out, v.quantiles)
	e.low, e.high = i.Low, i.High
	if !i.Known {
		e.basis = unknownBasis
	}
}

// sizeBasis returns how the number of trials is known.
func (m *measure) sizeBasis() size {
	switch {
	case m.about == nil || m.about.Size == nil || m.about.Size.Trials != "":
		return measuredSize
	case m.about.Size.Basis == "inferred":
		return inferredSize
	}
	return statedSize
}

// bounds returns those between which all tasks of a value lie, if the request gives some.
func (m *measure) bounds(c *cell) (b record.KeyBounds, ok bool) {
	switch {
	case m.aggregation == aggregateSuccessRate:
		return record.KeyBounds{High: 1}, true
	case m.about == nil || m.about.Bounds == nil:
		return b, false
	}
	b = *m.about.Bounds
	isOutside := func(t taskMean) bool { return t.mean < b.Low || t.mean > b.High }
	return b, !slices.ContainsFunc(c.tasks, isOutside)
}

// interval returns that of a value at a level.
func (m *measure) interval(c *cell, q *quantiles) statistics.Interval {
	switch c.estimate.basis {
	case exact:
		return statistics.Interval{Low: c.Number, High: c.Number, Known: true}
	case publishedBasis:
		parts := make([]float64, len(c.tasks))
		for i := range c.tasks {
			parts[i] = c.tasks[i].variance
		}
		i := statistics.Around(c.Number, math.Sqrt(statistics.Sum(parts))/float64(len(c.tasks)), q.z())
		if b, isBounded := m.bounds(c); isBounded {
			i.Low, i.High = max(i.Low, b.Low), min(i.High, b.High)
		}
		return i
	case benchmarkBasis, tasksBasis:
		return m.meanInterval(c, q)
	}
	return statistics.Interval{}
}

// meanInterval returns the interval of a mean of tasks.
func (m *measure) meanInterval(c *cell, q *quantiles) statistics.Interval {
	means, trials := make([]float64, len(c.tasks)), make([]float64, len(c.tasks))
	b, isBounded := m.bounds(c)
	width := b.High - b.Low
	for i := range c.tasks {
		means[i], trials[i] = c.tasks[i].mean, c.tasks[i].trials
		if isBounded {
			means[i] = (means[i] - b.Low) / width
		}
	}
	var i statistics.Interval
	switch {
	case c.estimate.basis == benchmarkBasis:
		i = statistics.Benchmark(means, trials, q.z())
	case !isBounded:
		return statistics.Spread(means, q.t(len(means)-1))
	default:
		i = statistics.Tasks(means, q.t(len(means)-1))
	}
	i.Low, i.High = b.Low+float64(i.Low*width), b.Low+float64(i.High*width)
	// The value lies inside, also where its last digit was rounded otherwise than that of an end.
	i.Low, i.High = max(b.Low, min(i.Low, c.Number)), min(b.High, max(i.High, c.Number))
	return i
}

// interval returns that of a criterion's value at a level. The distances of the terms of a sum from
// the ends of their intervals add up as standard errors do (MOVER, Zou and Donner 2008).
func (c *criterion) interval(cell *cell, q *quantiles) statistics.Interval {
	if c.sum == nil {
		return c.measure.interval(cell, q)
	}
	below, above := make([]float64, len(c.sum)), make([]float64, len(c.sum))
	for k := range c.sum {
		t := &cell.terms[k]
		i := c.sum[k].interval(t, q)
		if !i.Known {
			return statistics.Interval{}
		}
		f := c.sum[k].factor
		down, up := float64(f*(t.Number-i.Low)), float64(f*(i.High-t.Number))
		if f < 0 {
			down, up = up, down
		}
		below[k], above[k] = down*down, up*up
	}
	i := statistics.Interval{Low: cell.Number - math.Sqrt(statistics.Sum(below)), High: cell.Number +
		math.Sqrt(statistics.Sum(above)), Known: true}
	if math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) || math.IsNaN(i.Low+i.High) {
		return statistics.Interval{}
	}
	return i
}

// estimateSum estimates a sum from its terms.
func (v *evaluation) estimateSum(c *criterion, out *cell) {
	e := &out.estimate
	e.basis = exact
	for i := range out.terms {
		t := &out.terms[i].estimate
		e.own, e.public = e.own+t.own, e.public+t.public
		switch {
		case !t.isKnown():
			e.basis = unknownBasis
		case t.basis != exact && e.basis == exact:
			e.basis = sumBasis
		}
	}
	i := c.interval(out, v.quantiles)
	e.low, e.high = i.Low, i.High
	switch {
	case !i.Known:
		e.basis = unknownBasis
	case e.basis == exact:
		e.low, e.high = out.Number, out.Number
	}
}

// numberTasks gives every task that candidates have in a preference a number that is the same for
// all of them, and sorts by it, so that shared tasks are found by comparing numbers.
func (r *Ranking) numberTasks() {
	numbers := map[string]int32{}
	for i := range r.request.candidates {
		cells := r.cellsOf(i, preference)
		for k := range cells {
			if !cells[k].scored {
				continue
			}
			for j := range cells[k].tasks {
				t := &cells[k].tasks[j]
				c := &r.models[i].clusters[t.cluster]
				t.number = -1
				if c.isTask {
					n, known := numbers[c.key]
					if !known {
						n = int32(len(numbers))
						numbers[c.key] = n
					}
					t.number = n
				}
			}
			slices.SortStableFunc(cells[k].tasks, func(a, b taskMean) int { return int(a.number - b.number) })
		}
	}
}
