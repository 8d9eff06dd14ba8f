package vectortest

import "testing"

// The functions leave something of every test, and all of it when long tests are asked for
// and nothing is slow.
func TestRounds(t *testing.T) {
	for long, want := range map[string]int{"": 2, "0": 2, "1": 32} {
		t.Setenv(LongVariable, long)
		if UnderRace || testing.Short() {
			want = 2
		}
		tried := 0
		for i := range 32 {
			if Sample(i) {
				tried++
			}
		}
		if tried != want || Rounds(32) != want || Rounds(1) != 1 || Rounds(0) != 0 {
			t.Errorf("%q: %d of 32 are tried, and %d rounds made, want %d; 1 gives %d, 0 gives %d", long, tried, Rounds(32), want, Rounds(1), Rounds(0))
		}
	}
}
