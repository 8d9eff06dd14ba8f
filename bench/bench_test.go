package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/bench/workload"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/sqlite"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

var size = flag.Int("observations", 20_000, "number of observations to run the benchmarks on")

// Each benchmark has the floor on its own bytes as a sub-benchmark beside the
// operation, and the operation reports its time in floors as well: ratios
// hold between machines, seconds do not.

func BenchmarkCompile(b *testing.B) {
	text := written(b, workload.Observations)
	measure(b, text, "compile", func() error { _, err := compile(text); return err })
}

// BenchmarkWrite serializes a catalog that is compiled already.
func BenchmarkWrite(b *testing.B) {
	c := must(b, written(b, workload.Observations))
	measure(b, c.Serialize(), "write", func() error { _, err := c.WriteTo(io.Discard); return err })
}

// BenchmarkParse validates a snapshot: it compiles the observations in it anew.
func BenchmarkParse(b *testing.B) {
	text := must(b, written(b, workload.Observations)).Serialize()
	measure(b, text, "parse", func() error {
		_, err := catalog.Parse(context.Background(), problem.Source{Name: "snapshot.json", Text: text})
		return err
	})
}

// BenchmarkConflict compiles facts of one scope of which any two conflict.
func BenchmarkConflict(b *testing.B) {
	text := written(b, workload.Conflict)
	measure(b, text, "compile", func() error { _, err := compile(text); return err })
}

// BenchmarkNormalize validates one observation after the other, on one core.
func BenchmarkNormalize(b *testing.B) {
	text := written(b, workload.Observations)
	docs := strings.Split(strings.TrimSpace(text), "\n")
	measure(b, text, "normalize", func() error {
		for _, doc := range docs {
			if _, err := catalog.Normalize(doc); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkDiff compares two catalogs as svc diff does, from their texts to the
// record. Beside it is validating both, and the operation reports its time in
// validations as well. The second catalog is the first and a tenth more, or it
// shares nothing with it.
func BenchmarkDiff(b *testing.B) {
	old := must(b, written(b, workload.Observations))
	for _, name := range []string{"next", "apart"} {
		next := workload.Config{Seed: 1, N: *size + *size/10}
		if name == "apart" {
			next = workload.Config{Seed: 2, N: *size}
		}
		var buf bytes.Buffer
		if err := workload.Observations(&buf, next); err != nil {
			b.Fatal(err)
		}
		texts := []string{old.Serialize(), must(b, buf.String()).Serialize()}
		validate := func(b *testing.B) (catalogs []*catalog.Catalog) {
			for _, text := range texts {
				c, err := catalog.Parse(context.Background(), problem.Source{Name: "snapshot.json", Text: text})
				if err != nil {
					b.Fatal(err)
				}
				catalogs = append(catalogs, c)
			}
			return catalogs
		}
		var validation float64 // in nanoseconds
		b.Run(name+"/validate", func(b *testing.B) {
			for b.Loop() {
				validate(b)
			}
			validation = float64(b.Elapsed()) / float64(b.N)
		})
		b.Run(name+"/diff", func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				c := validate(b)
				d, err := compare.Catalogs(context.Background(), c[0], c[1], compare.Options{Limit: compare.DefaultLimit})
				if err != nil {
					b.Fatal(err)
				}
				size = len(ijson.MustWriteTagged(d))
			}
			b.ReportMetric(float64(size), "record-B")
			if validation > 0 { // not if the pattern of -bench left it out
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/validation, "validations")
			}
		})
	}
}

// BenchmarkShare locks, checks and exports a catalog from its text. Each operation reports
// its time in validations, too: in those of the same rounds, so that a busy machine slows
// down both.
func BenchmarkShare(b *testing.B) {
	text := must(b, written(b, workload.Observations)).Serialize()
	validate := func(b *testing.B) *catalog.Catalog {
		c, err := catalog.Parse(context.Background(), problem.Source{Name: "snapshot.json", Text: text})
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	demand, locked := demanded(b, validate(b))
	for _, of := range []struct {
		name string
		run  func(*catalog.Catalog) error
	}{
		{"lock", func(c *catalog.Catalog) error {
			_, _, err := lock.Make(context.Background(), c, demand, nil)
			return err
		}},
		{"check", func(c *catalog.Catalog) error {
			_, err := lock.Check(context.Background(), c, locked, locked.Text(), c.AsOf())
			return err
		}},
		{"ndjson", func(c *catalog.Catalog) error {
			_, err := export.WriteLines(context.Background(), c, export.Options{Format: record.FormatNDJSON}, io.Discard)
			return err
		}},
		{"csv", func(c *catalog.Catalog) error {
			_, err := export.WriteLines(context.Background(), c, export.Options{Format: record.FormatCSV}, io.Discard)
			return err
		}},
		{"litellm", func(c *catalog.Catalog) error {
			_, err := export.Text(context.Background(), c, export.Options{Format: record.FormatLiteLLM})
			if errors.Is(err, export.ErrNothing) {
				return nil // no model of the workload has all that a row needs
			}
			return err
		}},
		{"sqlite", func(c *catalog.Catalog) error {
			_, err := sqlite.Write(context.Background(), c, io.Discard)
			return err
		}},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			var validation time.Duration
			for b.Loop() {
				start := time.Now()
				c := validate(b)
				validation += time.Since(start)
				if err := of.run(c); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/validation.Seconds(), "validations")
		})
	}
}

// demanded is sixteen models of a catalog, and a lock of those of which a fact is known.
func demanded(b *testing.B, c *catalog.Catalog) (lock.Demand, *lock.Lock) {
	b.Helper()
	const most = 16
	var d lock.Demand
	keys := map[string]bool{}
	for _, entry := range c.Models() {
		for _, o := range entry.Observations {
			rec := o.Record()
			if rec.Execution.Kind == "" || len(d.Uses) == most {
				continue
			}
			use := record.LockedUse{ID: entry.Key, Model: entry.Identity, Execution: record.OpenProfile{Profile: rec.Execution.Profile}}
			for _, m := range rec.Measurements {
				keys[m.Key] = true
			}
			one := lock.Demand{Uses: []record.LockedUse{use}, Watch: slices.Collect(maps.Keys(keys))}
			if _, _, err := lock.Make(context.Background(), c, one, nil); err == nil {
				d.Uses = append(d.Uses, use)
				break
			}
		}
	}
	d.Watch = slices.Sorted(maps.Keys(keys))
	l, _, err := lock.Make(context.Background(), c, d, nil)
	if err != nil || len(d.Uses) == 0 {
		b.Fatalf("%d uses: %v", len(d.Uses), err)
	}
	return d, l
}

// BenchmarkRank indexes a catalog and ranks against it the largest requests
// that there may be, answers included. It has no floor: nothing is read.
func BenchmarkRank(b *testing.B) {
	c := must(b, written(b, workload.Observations))
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			if _, err := v3.New(c); err != nil {
				b.Fatal(err)
			}
		}
	})
	ranker, err := v3.New(c)
	if err != nil {
		b.Fatal(err)
	}
	for _, config := range []workload.RequestConfig{
		{Candidates: 4, Criteria: 3},
		{Candidates: 16, Criteria: 128, Advisories: 64},
		{Candidates: 128, Criteria: 16, Advisories: 8},
	} {
		request := requested(b, config)
		name := fmt.Sprintf("candidates=%d/criteria=%d/advisories=%d", config.Candidates, config.Criteria, config.Advisories)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var answer []byte
			for b.Loop() {
				result, err := ranker.Rank(context.Background(), request, 0)
				if err != nil {
					b.Fatal(err)
				}
				if answer, err = result.AppendJSON(answer[:0], 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(answer)), "answer-B")
		})
	}
}

// requested returns a rank request for a catalog of the workload.
func requested(b *testing.B, config workload.RequestConfig) *v3.Request {
	b.Helper()
	var buf bytes.Buffer
	if err := workload.Request(&buf, config); err != nil {
		b.Fatal(err)
	}
	request, err := v3.ReadRequest(problem.Source{Name: "request.json", Text: buf.String()})
	if err != nil {
		b.Fatal(err)
	}
	return request
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

// measure runs the floor on the text and then the operation.
func measure(b *testing.B, text, name string, operation func() error) {
	var floor float64 // in nanoseconds
	b.Run("floor", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		bytes := []byte(text)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := MeasureFloor(bytes); err != nil {
				b.Fatal(err)
			}
		}
		floor = float64(b.Elapsed()) / float64(b.N)
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
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/floor, "floors")
		}
	})
}
