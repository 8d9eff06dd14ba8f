package producer_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

func BenchmarkRead(b *testing.B) {
	text := manyBundle()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bundle.Read(problem.Source{Text: text}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadRaw(b *testing.B) {
	text := manyBundle()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bundle.ReadRaw(problem.Source{Text: text}); err != nil {
			b.Fatal(err)
		}
	}
}
