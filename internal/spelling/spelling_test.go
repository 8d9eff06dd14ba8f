package spelling

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	commands := strings.Fields("compile completion rank serve sources verify verify-serve version")
	keys := strings.Fields("limits.context limits.output price.input price.output quality.accuracy")
	models := strings.Fields("anthropic/claude-sonnet-4.5 openai/gpt-5 openai/gpt-5-mini")
	for _, test := range []struct {
		word  string
		names []string
		want  string
	}{
		{"rnk", commands, "rank"},
		{"rakn", commands, "rank"},
		{"Rank", commands, "rank"},
		{"comp", commands, "compile"},
		{"soruces", commands, "sources"},
		{"verify-srve", commands, "verify-serve"},
		{"ls", commands, ""},
		{"store", commands, ""}, // two of five letters are too many
		{"srvre", commands, ""},
		{"servre", commands, "serve"},
		{"b", []string{"a"}, ""},
		{"ID", []string{"no", "id"}, "id"},
		{"-", commands, ""},
		{"", commands, ""},
		{"rank", commands, ""},
		{"frobnicate", commands, ""},
		{"limits.contxt", keys, "limits.context"},
		{"price.inptu", keys, "price.input"},
		{"latency.first", keys, ""},
		{"gpt-5", models, "openai/gpt-5"},
		{"openai/gpt5", models, "openai/gpt-5"},
		{"OpenAI/GPT-5", models, "openai/gpt-5"},
		{"anthropic/claude-sonet-45", models, "anthropic/claude-sonnet-4.5"},
		{"rank", nil, ""},
		{"grüsse", []string{"grüße", "grüssen"}, "grüssen"},
	} {
		if got := Closest(test.word, test.names); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	if got := DidYouMean("rnk", []string{"serve", "rank"}); got != "did you mean rank?" {
		t.Error(got)
	}
	if got := DidYouMean("frobnicate", []string{"serve", "rank"}); got != "" {
		t.Error(got)
	}
}

func TestNearest(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, test := range []struct {
		word  string
		names []string
		want  string
	}{
		{"nobody", []string{"borealis", "boreal", "nobodies", "x"}, `; the closest are "nobodies", "boreal", "x", "borealis"`},
		{"b", []string{"a", "c", "a"}, `; the closest are "a", "c"`},
		{"b", []string{"a"}, `; the closest is "a"`},
		{"", []string{"a"}, `; the closest is "a"`},
		{"", nil, ""},
		{"f", strings.Fields("a b c d e f"), `; the closest are "f", "a", "b", "c", "d"`},
		{"pto", []string{"pto/x", "opt"}, `; the closest are "pto/x", "opt"`},
		{long, []string{"rank", strings.Repeat("a", 130)}, `; the closest are "` + strings.Repeat("a", 130) + `", "rank"`},
		{"x", []string{"a\nb"}, `; the closest is "a\nb"`},
	} {
		if got := Offer(Nearest(test.word, test.names)); got != test.want {
			t.Errorf("%.20q: %s, want %s", test.word, got, test.want)
		}
	}
}

// A word of any length is compared in a moment, as it is longer than any name.
func TestLongWord(t *testing.T) {
	if got := Closest(strings.Repeat("a", 1<<20), []string{"rank", strings.Repeat("a", 100)}); got != "" {
		t.Error(got)
	}
}

// What is compared within a limit is what is compared in full, up to the limit.
func TestEdits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() []rune {
		text := make([]rune, rnd.IntN(9))
		for i := range text {
			text[i] = rune("abc"[rnd.IntN(3)])
		}
		return text
	}
	for range 20_000 {
		a, b := word(), word()
		whole := edits(a, b, 100)
		if whole > max(len(a), len(b)) || whole < len(a)-len(b) || (whole == 0) != slices.Equal(a, b) || whole != edits(b, a, 100) {
			t.Fatalf("%q and %q are %d apart", string(a), string(b), whole)
		}
		for limit := 1; limit < 12; limit++ {
			if got := edits(a, b, limit); got != min(whole, limit) {
				t.Fatalf("%q and %q are %d apart within %d, want %d", string(a), string(b), got, limit, whole)
			}
		}
	}
}

// A word that is close to no name offers the names that have it in them, then those that have
// a part of it.
func TestSimilar(t *testing.T) {
	names := []string{"limits.context", "limits.input", "livebench.agentic-coding.score", "livebench.coding.score", "coding.price@a>1", "price.input@context>200000", "capability.tools", "capability.reasoning",
		"modality.input.image", "acme/gpt-5-mini", "other/GPT_5", "acme/gpt-5", "x/ngpt5y"}
	for word, want := range map[string]string{
		"limits.contxt":     "did you mean limits.context?",
		"context":           "did you mean limits.context?",
		"coding":            "did you mean livebench.coding.score, livebench.agentic-coding.score or coding.price@a>1?",
		"capability.vision": "did you mean capability.tools or capability.reasoning?",
		"max.context":       "did you mean limits.context?",
		"gpt5":              "did you mean other/GPT_5 or acme/gpt-5?",
		"acme/gpt5":         "did you mean acme/gpt-5?",
		"IMAGE":             "did you mean modality.input.image?",
		"xy":                "", "": "", "nothing": "", "..": "", "limits.context": "",
	} {
		if got := Question(Similar(word, names)); got != want {
			t.Errorf("%s: %s, not %s", word, got, want)
		}
	}
	if got := Similar("limit", []string{"alpha.limit", "beta.limit", "gamma.limit", "delta.limit", "alpha.limit", "kappa.limit", "omega.limit"}); len(got) != MostNearest {
		t.Errorf("%q", got)
	}
}

// A word from outside may be of any length and have any number of parts. Only so much of it is
// compared that an answer takes no longer than for the name that somebody misspelt.
func TestSimilarOfHostileWords(t *testing.T) {
	names := []string{"alpha.limit", "beta"}
	part := func(i int) string { return "part" + string(rune('a'+i)) }
	var seven, eight string
	for i := range 8 {
		if i < 7 {
			seven += "." + part(i)
		}
		eight += "." + part(i)
	}
	for word, want := range map[string]string{
		"limit" + seven:                        "alpha.limit",
		"limit" + seven + seven:                "alpha.limit", // parts count once
		"limit" + eight:                        "",
		strings.Repeat("x.", 125) + ".limit":   "alpha.limit",
		strings.Repeat("x.", 125) + "...limit": "",
	} {
		if got := strings.Join(Similar(word, names), " "); got != want {
			t.Errorf("%s (%d bytes): %q, not %q", word, len(word), got, want)
		}
	}
}
