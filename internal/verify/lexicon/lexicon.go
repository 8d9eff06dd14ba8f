// Package lexicon finds texts among many without a copy of any. A [Lexicon] holds eight
// bytes for a text: a number, by which its owner knows the text, and half of a hash. The
// texts stay where they are, in a file that is held in memory for one:
//
//	names := []string{"ann", "bob", "ann"}
//	l := lexicon.New(len(names), func(number int) string { return names[number] })
//	l.Add(0)    // 0, true
//	l.Add(1)    // 1, true
//	l.Add(2)    // 0, false: the first of this text
//	l.Find("x") // 0, false
//
// Hashes have a seed of their own in every lexicon, so that nobody can choose texts that
// take long to find.
package lexicon

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
)

// Most is how many texts can be numbered.
const Most = math.MaxInt32

// Lexicon finds the numbers of texts. It is safe for concurrent use by those who only
// call Find.
type Lexicon struct {
	seed  maphash.Seed
	text  func(number int) string
	slots []uint64 // half of the hash, and the number plus one; zero for none
	count int
}

// New returns a lexicon for about so many texts. text returns the text with a number,
// and must always return the same.
func New(size int, text func(number int) string) *Lexicon {
	l := &Lexicon{seed: maphash.MakeSeed(), text: text}
	l.grow(size)
	return l
}

// Add adds the text with a number, which is less than [Most]. If the text is there
// already, it stays under the number that it has.
func (l *Lexicon) Add(number int) (first int, isNew bool) {
	if number < 0 || number >= Most {
		panic(fmt.Sprintf("lexicon: %d is not a number of a text", number))
	}
	if 3*(l.count+1) > 2*len(l.slots) {
		l.grow(2 * l.count)
	}
	s := l.text(number)
	at, half := l.search(s)
	if slot := l.slots[at]; slot != 0 {
		return numberIn(slot), false
	}
	l.slots[at] = half | uint64(number+1)
	l.count++
	return number, true
}

// Find returns the number of a text.
func (l *Lexicon) Find(s string) (number int, ok bool) {
	at, _ := l.search(s)
	if slot := l.slots[at]; slot != 0 {
		return numberIn(slot), true
	}
	return 0, false
}

const low = 1<<32 - 1 // the half of a slot that holds the number

func numberIn(slot uint64) int { return int(slot&low) - 1 }

// search returns the slot in which a text is, or the free one in which it goes, and
// the half of its hash that slots hold.
func (l *Lexicon) search(s string) (at int, half uint64) {
	hash := maphash.String(l.seed, s)
	half = hash &^ low
	mask := len(l.slots) - 1
	for at = int(hash&low) & mask; ; at = (at + 1) & mask {
		slot := l.slots[at]
		if slot == 0 || slot&^low == half && l.text(numberIn(slot)) == s {
			return at, half
		}
	}
}

// grow makes room for so many texts: at most two of three slots are taken.
func (l *Lexicon) grow(size int) {
	old := l.slots
	l.slots = make([]uint64, 1<<bits.Len(uint(max(size, 1)*3/2+1)))
	mask := len(l.slots) - 1
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := int(maphash.String(l.seed, l.text(numberIn(slot)))&low) & mask
		for l.slots[at] != 0 {
			at = (at + 1) & mask
		}
		l.slots[at] = slot
	}
}
