package sources

import (
	"maps"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// AcquisitionSchema is the schema version of an acquisition record.
const AcquisitionSchema = "service.source.acquisition/v1"

// Acquisition records what an import was made of, and what became of its rows.
type Acquisition struct {
	Source         string
	Adapter        catalog.Component
	ManifestDigest string // "" is null: no manifest approves the team's own runs
	MappingSHA256  string // of the canonical JSON
	Snapshots      []Acquired
	Rows           int // always Imported + Skipped
	Imported       int
	Skipped        int
	SkippedFor     map[Reason]int // adds up to Skipped
	Observations   int
}

// Acquired is a snapshot of an acquisition.
type Acquired struct {
	Reference, SourceID, URL, SHA256, FetchedAt string
	Bytes                                       uint64
}

type acquisitionHead struct{ adapter, version, mapping string }

func (b *Batch) acquisition(head acquisitionHead) *Acquisition {
	a := &Acquisition{
		Source:        b.source,
		Adapter:       catalog.Component{ID: head.adapter, Version: head.version},
		MappingSHA256: head.mapping,
		Rows:          b.rows,
		SkippedFor:    b.skipped,
		Observations:  len(b.observations),
	}
	if b.source != TeamSource {
		a.ManifestDigest = b.req.Manifest.Digest()
	}
	for _, s := range b.snapshots {
		e := &s.envelope
		a.Snapshots = append(a.Snapshots, Acquired{e.Reference, e.SourceID, e.URL, e.BodySHA256, e.FetchedAt, e.BodyBytes})
	}
	for _, n := range b.skipped {
		a.Skipped += n
	}
	a.Imported = a.Rows - a.Skipped
	return a
}

// JSON is the record as canonical JSON.
func (a *Acquisition) JSON() []byte {
	e := canonical.Encoder{}
	e.Raw(`{"adapter":{"id":`)
	e.Text(a.Adapter.ID)
	e.Raw(`,"version":`)
	e.Text(a.Adapter.Version)
	e.Raw(`},"imported":`)
	e.Uint(uint64(a.Imported))
	e.Raw(`,"manifestDigest":`)
	e.TextOrNull(a.ManifestDigest)
	e.Raw(`,"mappingSha256":`)
	e.Text(a.MappingSHA256)
	e.Raw(`,"observations":`)
	e.Uint(uint64(a.Observations))
	e.Raw(`,"rows":`)
	e.Uint(uint64(a.Rows))
	e.Raw(`,"schemaVersion":"` + AcquisitionSchema + `","skipped":`)
	e.Uint(uint64(a.Skipped))
	e.Raw(`,"skippedFor":{`)
	for i, reason := range slices.Sorted(maps.Keys(a.SkippedFor)) {
		if i > 0 {
			e.Raw(`,`)
		}
		e.Text(string(reason))
		e.Raw(`:`)
		e.Uint(uint64(a.SkippedFor[reason]))
	}
	e.Raw(`},"snapshots":[`)
	for i := range a.Snapshots {
		if i > 0 {
			e.Raw(`,`)
		}
		a.Snapshots[i].encode(&e)
	}
	e.Raw(`],"source":`)
	e.Text(a.Source)
	e.Raw(`}`)
	return e.Buf
}

func (s *Acquired) encode(e *canonical.Encoder) {
	e.Raw(`{"bytes":`)
	e.Uint(s.Bytes)
	e.Raw(`,"fetchedAt":`)
	e.Text(s.FetchedAt)
	e.Raw(`,"reference":`)
	e.Text(s.Reference)
	e.Raw(`,"sha256":`)
	e.Text(s.SHA256)
	e.Raw(`,"sourceId":`)
	e.Text(s.SourceID)
	e.Raw(`,"url":`)
	e.Text(s.URL)
	e.Raw(`}`)
}

var (
	acquisitionFields = ijson.NewFields("schemaVersion", "source", "adapter", "manifestDigest", "mappingSha256", "snapshots", "rows", "imported", "skipped", "skippedFor", "observations")
	acquiredFields    = ijson.NewFields("reference", "sourceId", "url", "sha256", "bytes", "fetchedAt")
)

// CheckAcquisition validates an acquisition record. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func CheckAcquisition(src problem.Source) error {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	var rows, imported, skipped, skippedFor uint64
	rowsAt, skippedAt := 0, 0
	mark := r.Mark()
	for o := r.Object(acquisitionFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(AcquisitionSchema)
		case 1:
			r.Text()
		case 2:
			catalog.ReadComponent(r)
		case 3:
			if !r.Null() {
				r.Hash()
			}
		case 4:
			r.Hash()
		case 5:
			checkAcquired(r)
		case 6:
			rowsAt = r.Offset()
			rows = r.Count()
		case 7:
			imported = r.Count()
		case 8:
			skipped = r.Count()
		case 9:
			skippedAt = r.Offset()
			for n := r.Names(); n.Next(); {
				skippedFor += r.Count()
			}
		case 10:
			r.Count()
		}
	}
	if r.Mark() == mark && !r.IsBroken() {
		if rows != imported+skipped {
			r.Fail(rowsAt, ".rows", "must be imported and skipped together, %d", imported+skipped)
		}
		if skippedFor != skipped {
			r.Fail(skippedAt, ".skippedFor", "must add up to skipped, %d", skipped)
		}
	}
	return r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}

func checkAcquired(r *ijson.Reader) {
	l := r.List()
	for l.Next() {
		for o := r.Object(acquiredFields); o.Next(); {
			switch o.Field() {
			case 3:
				r.Hash()
			case 4:
				r.Count()
			case 5:
				r.Timestamp()
			default:
				r.Text()
			}
		}
	}
	l.DemandItems()
}
