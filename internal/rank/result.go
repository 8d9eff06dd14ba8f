package rank

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a request was answered, as values. How it is written as JSON,
// and read again, is in resultjson.go.

// Result is what a request was answered. It is immutable and safe for
// concurrent use.
//
// It holds what was decided and, for each cell of candidates and criteria, a bit
// for each measurement of the model under the criterion's key; the evidence itself
// is looked up in the index when the result is written.
type Result struct {
	ranker  *Ranker
	request *Request
	cells   []cell // of the first candidate, of the second, and so on
	// By number of the candidate.
	excludes []bool
	scores   []float64
	// Numbers of candidates, in order.
	ranked, excluded []int
}

func newResult(k *Ranker, q *Request) *Result {
	n := len(q.candidates)
	return &Result{
		ranker:   k,
		request:  q,
		cells:    make([]cell, n*q.criteria()),
		excludes: make([]bool, n),
		scores:   make([]float64, n),
	}
}

// criteria is the number of criteria of all three kinds.
func (q *Request) criteria() int {
	return len(q.requirements) + len(q.preferences) + len(q.advisories)
}

// candidateCells are the cells of one candidate, in the order of the request.
type candidateCells struct{ requirements, preferences, advisories []cell }

func (r *Result) cellsOf(candidate int) candidateCells {
	n := r.request.criteria()
	all := r.cells[candidate*n:][:n]
	requirements, preferences := len(r.request.requirements), len(r.request.preferences)
	return candidateCells{all[:requirements], all[requirements:][:preferences], all[requirements+preferences:]}
}

// Digest is that of the catalog.
func (r *Result) Digest() string { return r.ranker.digest }

// AsOf is the instant that the catalog speaks for.
func (r *Result) AsOf() string { return r.ranker.asOf }

// Maximum is the highest score that a candidate can have: the sum of the weights.
func (r *Result) Maximum() float64 { return r.request.maximum }

// Placement is how a candidate came out.
type Placement struct {
	CandidateID string
	Model       record.Model
	Rank        int     // from 1, or 0 if it is excluded
	Score       float64 // 0 if it is excluded
	Reasons     []Reason
}

// Ranked returns the candidates that meet all requirements, the best first.
func (r *Result) Ranked() []Placement {
	list := make([]Placement, len(r.ranked))
	for i, candidate := range r.ranked {
		list[i] = r.placement(candidate)
		list[i].Rank = i + 1
	}
	return list
}

// Excluded returns the candidates that do not meet all requirements, by id.
func (r *Result) Excluded() []Placement {
	list := make([]Placement, len(r.excluded))
	for i, candidate := range r.excluded {
		list[i] = r.placement(candidate)
	}
	return list
}

func (r *Result) placement(candidate int) Placement {
	c := &r.request.candidates[candidate]
	p := Placement{CandidateID: c.ID, Model: c.Model, Score: r.scores[candidate]}
	for _, reason := range r.appendReasons(nil, candidate) {
		p.Reasons = append(p.Reasons, reason.public())
	}
	return p
}

// ReasonCode is what a reason says.
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
	Actual record.Scalar
	// Expected is the value that a requirement is met or not met by; its Kind
	// is 0 in every other reason.
	Expected record.Scalar
	// Contribution is what a preference added to the score.
	Contribution float64
	// Of a value that was found: what made it of several, its unit, "" for none, and how
	// many it was made of.
	Aggregation, Unit string
	Measurements      int
	Operator          string // of a requirement: eq, gte or lte
}

// reason is a criterion and what came of it for a candidate.
type reason struct {
	code ReasonCode
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

func requirementCode(c *cell) ReasonCode {
	switch {
	case c.met:
		return RequirementMet
	case c.status == ok:
		return RequirementNotMet
	}
	return [...]ReasonCode{
		missing: MissingEvidence, stale: StaleEvidence, conflict: ConflictingEvidence, incomparable: IncomparableEvidence,
	}[c.status]
}

func preferenceCode(c *cell) ReasonCode {
	if c.scored {
		return PreferenceScore
	}
	return [...]ReasonCode{
		missing: PreferenceEvidenceMissing, stale: StaleEvidence, conflict: ConflictingEvidence, incomparable: IncomparableEvidence,
		ok: IncomparableEvidence, // a value that is not a number
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
	case r.code == RequirementMet:
		return append(append(append(dst, key...), " satisfied "...), r.requirement.operator...)
	case r.code == RequirementNotMet:
		return append(append(append(dst, key...), " did not satisfy "...), r.requirement.operator...)
	case r.code == PreferenceScore:
		dst = append(append(dst, r.preference.direction...), " contributed "...)
		return canonical.AppendNumber(dst, r.cell.contribution)
	case r.cell.status == ok:
		return append(dst, "preference evidence is not numeric"...)
	}
	word := [...]string{missing: "missing", stale: "stale", conflict: "conflict", incomparable: "incomparable"}[r.cell.status]
	return append(append(append(dst, word...), " evidence for "...), key...)
}

// hasActual reports whether the reason names the value found.
func (r *reason) hasActual() bool { return r.hasExpected() || r.code == PreferenceScore }

// hasExpected reports whether the reason names the value asked for.
func (r *reason) hasExpected() bool { return r.code == RequirementMet || r.code == RequirementNotMet }

// public returns the reason in its public form.
func (r *reason) public() Reason {
	key := r.criterion().key
	out := Reason{
		Code:           r.code,
		MeasurementKey: key,
		Summary:        string(r.appendSummary(nil, key)),
		Contribution:   r.cell.contribution,
	}
	if r.hasActual() {
		out.Actual = r.cell.Scalar()
		out.Aggregation, out.Unit, out.Measurements = r.criterion().aggregation, r.cell.unit, r.cell.diagnostic.bits.len()
	}
	if r.hasExpected() {
		out.Expected, out.Operator = r.requirement.value, r.requirement.operator
	}
	return out
}
