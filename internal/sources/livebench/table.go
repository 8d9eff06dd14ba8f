package livebench

import (
	"fmt"
	"slices"
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

// table is the head of a table: its release and its columns after the first.
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

// row is the cells of a row after the first.
type row struct {
	table *table
	cells []cell
}

type cell struct {
	text   string
	offset int
	seen   string // when a table of the release first had it so: a timestamp
}

func readRows(snapshots []*sources.Snapshot, _ *sources.Notes) ([]sources.Row[row], error) {
	scores, tree, err := pair(snapshots)
	if err != nil {
		return nil, err
	}
	tasks, err := readTasks(tree)
	if err != nil {
		return nil, err
	}
	lines, err := readLines(scores)
	if err != nil {
		return nil, err
	}
	t, err := readHead(scores, lines)
	if err != nil {
		return nil, err
	}
	if err := join(t, tasks, scores, tree); err != nil {
		return nil, err
	}
	rows, err := rowsOf(scores, t, lines[1:])
	if err != nil {
		return nil, err
	}
	return rows, lookBack(rows, t, scores, snapshots)
}

// lookBack finds when each cell was seen first: in the newest table, or in those that were fetched
// before it, as long as they say the same.
func lookBack(rows []sources.Row[row], t *table, newest *sources.Snapshot, snapshots []*sources.Snapshot) error {
	for _, r := range rows {
		for i := range r.Data.cells {
			r.Data.cells[i].seen = newest.Envelope().FetchedAt
		}
	}
	next := newest
	for _, s := range tablesOf(snapshots)[1:] {
		lines, err := readLines(s)
		if err != nil {
			return err
		}
		head, err := readHead(s, lines)
		if err != nil {
			return err
		}
		older, err := rowsOf(s, head, lines[1:])
		if err != nil {
			return err
		}
		was := map[[2]string]string{} // by row and task
		for _, r := range older {
			for i, c := range r.Data.cells {
				was[[2]string{r.ID, head.columns[i].task}] = c.text
			}
		}
		for _, r := range rows {
			for i := range r.Data.cells {
				c := &r.Data.cells[i]
				text, isThere := was[[2]string{r.ID, t.columns[i].task}]
				if isThere && text == c.text && c.seen == next.Envelope().FetchedAt {
					c.seen = s.Envelope().FetchedAt
				}
			}
		}
		next = s
	}
	return nil
}

// tablesOf returns the tables among snapshots, the newest first.
func tablesOf(snapshots []*sources.Snapshot) (tables []*sources.Snapshot) {
	for _, s := range snapshots {
		if s.Resource().Artifact == artifactTable {
			tables = append(tables, s)
		}
	}
	slices.SortStableFunc(tables, func(a, b *sources.Snapshot) int {
		return strings.Compare(b.Envelope().FetchedAt, a.Envelope().FetchedAt)
	})
	return tables
}

const artifactTable = "table"

// pair finds the newest table and the tree of categories, which must be of one release.
func pair(snapshots []*sources.Snapshot) (scores, tree *sources.Snapshot, err error) {
	for _, s := range snapshots {
		place := map[string]**sources.Snapshot{artifactTable: &scores, "categories": &tree}[s.Resource().Artifact]
		if place == nil {
			return nil, nil, s.EnvelopeFault("url", "must be that of the table or the categories of a release")
		}
		if *place != nil && (place == &tree || (*place).Resource().Revision != s.Resource().Revision) {
			return nil, nil, s.EnvelopeFault("url", "is a second one of its kind: an import takes one release")
		}
		*place = s
	}
	if tables := tablesOf(snapshots); len(tables) > 0 {
		scores = tables[0]
	}
	if scores == nil || tree == nil {
		return nil, nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots",
			"must be the table and the categories of a release")
	}
	release := scores.Resource().Revision
	if other := tree.Resource().Revision; release != other {
		return nil, nil, snapshots[1].EnvelopeFault("url", "must be of the same release: the table is of %s, the "+
			"categories are of %s", release, other)
	}
	if sources.Midnight(release) > scores.Envelope().FetchedAt {
		return nil, nil, scores.EnvelopeFault("fetchedAt", "must not be before the release")
	}
	return scores, tree, nil
}

// category is a group of tasks.
type category struct{ name, key, family string }

// categories are those that releases have, by name.
var categories = map[string]category{
	"Reasoning":      {"Reasoning", "reasoning", "reasoning"},
	"Coding":         {"Coding", "coding", "software-engineering"},
	"Agentic Coding": {"Agentic Coding", "agentic-coding", "software-engineering"},
	"Mathematics":    {"Mathematics", "mathematics", "mathematics"},
	"Data Analysis":  {"Data Analysis", "data-analysis", "data-analysis"},
	"Language":       {"Language", "language", "language"},
	"IF":             {"IF", "instruction-following", "instruction-following"},
}

// task is a task as the categories have it.
type task struct {
	name     string
	category category
	path     string
	offset   int
}

// readTasks reads an object of lists: the tasks by category.
func readTasks(s *sources.Snapshot) ([]task, error) {
	r := s.Reader()
	var tasks []task
	seen := map[string]bool{}
	for n := r.Names(); n.Next(); {
		c, known := categories[n.Name()]
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
			tasks = append(tasks, task{name, c, ijson.PathOf(n.Name(), l.Index()), at})
		}
	}
	if faults := r.End(); faults != nil {
		return nil, s.Refuse(faults)
	}
	return tasks, nil
}

// join gives each column its category. Tasks and columns must be the same.
func join(t *table, tasks []task, scores, tree *sources.Snapshot) error {
	left := make(map[string]category, len(tasks))
	for _, k := range tasks {
		left[k.name] = k.category
	}
	for i := range t.columns {
		c := &t.columns[i]
		var known bool
		if c.category, known = left[c.task]; !known {
			return scores.Fault(c.offset, ijson.PathOf(0, i+1), "is the column %s, a task of no category",
				canonical.Quote(c.task))
		}
		delete(left, c.task)
	}
	for _, k := range tasks {
		if _, is := left[k.name]; is {
			return tree.Fault(k.offset, k.path, "is the task %s, which no column of the table has", canonical.Quote(k.name))
		}
	}
	return nil
}

// line is a line of the table that is not blank.
type line struct {
	path  string
	cells []cell
	count int // of cells, of which those beyond the most that a table can have are not kept
}

// readLines reads the lines of a table. The tables of LiveBench hold no quotes and
// end their lines with a line feed; others are refused, not guessed at.
func readLines(s *sources.Snapshot) (lines []line, err error) {
	next := 0
	for text := range strings.SplitSeq(s.Body(), "\n") {
		start := next
		next += len(text) + 1
		if text == "" {
			continue
		}
		l := line{path: ijson.PathOf(len(lines))}
		if len(lines) > sources.MaxRows {
			return nil, s.Fault(start, l.path, "is more than the %d rows of an import", sources.MaxRows)
		}
		if i := strings.IndexAny(text, "\"\r"); i >= 0 {
			return nil, s.Fault(start+i, l.path, "holds %q: a table has no quotes, and its lines end with a line feed alone",
				text[i])
		}
		for c := range strings.SplitSeq(text, ",") {
			if len(c) > maxCell {
				return nil, s.Fault(start, l.path, "has a cell of %d bytes, at most %d are read", len(c), maxCell)
			}
			if l.count <= maxColumns {
				l.cells = append(l.cells, cell{text: c, offset: start})
			}
			l.count++
			start += len(c) + 1
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// readHead reads the first line.
func readHead(s *sources.Snapshot, lines []line) (*table, error) {
	if len(lines) > 0 && lines[0].count > maxColumns {
		return nil, s.Fault(0, "[0]", "has %d columns, at most %d are read", lines[0].count, maxColumns)
	}
	if len(lines) == 0 || lines[0].count < 2 || lines[0].cells[0].text != "model" {
		return nil, s.Fault(0, "[0]", "must be the head of a table: model, then a column for each task")
	}
	t := &table{release: s.Resource().Revision, url: s.Resource().URL}
	seen := map[string]bool{}
	for i, c := range lines[0].cells[1:] {
		if !ijson.IsText(c.text) {
			return nil, s.Fault(c.offset, ijson.PathOf(0, i+1), "must be the name of a task")
		}
		if seen[c.text] {
			return nil, s.Fault(c.offset, ijson.PathOf(0, i+1), "must be a column once: %s is repeated", canonical.Quote(c.text))
		}
		seen[c.text] = true
		t.columns = append(t.columns, column{task: c.text, offset: c.offset})
	}
	return t, nil
}

// rowsOf makes rows of the lines after the first.
func rowsOf(s *sources.Snapshot, t *table, lines []line) ([]sources.Row[row], error) {
	var rows []sources.Row[row]
	seen := map[string]bool{}
	for _, l := range lines {
		name := l.cells[0]
		if name.text == "" {
			return nil, s.Fault(name.offset, l.path+"[0]", "must name a model")
		}
		if seen[name.text] {
			return nil, s.Fault(name.offset, l.path+"[0]", "must be a row once: %s is repeated", canonical.Quote(name.text))
		}
		seen[name.text] = true
		r := sources.Row[row]{
			ID:    name.text,
			Where: sources.Where{Snapshot: s, Path: l.path, Offset: name.offset},
			Data:  row{table: t, cells: l.cells[1:]},
		}
		if want := len(t.columns) + 1; l.count != want {
			r.Data.cells = nil
			r.Skip = sources.RowWidth
			r.Why = fmt.Sprintf("has %d cells where the table has %d columns: which are which cannot be told", l.count, want)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
