// Package aider reads the Aider polyglot leaderboard: a YAML list of flat maps,
// one for each run of the benchmark.
//
// A row is known by its dirname, which alone is stable: names of models repeat
// and are edited. All scalars are taken as the text that stands there, so that a
// commit like 1e7 stays a commit. Published rates are taken over as printed; a
// rate that its own counts do not give is reported and taken all the same.
package aider

import (
	"fmt"
	"math"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
)

// Source is the id of the source.
const Source = "aider-polyglot"

// artifact is the one that is read.
const artifact = "leaderboard"

// suite names the benchmark, as workflow, suite and evaluator.
const suite = "aider.polyglot"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[row, entry]{
		Source:    Source,
		Adapter:   Source,
		Version:   "1",
		Blank:     `{"model":null,"runtime":null,"validUntil":null}`,
		ReadEntry: readEntry,
		ReadRows:  readRows,
		Observe:   observe,
	})
}

// entry is what the mapping says of a row beyond the model.
type entry struct{ runtime catalog.Component }

var entryFields = ijson.NewFields("model", "runtime", "validUntil")

func readEntry(r *ijson.Reader, claim *sources.Claim) (e entry) {
	for o := r.Object(entryFields); o.Next(); {
		switch o.Field() {
		case 0:
			claim.Model = catalog.ReadModel(r)
		case 1:
			e.runtime = catalog.ReadComponent(r)
		case 2:
			claim.ReadUntil(r)
		}
	}
	return e
}

// reading is the reading of one row.
type reading struct {
	b   *sources.Batch
	row *row
	rec catalog.Record
}

// observe makes the one evaluation of a row.
func observe(b *sources.Batch, in *sources.Row[row], e *entry) {
	r := reading{b: b, row: &in.Data}
	r.rec = catalog.Record{
		Kind: catalog.KindEvaluation,
		Execution: catalog.Scope{Kind: catalog.ScopeExact, Profile: catalog.Profile{
			Runtime:     e.runtime,
			Adapter:     catalog.Component{ID: "aider", Version: r.text("versions")},
			ToolSurface: []string{},
			Workflow:    catalog.Workflow{ID: suite, Version: r.text("commit_hash"), Condition: r.condition()},
		}},
		Task: catalog.Task{
			Family:    "software-engineering",
			Suite:     suite,
			Evaluator: catalog.Component{ID: "aider", Version: r.text("versions")},
		},
		Outcome:   catalog.Outcome{Status: catalog.OutcomeAccepted},
		Freshness: catalog.Freshness{ObservedAt: sources.Midnight(r.row.value("date"))},
	}
	r.samples()
	r.usage()
	r.uncertainty()
	if len(r.rec.Measurements) == 0 {
		return
	}
	b.Observe(&r.rec, catalog.External, sources.Cell{
		Kind: "leaderboard-row",
		URI:  b.Manifest().Source(Source).Resolver.Entrypoint.URL,
		JSON: r.row.json(),
	}, "")
}

// text returns a field as a text that a record may hold, "" for null.
func (r *reading) text(name string) string {
	s := r.row.value(name)
	if s != "" && !ijson.Trimmed(s) {
		r.note(sources.InvalidValue, name, "has white space at its ends: left out")
		return ""
	}
	return s
}

func (r *reading) condition() string {
	if format := r.text("edit_format"); format != "" {
		return "edit_format=" + format
	}
	return ""
}

func (r *reading) note(reason sources.Reason, name, message string) {
	offset := -1
	if f := r.row.field(name); f != nil {
		offset = f.offset
	}
	r.b.Note(reason, "."+name, offset, message)
}

// sample says how a field becomes a measurement.
type sample struct {
	field, key, unit string
	most             float64
	whole            bool
}

var samples = []sample{
	{field: "pass_rate_1", key: "pass_rate_1", unit: "percent", most: 100},
	{field: "pass_rate_2", key: "pass_rate_2", unit: "percent", most: 100},
	{field: "percent_cases_well_formed", key: "well_formed", unit: "percent", most: 100},
	{field: "test_cases", key: "test_cases", unit: "cases", most: ijson.MaxCount, whole: true},
	{field: "total_tests", key: "total_tests", unit: "tests", most: ijson.MaxCount, whole: true},
	{field: "seconds_per_case", key: "seconds_per_case", unit: "seconds", most: math.MaxFloat64},
}

func (r *reading) samples() {
	for _, s := range samples {
		if value, ok := r.number(s); ok {
			r.add(s.key, s.unit, value)
		}
	}
	cost := sample{field: "total_cost", most: math.MaxFloat64}
	switch f := r.row.field(cost.field); {
	case f == nil || f.isNull():
		r.note(sources.UnknownCost, cost.field, "the cost is not stated")
	default:
		if value, ok := r.number(cost); ok && value == 0 {
			r.note(sources.UnknownCost, cost.field, "a cost of 0 means that it is not known")
		} else if ok {
			r.add(cost.field, "USD", value)
		}
	}
	for _, n := range []string{"1", "2"} {
		r.checkRate("pass_rate_"+n, "pass_num_"+n)
	}
}

func (r *reading) add(key, unit string, value float64) {
	r.rec.Measurements = append(r.rec.Measurements, catalog.Measurement{
		Key: suite + "." + key, Kind: catalog.Sample, Value: sources.Number(value), Unit: unit,
	})
}

// number reads a field as a number. What is none is reported.
func (r *reading) number(s sample) (value float64, ok bool) {
	f := r.row.field(s.field)
	switch {
	case f == nil:
		r.note(sources.MissingValue, s.field, "is not stated")
		return 0, false
	case f.isNull():
		r.note(sources.MissingValue, s.field, "is null")
		return 0, false
	}
	value, ok = sources.Decimal(f.value)
	if !ok || f.quoted || value < 0 || value > s.most || s.whole && !sources.Count(value).Known {
		r.note(sources.InvalidValue, s.field, "is "+f.literal()+", which is no such number: left out")
		return 0, false
	}
	return value, true
}

// checkRate compares a published rate with what its counts give, over the cases
// that were run and over all tests. Either rule was used; the rate stays as it
// was published.
func (r *reading) checkRate(rate, passed string) {
	published, ok := sources.Decimal(r.row.value(rate))
	n, hasCount := sources.Decimal(r.row.value(passed))
	if !ok || !hasCount {
		return
	}
	const rounding = 0.05 + 1e-9
	for _, of := range []string{"test_cases", "total_tests"} {
		if all, ok := sources.Decimal(r.row.value(of)); ok && all > 0 && math.Abs(100*n/all-published) <= rounding {
			return
		}
	}
	r.note(sources.RateDiffers, rate, fmt.Sprintf("is printed as %s, which %s = %s does not give", r.row.value(rate), passed, r.row.value(passed)))
}

// usage takes the counts of tokens, where the row has them.
func (r *reading) usage() {
	count := func(name string) catalog.Count {
		if f := r.row.field(name); f == nil || f.isNull() {
			return catalog.Count{}
		}
		value, _ := r.number(sample{field: name, most: ijson.MaxCount, whole: true})
		return sources.Count(value)
	}
	in, out := r.row.field("prompt_tokens"), r.row.field("completion_tokens")
	if in == nil && out == nil {
		return
	}
	r.rec.Usage = catalog.Usage{InputTokens: count("prompt_tokens"), OutputTokens: count("completion_tokens"), Completeness: catalog.UsagePartial}
}

// uncertainty says what the row tells of its run, and what it does not.
func (r *reading) uncertainty() {
	u := &r.rec.Uncertainty
	u.Level = catalog.LevelModerate
	say := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
	say(&u.Basis, "a run of the Aider polyglot benchmark that its maintainers published")
	if model := r.row.value("model"); model != "" {
		say(&u.Basis, "the row calls the model %s", canonical.Quote(model))
	}
	for _, name := range []string{"reasoning_effort", "thinking_tokens"} {
		if value := r.row.value(name); value != "" {
			say(&u.Basis, "the row states %s %s", name, value)
		}
	}
	say(&u.Gaps, "the effective context and the hardware are not disclosed")
	say(&u.Gaps, "the version of the benchmark is not disclosed beyond the commit of the tool")
	if r.row.value("reasoning_effort") == "" {
		say(&u.Gaps, "reasoning effort is not stated by a field of the row: it may have been set")
	}
	if editor := r.row.value("editor_model"); editor != "" {
		say(&u.Gaps, "two models took part: %s edited", canonical.Quote(editor))
	}
	commit := r.row.value("commit_hash")
	if commit == "" {
		say(&u.Gaps, "the commit of the tool is not stated")
	}
	if strings.Contains(commit, "-dirty") {
		say(&u.Gaps, "the tool had local changes that no commit holds")
	}
	if strings.Contains(commit, ",") {
		say(&u.Gaps, "the run spans more than one commit of the tool")
	}
	if ran, all := r.row.value("test_cases"), r.row.value("total_tests"); ran != all {
		say(&u.Gaps, "%s cases were run of %s tests", ran, all)
	}
	if _, known := sources.Decimal(r.row.value("total_cost")); !known || isZero(r.row.value("total_cost")) {
		say(&u.Gaps, "the cost of the run is not known")
	}
}

func isZero(literal string) bool {
	value, ok := sources.Decimal(literal)
	return ok && value == 0
}
