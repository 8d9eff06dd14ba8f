package rank

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// ReasonCode tells what a reason says.
type ReasonCode string

// The codes of reasons.
const (
	RequirementMet            ReasonCode = "REQUIREMENT_MET"
	RequirementNotMet         ReasonCode = "REQUIREMENT_NOT_MET"
	MissingEvidence           ReasonCode = "MISSING_EVIDENCE"            // for a requirement
	PreferenceEvidenceMissing ReasonCode = "PREFERENCE_EVIDENCE_MISSING" // for a preference
	StaleEvidence             ReasonCode = "STALE_EVIDENCE"              // no longer valid at the catalog's asOf
	ConflictingEvidence       ReasonCode = "CONFLICTING_EVIDENCE"        // facts that differ
	IncomparableEvidence      ReasonCode = "INCOMPARABLE_EVIDENCE"       // of another execution, of mixed units or kinds, or no number
	PreferenceScore           ReasonCode = "PREFERENCE_SCORE"
)

// Reason is one reason for how a candidate came out.
type Reason struct {
	Code           ReasonCode
	MeasurementKey string
	Summary        string
	// Actual is the value found; its Kind is 0 if there is none.
	Actual catalog.Scalar
	// Expected is the value that a requirement is met or not met by; its Kind
	// is 0 in every other reason.
	Expected catalog.Scalar
	// Contribution is what a preference added to the score.
	Contribution float64
}

// reason is a criterion and what came of it for a candidate.
type reason struct {
	code gapCode
	cell *cell
	// One of the two is nil.
	requirement *requirement
	preference  *preference
}

// appendReasons appends the reasons of a candidate in their order: for each
// requirement, for each preference without a number, for each with a score.
func (r *Result) appendReasons(list []reason, candidate int) []reason {
	cells := r.cellsOf(candidate)
	for i := range cells.requirements {
		c := &cells.requirements[i]
		list = append(list, reason{code: requirementCode(c), cell: c, requirement: &r.request.requirements[i]})
	}
	if r.excludes[candidate] {
		return list
	}
	for _, scored := range [...]bool{false, true} {
		for i := range cells.preferences {
			if c := &cells.preferences[i]; c.scored == scored {
				list = append(list, reason{code: preferenceCode(c), cell: c, preference: &r.request.preferences[i]})
			}
		}
	}
	return list
}

func requirementCode(c *cell) gapCode {
	switch {
	case c.met:
		return requirementMet
	case c.status == ok:
		return requirementNotMet
	}
	return [...]gapCode{
		missing: missingEvidence, stale: staleEvidence, conflict: conflictingEvidence, incomparable: incomparableEvidence,
	}[c.status]
}

func preferenceCode(c *cell) gapCode {
	if c.scored {
		return preferenceScore
	}
	return [...]gapCode{
		missing: preferenceEvidenceMissing, stale: staleEvidence, conflict: conflictingEvidence, incomparable: incomparableEvidence,
		ok: incomparableEvidence, // a value that is not a number
	}[c.status]
}

func (r *reason) criterion() *criterion {
	if r.requirement != nil {
		return &r.requirement.criterion
	}
	return &r.preference.criterion
}

// appendSummary appends the summary with key in place of the measurement key.
func (r *reason) appendSummary(dst []byte, key string) []byte {
	switch {
	case r.code == requirementMet:
		return append(append(append(dst, key...), " satisfied "...), r.requirement.operator.String()...)
	case r.code == requirementNotMet:
		return append(append(append(dst, key...), " did not satisfy "...), r.requirement.operator.String()...)
	case r.code == preferenceScore:
		dst = append(append(dst, r.preference.direction.String()...), " contributed "...)
		return canonical.AppendNumber(dst, r.cell.contribution)
	case r.cell.status == ok:
		return append(dst, "preference evidence is not numeric"...)
	}
	word := [...]string{missing: "missing", stale: "stale", conflict: "conflict", incomparable: "incomparable"}[r.cell.status]
	return append(append(append(dst, word...), " evidence for "...), key...)
}

// hasActual reports whether the reason names the value found.
func (r *reason) hasActual() bool {
	return r.code == requirementMet || r.code == requirementNotMet || r.code == preferenceScore
}

// hasExpected reports whether the reason names the value asked for.
func (r *reason) hasExpected() bool { return r.code == requirementMet || r.code == requirementNotMet }

// export returns the reason in its public form.
func (r *reason) export() Reason {
	key := r.criterion().key
	out := Reason{
		Code:           ReasonCode(gapCodeNames[r.code]),
		MeasurementKey: key,
		Summary:        string(r.appendSummary(nil, key)),
		Contribution:   r.cell.contribution,
	}
	if r.hasActual() {
		out.Actual = r.cell.scalar()
	}
	if r.hasExpected() {
		out.Expected = r.requirement.value
	}
	return out
}
