package export

import (
	"cmp"
	"context"
	"encoding/binary"
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

// line is a slot or a sample group. What does not apply to it is null.
type line struct {
	*about
	*scope
	kind, key                string
	family, suite, taskID    string         // a sample group names no single task
	state                    compare.State  // of a slot
	value                    catalog.Scalar // of a slot in state value
	unit                     string
	values                   []compare.Value   // of a slot in state conflict
	samples                  compare.Aggregate // of a group
	observedAt, validUntil   string            // the newest of the observations, and when the last of them expires
	ids, sourceClasses, uris []string          // who says it
	head                     []byte            // of its JSON, which is longer than the row of a table
}

// about is what lines of one model have in common.
type about struct {
	json  string // the member model and what is before and after it
	cells cells
}

// scope is what lines of one execution have in common.
type scope struct {
	json, runtimeJSON string
	cells             cells // runtime and execution
}

// cells is a part of a row, with a comma before each cell.
type cells struct {
	text    string
	guarded int // how many got an apostrophe
}

// appendHead appends the beginning of the line as canonical JSON. Of lines with one key
// and kind it tells most apart.
func (l *line) appendHead(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"evidenceUris":`)
	e.Texts(l.uris)
	e.Raw(l.scope.json)
	return e.Buf
}

// appendRest appends what follows the head.
func (l *line) appendRest(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Member(`,"key":`, l.key)
	e.Raws(`,"kind":"`, l.kind)
	encodeNumber(&e, `","max":`, l.samples.Max)
	encodeNumber(&e, `,"mean":`, l.samples.Mean)
	encodeNumber(&e, `,"min":`, l.samples.Min)
	if e.Raw(l.about.json); l.kind == factLine {
		e.Raw("null")
	} else {
		e.Uint(uint64(l.samples.N))
	}
	e.Raw(`,"observationIds":`)
	e.Verbatim = true // none of these texts has an escape
	e.Texts(l.ids)
	e.Raws(`,"observedAt":"`, l.observedAt, `","runtime":`, l.runtimeJSON, `,"sourceClasses":`)
	e.Texts(l.sourceClasses)
	e.Verbatim = false
	e.MemberOrNull(`,"state":`, string(l.state))
	encodeNumber(&e, `,"successRate":`, l.samples.SuccessRate)
	if l.family == "" {
		e.Raw(`,"task":null`)
	} else {
		e.Member(`,"task":{"family":`, l.family)
		e.MemberOrNull(`,"suite":`, l.suite)
		e.MemberOrNull(`,"taskId":`, l.taskID)
		e.Raw("}")
	}
	e.MemberOrNull(`,"unit":`, l.unit)
	e.MemberOrNull(`,"validUntil":`, l.validUntil)
	e.Raw(`,"value":`)
	if l.value.Kind == 0 {
		e.Raw("null")
	} else {
		catalog.EncodeScalar(&e, l.value)
	}
	e.Raw(`,"values":`)
	if l.values == nil {
		e.Raw("null")
	} else {
		encodeValues(&e, l.values)
	}
	e.Raw("}\n")
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

	lines    []line
	order    []*line
	json     []byte // heads of lines
	texts    []string
	evidence []compare.Evidence
}

// make returns the lines of the models of one id.
func (w *lineMaker) make(entries []catalog.ModelEntry) *lines {
	w.json, w.texts = w.json[:0], w.texts[:0]
	for i := range entries {
		w.read(&entries[i])
	}
	w.sort()
	out, _ := w.spare.Get().(*lines)
	if out == nil {
		out = new(lines)
	}
	*out = lines{out.text[:0], len(w.lines), 0}
	for _, l := range w.order {
		if w.options.Format == CSV {
			out.text = l.appendRow(out.text, &out.guarded)
		} else {
			out.text = l.appendRest(append(out.text, l.head...))
		}
	}
	clear(w.lines)
	w.lines = w.lines[:0]
	return out
}

// sort orders the lines by key, kind and JSON. Where the heads do not tell them apart,
// the whole does.
func (w *lineMaker) sort() {
	w.order = w.order[:0]
	for i := range w.lines {
		w.order = append(w.order, &w.lines[i])
	}
	byHead := func(a, b *line) int {
		if a.key == b.key && a.kind == b.kind {
			return compareLines(a.head, b.head)
		}
		return cmp.Or(canonical.CompareText(a.key, b.key), strings.Compare(a.kind, b.kind))
	}
	slices.SortFunc(w.order, byHead)
	for rest := w.order; len(rest) > 0; {
		n := 1
		for n < len(rest) && byHead(rest[0], rest[n]) == 0 {
			n++
		}
		if n > 1 {
			whole := make(map[*line][]byte, n)
			for _, l := range rest[:n] {
				whole[l] = l.appendRest(nil)
			}
			slices.SortFunc(rest[:n], func(a, b *line) int { return compareLines(whole[a], whole[b]) })
		}
		rest = rest[n:]
	}
}

// compareLines is canonical.CompareText. Lines begin alike, so it takes long steps first.
func compareLines(a, b []byte) int {
	const step = 8
	i, n := 0, min(len(a), len(b))
	for i+step <= n && binary.LittleEndian.Uint64(a[i:]) == binary.LittleEndian.Uint64(b[i:]) {
		i += step
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return canonical.CompareText(string(a[i:min(i+1, len(a))]), string(b[i:min(i+1, len(b))])) // what differs first decides
}

// read adds the lines of a model.
func (w *lineMaker) read(entry *catalog.ModelEntry) {
	m := w.reader.Read(entry.Observations)
	view := m.At(w.asOf)
	uris := make([][]string, len(m.Observations)) // by observation, nil until a line needs it
	about := newAbout(entry)
	scopes := make([]scope, len(m.Executions))
	isWanted := make([]bool, len(m.Executions))
	for i := range m.Executions {
		scopes[i] = newScope(&m.Executions[i])
		isWanted[i] = len(w.options.Runtimes) == 0 || slices.Contains(w.options.Runtimes, m.Executions[i].Runtime.ID)
	}
	add := func(execution int, of []compare.Entry) *line {
		w.lines = append(w.lines, line{about: about, scope: &scopes[execution]})
		l := &w.lines[len(w.lines)-1]
		w.witness(l, m, uris, of)
		n := len(w.json)
		w.json = l.appendHead(w.json)
		l.head = w.json[n:]
		return l
	}
	for i := range m.Slots {
		slot := &m.Slots[i]
		if !isWanted[slot.Execution] {
			continue
		}
		facts, task := view.Facts(slot), &m.Tasks[slot.Task]
		l := add(slot.Execution, facts)
		l.kind, l.key, l.state = factLine, slot.MeasurementKey, view.State(slot)
		l.family, l.suite, l.taskID = task.Family, task.Suite, task.TaskID
		switch l.state {
		case compare.StateValue:
			l.value, l.unit = facts[0].Value, facts[0].Unit
		case compare.StateConflict:
			values := compare.DistinctValues(facts)
			l.values = values[:min(len(values), mostListed)]
		}
	}
	var used []compare.Entry
	for i := range m.Groups {
		group := &m.Groups[i]
		if !isWanted[group.Execution] {
			continue
		}
		used = used[:0]
		for _, s := range group.Samples {
			if view.Uses(s.Observation) {
				used = append(used, s)
			}
		}
		if len(used) == 0 {
			continue
		}
		l := add(group.Execution, used)
		l.kind, l.key, l.samples = samplesLine, group.MeasurementKey, view.Aggregate(group)
		l.family, l.suite, l.unit = group.Family, group.Suite, string(l.samples.Unit)
	}
}

func newAbout(entry *catalog.ModelEntry) *about {
	id := &entry.Identity
	var e canonical.Encoder
	e.Member(`,"model":{"id":`, id.ID)
	e.Member(`,"key":`, entry.Key)
	e.MemberOrNull(`,"quantization":`, id.Quantization)
	e.MemberOrNull(`,"revision":`, id.Revision)
	e.Raw(`},"n":`)
	return &about{string(e.Buf), newCells(func(r *rowEncoder) {
		r.text(id.ID)
		r.text(id.Revision)
		r.text(id.Quantization)
	})}
}

func newScope(x *compare.Execution) scope {
	var e canonical.Encoder
	e.TextOrNull(x.Runtime.ID)
	return scope{`,"execution":` + x.JSON, string(e.Buf), newCells(func(r *rowEncoder) {
		r.text(x.Runtime.ID)
		if r.Raw(","); x.JSON != "null" {
			r.quoted(x.JSON)
		}
	})}
}

// witness adds who says what the line tells. Where it can be seen is read once of each
// observation.
func (w *lineMaker) witness(l *line, m *compare.Model, uris [][]string, of []compare.Entry) {
	endless := false
	for _, e := range of {
		o := &m.Observations[e.Observation]
		l.observedAt = max(l.observedAt, o.Freshness.ObservedAt)
		l.validUntil = max(l.validUntil, o.Freshness.ValidUntil)
		endless = endless || o.Freshness.ValidUntil == ""
		if uris[e.Observation] != nil {
			continue
		}
		w.evidence = o.AppendEvidence(w.evidence[:0])
		uris[e.Observation] = w.list(func() {
			for _, seen := range w.evidence {
				if seen.URI != "" {
					w.texts = append(w.texts, string(seen.URI))
				}
			}
		})
	}
	if endless {
		l.validUntil = ""
	}
	l.ids = w.list(func() {
		for _, e := range of {
			w.texts = append(w.texts, m.Observations[e.Observation].ID)
		}
	})
	l.sourceClasses = w.list(func() {
		for _, e := range of {
			w.texts = append(w.texts, m.Observations[e.Observation].SourceClass)
		}
	})
	if len(of) == 1 {
		l.uris = uris[of[0].Observation]
		return
	}
	l.uris = w.list(func() {
		for _, e := range of {
			w.texts = append(w.texts, uris[e.Observation]...)
		}
	})
}

// list sorts the texts that are added, and returns the first of those that differ.
func (w *lineMaker) list(add func()) []string {
	start := len(w.texts)
	add()
	texts := w.texts[start:]
	if len(texts) > 1 {
		slices.SortFunc(texts, canonical.CompareText)
		texts = slices.Compact(texts)
	}
	w.texts = w.texts[:start+len(texts)]
	return texts[:min(len(texts), mostListed):len(texts)]
}

const csvColumns = "kind,model,revision,quantization,runtime,execution,family,suite,task,key,state,value,values,unit," +
	"n,mean,min,max,success_rate,observed_at,valid_until,source_classes,observations,evidence\n"

// appendRow appends the line as a row of the table (RFC 4180, with LF), and counts the
// cells that are guarded.
func (l *line) appendRow(dst []byte, guarded *int) []byte {
	r := rowEncoder{canonical.Encoder{Buf: dst}, guarded}
	r.Raws(l.kind, l.about.cells.text, l.scope.cells.text)
	*guarded += l.about.cells.guarded + l.scope.cells.guarded
	r.text(l.family)
	r.text(l.suite)
	r.text(l.taskID)
	r.text(l.key)
	r.Raws(",", string(l.state))
	if l.value.Kind == '"' {
		r.text(l.value.Text)
	} else if r.Raw(","); l.value.Kind != 0 {
		catalog.EncodeScalar(&r.Encoder, l.value)
	}
	if r.Raw(","); l.values != nil {
		var e canonical.Encoder
		encodeValues(&e, l.values)
		r.quoted(string(e.Buf))
	}
	r.text(l.unit)
	if r.Raw(","); l.kind == samplesLine {
		r.Uint(uint64(l.samples.N))
	}
	for _, n := range []compare.Number{l.samples.Mean, l.samples.Min, l.samples.Max, l.samples.SuccessRate} {
		if r.Raw(","); n.Known {
			r.Number(n.Value)
		}
	}
	r.Raws(",", l.observedAt, ",", l.validUntil, ",")
	r.join(l.sourceClasses)
	r.Raw(",")
	r.join(l.ids)
	r.text(strings.Join(l.uris, " "))
	r.Raw("\n")
	return r.Buf
}

// newCells keeps the cells that encode appends.
func newCells(encode func(*rowEncoder)) (c cells) {
	r := rowEncoder{guarded: &c.guarded}
	encode(&r)
	c.text = string(r.Buf)
	return c
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
		needsQuotes = isQuoted[s[i]]
	}
	if needsQuotes {
		r.quoted(s)
	} else {
		r.Raw(s)
	}
}

// isQuoted are the characters with which a cell is in quotation marks.
var isQuoted = [256]bool{',': true, '"': true, '\r': true, '\n': true}

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
