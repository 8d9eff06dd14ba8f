package recipe

import (
	"fmt"
	"slices"
	"strings"
)

// Usual returns the sources that a new recipe has: all lists of offers and leaderboards that need
// nothing but their name.
func Usual() []string {
	return []string{"models-dev", "openrouter-models", "openrouter-endpoints", "litellm-prices", "genai-prices",
		"livebench", "aider-polyglot", "lmarena", "swe-bench"}
}

// about says what a source is, and what it takes besides its name.
var about = map[string][2]string{
	"models-dev":           {"offers of 147 providers: prices, limits, tools, dates", ""},
	"openrouter-models":    {"what OpenRouter sells, by its own word", ""},
	"openrouter-endpoints": {"speed, uptime and prices of each endpoint", ""},
	"litellm-prices":       {"the price list of LiteLLM", ""},
	"genai-prices":         {"the price list of Pydantic", ""},
	"livebench":            {"scores by category", "release: newest"},
	"aider-polyglot":       {"scores of editing code", "revision: " + aiderCommit},
	"lmarena":              {"ratings by votes of people, with their bounds", ""},
	"swe-bench":            {"shares of real issues that agents resolved", ""},
	"lm-eval": {"your own runs of lm-evaluation-harness",
		"files: runs/**/results_*.json, mapping: runs.mapping.json"},
	"every-eval-ever": {"second-hand results of many benchmarks",
		"collections: [helm_capabilities, livecodebenchpro]"},
	"inspect":    {"your own logs of Inspect", "files: logs/**"},
	"table":      {"your own tables of scores", "files: own/*.csv, map: columns.json"},
	Observations: {"your own observations", "files: own/*.jsonl"},
}

// schemaURL is where editors find the schema of recipes.
const schemaURL = "https://raw.githubusercontent.com/model-catalog-service/svc/main/docs/schemas/recipe.schema.json"

// New returns the text of a recipe of sources, with comments.
func New(names []string) string {
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=" + schemaURL + "\n" +
		"# What the catalog is made of. \"svc build\" makes catalog.json of it; run it as often as you like.\n" +
		"version: 1\nsources:\n")
	line := func(mark, name string) {
		value := ""
		if about[name][1] != "" {
			value = " { " + about[name][1] + " }"
		}
		fmt.Fprintf(&b, "%-72s # %s\n", "  "+mark+name+":"+value, about[name][0])
	}
	for _, name := range names {
		line("", name)
	}
	b.WriteString("  # More, without the mark in front:\n")
	for _, name := range Known() {
		if !slices.Contains(Usual(), name) && !slices.Contains(names, name) {
			line("# ", name)
		}
	}
	var preferred []string
	for _, name := range []string{"openrouter-models", "models-dev"} {
		if slices.Contains(names, name) {
			preferred = append(preferred, name)
		}
	}
	preferred = append([]string{"seller"}, preferred...)
	fmt.Fprintf(&b, `
# Whom to believe where lists contradict each other; "seller" is the list of whoever sells it.
prefer: [%s]

# Files beside this one, if you have them:
# decisions: decisions.json        # which names are which models
# rulings: rulings.json            # which source to believe about a fact
# questions: [questions/coding.json] # asked after each build; the summary says whose winner changed
# gateways: [litellm, portkey] # whose files are written by the answers, as coding.gateway.yaml

# How long the history of prices is kept.
keep: 400d
`, strings.Join(preferred, ", "))
	text := strings.ReplaceAll(b.String(), "\t", "  ")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// Known returns the sources that [New] can write.
func Known() (names []string) {
	for name := range about {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
