// Package everyeval reads records of Every Eval Ever, which collects results of evaluations that
// others published: a tar of collections of records, or records one by one.
//
//	{"schema_version": "0.2.2", "evaluation_id": "exam/acme_atlas/1777613486.9", "retrieved_timestamp": "1777613486.9",
//	 "source_metadata": {"evaluator_relationship": "third_party", ...}, "model_info": {"id": "acme/atlas", ...},
//	 "evaluation_results": [{"evaluation_name": "Exam (overall)", "metric_config": {"lower_is_better": false,
//	   "metric_unit": "proportion", "min_score": 0, "max_score": 1}, "score_details": {"score": 0.52}}]}
//
// A row is a record, known by the id of its model, and each of its results becomes an evaluation.
// Nothing is guessed: the unit is the one that is stated, a score outside its bounds is left out,
// and so is -1 where it stands for unknown. Of results that say the same thing of one model, the
// one that was retrieved last counts. Where svc reads the origin of a collection itself, its
// records give way.
//
// Instances beside a record are checked by their number and digest, and what they give (the mean,
// its standard error, how many there are) is taken in the place of what the record states.
package everyeval

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = sources.EveryEvalEver

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[entry, sources.ScoreEntry]{
		Source:   Source,
		Entry:    sources.ScoreEntries(),
		ReadRows: readRows,
		Label: func(in *sources.Row[entry]) sources.Label {
			return sources.Label{Row: in.ID, Label: in.ID, Notes: []string{in.Data.collection}}
		},
		Observe: observe,
	})
}

// entry is a record with its results that count.
type entry struct {
	ijson.Value
	snapshot   *sources.Snapshot
	file       string
	collection string
	retrieved  string // timestamp
	results    []result
}

// result is a result of a record.
type result struct {
	ijson.Value
	index      int
	key        string
	condition  sources.Condition
	superseded bool // by one that was retrieved later
	instances  *instances
}

// find returns a value by the names on the way to it, null if there is none.
func find(v ijson.Value, names ...string) ijson.Value {
	for _, name := range names {
		next, is := v.Get(name)
		if v.Kind != '{' || !is {
			return ijson.Value{Kind: 'n'}
		}
		v = next
	}
	return v
}

// word returns a text, "" if there is none or it says unknown.
func word(v ijson.Value, names ...string) string {
	text := strings.TrimSpace(find(v, names...).Text)
	if find(v, names...).Kind != '"' || !ijson.IsText(text) || strings.EqualFold(text, "unknown") {
		return ""
	}
	return text
}

// number returns a number; ok is false if there is none.
func number(v ijson.Value, names ...string) (f float64, ok bool) {
	n := find(v, names...)
	return record.Scalar{Kind: n.Kind, Text: n.Text}.Float(), n.Kind == '0'
}

// instant reads a time: seconds since 1970, or a date-time.
func instant(v ijson.Value, names ...string) (at string, ok bool) {
	text := find(v, names...).Text
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e11 {
		return timestamp.Format(time.UnixMilli(int64(seconds * 1000)).UTC())
	}
	parsed, ok := timestamp.Parse(text)
	if !ok {
		return "", false
	}
	return timestamp.Format(parsed.Time())
}

// origins are collections whose origins svc reads itself.
var origins = []string{"aider", "aider-polyglot", "arena", "chatbot-arena", "livebench", "lmarena", "swe-bench",
	"swebench"}

// slug is a name as a part of a key.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '_'
	}), "-")
}

// conditionOf is what tells runs of one model apart: precision, how it was asked, its tools and
// limits.
func conditionOf(model, result ijson.Value) sources.Condition {
	c := sources.Condition{}
	set := func(name string, v ijson.Value) {
		switch {
		case v.Kind == 't' || v.Kind == 'f':
			c.Set(name, strconv.FormatBool(v.Kind == 't'))
		case v.Kind != '"' && v.Kind != '0':
		case len(v.Text) > 40 || strings.ContainsAny(v.Text, ",= \t\r\n"):
			c.Set(name, "sha256:"+canonical.SumText(v.Text)[:12])
		default:
			c.Set(name, v.Text)
		}
	}
	for _, name := range []string{"precision", "quantization"} {
		set(name, find(model, "additional_details", name))
	}
	generation := find(result, "generation_config")
	args := find(generation, "generation_args")
	if args.Kind != '{' { // as before version 0.2
		args = generation
	}
	for _, m := range args.Members {
		if m.Name != "additional_details" {
			set("gen."+m.Name, m.Value)
		}
	}
	for _, m := range find(args, "eval_limits").Members {
		set(m.Name, m.Value)
	}
	var tools []string
	for _, tool := range find(args, "agentic_eval_config", "available_tools").Items {
		tools = append(tools, slug(word(tool, "name")))
	}
	slices.Sort(tools)
	c.Set("tools", strings.Join(tools, "+"))
	set("agent", find(args, "agentic_eval_config", "additional_details", "agent_name"))
	for _, m := range find(generation, "additional_details").Members {
		if slices.Contains([]string{"agent", "agent_name", "reasoning_effort"}, m.Name) {
			set(m.Name, m.Value)
		}
	}
	return c
}

func observe(b *sources.Batch, in *sources.Row[entry], e *sources.ScoreEntry) {
	for i := range in.Data.results {
		if x := &in.Data.results[i]; !x.superseded {
			in.Data.observe(b, x, e)
		} else {
			b.Note(sources.Superseded, x.path(), -1, "is repeated by a record that was retrieved later: left out")
		}
	}
}

func (x *result) path() string { return ".evaluation_results[" + strconv.Itoa(x.index) + "]" }

func (x *entry) observe(b *sources.Batch, r *result, e *sources.ScoreEntry) {
	list := x.measurements(b, r)
	if list == nil {
		return
	}
	observedAt, isDated := instant(r.Value, "evaluation_timestamp")
	if !isDated {
		observedAt, isDated = instant(x.Value, "evaluation_timestamp")
	}
	if !isDated || observedAt > x.retrieved {
		observedAt, isDated = x.retrieved, false
	}
	c := sources.Condition{}
	c.Merge(r.condition.String())
	b.MergeCondition(c, e.Condition)
	name := word(r.Value, "evaluation_name")
	library := record.Component{ID: cmp.Or(word(x.Value, "eval_library", "name"), x.collection),
		Version: record.Text(word(x.Value, "eval_library", "version"))}
	b.Observe(&record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime:     e.Runtime,
			Adapter:     library,
			ToolSurface: []string{},
			Workflow:    record.Workflow{ID: x.collection, Condition: record.Text(c.String())},
		}},
		Task: record.Task{Family: "general", Suite: record.Text(x.collection), TaskID: record.Text(name),
			Evaluator: library},
		Measurements: list,
		Outcome:      record.Outcome{Status: record.OutcomeAccepted},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(observedAt)},
		Uncertainty:  x.uncertainty(r, isDated),
	}, record.External, sources.Cell{
		ID:   cmp.Or(word(x.Value, "evaluation_id"), x.file) + "/" + strconv.Itoa(r.index),
		Kind: "every-eval-ever-result",
		URI:  x.snapshot.URI(),
		JSON: sources.Object(
			"model", string(find(x.Value, "model_info").AppendCanonical(nil)), "result", string(r.AppendCanonical(nil)),
			"retrieved", canonical.Quote(x.retrieved),
		),
	}, "")
}

// measurements takes the score of a result, and how sure it is.
func (x *entry) measurements(b *sources.Batch, r *result) []record.Measurement {
	score, isNumber := number(r.Value, "score_details", "score")
	low, hasLow := number(r.Value, "metric_config", "min_score")
	high, hasHigh := number(r.Value, "metric_config", "max_score")
	switch {
	case !isNumber:
		b.Note(sources.MissingValue, r.path()+".score_details.score", -1, "is not a number")
		return nil
	case score == -1 && find(r.Value, "metric_config", "has_unknown_level").Kind == 't':
		b.Note(sources.MissingValue, r.path()+".score_details.score", -1, "is -1, which stands for unknown")
		return nil
	case hasLow && score < low || hasHigh && score > high:
		b.Note(sources.InvalidValue, r.path()+".score_details.score", -1,
			"is "+find(r.Value, "score_details", "score").Text+", outside its stated bounds: left out")
		return nil
	}
	unit := word(r.Value, "metric_config", "metric_unit")
	list := []record.Measurement{{Key: r.key, Kind: record.Sample, Value: record.Number(score), Unit: unit}}
	add := func(end, unit string, value float64) {
		list = append(list, record.Measurement{Key: r.key + end, Kind: record.Sample, Value: record.Number(value),
			Unit: unit})
	}
	if i := r.instances; i != nil {
		if i.mean != score {
			b.Note(sources.RateDiffers, r.path()+".score_details.score", -1,
				"differs from the mean of its instances, which is taken")
			list[0].Value = record.Number(i.mean)
		}
		if i.n > 1 {
			add(".stderr", unit, i.standardError)
		}
		add(".samples", "samples", float64(i.n))
		return list
	}
	stated := find(r.Value, "score_details", "uncertainty")
	standardError, hasError := number(stated, "standard_error", "value")
	from, hasFrom := number(stated, "confidence_interval", "lower")
	to, hasTo := number(stated, "confidence_interval", "upper")
	level, hasLevel := number(stated, "confidence_interval", "confidence_level")
	if hasFrom && hasTo && from <= score && to >= score && from < to {
		add(".low", unit, from)
		add(".high", unit, to)
		if !hasError && hasLevel && level == 0.95 {
			const quantile = 1.959963984540054
			standardError, hasError = (to-from)/(2*quantile), true
		}
	}
	if hasError && standardError > 0 {
		add(".stderr", unit, standardError)
	}
	if n, ok := number(stated, "num_samples"); ok && n > 0 {
		add(".samples", "samples", n)
	}
	return list
}

func (x *entry) uncertainty(r *result, isDated bool) record.Uncertainty {
	u := sources.Uncertainty{Level: record.LevelHigh}
	u.Basisf("a result that Every Eval Ever relays from %s", canonical.Quote(cmp.Or(word(x.Value, "source_metadata",
		"source_name"), x.collection)))
	u.Basisf("the record calls the model %s", canonical.Quote(word(x.Value, "model_info", "id")))
	if find(r.Value, "metric_config", "lower_is_better").Kind == 't' {
		u.Basisf("lower is better")
	}
	switch word(x.Value, "source_metadata", "evaluator_relationship") {
	case "third_party":
		u.Level = record.LevelModerate
	case "first_party":
		u.Gapf("the maker of the model evaluated it")
	default:
		u.Gapf("how the evaluator relates to the maker of the model is not stated")
	}
	if r.instances != nil {
		u.Basisf("computed from %d instances beside the record", r.instances.n)
	} else if find(r.Value, "score_details", "uncertainty").Kind != '{' {
		u.Gapf("neither how sure the score is nor of how many samples it is was published")
	}
	if !isDated {
		u.Gapf("when it was evaluated is not stated: the date is that on which it was retrieved")
	}
	if word(r.Value, "metric_config", "metric_unit") == "" {
		u.Gapf("the unit of the score is not stated")
	}
	if word(x.Value, "model_info", "inference_platform") == "" {
		u.Gapf("who ran the model is not stated")
	}
	return record.Uncertainty(u)
}
