package v3

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// This file counts, for thousands of candidates, how many are shown to be better and worse than
// each, without comparing all pairs.
//
// Two candidates that share no tasks and no evidence are compared by their intervals alone: a is
// better than b if
//
//	score of a - score of b > sqrt(below of a + above of b)
//
// So candidates are points, and points with nearby scores and margins are a box. Of most boxes the
// corners tell that a is better than all in it, or than none; only the others are opened. What
// rounding might decide is compared in full.
//
// What the boxes said of candidates that share tasks is taken back by the same count. These are
// compared one by one: first by sums without care for the last digits, which decide most pairs, and
// else in full. The sums are of rows, see facing.go.

// point is one or several candidates with the same contributions and margins.
type point struct {
	score, below, above float64 // sums of the contributions, and of the squares of margins
	candidates          []int   // none: no margin is known
	worse, better       int     // how many candidates are shown to be
}

// box is some points that lie together: a leaf, or two halves.
type box struct {
	points              []point
	halves              []box
	lowest, highest     float64 // scores
	narrowest, broadest float64 // margins above
	count, better       int     // candidates in it, and how many are shown to be better than all of these
}

// Rounding changes sums by less than the slack, a share of the scale, unless the scale is of
// another magnitude.
const slack, leastScale, mostScale = 1e-12, 1e-100, 1e100

// leafSize is how many points are looked at one by one.
const leafSize = 8

// compareAll finds the rank interval of every ranked candidate, and whether it is among the best.
func (x *comparer) compareAll(ctx context.Context) error {
	if len(x.ranked) == 1 {
		x.compared[x.ranked[0]] = true
	}
	if len(x.ranked) < 2 || len(x.counted) == 0 {
		return nil
	}
	if m := x.request.maximum; m < leastScale || m > mostScale {
		return x.comparePairs(ctx)
	}
	x.points = make([]point, len(x.request.candidates))
	for _, i := range x.ranked {
		x.points[i] = x.point(i)
	}
	x.findKinds()
	ofGroup := map[string][]int{}
	for _, i := range x.ranked {
		ofGroup[x.kinds[i].scored] = append(ofGroup[x.kinds[i].scored], i)
	}
	for _, list := range ofGroup {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.sweepAll(list)
	}
	for i, k := range x.allKinds {
		for _, other := range x.allKinds[i:] {
			if f := x.face(k, other); f != nil {
				if err := f.compare(ctx); err != nil {
					return err
				}
			}
		}
	}
	return x.compareOffers(ctx)
}

// kind is candidates that have values for the same preferences, of the same tasks.
type kind struct {
	scored     string // which parts have a value
	parts      []part // of one of them
	candidates []int
}

// findKinds finds the kinds of the ranked candidates.
func (x *comparer) findKinds() {
	known := map[string]*kind{}
	lists := map[string]int{}
	x.kinds = make([]*kind, len(x.request.candidates))
	var scored, key, list []byte
	for _, i := range x.ranked {
		scored, key = scored[:0], key[:0]
		for k := range x.parts[i] {
			p := &x.parts[i][k]
			list = p.appendTasks(list[:0])
			if _, isKnown := lists[string(list)]; !isKnown {
				lists[string(list)] = len(lists)
			}
			key = strconv.AppendInt(key, int64(lists[string(list)]), 10)
			key = strconv.AppendBool(key, p.cell.estimate.basis == benchmarkBasis)
			scored = strconv.AppendBool(scored, p.cell.scored)
		}
		key = append(key, scored...)
		k := known[string(key)]
		if k == nil {
			k = &kind{scored: string(scored), parts: x.parts[i]}
			known[string(key)], x.allKinds = k, append(x.allKinds, k)
		}
		k.candidates = append(k.candidates, i)
		x.kinds[i] = k
	}
}

// appendTasks appends the numbers of the tasks by which a part can be compared.
func (p *part) appendTasks(dst []byte) []byte {
	if p.canPair {
		for i := range p.cell.tasks {
			dst = binary.AppendVarint(dst, int64(p.cell.tasks[i].number))
		}
	}
	return dst
}

// comparePairs compares every two ranked candidates in full.
func (x *comparer) comparePairs(ctx context.Context) error {
	for i, a := range x.ranked {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, b := range x.ranked[i+1:] {
			x.count(a, b, x.compare(a, b))
		}
	}
	return nil
}

// compareOffers compares candidates of one model that share evidence, such as its offers, in place
// of their intervals.
func (x *comparer) compareOffers(ctx context.Context) error {
	ofModel := map[*model][]int{}
	for _, i := range x.ranked {
		ofModel[x.models[i]] = append(ofModel[x.models[i]], i)
	}
	for _, list := range ofModel {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, a := range list {
			for _, b := range list[i+1:] {
				k, other := x.kinds[a], x.kinds[b]
				if k.scored == other.scored && x.hasSameEvidence(a, b) && !x.shares(k, other) {
					x.sweep(x.pointsOf(a), x.pointsOf(b), -1)
					x.sweep(x.pointsOf(b), x.pointsOf(a), -1)
					x.count(a, b, x.compare(a, b))
				}
			}
		}
	}
	return nil
}

// hasSameEvidence reports whether a preference of two candidates rests on the same observations.
func (x *comparer) hasSameEvidence(a, b int) bool {
	for k := range x.counted {
		if x.isSameEvidence(a, b, x.parts[a][k].cell, x.parts[b][k].cell) {
			return true
		}
	}
	return false
}

// count counts a comparison of two candidates.
func (x *comparer) count(a, b int, c comparison) {
	if !c.known {
		return
	}
	x.compared[a], x.compared[b] = true, true
	switch {
	case !c.isShown():
	case c.difference > 0:
		x.worse[a]++
		x.better[b]++
	default:
		x.worse[b]++
		x.better[a]++
	}
}

// point returns that of a candidate, empty if a margin is not known.
func (x *comparer) point(candidate int) (p point) {
	for k := range x.parts[candidate] {
		part := &x.parts[candidate][k]
		if part.cell.scored && !part.known {
			return point{}
		}
		p.score += part.contribution
		p.below += part.below
		p.above += part.above
	}
	p.candidates = []int{candidate}
	return p
}

// pointsOf returns the points of candidates, but for those of which a margin is not known.
func (x *comparer) pointsOf(candidates ...int) (points []point) {
	for _, i := range candidates {
		if x.points[i].candidates != nil {
			points = append(points, x.points[i])
		}
	}
	return x.join(points)
}

// sweepAll compares candidates with each other by their intervals.
func (x *comparer) sweepAll(candidates []int) {
	points := x.pointsOf(candidates...)
	x.sweep(points, points, 1)
	if len(points) == 1 && len(points[0].candidates) == 1 {
		return
	}
	for i := range points {
		for _, candidate := range points[i].candidates {
			x.compared[candidate] = true
		}
	}
}

// sweep counts than which of other points some are shown to be better, once or, to take that back,
// -1 times.
func (x *comparer) sweep(some, others []point, times int) {
	if len(some) == 0 || len(others) == 0 {
		return
	}
	root := newBox(others, false)
	for i := range some {
		x.open(&root, &some[i])
	}
	root.close(0)
	for i := range some {
		for _, candidate := range some[i].candidates {
			x.worse[candidate] += times * some[i].worse
		}
	}
	for i := range others {
		for _, candidate := range others[i].candidates {
			x.better[candidate] += times * others[i].better
		}
	}
}

// join makes one of points of the same contributions and margins, and sorts them by score.
func (x *comparer) join(points []point) []point {
	compareParts := func(p, q part) int {
		byMargin := cmp.Or(cmp.Compare(p.below, q.below), cmp.Compare(p.above, q.above))
		return cmp.Or(cmp.Compare(p.contribution, q.contribution), byMargin)
	}
	compare := func(p, q point) int {
		byParts := slices.CompareFunc(x.parts[p.candidates[0]], x.parts[q.candidates[0]], compareParts)
		return cmp.Or(cmp.Compare(p.score, q.score), byParts)
	}
	slices.SortFunc(points, compare)
	n := 0
	for _, p := range points {
		if n > 0 && compare(points[n-1], p) == 0 {
			points[n-1].candidates = append(points[n-1].candidates, p.candidates...)
			continue
		}
		points[n] = p
		n++
	}
	return points[:n]
}

// newBox returns the box of points, which are sorted by their margins or by their scores.
func newBox(points []point, isByMargin bool) box {
	b := box{points: points, lowest: math.Inf(1), highest: math.Inf(-1), narrowest: math.Inf(1)}
	for i := range points {
		p := &points[i]
		b.lowest, b.highest = min(b.lowest, p.score), max(b.highest, p.score)
		b.narrowest, b.broadest = min(b.narrowest, p.above), max(b.broadest, p.above)
		b.count += len(p.candidates)
	}
	if len(points) <= leafSize {
		return b
	}
	if wantsMargin := math.Sqrt(b.broadest)-math.Sqrt(b.narrowest) > b.highest-b.lowest; wantsMargin != isByMargin {
		isByMargin = wantsMargin
		slices.SortFunc(points, func(p, q point) int {
			if isByMargin {
				return cmp.Compare(p.above, q.above)
			}
			return cmp.Compare(p.score, q.score)
		})
	}
	half := len(points) / 2
	b.halves = []box{newBox(points[:half], isByMargin), newBox(points[half:], isByMargin)}
	return b
}

// open counts the candidates of a box than which a point is shown to be better.
func (x *comparer) open(b *box, p *point) {
	switch least, most := x.decides(p, b.highest, b.broadest), x.decides(p, b.lowest, b.narrowest); {
	case least > 0:
		p.worse += b.count
		b.better += len(p.candidates)
	case most < 0:
	case b.halves != nil:
		x.open(&b.halves[0], p)
		x.open(&b.halves[1], p)
	default:
		for i := range b.points {
			if q := &b.points[i]; x.isBetter(p, q) {
				p.worse += len(q.candidates)
				q.better += len(p.candidates)
			}
		}
	}
}

// close tells the points of a box how many candidates are shown to be better than it.
func (b *box) close(better int) {
	better += b.better
	for i := range b.halves {
		b.halves[i].close(better)
	}
	for i := range b.points {
		if b.halves == nil {
			b.points[i].better += better
		}
	}
}

// decides reports whether a point is shown to be better than a score with a margin: 1 if it is, -1
// if not, 0 if rounding decides.
func (x *comparer) decides(p *point, score, above float64) int {
	scale := x.request.maximum
	difference, square := p.score-score, p.below+above
	if least := difference - slack*scale; least > 0 && least*least > square+slack*scale*scale {
		return 1
	}
	if most := difference + slack*scale; most <= 0 || most*most < square-slack*scale*scale {
		return -1
	}
	return 0
}

// isBetter reports whether a point is shown to be better than another one.
func (x *comparer) isBetter(p, q *point) bool {
	if d := x.decides(p, q.score, q.above); d != 0 {
		return d > 0
	}
	c := x.compareIntervals(p.candidates[0], q.candidates[0])
	return c.isShown() && c.difference > 0
}
