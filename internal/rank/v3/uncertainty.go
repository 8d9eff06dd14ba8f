package v3

import (
	"math/bits"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/rank/texts"
)

// uncertainty unites that of observations of one model.
type uncertainty struct {
	model       *model
	basis, gaps texts.Union
	level       level      // the worst
	known       bool       // there is any observation
	transferred dimensions // in which they differ from the candidate
}

func (u *uncertainty) reset(m *model) {
	u.model, u.level, u.known, u.transferred = m, levelLow, false, 0
	u.basis.Reset(len(m.basis.Texts))
	u.gaps.Reset(len(m.gaps.Texts))
}

func (u *uncertainty) add(observation int32) {
	m := u.model
	u.known = true
	u.level = max(u.level, m.observations[observation].level)
	u.basis.Add(m.basis.Numbers(observation))
	u.gaps.Add(m.gaps.Numbers(observation))
}

// uncertainty writes what was united, with codes and what was carried over among
// the gaps.
func (w *writer) uncertainty(u *uncertainty, codes notes) {
	w.Raw(`{"basis":`)
	if u.known {
		w.texts(u.model.basis.JSON, &u.basis)
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
func (w *writer) merge(t *texts.Lists, u *texts.Union, codes notes) {
	start := len(w.Buf)
	for n := range u.Each {
		for ; codes != 0; codes &= codes - 1 {
			next := noteNames[bits.TrailingZeros64(uint64(codes))]
			order := canonical.CompareText(next, t.Texts[n])
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
		w.Raw(t.JSON[n])
	}
	for ; codes != 0; codes &= codes - 1 {
		w.item(start, noteNames[bits.TrailingZeros64(uint64(codes))])
	}
}
