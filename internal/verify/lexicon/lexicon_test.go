package lexicon_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/lexicon"
)

// A lexicon finds what a map finds, whatever it was made for.
func FuzzLexicon(f *testing.F) {
	f.Add([]byte{}, 0)
	f.Add([]byte("abcabcaaa"), 1)
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), 100)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var texts []string
		for i := range text {
			texts = append(texts, string(text[max(0, i-2):i+1]))
		}
		l := lexicon.New(size%1000, func(number int) string { return texts[number] })
		known := map[string]int{}
		for i, s := range texts {
			first, isKnown := known[s]
			if !isKnown {
				known[s], first = i, i
			}
			if got, isNew := l.Add(i); got != first || isNew == isKnown {
				t.Fatalf("%q: %d, %v, want %d, %v", s, got, isNew, first, !isKnown)
			}
		}
		for _, s := range append(slices.Clone(texts), "", "none of them") {
			want, isKnown := known[s]
			if got, ok := l.Find(s); got != want || ok != isKnown {
				t.Errorf("%q: %d, %v, want %d, %v", s, got, ok, want, isKnown)
			}
		}
	})
}

func TestLexiconGrows(t *testing.T) {
	l := lexicon.New(0, strconv.Itoa)
	const many = 100_000
	for i := range many {
		l.Add(i)
	}
	for i := range many {
		if got, ok := l.Find(strconv.Itoa(i)); !ok || got != i {
			t.Fatalf("%d is at %d, %v", i, got, ok)
		}
	}
}

// A number that does not fit is never taken for another one.
func TestNumbersAreBounded(t *testing.T) {
	l := lexicon.New(1, func(number int) string { return strconv.Itoa(number) })
	if _, isNew := l.Add(lexicon.Most - 1); !isNew {
		t.Error("the largest number is refused")
	}
	for _, number := range []int{-1, lexicon.Most, math.MinInt, math.MaxInt} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d is taken", number)
				}
			}()
			l.Add(number)
		}()
	}
}
