package sources

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
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

// Format is what an adapter knows of its source. [NewAdapter] makes an adapter
// of it. R is a row as it was read, E what a mapping entry says beyond a [Claim].
type Format[R, E any] struct {
	Source  string
	Adapter string // the name and version of the reader, for acquisition records
	Version string
	Blank   string
	// ReadEntry reads an entry of the mapping.
	ReadEntry func(*ijson.Reader, *Claim) E
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

// Where is a place in the body of a snapshot.
type Where struct {
	Snapshot int    // its index
	Path     string // inside the body: .data[3], or [3] in a list
	Offset   int
}

// NewAdapter makes an adapter of a format.
func NewAdapter[R, E any](f Format[R, E]) Adapter { return &formatAdapter[R, E]{f} }

type formatAdapter[R, E any] struct{ format Format[R, E] }

func (a *formatAdapter[R, E]) Source() string { return a.format.Source }
func (a *formatAdapter[R, E]) Blank() string  { return a.format.Blank }

func (a *formatAdapter[R, E]) CheckMapping(src problem.Source) error {
	_, err := readMapping(src, a.format.Source, a.format.ReadEntry)
	return err
}

func (a *formatAdapter[R, E]) Rows(m *Manifest, files []File) ([]string, error) {
	snapshots, err := openAll(files, a.format.Source, m)
	if err != nil {
		return nil, err
	}
	rows, err := a.readRows(snapshots, &Notes{})
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

func (a *formatAdapter[R, E]) Import(req Request) (*Result, error) {
	f := &a.format
	snapshots, err := openAll(req.Snapshots, f.Source, req.Manifest)
	if err != nil {
		return nil, err
	}
	m, err := readMapping(req.Mapping, f.Source, f.ReadEntry)
	if err != nil {
		rebase(problem.All(err), mappingPath)
		return nil, err
	}
	b := newBatch(f.Source, req, snapshots)
	rows, err := a.readRows(snapshots, &b.Notes)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if err := observeRow(b, f, &rows[i], m); err != nil {
			return nil, err
		}
	}
	for _, name := range m.names() {
		if e := m.entries[name]; !e.used {
			b.noteMapping(e.at, name, "is in the mapping, but in no snapshot")
		}
	}
	if req.Strict {
		if err := b.strict(); err != nil {
			return nil, err
		}
	}
	return b.result(acquisitionHead{f.Adapter, f.Version, m.digest})
}

func (a *formatAdapter[R, E]) readRows(snapshots []*Snapshot, notes *Notes) ([]Row[R], error) {
	rows, err := a.format.ReadRows(snapshots, notes)
	if err != nil {
		return nil, err
	}
	if len(rows) > MaxRows {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "hold %d rows, at most %d can be imported", len(rows), MaxRows)
	}
	return rows, nil
}

// observeRow makes the observations of one row, or says why there are none.
func observeRow[R, E any](b *Batch, f *Format[R, E], row *Row[R], m *mapping[E]) error {
	b.begin(row.ID, row.Where)
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
		b.claim, b.entry = &e.claim, e.doc
		f.Observe(b, row, &e.more)
		b.end()
	}
	return b.err
}

const mappingPath = "$.mapping"

// openAll verifies the snapshots of an import.
func openAll(files []File, source string, m *Manifest) ([]*Snapshot, error) {
	snapshots := make([]*Snapshot, len(files))
	total := 0
	for i, f := range files {
		if total += len(f.Body.Text); total > MaxImportBytes {
			return nil, problem.New(problem.InvalidSourceSnapshot, snapshotPath(i)+".body", "makes the bodies more than the %d bytes of an import", MaxImportBytes)
		}
		s, err := Open(f, source, m)
		if err != nil {
			rebase(problem.All(err), snapshotPath(i))
			return nil, err
		}
		s.index = i
		snapshots[i] = s
		for j := range i {
			if snapshots[j].envelope.BodySHA256 == s.envelope.BodySHA256 && snapshots[j].envelope.URL == s.envelope.URL {
				return nil, problem.New(problem.InvalidSourceSnapshot, snapshotPath(i), "is the same as %s", snapshotPath(j))
			}
		}
	}
	if len(snapshots) == 0 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "must not be empty")
	}
	return snapshots, nil
}
