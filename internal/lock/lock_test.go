package lock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// said is a statement about a model at the runtime shop.
func said(model, key string, value any, unit string) Statement {
	return Statement{ID: model, Execution: At("shop"), Measurements: []any{Fact(key, value, unit)}, URI: "https://shop.example/" + model}
}

// whole is what a shop says of acme/atlas, and another model that it sells.
func whole() []Statement {
	return []Statement{
		said("acme/atlas", "price.output", 2e-6, "USD/token"), said("acme/atlas", "price.input@context>200000", 1e-6, "USD/token"),
		said("acme/atlas", "limits.context", 100000, "tokens"), said("acme/atlas", "capability.tools", true, ""),
		said("acme/atlas", "modality.input.image", false, ""), said("acme/atlas", "knowledge.cutoff", "2025-06", ""),
		said("acme/atlas", "lifecycle.retires", "2026-12", ""), said("acme/atlas", "score", 7, "points"), said("other/model", "price.output", 1e-6, "USD/token"),
	}
}

func made(t testing.TB, c *catalog.Catalog, existing *lock.Lock, watch ...string) *lock.Lock {
	t.Helper()
	l, _, err := lock.Make(t.Context(), c, lock.Demand{Uses: []record.LockedUse{lock.Plain("shop", "acme/atlas")}, Watch: watch}, existing)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// read reads the text of a lock, with a policy put into it.
func read(t testing.TB, l *lock.Lock, policy string) (*lock.Lock, string) {
	t.Helper()
	text := strings.Replace(l.Text(), `"policy": {}`, `"policy": `+policy, 1)
	again, err := lock.Read(problem.Source{Name: "models.lock.json", Text: text})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return again, text
}

// findings checks a lock and returns its findings: code, level, key and date.
func findings(t testing.TB, c *catalog.Catalog, l *lock.Lock, text, now string) (list []string, r *record.ModelsCheck) {
	t.Helper()
	r, err := lock.Check(t.Context(), c, l, text, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.CheckReport(problem.Source{Text: string(ijson.MustWriteTagged(r))}); err != nil {
		t.Error(err)
	}
	ok := true
	for _, f := range r.Findings {
		list = append(list, strings.TrimSpace(fmt.Sprint(f.Level, " ", f.Code, " ", f.Key, " ", f.Date)))
		ok = ok && f.Level != lock.Fail
		if !strings.Contains(f.Message, ": ") && f.Code != "" {
			t.Errorf("%s says what is so, and not what to do: %s", f.Code, f.Message)
		}
	}
	if r.OK != ok {
		t.Errorf("ok is %v with %v", r.OK, list)
	}
	return list, r
}

// replaced is a catalog in which what was said of a key of the model is something else.
func replaced(t testing.TB, key string, with ...Statement) *catalog.Catalog {
	t.Helper()
	list := slices.DeleteFunc(whole(), func(s Statement) bool {
		return s.ID == "acme/atlas" && s.Measurements[0].(Object)["key"] == key
	})
	return Compile(t, May31, append(list, with...)...)
}

// Each code is found when it applies, with its level, and not when it does not.
func TestCodes(t *testing.T) {
	before := made(t, Compile(t, May31, whole()...), nil, "score")
	plain, text := read(t, before, "{}")
	if list, r := findings(t, Compile(t, May31, whole()...), plain, text, May31); list != nil || r.Uses[0].Checked != 8 || !r.Uses[0].OK {
		t.Errorf("nothing changed, but %v %+v", list, r.Uses)
	}
	expired := said("acme/atlas", "price.output", 2e-6, "USD/token")
	expired.Until = May2
	var silent []Statement
	for _, s := range whole() {
		if s.ID == "acme/atlas" {
			s.Until = May2
		}
		silent = append(silent, s)
	}
	allExpired := []string{"fail EVIDENCE_EXPIRED"}
	risen, retired := said("acme/atlas", "price.output", 3e-6, "USD/token"), said("acme/atlas", "lifecycle.retires", "2026-05-20", "")
	risen.Until, retired.Until = May2, May2
	for _, test := range []struct {
		name string
		c    *catalog.Catalog
		now  string
		want []string
	}{
		{"the model is not there", Compile(t, May31, said("other/model", "price.output", 1e-6, "USD/token")), May31, []string{"fail MODEL_GONE"}},
		{"nothing of it holds, something of another does", Compile(t, May31, silent...), May31, []string{"fail MODEL_GONE"}},
		{"nothing of it holds, something of it does under other tools", Compile(t, May31, append(slices.Clone(silent[:8]), Statement{ID: "acme/atlas", Execution: Ran("shop", "python"), Measurements: []any{Fact("other", 1)}})...), May31, allExpired},
		{"a failure comes before a warning", replaced(t, "price.output", said("acme/atlas", "price.output", 3e-6, "USD/token"), said("acme/atlas", "lifecycle.status", "deprecated", "")), May31,
			[]string{"fail PRICE_UP price.output", "warn MODEL_DEPRECATED lifecycle.status"}},
		{"nothing at all holds", Compile(t, May31, silent[:8]...), May31, allExpired},
		{"a price rose", replaced(t, "price.output", said("acme/atlas", "price.output", 2.0000001e-6, "USD/token")), May31, []string{"fail PRICE_UP price.output"}},
		{"a band rose", replaced(t, "price.input@context>200000", said("acme/atlas", "price.input@context>200000", 2e-6, "USD/token")), May31, []string{"fail PRICE_UP price.input@context>200000"}},
		{"a price fell", replaced(t, "price.output", said("acme/atlas", "price.output", 1e-6, "USD/token")), May31, nil},
		{"a limit fell", replaced(t, "limits.context", said("acme/atlas", "limits.context", 99999, "tokens")), May31, []string{"fail LIMIT_DOWN limits.context"}},
		{"a limit rose", replaced(t, "limits.context", said("acme/atlas", "limits.context", 100001, "tokens")), May31, nil},
		{"tools are gone", replaced(t, "capability.tools", said("acme/atlas", "capability.tools", false, "")), May31, []string{"fail CAPABILITY_LOST capability.tools"}},
		{"pictures came", replaced(t, "modality.input.image", said("acme/atlas", "modality.input.image", true, "")), May31, nil},
		{"another fact", replaced(t, "knowledge.cutoff", said("acme/atlas", "knowledge.cutoff", "2025-07", "")), May31, []string{"warn FACT_CHANGED knowledge.cutoff"}},
		{"another unit", replaced(t, "score", said("acme/atlas", "score", 7, "percent")), May31, []string{"warn FACT_CHANGED score"}},
		{"another unit of a price", replaced(t, "price.output", said("acme/atlas", "price.output", 1e-6, "EUR/token")), May31, []string{"warn FACT_CHANGED price.output"}},
		{"a contradiction", replaced(t, "price.output", said("acme/atlas", "price.output", 2e-6, "USD/token"), said("acme/atlas", "price.output", 3e-6, "USD/token")), May31, []string{"fail EVIDENCE_CONFLICT price.output"}},
		{"two units", replaced(t, "price.output", said("acme/atlas", "price.output", 2e-6, "USD/token"), said("acme/atlas", "price.output", 2e-6, "EUR/token")), May31, []string{"fail EVIDENCE_CONFLICT price.output"}},
		{"it expired", replaced(t, "price.output", expired), May31, []string{"fail EVIDENCE_EXPIRED price.output"}},
		{"it rose, and then expired", replaced(t, "price.output", risen), May31, []string{"fail PRICE_UP price.output", "fail EVIDENCE_EXPIRED price.output"}},
		{"the model was retired, and then nobody said so any more", replaced(t, "lifecycle.retires", retired), May31, []string{"fail MODEL_RETIRED lifecycle.retires 2026-05-20", "fail EVIDENCE_EXPIRED lifecycle.retires"}},
		{"a price in other last digits", replaced(t, "price.output", said("acme/atlas", "price.output", 2.0000000001e-6, "USD/token")), May31, nil},
		{"a price a hundred millionth higher", replaced(t, "price.output", said("acme/atlas", "price.output", 2.00000002e-6, "USD/token")), May31, []string{"fail PRICE_UP price.output"}},
		{"nobody says it", replaced(t, "price.output"), May31, []string{"warn EVIDENCE_MISSING price.output"}},
		{"a week later", Compile(t, May31, whole()...), "2026-06-07T00:00:00.000Z", nil},
		{"more than a week later", Compile(t, May31, whole()...), "2026-06-07T00:00:00.001Z", []string{"warn CATALOG_OLD"}},
	} {
		if got, _ := findings(t, test.c, plain, text, test.now); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// What is gone names models that are called nearly the same, the nearest first.
func TestSiblings(t *testing.T) {
	plain, text := read(t, made(t, Compile(t, May31, whole()...), nil), "{}")
	var others []Statement
	for _, id := range []string{"acme/atlas-2", "acme/atlantis", "acme/borealis", "other/atlas", "acme/atlas-mini", "acme/atlas-3"} {
		others = append(others, said(id, "price.output", 1e-6, "USD/token"))
	}
	_, r := findings(t, Compile(t, May31, others...), plain, text, May31)
	const want = "; the catalog has acme/atlas-2, acme/atlas-3, acme/atlas-mini"
	if m := r.Findings[0].Message; r.Findings[0].Code != record.ModelGone || !strings.HasSuffix(m, want) {
		t.Errorf("message %q, want it to end with %q", m, want)
	}
}

// A finding names so many of the observations that it rests on, not all that a thousand
// runtimes say.
func TestMostObservations(t *testing.T) {
	plain, text := read(t, made(t, Compile(t, May31, whole()...), nil), "{}")
	var elsewhere []Statement
	for i := range 100 {
		s := said("acme/atlas", "price.output", 2e-6, "USD/token")
		s.Execution = At(fmt.Sprint("shop", i))
		elsewhere = append(elsewhere, s)
	}
	list, r := findings(t, replaced(t, "price.output", elsewhere...), plain, text, May31)
	if f := r.Findings[0]; !slices.Equal(list, []string{"fail EVIDENCE_CONFLICT price.output"}) || len(f.ObservationIDs) != 64 || len(f.Evidence) != 64 || !slices.IsSorted(f.ObservationIDs) {
		t.Errorf("%q names %d observations and %d times evidence", list, len(f.ObservationIDs), len(f.Evidence))
	}
	var torn []Statement
	for i := range 20 {
		torn = append(torn, said("acme/atlas", "price.output", i+1, "USD/token"))
	}
	_, r = findings(t, replaced(t, "price.output", torn...), plain, text, May31)
	if m := r.Findings[0].Message; strings.Count(m, " or ") != 16 || !strings.Contains(m, " or 4 more)") {
		t.Errorf("message %q", m)
	}
}

// What cannot be compared is told apart by its cause: another runtime, another way to run
// the model at the same one, several units.
func TestIncomparable(t *testing.T) {
	plain, text := read(t, made(t, Compile(t, May31, whole()...), nil), "{}")
	stated := func(execution any, unit string) Statement {
		s := said("acme/atlas", "price.output", 2e-6, unit)
		s.Execution = execution
		return s
	}
	for _, test := range []struct {
		stated []Statement
		want   []string
	}{
		{[]Statement{stated(At("mall"), "USD/token"), stated(At("bazaar"), "USD/token")}, []string{" of shop", " of bazaar, mall"}},
		{[]Statement{stated(Ran("shop", "python"), "USD/token")}, []string{" at shop"}},
		{[]Statement{stated(At("shop"), "USD/token"), stated(At("shop"), "EUR/token"), stated(At("mall"), "USD/token")}, []string{"per million tokens", "EUR/token"}},
		{[]Statement{stated(nil, "USD/token"), stated(nil, "")}, []string{"per million tokens", "without a unit"}},
	} {
		list, r := findings(t, replaced(t, "price.output", test.stated...), plain, text, May31)
		if !slices.Equal(list, []string{"fail EVIDENCE_CONFLICT price.output"}) {
			t.Fatalf("%v: %q", test.stated, list)
		}
		for _, part := range test.want {
			if !strings.Contains(r.Findings[0].Message, part) {
				t.Errorf("the message lacks %q: %s", part, r.Findings[0].Message)
			}
		}
	}
}

// A date of the life cycle counts in whole days, and a month as its last one; it is looked
// at whether it is locked or not, and the first code that applies is the one.
func TestLifeCycle(t *testing.T) {
	lifecycle := []string{"lifecycle.retires", "lifecycle.deprecated", "lifecycle.status"}
	prices := []Statement{said("acme/atlas", "price.output", 2e-6, "USD/token")}
	l, text := read(t, made(t, Compile(t, May31, prices...), nil), `{"catalogMaxAgeDays": null}`)
	for _, test := range []struct {
		key, value, now, want string
	}{
		{lifecycle[0], "2026-12", "2026-12-30T23:59:59.999Z", "warn MODEL_RETIRES lifecycle.retires 2026-12-31"},
		{lifecycle[0], "2026-12", "2026-12-31T00:00:00.000Z", "fail MODEL_RETIRED lifecycle.retires 2026-12-31"},
		{lifecycle[0], "2026-12-24", "2026-11-24T00:00:00.000Z", "warn MODEL_RETIRES lifecycle.retires 2026-12-24"},
		{lifecycle[0], "2026-12-24", "2026-11-23T23:59:59.999Z", ""},
		{lifecycle[1], "2026-02", "2027-01-01T00:00:00.000Z", "warn MODEL_DEPRECATED lifecycle.deprecated 2026-02-28"},
		{lifecycle[1], "2026-12-24", "2026-12-23T00:00:00.000Z", "warn MODEL_RETIRES lifecycle.deprecated 2026-12-24"},
		{lifecycle[2], "deprecated", May31, "warn MODEL_DEPRECATED lifecycle.status"},
		{lifecycle[2], "beta", May31, ""},
		{lifecycle[0], "next year", May31, ""},
	} {
		c := Compile(t, May31, append(prices, said("acme/atlas", test.key, test.value, ""))...)
		got, _ := findings(t, c, l, text, test.now)
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s %s on %s: %q, want %q", test.key, test.value, test.now, got, test.want)
		}
		// Locked as it is, it is found all the same, once.
		locked, lockedText := read(t, made(t, c, nil), `{"catalogMaxAgeDays": null}`)
		if got, _ := findings(t, c, locked, lockedText, test.now); strings.Join(got, ", ") != test.want {
			t.Errorf("locked, %s %s on %s: %q, want %q", test.key, test.value, test.now, got, test.want)
		}
	}
}

// A policy changes what is found and how much it matters.
func TestPolicy(t *testing.T) {
	base := made(t, Compile(t, May31, whole()...), nil)
	dearer := replaced(t, "price.output", said("acme/atlas", "price.output", 2.2e-6, "USD/token"))
	cheaper := replaced(t, "price.output", said("acme/atlas", "price.output", 1e-6, "USD/token"))
	for _, test := range []struct {
		policy string
		c      *catalog.Catalog
		now    string
		want   string
	}{
		{`{"priceUpPercent": 10}`, dearer, May31, ""},
		{`{"priceUpPercent": 9.9}`, dearer, May31, "fail PRICE_UP price.output"},
		{`{"levels": {"PRICE_UP": "warn"}}`, dearer, May31, "warn PRICE_UP price.output"},
		{`{"levels": {"PRICE_UP": "off"}}`, dearer, May31, ""},
		{`{"levels": {"PRICE_DOWN": "fail"}}`, cheaper, May31, "fail PRICE_DOWN price.output"},
		{`{"catalogMaxAgeDays": 0}`, Compile(t, May31, whole()...), "2026-05-31T00:00:00.001Z", "warn CATALOG_OLD"},
		{`{"catalogMaxAgeDays": null}`, Compile(t, May31, whole()...), "2026-11-30T00:00:00.000Z", ""},
		{`{"catalogMaxAgeDays": null, "noticeDays": 31}`, Compile(t, May31, whole()...), "2026-11-30T00:00:00.000Z", "warn MODEL_RETIRES lifecycle.retires 2026-12-31"},
		{`{"catalogMaxAgeDays": 9007199254740991, "noticeDays": 9007199254740991}`, Compile(t, May31, whole()...), May31, "warn MODEL_RETIRES lifecycle.retires 2026-12-31"},
	} {
		l, text := read(t, base, test.policy)
		if got, _ := findings(t, test.c, l, text, test.now); strings.Join(got, ", ") != test.want {
			t.Errorf("%s: %q, want %q", test.policy, got, test.want)
		}
		// Written again, the policy is the same.
		again, _ := read(t, l, "{}")
		if got, _ := findings(t, test.c, again, text, test.now); strings.Join(got, ", ") != test.want {
			t.Errorf("written again, %s: %q", again.Text(), got)
		}
	}
}

// A rise of just the percentage that a policy allows is none, whatever the digits.
func TestRiseIsExact(t *testing.T) {
	for price := 1; price < 1000; price++ {
		c := func(value string) *catalog.Catalog {
			return Compile(t, May31, said("acme/atlas", "price.output", json.Number(value), "USD/token"))
		}
		l, text := read(t, made(t, c(fmt.Sprintf("%de-7", price)), nil), `{"priceUpPercent": 10}`)
		for rise, want := range map[string]int{fmt.Sprintf("%de-8", 11*price): 0, fmt.Sprintf("%d1e-9", 11*price): 1} {
			if got, _ := findings(t, c(rise), l, text, May31); len(got) != want {
				t.Fatalf("from %de-7 to %s: %q", price, rise, got)
			}
		}
		price += price / 8
	}
}

// What is not known is not locked, and is told; a use of which nothing is known is refused.
func TestUnlocked(t *testing.T) {
	gone := said("acme/atlas", "limits.output", 5, "tokens")
	gone.Until = May2
	c := Compile(t, May31, said("acme/atlas", "price.input", 1e-6, "USD/token"), said("acme/atlas", "price.output", 1e-6, "USD/token"), said("acme/atlas", "price.output", 2e-6, "USD/token"),
		said("acme/atlas", "limits.context", 1, "tokens"), said("acme/atlas", "limits.context", 1, "other"), gone)
	l, unlocked, err := lock.Make(t.Context(), c, lock.Demand{Uses: []record.LockedUse{lock.Plain("shop", "acme/atlas")}, Watch: []string{"score"}}, nil)
	if err != nil || len(l.Uses[0].Facts) != 1 || l.Uses[0].Facts["price.input"].Value.Float() != 1e-6 {
		t.Fatalf("%+v, %v", l, err)
	}
	for key, want := range map[string]v3.FactStatus{"price.output": v3.FactConflict, "limits.context": v3.FactIncomparable, "limits.output": v3.FactStale, "score": v3.FactMissing, "price.cache_read": v3.FactMissing} {
		i := slices.IndexFunc(unlocked, func(u lock.UnlockedKey) bool { return u.Key == key })
		if i < 0 || unlocked[i].Status != want || unlocked[i].Use != "shop:acme/atlas" {
			t.Errorf("%s: %v", key, unlocked)
		}
	}
	for _, use := range []record.LockedUse{lock.Plain("shop", "none"), lock.Plain("elsewhere", "acme/atlas")} {
		if _, _, err := lock.Make(t.Context(), c, lock.Demand{Uses: []record.LockedUse{use}}, nil); !errors.Is(err, lock.ErrNoFact) || !strings.Contains(err.Error(), use.ID) {
			t.Errorf("%s: %v", use.ID, err)
		}
	}
	if _, err := lock.Check(t.Context(), c, l, "", May1); !errors.Is(err, lock.ErrEarly) {
		t.Errorf("a check before the catalog: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lock.Check(ctx, c, l, "", May31); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A request gives its candidates, and the keys of the facts that its criteria ask for,
// those of the terms of a sum, too.
func TestRequest(t *testing.T) {
	d := lock.Demand{}
	err := d.Add(`{"advisories":[{"aggregation":"fact","measurementKey":"a"}],"inventory":[{"execution":{"adapter":null,"effectiveContextTokens":null,"hardware":null,"runtime":{"id":"shop","version":null},"toolSurface":["python"],"workflow":null},"id":"c","model":{"id":"acme/atlas","quantization":null,"revision":"2"}}],` +
		`"preferences":[{"sum":[{"aggregation":"fact","measurementKey":"p"},{"aggregation":"mean","measurementKey":"no"}]}],"requirements":[{"aggregation":"fact","measurementKey":"r"},{"aggregation":"mean","measurementKey":"no"}],"tieBreakers":[{"aggregation":"fact","measurementKey":"t"}]}`)
	if slices.Sort(d.Watch); err != nil || !slices.Equal(d.Watch, []string{"a", "p", "r", "t"}) || len(d.Uses) != 1 || d.Uses[0].ID != "c" || d.Uses[0].Model.Revision != "2" ||
		d.Uses[0].Execution.Runtime.ID != "shop" || !slices.Equal(d.Uses[0].Execution.ToolSurface, []string{"python"}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// A lock that is continued keeps its policy and its uses; one of the same id is replaced.
// An update takes the facts of the catalog, and keeps the use of what is gone.
func TestContinued(t *testing.T) {
	first, _ := read(t, made(t, Compile(t, May31, whole()...), nil, "score"), `{"priceUpPercent": 5}`)
	second := Compile(t, June2, said("acme/atlas", "price.output", 5e-6, "USD/token"), said("new/model", "price.output", 1e-6, "USD/token"))
	l, _, err := lock.Make(t.Context(), second, lock.Demand{Uses: []record.LockedUse{lock.Plain("shop", "new/model")}}, first)
	if err != nil || len(l.Uses) != 2 || *l.Policy.PriceUpPercent != 5 || len(l.Uses[0].Facts) != 8 || l.Catalog.Digest != second.Digest() {
		t.Errorf("%v %s", err, l.Text())
	}
	if again := made(t, second, l); len(again.Uses) != 2 || len(again.Uses[0].Facts) != 1 {
		t.Errorf("%s", again.Text())
	}
	updated, err := lock.Update(t.Context(), second, l, June2)
	if err != nil || *updated.Policy.PriceUpPercent != 5 || updated.Uses[0].Facts["price.output"].Value.Float() != 5e-6 || len(updated.Uses[0].Facts) != 1 {
		t.Errorf("%v %s", err, updated.Text())
	}
	empty := Compile(t, June2, said("other/model", "price.output", 1e-6, "USD/token"))
	kept, err := lock.Update(t.Context(), empty, updated, June2)
	if err != nil || len(kept.Uses) != 2 || kept.Uses[0].Facts["price.output"].Value.Float() != 5e-6 {
		t.Errorf("%v %s", err, kept.Text())
	}
	// After an update nothing is found.
	_, text := read(t, updated, "{}")
	if got, _ := findings(t, second, updated, text, June2); got != nil {
		t.Errorf("after the update: %v", got)
	}
}

// What is no lock is refused, with the place of each fault.
func TestRefused(t *testing.T) {
	good := made(t, Compile(t, May31, whole()...), nil).Text()
	for change, path := range map[[2]string]string{
		{`"policy": {}`, `"policy": {"priceUpPercent": -1}`}:                  "$.policy.priceUpPercent",
		{`"policy": {}`, `"policy": {"noticeDays": 1.5}`}:                     "$.policy.noticeDays",
		{`"policy": {}`, `"policy": {"levels": {"PRICE_UP": "loud"}}`}:        "$.policy.levels.PRICE_UP",
		{`"policy": {}`, `"policy": {"levels": {"NOTHING": "fail"}}`}:         "$.policy.levels.NOTHING",
		{`"unit": "tokens", "value": 100000`, `"unit": "tokens"`}:             "$.uses[0].facts.limits.context.value",
		{`"unit": "tokens", "value": 100000`, `"unit": "", "value": 100000`}:  "$.uses[0].facts.limits.context.unit",
		{`"schemaVersion": "service.models.lock/v1"`, `"schemaVersion": "x"`}: "$.schemaVersion",
		{`"id": "shop:acme/atlas"`, `"id": ""`}:                               "$.uses[0].id",
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		_, err := lock.Read(problem.Source{Name: "l.json", Text: text})
		faults := problem.All(err)
		if text == good || len(faults) == 0 || faults[0].Path != path || faults[0].Place.Line == 0 {
			t.Errorf("%s: %v, want a fault at %s", change[1], err, path)
		}
	}
	from := strings.Index(good, `"uses": [`) + len(`"uses": [`)
	to := strings.LastIndex(good, "\n  ]")
	for _, uses := range []string{"", good[from:to] + "," + good[from:to]} {
		if _, err := lock.Read(problem.Source{Text: good[:from] + uses + good[to:]}); len(problem.All(err)) != 1 || problem.All(err)[0].Path != "$.uses" {
			t.Errorf("%v", err)
		}
	}
}

// The line of a fact is where the lock has it, and of what is not locked that of the use.
func TestOffset(t *testing.T) {
	l, text := read(t, made(t, Compile(t, May31, whole()...), nil), "{}")
	line := func(key string) string {
		rest, _, _ := strings.Cut(text[l.Offset("shop:acme/atlas", key):], "\n")
		return rest
	}
	if got := line("price.output"); got != `"price.output": {"unit": "USD/token", "value": 0.000002}` {
		t.Errorf("it is at %q", got)
	}
	if got := line("none"); !strings.HasPrefix(got, "{") {
		t.Errorf("the use is at %q", got)
	}
	if l.Offset("none", "") != 0 {
		t.Error("an unknown use has a place")
	}
}

// Random catalogs: a lock that was just made has no finding of an evidence or a change, the
// order of uses and statements does not matter, and the text is what was read.
func TestProperties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	watch, locked := []string{"k", "l"}, 0
	for range 30 {
		list := Random(rnd, 25)
		c := Compile(t, May31, list...)
		var uses []record.LockedUse
		for _, m := range c.Models() {
			for _, runtime := range []string{"r", "q"} {
				use := lock.Plain(runtime, m.Identity.ID)
				use.ID += fmt.Sprint(len(uses))
				use.Model = m.Identity
				if _, _, err := lock.Make(t.Context(), c, lock.Demand{Uses: []record.LockedUse{use}, Watch: watch}, nil); err == nil {
					uses = append(uses, use)
				}
			}
		}
		if len(uses) == 0 {
			continue
		}
		l, _, err := lock.Make(t.Context(), c, lock.Demand{Uses: uses, Watch: watch}, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, text := read(t, l, "{}")
		if again.Text() != text {
			t.Fatalf("%s comes back as %s", text, again.Text())
		}
		if got, _ := findings(t, c, again, text, May31); got != nil {
			t.Errorf("nothing changed, but %v", got)
		}
		slices.Reverse(uses)
		slices.Reverse(list)
		if other, _, err := lock.Make(t.Context(), Compile(t, May31, list...), lock.Demand{Uses: uses, Watch: watch}, nil); err != nil || other.Text() != text {
			t.Errorf("in another order: %v", err)
		}
		for i := range l.Uses {
			locked += len(l.Uses[i].Facts)
		}
	}
	if locked < 100 {
		t.Errorf("only %d facts were locked", locked)
	}
}

// FuzzRead gives any text as a lock: what is read is written so that it is read again, and
// can be checked.
func FuzzRead(f *testing.F) {
	c := Compile(f, May31, whole()...)
	l, _, err := lock.Make(context.Background(), c, lock.Demand{Uses: []record.LockedUse{lock.Plain("shop", "acme/atlas")}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(l.Text())
	f.Add(strings.Replace(l.Text(), `"policy": {}`, `"policy": {"levels": {"PRICE_UP": "warn"}, "priceUpPercent": 1e300, "noticeDays": 0, "catalogMaxAgeDays": null}`, 1))
	f.Add(strings.ReplaceAll(l.Text(), "acme", `\u0000\ud83d\ude00`))
	f.Fuzz(func(t *testing.T, text string) {
		l, err := lock.Read(problem.Source{Text: text})
		if err != nil {
			if problem.All(err) == nil {
				t.Fatalf("%v has no place", err)
			}
			return
		}
		written := l.Text()
		again, err := lock.Read(problem.Source{Text: written})
		if err != nil || again.Text() != written {
			t.Fatalf("%v: %q is written as %q", err, text, written)
		}
		r, err := lock.Check(context.Background(), c, l, text, June2)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.CheckReport(problem.Source{Text: string(ijson.MustWriteTagged(r))}); err != nil {
			t.Fatal(err)
		}
		if _, err := lock.Update(context.Background(), c, l, June2); err != nil {
			t.Fatal(err)
		}
	})
}
