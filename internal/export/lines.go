package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
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

// The kinds of a line.
const (
	factLine    = "fact"
	samplesLine = "samples"
)

// mostListed is how many entries the lists of a line have at most.
const mostListed = 64

func writeLines(ctx context.Context, c *catalog.Catalog, o Options, file *File) error {
	var out bytes.Buffer
	var table *csv.Writer
	if o.Format == CSV {
		table = csv.NewWriter(&out)
		_ = table.Write(csvColumns) // a buffer takes all
	}
	entries := slices.Clone(c.Models())
	slices.SortStableFunc(entries, func(a, b catalog.ModelEntry) int { return canonical.CompareText(a.Identity.ID, b.Identity.ID) })
	reader := compare.NewReader()
	for len(entries) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := 1 // models with one id, whose lines are sorted together
		for n < len(entries) && entries[n].Identity.ID == entries[0].Identity.ID {
			n++
		}
		var lines []sortable
		for i := range entries[:n] {
			lines = appendLines(lines, &entries[i], reader, c.AsOf(), o.Runtimes)
		}
		slices.SortFunc(lines, func(a, b sortable) int {
			return cmp.Or(canonical.CompareText(a.Key, b.Key), strings.Compare(a.Kind, b.Kind), canonical.CompareText(a.json, b.json))
		})
		for i := range lines {
			file.Report.Exported.Rows++
			file.Report.Exported.Facts++
			if table == nil {
				out.WriteString(lines[i].json + "\n")
				continue
			}
			cells := lines[i].cells()
			for j := range cells {
				if guardFormula(&cells[j], j) {
					file.Guarded++
				}
			}
			_ = table.Write(cells)
		}
		entries = entries[n:]
	}
	if table != nil {
		table.Flush()
	}
	file.Text = out.String()
	return nil
}

type sortable struct {
	Line
	json string
}

func appendLines(lines []sortable, entry *catalog.ModelEntry, reader *compare.Reader, asOf string, runtimes []string) []sortable {
	m := reader.Read(entry.Observations)
	view := m.At(asOf)
	id := &entry.Identity
	about := LineModel{entry.Key, id.ID, canonical.Text(id.Revision), canonical.Text(id.Quantization)}
	add := func(l Line, execution int, of []compare.Entry) {
		scope := &m.Executions[execution]
		if len(runtimes) > 0 && !slices.Contains(runtimes, scope.Runtime.ID) {
			return
		}
		l.Model, l.Runtime = about, canonical.Text(scope.Runtime.ID)
		if scope.JSON != "null" {
			l.Execution = JSON(scope.JSON)
		}
		l.witness(m, of)
		lines = append(lines, sortable{l, string(canonical.MustMarshal(l))})
	}
	for i := range m.Slots {
		slot := &m.Slots[i]
		l := Line{Kind: factLine, Key: slot.MeasurementKey, State: canonical.Text(view.State(slot)), Task: taskOf(&m.Tasks[slot.Task])}
		facts := view.Facts(slot)
		switch view.State(slot) {
		case compare.StateValue:
			value := compare.Scalar(facts[0].Value)
			l.Value, l.Unit = &value, canonical.Text(facts[0].Unit)
		case compare.StateConflict:
			values := compare.DistinctValues(facts)
			values = values[:min(len(values), mostListed)]
			l.Values = &values
		}
		add(l, slot.Execution, facts)
	}
	for i := range m.Groups {
		group := &m.Groups[i]
		a := view.Aggregate(group)
		if a.N == 0 {
			continue
		}
		var used []compare.Entry
		for _, s := range group.Samples {
			if view.Uses(s.Observation) {
				used = append(used, s)
			}
		}
		l := Line{Kind: samplesLine, Key: group.MeasurementKey, Unit: a.Unit, N: &a.N, Mean: a.Mean, Min: a.Min, Max: a.Max, SuccessRate: a.SuccessRate}
		if group.Family != "" {
			l.Task = &LineTask{Family: group.Family, Suite: canonical.Text(group.Suite)}
		}
		add(l, group.Execution, used)
	}
	return lines
}

// taskOf returns the task of a slot, nil for none.
func taskOf(t *compare.Task) *LineTask {
	if t.Family == "" {
		return nil
	}
	whole, _ := ijson.ReadValue(t.JSON, "") // it is a part of what was validated
	id, _ := whole.Get("taskId")
	return &LineTask{t.Family, canonical.Text(t.Suite), canonical.Text(id.Text)}
}

// witness adds who says what the line tells.
func (l *Line) witness(m *compare.Model, of []compare.Entry) {
	ids, classes, uris := map[string]bool{}, map[string]bool{}, map[string]bool{}
	endless := false
	for _, e := range of {
		o := &m.Observations[e.Observation]
		if ids[o.ID] {
			continue
		}
		ids[o.ID], classes[o.SourceClass] = true, true
		l.ObservedAt = max(l.ObservedAt, canonical.Text(o.Freshness.ObservedAt))
		l.ValidUntil = max(l.ValidUntil, canonical.Text(o.Freshness.ValidUntil))
		endless = endless || o.Freshness.ValidUntil == ""
		for _, evidence := range o.Evidence() {
			if evidence.URI != "" {
				uris[string(evidence.URI)] = true
			}
		}
	}
	if endless {
		l.ValidUntil = ""
	}
	l.ObservationIDs, l.SourceClasses, l.EvidenceURIs = listed(ids), listed(classes), listed(uris)
}

// listed returns the first of some texts, sorted.
func listed(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for text := range set {
		list = append(list, text)
	}
	slices.SortFunc(list, canonical.CompareText)
	return list[:min(len(list), mostListed)]
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
		values = string(canonical.MustMarshal(l.Values))
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
	return text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0]))
}

// guardFormula puts an apostrophe before what a spreadsheet would take for a formula,
// and reports whether a cell has one for that.
func guardFormula(cell *string, column int) bool {
	switch name := csvColumns[column]; {
	case numeric[name]:
		return false
	case name == "value": // where it may be a number, which cells knows
		return strings.HasPrefix(*cell, "'") && opensFormula((*cell)[1:])
	case opensFormula(*cell):
		*cell = "'" + *cell
		return true
	}
	return false
}
