package sources

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// AcquisitionSchema is the schema version of an acquisition record.
const AcquisitionSchema = "service.source.acquisition/v1"

// Acquisition records what an import was made of, and what became of its rows.
type Acquisition struct {
	SchemaVersion string           `json:"schemaVersion" is:"service.source.acquisition/v1"`
	Source        string           `json:"source"`
	Adapter       record.Component `json:"adapter"` // what read the snapshots, and its version
	// "" is null: no manifest approves the team's own runs
	ManifestDigest record.Text        `json:"manifestDigest" is:"hash"`
	MappingSHA256  string             `json:"mappingSha256" is:"hash"` // of the canonical JSON
	Snapshots      []AcquiredSnapshot `json:"snapshots" least:"1"`
	Rows           int                `json:"rows"` // always Imported + Skipped
	Imported       int                `json:"imported"`
	Skipped        int                `json:"skipped"`
	SkippedFor     map[Reason]int     `json:"skippedFor"` // adds up to Skipped
	// Identified counts the imported rows by what said which model they are: a rule of package
	// resolver, the mapping, or that they are an alias or a router. Of offer/v2 alone.
	Identified   map[string]int `json:"identified,omitzero"`
	Observations int            `json:"observations"`
	// ObservationsSHA256 is the digest of all lines of the observations, which tells the
	// outputs of one run from those of another; "" is null: they were not written.
	ObservationsSHA256 record.Text `json:"observationsSha256" is:"hash"`
}

// AcquiredSnapshot is a snapshot of an acquisition.
type AcquiredSnapshot struct {
	Reference string `json:"reference"`
	SourceID  string `json:"sourceId"`
	URL       string `json:"url"`
	SHA256    string `json:"sha256" is:"hash"`
	FetchedAt string `json:"fetchedAt" is:"timestamp"`
	Bytes     uint64 `json:"bytes"`
}

// JSON is the record as canonical JSON.
func (a *Acquisition) JSON() []byte {
	doc := *a
	doc.SchemaVersion = AcquisitionSchema
	return canonical.MustMarshal(doc)
}

// CheckAcquisition validates an acquisition record, as [ReadAcquisition] does.
func CheckAcquisition(src problem.Source) error {
	_, err := ReadAcquisition(src)
	return err
}

// ReadAcquisition reads an acquisition record and validates it. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func ReadAcquisition(src problem.Source) (*Acquisition, error) {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	var a Acquisition
	start := r.Offset()
	ijson.ReadTagged(r, &a)
	if !r.Faulty() {
		if a.Rows != a.Imported+a.Skipped {
			r.FailMember(start, "rows", "must be imported and skipped together, %d", a.Imported+a.Skipped)
		}
		sum := 0
		for _, n := range a.SkippedFor {
			sum += n
		}
		if sum != a.Skipped {
			r.FailMember(start, "skippedFor", "must add up to skipped, %d", a.Skipped)
		}
	}
	return &a, r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}
