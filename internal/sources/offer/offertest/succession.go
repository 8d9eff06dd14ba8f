package offertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// Succession is what is expected of several files of a source.
type Succession struct {
	Snapshots []struct {
		File string `json:"file"`
		At   string `json:"at"`
		Rows int    `json:"rows"`
	} `json:"snapshots"`
	OnePerSnapshot int            `json:"observationsOnePerSnapshot"`
	AsRuns         int            `json:"observationsAsRuns"`
	Runs           map[string]int `json:"runs"`
	Steps          []struct {
		From            string   `json:"from"`
		To              string   `json:"to"`
		Came            int      `json:"came"`
		Went            int      `json:"went"`
		PriceChanged    int      `json:"priceChanged"`
		LimitsChanged   int      `json:"limitsChanged"`
		OtherChanged    int      `json:"otherChanged"`
		CameIDs         []string `json:"cameIds"`
		WentIDs         []string `json:"wentIds"`
		PriceChangedIDs []string `json:"priceChangedIds"`
	} `json:"steps"`
	CameBack []struct {
		Model   string `json:"model"`
		Runtime string `json:"runtime"`
		Key     string `json:"key"`
		Again   string `json:"again"`
	} `json:"cameBack"`
	CameBackCount int `json:"cameBackCount"`
}

// ReadSuccession returns the vector of a source.
func ReadSuccession(t testing.TB, source string) *Succession {
	t.Helper()
	v := &Succession{}
	decode(t, "succession."+source+".json", v)
	return v
}

// CheckSuccession holds the runs that the files of a source make against the
// vectors.
func CheckSuccession(t *testing.T, source string, read Reader) {
	v := ReadSuccession(t, source)
	var s offer.Succession
	each := 0
	for _, snapshot := range v.Snapshots {
		l, err := read(vectortest.DataText(t, "data", snapshot.File), snapshot.At)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Rows) != snapshot.Rows {
			t.Errorf("%s has %d rows, want %d", snapshot.File, len(l.Rows), snapshot.Rows)
		}
		for i := range l.Rows {
			for _, d := range l.Rows[i].Declarations {
				if isShared(d.Name) {
					each++
				}
			}
		}
		if err := s.Add(snapshot.At, l, ByID(l)); err != nil {
			t.Fatal(err)
		}
	}
	runs := slices.DeleteFunc(s.Runs(), func(r *offer.Run) bool { return !isShared(r.Declaration.Name) })
	counts := map[string]int{}
	for _, r := range runs {
		counts[group(r)]++
	}
	if each != v.OnePerSnapshot || len(runs) != v.AsRuns {
		t.Errorf("%d observations, %d as runs; want %d, %d", each, len(runs), v.OnePerSnapshot, v.AsRuns)
	}
	differ(t, "runs", counts, v.Runs)
	came, went := checkSteps(t, v, runs)
	if s.Came != came || s.Went != went {
		t.Errorf("%d offers came and %d went, want %d and %d", s.Came, s.Went, came, went)
	}
	var again []string
	for _, c := range v.CameBack {
		again = append(again, fmt.Sprintf("%s %s %s %s", c.Model, c.Runtime, c.Key, c.Again))
	}
	slices.Sort(again)
	if got := cameBack(runs); len(got) != v.CameBackCount || !slices.Equal(got, again) {
		t.Errorf("%d facts came back, want %d:\n%q\n%q", len(got), v.CameBackCount, got, again)
	}
}

// checkSteps demands the changes from each snapshot to the next. It returns how many offers were to
// come and to go.
func checkSteps(t *testing.T, v *Succession, runs []*offer.Run) (came, went int) {
	for i, step := range v.Steps {
		from, to := v.Snapshots[i].At, v.Snapshots[i+1].At
		got := changesBetween(runs, from, to)
		for _, c := range []struct {
			what string
			got  []string
			n    int
			ids  []string
		}{
			{"came", got["came"], step.Came, step.CameIDs},
			{"went", got["went"], step.Went, step.WentIDs},
			{"price", got["price"], step.PriceChanged, step.PriceChangedIDs},
			{"limit", got["limit"], step.LimitsChanged, nil},
			{"other", got["other"], step.OtherChanged, nil},
		} {
			if len(c.got) != c.n || len(c.got) < len(c.ids) || c.ids != nil && !slices.Equal(c.got[:len(c.ids)], c.ids) {
				t.Errorf("%s to %s, %s: %d, %q; want %d, %q", from, to, c.what, len(c.got), c.got[:min(len(c.got), len(c.ids))],
					c.n, c.ids)
			}
		}
		came, went = came+step.Came, went+step.Went
	}
	return came, went
}

// ByID returns the identity of the rows of a listing by their own ids.
func ByID(l *offer.Listing) func(i int) offer.Subject {
	return func(i int) offer.Subject {
		of := l.Rows[i].Offer
		return offer.Subject{Offer: of, Model: record.Model{ID: of.ModelID()}}
	}
}

func isShared(declaration string) bool {
	return declaration != offer.Described && !strings.HasPrefix(declaration, "openrouter.") &&
		!strings.HasPrefix(declaration, "benchmarks.")
}

func group(r *offer.Run) string {
	name := r.Declaration.Name
	switch {
	case offer.IsPrice(name):
		return "price"
	case offer.IsLimit(name):
		return "limit"
	}
	return name
}

// changesBetween returns the models of the offers that came, went and changed from
// one snapshot to the next, sorted.
func changesBetween(runs []*offer.Run, from, to string) map[string][]string {
	before, after := map[offer.Subject]bool{}, map[offer.Subject]bool{}
	changed := map[string]map[offer.Subject]bool{"price": {}, "limit": {}, "other": {}}
	for _, r := range runs {
		isBefore := r.First.At <= from && from <= r.Last.At
		isAfter := r.First.At <= to && to <= r.Last.At
		before[*r.Subject] = before[*r.Subject] || isBefore
		after[*r.Subject] = after[*r.Subject] || isAfter
		if isBefore != isAfter {
			what := group(r)
			if what != "price" && what != "limit" {
				what = "other"
			}
			changed[what][*r.Subject] = true
		}
	}
	all := map[string]map[offer.Subject]bool{"came": {}, "went": {}}
	for s := range after {
		all["came"][s] = after[s] && !before[s]
		all["went"][s] = before[s] && !after[s]
	}
	for what, subjects := range changed {
		all[what] = subjects
		for s := range subjects {
			subjects[s] = before[s] && after[s]
		}
	}
	ids := map[string][]string{}
	for what, subjects := range all {
		for s, is := range subjects {
			if is {
				ids[what] = append(ids[what], s.Model.ID)
			}
		}
		slices.Sort(ids[what])
	}
	return ids
}

// cameBack returns the facts that took a value again which they had left.
func cameBack(runs []*offer.Run) (facts []string) {
	type stated struct {
		offer.Subject
		offer.Fact
	}
	last := map[stated]*offer.Run{}
	for _, r := range runs { // those of one declaration are in order of time
		for _, f := range r.Declaration.Facts {
			of := stated{*r.Subject, f}
			if earlier := last[of]; earlier != nil && earlier.Ended != r.First.At {
				facts = append(facts, fmt.Sprintf("%s %s %s %s", r.Model.ID, r.Runtime, f.Key, r.First.At))
			}
			last[of] = r
		}
	}
	slices.Sort(facts)
	return facts
}
