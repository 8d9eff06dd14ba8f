// Package workload writes inputs to measure with: observations as producers
// write them, one scope full of contradictions, and rank requests that meet
// both.
//
// All of it is a function of the seed alone: the n-th record is the same
// whatever is written before it, on every machine. The texts are invented, the
// proportions are those of real result files: members in the order of the
// documentation, lists in no particular order, one text in fifty with an escape,
// a few beyond ASCII. Everything is dated in the twelve months before [AsOf].
package workload

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// AsOf is an instant for which all observations can be compiled.
const AsOf = "2026-12-01T00:00:00.000Z"

// Models is how many models the observations speak of.
const Models = 400

// Form is how several observations stand in one file.
type Form string

// The forms.
const (
	Lines Form = "lines" // one a line
	List  Form = "list"  // one JSON list
)

// Config says what is written.
type Config struct {
	Seed uint64
	N    int  // number of observations
	Form Form // "" is Lines
}

// Observations writes N observations of about 1,460 bytes, all different: four
// evaluations with three measurements to one declaration.
func Observations(w io.Writer, c Config) error {
	return c.write(w, func(g *generator, i int) {
		if i%5 == 4 {
			g.declaration(i)
		} else {
			g.evaluation(i)
		}
	})
}

// Conflict writes N declarations of one fact for one scope. Any two of them
// overlap in time and differ in value, so that there are N*(N-1)/2 conflicting
// pairs in one conflict.
func Conflict(w io.Writer, c Config) error {
	return c.write(w, (*generator).contradiction)
}

// write writes N observations, each made by the function of a generator that
// starts from the seed and the observation's number.
func (c Config) write(w io.Writer, observation func(g *generator, i int)) error {
	head, separator, tail := "", "\n", "\n"
	switch c.Form {
	case "", Lines:
		if c.N == 0 {
			tail = ""
		}
	case List:
		head, separator, tail = "[\n", ",\n", "\n]\n"
	default:
		return fmt.Errorf("unknown form %q", c.Form)
	}
	const bufferSize = 256 << 10
	out := bufio.NewWriterSize(w, bufferSize)
	out.WriteString(head)
	g := newGenerator()
	for i := range c.N {
		g.restart(c.Seed, i)
		if i > 0 {
			g.raw(separator)
		}
		observation(g, i)
		if _, err := out.Write(g.buf); err != nil {
			return err
		}
	}
	out.WriteString(tail)
	return out.Flush()
}

// generator appends one record at a time to its buffer.
type generator struct {
	buf    []byte
	source rand.PCG
	rng    *rand.Rand
}

func newGenerator() *generator {
	g := &generator{}
	g.rng = rand.New(&g.source)
	return g
}

// restart begins the record with the given number.
func (g *generator) restart(seed uint64, number int) {
	const spread = 0x9E3779B97F4A7C15 // takes neighbouring numbers far apart
	g.source.Seed(seed, uint64(number)*spread)
	g.buf = g.buf[:0]
}

// oneIn reports true once in n times.
func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

// pick returns one of the texts.
func (g *generator) pick(texts []string) string { return texts[g.rng.IntN(len(texts))] }

// pickSome appends a list of n different texts in arbitrary order.
func (g *generator) pickSome(n int, texts []string) {
	first, step := g.rng.IntN(len(texts)), 1+2*g.rng.IntN(2)
	g.raw(`[`)
	for k := range n {
		if k > 0 {
			g.raw(`,`)
		}
		g.text(texts[(first+k*step)%len(texts)])
	}
	g.raw(`]`)
}

// firstInstant begins the twelve months of the observations.
var firstInstant = time.Date(2025, time.December, 1, 0, 0, 0, 0, time.UTC)

// instant returns one of the first days of those months.
func (g *generator) instant(days int) time.Time {
	const day = int64(24 * time.Hour / time.Millisecond)
	return firstInstant.Add(time.Duration(g.rng.Int64N(int64(days)*day)) * time.Millisecond)
}
