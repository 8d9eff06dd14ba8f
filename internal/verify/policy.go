package verify

import "github.com/model-catalog-service/svc/internal/ijson"

// policy says what claims of a type need.
type policy struct {
	placed
	claimType        string
	requiredEvidence []string
	requiredMethods  []string
	corroboration    bool
	validity         string
	durationDays     float64
}

var policyFields = ijson.NewFields("id", "claimType", "parentType?", "requiredEvidence", "requiredMethods?",
	"requiresCorroboration?", "acceptanceCriteria", "reviewAuthority", "validityRule", "stalenessTriggers",
	"conflictRules", "impactLevel", "incompatibleValues?", "incompatibleStatuses?")

func (d *decoder) policy() (p policy) {
	p.at = d.Offset()
	for o := d.Object(policyFields); o.Next(); {
		switch o.Field() {
		case 0:
			p.ID = d.String()
		case 1:
			p.claimType = d.String()
		case 2, 7:
			d.anyString()
		case 3:
			p.requiredEvidence = d.words(evidenceTypes)
		case 4:
			p.requiredMethods = d.words(methods)
		case 5:
			p.corroboration = d.Kind() == 't'
			d.Bool()
		case 6, 9, 10:
			d.strings()
		case 8:
			p.validity, p.durationDays = d.validityRule()
		case 11:
			d.Enum(impacts...)
		case 12:
			d.incompatible(incompatibleValuesFields, d.free)
		case 13:
			d.incompatible(incompatibleStatusesFields, func() { d.Enum(statuses...) })
		}
	}
	p.JSON = d.text(p.at)
	return p
}

var (
	validityFields             = ijson.NewFields("kind", "durationDays?")
	incompatibleValuesFields   = ijson.NewFields("values", "message?")
	incompatibleStatusesFields = ijson.NewFields("statuses", "message?")
)

func (d *decoder) validityRule() (kind string, days float64) {
	for o := d.Object(validityFields); o.Next(); {
		if o.Field() == 0 {
			kind = d.Enum(validityKinds...)
		} else {
			days = d.number("", anyNumber)
		}
	}
	return kind, days
}

// incompatible reads a list of pairs that exclude each other.
func (d *decoder) incompatible(fields *ijson.Fields, item func()) {
	for l := d.List(); l.Next(); {
		for o := d.Object(fields); o.Next(); {
			if o.Field() == 1 {
				d.anyString()
				continue
			}
			l := d.List()
			for l.Next() {
				item()
			}
			if n := l.Index() + 1; l.OK() && n != 2 {
				d.Fail(l.Start(), "", "must have two items, has %d", n)
			}
		}
	}
}
