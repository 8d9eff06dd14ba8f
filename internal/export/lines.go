package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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

func writeLines(ctx context.Context, c *catalog.Catalog, o Options, file *File) error {
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
	var (
		texts   = make([]sorted, len(sameID))
		next    atomic.Int64
		running sync.WaitGroup
		writers = make([]*lineWriter, min(runtime.GOMAXPROCS(0), len(sameID)))
	)
	for i := range writers {
		w := newLineWriter(c.AsOf(), o)
		writers[i] = w
		running.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(sameID) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				texts[n] = w.write(sameID[n])
			}
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, w := range writers {
		file.Guarded += w.guarded
	}
	head := ""
	if o.Format == CSV {
		head = strings.Join(csvColumns, ",") + "\n"
	}
	size := len(head)
	for i := range texts {
		size += len(texts[i].text)
	}
	var out strings.Builder
	out.Grow(size)
	out.WriteString(head)
	for i := range texts {
		for _, line := range texts[i].lines {
			out.WriteString(texts[i].text[line.start:line.end])
		}
		file.Report.Exported.Rows += len(texts[i].lines)
		file.Report.Exported.Facts += len(texts[i].lines)
	}
	file.Text = out.String()
	return nil
}

// sorted is lines in a text, where they are in the order in which they were made.
type sorted struct {
	text  string
	lines []span // in the order that they have in the file
}

// span is a part of a text.
type span struct{ start, end int }

// lineWriter writes the lines of models, one id after the other, in the same space.
type lineWriter struct {
	options Options
	asOf    string
	reader  *compare.Reader
	guarded int // how many cells got an apostrophe

	lines []sortable
	json  []byte       // of the lines, each with its end of line
	rows  bytes.Buffer // of the table
	table *csv.Writer  // to rows; nil if it is JSON that is asked for

	ids, classes, uris []string // who says what one line tells
}

// sortable is a line with what decides its place. JSON decides in a table, too.
type sortable struct {
	key, kind string
	json, row span
}

func newLineWriter(asOf string, o Options) *lineWriter {
	w := &lineWriter{options: o, asOf: asOf, reader: compare.NewReader()}
	if o.Format == CSV {
		w.table = csv.NewWriter(&w.rows)
	}
	return w
}

// write returns the lines of the models of one id.
func (w *lineWriter) write(entries []catalog.ModelEntry) sorted {
	w.lines, w.json = w.lines[:0], w.json[:0]
	w.rows.Reset()
	for i := range entries {
		w.read(&entries[i])
	}
	json := string(w.json)
	slices.SortFunc(w.lines, func(a, b sortable) int {
		return cmp.Or(canonical.CompareText(a.key, b.key), strings.Compare(a.kind, b.kind),
			canonical.CompareText(json[a.json.start:a.json.end], json[b.json.start:b.json.end]))
	})
	out := sorted{json, make([]span, len(w.lines))}
	if w.table != nil {
		out.text = w.rows.String()
	}
	for i := range w.lines {
		if out.lines[i] = w.lines[i].json; w.table != nil {
			out.lines[i] = w.lines[i].row
		}
	}
	return out
}

// add adds a line as JSON and, if one is asked for, as a row of a table.
func (w *lineWriter) add(l *Line) {
	s := sortable{key: l.Key, kind: l.Kind, json: span{start: len(w.json)}}
	w.json = append(l.AppendJSON(w.json), '\n')
	s.json.end = len(w.json)
	if w.table != nil {
		s.row.start = w.rows.Len()
		cells := l.cells()
		for i := range cells {
			if guardFormula(&cells[i], i) {
				w.guarded++
			}
		}
		_ = w.table.Write(cells) // a buffer takes all
		w.table.Flush()
		s.row.end = w.rows.Len()
	}
	w.lines = append(w.lines, s)
}

// read adds the lines of a model.
func (w *lineWriter) read(entry *catalog.ModelEntry) {
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
	for i := range m.Executions {
		isWanted[i] = len(w.options.Runtimes) == 0 || slices.Contains(w.options.Runtimes, m.Executions[i].Runtime.ID)
	}
	add := func(l *Line, execution int, of []compare.Entry) {
		scope := &m.Executions[execution]
		l.Model, l.Runtime = about, canonical.Text(scope.Runtime.ID)
		if scope.JSON != "null" {
			l.Execution = JSON(scope.JSON)
		}
		w.witness(l, m, evidence, of)
		w.add(l)
	}
	for i := range m.Slots {
		slot := &m.Slots[i]
		if !isWanted[slot.Execution] {
			continue
		}
		state, facts := view.State(slot), view.Facts(slot)
		l := Line{Kind: factLine, Key: slot.MeasurementKey, State: canonical.Text(state), Task: tasks[slot.Task]}
		switch state {
		case compare.StateValue:
			value := compare.Scalar(facts[0].Value)
			l.Value, l.Unit = &value, canonical.Text(facts[0].Unit)
		case compare.StateConflict:
			values := compare.DistinctValues(facts)
			values = values[:min(len(values), mostListed)]
			l.Values = &values
		}
		add(&l, slot.Execution, facts)
	}
	var used []compare.Entry
	for i := range m.Groups {
		group := &m.Groups[i]
		if !isWanted[group.Execution] {
			continue
		}
		a := view.Aggregate(group)
		if a.N == 0 {
			continue
		}
		used = used[:0]
		for _, s := range group.Samples {
			if view.Uses(s.Observation) {
				used = append(used, s)
			}
		}
		l := Line{Kind: samplesLine, Key: group.MeasurementKey, Unit: a.Unit, N: &a.N, Mean: a.Mean, Min: a.Min, Max: a.Max, SuccessRate: a.SuccessRate}
		if group.Family != "" {
			l.Task = &LineTask{Family: group.Family, Suite: canonical.Text(group.Suite)}
		}
		add(&l, group.Execution, used)
	}
}

// witness adds who says what the line tells. Evidence is read once, when the first line
// needs it.
func (w *lineWriter) witness(l *Line, m *compare.Model, evidence [][]compare.Evidence, of []compare.Entry) {
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
			evidence[e.Observation] = o.Evidence()
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

var csvColumns = strings.Split("kind,model,revision,quantization,runtime,execution,family,suite,task,key,state,value,values,unit,"+
	"n,mean,min,max,success_rate,observed_at,valid_until,source_classes,observations,evidence", ",")

// numeric are the columns whose cells are numbers, JSON or what svc writes itself: no
// text of a stranger.
var numeric = map[string]bool{"n": true, "mean": true, "min": true, "max": true, "success_rate": true,
	"kind": true, "state": true, "observed_at": true, "valid_until": true, "observations": true, "execution": true, "values": true}

// cells are the columns of a line.
func (l *Line) cells() []string {
	number := func(n compare.Number) string {
		if !n.Known {
			return ""
		}
		return string(canonical.AppendNumber(nil, n.Value))
	}
	value, values, n := "", "", ""
	if l.Value != nil {
		value = l.Value.Text
		if l.Value.Kind == 't' || l.Value.Kind == 'f' {
			value = flagJSON(l.Value.Kind == 't')
		}
		if l.Value.Kind == '"' && opensFormula(value) {
			value = "'" + value
		}
	}
	if l.Values != nil {
		var e canonical.Encoder
		encodeValues(&e, *l.Values)
		values = string(e.Buf)
	}
	if l.N != nil {
		n = uintText(uint64(*l.N))
	}
	task := LineTask{}
	if l.Task != nil {
		task = *l.Task
	}
	return []string{l.Kind, l.Model.ID, string(l.Model.Revision), string(l.Model.Quantization), string(l.Runtime), string(l.Execution),
		task.Family, string(task.Suite), string(task.TaskID), l.Key, string(l.State), value, values, string(l.Unit),
		n, number(l.Mean), number(l.Min), number(l.Max), number(l.SuccessRate), string(l.ObservedAt), string(l.ValidUntil),
		strings.Join(l.SourceClasses, " "), strings.Join(l.ObservationIDs, " "), strings.Join(l.EvidenceURIs, " ")}
}

// opensFormula reports whether a spreadsheet would take a text for a formula.
func opensFormula(text string) bool {
	return text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0
}

// guardFormula puts an apostrophe before what a spreadsheet would take for a formula,
// and reports whether a cell has one for that.
func guardFormula(cell *string, column int) bool {
	switch name := csvColumns[column]; {
	case name == "value": // where it may be a number, which cells knows
		return strings.HasPrefix(*cell, "'") && opensFormula((*cell)[1:])
	case opensFormula(*cell) && !numeric[name]:
		*cell = "'" + *cell
		return true
	}
	return false
}
