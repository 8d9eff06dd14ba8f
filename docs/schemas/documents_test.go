package schemas_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// These are the documents of the formats: examples, vectors and what the code
// makes.

func readFile(t testing.TB, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// filesOf returns those files of the project whose names fit a pattern.
func filesOf(t testing.TB, pattern string) (docs []doc) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc{file, string(text)})
	}
	return docs
}

// linesOf returns the lines of such files.
func linesOf(t testing.TB, pattern string) (docs []doc) {
	t.Helper()
	for _, file := range filesOf(t, pattern) {
		for n, line := range strings.Split(strings.TrimSpace(file.text), "\n") {
			docs = append(docs, doc{fmt.Sprint(file.name, ":", n+1), line})
		}
	}
	return docs
}

// vectors returns the lines of a file of vectors.
func vectors[T any](t testing.TB, room, name string) []T {
	t.Helper()
	return vectortest.Parts[T](t, filepath.Join("../../internal", room, "testdata", name+".jsonl.gz"))
}

func observations(t *testing.T) (docs []doc) {
	docs = append(docs, filesOf(t, "examples/observations/*.json")...)
	docs = append(docs, linesOf(t, "examples/observations/*.jsonl")...)
	docs = append(docs, linesOf(t, "examples/leaderboards/observations/*.jsonl")...)
	docs = append(docs, filesOf(t, "cmd/testdata/in/one.json")...)
	docs = append(docs, filesOf(t, "cmd/testdata/in/list.json")...)
	docs = append(docs, filesOf(t, "cmd/testdata/in/bad.json")...)
	docs = append(docs, filesOf(t, "cmd/testdata/in/conflict.json")...)
	docs = append(docs, linesOf(t, "cmd/testdata/in/lines.jsonl")...)
	docs = append(docs, linesOf(t, "internal/httpapi/testdata/observations.jsonl")...)
	for n, v := range vectors[struct{ Observation json.RawMessage }](t, "catalog", "observations") {
		docs = append(docs, doc{fmt.Sprint("observation ", n), string(v.Observation)})
	}
	for n, v := range vectors[struct{ Observations json.RawMessage }](t, "catalog", "compile") {
		docs = append(docs, doc{fmt.Sprint("compile ", n), string(v.Observations)})
	}
	return append(docs, doc{"none", "[]"}, doc{"of another version", `{"schemaVersion":"service.observation/v1"}`})
}

// fullObservation has every member there is.
const fullObservation = `{"schemaVersion":"service.observation/v2","kind":"evaluation",
	"model":{"id":"acme/atlas","revision":"r1","quantization":"q8"},
	"execution":{"kind":"exact","runtime":{"id":"vllm","version":"1"},"adapter":{"id":"patch","version":"3"},"effectiveContextTokens":8192,
		"toolSurface":["edit","run"],"hardware":{"class":"gpu","accelerator":"h200","memoryBytes":1024},"workflow":{"id":"fix","version":"2","condition":"high"}},
	"task":{"family":"coding","suite":"repairs","taskId":"login","evaluator":{"id":"tests","version":"1"}},
	"measurements":[{"key":"fixed","kind":"sample","value":true},{"key":"seconds","kind":"sample","value":1.5,"unit":"s"},{"key":"name","kind":"fact","value":""}],
	"outcome":{"status":"accepted","reason":"why"},
	"usage":{"inputTokens":1,"outputTokens":2,"reasoningTokens":3,"totalTokens":6,"completeness":"complete","modelCalls":1,"wallTimeMs":5.0},
	"sourceClass":"first-party",
	"evidence":[{"id":"e1","kind":"log","uri":"https://example.org/","digest":{"algorithm":"sha256","value":"0000000000000000000000000000000000000000000000000000000000000001"},"observedAt":"2026-01-01T00:00:00.000Z"},
		{"id":"e2","kind":"log","uri":null,"digest":null,"observedAt":"2024-02-29T23:59:59.999Z"}],
	"freshness":{"observedAt":"2026-01-01T00:00:00.000Z","validUntil":"2026-02-01T00:00:00.000Z"},
	"uncertainty":{"level":"low","basis":["b","c"],"gaps":["g"]}}`

// partialDeclaration states something of executions that it says little of.
const partialDeclaration = `{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":"acme/atlas","revision":null,"quantization":null},
	"execution":{"kind":"partial","runtime":{"id":"vllm","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null},
	"task":null,"measurements":[{"key":"window","kind":"fact","value":1}],"outcome":null,"usage":null,"sourceClass":"external",
	"evidence":[{"id":"e","kind":"page","uri":null,"digest":null,"observedAt":"2026-01-01T00:00:00.000Z"}],
	"freshness":{"observedAt":"2026-01-01T00:00:00.000Z","validUntil":null},"uncertainty":{"level":"unknown","basis":["b"],"gaps":[]}}`

func observationSeeds(*testing.T) []doc {
	return []doc{{"full", fullObservation}, {"partial", partialDeclaration}, {"list", "[" + partialDeclaration + "]"}}
}

// compiled compiles observations to a snapshot.
func compiled(t testing.TB, asOf string, docs ...string) *catalog.Catalog {
	t.Helper()
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type catalogVector struct {
	Name, AsOf   string
	Observations []json.RawMessage
}

func (v *catalogVector) compile(t testing.TB) *catalog.Catalog {
	t.Helper()
	var docs []string
	for _, o := range v.Observations {
		docs = append(docs, string(o))
	}
	return compiled(t, v.AsOf, docs...)
}

func catalogs(t *testing.T) (docs []doc) {
	docs = append(docs, filesOf(t, "examples/catalog.json")...)
	docs = append(docs, filesOf(t, "internal/httpapi/testdata/catalog.json")...)
	byName := map[string]string{}
	for _, v := range vectors[catalogVector](t, "catalog", "catalogs") {
		byName[v.Name] = v.compile(t).Serialize()
		docs = append(docs, doc{v.Name, byName[v.Name]})
	}
	type vector struct {
		Catalog string
		Ops     []struct {
			Op    string
			Path  []any
			Value any
		}
	}
	met := map[string]bool{}
	for n, v := range vectors[vector](t, "catalog", "tampered") {
		snapshot := document(t, byName[v.Catalog])
		for _, op := range v.Ops {
			snapshot = tamper(snapshot, op.Op, op.Path, op.Value)
		}
		if text := written(t, snapshot); !met[text] {
			met[text] = true
			docs = append(docs, doc{fmt.Sprintf("tampered %d, %s", n, v.Catalog), text})
		}
	}
	return append(docs, doc{"of another version", `{"schemaVersion":"service.catalog/v1"}`})
}

// tamper sets, adds or removes what a path leads to.
func tamper(node any, op string, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	last := len(path) == 1
	if name, ok := path[0].(string); ok {
		object := node.(map[string]any)
		if last && op == "remove" {
			delete(object, name)
			return object
		}
		object[name] = tamper(object[name], op, path[1:], value)
		return object
	}
	list, i := node.([]any), int(path[0].(float64))
	switch {
	case last && op == "remove":
		return append(list[:i:i], list[i+1:]...)
	case last && op == "add":
		return append(list[:i:i], append([]any{value}, list[i:]...)...)
	}
	list[i] = tamper(list[i], op, path[1:], value)
	return list
}

// written is a document as text.
func written(t testing.TB, document any) string {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func catalogSeeds(t *testing.T) []doc {
	contradiction := strings.Replace(partialDeclaration, `"value":1`, `"value":2`, 1)
	const asOf = "2026-07-01T00:00:00.000Z"
	return []doc{
		{"full", compiled(t, asOf, fullObservation).Serialize()},
		{"conflict", compiled(t, asOf, partialDeclaration, contradiction).Serialize()},
	}
}

func requests(t *testing.T) (docs []doc) {
	docs = append(docs, filesOf(t, "examples/fix-issues.json")...)
	docs = append(docs, filesOf(t, "examples/sources/coding.json")...)
	docs = append(docs, filesOf(t, "examples/leaderboards/coding.json")...)
	docs = append(docs, filesOf(t, "cmd/testdata/in/request*.json")...)
	for n, v := range vectors[struct{ Request json.RawMessage }](t, "rank", "requests") {
		docs = append(docs, doc{fmt.Sprint("request ", n), string(v.Request)})
	}
	for n, v := range rankVectors(t) {
		for i, r := range v.Requests {
			docs = append(docs, doc{fmt.Sprint("rank ", n, ", request ", i), string(r.Request)})
		}
	}
	heavy := `{"measurementKey":"%s","aggregation":"mean","direction":"maximize","weight":1e308}`
	const twice = `{"measurementKey":"fixed","aggregation":"success-rate","operator":"gte","value":0.5,"sourceClasses":["external","first-party"]}`
	docs = append(docs, doc{"a requirement twice", strings.Replace(requestV1, `"requirements":[`, `"requirements":[`+twice+`,`, 1)})
	return append(docs, doc{"too heavy", strings.Replace(requestV1, `"preferences":[`,
		`"preferences":[`+fmt.Sprintf(heavy, "a")+`,`+fmt.Sprintf(heavy, "b")+`,`, 1)})
}

type rankVector struct {
	Catalog  string
	Requests []struct{ Request json.RawMessage }
}

func rankVectors(t testing.TB) []rankVector { return vectors[rankVector](t, "rank", "ranks") }

const (
	inventory = `[{"id":"here","model":{"id":"acme/atlas","revision":"r1","quantization":"q8"},"execution":{"runtime":{"id":"vllm","version":"1"},
		"adapter":{"id":"patch","version":"3"},"effectiveContextTokens":8192,"toolSurface":["run","edit"],"hardware":{"class":"gpu","accelerator":"h200","memoryBytes":1024},
		"workflow":{"id":"fix","version":"2","condition":"high"}}},
		{"id":"there","model":{"id":"acme/atlas","revision":null,"quantization":null},"execution":{"runtime":{"id":"other","version":null},
		"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null}}]`
	requestBody = `"task":{"family":"coding","suite":"repairs"},"inventory":` + inventory + `,
		"requirements":[{"measurementKey":"fixed","aggregation":"success-rate","operator":"gte","value":0.5,"sourceClasses":["first-party","external"]}],
		"preferences":[{"measurementKey":"seconds","aggregation":"mean","direction":"minimize","weight":2,"sourceClasses":["first-party"]},
			{"measurementKey":"nothing","aggregation":"fact","direction":"maximize","weight":1}]`
	requestV1 = `{"schemaVersion":"service.rank.request/v1",` + requestBody + `}`
	requestV2 = `{"schemaVersion":"service.rank.request/v2",` + requestBody + `,
		"advisories":[{"id":"a","measurementKey":"seconds","aggregation":"max","sourceClasses":["first-party"]},{"id":"b","measurementKey":"nothing","aggregation":"count"}]}`
)

func requestSeeds(*testing.T) []doc { return []doc{{"v1", requestV1}, {"v2", requestV2}} }

// ranked ranks a request against a catalog.
func ranked(t testing.TB, c *catalog.Catalog, request string) string {
	t.Helper()
	q, err := v3.ReadRequest(problem.Source{Text: request})
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	result, err := ranker.Rank(context.Background(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := result.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func results(t *testing.T) (docs []doc) {
	example, err := catalog.Parse(context.Background(), problem.Source{Text: readFile(t, "examples", "catalog.json")})
	if err != nil {
		t.Fatal(err)
	}
	docs = append(docs, doc{"example", ranked(t, example, readFile(t, "examples", "fix-issues.json"))})
	byName := map[string]*catalog.Catalog{}
	for _, v := range vectors[catalogVector](t, "catalog", "catalogs") {
		byName[v.Name] = v.compile(t)
	}
	for n, v := range rankVectors(t) {
		for i, r := range v.Requests {
			docs = append(docs, doc{fmt.Sprint("rank ", n, ", request ", i), ranked(t, byName[v.Catalog], string(r.Request))})
		}
	}
	return docs
}

func resultSeeds(t *testing.T) []doc {
	c := compiled(t, "2026-01-15T00:00:00.000Z", fullObservation, partialDeclaration)
	return []doc{{"v1", ranked(t, c, requestV1)}, {"v2", ranked(t, c, requestV2)}}
}

// diffs are those of the leaderboards, two days apart, and one that no catalogs have.
func diffs(t *testing.T) []doc {
	var texts []string
	for _, line := range linesOf(t, "examples/leaderboards/observations/*.jsonl") {
		texts = append(texts, line.text)
	}
	old, new := compiled(t, "2025-12-02T12:00:00.000Z", texts[:100]...), compiled(t, "2025-12-04T00:00:00.000Z", texts...)
	d, err := compare.Catalogs(context.Background(), old, new, compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		t.Fatal(err)
	}
	text := string(ijson.MustWriteTagged(d))
	return []doc{{"leaderboards", text}, {"unsorted", strings.Replace(text, `["conflicts","facts"`, `["facts","conflicts"`, 1)}}
}

// diffSeeds is a diff in which nothing is null that need not be.
func diffSeeds(t *testing.T) []doc {
	const digest, at = "8b2f9e1d4c6a0537f1e2d3c4b5a69788796a5b4c3d2e1f0012233445566778ff", "2026-01-15T00:00:00.000Z"
	one, value := 1, record.Scalar{Kind: '0', Text: "1.5"}
	number := record.NewFloat(1.5)
	fact := &record.SlotState{State: compare.StateConflict, Values: []record.StatedValue{{Value: value, Unit: "s"}}, ValueCount: 1, ObservationCount: 1,
		Observations: []record.Witness{{ID: digest, ObservedAt: at, ValidUntil: at, SourceClass: "external", Evidence: []record.EvidenceLink{{ID: "e", URI: "u"}}}}}
	aggregate := &record.SampleSummary{N: 1, Unit: "s", Mean: number, Min: number, Max: number, SuccessRate: number}
	scope := fullScope
	task := record.Task{Family: "f", Suite: "s", TaskID: "t"}
	task.Evaluator.ID, task.Evaluator.Version = "e", "1"
	cell := &record.CriterionValue{Status: compare.StatusOK, Code: "PREFERENCE_SCORE", Value: &value, Unit: "s", Contribution: number, ObservationIDs: []string{digest}, ObservationCount: 1}
	scale := record.ScaleEnds{Lowest: number, Highest: number, LowestAt: []string{"a"}, HighestAt: []string{"b"}}
	placement := record.CandidateOutcome{Outcome: compare.Ranked, Rank: &one, Score: number, RankInterval: &record.RankInterval{Low: 1, High: 2}}
	empty := compiled(t, at)
	d, err := compare.Catalogs(context.Background(), empty, empty, compare.Options{Limit: compare.DefaultLimit})
	if err != nil {
		t.Fatal(err)
	}
	d.Models = []record.ModelChange{{
		Key: digest, Identity: record.Model{ID: "m", Revision: "1", Quantization: "int4"}, Change: compare.Changed, Alike: []string{digest},
		Facts:     []record.FactChange{{Slot: digest, MeasurementKey: "k", Execution: scope, Task: task, Change: compare.Changed, Ratio: number, Old: fact, New: fact}},
		Samples:   []record.SampleChange{{MeasurementKey: "k", Execution: scope, Family: "f", Suite: "s", Old: aggregate, New: aggregate}},
		Conflicts: []record.ConflictChange{{Key: digest, MeasurementKey: "k", Change: compare.Changed, Old: []record.Scalar{record.Number(1)}, New: []record.Scalar{record.Bool(true), record.String("x")}}},
	}}
	d.Rankings = []record.RankingChange{{
		Request: record.VersionedRequest{SHA256: digest, SchemaVersion: "service.rank.request/v2"}, Changed: true, Old: []string{"a"}, New: []string{"a"},
		Scales: []record.ScaleChange{{Criterion: "c", MeasurementKey: "k", Aggregation: "mean", Direction: "maximize", Old: scale, New: scale}},
		Candidates: []record.CandidateChange{{CandidateID: "a", Old: placement, New: placement, Move: number, Criteria: []record.CriterionChange{{
			Role: compare.TieBreaker, Criterion: "c", MeasurementKey: "k", Aggregation: "fact", Causes: []string{compare.CauseScale}, Old: cell, New: cell,
			Contribution: &record.ContributionChange{Old: 1, New: 2, OfValue: 1, OfScale: 0},
		}}}},
	}}
	return []doc{{"full", string(ijson.MustWriteTagged(d))}}
}

func currentRequests(t *testing.T) (docs []doc) {
	docs = append(docs, filesOf(t, "examples/leaderboards/choice.json")...)
	docs = append(docs, filesOf(t, "examples/models/coding-agent.json")...)
	for n, v := range vectors[struct{ Request, Expect json.RawMessage }](t, "rank/v3", "seeds") {
		docs = append(docs, doc{fmt.Sprint("request ", n), string(v.Request)})
	}
	for _, members := range []string{`"choice":{"within":0}`, `"cost":{"inputTokens":1,"outputTokens":1},"tieBreakers":[{"id":"usd-per-task","measurementKey":"k","aggregation":"fact","direction":"minimize"}]`} {
		docs = append(docs, doc{members, `{"schemaVersion":"service.rank.request/v3","inventory":[],` + members + `}`})
	}
	return docs
}

// requestV3 has every member that there is.
const requestV3 = `{"schemaVersion":"service.rank.request/v3","task":{"family":"coding","suite":"repairs","taskId":"t"},"inventory":` + inventory + `,
	"requirements":[{"id":"r","measurementKey":"fixed","aggregation":"success-rate","sum":null,"unit":"percent","task":{"family":"coding"},"sourceClasses":["first-party","external"],
		"transfer":["execution","model.revision"],"resolve":["most-specific","newest"],"operator":"gte","value":0.5}],
	"preferences":[{"measurementKey":"seconds","aggregation":"mean","direction":"minimize","weight":2,"scale":{"low":1,"high":100,"log":true}},
		{"measurementKey":"rate","aggregation":"mean","direction":"maximize","weight":1},{"id":"a","measurementKey":"seconds","aggregation":"max","direction":"maximize","weight":0}],
	"tieBreakers":[{"id":"cost","sum":[{"measurementKey":"price","aggregation":"fact","factor":2.5,"unit":"USD","task":{},"sourceClasses":["external"],
		"transfer":["runtime"],"resolve":["newest"]}],"direction":"minimize"}],"minimumCoverage":0.25,"confidence":0.9,"target":"tasks","choice":{"within":0.1,"by":"cost"},
	"cost":{"inputTokens":1000,"outputTokens":100,"cachedInputTokens":10,"cacheWriteTokens":null,"requests":5,"resolve":["most-specific","highest"]},
	"keys":[{"key":"rate","name":"Rate","line":"What.","link":"https://example.org","unit":"percent","bounds":{"low":0,"high":100},"direction":"maximize",
		"size":{"trials":null,"tasks":{"t":20},"standardError":null,"basis":"inferred","rule":"guessed","source":"here"},"family":"quality","joins":["edit_format"]},
		{"key":"seconds*","size":{"standardError":"error"}}]}`

func currentRequestSeeds(*testing.T) []doc {
	return []doc{{"v3", requestV3},
		{"a sum first", `{"schemaVersion":"service.rank.request/v3","inventory":[],"requirements":[{"id":"s","sum":[{"measurementKey":"price","aggregation":"mean","factor":1}],"operator":"eq","value":"x"}]}`}}
}

// rankCurrent ranks a request of version 3 and explains its first candidate.
func rankCurrent(t testing.TB, c *catalog.Catalog, request, candidate string) (result, explanation string) {
	t.Helper()
	q, err := v3.ReadRequest(problem.Source{Text: request})
	if err != nil {
		t.Fatal(err)
	}
	ranker, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ranker.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Explain(t.Context(), candidate)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), string(canonical.MustMarshal(x))
}

func currentResults(t *testing.T) (docs []doc) {
	other := strings.NewReplacer(`"evaluator":{"id":"tests"`, `"evaluator":{"id":"others"`, `"value":1.5`, `"value":2.5`).Replace(fullObservation)
	ambiguous, _ := rankCurrent(t, compiled(t, "2026-01-15T00:00:00.000Z", fullObservation, other), fmt.Sprintf(requestAll, "mean", "0"), "a")
	docs = append(docs, doc{"ambiguous", ambiguous}, doc{"not told apart", notToldApart(t)})
	// Mutants reach the first item of a list alone, and this is about later ones.
	result, _ := choice(t, "gpt-5")
	docs = append(docs, doc{"choice", result}, doc{"another basis", strings.Replace(result, `"basis":"benchmark"`, `"basis":"no-such-word"`, 1)})
	i := slices.IndexFunc(docs, func(d doc) bool { return strings.Contains(d.text, `"dimension":"`) })
	return append(docs, doc{"another dimension", strings.Replace(docs[i].text, `"dimension":"`, `"dimension":"no-such-`, 1)})
}

// notToldApart is a result that says what would tell the two best candidates apart.
func notToldApart(t *testing.T) string {
	one := strings.NewReplacer(`"taskId":"login"`, `"taskId":"one"`, `"value":1.5`, `"value":2`).Replace(fullObservation)
	other := strings.NewReplacer(`"taskId":"login"`, `"taskId":"two"`, `"value":1.5`, `"value":9`).Replace(fullObservation)
	all := []string{one, other}
	for _, o := range all[:2] {
		all = append(all, strings.NewReplacer("acme/atlas", "acme/borealis", `"value":9`, `"value":7`).Replace(o))
	}
	const request = `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"acme/atlas","revision":"r1","quantization":"q8"}},
		{"id":"b","model":{"id":"acme/borealis","revision":"r1","quantization":"q8"}}],"preferences":[{"measurementKey":"seconds","aggregation":"mean",
		"transfer":["execution"],"direction":"minimize","weight":1,"scale":{"low":0,"high":10}}],
		"keys":[{"key":"seconds","bounds":{"low":0,"high":10},"size":{"tasks":{"one":20,"two":20}}}]}`
	result, _ := rankCurrent(t, compiled(t, "2026-01-15T00:00:00.000Z", all...), request, "a")
	return result
}

// choice is what the leaderboards of the examples answer to the request beside them.
func choice(t *testing.T, candidate string) (result, explanation string) {
	var lines []string
	for _, d := range linesOf(t, "examples/leaderboards/observations/*.jsonl") {
		lines = append(lines, d.text)
	}
	return rankCurrent(t, compiled(t, "2025-12-02T12:00:00.000Z", lines...), readFile(t, "examples", "leaderboards", "choice.json"), candidate)
}

// requestAll asks for everything that a reason can say.
const requestAll = `{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":"acme/atlas","revision":"r1","quantization":"q8"}},
	{"id":"b","model":{"id":"acme/atlas","revision":"r1","quantization":"q8"}}],
	"requirements":[{"measurementKey":"seconds","aggregation":"%s","transfer":["execution","model.revision","model.quantization"],"operator":"gte","value":0}],
	"preferences":[{"measurementKey":"nothing","aggregation":"fact","direction":"maximize","weight":1},
		{"id":"a","measurementKey":"seconds","aggregation":"%[1]s","transfer":["execution","model.revision","model.quantization"],"direction":"maximize","weight":0}],
	"minimumCoverage":%s}`

func currentResultSeeds(t *testing.T) (docs []doc) {
	c := compiled(t, "2026-01-15T00:00:00.000Z", fullObservation, partialDeclaration)
	for _, coverage := range []string{"0", "0.5"} {
		result, _ := rankCurrent(t, c, fmt.Sprintf(requestAll, "mean", coverage), "a")
		docs = append(docs, doc{coverage, result})
	}
	for _, word := range []string{`"code":"AMBIGUOUS_EVIDENCE"`, `"kind":"price"`, `"of":"questions"`} {
		shortest := doc{}
		for _, d := range currentResults(t) {
			if strings.Contains(d.text, word) && (shortest.text == "" || len(d.text) < len(shortest.text)) && checkCurrentResult(d.text) == nil {
				shortest = d
			}
		}
		docs = append(docs, shortest)
	}
	return docs
}

func explanations(t *testing.T) (docs []doc) {
	for _, candidate := range []string{"gpt-5", "gemma-3", "kimi-k2"} {
		_, explanation := choice(t, candidate)
		docs = append(docs, doc{candidate, explanation})
	}
	return append(docs, doc{"another basis", strings.Replace(docs[2].text, `"basis":"`, `"basis":"no-such-`, 1)},
		doc{"of another version", `{"schemaVersion":"service.rank.explanation/v2"}`})
}

func explanationSeeds(t *testing.T) []doc {
	_, explanation := rankCurrent(t, compiled(t, "2026-01-15T00:00:00.000Z", fullObservation, partialDeclaration), fmt.Sprintf(requestAll, "mean", "0"), "a")
	return []doc{{"mean", explanation}}
}

func bundles(t *testing.T) (docs []doc) {
	docs = append(docs, filesOf(t, "examples/claims*.json")...)
	docs = append(docs, filesOf(t, "cmd/testdata/verify/*.json")...)
	for n, v := range vectors[struct{ Input json.RawMessage }](t, "verify/status", "status") {
		docs = append(docs, doc{fmt.Sprint("status ", n), string(v.Input)})
	}
	for n, v := range vectors[struct{ Inputs []json.RawMessage }](t, "verify/merge", "merge") {
		for i, input := range v.Inputs {
			docs = append(docs, doc{fmt.Sprint("merge ", n, ", input ", i), string(input)})
		}
	}
	leap := strings.Replace(heldByReceiver, `"2026-01-01T00:00:00Z"`, `"%s"`, 1)
	return append(docs, bundleSeeds(t)[0],
		doc{"leap second", fmt.Sprintf(leap, "2016-12-31T23:59:60Z")},
		doc{"leap second elsewhere", fmt.Sprintf(leap, "2017-01-01T01:59:60.5+02:00")},
		doc{"no leap second", fmt.Sprintf(leap, "2016-12-31T23:58:60Z")})
}

func bundleSeeds(t *testing.T) []doc {
	return append(filesOf(t, "internal/verify/bundle/testdata/full.json"), filesOf(t, "internal/verify/bundle/testdata/latest.json")...)
}

// The bundles of the format's own vectors, which are not part of the project.
func TestForeignBundles(t *testing.T) {
	folder := vectortest.Data(t, "vectors", "hachure")
	schema := compile(t, "trust-bundle")
	files, _ := filepath.Glob(folder + "/*.json")
	merges, _ := filepath.Glob(folder + "/merge/*.json")
	checked := 0
	for _, file := range append(files, merges...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Input  json.RawMessage
			Inputs []json.RawMessage
		}
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		if v.Input != nil {
			v.Inputs = append(v.Inputs, v.Input)
		}
		for _, input := range v.Inputs {
			checked++
			if err := schema.Validate(document(t, string(input))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d bundles", checked)
	}
}

// keyDocuments are dictionaries of keys.
func keyDocuments(t *testing.T) []doc {
	const entry = `{"key":"k","name":"K","line":"What.","link":"https://example.org","unit":"percent","bounds":{"low":0,"high":100},"direction":"maximize",
		"size":{"trials":null,"tasks":{"t":20},"standardError":null,"basis":"stated","rule":"r","source":"s"},"family":"quality","joins":["edit_format"]}`
	return []doc{{"dictionary", `{"schemaVersion":"service.keys/v1","keys":[` + entry + `]}`},
		{"nulls", `{"schemaVersion":"service.keys/v1","keys":[{"key":"k","name":null,"line":null,"link":null,"unit":null,"bounds":null,"direction":null,"size":null,"family":null,"joins":[]}]}`}}
}
