package sources

import (
	"cmp"
	"fmt"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// Format is a source of one's own: how its rows are read. [NewAdapter] adds what all adapters do:
// they verify pinned bodies, read mappings, skip and report rows, and say where values are from.
// Run of package [github.com/model-catalog-service/svc/service/sources/sourcestest] tests one.
type Format struct {
	Source string // its id in the manifest
	// Rows returns the rows of the bodies, in their order. It must depend on them alone. Its error
	// refuses the import.
	Rows func(bodies []Body) ([]Row, error)
	// OneRowPerScope says that rows are not repeated runs: those that are about the same model under
	// the same conditions are skipped, until a mapping tells them apart.
	OneRowPerScope bool
}

// Body is a body whose envelope holds, and which the manifest approves.
type Body struct {
	Text     string
	Envelope *Envelope
}

// Row is a row of a source.
type Row struct {
	ID     string // by which a mapping knows it, not empty
	Label  string // how it calls its model; empty for the ID
	Body   int    // the number of the body that it is in
	Path   string // inside the body, such as .data[3]
	Offset int    // of the row in the body, in bytes

	Skip Reason // why it gives nothing, whatever a mapping says; empty if it may
	Why  string // that in words

	Cells       []Cell       // what it gives
	Diagnostics []Diagnostic // what else is to be known; paths are inside the row, such as .cost
}

// Cell is what a row says of its model in one place.
type Cell struct {
	ID   string // no two of a row have the same; may be empty for a row that has one
	Kind string // of the evidence, such as leaderboard-row
	URI  string // where it is to be seen; empty if nowhere
	JSON string // all that was read: the evidence commits to it

	// Observation has all but what the mapping and the manifest say: model, source class, evidence,
	// and until when it holds. A mapping may add the runtime, if it has none, and to the condition
	// of the workflow.
	Observation record.Observation
}

// NewAdapter returns an adapter of a format. The entry of a row in its mappings has model and
// validUntil, and may have runtime and workflowCondition.
func NewAdapter(format Format) *Adapter {
	return &Adapter{sources.NewAdapter(sources.Format[*Row, sources.ScoreEntry]{
		Source:         format.Source,
		Entry:          sources.RunEntries(),
		ReadRows:       format.readRows,
		OneRowPerScope: format.OneRowPerScope,
		Label: func(in *sources.Row[*Row]) sources.Label {
			return sources.Label{Row: in.ID, Label: cmp.Or(in.Data.Label, in.ID)}
		},
		Observe: format.observe,
	})}
}

func (f *Format) readRows(snapshots []*sources.Snapshot, _ *sources.Notes) ([]sources.Row[*Row], error) {
	bodies := make([]Body, len(snapshots))
	for i, s := range snapshots {
		envelope := s.Envelope()
		bodies[i] = Body{s.Body(), outward.Decode[*Envelope](envelope.JSON())}
	}
	rows, err := f.Rows(bodies)
	if err != nil {
		refused := problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "%s", err)
		refused.Err = err
		return nil, refused
	}
	if len(rows) > MaxRows {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "have more than %d rows", MaxRows)
	}
	read := make([]sources.Row[*Row], len(rows))
	for i := range rows {
		r := &rows[i]
		if r.Body < 0 || r.Body >= len(bodies) || r.Offset < 0 || r.Offset > len(bodies[r.Body].Text) || r.ID == "" {
			return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots",
				"have a row %s without an id, or at no place: body %d, byte %d", canonical.Quote(r.ID), r.Body, r.Offset)
		}
		read[i] = sources.Row[*Row]{ID: r.ID, Skip: sources.Reason(r.Skip), Why: r.Why, Data: r,
			Where: sources.Where{Snapshot: snapshots[r.Body], Path: r.Path, Offset: r.Offset}}
	}
	return read, nil
}

func (f *Format) observe(b *sources.Batch, in *sources.Row[*Row], e *sources.ScoreEntry) {
	for _, d := range in.Data.Diagnostics {
		b.Note(sources.Reason(d.Reason), d.Path, -1, d.Message)
	}
	for _, cell := range in.Data.Cells {
		rec := cell.Observation
		if rec.Execution.Runtime.ID == "" {
			rec.Execution.Runtime = e.Runtime
		}
		if e.Condition != "" {
			condition := sources.Condition{}
			condition.Merge(string(rec.Execution.Workflow.Condition))
			b.MergeCondition(condition, e.Condition)
			rec.Execution.Workflow.ID = cmp.Or(rec.Execution.Workflow.ID, f.Source)
			rec.Execution.Workflow.Condition = record.Text(condition.String())
		}
		said, err := service.CanonicalJSON(cell.JSON)
		if err != nil {
			b.Note(sources.InvalidValue, "", -1, fmt.Sprintf("the cell %s is left out, since what was read of it is no JSON",
				canonical.Quote(cell.ID)))
			continue
		}
		b.Observe(&rec, record.External, sources.Cell{ID: cell.ID, Kind: cell.Kind, URI: cell.URI, JSON: said}, "")
	}
}
