package v3

import (
	"math"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// comparison is that of a candidate with the leader of a tie group: whether the
// evidence can tell the two apart.
//
// The leader of the example in the package comment scores 1.313, the other candidate
// 1.029. On the first benchmark each is right in a share of 225 tasks, with standard
// errors of 2.18 and 2.69 points: apart, that is 0.0346 of a score. On the second both ran
// the same three tasks, and the difference between them has a standard error of 0.0866.
// Together these are 0.0933, at 2.7 pooled degrees of freedom, of which the quantile for
// 0.95 is 3.394. So the difference of 0.284 has a margin of 0.317, and the two are tied.
type comparison struct {
	leader          int // number of the candidate
	difference      float64
	standardError   float64 // unless anything is unknown, as with margin
	margin          float64
	outcome         outcome
	paired, unknown []int // numbers of preferences, sorted by id
}

// outcome is what came of a comparison. The zero value says that there was none.
type outcome uint8

const (
	tied outcome = iota + 1
	separable
	undecided
)

var outcomeNames = []string{"tied", "separable", "unknown"}

// hasMargin reports whether the comparison came to one.
func (c *comparison) hasMargin() bool {
	return len(c.unknown) == 0 && finite(c.standardError) && finite(c.margin)
}

// compare compares candidate b with the leader a of the current tie group.
func (r *Ranking) compare(a, b int) comparison {
	c := comparison{leader: a, difference: r.scores[a] - r.scores[b]}
	sameScored := true
	var parts []variance
	preferences := r.request.criteria[preference]
	for i := range preferences {
		p := &preferences[i]
		cellA, cellB := &r.cellsOf(a, preference)[i], &r.cellsOf(b, preference)[i]
		if cellA.scored != cellB.scored {
			sameScored = false
			c.unknown = append(c.unknown, i)
			continue
		}
		ends := r.ends[i]
		if !cellA.scored || ends.low == ends.high {
			continue
		}
		d := difference{a: r.models[a], b: r.models[b]}
		v, known := d.variance(p, cellA, cellB)
		g := p.weight / (ends.high - ends.low)
		if math.IsInf(ends.high-ends.low, 0) {
			g = p.weight / (float64(ends.high/2) - float64(ends.low/2)) / 2
		}
		share := float64(g * math.Sqrt(v.value))
		if !known || !finite(share) {
			c.unknown = append(c.unknown, i)
			continue
		}
		if d.paired {
			c.paired = append(c.paired, i)
		}
		parts = append(parts, variance{float64(share * share), v.freedom})
	}
	total := sumVariances(parts)
	c.standardError = math.Sqrt(total.value)
	c.margin = float64(quantile(r.quantile, total.freedom) * c.standardError)
	switch {
	case c.difference == 0 && sameScored, len(c.unknown) == 0 && c.difference <= c.margin:
		c.outcome = tied
	case len(c.unknown) == 0 && c.difference > c.margin:
		c.outcome = separable
	default:
		c.outcome = undecided
	}
	return c
}

// difference is that of two values of one criterion.
type difference struct {
	a, b   *model // of the two candidates
	paired bool   // some clusters of the two are the same tasks
}

// variance returns that of the difference, if it is known. That of a sum comes from
// its terms alone.
func (d *difference) variance(c *criterion, a, b *cell) (v variance, known bool) {
	if c.sum == nil {
		return d.measureVariance(c.aggregation, a, b)
	}
	parts := make([]variance, len(c.sum))
	for i := range c.sum {
		t := &c.sum[i]
		v, known := d.measureVariance(t.aggregation, &a.terms[i], &b.terms[i])
		if !known {
			return variance{}, false
		}
		parts[i] = variance{float64(float64(t.factor*t.factor) * v.value), v.freedom}
	}
	return sumVariances(parts), true
}

// measureVariance is variance for two values of one measure.
func (d *difference) measureVariance(a aggregation, x, y *cell) (v variance, known bool) {
	if d.a == d.b && slices.Equal(x.observations, y.observations) {
		return variance{}, true
	}
	if m := min(x.estimate.clusters, y.estimate.clusters); m >= 2 {
		if squares, shared := d.pair(x.pulls, y.pulls); shared {
			d.paired = true
			if a == aggregateSuccessRate {
				squares += 1 / float64(x.estimate.clusters*y.estimate.clusters)
			}
			v = variance{spread(squares, m), float64(m - 1)}
			if v.value == 0 {
				return variance{}, x.Number == y.Number
			}
			return v, true
		}
	}
	if !x.estimate.known() || !y.estimate.known() {
		return variance{}, false
	}
	ofX, ofY := x.estimate.standardError, y.estimate.standardError
	return sumVariances([]variance{
		{float64(ofX * ofX), x.estimate.freedom},
		{float64(ofY * ofY), y.estimate.freedom},
	}), true
}

// pair adds up the squares of what the clusters of either pull more in one than in
// the other, by key, and reports whether the two share a cluster that is a task.
func (d *difference) pair(a, b []pull) (squares float64, shared bool) {
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(b) == 0:
			order = -1
		case len(a) == 0:
			order = 1
		case d.a == d.b:
			order = int(a[0].cluster - b[0].cluster)
		default:
			order = canonical.CompareText(d.a.clusters[a[0].cluster].key, d.b.clusters[b[0].cluster].key)
		}
		w := 0.0
		if order <= 0 {
			w = a[0].size
			shared = shared || order == 0 && d.a.clusters[a[0].cluster].isTask
			a = a[1:]
		}
		if order >= 0 {
			w -= b[0].size
			b = b[1:]
		}
		squares += float64(w * w)
	}
	return squares, shared
}
