package quantity

import (
	"slices"
	"strings"
	"unicode"
)

// This file guesses from the name of a key and its unit which end of its values is the good one.
// Nobody has to go by it: whoever asks says "maximize" or "minimize".
//
//	latency.p50, ms           less is better
//	aider.error_outputs       less is better
//	leaderboard.rank          less is better
//	aider.test_cases          a count, of which neither is
//	runtime.score             more is better: a runtime is no time

var (
	worseWords = []string{"price", "prices", "pricing", "cost", "costs", "latency", "ttft", "time", "duration",
		"seconds", "error", "errors", "failures", "timeouts", "loss", "perplexity", "rank"}
	countWords = []string{"count", "counts", "cases", "tokens", "total", "trials", "samples"}
	worseUnits = []string{"s", "ms", "us", "µs", "ns", "min", "h", "second", "seconds", "minutes", "hours",
		"milliseconds"}
)

// LessIsBetter guesses whether less is better of what a key measures.
func LessIsBetter(key, unit string) bool {
	return strings.HasPrefix(unit, "USD") || slices.Contains(worseUnits, unit) || hasWord(key, worseWords)
}

// IsCount guesses whether a key counts something of which neither more nor less is better.
func IsCount(key, unit string) bool { return hasWord(key, countWords) || unit == "tokens" }

// hasWord reports whether a name has one of some words as a part between what is no letter.
func hasWord(name string, words []string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(words, part) })
}
