package vectortest

import (
	"os"
	"testing"
)

// LongVariable is the environment variable that lets long tests do all that they can: with
// the value 1 they try every case, otherwise a sample.
const LongVariable = "SVC_TEST_LONG"

// UnderRace reports whether the race detector is in the test program. It makes a
// program some ten times as slow and takes much memory, and it finds nothing in a test
// that runs in one goroutine. So long tests never do all there.
const UnderRace = underRace

// Sample reports whether case i of many alike ones is tried: all are in long tests, else
// one in sixteen.
func Sample(i int) bool { return !IsShort() || i%16 == 0 }

// Rounds returns how often something random is repeated, or how much of something is
// made: n in long tests, else a sixteenth.
func Rounds(n int) int {
	if IsShort() {
		return (n + 15) / 16
	}
	return n
}

// SkipLong skips a test that is of no use in small pieces, unless long tests are asked for.
func SkipLong(t testing.TB) {
	t.Helper()
	if IsShort() {
		t.Skip("takes long: set " + LongVariable + "=1, without the race detector")
	}
}

// SkipRace skips a test that takes long under the race detector, which finds nothing in it: it
// runs in one goroutine, or in what other tests of the package run, too. CI runs these tests by
// themselves, without the detector.
func SkipRace(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("takes long under the race detector, which finds nothing in it")
	}
}

// IsShort reports whether long tests do less, as they do unless the variable asks for them.
func IsShort() bool { return UnderRace || testing.Short() || os.Getenv(LongVariable) != "1" }
