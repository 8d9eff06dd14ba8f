// Package livebench reads a release of LiveBench: its table of scores, a row for
// each model and a column for each task, and its categories, which say of what
// kind each task is.
//
// A row is known by the text in its first cell. Where the cells of a row cannot
// be told apart, because there are more or fewer than columns, the row is
// skipped: to fill it up at its end would silently give wrong scores. A cell that
// holds no score is reported; nothing stands in its place.
package livebench

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
)

// Source is the id of the source.
const Source = "livebench"

// The artifacts that are read.
const (
	tableArtifact      = "table"
	categoriesArtifact = "categories"
)

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[row, entry]{
		Source:    Source,
		Adapter:   Source,
		Version:   "1",
		Blank:     `{"model":null,"runtime":null,"workflowCondition":null,"validUntil":null}`,
		ReadEntry: readEntry,
		ReadRows:  readRows,
		Observe:   observe,
	})
}

// entry is what the mapping says of a row beyond the model.
type entry struct {
	runtime   catalog.Component
	condition string // "" is null
}

var entryFields = ijson.NewFields("model", "runtime", "workflowCondition", "validUntil")

func readEntry(r *ijson.Reader, claim *sources.Claim) (e entry) {
	for o := r.Object(entryFields); o.Next(); {
		switch o.Field() {
		case 0:
			claim.Model = catalog.ReadModel(r)
		case 1:
			e.runtime = catalog.ReadComponent(r)
		case 2:
			e.condition = r.TextOrNull()
		case 3:
			claim.ReadUntil(r)
		}
	}
	return e
}

// category is a group of tasks.
type category struct{ name, key, family string }

// categoryNamed returns the category that a release calls so.
func categoryNamed(name string) (category, bool) {
	for _, c := range []category{
		{"Reasoning", "reasoning", "reasoning"},
		{"Coding", "coding", "software-engineering"},
		{"Agentic Coding", "agentic-coding", "software-engineering"},
		{"Mathematics", "mathematics", "mathematics"},
		{"Data Analysis", "data-analysis", "data-analysis"},
		{"Language", "language", "language"},
		{"IF", "instruction-following", "instruction-following"},
	} {
		if c.name == name {
			return c, true
		}
	}
	return category{}, false
}

// observe makes an evaluation of each cell of a row.
func observe(b *sources.Batch, in *sources.Row[row], e *entry) {
	for i := range in.Data.cells {
		c := &in.Data.cells[i]
		column := in.Data.table.columns[i]
		if score, ok := readScore(b, c, column.task); ok {
			observeCell(b, in, e, c, column, score)
		}
	}
}

// readScore reads a cell: a number from 0 to 100. All else is reported.
func readScore(b *sources.Batch, c *cell, task string) (score float64, ok bool) {
	path := "." + task
	switch strings.ToLower(strings.TrimSpace(c.text)) {
	case "":
		b.Note(sources.MissingValue, path, c.offset, "the cell is empty")
		return 0, false
	case "n/a", "na", "nan", "-":
		b.Note(sources.MissingValue, path, c.offset, "the cell says "+canonical.Quote(c.text))
		return 0, false
	}
	score, ok = sources.Decimal(c.text)
	if !ok || score < 0 || score > 100 {
		b.Note(sources.InvalidValue, path, c.offset, "is "+canonical.Quote(c.text)+", which is no score from 0 to 100: left out")
		return 0, false
	}
	return score, true
}

func observeCell(b *sources.Batch, in *sources.Row[row], e *entry, c *cell, column column, score float64) {
	t := in.Data.table
	rec := catalog.Record{
		Kind: catalog.KindEvaluation,
		Execution: catalog.Scope{Kind: catalog.ScopeExact, Profile: catalog.Profile{
			Runtime:     e.runtime,
			Adapter:     catalog.Component{ID: Source, Version: t.release},
			ToolSurface: []string{},
			Workflow:    catalog.Workflow{ID: Source, Version: t.release, Condition: e.condition},
		}},
		Task: catalog.Task{
			Family:    column.category.family,
			Suite:     Source,
			TaskID:    column.task,
			Evaluator: catalog.Component{ID: Source, Version: t.release},
		},
		Measurements: []catalog.Measurement{{
			Key:   "livebench." + column.category.key + ".score",
			Kind:  catalog.Sample,
			Value: sources.Number(score),
			Unit:  "percent",
		}},
		Outcome:   catalog.Outcome{Status: catalog.OutcomeAccepted},
		Freshness: catalog.Freshness{ObservedAt: sources.Midnight(t.release)},
		Uncertainty: catalog.Uncertainty{
			Level: catalog.LevelModerate,
			Basis: []string{"the score that LiveBench publishes for the task in its release " + t.release, "the row calls the model " + canonical.Quote(in.ID)},
			Gaps: []string{
				"settings of the model beyond its name in the table, the effective context and the hardware are not disclosed",
				"when the row was measured, added or corrected is not disclosed: the date is that of the release",
			},
		},
	}
	gaps := &rec.Uncertainty.Gaps
	if score == 0 {
		*gaps = append(*gaps, "a score of 0 may be a failed grading")
	}
	if column.category.key == "agentic-coding" {
		*gaps = append(*gaps, "the tools that the model was given are not disclosed")
	}
	b.Observe(&rec, catalog.External, sources.Cell{
		ID:   column.task + "@" + t.release,
		Kind: "leaderboard-cell",
		URI:  t.url,
		JSON: cellJSON(t.release, in.ID, column, c.text),
	}, "")
}

// cellJSON is what was read of a cell, as canonical JSON.
func cellJSON(release, model string, column column, text string) []byte {
	e := canonical.Encoder{}
	e.Raw(`{"category":`)
	e.Text(column.category.name)
	e.Raw(`,"model":`)
	e.Text(model)
	e.Raw(`,"release":`)
	e.Text(release)
	e.Raw(`,"score":`)
	e.Text(text)
	e.Raw(`,"task":`)
	e.Text(column.task)
	e.Raw(`}`)
	return e.Buf
}
