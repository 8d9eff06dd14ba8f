package v3

import "github.com/model-catalog-service/svc/service/record"

// This file gives what a ranking decided as documents have it.

// Frontier returns whom nobody beats in score and cost at once, the best first.
func (r *Ranking) Frontier() []FrontierStep { return r.outcome().Frontier }

// outcome returns the members of a result that are not about one candidate.
func (r *Ranking) outcome() *Result {
	o := &Result{Target: r.targetName(), Statistics: Statistics{Confidence: r.request.confidence},
		Frontier: []FrontierStep{}, Flips: []Flip{}}
	if n := len(r.ranked); n > 1 {
		o.Statistics.ComparisonConfidence = record.NewFloat(comparisonLevel(r.request.confidence, n))
	}
	d := r.decision
	if d == nil {
		return o
	}
	o.Choice = r.exportChoice(d)
	id := func(candidate int) string { return r.request.candidates[candidate].ID }
	for i, s := range d.frontier {
		usd, _ := r.costOf(s.candidate)
		step := FrontierStep{CandidateID: id(s.candidate), Score: r.scores[s.candidate], Cost: usd}
		if i < len(d.frontier)-1 && s.isCompared {
			step.IsStepShown = &d.frontier[i].isShown
		}
		o.Frontier = append(o.Frontier, step)
	}
	for _, f := range d.flips {
		o.Flips = append(o.Flips, Flip{Kind: flipNames[f.kind], Criterion: record.Text(f.criterion),
			CandidateID: id(f.candidate), From: f.from, To: f.to})
	}
	if n := d.next; n != nil {
		o.Next = &NextMeasurement{Criterion: n.criterion, Candidates: []string{id(n.candidates[0]), id(n.candidates[1])},
			Count: uint64(n.questions), Of: "questions"}
		if n.isTasks {
			o.Next.Of = "tasks"
		}
	}
	return o
}

func (r *Ranking) exportChoice(d *decision) *Choice {
	c := &Choice{
		CandidateID: r.request.candidates[d.chosen].ID, Best: r.request.candidates[d.best].ID,
		Below: r.scores[d.best] - r.scores[d.chosen],
	}
	if q := r.request.choice; q != nil {
		c.Within, c.By = q.within, record.Text(q.by)
	}
	if d.chosen == d.best {
		return c
	}
	if d.comparison.known {
		c.IsToldApart = new(d.comparison.isShown() && d.comparison.difference > 0)
	}
	if d.comparison.shared > 0 {
		c.Shared = record.NewCount(uint64(d.comparison.shared))
	}
	dear, isKnown := r.costOf(d.best)
	cheap, isKnownToo := r.costOf(d.chosen)
	if isKnown && isKnownToo && dear > 0 {
		c.Saves = &Saving{USDPerTask: dear - cheap, Share: (dear - cheap) / dear}
	}
	return c
}

// targetName says what the intervals of the preferences that count are about.
func (r *Ranking) targetName() string {
	name := "none"
	for _, i := range r.ranked {
		for k, cells := 0, r.cellsOf(i, preference); k < len(cells); k++ {
			e := &cells[k].estimate
			if !cells[k].scored || e.basis != benchmarkBasis && e.basis != tasksBasis && e.basis != publishedBasis {
				continue
			}
			of := targetNames[0]
			if e.basis == tasksBasis {
				of = targetNames[1]
			}
			if name != "none" && name != of {
				return "mixed"
			}
			name = of
		}
	}
	return name
}

// exportCost returns what a task costs at a candidate, nil if that is not known.
func (r *Ranking) exportCost(candidate int) *Cost {
	usd, ok := r.costOf(candidate)
	if !ok {
		return nil
	}
	c := &Cost{USDPerTask: usd}
	for k, cells := 0, r.cellsOf(candidate, tieBreaker); k < len(cells); k++ {
		if r.request.criteria[tieBreaker][k].id == CostID && cells[k].isContested {
			c.Lowest = record.NewFloat(cells[k].lowest)
		}
	}
	if r.request.cost != nil {
		c.USDTotal = r.request.cost.totalOf(usd)
	}
	return c
}
