package modelsdev_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// BenchmarkRead reads a tree of 5,307 rows. What it must keep to is 2 seconds and
// ten times the size of the tar, observations included.
func BenchmarkRead(b *testing.B) {
	body := vectortest.DataText(b, "data", "models-dev", "tree.2026-07-01.f3fc6922.tar")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := modelsdev.Read(body); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	peak := sourcetest.PeakMemory(func() {
		if _, err := modelsdev.Read(body); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(float64(peak)/float64(len(body)), "heap/size")
}

// BenchmarkImport makes the 38,279 lines of the tree, one by one.
func BenchmarkImport(b *testing.B) {
	body := vectortest.DataText(b, "data", "models-dev", "tree.2026-07-01.f3fc6922.tar")
	file := sourcetest.Pin(b, modelsdev.Source, "https://codeload.github.com/anomalyco/models.dev/tar.gz/refs/heads/dev", "2026-07-02T06:00:00.000Z", body)
	request := sources.Request{Manifest: sourcetest.Manifest(b), Snapshots: []sources.File{file}, LinesOnly: true}
	work := func() {
		r, err := modelsdev.New().Import(request)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Lines(func([]byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		work()
	}
	b.StopTimer()
	b.ReportMetric(float64(sourcetest.PeakMemory(work))/float64(len(body)), "heap/size")
}
