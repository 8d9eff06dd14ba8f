package v3_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

var updateVectors = flag.Bool("update-vectors", false, "write the vectors of the second implementation again")

const vectorFile = "testdata/vectors.jsonl.gz"

// vector is a request about observations, and what the second implementation answers.
type vector struct {
	Observations []json.RawMessage `json:"observations"`
	AsOf         string            `json:"asOf"`
	Request      json.RawMessage   `json:"request"`
	Expect       json.RawMessage   `json:"expect,omitempty"`
}

// dice makes random worlds in which much is alike, so that evidence meets. In calm ones all of it does, and
// most candidates have evidence for all that is asked, on tasks that they share.
type dice struct {
	*rand.Rand
	isCalm bool
}

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

func (d dice) sometimes(oneIn int) bool { return d.IntN(oneIn) == 0 }

// execution is the scope of an observation.
func (d dice) execution() string {
	component := func(names ...string) string {
		id := d.of(names...)
		if id == "" {
			return "null"
		}
		return `{"id":"` + id + `","version":` + d.of("null", "null", `"1"`) + `}`
	}
	workflow := d.of("null", "null", `{"id":"w","version":null,"condition":`+d.of("null", `"effort=high"`, `"edit_format=diff,effort=high"`, `"edit_format=whole"`)+`}`)
	switch d.IntN(5) {
	case 0:
		return ""
	case 1, 2:
		return `{"kind":"partial","runtime":{"id":"` + d.of("rt", "other") + `","version":null},"adapter":` + component("", "", "harness") +
			`,"effectiveContextTokens":null,"toolSurface":` + d.of("null", `["edit"]`) + `,"hardware":null,"workflow":` + workflow + `}`
	}
	return `{"kind":"exact","runtime":` + component("rt", "rt", "other") + `,"adapter":` + component("", "", "harness") + `,"effectiveContextTokens":` + d.of("null", "8192") +
		`,"toolSurface":[],"hardware":` + d.of("null", "null", `{"class":"gpu","accelerator":null,"memoryBytes":1024}`) + `,"workflow":` + workflow + `}`
}

// observations makes those of a world.
func (d dice) observations() (docs []string) {
	models := []string{"m0", "m1", "m2", "m3", "m1@2"}
	var all []observed
	scopes := []string{d.execution(), d.execution(), d.execution()}
	if d.isCalm {
		scopes = []string{d.of("", scope("rt", ""))}
		scopes = append(scopes, scopes[0], scopes[0])
	}
	n := 4 + d.IntN(60)
	tasks, first, spread := 2+d.IntN(3), d.IntN(4), 5+d.IntN(36)
	if d.isCalm {
		n = 20 + d.IntN(40)
	}
	for i := range n {
		o := observed{evidence: "e" + strconv.Itoa(i), model: d.of(models...), execution: scopes[d.IntN(len(scopes))], source: d.of("external", "external", "first-party"),
			observedAt: d.of("2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"), validUntil: d.of("", "", "", "2026-05-01T00:00:00.000Z")}
		if d.sometimes(3) {
			o.execution = runtimeScope(d.of("rt", "rt", "other"))
			if d.isCalm {
				o.model, o.validUntil = d.of(models[:4]...), ""
			}
			var facts []string
			for _, key := range []string{"price.input", "price.output", "price.input@context>1000", "limits.context", "word"} {
				value, unit := strconv.Itoa(1+d.IntN(9))+"e-7", "USD/token"
				if key == "limits.context" {
					value, unit = d.of("1000", "2000", "4000"), d.of("tokens", "tokens", "")
				}
				if d.isCalm && !d.sometimes(9) { // nothing contradicts it
					value = strconv.Itoa(1+(first+int(o.model[1]))%4) + "e-7"
					if key == "limits.context" {
						value, unit = []string{"4000", "1000", "2000", "4000"}[(first+int(o.model[1]))%4], "tokens"
					}
				}
				if key == "word" {
					value, unit = d.of(`"a"`, `"b"`, "true"), ""
				}
				if d.sometimes(2) {
					facts = append(facts, measuredKey(key, "fact", value, unit))
				}
			}
			if facts == nil {
				continue
			}
			o.measurements = strings.Join(facts, ",")
			all = append(all, o)
			continue
		}
		o.task = d.of("f/s/1", "f/s/2", "f/s/3", "f/u/1", "f/u/4", "f/s", "g/s/1")
		o.evaluator = d.of("e", "e", "e2")
		if strings.Contains(o.execution, `"exact"`) { // as an evaluation has to be
			o.outcome = d.of("accepted", "accepted", "accepted", "invalid")
		}
		if d.isCalm {
			o.model, o.task, o.evaluator, o.source = d.of(models[:4]...), "f/s/"+strconv.Itoa(1+d.IntN(tasks)), "e", "external"
			o.validUntil, o.outcome = "", strings.Replace(o.outcome, "invalid", "accepted", 1)
		}
		unit, trials := d.of("s", "s", "s", "ms"), d.IntN(40)
		if d.isCalm {
			unit, trials = "s", 1+d.IntN(20)
		}
		percent := strconv.Itoa(5 * d.IntN(21))
		if d.isCalm {
			percent = strconv.Itoa(18*int('3'-o.model[1]) + d.IntN(spread)) // the last ones are shown to be worse
		}
		o.measurements = measuredKey("k", "sample", percent, "percent") + "," + measuredKey("bool", "sample", d.of("true", "false"), "") + "," +
			measuredKey("free", "sample", fmt.Sprintf("%d.5", d.IntN(20)-4), unit)
		if d.isCalm || !d.sometimes(4) {
			o.measurements += "," + measuredKey("n", "sample", strconv.Itoa(trials), "")
		}
		if !d.sometimes(4) {
			o.measurements += "," + measuredKey("k.stderr", "sample", fmt.Sprintf("%d.25", d.IntN(6)), "percent")
		}
		all = append(all, o)
	}
	return numbered(all...)
}

// measure is the members that say what a criterion or a term reads.
func (d dice) measure(key, aggregation string) string {
	text := `"measurementKey":"` + key + `","aggregation":"` + aggregation + `"`
	if d.sometimes(6) {
		text += `,"task":{"suite":"s","taskId":` + d.of("null", `"1"`) + `}`
	}
	if d.sometimes(8) {
		text += `,"sourceClasses":["` + d.of("external", "first-party") + `"]`
	}
	if !d.sometimes(4) {
		text += `,"transfer":` + d.of(`["execution"]`, `["execution"]`, `["runtime","workflow","adapter","toolSurface"]`, `["execution","model.revision"]`, `["workflow.condition","hardware"]`)
	}
	if !d.sometimes(4) {
		text += `,"resolve":` + d.of(`["most-specific","newest"]`, `["newest"]`, `["first-party","newest"]`, `["most-specific","first-party","newest"]`)
	}
	return text
}

func (d dice) aggregated() string {
	if d.isCalm && !d.sometimes(4) {
		return `"measurementKey":"` + d.of("k", "k", "k", "free") + `","aggregation":"mean","transfer":["execution"]`
	}
	switch d.IntN(8) {
	case 0:
		return d.measure("bool", "success-rate")
	case 1:
		return d.measure(d.of("k", "free", "bool"), d.of("min", "max", "count"))
	case 2:
		return d.measure("free", "mean")
	case 3:
		if d.sometimes(2) {
			return `"measurementKey":"price.output","aggregation":"fact","resolve":["highest"]`
		}
		return d.measure("limits.context", "fact")
	case 4, 5:
		terms := list(1+d.IntN(3), func(int) string {
			return `{` + d.measure(d.of("k", "k", "limits.context"), d.of("mean", "mean", "fact")) + `,"factor":` + d.of("1", "0.5", "-2") + `}`
		})
		return `"sum":[` + terms + `]`
	}
	return d.measure("k", "mean")
}

// request makes a request about the world.
func (d dice) request() string {
	inventory := list(1+d.IntN(7), func(i int) string {
		model := d.of(`{"id":"m0"}`, `{"id":"m1"}`, `{"id":"m2"}`, `{"id":"m3"}`, `{"id":"m1","revision":"2"}`, `{"id":"none"}`)
		execution := `{"runtime":{"id":"` + d.of("rt", "rt", "rt", "other") + `"}` + d.of("", "", `,"workflow":{"id":"w","condition":"effort=high"}`, `,"adapter":{"id":"harness"}`) + `}`
		if d.isCalm && !d.sometimes(4) {
			model, execution = `{"id":"m`+strconv.Itoa(i%4)+`"}`, `{"runtime":{"id":"rt"}}`
		}
		return `{"id":"c` + strconv.Itoa(i) + `","model":` + model + `,"execution":` + execution + `}`
	})
	n := 0
	criteria := func(most int, role func() string) string {
		count := d.IntN(most + 1)
		if d.isCalm && count == 0 && most > 1 {
			count = 1
		}
		return list(count, func(int) string {
			n++
			return `{"id":"k` + strconv.Itoa(n) + `",` + d.aggregated() + `,` + role() + `}`
		})
	}
	q := `{"schemaVersion":"service.rank.request/v3","inventory":[` + inventory + `]`
	if d.sometimes(3) || d.isCalm && d.sometimes(5) {
		q += `,"requirements":[{"measurementKey":"limits.context","aggregation":"fact","resolve":["newest"],"operator":"` + d.of("gte", "gte", "gte", "lte", "eq") + `","value":2000}]`
	} else if d.sometimes(4) {
		q += `,"requirements":[{"measurementKey":"word","aggregation":"fact","operator":"eq","value":` + d.of(`"a"`, "true") + `}]`
	}
	q += `,"preferences":[` + criteria(3, func() string {
		text := `"direction":"` + d.of("maximize", "maximize", "minimize") + `","weight":` + d.of("1", "1", "2", "0.3", "0")
		if d.isCalm {
			return text + d.of("", `,"scale":{"low":0,"high":100}`, `,"scale":{"low":-10,"high":200}`)
		}
		return text + d.of("", "", `,"scale":{"low":0,"high":100}`, `,"scale":{"low":20,"high":60}`, `,"scale":{"low":1,"high":4000,"log":true}`)
	}) + `],"tieBreakers":[` + criteria(1, func() string { return `"direction":"` + d.of("maximize", "minimize") + `"` }) + `]`
	hasTie := !strings.HasSuffix(q, `"tieBreakers":[]`)
	hasCost := d.isCalm || d.sometimes(2)
	if hasCost {
		q += `,"cost":{"inputTokens":` + d.of("500", "3000") + `,"outputTokens":` + d.of("0", "500") + `,"cachedInputTokens":` + d.of("null", "700") + `,"requests":` + d.of("null", "1000") +
			`,"resolve":` + d.of("null", `["highest"]`, `["newest","highest"]`) + `}`
	}
	if (hasTie || hasCost) && !d.sometimes(3) {
		by := "null"
		if hasCost && (d.isCalm || d.sometimes(2)) {
			by = `"usd-per-task"`
		} else if hasTie && d.sometimes(2) {
			by = `"k` + strconv.Itoa(n) + `"`
		}
		within := d.of("0", "0.03", "0.2", "1")
		if d.isCalm && d.sometimes(2) {
			within = d.of("0.5", "1", "2")
		}
		q += `,"choice":{"within":` + within + `,"by":` + by + `}`
	}
	size := d.of(`"size":{"trials":"n"}`, `"size":{"trials":"n"}`, `"size":{"standardError":"k.stderr"}`, `"size":{"tasks":{"1":20,"2":20,"3":20,"4":10,"5":5},"basis":"`+d.of("stated", "inferred")+`"}`, `"size":null`)
	joins := d.of(`[]`, `["edit_format"]`)
	if d.isCalm || !d.sometimes(5) {
		q += `,"keys":[{"key":"` + d.of("k", "k", "k*") + `","bounds":{"low":0,"high":100},` + size + `,"joins":` + joins + `}]`
	}
	q += `,"minimumCoverage":` + d.of("null", "0", "0", "0.5") + `,"confidence":` + d.of("null", "0.8", "0.99") + `,"target":` + d.of("null", "null", `"benchmark"`, `"tasks"`)
	return q + `}`
}

// part is a part of a result as the second implementation writes it.
func part(t *testing.T, result string) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(result), &doc); err != nil {
		t.Fatal(err)
	}
	drop := func(m map[string]any, names ...string) {
		for _, name := range names {
			delete(m, name)
		}
	}
	drop(doc, "answer", "catalog", "lists", "schemaVersion", "task")
	for _, list := range []string{"ranked", "excluded"} {
		for _, c := range doc[list].([]any) {
			c := c.(map[string]any)
			drop(c, "model", "execution", "offer", "uncertainty")
			for _, reason := range c["reasons"].([]any) {
				reason := reason.(map[string]any)
				drop(reason, "summary", "measurementKey", "ambiguity")
				if reason["estimate"] == nil {
					drop(reason, "estimate")
				}
			}
			for _, evidence := range c["evidence"].([]any) {
				drop(evidence.(map[string]any), "evidenceIds", "measurementKey")
			}
		}
	}
	return string(canonical.MustMarshal(doc))
}

// randomVector makes a world and a request, and returns what this implementation answers. It makes none
// where observations are the same.
func randomVector(t *testing.T, d dice) (v vector, got string) {
	t.Helper()
	docs := d.observations()
	return vectorOf(t, docs, d.request())
}

// vectorOf returns a vector, and what this implementation answers.
func vectorOf(t *testing.T, docs []string, request string) (v vector, got string) {
	t.Helper()
	slices.Sort(docs)
	c := mustCompile(t, asOf, slices.Compact(docs))
	q := mustRead(t, request)
	v = vector{AsOf: asOf, Request: json.RawMessage(q.JSON()), Observations: []json.RawMessage{}}
	for i := range c.Models() {
		for _, o := range c.Models()[i].Observations {
			v.Observations = append(v.Observations, json.RawMessage(o.JSON()))
		}
	}
	return v, part(t, mustWrite(t, mustEvaluate(t, mustIndex(t, c), q)))
}

// second starts the second implementation, and returns what asks it.
func second(t *testing.T) func(v vector) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), vectortest.Tool(t, "python3", "python3"), "testdata/second.py")
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		command.Wait()
	})
	lines := bufio.NewReader(out)
	return func(v vector) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(text, '\n')); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no answer to %s: %v", text, err)
		}
		return strings.TrimSuffix(line, "\n")
	}
}

// difference is where two texts part.
func difference(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	around := func(s string) string { return s[max(0, n-200):min(len(s), n+80)] }
	return "\n" + around(a) + "\nthe second\n" + around(b)
}

// sights are what results of random requests have to show.
var sights = []string{
	`"basis":"benchmark"`, `"basis":"tasks"`, `"basis":"published"`, `"basis":"sum"`, `"size":"inferred"`, `"amongBest":false`,
	`"isToldApart":true`, `"isToldApart":false`, `"kind":"weight"`, `"kind":"price"`, `"kind":"tolerance"`, `"kind":"requirement"`, `"of":"questions"`, `"of":"tasks"`,
	`"shared":2`, `"code":"AMBIGUOUS_EVIDENCE"`, `"code":"STALE_EVIDENCE"`, `"code":"CONFLICTING_EVIDENCE"`, `"code":"VALUE_SHOWN"`, `"code":"NO_EVIDENCE"`, `"isStepShown":true`,
}

// Two implementations agree to the byte on random requests: this one and one in Python.
func TestSecondImplementation(t *testing.T) {
	vectortest.SkipRace(t)
	t.Parallel()
	ask := second(t)
	d := dice{Rand: rand.New(rand.NewPCG(26, 9))}
	seen := map[string]int{}
	for n := range vectortest.Rounds(5000) {
		d.isCalm = n%2 == 0
		v, got := randomVector(t, d)
		for _, word := range sights {
			if strings.Contains(got, word) {
				seen[word]++
			}
		}
		if want := ask(v); got != want {
			t.Fatalf("request %d, %s:%s", n, v.Request, difference(got, want))
		}
	}
	for _, word := range sights {
		if !vectortest.IsShort() && seen[word] < 50 {
			t.Errorf("%s was seen %d times", word, seen[word])
		}
	}
	t.Log(seen)
}

// The vectors, which the second implementation made, hold.
func TestVectorsOfSecond(t *testing.T) {
	if *updateVectors {
		writeVectors(t)
	}
	n := 0
	for _, v := range vectortest.All[vector](t, vectorFile) {
		var docs []string
		for _, o := range v.Observations {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(o, &members); err != nil {
				t.Fatal(err)
			}
			delete(members, "id")
			text, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, string(text))
		}
		q := mustRead(t, string(v.Request))
		got := part(t, mustWrite(t, mustEvaluate(t, mustIndex(t, mustCompile(t, v.AsOf, docs)), q)))
		if got != string(v.Expect) {
			t.Errorf("vector %d:%s", n, difference(got, string(v.Expect)))
		}
		n++
	}
	if n < 100 {
		t.Errorf("%d vectors", n)
	}
}

func writeVectors(t *testing.T) {
	t.Helper()
	ask := second(t)
	d := dice{Rand: rand.New(rand.NewPCG(26, 10))}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for n := range 120 {
		d.isCalm = n%3 > 0
		v, _ := randomVector(t, d)
		v.Expect = json.RawMessage(ask(v))
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		z.Write(append(text, '\n'))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(vectorFile, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
