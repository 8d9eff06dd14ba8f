package v3

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// ExplanationSchema is the schema version of an explanation.
const ExplanationSchema = "service.rank.explanation/v1"

// MaxExplainedEntries is how many entries of a criterion an explanation lists.
const MaxExplainedEntries = 32

// Explanation says how one candidate came out, criterion by criterion down to the
// observations that were looked at.
type Explanation struct {
	SchemaVersion string                  `json:"schemaVersion" is:"service.rank.explanation/v1"`
	Catalog       record.CatalogReference `json:"catalog"`
	Request       RequestID               `json:"request"`
	Candidate     record.CandidateV2      `json:"candidate"` // in normal form; its runtime may be null, too
	Placement     Placement               `json:"placement"`
	Criteria      []ExplainedCriterion    `json:"criteria"` // in the order of the request
}

// RequestID names a request.
type RequestID struct {
	SHA256 string `json:"sha256" is:"hash"` // of its normal form
}

// Placement is where the candidate ended. What a request of its version does not
// tell is null, as is all that an excluded candidate has not.
type Placement struct {
	Excluded   *string     `json:"excluded" is:"requirement coverage"` // by requirement or by coverage, or null
	Rank       *uint64     `json:"rank"`
	TieGroup   *uint64     `json:"tieGroup"`
	Score      *float64    `json:"score"`
	Coverage   *float64    `json:"coverage"`
	Comparison *Comparison `json:"comparison"`
}

// ExplainedCriterion is a criterion for the candidate. A sum has no entries; one for
// each of its terms follows it, with the same role and criterion, which has them.
//
// Criteria that the ranking did not come to, since the candidate was excluded before,
// are evaluated all the same: they have a status and no code.
type ExplainedCriterion struct {
	Role           string      `json:"role"` // requirement, preference, tieBreaker or advisory
	Criterion      string      `json:"criterion"`
	MeasurementKey record.Text `json:"measurementKey"` // null for a sum
	Aggregation    record.Text `json:"aggregation"`    // null for a sum
	Status         string      `json:"status"`         // ok, missing, stale, incomparable, ambiguous or conflict
	Code           record.Text `json:"code"`           // of its reason; of an advisory, of its gap
	Value          *Value      `json:"value"`
	Unit           record.Text `json:"unit"`
	Estimate       *Estimate   `json:"estimate"`
	Weight         *float64    `json:"weight"`       // of a preference
	Lowest         *float64    `json:"lowest"`       // the ends of its scale
	Highest        *float64    `json:"highest"`      //
	Normalized     *float64    `json:"normalized"`   // from 0 to 1, if it is scored
	Contribution   *float64    `json:"contribution"` // to the score
	Entries        []Entry     `json:"entries"`      // used ones first, then by id; at most 32
	EntryCount     uint64      `json:"entryCount"`   // how many there are
}

// Entry is a measurement of the criterion's key and kind, of the candidate's model
// id, and of its unit if it names one.
type Entry struct {
	ObservationID string          `json:"observationId" is:"hash"`
	Value         Value           `json:"value"`
	Unit          record.Text     `json:"unit"`
	Use           string          `json:"use"`
	Differing     []string        `json:"differing"` // dimensions
	ObservedAt    string          `json:"observedAt" is:"timestamp"`
	ValidUntil    record.Text     `json:"validUntil" is:"timestamp"` // null: without end
	SourceClass   string          `json:"sourceClass"`
	Task          *MeasuredTask   `json:"task"`
	Evidence      []ShownEvidence `json:"evidence"`
}

// MeasuredTask is what an observation measured, and who judged.
type MeasuredTask struct {
	Task
	Evaluator record.Component `json:"evaluator"`
}

// ShownEvidence is where a value can be seen.
type ShownEvidence struct {
	ID     string      `json:"id"`
	URI    record.Text `json:"uri"`
	SHA256 record.Text `json:"sha256"`
}

// UnknownCandidateError reports a candidate that the request does not have.
type UnknownCandidateError struct {
	ID      string
	Closest []string // the candidates whose ids are most like it, the closest first
}

// Error names the candidate and the closest ones.
func (e *UnknownCandidateError) Error() string {
	var offered []string
	for _, id := range e.Closest {
		offered = append(offered, problem.Clip(id))
	}
	return fmt.Sprintf("the request has no candidate %q", problem.Clip(e.ID)) + spelling.Offer(offered)
}

// Explain explains how a candidate came out. An error is an *UnknownCandidateError or
// that of the context, which is looked at between criteria.
func (r *Ranking) Explain(ctx context.Context, id string) (*Explanation, error) {
	number, found := slices.BinarySearchFunc(r.request.candidates, id, func(c candidate, id string) int {
		return canonical.CompareText(c.id, id)
	})
	if !found {
		var ids []string
		for i := range r.request.candidates {
			ids = append(ids, r.request.candidates[i].id)
		}
		return nil, &UnknownCandidateError{id, spelling.Nearest(id, ids)}
	}
	c := &r.request.candidates[number]
	x := &Explanation{
		SchemaVersion: ExplanationSchema,
		Catalog:       record.CatalogReference{Digest: r.ranker.digest, AsOf: record.Timestamp(r.ranker.asOf)},
		Request:       RequestID{cmp.Or(r.request.sha256, canonical.Sum([]byte(r.request.JSON())))},
		Candidate:     record.CandidateV2{ID: c.id, Model: c.model, Execution: c.execution},
		Placement:     r.placement(number),
		Criteria:      []ExplainedCriterion{},
	}
	e := explainer{newEvaluation(r.ranker, r.request), catalog.NewRecordReader()}
	e.begin(c)
	for role := range roles {
		for i := range r.request.criteria[role] {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x.Criteria = append(x.Criteria, e.criterion(r, number, role, i)...)
		}
	}
	return x, nil
}

func (r *Ranking) placement(number int) (p Placement) {
	switch r.exclusions[number] {
	case byRequirement:
		p.Excluded = &exclusionNames[byRequirement]
		return p
	case byCoverage:
		p.Excluded, p.Coverage = &exclusionNames[byCoverage], &r.coverage[number]
		return p
	}
	p.Rank, p.Score = new(uint64(slices.Index(r.ranked, number)+1)), &r.scores[number]
	if r.request.mixes {
		return p
	}
	p.TieGroup, p.Coverage = new(uint64(r.tieGroups[number])), &r.coverage[number]
	if c := &r.comparisons[number]; c.outcome != 0 {
		p.Comparison = &Comparison{
			Leader: r.request.candidates[c.leader].id, Difference: c.difference, Outcome: outcomeNames[c.outcome-1],
			Paired: r.preferenceIDs(c.paired), Unknown: r.preferenceIDs(c.unknown),
		}
		if c.hasMargin() {
			p.Comparison.StandardError, p.Comparison.Margin = &c.standardError, &c.margin
		}
	}
	return p
}

func (r *Ranking) preferenceIDs(numbers []int) []string {
	ids := []string{}
	for _, number := range numbers {
		ids = append(ids, r.request.criteria[preference][number].id)
	}
	return ids
}

// explainer explains the criteria of one candidate.
type explainer struct {
	*evaluation
	reader *catalog.RecordReader
}

// criterion explains a criterion, and after it the terms of a sum.
func (e *explainer) criterion(r *Ranking, candidate int, role role, i int) []ExplainedCriterion {
	c, outcome := &r.request.criteria[role][i], &r.cellsOf(candidate, role)[i]
	isJudged := r.isEvaluated(candidate, role)
	if !isJudged {
		outcome = &cell{}
		e.evaluate(c, outcome)
	}
	x := explainCell(c, &c.measure, outcome)
	switch {
	case role == preference && outcome.numeric() && !outcome.scored: // excluded by coverage
	case isJudged && role != advisory:
		x.Code = record.Text(noteNames[outcome.code(role)])
	case isJudged && outcome.status != ok:
		x.Code = record.Text(noteNames[advisoryCodes[outcome.status]])
	}
	if role == preference {
		x.Weight = &c.weight
		if ends := &r.ends[i]; ends.known {
			x.Lowest, x.Highest = &ends.low, &ends.high
		}
		if outcome.scored {
			x.Normalized, x.Contribution = &outcome.normalized, &outcome.contribution
		}
	}
	if c.sum == nil {
		e.entries(&x, &c.measure, outcome)
		return []ExplainedCriterion{x}
	}
	list := []ExplainedCriterion{x}
	for i := range c.sum {
		m, ofTerm := &c.sum[i].measure, &outcome.terms[i]
		x := explainCell(c, m, ofTerm)
		e.entries(&x, m, ofTerm)
		list = append(list, x)
	}
	return list
}

// explainCell explains what came of a criterion or a term of it.
func explainCell(c *criterion, m *measure, cell *cell) ExplainedCriterion {
	x := ExplainedCriterion{
		Role: roleNames[c.role], Criterion: c.id, MeasurementKey: record.Text(m.key), Status: statusNames[cell.status],
		Entries: []Entry{},
	}
	if m.aggregation != 0 {
		x.Aggregation = record.Text(m.aggregation.String())
	}
	if cell.status == ok {
		x.Value, x.Unit, x.Estimate = &Value{cell.Scalar()}, record.Text(cell.unit), cell.exportEstimate()
	}
	return x
}

// entries lists the measurements that a measure looked at, those that it used first.
func (e *explainer) entries(x *ExplainedCriterion, m *measure, cell *cell) {
	type entry struct {
		position int32
		use      use
	}
	e.turnTo(m)
	var list []entry
	for i := range int32(len(e.series)) {
		u := e.use(i)
		if _, isUsed := slices.BinarySearch(cell.observations, e.series[i].Observation); u == used && !isUsed {
			u = overruled
		}
		if u != otherUnit {
			list = append(list, entry{i, u})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(min(a.use, 1), min(b.use, 1)) })
	x.EntryCount = uint64(len(list))
	for _, n := range list[:min(len(list), MaxExplainedEntries)] {
		x.Entries = append(x.Entries, e.entry(n.position, n.use))
	}
}

func (e *explainer) entry(i int32, u use) Entry {
	o, m := e.observation(i), &e.series[i]
	rec := e.reader.Read(o.source)
	x := Entry{
		ObservationID: o.source.ID(), Value: Value{m.Scalar()}, Unit: record.Text(m.Unit), Use: useNames[u],
		Differing:  namesOf(dimensionNames, uint32(e.match(i).differing)),
		ObservedAt: string(rec.Freshness.ObservedAt), ValidUntil: record.Text(rec.Freshness.ValidUntil), SourceClass: rec.SourceClass,
	}
	if t := &rec.Task; t.Family != "" {
		x.Task = &MeasuredTask{
			Task{record.Text(t.Family), record.Text(t.Suite), record.Text(t.TaskID)},
			t.Evaluator,
		}
	}
	for i := range rec.Evidence {
		v := &rec.Evidence[i]
		x.Evidence = append(x.Evidence, ShownEvidence{v.ID, record.Text(v.URI), record.Text(v.Digest.Value)})
	}
	return x
}

// exportEstimate returns the estimate as documents have it, nil if there is none.
func (c *cell) exportEstimate() *Estimate {
	e := &c.estimate
	if !c.numeric() {
		return nil
	}
	x := &Estimate{Value: c.Number, Unit: record.Text(c.unit), N: e.n, Method: e.method.String()}
	if e.clusters > 0 {
		x.Clusters = new(uint64(e.clusters))
	}
	if e.known() {
		x.StandardError, x.Low, x.High = &e.standardError, &e.low, &e.high
	}
	return x
}

// ReadExplanation reads an explanation strictly: which members there are, what kind of
// value and which word each may have. Faults have no code. They are all of the source,
// in order, each with the place where it stands.
func ReadExplanation(source problem.Source) (*Explanation, error) {
	return readDocumentOf(source, explanationShape)
}

var (
	explanationShape = ijson.TaggedShape(
		member("candidate", func(t *Explanation) *record.CandidateV2 { return &t.Candidate }, objectOf(ijson.TaggedShape(
			member("execution", func(t *record.CandidateV2) *record.Profile { return &t.Execution }, catalog.ReadOpenProfile)))),
		member("criteria", func(t *Explanation) *[]ExplainedCriterion { return &t.Criteria }, listOf(objectOf(explainedShape))),
	)
	explainedShape = ijson.TaggedShape(
		member("role", func(t *ExplainedCriterion) *string { return &t.Role }, oneOf(roleNames...)),
		member("aggregation", func(t *ExplainedCriterion) *record.Text { return &t.Aggregation }, nameOrNull(aggregationNames)),
		member("status", func(t *ExplainedCriterion) *string { return &t.Status }, oneOf(statusNames...)),
		member("code", func(t *ExplainedCriterion) *record.Text { return &t.Code }, nameOrNull(noteNames[:anotherDimension])),
		member("estimate", func(t *ExplainedCriterion) **Estimate { return &t.Estimate }, nullable(readEstimate)),
		member("entries", func(t *ExplainedCriterion) *[]Entry { return &t.Entries }, listOf(objectOf(entryShape))),
	)
	entryShape = ijson.TaggedShape(
		member("use", func(t *Entry) *string { return &t.Use }, oneOf(useNames...)),
		member("differing", func(t *Entry) *[]string { return &t.Differing }, listOf(oneOf(dimensionNames...))),
		member("sourceClass", func(t *Entry) *string { return &t.SourceClass }, oneOf(sourceNames...)),
	)
)
