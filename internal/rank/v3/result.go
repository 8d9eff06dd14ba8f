package v3

import (
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/service/record"
)

// ResultSchema is the schema version of a result.
const ResultSchema = "service.rank.result/v3"

// note is a code or remark that stands among the gaps of observations. Notes are in
// compareText order; the last ones say what evidence was carried over from.
type note uint8

const (
	advisoryConflicting note = iota // of advisories of version 2, as the next three
	advisoryIncomparable
	advisoryMissing
	advisoryStale
	ambiguousEvidence
	conflictingEvidence
	incomparableEvidence
	missingEvidence
	noEvidence
	preferenceEvidenceMissing
	preferenceScore
	requirementMet
	requirementNotMet
	staleEvidence
	tieBreakerEvidenceMissing
	tieBreakerValue
	valueShown
	anotherDimension // the first of them
)

var noteNames = slices.Concat([]string{
	"ADVISORY_CONFLICTING", "ADVISORY_INCOMPARABLE", "ADVISORY_MISSING", "ADVISORY_STALE",
	"AMBIGUOUS_EVIDENCE", "CONFLICTING_EVIDENCE", "INCOMPARABLE_EVIDENCE", "MISSING_EVIDENCE", "NO_EVIDENCE",
	"PREFERENCE_EVIDENCE_MISSING", "PREFERENCE_SCORE", "REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "STALE_EVIDENCE",
	"TIE_BREAKER_EVIDENCE_MISSING", "TIE_BREAKER_VALUE", "VALUE_SHOWN",
}, prefixed("evidence of another ", dimensionNames))

func prefixed(prefix string, names []string) (list []string) {
	for _, name := range names {
		list = append(list, prefix+name)
	}
	return list
}

// reasonCodes are the notes that reasons have.
var reasonCodes = noteNames[ambiguousEvidence:anotherDimension]

// notes is a set of notes.
type notes uint64

// carried returns the notes about evidence of other dimensions.
func carried(d dimensions) notes { return notes(d) << anotherDimension }

// The codes of criteria without a value, by role and status.
var (
	roleMissing   = [roles]note{missingEvidence, preferenceEvidenceMissing, tieBreakerEvidenceMissing}
	evidenceCodes = [...]note{stale: staleEvidence, incomparable: incomparableEvidence, ambiguous: ambiguousEvidence,
		conflict: conflictingEvidence, ok: incomparableEvidence} // ok, but not a number
)

// code returns that of the reason that a cell makes for a candidate.
func (k *criterion) code(c *cell) note {
	role := k.role
	switch {
	case k.isShown() && c.status == ok:
		return valueShown
	case role == requirement && c.met:
		return requirementMet
	case role == requirement && c.status == ok:
		return requirementNotMet
	case role == preference && c.scored:
		return preferenceScore
	case role == tieBreaker && c.numeric():
		return tieBreakerValue
	case c.status == missing:
		return roleMissing[role]
	}
	return evidenceCodes[c.status]
}

// isShown reports whether a preference is only shown: its weight is 0.
func (k *criterion) isShown() bool { return k.role == preference && k.weight == 0 }

// AppendJSON appends the result as canonical JSON. If limit is above zero and the
// JSON longer, it stops soon after that many bytes and returns dst as it was and a
// *rank.TooLargeError.
func (r *Ranking) AppendJSON(dst []byte, limit int) ([]byte, error) {
	w := &writer{Ranking: r, Writer: index.NewWriter(dst, limit), written: map[applicability]span{}}
	w.result()
	if w.IsFull() {
		return w.Buf[:len(dst)], &rank.TooLargeError{Limit: limit}
	}
	return w.Buf, nil
}

// writer writes a result.
type writer struct {
	index.Writer
	*Ranking
	written map[applicability]span // where each was written first

	actual []byte   // the value of the current cell
	gaps   []string // codes among the gaps of the current uncertainty

	// Of the current candidate.
	model       *model
	evidence    index.Union
	ofCandidate uncertainty
	ofAdvisory  uncertainty
}

// span is a part of the buffer.
type span struct{ start, end int }

func (w *writer) result() {
	if w.request.IsEarlier() {
		w.earlierResult()
		return
	}
	const perCandidate, perCell = 768, 1000 // bytes, as a rule
	w.MakeRoom(len(w.request.candidates) * (perCandidate + w.width*perCell))
	w.Raw(`{"answer":`)
	w.record(w.Answer())
	w.Raw(`,"catalog":{"asOf":"` + w.ranker.asOf + `","digest":"` + w.ranker.digest + `"},"choice":`)
	o := w.outcome()
	w.record(o.Choice)
	w.Raw(`,"excluded":[`)
	w.candidates(w.excluded)
	w.Raw(`],"flips":`)
	w.record(o.Flips)
	w.Raw(`,"frontier":`)
	w.record(o.Frontier)
	w.Raw(`,"lists":`)
	w.record(w.exportLists())
	w.Raw(`,"next":`)
	w.record(o.Next)
	w.Raw(`,"ranked":[`)
	w.candidates(w.Ranking.ranked)
	w.Raw(`],"schemaVersion":"` + ResultSchema + `","scoreScale":`)
	w.scoreScale()
	w.Raw(`,"statistics":`)
	w.record(o.Statistics)
	w.Raw(`,"target":"` + o.Target + `","task":`)
	w.record(w.request.task)
	w.Raw(`}`)
}

// The kinds of score scales: scores of one result alone compare, or those of every
// result that has the same scales.
const relativeScale, fixedScale = "request-relative", "fixed"

func (w *writer) scoreScale() {
	preferences := w.request.criteria[preference]
	kind := fixedScale
	if len(preferences) == 0 || slices.ContainsFunc(preferences,
		func(p criterion) bool { return p.scale == nil && p.weight > 0 }) {
		kind = relativeScale
	}
	w.Raw(`{"kind":"` + kind + `","maximum":`)
	w.Number(w.request.maximum)
	w.Raw(`,"scales":[`)
	for i := range preferences {
		separate(&w.Encoder, i)
		w.Raw(`{"criterion":` + preferences[i].idJSON + `,"high":`)
		w.numberOrNull(w.ends[i].high, w.ends[i].known)
		if w.ends[i].log {
			w.Raw(`,"log":true,"low":`)
		} else {
			w.Raw(`,"log":false,"low":`)
		}
		w.numberOrNull(w.ends[i].low, w.ends[i].known)
		w.Raw(`}`)
	}
	w.Raw(`]}`)
}

func (w *writer) numberOrNull(f float64, known bool) {
	if !known {
		w.Raw(`null`)
		return
	}
	w.Number(f)
}

// candidates writes the candidates with the given numbers.
func (w *writer) candidates(numbers []int) {
	for i, number := range numbers {
		if w.IsFull() {
			return
		}
		separate(&w.Encoder, i)
		start := len(w.Buf)
		w.candidate(number, i+1)
		if i == 0 {
			w.MakeRoom((len(w.Buf) - start) * (len(numbers) - 1))
		}
	}
}

// candidate writes a candidate; rank is that of one that is ranked.
func (w *writer) candidate(number, rank int) {
	c, isRanked := &w.request.candidates[number], w.exclusions[number] == notExcluded
	hasIntervals := isRanked && !w.request.IsEarlier()
	w.model = w.models[number]
	w.Raw(`{`)
	switch {
	case w.isSecond():
		w.advisories(number)
	case hasIntervals:
		w.Raw(`"amongBest":`)
		w.record(w.isAmongBest(number))
		w.Raw(`,`)
	}
	w.Raw(`"candidateId":`)
	w.Text(c.ID)
	if hasIntervals {
		w.Raw(`,"cost":`)
		w.record(w.exportCost(number))
		w.Raw(`,"coverage":`)
		w.Number(w.coverage[number])
	}
	w.Raw(`,"evidence":`)
	w.candidateEvidence(number)
	w.Raw(`,"execution":`)
	catalog.EncodeProfile(&w.Encoder, &c.Execution)
	w.Raw(`,"model":`)
	catalog.EncodeModel(&w.Encoder, &c.Model)
	if w.request.earlier == nil {
		w.Raw(`,"offer":`)
		w.record(w.offerOf(number))
	}
	if isRanked {
		w.Raw(`,"rank":`)
		w.Uint(uint64(rank))
	}
	if hasIntervals {
		w.Raw(`,"rankInterval":`)
		w.record(w.exportRankInterval(number))
	}
	w.Raw(`,"reasons":`)
	codes := w.reasons(number)
	if isRanked {
		w.Raw(`,"score":`)
		w.Number(w.scores[number])
		codes &^= 1<<requirementMet | 1<<preferenceScore | 1<<tieBreakerValue | 1<<valueShown
	}
	if hasIntervals {
		w.Raw(`,"scoreInterval":`)
		if i := w.scoreInterval(number); i.Known {
			w.record(&Interval{Low: i.Low, High: i.High})
		} else {
			w.Raw(`null`)
		}
	}
	w.Raw(`,"uncertainty":`)
	w.uncertainty(&w.ofCandidate, codes)
	w.Raw(`}`)
}

// record writes a value by its tags.
func (w *writer) record(v any) { w.Append(ijson.AppendTagged(w.Buf, v)) }

// eachCell calls do for each criterion of a role that was evaluated for a candidate, but for the
// advisories of version 2, which a result has elsewhere.
func (w *writer) eachCell(candidate int, role role, do func(*criterion, *cell)) {
	if !w.isEvaluated(candidate, role) {
		return
	}
	for i, cells := 0, w.cellsOf(candidate, role); i < len(cells) && !w.IsFull(); i++ {
		if c := &w.request.criteria[role][i]; !w.request.IsEarlier() || !c.isShown() {
			do(c, &cells[i])
		}
	}
}

// candidateEvidence writes the evidence of all evaluated criteria and unites their
// uncertainty.
func (w *writer) candidateEvidence(candidate int) {
	w.ofCandidate.reset(w.model)
	w.Raw(`[`)
	start := len(w.Buf)
	for _, role := range [...]role{requirement, preference, tieBreaker} {
		w.eachCell(candidate, role, func(c *criterion, cell *cell) {
			w.SeparateFrom(start)
			w.criterionEvidence(c, cell, &w.ofCandidate)
		})
	}
	w.Raw(`]`)
}

// criterionEvidence writes which observations and evidence a criterion rests on, and
// adds their uncertainty.
func (w *writer) criterionEvidence(c *criterion, cell *cell, u *uncertainty) {
	w.evidence.Reset(len(w.model.Evidence.Texts))
	for _, observation := range cell.observations {
		w.evidence.Add(w.model.Evidence.Numbers(observation))
		u.Add(observation)
	}
	u.transferred |= cell.scope.transferred
	w.Raw(`{`)
	if !w.request.IsEarlier() {
		w.Raws(`"criterion":`, c.idJSON, `,`)
	}
	w.Raw(`"evidenceIds":`)
	w.Texts(&w.model.Evidence, &w.evidence, nil)
	w.Raw(`,"measurementKey":`)
	w.Raw(c.keyJSON)
	w.Raw(`,"observationIds":`)
	w.observations(cell.observations)
	if !w.request.IsEarlier() {
		w.Raw(`,"overruled":`)
		w.observations(cell.overruled)
	}
	w.Raw(`}`)
}

func (w *writer) observations(numbers []int32) {
	w.Raw(`[`)
	start := len(w.Buf)
	for _, number := range numbers {
		if w.IsFull() {
			return
		}
		w.Item(start, w.model.observations[number].source.ID())
	}
	w.Raw(`]`)
}

// reasons writes the reasons of a candidate and returns their codes.
func (w *writer) reasons(candidate int) (codes notes) {
	w.Raw(`[`)
	start := len(w.Buf)
	w.eachReason(candidate, func(c *criterion, cell *cell, code note) {
		codes |= 1 << code
		w.SeparateFrom(start)
		if c == nil {
			w.coverageReason(candidate)
			return
		}
		w.reason(c, cell, code)
	})
	w.Raw(`]`)
	return codes
}

// eachReason calls do for each reason of a candidate: those of requirements, of preferences without
// a number, then that of its exclusion, which is about no criterion, or those of scored preferences
// and tie breakers.
func (w *writer) eachReason(candidate int, do func(c *criterion, cell *cell, code note)) {
	call := func(c *criterion, cell *cell) { do(c, cell, c.code(cell)) }
	w.eachCell(candidate, requirement, call)
	w.eachCell(candidate, preference, func(c *criterion, cell *cell) {
		if !cell.numeric() && !(c.isShown() && cell.status == ok) {
			call(c, cell)
		}
	})
	if w.exclusions[candidate] == byEvidence {
		do(nil, nil, noEvidence)
	}
	w.eachCell(candidate, preference, func(c *criterion, cell *cell) {
		if cell.scored || c.isShown() && cell.status == ok {
			call(c, cell)
		}
	})
	w.eachCell(candidate, tieBreaker, call)
}

// shortfalls returns the code and the summary of each reason of an excluded candidate but those of
// requirements that are met.
func (w *writer) shortfalls(candidate int) []string {
	list := []string{}
	w.eachReason(candidate, func(c *criterion, cell *cell, code note) {
		if code == requirementMet {
			return
		}
		w.Buf = w.Buf[:0]
		if c == nil {
			w.Raw(w.coverageSummary(candidate))
		} else {
			w.render(&cell.Value)
			w.summary(c, cell, code, c.name())
		}
		list = append(list, noteNames[code]+": "+string(w.Buf))
	})
	return list
}

func (w *writer) reason(c *criterion, cell *cell, code note) {
	hasActual := code == requirementMet || code == requirementNotMet || code == preferenceScore ||
		code == tieBreakerValue || code == valueShown
	w.Raw(`{`)
	if hasActual {
		w.render(&cell.Value)
		w.Raw(`"actual":`)
		w.value()
		w.Raw(`,`)
	}
	if code == ambiguousEvidence {
		w.ambiguity(cell)
		w.Raw(`,`)
	}
	w.Raw(`"code":"`)
	w.Raw(noteNames[code])
	w.Raw(`"`)
	if code == preferenceScore {
		w.Raw(`,"contribution":`)
		w.Number(cell.contribution)
	}
	if !w.request.IsEarlier() {
		w.Raws(`,"criterion":`, c.idJSON)
		if hasActual {
			w.Raw(`,`)
			w.estimate(cell)
		}
	}
	if !w.request.IsEarlier() || w.isSecond() {
		w.Raw(`,"executionApplicability":`)
		w.applicability(&cell.scope)
	}
	if code == requirementMet || code == requirementNotMet {
		w.Raw(`,"expected":`)
		w.Raw(c.valueJSON)
	}
	w.Raw(`,"measurementKey":`)
	w.Raw(c.keyJSON)
	w.Raw(`,"summary":"`)
	w.summary(c, cell, code, c.nameJSON)
	w.Raw(`"}`)
}

// summary writes the summary of a reason, without quotes, with a name for the criterion.
func (w *writer) summary(c *criterion, cell *cell, code note, name string) {
	switch {
	case code == requirementMet:
		w.Raw(name + " satisfied " + c.operator.String())
	case code == requirementNotMet:
		w.Raw(name + " did not satisfy " + c.operator.String())
	case code == preferenceScore:
		w.Raw(c.direction.String())
		w.Raw(" contributed ")
		w.Number(cell.contribution)
	case code == tieBreakerValue:
		w.Raw(c.direction.String())
		w.Raw(" by ")
		w.value()
	case code == valueShown:
		w.Raw(name + " is shown, not scored")
	case cell.mixedUnits:
		w.Raw(roleWords[c.role])
		w.Raw(" evidence has more than one unit")
	case cell.status == ok:
		w.Raw(roleWords[c.role])
		w.Raw(" evidence is not numeric")
	default:
		w.Raw(statusNames[cell.status])
		w.Raw(" evidence for ")
		w.Raw(name)
	}
}

var roleWords = []string{"requirement", "preference", "tie breaker"}

// coverageReason writes the reason of a candidate with too little evidence.
func (w *writer) coverageReason(candidate int) {
	covered, minimum := numberText(w.coverage[candidate]), numberText(w.request.minimumCoverage)
	w.Raw(`{"actual":` + covered + `,"code":"` + noteNames[noEvidence] +
		`","criterion":null,"estimate":null,"executionApplicability":`)
	w.applicability(&applicability{})
	w.Raw(`,"expected":` + minimum + `,"measurementKey":null,"summary":"` + w.coverageSummary(candidate) + `"}`)
}

func (w *writer) coverageSummary(candidate int) string {
	return "evidence for " + numberText(w.coverage[candidate]) + " of the weight, not " +
		numberText(w.request.minimumCoverage)
}

// render turns to a value. It stands in several places, and numbers take their time.
func (w *writer) render(v *index.Value) { w.actual = v.AppendJSON(w.actual[:0]) }

// value writes the value that was turned to.
func (w *writer) value() { w.Append(append(w.Buf, w.actual...)) }

// estimate writes the member of that name.
func (w *writer) estimate(c *cell) {
	e := &c.estimate
	if !c.numeric() {
		w.Raw(`"estimate":null`)
		return
	}
	w.Raw(`"estimate":{"basis":"` + e.basis.String() + `","high":`)
	w.end(e, e.high)
	w.Raw(`,"low":`)
	w.end(e, e.low)
	w.Raw(`,"own":`)
	w.Uint(uint64(e.own))
	w.Raw(`,"public":`)
	w.Uint(uint64(e.public))
	if e.trials > 0 {
		w.Raw(`,"size":"` + sizeNames[e.size-1] + `"`)
	} else {
		w.Raw(`,"size":null`)
	}
	w.Raw(`,"tasks":`)
	w.Uint(uint64(e.tasks))
	w.Raw(`,"trials":`)
	w.numberOrNull(e.trials, e.trials > 0)
	w.Raw(`,"unit":`)
	w.TextOrNull(c.unit)
	w.Raw(`,"value":`)
	w.value()
	w.Raw(`}`)
}

// end writes an end of the interval.
func (w *writer) end(e *estimate, f float64) {
	if e.basis == exact {
		w.value()
		return
	}
	w.numberOrNull(f, e.isKnown())
}

// uncertainty unites that of observations, and in what they differ from the candidate.
type uncertainty struct {
	index.Uncertainty
	transferred dimensions
}

func (u *uncertainty) reset(m *model) {
	u.Reset(&m.Model)
	u.transferred = 0
}

// uncertainty writes what was united, with codes and what was carried over among the
// gaps.
func (w *writer) uncertainty(u *uncertainty, codes notes) {
	w.Raw(`{"basis":`)
	if u.Known {
		w.Texts(&u.Model.Basis, &u.Basis, nil)
	} else {
		w.Raw(`["no applicable evidence"]`)
		u.Level = index.LevelUnknown
	}
	if u.transferred != 0 {
		u.Level = max(u.Level, index.LevelModerate)
		codes |= carried(u.transferred)
	}
	w.gaps = w.gaps[:0]
	for ; codes != 0; codes &= codes - 1 {
		w.gaps = append(w.gaps, noteNames[bits.TrailingZeros64(uint64(codes))])
	}
	w.Raw(`,"gaps":`)
	w.Texts(&u.Model.Gaps, &u.Gaps, w.gaps)
	w.Raw(`,"level":"`)
	w.Raw(index.LevelNames[u.Level])
	w.Raw(`"}`)
}

// applicability writes one. As there are few different ones in a result, it is
// copied from where it was written before.
func (w *writer) applicability(a *applicability) {
	if at, known := w.written[*a]; known {
		w.Append(append(w.Buf, w.Buf[at.start:at.end]...))
		return
	}
	start := len(w.Buf)
	w.Raw(`{"assertedDimensions":`)
	w.Names(dimensionNames, uint32(a.asserted))
	w.Raw(`,"matchedKinds":`)
	w.Names(scopeKindNames, uint32(a.matched))
	w.Raw(`,"mismatchedDimensions":`)
	w.Names(dimensionNames, uint32(a.mismatched))
	if !w.request.IsEarlier() {
		w.Raw(`,"transferredDimensions":`)
		w.Names(dimensionNames, uint32(a.transferred))
	}
	w.Raw(`,"wildcardedDimensions":`)
	w.Names(dimensionNames, uint32(a.wildcarded))
	w.Raw(`}`)
	w.written[*a] = span{start, len(w.Buf)}
}

// groupDimensions are the dimensions in which groups may differ, in order, each with
// its value for a group as canonical JSON.
var groupDimensions = []struct {
	name   string
	encode func(*canonical.Encoder, *group)
}{
	{"adapter.id", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.scope.Adapter.ID) }},
	{"adapter.version", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.scope.Adapter.Version)) }},
	{"effectiveContextTokens", func(e *canonical.Encoder, g *group) { encodeCount(e, g.scope.EffectiveContextTokens) }},
	{"execution.kind", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.scope.Kind) }},
	{"hardware.accelerator", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.scope.Hardware.Accelerator)) }},
	{"hardware.class", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.scope.Hardware.Class) }},
	{"hardware.memoryBytes", func(e *canonical.Encoder, g *group) { encodeCount(e, g.scope.Hardware.MemoryBytes) }},
	{"model.quantization", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.model.Quantization)) }},
	{"model.revision", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.model.Revision)) }},
	{"runtime.id", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.scope.Runtime.ID) }},
	{"runtime.version", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.scope.Runtime.Version)) }},
	{"sourceClass", func(e *canonical.Encoder, g *group) { e.Text(sourceNames[bits.TrailingZeros8(uint8(g.party))]) }},
	{"task.evaluator.id", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.evaluator.ID) }},
	{"task.evaluator.version", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.evaluator.Version)) }},
	{"task.family", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.family) }},
	{"task.suite", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.suite) }},
	{"toolSurface", func(e *canonical.Encoder, g *group) {
		if g.scope.ToolSurface == nil {
			e.Raw(`null`)
			return
		}
		e.Texts(g.scope.ToolSurface)
	}},
	{"workflow.condition", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.scope.Workflow.Condition)) }},
	{"workflow.id", func(e *canonical.Encoder, g *group) { e.TextOrNull(g.scope.Workflow.ID) }},
	{"workflow.version", func(e *canonical.Encoder, g *group) { e.TextOrNull(string(g.scope.Workflow.Version)) }},
}

func encodeCount(e *canonical.Encoder, c record.Count) {
	if !c.Known {
		e.Raw(`null`)
		return
	}
	e.Uint(c.N)
}

// differing is a dimension in which the groups of a cell are not all equal, with the values, as
// canonical JSON.
type differing struct {
	dimension string
	values    []string
}

// differing returns the dimensions in which the groups of a cell, or of its first term that is
// ambiguous, differ.
func (w *writer) differing(c *cell) (list []differing) {
	if i := slices.IndexFunc(c.terms, func(t cell) bool { return t.status == ambiguous }); i >= 0 {
		c = &c.terms[i]
	}
	var groups []int32
	for _, observation := range c.observations {
		groups = append(groups, w.model.observations[observation].group)
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	for i := range groupDimensions {
		if values := w.groupValues(groups, groupDimensions[i].encode); len(values) > 1 {
			list = append(list, differing{groupDimensions[i].name, values})
		}
	}
	return list
}

// ambiguity writes the member of that name.
func (w *writer) ambiguity(c *cell) {
	w.Raw(`"ambiguity":[`)
	for i, d := range w.differing(c) {
		separate(&w.Encoder, i)
		w.Raw(`{"dimension":"` + d.dimension + `","values":[`)
		for i, v := range d.values {
			separate(&w.Encoder, i)
			w.Raw(v)
		}
		w.Raw(`]}`)
	}
	w.Raw(`]`)
}

// groupValues returns the distinct values that groups have in a dimension, as
// canonical JSON and ordered by it.
func (w *writer) groupValues(groups []int32, encode func(*canonical.Encoder, *group)) (values []string) {
	distinct := map[string]bool{}
	var e canonical.Encoder
	for _, number := range groups {
		e.Buf = e.Buf[:0]
		encode(&e, &w.model.groups[number])
		if !distinct[string(e.Buf)] {
			distinct[string(e.Buf)] = true
			values = append(values, string(e.Buf))
		}
	}
	slices.SortFunc(values, canonical.CompareText)
	return values
}
