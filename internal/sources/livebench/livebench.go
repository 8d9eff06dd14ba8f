// Package livebench reads a release of LiveBench: its table of scores, a row for
// each model and a column for each task, and its categories, which say of what
// kind each task is.
//
//	model,connections,javascript,zebra_puzzle               table_2026_01_08.csv
//	atlas-70b-high-effort,34.833,15.0,7.5
//
//	{"Language": ["connections"], "Agentic Coding": ...}    categories_2026_01_08.json
//
// A row is known by the text in its first cell. Each other cell becomes an
// evaluation, whose one sample is the score in percent. Where the cells of a row
// cannot be told apart, because there are more or fewer than columns, the row is
// skipped: to fill it up at its end would silently give wrong scores. A cell that
// holds no score is reported; nothing takes its place.
//
// The files do not tell the settings of a model beyond its name in the table, the
// effective context, the hardware, or when a row was measured, added or corrected.
package livebench

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "livebench"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[row, sources.ScoreEntry]{
		Source:         Source,
		Entry:          sources.ScoreEntries(),
		ReadRows:       readRows,
		Label:          label,
		OneRowPerScope: true,
		Observe:        observe,
	})
}

// label says of a row what a person wants to see who decides which model it is: in which
// release it is, and for which tasks it has a score.
func label(in *sources.Row[row]) sources.Label {
	l := sources.Label{Row: in.ID, Label: in.ID, Notes: []string{"release " + in.Data.table.release}}
	var tasks []string
	for i := range in.Data.cells {
		if c := &in.Data.cells[i]; !c.isEmpty() && !c.saysNone() {
			tasks = append(tasks, in.Data.table.columns[i].task)
		}
	}
	l.NoteTasks(tasks)
	return l
}

// observe makes an evaluation of each cell of a row.
func observe(b *sources.Batch, in *sources.Row[row], e *sources.ScoreEntry) {
	for i := range in.Data.cells {
		c := &in.Data.cells[i]
		column := in.Data.table.columns[i]
		if score, ok := readScore(b, c, column.task); ok {
			observeCell(b, in, e, c, column, score)
		}
	}
}

func (c *cell) isEmpty() bool { return strings.TrimSpace(c.text) == "" }

// saysNone reports whether the cell says in words that there is no score.
func (c *cell) saysNone() bool {
	switch strings.ToLower(strings.TrimSpace(c.text)) {
	case "n/a", "na", "nan", "-":
		return true
	}
	return false
}

// readScore reads a cell: a number from 0 to 100. All else is reported.
func readScore(b *sources.Batch, c *cell, task string) (score float64, ok bool) {
	path := "." + task
	switch {
	case c.isEmpty():
		b.Note(sources.MissingValue, path, c.offset, "the cell is empty")
		return 0, false
	case c.saysNone():
		b.Note(sources.MissingValue, path, c.offset, "the cell says "+canonical.Quote(c.text))
		return 0, false
	}
	score, ok = sources.Decimal(c.text)
	if !ok || score < 0 || score > 100 {
		b.Note(sources.InvalidValue, path, c.offset, "is "+canonical.Quote(c.text)+", which is not a score from 0 to 100: "+
			"left out")
		return 0, false
	}
	return score, true
}

func observeCell(b *sources.Batch, in *sources.Row[row], e *sources.ScoreEntry, c *cell, column column, score float64) {
	t := in.Data.table
	u := sources.Uncertainty{Level: record.LevelModerate}
	u.Basisf("the score that LiveBench publishes for the task in its release %s", t.release)
	u.Basisf("the row calls the model %s", canonical.Quote(in.ID))
	u.Gapf("settings of the model beyond its name in the table, the effective context and the hardware are not disclosed")
	u.Gapf("when the row was measured, added or corrected is not disclosed: the date is that on which it was first seen")
	if score == 0 {
		u.Gapf("a score of 0 may be a failed grading")
	}
	if column.category.key == "agentic-coding" {
		u.Gapf("the tools that the model was given are not disclosed")
	}
	board := record.Component{ID: Source, Version: record.Text(t.release)}
	b.Observe(&record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime:     e.Runtime,
			Adapter:     board,
			ToolSurface: []string{},
			Workflow:    record.Workflow{ID: Source, Version: record.Text(t.release), Condition: record.Text(e.Condition)},
		}},
		Task: record.Task{Family: column.category.family, Suite: Source, TaskID: record.Text(column.task), Evaluator: board},
		Measurements: []record.Measurement{{
			Key:   "livebench." + column.category.key + ".score",
			Kind:  record.Sample,
			Value: record.Number(score),
			Unit:  "percent",
		}},
		Outcome:     record.Outcome{Status: record.OutcomeAccepted},
		Freshness:   record.Freshness{ObservedAt: record.Timestamp(c.seen)},
		Uncertainty: record.Uncertainty(u),
	}, record.External, sources.Cell{
		ID:   column.task + "@" + t.release,
		Kind: "leaderboard-cell",
		URI:  t.url,
		JSON: sources.Object(
			"category", canonical.Quote(column.category.name),
			"model", canonical.Quote(in.ID),
			"release", canonical.Quote(t.release),
			"score", canonical.Quote(c.text),
			"task", canonical.Quote(column.task),
		),
	}, "")
}
