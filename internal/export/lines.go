package export

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
)

// This file is the two formats that tell everything that was measured, with its state: a
// line for each slot and for each sample group with used samples.

// Line is a slot or a sample group. What does not apply to it is null.
type Line struct {
	Kind           string           `json:"kind"` // fact or samples
	Model          LineModel        `json:"model"`
	Runtime        canonical.Text   `json:"runtime"`
	Execution      JSON             `json:"execution"`
	Task           *LineTask        `json:"task"`
	Key            string           `json:"key"`
	State          canonical.Text   `json:"state"` // value, conflict or expired
	Value          *compare.Scalar  `json:"value"`
	Unit           canonical.Text   `json:"unit"`
	Values         *[]compare.Value `json:"values"` // of a conflict
	N              *int             `json:"n"`
	Mean           compare.Number   `json:"mean"`
	Min            compare.Number   `json:"min"`
	Max            compare.Number   `json:"max"`
	SuccessRate    compare.Number   `json:"successRate"`
	ObservedAt     canonical.Text   `json:"observedAt"` // the newest of the observations
	ValidUntil     canonical.Text   `json:"validUntil"` // when the last of them expires
	SourceClasses  []string         `json:"sourceClasses"`
	ObservationIDs []string         `json:"observationIds"`
	EvidenceURIs   []string         `json:"evidenceUris"`
}

// LineModel is the model of a line.
type LineModel struct {
	Key          string         `json:"key"`
	ID           string         `json:"id"`
	Revision     canonical.Text `json:"revision"`
	Quantization canonical.Text `json:"quantization"`
}

// LineTask is the task of a line; that of a sample group names no single task.
type LineTask struct {
	Family string         `json:"family"`
	Suite  canonical.Text `json:"suite"`
	TaskID canonical.Text `json:"taskId"`
}

// AppendJSON appends the line as canonical JSON. It writes what [canonical.Marshal] would,
// without the way through encoding/json: a catalog has more lines than observations.
func (l *Line) AppendJSON(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"evidenceUris":`)
	e.Texts(l.EvidenceURIs)
	e.Raw(`,"execution":`)
	if l.Execution == "" {
		e.Raw("null")
	}
	e.Raw(string(l.Execution))
	e.Member(`,"key":`, l.Key)
	e.Member(`,"kind":`, l.Kind)
	encodeNumber(&e, `,"max":`, l.Max)
	encodeNumber(&e, `,"mean":`, l.Mean)
	encodeNumber(&e, `,"min":`, l.Min)
	e.Member(`,"model":{"id":`, l.Model.ID)
	e.Member(`,"key":`, l.Model.Key)
	e.MemberOrNull(`,"quantization":`, string(l.Model.Quantization))
	e.MemberOrNull(`,"revision":`, string(l.Model.Revision))
	e.Raw(`},"n":`)
	if l.N == nil {
		e.Raw("null")
	} else {
		e.Uint(uint64(*l.N))
	}
	e.Raw(`,"observationIds":`)
	e.Texts(l.ObservationIDs)
	e.MemberOrNull(`,"observedAt":`, string(l.ObservedAt))
	e.MemberOrNull(`,"runtime":`, string(l.Runtime))
	e.Raw(`,"sourceClasses":`)
	e.Texts(l.SourceClasses)
	e.MemberOrNull(`,"state":`, string(l.State))
	encodeNumber(&e, `,"successRate":`, l.SuccessRate)
	e.Raw(`,"task":`)
	if l.Task == nil {
		e.Raw("null")
	} else {
		e.Member(`{"family":`, l.Task.Family)
		e.MemberOrNull(`,"suite":`, string(l.Task.Suite))
		e.MemberOrNull(`,"taskId":`, string(l.Task.TaskID))
		e.Raw("}")
	}
	e.MemberOrNull(`,"unit":`, string(l.Unit))
	e.MemberOrNull(`,"validUntil":`, string(l.ValidUntil))
	e.Raw(`,"value":`)
	if l.Value == nil {
		e.Raw("null")
	} else {
		catalog.EncodeScalar(&e, catalog.Scalar(*l.Value))
	}
	e.Raw(`,"values":`)
	if l.Values == nil {
		e.Raw("null")
	} else {
		encodeValues(&e, *l.Values)
	}
	e.Raw("}")
	return e.Buf
}

func encodeNumber(e *canonical.Encoder, before string, n compare.Number) {
	if e.Raw(before); !n.Known {
		e.Raw("null")
		return
	}
	e.Number(n.Value)
}

func encodeValues(e *canonical.Encoder, values []compare.Value) {
	e.Raw("[")
	for i, v := range values {
		if i > 0 {
			e.Raw(",")
		}
		e.MemberOrNull(`{"unit":`, string(v.Unit))
		e.Raw(`,"value":`)
		catalog.EncodeScalar(e, catalog.Scalar(v.Value))
		e.Raw("}")
	}
	e.Raw("]")
}

// The kinds of a line.
const (
	factLine    = "fact"
	samplesLine = "samples"
)

// mostListed is how many entries the lists of a line have at most.
const mostListed = 64

// WriteLines exports a catalog as ndjson or csv, while it makes the lines. If there are
// none the error is [ErrNothing], and nothing is written.
func WriteLines(ctx context.Context, c *catalog.Catalog, o Options, w io.Writer) (*File, error) {
	entries := slices.Clone(c.Models())
	slices.SortStableFunc(entries, func(a, b catalog.ModelEntry) int { return canonical.CompareText(a.Identity.ID, b.Identity.ID) })
	var sameID [][]catalog.ModelEntry // models with one id, whose lines are sorted together
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].Identity.ID == entries[0].Identity.ID {
			n++
		}
		sameID, entries = append(sameID, entries[:n]), entries[n:]
	}
	file := &File{Report: NewReport(c, o.Format)}
	exported := &file.Report.Exported
	var spare sync.Pool
	makers := func() func(int) *lines {
		maker := &lineMaker{options: o, asOf: c.AsOf(), reader: compare.NewReader(), spare: &spare}
		return func(i int) *lines { return maker.make(sameID[i]) }
	}
	err := inOrder(ctx, len(sameID), makers, func(part *lines) error {
		defer spare.Put(part)
		if exported.Rows == 0 && part.rows > 0 && o.Format == CSV {
			if _, err := io.WriteString(w, csvColumns); err != nil {
				return err
			}
		}
		exported.Rows += part.rows
		exported.Facts += part.rows
		file.Guarded += part.guarded
		_, err := w.Write(part.text)
		return err
	})
	if err == nil && exported.Rows == 0 {
		err = ErrNothing
	}
	return file, err
}

// lines is what comes of the models of one id, as it is in the file.
type lines struct {
	text    []byte
	rows    int
	guarded int // how many cells got an apostrophe
}

// lineMaker makes the lines of models, one id after the other, in the same space.
type lineMaker struct {
	options Options
	asOf    string
	reader  *compare.Reader
	spare   *sync.Pool // of lines
	guarded int

	line       Line // that is being made, with what it points to
	value      compare.Scalar
	aggregate  compare.Aggregate
	lines      []sortable
	json       []byte   // of the lines, each with its end of line
	table      []byte   // rows of the table
	executions []string // of the model, as cells

	ids, classes, uris []string // who says what one line tells
}

// sortable is a line with what decides its place. JSON decides in a table, too.
type sortable struct {
	key, kind string
	json, row []byte
}

// make returns the lines of the models of one id.
func (w *lineMaker) make(entries []catalog.ModelEntry) *lines {
	w.lines, w.json, w.table, w.guarded = w.lines[:0], w.json[:0], w.table[:0], 0
	for i := range entries {
		w.read(&entries[i])
	}
	slices.SortFunc(w.lines, func(a, b sortable) int {
		return cmp.Or(canonical.CompareText(a.key, b.key), strings.Compare(a.kind, b.kind), compareLines(a.json, b.json))
	})
	out, _ := w.spare.Get().(*lines)
	if out == nil {
		out = new(lines)
	}
	*out = lines{out.text[:0], len(w.lines), w.guarded}
	for i := range w.lines {
		out.text = append(out.text, w.lines[i].row...)
	}
	clear(w.lines)
	return out
}

// compareLines is canonical.CompareText. Lines begin alike, so it takes long steps first.
func compareLines(a, b []byte) int {
	const step = 32
	i, n := 0, min(len(a), len(b))
	for i+step <= n && bytes.Equal(a[i:i+step], b[i:i+step]) {
		i += step
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return canonical.CompareText(string(a[i:min(i+1, len(a))]), string(b[i:min(i+1, len(b))])) // what differs first decides
}

// add adds a line as JSON and, if one is asked for, as a row of a table.
func (w *lineMaker) add(l *Line, execution int) {
	s := sortable{key: l.Key, kind: l.Kind}
	n := len(w.json)
	w.json = append(l.AppendJSON(w.json), '\n')
	s.json = w.json[n:]
	s.row = s.json
	if w.options.Format == CSV {
		n := len(w.table)
		w.table = l.appendRow(w.table, w.executions[execution], &w.guarded)
		s.row = w.table[n:]
	}
	w.lines = append(w.lines, s)
}

// read adds the lines of a model.
func (w *lineMaker) read(entry *catalog.ModelEntry) {
	m := w.reader.Read(entry.Observations)
	view := m.At(w.asOf)
	id := &entry.Identity
	about := LineModel{entry.Key, id.ID, canonical.Text(id.Revision), canonical.Text(id.Quantization)}
	evidence := make([][]compare.Evidence, len(m.Observations)) // by observation, nil until a line needs it
	tasks := make([]*LineTask, len(m.Tasks))
	for i := range m.Tasks {
		if t := &m.Tasks[i]; t.Family != "" {
			tasks[i] = &LineTask{t.Family, canonical.Text(t.Suite), canonical.Text(t.TaskID)}
		}
	}
	isWanted := make([]bool, len(m.Executions))
	w.executions = w.executions[:0]
	for i := range m.Executions {
		var cell rowEncoder
		if scope := m.Executions[i].JSON; w.options.Format == CSV && scope != "null" {
			cell.quoted(scope)
		}
		w.executions = append(w.executions, string(cell.Buf))
		isWanted[i] = len(w.options.Runtimes) == 0 || slices.Contains(w.options.Runtimes, m.Executions[i].Runtime.ID)
	}
	l := &w.line
	add := func(execution int, of []compare.Entry) {
		scope := &m.Executions[execution]
		l.Model, l.Runtime = about, canonical.Text(scope.Runtime.ID)
		if scope.JSON != "null" {
			l.Execution = JSON(scope.JSON)
		}
		w.witness(l, m, evidence, of)
		w.add(l, execution)
	}
	for i := range m.Slots {
		slot := &m.Slots[i]
		if !isWanted[slot.Execution] {
			continue
		}
		state, facts := view.State(slot), view.Facts(slot)
		*l = Line{Kind: factLine, Key: slot.MeasurementKey, State: canonical.Text(state), Task: tasks[slot.Task]}
		switch state {
		case compare.StateValue:
			w.value = compare.Scalar(facts[0].Value)
			l.Value, l.Unit = &w.value, canonical.Text(facts[0].Unit)
		case compare.StateConflict:
			values := compare.DistinctValues(facts)
			values = values[:min(len(values), mostListed)]
			l.Values = &values
		}
		add(slot.Execution, facts)
	}
	var used []compare.Entry
	for i := range m.Groups {
		group := &m.Groups[i]
		if !isWanted[group.Execution] {
			continue
		}
		a := &w.aggregate
		if *a = view.Aggregate(group); a.N == 0 {
			continue
		}
		used = used[:0]
		for _, s := range group.Samples {
			if view.Uses(s.Observation) {
				used = append(used, s)
			}
		}
		*l = Line{Kind: samplesLine, Key: group.MeasurementKey, Unit: a.Unit, N: &a.N, Mean: a.Mean, Min: a.Min, Max: a.Max, SuccessRate: a.SuccessRate}
		if group.Family != "" {
			l.Task = &LineTask{Family: group.Family, Suite: canonical.Text(group.Suite)}
		}
		add(group.Execution, used)
	}
}

// witness adds who says what the line tells. Evidence is read once, when the first line
// needs it.
func (w *lineMaker) witness(l *Line, m *compare.Model, evidence [][]compare.Evidence, of []compare.Entry) {
	w.ids, w.classes, w.uris = w.ids[:0], w.classes[:0], w.uris[:0]
	endless := false
	for i, e := range of {
		if i > 0 && of[i-1].Observation == e.Observation {
			continue // the entries of an observation are neighbours
		}
		o := &m.Observations[e.Observation]
		w.ids = append(w.ids, o.ID)
		if !slices.Contains(w.classes, o.SourceClass) { // of two
			w.classes = append(w.classes, o.SourceClass)
		}
		l.ObservedAt = max(l.ObservedAt, canonical.Text(o.Freshness.ObservedAt))
		l.ValidUntil = max(l.ValidUntil, canonical.Text(o.Freshness.ValidUntil))
		endless = endless || o.Freshness.ValidUntil == ""
		if evidence[e.Observation] == nil {
			evidence[e.Observation] = w.reader.Evidence(o)
		}
		for _, seen := range evidence[e.Observation] {
			if seen.URI != "" {
				w.uris = append(w.uris, string(seen.URI))
			}
		}
	}
	if endless {
		l.ValidUntil = ""
	}
	l.ObservationIDs, l.SourceClasses, l.EvidenceURIs = listed(w.ids), listed(w.classes), listed(w.uris)
}

// listed sorts texts and returns the first of those that differ.
func listed(texts []string) []string {
	slices.SortFunc(texts, canonical.CompareText)
	texts = slices.Compact(texts)
	return texts[:min(len(texts), mostListed)]
}

const csvColumns = "kind,model,revision,quantization,runtime,execution,family,suite,task,key,state,value,values,unit," +
	"n,mean,min,max,success_rate,observed_at,valid_until,source_classes,observations,evidence\n"

// appendRow appends the line as a row of the table (RFC 4180, with LF), and counts the
// cells that are guarded. The cell of the execution is the same for many lines.
func (l *Line) appendRow(dst []byte, execution string, guarded *int) []byte {
	r := rowEncoder{canonical.Encoder{Buf: dst}, guarded}
	task := LineTask{}
	if l.Task != nil {
		task = *l.Task
	}
	r.Raw(l.Kind)
	r.text(l.Model.ID)
	r.text(string(l.Model.Revision))
	r.text(string(l.Model.Quantization))
	r.text(string(l.Runtime))
	r.Raws(",", execution)
	r.text(task.Family)
	r.text(string(task.Suite))
	r.text(string(task.TaskID))
	r.text(l.Key)
	r.Raws(",", string(l.State))
	if l.Value != nil && l.Value.Kind == '"' {
		r.text(l.Value.Text)
	} else if r.Raw(","); l.Value != nil {
		catalog.EncodeScalar(&r.Encoder, catalog.Scalar(*l.Value))
	}
	if r.Raw(","); l.Values != nil {
		var e canonical.Encoder
		encodeValues(&e, *l.Values)
		r.quoted(string(e.Buf))
	}
	r.text(string(l.Unit))
	if r.Raw(","); l.N != nil {
		r.Uint(uint64(*l.N))
	}
	for _, n := range []compare.Number{l.Mean, l.Min, l.Max, l.SuccessRate} {
		if r.Raw(","); n.Known {
			r.Number(n.Value)
		}
	}
	r.Raws(",", string(l.ObservedAt), ",", string(l.ValidUntil), ",")
	r.join(l.SourceClasses)
	r.Raw(",")
	r.join(l.ObservationIDs)
	r.text(strings.Join(l.EvidenceURIs, " "))
	r.Raw("\n")
	return r.Buf
}

// rowEncoder appends cells. What svc makes itself goes in as it is.
type rowEncoder struct {
	canonical.Encoder
	guarded *int
}

// text appends a comma and a text of strangers: with an apostrophe if a spreadsheet would
// take it for a formula.
func (r *rowEncoder) text(s string) {
	if r.Raw(","); opensFormula(s) {
		*r.guarded++
		s = "'" + s
	}
	needsQuotes := strings.HasPrefix(s, " ")
	for i := 0; i < len(s) && !needsQuotes; i++ {
		needsQuotes = s[i] == ',' || s[i] == '"' || s[i] == '\r' || s[i] == '\n'
	}
	if needsQuotes {
		r.quoted(s)
	} else {
		r.Raw(s)
	}
}

// quoted appends a text in quotation marks.
func (r *rowEncoder) quoted(s string) {
	r.Raw(`"`)
	for i, part := range strings.Split(s, `"`) {
		if i > 0 {
			r.Raw(`""`)
		}
		r.Raw(part)
	}
	r.Raw(`"`)
}

func (r *rowEncoder) join(list []string) {
	for i, s := range list {
		if i > 0 {
			r.Raw(" ")
		}
		r.Raw(s)
	}
}

// opensFormula reports whether a spreadsheet would take a text for a formula.
func opensFormula(text string) bool {
	return text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0
}
