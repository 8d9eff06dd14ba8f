package lmeval

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[run], error) {
	var rows []sources.Row[run]
	for i, s := range snapshots {
		if len(rows) == sources.MaxRows {
			return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "must be at most %d files", sources.MaxRows)
		}
		text, notFinite := replaceNotFinite(s.Body())
		f := file{r: ijson.NewReader(text, problem.InvalidSourceSnapshot), text: text, notFinite: notFinite, unknown: map[string]bool{}}
		f.run.url = s.Envelope().URL
		f.read(s.Envelope().FetchedAt)
		if faults := f.r.End(); faults != nil {
			return nil, s.Refuse(faults)
		}
		notes.AddUnknown(f.unknown, i)
		rows = append(rows, sources.Row[run]{ID: f.run.id(), Where: sources.Where{Snapshot: i}, Data: f.run})
	}
	return rows, nil
}

// file reads a result file.
type file struct {
	r         *ijson.Reader
	text      string
	notFinite map[int]string
	unknown   map[string]bool
	run       run

	hasConfigs bool
	dateAt     int
	plain      []plainKey // members of results that v0.3 alone has as metrics
}

// plainKey is a member of a task's results whose name has no comma.
type plainKey struct {
	task int
	metric
}

func (f *file) read(fetchedAt string) {
	r := f.r
	o := r.Names()
	for o.Next() {
		f.member(o.Name())
	}
	if !o.OK() || r.IsBroken() {
		return
	}
	for _, name := range []string{"results", "versions", "config"} {
		if !o.Seen(name) {
			r.Fail(o.Start(), "."+name, "missing member: this is no result file of lm-evaluation-harness")
			return
		}
	}
	if r.Faulty() {
		return
	}
	f.hasConfigs = o.Seen("configs")
	f.finish(o.Start(), fetchedAt)
}

func (f *file) member(name string) {
	r, run := f.r, &f.run
	switch name {
	case "results":
		f.results()
	case "versions":
		run.versions = f.literals()
	case "n-shot":
		run.shots = f.literals()
	case "task_hashes":
		run.hashes = f.literals()
	case "n-samples":
		f.samples()
	case "groups":
		f.names(&run.groups, func(ijson.Value) bool { return true })
	case "group_subtasks":
		f.names(&run.groups, func(v ijson.Value) bool { return len(v.Items) > 0 })
	case "configs":
		f.names(&run.configured, func(ijson.Value) bool { return true })
	case "higher_is_better":
		f.higherIsBetter()
	case "config":
		f.config()
	case "git_hash":
		run.commit = trimmed(f.textOrNull())
	case "lm_eval_version":
		run.version = trimmed(f.textOrNull())
	case "model_name":
		run.model = f.textOrNull()
	case "date":
		f.dateAt = r.Offset()
		if !r.Null() {
			run.date = r.Number()
		}
	case "duration", "pretty_env_info", "transformers_version", "upper_git_hash", "model_source", "model_name_sanitized",
		"start_time", "end_time", "total_evaluation_time_seconds", "chat_template", "chat_template_sha",
		"system_instruction", "system_instruction_sha", "fewshot_as_multiturn", "tokenizer_pad_token",
		"tokenizer_eos_token", "tokenizer_bos_token", "eot_token_id", "max_length":
		r.Value()
	default:
		f.unknown[name] = true
		r.Value()
	}
}

// textOrNull reads a string, the empty one too, or null, which it returns as "".
func (f *file) textOrNull() string {
	if f.r.Null() {
		return ""
	}
	return f.r.String()
}

// literals reads an object of texts and numbers, each as it is written. Others
// state nothing.
func (f *file) literals() map[string]string {
	all := map[string]string{}
	for o := f.r.Names(); o.Next(); {
		if literal := f.literal(); literal != "" {
			all[o.Name()] = literal
		}
	}
	return all
}

// literal reads any value: that of a text, or a number as it is written. It is ""
// for others.
func (f *file) literal() string {
	at := f.r.Offset()
	switch v := f.r.Value(); {
	case f.notFinite[at] != "":
		return ""
	case v.Kind == '"':
		return v.Text
	case v.Kind == '0':
		return strings.TrimSpace(f.text[at:f.r.Offset()])
	}
	return ""
}

// names notes the names of an object's members whose values pass.
func (f *file) names(into *map[string]bool, passes func(ijson.Value) bool) {
	if *into == nil {
		*into = map[string]bool{}
	}
	if f.r.Null() {
		return
	}
	for o := f.r.Names(); o.Next(); {
		if passes(f.r.Value()) {
			(*into)[o.Name()] = true
		}
	}
}

func (f *file) results() {
	r := f.r
	for o := r.Names(); o.Next(); {
		t := task{name: o.Name(), offset: o.At()}
		if !ijson.Trimmed(t.name) {
			r.Fail(o.At(), "", "must be the name of a task")
		}
		for m := r.Names(); m.Next(); {
			f.result(&t, m.Name())
		}
		f.run.tasks = append(f.run.tasks, t)
	}
}

func (f *file) result(t *task, key string) {
	m := metric{key: key, offset: f.r.Offset()}
	m.value = f.r.Value()
	if token := f.notFinite[m.offset]; token != "" {
		m.value, m.notFinite = ijson.Value{Kind: '"', Text: token}, true
	}
	if strings.Contains(key, ",") {
		t.metrics = append(t.metrics, m)
		return
	}
	f.plain = append(f.plain, plainKey{len(f.run.tasks), m})
}

func (f *file) samples() {
	r := f.r
	f.run.samples = map[string]samples{}
	for o := r.Names(); o.Next(); {
		var s samples
		n := r.Names()
		for n.Next() {
			switch n.Name() {
			case "original":
				s.original = r.Count()
			case "effective":
				s.effective = r.Count()
			default:
				f.unknown["n-samples."+n.Name()] = true
				r.Value()
			}
		}
		n.Demand("original", "effective")
		s.known = true
		f.run.samples[o.Name()] = s
	}
}

// higherIsBetter notes the metrics of which less is better.
func (f *file) higherIsBetter() {
	f.run.lowerIsBetter = map[string][]string{}
	for o := f.r.Names(); o.Next(); {
		for _, m := range f.r.Value().Members {
			if m.Value.Kind == 'f' {
				f.run.lowerIsBetter[o.Name()] = append(f.run.lowerIsBetter[o.Name()], m.Name)
			}
		}
	}
}

func (f *file) config() {
	r, c := f.r, &f.run.config
	for o := r.Names(); o.Next(); {
		switch o.Name() {
		case "limit":
			c.limit = f.literal()
		case "num_fewshot":
			c.shots = f.literal()
		case "model_sha":
			c.hasWeights = f.literal() != ""
		case "model_args":
			f.modelArgs()
		default:
			r.Value()
		}
	}
}

// modelArgs reads what the harness was told of the model: text like
// pretrained=a/b,dtype=float32, or an object.
func (f *file) modelArgs() {
	v := f.r.Value()
	into := func(name, value string) {
		switch name {
		case "pretrained":
			f.run.config.pretrained = value
		case "model":
			f.run.config.model = value
		}
	}
	for _, m := range v.Members {
		if m.Value.Kind == '"' {
			into(m.Name, m.Value.Text)
		}
	}
	if v.Kind == '"' {
		for pair := range strings.SplitSeq(v.Text, ",") {
			name, value, _ := strings.Cut(pair, "=")
			into(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
}

// finish ties together what stands in several members.
func (f *file) finish(start int, fetchedAt string) {
	run := &f.run
	for _, p := range f.plain {
		t := &run.tasks[p.task]
		switch {
		case !f.hasConfigs: // v0.3
			t.metrics = append(t.metrics, p.metric)
		case !slices.Contains([]string{"alias", " ", "name", "sample_len", "sample_count"}, p.key):
			f.unknown["results."+p.key] = true
		}
	}
	for i := range run.tasks {
		t := &run.tasks[i]
		t.isGroup = run.groups[t.name] || f.hasConfigs && !run.configured[t.name]
		f.checkKeys(t)
	}
	if run.id() == "" {
		f.r.Fail(start, ".model_name", "missing member, and config.model_args has neither pretrained nor model: whose results these are is not told")
	}
	run.observedAt, run.isDated = fetchedAt, run.date != ""
	if !run.isDated {
		return
	}
	switch at, ok := unixTime(run.date); {
	case !ok:
		f.r.Fail(f.dateAt, ".date", "must be a time in seconds since 1970")
	case at > fetchedAt:
		f.r.Fail(f.dateAt, ".date", "is %s, after the file was pinned at %s", at, fetchedAt)
	default:
		run.observedAt = at
	}
}

// checkKeys demands that no two members of a task come to one measurement.
func (f *file) checkKeys(t *task) {
	seen := map[string]string{"samples": "n-samples"}
	for i := range t.metrics {
		m := &t.metrics[i]
		if other, repeated := seen[m.name()]; repeated {
			f.r.Fail(m.offset, ".results."+t.name+"."+m.key, "means the same as %s", canonical.Quote(other))
			return
		}
		seen[m.name()] = m.key
	}
}

// unixTime makes a timestamp of seconds since 1970, cut to milliseconds.
func unixTime(seconds string) (timestamp string, ok bool) {
	whole, fraction, _ := strings.Cut(seconds, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	const last = 253402300799 // of the year 9999
	if err != nil || n < 0 || n > last {
		return "", false
	}
	milliseconds := (fraction + "000")[:3]
	if strings.Trim(milliseconds, "0123456789") != "" {
		return "", false
	}
	return time.Unix(n, 0).UTC().Format("2006-01-02T15:04:05") + "." + milliseconds + "Z", true
}
