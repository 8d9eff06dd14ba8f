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
// Pairs that share something are compared one by one after that, each in place of what the boxes
// said. Where all have the same tasks, the spread of the differences is added up without care for
// the last digits first, which decides most pairs.

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
	x.points = make([]point, len(x.request.candidates))
	if m := x.request.maximum; m < leastScale || m > mostScale {
		return x.comparePairs(ctx, x.ranked, x.ranked)
	}
	x.findKinds()
	points := map[string][]point{}
	for _, i := range x.ranked {
		if p := x.point(i); p.candidates != nil {
			x.points[i] = p
			points[x.kinds[i].scored] = append(points[x.kinds[i].scored], p)
		}
	}
	for _, list := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.sweep(list)
	}
	for i, k := range x.allKinds {
		for _, other := range x.allKinds[i:] {
			if !k.shares(other) {
				continue
			}
			if k == other && len(k.candidates) > leafSize {
				x.prepare(k)
			}
			if err := x.comparePairs(ctx, k.candidates, other.candidates); err != nil {
				return err
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
	isQuick    bool // its candidates can be compared quickly
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

// shares reports whether tasks that both have, and not the intervals alone, decide between a
// candidate of one kind and another of the other.
func (k *kind) shares(other *kind) bool {
	if k.scored != other.scored {
		return false
	}
	for i := range k.parts {
		p, q := &k.parts[i], &other.parts[i]
		if !p.canPair || !q.canPair {
			continue
		}
		shared := 0
		eachShared(p.cell.tasks, q.cell.tasks, func(*taskMean, *taskMean) { shared++ })
		hasTrials := p.cell.estimate.basis == benchmarkBasis && q.cell.estimate.basis == benchmarkBasis
		isWhole := shared == len(p.cell.tasks) && shared == len(q.cell.tasks)
		if shared >= 2 && !(hasTrials && isWhole) {
			return true
		}
	}
	return false
}

// comparePairs compares each of some candidates with each of others, or all of the same ones.
func (x *comparer) comparePairs(ctx context.Context, some, others []int) error {
	isSame := &some[0] == &others[0]
	for i, a := range some {
		if err := ctx.Err(); err != nil {
			return err
		}
		rest := others
		if isSame {
			rest = others[i+1:]
		}
		for _, b := range rest {
			x.comparePair(a, b)
		}
	}
	return nil
}

// compareOffers compares candidates of one model that share evidence, such as its offers.
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
				if x.hasSameEvidence(a, b) && !x.kinds[a].shares(x.kinds[b]) {
					x.comparePair(a, b)
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

// prepare makes quick comparisons within a kind possible, unless tasks without ids are among its
// own.
func (x *comparer) prepare(k *kind) {
	isNone := func(t taskMean) bool { return t.number < 0 }
	for n := range k.parts {
		if p := &k.parts[n]; p.canPair && (p.cell.estimate.basis == benchmarkBasis ||
			slices.ContainsFunc(p.cell.tasks, isNone)) {
			return
		}
	}
	k.isQuick = true
	for _, i := range k.candidates {
		for n := range x.parts[i] {
			p := &x.parts[i][n]
			if !p.canPair {
				continue
			}
			p.deviations = make([]float64, len(p.cell.tasks))
			for t := range p.deviations {
				p.deviations[t] = (p.cell.tasks[t].mean - p.cell.Number) * x.slopes[n]
			}
		}
	}
}

// compareQuickly is [comparer.compare] for two candidates of a kind, the better score first, but
// for some rounding. It fails where that might decide.
func (x *comparer) compareQuickly(a, b int) (c comparison, ok bool) {
	if k := x.kinds[a]; k == nil || !k.isQuick || k != x.kinds[b] || x.models[a] == x.models[b] {
		return c, false
	}
	scale := x.request.maximum
	c.known = true
	square := 0.0
	for k := range x.parts[a] {
		p, q := &x.parts[a][k], &x.parts[b][k]
		if !p.cell.scored {
			continue
		}
		c.difference += p.contribution - q.contribution
		if p.deviations == nil {
			c.known = c.known && p.known && q.known
			square += p.below + q.above
			continue
		}
		spread := 0.0
		for i, d := range p.deviations {
			d -= q.deviations[i]
			spread += d * d
		}
		if spread < slack*scale*scale { // perhaps there is none
			return c, false
		}
		n := float64(len(p.deviations))
		t := x.quantiles.t(len(p.deviations) - 1)
		square += spread * t * t / (n * (n - 1))
	}
	const coarse = 1e-6 // more than what spreads are off
	least, most := c.difference-slack*scale, c.difference+slack*scale
	isShown := least > 0 && least*least > square*(1+coarse)+slack*scale*scale
	isNot := least > 0 && most*most < square*(1-coarse)-slack*scale*scale
	c.margin = math.Sqrt(square)
	return c, isShown || isNot
}

// comparePair compares two candidates, in place of their intervals.
func (x *comparer) comparePair(a, b int) {
	p, q := &x.points[a], &x.points[b]
	if p.candidates != nil && q.candidates != nil && x.kinds[a].scored == x.kinds[b].scored {
		if x.isBetter(p, q) {
			x.worse[a]--
			x.better[b]--
		}
		if x.isBetter(q, p) {
			x.worse[b]--
			x.better[a]--
		}
	}
	c, ok := x.compareQuickly(a, b)
	if !ok {
		c = x.compare(a, b)
	}
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

// sweep compares all points with all others.
func (x *comparer) sweep(points []point) {
	points = x.join(points)
	root := newBox(points, false)
	for i := range points {
		x.open(&root, &points[i])
	}
	root.close(0)
	for i := range points {
		for _, candidate := range points[i].candidates {
			x.better[candidate] += points[i].better
			x.worse[candidate] += points[i].worse
			x.compared[candidate] = x.compared[candidate] || root.count > 1
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
