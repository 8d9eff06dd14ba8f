package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

// The bounds of one import.
const (
	MaxBodyBytes    = 64 << 20 // of one body
	MaxImportBytes  = 1 << 30  // of all bodies together
	MaxSnapshots    = 1_000
	MaxRows         = 100_000
	MaxObservations = 1_000_000
	MaxMappingBytes = 16 << 20
	MaxRedirects    = 3 // that a body came by
)

// Adapter reads one source. Its errors have code INVALID_SOURCE_SNAPSHOT.
type Adapter interface {
	// Source is the id of the source.
	Source() string
	// Import makes observations of snapshots and a mapping.
	Import(Request) (*Result, error)
	// Labels returns the rows of snapshots that a mapping may speak of, in their
	// order, each once.
	Labels(*Manifest, []File) ([]Label, error)
	// Blank is the JSON of a mapping entry in which a person has decided nothing.
	Blank() string
	// IsPriceSource reports whether rows are offers, which are known by their own ids
	// where no mapping says otherwise.
	IsPriceSource() bool
	// Reducer returns what takes of a file that an import uses, as the body to pin; nil if files
	// are pinned as they are.
	Reducer() func(file io.ReaderAt, size int64) (body string, err error)
	// ReadsHead reports whether it reads the file of the entrypoint, whose revision its
	// address does not tell.
	ReadsHead() bool
	// PublishedAt returns when a body says that it was published, a timestamp, "" if it
	// does not say so.
	PublishedAt(body string) string
	// CheckMapping validates a mapping by itself.
	CheckMapping(problem.Source) error
}

// Label is what a row calls its model, with what else a person wants to see who
// decides which model that is.
type Label struct {
	Row     string
	Label   string
	Runtime string // of the row of a price source
	Base    string // the model that a price source says that the row is of; "" if it does not say
	Notes   []string
	Stated  []string // settings that the row states itself, beside the label
	Skip    Reason   // why the row gives nothing, whatever a mapping says; "" if it may
}

// NoteTasks notes on which tasks the model was run: of many the first three.
func (l *Label) NoteTasks(names []string) {
	more := ""
	if most := 3; len(names) > most+1 {
		more = "and " + strconv.Itoa(len(names)-most) + " more tasks"
		names = names[:most]
	}
	l.Notes = append(l.Notes, names...)
	if more != "" {
		l.Notes = append(l.Notes, more)
	}
}

// Request is what an import is made of.
type Request struct {
	Manifest  *Manifest
	Snapshots []File
	Mapping   problem.Source // [EmptyMapping] for a price source of which nobody decided anything
	// Decisions are what a person decided of names, for all sources at once. Those of a mapping
	// come before them.
	Decisions resolver.Decisions
	// Strict refuses rows that no entry speaks of and entries that speak of none.
	Strict bool
	// LinesOnly says that [Result.Lines] is all that is wanted of the observations:
	// those of a price source, which can be many, are then not kept.
	LinesOnly bool
}

// Result is what an import gives.
type Result struct {
	Observations []catalog.Observation // in the order of their lines; nil if only lines are wanted
	Diagnostics  []Diagnostic          // in the order in which they were met
	Acquisition  *Acquisition
	Succession   Succession // of a price source

	packed packedLines // of observations that are not there
}

// Succession is what became of offers from one snapshot to the next, added up.
type Succession struct {
	Snapshots int
	Closed    int // runs that ended
	Came      int // offers
	Went      int
}

// Lines calls write with each observation as a line of canonical JSON, as a
// compilation takes it. The lines are in order, and valid until write returns. Once it has
// called write with all, the acquisition has their digest.
func (r *Result) Lines(write func(line []byte) error) error {
	digest := sha256.New()
	hashed := func(line []byte) error {
		digest.Write(line)
		return write(line)
	}
	var line []byte
	for _, o := range r.Observations {
		line = append(o.AppendInput(line[:0]), '\n')
		if err := hashed(line); err != nil {
			return err
		}
	}
	if err := r.packed.each(hashed); err != nil {
		return err
	}
	r.Acquisition.ObservationsSHA256 = record.Text(hex.EncodeToString(digest.Sum(nil)))
	return nil
}

// Format is what an adapter knows of its source. [NewAdapter] makes an adapter
// of it. R is a row as it was read, E an entry of the mapping.
type Format[R, E any] struct {
	Source string
	Entry  EntryFormat[E]
	// ReadRows reads all rows of the snapshots.
	ReadRows func([]*Snapshot, *Notes) ([]Row[R], error)
	// OneRowPerScope says that rows are not repeated runs: those that would stand in
	// one scope are skipped.
	OneRowPerScope bool
	// Reduce takes of a file what is used of it, nil if files are read as they are.
	Reduce func(file io.ReaderAt, size int64) (body string, err error)
	// PublishedAt returns when a body says that it was made, nil if none does.
	PublishedAt func(body string) string
	// Head says that the file of the entrypoint is read, too.
	Head bool
	// Label says what a row calls its model, the id of the row if it is nil.
	Label func(*Row[R]) Label
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

func (a *formatAdapter[R, E, C]) Source() string      { return a.format.Source }
func (a *formatAdapter[R, E, C]) Blank() string       { return a.format.Entry.Blank }
func (a *formatAdapter[R, E, C]) IsPriceSource() bool { return false }
func (a *formatAdapter[R, E, C]) ReadsHead() bool     { return a.format.Head }

func (a *formatAdapter[R, E, C]) PublishedAt(body string) string {
	if a.format.PublishedAt == nil {
		return ""
	}
	return a.format.PublishedAt(body)
}

func (a *formatAdapter[R, E, C]) Reducer() func(io.ReaderAt, int64) (string, error) {
	return a.format.Reduce
}

func (a *formatAdapter[R, E, C]) CheckMapping(src problem.Source) error {
	_, err := readMapping(src, a.format.Source, &a.format.Entry)
	return err
}

func (a *formatAdapter[R, E, C]) Labels(m *Manifest, files []File) ([]Label, error) {
	snapshots, err := openAll(files, a.format.Source, m)
	if err != nil {
		return nil, err
	}
	rows, err := a.format.ReadRows(snapshots, &Notes{})
	if err != nil {
		return nil, err
	}
	var labels []Label
	seen := map[string]bool{}
	for i := range rows {
		row := &rows[i]
		if seen[row.ID] {
			continue
		}
		seen[row.ID] = true
		label := Label{Row: row.ID, Label: row.ID}
		if a.format.Label != nil {
			label = a.format.Label(row)
		}
		label.Skip = row.Skip
		labels = append(labels, label)
	}
	return labels, nil
}

func (a *formatAdapter[R, E, C]) Import(req Request) (*Result, error) {
	f := &a.format
	snapshots, err := openAll(req.Snapshots, f.Source, req.Manifest)
	if err != nil {
		return nil, err
	}
	m, err := readMapping(req.Mapping, f.Source, &f.Entry)
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
	if f.OneRowPerScope {
		b.skipSameScope()
	}
	noteMissing(&b.Notes, m)
	if err := b.faults(); err != nil {
		return nil, err
	}
	if req.Strict {
		if err := strict(b.locate(b.req.Mapping)); err != nil {
			return nil, err
		}
	}
	return b.result(m.digest)
}

// noteMissing reports entries of a mapping that no row answers to.
func noteMissing[E any](n *Notes, m *mapping[E]) {
	for _, row := range m.rows() {
		if e := m.entries[row]; !e.used {
			n.addMissing(row, e.name)
		}
	}
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
		b.skip(UnmappedRow, "the mapping has no entry for "+canonical.Quote(row.ID))
	case e.none != "":
		b.skip(MappedToNone, "a person decided that it is not one model: "+e.none)
	default:
		before := len(b.observations)
		b.claim, b.entry, b.entryStart, b.isRefused = C(&e.said).common(), e.doc, e.start, false
		b.entryMember = func(name string) (string, int) { return m.memberAt(b.req.Mapping.Text, row.ID, e.start, name) }
		b.rowAt = append(b.rowAt, struct {
			id    string
			where Where
		}{row.ID, row.Where})
		a.format.Observe(b, row, &e.said)
		if b.err == nil && len(b.observations) == before && !b.isRefused {
			b.skip(RowEmpty, "no value of the row can be taken")
		}
	}
	return b.err
}
