package rank

import "github.com/model-catalog-service/svc/internal/canonical"

// uncertainty gathers that of observations of one model.
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

func (u *uncertainty) add(m *model, observation int32) {
	u.known = true
	u.level = max(u.level, m.observations[observation].level)
	u.basis.add(m.basis.numbers(observation))
	u.gaps.add(m.gaps.numbers(observation))
}

// gapCodes is a set of codes that stand among the gaps.
type gapCodes uint16

// gapCodeNames are the codes in compareText order.
var gapCodeNames = []string{
	"ADVISORY_CONFLICTING", "ADVISORY_INCOMPARABLE", "ADVISORY_MISSING", "ADVISORY_STALE",
	string(ConflictingEvidence), string(IncomparableEvidence), string(MissingEvidence), string(PreferenceEvidenceMissing),
	string(PreferenceScore), string(RequirementMet), string(RequirementNotMet), string(StaleEvidence),
}

// advisoryGaps are the codes that an advisory adds, by its status.
var advisoryGaps = [...]gapCodes{conflict: 1 << 0, incomparable: 1 << 1, missing: 1 << 2, stale: 1 << 3, ok: 0}

// gapsOf returns the codes of the reasons that are gaps: all of a candidate
// that is excluded, the failures of one that is ranked.
func gapsOf(reasons []reason, ranked bool) (set gapCodes) {
	for i := range reasons {
		code := reasons[i].code
		if ranked && (code == RequirementMet || code == PreferenceScore) {
			continue
		}
		for bit, name := range gapCodeNames {
			if name == string(code) {
				set |= 1 << bit
			}
		}
	}
	return set
}

// uncertainty writes what was gathered; codes stand among the gaps.
func (w *writer) uncertainty(u *uncertainty, codes gapCodes) {
	if !u.known {
		w.Raw(`{"basis":["no applicable evidence"],"gaps":`)
		w.names(gapCodeNames, uint32(codes))
		w.Raw(`,"level":"unknown"}`)
		return
	}
	w.Raw(`{"basis":[`)
	w.texts(u.model.basis.json, &u.basis)
	w.Raw(`],"gaps":[`)
	w.gaps(u, codes)
	w.Raw(`],"level":"` + levelNames[u.level] + `"}`)
}

// gaps merges the gaps of the observations and codes, each text once.
func (w *writer) gaps(u *uncertainty, codes gapCodes) {
	first := true
	put := func(json ...string) {
		if !first {
			w.Raw(`,`)
		}
		first = false
		for _, s := range json {
			w.Raw(s)
		}
	}
	next := 0
	putCodesBefore := func(text string, all bool) {
		for ; next < len(gapCodeNames); next++ {
			name := gapCodeNames[next]
			if codes>>next&1 == 0 {
				continue
			}
			order := -1
			if !all {
				order = canonical.CompareText(name, text)
			}
			if order > 0 {
				return
			}
			if order < 0 {
				put(`"`, name, `"`)
			}
		}
	}
	for n := range u.gaps.each {
		if w.full() {
			return
		}
		putCodesBefore(u.model.gaps.texts[n], false)
		put(u.model.gaps.json[n])
	}
	putCodesBefore("", true)
}
