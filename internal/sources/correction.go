package sources

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// Correction is two observations that one evidence speaks for and that state
// different values: a source corrected a row in place, and both are in the catalog.
// Averages are then of a value and its correction.
type Correction struct {
	Evidence string // its id
	Before   catalog.Observation
	After    catalog.Observation
}

// Corrections returns the corrections in a catalog. Of observations that were made at
// different times, or of different things, none corrects the other.
func Corrections(c *catalog.Catalog) (corrections []Correction) {
	reader := catalog.NewRecordReader()
	for _, m := range c.Models() {
		byEvidence := map[string][]catalog.Observation{}
		for _, o := range m.Observations {
			id := evidenceText(o.JSON())
			byEvidence[id] = append(byEvidence[id], o)
		}
		for id, list := range byEvidence {
			if id == "" || len(list) == 1 {
				continue
			}
			first := map[string]catalog.Observation{} // by scope, time and key
			values := map[string]record.Scalar{}
			for _, o := range list {
				rec := reader.Read(o)
				at, corrected := scope(rec)+" "+string(rec.Freshness.ObservedAt)+" ", false
				for _, measurement := range rec.Measurements {
					key := at + measurement.Key
					before, is := first[key]
					if !is {
						first[key], values[key] = o, measurement.Value
					} else if values[key] != measurement.Value && !corrected {
						corrected = true
						corrections = append(corrections, Correction{rec.Evidence[0].ID, before, o})
					}
				}
			}
		}
	}
	return corrections
}

// evidenceText is the text of the id of an observation's first evidence, which is the
// first id in its canonical form.
func evidenceText(doc string) string {
	const member = `"id":"`
	i := strings.Index(doc, member)
	if i < 0 {
		return ""
	}
	text := doc[i+len(member):]
	end := strings.IndexByte(text, '"')
	return text[:max(0, end)]
}
