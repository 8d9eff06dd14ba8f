package rank

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Code tells what a reason says.
type Code string

// The codes of reasons.
const (
	RequirementMet            Code = "REQUIREMENT_MET"
	RequirementNotMet         Code = "REQUIREMENT_NOT_MET"
	MissingEvidence           Code = "MISSING_EVIDENCE"            // for a requirement
	PreferenceEvidenceMissing Code = "PREFERENCE_EVIDENCE_MISSING" // for a preference
	StaleEvidence             Code = "STALE_EVIDENCE"
	ConflictingEvidence       Code = "CONFLICTING_EVIDENCE"
	IncomparableEvidence      Code = "INCOMPARABLE_EVIDENCE"
	PreferenceScore           Code = "PREFERENCE_SCORE"
)

// Reason is one reason for how a candidate came out.
type Reason struct {
	Code           Code
	MeasurementKey string
	Summary        string
	// Actual is the value found, of kind 0 if there is none.
	Actual catalog.Scalar
	// Expected is the value that a requirement asks for, of kind 0 if the
	// reason speaks of something else.
	Expected catalog.Scalar
	// Contribution is what a preference added to the score.
	Contribution float64
}

// reason is a reason before it is written: a criterion and what came of it.
type reason struct {
	code        Code
	cell        *cell
	requirement *requirement // of the reasons that are about one
	preference  *preference  // of the reasons that are about one
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

func requirementCode(c *cell) Code {
	switch {
	case c.met:
		return RequirementMet
	case c.status == ok:
		return RequirementNotMet
	case c.status == missing:
		return MissingEvidence
	}
	return failureCode(c.status)
}

func preferenceCode(c *cell) Code {
	switch {
	case c.scored:
		return PreferenceScore
	case c.status == missing:
		return PreferenceEvidenceMissing
	}
	return failureCode(c.status)
}

func failureCode(s status) Code {
	switch s {
	case stale:
		return StaleEvidence
	case conflict:
		return ConflictingEvidence
	}
	return IncomparableEvidence // also a value that is not a number
}

func (r *reason) criterion() *criterion {
	if r.requirement != nil {
		return &r.requirement.criterion
	}
	return &r.preference.criterion
}

// summary returns the summary as the texts before and behind the key; without
// a key, all of it is before.
func (r *reason) summary() (before string, key bool, after string) {
	switch r.code {
	case RequirementMet:
		return "", true, " satisfied " + r.requirement.operator.String()
	case RequirementNotMet:
		return "", true, " did not satisfy " + r.requirement.operator.String()
	case PreferenceScore:
		return r.preference.direction.String() + " contributed " + string(canonical.AppendNumber(nil, r.cell.contribution)), false, ""
	}
	if r.cell.status == ok {
		return "preference evidence is not numeric", false, ""
	}
	return statusNames[r.cell.status] + " evidence for ", true, ""
}

var statusNames = [...]string{missing: "missing", stale: "stale", conflict: "conflict", incomparable: "incomparable"}

// hasActual reports whether the reason names the value found.
func (r *reason) hasActual() bool {
	return r.requirement != nil && r.cell.status == ok || r.code == PreferenceScore
}

// export returns the reason in its public form.
func (r *reason) export() Reason {
	c := r.criterion()
	out := Reason{Code: r.code, MeasurementKey: c.key, Contribution: r.cell.contribution}
	before, key, after := r.summary()
	out.Summary = before
	if key {
		out.Summary += c.key + after
	}
	if r.hasActual() {
		out.Actual = r.cell.scalar()
		if r.requirement != nil {
			out.Expected = r.requirement.value
		}
	}
	return out
}

// unquote returns the string that canonical JSON holds.
func unquote(json string) string {
	return ijson.NewReader(json, problem.InvalidCatalog).String()
}
