package rank

// numbering numbers distinct keys in the order in which they come, from 0.
type numbering[K comparable] struct {
	numbers map[K]int32
	keys    []K // by number
}

func newNumbering[K comparable]() numbering[K] { return numbering[K]{numbers: map[K]int32{}} }

// of returns the number of a key.
func (n *numbering[K]) of(key K) int32 {
	number, known := n.numbers[key]
	if !known {
		number = int32(len(n.keys))
		n.numbers[key] = number
		n.keys = append(n.keys, key)
	}
	return number
}

// append adds the keys of another numbering and returns, for each of its
// numbers, the number that its key has here.
func (n *numbering[K]) append(other *numbering[K]) []int32 {
	numbers := make([]int32, len(other.keys))
	for i, key := range other.keys {
		numbers[i] = n.of(key)
	}
	return numbers
}
