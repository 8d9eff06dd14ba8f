package index

import (
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// Lists holds a list of texts for each observation of a model. Each distinct text is kept
// once, in the order of canonical.CompareText, and lists are the numbers of their texts. So
// a union of lists, in order and each text once, is a set of numbers:
//
//	observation 0: ["b", "a"]         texts:   ["a", "b", "c"]
//	observation 1: ["b", "c"]         numbers: [1, 0], [1, 2]
//	both:          ["a", "b", "c"]    union:   {0, 1, 2}
type Lists struct {
	Texts   []string // each once, sorted
	JSON    []string // the texts as canonical JSON
	numbers []int32  // of texts: those of the first observation, of the second, and so on
	ends    []int32  // by observation: where its own end in numbers
}

// Numbers returns the numbers of the texts of an observation.
func (l *Lists) Numbers(observation int32) []int32 {
	start := int32(0)
	if observation > 0 {
		start = l.ends[observation-1]
	}
	return l.numbers[start:l.ends[observation]]
}

// Numbering numbers distinct keys in the order in which they come, from 0. The zero
// value has none.
type Numbering[K comparable] struct {
	Numbers map[K]int32
	Keys    []K // by number
}

// Number returns the number of a key, which may be new.
func (n *Numbering[K]) Number(key K) int32 {
	number, known := n.Numbers[key]
	if !known {
		if n.Numbers == nil {
			n.Numbers = map[K]int32{}
		}
		number = int32(len(n.Keys)) // which the index holds below its limit
		n.Numbers[key] = number
		n.Keys = append(n.Keys, key)
	}
	return number
}

// ListsBuilder makes Lists. The zero value has none.
type ListsBuilder struct {
	numbering     Numbering[string]
	numbers, ends []int32
}

// Add adds a text to the list of the next observation.
func (b *ListsBuilder) Add(text string) { b.numbers = append(b.numbers, b.numbering.Number(text)) }

// EndList ends the list of an observation.
func (b *ListsBuilder) EndList() { b.ends = append(b.ends, int32(len(b.numbers))) }

// AddList adds the list of an observation.
func (b *ListsBuilder) AddList(list []string) {
	for _, text := range list {
		b.Add(text)
	}
	b.EndList()
}

// Len returns how many texts were added, equal ones included.
func (b *ListsBuilder) Len() int { return len(b.numbers) }

// Finish numbers the texts anew, in their order, and renders them.
func (b *ListsBuilder) Finish() Lists {
	sorted, renumbered := Sort(b.numbering.Keys)
	lists := Lists{sorted, make([]string, len(sorted)), slices.Clip(b.numbers), slices.Clip(b.ends)}
	for i, former := range lists.numbers {
		lists.numbers[i] = renumbered[former]
	}
	var json []byte
	ends := make([]int, len(sorted))
	for i, text := range sorted {
		json = canonical.AppendString(json, text)
		ends[i] = len(json)
	}
	whole, start := string(json), 0
	for i, end := range ends {
		lists.JSON[i] = whole[start:end]
		start = end
	}
	return lists
}

// Sort returns distinct texts in order, and for each of the former places the new one.
func Sort(texts []string) (sorted []string, renumbered []int32) {
	order := make([]int32, len(texts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return canonical.CompareText(texts[a], texts[b]) })
	sorted, renumbered = make([]string, len(texts)), make([]int32, len(texts))
	for i, former := range order {
		sorted[i] = texts[former]
		renumbered[former] = int32(i)
	}
	return sorted, renumbered
}

// Union gathers numbers and gives them back in order, each once. Reset makes it ready
// for use, and for use again without allocating.
type Union struct {
	words      []uint64
	start, end int // the words that hold any
}

// Reset empties the union and makes room for numbers below n.
func (u *Union) Reset(n int) {
	if u.end > u.start {
		clear(u.words[u.start:u.end])
	}
	words := (n + 63) / 64
	if words > len(u.words) {
		u.words = make([]uint64, words)
	}
	u.start, u.end = words, 0
}

// Add adds numbers.
func (u *Union) Add(numbers []int32) {
	for _, n := range numbers {
		word := int(n / 64)
		u.words[word] |= 1 << (n % 64)
		u.start, u.end = min(u.start, word), max(u.end, word+1)
	}
}

// Each calls yield for every number, in order.
func (u *Union) Each(yield func(int) bool) {
	for i := u.start; i < u.end; i++ {
		for word := u.words[i]; word != 0; word &= word - 1 {
			if !yield(i*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
