// Package comparetest writes observations and catalogs for tests of comparing: by
// hand, in one line each, and at random, so that their slots and groups meet.
package comparetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// Object is any JSON object.
type Object = map[string]any

// Instants of the tests.
const (
	May1  = "2026-05-01T00:00:00.000Z"
	May2  = "2026-05-02T00:00:00.000Z"
	May31 = "2026-05-31T00:00:00.000Z"
	June1 = "2026-06-01T00:00:00.000Z"
	June2 = "2026-06-02T00:00:00.000Z"
	July1 = "2026-07-01T00:00:00.000Z"
)

// Statement is an observation to be written. What is left out says the least: a
// declaration without scope, task and end.
type Statement struct {
	Model        Object // or the id alone
	ID           string
	Execution    any // scope
	Task         any
	Measurements []any
	Outcome      string // makes it an evaluation
	From, Until  string
	Source       string
	Evidence     []string
	URI          string
	Words        string // basis and gap of the uncertainty, kind of the evidence, reason of the outcome
}

// Component is one without a version.
func Component(id string) Object { return Object{"id": id, "version": nil} }

// At is the partial scope that names a runtime.
func At(runtime string) Object {
	return Object{"kind": "partial", "runtime": Component(runtime), "adapter": nil, "effectiveContextTokens": nil,
		"toolSurface": nil, "hardware": nil, "workflow": nil}
}

// Ran is the exact scope of a runtime and some tools.
func Ran(runtime string, tools ...any) Object {
	return Object{"kind": "exact", "runtime": Component(runtime), "adapter": nil, "effectiveContextTokens": nil,
		"toolSurface": append([]any{}, tools...), "hardware": nil, "workflow": nil}
}

// Job is a task; suite and id may be nil.
func Job(family string, suite, id any) Object {
	return Object{"family": family, "suite": suite, "taskId": id, "evaluator": Component("e")}
}

// Fact is a measurement of that kind, perhaps with a unit.
func Fact(key string, value any, unit ...string) Object { return measured("fact", key, value, unit) }

// Sample is a measurement of that kind, perhaps with a unit.
func Sample(key string, value any, unit ...string) Object {
	return measured("sample", key, value, unit)
}

func measured(kind, key string, value any, unit []string) Object {
	m := Object{"kind": kind, "key": key, "value": value}
	if len(unit) > 0 && unit[0] != "" {
		m["unit"] = unit[0]
	}
	return m
}

// Doc writes the statement.
func (s Statement) Doc() string {
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	from, source, evidence, model := s.From, s.Source, s.Evidence, s.Model
	if from == "" {
		from = May1
	}
	if source == "" {
		source = "external"
	}
	if evidence == nil {
		evidence = []string{"list"}
	}
	if model == nil {
		model = Object{"id": s.ID, "revision": nil, "quantization": nil}
	}
	basis, page, gaps := "list", "page", []any{}
	if s.Words != "" {
		basis, page, gaps = s.Words, s.Words, []any{s.Words}
	}
	var links []any
	for _, id := range evidence {
		links = append(links, Object{"id": id, "kind": page, "uri": orNull(s.URI), "digest": nil, "observedAt": from})
	}
	kind, outcome := "declaration", any(nil)
	if s.Outcome != "" {
		kind, outcome = "evaluation", Object{"status": s.Outcome, "reason": orNull(s.Words)}
	}
	return string(canonical.MustMarshal(Object{
		"schemaVersion": record.ObservationSchema, "kind": kind, "model": model, "execution": s.Execution, "task": s.Task,
		"measurements": s.Measurements, "outcome": outcome, "usage": nil, "sourceClass": source, "evidence": links,
		"freshness":   Object{"observedAt": from, "validUntil": orNull(s.Until)},
		"uncertainty": Object{"level": "low", "basis": []any{basis}, "gaps": gaps},
	}))
}

// Compile compiles statements.
func Compile(t testing.TB, asOf string, statements ...Statement) *catalog.Catalog {
	t.Helper()
	docs := make([]string, len(statements))
	for i, s := range statements {
		docs[i] = s.Doc()
	}
	c, _, err := catalog.Compile(context.Background(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Index indexes a catalog to rank against it.
func Index(t testing.TB, c *catalog.Catalog) *v3.Ranker {
	t.Helper()
	k, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Random returns statements about few models, scopes, tasks, keys and values, so
// that they meet. They are dated in May.
func Random(rnd *rand.Rand, n int) (list []Statement) {
	day := func(n int) string { return fmt.Sprintf("2026-05-%02dT00:00:00.000Z", 1+n) }
	numbers := []any{json.Number("0"), json.Number("1"), json.Number("2.5"), json.Number("-3"), json.Number("1e308"),
		json.Number("1.7e308")}
	all := append([]any{true, false, "", "x", "1"}, numbers...)
	units := []string{"", "", "USD/token", "ms"}
	executions := []any{nil, At("r"), At("q"), Ran("r"), Ran("r", "edit"), Ran("q")}
	tasks := []any{nil, nil, Job("f", nil, nil), Job("f", "s", nil), Job("f", "s", "t"), Job("g", "s", nil)}
	for i := range n {
		s := Statement{
			Model: Object{"id": Pick(rnd, "a", "b", "c", "😀"), "revision": Pick(rnd, any(nil), nil, "r"),
				"quantization": Pick(rnd, any(nil), nil, nil, "int4")},
			Task: Pick(rnd, tasks...), Source: Pick(rnd, "external", "first-party"), Evidence: []string{fmt.Sprint("e", i)},
		}
		s.Execution = Pick(rnd, executions...)
		from := rnd.IntN(20)
		if i > 0 && rnd.IntN(3) == 0 { // the same once more, on other evidence
			s = Pick(rnd, list...)
			s.Evidence = []string{fmt.Sprint("e", i), "f", "g", "h", "i"}
			s.From, s.Until = day(from), ""
			list = append(list, s)
			continue
		}
		s.From = day(from)
		if rnd.IntN(3) > 0 {
			s.Until = day(from + 1 + rnd.IntN(8))
		}
		if scope, _ := s.Execution.(Object); scope["kind"] == "exact" && s.Task != nil && rnd.IntN(2) == 0 {
			s.Outcome = Pick(rnd, "accepted", "rejected", "invalid")
		}
		for _, key := range []string{"k", "l"} {
			if rnd.IntN(2) == 0 || key == "k" {
				s.Measurements = append(s.Measurements, Fact(key, Pick(rnd, Pick(rnd, all, numbers[:3])...), Pick(rnd, units...)))
			}
			if rnd.IntN(2) == 0 {
				s.Measurements = append(s.Measurements, Sample(key, Pick(rnd, Pick(rnd, all, numbers, []any{true, false})...),
					Pick(rnd, units...)))
			}
		}
		list = append(list, s)
	}
	return list
}

// Pick returns one of a list.
func Pick[T any](rnd *rand.Rand, list ...T) T { return list[rnd.IntN(len(list))] }

// Some returns about half of the statements.
func Some(rnd *rand.Rand, all []Statement) (list []Statement) {
	for _, s := range all {
		if rnd.IntN(2) == 0 {
			list = append(list, s)
		}
	}
	return list
}

// HostileTexts mean something elsewhere: to browsers, spreadsheets, terminals, shells,
// format strings and templates.
var HostileTexts = []string{
	"]]><script>alert(1)</script>", "<!--", "&lt;b&gt;", `"><a href="javascript:x">`, "=cmd|'/c calc'!A1", "%s%n%d",
	"{{.}}", "\x1b[31mred\x1b[0m",
	"a\x00b\x07", "\u202egnp.exe", "\uffff\ufffe", "&#x0;", "$(rm -rf /)",
	"__proto__", "constructor", "line\nbreak, \"quoted\"", "-1+1", "@SUM(A1)", "{{constructor.constructor('x')()}}",
	"javascript:alert(1)", "data:text/html,<script>alert(1)</script>",
}

// Hostile returns statements that have every such text in every place: in facts, of which
// some contradict each other and some expire in May, and in samples.
func Hostile() (list []Statement) {
	for i, text := range HostileTexts {
		everywhere := Ran(text, text)
		everywhere["runtime"], everywhere["adapter"] = Object{"id": text, "version": text},
			Object{"id": text, "version": text}
		everywhere["hardware"] = Object{"class": text, "accelerator": text, "memoryBytes": nil}
		everywhere["workflow"] = Object{"id": text, "version": text, "condition": text}
		job := Job(text, text, text)
		job["evaluator"] = Object{"id": text, "version": text}
		list = append(list,
			Statement{Model: Object{"id": text, "revision": text, "quantization": text}, Execution: At(text),
				Evidence: []string{text}, URI: text,
				Measurements: []any{Fact(text, text, text), Sample(text, i, text)}},
			Statement{ID: text, Execution: Ran(text, text), Task: Job(text, text, text), URI: "https://example.org/" + text,
				Measurements: []any{Fact(text, text, text)}},
			Statement{ID: text, Execution: Ran(text, text), Task: Job(text, text, text), URI: text, Words: text,
				Measurements: []any{Fact(text, "another", text)}},
			Statement{ID: text, Execution: everywhere, Task: job, Outcome: "accepted", Words: text,
				Measurements: []any{Sample(text, i, text), Sample("passes", i%2 == 0)}},
			Statement{ID: text, Execution: At(text), Until: May31, Evidence: []string{text}, Words: text,
				Measurements: []any{Fact("gone"+text, i, text), Fact("also"+text, text, text)}})
	}
	return list
}

// HostileRequests are rank requests of version 3 about the models of [Hostile], with such
// texts as ids of candidates and criteria. The first ranks, the second excludes.
func HostileRequests() (list []string) {
	var candidates, preferences, breakers, requirements []any
	for i, text := range HostileTexts {
		runtime := Object{"runtime": Object{"id": text, "version": text}}
		candidates = append(candidates,
			Object{"id": text, "model": Object{"id": text, "revision": text, "quantization": text}, "execution": runtime},
			Object{"id": text + "#1", "model": Object{"id": text}, "execution": runtime})
		criterion := Object{"id": text, "measurementKey": text, "aggregation": "mean"}
		switch {
		case i < 6:
			criterion["direction"], criterion["weight"] = "maximize", 1
			preferences = append(preferences, criterion)
		case i < 10:
			criterion["direction"] = "minimize"
			breakers = append(breakers, criterion)
		default:
			criterion["measurementKey"] = Pick(rand.New(rand.NewPCG(uint64(i), 0)), text, "gone"+text)
			criterion["aggregation"], criterion["operator"], criterion["value"], criterion["unit"] = "fact", "eq", text, text
			requirements = append(requirements, criterion)
		}
	}
	for _, more := range []Object{{"preferences": preferences, "tieBreakers": breakers}, {"requirements": requirements}} {
		more["schemaVersion"], more["inventory"] = "service.rank.request/v3", candidates
		list = append(list, string(canonical.MustMarshal(more)))
	}
	return list
}
