package rank

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is a result as JSON, of versions 1 and 2: how it is written, and which
// shape it has when it is read again.
//
//	{"catalog":{"asOf":...,"digest":...},"excluded":[...],"ranked":[{"candidateId":"b",...,"rank":1,
//	  "reasons":[{"actual":0.5,"code":"REQUIREMENT_MET",...}],"score":2,...}],"schemaVersion":...,"scoreScale":{...},"task":{...}}

// TooLargeError reports a result that is longer than its caller allows.
type TooLargeError struct{ Limit int } // in bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("rank result is larger than %d bytes", e.Limit)
}

// AppendJSON appends the result as canonical JSON. If limit is above zero and
// the JSON longer, it stops soon after that many bytes and returns dst as it
// was and a *TooLargeError.
func (r *Result) AppendJSON(dst []byte, limit int) ([]byte, error) {
	w := &writer{Result: r, Writer: index.NewWriter(dst, limit), written: map[applicability]span{}}
	w.writeResult()
	if w.IsFull() {
		return w.Buf[:len(dst)], &TooLargeError{limit}
	}
	return w.Buf, nil
}

// writer writes a result.
type writer struct {
	index.Writer
	*Result
	written map[applicability]span // where each was written first
	model   *model                 // of the current candidate
	reasons []reason               // of the current candidate
	gaps    []string               // of these reasons

	measurements         []int32 // of the current cell
	evidence             index.Union
	candidateUncertainty index.Uncertainty
	advisoryUncertainty  index.Uncertainty
}

// span is a part of the buffer.
type span struct{ start, end int }

func (w *writer) writeResult() {
	w.Raws(`{"catalog":{"asOf":"`, w.ranker.asOf, `","digest":"`, w.ranker.digest, `"},"excluded":[`)
	w.writeCandidates(w.excluded, false)
	w.Raw(`],"ranked":[`)
	w.writeCandidates(w.ranked, true)
	w.Raws(`],"schemaVersion":"`, resultSchemas[w.request.version-1], `","scoreScale":{"kind":"request-relative","maximum":`)
	w.Number(w.request.maximum)
	w.Raw(`},"task":`)
	w.request.encodeTask(&w.Encoder)
	w.Raw(`}`)
}

var resultSchemas = []string{record.RankResultSchemaV1, record.RankResultSchemaV2}

// writeCandidates writes the candidates with the given numbers.
func (w *writer) writeCandidates(numbers []int, ranked bool) {
	for i, number := range numbers {
		if w.IsFull() {
			return
		}
		separate(&w.Encoder, i)
		start, rank := len(w.Buf), 0
		if ranked {
			rank = i + 1
		}
		w.writeCandidate(number, rank)
		if i == 0 {
			w.MakeRoom((len(w.Buf) - start) * (len(numbers) - 1))
		}
	}
}

// writeCandidate writes a candidate with its rank, 0 if it is excluded.
func (w *writer) writeCandidate(number, rank int) {
	c, cells := &w.request.candidates[number], w.cellsOf(number)
	w.model = w.ranker.find(c.Model)
	w.reasons = w.appendReasons(w.reasons[:0], number)
	w.Raw(`{`)
	if w.request.version == 2 {
		w.Raw(`"advisories":[`)
		for i := range cells.advisories {
			if w.IsFull() {
				return
			}
			separate(&w.Encoder, i)
			w.writeAdvisory(&w.request.advisories[i], &cells.advisories[i])
		}
		w.Raw(`],`)
	}
	w.Member(`"candidateId":`, c.ID)
	w.Raw(`,"evidence":[`)
	w.candidateUncertainty.Reset(&w.model.Model)
	start := len(w.Buf)
	for i := range cells.requirements {
		w.SeparateFrom(start)
		w.writeEvidence(&w.request.requirements[i].criterion, &cells.requirements[i], &w.candidateUncertainty)
	}
	if rank > 0 {
		for i := range cells.preferences {
			w.SeparateFrom(start)
			w.writeEvidence(&w.request.preferences[i].criterion, &cells.preferences[i], &w.candidateUncertainty)
		}
	}
	w.Raw(`],"execution":`)
	catalog.EncodeProfile(&w.Encoder, &c.Execution)
	w.Raw(`,"model":`)
	catalog.EncodeModel(&w.Encoder, &c.Model)
	if rank > 0 {
		w.Raw(`,"rank":`)
		w.Uint(uint64(rank))
	}
	w.Raw(`,"reasons":[`)
	for i := range w.reasons {
		separate(&w.Encoder, i)
		w.writeReason(&w.reasons[i])
	}
	w.Raw(`]`)
	if rank > 0 {
		w.Raw(`,"score":`)
		w.Number(w.scores[number])
	}
	w.Raw(`,"uncertainty":`)
	w.gaps = appendGaps(w.gaps[:0], w.reasons, rank > 0)
	w.writeUncertainty(&w.candidateUncertainty, w.gaps)
	w.Raw(`}`)
}

// writeEvidence writes which observations and evidence a cell rests on, and adds
// their uncertainty.
func (w *writer) writeEvidence(c *criterion, cell *cell, u *index.Uncertainty) {
	if w.IsFull() {
		return
	}
	m := w.model
	w.measurements = cell.diagnostic.bits.appendNumbers(w.measurements[:0], cell.diagnostic.first)
	w.evidence.Reset(len(m.Evidence.Texts))
	for _, i := range w.measurements {
		observation := m.Measurements[i].Observation
		w.evidence.Add(m.Evidence.Numbers(observation))
		u.Add(observation)
	}
	w.Raw(`{"evidenceIds":`)
	w.Texts(&m.Evidence, &w.evidence, nil)
	w.Raws(`,"measurementKey":`, c.keyJSON, `,"observationIds":[`)
	start := len(w.Buf)
	for _, i := range w.measurements {
		if w.IsFull() {
			return
		}
		w.Item(start, m.observations[m.Measurements[i].Observation].id)
	}
	w.Raw(`]}`)
}

func (w *writer) writeReason(r *reason) {
	c := r.criterion()
	w.Raw(`{`)
	if r.hasActual() {
		w.Raw(`"actual":`)
		w.Append(r.cell.AppendJSON(w.Buf))
		w.Raw(`,`)
	}
	w.Raws(`"code":"`, string(r.code), `"`)
	if r.code == PreferenceScore {
		w.Raw(`,"contribution":`)
		w.Number(r.cell.contribution)
	}
	if w.request.version == 2 {
		w.Raw(`,"executionApplicability":`)
		w.writeApplicability(&r.cell.scope)
	}
	if r.hasExpected() {
		w.Raws(`,"expected":`, r.requirement.valueJSON)
	}
	w.Raws(`,"measurementKey":`, c.keyJSON, `,"summary":"`)
	w.Buf = r.appendSummary(w.Buf, c.keyJSON[1:len(c.keyJSON)-1])
	w.Raw(`"}`)
}

func (w *writer) writeAdvisory(a *advisory, c *cell) {
	w.advisoryUncertainty.Reset(&w.model.Model)
	w.Raws(`{"aggregation":"`, a.aggregation, `","evidence":`)
	w.writeEvidence(&a.criterion, c, &w.advisoryUncertainty)
	w.Raw(`,"executionApplicability":`)
	w.writeApplicability(&c.scope)
	w.Raws(`,"id":`, a.idJSON, `,"measurementKey":`, a.keyJSON, a.sources.member(),
		`,"status":"`, advisoryStatuses[c.status], `","uncertainty":`)
	w.writeUncertainty(&w.advisoryUncertainty, advisoryGaps[c.status])
	if c.status == ok {
		w.MemberOrNull(`,"unit":`, c.unit)
		w.Raw(`,"value":`)
		w.Append(c.AppendJSON(w.Buf))
	}
	w.Raw(`}`)
}

var advisoryStatuses = []string{
	missing: "missing", stale: "stale", conflict: "conflicting", incomparable: "incomparable", ok: "present",
}

// appendGaps appends the codes of reasons that are listed among the gaps, sorted:
// all of a candidate that is excluded, the failures of one that is ranked.
func appendGaps(codes []string, reasons []reason, ranked bool) []string {
	for i := range reasons {
		code := string(reasons[i].code)
		isGap := !ranked || reasons[i].code != RequirementMet && reasons[i].code != PreferenceScore
		if n, known := slices.BinarySearch(codes, code); isGap && !known {
			codes = slices.Insert(codes, n, code)
		}
	}
	return codes
}

// advisoryGaps are the codes that an advisory adds to the gaps, by its status.
var advisoryGaps = [...][]string{
	missing: {"ADVISORY_MISSING"}, stale: {"ADVISORY_STALE"}, conflict: {"ADVISORY_CONFLICTING"}, incomparable: {"ADVISORY_INCOMPARABLE"}, ok: nil,
}

// writeUncertainty writes what was united, with codes among the gaps. These are
// sorted.
func (w *writer) writeUncertainty(u *index.Uncertainty, codes []string) {
	w.Raw(`{"basis":`)
	if u.Known {
		w.Texts(&u.Model.Basis, &u.Basis, nil)
	} else {
		w.Raw(`["no applicable evidence"]`)
		u.Level = index.LevelUnknown
	}
	w.Raw(`,"gaps":`)
	w.Texts(&u.Model.Gaps, &u.Gaps, codes)
	w.Raws(`,"level":"`, index.LevelNames[u.Level], `"}`)
}

// writeApplicability writes one. As there are few different ones in a result, it
// is copied from where it was written before.
func (w *writer) writeApplicability(a *applicability) {
	if s, known := w.written[*a]; known {
		w.Append(append(w.Buf, w.Buf[s.start:s.end]...))
		return
	}
	start := len(w.Buf)
	w.Raw(`{"assertedDimensions":`)
	w.Names(dimensionNames, uint32(a.asserted))
	w.Raw(`,"matchedKinds":`)
	w.Names(scopeKindNames, uint32(a.matched))
	w.Raw(`,"mismatchedDimensions":`)
	w.Names(dimensionNames, uint32(a.mismatched))
	w.Raw(`,"wildcardedDimensions":`)
	w.Names(dimensionNames, uint32(a.wildcarded))
	w.Raw(`}`)
	w.written[*a] = span{start, len(w.Buf)}
}

// CheckResults validates the shape of a rank result, or of several, one a line
// as they are written: which members there are, what kind of value and which
// word each may have, and that ranks count from 1. Whether a result is what a
// catalog answers, only ranking again can show.
//
// Faults have no code. They are all of the source, in order, each with the
// place where it is.
func CheckResults(source problem.Source) error {
	return EachResult(source, NewResultChecker())
}

// NewResultChecker returns what finds the faults of one result. It is for one
// goroutine.
func NewResultChecker() func(text string) problem.List {
	r := &resultReader{Reader: ijson.NewPartReader("")}
	return r.check
}

// EachResult calls check for the result in a source, or for each of several, one a
// line as they are written, and returns all that it finds wrong.
func EachResult(source problem.Source, check func(text string) problem.List) error {
	var faults problem.Collector
	for doc, start := range ijson.Documents(source) {
		faults.Add(check(doc).Locate(doc, start)...)
		if faults.Full() {
			break
		}
	}
	return faults.List(source.Name).Err()
}

// resultReader reads results.
type resultReader struct {
	*ijson.Reader
	place int // of the object in its list
}

// check returns the faults of one result.
func (r *resultReader) check(text string) problem.List {
	r.Reset(text)
	version := ""
	versionShape.Read(r, &version) // it may be after all that depends on it
	r.Reset(text)
	shape := resultShapeV1
	if version == record.RankResultSchemaV2 {
		shape = resultShapeV2
	}
	shape.Read(r, &record.RankResultV2{})
	return r.End()
}

var versionShape = ijson.NewShape(ijson.Optional("schemaVersion", func(r *resultReader, version *string) {
	if r.Kind() == '"' {
		*version = r.String()
	} else {
		r.Skip()
	}
}))

var resultShapeV1, resultShapeV2 = newResultShape(1), newResultShape(2)

// newResultShape returns the shape of a result of a version. Version 1 has neither advisories nor
// the applicability of reasons, which version 2 must have.
func newResultShape(version int) *ijson.Shape[*resultReader, record.RankResultV2] {
	applicability := ijson.Absent[*resultReader, record.ReasonV2]("executionApplicability")
	rankedAdvisories := ijson.Absent[*resultReader, record.RankedCandidateV2]("advisories")
	excludedAdvisories := ijson.Absent[*resultReader, record.ExcludedCandidateV2]("advisories")
	if version == 2 {
		applicability = ijson.Required("executionApplicability", func(r *resultReader, reason *record.ReasonV2) {
			reason.ExecutionApplicability = &record.ExecutionApplicabilityV2{}
			ijson.ReadTagged(r.Reader, reason.ExecutionApplicability)
		})
		rankedAdvisories = ijson.Required("advisories", func(r *resultReader, c *record.RankedCandidateV2) {
			readItems(r, answerShape, &c.Advisories)
		})
		excludedAdvisories = ijson.Required("advisories", func(r *resultReader, c *record.ExcludedCandidateV2) {
			readItems(r, answerShape, &c.Advisories)
		})
	}
	reasonShape := ijson.TaggedShape(applicability)
	rankedShape := ijson.TaggedShape(rankedAdvisories,
		ijson.Required("rank", (*resultReader).readRank),
		ijson.Required("reasons", func(r *resultReader, c *record.RankedCandidateV2) {
			readItems(r, reasonShape, (*[]record.ReasonV2)(&c.Reasons))
		}))
	excludedShape := ijson.TaggedShape(excludedAdvisories,
		ijson.Required("reasons", func(r *resultReader, c *record.ExcludedCandidateV2) {
			readItems(r, reasonShape, (*[]record.ReasonV2)(&c.Reasons))
		}))
	return ijson.TaggedShape(
		ijson.Required("ranked", func(r *resultReader, q *record.RankResultV2) {
			readItems(r, rankedShape, (*[]record.RankedCandidateV2)(&q.Ranked))
		}),
		ijson.Required("excluded", func(r *resultReader, q *record.RankResultV2) {
			readItems(r, excludedShape, (*[]record.ExcludedCandidateV2)(&q.Excluded))
		}))
}

var answerShape = ijson.TaggedShape(ijson.Optional("sourceClasses", func(r *resultReader, a *record.AdvisoryAnswerV2) {
	a.SourceClasses = readSourceClasses(r.Reader)
}))

// readItems reads a list of objects.
func readItems[T any](r *resultReader, shape *ijson.Shape[*resultReader, T], into *[]T) {
	*into = []T{}
	outer := r.place
	defer func() { r.place = outer }()
	for l := r.List(); l.Next(); {
		r.place = l.Index() + 1
		var item T
		shape.Read(r, &item)
		*into = append(*into, item)
	}
}

// readRank demands that ranks count from 1.
func (r *resultReader) readRank(c *record.RankedCandidateV2) {
	at := r.Offset()
	place := r.place
	if c.Rank = int(r.Count()); c.Rank != place {
		r.Fail(at, "", "must be %d, its place in the list", place)
	}
}
