package verify

import (
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Bundle is a trust bundle that was found right: it is as the JSON Schemas of
// the format say, what its records name by id is there, ids are unique within
// a list and date-times are RFC 3339. It does not change.
type Bundle struct {
	content content
}

// content is a trust bundle whose records are as the JSON Schemas say.
type content struct {
	schemaVersion int
	source        string
	claims        []claim
	evidence      []evidence
	policies      []policy
	events        []event
	links         []placed // with an empty id where a link has none
	groups        []claimGroup
	traces        []trace
	anchors       []placed // of the proof; ids alone

	hasGroups, hasTraces bool // the members are there, perhaps empty
}

// ReadBundle reads a trust bundle. The error holds every problem of it, with
// path and place; all have the code INVALID_TRUST_BUNDLE. What the records name
// by id is looked at when all else is right.
func ReadBundle(source problem.Source) (*Bundle, error) {
	const around = 1 // an answer puts a bundle into an object
	mark := ijson.LenByteOrderMark(source.Text)
	text := source.Text[mark:]
	d := newDecoder(text, around)
	d.strictTimes = true
	content := d.content(bundleFields)
	faults := d.End()
	if faults == nil {
		faults = content.check(text)
	}
	if faults != nil {
		return nil, faults.Locate(text, problem.Start(source.Name).After(source.Text[:mark])).Err()
	}
	return &Bundle{content}, nil
}

// The members of a bundle, and of one that is part of an answer.
var (
	bundleFields   = ijson.NewFields(bundleMembers...)
	answeredFields = ijson.NewFields(append(bundleMembers[:len(bundleMembers):len(bundleMembers)], "metadata")...)
	bundleMembers  = []string{
		"schemaVersion", "source", "producerId?", "claims", "evidence", "policies", "events",
		"identityLinks?", "claimGroups?", "authorityTrace?", "proof?",
	}
)

// content reads a bundle.
func (d *decoder) content(fields *ijson.Fields) (c content) {
	for o := d.Object(fields); o.Next(); {
		switch o.Field() {
		case 0:
			c.schemaVersion = d.schemaVersion()
		case 1:
			c.source = d.String()
		case 2:
			d.notEmpty()
		case 3:
			c.claims = listOf(d, d.claim)
		case 4:
			c.evidence = listOf(d, d.evidence)
		case 5:
			c.policies = listOf(d, d.policy)
		case 6:
			c.events = listOf(d, d.event)
		case 7:
			c.links = listOf(d, d.identityLink)
		case 8:
			c.groups, c.hasGroups = listOf(d, d.claimGroup), true
		case 9:
			c.traces, c.hasTraces = listOf(d, d.trace), true
		case 10:
			c.anchors = d.proof()
		case 11:
			d.freeObject()
		}
	}
	return c
}

func listOf[T any](d *decoder, read func() T) (list []T) {
	for l := d.List(); l.Next(); {
		list = append(list, read())
	}
	return list
}

// The versions of the schema, each of which adds to the one before.
const (
	firstVersion  = 5
	latestVersion = 7
)

func (d *decoder) schemaVersion() int {
	return int(d.number("must be 5, 6 or 7", func(f float64) bool {
		return isInteger(f) && f >= firstVersion && f <= latestVersion
	}))
}

func (d *decoder) notEmpty() {
	at := d.Offset()
	if s, _, ok := d.StringOr("must be a string"); ok && s == "" {
		d.Fail(at, "", "must not be empty")
	}
}

// Source returns who made the bundle.
func (b *Bundle) Source() string { return b.content.source }

// SchemaVersion returns the version of the schema: 5, 6 or 7.
func (b *Bundle) SchemaVersion() int { return b.content.schemaVersion }

// Claims returns the claims, in the order of the bundle, as do the following.
func (b *Bundle) Claims() []Record {
	return recordsOf(b.content.claims, func(c *claim) Record { return c.Record })
}

// Evidence returns the evidence.
func (b *Bundle) Evidence() []Record {
	return recordsOf(b.content.evidence, func(e *evidence) Record { return e.Record })
}

// Policies returns the policies.
func (b *Bundle) Policies() []Record {
	return recordsOf(b.content.policies, func(p *policy) Record { return p.Record })
}

// Events returns the verification events.
func (b *Bundle) Events() []Record {
	return recordsOf(b.content.events, func(e *event) Record { return e.Record })
}

// AuthorityTrace returns the authority traces.
func (b *Bundle) AuthorityTrace() []Record {
	return recordsOf(b.content.traces, func(t *trace) Record { return t.Record })
}

func recordsOf[T any](list []T, record func(*T) Record) []Record {
	records := make([]Record, len(list))
	for i := range list {
		records[i] = record(&list[i])
	}
	return records
}

// Index returns what stores keep of the records.
func (b *Bundle) Index() *Index {
	c := &b.content
	index := &Index{
		Claims:   make([]ClaimRow, len(c.claims)),
		Evidence: make([]EvidenceRow, len(c.evidence)),
		Events:   make([]EventRow, len(c.events)),
		Traces:   make([]TraceRow, len(c.traces)),
	}
	for i := range c.claims {
		at := &c.claims[i]
		index.Claims[i] = ClaimRow{at.Record, distinct(at.ID, deref(at.integrityRef), at.anchorValue)}
	}
	for i := range c.evidence {
		at := &c.evidence[i]
		index.Evidence[i] = EvidenceRow{at.Record, at.claimID, distinct(at.integrityRef, at.anchorValue)}
	}
	for i := range c.events {
		at := &c.events[i]
		index.Events[i] = EventRow{at.Record, at.claimID, at.actor}
	}
	for i := range c.traces {
		at := &c.traces[i]
		index.Traces[i] = TraceRow{at.Record, distinctSorted(at.claimIDs), at.actor, distinct(at.integrityRef, at.anchorValue)}
	}
	return index
}
