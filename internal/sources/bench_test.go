package sources_test

import (
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// BenchmarkImportTree imports a tree of models.dev of 5,307 rows. It should take less
// than 2 seconds, and ten times the size of the tar: more than six times of that are
// the lines that come out.
func BenchmarkImportTree(b *testing.B) {
	f := realFile(b, modelsdev.Source, priceSources[0].url, "models-dev/tree.2026-07-01.f3fc6922.tar", "2026-07-01T16:40:28.000Z")
	b.Run("offer-v1", func(b *testing.B) { benchmarkImport(b, modelsdev.New(), byV1(modelsdev.Source), f) })
	b.Run("offer-v2", func(b *testing.B) { benchmarkImport(b, modelsdev.New(), problem.Source{}, f) })
}

// BenchmarkImportCaptures imports 22 answers of OpenRouter, those of the real files
// again and again. It should take less than 3 seconds.
func BenchmarkImportCaptures(b *testing.B) {
	var files []sources.File
	at := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for i := range 22 {
		day := []string{"17", "18", "19", "28", "31"}[i%5]
		files = append(files, realFile(b, openrouter.Source, modelsURL, "openrouter/models.2026-07-"+day+".sui414.json", at.AddDate(0, 0, i).Format("2006-01-02T15:04:05.000Z")))
	}
	benchmarkImport(b, openrouter.New(), problem.Source{}, files...)
}

func benchmarkImport(b *testing.B, a sources.Adapter, mapping problem.Source, files ...sources.File) {
	size := 0
	for _, f := range files {
		size += len(f.Body.Text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	lines := 0
	for b.Loop() {
		lines = len(importPrices(b, a, mapping, files...).Observations)
	}
	b.StopTimer()
	if lines == 0 {
		b.Fatal("nothing was imported")
	}
	peak := sourcetest.PeakMemory(func() { importPrices(b, a, mapping, files...) })
	b.ReportMetric(float64(peak)/float64(size), "heap/size")
	b.ReportMetric(float64(lines), "lines")
}
