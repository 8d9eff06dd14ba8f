package build_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/build"
	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// A lock of all that a seller offers, checked a day or some days later, fails for what the raw files
// say, and for nothing else: what left the list is gone, and what costs more has risen.
func TestLockOverDays(t *testing.T) {
	vectortest.SkipRace(t)
	y := newYard(t, "openrouter-models:")
	var before *catalog.Catalog
	var old map[string]rawOffer
	alarms := 0
	for _, day := range []string{"2026-07-17", "2026-07-18", "2026-07-19", "2026-07-28", "2026-07-31"} {
		body := hosttest.Capture(t, day)
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		y.now = at.Add(6 * time.Hour)
		y.hosts.Serve(hosttest.OpenRouter, body)
		y.must(t, nil)
		after, err := catalog.Parse(t.Context(), problem.Source{Text: y.read(t, recipe.Catalog)})
		if err != nil {
			t.Fatal(err)
		}
		new := rawOffers(t, body)
		if before != nil {
			got, locked := findingsOf(t, before, after)
			for id := range old {
				if !locked[id] { // which is an alias or a router, and no offer
					delete(old, id)
				}
			}
			want := wanted(old, new)
			alarms += len(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: found\n%s\nin the raw files\n%s", day, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		before, old = after, new
	}
	if alarms < 10 {
		t.Errorf("%d alarms in all days: there are more", alarms)
	}
}

// rawOffer is the prices of a row.
type rawOffer map[string]json.Number

func rawOffers(t *testing.T, body string) map[string]rawOffer {
	t.Helper()
	var answer struct {
		Data []struct {
			ID      string                     `json:"id"`
			Pricing map[string]json.RawMessage `json:"pricing"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	offers := map[string]rawOffer{}
	for _, row := range answer.Data {
		prices := rawOffer{}
		for name, key := range map[string]string{"prompt": "price.input", "completion": "price.output", "input_cache_read": "price.cache_read"} {
			var text string
			if json.Unmarshal(row.Pricing[name], &text) == nil && !strings.HasPrefix(text, "-") {
				prices[key] = json.Number(text)
			}
		}
		offers[row.ID] = prices
	}
	return offers
}

// wanted are the alarms that two raw files give.
func wanted(old, new map[string]rawOffer) (list []string) {
	for id, prices := range old {
		now, isThere := new[id]
		if !isThere {
			list = append(list, "MODEL_GONE "+id)
			continue
		}
		for key, price := range prices {
			was, _ := price.Float64()
			is, err := now[key].Float64()
			if err == nil && is > was*(1+1e-9) {
				list = append(list, "PRICE_UP "+id+" "+key)
			}
		}
	}
	slices.Sort(list)
	return list
}

// findingsOf locks the prices of all offers of a catalog, and returns what a later one makes fail of
// them, and the local ids that were locked.
func findingsOf(t *testing.T, before, after *catalog.Catalog) (list []string, locked map[string]bool) {
	t.Helper()
	locked = map[string]bool{}
	demand, local := lock.Demand{}, map[string]string{} // local ids by use
	reader := catalog.NewRecordReader()
	for i := range before.Models() {
		m := &before.Models()[i]
		for _, o := range m.Observations {
			rec := reader.Read(o)
			at := slices.IndexFunc(rec.Measurements, func(x record.Measurement) bool { return x.Key == record.OfferID })
			isOther := slices.ContainsFunc(rec.Measurements, func(x record.Measurement) bool { return x.Key == record.OfferKind })
			if at < 0 || isOther || !rec.Freshness.HoldsAt(record.Timestamp(before.AsOf())) {
				continue
			}
			use := lock.Plain(strings.Clone(rec.Execution.Runtime.ID), m.Identity.ID)
			use.Model = m.Identity
			use.ID = fmt.Sprintf("%s:%s", rec.Execution.Runtime.ID, m.Identity.Name())
			local[use.ID] = strings.Clone(rec.Measurements[at].Value.Text)
			locked[local[use.ID]] = true
			demand.Uses = append(demand.Uses, use)
		}
	}
	l, _, err := lock.Make(t.Context(), before, demand, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range l.Uses {
		maps.DeleteFunc(l.Uses[i].Facts, func(key string, _ record.StatedValue) bool {
			return !slices.Contains([]string{"price.input", "price.output", "price.cache_read"}, key)
		})
	}
	r, err := lock.Check(t.Context(), after, l, l.Text(), after.AsOf())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Level == lock.Fail {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Code, local[string(f.Use)], f.Key)))
		}
	}
	slices.Sort(list)
	return list, locked
}

// A catalog is what its lock makes of the store, or it is said what differs, and whose it is.
func TestCheck(t *testing.T) {
	y := newYard(t, "openrouter-models:", "observations: { files: own/*.jsonl }")
	y.hosts.Serve(hosttest.OpenRouter, list(2, "0.000001"))
	y.write(t, "own/a.jsonl", ownOffer("acme", "1.5", "acme")+"\n")
	lock := y.must(t, nil).Lock
	text := y.read(t, recipe.Catalog)
	check := func(text string) (build.Checked, error) {
		t.Helper()
		held, err := catalog.Parse(t.Context(), problem.Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var got build.Checked
		y.request(t, func(req build.Request) { got, err = build.Check(t.Context(), req, held) })
		return got, err
	}
	if got, err := check(text); err != nil || got.Differences != nil {
		t.Fatalf("the same catalog: %+v, %v", got, err)
	}
	// Another catalog, of another price and of the same own observation.
	other := newYard(t, "openrouter-models:", "observations: { files: own/*.jsonl }")
	other.hosts.Serve(hosttest.OpenRouter, list(2, "0.000002"))
	other.write(t, "own/a.jsonl", ownOffer("acme", "1.5", "acme")+"\n")
	found := other.must(t, nil).Lock.Catalog
	got, err := check(other.read(t, recipe.Catalog))
	if d := got.Differences; err != nil || len(d) != 2 || d[0].Expected != lock.Catalog || d[0].Found != found ||
		d[1].Source != "openrouter-models" || d[1].Expected == d[1].Found || got.OtherRules != "" {
		t.Errorf("another price: %+v, %v", got, err)
	}
	// Own files that changed, a damaged body, and one that is gone.
	body := lock.Sources[0].Bodies[0]
	y.write(t, "own/a.jsonl", ownOffer("acme", "2.5", "acme")+"\n")
	y.write(t, ".svc/bodies/"+body.SHA256, "damaged")
	got, err = check(text)
	damaged := fmt.Sprintf("%x", sha256.Sum256([]byte("damaged")))
	if d := got.Differences; err != nil || len(d) != 2 || d[0].What != "own/a.jsonl" || d[0].Found == "" ||
		d[1].Source != "openrouter-models" || d[1].Expected != body.SHA256 || d[1].Found != damaged {
		t.Errorf("damaged: %+v, %v", got, err)
	}
	if err := os.Remove(filepath.Join(y.folder, ".svc/bodies", body.SHA256)); err != nil {
		t.Fatal(err)
	}
	if got, err = check(text); err != nil || len(got.Differences) != 2 || got.Differences[1].Found != "" {
		t.Errorf("gone: %+v, %v", got, err)
	}
	if asked := y.hosts.Asked(); len(asked) > 1 { // by the build
		t.Errorf("asked for %q", asked)
	}
}
