package v3_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const asOf = "2026-06-01T00:00:00.000Z"

func mustCompile(t testing.TB, asOf string, docs []string) *catalog.Catalog {
	t.Helper()
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRead(t testing.TB, text string) *v3.Request {
	t.Helper()
	q, err := v3.ReadRequest(problem.Source{Text: text})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return q
}

func mustEvaluate(t testing.TB, k *v3.Ranker, q *v3.Request) *v3.Ranking {
	t.Helper()
	r, err := k.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustWrite(t testing.TB, r *v3.Ranking) string {
	t.Helper()
	text, err := r.AppendJSON(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustRank ranks and reads what is written, which must be what the reading writes.
func mustRank(t testing.TB, k *v3.Ranker, q *v3.Request) *v3.Result {
	t.Helper()
	text := mustWrite(t, mustEvaluate(t, k, q))
	result, err := v3.ReadResult(problem.Source{Text: text})
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if again := canonical.MustMarshal(result); string(again) != text {
		t.Fatalf("the result %s\nis written again as %s", text, again)
	}
	return result
}

// list joins as many items as members of a JSON list.
func list(n int, item func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = item(i)
	}
	return strings.Join(all, ",")
}

// observed is an observation to be written; what is left out has the default that says
// least: a declaration of model m for every execution and task.
type observed struct {
	evidence     string // ids with spaces between
	model        string // id, or id@revision
	execution    string // JSON, or else null
	task         string // family, family/suite or family/suite/taskId
	evaluator    string
	measurements string // the items of the list
	outcome      string // makes it an evaluation
	source       string
	observedAt   string
	validUntil   string
	gaps         string // the items of the list
}

func (o observed) json() string {
	id, revision, _ := strings.Cut(cmp.Or(o.model, "m"), "@")
	kind, outcome := "declaration", "null"
	if o.outcome != "" {
		kind, outcome = "evaluation", `{"status":"`+o.outcome+`","reason":null}`
	}
	task := "null"
	if o.task != "" {
		names := append(strings.SplitN(o.task, "/", 3), "", "")
		task = `{"family":` + textOrNull(names[0]) + `,"suite":` + textOrNull(names[1]) + `,"taskId":` + textOrNull(names[2]) +
			`,"evaluator":{"id":` + textOrNull(cmp.Or(o.evaluator, "e")) + `,"version":null}}`
	}
	const day = "2026-01-01T00:00:00.000Z"
	var evidence []string
	for _, id := range strings.Fields(cmp.Or(o.evidence, "ev")) {
		evidence = append(evidence, `{"id":"`+id+`","kind":"log","uri":"https://example.org/`+id+`","digest":null,"observedAt":"`+day+`"}`)
	}
	return `{"schemaVersion":"service.observation/v2","kind":"` + kind + `","model":{"id":"` + id + `","revision":` + textOrNull(revision) + `,"quantization":null},"execution":` +
		cmp.Or(o.execution, "null") + `,"task":` + task + `,"measurements":[` + o.measurements + `],"outcome":` + outcome + `,"usage":null,"sourceClass":"` +
		cmp.Or(o.source, "external") + `","evidence":[` + strings.Join(evidence, ",") + `],"freshness":{"observedAt":"` + cmp.Or(o.observedAt, day) +
		`","validUntil":` + textOrNull(o.validUntil) + `},"uncertainty":{"level":"low","basis":["b"],"gaps":[` + o.gaps + `]}}`
}

func textOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return canonical.Quote(s)
}

// numbered gives observations without evidence one of their own, and writes all.
func numbered(all ...observed) []string {
	docs := make([]string, len(all))
	for i, o := range all {
		o.evidence = cmp.Or(o.evidence, fmt.Sprintf("e%d", i))
		docs[i] = o.json()
	}
	return docs
}

func mustIndex(t testing.TB, c *catalog.Catalog) *v3.Ranker {
	t.Helper()
	k, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func newRanker(t testing.TB, all ...observed) *v3.Ranker {
	t.Helper()
	return mustIndex(t, mustCompile(t, asOf, numbered(all...)))
}

// measured is a measurement of key k; unit is left out if it is empty.
func measured(kind, value, unit string) string { return measuredKey("k", kind, value, unit) }

func measuredKey(key, kind, value, unit string) string {
	if unit != "" {
		unit = `,"unit":"` + unit + `"`
	}
	return `{"key":"` + key + `","kind":"` + kind + `","value":` + value + unit + `}`
}

func fact(value, unit string) string   { return measured("fact", value, unit) }
func sample(value, unit string) string { return measured("sample", value, unit) }

// scope is an exact scope that has a runtime and, if it is not empty, another member.
func scope(runtime, member string) string {
	members := map[string]string{"adapter": "null", "effectiveContextTokens": "null", "toolSurface": "[]", "hardware": "null", "workflow": "null"}
	if name, value, found := strings.Cut(member, ":"); found {
		members[name] = value
	}
	text := `{"kind":"exact","runtime":{"id":"` + runtime + `","version":null}`
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text += `,"` + name + `":` + members[name]
	}
	return text + `}`
}

// request asks about candidates, whose ids are those of their models, with other
// members of the request.
func request(candidates string, members string) string {
	var inventory []string
	for _, id := range strings.Fields(candidates) {
		inventory = append(inventory, `{"id":"`+id+`","model":{"id":"`+id+`"},"execution":{"runtime":{"id":"rt"}}}`)
	}
	return `{"schemaVersion":"service.rank.request/v3","inventory":[` + strings.Join(inventory, ",") + `],` + members + `}`
}

// draftText is [v3.Draft] as a person writes the request. The number is of candidates that are left
// out, of which there are none.
func draftText(c *catalog.Catalog, q v3.Question) (text string, leftOut int, err error) {
	d, err := v3.Draft(c, q)
	if err != nil {
		return "", 0, err
	}
	return d.Text, 0, nil
}

// requestSeeds are requests that read, of many shapes.
func requestSeeds(t testing.TB) (list []*v3.Request) {
	for _, v := range vectortest.All[struct{ Request, Expect json.RawMessage }](t, "testdata/seeds.jsonl.gz") {
		if q, err := v3.ReadRequest(problem.Source{Text: string(v.Request)}); err == nil {
			list = append(list, q)
		}
	}
	return list
}

// estimateOf returns the estimate of the first number that a ranked candidate has.
func estimateOf(t testing.TB, r *v3.Result, id string) *v3.Estimate {
	t.Helper()
	for _, c := range r.Ranked {
		for _, reason := range c.Reasons {
			if c.CandidateID == id && reason.RankFinding != nil {
				return reason.Estimate
			}
		}
	}
	t.Fatalf("%s has no number", id)
	return nil
}
