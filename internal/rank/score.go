package rank

import (
	"cmp"
	"math"
	"slices"
)

// score adds what a preference contributes to the scores. The best of the
// candidates that have a number gets the whole weight, the worst nothing.
func (r *Result) score(preference int) {
	var scored []int
	low, high := 0.0, 0.0
	for i := range r.request.candidates {
		c := &r.cellsOf(i).preferences[preference]
		if !c.numeric() { // as is that of a candidate that is excluded
			continue
		}
		if len(scored) == 0 {
			low, high = c.number, c.number
		}
		low, high = min(low, c.number), max(high, c.number)
		scored = append(scored, i)
	}
	p := &r.request.preferences[preference]
	for _, i := range scored {
		c := &r.cellsOf(i).preferences[preference]
		c.scored = true
		// The conversion keeps the product from being fused with the sum.
		c.contribution = float64(normalize(c.number, low, high, p.direction) * p.weight)
		r.scores[i] += c.contribution
	}
}

// order sorts the candidates, which stand by id: by score those that are
// ranked, by id those that are excluded.
func (r *Result) order() {
	for i := range r.request.candidates {
		if r.excludes[i] {
			r.excluded = append(r.excluded, i)
		} else {
			r.ranked = append(r.ranked, i)
		}
	}
	slices.SortStableFunc(r.ranked, func(a, b int) int { return cmp.Compare(r.scores[b], r.scores[a]) })
}

// normalize places v between low and high: 1 at the better end, 0 at the worse,
// 1 if they are one.
func normalize(v, low, high float64, d direction) float64 {
	if low == high {
		return 1
	}
	if math.IsInf(high-low, 1) {
		v, low, high = v/2, low/2, high/2
	}
	if d == minimize {
		return (high - v) / (high - low)
	}
	return (v - low) / (high - low)
}
