package sources

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Batch collects what comes of the rows of an import, one row after the other.
type Batch struct {
	Notes

	source    string
	req       Request
	snapshots []*Snapshot

	builder      *catalog.Builder
	observations []catalog.Observation
	rows         int
	skipped      map[Reason]int
	err          error

	// The row being imported.
	row    string
	where  Where
	claim  *Claim
	entry  []byte // canonical JSON
	before int    // observations before it
}

func newBatch(source string, req Request, snapshots []*Snapshot) *Batch {
	return &Batch{source: source, req: req, snapshots: snapshots, builder: catalog.NewBuilder(), skipped: map[Reason]int{}}
}

// Manifest returns the manifest of the import.
func (b *Batch) Manifest() *Manifest { return b.req.Manifest }

// Snapshot returns a snapshot by its index.
func (b *Batch) Snapshot(i int) *Snapshot { return b.snapshots[i] }

// Model returns the model that the mapping says the row is.
func (b *Batch) Model() catalog.Model { return b.claim.Model }

func (b *Batch) begin(row string, where Where) {
	b.rows++
	b.row, b.where, b.before = row, where, len(b.observations)
}

func (b *Batch) skip(reason Reason, message string) {
	b.skipped[reason]++
	b.Notes.Add(reason, b.row, b.where, message)
}

// end counts a row of which nothing could be taken as skipped.
func (b *Batch) end() {
	if b.err == nil && len(b.observations) == b.before {
		b.skip(RowEmpty, "no value of the row can be taken")
	}
}

// Note reports something of the row being imported. The path is that of the cell
// inside the row, "" for the row itself.
func (b *Batch) Note(reason Reason, path string, offset int, message string) {
	at := b.where
	at.Path += path
	if offset >= 0 {
		at.Offset = offset
	}
	b.Notes.Add(reason, b.row, at, message)
}

func (b *Batch) noteMapping(offset int, row, message string) {
	b.notes = append(b.notes, note{
		Diagnostic: Diagnostic{Reason: MappedRowMissing, Row: row, Message: canonical.Quote(row) + " " + message, Path: mappingPath + ".entries." + row},
		snapshot:   -1,
		offset:     offset,
	})
}

// Cell is what an observation was read of: a row, or a cell of one.
type Cell struct {
	ID   string // "" for the whole row; no two of a row have the same
	Kind string // of the evidence
	URI  string // "" is null; it must not change when the source does elsewhere
	JSON []byte // canonical JSON of all that was read
	// NoRowID leaves the row's id out of that of the evidence, which a hash of it
	// stands for.
	NoRowID bool
}

// Observe adds an observation. Its record has all but the model, the source
// class, the evidence and how long it holds, which the batch knows: until the
// mapping says and no later than notAfter, if that is given.
func (b *Batch) Observe(rec *catalog.Record, sourceClass string, cell Cell, notAfter string) {
	if b.err != nil {
		return
	}
	observedAt := rec.Freshness.ObservedAt
	if b.claim.ValidUntil <= observedAt {
		b.err = b.mappingFault(b.claim.untilAt, "validUntil", "must be later than "+observedAt+", when the row was observed")
		return
	}
	if len(b.observations) == MaxObservations {
		b.err = problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "make more than %d observations", MaxObservations)
		return
	}
	rec.Model, rec.SourceClass = b.claim.Model, sourceClass
	rec.Freshness.ValidUntil = b.claim.ValidUntil
	if notAfter != "" && notAfter < rec.Freshness.ValidUntil {
		rec.Freshness.ValidUntil = notAfter
	}
	rec.Evidence = []catalog.Evidence{{
		ID:         b.evidenceID(cell),
		Kind:       cell.Kind,
		URI:        cell.URI,
		SHA256:     b.evidenceDigest(cell),
		ObservedAt: observedAt,
	}}
	o, err := b.builder.Build(rec)
	if err != nil {
		// What an adapter writes is valid but for texts that it took over.
		b.err = b.snapshots[b.where.Snapshot].Fault(b.where.Offset, b.where.Path, "makes no valid observation: %s", err)
		return
	}
	b.observations = append(b.observations, o)
}

func (b *Batch) evidenceID(cell Cell) string {
	row := b.row
	if cell.NoRowID {
		row = canonical.Sum([]byte(row))[:24]
	}
	if cell.ID != "" {
		row += "#" + cell.ID
	}
	return b.source + ":" + row
}

func (b *Batch) evidenceDigest(cell Cell) string {
	doc := append([]byte(`{"mapping":`), b.entry...)
	doc = append(doc, `,"row":`...)
	doc = append(doc, cell.JSON...)
	return canonical.Sum(append(doc, '}'))
}

// mappingFault is a fault of a member of the row's mapping entry.
func (b *Batch) mappingFault(offset int, member, reason string) error {
	e := problem.New(problem.InvalidSourceSnapshot, mappingPath+".entries."+b.row+"."+member, "%s", reason)
	e.Offset = offset
	return problem.List{e}.Locate(b.req.Mapping.Text, problem.Start(b.req.Mapping.Name)).Err()
}

// strict refuses what a mapping leaves open.
func (b *Batch) strict() error {
	var faults problem.List
	for _, d := range locate(b.notes, b.snapshots, b.req.Mapping) {
		if d.Reason == UnmappedRow || d.Reason == MappedRowMissing {
			e := problem.New(problem.InvalidSourceSnapshot, d.Path, "%s", d.Message)
			e.Place = d.Place
			faults = append(faults, e)
		}
	}
	return faults.Err()
}

// result sorts what was collected.
func (b *Batch) result(head acquisitionHead) (*Result, error) {
	// Each observation has evidence of its own, which comes first in the canonical
	// JSON, so that the id behind it has no say in the order.
	slices.SortFunc(b.observations, func(x, y catalog.Observation) int { return canonical.CompareText(x.JSON(), y.JSON()) })
	for i := 1; i < len(b.observations); i++ {
		if b.observations[i].ID() == b.observations[i-1].ID() {
			return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "say the same twice: %s",
				b.observations[i].Record().Evidence[0].ID)
		}
	}
	r := &Result{
		Observations: b.observations,
		Diagnostics:  locate(b.notes, b.snapshots, b.req.Mapping),
	}
	r.Acquisition = b.acquisition(head)
	return r, nil
}

// Result is what an import gives.
type Result struct {
	Observations []catalog.Observation // in the order of their lines
	Diagnostics  []Diagnostic          // in the order in which they were met
	Acquisition  *Acquisition
}

// Lines calls write with each observation as a line of canonical JSON, as a
// compilation takes it. The lines are in order.
func (r *Result) Lines(write func(line string) error) error {
	for _, o := range r.Observations {
		if err := write(o.Input() + "\n"); err != nil {
			return err
		}
	}
	return nil
}
