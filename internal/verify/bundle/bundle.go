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
// compared byte by byte. [Bundle.Row] lists them.
package bundle

import (
	"slices"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
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
}

// The versions of the schema, each of which adds to the one before.
const (
	oldestVersion = 2 // which is told from what is no version
	firstVersion  = 5
	latestVersion = 9
)

// members are the members of a trust bundle: those that every bundle has, and the lists
// of records, which are read into a T in different ways.
func members[T any](version func(*T) *int, source func(*T) *string,
	lists ...ijson.ShapeMember[*decoder, T]) []ijson.ShapeMember[*decoder, T] {
	return append([]ijson.ShapeMember[*decoder, T]{
		ijson.Required("schemaVersion", func(d *decoder, t *T) {
			at := d.Offset()
			const rule = "must be an integer from 5 to 9"
			d.declared = int(d.number(rule, func(f float64) bool {
				return isInteger(f) && f >= oldestVersion && f <= latestVersion
			}))
			if oldestVersion <= d.declared && d.declared < firstVersion {
				d.Fail(at, "", rule+": %d has surface where claims have facet since 5; rename it, and declare 5", d.declared)
			}
			*version(t) = d.declared
		}),
		ijson.Required("source", func(d *decoder, t *T) { *source(t) = d.String() }),
		ijson.Optional("producerId", func(d *decoder, _ *T) {
			if s, at, ok := d.StringOr("must be a string"); ok && s == "" {
				d.Fail(at, "", "must not be empty")
			}
		}),
	}, lists...)
}

// contentMembers read the records that a status hangs on, and check all others.
func contentMembers(more ...ijson.ShapeMember[*decoder, Content]) []ijson.ShapeMember[*decoder, Content] {
	return append(members(
		func(c *Content) *int { return &c.SchemaVersion }, func(c *Content) *string { return &c.Source },
		ijson.Required("claims", func(d *decoder, c *Content) { c.Claims = readList(d, claimShape) }),
		ijson.Required("evidence", func(d *decoder, c *Content) {
			c.Evidence = readList(d, evidenceShape, (*Evidence).checkTies)
		}),
		ijson.Required("events", func(d *decoder, c *Content) { c.Events = readList(d, eventShape) }),
		ijson.Optional("identityLinks", func(d *decoder, _ *Content) { readSpots(d, linkShape) }),
		ijson.Optional("claimGroups", func(d *decoder, _ *Content) { readSpots(d, groupShape) }),
		ijson.Optional("authorityTrace", func(d *decoder, c *Content) { c.Traces = readList(d, traceShape) }),
		ijson.Optional("proof", func(d *decoder, _ *Content) { proofShape.Read(d, new(spotList)) }),
	), more...)
}

func readPolicies(d *decoder, c *Content) { c.Policies = readList(d, policyShape) }

var contentShape = ijson.NewShape(contentMembers(ijson.Required("policies", readPolicies))...)

// Bundle is a trust bundle that was found right. It does not change.
//
// It is its text, and 36 bytes for each record that say where in the text the record is
// and what it hangs together by. So a bundle of many records takes little more memory
// than the file that it came from.
type Bundle struct {
	text    string
	version int
	source  string
	dense   bool // no record has white space between its tokens

	lists        [KindGroup + 1]spotList
	requirements []spotList // of each claim group
	anchors      spotList   // of the proof

	content func() *Content // decodes the records when they are first needed
}

var bundleShape = ijson.NewShape(members(
	func(b *Bundle) *int { return &b.version }, func(b *Bundle) *string { return &b.source },
	ijson.Required("claims", func(d *decoder, b *Bundle) { b.lists[KindClaim] = readSpots(d, claimShape) }),
	ijson.Required("evidence", func(d *decoder, b *Bundle) {
		b.lists[KindEvidence] = readSpots(d, evidenceShape, (*Evidence).checkTies)
	}),
	ijson.Required("policies", func(d *decoder, b *Bundle) { b.lists[KindPolicy] = readSpots(d, policyShape) }),
	ijson.Required("events", func(d *decoder, b *Bundle) { b.lists[KindEvent] = readSpots(d, eventShape) }),
	ijson.Optional("identityLinks", func(d *decoder, b *Bundle) { b.lists[KindLink] = readSpots(d, linkShape) }),
	ijson.Optional("claimGroups", func(d *decoder, b *Bundle) {
		b.lists[KindGroup] = readSpots(d, groupShape, func(g *group, _ *decoder, _ int) {
			b.requirements = append(b.requirements, g.requirements)
		})
	}),
	ijson.Optional("authorityTrace", func(d *decoder, b *Bundle) { b.lists[KindTrace] = readSpots(d, traceShape) }),
	ijson.Optional("proof", func(d *decoder, b *Bundle) { proofShape.Read(d, &b.anchors) }),
)...)

// bundleDepth is how many objects are open around a bundle: an answer puts it into one.
const bundleDepth = 1

// Read reads a trust bundle of at most 4 GiB. The error holds every fault of it, with
// path and place. What the records name by id is looked at when all else is right.
func Read(source problem.Source) (*Bundle, error) { return read(source, mostText) }

func read(source problem.Source, most int) (*Bundle, error) {
	text, start := cutMark(source)
	if len(text) > most {
		fault := problem.New(problem.InvalidTrustBundle, "$", "must have at most %d bytes, has %d", most, len(text))
		return nil, problem.List{fault}.Locate(text, start).Err()
	}
	b, d, faults := decode(text, bundleDepth, true, bundleShape)
	if faults == nil {
		faults = d.checkLatest(text, b.version)
	}
	b.text = text
	if faults == nil {
		var beside sync.WaitGroup
		beside.Go(func() { b.dense = b.isDense() })
		faults = b.check()
		beside.Wait()
	}
	if faults != nil {
		return nil, faults.Locate(text, start).Err()
	}
	b.content = sync.OnceValue(func() *Content {
		content, _ := decodeContent(text, bundleDepth, true, contentShape) // right, as was found
		return content
	})
	return b, nil
}

// isDense reports whether no record has white space between its tokens.
func (b *Bundle) isDense() bool {
	for kind := range b.lists {
		for i := range b.lists[kind].len() {
			if s := b.lists[kind].at(i); len(ijson.Compact(b.text[s.start:s.end])) != int(s.end-s.start) {
				return false
			}
		}
	}
	return true
}

// Source returns who made the bundle.
func (b *Bundle) Source() string { return b.source }

// SchemaVersion returns the version of the schema: 5 to 9.
func (b *Bundle) SchemaVersion() int { return b.version }

// StatusInput returns the records for the status function. They are decoded when this
// is called first.
func (b *Bundle) StatusInput() *Content { return b.content() }

// Len returns how many records of a kind there are.
func (b *Bundle) Len(kind Kind) int { return b.lists[kind].len() }

// Record returns a record of a kind, by its index in the list.
func (b *Bundle) Record(kind Kind, index int) Record {
	s := b.lists[kind].at(index)
	r := Record{textAt(b.text, s.id), b.text[s.start:s.end]}
	if !b.dense {
		r.JSON = ijson.Compact(r.JSON)
	}
	return r
}

// Records returns all records of a kind, in the order of the bundle.
func (b *Bundle) Records(kind Kind) []Record {
	records := make([]Record, b.Len(kind))
	for i := range records {
		records[i] = b.Record(kind, i)
	}
	return records
}

// ID returns the id of a record.
func (b *Bundle) ID(kind Kind, index int) string { return textAt(b.text, b.lists[kind].at(index).id) }

// Parent returns the id of the claim of evidence and events, else an empty text.
func (b *Bundle) Parent(kind Kind, index int) string {
	if kind != KindEvidence && kind != KindEvent {
		return ""
	}
	return textAt(b.text, b.lists[kind].at(index).parent)
}

// Actor returns the actor of an event or a trace.
func (b *Bundle) Actor(kind Kind, index int) string {
	return textAt(b.text, b.lists[kind].at(index).actor)
}

// MostRefs is how many refs can name a record.
const MostRefs = 3

// Ref returns a ref that names a record, of at most [MostRefs], or an empty text. Of a
// claim, the first is its id.
func (b *Bundle) Ref(kind Kind, index, which int) string {
	s := b.lists[kind].at(index)
	id := s.id
	if kind != KindClaim {
		id = 0
	}
	return textAt(b.text, [MostRefs]spot{id, s.ref, s.anchor}[which])
}

// Row returns a record of a kind that stores keep, and what they find it by.
func (b *Bundle) Row(kind Kind, index int) Row {
	r := Row{Record: b.Record(kind, index)}
	r.Refs = distinct(b.Ref(kind, index, 0), b.Ref(kind, index, 1), b.Ref(kind, index, 2))
	switch kind {
	case KindEvidence, KindEvent:
		r.Claims = []string{b.Parent(kind, index)}
	case KindTrace:
		r.Claims = b.TraceClaims(index)
	}
	r.Actor = b.Actor(kind, index)
	return r
}

// TraceClaims returns the ids of the claims that a trace names, each once, sorted.
func (b *Bundle) TraceClaims(index int) (ids []string) {
	for _, id := range listAt(b.text, b.lists[KindTrace].at(index).parent).All() {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, canonical.CompareText)
	return slices.Compact(ids)
}

// textAt returns the string that is at a spot, or an empty text if there is none.
func textAt(text string, at spot) string {
	if at == 0 {
		return ""
	}
	return ijson.Unquote(text[at:ijson.SpanEnd(text, int(at))])
}

// listAt returns the list of strings that is at a spot, or an empty one.
func listAt(text string, at spot) ijson.TextList {
	if at == 0 {
		return ""
	}
	return ijson.TextList(text[at:ijson.SpanEnd(text, int(at))])
}

// Metadata is what an answer says of itself.
type Metadata struct {
	RespondedAt           string         // when the answer was put together, as its producer writes it
	StatusFunctionVersion string         // by which the producer derives
	RequestedRefs         ijson.TextList // as they were sent
	UnknownRefs           ijson.TextList // those that name nothing
	Nonce                 string         // of the question; empty if there is none
}

var (
	answerShape = ijson.NewShape(contentMembers(
		ijson.Optional("policies", readPolicies), // which are the receiver's own: some producers send none
		ijson.Required("metadata", func(d *decoder, c *Content) { metadataShape.Read(d, &c.Metadata) }))...)
	metadataShape = ijson.NewOpenShape( // later versions of the profile may have more
		ijson.Required("respondedAt", func(d *decoder, m *Metadata) { m.RespondedAt = d.String() }),
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
