package rank

import "math/bits"

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
