package bench

import (
	"bytes"
	"context"
	"flag"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/bench/workload"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

var size = flag.Int("observations", 20_000, "number of observations to run the benchmarks on")

// Each benchmark has the floor on its own bytes as a sub-benchmark beside the
// operation, and the operation reports its time in floors as well: ratios
// hold between machines, seconds do not.

func BenchmarkCompile(b *testing.B) {
	text := written(b, workload.Observations)
	compare(b, text, "compile", func() error { _, err := compile(text); return err })
}

// BenchmarkWrite serializes a catalog that is compiled already.
func BenchmarkWrite(b *testing.B) {
	c := must(b, written(b, workload.Observations))
	compare(b, c.Serialize(), "write", func() error { _, err := c.WriteTo(io.Discard); return err })
}

// BenchmarkParse validates a snapshot: it compiles the observations in it anew.
func BenchmarkParse(b *testing.B) {
	text := must(b, written(b, workload.Observations)).Serialize()
	compare(b, text, "parse", func() error {
		_, err := catalog.Parse(context.Background(), problem.Source{Name: "snapshot.json", Text: text})
		return err
	})
}

// BenchmarkConflict compiles facts of one scope of which any two conflict.
func BenchmarkConflict(b *testing.B) {
	text := written(b, workload.Conflict)
	compare(b, text, "compile", func() error { _, err := compile(text); return err })
}

// BenchmarkNormalize validates one observation after the other, on one core.
func BenchmarkNormalize(b *testing.B) {
	text := written(b, workload.Observations)
	docs := strings.Split(strings.TrimSpace(text), "\n")
	compare(b, text, "normalize", func() error {
		for _, doc := range docs {
			if _, err := catalog.Normalize(doc); err != nil {
				return err
			}
		}
		return nil
	})
}

// written returns a workload of the size that the flag names.
func written(b *testing.B, write func(io.Writer, workload.Config) error) string {
	b.Helper()
	var buf bytes.Buffer
	if err := write(&buf, workload.Config{Seed: 1, N: *size}); err != nil {
		b.Fatal(err)
	}
	return buf.String()
}

func compile(text string) (*catalog.Catalog, error) {
	source := catalog.Source{Name: "observations.jsonl", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	c, _, err := catalog.CompileSources(context.Background(), []catalog.Source{source}, catalog.Options{AsOf: workload.AsOf})
	return c, err
}

func must(b *testing.B, observations string) *catalog.Catalog {
	b.Helper()
	c, err := compile(observations)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// compare runs the floor on the text and then the operation.
func compare(b *testing.B, text, name string, operation func() error) {
	var floor time.Duration // of one pass, the best
	b.Run("floor", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			f, err := MeasureFloor([]byte(text))
			if err != nil {
				b.Fatal(err)
			}
			if floor == 0 || f.Total() < floor {
				floor = f.Total()
			}
		}
	})
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if err := operation(); err != nil {
				b.Fatal(err)
			}
		}
		if floor > 0 { // not if the pattern of -bench left it out
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "floors")
		}
	})
}
