package cmd

import (
	"reflect"
	"testing"
)

func TestSplitSections(t *testing.T) {
	for text, want := range map[string][]Section{
		"":                    nil,
		"One.":                {{"", "One."}},
		"One.\n\nTwo.":        {{"", "One.\n\nTwo."}},
		"Kinds:\n  a\n  b":    {{"Kinds", "  a\n  b"}},
		"Kinds:\nnot below":   {{"", "Kinds:\nnot below"}},
		"--x prints:\n  {}":   {{"", "--x prints:\n  {}"}},
		"One.\n\nKinds:\n  a": {{"", "One."}, {"Kinds", "  a"}},
		"Kinds:\n  a\n\n  b\n\nTwo.\n\nThree.\n\nRest:\n  c": {
			{"Kinds", "  a\n\n  b"}, {"", "Two.\n\nThree."}, {"Rest", "  c"}},
	} {
		if got := splitSections(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
