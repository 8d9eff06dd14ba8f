package livebench

import (
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// The bounds of a table.
const (
	maxColumns = 256
	maxCell    = 1024 // bytes
)

// table is the head of a table: its release and its columns behind the first.
type table struct {
	release string
	url     string
	columns []column
}

type column struct {
	task     string
	category category
	offset   int
}

// row is the cells of a row behind the first.
type row struct {
	table *table
	cells []cell
}

type cell struct {
	text   string
	offset int
}

func readRows(snapshots []*sources.Snapshot, _ *sources.Notes) ([]sources.Row[row], error) {
	scores, categories, err := pair(snapshots)
	if err != nil {
		return nil, err
	}
	tasks, err := readCategories(categories.s)
	if err != nil {
		return nil, err
	}
	reader := tableReader{s: scores.s, index: scores.index, body: scores.s.Body()}
	t, err := reader.head()
	if err != nil {
		return nil, err
	}
	if err := join(t, tasks, scores.s, categories.s); err != nil {
		return nil, err
	}
	return reader.rows(t)
}

// indexed is a snapshot and its place among those of the import.
type indexed struct {
	s     *sources.Snapshot
	index int
}

// pair finds the table and the categories, which must be of one release.
func pair(snapshots []*sources.Snapshot) (scores, categories indexed, err error) {
	refuse := func(path, reason string) error {
		return problem.New(problem.InvalidSourceSnapshot, path, "%s", reason)
	}
	for i, s := range snapshots {
		path := "$.snapshots[" + strconv.Itoa(i) + "].url"
		into := &scores
		switch s.Resource().Artifact {
		case tableArtifact:
		case categoriesArtifact:
			into = &categories
		default:
			return scores, categories, refuse(path, "must be that of the table or the categories of a release")
		}
		if into.s != nil {
			return scores, categories, refuse(path, "is a second one of its kind: an import takes one release")
		}
		*into = indexed{s, i}
	}
	if scores.s == nil || categories.s == nil {
		return scores, categories, refuse("$.snapshots", "must be the table and the categories of a release")
	}
	if a, b := scores.s.Resource().Revision, categories.s.Resource().Revision; a != b {
		return scores, categories, refuse("$.snapshots["+strconv.Itoa(max(scores.index, categories.index))+"].url",
			"must be of the same release: the table is of "+a+", the categories are of "+b)
	}
	if release := sources.Midnight(scores.s.Resource().Revision); release > scores.s.Envelope().FetchedAt {
		return scores, categories, refuse("$.snapshots["+strconv.Itoa(scores.index)+"].fetchedAt", "must not be before the release")
	}
	return scores, categories, nil
}

// task is a task as the categories have it.
type task struct {
	name     string
	category category
	path     string
	offset   int
}

// readCategories reads an object of lists: the tasks by category.
func readCategories(s *sources.Snapshot) ([]task, error) {
	r := s.Reader()
	var tasks []task
	seen := map[string]bool{}
	for n := r.Names(); n.Next(); {
		c, known := categoryNamed(n.Name())
		if !known {
			r.Fail(n.At(), "", "is a category that is not known")
			r.Value()
			continue
		}
		for l := r.List(); l.Next(); {
			at := r.Offset()
			name := r.Text()
			if seen[name] && name != "" {
				r.Fail(at, "", "must be in one category once: %s is repeated", canonical.Quote(name))
			}
			seen[name] = true
			tasks = append(tasks, task{name, c, "." + n.Name() + "[" + strconv.Itoa(l.Index()) + "]", at})
		}
	}
	if faults := r.End(); faults != nil {
		return nil, s.Refuse(faults)
	}
	return tasks, nil
}

// join gives each column its category. Tasks and columns must be the same.
func join(t *table, tasks []task, scores, categories *sources.Snapshot) error {
	byName := make(map[string]*task, len(tasks))
	for i := range tasks {
		byName[tasks[i].name] = &tasks[i]
	}
	for i := range t.columns {
		c := &t.columns[i]
		of := byName[c.task]
		if of == nil {
			return scores.Fault(c.offset, "[0]["+strconv.Itoa(i+1)+"]", "is the column %s, a task of no category", canonical.Quote(c.task))
		}
		c.category = of.category
		delete(byName, c.task)
	}
	for i := range tasks {
		if left := &tasks[i]; byName[left.name] != nil {
			return categories.Fault(left.offset, left.path, "is the task %s, which no column of the table has", canonical.Quote(left.name))
		}
	}
	return nil
}

// tableReader reads the lines of a table. The tables of LiveBench hold no quotes
// and end their lines with a line feed; others are refused, not guessed at.
type tableReader struct {
	s      *sources.Snapshot
	index  int
	body   string
	offset int // of what is not read yet
	line   int // number of rows read, blank lines apart
}

// next reads the cells of the next line that is not blank. Cells beyond the most
// that a table can have are counted, not kept.
func (tr *tableReader) next() (cells []cell, count int, err error) {
	for tr.offset < len(tr.body) {
		line, _, _ := strings.Cut(tr.body[tr.offset:], "\n")
		start := tr.offset
		tr.offset += len(line) + 1
		if line == "" {
			continue
		}
		if i := strings.IndexAny(line, "\"\r"); i >= 0 {
			return nil, 0, tr.s.Fault(start+i, tr.path(), "holds %q: a table has no quotes, and its lines end with a line feed alone", line[i])
		}
		at := start
		for text := range strings.SplitSeq(line, ",") {
			if len(text) > maxCell {
				return nil, 0, tr.s.Fault(at, tr.path(), "has a cell of %d bytes, at most %d are read", len(text), maxCell)
			}
			if count <= maxColumns {
				cells = append(cells, cell{text, at})
			}
			count++
			at += len(text) + 1
		}
		tr.line++
		return cells, count, nil
	}
	return nil, 0, nil
}

// path is the JSON path of the next row inside the body.
func (tr *tableReader) path() string { return "[" + strconv.Itoa(tr.line) + "]" }

// head reads the first line.
func (tr *tableReader) head() (*table, error) {
	cells, count, err := tr.next()
	if err != nil {
		return nil, err
	}
	if count > maxColumns {
		return nil, tr.s.Fault(0, "[0]", "has %d columns, at most %d are read", count, maxColumns)
	}
	if count < 2 || cells[0].text != "model" {
		return nil, tr.s.Fault(0, "[0]", "must be the head of a table: model, then a column for each task")
	}
	t := &table{release: tr.s.Resource().Revision, url: tr.s.Resource().URL}
	seen := map[string]bool{}
	for i, c := range cells[1:] {
		path := "[0][" + strconv.Itoa(i+1) + "]"
		if !ijson.Trimmed(c.text) {
			return nil, tr.s.Fault(c.offset, path, "must be the name of a task")
		}
		if seen[c.text] {
			return nil, tr.s.Fault(c.offset, path, "must be a column once: %s is repeated", canonical.Quote(c.text))
		}
		seen[c.text] = true
		t.columns = append(t.columns, column{task: c.text, offset: c.offset})
	}
	return t, nil
}

// rows reads the lines behind the first.
func (tr *tableReader) rows(t *table) ([]sources.Row[row], error) {
	var rows []sources.Row[row]
	seen := map[string]bool{}
	for {
		path := tr.path()
		cells, count, err := tr.next()
		if err != nil || count == 0 {
			return rows, err
		}
		name := cells[0]
		where := sources.Where{Snapshot: tr.index, Path: path, Offset: name.offset}
		switch {
		case name.text == "":
			return nil, tr.s.Fault(name.offset, path+"[0]", "must name a model")
		case seen[name.text]:
			return nil, tr.s.Fault(name.offset, path+"[0]", "must be a row once: %s is repeated", canonical.Quote(name.text))
		case len(rows) == sources.MaxRows:
			return nil, tr.s.Fault(name.offset, path, "is more than the %d rows of an import", sources.MaxRows)
		}
		seen[name.text] = true
		r := sources.Row[row]{ID: name.text, Where: where, Data: row{table: t, cells: cells[1:]}}
		if count != len(t.columns)+1 {
			r.Data.cells = nil
			r.Skip = sources.RowWidth
			r.Why = "has " + strconv.Itoa(count) + " cells where the table has " + strconv.Itoa(len(t.columns)+1) + " columns: which are which cannot be told"
		}
		rows = append(rows, r)
	}
}
