package discovery

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

var (
	proposalFields = ijson.NewFields("schemaVersion", "id", "sourceId", "manifestDigest", "resolver", "entrypoint", "bundle", "revisions", "currentRevision", "artifacts")
	resolverFields = ijson.NewFields("adapter", "version")
	originFields   = ijson.NewFields("reference", "sha256", "sourceId", "url")
	artifactFields = ijson.NewFields("id", "required", "sourceId", "url", "mediaType", "maxBytes")
)

// ReadProposal reads a proposal and demands that its parts fit each other: that
// its id is that of the rest, its references name what stands beside them, and
// its current revision is the last one, of which its artifacts are. Whether it
// follows from the snapshots, only [Propose] tells. Faults have code
// INVALID_SOURCE_DISCOVERY and paths from $.
func ReadProposal(src problem.Source) (*Proposal, error) {
	pr := proposalReader{r: ijson.NewReader(src.Text, problem.InvalidSourceDiscovery)}
	pr.read()
	if !pr.r.Faulty() {
		pr.check()
	}
	if faults := pr.r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	return &pr.Proposal, nil
}

type proposalReader struct {
	r  *ijson.Reader
	at [10]int // offsets of the members, by the order of the fields
	Proposal
}

func (pr *proposalReader) read() {
	r, p := pr.r, &pr.Proposal
	for o := r.Object(proposalFields); o.Next(); {
		pr.at[o.Field()] = r.Offset()
		switch o.Field() {
		case 0:
			r.Enum(ProposalSchema)
		case 1:
			p.ID = r.Hash()
		case 2:
			p.SourceID = r.Text()
		case 3:
			p.ManifestDigest = r.Hash()
		case 4:
			pr.readResolver()
		case 5:
			p.Entrypoint = pr.readOrigin()
		case 6:
			p.Bundle = pr.readOrigin()
		case 7:
			pr.readRevisions()
		case 8:
			p.CurrentRevision = r.Text()
		case 9:
			pr.readArtifacts()
		}
	}
}

func (pr *proposalReader) readResolver() {
	for o := pr.r.Object(resolverFields); o.Next(); {
		switch o.Field() {
		case 0:
			pr.Adapter = pr.r.Text()
		case 1:
			pr.Version = pr.r.Text()
		}
	}
}

func (pr *proposalReader) readOrigin() (from Origin) {
	for o := pr.r.Object(originFields); o.Next(); {
		switch o.Field() {
		case 0:
			from.Reference = pr.r.Text()
		case 1:
			from.SHA256 = pr.r.Hash()
		case 2:
			from.SourceID = pr.r.Text()
		case 3:
			from.URL = pr.r.Text()
		}
	}
	return from
}

func (pr *proposalReader) readRevisions() {
	r := pr.r
	l := r.List()
	last := ""
	for l.Next() {
		at, mark := r.Offset(), r.Mark()
		date := r.Text()
		if r.Mark() > mark {
			continue
		}
		switch {
		case !isDate(date):
			r.Fail(at, "", "must be a date like 2026-01-08")
		case date <= last:
			r.Fail(at, "", "must be later than the one before, %s", last)
		}
		last = date
		pr.Revisions = append(pr.Revisions, date)
	}
	l.DemandItems()
}

func (pr *proposalReader) readArtifacts() {
	r := pr.r
	l := r.List()
	for l.Next() {
		var a Artifact
		at, mark := 0, r.Mark()
		for o := r.Object(artifactFields); o.Next(); {
			switch o.Field() {
			case 0:
				at = r.Offset()
				a.ID = r.Text()
			case 1:
				a.Required = r.Bool()
			case 2:
				a.SourceID = r.Text()
			case 3:
				a.URL = r.Text()
			case 4:
				a.MediaType = r.Text()
			case 5:
				a.MaxBytes = r.Count()
			}
		}
		if n := len(pr.Artifacts); r.Mark() == mark && n > 0 && canonical.CompareText(pr.Artifacts[n-1].ID, a.ID) >= 0 {
			r.Fail(at, ".id", "must stand behind %q: artifacts are ordered by id, each once", pr.Artifacts[n-1].ID)
		}
		pr.Artifacts = append(pr.Artifacts, a)
	}
	l.DemandItems()
}

// check holds the members against each other.
func (pr *proposalReader) check() {
	p := &pr.Proposal
	for _, from := range []struct {
		name  string
		field int
		*Origin
	}{{".entrypoint", 5, &p.Entrypoint}, {".bundle", 6, &p.Bundle}} {
		prefix := "service-snapshot:" + from.SourceID + "?"
		if !strings.HasPrefix(from.Reference, prefix) || !strings.Contains(from.Reference, "&sha256="+from.SHA256+"&") {
			pr.r.Fail(pr.at[from.field], from.name+".reference", "must name the sourceId and the sha256 beside it")
		}
	}
	if last := p.Revisions[len(p.Revisions)-1]; p.CurrentRevision != last {
		pr.r.Fail(pr.at[8], ".currentRevision", "must be the last of revisions, %s", last)
	}
	for _, a := range p.Artifacts {
		if want := artifactID(p.SourceID, p.CurrentRevision, a.ID); a.SourceID != want {
			pr.r.Fail(pr.at[9], ".artifacts", "must hold artifacts of the current revision: %s is not %s", a.SourceID, want)
		}
		if reason := checkURL(a.URL); reason != "" {
			pr.r.Fail(pr.at[9], ".artifacts", "%s %s", a.URL, reason)
		}
	}
	if want := canonical.Sum(p.appendJSON(nil, false)); p.ID != want {
		pr.r.Fail(pr.at[1], ".id", "must be %s, the SHA-256 of the rest", want)
	}
}

func checkURL(s string) string {
	if !strings.HasPrefix(s, "https://") {
		return "must be an absolute URL with https"
	}
	return ""
}
