package export

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the two formats that have everything that was measured, with its state: a
// line for each slot and for each sample group with used samples.

// mostListed is how many entries the lists of a line have at most.
const mostListed = 64

// csvColumns are the columns of the table, in the order of [cells].
var csvColumns = []string{"kind", "model", "revision", "quantization", "runtime", "execution", "family", "suite",
	"task", "key",
	"state", "value", "values", "unit", "n", "mean", "min", "max", "success_rate", "observed_at", "valid_until",
	"source_classes", "observations", "evidence"}

// written is a line as it is in the file.
type written struct {
	line
	execution string   // its JSON
	json      string   // that of the line; of a row of the table only if other lines have its key and kind
	row       []string // of the table
}

// text returns the line as canonical JSON.
func (l *written) text() string {
	if l.json == "" {
		l.json = string(ijson.MustWriteTagged(&l.line))
	}
	return l.json
}

// WriteLines exports a catalog as ndjson or csv, while it makes the lines. If there are
// none the error is [ErrNothing], and nothing is written.
func WriteLines(ctx context.Context, c *catalog.Catalog, o Options, w io.Writer) (*File, error) {
	parts := partsOf(c)
	file := &File{Report: NewReport(c, o.Format)}
	exported := &file.Report.Exported
	makers := func() func(int) []*written {
		maker := &lineMaker{options: o, asOf: c.AsOf(), reader: compare.NewReader()}
		return func(i int) []*written { return maker.make(parts[i]) }
	}
	err := inOrder(ctx, len(parts), makers, func(part []*written) error {
		if exported.Rows == 0 && len(part) > 0 && o.Format == record.FormatCSV {
			if _, err := io.WriteString(w, csvRow(csvColumns)); err != nil {
				return err
			}
		}
		exported.Rows += len(part)
		exported.Facts += len(part)
		for i := range part {
			text := part[i].json + "\n"
			if o.Format == record.FormatCSV {
				text = csvRow(part[i].row)
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
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
	models := modelsInOrder(c, func(a, b *catalog.ModelEntry) int {
		return canonical.CompareText(a.Identity.ID,
			b.Identity.ID)
	})
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

// lineMaker makes the lines of models, one part after the other.
type lineMaker struct {
	options Options
	asOf    string
	reader  *compare.Reader
	view    compare.View            // of one model
	seen    [][]record.EvidenceLink // of its observations; nil until a line needs it
	lines   []*written
}

// make returns the lines of models in the order of their ids, keys, kinds and JSON.
func (w *lineMaker) make(models []*catalog.ModelEntry) []*written {
	w.lines = nil
	for _, entry := range models {
		w.read(entry)
	}
	slices.SortFunc(w.lines, func(a, b *written) int {
		if order := cmp.Or(canonical.CompareText(a.Model.ID, b.Model.ID), canonical.CompareText(a.Key, b.Key),
			strings.Compare(a.Kind, b.Kind)); order != 0 {
			return order
		}
		return canonical.CompareText(a.text(), b.text())
	})
	for _, l := range w.lines {
		if w.options.Format == record.FormatCSV {
			l.row = l.cells()
		} else {
			l.text()
		}
	}
	return w.lines
}

// read adds the lines of a model.
func (w *lineMaker) read(entry *catalog.ModelEntry) {
	m := w.reader.Glance(entry.Observations)
	w.view.Turn(m, w.asOf)
	w.seen = make([][]record.EvidenceLink, len(m.Observations))
	id := entry.Identity
	model := lineModel{entry.Key, id.ID, id.Revision, id.Quantization}
	for i := range m.Slots {
		slot := &m.Slots[i]
		if !w.isWanted(&m.Executions[slot.Execution]) {
			continue
		}
		facts, task := w.view.Facts(slot), &m.Tasks[slot.Task]
		l := line{Kind: "fact", Key: slot.MeasurementKey, Model: model, State: record.Text(w.view.State(slot))}
		l.Task = record.SummaryTask{Family: task.Family, Suite: record.Text(task.Suite), TaskID: record.Text(task.TaskID)}
		switch w.view.State(slot) {
		case compare.StateValue:
			l.Value, l.Unit = facts[0].Value, record.Text(facts[0].Unit)
		case compare.StateConflict:
			l.Values = compare.DistinctValues(facts)
			l.Values = l.Values[:min(len(l.Values), mostListed)]
		}
		w.add(l, &m.Executions[slot.Execution], facts)
	}
	for i := range m.Groups {
		group := &m.Groups[i]
		var used []compare.Entry
		for _, s := range group.Samples {
			if w.view.Uses(s.Observation) {
				used = append(used, s)
			}
		}
		if len(used) == 0 || !w.isWanted(&m.Executions[group.Execution]) {
			continue
		}
		samples := w.view.Aggregate(group)
		l := line{Kind: "samples", Key: group.MeasurementKey, Model: model, N: record.NewCount(uint64(samples.N)),
			Unit: samples.Unit,
			Mean: samples.Mean, Min: samples.Min, Max: samples.Max, SuccessRate: samples.SuccessRate}
		l.Task = record.SummaryTask{Family: group.Family, Suite: record.Text(group.Suite)}
		w.add(l, &m.Executions[group.Execution], used)
	}
}

// isWanted reports whether the runtime of an execution is of interest.
func (w *lineMaker) isWanted(x *compare.Execution) bool {
	return len(w.options.Runtimes) == 0 || slices.Contains(w.options.Runtimes, x.Runtime.ID)
}

// add adds a line with its execution and the observations of its entries.
func (w *lineMaker) add(l line, x *compare.Execution, of []compare.Entry) {
	l.Execution, l.Runtime = x.Scope, record.Text(x.Runtime.ID)
	isEndless := false
	for _, e := range of {
		o := &w.view.Observations[e.Observation]
		l.ObservedAt = max(l.ObservedAt, o.Freshness.ObservedAt)
		l.ValidUntil = max(l.ValidUntil, o.Freshness.ValidUntil)
		isEndless = isEndless || o.Freshness.ValidUntil == ""
		l.ObservationIDs = append(l.ObservationIDs, o.ID)
		l.SourceClasses = append(l.SourceClasses, o.SourceClass)
		if w.seen[e.Observation] == nil {
			w.seen[e.Observation] = o.Evidence()
		}
		for _, seen := range w.seen[e.Observation] {
			if seen.URI != "" {
				l.EvidenceURIs = append(l.EvidenceURIs, string(seen.URI))
			}
		}
	}
	if isEndless {
		l.ValidUntil = ""
	}
	for _, list := range []*record.List[string]{&l.ObservationIDs, &l.SourceClasses, &l.EvidenceURIs} {
		slices.SortFunc(*list, canonical.CompareText)
		*list = slices.Compact(*list)
		*list = (*list)[:min(len(*list), mostListed)]
	}
	w.lines = append(w.lines, &written{line: l, execution: x.JSON})
}

// cells returns the line as a row of the table.
func (l *written) cells() []string {
	row := []string{l.Kind, l.Model.ID, string(l.Model.Revision), string(l.Model.Quantization), string(l.Runtime), "",
		l.Task.Family, string(l.Task.Suite), string(l.Task.TaskID), l.Key, string(l.State), "", "", string(l.Unit), "",
		number(l.Mean), number(l.Min), number(l.Max), number(l.SuccessRate), string(l.ObservedAt), string(l.ValidUntil),
		strings.Join(l.SourceClasses, " "), strings.Join(l.ObservationIDs, " "), strings.Join(l.EvidenceURIs, " ")}
	execution, value, values, n := &row[5], &row[11], &row[12], &row[14]
	if l.Execution.Kind != "" {
		*execution = l.execution
	}
	switch l.Value.Kind {
	case '"':
		*value = l.Value.Text
	case '0':
		*value = l.Value.Text
	case 't', 'f':
		*value = strconv.FormatBool(l.Value.Kind == 't')
	}
	if l.Values != nil {
		*values = string(ijson.MustWriteTagged(l.Values))
	}
	if l.N.Known {
		*n = strconv.FormatUint(l.N.N, 10)
	}
	return row
}

// number returns a number as a cell.
func number(n record.Float) string {
	if !n.Known {
		return ""
	}
	return string(canonical.AppendNumber(nil, n.Value))
}

// opensFormula reports whether a spreadsheet would take a text for a formula.
func opensFormula(text string) bool {
	return text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0
}

// line is a slot or a sample group as ndjson has it. What does not apply to it is null.
type line struct {
	EvidenceURIs   record.List[string]  `json:"evidenceUris"`
	Execution      record.Scope         `json:"execution"`
	Key            string               `json:"key"`
	Kind           string               `json:"kind" is:"fact samples"`
	Max            record.Float         `json:"max"` // of samples, as mean, min, n and successRate are
	Mean           record.Float         `json:"mean"`
	Min            record.Float         `json:"min"`
	Model          lineModel            `json:"model"`
	N              record.Count         `json:"n"`
	ObservationIDs record.List[string]  `json:"observationIds"`
	ObservedAt     record.Timestamp     `json:"observedAt"` // the newest of the observations
	Runtime        record.Text          `json:"runtime"`
	SourceClasses  record.List[string]  `json:"sourceClasses"`
	State          record.Text          `json:"state"` // of a slot
	SuccessRate    record.Float         `json:"successRate"`
	Task           record.SummaryTask   `json:"task" or:"null"` // a sample group names no single task
	Unit           record.Text          `json:"unit"`
	ValidUntil     record.Timestamp     `json:"validUntil"` // when the last of the observations expires
	Value          record.Scalar        `json:"value"`      // of a slot in state value
	Values         []record.StatedValue `json:"values"`     // of a slot in state conflict
}

// lineModel is the model of a line.
type lineModel struct {
	Key          string      `json:"key"`
	ID           string      `json:"id"`
	Revision     record.Text `json:"revision"`
	Quantization record.Text `json:"quantization"`
}
