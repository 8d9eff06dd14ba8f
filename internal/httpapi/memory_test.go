package httpapi

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page for operators has the formula of the limit, and what it comes to.
func TestMemoryLimit(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		fmt.Sprintf("%d * catalog + connections * %d KiB + max-concurrent-rank-requests * (max-rank-response-bytes * %d + %d MiB) + %d MiB",
			memoryOfCatalog, memoryOfConnection>>10, memoryOfResult, memoryOfRequest>>20, memoryOfServer>>20),
		fmt.Sprintf("that is %d MiB plus %d times the catalog", MemoryLimit(0, Options{})>>20, memoryOfCatalog),
	} {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/operations.md lacks %q", line)
		}
	}
	if got, want := MemoryLimit(10<<20, Options{MaxConcurrentRankRequests: 1, MaxRankResponseBytes: 1 << 20}),
		int64(40<<20+2048*210<<10+3<<20+8<<20+96<<20); got != want {
		t.Errorf("the limit is %d, want %d", got, want)
	}
}
