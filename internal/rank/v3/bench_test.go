package v3_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// The catalog that is ranked against has 10,000 observations of 400 models, each
// with three of 24 keys, in the profile of the candidate or in another. It is that of
// the benchmarks of package rank.
const (
	benchObservations = 10_000
	benchModels       = 400
	benchKeys         = 24
	benchProfile      = `"runtime":{"id":"rt","version":"1"},"adapter":{"id":"ad","version":"2"},"effectiveContextTokens":8192,"toolSurface":["edit","shell"],"hardware":{"class":"gpu","accelerator":"h100","memoryBytes":80000000000},"workflow":{"id":"wf","version":"3","condition":"high"}`
	otherProfile      = `"runtime":{"id":"rt","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null`
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
		measurements := list(3, func(j int) string {
			k := ofModel + []int{0, 7, 13}[j]
			return fmt.Sprintf(`{"key":%q,"kind":"sample","value":%d.%d,"unit":"ms"}`, benchKey(k), i, k%9+1)
		})
		execution := []string{`{"kind":"exact",` + benchProfile + `}`, `{"kind":"exact",` + benchProfile + `}`, `{"kind":"exact",` + otherProfile + `}`, "null"}[ofModel%4]
		docs[i] = fmt.Sprintf(`{"schemaVersion":"service.observation/v2","kind":"declaration","model":%s,"execution":%s,`+
			`"task":{"family":"family","suite":"suite","taskId":null,"evaluator":{"id":"e","version":null}},"measurements":[%s],"outcome":null,"usage":null,"sourceClass":"first-party",`+
			`"evidence":[{"id":"run-%05d","kind":"log","uri":null,"digest":null,"observedAt":"2026-01-01T00:00:00.000Z"}],"freshness":{"observedAt":"2026-01-01T00:00:00.000Z","validUntil":null},`+
			`"uncertainty":{"level":"low","basis":["three runs with different seeds","graded by hand"],"gaps":["prompt template not published"]}}`,
			benchModel(i%benchModels), execution, measurements, i)
	}
	return mustCompile(b, asOf, docs)
}

// benchRequest asks, in version 2, for as many candidates, criteria (half of them
// requirements, which all meet) and advisories.
func benchRequest(candidates, criteria, advisories int) string {
	return `{"schemaVersion":"service.rank.request/v2","task":{"family":"family","suite":null},"inventory":[` +
		list(candidates, func(i int) string {
			return fmt.Sprintf(`{"id":"candidate-%03d","model":%s,"execution":{%s}}`, i, benchModel(i), benchProfile)
		}) + `],"requirements":[` + list(criteria/2, func(i int) string {
		return fmt.Sprintf(`{"measurementKey":%q,"aggregation":"count","operator":"gte","value":0}`, benchKey(i))
	}) + `],"preferences":[` + list(criteria-criteria/2, func(i int) string {
		return fmt.Sprintf(`{"measurementKey":%q,"aggregation":"mean","direction":"minimize","weight":%d}`, benchKey(criteria/2+i), i+1)
	}) + `],"advisories":[` + list(advisories, func(i int) string {
		return fmt.Sprintf(`{"id":"advisory-%d","measurementKey":%q,"aggregation":"max"}`, i, benchKey(i))
	}) + `]}`
}

var benchSizes = []struct{ candidates, criteria, advisories int }{{4, 3, 0}, {128, 16, 8}}

// BenchmarkRank ranks and writes the result into a buffer of its own, by version 2
// and by version 3.
func BenchmarkRank(b *testing.B) {
	c := benchCatalog(b)
	ranker := mustIndex(b, c)
	for _, size := range benchSizes {
		text := benchRequest(size.candidates, size.criteria, size.advisories)
		q2 := mustRead(b, text)
		translated, err := q2.Translate()
		if err != nil {
			b.Fatal(err)
		}
		// The samples of a model are of two groups: one of every execution, one of the
		// candidate's. Both are carried over, and the closer one is taken.
		q3 := mustRead(b, strings.ReplaceAll(translated.JSON(), `"resolve":[]`, `"resolve":["most-specific"]`))
		name := fmt.Sprintf("candidates=%d/criteria=%d/advisories=%d", size.candidates, size.criteria, size.advisories)
		for version, q := range map[int]*v3.Request{2: q2, 3: q3} {
			b.Run(fmt.Sprintf("%s/version=%d", name, version), func(b *testing.B) {
				benchmark(b, func() ([]byte, error) {
					r, err := ranker.Rank(b.Context(), q, 0)
					if err != nil {
						return nil, err
					}
					return r.AppendJSON(nil, 0)
				})
			})
		}
	}
}

func benchmark(b *testing.B, rank func() ([]byte, error)) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		text, err := rank()
		if err != nil || strings.Contains(string(text[:64]), `"excluded":[{`) {
			b.Fatal(err)
		}
		n = len(text)
	}
	b.ReportMetric(float64(n), "result-B")
}

func BenchmarkNew(b *testing.B) {
	c := benchCatalog(b)
	b.Run("version=3", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mustIndex(b, c)
		}
	})
}

// offerCatalog is 5,000 offers as price lists make them: 1,000 models on five runtimes,
// each with a price, a limit and a capability observed by itself.
func offerCatalog(b *testing.B) *catalog.Catalog {
	b.Helper()
	var docs []string
	for i := range 5000 {
		scope := fmt.Sprintf(`{"kind":"partial","runtime":{"id":"runtime-%d","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`, i%5)
		for j, facts := range []string{
			list(4, func(k int) string {
				return measuredKey([]string{"price.input", "price.output", "price.cache-read", "price.cache-write"}[k], "fact", fmt.Sprintf("%de-7", 1+(i+k)%90), "USD/token")
			}),
			measuredKey("limits.context", "fact", fmt.Sprint(8192*(1+i%30)), "tokens") + "," + measuredKey("limits.output", "fact", "8192", "tokens"),
			measuredKey("capability.tools", "fact", fmt.Sprint(i%3 > 0), ""),
		} {
			docs = append(docs, observed{model: fmt.Sprintf("vendor/model-%03d", i/5), execution: scope, measurements: facts, evidence: fmt.Sprintf("list:%d#%d", i, j)}.json())
		}
	}
	return mustCompile(b, asOf, docs)
}

// BenchmarkOffers ranks 128 offers of 5,000 by what a task costs, among those that
// take enough tokens.
func BenchmarkOffers(b *testing.B) {
	k := mustIndex(b, offerCatalog(b))
	q := mustRead(b, `{"schemaVersion":"service.rank.request/v3","inventory":[`+list(128, func(i int) string {
		return fmt.Sprintf(`{"id":"c%03d","model":{"id":"vendor/model-%03d"},"execution":{"runtime":{"id":"runtime-%d"}}}`, i, i*7%1000, i%5)
	})+`],"requirements":[{"measurementKey":"limits.context","aggregation":"fact","resolve":["newest"],"operator":"gte","value":8192},
		{"measurementKey":"limits.output","aggregation":"fact","resolve":["newest"],"operator":"gte","value":4096}],
		"preferences":[{"id":"usd-per-task","weight":1,"direction":"minimize","sum":[{"measurementKey":"price.input","aggregation":"fact","factor":20000,"resolve":["newest"]},
		{"measurementKey":"price.output","aggregation":"fact","factor":3000,"resolve":["newest"]}]},
		{"measurementKey":"capability.tools","aggregation":"fact","weight":0,"direction":"maximize"}],
		"tieBreakers":[{"measurementKey":"limits.context","aggregation":"fact","direction":"maximize"}]}`)
	benchmark(b, func() ([]byte, error) {
		r, err := k.Rank(b.Context(), q, 0)
		if err != nil {
			return nil, err
		}
		return r.AppendJSON(nil, 0)
	})
}

// BenchmarkQuestion makes a request of a question by what the catalog has.
func BenchmarkQuestion(b *testing.B) {
	all, _ := crowd("offers", manyCandidates["offers"], 5000)
	k := newRanker(b, all...)
	question := problem.Source{Text: `{"schemaVersion":"service.rank.question/v1","maximize":["k"],"runtimes":["rt1","rt2"],"minimize":["price.output"]}`}
	for b.Loop() {
		if _, err := k.Read(question); err != nil {
			b.Fatal(err)
		}
	}
}
