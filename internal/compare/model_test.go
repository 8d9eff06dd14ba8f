package compare_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// The catalog of the package comment, at three instants.
func Example() {
	price := func(value json.Number, from, until string) Statement {
		return Statement{ID: "acme/atlas", Execution: At("acme"), From: from, Until: until, Measurements: []any{Fact("price.output", value, "USD/token")}}
	}
	var observations []catalog.Observation
	for _, s := range []Statement{price("0.000006", May1, May31), price("0.000005", June1, "2026-06-30T00:00:00.000Z")} {
		o, err := catalog.Normalize(s.Doc())
		if err != nil {
			fmt.Println(err)
			return
		}
		observations = append(observations, o)
	}
	m := compare.NewReader().Read(observations)
	for _, instant := range []string{May2, June2, July1} {
		v, slot := m.At(instant), &m.Slots[0]
		for _, value := range compare.DistinctValues(v.Facts(slot)) {
			fmt.Println(instant[:10], slot.MeasurementKey, v.State(slot), value.Value.Text, value.Unit)
		}
	}
	// Output:
	// 2026-05-02 price.output value 0.000006 USD/token
	// 2026-06-02 price.output value 0.000005 USD/token
	// 2026-07-01 price.output expired 0.000005 USD/token
}

// readAll reads the one model of a catalog.
func readAll(t testing.TB, c *catalog.Catalog) *compare.View {
	t.Helper()
	if len(c.Models()) != 1 {
		t.Fatalf("%d models", len(c.Models()))
	}
	return compare.NewReader().Read(c.Models()[0].Observations).At(c.AsOf())
}

// The name of a slot is the key of its conflict, and a slot in conflict at asOf has
// one.
func TestHashIsTheKeyOfTheConflict(t *testing.T) {
	vectortest.SkipRace(t)
	rnd := rand.New(rand.NewPCG(12, 5))
	inConflict := 0
	for range 30 {
		c := Compile(t, "2026-05-21T00:00:00.000Z", Random(rnd, 120)...)
		keys := map[string]string{} // of conflicts, to that of the model
		for _, k := range c.Conflicts() {
			keys[k.Key] = k.ModelKey
		}
		reader, found := compare.NewReader(), 0
		for _, entry := range c.Models() {
			m := reader.Read(entry.Observations)
			v := m.At(c.AsOf())
			for i := range m.Slots {
				slot := &m.Slots[i]
				modelKey, isConflict := keys[m.Hash(slot, entry.IdentityJSON)]
				if isConflict {
					found++
				}
				units := map[string]bool{}
				for _, f := range v.Facts(slot) {
					units[f.Unit] = true
				}
				if v.State(slot) == compare.StateConflict && len(units) == 1 {
					inConflict++
					if modelKey != entry.Key {
						t.Errorf("no conflict has the key of a slot in conflict")
					}
				}
			}
		}
		if found != len(keys) {
			t.Errorf("%d of %d conflicts are of a slot", found, len(keys))
		}
	}
	if inConflict < 10 {
		t.Errorf("only %d slots were in conflict", inConflict)
	}
}

func TestStates(t *testing.T) {
	said := func(value any, unit, until string) Statement {
		return Statement{ID: "m", Evidence: []string{fmt.Sprint(value, unit, until)}, Until: until, Measurements: []any{Fact("k", value, unit)}}
	}
	late := said(9, "", "2026-05-12T00:00:00.000Z")
	late.From = "2026-05-11T00:00:00.000Z"
	failed := Statement{ID: "m", Execution: Ran("r"), Task: Job("f", nil, nil), Outcome: "invalid", Measurements: []any{Fact("k", 1)}}
	for name, tt := range map[string]struct {
		list   []Statement
		state  string
		values string
	}{
		"one value":                   {[]Statement{said(1, "", "")}, compare.StateValue, "1"},
		"one value, said twice":       {[]Statement{said(1, "", ""), said(json.Number("1.0"), "", "2026-06-05T00:00:00.000Z")}, compare.StateValue, "1"},
		"two values":                  {[]Statement{said(2, "", ""), said(1, "", "")}, compare.StateConflict, "1, 2"},
		"two units":                   {[]Statement{said(1, "ms", ""), said(1, "", "")}, compare.StateConflict, "1, 1 ms"},
		"two values, one expired":     {[]Statement{said(2, "", ""), said(1, "", May2)}, compare.StateValue, "2"},
		"expired":                     {[]Statement{said(2, "", May2), said(1, "", May31)}, compare.StateExpired, "1, 2"},
		"expired, the latest counts":  {[]Statement{said(2, "", May2), late}, compare.StateExpired, "9"},
		"it ends at asOf":             {[]Statement{said(2, "", June1)}, compare.StateExpired, "2"},
		"of an invalid run":           {[]Statement{failed}, compare.StateValue, "1"},
		"a number, a boolean, a text": {[]Statement{said("a", "", ""), said(2, "", ""), said(true, "", ""), said(false, "", ""), said("\uFB33", "", ""), said("😀", "", ""), said(-1, "", "")}, compare.StateConflict, "false, true, -1, 2, \"a\", \"😀\", \"\uFB33\""},
	} {
		v := readAll(t, Compile(t, June1, tt.list...))
		slot := &v.Slots[0]
		var values []string
		for _, value := range compare.DistinctValues(v.Facts(slot)) {
			text, err := json.Marshal(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, strings.TrimSpace(string(text)+" "+string(value.Unit)))
		}
		if got := strings.Join(values, ", "); len(v.Slots) != 1 || v.State(slot) != tt.state || got != tt.values {
			t.Errorf("%s: %d slots, %s: %s", name, len(v.Slots), v.State(slot), got)
		}
	}
}

// What makes a slot and a group, and what does not.
func TestSlotsAndGroups(t *testing.T) {
	s := func(execution, task any, key string) Statement {
		return Statement{ID: "m", Execution: execution, Task: task, Evidence: []string{fmt.Sprint(execution, task, key)}, Measurements: []any{Fact(key, 1), Sample(key, 1)}}
	}
	list := []Statement{
		s(nil, nil, "k"), s(nil, nil, "l"), s(At("r"), nil, "k"), s(Ran("r"), nil, "k"), s(Ran("r", "x"), nil, "k"),
		s(nil, Job("f", nil, nil), "k"), s(nil, Job("f", "s", nil), "k"), s(nil, Job("g", "s", nil), "k"),
		s(nil, Job("f", "s", "t"), "k"), // a slot of its own, the group of f and s
	}
	again := list[0]
	again.Evidence = []string{"once more"}
	v := readAll(t, Compile(t, June1, append(list, again)...))
	if len(v.Slots) != len(list) || len(v.Groups) != len(list)-1 {
		t.Errorf("%d slots and %d groups", len(v.Slots), len(v.Groups))
	}
	suites := map[string]int{}
	for _, g := range v.Groups {
		suites[g.Family+"/"+g.Suite] += len(g.Samples)
	}
	if want := map[string]int{"/": 6, "f/": 1, "f/s": 2, "g/s": 1}; !reflect.DeepEqual(suites, want) {
		t.Errorf("samples by suite: %v", suites)
	}
	for _, e := range v.Executions {
		var scope record.Scope
		if e.JSON != "null" {
			var err error
			if scope, err = catalog.ParseScope(e.JSON); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(e.Scope, scope) {
			t.Errorf("%+v is not %s", e.Scope, e.JSON)
		}
	}
}

// Evidence is read when it is asked for.
func TestEvidence(t *testing.T) {
	s := Statement{ID: "m", Evidence: []string{"b\n\"c", "a"}, URI: "https://example.org/", Measurements: []any{Fact("k", 1)}}
	v := readAll(t, Compile(t, June1, s))
	want := []record.EvidenceLink{{ID: "a", URI: "https://example.org/"}, {ID: "b\n\"c", URI: "https://example.org/"}}
	if got := v.Observations[0].Evidence(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAggregates(t *testing.T) {
	said := func(values ...any) (list []Statement) {
		for i, value := range values {
			unit := ""
			if pair, ok := value.([2]any); ok {
				value, unit = pair[0], pair[1].(string)
			}
			list = append(list, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Sample("k", value, unit)}})
		}
		return list
	}
	expired := said(100)[0]
	expired.Until = May2
	invalid := Statement{ID: "m", Execution: Ran("r"), Task: Job("f", nil, nil), Outcome: "invalid", Measurements: []any{Sample("k", 100)}}
	known := record.NewFloat
	for name, tt := range map[string]struct {
		list []Statement
		want record.SampleSummary
	}{
		"numbers":           {said(1, json.Number("2.5")), record.SampleSummary{N: 2, Mean: known(1.75), Min: known(1), Max: known(2.5)}},
		"an exact sum":      {said(json.Number("1e16"), 1, json.Number("-1e16"), 2), record.SampleSummary{N: 4, Mean: known(0.75), Min: known(-1e16), Max: known(1e16)}},
		"of one unit":       {said([2]any{1, "s"}, [2]any{3, "s"}), record.SampleSummary{N: 2, Unit: "s", Mean: known(2), Min: known(1), Max: known(3)}},
		"of two units":      {said([2]any{1, "s"}, 3), record.SampleSummary{N: 2}},
		"booleans":          {said(true, false, true, true), record.SampleSummary{N: 4, SuccessRate: known(0.75)}},
		"two units of them": {said([2]any{true, "s"}, false), record.SampleSummary{N: 2, SuccessRate: known(0.5)}},
		"a boolean, number": {said(true, 1), record.SampleSummary{N: 2}},
		"texts":             {said("a", "a"), record.SampleSummary{N: 2}},
		"a sum too large":   {said(json.Number("1.7e308"), json.Number("1.6e308")), record.SampleSummary{N: 2, Min: known(1.6e308), Max: known(1.7e308)}},
		"one expired":       {append(said(1), expired), record.SampleSummary{N: 1, Mean: known(1), Min: known(1), Max: known(1)}},
		"all expired":       {[]Statement{expired}, record.SampleSummary{}},
		"an invalid run":    {[]Statement{invalid}, record.SampleSummary{}},
	} {
		v := readAll(t, Compile(t, June1, tt.list...))
		if got := v.Aggregate(&v.Groups[0]); len(v.Groups) != 1 || got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// What a Reader takes of an observation is what the catalog's own reader reads.
func TestReaderAgreesWithTheCatalogs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	list := Random(rnd, 400)
	// Texts that look like what the reader searches for.
	for i, hostile := range []string{`"`, `\"`, `\`, `],"execution":`, `],"execution":null`, `,"freshness":{"observedAt":"`, `,"measurements":[`, `{"key":`, `,"kind":"`,
		`"},"outcome":null`, `,"schemaVersion":`, `"status":"invalid"}`, `,"sourceClass":"`, `,"task":`, `,"uncertainty":`, `,"id":`, `,"observedAt":"`, `"uri":`, `}`, `null`, "x\u2028\n\x01\U0001F600"} {
		list = append(list, Statement{ID: hostile, Execution: Ran(hostile), Task: Job(hostile, hostile, hostile), Outcome: "accepted", URI: "https://example.org/?" + hostile,
			Evidence: []string{hostile, "b" + hostile}, Measurements: []any{Sample("k"+hostile, hostile, hostile), Fact("k"+hostile, i, "u"+hostile), Fact("l", hostile), Fact("m", true)}})
	}
	c := Compile(t, May31, list...)
	for _, entry := range c.Models() {
		m := compare.NewReader().Read(entry.Observations)
		var got []string
		for _, s := range m.Slots {
			for _, f := range s.Facts {
				got = append(got, fmt.Sprint(record.Fact, m.Observations[f.Observation].ID, s.MeasurementKey, f.Value, f.Unit, m.Executions[s.Execution].Scope, m.Tasks[s.Task].Family, m.Tasks[s.Task].Suite))
			}
		}
		for _, g := range m.Groups {
			for _, f := range g.Samples {
				got = append(got, fmt.Sprint(record.Sample, m.Observations[f.Observation].ID, g.MeasurementKey, f.Value, f.Unit, m.Executions[g.Execution].Scope, g.Family, g.Suite))
			}
		}
		var want []string
		for i, o := range entry.Observations {
			rec := o.Record()
			for _, x := range rec.Measurements {
				want = append(want, fmt.Sprint(x.Kind, o.ID(), x.Key, x.Value, x.Unit, rec.Execution, rec.Task.Family, rec.Task.Suite))
			}
			read := m.Observations[i]
			if read.ID != o.ID() || read.Freshness != rec.Freshness || read.SourceClass != rec.SourceClass || read.Invalid != (rec.Outcome.Status == record.OutcomeInvalid) {
				t.Errorf("%+v of %s", read, o.JSON())
			}
			var evidence []record.EvidenceLink
			newest := ""
			for _, e := range rec.Evidence {
				evidence = append(evidence, record.EvidenceLink{ID: e.ID, URI: record.Text(e.URI)})
				newest = max(newest, string(e.ObservedAt))
			}
			if got, at := read.Evidence(), read.EvidenceTime(); !slices.Equal(got, evidence) || at != newest {
				t.Errorf("%q, the newest of %s, of %s", got, at, o.JSON())
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q\nwant %q", got, want)
		}
	}
}

// What a reader reads does not depend on what it read before, and stays as it is when
// it reads on.
func TestReaderReadsInTheSameSpace(t *testing.T) {
	read := func(slots int) (list []catalog.Observation) {
		for i := range slots {
			s := Statement{ID: "acme/atlas", Execution: At("acme"), From: May1, Measurements: []any{Fact(fmt.Sprint("key.k", slots, ".n", i), json.Number(fmt.Sprint(i)), "")}}
			o, err := catalog.Normalize(s.Doc())
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, o)
		}
		return list
	}
	models := [][]catalog.Observation{read(3), read(1100), read(2), read(3)}
	reader := compare.NewReader()
	var got []*compare.Model
	for _, observations := range models {
		got = append(got, reader.Read(observations))
	}
	var view compare.View
	for i, observations := range models {
		want := compare.NewReader().Read(observations)
		if !reflect.DeepEqual(got[i], want) || len(want.Slots) != len(observations) {
			t.Errorf("model %d has %d slots, read by itself %d", i, len(got[i].Slots), len(want.Slots))
		}
		m := reader.Glance(observations)
		if view.Turn(m, May31); !reflect.DeepEqual(m.Slots, want.Slots) || !reflect.DeepEqual(view.Holds, want.At(May31).Holds) {
			t.Errorf("model %d in the space of the one before is %v, want %v", i, m.Slots, want.Slots)
		}
	}
}
