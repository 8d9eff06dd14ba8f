package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/compare"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file finds the points of a plot.

// axis is a number that a plot is of.
type axis struct {
	Key         string `json:"key"`
	Family      string `json:"family"`      // of tasks; empty: all
	Aggregation string `json:"aggregation"` // mean, min, max or fact
}

func (a axis) series() series {
	return series{key: a.Key, family: a.Family, aggregation: a.Aggregation}
}

// plotQuestion is what a plot is asked for. Lend is how scores are carried over to candidates that
// they were not measured of: offers to those of sellers, none not at all, all to any execution, and
// empty to offers where nothing else has both numbers.
type plotQuestion struct {
	X    axis   `json:"x"`
	Y    axis   `json:"y"`
	Lend string `json:"lend"`
}

// plot is the points, and who has none.
type plot struct {
	Points []*point  `json:"points"`
	Left   []leftOut `json:"left"`
	Total  int       `json:"total"`          // candidates
	Lent   []string  `json:"lent,omitempty"` // the harnesses that scores were measured with which are lent to offers
}

// point is a candidate, or offers of a model with the same numbers under one condition.
type point struct {
	ID        string       `json:"id"`  // of the first
	Key       string       `json:"key"` // of the model
	Model     record.Model `json:"model"`
	Where     []string     `json:"where"` // executions in words, of each
	Runtimes  []string     `json:"runtimes"`
	Condition record.Text  `json:"condition"`
	IsOffer   bool         `json:"offer"`
	X         value        `json:"x"`
	Y         value        `json:"y"`
	Lent      bool         `json:"lent"`
}

type value struct {
	Value    float64      `json:"value"`
	Unit     record.Text  `json:"unit"`
	Estimate *v3.Estimate `json:"estimate"`
}

// leftOut is why candidates have no point.
type leftOut struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	Names  []string `json:"names"` // of the first
}

// plot answers a plot question.
func (a *answerer) plot(ctx context.Context, body string) ([]byte, error) {
	var q plotQuestion
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, fault("is no question of a plot: " + err.Error())
	}
	p, err := newPlot(ctx, a.ranker, a.index, &q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

func newPlot(ctx context.Context, ranker *v3.Ranker, x *index, q *plotQuestion) (*plot, error) {
	if !slices.Contains([]string{"", "offers", "none", "all"}, q.Lend) || q.X.Key == "" || q.Y.Key == "" {
		return nil, fault("must name two keys, and how to lend: offers, none, all or nothing")
	}
	c, names := ranker.Catalog(), []string{q.X.Key, q.Y.Key}
	p := &plot{Points: []*point{}, Left: []leftOut{}}
	list := []series{q.X.series(), q.Y.series()}
	var candidates []compare.Candidate
	switch {
	case q.Lend == "all":
		for i := range list {
			list[i].transfer = []string{"execution"}
		}
	case q.Lend != "none":
		p.Lent = harnessesOf(c, x.byName(), names, q.Lend == "offers")
	}
	if p.Lent != nil {
		candidates = compare.Offers(c, names)
		list[0], list[1] = list[0].lent(), list[1].lent()
	} else {
		candidates = compare.Candidates(c, names)
	}
	cells, err := measureBoth(ctx, ranker, x.byName(), candidates, list)
	if err != nil {
		return nil, err
	}
	isLent := func(int) bool { return p.Lent != nil }
	if q.Lend == "all" { // what candidates have of their own is not lent
		own, err := measureBoth(ctx, ranker, x.byName(), candidates, []series{q.X.series(), q.Y.series()})
		if err != nil {
			return nil, err
		}
		isLent = func(i int) bool { return own[i][0].Status != statusPresent || own[i][1].Status != statusPresent }
	}
	p.fill(x, candidates, cells, names, isLent)
	if len(p.Points) == 0 && q.Lend == "" && p.Lent == nil { // they are known of one place, but hold in none
		again, err := newPlot(ctx, ranker, x, &plotQuestion{q.X, q.Y, "offers"})
		if err != nil || again.Lent != nil {
			return again, err
		}
	}
	return p, nil
}

// measureBoth measures what candidates have of two series. Those whose model lacks one of the keys
// are many, and not asked about.
func measureBoth(ctx context.Context, ranker *v3.Ranker, rows map[string]*row, candidates []compare.Candidate,
	list []series) ([][2]measured, error) {
	cells := make([][2]measured, len(candidates))
	var some []compare.Candidate
	var places []int
	for i := range candidates {
		isWhole := true
		for k := range list {
			switch c := rows[candidates[i].Model.Name()].Cells[list[k].key]; {
			case c == nil:
				cells[i][k].Status, isWhole = "missing", false
			case c.N == 0:
				cells[i][k].Status, isWhole = "stale", false
			default:
				cells[i][k].Status = statusPresent
				cells[i][k].Value.Kind = '0' // unless it is asked
			}
		}
		if isWhole {
			some, places = append(some, candidates[i]), append(places, i)
		}
	}
	return cells, measure(ctx, ranker, some, list, func(candidate, k int, v measured) { cells[places[candidate]][k] = v })
}

// fill makes the points of what candidates have.
func (p *plot) fill(x *index, candidates []compare.Candidate, cells [][2]measured, names []string,
	isLent func(candidate int) bool) {
	p.Total = len(candidates)
	same, left, rows := map[string]*point{}, map[string]int{}, x.byName()
	for i := range candidates {
		c := &candidates[i]
		reason := reasonOf(&cells[i], names)
		if mode := rows[c.Model.Name()].otherMode(); reason == "" && mode != "" {
			reason = "no model to chat with: " + mode
		}
		if reason != "" {
			at, isKnown := left[reason]
			if !isKnown {
				at = len(p.Left)
				left[reason] = at
				p.Left = append(p.Left, leftOut{Reason: reason, Names: []string{}})
			}
			const most = 500
			if p.Left[at].Count++; len(p.Left[at].Names) < most {
				p.Left[at].Names = append(p.Left[at].Names, c.Model.Name()+" on "+runsText(&c.Execution))
			}
			continue
		}
		across, up := valueOf(&cells[i][0]), valueOf(&cells[i][1])
		runs := runsText(&c.Execution)
		name := fmt.Sprintf("%s\n%s\n%v\n%v", c.Model.Name(), c.Execution.Workflow.Condition, across.Value, up.Value)
		if before := same[name]; c.IsOffer && before != nil {
			before.Where, before.Runtimes = append(before.Where, runs), append(before.Runtimes, c.Execution.Runtime.ID)
			continue
		}
		one := &point{ID: c.ID, Key: rows[c.Model.Name()].Key, Model: c.Model, Where: []string{runs},
			Runtimes: []string{c.Execution.Runtime.ID}, Condition: c.Execution.Workflow.Condition, IsOffer: c.IsOffer,
			X: across, Y: up, Lent: isLent(i)}
		same[name] = one
		p.Points = append(p.Points, one)
	}
	slices.SortStableFunc(p.Left, func(a, b leftOut) int { return b.Count - a.Count })
}

// runsText says how a candidate is run, without the workflow of nobody else.
func runsText(p *record.Profile) string {
	own := *p
	if own.Workflow.ID == record.OwnWorkflow {
		own.Workflow.ID = ""
	}
	return compare.Runs(record.Scope{Profile: own})
}

// otherMode is how a model is called that nobody can chat with, such as embedding, else nothing.
func (r *row) otherMode() string {
	c := r.Cells[record.OfferMode]
	if c == nil || len(c.Texts) == 0 {
		return ""
	}
	for _, mode := range c.Texts {
		if slices.Contains([]string{"chat", "responses", "completion"}, mode.Text) {
			return ""
		}
	}
	return c.Texts[0].Text
}

func valueOf(m *measured) value { return value{m.Value.Float(), m.Unit, m.Estimate} }

// reasonOf says why a candidate has no point, nothing if it has one.
func reasonOf(cells *[2]measured, names []string) string {
	words := map[string]string{"stale": "expired: ", "conflict": "contradictory: ",
		"incomparable": "measured under another execution, or in several units: ", "ambiguous": "several sources differ on "}
	var reasons []string
	for k := range cells {
		reason := ""
		switch status := cells[k].Status; {
		case status == statusPresent && cells[k].Value.Kind == '0':
			continue
		case status == statusPresent:
			reason = names[k] + " is not a number"
		case words[status] == "":
			reason = "no evidence for " + names[k]
		default:
			reason = words[status] + names[k]
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// plotsOf are the plots of a report: of the pairs that most models have.
func plotsOf(ctx context.Context, ranker *v3.Ranker, x *index) (map[string]*plot, error) {
	plots := map[string]*plot{}
	for _, pair := range x.Pairs[:min(len(x.Pairs), reportPlots)] {
		p, err := newPlot(ctx, ranker, x, &plotQuestion{X: x.axis(pair.X), Y: x.axis(pair.Y)})
		if err != nil {
			return nil, err
		}
		plots[pair.X+" "+pair.Y] = p
	}
	return plots, nil
}

// reportPlots is how many plots a report has.
const reportPlots = 12

// axis is a key as a plot takes it at first.
func (x *index) axis(key string) axis {
	for _, k := range x.Keys {
		if k.Key == key && k.Fact {
			return axis{Key: key, Aggregation: string(record.Fact)}
		}
	}
	return axis{Key: key, Aggregation: "mean"}
}

// fault refuses what the page was asked.
func fault(reason string) error { return &badQuestion{reason} }

type badQuestion struct{ reason string }

func (e *badQuestion) Error() string { return e.reason }

func isBadQuestion(err error) bool {
	_, ok := errors.AsType[*badQuestion](err)
	return ok
}
