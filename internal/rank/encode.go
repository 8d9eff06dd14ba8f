package rank

import (
	"fmt"
	"slices"

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
		Result:     r,
		evaluation: newEvaluation(r.ranker, r.request),
		written:    map[applicability]span{},
	}
	w.Buf = dst
	if limit > 0 {
		w.end = len(dst) + limit
	}
	w.result()
	if w.full() {
		return w.Buf[:len(dst)], &TooLargeError{limit}
	}
	return w.Buf, nil
}

// writer writes a result. Once it is full, what it writes does not matter.
type writer struct {
	canonical.Encoder
	*Result
	end        int // the length that Buf may have, 0 for any
	evaluation *evaluation
	written    map[applicability]span // where each was written first

	// Of the current candidate or advisory.
	reasons     []reason
	evidence    union
	ofCandidate uncertainty
	ofAdvisory  uncertainty
}

// span is a part of the buffer.
type span struct{ start, end int }

// scoreScaleKind says that scores compare within one result alone.
const scoreScaleKind = "request-relative"

func (w *writer) full() bool { return w.end > 0 && len(w.Buf) > w.end }

func (w *writer) result() {
	w.Raw(`{"catalog":{"asOf":"`)
	w.Raw(w.ranker.asOf)
	w.Raw(`","digest":"`)
	w.Raw(w.ranker.digest)
	w.Raw(`"},"excluded":[`)
	w.candidates(w.excluded, false)
	w.Raw(`],"ranked":[`)
	w.candidates(w.ranked, true)
	w.Raw(`],"schemaVersion":"`)
	if w.request.version == 2 {
		w.Raw(ResultSchemaV2)
	} else {
		w.Raw(ResultSchemaV1)
	}
	w.Raw(`","scoreScale":{"kind":"` + scoreScaleKind + `","maximum":`)
	w.Number(w.request.maximum)
	w.Raw(`},"task":`)
	w.request.encodeTask(&w.Encoder)
	w.Raw(`}`)
}

// candidates writes the candidates with the given numbers.
func (w *writer) candidates(numbers []int, ranked bool) {
	for i, number := range numbers {
		if w.full() {
			return
		}
		separate(&w.Encoder, i)
		start, rank := len(w.Buf), 0
		if ranked {
			rank = i + 1
		}
		w.candidate(number, rank)
		if i == 0 {
			w.expect((len(w.Buf) - start) * (len(numbers) - 1))
		}
	}
}

// expect makes room for about n more bytes, so that the buffer need not grow
// step by step.
func (w *writer) expect(n int) {
	const most = 4 << 20
	n = min(n+n/8, most)
	if w.end > 0 {
		n = min(n, w.end-len(w.Buf))
	}
	w.Buf = slices.Grow(w.Buf, max(0, n))
}

// candidate writes a candidate with its rank, 0 if it is excluded.
func (w *writer) candidate(number, rank int) {
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
	w.Raw(`,"evidence":`)
	w.candidateEvidence(rank > 0)
	w.Raw(`,"execution":`)
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
	w.uncertainty(&w.ofCandidate, reasonGaps(w.reasons, rank > 0))
	w.Raw(`}`)
}

// candidateEvidence writes the evidence of all evaluated criteria and unites
// their uncertainty.
func (w *writer) candidateEvidence(ranked bool) {
	w.ofCandidate.reset(w.evaluation.model)
	w.Raw(`[`)
	start := len(w.Buf)
	for i := range w.request.requirements {
		w.separateFrom(start)
		w.criterionEvidence(&w.request.requirements[i].criterion, &w.ofCandidate)
	}
	if ranked {
		for i := range w.request.preferences {
			w.separateFrom(start)
			w.criterionEvidence(&w.request.preferences[i].criterion, &w.ofCandidate)
		}
	}
	w.Raw(`]`)
}

// criterionEvidence writes which observations and evidence are behind a
// criterion, and adds their uncertainty.
func (w *writer) criterionEvidence(c *criterion, u *uncertainty) {
	if w.full() {
		return
	}
	v := w.evaluation
	m := v.model
	v.gather(c)
	w.evidence.reset(len(m.evidence.texts))
	for _, i := range v.diagnostic {
		observation := v.series[i].observation
		w.evidence.add(m.evidence.numbers(observation))
		u.add(observation)
	}
	w.Raw(`{"evidenceIds":`)
	w.texts(m.evidence.json, &w.evidence)
	w.Raw(`,"measurementKey":`)
	w.Raw(c.keyJSON)
	w.Raw(`,"observationIds":[`)
	start := len(w.Buf)
	for _, i := range v.diagnostic {
		if w.full() {
			return
		}
		w.item(start, m.observations[v.series[i].observation].id)
	}
	w.Raw(`]}`)
}

func (w *writer) reason(r *reason) {
	c := r.criterion()
	w.Raw(`{`)
	if r.hasActual() {
		w.Raw(`"actual":`)
		w.value(&r.cell.value)
		w.Raw(`,`)
	}
	w.Raw(`"code":"`)
	w.Raw(gapCodeNames[r.code])
	w.Raw(`"`)
	if r.code == preferenceScore {
		w.Raw(`,"contribution":`)
		w.Number(r.cell.contribution)
	}
	if w.request.version == 2 {
		w.Raw(`,"executionApplicability":`)
		w.applicability(&r.cell.scope)
	}
	if r.hasExpected() {
		w.Raw(`,"expected":`)
		w.Raw(r.requirement.valueJSON)
	}
	w.Raw(`,"measurementKey":`)
	w.Raw(c.keyJSON)
	w.Raw(`,"summary":"`)
	w.Buf = r.appendSummary(w.Buf, c.keyJSON[1:len(c.keyJSON)-1])
	w.Raw(`"}`)
}

// advisories writes that member of a candidate.
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
	w.ofAdvisory.reset(w.evaluation.model)
	w.Raw(`{"aggregation":"`)
	w.Raw(a.aggregation.String())
	w.Raw(`","evidence":`)
	w.criterionEvidence(&a.criterion, &w.ofAdvisory)
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
	w.uncertainty(&w.ofAdvisory, advisoryGaps[c.status])
	if c.status == ok {
		w.Raw(`,"unit":`)
		w.TextOrNull(c.unit)
		w.Raw(`,"value":`)
		w.value(&c.value)
	}
	w.Raw(`}`)
}

var advisoryStatuses = []string{
	missing: "missing", stale: "stale", conflict: "conflicting", incomparable: "incomparable", ok: "present",
}
