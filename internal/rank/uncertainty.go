package rank

import (
	"math/bits"
	"slices"
)

// uncertainty unites that of observations of one model: the worst level, all basis
// texts and all gap texts.
type uncertainty struct {
	model       *model
	basis, gaps union
	level       int  // the worst, in levels
	known       bool // there is any observation
}

func (u *uncertainty) reset(m *model) {
	u.model, u.level, u.known = m, 0, false
	u.basis.reset(len(m.basis.texts))
	u.gaps.reset(len(m.gaps.texts))
}

func (u *uncertainty) add(observation int32) {
	m := u.model
	u.known = true
	u.level = max(u.level, m.observations[observation].level)
	u.basis.add(m.basis.list(observation))
	u.gaps.add(m.gaps.list(observation))
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

// union gathers numbers and gives them back in order, each once.
type union struct {
	numbers    bitset
	start, end int // the words that hold any
}

// reset empties the union and makes room for numbers below n.
func (u *union) reset(n int) {
	if u.end > u.start {
		clear(u.numbers[u.start:u.end])
	}
	words := wordsFor(n)
	if words > len(u.numbers) {
		u.numbers = make(bitset, words)
	}
	u.start, u.end = words, 0
}

func (u *union) add(numbers []int32) {
	for _, n := range numbers {
		word := u.numbers.add(int(n))
		u.start, u.end = min(u.start, word), max(u.end, word+1)
	}
}

// appendNumbers appends every number, in order.
func (u *union) appendNumbers(list []int32) []int32 {
	if u.end <= u.start {
		return list
	}
	return u.numbers[u.start:u.end].appendNumbers(list, int32(u.start*64))
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

// appendNumbers appends every number plus first, in order.
func (b bitset) appendNumbers(list []int32, first int32) []int32 {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			list = append(list, first+int32(i*64+bits.TrailingZeros64(word)))
		}
	}
	return list
}
