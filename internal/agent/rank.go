package agent

import (
	"context"
	"encoding/json"
	"errors"
	"github.com/model-catalog-service/svc/internal/ijson"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the tools that answer rank requests: rank, explain and diff.

// baseline is a catalog that is compared with.
type baseline struct {
	catalog *catalog.Catalog
	ranker  func() (*v3.Ranker, error)
	index   *index
}

// shortRanking is a result in short.
type shortRanking struct {
	Answer     *v3.Answer  `json:"answer"` // null before version 3
	Catalog    reference   `json:"catalog"`
	Ranked     []place     `json:"ranked"`
	Excluded   []excluded  `json:"excluded"`
	SHA256     string      `json:"sha256"` // of the whole result
	NextCursor record.Text `json:"nextCursor"`
	Notes      []string    `json:"notes,omitempty"`
}

// place is a ranked candidate.
type place struct {
	CandidateID string `json:"candidateId"`
	run
	Rank         int                  `json:"rank"`
	RankInterval *record.RankInterval `json:"rankInterval"` // null before version 3
	Score        record.Float         `json:"score"`
	Because      []because            `json:"because"`
}

// because is what one criterion did for a candidate. Low and high are the ends of the
// interval that the value lies in, where that is known.
type because struct {
	Criterion    string         `json:"criterion"`
	Value        *record.Scalar `json:"value"`
	Unit         record.Text    `json:"unit"`
	Low          record.Float   `json:"low"`
	High         record.Float   `json:"high"`
	Contribution record.Float   `json:"contribution"`
}

// excluded is a candidate that is not ranked, with the reasons.
type excluded struct {
	CandidateID string `json:"candidateId"`
	run
	Because []string `json:"because"`
}

func (a *Agent) rank(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Request json.RawMessage
		Full    bool
		Limit   *whole
		Cursor  string
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	q, err := a.readRequest(in.Request)
	if err != nil {
		return nil, err
	}
	usual := 128 // of a request, which names them
	if q.runs != nil {
		usual = 10
	}
	limit, err := within(in.Limit, usual)
	if err != nil {
		return nil, err
	}
	const most = 16 << 20 // bytes of a result that is told in short
	ranker, err := a.ranker()
	if err != nil {
		return nil, err
	}
	result, err := ranker.Rank(ctx, q.Request, most)
	var text []byte
	if err == nil {
		text, err = result.AppendJSON(nil, most)
	}
	if _, isTooLarge := errors.AsType[*rank.TooLargeError](err); isTooLarge {
		return nil, tooLarge(most, "name fewer candidates or criteria")
	} else if err != nil {
		return nil, err
	}
	if in.Full {
		if len(text) > MaxAnswer {
			return nil, tooLarge(len(text), "leave full out, or name fewer candidates")
		}
		return json.RawMessage(text), nil
	}
	list := shortPlaces(result, q.runs)
	sum := canonical.Sum(text)
	p, err := cut(list, in.Cursor, limit, sum)
	short := shortRanking{nil, a.reference(), []place{}, []excluded{}, sum, p.next, a.notes(q)}
	for _, item := range p.items {
		switch item := item.(type) {
		case place:
			short.Ranked = append(short.Ranked, item)
		case excluded:
			short.Excluded = append(short.Excluded, item)
		}
	}
	if !result.IsEarlier() {
		short.Answer = new(result.Answer())
	}
	return short, err
}

// shortPlaces returns the candidates of a ranking in short: those that are ranked, then
// those that are excluded, with the reasons.
func shortPlaces(r *v3.Ranking, runs map[string]run) (list []any) {
	criteria := r.Criteria()
	for _, c := range r.Outcomes() {
		if c.Rank == nil {
			list = append(list, excluded{c.CandidateID, runs[c.CandidateID], c.Shortfalls})
			continue
		}
		one := place{CandidateID: c.CandidateID, run: runs[c.CandidateID], Rank: *c.Rank, RankInterval: c.RankInterval,
			Score: c.Score, Because: []because{}}
		for i, cell := range c.Cells {
			of := &criteria[i]
			b := because{Criterion: of.ID, Unit: record.Text(cell.Unit), Contribution: cell.Contribution}
			if b.Criterion == "" { // before version 3
				b.Criterion = of.Role + ":" + of.MeasurementKey
			}
			if cell.Value.Kind != 0 {
				b.Value = &cell.Value
			}
			if e := cell.Estimate; e != nil && e.Low != nil && !r.IsEarlier() {
				b.Low, b.High = record.NewFloat(*e.Low), record.NewFloat(*e.High)
			}
			one.Because = append(one.Because, b)
		}
		list = append(list, one)
	}
	return list
}

// explain gives the record of how a candidate came out.
func (a *Agent) explain(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Request   json.RawMessage
		Candidate string
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	q, err := a.readRequest(in.Request)
	if err != nil {
		return nil, err
	}
	ranker, err := a.ranker()
	if err != nil {
		return nil, err
	}
	x, err := ranker.Explain(ctx, q.Request, in.Candidate)
	if unknown, isUnknown := errors.AsType[*v3.UnknownCandidateError](err); isUnknown {
		return nil, &refusal{unknownName, "$.candidate", unknown.Error()}
	} else if err != nil {
		return nil, err
	}
	text, err := canonical.Marshal(x)
	if err == nil && len(text) > MaxAnswer {
		err = tooLarge(len(text), "leave criteria out of the request, or give them a task or a unit")
	}
	return json.RawMessage(text), err
}

// diff gives the record of what changed since the older catalog. Where it is too long it
// lists less, and counts the rest.
func (a *Agent) diff(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Only    []record.DiffKind
		Model   string
		Request json.RawMessage
		Limit   *whole
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := within(in.Limit, 20)
	if err != nil {
		return nil, err
	}
	for i, kind := range in.Only {
		if !slices.Contains(compare.Kinds(), kind) {
			return nil, &refusal{invalidArgument, "$.only[" + strconv.Itoa(i) + "]",
				"must be conflicts, facts, models, rankings or samples"}
		}
	}
	opts := compare.Options{Only: in.Only, Limit: limit}
	if opts.Model, err = a.changedModel(in.Model); err != nil {
		return nil, err
	}
	var requests []*v3.Request
	if !isAbsent(in.Request) {
		q, err := a.readRequest(in.Request)
		if err != nil {
			return nil, err
		}
		requests = append(requests, q.Request)
	}
	before, err := side(ctx, a.older.catalog, a.older.ranker, requests)
	if err != nil {
		return nil, err
	}
	after, err := side(ctx, a.catalog, a.ranker, requests)
	if err != nil {
		return nil, err
	}
	d, err := ranking.Diff(ctx, before, after, opts)
	if err != nil {
		return nil, err
	}
	text := ijson.MustWriteTagged(d)
	for ; len(text) > MaxAnswer && limit > 0; text = ijson.MustWriteTagged(d) {
		limit /= 2
		compare.Shorten(d, limit)
	}
	if len(text) > MaxAnswer {
		return nil, tooLarge(len(text), "name fewer candidates in the request, or leave it out")
	}
	return json.RawMessage(text), nil
}

// side is a catalog with its answers, if there are requests.
func side(ctx context.Context, c *catalog.Catalog, ranker func() (*v3.Ranker, error),
	requests []*v3.Request) (*ranking.Side, error) {
	if len(requests) == 0 {
		return ranking.NewSide(ctx, c)
	}
	k, err := ranker()
	if err != nil {
		return nil, err
	}
	return ranking.NewRankedSide(ctx, c, k, requests...)
}

// changedModel returns the key of a model that either catalog has, "" for no name.
func (a *Agent) changedModel(name string) (key string, err error) {
	if name == "" {
		return "", nil
	}
	entry, err := a.index.find(name, "$.model")
	if err != nil {
		gone, other := a.older.index.find(name, "$.model")
		if other != nil {
			return "", err
		}
		entry = gone
	}
	return entry.Key, nil
}
