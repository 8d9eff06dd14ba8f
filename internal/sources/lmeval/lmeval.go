// Package lmeval reads result files of EleutherAI's lm-evaluation-harness, which
// a team wrote by its own runs: one file for each run of a model.
//
// A run is known by the model that it names: model_name or, where that is empty
// or missing, what the harness was told to load. One evaluation is made of each
// task. A group stands for itself, under its own name as suite, so that nothing
// counts twice. Which metric is the headline is not told, so all are taken; their
// scale is not told either.
//
// Three shapes of these files are read: that of v0.3 (2023), that between v0.3
// and v0.4, and that of v0.4 until today. Files of other shapes lie under the
// same names and are refused.
package lmeval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
)

// Source is the id of the source.
const Source = sources.TeamSource

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[run, entry]{
		Source:  Source,
		Adapter: Source,
		Version: "1",
		Blank: `{"model":null,"runtime":null,"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,` +
			`"families":{},"defaultFamily":null,"validUntil":null}`,
		ReadEntry: readEntry,
		ReadRows:  readRows,
		Observe:   observe,
	})
}

// entry is what the mapping says of a run beyond the model: how it was run, and
// of what family its tasks are.
type entry struct {
	profile       catalog.Profile
	families      map[string]string
	defaultFamily string
}

var entryFields = ijson.NewFields("model", "runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware",
	"families", "defaultFamily", "validUntil")

func readEntry(r *ijson.Reader, claim *sources.Claim) (e entry) {
	for o := r.Object(entryFields); o.Next(); {
		switch o.Field() {
		case 0:
			claim.Model = catalog.ReadModel(r)
		case 1:
			e.profile.Runtime = catalog.ReadComponent(r)
		case 2:
			e.profile.Adapter = catalog.ReadComponentOrNull(r)
		case 3:
			e.profile.EffectiveContextTokens.N, e.profile.EffectiveContextTokens.Known = r.CountOrNull()
		case 4:
			e.profile.ToolSurface = catalog.ReadTexts(r)
		case 5:
			e.profile.Hardware = catalog.ReadHardware(r)
		case 6:
			e.families = map[string]string{}
			for n := r.Names(); n.Next(); {
				e.families[n.Name()] = r.Text()
			}
		case 7:
			e.defaultFamily = r.Text()
		case 8:
			claim.ReadUntil(r)
		}
	}
	return e
}

func (e *entry) family(task string) string {
	if family, ok := e.families[task]; ok {
		return family
	}
	return e.defaultFamily
}

// observe makes an evaluation of each task of a run.
func observe(b *sources.Batch, in *sources.Row[run], e *entry) {
	for i := range in.Data.tasks {
		t := &in.Data.tasks[i]
		o := observer{b: b, run: &in.Data, task: t}
		measurements := o.measurements()
		if len(measurements) == 0 {
			b.Note(sources.MissingValue, ".results."+t.name, t.offset, "no value of the task can be taken")
			continue
		}
		if samples := o.run.samples[t.name]; samples.known {
			measurements = append(measurements, catalog.Measurement{
				Key: "lm-eval." + t.name + ".samples", Kind: catalog.Sample, Value: sources.Number(float64(samples.effective)), Unit: "samples",
			})
		}
		rec := catalog.Record{
			Kind:         catalog.KindEvaluation,
			Execution:    catalog.Scope{Kind: catalog.ScopeExact, Profile: e.profile},
			Task:         catalog.Task{Family: e.family(t.name), Suite: t.name, TaskID: t.name, Evaluator: o.run.harness()},
			Measurements: measurements,
			Outcome:      catalog.Outcome{Status: catalog.OutcomeAccepted},
			Freshness:    catalog.Freshness{ObservedAt: o.run.observedAt},
			Uncertainty:  o.uncertainty(),
		}
		rec.Execution.Workflow = o.workflow()
		b.Observe(&rec, catalog.FirstParty, sources.Cell{
			ID:      t.name,
			Kind:    "harness-result",
			URI:     o.run.url,
			JSON:    o.json(),
			NoRowID: true, // it may be a path on somebody's machine
		}, "")
	}
}

// observer makes the evaluation of one task.
type observer struct {
	b    *sources.Batch
	run  *run
	task *task
}

// measurements takes the metrics that are finite numbers, and reports the rest.
func (o *observer) measurements() (list []catalog.Measurement) {
	for i := range o.task.metrics {
		m := &o.task.metrics[i]
		if reason, message := m.refusal(); reason != "" {
			o.b.Note(reason, ".results."+o.task.name+"."+m.key, m.offset, message)
			continue
		}
		list = append(list, catalog.Measurement{
			Key: "lm-eval." + o.task.name + "." + m.name(), Kind: catalog.Sample, Value: catalog.Scalar{Kind: '0', Text: m.value.Text},
		})
	}
	return list
}

// workflow is the version of the task and the number of examples that the model
// was shown: without both, scores of one task cannot be held against each other.
func (o *observer) workflow() catalog.Workflow {
	w := catalog.Workflow{ID: Source, Version: trimmed(o.run.versions[o.task.name])}
	if shots := o.shots(); shots != "" {
		w.Condition = "num_fewshot=" + shots
	}
	return w
}

func (o *observer) shots() string {
	if shots, ok := o.run.shots[o.task.name]; ok {
		return shots
	}
	return o.run.config.shots
}

func (o *observer) uncertainty() catalog.Uncertainty {
	u := catalog.Uncertainty{Level: catalog.LevelModerate, Basis: []string{"a run of lm-evaluation-harness of our own"}, Gaps: []string{
		"the scale of the metrics is not stated",
		"whether the harness had local changes is not stated",
	}}
	say := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
	r := o.run
	if r.version != "" {
		say(&u.Basis, "lm_eval_version %s", r.version)
	}
	if lower := r.lowerIsBetter[o.task.name]; len(lower) > 0 {
		slices.Sort(lower)
		say(&u.Basis, "lower is better: %s", strings.Join(lower, ", "))
	}
	if o.task.isGroup {
		say(&u.Gaps, "an aggregate of the tasks of a group, which have evaluations of their own")
	}
	if limited := o.limited(); limited != "" {
		u.Level = catalog.LevelHigh
		say(&u.Gaps, "%s", limited)
	}
	if r.commit == "" {
		say(&u.Gaps, "the commit of the harness is not stated")
	}
	if !r.isDated {
		say(&u.Gaps, "the date of the run is not stated: that at which the file was pinned stands for it")
	}
	if !r.config.hasWeights {
		say(&u.Gaps, "no hash names the weights")
	}
	for i := range o.task.metrics {
		if m := &o.task.metrics[i]; m.value.Kind == '0' && m.value.Text == "0" && !m.isError() {
			say(&u.Gaps, "a score of 0 may be an artefact of how answers were read")
			break
		}
	}
	return u
}

// limited says that the run looked at a part of the samples, "" if it did not.
func (o *observer) limited() string {
	samples := o.run.samples[o.task.name]
	switch limit := o.run.config.limit; {
	case samples.known && samples.effective != samples.original:
		return fmt.Sprintf("limited: %d of %d samples were looked at", samples.effective, samples.original)
	case samples.known || limit == "":
		return ""
	default:
		return "limited: --limit " + limit + "; how many samples there are is not stated"
	}
}

// json is all that was read of a task, as canonical JSON.
func (o *observer) json() []byte {
	r, name := o.run, o.task.name
	results := ijson.Value{Kind: '{'}
	for i := range o.task.metrics {
		m := &o.task.metrics[i]
		results.Members = append(results.Members, ijson.Member{Name: m.key, Value: m.value})
	}
	e := canonical.Encoder{}
	e.Raw(`{"date":`)
	e.TextOrNull(r.date)
	e.Raw(`,"gitHash":`)
	e.TextOrNull(r.commit)
	e.Raw(`,"limit":`)
	e.TextOrNull(r.config.limit)
	e.Raw(`,"numFewshot":`)
	e.TextOrNull(o.shots())
	e.Raw(`,"results":`)
	e.Buf = results.AppendCanonical(e.Buf)
	e.Raw(`,"samples":`)
	if samples := r.samples[name]; samples.known {
		e.Raw(`{"effective":`)
		e.Uint(samples.effective)
		e.Raw(`,"original":`)
		e.Uint(samples.original)
		e.Raw(`}`)
	} else {
		e.Raw(`null`)
	}
	e.Raw(`,"task":`)
	e.Text(name)
	e.Raw(`,"taskHash":`)
	e.TextOrNull(r.hashes[name])
	e.Raw(`,"version":`)
	e.TextOrNull(r.versions[name])
	e.Raw(`}`)
	return e.Buf
}

// trimmed returns a text that a record may hold, "" for another.
func trimmed(s string) string {
	if ijson.Trimmed(s) {
		return s
	}
	return ""
}
