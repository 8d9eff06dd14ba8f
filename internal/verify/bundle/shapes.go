package bundle

import (
	"cmp"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// The records of a bundle: of each what is kept, and its shape, which is the JSON
// Schema of the format member by member. Members that neither a status nor a
// look-up hangs on are checked and stay in the record's JSON. Pointers are nil
// where a member is not there and that differs from an empty value.

// Claim says something of a subject.
type Claim struct {
	Entry
	Type         string
	Status       record.VerificationStatus // that it carries
	UpdatedAt    string
	ExpiresAt    *string
	TTLSeconds   *float64
	IntegrityRef *string
	PolicyID     *string
	DerivedFrom  ijson.TextList // ids of claims
	EdgeInputs   []string       // ids of claims, of the derivation edges
}

// Says reports whether two claims say the same: they have the same subject, field, value and
// integrity reference. Claims that differ in nothing else are states of one claim.
func (c *Claim) Says(other *Claim) bool {
	for _, member := range [...]string{"subjectType", "subjectId", "facet", "claimType", "fieldOrBehavior", "qualifiers",
		"value", "currentIntegrityRef", "currentIntegrityAnchor"} {
		if c.member(member) != other.member(member) {
			return false
		}
	}
	return true
}

// member returns a member as canonical JSON, or an empty text if the claim has none.
func (c *Claim) member(name string) string {
	at := ijson.Locate(c.JSON, name)
	if at < 0 {
		return ""
	}
	text, _ := ijson.Canonical(c.JSON[at:ijson.SpanEnd(c.JSON, at)], problem.InvalidTrustBundle) // which was read before
	return string(text)
}

var claimShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, c *Claim) { c.ID = d.stringAt(&c.at.id) }),
	ijson.Required("subjectType", anyText[Claim]),
	ijson.Required("subjectId", anyText[Claim]),
	ijson.Optional("facet", anyText[Claim]),
	ijson.Required("claimType", func(d *decoder, c *Claim) { c.Type = d.String() }),
	ijson.Required("fieldOrBehavior", anyText[Claim]),
	ijson.Required("value", anyValue[Claim]),
	ijson.Optional("status", func(d *decoder, c *Claim) { c.Status = record.VerificationStatus(d.Enum(statuses...)) }),
	ijson.Required("createdAt", anyInstant[Claim]),
	ijson.Required("updatedAt", func(d *decoder, c *Claim) { c.UpdatedAt = d.instant() }),
	ijson.Optional("expiresAt", func(d *decoder, c *Claim) { c.ExpiresAt = pointer(d.instant()) }),
	ijson.Optional("ttlSeconds", func(d *decoder, c *Claim) {
		c.TTLSeconds = pointer(d.number("must be an integer from 0", func(f float64) bool { return isInteger(f) && f >= 0 }))
	}),
	ijson.Optional("impactLevel", oneOf[Claim](impacts)),
	ijson.Optional("materiality", oneOf[Claim](materialities)),
	ijson.Optional("currentIntegrityRef", func(d *decoder, c *Claim) { c.IntegrityRef = pointer(d.stringAt(&c.at.ref)) }),
	ijson.Optional("currentIntegrityAnchor", func(d *decoder, c *Claim) { c.at.anchor = d.anchor().value }),
	ijson.Optional("verificationPolicyId", func(d *decoder, c *Claim) { c.PolicyID = pointer(d.stringAt(&c.at.parent)) }),
	ijson.Optional("confidenceBasis", anyObject[Claim]),
	ijson.Optional("conclusionConfidence", func(d *decoder, c *Claim) {
		c.at.confidence = d.spot()
		confidenceShape.Read(d, &confidence{})
	}),
	ijson.Optional("subjectAliases", listOf[Claim](part[emptyRecord](subjectShape))),
	ijson.Optional("derivedFrom", func(d *decoder, c *Claim) { c.DerivedFrom = d.listAt(&c.at.named) }),
	ijson.Optional("derivationEdges", func(d *decoder, c *Claim) {
		for l := d.List(); l.Next(); {
			edgeShape.Read(d, c)
		}
	}),
	ijson.Optional("qualifiers", func(d *decoder, _ *Claim) { d.Members(func(string) { _ = d.String() }) }),
	ijson.Optional("metadata", anyObject[Claim]),
	ijson.Optional("producerStatus", oneOf[Claim](statuses)),
	ijson.Optional("freshness", part[Claim](freshnessShape)),
)

var (
	confidenceShape = ijson.NewShape(
		ijson.Optional("value", func(d *decoder, c *confidence) {
			c.value = pointer(d.number("must be a number from 0 to 1", isShare))
		}),
		ijson.Optional("method", anyText[confidence]),
		ijson.Optional("interval", func(d *decoder, c *confidence) {
			c.interval = &interval{}
			intervalShape.Read(d, c.interval)
		}),
		ijson.Optional("calibration", func(d *decoder, c *confidence) {
			c.calibrated = true
			calibrationShape.Read(d, nil)
		}),
		ijson.Optional("comfortZone", part[confidence](ijson.NewShape(
			ijson.Required("within", anyBool[emptyRecord]),
			ijson.Optional("reason", anyText[emptyRecord]),
		))),
	)
	intervalShape = ijson.NewShape(
		ijson.Required("low", func(d *decoder, i *interval) { i.low = d.number("", anyFloat) }),
		ijson.Required("high", func(d *decoder, i *interval) { i.high = d.number("", anyFloat) }),
	)
	calibrationShape = ijson.NewShape(
		ijson.Required("tableRef", fullText),
		ijson.Required("tableVersion", fullText),
		ijson.Optional("method", anyText[emptyRecord]),
		ijson.Optional("sampleSize", func(d *decoder, _ *emptyRecord) {
			d.number("must be an integer from 1", func(f float64) bool { return isInteger(f) && f >= 1 })
		}),
		ijson.Optional("boundMethod", anyText[emptyRecord]),
	)
	// subjectShape is of what a claim, a trace or an identity link is about.
	subjectShape = ijson.NewShape(
		ijson.Required("subjectType", anyText[emptyRecord]),
		ijson.Required("subjectId", anyText[emptyRecord]),
	)
	edgeShape = ijson.NewShape(
		ijson.Required("inputClaimId", func(d *decoder, c *Claim) { c.EdgeInputs = append(c.EdgeInputs, d.String()) }),
		ijson.Optional("method", oneOf[Claim](derivationMethods)),
		ijson.Optional("role", anyText[Claim]),
		ijson.Optional("supportStrength", oneOf[Claim](inputStrengths)),
		ijson.Optional("rationale", anyText[Claim]),
		ijson.Optional("sensitivity", part[Claim](ijson.NewShape(
			ijson.Required("low", anyNumber[emptyRecord]),
			ijson.Required("high", anyNumber[emptyRecord]),
			ijson.Required("basis", anyText[emptyRecord]),
		))),
		ijson.Optional("metadata", anyObject[Claim]),
	)
	freshnessShape = ijson.NewShape(
		ijson.Required("asOf", anyInstant[emptyRecord]),
		ijson.Optional("expiresAt", anyInstant[emptyRecord]),
		ijson.Required("stale", anyBool[emptyRecord]),
	)
)

// confidence is how sure a claim's producer is of its conclusion.
type confidence struct {
	value      *float64
	interval   *interval
	calibrated bool // it names a calibration
}

type interval struct{ low, high float64 }

// readConfidence reads a confidence of a bundle that was read before.
func readConfidence(text string, at spot) *confidence {
	c, _, _ := decode(text[at:ijson.SpanEnd(text, int(at))], 0, false, confidenceShape)
	return c
}

// anchor is where an integrity anchor has its id and its value.
type anchor struct{ id, value spot }

var anchorShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, a *anchor) { _ = d.stringAt(&a.id) }),
	ijson.Required("kind", oneOf[anchor](anchorKinds)),
	ijson.Required("algorithm", anyText[anchor]),
	ijson.Required("value", func(d *decoder, a *anchor) { _ = d.stringAt(&a.value) }),
	ijson.Required("sourceRef", anyText[anchor]),
	ijson.Optional("observedAt", anyInstant[anchor]),
	ijson.Optional("verificationStatus", oneOf[anchor](anchorVerdicts)),
	ijson.Optional("verifiedAt", anyInstant[anchor]),
	ijson.Optional("verifiedBy", anyText[anchor]),
	ijson.Optional("metadata", anyObject[anchor]),
)

func (d *decoder) anchor() (a anchor) {
	anchorShape.Read(d, &a)
	return a
}

// Evidence speaks for a claim, or against it.
type Evidence struct {
	Entry
	ClaimID      string
	Cited        bool // as a reference only, without support for the claim
	Type         string
	Method       string
	ObservedAt   string
	IntegrityRef *string
	Passing      *bool // of a check
	Blocking     *bool

	latest string // a member that came with the latest version of the schema, or empty

	inconclusive bool // the check could not run
}

// Blocks reports whether the evidence is of a check that failed and matters.
func (e *Evidence) Blocks() bool {
	return e.Passing != nil && !*e.Passing && (e.Blocking == nil || *e.Blocking)
}

var evidenceShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, e *Evidence) { e.ID = d.stringAt(&e.at.id) }),
	ijson.Required("claimId", func(d *decoder, e *Evidence) { e.ClaimID = d.stringAt(&e.at.parent) }),
	ijson.Optional("supportStrength", func(d *decoder, e *Evidence) { e.Cited = d.Enum(supportStrengths...) == Cited }),
	ijson.Required("evidenceType", func(d *decoder, e *Evidence) { e.Type = d.Enum(evidenceTypes...) }),
	ijson.Required("method", func(d *decoder, e *Evidence) { e.Method = d.Enum(methods...) }),
	ijson.Required("sourceRef", anyText[Evidence]),
	ijson.Optional("sourceLocator", anyText[Evidence]),
	ijson.Required("excerptOrSummary", anyText[Evidence]),
	ijson.Required("observedAt", func(d *decoder, e *Evidence) { e.ObservedAt = d.instant() }),
	ijson.Required("collectedBy", anyText[Evidence]),
	ijson.Optional("collectedByKind", func(d *decoder, e *Evidence) {
		d.Enum(collectorKinds...)
		e.latest = cmp.Or(e.latest, "collectedByKind")
	}),
	ijson.Optional("inconclusive", func(d *decoder, e *Evidence) {
		e.inconclusive, e.latest = true, "inconclusive"
		var why inconclusive
		at := inconclusiveShape.Read(d, &why)
		if why.reason == other && !why.detailed {
			d.FailMember(at.Start(), "detail", "missing field: the reason %s needs it", other)
		}
	}),
	ijson.Optional("integrityRef", func(d *decoder, e *Evidence) { e.IntegrityRef = pointer(d.stringAt(&e.at.ref)) }),
	ijson.Optional("integrityAnchor", func(d *decoder, e *Evidence) { e.at.anchor = d.anchor().value }),
	ijson.Optional("passing", func(d *decoder, e *Evidence) { e.Passing = pointer(d.Bool()) }),
	ijson.Optional("blocking", func(d *decoder, e *Evidence) { e.Blocking = pointer(d.Bool()) }),
	ijson.Optional("execution", part[Evidence](executionShape)),
	ijson.Optional("metadata", anyObject[Evidence]),
)

// inconclusive is why a check could not run.
type inconclusive struct {
	reason   string
	detailed bool
}

var inconclusiveShape = ijson.NewShape(
	ijson.Required("reason", func(d *decoder, i *inconclusive) { i.reason = d.Enum(inconclusiveReasons...) }),
	ijson.Optional("detail", func(d *decoder, i *inconclusive) {
		i.detailed = true
		if s, at, ok := d.StringOr("must be a string"); ok && ijson.IsBlank(s) {
			d.Fail(at, "", "must hold more than white space")
		}
	}),
)

// checkTies demands that a check that could not run decides nothing: its evidence is merely
// cited and has no result. Members are noted that only a bundle of the latest version may
// have.
func (e *Evidence) checkTies(d *decoder, index int) {
	start := int(e.at.start)
	if e.inconclusive && !e.Cited {
		d.FailMember(start, "supportStrength", "must be %s, for the evidence is inconclusive", Cited)
	}
	if e.inconclusive && e.Passing != nil {
		d.FailMember(start, "passing", "must not be there, for the evidence is inconclusive")
	}
	if e.latest != "" && d.declared < collectorVersion {
		d.latest = append(d.latest, latestMember{index, e.at, e.latest})
	}
}

var executionShape = ijson.NewShape(
	ijson.Required("runner", oneOf[emptyRecord](runners)),
	ijson.Required("label", anyText[emptyRecord]),
	ijson.Optional("exitCode", func(d *decoder, _ *emptyRecord) { d.number("must be an integer", isInteger) }),
	ijson.Optional("isError", anyBool[emptyRecord]),
	ijson.Optional("durationMs", anyNumber[emptyRecord]),
	ijson.Optional("environment", oneOf[emptyRecord](environments)),
	ijson.Optional("metadata", anyObject[emptyRecord]),
)

// Event is a verification event: somebody judges a claim.
type Event struct {
	Entry
	ClaimID         string
	Status          record.VerificationStatus
	Actor           string
	EvidenceIDs     ijson.TextList
	CreatedAt       string
	VerifiedAt      *string
	AuthorityRef    *string
	Invalidates     bool
	ResolvesDispute bool
}

var eventShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, e *Event) { e.ID = d.stringAt(&e.at.id) }),
	ijson.Required("claimId", func(d *decoder, e *Event) { e.ClaimID = d.stringAt(&e.at.parent) }),
	ijson.Required("status", func(d *decoder, e *Event) { e.Status = record.VerificationStatus(d.Enum(statuses...)) }),
	ijson.Optional("type", func(d *decoder, e *Event) { e.Invalidates = d.Enum(eventTypes...) == Invalidation }),
	ijson.Required("actor", func(d *decoder, e *Event) { e.Actor = d.stringAt(&e.at.actor) }),
	ijson.Required("method", anyText[Event]),
	ijson.Required("evidenceIds", func(d *decoder, e *Event) { e.EvidenceIDs = d.listAt(&e.at.named) }),
	ijson.Required("createdAt", func(d *decoder, e *Event) { e.CreatedAt = d.instant() }),
	ijson.Optional("verifiedAt", func(d *decoder, e *Event) { e.VerifiedAt = pointer(d.instant()) }),
	ijson.Optional("notes", anyText[Event]),
	ijson.Optional("resolvesDispute", func(d *decoder, e *Event) {
		if d.Kind() != 't' {
			d.Refuse("must be true")
			return
		}
		e.ResolvesDispute = d.Bool()
	}),
	ijson.Optional("authorityRef", func(d *decoder, e *Event) { e.AuthorityRef = pointer(d.String()) }),
)

// Trace is an authority trace: by what right somebody judges.
type Trace struct {
	Entry
	Actor        string
	AuthorityRef string
	EvidenceIDs  ijson.TextList
	ClaimIDs     ijson.TextList
	ValidFrom    *string
	ValidUntil   *string
	RevokedAt    *string
}

var traceShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, t *Trace) { t.ID = d.stringAt(&t.at.id) }),
	ijson.Required("subject", part[Trace](subjectShape)),
	ijson.Required("actorRef", func(d *decoder, t *Trace) { t.Actor = d.stringAt(&t.at.actor) }),
	ijson.Required("authorityType", oneOf[Trace](authorityTypes)),
	ijson.Required("authorityRef", func(d *decoder, t *Trace) { t.AuthorityRef = d.String() }),
	ijson.Required("sourceRef", anyText[Trace]),
	ijson.Required("observedAt", anyInstant[Trace]),
	ijson.Optional("evidenceIds", func(d *decoder, t *Trace) { t.EvidenceIDs = d.listAt(&t.at.named) }),
	ijson.Optional("claimIds", func(d *decoder, t *Trace) { t.ClaimIDs = d.listAt(&t.at.parent) }),
	ijson.Optional("validFrom", func(d *decoder, t *Trace) { t.ValidFrom = pointer(d.instant()) }),
	ijson.Optional("validUntil", func(d *decoder, t *Trace) { t.ValidUntil = pointer(d.instant()) }),
	ijson.Optional("revokedAt", func(d *decoder, t *Trace) { t.RevokedAt = pointer(d.instant()) }),
	ijson.Optional("integrityRef", func(d *decoder, t *Trace) { _ = d.stringAt(&t.at.ref) }),
	ijson.Optional("integrityAnchor", func(d *decoder, t *Trace) { t.at.anchor = d.anchor().value }),
	ijson.Optional("metadata", anyObject[Trace]),
)

// Policy says what claims of a type need.
type Policy struct {
	Entry
	ClaimType             string
	RequiredEvidence      ijson.TextList // types
	RequiredMethods       ijson.TextList
	RequiresCorroboration bool
	ValidityRule          string
	DurationDays          *float64 // of the validity rule
}

var policyShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, p *Policy) { p.ID = d.stringAt(&p.at.id) }),
	ijson.Required("claimType", func(d *decoder, p *Policy) { p.ClaimType = d.String() }),
	ijson.Optional("parentType", anyText[Policy]),
	ijson.Required("requiredEvidence", func(d *decoder, p *Policy) { p.RequiredEvidence = d.EnumList(evidenceTypes...) }),
	ijson.Optional("requiredMethods", func(d *decoder, p *Policy) { p.RequiredMethods = d.EnumList(methods...) }),
	ijson.Optional("requiresCorroboration", func(d *decoder, p *Policy) { p.RequiresCorroboration = d.Bool() }),
	ijson.Required("acceptanceCriteria", anyTexts[Policy]),
	ijson.Required("reviewAuthority", anyText[Policy]),
	ijson.Required("validityRule", func(d *decoder, p *Policy) { validityShape.Read(d, p) }),
	ijson.Required("stalenessTriggers", anyTexts[Policy]),
	ijson.Required("conflictRules", anyTexts[Policy]),
	ijson.Required("impactLevel", oneOf[Policy](impacts)),
	ijson.Optional("incompatibleValues", listOf[Policy](incompatible("values", anyValue[emptyRecord]))),
	ijson.Optional("incompatibleStatuses", listOf[Policy](incompatible("statuses", oneOf[emptyRecord](statuses)))),
)

var validityShape = ijson.NewShape(
	ijson.Required("kind", func(d *decoder, p *Policy) { p.ValidityRule = d.Enum(validityKinds...) }),
	ijson.Optional("durationDays", func(d *decoder, p *Policy) {
		p.DurationDays = pointer(d.number("", func(float64) bool { return true }))
	}),
)

// incompatible reads a pair that excludes each other.
func incompatible(pair string, item func(*decoder, *emptyRecord)) func(*decoder, *emptyRecord) {
	return part[emptyRecord](ijson.NewShape(
		ijson.Required(pair, func(d *decoder, _ *emptyRecord) {
			l := d.List()
			for l.Next() {
				item(d, nil)
			}
			if n := l.Index() + 1; l.OK() && n != 2 {
				d.Fail(l.Start(), "", "must have two items, has %d", n)
			}
		}),
		ijson.Optional("message", anyText[emptyRecord]),
	))
}

// What a bundle may hold besides claims and what is said of them. No status hangs
// on it.

var linkShape = ijson.NewShape(
	ijson.Optional("id", func(d *decoder, l *Entry) { l.ID = d.stringAt(&l.at.id) }),
	ijson.Required("subjects", func(d *decoder, _ *Entry) {
		l := d.List()
		for l.Next() {
			subjectShape.Read(d, nil)
		}
		if n := l.Index() + 1; l.OK() && n < 2 {
			d.Fail(l.Start(), "", "must have at least two items, has %d", n)
		}
	}),
	ijson.Optional("reason", anyText[Entry]),
	ijson.Optional("attestedBy", anyText[Entry]),
	ijson.Optional("relation", oneOf[Entry](identityRelations)),
	ijson.Optional("conversion", part[Entry](ijson.NewShape(
		ijson.Optional("factor", anyNumber[emptyRecord]),
		ijson.Optional("offset", anyNumber[emptyRecord]),
		ijson.Optional("note", anyText[emptyRecord]),
	))),
	ijson.Optional("mappingClaimId", anyText[Entry]),
)

// group is a claim group and its requirements.
type group struct {
	Entry
	requirements spotList
}

var groupShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, g *group) { g.ID = d.stringAt(&g.at.id) }),
	ijson.Required("title", anyText[group]),
	ijson.Required("kind", oneOf[group](groupKinds)),
	ijson.Optional("description", anyText[group]),
	ijson.Optional("claimIds", anyTexts[group]),
	ijson.Optional("requirements", func(d *decoder, g *group) { g.requirements = readSpots(d, requirementShape) }),
	ijson.Optional("rollupPolicy", part[group](ijson.NewShape(
		ijson.Required("mode", oneOf[emptyRecord](rollupModes)),
		ijson.Optional("requiredRequirementIds", anyTexts[emptyRecord]),
		ijson.Optional("optionalRequirementIds", anyTexts[emptyRecord]),
	))),
	ijson.Optional("metadata", anyObject[group]),
)

var requirementShape = ijson.NewShape(
	ijson.Required("id", func(d *decoder, r *Entry) { r.ID = d.stringAt(&r.at.id) }),
	ijson.Required("title", anyText[Entry]),
	ijson.Required("claimIds", anyTexts[Entry]),
	ijson.Optional("required", anyBool[Entry]),
	ijson.Optional("severity", oneOf[Entry](impacts)),
	ijson.Optional("validationStrategy", part[Entry](ijson.NewShape(
		ijson.Optional("requiredEvidence", listOf[emptyRecord](oneOf[emptyRecord](evidenceTypes))),
		ijson.Optional("requiredMethods", listOf[emptyRecord](oneOf[emptyRecord](methods))),
		ijson.Optional("requiresCorroboration", anyBool[emptyRecord]),
		ijson.Optional("acceptanceCriteria", anyTexts[emptyRecord]),
		ijson.Optional("reviewAuthority", anyText[emptyRecord]),
		ijson.Optional("notes", anyText[emptyRecord]),
		ijson.Optional("metadata", anyObject[emptyRecord]),
	))),
	ijson.Optional("metadata", anyObject[Entry]),
)

// proofShape is of the block of signatures and anchors, whose places are kept.
var proofShape = ijson.NewShape(
	ijson.Optional("anchors", func(d *decoder, anchors *spotList) {
		for l := d.List(); l.Next(); {
			start := d.spot()
			id := d.anchor().id
			anchors.add(spots{start: start, end: d.end(start), id: id})
		}
	}),
	ijson.Optional("metadata", anyObject[spotList]),
)
