package lmeval

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// run is what is used of a result file.
type run struct {
	url        string
	model      string // model_name
	pretrained string // of config.model_args
	loaded     string // model, of config.model_args
	tasks      []task
	commit     string // git_hash
	version    string // lm_eval_version
	date       string // as it is written
	observedAt string // timestamp
	isDated    bool
	limit      string            // literal, "" if there is none
	allShots   string            // literal, of tasks that have none of their own
	hasWeights bool              // a hash names them
	settings   sources.Condition // that differ from the defaults of the harness
	loader     string            // model_source: what ran the model

	versions      map[string]string // literal
	shots         map[string]string // literal
	samples       map[string]samples
	hashes        map[string]string
	groups        map[string]bool
	configured    map[string]bool // tasks with a configuration, which groups do not have
	lowerIsBetter map[string][]string
}

// id is the model that the file names, "" if it names none.
func (r *run) id() string { return cmp.Or(r.model, r.pretrained, r.loaded) }

type task struct {
	name    string
	offset  int
	metrics []metric
	plain   []metric // whose key has no comma: in v0.3 these are metrics, later they are something else
	isGroup bool
}

type samples struct {
	original, effective uint64
	known               bool
}

// metric is a member of a task's results.
type metric struct {
	key       string // as it is written: acc_norm_stderr,none
	name      string // what the key of the measurement ends with
	isError   bool   // the standard error of another metric
	value     ijson.Value
	notFinite bool // the value is the text NaN, Infinity or -Infinity, written bare
	offset    int
}

// newMetric takes a key apart, which ends with a filter after its last comma. The
// filter none is none; v0.3 had no filters:
//
//	acc_norm_stderr,strict-match    acc_norm.strict-match.stderr
//	acc,none                        acc
func newMetric(key string) metric {
	m := metric{key: key, name: key}
	filter := ""
	if i := strings.LastIndexByte(key, ','); i >= 0 {
		m.name, filter = key[:i], key[i+1:]
	}
	m.name, m.isError = strings.CutSuffix(m.name, "_stderr")
	if filter != "" && filter != "none" {
		m.name += "." + filter
	}
	if m.isError {
		m.name += ".stderr"
	}
	return m
}

// refusal says why the value cannot be taken; the reason is "" if it can.
func (m *metric) refusal() (reason sources.Reason, message string) {
	switch {
	case m.notFinite:
		return sources.NotFinite, "is " + m.value.Text
	case m.value.Kind == '0':
		return "", ""
	case m.value.Kind == 'n':
		return sources.MissingValue, "is null"
	case m.value.Kind == '"' && m.value.Text == "N/A":
		return sources.MissingValue, `is "N/A"`
	}
	return sources.InvalidValue, "is not a number: left out"
}

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[run], error) {
	var rows []sources.Row[run]
	for _, s := range snapshots {
		if len(rows) == sources.MaxRows {
			return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "must be at most %d files", sources.MaxRows)
		}
		text, notFinite := sources.ReplaceNotFinite(s.Body())
		f := file{
			Reader:    ijson.NewReader(text, problem.InvalidSourceSnapshot),
			text:      text,
			notFinite: notFinite,
			unknown:   map[string]bool{},
			run:       run{url: s.Envelope().URL, groups: map[string]bool{}, configured: map[string]bool{}},
		}
		f.read(s.Envelope().FetchedAt)
		if faults := f.End(); faults != nil {
			return nil, s.Refuse(faults)
		}
		notes.AddUnknown(f.unknown, s)
		rows = append(rows, sources.Row[run]{ID: f.run.id(), Where: sources.Where{Snapshot: s}, Data: f.run})
	}
	return rows, nil
}

// file reads a result file.
type file struct {
	*ijson.Reader
	text      string
	notFinite map[int]string
	unknown   map[string]bool
	run       run
}

func (f *file) read(fetchedAt string) {
	o := fileMembers.Read(f.Reader, f, "", f.unknown)
	if !o.OK() || f.IsBroken() {
		return
	}
	for _, name := range []string{"results", "versions", "config"} {
		if !o.Seen(name) {
			f.Fail(o.Start(), "."+name, "missing field: this is not a result file of lm-evaluation-harness")
			return
		}
	}
	if f.Faulty() {
		return
	}
	f.finishTasks(o.Seen("configs"))
	if f.run.id() == "" {
		f.Fail(o.Start(), ".model_name", "missing field, and config.model_args has neither pretrained nor model: whose "+
			"results these are is not told")
	}
	f.finishDate(o.Start(), fetchedAt)
}

var fileMembers = sources.Members[*file]{
	"results":          (*file).results,
	"versions":         func(f *file) { f.run.versions = f.literals() },
	"n-shot":           func(f *file) { f.run.shots = f.literals() },
	"task_hashes":      func(f *file) { f.run.hashes = f.literals() },
	"n-samples":        (*file).samples,
	"groups":           func(f *file) { f.names(f.run.groups, func(ijson.Value) bool { return true }) },
	"group_subtasks":   func(f *file) { f.names(f.run.groups, func(v ijson.Value) bool { return len(v.Items) > 0 }) },
	"configs":          func(f *file) { f.names(f.run.configured, func(ijson.Value) bool { return true }) },
	"higher_is_better": (*file).higherIsBetter,
	"config":           (*file).config,
	"git_hash":         func(f *file) { f.run.commit = trimmed(f.textOrNull()) },
	"lm_eval_version":  func(f *file) { f.run.version = trimmed(f.textOrNull()) },
	"model_name":       func(f *file) { f.run.model = f.textOrNull() },
	"date": func(f *file) {
		if !f.Null() {
			f.run.date = f.Number()
		}
	},
	"duration": nil, "pretty_env_info": nil, "transformers_version": nil, "upper_git_hash": nil,
	"model_source":       func(f *file) { f.run.loader = f.literal() },
	"chat_template":      func(f *file) { f.setDigest("chat_template", f.Value()) },
	"system_instruction": func(f *file) { f.setDigest("system_prompt", f.Value()) },
	"fewshot_as_multiturn": func(f *file) {
		if f.Value().Kind == 't' {
			f.run.set("fewshot_as_multiturn", "true")
		}
	},
	"model_name_sanitized": nil, "start_time": nil, "end_time": nil, "total_evaluation_time_seconds": nil,
	"chat_template_sha": nil, "system_instruction_sha": nil,
	"tokenizer_pad_token": nil, "tokenizer_eos_token": nil, "tokenizer_bos_token": nil, "eot_token_id": nil,
	"max_length": nil,
}

// trimmed returns a text that a record may hold, "" for another.
func trimmed(s string) string {
	if ijson.IsText(s) {
		return s
	}
	return ""
}

// textOrNull reads a string, the empty one too, or null, which it returns as "".
func (f *file) textOrNull() string {
	if f.Null() {
		return ""
	}
	return f.String()
}

// literals reads an object of texts and numbers, each as it is written. Others
// state nothing.
func (f *file) literals() map[string]string {
	all := map[string]string{}
	for o := f.Names(); o.Next(); {
		if literal := f.literal(); literal != "" {
			all[o.Name()] = literal
		}
	}
	return all
}

// literal reads any value: that of a text, or a number as it is written. It is ""
// for others.
func (f *file) literal() string {
	at := f.Offset()
	switch v := f.Value(); {
	case f.notFinite[at] != "":
		return ""
	case v.Kind == '"':
		return v.Text
	case v.Kind == '0':
		return strings.TrimSpace(f.text[at:f.Offset()])
	}
	return ""
}

// names adds the names of an object's members whose values pass.
func (f *file) names(set map[string]bool, passes func(ijson.Value) bool) {
	if f.Null() {
		return
	}
	for o := f.Names(); o.Next(); {
		if passes(f.Value()) {
			set[o.Name()] = true
		}
	}
}

func (f *file) results() {
	for o := f.Names(); o.Next(); {
		t := task{name: o.Name(), offset: o.At()}
		if !ijson.IsText(t.name) {
			f.Fail(o.At(), "", "must be the name of a task")
		}
		for n := f.Names(); n.Next(); {
			if m := f.metric(n.Name()); strings.Contains(m.key, ",") {
				t.metrics = append(t.metrics, m)
			} else {
				t.plain = append(t.plain, m)
			}
		}
		f.run.tasks = append(f.run.tasks, t)
	}
}

func (f *file) metric(key string) metric {
	m := newMetric(key)
	m.offset = f.Offset()
	m.value = f.Value()
	if token := f.notFinite[m.offset]; token != "" {
		m.value, m.notFinite = ijson.Value{Kind: '"', Text: token}, true
	}
	return m
}

func (f *file) samples() {
	f.run.samples = map[string]samples{}
	for o := f.Names(); o.Next(); {
		s := samples{known: true}
		n := sources.Members[*samples]{
			"original":  func(s *samples) { s.original = f.Count() },
			"effective": func(s *samples) { s.effective = f.Count() },
		}.Read(f.Reader, &s, "n-samples.", f.unknown)
		n.Demand("original", "effective")
		f.run.samples[o.Name()] = s
	}
}

// higherIsBetter notes the metrics of which less is better.
func (f *file) higherIsBetter() {
	f.run.lowerIsBetter = map[string][]string{}
	for o := f.Names(); o.Next(); {
		for _, m := range f.Value().Members {
			if m.Value.Kind == 'f' {
				f.run.lowerIsBetter[o.Name()] = append(f.run.lowerIsBetter[o.Name()], m.Name)
			}
		}
	}
}

func (f *file) config() {
	for o := f.Names(); o.Next(); {
		switch o.Name() {
		case "limit":
			f.run.limit = f.literal()
		case "num_fewshot":
			f.run.allShots = f.literal()
		case "model_sha":
			f.run.hasWeights = f.literal() != ""
		case "model_args":
			f.run.readModel(f.Value())
		case "gen_kwargs":
			f.run.readGeneration(f.Value())
		default:
			f.Value()
		}
	}
}

// readModel takes what the harness was told of the model: text like
// pretrained=a/b,dtype=float32, or an object.
func (r *run) readModel(args ijson.Value) {
	eachArgument(args, func(name, value string) {
		switch name {
		case "pretrained":
			r.pretrained = value
		case "model":
			r.loaded = value
		default:
			if name != "" && value != "" && harnessDefaults[name] != strings.ToLower(value) {
				r.set(name, value)
			}
		}
	})
}

// readGeneration takes how the harness was told to generate: parts like
// gen.temperature=0.7 of a condition.
func (r *run) readGeneration(args ijson.Value) {
	eachArgument(args, func(name, value string) {
		if name != "" && value != "" {
			r.set("gen."+name, value)
		}
	})
}

// eachArgument goes through arguments of the harness, which are an object or text
// like a=1,b=2.
func eachArgument(args ijson.Value, take func(name, value string)) {
	for _, m := range args.Members {
		switch m.Value.Kind {
		case '"':
			take(m.Name, m.Value.Text)
		case 'n':
		default:
			take(m.Name, string(m.Value.AppendCanonical(nil)))
		}
	}
	if args.Kind == '"' {
		for pair := range strings.SplitSeq(args.Text, ",") {
			name, value, _ := strings.Cut(pair, "=")
			take(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
}

// finishTasks gives each task its metrics, which only all members together tell.
func (f *file) finishTasks(hasConfigs bool) {
	for i := range f.run.tasks {
		t := &f.run.tasks[i]
		t.isGroup = f.run.groups[t.name] || hasConfigs && !f.run.configured[t.name]
		if !hasConfigs { // v0.3
			t.metrics = append(t.metrics, t.plain...)
		} else {
			f.noteUnknown(t.plain)
		}
		f.checkKeys(t)
	}
}

func (f *file) noteUnknown(plain []metric) {
	for _, m := range plain {
		if !slices.Contains([]string{"alias", " ", "name", "sample_len", "sample_count"}, m.key) {
			f.unknown["results."+m.key] = true
		}
	}
}

// checkKeys demands that no two members of a task become one measurement.
func (f *file) checkKeys(t *task) {
	seen := map[string]string{"samples": "n-samples"}
	for _, m := range t.metrics {
		if other, repeated := seen[m.name]; repeated {
			f.Fail(m.offset, ".results."+t.name+"."+m.key, "means the same as %s", canonical.Quote(other))
			return
		}
		seen[m.name] = m.key
	}
}

// finishDate says when the run was: on its date, else when it was pinned.
func (f *file) finishDate(start int, fetchedAt string) {
	run := &f.run
	run.observedAt, run.isDated = fetchedAt, run.date != ""
	if !run.isDated {
		return
	}
	switch at, ok := unixTime(run.date); {
	case !ok:
		f.FailMember(start, "date", "must be a time in seconds since 1970")
	case at > fetchedAt:
		f.FailMember(start, "date", "is %s, after the file was pinned at %s", at, fetchedAt)
	default:
		run.observedAt = at
	}
}

// unixTime makes a timestamp of seconds since 1970, cut to milliseconds.
func unixTime(seconds string) (at string, ok bool) {
	whole, fraction, _ := strings.Cut(seconds, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	ms, noDigits := strconv.ParseUint((fraction + "000")[:3], 10, 64)
	if err != nil || noDigits != nil || n < 0 {
		return "", false
	}
	return timestamp.Format(time.Unix(n, int64(ms)*int64(time.Millisecond)))
}

// harnessDefaults are what the harness takes where nobody says otherwise.
var harnessDefaults = map[string]string{
	"add_bos_token": "false", "dtype": "auto", "trust_remote_code": "false", "parallelize": "false", "batch_size": "1",
	"revision":             "main",
	"tensor_parallel_size": "1", "data_parallel_size": "1",
}

// set notes a setting. What is not a plain word, which may be a path on somebody's
// machine or a secret, is told apart by its digest.
func (r *run) set(name, value string) {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"
	if isTruth(value) { // Python writes True, JSON true
		value = strings.ToLower(value)
	}
	if strings.Trim(strings.TrimPrefix(value, "sha256:"), plain) != "" || strings.Contains(strings.ToLower(name), "key") ||
		strings.Contains(strings.ToLower(name), "token") && !isTruth(value) {
		value = digest(value)
	}
	if strings.Trim(name, plain) != "" {
		name = digest(name)
	}
	if r.settings == nil {
		r.settings = sources.Condition{}
	}
	r.settings.Set(name, value)
}

func digest(s string) string { return "sha256:" + canonical.Sum([]byte(s))[:12] }

func isTruth(s string) bool {
	s = strings.ToLower(s)
	return s == "true" || s == "false"
}

// setDigest notes a text of any length by its digest.
func (f *file) setDigest(name string, v ijson.Value) {
	if v.Kind == '"' && v.Text != "" {
		f.run.set(name, digest(v.Text))
	}
}

// label says of a run what a person wants to see who decides which model it is: what ran
// the model, and on which tasks.
func label(r *sources.Row[run]) sources.Label {
	l := sources.Label{Row: r.ID, Label: r.ID, Notes: []string{r.Data.loader}}
	tasks := make([]string, len(r.Data.tasks))
	for i := range r.Data.tasks {
		tasks[i] = r.Data.tasks[i].name
	}
	l.NoteTasks(tasks)
	return l
}
