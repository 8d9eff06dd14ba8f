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

// Explain ranks a request and explains how a candidate came out by the rules of its version: see
// [Ranking.Explain].
func (k *Ranker) Explain(ctx context.Context, q *Request, candidate string) (*Explanation, error) {
	r, err := k.Rank(ctx, q, 0)
	if err != nil {
		return nil, err
	}
	return r.Explain(ctx, candidate)
}

// Explain explains how a candidate came out. An error is an *UnknownCandidateError or
// that of the context, which is looked at between criteria.
func (r *Ranking) Explain(ctx context.Context, id string) (*Explanation, error) {
	number, found := slices.BinarySearchFunc(r.request.candidates, id, func(c record.CandidateV2, id string) int {
		return canonical.CompareText(c.ID, id)
	})
	if !found {
		var ids []string
		for i := range r.request.candidates {
			ids = append(ids, r.request.candidates[i].ID)
		}
		return nil, &UnknownCandidateError{id, spelling.Nearest(id, ids)}
	}
	c := &r.request.candidates[number]
	x := &Explanation{
		SchemaVersion: ExplanationSchema,
		Catalog:       record.CatalogReference{Digest: r.ranker.digest, AsOf: record.Timestamp(r.ranker.asOf)},
		Request:       RequestID{SHA256: canonical.Sum([]byte(r.request.JSON()))},
		Candidate:     *c,
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
	case byEvidence:
		p.Excluded, p.Coverage = &exclusionNames[byEvidence], &r.coverage[number]
		return p
	}
	p.Rank, p.Score = new(uint64(slices.Index(r.ranked, number)+1)), &r.scores[number]
	if r.request.IsEarlier() {
		return p
	}
	p.Coverage, p.RankInterval, p.AmongBest = &r.coverage[number], r.exportRankInterval(number), r.isAmongBest(number)
	if i := r.scoreInterval(number); i.Known {
		p.ScoreInterval = &Interval{Low: i.Low, High: i.High}
	}
	return p
}

func (r *Ranking) exportRankInterval(number int) *record.RankInterval {
	low, high := r.rankInterval(number)
	return &record.RankInterval{Low: low, High: high}
}

// isAmongBest reports whether no candidate is shown to be better, nil if nothing is known.
func (r *Ranking) isAmongBest(number int) *bool {
	if !r.compared[number] {
		return nil
	}
	return new(r.better[number] == 0)
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
	case role == preference && outcome.numeric() && !outcome.scored && !c.isShown(): // excluded by coverage
	case isJudged:
		x.Code = record.Text(noteNames[c.code(outcome)])
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
		m, ofTerm := c.sum[i].measure, &outcome.terms[i]
		if c.sum[i].prices != nil {
			m.key = c.sum[i].prices[ofTerm.price]
		}
		x := explainCell(c, &m, ofTerm)
		e.entries(&x, &m, ofTerm)
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
		x.Value, x.Unit, x.Estimate = new(cell.Scalar()), record.Text(cell.unit), cell.exportEstimate()
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
		ObservationID: o.source.ID(), Value: m.Scalar(), Unit: record.Text(m.Unit), Use: useNames[u],
		Differing:  namesOf(dimensionNames, uint32(e.match(i).differing)),
		ObservedAt: string(rec.Freshness.ObservedAt), ValidUntil: record.Text(rec.Freshness.ValidUntil),
		SourceClass: rec.SourceClass,
	}
	if t := &rec.Task; t.Family != "" {
		x.Task = &MeasuredTask{RankTask: Task{Family: record.Text(t.Family), Suite: record.Text(t.Suite),
			TaskID: record.Text(t.TaskID)}, Evaluator: t.Evaluator}
	}
	for i := range rec.Evidence {
		v := &rec.Evidence[i]
		x.Evidence = append(x.Evidence, ShownEvidence{ID: v.ID, URI: record.Text(v.URI), SHA256: record.Text(v.Digest.Value)})
	}
	return x
}

// exportEstimate returns the estimate as documents have it, nil if there is none.
func (c *cell) exportEstimate() *Estimate {
	e := &c.estimate
	if !c.numeric() {
		return nil
	}
	x := &Estimate{
		Value: c.Number, Unit: record.Text(c.unit), Basis: e.basis.String(), Tasks: uint64(e.tasks),
		Own: uint64(e.own), Public: uint64(e.public),
	}
	if e.isKnown() {
		x.Low, x.High = &e.low, &e.high
	}
	if e.trials > 0 {
		x.Trials, x.Size = &e.trials, record.Text(sizeNames[e.size-1])
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
		member("criteria", func(t *Explanation) *[]ExplainedCriterion { return &t.Criteria },
			listOf(objectOf(explainedShape))),
	)
	explainedShape = ijson.TaggedShape(
		member("code", func(t *ExplainedCriterion) *record.Text { return &t.Code }, func(r *ijson.Reader) record.Text {
			if r.Null() {
				return ""
			}
			return record.Text(r.Enum(reasonCodes...))
		}),
		member("estimate", func(t *ExplainedCriterion) **Estimate { return &t.Estimate }, readEstimate),
		member("entries", func(t *ExplainedCriterion) *[]Entry { return &t.Entries }, listOf(objectOf(entryShape))),
	)
	entryShape = ijson.TaggedShape(
		member("differing", func(t *Entry) *[]string { return &t.Differing }, listOf(oneOf(dimensionNames...))),
	)
)
