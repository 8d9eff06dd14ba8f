// Package lmarena reads the leaderboards of LMArena, where people vote which of two answers is
// better: a file for each arena, with the rating of each model in each category and the bounds of
// its 95% confidence interval.
//
//	{"coding": {"atlas-70b": {"rating": 1514.4, "rating_q975": 1526.6, "rating_q025": 1502.1}}}
//
// A row is a model in a file; each of its categories becomes an evaluation. The standard error is
// the width of the interval divided by twice the normal quantile. Ratings with and without style
// control are different numbers: they differ in a condition, which the name of the file tells, and
// in their key, so that none is averaged with the other.
//
// The files do not tell when votes were cast, how many there were, or who ran the models.
package lmarena

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "lmarena"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[row, sources.ScoreEntry]{
		Source:         Source,
		Entry:          sources.ScoreEntries(),
		ReadRows:       readRows,
		Label:          label,
		OneRowPerScope: true,
		Head:           true,
		Observe:        observe,
	})
}

// board is what the name of a file tells.
type board struct{ arena, styleControl string }

// boards are the files by their artifacts. The entrypoint, which is none, is the usual one.
var boards = map[string]board{
	"":                     {"text", "on"},
	"text":                 {"text", "off"},
	"text-style-control":   {"text", "on"},
	"vision":               {"vision", "off"},
	"vision-style-control": {"vision", "on"},
	"image":                {"image", ""},
}

// key is what the keys of a board begin with.
func (b board) key() string {
	if b.styleControl == "on" {
		return Source + "." + b.arena + "-style-control"
	}
	return Source + "." + b.arena
}

// row is a model in a file.
type row struct {
	board
	snapshot *sources.Snapshot
	places   []place
}

// place is what a category says of a model.
type place struct {
	category string
	values   map[string]ijson.Value
	offset   int
}

// The fields of a place.
const (
	fieldRating = "rating"
	fieldHigh   = "rating_q975"
	fieldLow    = "rating_q025"
)

func label(in *sources.Row[row]) sources.Label {
	l := sources.Label{Row: in.ID, Label: in.ID}
	var names []string
	for _, p := range in.Data.places {
		names = append(names, in.Data.arena+" "+p.category)
	}
	l.NoteTasks(names)
	return l
}

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) (rows []sources.Row[row], err error) {
	seen := map[board]bool{}
	for _, s := range snapshots {
		b, known := boards[s.Resource().Artifact]
		if !known || seen[b] {
			return nil, s.EnvelopeFault("url", "must be that of a leaderboard, each once")
		}
		seen[b] = true
		more, err := readBoard(s, b, notes)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// readBoard reads a file: an object of categories, each an object of models.
func readBoard(s *sources.Snapshot, b board, notes *sources.Notes) ([]sources.Row[row], error) {
	var rows []sources.Row[row]
	index, unknown := map[string]int{}, map[string]bool{}
	r := s.Reader()
	for categories := r.Names(); categories.Next(); {
		for models := r.Names(); models.Next(); {
			name, at := models.Name(), models.At()
			if !ijson.IsText(name) || !ijson.IsText(categories.Name()) {
				r.Fail(at, "", "must be a name")
			}
			p := place{category: categories.Name(), values: map[string]ijson.Value{}, offset: at}
			for fields := r.Names(); fields.Next(); {
				v := r.Value()
				if slices.Contains([]string{fieldRating, fieldHigh, fieldLow}, fields.Name()) {
					p.values[fields.Name()] = v
				} else {
					unknown[fields.Name()] = true
				}
			}
			i, is := index[name]
			if !is {
				i = len(rows)
				index[name] = i
				where := sources.Where{Snapshot: s, Path: "." + p.category + "." + name, Offset: at}
				rows = append(rows, sources.Row[row]{ID: name, Where: where, Data: row{b, s, nil}})
			}
			rows[i].Data.places = append(rows[i].Data.places, p)
			if len(rows) > sources.MaxRows {
				r.Broken(at, "more models than an import takes")
			}
		}
	}
	if faults := r.End(); faults != nil {
		return nil, s.Refuse(faults)
	}
	notes.AddUnknown(unknown, s)
	return rows, nil
}

func observe(b *sources.Batch, in *sources.Row[row], e *sources.ScoreEntry) {
	c := sources.Condition{}
	c.Set("style_control", in.Data.styleControl)
	b.MergeCondition(c, e.Condition)
	for i := range in.Data.places {
		observePlace(b, in, e, &in.Data.places[i], c.String())
	}
}

// quantile is that of the standard normal distribution at 0.975.
const quantile = 1.959963984540054

// measurements takes the rating of a place and, if they are bounds of it, those of its interval.
func measurements(b *sources.Batch, key string, p *place) []record.Measurement {
	rating := p.values[fieldRating]
	if rating.Kind != '0' {
		b.Note(sources.MissingValue, "", p.offset, p.category+" has no number as its rating: left out")
		return nil
	}
	take := func(end string, value record.Scalar) record.Measurement {
		return record.Measurement{Key: key + end, Kind: record.Sample, Value: value, Unit: "points"}
	}
	number := func(v ijson.Value) record.Scalar { return record.Scalar{Kind: '0', Text: v.Text} }
	list := []record.Measurement{take("", number(rating))}
	low, high := p.values[fieldLow], p.values[fieldHigh]
	from, middle, to := number(low).Float(), number(rating).Float(), number(high).Float()
	if low.Kind != '0' || high.Kind != '0' || from > middle || to < middle || from == to {
		b.Note(sources.InvalidValue, "", p.offset, p.category+" has no bounds around its rating: they are left out")
		return list
	}
	return append(list, take(".low", number(low)), take(".high", number(high)),
		take(".stderr", record.Number((to-from)/(2*quantile))))
}

// families are those of categories that are about one thing.
var families = map[string]string{
	"coding": "software-engineering", "industry_software_and_it_services": "software-engineering",
	"math": "mathematics", "industry_mathematical": "mathematics", "if": "instruction-following",
}

func observePlace(b *sources.Batch, in *sources.Row[row], e *sources.ScoreEntry, p *place, condition string) {
	suite := Source + "." + in.Data.arena
	list := measurements(b, in.Data.key()+"."+p.category+".rating", p)
	if list == nil {
		return
	}
	family := families[p.category]
	if family == "" {
		family = "conversation"
	}
	u := sources.Uncertainty{Level: record.LevelModerate}
	u.Basisf("the rating that LMArena publishes for the %s arena in the category %s", in.Data.arena,
		canonical.Quote(p.category))
	u.Basisf("the file calls the model %s", canonical.Quote(in.ID))
	if len(list) > 1 {
		u.Basisf("the standard error is the width of the published 95%% interval divided by %v", 2*quantile)
	} else {
		u.Gapf("how sure the rating is was not published")
	}
	u.Gapf("when the votes were cast and how many there were is not disclosed: the date is that of the file")
	u.Gapf("settings of the model beyond its name and who ran it are not disclosed")
	u.Gapf("a rating is relative to the other models of the file and moves when these change")
	cell := p.category
	if in.Data.styleControl == "on" {
		cell += "+style-control"
	}
	fields := ijson.Value{Kind: '{'}
	for _, name := range []string{fieldRating, fieldLow, fieldHigh} {
		if v, is := p.values[name]; is {
			fields.Members = append(fields.Members, ijson.Member{Name: name, Value: v})
		}
	}
	envelope := in.Data.snapshot.Envelope()
	b.Observe(&record.Observation{
		Kind: record.KindEvaluation,
		Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
			Runtime:     e.Runtime,
			Adapter:     record.Component{ID: Source},
			ToolSurface: []string{},
			Workflow:    record.Workflow{ID: suite, Condition: record.Text(condition)},
		}},
		Task: record.Task{Family: family, Suite: record.Text(suite), TaskID: record.Text(p.category),
			Evaluator: record.Component{ID: Source}},
		Measurements: list,
		Outcome:      record.Outcome{Status: record.OutcomeAccepted},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(envelope.Time())},
		Uncertainty:  record.Uncertainty(u),
	}, record.External, sources.Cell{
		ID:   in.Data.arena + "." + cell + "@" + envelope.Time(),
		Kind: "leaderboard-cell",
		URI:  in.Data.snapshot.URI(),
		JSON: sources.Object(
			"arena", canonical.Quote(in.Data.arena), "category", canonical.Quote(p.category), "model", canonical.Quote(in.ID),
			"read", string(fields.AppendCanonical(nil)), "styleControl", canonical.Quote(in.Data.styleControl),
		),
	}, "")
}
