package cmd

import "testing"

// What was not locked of many uses is said of the first, and how many more there are.
func TestFirstNames(t *testing.T) {
	for want, names := range map[string][]string{
		"a":                        {"a"},
		"a, b, c, d, e, f":         {"a", "b", "c", "d", "e", "f"},
		"a, b, c, d, e and 2 more": {"a", "b", "c", "d", "e", "f", "g"},
	} {
		if got := firstNames(names); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
