package verify

import "github.com/model-catalog-service/svc/internal/ijson"

// evidence is a piece of evidence and what its refs and statuses hang on.
type evidence struct {
	placed
	claimID      string
	cited        bool // as a reference only, without support for the claim
	evidenceType string
	method       string
	observedAt   string
	integrityRef string
	anchorValue  string
	failing      bool // of a check that did not pass
	harmless     bool // failing, but not blocking
	environment  bool // its execution names an environment
}

var evidenceFields = ijson.NewFields(
	"id", "claimId", "supportStrength?", "evidenceType", "method", "sourceRef", "sourceLocator?",
	"excerptOrSummary", "observedAt", "collectedBy", "integrityRef?", "integrityAnchor?", "passing?",
	"blocking?", "execution?", "metadata?")

func (d *decoder) evidence() (e evidence) {
	e.at = d.Offset()
	for o := d.Object(evidenceFields); o.Next(); {
		switch o.Field() {
		case 0:
			e.ID = d.String()
		case 1:
			e.claimID = d.String()
		case 2:
			e.cited = d.Enum(supportStrengths...) == cited
		case 3:
			e.evidenceType = d.Enum(evidenceTypes...)
		case 4:
			e.method = d.Enum(methods...)
		case 5, 6, 7, 9:
			d.anyString()
		case 8:
			e.observedAt = d.instant()
		case 10:
			e.integrityRef = d.String()
		case 11:
			e.anchorValue = d.anchor()
		case 12:
			e.failing = d.Kind() == 'f'
			d.Bool()
		case 13:
			e.harmless = d.Kind() == 'f'
			d.Bool()
		case 14:
			e.environment = d.execution()
		case 15:
			d.freeObject()
		}
	}
	e.JSON = d.text(e.at)
	return e
}

var executionFields = ijson.NewFields("runner", "label", "exitCode?", "isError?", "durationMs?", "environment?", "metadata?")

// execution reads how evidence was made and reports whether it names an
// environment.
func (d *decoder) execution() (environment bool) {
	o := d.Object(executionFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			d.Enum(runners...)
		case 1:
			d.anyString()
		case 2:
			d.number("must be an integer", isInteger)
		case 3:
			d.Bool()
		case 4:
			d.Number()
		case 5:
			d.Enum(environments...)
		case 6:
			d.freeObject()
		}
	}
	return o.Seen(5)
}

// event is a verification event.
type event struct {
	placed
	claimID         string
	status          Status
	invalidates     bool
	actor           string
	evidenceIDs     []string
	createdAt       string
	verifiedAt      *string
	resolvesDispute bool
	authorityRef    *string
}

var eventFields = ijson.NewFields("id", "claimId", "status", "type?", "actor", "method", "evidenceIds",
	"createdAt", "verifiedAt?", "notes?", "resolvesDispute?", "authorityRef?")

func (d *decoder) event() (e event) {
	e.at = d.Offset()
	for o := d.Object(eventFields); o.Next(); {
		switch o.Field() {
		case 0:
			e.ID = d.String()
		case 1:
			e.claimID = d.String()
		case 2:
			e.status = Status(d.Enum(statuses...))
		case 3:
			e.invalidates = d.Enum(eventTypes...) == invalidation
		case 4:
			e.actor = d.String()
		case 5, 9:
			d.anyString()
		case 6:
			e.evidenceIDs = d.strings()
		case 7:
			e.createdAt = d.instant()
		case 8:
			e.verifiedAt = ptr(d.instant())
		case 10:
			e.resolvesDispute = d.onlyTrue()
		case 11:
			e.authorityRef = ptr(d.String())
		}
	}
	e.JSON = d.text(e.at)
	return e
}

// onlyTrue reads true.
func (d *decoder) onlyTrue() bool {
	if d.Kind() != 't' {
		d.mismatch("must be true")
		return false
	}
	return d.Bool()
}

// trace is an authority trace: by what right an actor acts.
type trace struct {
	placed
	actor        string
	authorityRef string
	evidenceIDs  []string
	claimIDs     []string
	validFrom    *string
	validUntil   *string
	revokedAt    *string
	integrityRef string
	anchorValue  string
}

var traceFields = ijson.NewFields("id", "subject", "actorRef", "authorityType", "authorityRef", "sourceRef",
	"observedAt", "evidenceIds?", "claimIds?", "validFrom?", "validUntil?", "revokedAt?", "integrityRef?",
	"integrityAnchor?", "metadata?")

func (d *decoder) trace() (t trace) {
	t.at = d.Offset()
	for o := d.Object(traceFields); o.Next(); {
		switch o.Field() {
		case 0:
			t.ID = d.String()
		case 1:
			d.subject()
		case 2:
			t.actor = d.String()
		case 3:
			d.Enum(authorityTypes...)
		case 4:
			t.authorityRef = d.String()
		case 5:
			d.anyString()
		case 6:
			d.instant()
		case 7:
			t.evidenceIDs = d.strings()
		case 8:
			t.claimIDs = d.strings()
		case 9:
			t.validFrom = ptr(d.instant())
		case 10:
			t.validUntil = ptr(d.instant())
		case 11:
			t.revokedAt = ptr(d.instant())
		case 12:
			t.integrityRef = d.String()
		case 13:
			t.anchorValue = d.anchor()
		case 14:
			d.freeObject()
		}
	}
	t.JSON = d.text(t.at)
	return t
}
