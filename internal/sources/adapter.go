package sources

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The bounds of one import.
const (
	MaxBodyBytes    = 16 << 20 // of one body
	MaxImportBytes  = 64 << 20 // of all bodies together
	MaxRows         = 10_000
	MaxObservations = 50_000
	MaxMappingBytes = 16 << 20
	MaxRedirects    = 3 // that a body came by
)

// Adapter reads one source. Its errors have code INVALID_SOURCE_SNAPSHOT.
type Adapter interface {
	// Source is the id of the source.
	Source() string
	// Import makes observations of snapshots and a mapping.
	Import(Request) (*Result, error)
	// Rows returns the ids of the rows of snapshots, in their order, each once.
	Rows(*Manifest, []File) ([]string, error)
	// Blank is the JSON of a mapping entry in which a person has decided nothing.
	Blank() string
	// CheckMapping validates a mapping by itself.
	CheckMapping(problem.Source) error
}

// Request is what an import is made of.
type Request struct {
	Manifest  *Manifest
	Snapshots []File
	Mapping   problem.Source
	// Strict refuses rows that no entry speaks of and entries that speak of none.
	Strict bool
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

// Format is what an adapter knows of its source. [NewAdapter] makes an adapter
// of it. R is a row as it was read, E an entry of the mapping.
type Format[R, E any] struct {
	Source  string
	Adapter AdapterVersion // for acquisition records
	Blank   string         // see [Adapter]
	Entry   *ijson.Shape[*ijson.Reader, E]
	// ReadRows reads all rows of the snapshots.
	ReadRows func([]*Snapshot, *Notes) ([]Row[R], error)
	// Observe makes the observations of a row.
	Observe func(*Batch, *Row[R], *E)
}

// Row is a row of a source.
type Row[R any] struct {
	ID    string
	Where Where
	// Skip says why the row cannot be imported, whatever the mapping says, and Why
	// in words; "" if it can.
	Skip Reason
	Why  string
	Data R
}

// NewAdapter makes an adapter of a format.
func NewAdapter[R, E any, C Claimant[E]](f Format[R, E]) Adapter {
	return &formatAdapter[R, E, C]{f}
}

type formatAdapter[R, E any, C Claimant[E]] struct{ format Format[R, E] }

func (a *formatAdapter[R, E, C]) Source() string { return a.format.Source }
func (a *formatAdapter[R, E, C]) Blank() string  { return a.format.Blank }

func (a *formatAdapter[R, E, C]) CheckMapping(src problem.Source) error {
	_, err := readMapping(src, a.format.Source, a.format.Entry)
	return err
}

func (a *formatAdapter[R, E, C]) Rows(m *Manifest, files []File) ([]string, error) {
	snapshots, err := openAll(files, a.format.Source, m)
	if err != nil {
		return nil, err
	}
	rows, err := a.format.ReadRows(snapshots, &Notes{})
	if err != nil {
		return nil, err
	}
	var ids []string
	seen := map[string]bool{}
	for i := range rows {
		if id := rows[i].ID; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (a *formatAdapter[R, E, C]) Import(req Request) (*Result, error) {
	f := &a.format
	snapshots, err := openAll(req.Snapshots, f.Source, req.Manifest)
	if err != nil {
		return nil, err
	}
	m, err := readMapping(req.Mapping, f.Source, f.Entry)
	if err != nil {
		problem.All(err).Under(mappingPath)
		return nil, err
	}
	b := newBatch(f.Source, req, snapshots)
	rows, err := f.ReadRows(snapshots, &b.Notes)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if err := a.observe(b, &rows[i], m); err != nil {
			return nil, err
		}
	}
	for _, row := range m.rows() {
		if e := m.entries[row]; !e.used {
			b.addMissing(row, e.name)
		}
	}
	if req.Strict {
		if err := b.strict(); err != nil {
			return nil, err
		}
	}
	return b.result(f.Adapter, m.digest)
}

// observe makes the observations of one row, or says why there are none.
func (a *formatAdapter[R, E, C]) observe(b *Batch, row *Row[R], m *mapping[E]) error {
	b.rows++
	b.row, b.where = row.ID, row.Where
	e := m.entries[row.ID]
	if e != nil {
		e.used = true
	}
	switch {
	case row.Skip != "":
		b.skip(row.Skip, row.Why)
	case e == nil:
		b.skip(UnmappedRow, "no entry of the mapping speaks of "+canonical.Quote(row.ID))
	default:
		before := len(b.observations)
		b.claim, b.entry, b.entryStart = C(&e.said).common(), e.doc, e.start
		a.format.Observe(b, row, &e.said)
		if b.err == nil && len(b.observations) == before {
			b.skip(RowEmpty, "no value of the row can be taken")
		}
	}
	return b.err
}
