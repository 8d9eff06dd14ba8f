package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const endOfTime = "9999-12-31T23:59:59.999Z"

// statement is a declaration of facts, in force from its start to its end.
type statement struct {
	start, end string // hours of a day, "" for null; or a whole timestamp
	facts      string // measurements
	scope      string // execution, null if empty
	task       string // null if empty
	model      string
}

// doc returns the statement as an observation, which its number makes unlike
// those of other numbers.
func (s statement) doc(n int) string {
	instant := func(hour string) string {
		switch {
		case hour == "":
			return "null"
		case len(hour) == 2:
			return `"2026-07-01T` + hour + `:00:00.000Z"`
		}
		return `"` + hour + `"`
	}
	doc := set(declaration, "$.freshness", fmt.Sprintf(`{"observedAt": %s, "validUntil": %s}`, instant(s.start), instant(s.end)))
	doc = set(doc, "$.measurements", "["+s.facts+"]")
	doc = set(doc, "$.execution", orNull(s.scope))
	doc = set(doc, "$.task", orNull(s.task))
	doc = set(doc, "$.model.id", `"m`+s.model+`"`)
	return set(doc, "$.evidence[0].id", fmt.Sprintf(`"e%d"`, n))
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return s
}

func fact(key, value string) string {
	return `{"key":"` + key + `","kind":"fact","value":` + value + `}`
}

func state(start, end, value string) statement {
	return statement{start: start, end: end, facts: fact("k", value)}
}

const (
	scopeA = `{"kind":"partial","runtime":{"id":"r","version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`
	taskA  = `{"family":"f","suite":null,"taskId":null,"evaluator":{"id":"e","version":null}}`
)

// Two facts of one scope conflict when their values differ and each starts
// before the other ends.
func TestConflicts(t *testing.T) {
	a := func(start, end string) statement { return state(start, end, "1") }
	b := func(start, end string) statement { return state(start, end, "2") }
	with := func(s statement, change func(*statement)) statement { change(&s); return s }
	tests := []struct {
		name string
		of   []statement
		want []string // of the conflicts, which statements and values
	}{
		{"the same time", []statement{a("01", "02"), b("01", "02")}, []string{"0 1: 1 2"}},
		{"one within the other", []statement{a("01", "09"), b("03", "04")}, []string{"0 1: 1 2"}},
		{"overlapping", []statement{a("01", "03"), b("02", "04")}, []string{"0 1: 1 2"}},
		{"one after the other", []statement{a("01", "02"), b("03", "04")}, nil},
		{"touching", []statement{a("01", "02"), b("02", "03")}, nil},
		{"touching, the other way", []statement{b("02", "03"), a("01", "02")}, nil},
		{"equal starts", []statement{a("01", "02"), b("01", "09")}, []string{"0 1: 1 2"}},
		{"equal ends", []statement{a("01", "09"), b("08", "09")}, []string{"0 1: 1 2"}},
		{"without end", []statement{a("01", ""), b("09", "")}, []string{"0 1: 1 2"}},
		{"without end, after one that ended", []statement{a("01", "02"), b("02", "")}, nil},
		{"without end is until the end of time", []statement{a("01", endOfTime), b("02", "")}, []string{"0 1: 1 2"}},
		{"equal values", []statement{a("01", "02"), a("01", "02")}, nil},
		{"equal values, other spelling", []statement{state("01", "02", "100"), state("01", "02", "1e2")}, nil},
		{"zeros", []statement{state("01", "02", "0"), state("01", "02", "-0.0")}, nil},
		{"a number and its text", []statement{state("01", "02", "1"), state("01", "02", `"1"`)}, []string{`0 1: 1 "1"`}},
		{"a boolean and its text", []statement{state("01", "02", `"true"`), state("01", "02", "true")}, []string{`0 1: true "true"`}},

		{"one that overlaps none", []statement{a("01", "03"), b("02", "04"), b("08", "09")}, []string{"0 1: 1 2"}},
		{"one that overlaps its equals only", []statement{a("01", "03"), b("02", "06"), b("05", "09")}, []string{"0 1: 1 2"}},
		{"a chain", []statement{a("01", "03"), b("02", "05"), a("04", "07"), b("06", "09")}, []string{"0 1 2 3: 1 2"}},
		{"three values", []statement{state("01", "09", "3"), state("01", "09", "1"), state("01", "09", "2")}, []string{"0 1 2: 1 2 3"}},
		{"two pairs of one scope are one conflict", []statement{a("01", "02"), b("01", "02"), a("05", "06"), b("05", "06")}, []string{"0 1 2 3: 1 2"}},

		{"other keys", []statement{a("01", "02"), with(b("01", "02"), func(s *statement) { s.facts = fact("l", "2") })}, nil},
		{"other models", []statement{a("01", "02"), with(b("01", "02"), func(s *statement) { s.model = "2" })}, nil},
		{"other executions", []statement{a("01", "02"), with(b("01", "02"), func(s *statement) { s.scope = scopeA })}, nil},
		{"unknown tools and none", []statement{with(a("01", "02"), func(s *statement) { s.scope = scopeA }),
			with(b("01", "02"), func(s *statement) { s.scope = strings.Replace(scopeA, `"toolSurface":null`, `"toolSurface":[]`, 1) })}, nil},
		{"other tasks", []statement{a("01", "02"), with(b("01", "02"), func(s *statement) { s.task = taskA })}, nil},
		{"one scope, written in two ways", []statement{
			with(a("01", "02"), func(s *statement) { s.scope, s.task = set(scopeA, "$.toolSurface", `["x","y"]`), taskA }),
			with(b("01", "02"), func(s *statement) {
				s.scope, s.task = backwards(decodeAny(set(scopeA, "$.toolSurface", `["y","x"]`)), " "), backwards(decodeAny(taskA), " ")
			}),
		}, []string{"0 1: 1 2"}},
		{"samples", []statement{with(a("01", "02"), func(s *statement) { s.facts = strings.Replace(fact("k", "1"), "fact", "sample", 1) }),
			with(b("01", "02"), func(s *statement) { s.facts = strings.Replace(fact("k", "2"), "fact", "sample", 1) })}, nil},
		{"a sample and a fact", []statement{with(a("01", "02"), func(s *statement) { s.facts = strings.Replace(fact("k", "1"), "fact", "sample", 1) }), b("01", "02")}, nil},
		{"units do not matter", []statement{with(a("01", "02"), func(s *statement) { s.facts = `{"key":"k","kind":"fact","value":1,"unit":"s"}` }),
			with(b("01", "02"), func(s *statement) { s.facts = `{"key":"k","kind":"fact","value":2,"unit":"ms"}` }),
			with(a("05", "06"), func(s *statement) { s.facts = `{"key":"k","kind":"fact","value":1,"unit":"s"}` }),
			with(a("05", "06"), func(s *statement) { s.facts = `{"key":"k","kind":"fact","value":1,"unit":"ms"}` })}, []string{"0 1: 1 2"}},
		{"two keys of one observation", []statement{
			with(a("01", "02"), func(s *statement) { s.facts = fact("k", "1") + "," + fact("l", "1") }),
			with(a("01", "02"), func(s *statement) { s.facts = fact("k", "2") + "," + fact("l", "2") }),
		}, []string{"0 1: 1 2", "0 1: 1 2"}},
	}
	for _, tt := range tests {
		docs := make([]string, len(tt.of))
		for i, s := range tt.of {
			docs[i] = s.doc(i)
		}
		c := mustCompile(t, docs...)
		got := describeConflicts(t, c, docs)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if c.Serialize() != oracleCompile(docs, asOf) {
			t.Errorf("%s: the oracle does not agree", tt.name)
		}
	}
}

// describeConflicts returns each conflict as the numbers of its documents, a
// colon and its values.
func describeConflicts(t *testing.T, c *catalog.Catalog, docs []string) (out []string) {
	t.Helper()
	number := map[string]int{}
	for i, doc := range docs {
		o, err := catalog.Normalize(doc)
		if err != nil {
			t.Fatal(err)
		}
		number[o.ID()] = i
	}
	for _, conflict := range c.Conflicts() {
		v := decodeAny(conflict.JSON).(object)
		if v["key"] != conflict.Key || v["modelKey"] != conflict.ModelKey {
			t.Errorf("conflict %s of %s is %s", conflict.Key, conflict.ModelKey, conflict.JSON)
		}
		var in []int
		for _, id := range v["observationIds"].([]any) {
			in = append(in, number[id.(string)])
		}
		slices.Sort(in)
		line := strings.Trim(fmt.Sprint(in), "[]") + ":"
		for _, value := range v["values"].([]any) {
			line += " " + canonicalJSON(value)
		}
		out = append(out, line)
	}
	return out
}

// Several names of an offer may all be true; what the offer is has one value.
func TestNamesOfOffersNeverConflict(t *testing.T) {
	for key, want := range map[string]int{"offer.id": 0, "offer.mode": 0, "offer.litellm": 0, "offer.service": 1, "offer.kind": 1, "price.input": 1} {
		var docs []string
		for i, value := range []string{`"atlas"`, `"acme/atlas"`} {
			docs = append(docs, statement{start: "01", facts: fact(key, value)}.doc(i))
		}
		if c := mustCompile(t, docs...); len(c.Conflicts()) != want {
			t.Errorf("%s: %d conflicts, want %d", key, len(c.Conflicts()), want)
		}
	}
}

// Values come as booleans, numbers, strings, each ascending, strings by their
// UTF-16 code units.
func TestConflictValues(t *testing.T) {
	ascending := []string{"false", "true", "-1e+300", "-2", "-1", "0", "5e-324", "0.5", "2", "10", "1e+21", "1.7976931348623157e+308",
		`""`, `"-1"`, `"10"`, `"2"`, `"False"`, `"a"`, `"aa"`, `"false"`, `"é"`, `"😀"`, "\"\uFB33\""}
	docs := make([]string, len(ascending))
	for i, v := range ascending {
		docs[i] = state("01", "02", v).doc(i)
	}
	slices.Reverse(docs)
	got := describeConflicts(t, mustCompile(t, docs...), docs)
	if len(got) != 1 || !strings.HasSuffix(got[0], ": "+strings.Join(ascending, " ")) {
		t.Errorf("%q, want the values %s", got, ascending)
	}
}

// A fact that begins at the last instant there is ends there too: it is in force
// at no time.
func TestConflictAtTheEndOfTime(t *testing.T) {
	docs := []string{state(endOfTime, "", "1").doc(0), state(endOfTime, "", "2").doc(1), state("01", "", "3").doc(2)}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: endOfTime})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Conflicts()) != 0 {
		t.Errorf("%q", describeConflicts(t, c, docs))
	}
}

// Random facts of a few scopes, values and instants compile to what comparing
// every pair gives.
func TestConflictsAgreeWithEveryPair(t *testing.T) {
	vectortest.SkipRace(t)
	rnd := rand.New(rand.NewPCG(10000, 9))
	hours := []string{"01", "02", "03", "04", "05", "2026-07-01T02:00:00.001Z", endOfTime}
	values := []string{"true", "false", "1", "1.0", "2", "10", `"1"`, `"a"`, `"😀"`, "\"\uFB33\""}
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	conflicts := 0
	for round := range 120 {
		var docs []string
		for range 1 + rnd.IntN(24) {
			s := statement{model: pick("1", "2"), scope: pick("", "", scopeA), task: pick("", "", taskA)}
			from := rnd.IntN(len(hours))
			s.start = hours[from]
			if later := slices.DeleteFunc(slices.Clone(hours), func(h string) bool { return instantOf(h) <= instantOf(s.start) }); len(later) > 0 && rnd.IntN(4) > 0 {
				s.end = pick(later...)
			}
			few := values[:2+rnd.IntN(len(values)-1)]
			s.facts = fact("k", pick(few...))
			if rnd.IntN(2) == 0 {
				s.facts += "," + fact("l", pick(few...))
			}
			if rnd.IntN(3) == 0 {
				s.facts += `,{"key":"k","kind":"sample","value":` + pick(values...) + `}`
			}
			docs = append(docs, s.doc(len(docs)))
		}
		c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: endOfTime})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.Serialize(), oracleCompile(docs, endOfTime); got != want {
			t.Fatalf("round %d:\n got %s\nwant %s", round, got, want)
		}
		conflicts += len(c.Conflicts())
	}
	if conflicts < 40 {
		t.Errorf("only %d conflicts came up", conflicts)
	}
}

func instantOf(hour string) string {
	if len(hour) == 2 {
		return "2026-07-01T" + hour + ":00:00.000Z"
	}
	return hour
}

// An adversarial group of 100,000 facts, all of one scope, most of them of one
// value, all overlapping: found in O(n log n), else this would run for minutes.
func TestConflictsOfAHugeGroup(t *testing.T) {
	n := vectortest.Rounds(100_000)
	base := accepted(t, "base", state("01", "", "0").doc(0)).JSON()
	base = drop(base, "$.id")
	evidence, value := at(base, "$.evidence[0].id"), at(base, "$.measurements[0].value")
	docs := make([]string, n)
	for i := range docs {
		docs[i] = base[:evidence.start] + fmt.Sprintf(`"e%06d"`, i) + base[evidence.end:value.start] + fmt.Sprint(i%3/2*i) + base[value.end:]
	}
	c := mustCompile(t, docs...)
	if len(c.Conflicts()) != 1 {
		t.Fatalf("%d conflicts, want one", len(c.Conflicts()))
	}
	v := decodeAny(c.Conflicts()[0].JSON).(object)
	if ids, values := v["observationIds"].([]any), v["values"].([]any); len(ids) != n || len(values) != 1+n/3 {
		t.Errorf("%d observations with %d values, want %d with %d", len(ids), len(values), n, 1+n/3)
	}
}
