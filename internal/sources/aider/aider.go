// Package aider reads the Aider polyglot leaderboard: a YAML list of flat maps,
// one for each run of the benchmark, like
//
//	dirname: 2025-02-25-20-23-07--atlas
//	model: atlas-70b (high)
//	edit_format: diff
//	commit_hash: 2fccd47
//	pass_rate_2: 35.6
//	date: 2025-02-25
//	versions: 0.75.2.dev
//	total_cost: 1.5000
//
// A row is known by its dirname, which alone is stable: names of models repeat
// and are edited. All scalars are taken as they are written, so that a commit
// like 1e7 stays a commit. A row becomes one evaluation: its rates, counts,
// seconds and cost as samples, its tokens as usage. Published rates are taken over
// as printed; one that its own counts do not give is reported and taken all the
// same. A cost that is missing or 0 is not known, and left out.
//
// The file does not tell the effective context, the hardware, the version of the
// benchmark, or in most rows the reasoning effort.
package aider

import (
	"fmt"
	"math"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
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
		Source:   Source,
		Entry:    sources.EntryFormat[entry]{Shape: entryShape, Blank: `{"model":null,"runtime":null,"validUntil":null}`},
		ReadRows: readRows,
		Label: func(r *sources.Row[row]) sources.Label {
			label := sources.Label{Row: r.ID, Label: r.Data.value("model"),
				Notes: []string{r.Data.value("command"), r.Data.value("edit_format")}}
			for field, setting := range map[string]string{"reasoning_effort": "effort", "thinking_tokens": "thinking"} {
				if r.Data.value(field) != "" {
					label.Stated = append(label.Stated, setting)
				}
			}
			return label
		},
		OneRowPerScope: true,
		Observe:        observe,
	})
}

// entry is what the mapping says of a row.
type entry struct {
	sources.Claim
	runtime   record.Component
	condition string // "" is null
}

var entryShape = ijson.NewShape(
	ijson.Required("model", func(r *ijson.Reader, e *entry) { e.Model = catalog.ReadModel(r) }),
	ijson.Required("runtime", func(r *ijson.Reader, e *entry) { e.runtime = catalog.ReadComponent(r) }),
	ijson.Required("validUntil", func(r *ijson.Reader, e *entry) { e.ValidUntil = r.Timestamp() }),
	ijson.Optional("workflowCondition", func(r *ijson.Reader, e *entry) { e.condition = r.TextOrNull() }),
)

// evaluation is the evaluation that is made of a row.
type evaluation struct {
	*sources.Batch
	*row
	rec record.Observation
}

// observe makes the one evaluation of a row.
func observe(b *sources.Batch, in *sources.Row[row], e *entry) {
	v := evaluation{Batch: b, row: &in.Data}
	tool := record.Component{ID: "aider", Version: record.Text(v.text("versions"))}
	workflow := record.Workflow{ID: suite, Version: record.Text(v.text("commit_hash"))}
	workflow.Condition = record.Text(v.condition(e))
	v.rec = record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime:     e.runtime,
			Adapter:     tool,
			ToolSurface: []string{},
			Workflow:    workflow,
		}},
		Task:      record.Task{Family: "software-engineering", Suite: suite, Evaluator: tool},
		Outcome:   record.Outcome{Status: record.OutcomeAccepted},
		Freshness: record.Freshness{ObservedAt: record.Timestamp(sources.Midnight(v.value("date")))},
	}
	v.samples()
	v.usage()
	v.uncertainty()
	if len(v.rec.Measurements) == 0 {
		return
	}
	b.Observe(&v.rec, record.External, sources.Cell{
		Kind: "leaderboard-row",
		URI:  in.Where.Snapshot.URI(),
		JSON: v.row.json(),
	}, "")
}

// condition is what tells the run from others of the model: the format of edits, and
// whatever else the row or its entry states.
func (v *evaluation) condition(e *entry) string {
	c := sources.Condition{}
	c.Set("edit_format", v.text("edit_format"))
	if editor := v.text("editor_model"); editor != "" {
		if format := v.text("editor_edit_format"); format != "" {
			editor += "/" + format
		}
		c.Set("editor", editor)
	}
	c.Set("effort", v.text("reasoning_effort"))
	c.Set("thinking", v.text("thinking_tokens"))
	v.MergeCondition(c, e.condition)
	return c.String()
}

// text returns a field as text that a record may hold, "" for null.
func (v *evaluation) text(name string) string {
	s := v.value(name)
	if s != "" && !ijson.IsText(s) {
		v.note(sources.InvalidValue, name, "has white space at its ends: left out")
		return ""
	}
	return s
}

// note reports something of a field.
func (v *evaluation) note(reason sources.Reason, name, message string) {
	offset := -1
	if f := v.field(name); f != nil {
		offset = f.offset
	}
	v.Note(reason, "."+name, offset, message)
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

func (v *evaluation) samples() {
	for _, s := range samples {
		if value, ok := v.number(s); ok {
			v.add(s.key, s.unit, value)
		}
	}
	v.cost()
	v.checkRate("pass_rate_1", "pass_num_1")
	v.checkRate("pass_rate_2", "pass_num_2")
}

func (v *evaluation) cost() {
	const cost = "total_cost"
	if !v.has(cost) {
		v.note(sources.UnknownCost, cost, "the cost is not stated")
		return
	}
	switch value, ok := v.number(sample{field: cost, most: math.MaxFloat64}); {
	case ok && value == 0:
		v.note(sources.UnknownCost, cost, "a cost of 0 means that it is not known")
	case ok:
		v.add(cost, "USD", value)
	}
}

func (v *evaluation) add(key, unit string, value float64) {
	v.rec.Measurements = append(v.rec.Measurements, record.Measurement{
		Key: suite + "." + key, Kind: record.Sample, Value: record.Number(value), Unit: unit,
	})
}

// number reads a field as a number. One that is missing or something else is
// reported.
func (v *evaluation) number(s sample) (value float64, ok bool) {
	f := v.field(s.field)
	switch {
	case f == nil:
		v.note(sources.MissingValue, s.field, "is not stated")
		return 0, false
	case f.isNull():
		v.note(sources.MissingValue, s.field, "is null")
		return 0, false
	}
	value, ok = sources.Decimal(f.value)
	if !ok || f.quoted || value < 0 || value > s.most || s.whole && !sources.Count(value).Known {
		v.note(sources.InvalidValue, s.field, "is "+f.literal()+", which is not such a number: left out")
		return 0, false
	}
	return value, true
}

// checkRate compares a published rate with what its counts give, over the cases
// that were run and over all tests. Either rule was used; the rate stays as it
// was published.
func (v *evaluation) checkRate(rate, passed string) {
	published, isRate := sources.Decimal(v.value(rate))
	n, isCount := sources.Decimal(v.value(passed))
	if !isRate || !isCount {
		return
	}
	const rounding = 0.05 + 1e-9
	for _, total := range []string{"test_cases", "total_tests"} {
		if all, ok := sources.Decimal(v.value(total)); ok && all > 0 && math.Abs(100*n/all-published) <= rounding {
			return
		}
	}
	v.note(sources.RateDiffers, rate, fmt.Sprintf("is printed as %s, which %s = %s does not give", v.value(rate), passed,
		v.value(passed)))
}

// usage takes the counts of tokens, where the row has them.
func (v *evaluation) usage() {
	const in, out = "prompt_tokens", "completion_tokens"
	if v.field(in) == nil && v.field(out) == nil {
		return
	}
	v.rec.Usage = record.Usage{InputTokens: v.tokens(in), OutputTokens: v.tokens(out), Completeness: record.UsagePartial}
}

func (v *evaluation) tokens(name string) record.Count {
	if !v.has(name) {
		return record.Count{}
	}
	value, ok := v.number(sample{field: name, most: ijson.MaxCount, whole: true})
	if !ok {
		return record.Count{}
	}
	return sources.Count(value)
}

// uncertainty says what the row tells of its run, and what it does not.
func (v *evaluation) uncertainty() {
	u := sources.Uncertainty{Level: record.LevelModerate}
	u.Basisf("a run of the Aider polyglot benchmark that its maintainers published")
	if model := v.value("model"); model != "" {
		u.Basisf("the row calls the model %s", canonical.Quote(model))
	}
	for _, name := range []string{"reasoning_effort", "thinking_tokens"} {
		if value := v.value(name); value != "" {
			u.Basisf("the row states %s %s", name, value)
		}
	}
	u.Gapf("the effective context and the hardware are not disclosed")
	u.Gapf("the version of the benchmark is not disclosed beyond the commit of the tool")
	if v.value("reasoning_effort") == "" {
		u.Gapf("reasoning effort is not stated by a field of the row: it may have been set")
	}
	if editor := v.value("editor_model"); editor != "" {
		u.Gapf("two models took part: %s edited", canonical.Quote(editor))
	}
	commit := v.value("commit_hash")
	if commit == "" {
		u.Gapf("the commit of the tool is not stated")
	}
	if strings.Contains(commit, "-dirty") {
		u.Gapf("the tool had local changes that no commit holds")
	}
	if strings.Contains(commit, ",") {
		u.Gapf("the run spans more than one commit of the tool")
	}
	if ran, all := v.value("test_cases"), v.value("total_tests"); ran != all {
		u.Gapf("%s cases were run of %s tests", ran, all)
	}
	if cost, known := sources.Decimal(v.value("total_cost")); !known || cost == 0 {
		u.Gapf("the cost of the run is not known")
	}
	v.rec.Uncertainty = record.Uncertainty(u)
}
