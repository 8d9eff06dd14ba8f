// Package table lays a diff out for people: what it is of, how much of each kind
// changed, and the changes that people ask for first.
//
// A table is blocks of rows of cells. Signs carry the meaning; colour may repeat it:
//
//   - was added        ↑  a candidate moved up      ~  changed
//   - went             ↓  it moved down             !  contradicts itself
//     ×  it is excluded
//
// Cells hold texts of the catalog as they are. Whoever prints them escapes control
// characters, clips what is too long, and aligns the columns of a block.
package table

import (
	"cmp"
	"github.com/model-catalog-service/svc/internal/ijson"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// Block is rows whose columns are aligned. The first may be a heading.
type Block struct {
	Heading []string // nil for none
	Rows    []Row
	More    string // a line after the rows that says what is not shown, "" for none
}

// Row is a line of a block. Where signs are given, the heading has its first word over
// them.
type Row struct {
	Sign  string
	Cells []string
}

// mostRows is how many rows of a part are shown.
const mostRows = 20

// New lays out a diff. The names are those of its rankings, as a rule of the files that
// the requests come from; where there are too few, the hash of the request stands in.
func New(d *record.CatalogDiff, names []string) []Block {
	t := &table{CatalogDiff: d, until: map[string]string{}}
	t.head()
	if !compare.AnyChanges(d) {
		return append(t.blocks, Block{Rows: []Row{{Cells: []string{"no changes"}}}})
	}
	t.summary()
	if t.isShown(record.DiffModels) {
		t.gone("SILENCED", compare.Silenced)
		t.gone("REMOVED", compare.Removed)
	}
	if t.isShown(record.DiffFacts) {
		t.facts("CONTRADICTED", "!", compare.Contradicted)
		t.facts("CHANGED", "~", compare.Changed, compare.Settled)
		t.expired()
	}
	if t.isShown(record.DiffModels) {
		t.added()
	}
	if t.isShown(record.DiffRankings) {
		for i := range d.Rankings {
			name := d.Rankings[i].Request.SHA256[:shortDigest]
			if i < len(names) {
				name = names[i]
			}
			t.ranking(&d.Rankings[i], name)
		}
	}
	return t.blocks
}

type table struct {
	*record.CatalogDiff
	blocks []Block
	until  map[string]string // by observation id, until when it holds
}

func (t *table) isShown(kind record.DiffKind) bool { return slices.Contains(t.Only, kind) }

// add adds a block of at most so many rows, of a total of some. Columns that are empty
// everywhere are left out.
func (t *table) add(heading []string, rows []Row, total int) {
	if len(rows) == 0 {
		return
	}
	b := Block{Heading: heading, Rows: rows[:min(len(rows), mostRows)]}
	for column := len(rows[0].Cells) - 1; column > 0; column-- {
		if slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Cells[column] != "" }) {
			continue
		}
		if column < len(b.Heading) {
			b.Heading = slices.Delete(b.Heading, column, column+1)
		}
		for i := range b.Rows {
			b.Rows[i].Cells = slices.Delete(b.Rows[i].Cells, column, column+1)
		}
	}
	if more := max(total, len(rows)) - len(b.Rows); more > 0 {
		b.More = "and " + number(more) + " more (--limit, --output json)"
	}
	t.blocks = append(t.blocks, b)
}

const shortDigest = 12

func (t *table) head() {
	var b Block
	for _, side := range []struct {
		name string
		record.CatalogContent
	}{{"old", t.Old}, {"new", t.New}} {
		at := strings.Replace(string(side.AsOf), ":00.000Z", "Z", 1)
		b.Rows = append(b.Rows, Row{Cells: []string{side.name, side.Digest[:shortDigest], at, quantity.Count(side.Models, "model")}})
	}
	t.blocks = append(t.blocks, b)
}

// summary says in a line for each kind how much changed.
func (t *table) summary() {
	var b Block
	say := func(kind record.DiffKind, counts map[string]int, noun string, order ...string) {
		var parts []string
		for _, change := range order {
			if n := counts[change]; n > 0 {
				parts = append(parts, number(n)+noun+" "+string(change))
			}
		}
		text := strings.Join(parts, ", ")
		if len(parts) == 0 {
			text = "none"
		}
		if n := counts[compare.Reaffirmed]; n > 0 {
			text += "; " + number(n) + " reaffirmed"
		}
		if t.isShown(kind) {
			b.Rows = append(b.Rows, Row{Cells: []string{string(kind), text}})
		}
	}
	s := &t.Summary
	say(record.DiffModels, s.Models, "", compare.Added, compare.Removed, compare.Silenced, compare.Revived, compare.Changed)
	say(record.DiffFacts, s.Facts, "", compare.Changed, compare.Contradicted, compare.Settled, compare.Added, compare.Removed,
		compare.Renewed, compare.Expired, compare.Backfilled)
	say(record.DiffSamples, s.Samples, " groups", compare.Changed)
	say(record.DiffConflicts, s.Conflicts, "", compare.Arisen, compare.Ended, compare.Changed)
	if len(t.Rankings) > 0 {
		say(record.DiffRankings, map[string]int{compare.Changed: s.Rankings}, "", compare.Changed)
	}
	t.blocks = append(t.blocks, b)
}

// gone lists models of which nothing holds any more.
func (t *table) gone(heading string, change string) {
	var rows []Row
	for i := range t.Models {
		m := &t.Models[i]
		if m.Change != change {
			continue
		}
		seen, held := "", 0
		for _, f := range m.Facts {
			if f.Old != nil && f.Old.State != compare.StateExpired {
				held++
				for _, o := range f.Old.Observations {
					seen = max(seen, string(o.ObservedAt))
				}
			}
		}
		what := quantity.Count(held, "fact")
		if held == 0 {
			what = quantity.Count(m.Observations.HoldingOld, "observation")
		}
		rows = append(rows, Row{"-", []string{m.Identity.Name(), cmp.Or(day(seen), "–"), what}}) // a diff has no days of samples
	}
	t.add([]string{heading, "LAST SEEN", "HELD"}, rows, t.Summary.Models[change])
}

// facts lists facts of models that are in both catalogs: models by the largest change
// of a number, and so the facts of each.
func (t *table) facts(heading, sign string, changes ...string) {
	type changed struct {
		*record.FactChange
		model  *record.ModelChange
		size   float64 // of the change
		ofAll  float64 // the largest of the model
		number int     // of the model
	}
	var list []changed
	total := 0
	for _, change := range changes {
		total += t.Summary.Facts[change]
	}
	for i := range t.Models {
		m, first := &t.Models[i], len(list)
		for k := range m.Facts {
			if f := &m.Facts[k]; slices.Contains(changes, f.Change) {
				c := changed{FactChange: f, model: m, number: i}
				if f.Ratio.Known {
					c.size = math.Abs(math.Log(math.Abs(f.Ratio.Value))) // infinite for a new value of 0
				}
				list = append(list, c)
			}
		}
		largest := 0.0
		for _, c := range list[first:] {
			largest = max(largest, c.size)
		}
		for k := range list[first:] {
			list[first+k].ofAll = largest
		}
	}
	slices.SortStableFunc(list, func(a, b changed) int {
		return cmp.Or(cmp.Compare(b.ofAll, a.ofAll), cmp.Compare(a.number, b.number), cmp.Compare(b.size, a.size))
	})
	var rows []Row
	for i, f := range list[:min(len(list), mostRows)] {
		name, runs := f.model.Identity.Name(), compare.Runs(f.Execution)
		if i > 0 && list[i-1].model == f.model {
			name = ""
			if reflect.DeepEqual(list[i-1].Execution, f.Execution) {
				runs = ""
			}
		}
		old, _ := compare.SlotText(f.Old)
		new, unit := compare.SlotText(f.New)
		percent := ""
		if f.Ratio.Known {
			percent = quantity.Change(f.Ratio.Value)
		}
		rows = append(rows, Row{sign, []string{name, runs, f.MeasurementKey, old, new, percent, unit}})
	}
	t.add([]string{heading, "ON", "KEY", "OLD", "NEW"}, rows, max(total, len(list)))
}

// expired lists models of which some facts expired.
func (t *table) expired() {
	var rows []Row
	for i := range t.Models {
		m, n, until := &t.Models[i], 0, ""
		for _, f := range m.Facts {
			if f.Change == compare.Expired && f.New != nil {
				n++
				for _, o := range f.New.Observations {
					until = max(until, string(o.ValidUntil))
				}
			}
		}
		if n > 0 && m.Change != compare.Silenced {
			rows = append(rows, Row{"-", []string{m.Identity.Name(), number(n), day(until)}})
		}
	}
	t.add([]string{"EXPIRED", "FACTS", "ON"}, rows, 0)
}

// added lists new models with their prices and how much they take.
func (t *table) added() {
	var rows []Row
	for i := range t.Models {
		m := &t.Models[i]
		if m.Change != compare.Added {
			continue
		}
		first := len(rows)
		byExecution := map[string]int{}
		for _, f := range m.Facts {
			column := slices.Index([]string{"price.input", "price.output", "limits.context"}, f.MeasurementKey)
			if column < 0 || f.New == nil || f.New.State != compare.StateValue {
				continue
			}
			execution := string(ijson.MustWriteTagged(&f.Execution))
			row, known := byExecution[execution]
			if !known {
				row = len(rows)
				byExecution[execution] = row
				rows = append(rows, Row{"+", []string{"", compare.Runs(f.Execution), "", "", ""}})
			}
			rows[row].Cells[2+column], _ = compare.SlotText(f.New)
		}
		if len(rows) == first {
			rows = append(rows, Row{"+", []string{"", "", "", "", ""}})
		}
		rows[first].Cells[0] = m.Identity.Name()
	}
	t.add([]string{"ADDED", "ON", "INPUT", "OUTPUT", "CONTEXT"}, rows, t.Summary.Models[compare.Added])
}

func number(n int) string { return quantity.Number(float64(n)) }

// day is the day of a timestamp.
func day(timestamp string) string {
	day, _, _ := strings.Cut(timestamp, "T")
	return day
}

func place(rank *int) string {
	if rank == nil {
		return "–"
	}
	return strconv.Itoa(*rank)
}
