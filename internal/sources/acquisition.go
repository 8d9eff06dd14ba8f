package sources

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// AcquisitionSchema is the schema version of an acquisition record.
const AcquisitionSchema = "service.source.acquisition/v1"

// Acquisition records what an import was made of, and what became of its rows.
type Acquisition struct {
	Source         string         `json:"source"`
	Adapter        AdapterVersion `json:"adapter"`
	ManifestDigest string         `json:"manifestDigest"` // "" is null: no manifest approves the team's own runs
	MappingSHA256  string         `json:"mappingSha256"`  // of the canonical JSON
	Snapshots      []Acquired     `json:"snapshots"`
	Rows           int            `json:"rows"` // always Imported + Skipped
	Imported       int            `json:"imported"`
	Skipped        int            `json:"skipped"`
	SkippedFor     map[Reason]int `json:"skippedFor"` // adds up to Skipped
	Observations   int            `json:"observations"`
}

// AdapterVersion says what read the snapshots of an acquisition.
type AdapterVersion struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// Acquired is a snapshot of an acquisition.
type Acquired struct {
	Reference string `json:"reference"`
	SourceID  string `json:"sourceId"`
	URL       string `json:"url"`
	SHA256    string `json:"sha256"`
	FetchedAt string `json:"fetchedAt"`
	Bytes     uint64 `json:"bytes"`
}

// JSON is the record as canonical JSON.
func (a *Acquisition) JSON() []byte {
	return canonical.MustMarshal(struct {
		SchemaVersion string `json:"schemaVersion"`
		Acquisition
		ManifestDigest canonical.Text `json:"manifestDigest"`
	}{AcquisitionSchema, *a, canonical.Text(a.ManifestDigest)})
}

var acquisitionShape = ijson.NewShape(
	ijson.Required("schemaVersion", func(r *ijson.Reader, _ *Acquisition) { r.Enum(AcquisitionSchema) }),
	ijson.Required("source", func(r *ijson.Reader, a *Acquisition) { a.Source = r.Text() }),
	ijson.Required("adapter", func(r *ijson.Reader, a *Acquisition) { adapterVersionShape.Read(r, &a.Adapter) }),
	ijson.Required("manifestDigest", func(r *ijson.Reader, a *Acquisition) {
		if !r.Null() {
			a.ManifestDigest = r.Hash()
		}
	}),
	ijson.Required("mappingSha256", func(r *ijson.Reader, a *Acquisition) { a.MappingSHA256 = r.Hash() }),
	ijson.Required("snapshots", func(r *ijson.Reader, a *Acquisition) {
		l := r.List()
		for l.Next() {
			var s Acquired
			acquiredShape.Read(r, &s)
			a.Snapshots = append(a.Snapshots, s)
		}
		l.DemandItems()
	}),
	ijson.Required("rows", func(r *ijson.Reader, a *Acquisition) { a.Rows = int(r.Count()) }),
	ijson.Required("imported", func(r *ijson.Reader, a *Acquisition) { a.Imported = int(r.Count()) }),
	ijson.Required("skipped", func(r *ijson.Reader, a *Acquisition) { a.Skipped = int(r.Count()) }),
	ijson.Required("skippedFor", func(r *ijson.Reader, a *Acquisition) {
		a.SkippedFor = map[Reason]int{}
		for n := r.Names(); n.Next(); {
			a.SkippedFor[Reason(n.Name())] = int(r.Count())
		}
	}),
	ijson.Required("observations", func(r *ijson.Reader, a *Acquisition) { a.Observations = int(r.Count()) }),
)

var adapterVersionShape = ijson.NewShape(
	ijson.Required("id", func(r *ijson.Reader, v *AdapterVersion) { v.ID = r.Text() }),
	ijson.Required("version", func(r *ijson.Reader, v *AdapterVersion) { v.Version = r.TextOrNull() }),
)

var acquiredShape = ijson.NewShape(
	ijson.Required("reference", func(r *ijson.Reader, s *Acquired) { s.Reference = r.Text() }),
	ijson.Required("sourceId", func(r *ijson.Reader, s *Acquired) { s.SourceID = r.Text() }),
	ijson.Required("url", func(r *ijson.Reader, s *Acquired) { s.URL = r.Text() }),
	ijson.Required("sha256", func(r *ijson.Reader, s *Acquired) { s.SHA256 = r.Hash() }),
	ijson.Required("bytes", func(r *ijson.Reader, s *Acquired) { s.Bytes = r.Count() }),
	ijson.Required("fetchedAt", func(r *ijson.Reader, s *Acquired) { s.FetchedAt = r.Timestamp() }),
)

// CheckAcquisition validates an acquisition record. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func CheckAcquisition(src problem.Source) error {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	var a Acquisition
	o := acquisitionShape.Read(r, &a)
	if !r.Faulty() {
		if a.Rows != a.Imported+a.Skipped {
			r.FailMember(o.Start(), "rows", "must be imported and skipped together, %d", a.Imported+a.Skipped)
		}
		sum := 0
		for _, n := range a.SkippedFor {
			sum += n
		}
		if sum != a.Skipped {
			r.FailMember(o.Start(), "skippedFor", "must add up to skipped, %d", a.Skipped)
		}
	}
	return r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}
