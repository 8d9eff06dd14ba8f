// Package lmeval reads result files of EleutherAI's lm-evaluation-harness, which
// a team wrote by its own runs: one file for each run of a model.
//
//	{
//	  "results": {"gsm8k": {"alias": "gsm8k", "exact_match,strict-match": 0.5, "exact_match_stderr,strict-match": 0.01}},
//	  "versions": {"gsm8k": 3.0}, "n-shot": {"gsm8k": 5}, "n-samples": {"gsm8k": {"original": 1319, "effective": 1319}},
//	  "config": {"model_args": "pretrained=acme/atlas", "limit": null}, "git_hash": "32d1a85", "date": 1748694628.59,
//	  "model_name": "acme/atlas", ...
//	}
//
// A run is known by the model that it names: model_name or, where that is empty
// or missing, what the harness was told to load. One evaluation is made of each
// task, with its metrics and the number of its samples. A group stands for itself,
// under its own name as suite, so that nothing counts twice. Which metric is the
// headline is not told, so all are taken; their scale is not told either. NaN and
// Infinity, which Python writes bare, are reported and left out.
//
// Three shapes of these files are read: that of v0.3 (2023), that between v0.3
// and v0.4, and that of v0.4 until today. Files of other shapes have the same
// names and are refused. What describes the machine or its user is not taken.
package lmeval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = sources.TeamSource

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[run, entry]{
		Source: Source,
		Entry: sources.EntryFormat[entry]{Shape: entryShape,
			Blank: `{"model":null,"runtime":null,"adapter":null,"effectiveContextTokens":null,"toolSurface":[],` +
				`"hardware":null,` +
				`"families":{},"defaultFamily":null,"validUntil":null}`},
		ReadRows: readRows,
		Label:    label,
		Observe:  observe,
	})
}

// entry is what the mapping says of a run: beyond the model how it was run, and of
// what family its tasks are.
type entry struct {
	sources.Claim
	profile       record.Profile
	families      map[string]string
	defaultFamily string
}

var entryShape = ijson.NewShape(
	ijson.Required("model", func(r *ijson.Reader, e *entry) { e.Model = catalog.ReadModel(r) }),
	ijson.Required("runtime", func(r *ijson.Reader, e *entry) { e.profile.Runtime = catalog.ReadComponent(r) }),
	ijson.Required("adapter", func(r *ijson.Reader, e *entry) { e.profile.Adapter = catalog.ReadComponentOrNull(r) }),
	ijson.Required("effectiveContextTokens", func(r *ijson.Reader, e *entry) {
		e.profile.EffectiveContextTokens.N, e.profile.EffectiveContextTokens.Known = r.CountOrNull()
	}),
	ijson.Required("toolSurface", func(r *ijson.Reader, e *entry) { e.profile.ToolSurface = r.UniqueTexts() }),
	ijson.Required("hardware", func(r *ijson.Reader, e *entry) { e.profile.Hardware = catalog.ReadHardware(r) }),
	ijson.Required("families", func(r *ijson.Reader, e *entry) {
		e.families = map[string]string{}
		for n := r.Names(); n.Next(); {
			e.families[n.Name()] = r.Text()
		}
	}),
	ijson.Required("defaultFamily", func(r *ijson.Reader, e *entry) { e.defaultFamily = r.Text() }),
	ijson.Required("validUntil", func(r *ijson.Reader, e *entry) { e.ValidUntil = r.Timestamp() }),
)

func (e *entry) family(task string) string {
	if family, ok := e.families[task]; ok {
		return family
	}
	return e.defaultFamily
}

// observe makes an evaluation of each task of a run.
func observe(b *sources.Batch, in *sources.Row[run], e *entry) {
	noteRuntime(b, in.Data.loader, e.profile.Runtime.ID)
	for i := range in.Data.tasks {
		v := evaluation{Batch: b, run: &in.Data, task: &in.Data.tasks[i]}
		v.observe(e)
	}
}

// evaluation is the evaluation that is made of a task.
type evaluation struct {
	*sources.Batch
	run  *run
	task *task
}

func (v *evaluation) observe(e *entry) {
	name := v.task.name
	measurements := v.measurements()
	if len(measurements) == 0 {
		v.Note(sources.MissingValue, ".results."+name, v.task.offset, "no value of the task can be taken")
		return
	}
	if samples := v.run.samples[name]; samples.known {
		measurements = append(measurements, record.Measurement{
			Key: "lm-eval." + name + ".samples", Kind: record.Sample, Value: record.Number(float64(samples.effective)),
			Unit: "samples",
		})
	}
	rec := record.Observation{
		Kind:      record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: e.profile},
		Task: record.Task{
			Family:    e.family(name),
			Suite:     record.Text(name),
			TaskID:    record.Text(name),
			Evaluator: record.Component{ID: "lm-evaluation-harness", Version: record.Text(v.run.commit)},
		},
		Measurements: measurements,
		Outcome:      record.Outcome{Status: record.OutcomeAccepted},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(v.run.observedAt)},
		Uncertainty:  v.uncertainty(),
	}
	rec.Execution.Workflow = v.workflow()
	v.Observe(&rec, record.FirstParty, sources.Cell{
		ID:      name,
		Kind:    "harness-result",
		URI:     v.run.url,
		JSON:    v.json(),
		NoRowID: true, // it may be a path on somebody's machine
	}, "")
}

// measurements takes the metrics that are finite numbers, and reports the rest.
func (v *evaluation) measurements() (list []record.Measurement) {
	for i := range v.task.metrics {
		m := &v.task.metrics[i]
		if reason, message := m.refusal(); reason != "" {
			v.Note(reason, ".results."+v.task.name+"."+m.key, m.offset, message)
			continue
		}
		list = append(list, record.Measurement{
			Key: "lm-eval." + v.task.name + "." + m.name, Kind: record.Sample,
			Value: record.Scalar{Kind: '0', Text: m.value.Text},
		})
	}
	return list
}

// workflow is the version of the task, and as its condition the number of examples that the
// model was shown, what the run was told beyond the defaults of the harness, and that it looked
// at a part of the samples: scores of runs that differ in one of these cannot be compared.
func (v *evaluation) workflow() record.Workflow {
	c := sources.Condition{}
	c.Set("num_fewshot", v.shots())
	for name, value := range v.run.settings {
		c.Set(name, value)
	}
	if v.limited() != "" {
		c.Set("limit", cmp.Or(trimmed(v.run.limit), fmt.Sprint(v.run.samples[v.task.name].effective)))
	}
	return record.Workflow{
		ID:        Source,
		Version:   record.Text(trimmed(v.run.versions[v.task.name])),
		Condition: record.Text(c.String()),
	}
}

// noteRuntime reports what loaded the model, if the mapping names another runtime.
func noteRuntime(b *sources.Batch, loader, runtime string) {
	names := map[string]string{"hf": "transformers", "huggingface": "transformers", "hf-auto": "transformers"}
	plain := func(s string) string {
		s = strings.ToLower(s)
		return cmp.Or(names[s], s)
	}
	if loader != "" && plain(loader) != plain(runtime) {
		b.Note(sources.RuntimeDiffers, ".model_source", -1,
			fmt.Sprintf("is %s, but the mapping says that %s ran the model", canonical.Quote(loader), canonical.Quote(runtime)))
	}
}

func (v *evaluation) shots() string {
	if shots, ok := v.run.shots[v.task.name]; ok {
		return shots
	}
	return v.run.allShots
}

// uncertainty says what the file tells of the run, and what it does not.
func (v *evaluation) uncertainty() record.Uncertainty {
	r := v.run
	u := sources.Uncertainty{Level: record.LevelModerate}
	u.Basisf("a run of lm-evaluation-harness of our own")
	if r.version != "" {
		u.Basisf("lm_eval_version %s", r.version)
	}
	if lower := r.lowerIsBetter[v.task.name]; len(lower) > 0 {
		slices.Sort(lower)
		u.Basisf("lower is better: %s", strings.Join(lower, ", "))
	}
	u.Gapf("the scale of the metrics is not stated")
	u.Gapf("whether the harness had local changes is not stated")
	if v.task.isGroup {
		u.Gapf("an aggregate of the tasks of a group, which have evaluations of their own")
	}
	if limited := v.limited(); limited != "" {
		u.Level = record.LevelHigh
		u.Gapf("%s", limited)
	}
	if r.commit == "" {
		u.Gapf("the commit of the harness is not stated")
	}
	if !r.isDated {
		u.Gapf("the date of the run is not stated: that at which the file was pinned stands for it")
	}
	if !r.hasWeights {
		u.Gapf("no hash names the weights")
	}
	if slices.ContainsFunc(v.task.metrics, func(m metric) bool {
		return m.value.Kind == '0' && m.value.Text == "0" &&
			!m.isError
	}) {
		u.Gapf("a score of 0 may be an artefact of how answers were read")
	}
	return record.Uncertainty(u)
}

// limited says that the run looked at a part of the samples, "" if it did not.
func (v *evaluation) limited() string {
	samples := v.run.samples[v.task.name]
	switch limit := v.run.limit; {
	case samples.known && samples.effective != samples.original:
		return fmt.Sprintf("limited: %d of %d samples were looked at", samples.effective, samples.original)
	case samples.known || limit == "":
		return ""
	default:
		return "limited: --limit " + limit + "; how many samples there are is not stated"
	}
}

// json is all that was read of a task, as canonical JSON.
func (v *evaluation) json() []byte {
	r, name := v.run, v.task.name
	results := ijson.Value{Kind: '{'}
	for _, m := range v.task.metrics {
		results.Members = append(results.Members, ijson.Member{Name: m.key, Value: m.value})
	}
	samples := "null"
	if n := r.samples[name]; n.known {
		samples = fmt.Sprintf(`{"effective":%d,"original":%d}`, n.effective, n.original)
	}
	return sources.Object(
		"date", quoteOrNull(r.date),
		"gitHash", quoteOrNull(r.commit),
		"limit", quoteOrNull(r.limit),
		"numFewshot", quoteOrNull(v.shots()),
		"results", string(results.AppendCanonical(nil)),
		"samples", samples,
		"task", canonical.Quote(name),
		"taskHash", quoteOrNull(r.hashes[name]),
		"version", quoteOrNull(r.versions[name]),
	)
}

func quoteOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return canonical.Quote(s)
}
