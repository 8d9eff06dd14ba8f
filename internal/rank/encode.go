package rank

import (
	"fmt"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// TooLargeError reports a result that is longer than its caller allows.
type TooLargeError struct{ Limit int } // in bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("rank result is larger than %d bytes", e.Limit)
}

// AppendJSON appends the result as canonical JSON. If limit is above zero and
// the JSON longer, it stops soon after that many bytes and returns dst as it
// was and a *TooLargeError.
func (r *Result) AppendJSON(dst []byte, limit int) ([]byte, error) {
	w := &writer{
		Encoder:    canonical.Encoder{Buf: dst},
		Result:     r,
		evaluation: newEvaluation(r.ranker, r.request),
	}
	if limit > 0 {
		w.end = len(dst) + limit
	}
	w.result()
	if w.full() {
		return w.Buf[:len(dst)], &TooLargeError{limit}
	}
	return w.Buf, nil
}

// writer writes a result. Once it is full, what it writes is of no account.
type writer struct {
	canonical.Encoder
	*Result
	evaluation *evaluation
	end        int // the length that Buf may have, 0 for any

	reasons  []reason
	evidence union       // of one criterion
	all      uncertainty // over the criteria of a candidate
	ofOne    uncertainty // over those of an advisory
}

func (w *writer) full() bool { return w.end > 0 && len(w.Buf) > w.end }

func (w *writer) result() {
	w.Raw(`{"catalog":{"asOf":"` + w.ranker.asOf + `","digest":"` + w.ranker.digest + `"},"excluded":[`)
	for i, candidate := range w.excluded {
		separate(&w.Encoder, i)
		w.candidate(candidate, 0)
	}
	w.Raw(`],"ranked":[`)
	for i, candidate := range w.ranked {
		separate(&w.Encoder, i)
		w.candidate(candidate, i+1)
	}
	w.Raw(`],"schemaVersion":"`)
	if w.request.version == 2 {
		w.Raw(ResultSchemaV2)
	} else {
		w.Raw(ResultSchemaV1)
	}
	w.Raw(`","scoreScale":{"kind":"request-relative","maximum":`)
	w.Number(w.request.maximum)
	w.Raw(`},"task":`)
	w.request.encodeTask(&w.Encoder)
	w.Raw(`}`)
}

// candidate writes a candidate with its rank, 0 if it is excluded.
func (w *writer) candidate(number, rank int) {
	if w.full() {
		return
	}
	c := &w.request.candidates[number]
	w.evaluation.begin(c)
	w.reasons = w.appendReasons(w.reasons[:0], number)
	w.Raw(`{`)
	if w.request.version == 2 {
		w.advisories(w.cellsOf(number).advisories)
		w.Raw(`,`)
	}
	w.Raw(`"candidateId":`)
	w.Text(c.id)
	w.Raw(`,"evidence":[`)
	w.candidateEvidence(rank > 0)
	w.Raw(`],"execution":`)
	catalog.EncodeProfile(&w.Encoder, &c.execution)
	w.Raw(`,"model":`)
	catalog.EncodeModel(&w.Encoder, &c.model)
	if rank > 0 {
		w.Raw(`,"rank":`)
		w.Uint(uint64(rank))
	}
	w.Raw(`,"reasons":[`)
	for i := range w.reasons {
		separate(&w.Encoder, i)
		w.reason(&w.reasons[i])
	}
	w.Raw(`]`)
	if rank > 0 {
		w.Raw(`,"score":`)
		w.Number(w.scores[number])
	}
	w.Raw(`,"uncertainty":`)
	w.uncertainty(&w.all, gapsOf(w.reasons, rank > 0))
	w.Raw(`}`)
}

// candidateEvidence writes the evidence of all evaluated criteria and gathers
// their uncertainty.
func (w *writer) candidateEvidence(ranked bool) {
	w.all.reset(w.evaluation.model)
	for i := range w.request.requirements {
		separate(&w.Encoder, i)
		w.criterionEvidence(&w.request.requirements[i].criterion, &w.all)
	}
	if !ranked {
		return
	}
	for i := range w.request.preferences {
		separate(&w.Encoder, len(w.request.requirements)+i)
		w.criterionEvidence(&w.request.preferences[i].criterion, &w.all)
	}
}

// criterionEvidence writes which observations and evidence are behind a
// criterion, and adds their uncertainty.
func (w *writer) criterionEvidence(c *criterion, u *uncertainty) {
	v := w.evaluation
	m := v.model
	v.gather(c)
	w.evidence.reset(len(m.evidence.json))
	for _, i := range v.diagnostic {
		o := v.series[i].observation
		w.evidence.add(m.evidence.numbers(o))
		u.add(m, o)
	}
	w.Raw(`{"evidenceIds":[`)
	w.texts(m.evidence.json, &w.evidence)
	w.Raw(`],"measurementKey":`)
	w.Raw(c.keyJSON)
	w.Raw(`,"observationIds":[`)
	for n, i := range v.diagnostic {
		if w.full() {
			return
		}
		separate(&w.Encoder, n)
		w.Raw(`"`)
		w.Raw(m.observations[v.series[i].observation].id)
		w.Raw(`"`)
	}
	w.Raw(`]}`)
}

// texts writes the texts with the numbers of the union.
func (w *writer) texts(json []string, u *union) {
	first := true
	for n := range u.each {
		if w.full() {
			return
		}
		if !first {
			w.Raw(`,`)
		}
		first = false
		w.Raw(json[n])
	}
}

func (w *writer) reason(r *reason) {
	if w.full() {
		return
	}
	c := r.criterion()
	w.Raw(`{`)
	if r.hasActual() {
		w.Raw(`"actual":`)
		w.value(&r.cell.value)
		w.Raw(`,`)
	}
	w.Raw(`"code":"` + string(r.code) + `"`)
	if r.code == PreferenceScore {
		w.Raw(`,"contribution":`)
		w.Number(r.cell.contribution)
	}
	if w.request.version == 2 {
		w.Raw(`,"executionApplicability":`)
		w.applicability(&r.cell.scope)
	}
	if r.hasActual() && r.requirement != nil {
		w.Raw(`,"expected":`)
		w.Raw(r.requirement.valueJSON)
	}
	w.Raw(`,"measurementKey":`)
	w.Raw(c.keyJSON)
	w.Raw(`,"summary":"`)
	before, key, after := r.summary()
	w.Raw(before)
	if key {
		w.Raw(c.keyJSON[1 : len(c.keyJSON)-1])
		w.Raw(after)
	}
	w.Raw(`"}`)
}

func (w *writer) value(v *value) { w.Buf = v.appendJSON(w.Buf) }

func (w *writer) applicability(a *applicability) {
	w.Raw(`{"assertedDimensions":`)
	w.names(dimensionNames, uint32(a.asserted))
	w.Raw(`,"matchedKinds":`)
	w.names(scopeKindNames, uint32(a.matched))
	w.Raw(`,"mismatchedDimensions":`)
	w.names(dimensionNames, uint32(a.mismatched))
	w.Raw(`,"wildcardedDimensions":`)
	w.names(dimensionNames, uint32(a.wildcarded))
	w.Raw(`}`)
}

// names writes the names that a set of bits stands for.
func (w *writer) names(names []string, set uint32) {
	w.Raw(`[`)
	first := true
	for i, name := range names {
		if set>>i&1 == 0 {
			continue
		}
		if !first {
			w.Raw(`,`)
		}
		first = false
		w.Raw(`"`)
		w.Raw(name)
		w.Raw(`"`)
	}
	w.Raw(`]`)
}

// advisories writes the first member of a candidate.
func (w *writer) advisories(cells []cell) {
	w.Raw(`"advisories":[`)
	for i := range cells {
		if w.full() {
			return
		}
		separate(&w.Encoder, i)
		w.advisory(&w.request.advisories[i], &cells[i])
	}
	w.Raw(`]`)
}

func (w *writer) advisory(a *advisory, c *cell) {
	w.ofOne.reset(w.evaluation.model)
	w.Raw(`{"aggregation":"` + a.aggregation.String() + `","evidence":`)
	w.criterionEvidence(&a.criterion, &w.ofOne)
	w.Raw(`,"executionApplicability":`)
	w.applicability(&c.scope)
	w.Raw(`,"id":`)
	w.Raw(a.idJSON)
	w.Raw(`,"measurementKey":`)
	w.Raw(a.keyJSON)
	w.Raw(a.sources.member())
	w.Raw(`,"status":"`)
	w.Raw(advisoryStatuses[c.status])
	w.Raw(`","uncertainty":`)
	w.uncertainty(&w.ofOne, advisoryGaps[c.status])
	if c.status == ok {
		w.Raw(`,"unit":`)
		w.TextOrNull(c.unit)
		w.Raw(`,"value":`)
		w.value(&c.value)
	}
	w.Raw(`}`)
}

var advisoryStatuses = [...]string{
	missing: "missing", stale: "stale", conflict: "conflicting", incomparable: "incomparable", ok: "present",
}
