package v3_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// exampleRows are the answer to the example: a model for coding, by two benchmarks that
// measured with harnesses of their own, and by the price of a task.
const exampleRows = `
| 1 | 1 | gpt-5 | 1.313 | 88 (83.1 to 91.6) | 43.3 (7.7 to 78.9) | 0.055 | | | | |
| 2 | 1 | grok-4 | 1.029 | 79.6 (73.9 to 84.3) | 23.3 (-46.8 to 93.4) | 0.105 | gpt-5 | 0.284 | 0.317 | tied |
| 3 | 2 | gpt-oss | 0.518 | 41.8 (35.5 to 48.3) | 10 (-22.6 to 42.6) | 0.0014 | kimi-k2 | 0.273 | 0.354 | tied |
| 4 | 2 | kimi-k2 | 0.791 | 59.1 (52.6 to 65.3) | 20 (-55 to 95) | 0.01464 | gpt-5 | 0.522 | 0.335 | separable |
| 5 | 2 | grok-3 | 0.666 | 53.3 (46.8 to 59.7) | 13.3 (-33.3 to 60) | 0.105 | kimi-k2 | 0.125 | 0.218 | tied |
| 6 | 3 | gemma-3 | 0.082 | 4.9 (2.8 to 8.6) | 3.3 (-3.8 to 10.5) | 0.0029 | kimi-k2 | 0.709 | 0.673 | separable |
`

// exampleRequest returns the request of the page.
func exampleRequest(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../examples/leaderboards/choice.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exampleCatalog compiles the leaderboards of the examples, as they were on a day.
func exampleCatalog(t testing.TB, more ...string) *catalog.Catalog {
	t.Helper()
	files, err := filepath.Glob("../../../examples/leaderboards/observations/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no observations: %v", err)
	}
	var docs []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	return mustCompile(t, "2025-12-02T12:00:00.000Z", append(docs, more...))
}

// The table has rank, tie group, candidate, score, the two benchmarks with their
// intervals, dollars a task, and the comparison with its difference and margin.
func TestExample(t *testing.T) {
	c := exampleCatalog(t)
	if !strings.HasPrefix(c.Digest(), "04cb43ea") {
		t.Errorf("the catalog has the digest %s", c.Digest())
	}
	r := mustRank(t, mustIndex(t, c), mustRead(t, exampleRequest(t)))
	rows := strings.Split(strings.TrimSpace(exampleRows), "\n")
	if len(rows) != len(r.Ranked) {
		t.Fatalf("%d candidates are ranked", len(r.Ranked))
	}
	for i, c := range r.Ranked {
		if row := exampleRow(&c); row != rows[i] {
			t.Errorf("%s\nnot\n%s", row, rows[i])
		}
	}
	// What the text says of the first two.
	for i, want := range [][2]float64{{2.18, 8.33}, {2.69, 16.41}} {
		reasons := r.Ranked[i].Reasons[2:]
		for j := range want {
			if got := *reasons[j].Estimate.StandardError; math.Abs(got-want[j]) > 0.005 {
				t.Errorf("a standard error of %s is %v, not %v", r.Ranked[i].CandidateID, got, want[j])
			}
		}
	}
	if got := *r.Ranked[1].Comparison.StandardError; math.Abs(got-0.0933) > 0.00005 {
		t.Errorf("the standard error of the comparison is %v", got)
	}
	if r.ScoreScale.Kind != "fixed" || r.ScoreScale.Maximum != 2 || r.Statistics.Comparisons != 15 || r.Statistics.Quantile != 1.9599639845400543 {
		t.Errorf("scale %+v, statistics %+v", r.ScoreScale, r.Statistics)
	}
	for _, c := range r.Ranked {
		for _, gap := range []string{"evidence of another adapter", "evidence of another runtime.id", "evidence of another workflow"} {
			if c.Uncertainty.Level == "low" || !slices.Contains(c.Uncertainty.Gaps, gap) {
				t.Errorf("the uncertainty of %s is %s, with gaps %q", c.CandidateID, c.Uncertainty.Level, c.Uncertainty.Gaps)
			}
		}
		if c.Comparison != nil && !slices.Equal(c.Comparison.Paired, []string{"preference:livebench.agentic-coding.score"}) {
			t.Errorf("%s was compared in pairs of %q", c.CandidateID, c.Comparison.Paired)
		}
	}
}

// exampleRow is the row of a candidate: numbers to so many decimals, without zeros at
// their end.
func exampleRow(c *v3.Candidate) string {
	short := func(f float64, decimals int) string {
		text := strconv.FormatFloat(f, 'f', decimals, 64)
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	cells := []string{fmt.Sprint(c.Rank), fmt.Sprint(c.TieGroup), c.CandidateID, short(c.Score, 3)}
	for _, reason := range c.Reasons {
		switch e := reason.Finding; reason.Code {
		case "PREFERENCE_SCORE":
			cells = append(cells, fmt.Sprintf("%s (%s to %s)", short(e.Estimate.Value, 1), short(*e.Estimate.Low, 1), short(*e.Estimate.High, 1)))
		case "TIE_BREAKER_VALUE":
			cells = append(cells, short(e.Estimate.Value, 5))
		}
	}
	if d := c.Comparison; d != nil {
		cells = append(cells, d.Leader, short(d.Difference, 3), short(*d.Margin, 3), d.Outcome)
	} else {
		cells = append(cells, "", "", "", "")
	}
	row := "|"
	for _, cell := range cells {
		row += strings.TrimRight(" "+cell, " ") + " |"
	}
	return row
}
