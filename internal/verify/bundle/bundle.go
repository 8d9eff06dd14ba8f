// Package bundle reads trust bundles: what a producer claims, and what speaks for
// it, in the open format Hachure, schema versions 5 to 9.
//
// # The format
//
// A trust bundle is a JSON object with a list for each kind of record. A claim
// says something of a subject. Evidence speaks for a claim or against it. In an
// event somebody judges a claim. A policy says what claims of a type need. An
// authority trace says by what right somebody judges:
//
//	{
//	  "schemaVersion": 5,
//	  "source": "bench.example.org",
//	  "claims": [{
//	    "id": "c1", "subjectType": "model", "subjectId": "atlas-70b", "claimType": "benchmark",
//	    "fieldOrBehavior": "repairs", "value": 0.74, "verificationPolicyId": "p1",
//	    "createdAt": "2026-06-01T00:00:00Z", "updatedAt": "2026-06-01T00:00:00Z"
//	  }],
//	  "evidence": [{
//	    "id": "e1", "claimId": "c1", "evidenceType": "test_output", "method": "validation",
//	    "sourceRef": "run 7", "excerptOrSummary": "74 of 100", "passing": true,
//	    "observedAt": "2026-06-01T00:00:00Z", "collectedBy": "bench"
//	  }],
//	  "policies": [{"id": "p1", "claimType": "benchmark", ...}],
//	  "events": [{
//	    "id": "v1", "claimId": "c1", "status": "verified", "actor": "ann", "method": "review",
//	    "evidenceIds": ["e1"], "createdAt": "2026-06-02T00:00:00Z"
//	  }]
//	}
//
// identityLinks, claimGroups, authorityTrace, proof and producerId may be there
// too; no other members may. docs/verification-records.md lists the members of
// each record.
//
// # Three degrees of trust
//
// A text becomes one of three types, by how much of it was checked:
//
//   - a [Raw] bundle is lists of JSON objects that have an id. It can be merged;
//   - the records of a [Content] are as the JSON Schemas of the format say. A
//     status can be derived from it. An answer of an endpoint is read as one, see
//     [ReadAnswer];
//   - a [Bundle] is a Content whose ids are unique within each list, whose claimId,
//     evidenceIds, verificationPolicyId and derivedFrom name records of the bundle,
//     whose date-times are RFC 3339 and whose confidences are as the version that it
//     declares demands. It can be stored and answered.
//
// Records pass through untouched: the spelling of numbers, the order of members and
// what free members hold come out as they went in. What cannot be written as
// canonical JSON is refused. Errors have the code INVALID_TRUST_BUNDLE and the path
// of each fault.
//
// # Refs
//
// A ref is a text by which others ask for records. It names a claim by the claim's
// id, its currentIntegrityRef or the value of its currentIntegrityAnchor. It names
// evidence or a trace by their integrityRef or the value of their integrityAnchor;
// evidence leads to its claim, a trace to the claims in its claimIds. Refs are
// compared byte by byte. [Bundle.Rows] lists them.
package bundle

import (
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Content is a trust bundle whose records are as the JSON Schemas say. It must not
// be changed.
type Content struct {
	SchemaVersion int
	Source        string
	Claims        []*Claim
	Evidence      []*Evidence
	Policies      []*Policy
	Events        []*Event
	Traces        []*Trace
	Metadata      Metadata // of the bundle of an answer

	links   []*Entry // with an empty id where a link has none
	groups  []*group
	anchors []*Entry // of the proof; their ids alone
}

// The versions of the schema, each of which adds to the one before.
const (
	firstVersion  = 5
	latestVersion = 9
)

// contentMembers are the members of a trust bundle.
var contentMembers = []ijson.ShapeMember[*decoder, Content]{
	ijson.Required("schemaVersion", func(d *decoder, c *Content) {
		c.SchemaVersion = int(d.number("must be an integer from 5 to 9", func(f float64) bool {
			return isInteger(f) && f >= firstVersion && f <= latestVersion
		}))
	}),
	ijson.Required("source", func(d *decoder, c *Content) { c.Source = d.String() }),
	ijson.Optional("producerId", func(d *decoder, _ *Content) {
		if s, at, ok := d.StringOr("must be a string"); ok && s == "" {
			d.Fail(at, "", "must not be empty")
		}
	}),
	ijson.Required("claims", func(d *decoder, c *Content) { c.Claims = readList(d, claimShape) }),
	ijson.Required("evidence", func(d *decoder, c *Content) { c.Evidence = readList(d, evidenceShape, (*Evidence).tie) }),
	ijson.Required("policies", func(d *decoder, c *Content) { c.Policies = readList(d, policyShape) }),
	ijson.Required("events", func(d *decoder, c *Content) { c.Events = readList(d, eventShape) }),
	ijson.Optional("identityLinks", func(d *decoder, c *Content) { c.links = readList(d, linkShape) }),
	ijson.Optional("claimGroups", func(d *decoder, c *Content) { c.groups = readList(d, groupShape) }),
	ijson.Optional("authorityTrace", func(d *decoder, c *Content) { c.Traces = readList(d, traceShape) }),
	ijson.Optional("proof", func(d *decoder, c *Content) { proofShape.Read(d, c) }),
}

var contentShape = ijson.NewShape(contentMembers...)

// Bundle is a trust bundle that was found right. It does not change.
type Bundle struct{ content *Content }

// Read reads a trust bundle. The error holds every fault of it, with path and
// place. What the records name by id is looked at when all else is right.
func Read(source problem.Source) (*Bundle, error) {
	const around = 1 // an answer puts a bundle into an object
	text, start := cutMark(source)
	content, faults := decodeContent(text, around, true, contentShape)
	if faults == nil {
		faults = content.check(text)
	}
	if faults != nil {
		return nil, faults.Locate(text, start).Err()
	}
	return &Bundle{content}, nil
}

// Source returns who made the bundle.
func (b *Bundle) Source() string { return b.content.Source }

// SchemaVersion returns the version of the schema: 5 to 9.
func (b *Bundle) SchemaVersion() int { return b.content.SchemaVersion }

// StatusInput returns the records for the status function.
func (b *Bundle) StatusInput() *Content { return b.content }

// Claims returns the claims, in the order of the bundle, as do the following.
func (b *Bundle) Claims() []Record { return plain(b.content.Claims) }

// Evidence returns the evidence.
func (b *Bundle) Evidence() []Record { return plain(b.content.Evidence) }

// Policies returns the policies.
func (b *Bundle) Policies() []Record { return plain(b.content.Policies) }

// Events returns the verification events.
func (b *Bundle) Events() []Record { return plain(b.content.Events) }

// AuthorityTrace returns the authority traces.
func (b *Bundle) AuthorityTrace() []Record { return plain(b.content.Traces) }

func plain[E entry](list []E) []Record {
	records := make([]Record, len(list))
	for i, e := range list {
		records[i] = e.Plain()
	}
	return records
}

// Metadata is what an answer says of itself.
type Metadata struct {
	StatusFunctionVersion string         // by which the producer derives
	RequestedRefs         ijson.TextList // as they were sent
	UnknownRefs           ijson.TextList // those that name nothing
	Nonce                 string         // of the question; empty if there is none
}

var (
	answerShape = ijson.NewShape(append(contentMembers[:len(contentMembers):len(contentMembers)],
		ijson.Required("metadata", func(d *decoder, c *Content) { metadataShape.Read(d, &c.Metadata) }))...)
	metadataShape = ijson.NewOpenShape( // later versions of the profile may have more
		ijson.Required("respondedAt", anyText[Metadata]),
		ijson.Required("statusFunctionVersion", func(d *decoder, m *Metadata) { m.StatusFunctionVersion = d.String() }),
		ijson.Required("requestedRefs", func(d *decoder, m *Metadata) { m.RequestedRefs = d.TextList() }),
		ijson.Required("unknownRefs", func(d *decoder, m *Metadata) { m.UnknownRefs = d.TextList() }),
		ijson.Optional("nonce", func(d *decoder, m *Metadata) { m.Nonce = d.String() }),
	)
)

// ReadAnswer reads the bundle of an answer: one with metadata, whose records need
// not resolve. The paths of faults begin at the bundle.
func ReadAnswer(text string) (*Content, error) {
	text, _ = cutMark(problem.Source{Text: text})
	content, faults := decodeContent(text, 0, false, answerShape)
	if faults != nil {
		return nil, faults.Err()
	}
	return content, nil
}
