package problem_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
)

func TestClip(t *testing.T) {
	for value, want := range map[string]string{
		"":                          "",
		"a b":                       "a b",
		strings.Repeat("é", 200):    strings.Repeat("é", 200),
		strings.Repeat("é", 201):    strings.Repeat("é", 200) + "…",
		strings.Repeat("\xff", 300): strings.Repeat("\xff", 200) + "…",
	} {
		if got := problem.Clip(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// What is said of a value stays, whatever the value is.
func TestBrief(t *testing.T) {
	words := strings.Repeat("word ", 100)
	long := strings.Repeat("é", 300)
	short := strings.Repeat("é", 200)
	for message, want := range map[string]string{
		"is wrong":                        "is wrong",
		words:                             words,
		"is " + long + ", must be x":      "is " + short + "… must be x",
		`is "` + long + `", must be x`:    `is "` + short + `…", must be x`,
		`is "` + words + `", must be x`:   `is "` + words[:200] + `…", must be x`,
		`is "\"` + long + `\"", must be`:  `is "\"` + short[:2*198] + `…", must be`,
		`is "a" or "` + long + `" ` + "b": `is "a" or "` + short + `…" b`,
	} {
		if got := problem.Brief(message); got != want {
			t.Errorf("%.300s:\n%s\nwant\n%s", message, got, want)
		}
	}
}

// The message of a fault repeats neither a name nor a value of any length.
func TestErrorIsBrief(t *testing.T) {
	long := strings.Repeat("a b ", 1000)
	e := problem.New(problem.InvalidCatalog, "$."+long, "must be x, is %q", long)
	if got := e.Error(); len(got) > 450 || !strings.HasPrefix(got, "$.a b ") || !strings.HasSuffix(got, `…"`) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if !strings.Contains(e.Path, long) || !strings.Contains(e.Reason, long) {
		t.Error("path and reason are not whole")
	}
}
