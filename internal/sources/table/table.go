// Package table reads tables of one's own: CSV, TSV, JSON Lines or Parquet with a line for each
// value, or for each request, of which a map says what the columns are.
//
//	Model,Benchmark,Score,Questions,Day        {"model": "Model", "key": "Benchmark", "value": "Score",
//	gpt-5,triage,71.5,200,2026-10-12            "n": "Questions", "date": "Day", "constants": {"unit": "percent"}}
//
// A row is known by the text in its column of models, which is a model by the rules of names unless
// a mapping says otherwise. [Reduce] takes the columns that the map names; others are never kept.
package table

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = sources.TeamTable

// fields are what a map may name a column for, those that it must first.
var fields = []string{"model", "key", "value", "date", "unit", "n", "runtime", "task", "suite", "family", "condition"}

const required = 4

// Map says which column each field is in, or what it is in all rows.
type Map struct {
	columns, constants map[string]string
	names              map[string]map[string]string // by column: what a cell stands for
	values             []valueColumn                // of lines that have several values each
}

// ReadMap reads a map, an object of the names of columns by field. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func ReadMap(src problem.Source) (*Map, error) {
	m := &Map{columns: map[string]string{}, constants: map[string]string{}, names: map[string]map[string]string{}}
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	read := func(n *ijson.Names, into map[string]string) {
		if !slices.Contains(fields, n.Name()) {
			r.Fail(n.At(), "", "must be %s", ijson.Alternatives(append(slices.Clone(fields), "constants", "names", "values")))
			r.Value()
			return
		}
		into[n.Name()] = r.Text()
	}
	n := r.Names()
	for n.Next() {
		switch n.Name() {
		case "constants":
			for c := r.Names(); c.Next(); {
				read(&c, m.constants)
			}
		case "names":
			for c := r.Names(); c.Next(); {
				m.names[c.Name()] = readTexts(r)
			}
		case "values":
			m.values = readValues(r)
		default:
			read(&n, m.columns)
		}
	}
	for _, field := range fields[:required] {
		isThere := m.columns[field] != "" || m.constants[field] != ""
		isOfValues := m.values != nil && (field == "key" || field == "value")
		if !isThere && !isOfValues && !r.Faulty() {
			r.Fail(n.Start(), "."+field, "missing field: the name of a column, or a value of constants")
		}
	}
	return m, r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}

// New returns the adapter of tables with a map.
func New(m *Map) sources.Adapter {
	return sources.NewAdapter(sources.Format[row, sources.ScoreEntry]{
		Source:   Source,
		Entry:    sources.RunEntries(),
		ReadRows: readRows,
		Label: func(in *sources.Row[row]) sources.Label {
			return sources.Label{Row: in.ID, Label: in.ID, Notes: []string{in.Data["key"]}}
		},
		Reduce: m.reduce,
		PublishedAt: func(body string) (last string) {
			rows, _ := ijson.ReadValue(body, problem.InvalidSourceSnapshot)
			for _, v := range rows.Items {
				if date, _ := v.Get("date"); sources.IsDate(date.Text) {
					last = max(last, sources.Midnight(date.Text))
				}
			}
			return last
		},
		Observe: observe,
	})
}

// row is the fields of a line, and its number.
type row map[string]string

// reduce reads a table and returns its rows as a canonical JSON list of the fields that the map
// names.
func (m *Map) reduce(file io.ReaderAt, size int64) (string, error) {
	if size > sources.MaxBodyBytes {
		return "", fmt.Errorf("has %d bytes, at most %d are read", size, sources.MaxBodyBytes)
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	if err != nil {
		return "", err
	}
	text = text[ijson.LenByteOrderMark(string(text)):]
	read := readCSV
	if bytes.HasPrefix(text, []byte(parquetMark)) {
		read = readParquet
	} else if strings.HasPrefix(strings.TrimSpace(string(text[:min(len(text), 64)])), "{") {
		read = readLines
	}
	if m.values != nil {
		return m.reduceRequests(text, read)
	}
	list := ijson.Value{Kind: '[', Items: []ijson.Value{}}
	err = read(text, func(line int, cell func(column string) (string, bool)) error {
		if len(list.Items) == sources.MaxRows {
			return fault(line, "is more than the %d rows of an import", sources.MaxRows)
		}
		of := map[string]string{}
		for _, field := range fields {
			if of[field], err = m.cell(line, field, cell); err != nil {
				return err
			}
		}
		list.Items = append(list.Items, item(line, of))
		return nil
	})
	return string(list.AppendCanonical(nil)), err
}

// cell returns what a line has for a field.
func (m *Map) cell(line int, field string, cell func(string) (string, bool)) (string, error) {
	column := m.columns[field]
	if column == "" {
		return m.constants[field], nil
	}
	value, isThere := cell(column)
	if !isThere {
		return "", fault(line, "has no column %s, which the map names for %s", canonical.Quote(column), field)
	}
	return m.named(column, value), nil
}

// named returns what a cell stands for.
func (m *Map) named(column, value string) string {
	value = strings.TrimSpace(value)
	if name, isNamed := m.names[column][value]; isNamed {
		return name
	}
	return value
}

// item is a row as it is kept: its fields, and the number of its line.
func item(line int, of map[string]string) ijson.Value {
	v := ijson.Value{Kind: '{', Members: []ijson.Member{{Name: "line",
		Value: ijson.Value{Kind: '"', Text: strconv.Itoa(line)}}}}
	for _, field := range fields {
		v.Members = append(v.Members, ijson.Member{Name: field, Value: ijson.Value{Kind: '"', Text: of[field]}})
	}
	return v
}

// fault refuses a table for a line, which is counted from 1.
func fault(line int, format string, args ...any) error {
	e := problem.New(problem.InvalidSourceSnapshot, "$["+strconv.Itoa(line)+"]", format, args...)
	e.Place = problem.Place{Line: line, Column: 1}
	return e
}

// take is called with each line and what gives the cells of its columns.
type take func(line int, cell func(column string) (string, bool)) error

func readCSV(text []byte, take take) error {
	head, _, _ := bytes.Cut(text, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(text))
	if bytes.ContainsRune(head, '\t') {
		r.Comma = '\t'
	}
	names, err := r.Read()
	for err == nil {
		var cells []string
		if cells, err = r.Read(); err == nil {
			line, _ := r.FieldPos(0)
			err = take(line, func(column string) (string, bool) {
				i := slices.Index(names, column)
				if i < 0 {
					return "", false
				}
				return cells[i], true
			})
		}
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fault(parse.Line, "is not CSV: %v", parse.Err)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func readLines(text []byte, take take) error {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, err := ijson.ReadValue(strings.TrimSpace(string(line)), problem.InvalidSourceSnapshot)
		if err != nil || v.Kind != '{' {
			return fault(number, "is not an object of JSON: %v", err)
		}
		err = take(number, func(column string) (string, bool) {
			cell, isThere := v.Get(column)
			return cell.Text, isThere && (cell.Kind == '"' || cell.Kind == '0')
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func readRows(snapshots []*sources.Snapshot, _ *sources.Notes) (rows []sources.Row[row], err error) {
	seen := map[string]int{}
	for _, s := range snapshots {
		r := s.Reader()
		v := r.Value()
		if faults := r.End(); faults != nil {
			return nil, s.Refuse(faults)
		}
		for i, item := range v.Items {
			in := sources.Row[row]{Where: sources.Where{Snapshot: s, Path: "[" + strconv.Itoa(i) + "]"}, Data: row{}}
			for _, m := range item.Members {
				in.Data[m.Name] = m.Value.Text
			}
			in.ID = in.Data["model"]
			parts := []string{in.Data["key"], in.Data["task"], in.Data["date"]}
			for _, field := range []string{"runtime", "suite", "family", "condition"} {
				if in.Data[field] != "" {
					parts = append(parts, in.Data[field])
				}
			}
			cell := strings.Join(parts, "/")
			if seen[in.ID+"\x00"+cell]++; seen[in.ID+"\x00"+cell] > 1 {
				cell += "#" + strconv.Itoa(seen[in.ID+"\x00"+cell])
			}
			in.Data["cell"] = cell
			where := "line " + in.Data["line"] + " "
			switch {
			case !ijson.IsText(in.ID) || !ijson.IsText(in.Data["key"]):
				in.ID, in.Skip, in.Why = "line "+in.Data["line"], sources.RowEmpty, where+"has no model or no key"
			case !sources.IsDate(in.Data["date"]):
				in.Skip, in.Why = sources.RowUndated, where+"has no date like 2026-10-12"
			}
			rows = append(rows, in)
		}
	}
	return rows, nil
}

func observe(b *sources.Batch, in *sources.Row[row], e *sources.ScoreEntry) {
	x := in.Data
	value, ok := sources.Decimal(x["value"])
	if !ok {
		b.Note(sources.InvalidValue, ".value", -1, "line "+x["line"]+" has "+canonical.Quote(x["value"])+", which is not a "+
			"number: left out")
		return
	}
	list := []record.Measurement{{Key: x["key"], Kind: record.Sample, Value: record.Number(value), Unit: x["unit"]}}
	if n, ok := sources.Decimal(x["n"]); ok && sources.Count(n).Known && n > 0 {
		list = append(list, record.Measurement{Key: x["key"] + ".n", Kind: record.Sample, Value: record.Number(n)})
	} else if x["n"] != "" {
		b.Note(sources.InvalidValue, ".n", -1, "line "+x["line"]+" has "+canonical.Quote(x["n"])+", which is not a number "+
			"of trials: left out")
	}
	members := []string{}
	for _, field := range fields {
		members = append(members, field, canonical.Quote(x[field]))
	}
	for _, field := range []string{"task", "suite", "family", "condition"} {
		if !ijson.IsText(x[field]) {
			x[field] = ""
		}
	}
	runtime := e.Runtime
	if runtime.ID == "" {
		runtime.ID = "unknown"
		if ijson.IsText(x["runtime"]) {
			runtime.ID = x["runtime"]
		}
	}
	var workflow record.Workflow // a table does not say how a value was measured, so that it fits any candidate
	condition := sources.Condition{}
	condition.Merge(x["condition"])
	b.MergeCondition(condition, e.Condition)
	if len(condition) > 0 {
		workflow = record.Workflow{ID: Source, Condition: record.Text(condition.String())}
	}
	u := sources.Uncertainty{Level: record.LevelModerate}
	u.Basisf("a table of our own, which calls the model %s", canonical.Quote(in.ID))
	if len(list) == 1 {
		u.Gapf("of how many trials the value is, is not stated")
	}
	b.Observe(&record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime: runtime, ToolSurface: []string{}, Workflow: workflow,
		}},
		Task: record.Task{Family: cmp.Or(x["family"], "general"), Suite: record.Text(cmp.Or(x["suite"], x["key"])),
			TaskID: record.Text(x["task"]), Evaluator: record.Component{ID: Source}},
		Measurements: list,
		Outcome:      record.Outcome{Status: record.OutcomeAccepted},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(sources.Midnight(x["date"]))},
		Uncertainty:  record.Uncertainty(u),
	}, record.FirstParty, sources.Cell{
		ID: x["cell"], Kind: "table-row", JSON: sources.Object(members...),
	}, "")
}
