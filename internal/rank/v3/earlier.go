package v3

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is requests of versions 1 and 2, which keep rules of their own: evidence of another
// revision or quantization is not looked at, samples are counted together whatever their groups and
// units across candidates, an exact scope is compared member by whole member, values are added from
// left to right, and nothing is compared or chosen. An advisory is a preference of weight 0 that is
// evaluated for excluded candidates, too.

// IsEarlier reports whether the request is of version 1 or 2, by whose rules it is evaluated.
func (q *Request) IsEarlier() bool { return q.earlier != nil }

// newEarlier returns a request of version 1 or 2 as it is evaluated. Its requirements and
// preferences get the ids requirement-001, requirement-002, ..., preference-001, ... in their
// order.
func newEarlier(r *record.RankRequestV2) *Request {
	q := &Request{earlier: r, task: Task{Family: record.Text(r.Task.Family), Suite: r.Task.Suite},
		candidates: slices.Clone(r.Inventory), hasCoverage: true}
	add := func(role role, id string, of *record.CriterionV2, classes []string) *criterion {
		c := criterion{role: role, id: id, measure: measure{key: of.MeasurementKey,
			aggregation: valueOf[aggregation](aggregationNames, of.Aggregation)}}
		for _, class := range classes {
			c.sources |= 1 << slices.Index(sourceNames, class)
		}
		q.criteria[role] = append(q.criteria[role], c)
		return &q.criteria[role][len(q.criteria[role])-1]
	}
	numbered := func(role role, i int) string { return fmt.Sprintf("%s-%03d", roleNames[role], i+1) }
	for i := range r.Requirements {
		of := &r.Requirements[i]
		c := add(requirement, numbered(requirement, i), &of.CriterionV2, of.SourceClasses)
		c.operator, c.value = valueOf[operator](operatorNames, of.Operator), of.Value
	}
	for i := range r.Preferences {
		of := &r.Preferences[i]
		c := add(preference, numbered(preference, i), &of.CriterionV2, of.SourceClasses)
		c.direction, c.weight = valueOf[direction](directionNames, of.Direction), of.Weight
		q.maximum += c.weight
	}
	for i := range r.Advisories {
		of := &r.Advisories[i]
		add(preference, of.ID, &of.CriterionV2, of.SourceClasses).direction = maximize
	}
	slices.SortStableFunc(q.criteria[preference], func(a, b criterion) int { return canonical.CompareText(a.id, b.id) })
	q.normalize()
	return q
}

// valueOf returns a word of a vocabulary, whose values count from 1.
func valueOf[E ~uint8](names []string, word string) E { return E(1 + slices.Index(names, word)) }

// Translate returns a request of version 1 or 2 as one of version 3, with the ids of [newEarlier],
// and evidence for nothing is enough to be ranked. One of version 3 is returned as it is.
//
// If for each candidate the samples of each criterion form one group, each task has as many samples
// as any other, and the numbers of each preference have one unit across candidates, both requests
// rank and exclude the same candidates by the same values, but for the last digit of sums, which
// version 3 rounds correctly. Otherwise version 3 reports that the evidence is ambiguous or
// incomparable, which version 2 mixes. What version 2 calls missing, because only another revision
// or quantization of the model has evidence, is incomparable here.
//
// The only fault is that of an advisory which has one of these ids already.
func (q *Request) Translate() (*Request, error) {
	if !q.IsEarlier() {
		return q, nil
	}
	translated := *q
	translated.earlier = nil
	return ReadRequest(problem.Source{Text: translated.JSON()})
}

// The words of an answer to an advisory, by status.
var advisoryStatuses = [...]string{missing: "missing", stale: "stale", conflict: "conflicting",
	incomparable: "incomparable", ok: "present"}

var advisoryNotes = [...]notes{
	missing: 1 << advisoryMissing, stale: 1 << advisoryStale, conflict: 1 << advisoryConflicting,
	incomparable: 1 << advisoryIncomparable, ok: 0,
}

// earlierResult writes a result of version 1 or 2.
func (w *writer) earlierResult() {
	const perCandidate, perCell = 768, 720 // bytes, as a rule
	w.MakeRoom(len(w.request.candidates) * (perCandidate + w.width*perCell))
	of, schema := w.request.earlier, record.RankResultSchemaV1
	if w.isSecond() {
		schema = record.RankResultSchemaV2
	}
	w.Raws(`{"catalog":{"asOf":"`, w.ranker.asOf, `","digest":"`, w.ranker.digest, `"},"excluded":[`)
	w.candidates(w.excluded)
	w.Raw(`],"ranked":[`)
	w.candidates(w.Ranking.ranked)
	w.Raws(`],"schemaVersion":"`, schema, `","scoreScale":{"kind":"`, relativeScale, `","maximum":`)
	w.Number(w.request.maximum)
	w.Raw(`},"task":`)
	w.Append(append(w.Buf, ijson.MustWriteTagged(of.Task)...))
	w.Raw(`}`)
}

// isSecond reports whether the result is of version 2, which has advisories and the applicability
// of reasons.
func (w *writer) isSecond() bool {
	return w.request.IsEarlier() && w.request.earlier.SchemaVersion == record.RankRequestSchemaV2
}

// advisories writes the answers to the advisories of a request of version 2.
func (w *writer) advisories(candidate int) {
	cells, n := w.cellsOf(candidate, preference), 0
	w.Raw(`"advisories":[`)
	for i := range cells {
		c := &w.request.criteria[preference][i]
		if w.IsFull() {
			return
		}
		if c.isShown() { // in the order of their ids in both lists
			separate(&w.Encoder, n)
			w.advisory(&w.request.earlier.Advisories[n], c, &cells[i])
			n++
		}
	}
	w.Raw(`],`)
}

func (w *writer) advisory(a *record.AdvisoryV2, c *criterion, cell *cell) {
	w.ofAdvisory.reset(w.model)
	w.Raws(`{"aggregation":"`, a.Aggregation, `","evidence":`)
	w.criterionEvidence(c, cell, &w.ofAdvisory)
	w.Raw(`,"executionApplicability":`)
	w.applicability(&cell.scope)
	w.Raws(`,"id":`, c.idJSON, `,"measurementKey":`, c.keyJSON)
	if a.SourceClasses != nil {
		w.Raw(`,"sourceClasses":`)
		w.Names(sourceNames, uint32(c.sources))
	}
	w.Raws(`,"status":"`, advisoryStatuses[cell.status], `","uncertainty":`)
	w.uncertainty(&w.ofAdvisory, advisoryNotes[cell.status])
	if cell.status == ok {
		w.MemberOrNull(`,"unit":`, cell.unit)
		w.Raw(`,"value":`)
		w.Append(cell.AppendJSON(w.Buf))
	}
	w.Raw(`}`)
}
