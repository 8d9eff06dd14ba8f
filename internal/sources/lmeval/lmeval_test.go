package lmeval_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

const (
	urn       = "urn:lm-eval:team/run-1"
	fetchedAt = "2026-11-01T12:00:00.000Z"
	entry     = `{"model":{"id":"acme/atlas-70b","revision":"r1","quantization":null},"runtime":{"id":"transformers","version":"4.52"},"adapter":null,
"effectiveContextTokens":4096,"toolSurface":[],"hardware":{"class":"server","accelerator":"h100","memoryBytes":null},
"families":{"gsm8k":"mathematics"},"defaultFamily":"general","validUntil":"2027-01-01T00:00:00.000Z"}`

	// today is a file of the shape that v0.4 writes.
	today = `{
"results":{
 "gsm8k":{"alias":"gsm8k","exact_match,strict-match":0.5,"exact_match_stderr,strict-match":0.01,"exact_match,flexible-extract":0.625,"exact_match_stderr,flexible-extract":"N/A"},
 "mmlu":{"acc,none":0.25,"acc_stderr,none":0.003,"alias":"mmlu"},
 "mmlu_law":{"alias":" - law","acc,none":0.25,"acc_stderr,none":0.003,"mcc,none":-0.01}},
"groups":{"mmlu":{"acc,none":0.25,"alias":"mmlu"}},
"group_subtasks":{"mmlu":["mmlu_law"],"gsm8k":[]},
"configs":{"gsm8k":{"task":"gsm8k","process_docs":"def f(): ..."},"mmlu_law":{"task":"mmlu_law"}},
"versions":{"gsm8k":3.0,"mmlu":2,"mmlu_law":"Yaml"},
"n-shot":{"gsm8k":5,"mmlu_law":0},
"higher_is_better":{"gsm8k":{"exact_match":true},"mmlu_law":{"acc":true,"mcc":false}},
"n-samples":{"gsm8k":{"original":1319,"effective":1319},"mmlu_law":{"original":100,"effective":100}},
"config":{"model":"hf","model_args":"pretrained=acme/atlas,dtype=float32","model_sha":"13d1530e","limit":null,"num_fewshot":null},
"git_hash":"32d1a85","date":1748694628.59113,"pretty_env_info":"/home/somebody","task_hashes":{},"model_source":"hf",
"model_name":"acme/atlas","lm_eval_version":"0.4.8","start_time":499590.7,"total_evaluation_time_seconds":"25.6"}`
)

func importFile(t testing.TB, body string) (*sources.Result, error) {
	t.Helper()
	f, err := sourcetest.TryPin(t, lmeval.Source, urn, fetchedAt, body)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.ImportAll(t, lmeval.New(), entry, f)
}

func mustImport(t testing.TB, body string) *sources.Result {
	t.Helper()
	r, err := importFile(t, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// byTask returns the records of a result by their task.
func byTask(r *sources.Result) map[string]record.Observation {
	all := map[string]record.Observation{}
	for _, o := range r.Observations {
		rec := o.Record()
		all[string(rec.Task.TaskID)] = rec
	}
	return all
}

// with is today's file with one text in the place of another.
func with(old, new string) string {
	if !strings.Contains(today, old) {
		panic("no " + old)
	}
	return strings.Replace(today, old, new, 1)
}

func values(rec record.Observation) map[string]string {
	all := map[string]string{}
	for _, m := range rec.Measurements {
		all[m.Key] = m.Value.Text
	}
	return all
}

func TestTasks(t *testing.T) {
	r := mustImport(t, today)
	tasks := byTask(r)
	if len(r.Observations) != 3 || len(tasks) != 3 {
		t.Fatalf("%d observations of %d tasks", len(r.Observations), len(tasks))
	}
	rec := tasks["gsm8k"]
	want := map[string]string{
		"lm-eval.gsm8k.exact_match.strict-match": "0.5", "lm-eval.gsm8k.exact_match.strict-match.stderr": "0.01",
		"lm-eval.gsm8k.exact_match.flexible-extract": "0.625", "lm-eval.gsm8k.samples": "1319",
	}
	if got := values(rec); !maps.Equal(got, want) {
		t.Errorf("gsm8k is %v\nwant %v", got, want)
	}
	if k := rec.Task; k.Family != "mathematics" || k.Suite != "gsm8k" || k.Evaluator.ID != "lm-evaluation-harness" || k.Evaluator.Version != "32d1a85" {
		t.Errorf("task %+v", k)
	}
	e := rec.Execution
	if e.Kind != "exact" || e.Runtime.ID != "transformers" || e.EffectiveContextTokens.N != 4096 || e.Hardware.Accelerator != "h100" ||
		e.Workflow != (record.Workflow{ID: "lm-eval", Version: "3.0", Condition: "dtype=float32,num_fewshot=5"}) {
		t.Errorf("execution %+v", e)
	}
	if rec.SourceClass != "first-party" || rec.Model.ID != "acme/atlas-70b" || rec.Freshness.ObservedAt != "2025-05-31T12:30:28.591Z" {
		t.Errorf("%+v", rec)
	}
	if got := values(tasks["mmlu_law"])["lm-eval.mmlu_law.mcc"]; got != "-0.01" {
		t.Errorf("a negative score is %q", got)
	}
	if !slices.Contains(tasks["mmlu_law"].Uncertainty.Basis, "lower is better: mcc") {
		t.Errorf("basis %q", tasks["mmlu_law"].Uncertainty.Basis)
	}
	if got := sourcetest.Reasons(r); !maps.Equal(got, map[sources.Reason]int{sources.MissingValue: 1}) {
		t.Errorf("diagnostics %v", r.Diagnostics)
	}
}

// A group stands for itself, without a number of samples, apart from its tasks.
func TestGroups(t *testing.T) {
	const gap = "an aggregate of the tasks of a group, which have evaluations of their own"
	for name, body := range map[string]string{
		"by all":            today,
		"by groups":         with(`"group_subtasks":{"mmlu":["mmlu_law"],"gsm8k":[]},`, ""),
		"by group_subtasks": with(`"groups":{"mmlu":{"acc,none":0.25,"alias":"mmlu"}},`, ""),
	} {
		tasks := byTask(mustImport(t, body))
		if rec := tasks["mmlu"]; rec.Task.Suite != "mmlu" || !slices.Contains(rec.Uncertainty.Gaps, gap) || values(rec)["lm-eval.mmlu.samples"] != "" {
			t.Errorf("%s: %+v", name, rec)
		}
		for _, task := range []string{"gsm8k", "mmlu_law"} {
			if rec := tasks[task]; string(rec.Task.Suite) != task || slices.Contains(rec.Uncertainty.Gaps, gap) {
				t.Errorf("%s: %+v", name, rec)
			}
		}
	}
}

// What is no finite number is reported and left out; the file is read.
func TestValuesThatAreNone(t *testing.T) {
	for text, want := range map[string]struct {
		reason  sources.Reason
		message string
	}{
		`NaN`: {sources.NotFinite, "is NaN"}, `Infinity`: {sources.NotFinite, "is Infinity"}, `-Infinity`: {sources.NotFinite, "is -Infinity"},
		`"N/A"`: {sources.MissingValue, `is "N/A"`}, `null`: {sources.MissingValue, "is null"}, `"0.5"`: {sources.InvalidValue, "is not a number: left out"},
		`true`: {sources.InvalidValue, "is not a number: left out"}, `[0.5]`: {sources.InvalidValue, "is not a number: left out"}, `"~"`: {sources.InvalidValue, "is not a number: left out"},
	} {
		r := mustImport(t, with(`"exact_match,strict-match":0.5`, `"exact_match,strict-match":`+text))
		if got, has := values(byTask(r)["gsm8k"])["lm-eval.gsm8k.exact_match.strict-match"]; has {
			t.Errorf("%s became %s", text, got)
		}
		d := r.Diagnostics[0]
		if d.Reason != want.reason || d.Message != want.message || d.Path != "$.snapshots[0].body.results.gsm8k.exact_match,strict-match" || d.Place.Line != 3 || d.Place.Column != 54 {
			t.Errorf("%s: %+v", text, d)
		}
	}
	// In a string these are letters, and in what is not used they do not matter.
	r := mustImport(t, with(`"/home/somebody"`, `"NaN \" Infinity", "mood": [NaN, -Infinity]`))
	if len(r.Observations) != 3 {
		t.Error("not used")
	}
	_, err := importFile(t, with(`"exact_match,strict-match":0.5`, `"exact_match,strict-match":NaNs`))
	sourcetest.Refused(t, "NaNs", err, "$.snapshots[0].body", "unexpected character 's'")
	r = mustImport(t, with(`"acc,none":0.25,"acc_stderr,none":0.003,"mcc,none":-0.01`, `"acc,none":NaN`))
	if len(r.Observations) != 2 || r.Acquisition.Imported != 1 {
		t.Errorf("a task without values: %s", r.Acquisition.JSON())
	}
}

// A run over some of the samples says so, a limit above their number changes
// nothing.
func TestLimits(t *testing.T) {
	limited := func(body, task, want string) {
		t.Helper()
		u := byTask(mustImport(t, body))[task].Uncertainty
		has := slices.ContainsFunc(u.Gaps, func(g string) bool { return strings.HasPrefix(g, "limited") })
		if want == "" && (has || u.Level != "moderate") || want != "" && (!slices.Contains(u.Gaps, want) || u.Level != "high") {
			t.Errorf("%s: %+v, want %q", task, u, want)
		}
	}
	limited(today, "gsm8k", "")
	limited(strings.Replace(with(`"limit":null`, `"limit":20.0`), `1319,"effective":1319`, `1319,"effective":20`, 1), "gsm8k", "limited: 20 of 1319 samples were looked at")
	limited(with(`"limit":null`, `"limit":2000.0`), "gsm8k", "")
	limited(with(`"limit":null`, `"limit":20.0`), "mmlu", "limited: --limit 20.0; how many samples there are is not stated")
}

func TestModelNames(t *testing.T) {
	adapter := lmeval.New()
	for body, want := range map[string]string{
		today:                                  "acme/atlas",
		with(`"model_name":"acme/atlas",`, ``): "acme/atlas",
		with(`"model_name":"acme/atlas"`, `"model_name":"/data/atlas"`): "/data/atlas",
		strings.Replace(with(`"model_name":"acme/atlas"`, `"model_name":""`), `"pretrained=acme/atlas,dtype=float32"`, `{"pretrained":"acme/basalt","tensor_parallel_size":8}`, 1): "acme/basalt",
		strings.Replace(with(`"model_name":"acme/atlas",`, ``), `"pretrained=acme/atlas,dtype=float32"`, `"model=atlas-mini"`, 1):                                                  "atlas-mini",
		strings.Replace(with(`"model_name":"acme/atlas"`, `"model_name":null`), `"pretrained=acme/atlas,dtype=float32"`, `"dtype=x, model=y ,pretrained=z"`, 1):                    "z",
	} {
		rows, err := sourcetest.Rows(t, adapter, sourcetest.Pin(t, lmeval.Source, urn, fetchedAt, body))
		if err != nil || len(rows) != 1 || rows[0] != want {
			t.Errorf("rows %q, %v, want %s", rows, err, want)
		}
	}
	_, err := importFile(t, strings.Replace(with(`"model_name":"acme/atlas"`, `"model_name":""`), `"pretrained=acme/atlas,dtype=float32"`, `""`, 1))
	sourcetest.Refused(t, "no name", err, "$.snapshots[0].body.model_name", "whose results these are is not told")
}

// Nothing that describes somebody's machine gets out.
func TestPrivacy(t *testing.T) {
	text := sourcetest.Text(mustImport(t, with(`"model_name":"acme/atlas"`, `"model_name":"/home/somebody/atlas"`)))
	if strings.Contains(text, "somebody") || strings.Contains(text, "def f()") {
		t.Errorf("%s", text)
	}
}

// The shapes of 2023, and what they do not say.
func TestOlderShapes(t *testing.T) {
	const v03 = `{"results":{"lambada":{"ppl":5.25,"ppl_stderr":0.1,"acc":0.5}},"versions":{"lambada":0},"config":{"model":"gpt2","model_args":"pretrained=gpt2-xl","num_fewshot":0,"limit":100}}`
	rec := byTask(mustImport(t, v03))["lambada"]
	if got, want := values(rec), map[string]string{"lm-eval.lambada.ppl": "5.25", "lm-eval.lambada.ppl.stderr": "0.1", "lm-eval.lambada.acc": "0.5"}; !maps.Equal(got, want) {
		t.Errorf("v0.3: %v", got)
	}
	if rec.Freshness.ObservedAt != fetchedAt || rec.Task.Evaluator.Version != "" || rec.Execution.Workflow.Condition != "limit=100,num_fewshot=0" || rec.Execution.Workflow.Version != "0" {
		t.Errorf("v0.3: %+v", rec)
	}
	for _, gap := range []string{
		"the commit of the harness is not stated", "no hash names the weights",
		"the date of the run is not stated: that at which the file was pinned stands for it",
		"limited: --limit 100; how many samples there are is not stated",
	} {
		if !slices.Contains(rec.Uncertainty.Gaps, gap) {
			t.Errorf("v0.3: gaps %q lack %q", rec.Uncertainty.Gaps, gap)
		}
	}
	const between = `{"results":{"t":{"acc,none":0.5,"f1,none":0.1}},"configs":{"t":{}},"versions":{"t":"Yaml"},"config":{"model":"hf","model_args":"pretrained=x","num_fewshot":0,"limit":100.0},"git_hash":"271319b","duration":1.5}`
	rec = byTask(mustImport(t, between))["t"]
	if got, want := values(rec), map[string]string{"lm-eval.t.acc": "0.5", "lm-eval.t.f1": "0.1"}; !maps.Equal(got, want) || rec.Execution.Workflow.Version != "Yaml" {
		t.Errorf("between: %v %+v", got, rec.Execution)
	}
}

func TestRefusedFiles(t *testing.T) {
	body := "$.snapshots[0].body"
	tests := []struct{ name, text, path, reason string }{
		{"tasks at the top", `{"glue":{"acc,none":0.5}}`, body + ".results", "not a result file"},
		{"a foreign shape", `{"model":"m","tasks":["glue"],"num_fewshot":0,"results":{"glue":{"acc,none":0.5}}}`, body + ".versions", "not a result file"},
		{"no config", `{"results":{},"versions":{}}`, body + ".config", "not a result file"},
		{"a list", `[]`, body, "must be an object"},
		{"results that are none", with(`"mmlu":{"acc,none":0.25,"acc_stderr,none":0.003,"alias":"mmlu"}`, `"mmlu":0.25`), body + ".results.mmlu", "must be an object"},
		{"a task twice", with(`"mmlu":{"acc`, `"gsm8k":{"acc`), body + ".results.gsm8k", "duplicate field"},
		{"a metric twice", with(`"acc,none":0.25,`, `"acc,none":0.25,"acc,none":0.5,`), body + ".results.mmlu.acc,none", "duplicate field"},
		{"two keys of one meaning", with(`"mcc,none":-0.01`, `"acc_stderr,x":0,"acc,x.stderr":1`), body + ".results.mmlu_law.acc,x.stderr", "means the same"},
		{"a sample too few", with(`"original":1319`, `"original":-1`), body + ".n-samples.gsm8k.original", "must be an integral number"},
		{"half of the samples", with(`"original":1319,`, ``), body + ".n-samples.gsm8k.original", "missing field"},
		{"a date in words", with(`1748694628.59113`, `"yesterday"`), body + ".date", "must be a number"},
		{"a date before 1970", with(`1748694628.59113`, `-1`), body + ".date", "seconds since 1970"},
		{"a date after the end", with(`1748694628.59113`, `1e20`), body + ".date", "seconds since 1970"},
		{"a date to come", with(`1748694628.59113`, `1900000000`), body + ".date", "after the file was pinned"},
		{"a large number", with(`0.25`, `1e999`), body + ".results.mmlu.acc,none", "number too large"},
		{"depth", `{"mood":` + strings.Repeat(`{"a":`, 70) + `0` + strings.Repeat("}", 70) + `}`, body, "more than 64"},
		{"not JSON", today[:len(today)-1], body, "unexpected end"},
	}
	for _, tt := range tests {
		_, err := importFile(t, tt.text)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
	}
}

// Runs are told apart by their dates; what is not of a task changes nothing of it.
func TestStability(t *testing.T) {
	before := mustImport(t, today)
	if again := mustImport(t, today); sourcetest.Text(again) != sourcetest.Text(before) {
		t.Error("the same input gives other bytes")
	}
	after := mustImport(t, with(`"exact_match,strict-match":0.5`, `"exact_match,strict-match":0.75`))
	if changed := sourcetest.Changed(before, after); len(changed) != 1 || !strings.HasSuffix(changed[0], "#gsm8k") {
		t.Errorf("changed are %q", changed)
	}
	first := sourcetest.Pin(t, lmeval.Source, urn, fetchedAt, today)
	second := sourcetest.Pin(t, lmeval.Source, "urn:lm-eval:team/run-2", fetchedAt, with("1748694628.59113", "1748694629.59113"))
	r, err := sourcetest.ImportAll(t, lmeval.New(), entry, first, second)
	if err != nil || r.Acquisition.Rows != 2 || len(r.Observations) != 6 || r.Acquisition.ManifestDigest != "" {
		t.Errorf("two runs: %v", err)
	}
	if _, err := sourcetest.TryPin(t, lmeval.Source, "https://example.org/results.json", fetchedAt, today); err == nil {
		t.Error("a URL names a run of ours")
	}
}

// Every real file is imported or refused for what it is.
func TestRealFiles(t *testing.T) {
	tests := []struct {
		file          string
		observations  int
		reasons       map[sources.Reason]int
		path, refused string
	}{
		{file: "2023-08-vicuna-7b-massive-de-100", path: "$.snapshots[0].body.model_name", refused: "whose results these are is not told"},
		{file: "2024-06-03-llama-3-8b-steer", observations: 6},
		{file: "2024-08-21-llama-3-8b-asdiv-limit50", observations: 1},
		{file: "2025-02-24-rwkv7-1.5B-mmlu-groups", observations: 78},
		{file: "2025-03-02-mamba2-1.3b-glue-nogithash", observations: 17, reasons: map[sources.Reason]int{sources.RuntimeDiffers: 1}},
		{file: "2025-03-04-visualrwkv-bare-tasks", path: "$.snapshots[0].body.results", refused: "not a result file"},
		{file: "2025-03-05-visualrwkv-foreign-shape", path: "$.snapshots[0].body.versions", refused: "not a result file"},
		{file: "2025-05-31-neo125m-truthfulqa_gen-limit20", observations: 1},
		{file: "2025-06-30-gpt-4o-mini-materials-NaN", observations: 11, reasons: map[sources.Reason]int{sources.NotFinite: 2, sources.MissingValue: 1, sources.RuntimeDiffers: 1}},
		{file: "2025-07-21-flor-760m-eqbench-limit10", observations: 2},
		{file: "2025-12-17-vllm-nl2foam-gen-emptymodel", observations: 2, reasons: map[sources.Reason]int{sources.RuntimeDiffers: 1}},
		{file: "2026-01-16-gemma-2b-masakhaner", observations: 1, reasons: map[sources.Reason]int{sources.MissingValue: 1, sources.RuntimeDiffers: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			r, err := importFile(t, vectortest.DataText(t, "data", "lm-eval", tt.file+".results.json"))
			if tt.refused != "" {
				sourcetest.Refused(t, tt.file, err, tt.path, tt.refused)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if a := r.Acquisition; a.Rows != 1 || a.Imported != 1 || a.Observations != tt.observations {
				t.Errorf("%s", a.JSON())
			}
			if got := sourcetest.Reasons(r); !maps.Equal(got, tt.reasons) {
				t.Errorf("diagnostics %v, want %v", r.Diagnostics, tt.reasons)
			}
		})
	}
}
