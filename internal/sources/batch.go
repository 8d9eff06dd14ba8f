package sources

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// adapterVersion is that of the adapters of formats, for acquisition records.
const adapterVersion = "2"

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
	refused      refusals
	err          error

	// Of each observation.
	scopes []string
	rowOf  []int // in rowAt
	rowAt  []struct {
		id    string
		where Where
	}

	// The row being imported.
	row        string
	where      Where
	claim      *Claim
	entry      []byte // canonical JSON
	entryStart int    // where it begins in the mapping
	isRefused  bool   // the entry is, for this row
	// entryMember is the path and offset in the mapping of a member of the entry, which
	// may be a default.
	entryMember func(name string) (path string, offset int)
}

func newBatch(source string, req Request, snapshots []*Snapshot) *Batch {
	return &Batch{source: source, req: req, snapshots: snapshots, builder: catalog.NewBuilder(), skipped: map[Reason]int{}}
}

// Approved returns the source as the manifest declares it.
func (b *Batch) Approved() *Source { return b.req.Manifest.Source(b.source) }

func (b *Batch) skip(reason Reason, message string) {
	b.skipped[reason]++
	b.Notes.Add(reason, b.row, b.where, message)
	b.list[len(b.list)-1].IsRow = true
}

// Note reports something of the row being imported. The path is that of the cell
// inside the row, "" for the row itself; the offset of what is not there is -1.
func (b *Batch) Note(reason Reason, path string, offset int, message string) {
	at := b.where
	at.Path += path
	if offset >= 0 {
		at.Offset = offset
	}
	b.Notes.Add(reason, b.row, at, message)
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
func (b *Batch) Observe(rec *record.Observation, sourceClass string, cell Cell, notAfter string) {
	if b.err != nil {
		return
	}
	observedAt := rec.Freshness.ObservedAt
	if b.claim.ValidUntil <= string(observedAt) {
		b.isRefused = true
		path, offset := b.entryMember(memberValidUntil)
		b.refused.addExpired(path, offset, string(observedAt), b.row)
		return
	}
	if len(b.observations) == MaxObservations {
		b.err = problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "make more than %d observations", MaxObservations)
		return
	}
	rec.Model, rec.SourceClass = b.claim.Model, sourceClass
	rec.Freshness.ValidUntil = record.Timestamp(b.claim.ValidUntil)
	if notAfter != "" && notAfter < string(rec.Freshness.ValidUntil) {
		rec.Freshness.ValidUntil = record.Timestamp(notAfter)
	}
	rec.Evidence = []record.Evidence{{
		ID:         b.evidenceID(cell),
		Kind:       cell.Kind,
		URI:        record.Text(cell.URI),
		Digest:     record.SHA256(canonical.Sum(Object("mapping", string(b.entry), "row", string(cell.JSON)))),
		ObservedAt: observedAt,
	}}
	o, err := b.builder.Build(rec)
	if err != nil {
		// What an adapter writes is valid but for texts that it took over.
		b.err = b.where.Snapshot.Fault(b.where.Offset, b.where.Path, "makes no valid observation: %s", err)
		return
	}
	b.observations = append(b.observations, o)
	b.scopes, b.rowOf = append(b.scopes, scope(rec)), append(b.rowOf, len(b.rowAt)-1)
}

// evidenceID names a row or cell:
//
//	livebench:atlas-70b-high-effort#zebra_puzzle@2026-01-08
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

// faults returns what the mapping's entries are refused for.
func (b *Batch) faults() error { return b.refused.err(b.req.Mapping) }

// refusals are the entries of a mapping that their rows refuse, all of which are told
// at once, each once.
type refusals struct {
	faults   problem.List
	at       map[string]int    // where the fault of a path is in the list
	observed map[string]string // by a path that expired, when its newest row was observed
}

func (x *refusals) add(path string, offset int, format string, args ...any) {
	if _, isThere := x.at[path]; isThere {
		return
	}
	if x.at == nil {
		x.at, x.observed = map[string]int{}, map[string]string{}
	}
	x.at[path] = len(x.faults)
	e := problem.New(problem.InvalidSourceSnapshot, path, format, args...)
	e.Offset = offset
	x.faults = append(x.faults, e)
}

// addExpired refuses an entry that ended before its row was observed. Of the rows that
// share a default, the newest says how late it has to be.
func (x *refusals) addExpired(path string, offset int, observedAt, row string) {
	const rule = "must be later than %s, when the row %s was observed"
	x.add(path, offset, rule, observedAt, canonical.Quote(row))
	if was := x.observed[path]; was != "" && was < observedAt {
		x.faults[x.at[path]].Reason = fmt.Sprintf(rule, observedAt, canonical.Quote(row))
	}
	x.observed[path] = max(x.observed[path], observedAt)
}

func (x *refusals) err(mapping problem.Source) error {
	return x.faults.Locate(mapping.Text, problem.Start(mapping.Name)).Err()
}

// strict refuses what a mapping leaves open.
func strict(diagnostics []Diagnostic) error {
	var faults problem.List
	for _, d := range diagnostics {
		if d.Reason == UnmappedRow || d.Reason == MappedRowMissing || d.Reason == SameScope {
			e := problem.New(problem.InvalidSourceSnapshot, d.Path, "%s", d.Message)
			e.Place = d.Place
			faults = append(faults, e)
		}
	}
	return faults.Err()
}

// result sorts what was collected.
func (b *Batch) result(mappingDigest string) (*Result, error) {
	// Each observation has evidence of its own, which comes first in the canonical
	// JSON, so that the id after it has no say in the order.
	slices.SortFunc(b.observations, func(x, y catalog.Observation) int {
		return canonical.CompareText(x.JSON(),
			y.JSON())
	})
	for i := 1; i < len(b.observations); i++ {
		if b.observations[i].ID() == b.observations[i-1].ID() {
			return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "say the same twice: %s",
				b.observations[i].Record().Evidence[0].ID)
		}
	}
	return &Result{
		Observations: b.observations,
		Diagnostics:  b.locate(b.req.Mapping),
		Acquisition:  b.acquisition(record.Component{ID: b.source, Version: adapterVersion}, mappingDigest),
	}, nil
}

func (b *Batch) acquisition(adapter record.Component, mappingDigest string) *Acquisition {
	a := &Acquisition{
		Source:        b.source,
		Adapter:       adapter,
		MappingSHA256: mappingDigest,
		Rows:          b.rows,
		SkippedFor:    b.skipped,
		Observations:  len(b.observations),
	}
	if !IsTeam(b.source) {
		a.ManifestDigest = record.Text(b.req.Manifest.Digest())
	}
	for _, s := range b.snapshots {
		e := &s.envelope
		a.Snapshots = append(a.Snapshots, AcquiredSnapshot{e.Reference, e.SourceID, e.URL, e.BodySHA256, e.FetchedAt,
			e.BodyBytes})
	}
	for _, n := range b.skipped {
		a.Skipped += n
	}
	a.Imported = a.Rows - a.Skipped
	return a
}
