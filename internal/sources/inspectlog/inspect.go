// Package inspectlog reads logs of Inspect, by which a team evaluates models: its own runs.
//
//	{"status": "success",
//	 "eval": {"task": "acme/atlas_exam", "model": "openai/gpt-5", "model_generate_config": {"temperature": 0}, ...},
//	 "results": {"total_samples": 80, "completed_samples": 78,
//	  "scores": [{"name": "exact", "metrics": {"accuracy": {"value": 0.7}}}]},
//	 "stats": {"completed_at": "2026-03-25T00:12:29+00:00", "model_usage": {...}},
//	 "samples": [{"id": "q1", "epoch": 1, "scores": {"exact": {"value": "C"}}}]}
//
// A row is a log, known by its model. One evaluation has the metrics of the log, and one is made
// of each sample and epoch, whose task is the id of the sample. [Reduce] takes of a file what is
// used of it, before anything is kept: ids, numbers and settings, never a prompt or an answer.
//
// What the provider of the model is, is told by the beginning of its name, and which model it is
// by the rules of names, unless a mapping says otherwise.
package inspectlog

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = sources.TeamInspect

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[log, sources.ScoreEntry]{
		Source:   Source,
		Entry:    sources.RunEntries(),
		ReadRows: readRows,
		Label: func(in *sources.Row[log]) sources.Label {
			return sources.Label{Row: in.ID, Label: in.Data.model, Runtime: in.Data.provider, Notes: []string{in.Data.task}}
		},
		Reduce:  Reduce,
		Observe: observe,
		PublishedAt: func(body string) string {
			v, err := ijson.ReadValue(body, problem.InvalidSourceSnapshot)
			at, ok := endOf(v)
			if err != nil || !ok {
				return ""
			}
			return at
		},
	})
}

// IsLog reports whether a file is called like a log. Inspect writes other files beside logs, which
// list them.
func IsLog(name string) bool {
	base := path.Base(name)
	return path.Ext(base) == ".eval" ||
		path.Ext(base) == ".json" && !slices.Contains([]string{"eval-set.json", "listing.json", "logs.json"}, base)
}

// run tells a run from others: by its id, where the log has one, and by what came of it, which may
// be scored again. A run may be there in both formats.
func (x *log) run() string {
	eval := find(x.Value, "eval")
	return strings.Join([]string{word(eval, "eval_id"), word(eval, "created"), word(eval, "model"), x.task,
		string(find(x.Value, "results").AppendCanonical(nil))}, "\n")
}

// endOf returns when a log says that the run ended, else when it began.
func endOf(v ijson.Value) (at string, ok bool) {
	ended, ok := timestamp.Parse(cmp.Or(word(v, "stats", "completed_at"), word(v, "eval", "created")))
	if !ok {
		return "", false
	}
	return timestamp.Format(ended.Time())
}

// log is a log as it was reduced.
type log struct {
	ijson.Value
	provider, model string
	task            string
	observedAt      string
	snapshot        *sources.Snapshot
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

// word returns a text, "" if there is none.
func word(v ijson.Value, names ...string) string {
	if text := find(v, names...); text.Kind == '"' && ijson.IsText(text.Text) {
		return text.Text
	}
	return ""
}

func readRows(snapshots []*sources.Snapshot, _ *sources.Notes) (rows []sources.Row[log], err error) {
	seen := map[string]bool{} // runs
	for _, s := range snapshots {
		r := s.Reader()
		in := log{Value: r.Value(), snapshot: s}
		name := word(in.Value, "eval", "model")
		in.task = word(in.Value, "eval", "task")
		for _, need := range []struct{ path, value string }{{"eval.model", name}, {"eval.task", in.task}} {
			if need.value == "" && !r.Faulty() {
				r.Fail(0, "."+need.path, "%s", errNoLog(need.path))
			}
		}
		if faults := r.End(); faults != nil {
			return nil, s.Refuse(faults)
		}
		in.provider, in.model = takeApart(name)
		row := sources.Row[log]{ID: name, Where: sources.Where{Snapshot: s}}
		var ok bool
		in.observedAt, ok = endOf(in.Value)
		switch status := word(in.Value, "status"); {
		case status != "success":
			row.Skip, row.Why = sources.RunFailed, "did not end well: its status is "+canonical.Quote(status)
		case find(in.Value, "invalidated").Kind == 't':
			row.Skip, row.Why = sources.RunFailed, "was declared invalid"
		case !ok:
			row.Skip, row.Why = sources.RowUndated, "does not say when it ended"
		case seen[in.run()]:
			row.Skip, row.Why = sources.SameRun, "is of a run that another file has, too"
		default:
			seen[in.run()] = true
		}
		row.Data = in
		rows = append(rows, row)
	}
	return rows, nil
}

// hosts are the clouds by which a client of a maker may ask, by their names in Inspect.
var hosts = map[string]string{"azure": "azure", "bedrock": "amazon-bedrock", "vertex": "google-vertex"}

// takeApart reads the name of a model, which begins with its provider:
//
//	openai/gpt-5              openai, gpt-5
//	openai/azure/gpt-4o-mini  azure, gpt-4o-mini
//	openrouter/z-ai/glm-5     openrouter, z-ai/glm-5
func takeApart(name string) (provider, model string) {
	provider, model, isWhole := strings.Cut(name, "/")
	if !isWhole {
		return "unknown", name
	}
	if host, rest, ok := strings.Cut(model, "/"); ok && hosts[host] != "" {
		return hosts[host], rest
	}
	return provider, model
}

// observe makes an evaluation of the metrics of a log, and one of each sample.
func observe(b *sources.Batch, in *sources.Row[log], e *sources.ScoreEntry) {
	x := &in.Data
	run := cmp.Or(word(x.Value, "eval", "eval_id"), x.observedAt)
	if e.Runtime.ID == "" {
		e.Runtime = record.Component{ID: x.provider}
	}
	c := x.condition()
	b.MergeCondition(c, e.Condition)
	if list := x.metrics(b); len(list) > 0 {
		rec := x.record(e, c.String(), list, "")
		rec.Usage = x.usage()
		b.Observe(&rec, record.FirstParty, x.cell(run, find(x.Value, "results")), "")
	}
	for i, sample := range find(x.Value, "samples").Items {
		id := find(sample, "id").Text
		epoch := cmp.Or(find(sample, "epoch").Text, "1")
		list := x.scores(sample)
		if !ijson.IsText(id) || len(list) == 0 {
			b.Note(sources.MissingValue, ".samples["+strconv.Itoa(i)+"]", -1, "has no score that is a number")
			continue
		}
		rec := x.record(e, c.String(), list, id)
		b.Observe(&rec, record.FirstParty, x.cell(run+"/"+id+"/"+epoch, find(sample, "scores")), "")
	}
}

func (x *log) cell(id string, read ijson.Value) sources.Cell {
	return sources.Cell{
		ID: id, Kind: "inspect-log", URI: x.snapshot.Envelope().URL,
		JSON: sources.Object("eval", string(find(x.Value, "eval").AppendCanonical(nil)), "read",
			string(read.AppendCanonical(nil))),
	}
}

func (x *log) record(e *sources.ScoreEntry, condition string, list []record.Measurement,
	sample string) record.Observation {
	version := find(x.Value, "eval", "task_version")
	return record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime:     e.Runtime,
			Adapter:     record.Component{ID: "inspect", Version: record.Text(word(x.Value, "eval", "packages", "inspect_ai"))},
			ToolSurface: []string{},
			Workflow: record.Workflow{ID: "inspect." + x.task, Version: record.Text(version.Text),
				Condition: record.Text(condition)},
		}},
		Task: record.Task{
			Family: "general", Suite: record.Text(x.task), TaskID: record.Text(sample),
			Evaluator: record.Component{ID: "inspect", Version: record.Text(word(x.Value, "eval", "packages", "inspect_ai"))},
		},
		Measurements: list,
		Outcome:      record.Outcome{Status: record.OutcomeAccepted},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(x.observedAt)},
		Uncertainty:  x.uncertainty(),
	}
}

// condition is the settings of a run: what the model was asked with, the solver and the limits of
// a sample, and a part of the samples.
func (x *log) condition() sources.Condition {
	c := sources.Condition{}
	set := func(prefix string, v ijson.Value, only ...string) {
		for _, m := range v.Members {
			if len(only) > 0 && !slices.Contains(only, m.Name) {
				continue
			}
			switch m.Value.Kind {
			case '0', '"':
				c.Set(prefix+m.Name, strings.ReplaceAll(m.Value.Text, ",", ";"))
			case 't', 'f':
				c.Set(prefix+m.Name, strconv.FormatBool(m.Value.Kind == 't'))
			}
		}
	}
	set("gen.", find(x.Value, "eval", "model_generate_config"))
	set("arg.", find(x.Value, "eval", "model_args"))
	set("", find(x.Value, "eval", "config"), "message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")
	if effort := c["gen.reasoning_effort"]; effort != "" {
		delete(c, "gen.reasoning_effort")
		c.Set("effort", effort)
	}
	c.Set("solver", strings.ReplaceAll(word(x.Value, "eval", "solver"), ",", ";"))
	if ran, all := x.size(); ran < all {
		c.Set("limit", strconv.FormatFloat(ran, 'f', -1, 64))
	}
	return c
}

// size returns how many samples ran, and how many the data set has.
func (x *log) size() (ran, all float64) {
	number := func(names ...string) float64 {
		v := find(x.Value, names...)
		return record.Scalar{Kind: v.Kind, Text: v.Text}.Float()
	}
	return number("results", "total_samples") / max(1, number("eval", "config", "epochs")),
		number("eval", "dataset", "samples")
}

// metrics takes the metrics of each scorer. A standard error is that of the mean.
func (x *log) metrics(b *sources.Batch) (list []record.Measurement) {
	key := "inspect." + x.task
	add := func(name, unit string, v ijson.Value) {
		if v.Kind == '0' {
			list = append(list, record.Measurement{Key: key + name, Kind: record.Sample,
				Value: record.Scalar{Kind: '0', Text: v.Text}, Unit: unit})
		}
	}
	for _, score := range find(x.Value, "results", "scores").Items {
		scorer := "." + cmp.Or(word(score, "name"), word(score, "scorer"))
		if reducer := word(score, "reducer"); reducer != "" && reducer != "mean" {
			scorer += "." + reducer
		}
		metrics := find(score, "metrics")
		mean := ".mean"
		if find(metrics, "accuracy").Kind == '{' {
			mean = ".accuracy"
		}
		for _, m := range metrics.Members {
			v, name := find(m.Value, "value"), "."+m.Name
			if v.Kind != '0' {
				b.Note(sources.MissingValue, ".results.scores."+scorer[1:]+name, -1, "is not a number")
				continue
			}
			if m.Name == "stderr" || m.Name == "bootstrap_stderr" {
				name = mean + ".stderr"
			}
			add(scorer+name, "", v)
		}
		add(scorer+".samples", "samples", find(score, "scored_samples"))
	}
	if len(list) == 0 {
		return nil
	}
	add(".total_samples", "samples", find(x.Value, "results", "total_samples"))
	add(".completed_samples", "samples", find(x.Value, "results", "completed_samples"))
	for _, m := range find(x.Value, "stats", "model_usage").Members {
		if m.Name == word(x.Value, "eval", "model") {
			add(".cost", "USD", find(m.Value, "total_cost"))
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(m record.Measurement) bool {
		repeated := seen[m.Key]
		seen[m.Key] = true
		return repeated
	})
}

// scores takes the scores of a sample, by scorer; one of several numbers has a key for each.
func (x *log) scores(sample ijson.Value) (list []record.Measurement) {
	values := map[string]string{}
	for _, m := range find(sample, "scores").Members {
		switch m.Value.Kind {
		case '0':
			values[m.Name] = m.Value.Text
		case '{':
			for _, part := range m.Value.Members {
				values[m.Name+"."+part.Name] = part.Value.Text
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, record.Measurement{
			Key: "inspect." + x.task + "." + name, Kind: record.Sample, Value: record.Scalar{Kind: '0', Text: values[name]},
		})
	}
	return list
}

// usage adds up the tokens of all models of the run.
func (x *log) usage() (u record.Usage) {
	models := find(x.Value, "stats", "model_usage").Members
	sum := func(name string) record.Count {
		total := record.Count{}
		for _, m := range models {
			v := find(m.Value, name)
			n := sources.Count(record.Scalar{Kind: v.Kind, Text: v.Text}.Float())
			if v.Kind == '0' && n.Known {
				total.N, total.Known = total.N+n.N, true
			}
		}
		return total
	}
	if len(models) == 0 {
		return u
	}
	return record.Usage{
		InputTokens: sum("input_tokens"), OutputTokens: sum("output_tokens"), ReasoningTokens: sum("reasoning_tokens"),
		TotalTokens: sum("total_tokens"), Completeness: record.UsagePartial,
	}
}

func (x *log) uncertainty() record.Uncertainty {
	u := sources.Uncertainty{Level: record.LevelModerate}
	u.Basisf("a run of Inspect of our own")
	u.Basisf("the log calls the model %s", canonical.Quote(word(x.Value, "eval", "model")))
	errors, limited := 0, 0
	for _, sample := range find(x.Value, "samples").Items {
		if find(sample, "error").Kind == 't' {
			errors++
		}
		if find(sample, "limit").Kind == '"' {
			limited++
		}
	}
	if errors > 0 {
		u.Gapf("%d of the samples in the log ended with an error", errors)
	}
	if limited > 0 {
		u.Gapf("%d of the samples in the log ended by a limit", limited)
	}
	if ran, all := x.size(); ran < all {
		u.Level = record.LevelHigh
		u.Gapf("limited: %v of %v samples were run", ran, all)
	}
	if find(x.Value, "eval", "revision", "dirty").Kind == 't' {
		u.Gapf("the task had local changes that no commit holds")
	}
	if find(x.Value, "eval", "task_version").Kind == 'n' {
		u.Gapf("the version of the task is not stated")
	}
	u.Gapf("the scale of the metrics is not stated")
	return record.Uncertainty(u)
}
