package rank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// The catalog that is ranked against has 10,000 observations of 400 models, each
// with three of 24 keys, in the profile of the candidate or in another.
const (
	benchObservations = 10_000
	benchModels       = 400
	benchKeys         = 24
)

func benchModel(i int) string {
	return fmt.Sprintf(`{"id":"vendor/model-%03d","revision":"2026-01-01","quantization":null}`, i)
}

func benchKey(i int) string { return fmt.Sprintf("key.%02d", i%benchKeys) }

func benchCatalog(b *testing.B) *catalog.Catalog {
	b.Helper()
	docs := make([]string, benchObservations)
	for i := range docs {
		ofModel := i / benchModels
		var measurements []string
		for _, k := range []int{ofModel, ofModel + 7, ofModel + 13} {
			measurements = append(measurements, fmt.Sprintf(`{"key":%q,"kind":"sample","value":%d.%d,"unit":"ms"}`, benchKey(k), i, k%9+1))
		}
		docs[i] = observed{
			evidence:     fmt.Sprintf("run-%05d", i),
			model:        benchModel(i % benchModels),
			execution:    []string{exact(all), exact(all), exact(none), "null"}[ofModel%4],
			task:         "family/suite",
			measurements: strings.Join(measurements, ","),
			basis:        `"three runs with different seeds","graded by hand"`,
			gaps:         `"prompt template not published"`,
		}.json()
	}
	return compile(b, docs...)
}

// benchRequest asks for as many candidates, criteria (half of them
// requirements, which all meet) and advisories.
func benchRequest(candidates, criteria, advisories int) string {
	key := func(i int, criterion string) string {
		return strings.Replace(criterion, `"measurementKey":"k"`, `"measurementKey":"`+benchKey(i)+`"`, 1)
	}
	return asked{
		family:    "family",
		inventory: repeat(candidates, func(i int) string { return launch(fmt.Sprintf("candidate-%03d", i), benchModel(i), all) }),
		requirements: repeat(criteria/2, func(i int) string {
			return key(i, require("count", "gte", "0"))
		}),
		preferences: repeat(criteria-criteria/2, func(i int) string {
			return key(criteria/2+i, prefer("mean", "minimize", fmt.Sprint(i+1)))
		}),
		advisories: repeat(advisories, func(i int) string {
			return key(i, criterionJSON(fmt.Sprintf(`"id":"advisory-%d",`, i), "max", ""))
		}),
	}.json()
}

var benchSizes = []struct{ candidates, criteria, advisories int }{{4, 3, 0}, {128, 16, 8}}

// BenchmarkRank ranks and writes the result into a buffer of its own.
func BenchmarkRank(b *testing.B) {
	k := newRanker(b, benchCatalog(b))
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("candidates=%d/criteria=%d/advisories=%d", size.candidates, size.criteria, size.advisories), func(b *testing.B) {
			q := mustRead(b, benchRequest(size.candidates, size.criteria, size.advisories))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				r, err := k.Rank(b.Context(), q, 0)
				if err != nil {
					b.Fatal(err)
				}
				text, err := r.AppendJSON(nil, 0)
				if err != nil {
					b.Fatal(err)
				}
				n = len(text)
			}
			b.ReportMetric(float64(n), "result-B")
		})
	}
}

func BenchmarkReadRequest(b *testing.B) {
	for _, size := range benchSizes {
		text := benchRequest(size.candidates, size.criteria, size.advisories)
		b.Run(fmt.Sprintf("candidates=%d/criteria=%d/advisories=%d", size.candidates, size.criteria, size.advisories), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				mustRead(b, text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	c := benchCatalog(b)
	b.ReportAllocs()
	for b.Loop() {
		newRanker(b, c)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchObservations, "ns/observation")
}
