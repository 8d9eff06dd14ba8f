package httpapi

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
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

// A handler with its catalog, indexes and documents takes at most 2.5 times the bytes of the
// catalog's file where a model has a hundred observations, and 3 times where it has fifteen.
func TestMemoryOfHandler(t *testing.T) {
	for n, most := range map[int]float64{6000: 3, 40000: 2.5} {
		if n > 6000 && vectortest.IsShort() {
			continue
		}
		text := generatedCatalog(t, n).Serialize()
		size := float64(len(text))
		before := liveHeap() - size
		c, err := catalog.Parse(context.Background(), problem.Source{Name: "catalog.json", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHandler(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if held := (liveHeap() - before) / size; held < 1 || held > most {
			t.Errorf("a handler of a catalog of %.0f bytes holds %.2f times as many, at most %.1f are allowed", size, held, most)
		}
		runtime.KeepAlive(h)
		runtime.KeepAlive(c)
	}
}

func liveHeap() float64 {
	runtime.GC()
	runtime.GC() // which empties pools too
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
