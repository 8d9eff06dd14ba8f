package agent

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the tools about time: what_changed and expiring.

// readInstant reads a date or a timestamp.
func readInstant(text, path string) (string, error) {
	at, ok := timestamp.Parse(text)
	if !ok {
		at, ok = timestamp.ParseDate(text)
	}
	if !ok {
		return "", &refusal{invalidArgument, path, "must be a date, like 2026-07-01, or a timestamp"}
	}
	return at.Truncate().String(), nil
}

func (a *Agent) whatChanged(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Since, Key, Model string
		Kind              texts
		page
	}
	if err := decodeList(arguments, &in, &in.page); err != nil {
		return nil, err
	}
	opts := compare.Options{Limit: math.MaxInt}
	for _, kind := range in.Kind {
		opts.Only = append(opts.Only, record.DiffKind(kind))
		if kind == string(record.DiffRankings) || !slices.Contains(compare.Kinds(), record.DiffKind(kind)) {
			return nil, &refusal{invalidArgument, "$.kind", "must be one or more of conflicts, facts, models and samples"}
		}
	}
	if in.Kind == nil { // what contradicts itself is told as a fact
		opts.Only = []record.DiffKind{record.DiffModels, record.DiffFacts, record.DiffSamples}
	}
	before, assumption, err := a.before(ctx, in.Since)
	if err != nil {
		return nil, err
	}
	d, err := compare.Catalogs(ctx, before, a.catalog, opts)
	if err != nil {
		return nil, err
	}
	out := a.newAnswer("model", "change", "key", "runs", "from", "to")
	out.Answer = summaryOf(&d.Summary)
	out.Assumptions = append([]string{assumption}, v3.Shortcomings(a.build)...)
	var rows []changeRow
	for i := range d.Models {
		rows = append(rows, changesOf(&d.Models[i])...)
	}
	rows = slices.DeleteFunc(rows, func(r changeRow) bool { return !has(r.key, in.Key) || !has(r.model, in.Model) })
	slices.SortStableFunc(rows, func(x, y changeRow) int { return cmp.Compare(weigh(x.change), weigh(y.change)) })
	list := [][]any{}
	for _, r := range rows {
		list = append(list, []any{r.model, r.change, r.key, r.runs, r.from, r.to})
	}
	return out, out.cut(list, in.page)
}

// before returns the catalog to compare with, and says which: the newest older one of an instant,
// else what this catalog held then.
func (a *Agent) before(ctx context.Context, since string) (c *catalog.Catalog, assumption string, err error) {
	if since == "" && len(a.older) == 0 {
		return nil, "", &refusal{invalidArgument, "$.since", "is missing: give a date, like 2026-07-01"}
	}
	if since != "" {
		if since, err = readInstant(since, "$.since"); err != nil {
			return nil, "", err
		}
	}
	for _, older := range slices.Backward(a.older) {
		if c = older; since == "" || older.AsOf() <= since {
			break
		}
	}
	if c != nil {
		assumption = "Compared with the catalog as of " + c.AsOf() + "."
		if since != "" && c.AsOf() > since {
			assumption = "Compared with the catalog as of " + c.AsOf() + ", since there is none of " + since + "."
		}
		return c, assumption, nil
	}
	if since > a.catalog.AsOf() {
		return nil, "", &refusal{invalidArgument, "$.since", "must not be after the catalog, which is as of " +
			a.catalog.AsOf()}
	}
	var docs []string
	for i := range a.catalog.Models() {
		for _, o := range a.catalog.Models()[i].Observations {
			if string(o.Record().Freshness.ObservedAt) <= since {
				docs = append(docs, o.Input())
			}
		}
	}
	if docs == nil {
		return nil, "", &refusal{invalidArgument, "$.since", "is before everything in the catalog; svc mcp --against OLD " +
			"compares with an older one"}
	}
	c, _, err = catalog.Compile(ctx, docs, catalog.Options{AsOf: since})
	return c, "No older catalog is given, so this compares with what this one knows of " + since +
		": what it no longer has is not told.", err
}

// summaryOf says how much changed, in words.
func summaryOf(s *record.DiffSummary) []string {
	var parts []string
	for _, of := range []struct {
		what   string
		counts map[string]int
	}{{"models", s.Models}, {"facts", s.Facts}, {"samples", s.Samples}, {"conflicts", s.Conflicts}} {
		var words []string
		for word, n := range of.counts {
			if n > 0 {
				words = append(words, quantity.Number(float64(n))+" "+word)
			}
		}
		if slices.Sort(words); words != nil {
			parts = append(parts, of.what+": "+strings.Join(words, ", "))
		}
	}
	if parts == nil {
		return []string{"Nothing changed."}
	}
	return parts
}

// changeRow is a change in a list.
type changeRow struct{ model, change, key, runs, from, to string }

// weigh puts what ended first, then changes, what expired, and what is new.
func weigh(change string) int {
	order := [][]string{{compare.Removed, compare.Silenced}, {compare.Changed, compare.Contradicted, compare.Settled,
		compare.Arisen, compare.Ended}, {compare.Expired}, {compare.Renewed, compare.Revived}}
	n := slices.IndexFunc(order, func(words []string) bool { return slices.Contains(words, change) })
	if n < 0 {
		return len(order)
	}
	return n
}

// changesOf returns what changed of a model. One that came or went is told in one row.
func changesOf(m *record.ModelChange) (rows []changeRow) {
	name := m.Identity.Name()
	if m.Change != compare.Changed {
		rows = append(rows, changeRow{model: name, change: m.Change})
	}
	if m.Change == compare.Added || m.Change == compare.Removed {
		return rows
	}
	for i := range m.Facts {
		f := &m.Facts[i]
		rows = append(rows, changeRow{name, f.Change, f.MeasurementKey, compare.Runs(f.Execution), slotText(f.Old),
			slotText(f.New)})
	}
	for i := range m.Samples {
		s := &m.Samples[i]
		rows = append(rows, changeRow{name, compare.Changed, s.MeasurementKey, compare.Runs(s.Execution),
			compare.SampleText(s.Old), compare.SampleText(s.New)})
	}
	for i := range m.Conflicts {
		c := &m.Conflicts[i]
		rows = append(rows, changeRow{model: name, change: c.Change, key: c.MeasurementKey})
	}
	return rows
}

func slotText(s *record.SlotState) string {
	text, unit := compare.SlotText(s)
	return strings.TrimSpace(text + " " + unit)
}

func (a *Agent) expiring(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Before, Key, Model, Runtime string
		page
	}
	if err := decodeList(arguments, &in, &in.page); err != nil {
		return nil, err
	}
	before, err := readInstant(in.Before, "$.before")
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(a.index.hasKey(in.Key, "$.key"), a.index.runtime(in.Runtime, "$.runtime")); err != nil {
		return nil, err
	}
	e := expiry{after: a.catalog.AsOf(), before: before, key: in.Key, runtime: in.Runtime}
	reader := compare.NewReader()
	for _, m := range a.index.models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if has(m.Identity.ID, in.Model) && m.isAt(in.Runtime) && m.hasKey(in.Key) {
			e.add(m, reader.Glance(m.Observations).At(a.catalog.AsOf()))
		}
	}
	out := a.newAnswer("on", "model", "runs", "what")
	out.Answer = []string{"Until " + day(before) + ", " + quantity.Count(len(e.ends), "offer") + " will end, and what " +
		"is stated of " + quantity.Count(len(e.lapses), "offer") + " expires, unless it is stated again."}
	out.Assumptions = append([]string{"What had ended or expired as of the catalog is not told."},
		v3.Shortcomings(a.build)...)
	return out, out.cut(slices.Concat(sorted(e.ends), sorted(e.lapses)), in.page)
}

// expiry is what ends or expires after one instant, and at or before another.
type expiry struct {
	after, before string
	key, runtime  string  // what is asked for
	ends, lapses  [][]any // offers that end, and that are no longer stated
}

// add adds what is known of a model.
func (e *expiry) add(m *modelRow, view *compare.View) {
	type lapse struct {
		first string
		keys  []string
	}
	lapses := map[string]*lapse{} // by how it runs
	for i := range view.Slots {
		s := &view.Slots[i]
		runs := compare.Runs(view.Executions[s.Execution].Scope)
		if !has(s.MeasurementKey, e.key) || !isOf(view.Executions[s.Execution].Runtime.ID, e.runtime) {
			continue
		}
		until := ""
		for _, f := range s.Facts {
			o := &view.Observations[f.Observation]
			if !view.Holds[f.Observation] {
				continue
			}
			if ends, isDay := timestamp.LastDay(f.Value.Text); isDay && compare.IsEnd(s.MeasurementKey) {
				if on := ends.Format(time.DateOnly); on > day(e.after) && on <= day(e.before) {
					e.ends = append(e.ends, []any{on, m.Identity.Name(), runs, s.MeasurementKey})
				}
			}
			if until == "" || string(o.Freshness.ValidUntil) > until || o.Freshness.ValidUntil == "" {
				until = cmp.Or(string(o.Freshness.ValidUntil), "9999")
			}
		}
		if until == "" || until > e.before {
			continue
		}
		l := lapses[runs]
		if l == nil {
			l = &lapse{first: until}
			lapses[runs] = l
		}
		l.first = min(l.first, until)
		if !slices.Contains(l.keys, s.MeasurementKey) {
			l.keys = append(l.keys, s.MeasurementKey)
		}
	}
	for runs, l := range lapses {
		slices.SortFunc(l.keys, canonical.CompareText)
		e.lapses = append(e.lapses, []any{day(l.first), m.Identity.Name(), runs, listed(l.keys)})
	}
}

// sorted puts rows into the order of their cells.
func sorted(rows [][]any) [][]any {
	slices.SortFunc(rows, func(a, b []any) int {
		for i := range a {
			if c := canonical.CompareText(a[i].(string), b[i].(string)); c != 0 {
				return c
			}
		}
		return 0
	})
	return rows
}
