package vectortest

import "testing"

// UnderRace reports whether the race detector is in the test program. It makes a
// program some ten times as slow and takes much memory, and it finds nothing in a test
// that runs in one goroutine.
//
// So long tests do less there, by the functions of this file, and with -short,
// which the checks give where another processor is emulated. The checks also run each
// package that uses these functions whole.
const UnderRace = underRace

// Sample reports whether case i of many alike ones is tried: all are, but one in sixteen
// under the race detector and with -short.
func Sample(i int) bool { return !IsShort() || i%16 == 0 }

// Rounds returns how often something random is repeated, or how much of something is
// made: n, but a sixteenth under the race detector and with -short.
func Rounds(n int) int {
	if IsShort() {
		return (n + 15) / 16
	}
	return n
}

// SkipLong skips a test that is of no use in small pieces, under the race detector and
// with -short.
func SkipLong(t testing.TB) {
	t.Helper()
	if IsShort() {
		t.Skip("takes long under the race detector and in emulation")
	}
}

// IsShort reports whether long tests do less.
func IsShort() bool { return UnderRace || testing.Short() }
