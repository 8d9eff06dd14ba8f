package sources

import (
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// ScoreEntry is what a mapping says of a row of a leaderboard: which model it is, who ran the
// model, and with which settings that the row does not state.
type ScoreEntry struct {
	Claim
	Runtime   record.Component
	Condition string // "" is null
}

// ScoreEntries returns how the entries of a mapping look whose rows are scores of models.
func ScoreEntries() EntryFormat[ScoreEntry] {
	return EntryFormat[ScoreEntry]{
		Shape:  scoreShape(catalog.ReadComponent),
		Absent: []string{memberCondition},
		Blank:  `{"model":null,"runtime":null,"workflowCondition":null,"validUntil":null}`,
	}
}

// RunEntries is ScoreEntries of runs that say themselves who ran the model.
func RunEntries() EntryFormat[ScoreEntry] {
	return EntryFormat[ScoreEntry]{
		Shape:  scoreShape(catalog.ReadComponentOrNull),
		Absent: []string{memberCondition, memberRuntime},
		Blank:  `{"model":null,"workflowCondition":null,"validUntil":null}`,
	}
}

func scoreShape(runtime func(*ijson.Reader) record.Component) *ijson.Shape[*ijson.Reader, ScoreEntry] {
	return ijson.NewShape(
		ijson.Required(memberModel, func(r *ijson.Reader, e *ScoreEntry) { e.Model = catalog.ReadModel(r) }),
		ijson.Required(memberRuntime, func(r *ijson.Reader, e *ScoreEntry) { e.Runtime = runtime(r) }),
		ijson.Required(memberCondition, func(r *ijson.Reader, e *ScoreEntry) { e.Condition = r.TextOrNull() }),
		ijson.Required(memberValidUntil, func(r *ijson.Reader, e *ScoreEntry) { e.ValidUntil = r.Timestamp() }),
	)
}
