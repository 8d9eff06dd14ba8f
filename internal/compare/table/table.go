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
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// Block is rows whose columns are aligned. The first may be a heading.
type Block struct {
	Heading []string // nil for none
	Rows    []Row
}

// Row is a line of a block. Where signs are given, the heading has its first word over
// them.
type Row struct {
	Sign  string
	Cells []string
}

// New lays out a diff in about so many lines, all of it if they are 0. The names are those of its
// rankings, as a rule of the files that the requests come from; where there are too few, the hash
// of the request stands in.
//
// What a person acts on first comes first: who comes first now, which models are gone or will be,
// and which prices rose.
func New(d *record.CatalogDiff, names []string, lines int) []Block {
	t := &table{CatalogDiff: d, until: map[string]string{}}
	t.head()
	if !compare.AnyChanges(d) {
		return append(t.blocks, Block{Rows: []Row{{Cells: []string{"no changes"}}}})
	}
	t.summary()
	if t.isShown(record.DiffRankings) {
		for i := range d.Rankings {
			name := d.Rankings[i].Request.SHA256[:shortDigest]
			if i < len(names) {
				name = names[i]
			}
			t.ranking(&d.Rankings[i], name)
		}
	}
	if t.isShown(record.DiffModels) {
		t.gone("SILENCED", compare.Silenced)
		t.gone("REMOVED", compare.Removed)
	}
	if t.isShown(record.DiffFacts) {
		t.ending()
		t.facts("PRICE UP", "!", isRise, compare.Changed)
	}
	if t.isShown(record.DiffSamples) {
		t.benchmarks()
	}
	if t.isShown(record.DiffModels) {
		t.added()
	}
	if t.isShown(record.DiffFacts) {
		t.facts("PRICE DOWN", "~", isFall, compare.Changed)
		t.facts("CONTRADICTED", "!", isAny, compare.Contradicted)
		t.facts("CHANGED", "~", isOther, compare.Changed, compare.Settled)
		t.expired()
	}
	t.trim(lines)
	if left := t.LeftOut; t.isCut() {
		t.blocks = append(t.blocks, Block{Rows: []Row{{Cells: []string{fmt.Sprintf("%s, %s and %s are beyond --limit.",
			quantity.Count(left[record.DiffModels], "model"), quantity.Count(left[record.DiffFacts], "fact"),
			quantity.Count(left[record.DiffSamples], "sample group"))}}}})
	}
	return t.blocks
}

// headBlocks are the blocks that say what is compared, and how much of each kind changed.
const headBlocks = 2

// trim leaves of the blocks about so many lines. Each part has a row, the first ones first, and
// then one more in turn, while there are lines; the heading says of how many. What has none is
// counted above.
func (t *table) trim(lines int) {
	parts := t.blocks[headBlocks:]
	const gap, last = 1, 2 // lines before a part, and those that say how to see all
	left, needed := lines-last, 0
	if t.isCut() {
		left -= gap + 1 // for the line that says so
	}
	for _, b := range t.blocks[:headBlocks] {
		left -= len(b.Rows) + gap
	}
	for _, b := range parts {
		needed += len(b.Rows) + gap + 1
	}
	if lines == 0 || needed <= left+last {
		return
	}
	shown := make([]int, len(parts)) // rows of each
	for grew := true; grew; {
		grew = false
		for i := range parts {
			cost := 1
			if shown[i] == 0 {
				cost += gap + 1
			}
			if shown[i] < len(parts[i].Rows) && cost <= left {
				left, grew = left-cost, true
				shown[i]++
			}
		}
	}
	blocks := t.blocks[:headBlocks:headBlocks]
	for i, b := range parts {
		if shown[i] == 0 {
			continue
		}
		if n := len(b.Rows); shown[i] < n {
			b.Heading = slices.Clone(b.Heading)
			of := number(n)
			if t.isCut() {
				of = "at least " + of
			}
			b.Heading[0] += " (" + number(shown[i]) + " of " + of + ")"
		}
		b.Rows = b.Rows[:shown[i]]
		blocks = append(blocks, b)
	}
	t.blocks = append(blocks, Block{Rows: []Row{{Cells: []string{"Use --all to list all."}}}})
}

// isCut reports whether the diff lists less than there is, being limited.
func (t *table) isCut() bool {
	return t.LeftOut[record.DiffModels]+t.LeftOut[record.DiffFacts]+t.LeftOut[record.DiffSamples] > 0
}

type table struct {
	*record.CatalogDiff
	blocks []Block
	until  map[string]string // by observation id, until when it holds
}

func (t *table) isShown(kind record.DiffKind) bool { return slices.Contains(t.Only, kind) }

// add adds a block. Columns that are empty everywhere are left out.
func (t *table) add(heading []string, rows []Row) {
	if len(rows) == 0 {
		return
	}
	b := Block{Heading: heading, Rows: rows}
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
		b.Rows = append(b.Rows, Row{Cells: []string{side.name, side.Digest[:shortDigest], at,
			quantity.Count(side.Models, "model")}})
	}
	t.blocks = append(t.blocks, b)
}

// summary says in a line for each kind how much changed.
func (t *table) summary() {
	var b Block
	say := func(kind record.DiffKind, counts map[string]int, noun string, order ...string) {
		var parts []string
		for _, change := range order {
			if n := counts[change]; n > 0 && noun != "" {
				parts = append(parts, quantity.Count(n, noun)+" "+change)
			} else if n > 0 {
				parts = append(parts, number(n)+" "+change)
			}
		}
		if n := counts[compare.Reaffirmed]; n > 0 {
			parts = append(parts, number(n)+" reaffirmed")
		}
		text := strings.Join(parts, ", ")
		if t.isShown(kind) && text != "" {
			b.Rows = append(b.Rows, Row{Cells: []string{string(kind), text}})
		}
	}
	s := &t.Summary
	say(record.DiffModels, s.Models, "", compare.Added, compare.Removed, compare.Silenced, compare.Revived,
		compare.Changed)
	say(record.DiffFacts, s.Facts, "", compare.Changed, compare.Contradicted, compare.Settled, compare.Added,
		compare.Removed, compare.Renewed, compare.Expired, compare.Backfilled)
	say(record.DiffSamples, s.Samples, "", compare.Changed, compare.Removed, compare.Expired, compare.Added)
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
					seen = max(seen, string(compare.SeenAt(&o)))
				}
			}
		}
		what := quantity.Count(held, "fact")
		if held == 0 {
			what = quantity.Count(m.Observations.HoldingOld, "observation")
		}
		// a diff has no days of samples
		rows = append(rows, Row{"-", []string{m.Identity.Name(), cmp.Or(day(seen), "–"), what}})
	}
	t.add([]string{heading, "LAST SEEN", "HELD"}, rows)
}

// Which facts a part lists.
func isAny(*record.FactChange) bool { return true }

func isPrice(f *record.FactChange) bool {
	return strings.HasPrefix(f.MeasurementKey, "price.") && f.Ratio.Known && f.Ratio.Value > 0 &&
		f.New.Values[0].Unit == "USD/token"
}
func isRise(f *record.FactChange) bool { return isPrice(f) && f.Ratio.Value > 1 }
func isFall(f *record.FactChange) bool { return isPrice(f) && f.Ratio.Value < 1 }

func isOther(f *record.FactChange) bool { return !isPrice(f) && !compare.IsEnd(f.MeasurementKey) }

// ending lists models of which their sellers say that they end, or ended.
func (t *table) ending() {
	var rows []Row
	for i := range t.Models {
		m := &t.Models[i]
		for k := range m.Facts {
			f := &m.Facts[k]
			isOver := f.New == nil || f.New.State == compare.StateExpired
			if !compare.IsEnd(f.MeasurementKey) || m.Change == compare.Added || isOver {
				continue
			}
			text, _ := compare.SlotText(f.New)
			before := ""
			if f.Old != nil && f.Old.State != compare.StateExpired {
				before, _ = compare.SlotText(f.Old)
			}
			rows = append(rows, Row{"!", []string{m.Identity.Name(), compare.Runs(f.Execution), f.MeasurementKey, before, text}})
		}
	}
	t.add([]string{"ENDING", "ON", "KEY", "OLD", "NEW"}, rows)
}

// benchmarks lists scores that changed, the largest change first, then those that went, then those
// that came.
func (t *table) benchmarks() {
	type changed struct {
		Row
		size float64
	}
	var list []changed
	for i := range t.Models {
		m := &t.Models[i]
		for k := range m.Samples {
			g := &m.Samples[k]
			old, before := scoreOf(g.Old)
			new, now := scoreOf(g.New)
			if old == new || m.Change != compare.Changed {
				continue
			}
			size, sign := -1.0, "~"
			switch {
			case !before.Known && old == "–":
				sign, size = "+", size-1
			case !now.Known && new == "–":
				sign = "-"
			}
			if before.Known && now.Known {
				size = math.Abs(now.Value - before.Value)
				if largest := max(math.Abs(before.Value), math.Abs(now.Value)); largest > 0 {
					size /= largest
				}
			}
			list = append(list, changed{Row{sign, []string{m.Identity.Name(), compare.Runs(g.Execution), g.MeasurementKey, old,
				new}}, size})
		}
	}
	slices.SortStableFunc(list, func(a, b changed) int { return cmp.Compare(b.size, a.size) })
	var rows []Row
	for _, c := range list {
		rows = append(rows, c.Row)
	}
	t.add([]string{"BENCHMARK", "ON", "KEY", "OLD", "NEW"}, rows)
}

// scoreOf is what samples come to: their mean, or how many of them succeeded.
func scoreOf(s *record.SampleSummary) (text string, f record.Float) {
	switch {
	case s == nil || s.N == 0:
		return "–", f
	case s.SuccessRate.Known:
		const percent = 100
		return quantity.Number(s.SuccessRate.Value*percent) + "%", s.SuccessRate
	case s.Mean.Known:
		text, _ = quantity.Text(s.Mean.Value, string(s.Unit))
		return text, s.Mean
	}
	return quantity.Count(s.N, "sample"), f
}

// facts lists facts of models that are in both catalogs: models by the largest change
// of a number, and so the facts of each.
func (t *table) facts(heading, sign string, isListed func(*record.FactChange) bool, changes ...string) {
	type changed struct {
		*record.FactChange
		model  *record.ModelChange
		size   float64 // of the change
		ofAll  float64 // the largest of the model
		number int     // of the model
	}
	var list []changed
	for i := range t.Models {
		m, first := &t.Models[i], len(list)
		for k := range m.Facts {
			if f := &m.Facts[k]; slices.Contains(changes, f.Change) && isListed(f) {
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
	for i, f := range list {
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
		if isPrice(f.FactChange) {
			old, new, unit = priceText(f.Old), priceText(f.New), "" // as the heading has it
		}
		rows = append(rows, Row{sign, []string{name, runs, f.MeasurementKey, old, new, percent, unit}})
	}
	names := []string{heading, "ON", "KEY", "OLD", "NEW"}
	if strings.HasPrefix(heading, "PRICE") {
		names[3], names[4] = "OLD/M", "NEW/M"
	}
	t.add(names, rows)
}

// priceText is the price for a million tokens that a slot states, without the last digits of
// binary64.
func priceText(s *record.SlotState) string {
	const digits = 8
	text, _, _ := strings.Cut(quantity.RoundedPhrase(s.Values[0].Value.Float(), string(s.Values[0].Unit), digits), " ")
	return text
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
	t.add([]string{"EXPIRED", "FACTS", "ON"}, rows)
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
	t.add([]string{"ADDED", "ON", "INPUT", "OUTPUT", "CONTEXT"}, rows)
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
