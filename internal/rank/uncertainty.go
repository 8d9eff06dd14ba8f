package rank

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// uncertainty unites that of observations of one model.
type uncertainty struct {
	model       *model
	basis, gaps union
	level       level // the worst
	known       bool  // there is any observation
}

func (u *uncertainty) reset(m *model) {
	u.model, u.level, u.known = m, levelLow, false
	u.basis.reset(len(m.basis.texts))
	u.gaps.reset(len(m.gaps.texts))
}

func (u *uncertainty) add(observation int32) {
	m := u.model
	u.known = true
	u.level = max(u.level, m.observations[observation].level)
	u.basis.add(m.basis.numbers(observation))
	u.gaps.add(m.gaps.numbers(observation))
}

// gapCode is a code that stands among the gaps of observations: that of a
// reason, or of an advisory without a value. Codes are in compareText order.
type gapCode uint8

const (
	advisoryConflicting gapCode = iota
	advisoryIncomparable
	advisoryMissing
	advisoryStale
	conflictingEvidence
	incomparableEvidence
	missingEvidence
	preferenceEvidenceMissing
	preferenceScore
	requirementMet
	requirementNotMet
	staleEvidence
)

var gapCodeNames = []string{
	advisoryConflicting:       "ADVISORY_CONFLICTING",
	advisoryIncomparable:      "ADVISORY_INCOMPARABLE",
	advisoryMissing:           "ADVISORY_MISSING",
	advisoryStale:             "ADVISORY_STALE",
	conflictingEvidence:       string(ConflictingEvidence),
	incomparableEvidence:      string(IncomparableEvidence),
	missingEvidence:           string(MissingEvidence),
	preferenceEvidenceMissing: string(PreferenceEvidenceMissing),
	preferenceScore:           string(PreferenceScore),
	requirementMet:            string(RequirementMet),
	requirementNotMet:         string(RequirementNotMet),
	staleEvidence:             string(StaleEvidence),
}

// reasonCodes are those of them that reasons have.
var reasonCodes = gapCodeNames[conflictingEvidence:]

// gapCodes is a set of codes.
type gapCodes uint32

func (s gapCodes) has(c gapCode) bool { return s>>c&1 == 1 }

// reasonGaps returns the codes of reasons that are gaps: all of a candidate
// that is excluded, the failures of one that is ranked.
func reasonGaps(reasons []reason, ranked bool) (set gapCodes) {
	for i := range reasons {
		set |= 1 << reasons[i].code
	}
	if ranked {
		set &^= 1<<requirementMet | 1<<preferenceScore
	}
	return set
}

// advisoryGaps are the codes that an advisory adds, by its status.
var advisoryGaps = [...]gapCodes{
	missing: 1 << advisoryMissing, stale: 1 << advisoryStale,
	conflict: 1 << advisoryConflicting, incomparable: 1 << advisoryIncomparable, ok: 0,
}

// uncertainty writes what was united, with codes among the gaps.
func (w *writer) uncertainty(u *uncertainty, codes gapCodes) {
	if !u.known {
		w.Raw(`{"basis":["no applicable evidence"],"gaps":`)
		w.names(gapCodeNames, uint32(codes))
		w.Raw(`,"level":"` + catalog.LevelUnknown + `"}`)
		return
	}
	w.Raw(`{"basis":`)
	w.texts(u.model.basis.json, &u.basis)
	w.Raw(`,"gaps":`)
	if codes == 0 {
		w.texts(u.model.gaps.json, &u.gaps)
	} else {
		w.merge(&u.model.gaps, &u.gaps, codes)
	}
	w.Raw(`,"level":"`)
	w.Raw(levelNames[u.level])
	w.Raw(`"}`)
}

// merge writes texts and codes in one order, each once.
func (w *writer) merge(t *textLists, u *union, codes gapCodes) {
	w.Raw(`[`)
	start := len(w.Buf)
	next := gapCode(0)
	for n := range u.each {
		for ; int(next) < len(gapCodeNames); next++ {
			order := canonical.CompareText(gapCodeNames[next], t.texts[n])
			if order > 0 {
				break
			}
			if order < 0 && codes.has(next) {
				w.item(start, gapCodeNames[next])
			}
		}
		if w.full() {
			return
		}
		w.separateFrom(start)
		w.Raw(t.json[n])
	}
	for ; int(next) < len(gapCodeNames); next++ {
		if codes.has(next) {
			w.item(start, gapCodeNames[next])
		}
	}
	w.Raw(`]`)
}
