// Package swebench reads the leaderboards of SWE-bench: submissions of agents, each with the share
// of real issues of repositories that it resolved.
//
//	{"leaderboards": [{"name": "Verified", "results": [{"name": "Mender + Atlas 70B",
//	  "folder": "20241029_mender_atlas-70b", "resolved": 53.0, "date": "2024-10-29",
//	  "verified": true, "oss": true, "warning": null}]}]}
//
// A row is a submission, known by its board and folder. What its name says before the model is the
// agent, which is the workflow. How many tasks a board has is not in the file but on its site, and
// a share that no whole number of them gives is reported. Files of 2025 and later call the flags
// checked, os_system and os_model, and some name the model in a tag.
package swebench

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "swe-bench"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[row, sources.ScoreEntry]{
		Source:         Source,
		Entry:          sources.ScoreEntries(),
		ReadRows:       readRows,
		Label:          label,
		OneRowPerScope: true,
		Head:           true,
		Observe:        observe,
	})
}

// tasks are how many tasks a board has, by its site.
var tasks = map[string]float64{
	"bash-only": 500, "lite": 300, "multilingual": 300, "multimodal": 517, "test": 2294, "verified": 500,
}

// row is a submission.
type row struct {
	snapshot *sources.Snapshot
	board    string
	value    ijson.Value
	agent    string
	model    string // what the row calls the model; several are joined by commas
}

// known are the fields of a submission; what none of them reads is reported once.
var known = map[string]bool{
	"name": true, "folder": true, "resolved": true, "date": true, "logs": true, "trajs": true, "site": true,
	"verified": true, "oss": true, "org_logo": true, "warning": true, "checked": true, "os_model": true, "os_system": true,
	"logo": true, "tags": true, "trajs_docent": true, "cost": true, "instance_cost": true, "instance_calls": true,
	"mini-swe-agent_version": true, "per_instance_details": true, "attempts": true,
}

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[row], error) {
	s, err := sources.Single(snapshots, "a file of leaderboards")
	if err != nil {
		return nil, err
	}
	f := file{snapshot: s, reader: s.Reader(), seen: map[string]bool{}, unknown: map[string]bool{}}
	names := f.reader.Names()
	for names.Next() {
		if names.Name() != "leaderboards" {
			f.unknown[names.Name()] = true
			f.reader.Value()
			continue
		}
		for l := f.reader.List(); l.Next(); {
			f.board(l.Index())
		}
	}
	if names.OK() && !names.Seen("leaderboards") {
		f.reader.Fail(names.Start(), ".leaderboards", "missing field: this is not a file of leaderboards")
	}
	if faults := f.reader.End(); faults != nil {
		return nil, s.Refuse(faults)
	}
	notes.AddUnknown(f.unknown, s)
	return f.rows, nil
}

// file reads a file of leaderboards.
type file struct {
	snapshot *sources.Snapshot
	reader   *ijson.Reader
	rows     []sources.Row[row]
	seen     map[string]bool
	unknown  map[string]bool
}

// board reads a board, whose name may come after its submissions.
func (f *file) board(index int) {
	r, begin, name := f.reader, len(f.rows), ""
	n := r.Names()
	for n.Next() {
		switch n.Name() {
		case "name":
			name = strings.ToLower(r.Text())
		case "results":
			for l := r.List(); l.Next(); {
				at := r.Offset()
				f.submission(at, ".leaderboards["+strconv.Itoa(index)+"].results["+strconv.Itoa(l.Index())+"]")
			}
		default:
			f.unknown[n.Name()] = true
			r.Value()
		}
	}
	if n.OK() && name == "" {
		r.Fail(n.Start(), ".name", "missing field: it names the board")
	}
	for i := begin; i < len(f.rows); i++ {
		in := &f.rows[i]
		in.Data.board, in.ID = name, name+"/"+in.ID
		if f.seen[in.ID] {
			r.Fail(in.Where.Offset, "", "must be one submission: %s is repeated", canonical.Quote(in.ID))
		}
		f.seen[in.ID] = true
		if tasks[name] == 0 && in.Skip == "" {
			in.Skip, in.Why = sources.UnknownBoard, "the board "+canonical.Quote(name)+" is not known, and so not how many "+
				"tasks it has"
		}
	}
}

// submission reads a submission.
func (f *file) submission(at int, path string) {
	v := f.reader.Value()
	in := sources.Row[row]{Where: sources.Where{Snapshot: f.snapshot, Path: path, Offset: at},
		Data: row{snapshot: f.snapshot, value: v}}
	in.ID = text(v, "folder")
	date := text(v, "date")
	switch {
	case v.Kind != '{':
		f.reader.Fail(at, "", "must be a submission")
		return
	case !ijson.IsText(in.ID):
		f.reader.Fail(at, ".folder", "missing field: it names the submission")
		return
	case !sources.IsDate(date):
		in.Skip, in.Why = sources.RowUndated, "has no date like 2025-02-25: "+canonical.Quote(date)
	case sources.Midnight(date) > f.snapshot.Envelope().FetchedAt:
		in.Skip, in.Why = sources.RowInFuture, "is dated "+date+", after it was fetched"
	}
	for _, m := range v.Members {
		if !known[m.Name] {
			f.unknown[m.Name] = true
		}
	}
	in.Data.agent, in.Data.model = takeApart(text(v, "name"))
	if models := tagged(v, "Model: "); len(models) > 0 {
		in.Data.model = strings.Join(models, ", ")
	}
	f.rows = append(f.rows, in)
}

// text returns a field that is a text, "" if it is none.
func text(v ijson.Value, name string) string {
	field, _ := v.Get(name)
	if field.Kind != '"' {
		return ""
	}
	return strings.TrimSpace(field.Text)
}

// tagged returns what tags say after a beginning.
func tagged(v ijson.Value, prefix string) (list []string) {
	tags, _ := v.Get("tags")
	for _, tag := range tags.Items {
		if rest, ok := strings.CutPrefix(tag.Text, prefix); ok && ijson.IsText(rest) {
			list = append(list, rest)
		}
	}
	return list
}

var inBrackets = regexp.MustCompile(`^(.*\S)\s*\(([^()]*[A-Za-z]{3}[^()]*)\)$`)

// takeApart reads the name of a submission: the agent, and the model behind a plus or in brackets.
// What names no model has the whole name as its agent, and as what may be a model.
//
//	Mender 2 + Atlas 70B (20241022)    Mender 2, Atlas 70B (20241022)
//	Mender 2 (atlas-70b)               Mender 2, atlas-70b
func takeApart(name string) (agent, model string) {
	if i := strings.LastIndex(name, " + "); i >= 0 {
		return name[:i], strings.TrimSpace(name[i+len(" + "):])
	}
	if m := inBrackets.FindStringSubmatch(name); m != nil {
		return m[1], m[2]
	}
	return name, name
}

func label(in *sources.Row[row]) sources.Label {
	return sources.Label{Row: in.ID, Label: in.Data.model, Notes: []string{text(in.Data.value, "name"), in.Data.board +
		" of " + text(in.Data.value, "date")}}
}

func observe(b *sources.Batch, in *sources.Row[row], e *sources.ScoreEntry) {
	x := &in.Data
	suite := Source + "." + x.board
	list := x.measurements(b, suite)
	if list == nil {
		return
	}
	rec := record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime:     e.Runtime,
			Adapter:     record.Component{ID: Source},
			ToolSurface: []string{},
			Workflow: record.Workflow{ID: x.agent, Version: record.Text(text(x.value, "date")),
				Condition: record.Text(e.Condition)},
		}},
		Task: record.Task{Family: "software-engineering", Suite: record.Text(suite), TaskID: record.Text(suite),
			Evaluator: record.Component{ID: Source}},
		Measurements: list,
		Outcome:      record.Outcome{Status: record.OutcomeAccepted},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(sources.Midnight(text(x.value, "date")))},
		Uncertainty:  x.uncertainty(),
	}
	b.Observe(&rec, record.External, sources.Cell{
		Kind: "leaderboard-row",
		URI:  x.snapshot.URI(),
		JSON: sources.Object("board", canonical.Quote(x.board), "submission", string(x.read().AppendCanonical(nil))),
	}, "")
}

// flags are the flags of a submission, by the names that they have had.
var flags = []struct{ key, now, once string }{
	{"checked", "checked", "verified"}, {"open_model", "os_model", ""}, {"open_system", "os_system", "oss"},
}

// flag returns a flag; ok is false if the row does not have it.
func (x *row) flag(now, once string) (is, ok bool) {
	for _, name := range []string{now, once} {
		if v, _ := x.value.Get(name); v.Kind == 't' || v.Kind == 'f' {
			return v.Kind == 't', true
		}
	}
	return false, false
}

func (x *row) measurements(b *sources.Batch, suite string) []record.Measurement {
	v, _ := x.value.Get("resolved")
	number := record.Scalar{Kind: '0', Text: v.Text}
	if v.Kind != '0' || number.Float() < 0 || number.Float() > 100 {
		b.Note(sources.InvalidValue, ".resolved", -1, "is no percentage: left out")
		return nil
	}
	n := tasks[x.board]
	list := []record.Measurement{
		{Key: suite + ".resolved", Kind: record.Sample, Value: number, Unit: "percent"},
		{Key: suite + ".tasks", Kind: record.Sample, Value: record.Number(n), Unit: "tasks"},
	}
	const rounding = 0.005 + 1e-9
	if share := number.Float(); math.Abs(math.Round(share*n/100)*100/n-share) > rounding {
		b.Note(sources.RateDiffers, ".resolved", -1,
			"is printed as "+v.Text+", which no whole number of "+strconv.Itoa(int(n))+" tasks gives")
	}
	for _, name := range []string{"cost", "instance_cost"} {
		if v, is := x.value.Get(name); is && v.Kind == '0' && v.Text != "0" {
			list = append(list, record.Measurement{Key: suite + "." + name, Kind: record.Sample,
				Value: record.Scalar{Kind: '0', Text: v.Text}, Unit: "USD"})
		}
	}
	for _, f := range flags {
		if is, ok := x.flag(f.now, f.once); ok {
			list = append(list, record.Measurement{Key: suite + "." + f.key, Kind: record.Sample, Value: record.Bool(is)})
		}
	}
	return list
}

// read is what was taken of a submission.
func (x *row) read() ijson.Value {
	out := ijson.Value{Kind: '{'}
	for _, name := range []string{"checked", "cost", "date", "folder", "instance_cost", "name", "os_model", "os_system",
		"oss", "resolved", "tags", "verified", "warning"} {
		if v, is := x.value.Get(name); is {
			out.Members = append(out.Members, ijson.Member{Name: name, Value: v})
		}
	}
	return out
}

func (x *row) uncertainty() record.Uncertainty {
	u := sources.Uncertainty{Level: record.LevelHigh}
	u.Basisf("the share of the %v tasks of SWE-bench %s that the submission %s resolved", tasks[x.board], x.board,
		canonical.Quote(text(x.value, "name")))
	if is, _ := x.flag("checked", "verified"); is {
		u.Level = record.LevelModerate
		u.Basisf("the makers of the benchmark ran the submission again")
	} else {
		u.Gapf("nobody but its authors ran the submission")
	}
	if warning, is := x.value.Get("warning"); is && warning.Kind != 'n' && warning.Kind != 'f' {
		u.Level = record.LevelHigh
		u.Gapf("the leaderboard warns of the submission")
	}
	u.Gapf("the number of tasks is that of the site: the file does not state it")
	u.Gapf("attempts, budget and settings of the model are not disclosed beyond the names")
	return record.Uncertainty(u)
}
