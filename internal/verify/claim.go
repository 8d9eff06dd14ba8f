package verify

import "github.com/model-catalog-service/svc/internal/ijson"

// claim is a claim and what its refs and its status hang on. Here and below, a
// pointer is nil if the member is not there, where that differs from empty.
type claim struct {
	placed
	claimType    string
	status       Status
	expiresAt    *string
	ttlSeconds   float64
	hasTTL       bool
	integrityRef *string
	anchorValue  string
	policyID     *string
	derivedFrom  []string
}

var claimFields = ijson.NewFields(
	"id", "subjectType", "subjectId", "facet?", "claimType", "fieldOrBehavior", "value", "status?",
	"createdAt", "updatedAt", "expiresAt?", "ttlSeconds?", "impactLevel?", "materiality?",
	"currentIntegrityRef?", "currentIntegrityAnchor?", "verificationPolicyId?", "confidenceBasis?",
	"conclusionConfidence?", "subjectAliases?", "derivedFrom?", "derivationEdges?", "qualifiers?",
	"metadata?", "producerStatus?", "freshness?")

func (d *decoder) claim() (c claim) {
	c.at = d.Offset()
	for o := d.Object(claimFields); o.Next(); {
		switch o.Field() {
		case 0:
			c.ID = d.String()
		case 4:
			c.claimType = d.String()
		case 6:
			d.free()
		case 7:
			c.status = Status(d.Enum(statuses...))
		case 8, 9:
			d.instant()
		case 10:
			c.expiresAt = ptr(d.instant())
		case 11:
			c.ttlSeconds = d.number("must be an integer from 0", func(f float64) bool { return isInteger(f) && f >= 0 })
			c.hasTTL = true
		case 12:
			d.Enum(impacts...)
		case 13:
			d.Enum(materialities...)
		case 14:
			c.integrityRef = ptr(d.String())
		case 15:
			c.anchorValue = d.anchor()
		case 16:
			c.policyID = ptr(d.String())
		case 20:
			c.derivedFrom = d.strings()
		default:
			d.claimDetail(o.Field())
		}
	}
	c.JSON = d.text(c.at)
	return c
}

// claimDetail reads a member of a claim that nothing hangs on.
func (d *decoder) claimDetail(field int) {
	switch field {
	case 1, 2, 3, 5:
		d.anyString()
	case 17, 23:
		d.freeObject()
	case 18:
		d.confidence()
	case 19:
		for l := d.List(); l.Next(); {
			d.subject()
		}
	case 21:
		for l := d.List(); l.Next(); {
			d.derivationEdge()
		}
	case 22:
		d.qualifiers()
	case 24:
		d.Enum(statuses...)
	case 25:
		d.freshness()
	}
}

var anchorFields = ijson.NewFields("id", "kind", "algorithm", "value", "sourceRef", "observedAt?",
	"verificationStatus?", "verifiedAt?", "verifiedBy?", "metadata?")

// anchor reads an integrity anchor and returns its value.
func (d *decoder) anchor() (value string) {
	_, value = d.namedAnchor()
	return value
}

func (d *decoder) namedAnchor() (id, value string) {
	for o := d.Object(anchorFields); o.Next(); {
		switch o.Field() {
		case 0:
			id = d.String()
		case 1:
			d.Enum(anchorKinds...)
		case 3:
			value = d.String()
		case 2, 4, 8:
			d.anyString()
		case 5, 7:
			d.instant()
		case 6:
			d.Enum(anchorVerdicts...)
		case 9:
			d.freeObject()
		}
	}
	return id, value
}

var (
	confidenceFields  = ijson.NewFields("value?", "method?", "interval?", "comfortZone?")
	intervalFields    = ijson.NewFields("low", "high")
	comfortZoneFields = ijson.NewFields("within", "reason?")
	subjectFields     = ijson.NewFields("subjectType", "subjectId")
	edgeFields        = ijson.NewFields("inputClaimId", "method?", "role?", "supportStrength?", "rationale?", "sensitivity?", "metadata?")
	sensitivityFields = ijson.NewFields("low", "high", "basis")
	freshnessFields   = ijson.NewFields("asOf", "expiresAt?", "stale")
)

func (d *decoder) confidence() {
	for o := d.Object(confidenceFields); o.Next(); {
		switch o.Field() {
		case 0:
			d.number("must be a number from 0 to 1", func(f float64) bool { return f >= 0 && f <= 1 })
		case 1:
			d.anyString()
		case 2:
			for o := d.Object(intervalFields); o.Next(); {
				d.Number()
			}
		case 3:
			for o := d.Object(comfortZoneFields); o.Next(); {
				if o.Field() == 0 {
					d.Bool()
				} else {
					d.anyString()
				}
			}
		}
	}
}

// subject reads what a claim, a trace or an identity link is about.
func (d *decoder) subject() {
	for o := d.Object(subjectFields); o.Next(); {
		d.anyString()
	}
}

func (d *decoder) derivationEdge() {
	for o := d.Object(edgeFields); o.Next(); {
		switch o.Field() {
		case 0, 2, 4:
			d.anyString()
		case 1:
			d.Enum(derivationMethods...)
		case 3:
			d.Enum(inputStrengths...)
		case 5:
			for o := d.Object(sensitivityFields); o.Next(); {
				if o.Field() == 2 {
					d.anyString()
				} else {
					d.Number()
				}
			}
		case 6:
			d.freeObject()
		}
	}
}

// qualifiers reads an object of strings under any names.
func (d *decoder) qualifiers() {
	at := d.Offset()
	if d.Kind() != '{' {
		d.mismatch("must be an object")
		return
	}
	members, bad := d.Value().Members, 0
	if d.IsBroken() {
		return
	}
	for _, m := range members {
		if m.Value.Kind == '"' {
			continue
		}
		place := at
		if bad++; bad <= maxLocated {
			place += max(0, locate(d.src[at:], []any{m.Name}))
		}
		d.Fail(place, "."+m.Name, "must be a string")
	}
}

func (d *decoder) freshness() {
	for o := d.Object(freshnessFields); o.Next(); {
		if o.Field() == 2 {
			d.Bool()
		} else {
			d.instant()
		}
	}
}
