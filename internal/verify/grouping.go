package verify

import "github.com/model-catalog-service/svc/internal/ijson"

// What a bundle may hold besides claims and what is said of them. Nothing here
// bears on a status.

var linkFields = ijson.NewFields("id?", "subjects", "reason?", "attestedBy?", "relation?", "conversion?", "mappingClaimId?")

// identityLink reads a link. Its id is empty if it has none.
func (d *decoder) identityLink() (r placed) {
	r.at = d.Offset()
	for o := d.Object(linkFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.ID = d.String()
		case 1:
			d.subjects()
		case 2, 3, 6:
			d.anyString()
		case 4:
			d.Enum(identityRelations...)
		case 5:
			d.conversion()
		}
	}
	r.JSON = d.text(r.at)
	return r
}

func (d *decoder) subjects() {
	l := d.List()
	for l.Next() {
		d.subject()
	}
	if n := l.Index() + 1; l.OK() && n < 2 {
		d.Fail(l.Start(), "", "must have at least two items, has %d", n)
	}
}

var conversionFields = ijson.NewFields("factor?", "offset?", "note?")

func (d *decoder) conversion() {
	for o := d.Object(conversionFields); o.Next(); {
		if o.Field() == 2 {
			d.anyString()
		} else {
			d.Number()
		}
	}
}

var groupFields = ijson.NewFields("id", "title", "kind", "description?", "claimIds?", "requirements?", "rollupPolicy?", "metadata?")

// claimGroup is a group and the ids of its requirements.
type claimGroup struct {
	placed
	requirements []placed
}

func (d *decoder) claimGroup() (g claimGroup) {
	g.at = d.Offset()
	for o := d.Object(groupFields); o.Next(); {
		switch o.Field() {
		case 0:
			g.ID = d.String()
		case 1, 3:
			d.anyString()
		case 2:
			d.Enum(groupKinds...)
		case 4:
			d.strings()
		case 5:
			for l := d.List(); l.Next(); {
				g.requirements = append(g.requirements, d.requirement())
			}
		case 6:
			d.rollupPolicy()
		case 7:
			d.freeObject()
		}
	}
	g.JSON = d.text(g.at)
	return g
}

var requirementFields = ijson.NewFields("id", "title", "claimIds", "required?", "severity?", "validationStrategy?", "metadata?")

func (d *decoder) requirement() (r placed) {
	r.at = d.Offset()
	for o := d.Object(requirementFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.ID = d.String()
		case 1:
			d.anyString()
		case 2:
			d.strings()
		case 3:
			d.Bool()
		case 4:
			d.Enum(impacts...)
		case 5:
			d.validationStrategy()
		case 6:
			d.freeObject()
		}
	}
	return r
}

var strategyFields = ijson.NewFields("requiredEvidence?", "requiredMethods?", "requiresCorroboration?",
	"acceptanceCriteria?", "reviewAuthority?", "notes?", "metadata?")

func (d *decoder) validationStrategy() {
	for o := d.Object(strategyFields); o.Next(); {
		switch o.Field() {
		case 0:
			d.words(evidenceTypes)
		case 1:
			d.words(methods)
		case 2:
			d.Bool()
		case 3:
			d.strings()
		case 4, 5:
			d.anyString()
		case 6:
			d.freeObject()
		}
	}
}

var rollupFields = ijson.NewFields("mode", "requiredRequirementIds?", "optionalRequirementIds?")

func (d *decoder) rollupPolicy() {
	for o := d.Object(rollupFields); o.Next(); {
		if o.Field() == 0 {
			d.Enum(rollupModes...)
		} else {
			d.strings()
		}
	}
}

var proofFields = ijson.NewFields("anchors?", "metadata?")

// proof reads the block of signatures and anchors and returns the anchors' ids.
func (d *decoder) proof() (anchors []placed) {
	for o := d.Object(proofFields); o.Next(); {
		if o.Field() == 1 {
			d.freeObject()
			continue
		}
		for l := d.List(); l.Next(); {
			a := placed{at: d.Offset()}
			a.ID, _ = d.namedAnchor()
			anchors = append(anchors, a)
		}
	}
	return anchors
}
