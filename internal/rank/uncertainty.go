package rank

import (
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/internal/rank/texts"
)

// uncertainty unites that of observations of one model: the worst level, all basis
// texts and all gap texts.
type uncertainty struct {
	model       *model
	basis, gaps texts.Union
	level       int  // the worst, in levels
	known       bool // there is any observation
}

func (u *uncertainty) reset(m *model) {
	u.model, u.level, u.known = m, 0, false
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

// appendGaps appends the codes of reasons that are listed among the gaps, sorted:
// all of a candidate that is excluded, the failures of one that is ranked.
func appendGaps(codes []string, reasons []reason, ranked bool) []string {
	for i := range reasons {
		code := string(reasons[i].code)
		isGap := !ranked || reasons[i].code != RequirementMet && reasons[i].code != PreferenceScore
		if n, known := slices.BinarySearch(codes, code); isGap && !known {
			codes = slices.Insert(codes, n, code)
		}
	}
	return codes
}

// advisoryGaps are the codes that an advisory adds to the gaps, by its status.
var advisoryGaps = [...][]string{
	missing: {"ADVISORY_MISSING"}, stale: {"ADVISORY_STALE"}, conflict: {"ADVISORY_CONFLICTING"}, incomparable: {"ADVISORY_INCOMPARABLE"}, ok: nil,
}

// bitset is a set of numbers, 64 to a word.
type bitset []uint64

// wordsFor is how many words numbers below n take.
func wordsFor(n int) int { return (n + 63) / 64 }

// add adds a number and returns its word.
func (b bitset) add(n int) (word int) {
	word = n / 64
	b[word] |= 1 << (n % 64)
	return word
}

// len is how many numbers are in the set.
func (b bitset) len() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// appendNumbers appends every number plus first, in order.
func (b bitset) appendNumbers(list []int32, first int32) []int32 {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			list = append(list, first+int32(i*64+bits.TrailingZeros64(word)))
		}
	}
	return list
}
