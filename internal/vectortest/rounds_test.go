package vectortest

import "testing"

// The functions leave something of every test, and all of it where nothing is slow.
func TestRounds(t *testing.T) {
	tried := 0
	for i := range 32 {
		if Sample(i) {
			tried++
		}
	}
	want := 32
	if IsShort() {
		want = 2
	}
	if tried != want || Rounds(32) != want || Rounds(1) != 1 || Rounds(0) != 0 {
		t.Errorf("%d of 32 are tried, and %d rounds made, want %d; 1 gives %d, 0 gives %d", tried, Rounds(32), want, Rounds(1), Rounds(0))
	}
}
