package sources

import (
	"hash/maphash"
	"slices"
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
	reader, seed := catalog.NewRecordReader(), maphash.MakeSeed()
	for _, m := range c.Models() {
		if !repeatsEvidence(m.Observations, seed) {
			continue
		}
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

// repeatsEvidence reports whether two observations may rest on one evidence. Mostly none do,
// and this takes half the time of grouping them.
func repeatsEvidence(list []catalog.Observation, seed maphash.Seed) bool {
	hashes := make([]uint64, len(list))
	for i, o := range list {
		hashes[i] = maphash.String(seed, evidenceText(o.JSON()))
	}
	slices.Sort(hashes)
	return len(slices.Compact(hashes)) < len(list)
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
