package settle_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// fact is an observation of one fact: what a source says of the model at a runtime,
// from one day of July 2026 until before another.
type fact struct {
	source, runtime, key, value string // the value as JSON
	from, until                 int    // no end if until is 0
}

func day(n int) string { return fmt.Sprintf("2026-07-%02dT00:00:00.000Z", n) }

func (f fact) json() string {
	until := "null"
	if f.until > 0 {
		until = strconv.Quote(day(f.until))
	}
	return fmt.Sprintf(`{"schemaVersion":"service.observation/v2","kind":"declaration","model":{"id":"acme/atlas","revision":null,"quantization":null},
		"execution":{"kind":"partial","runtime":{"id":%q,"version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null},
		"task":null,"measurements":[{"key":%q,"kind":"fact","value":%s}],"outcome":null,"sourceClass":"external",
		"evidence":[{"id":"%s:row#%s@%s","kind":"price-list-row","uri":"https://example.com/","digest":null,"observedAt":%q}],
		"uncertainty":{"level":"low","basis":["a list"],"gaps":[]},"freshness":{"observedAt":%q,"validUntil":%s},"usage":null}`,
		f.runtime, f.key, f.value, f.source, f.key, day(f.from), day(f.from), day(f.from), until)
}

// settled compiles facts and settles them. It returns what is left out, as source
// and value, sorted.
func settled(t *testing.T, d settle.Decisions, facts ...fact) (*settle.Report, []string) {
	t.Helper()
	var docs []string
	for _, f := range facts {
		docs = append(docs, f.json())
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: timestamp.End})
	if err != nil {
		t.Fatal(err)
	}
	report, leftOut := settle.Settle(c, d)
	var listed []string
	for _, st := range report.LeftOut {
		if !leftOut[st.Observation] {
			t.Errorf("%s is listed and not left out", st.Observation)
		}
		value, err := st.Value.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, st.Source+" "+string(value))
	}
	if len(listed) != len(leftOut) {
		t.Errorf("%d observations are left out, %d are listed", len(leftOut), len(listed))
	}
	slices.Sort(listed)
	return report, listed
}

const price = "price.output"

// one and other state different prices of one offer at one time.
var (
	one   = fact{"one", "cloud", price, "1", 1, 8}
	other = fact{"other", "cloud", price, "2", 2, 9}
	third = fact{"third", "cloud", price, "3", 3, 10}
)

// Without a decision contradictions are shown, and nothing is left out.
func TestShown(t *testing.T) {
	report, leftOut := settled(t, settle.Decisions{}, one, other,
		fact{"one", "cloud", "price.input", "1", 1, 8}, fact{"other", "cloud", "price.input", "1", 1, 8}, // they agree
		fact{"one", "cloud", "limits.context", "1", 1, 8},                                  // one alone says it
		fact{"one", "local", price, "1", 1, 8}, fact{"other", "local", price, "1.4", 1, 8}, // less than 1.5 times apart
		fact{"one", "edge", price, "1", 1, 3}, fact{"other", "edge", price, "2", 3, 8}, // one after the other
		fact{"one", "cloud", "lifecycle.status", `"alpha"`, 1, 8}, fact{"other", "cloud", "lifecycle.status", `"beta"`, 1, 8})
	if len(leftOut) > 0 {
		t.Errorf("left out: %q", leftOut)
	}
	var keys []string
	for _, k := range report.Keys {
		keys = append(keys, fmt.Sprint(k.Key, " ", k.Shared, k.Agreeing, k.Contradicting, k.Apart))
	}
	if want := []string{"lifecycle.status 1 0 1 0", "price.input 1 1 0 0", "price.output 3 0 2 1"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	var facts []string
	for _, c := range report.Contradictions {
		facts = append(facts, c.Runtime+" "+c.Key)
	}
	if want := []string{"cloud lifecycle.status", "cloud price.output", "local price.output"}; !slices.Equal(facts, want) {
		t.Errorf("contradictions %q, want %q", facts, want)
	}
	first := report.Contradictions[1].Statements
	if len(first) != 2 || first[0].Source != "one" || first[1].Source != "other" || first[1].ObservedAt != day(2) || string(first[1].ValidUntil) != day(9) ||
		len(first[1].Evidence) != 1 || first[1].Evidence[0] != "other:row#price.output@"+day(2) {
		t.Errorf("statements %+v", first)
	}
	if table := report.Table(); !strings.Contains(table, "price.output") || strings.Count(table, "\n") != 4 {
		t.Errorf("the table is\n%s", table)
	}
}

// Of a contradiction the preferred source stays, and what contradicts it goes. The
// others count in their order where it says nothing.
func TestPreferences(t *testing.T) {
	agrees := fact{"third", "cloud", price, "1", 3, 10}
	early, late := fact{"one", "cloud", price, "1", 1, 3}, fact{"third", "cloud", price, "3", 4, 10}
	for name, c := range map[string]struct {
		prefer []string
		facts  []fact
		want   []string
	}{
		"the first":                          {[]string{"one"}, []fact{one, other}, []string{"other 2"}},
		"the second":                         {[]string{"other"}, []fact{one, other}, []string{"one 1"}},
		"all but the preferred":              {[]string{"other"}, []fact{one, other, third}, []string{"one 1", "third 3"}},
		"not what agrees":                    {[]string{"one"}, []fact{one, other, agrees}, []string{"other 2"}},
		"a source that says nothing":         {[]string{"nobody", "other"}, []fact{one, other}, []string{"one 1"}},
		"nobody that says anything":          {[]string{"nobody"}, []fact{one, other}, nil},
		"the more preferred of two":          {[]string{"other", "one"}, []fact{one, other}, []string{"one 1"}},
		"not what is of another time":        {[]string{"one"}, []fact{early, other, late}, []string{"other 2"}},
		"the second where the first is over": {[]string{"one", "third"}, []fact{early, {"other", "cloud", price, "2", 5, 9}, late}, []string{"other 2"}},
		"the second beside the first": {[]string{"one", "other"}, []fact{{"one", "cloud", price, "1", 1, 4}, {"fourth", "cloud", price, "4", 1, 3},
			{"other", "cloud", price, "1", 3, 10}, {"third", "cloud", price, "3", 5, 9}}, []string{"fourth 4", "third 3"}},
		"not by what was left out": {[]string{"one", "other"}, []fact{early, other, late}, []string{"other 2"}},
	} {
		if _, leftOut := settled(t, settle.Decisions{Prefer: c.prefer}, c.facts...); !slices.Equal(leftOut, c.want) {
			t.Errorf("%s: %q are left out, want %q", name, leftOut, c.want)
		}
	}
}

// Of many statements those go that a search one by one finds.
func TestManyStatements(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := []string{"a", "b", "c", "d"}
	gone := 0
	for range vectortest.Rounds(300) {
		var facts []fact
		for range 2 + random.IntN(12) {
			f := fact{all[random.IntN(4)], "cloud", price, fmt.Sprint(1 + random.IntN(3)), 1 + random.IntN(8), 0}
			if random.IntN(4) > 0 {
				f.until = f.from + 1 + random.IntN(6)
			}
			if !slices.Contains(facts, f) {
				facts = append(facts, f)
			}
		}
		var prefer []string
		for _, i := range random.Perm(4)[:random.IntN(4)] {
			prefer = append(prefer, all[i])
		}
		report, leftOut := settled(t, settle.Decisions{Prefer: prefer}, facts...)
		want := []string{}
		for _, c := range report.Contradictions {
			want = append(want, contradicted(c.Statements, prefer)...)
		}
		slices.Sort(want)
		if gone += len(want); !slices.Equal(leftOut, want) {
			t.Fatalf("of %+v, with %q preferred, %q are left out, want %q", facts, prefer, leftOut, want)
		}
	}
	if gone == 0 {
		t.Error("none was left out")
	}
}

// contradicted compares each statement with each.
func contradicted(statements []settle.Statement, prefer []string) (list []string) {
	gone := map[string]bool{}
	ends := func(st settle.Statement) string { return cmp.Or(string(st.ValidUntil), timestamp.End) }
	for i, source := range prefer {
		for _, believed := range statements {
			if believed.Source != source || gone[believed.Observation] {
				continue
			}
			for _, st := range statements {
				if slices.Contains(prefer[:i+1], st.Source) || gone[st.Observation] || st.Value == believed.Value ||
					st.ObservedAt >= ends(believed) || believed.ObservedAt >= ends(st) {
					continue
				}
				gone[st.Observation] = true
				list = append(list, st.Source+" "+fmt.Sprint(st.Value.Float()))
			}
		}
	}
	return list
}

// A ruling decides one fact, before any preference, and until it ends. One without
// effect is reported.
func TestRulings(t *testing.T) {
	ruling := settle.Ruling{Model: "acme/atlas", Runtime: "cloud", Key: price, Source: "other", ValidUntil: day(20), Reason: "asked"}
	changed := func(change func(*settle.Ruling)) settle.Ruling {
		r := ruling
		change(&r)
		return r
	}
	elsewhere := []fact{{"one", "local", price, "1", 1, 8}, {"other", "local", price, "2", 2, 9}}
	for name, c := range map[string]struct {
		rulings []settle.Ruling
		want    []string
		without int
	}{
		"before the preference":     {[]settle.Ruling{ruling}, []string{"one 1", "other 2"}, 0},
		"the first of two":          {[]settle.Ruling{ruling, changed(func(r *settle.Ruling) { r.Source = "one" })}, []string{"one 1", "other 2"}, 1},
		"of another model":          {[]settle.Ruling{changed(func(r *settle.Ruling) { r.Model = "acme/basalt" })}, []string{"other 2", "other 2"}, 1},
		"of another runtime":        {[]settle.Ruling{changed(func(r *settle.Ruling) { r.Runtime = "edge" })}, []string{"other 2", "other 2"}, 1},
		"of another key":            {[]settle.Ruling{changed(func(r *settle.Ruling) { r.Key = "price.input" })}, []string{"other 2", "other 2"}, 1},
		"for a source without word": {[]settle.Ruling{changed(func(r *settle.Ruling) { r.Source = "third" })}, []string{"other 2", "other 2"}, 1},
		"that is over":              {[]settle.Ruling{changed(func(r *settle.Ruling) { r.ValidUntil = day(2) })}, []string{"other 2", "other 2"}, 1},
		"that is not over yet":      {[]settle.Ruling{changed(func(r *settle.Ruling) { r.ValidUntil = day(3) })}, []string{"one 1", "other 2"}, 0},
	} {
		report, leftOut := settled(t, settle.Decisions{Prefer: []string{"one"}, Rulings: c.rulings}, append([]fact{one, other}, elsewhere...)...)
		if !slices.Equal(leftOut, c.want) || len(report.WithoutEffect) != c.without {
			t.Errorf("%s: %q are left out, %d rulings have no effect, want %q and %d", name, leftOut, len(report.WithoutEffect), c.want, c.without)
		}
	}
}

// What is left compiles without the conflicts that were decided.
func TestConflictsAreGone(t *testing.T) {
	facts := []fact{one, other, third, {"one", "local", price, "1", 1, 8}, {"other", "local", price, "2", 2, 9}}
	for prefer, want := range map[string]int{"one": 0, "third": 1, "nobody": 2} {
		var docs, left []string
		for _, f := range facts {
			docs = append(docs, f.json())
		}
		c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: timestamp.End})
		if err != nil {
			t.Fatal(err)
		}
		_, leftOut := settle.Settle(c, settle.Decisions{Prefer: []string{prefer}})
		for _, doc := range docs {
			if o, err := catalog.Normalize(doc); err != nil {
				t.Fatal(err)
			} else if !leftOut[o.ID()] {
				left = append(left, doc)
			}
		}
		c, _, err = catalog.Compile(t.Context(), left, catalog.Options{AsOf: timestamp.End})
		if err != nil || len(c.Conflicts()) != want {
			t.Errorf("%s preferred: %d conflicts are left, want %d (%v)", prefer, len(c.Conflicts()), want, err)
		}
	}
}

// Rulings are read strictly, and faults have paths.
func TestReadRulings(t *testing.T) {
	const good = `{"schemaVersion":"service.source-rulings/v1","rulings":[{"model":"m","runtime":"r","key":"k","source":"s","validUntil":"2026-08-01T00:00:00.000Z","reason":"why"}]}`
	rulings, err := settle.ReadRulings(problem.Source{Text: good})
	if err != nil || len(rulings) != 1 || rulings[0] != (settle.Ruling{Model: "m", Runtime: "r", Key: "k", Source: "s", ValidUntil: "2026-08-01T00:00:00.000Z", Reason: "why"}) {
		t.Fatalf("%+v, %v", rulings, err)
	}
	for _, wrong := range []struct{ from, to, path string }{
		{"rulings/v1", "rulings/v2", "$.schemaVersion"},
		{`"rulings":[`, `"ruling":[],"rulings":[`, "$.ruling"},
		{`"model":"m"`, `"model":1`, "$.rulings[0].model"},
		{`"runtime":"r",`, ``, "$.rulings[0].runtime"},
		{`"key":"k"`, `"key":" k"`, "$.rulings[0].key"},
		{`"source":"s"`, `"source":null`, "$.rulings[0].source"},
		{"2026-08-01T00:00:00.000Z", "2026-08-01", "$.rulings[0].validUntil"},
		{`"reason":"why"`, `"reason":""`, "$.rulings[0].reason"},
		{`"reason"`, `"why":1,"reason"`, "$.rulings[0].why"},
		{`]}`, `]`, "$"},
	} {
		_, err := settle.ReadRulings(problem.Source{Text: strings.Replace(good, wrong.from, wrong.to, 1)})
		faults := problem.All(err)
		if len(faults) != 1 || faults[0].Path != wrong.path || faults[0].Code != problem.InvalidSourceSnapshot {
			t.Errorf("%s: %v, want a fault at %s", wrong.to, err, wrong.path)
		}
	}
}
