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
		line := onOneLine(named(fmt.Sprint(i)))
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
		t.Fatalf("%d unknown members, want %d", len(unknown), n)
	}
	for i, path := range unknown {
		if path != fmt.Sprintf("$.unknown-%d", i) {
			t.Fatalf("the unknown member of line %d is %s", i+1, path)
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

// A file that is nothing but faults takes memory in proportion to its size: of
// faults beyond that only the number is kept.
func TestFaultsAreBounded(t *testing.T) {
	const n = 300_000
	list := "[" + strings.Repeat("{},", n-1) + "{}]"
	_, _, err := compileText(t, "list.json", list)
	faults := problem.All(err)
	if len(faults) > len(list)/100 {
		t.Errorf("%d faults of %d bytes", len(faults), len(list))
	}
	const membersMissing = 12
	first, last := faults[0], faults[len(faults)-1]
	if first.Path != "$[0].schemaVersion" || last.Path != "$" || last.Place.File != "list.json" ||
		last.Reason != fmt.Sprintf("%d more problems", membersMissing*n-(len(faults)-1)) {
		t.Errorf("from %v to %v at %v", first, last, last.Place)
	}

	_, err = catalog.Normalize(`{"measurements":[` + strings.Repeat("0,", n) + `0]}`)
	if faults := problem.All(err); len(faults) > 2000 || !strings.HasSuffix(faults[len(faults)-1].Reason, " more problems") {
		t.Errorf("%d faults of one document, the last is %v", len(faults), faults[len(faults)-1])
	}
}
