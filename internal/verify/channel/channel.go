// Package channel makes claims of catalogs: that a catalog is the current build of its source. So
// a catalog can be looked up, superseded and withdrawn as any claim can.
//
// A [Channel] is a trust bundle with one claim for each catalog that a source has published. Its
// id, by which a receiver asks, is catalog:sha256: and the digest of the catalog. What becomes of
// it are events:
//
//	verified    the catalog was published, with the record of its build as evidence
//	superseded  a newer one was; the note names it
//	revoked     it was withdrawn; the note is the reason
//
// A claim follows from the catalog alone, so that whoever has the file has the claim: see [Held].
//
//	c := channel.New("acme-models")
//	err := c.Publish(channel.Catalog{Digest: digest, File: sha256OfFile, AsOf: asOf}, build, now)
//	err = c.Withdraw(digest, "prices of one list were wrong", later)
//	os.WriteFile("channel.json", c.JSON(), 0o644) // for svc verify-load
package channel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/service/record"
)

// Catalog is what a claim says of a catalog.
type Catalog struct {
	Digest string // of its content, 64 hexadecimal digits
	File   string // the SHA-256 of its bytes, likewise
	AsOf   string // the instant that it is of
}

// Ref is what a receiver asks for, and the id of the claim.
func Ref(digest string) string { return "catalog:sha256:" + digest }

// Digest returns the digest that a ref names.
func Digest(ref string) (digest string, ok bool) {
	digest, ok = strings.CutPrefix(ref, Ref(""))
	return digest, ok && canonical.IsHash(digest)
}

// Channel is the catalogs of a source.
type Channel struct {
	source  string
	records [bundle.Stored][]string // JSON of each kind that stores keep
	claims  []string                // ids, in the order of publication
	since   map[string]string       // when each was published, by id
	current string                  // the id of the current one; empty if there is none
}

// The errors of changing a channel.
var (
	ErrKnown     = errors.New("the channel has this catalog already")
	ErrUnknown   = errors.New("the channel has no such catalog")
	ErrWithdrawn = errors.New("the catalog was withdrawn before")
	ErrEarlier   = errors.New("the catalog was published later, so that it would not be withdrawn")
)

// New returns a channel of a source without a catalog.
func New(source string) *Channel { return &Channel{source: source, since: map[string]string{}} }

// Read reads a channel: a trust bundle whose claims are all about catalogs.
func Read(src problem.Source) (*Channel, error) {
	b, err := bundle.Read(src)
	if err != nil {
		return nil, err
	}
	c := New(b.Source())
	for i := range b.Len(bundle.KindClaim) {
		id := b.ID(bundle.KindClaim, i)
		if _, ok := Digest(id); !ok {
			return nil, problem.New(problem.InvalidTrustBundle, fmt.Sprintf("$.claims[%d].id", i),
				"must be %s and the digest of a catalog", Ref(""))
		}
		c.claims = append(c.claims, id)
	}
	for kind := range bundle.Stored {
		for _, r := range b.Records(kind) {
			c.records[kind] = append(c.records[kind], r.JSON)
		}
	}
	for _, e := range b.StatusInput().Events {
		if e.Status == record.StatusVerified {
			c.since[e.ClaimID] = e.CreatedAt
		}
	}
	for _, id := range c.claims {
		if c.isCurrent(b.StatusInput().Events, id) {
			c.current = id
		}
	}
	return c, nil
}

// isCurrent reports whether nothing speaks against a catalog.
func (c *Channel) isCurrent(events []*bundle.Event, id string) bool {
	return !slices.ContainsFunc(events, func(e *bundle.Event) bool {
		return e.ClaimID == id &&
			e.Status != record.StatusVerified
	})
}

// Source returns whose channel it is.
func (c *Channel) Source() string { return c.source }

// Current returns the digest of the current catalog, empty if there is none.
func (c *Channel) Current() string {
	digest, _ := Digest(c.current)
	return digest
}

// Publish makes a catalog the current one. The record of its build is evidence; nil is none.
func (c *Channel) Publish(catalog Catalog, build *record.CatalogBuild, now string) error {
	id := Ref(catalog.Digest)
	if slices.Contains(c.claims, id) {
		return ErrKnown
	}
	evidence := map[string]any{
		"id": "attestation:sha256:" + catalog.Digest, "claimId": id, "evidenceType": "attestation", "method": "attestation",
		"sourceRef": c.source, "excerptOrSummary": "The catalog as of " + catalog.AsOf + " was built.", "observedAt": now,
		"collectedBy": c.source, "integrityRef": "sha256:" + catalog.File, "passing": true,
	}
	if build != nil {
		evidence["metadata"] = map[string]any{"build": build}
	}
	c.add(bundle.KindClaim, claim(catalog))
	c.add(bundle.KindEvidence, evidence)
	c.add(bundle.KindEvent, c.event(id, record.StatusVerified, now, "", "attestation:sha256:"+catalog.Digest))
	if c.current != "" {
		c.add(bundle.KindEvent, c.event(c.current, record.StatusSuperseded, now, supersededBy+id))
	}
	c.claims, c.current, c.since[id] = append(c.claims, id), id, now
	return nil
}

const supersededBy = "superseded by "

// Withdraw takes a catalog back, for a reason. None is the current one then, if it was.
func (c *Channel) Withdraw(digest, reason, now string) error {
	id := Ref(digest)
	if !slices.Contains(c.claims, id) {
		return ErrUnknown
	}
	if now < c.since[id] {
		return ErrEarlier
	}
	withdrawn := c.event(id, record.StatusRevoked, now, reason)
	if slices.ContainsFunc(c.records[bundle.KindEvent], func(text string) bool {
		return strings.Contains(text,
			canonical.Quote(withdrawn["id"].(string)))
	}) {
		return ErrWithdrawn
	}
	withdrawn["type"] = bundle.Invalidation
	c.add(bundle.KindEvent, withdrawn)
	if c.current == id {
		c.current = ""
	}
	return nil
}

func (c *Channel) add(kind bundle.Kind, r map[string]any) {
	c.records[kind] = append(c.records[kind], string(canonical.MustMarshal(r)))
}

func (c *Channel) event(id string, status record.VerificationStatus, now, note string,
	evidence ...string) map[string]any {
	e := map[string]any{
		"id": string(status) + ":" + id, "claimId": id, "status": string(status), "actor": c.source, "method": "publication",
		"evidenceIds": append([]string{}, evidence...), "createdAt": now,
	}
	if note != "" {
		e["notes"] = note
	}
	return e
}

// claim returns the claim of a catalog, of which nothing depends on who publishes it and when.
func claim(c Catalog) map[string]any {
	return map[string]any{
		"id": Ref(c.Digest), "subjectType": "catalog", "subjectId": "sha256:" + c.Digest, "claimType": claimType,
		"fieldOrBehavior": "is the current build", "value": true, "createdAt": c.AsOf, "updatedAt": c.AsOf,
		"impactLevel":         "high",
		"currentIntegrityRef": "sha256:" + c.File, "verificationPolicyId": "policy.catalog",
	}
}

const claimType = "catalog.current-build"

// policy is what makes a catalog a verified one: its source says so, until it says something else.
const policy = `{"acceptanceCriteria":["its source has published it"],"claimType":"` + claimType +
	`","conflictRules":[],"id":"policy.catalog",` +
	`"impactLevel":"high","requiredEvidence":["attestation"],"requiredMethods":["attestation"],"reviewAuthority":"the ` +
	`source",` +
	`"stalenessTriggers":["a newer build"],"validityRule":{"kind":"manual"}}`

// JSON returns the channel as a trust bundle.
func (c *Channel) JSON() []byte { return c.text(policy) }

func (c *Channel) text(policies string) []byte {
	list := func(kind bundle.Kind) string { return "[" + strings.Join(c.records[kind], ",\n") + "]" }
	return fmt.Appendf(nil,
		"{\"schemaVersion\":5,\"source\":%s,\n\"claims\":%s,\n\"evidence\":%s,\n\"policies\":[%s],\n\"events\":%s}\n",
		canonical.Quote(c.source), list(bundle.KindClaim), list(bundle.KindEvidence), policies, list(bundle.KindEvent))
}

// Answer is what an answer says of a catalog beyond its status.
type Answer struct {
	Source    string
	Note      string // of the event that came last: why it was withdrawn, or what superseded it
	Since     string // when that was
	Successor string // the digest of the catalog that superseded it; empty if none did
}

// ReadAnswer reads what an answer, which is a bundle or has one, says of a catalog up to an
// instant.
func ReadAnswer(text, digest string, now timestamp.Instant) (Answer, error) {
	if at := ijson.Locate(text, "bundle"); at >= 0 {
		text = text[at:ijson.SpanEnd(text, at)]
	}
	content, err := bundle.ReadAnswer(text)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Source: content.Source}
	var last timestamp.Instant
	for _, e := range content.Events {
		at, ok := timestamp.Parse(e.CreatedAt)
		if e.ClaimID != Ref(digest) || !ok || at.Compare(now) > 0 || at.Compare(last) < 0 {
			continue
		}
		last, a.Since, a.Note, a.Successor = at, e.CreatedAt, "", ""
		if note := ijson.Locate(e.JSON, "notes"); note >= 0 {
			a.Note = ijson.Unquote(e.JSON[note:ijson.SpanEnd(e.JSON, note)])
		}
		if by, ok := strings.CutPrefix(a.Note, supersededBy); ok && e.Status == record.StatusSuperseded {
			a.Successor, _ = Digest(by)
		}
	}
	return a, nil
}

// Held returns the trust bundle of somebody who has a catalog and asks a source what became of it.
func Held(source string, catalog Catalog) (*bundle.Bundle, error) {
	c := New(source)
	c.add(bundle.KindClaim, claim(catalog))
	return bundle.Read(problem.Source{Name: "catalog", Text: string(c.JSON())})
}
