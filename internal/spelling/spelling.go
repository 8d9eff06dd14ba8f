// Package spelling finds the name that somebody meant who has misspelt one.
//
//	spelling.Closest("limits.contxt", keys)       // "limits.context"
//	spelling.Closest("gpt-5", models)             // "openai/gpt-5"
//	spelling.DidYouMean("rnk", []string{"rank"})  // "did you mean rank?"
//	spelling.Similar("context", keys)             // "limits.context", "price.input@context>1"
//	spelling.Nearest("b", []string{"x", "a"})     // "x", "a": close or not
//
// It only ever offers: nothing is read as what it was probably meant to be.
package spelling

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is how many bytes a word has at most that is compared with names: few are longer.
const Longest = 256

// Closest returns the one of the names that is closest to a word, the first of several
// that are equally close. It is empty if none is close, or if the word is one of them.
//
// A name is close if few letters differ, whatever their case: none in a word of one or two letters,
// one in a word of up to five, two in longer ones, and one more for each twelve letters from 24 on.
// A swap of two neighbours counts as one. So is a name that goes on after the word, and one whose
// part after the last slash is the word.
func Closest(word string, names []string) string {
	if word == "" || len(word) > Longest || slices.Contains(names, word) {
		return ""
	}
	closest, least := "", allowance(word)+1
	for _, name := range names {
		if d := distance(word, name, least); d < least {
			closest, least = name, d
		}
	}
	return closest
}

// DidYouMean is the question that offers the closest name. It is empty if none is close.
func DidYouMean(word string, names []string) string {
	if name := Closest(word, names); name != "" {
		return Question([]string{name})
	}
	return ""
}

// Similar returns the names that a word may mean, a short list: the closest if the word is
// misspelt, otherwise those that have the word in them, whatever their case and punctuation.
// If none has, it is those that have one of its parts, the last part before the first. It looks
// at the last eight parts of a word, and finds nothing for a word that is longer than names are.
func Similar(word string, names []string) []string {
	if len(word) > Longest || slices.Contains(names, word) {
		return nil
	}
	closest, squashed := Closest(word, names), squashNames(names)
	isMisspelt := closest != "" && !strings.Contains(Squash(closest), Squash(word))
	if list := containing(word, squashed); len(list) > 0 && !isMisspelt {
		return list
	}
	if closest != "" {
		return []string{closest}
	}
	if parts := parts(word); len(parts) > 1 {
		for _, part := range lastParts(parts) {
			if list := containing(part, squashed); len(list) > 0 {
				return list
			}
		}
	}
	return nil
}

// lastParts returns the last parts of a word, a few, from the last on, each once.
func lastParts(parts []string) (list []string) {
	const most = 8
	for i := len(parts) - 1; i >= 0 && len(list) < most; i-- {
		if !slices.Contains(list, parts[i]) {
			list = append(list, parts[i])
		}
	}
	return list
}

// squashedName is a name, ready to be searched.
type squashedName struct {
	name    string
	letters string   // of all of it, see [Squash]
	last    string   // those of the part after the last slash
	parts   []string // its words
}

func squashNames(names []string) []squashedName {
	list := make([]squashedName, len(names))
	for i, name := range names {
		list[i] = squashedName{name, Squash(name), Squash(name[strings.LastIndexByte(name, '/')+1:]), parts(name)}
	}
	return list
}

// containing returns a short list of names that have a word in them: of those in which it is
// all, the last part, a whole part, the beginning, or anything, the first that there are. Names
// of fewer parts come first.
func containing(word string, names []squashedName) (list []string) {
	const least = 3 // letters
	letters := Squash(word)
	if len(letters) < least {
		return nil
	}
	type match struct {
		name string
		rank int // of the ways to have the word in it
		size int // in parts
	}
	var found []match
	for _, n := range names {
		rank := 0
		switch isPart := slices.Contains(n.parts, letters); {
		case n.letters == letters:
			rank = -1
		case n.last == letters, isPart && strings.HasSuffix(n.letters, letters):
			rank = 0
		case isPart:
			rank = 1
		case strings.HasPrefix(n.last, letters):
			rank = 2
		case strings.Contains(n.letters, letters):
			rank = 3
		default:
			continue
		}
		found = append(found, match{n.name, rank, len(n.parts)})
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.size, b.size))
	})
	for _, m := range found {
		if m.rank == found[0].rank && len(list) < MostNearest && !slices.Contains(list, m.name) {
			list = append(list, m.name)
		}
	}
	return list
}

// Squash returns the letters and digits of a word, in lower case: gpt41 of GPT-4.1. Names that
// are alike are often the same one, which two places write differently.
func Squash(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
}

// parts are the words that a name is made of, in lower case.
func parts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
}

// Question asks whether one of some names was meant, and is empty without names:
//
//	did you mean limits.context, limits.input or limits.output?
func Question(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return "did you mean " + names[0] + "?"
	default:
		return "did you mean " + strings.Join(names[:n-1], ", ") + " or " + names[n-1] + "?"
	}
}

// MostNearest is how many names [Nearest] and [Similar] return at most.
const MostNearest = 5

// Nearest returns the names that are most like a word, the closest first and equally close
// ones in the order given, whether they are close or not: for whoever cannot look at the
// list of names. Each name comes once. Of long ones the first 128 letters are compared.
func Nearest(word string, names []string) []string {
	const letters = 128
	type ranked struct {
		name     string
		distance int
	}
	begin := func(s string) string {
		if r := []rune(s); len(r) > letters {
			return string(r[:letters])
		}
		return s
	}
	word = begin(word)
	list := make([]ranked, 0, len(names))
	known := make(map[string]bool, len(names))
	for _, name := range names {
		if !known[name] {
			known[name] = true
			list = append(list, ranked{name, distance(word, begin(name), letters+1)})
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.distance, b.distance) })
	nearest := make([]string, min(len(list), MostNearest))
	for i := range nearest {
		nearest[i] = list[i].name
	}
	return nearest
}

// Offer is the end of a message about a name that there is not: "; the closest are "a",
// "b"". It is empty if there is no name to offer.
func Offer(nearest []string) string {
	if len(nearest) == 0 {
		return ""
	}
	quoted := make([]string, len(nearest))
	for i, name := range nearest {
		quoted[i] = strconv.Quote(name)
	}
	verb := "are"
	if len(nearest) == 1 {
		verb = "is"
	}
	return "; the closest " + verb + " " + strings.Join(quoted, ", ")
}

// allowance is how many letters of a word may be wrong.
func allowance(word string) int {
	const tiny, short, each = 2, 5, 12
	switch n := utf8.RuneCountInString(word); {
	case n <= tiny:
		return 0
	case n <= short:
		return 1
	default:
		return max(2, 1+n/each)
	}
}

// distance is how far a name is from a word; limit if it is at least that.
func distance(word, name string, limit int) int {
	const begun = 3 // letters that a beginning must have
	a, b := []rune(strings.ToLower(word)), []rune(strings.ToLower(name))
	switch last := name[strings.LastIndex(name, "/")+1:]; {
	case string(a) == string(b):
		return 0
	case strings.EqualFold(last, word), len(a) >= begun && len(b) > len(a) && slices.Equal(a, b[:len(a)]):
		return min(1, limit)
	}
	return edits(a, b, limit)
}

// Edits returns how many letters differ between two names; at most Longest.
func Edits(a, b string) int { return edits([]rune(a), []rune(b), Longest) }

// edits is the least number of letters that are inserted, left out, replaced or swapped
// with their neighbour to make one word of another, where no part is changed twice; limit
// if it is at least that. So only letters that are less than the limit apart are compared.
func edits(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = min(j, limit)
	}
	least := 0
	for i := range a {
		before, above, row = above, row, before
		first, last := max(0, i+1-limit), min(len(b), i+1+limit)
		row[first] = limit
		if first == 0 {
			row[0] = min(i+1, limit)
		}
		leastAbove := least
		least = row[first]
		for j := first; j < last; j++ {
			replaced := above[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, above[j+1]+1, row[j]+1, limit)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if last < len(b) {
			row[last+1] = limit
		}
		if least >= limit && leastAbove >= limit {
			return limit
		}
	}
	return row[len(b)]
}
