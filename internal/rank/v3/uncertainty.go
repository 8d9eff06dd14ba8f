package v3

import (
	"math/bits"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// uncertainty unites that of observations of one model.
type uncertainty struct {
	model       *model
	basis, gaps union
	level       level      // the worst
	known       bool       // there is any observation
	transferred dimensions // in which they differ from the candidate
}

func (u *uncertainty) reset(m *model) {
	u.model, u.level, u.known, u.transferred = m, levelLow, false, 0
	u.basis.reset(len(m.basis.texts))
	u.gaps.reset(len(m.gaps.texts))
}

func (u *uncertainty) add(observation int32) {
	m := u.model
	u.known = true
	u.level = max(u.level, m.observations[observation].level)
	u.basis.add(m.basis.numbers(observation))
	u.gaps.add(m.gaps.numbers(observation))
}

// uncertainty writes what was united, with codes and what was carried over among
// the gaps.
func (w *writer) uncertainty(u *uncertainty, codes notes) {
	w.Raw(`{"basis":`)
	if u.known {
		w.texts(u.model.basis.json, &u.basis)
	} else {
		w.Raw(`["no applicable evidence"]`)
		u.level = levelUnknown
	}
	if u.transferred != 0 {
		u.level = max(u.level, levelModerate)
		codes |= carried(u.transferred)
	}
	w.Raw(`,"gaps":[`)
	w.merge(&u.model.gaps, &u.gaps, codes)
	w.Raw(`],"level":"`)
	w.Raw(levelNames[u.level])
	w.Raw(`"}`)
}

// merge writes texts and notes in one order, each once.
func (w *writer) merge(t *textLists, u *union, codes notes) {
	start := len(w.Buf)
	for n := range u.each {
		for ; codes != 0; codes &= codes - 1 {
			next := noteNames[bits.TrailingZeros64(uint64(codes))]
			order := canonical.CompareText(next, t.texts[n])
			if order > 0 {
				break
			}
			if order < 0 {
				w.item(start, next)
			}
		}
		if w.full() {
			return
		}
		w.separateFrom(start)
		w.Raw(t.json[n])
	}
	for ; codes != 0; codes &= codes - 1 {
		w.item(start, noteNames[bits.TrailingZeros64(uint64(codes))])
	}
}

// union gathers numbers and gives them back in order, each once.
type union struct {
	words      []uint64
	from, upTo int // the words that hold any
}

// reset empties the union and makes room for numbers below n.
func (u *union) reset(n int) {
	if u.upTo > u.from {
		clear(u.words[u.from:u.upTo])
	}
	words := (n + 63) / 64
	if words > len(u.words) {
		u.words = make([]uint64, words)
	}
	u.from, u.upTo = words, 0
}

func (u *union) add(numbers []int32) {
	for _, n := range numbers {
		w := int(n / 64)
		u.words[w] |= 1 << (n % 64)
		u.from, u.upTo = min(u.from, w), max(u.upTo, w+1)
	}
}

// each calls yield for every number, in order.
func (u *union) each(yield func(int) bool) {
	for w := u.from; w < u.upTo; w++ {
		for word := u.words[w]; word != 0; word &= word - 1 {
			if !yield(w*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
