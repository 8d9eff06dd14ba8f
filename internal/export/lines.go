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
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the two formats that tell everything that was measured, with its state: a
// line for each slot and for each sample group with used samples.

// line is a slot or a sample group. What does not apply to it is null.
type line struct {
	about    *about
	scope    *scope
	witness  *witness
	key      string
	family   string
	suite    string
	taskID   string        // a sample group names no single task
	state    compare.State // of a slot
	value    record.Scalar // of a slot in state value
	unit     string
	conflict []compare.Value    // the values of a slot in state conflict
	samples  *compare.Aggregate // of a group
	place    int                // of its key and kind among the others
	middle   []byte             // nil until it is compared
}

// about is what lines of one model have in common.
type about struct {
	json, cells []byte // of the JSON the member model and what is before and after it
	guarded     int    // how many cells got an apostrophe
}

// scope is what lines of one execution have in common.
type scope struct {
	json, runtimeJSON string
	cells             string // runtime and execution
	guarded           int
}

// witness is who says what a line tells: often one observation, which says it of many
// lines.
type witness struct {
	observedAt, validUntil   string // the newest of the observations, and when the last of them expires
	ids, sourceClasses, uris []string
	head, json               []byte // what lines begin with, as JSON, and the members from observationIds to state
	cells                    []byte
	guarded                  int // of the cells
}

// appendHead appends the beginning of lines as canonical JSON. Of lines with one key and
// kind it tells most apart.
func (w *witness) appendHead(dst []byte, s *scope) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"evidenceUris":`)
	e.Texts(w.uris)
	e.Raws(s.json, `,"key":`)
	return e.Buf
}

// appendJSON appends the members of lines from observationIds to state.
func (w *witness) appendJSON(dst []byte, s *scope) []byte {
	e := canonical.Encoder{Buf: dst, Verbatim: true} // none of these texts has an escape
	e.Raw(`,"observationIds":`)
	e.Texts(w.ids)
	e.Raws(`,"observedAt":"`, w.observedAt, `","runtime":`, s.runtimeJSON, `,"sourceClasses":`)
	e.Texts(w.sourceClasses)
	e.Raw(`,"state":`)
	return e.Buf
}

// appendCells appends the last cells of rows.
func (w *witness) appendCells(dst []byte, guarded *int) []byte {
	r := rowEncoder{canonical.Encoder{Buf: dst}, guarded}
	r.Raws(",", w.observedAt, ",", w.validUntil, ",")
	r.join(w.sourceClasses)
	r.Raw(",")
	r.join(w.ids)
	switch len(w.uris) {
	case 0:
		r.Raw(",")
	case 1:
		r.text(w.uris[0])
	default:
		r.text(strings.Join(w.uris, " "))
	}
	r.Raw("\n")
	return r.Buf
}

// appendMiddle appends what follows the key of a line, as JSON, up to what its witness
// says.
func (l *line) appendMiddle(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	if l.samples == nil {
		e.Raw(`,"kind":"fact","max":null,"mean":null,"min":null`)
		e.Append(append(append(e.Buf, l.about.json...), "null"...))
		return e.Buf
	}
	encodeNumber(&e, `,"kind":"samples","max":`, l.samples.Max)
	encodeNumber(&e, `,"mean":`, l.samples.Mean)
	encodeNumber(&e, `,"min":`, l.samples.Min)
	e.Append(append(e.Buf, l.about.json...))
	e.Uint(uint64(l.samples.N))
	return e.Buf
}

// appendJSON appends what follows the head of the line.
func (l *line) appendJSON(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Text(l.key)
	e.Append(l.appendMiddle(e.Buf))
	if l.witness.json == nil {
		l.witness.json = l.witness.appendJSON(nil, l.scope)
	}
	e.Append(append(e.Buf, l.witness.json...))
	if l.samples == nil {
		e.Raws(`"`, string(l.state), `","successRate":null`)
	} else {
		encodeNumber(&e, `null,"successRate":`, l.samples.SuccessRate)
	}
	if l.family == "" {
		e.Raw(`,"task":null,"unit":`)
	} else {
		e.Member(`,"task":{"family":`, l.family)
		e.MemberOrNull(`,"suite":`, l.suite)
		e.MemberOrNull(`,"taskId":`, l.taskID)
		e.Raw(`},"unit":`)
	}
	e.TextOrNull(l.unit)
	if until := l.witness.validUntil; until == "" {
		e.Raw(`,"validUntil":null,"value":`)
	} else {
		e.Raws(`,"validUntil":"`, until, `","value":`)
	}
	if l.value.Kind == 0 {
		e.Raw("null")
	} else {
		catalog.EncodeScalar(&e, l.value)
	}
	if l.conflict == nil {
		e.Raw(",\"values\":null}\n")
	} else {
		e.Raw(`,"values":`)
		encodeValues(&e, l.conflict)
		e.Raw("}\n")
	}
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
		catalog.EncodeScalar(e, record.Scalar(v.Value))
		e.Raw("}")
	}
	e.Raw("]")
}

// mostListed is how many entries the lists of a line have at most.
const mostListed = 64

// WriteLines exports a catalog as ndjson or csv, while it makes the lines. If there are
// none the error is [ErrNothing], and nothing is written.
func WriteLines(ctx context.Context, c *catalog.Catalog, o Options, w io.Writer) (*File, error) {
	parts := partsOf(c)
	file := &File{Report: NewReport(c, o.Format)}
	exported := &file.Report.Exported
	var spare sync.Pool
	makers := func() func(int) *lines {
		maker := &lineMaker{options: o, asOf: c.AsOf(), reader: compare.NewReader(), spare: &spare, scopes: map[string]*scope{}, numbers: map[string]int{}}
		return func(i int) *lines { return maker.make(parts[i]) }
	}
	err := inOrder(ctx, len(parts), makers, func(part *lines) error {
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

// partsOf cuts the models, in the order of their ids, into parts that are enough work for
// one step. Models with one id, whose lines are sorted together, are in one part.
func partsOf(c *catalog.Catalog) (parts [][]*catalog.ModelEntry) {
	const enough = 64 // observations
	models := modelsInOrder(c, func(a, b *catalog.ModelEntry) int { return canonical.CompareText(a.Identity.ID, b.Identity.ID) })
	for len(models) > 0 {
		n, size := 0, 0
		for n < len(models) && (size < enough || models[n].Identity.ID == models[n-1].Identity.ID) {
			size += len(models[n].Observations)
			n++
		}
		parts, models = append(parts, models[:n]), models[n:]
	}
	return parts
}

// modelsInOrder returns the models of a catalog in another order.
func modelsInOrder(c *catalog.Catalog, order func(a, b *catalog.ModelEntry) int) []*catalog.ModelEntry {
	models := make([]*catalog.ModelEntry, len(c.Models()))
	for i := range models {
		models[i] = &c.Models()[i]
	}
	slices.SortStableFunc(models, order)
	return models
}

// lines is what comes of some models, as it is in the file.
type lines struct {
	text    []byte
	rows    int
	guarded int // how many cells got an apostrophe
}

// lineMaker makes the lines of models, one part after the other, in the same space.
type lineMaker struct {
	options Options
	asOf    string
	reader  *compare.Reader
	spare   *sync.Pool        // of lines
	scopes  map[string]*scope // by JSON

	// Of the models of one id. What points into a list stays where it is if the list grows.
	lines      []line
	order      []*line
	keys       []string
	numbers    map[string]int // of the keys, as they came
	places     []int          // of the keys, by number
	aggregates []compare.Aggregate
	witnesses  []witness
	bytes      []byte // of witnesses
	texts      []string

	// Of one model.
	view     compare.View
	wanted   []*scope   // by execution, nil if its runtime is of no interest
	seers    []*witness // by observation, nil until a line needs it
	evidence []compare.Evidence
	used     []compare.Entry
}

// make returns the lines of models.
func (w *lineMaker) make(models []*catalog.ModelEntry) *lines {
	out, _ := w.spare.Get().(*lines)
	if out == nil {
		out = new(lines)
	}
	*out = lines{out.text[:0], 0, 0}
	for len(models) > 0 {
		n := 1
		for n < len(models) && models[n].Identity.ID == models[0].Identity.ID {
			n++
		}
		w.restart()
		for _, entry := range models[:n] {
			w.read(entry)
		}
		models = models[n:]
		w.sort()
		for _, l := range w.order {
			if w.options.Format == CSV {
				out.text = l.appendRow(out.text, &out.guarded)
			} else {
				out.text = l.appendJSON(append(out.text, l.witness.head...))
			}
		}
		out.rows += len(w.order)
	}
	return out
}

func (w *lineMaker) restart() {
	w.lines, w.aggregates, w.witnesses, w.bytes, w.texts = w.lines[:0], w.aggregates[:0], w.witnesses[:0], w.bytes[:0], w.texts[:0]
}

// sort orders the lines by key, kind and JSON. The keys are few, so they are compared
// first, and lines by their places among them.
func (w *lineMaker) sort() {
	clear(w.numbers)
	w.keys, w.order = w.keys[:0], w.order[:0]
	for i := range w.lines {
		l := &w.lines[i]
		n, known := w.numbers[l.key]
		if !known {
			n = len(w.keys)
			w.numbers[l.key] = n
			w.keys = append(w.keys, l.key)
		}
		l.place = n
		w.order = append(w.order, l)
	}
	slices.SortFunc(w.keys, canonical.CompareText)
	w.places = slices.Grow(w.places[:0], len(w.keys))[:len(w.keys)]
	for place, key := range w.keys {
		w.places[w.numbers[key]] = place
	}
	const kinds = 2
	for _, l := range w.order {
		l.place = kinds * w.places[l.place]
		if l.samples != nil {
			l.place++
		}
	}
	byHead := func(a, b *line) int {
		if a.place != b.place {
			return a.place - b.place
		}
		return compareLines(a.witness.head, b.witness.head)
	}
	slices.SortFunc(w.order, byHead)
	for rest := w.order; len(rest) > 0; {
		n := 1
		for n < len(rest) && byHead(rest[0], rest[n]) == 0 {
			n++
		}
		if n > 1 {
			w.sortAlike(rest[:n])
		}
		rest = rest[n:]
	}
}

// sortAlike orders lines with one head by what follows it.
func (w *lineMaker) sortAlike(alike []*line) {
	for _, l := range alike {
		l.middle = w.keep(l.appendMiddle(w.bytes))
	}
	slices.SortFunc(alike, func(a, b *line) int {
		if order := cmp.Or(compareLines(a.middle, b.middle), strings.Compare(a.witness.ids[0], b.witness.ids[0])); order != 0 {
			return order
		}
		return compareLines(a.appendJSON(nil), b.appendJSON(nil)) // for what one observation says twice
	})
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
	m := w.reader.Glance(entry.Observations)
	w.view.Turn(m, w.asOf)
	w.wanted = w.wanted[:0]
	for i := range m.Executions {
		w.wanted = append(w.wanted, w.scope(&m.Executions[i]))
	}
	w.seers = slices.Grow(w.seers[:0], len(m.Observations))[:len(m.Observations)]
	clear(w.seers)
	about := w.about(entry)
	for i := range m.Slots {
		slot := &m.Slots[i]
		scope := w.wanted[slot.Execution]
		if scope == nil {
			continue
		}
		facts, task := w.view.Facts(slot), &m.Tasks[slot.Task]
		l := line{about: about, scope: scope, witness: w.witness(scope, facts), key: slot.MeasurementKey, state: w.view.State(slot),
			family: task.Family, suite: task.Suite, taskID: task.TaskID}
		switch l.state {
		case compare.StateValue:
			l.value, l.unit = facts[0].Value, facts[0].Unit
		case compare.StateConflict:
			values := compare.DistinctValues(facts)
			l.conflict = values[:min(len(values), mostListed)]
		}
		w.lines = append(w.lines, l)
	}
	for i := range m.Groups {
		group := &m.Groups[i]
		scope := w.wanted[group.Execution]
		if scope == nil {
			continue
		}
		w.used = w.used[:0]
		for _, s := range group.Samples {
			if w.view.Uses(s.Observation) {
				w.used = append(w.used, s)
			}
		}
		if len(w.used) == 0 {
			continue
		}
		w.aggregates = append(w.aggregates, w.view.Aggregate(group))
		samples := &w.aggregates[len(w.aggregates)-1]
		w.lines = append(w.lines, line{about: about, scope: scope, witness: w.witness(scope, w.used), key: group.MeasurementKey,
			family: group.Family, suite: group.Suite, unit: string(samples.Unit), samples: samples})
	}
}

func (w *lineMaker) about(entry *catalog.ModelEntry) *about {
	id, a := &entry.Identity, new(about)
	e := canonical.Encoder{Buf: w.bytes}
	e.Member(`,"model":{"id":`, id.ID)
	e.Member(`,"key":`, entry.Key)
	e.MemberOrNull(`,"quantization":`, string(id.Quantization))
	e.MemberOrNull(`,"revision":`, string(id.Revision))
	e.Raw(`},"n":`)
	a.json = w.keep(e.Buf)
	if w.options.Format == CSV {
		r := rowEncoder{canonical.Encoder{Buf: w.bytes}, &a.guarded}
		r.text(id.ID)
		r.text(string(id.Revision))
		r.text(string(id.Quantization))
		a.cells = w.keep(r.Buf)
	}
	return a
}

// scope returns the scope of an execution, nil if its runtime is of no interest.
func (w *lineMaker) scope(x *compare.Execution) *scope {
	if len(w.options.Runtimes) > 0 && !slices.Contains(w.options.Runtimes, x.Runtime.ID) {
		return nil
	}
	s := w.scopes[x.JSON]
	if s == nil {
		const most = 1024 // to be remembered
		if len(w.scopes) == most {
			clear(w.scopes)
		}
		var e canonical.Encoder
		e.TextOrNull(x.Runtime.ID)
		s = &scope{json: `,"execution":` + x.JSON, runtimeJSON: string(e.Buf)}
		r := rowEncoder{guarded: &s.guarded}
		r.text(x.Runtime.ID)
		if r.Raw(","); x.JSON != "null" {
			r.quoted(x.JSON)
		}
		s.cells = string(r.Buf)
		w.scopes[x.JSON] = s
	}
	return s
}

// witness returns who says the entries.
func (w *lineMaker) witness(s *scope, of []compare.Entry) *witness {
	var all *witness
	if len(of) == 1 {
		all = w.seer(of[0].Observation)
	} else {
		all = w.unite(of)
	}
	if all.head == nil {
		all.head = w.keep(all.appendHead(w.bytes, s))
		if w.options.Format == CSV {
			all.cells = w.keep(all.appendCells(w.bytes, &all.guarded))
		} else {
			all.json = w.keep(all.appendJSON(w.bytes, s))
		}
	}
	return all
}

// keep keeps what was appended to the bytes.
func (w *lineMaker) keep(bytes []byte) []byte {
	n := len(w.bytes)
	w.bytes = bytes
	return bytes[n:len(bytes):len(bytes)]
}

// seer returns an observation as a witness.
func (w *lineMaker) seer(observation int) *witness {
	if known := w.seers[observation]; known != nil {
		return known
	}
	o := &w.view.Observations[observation]
	w.evidence = o.AppendEvidence(w.evidence[:0])
	uris := w.list(func() {
		for _, seen := range w.evidence {
			if seen.URI != "" {
				w.texts = append(w.texts, string(seen.URI))
			}
		}
	})
	w.texts = append(w.texts, o.ID, o.SourceClass)
	n := len(w.texts)
	w.witnesses = append(w.witnesses, witness{observedAt: string(o.Freshness.ObservedAt), validUntil: string(o.Freshness.ValidUntil),
		ids: w.texts[n-2 : n-1 : n-1], sourceClasses: w.texts[n-1 : n : n], uris: uris})
	w.seers[observation] = &w.witnesses[len(w.witnesses)-1]
	return w.seers[observation]
}

// unite returns the observations of several entries as one witness.
func (w *lineMaker) unite(of []compare.Entry) *witness {
	var all witness
	endless := false
	for _, e := range of {
		one := w.seer(e.Observation)
		all.observedAt, all.validUntil = max(all.observedAt, one.observedAt), max(all.validUntil, one.validUntil)
		endless = endless || one.validUntil == ""
	}
	if endless {
		all.validUntil = ""
	}
	each := func(texts func(*witness) []string) []string {
		return w.list(func() {
			for _, e := range of {
				w.texts = append(w.texts, texts(w.seers[e.Observation])...)
			}
		})
	}
	all.ids = each(func(one *witness) []string { return one.ids })
	all.sourceClasses = each(func(one *witness) []string { return one.sourceClasses })
	all.uris = each(func(one *witness) []string { return one.uris })
	w.witnesses = append(w.witnesses, all)
	return &w.witnesses[len(w.witnesses)-1]
}

// list sorts the texts that are added, and returns the first of those that differ.
func (w *lineMaker) list(add func()) []string {
	start := len(w.texts)
	add()
	texts := w.texts[start:]
	if len(texts) > 1 {
		if !slices.IsSortedFunc(texts, canonical.CompareText) { // ids are
			slices.SortFunc(texts, canonical.CompareText)
		}
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
	if l.samples == nil {
		r.Raw("fact")
	} else {
		r.Raw("samples")
	}
	r.Append(append(append(r.Buf, l.about.cells...), l.scope.cells...))
	*guarded += l.about.guarded + l.scope.guarded + l.witness.guarded
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
	if r.Raw(","); l.conflict != nil {
		var e canonical.Encoder
		encodeValues(&e, l.conflict)
		r.quoted(string(e.Buf))
	}
	r.text(l.unit)
	if l.samples == nil {
		r.Raw(",,,,,")
	} else {
		r.Raw(",")
		r.Uint(uint64(l.samples.N))
		for _, n := range []compare.Number{l.samples.Mean, l.samples.Min, l.samples.Max, l.samples.SuccessRate} {
			if r.Raw(","); n.Known {
				r.Number(n.Value)
			}
		}
	}
	r.Append(append(r.Buf, l.witness.cells...))
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
