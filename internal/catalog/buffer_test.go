package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// What is kept of a source keeps nothing of the buffers that it was read into:
// faults and observations of early chunks are right when all chunks are read.
func TestNothingKeepsBuffers(t *testing.T) {
	const n = 900 // some twenty chunks, and as many faults as are kept, nearly
	var bad, good strings.Builder
	for i := range n {
		line := onOneLine(set(named(fmt.Sprint(i)), "$.uncertainty.gaps[0]", `"`+strings.Repeat("gap ", 1200)+`."`))
		fmt.Fprintf(&bad, "{\"unknown-%d\": 1, %s\n", i, strings.TrimPrefix(line, "{"))
		good.WriteString(line + "\n")
	}
	_, _, err := compileText(t, "bad.jsonl", bad.String())
	var unknown []string
	for _, e := range problem.All(err) {
		if strings.HasPrefix(e.Path, "$.unknown-") {
			unknown = append(unknown, e.Path)
		}
	}
	if len(unknown) != n {
		t.Fatalf("%d unknown fields, want %d", len(unknown), n)
	}
	for i, path := range unknown {
		if path != fmt.Sprintf("$.unknown-%d", i) {
			t.Fatalf("the unknown field of line %d is %s", i+1, path)
		}
	}

	c, _, err := compileText(t, "good.jsonl", good.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Parse(t.Context(), problem.Source{Text: c.Serialize()}); err != nil {
		t.Error(err)
	}
	if c.Observations() != n {
		t.Errorf("%d observations, want %d", c.Observations(), n)
	}
}
