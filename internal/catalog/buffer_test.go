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
	const n = 4000 // some twenty chunks
	var bad, good strings.Builder
	for i := range n {
		fmt.Fprintf(&bad, "{\"unknown-%d\": 1}\n", i)
		bad.WriteString(strings.Repeat(" ", 999) + "\n")
		good.WriteString(onOneLine(named(fmt.Sprint(i))) + "\n")
	}
	_, _, err := compileText(t, "bad.jsonl", bad.String())
	var unknown []string
	for _, e := range problem.All(err) {
		if strings.HasPrefix(e.Path, "$.unknown-") {
			unknown = append(unknown, e.Path)
		}
	}
	if len(unknown) != n {
		t.Fatalf("%d unknown members, want %d", len(unknown), n)
	}
	for i, path := range unknown {
		if path != fmt.Sprintf("$.unknown-%d", i) {
			t.Fatalf("the unknown member of line %d is %s", 2*i+1, path)
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
