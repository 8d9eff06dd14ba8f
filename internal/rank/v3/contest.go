package v3

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/service/record"
)

// This file is about prices that lists contradict each other about. A request says with the step
// highest that the highest of them counts, so that nobody pays more than svc said. Of
//
//	kimi at deepinfra    models-dev $2, litellm-prices $1
//	glm at zai           $1.50
//
// glm is then the cheapest. The ranking also asks each list that contradicts another one: whom
// would I take if that list were right wherever they disagree? By litellm-prices it is kimi, and
// the answer says so. Where all lists lead to the same candidate, the answer says between which
// prices it lies.

// keepHighest keeps the facts with the highest number and, before that, those of the list that is
// taken to be right. Facts that are not all numbers of one unit stay.
func (v *evaluation) keepHighest() {
	first := &v.series[v.used[0]]
	if slices.ContainsFunc(v.used, func(i int32) bool {
		return v.series[i].Kind != '0' ||
			v.series[i].Unit != first.Unit
	}) {
		return
	}
	v.contest, v.lowest = true, math.Inf(1)
	isOfList := func(i int32) bool { return v.listOf(i) == v.list }
	for _, i := range v.used {
		v.lowest = min(v.lowest, v.series[i].Number)
		if v.contested != nil {
			v.contested[v.listOf(i)] = true
		}
	}
	if v.list != "" && slices.ContainsFunc(v.used, isOfList) {
		v.filter(isOfList)
	}
	most := math.Inf(-1)
	for _, i := range v.used {
		most = max(most, v.series[i].Number)
	}
	v.filter(func(i int32) bool { return v.series[i].Number == most })
}

// listOf returns the list that states a measurement: what the id of its evidence begins with, as in
// models-dev:openrouter/z-ai/glm-5#price.input.
func (v *evaluation) listOf(i int32) string {
	numbers := v.model.Evidence.Numbers(v.series[i].Observation)
	if len(numbers) == 0 {
		return ""
	}
	list, _, _ := strings.Cut(v.model.Evidence.Texts[numbers[0]], ":")
	return list
}

// listChoice is whom a list chooses; -1 is nobody.
type listChoice struct {
	list   string
	chosen int
	usd    float64
	priced bool
}

// askLists finds out whom each list chooses that contradicts another one. It returns nothing if all
// choose who was chosen.
func (r *Ranking) askLists(ctx context.Context, lists map[string]bool) (list []listChoice, err error) {
	chosen, matters := -1, false
	if r.decision != nil {
		chosen = r.decision.chosen
	}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		other := newRanking(r.ranker, r.request)
		v := newEvaluation(r.ranker, r.request)
		v.list = name
		if err := other.evaluate(ctx, v, 0); err != nil {
			return nil, err
		}
		c := listChoice{list: name, chosen: -1}
		if len(other.ranked) > 0 {
			c.chosen = other.ranked[0]
			if r.request.choice != nil {
				c.chosen = other.chooseWithin(r.request.choice.within)
			}
			c.usd, c.priced = other.costOf(c.chosen)
		}
		matters = matters || c.chosen != chosen
		list = append(list, c)
	}
	if !matters {
		return nil, nil
	}
	return list, nil
}

// exportLists returns whom each list chooses, as results have it.
func (r *Ranking) exportLists() []record.ListChoice {
	list := []record.ListChoice{}
	for _, c := range r.lists {
		choice := record.ListChoice{List: c.list}
		if c.chosen >= 0 {
			choice.CandidateID = record.Text(r.request.candidates[c.chosen].ID)
		}
		list = append(list, choice)
	}
	return list
}

// disagreement says whom each list chooses, if that matters.
func (s *speaker) disagreement() string {
	var parts []string
	for _, c := range s.lists {
		text := "by " + c.list + " "
		switch {
		case c.chosen < 0:
			text += "there is none"
		case c.priced:
			text += s.where(c.chosen) + ", at " + s.dollars(c.usd) + " a task"
		default:
			text += s.where(c.chosen)
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "Lists disagree about prices, and that decides the choice: " + strings.Join(parts, "; ") + "."
}

// where names a candidate and where it runs.
func (s *speaker) where(candidate int) string {
	c := &s.request.candidates[candidate]
	if c.Execution.Runtime.ID == "" {
		return c.ID
	}
	return c.ID + " on " + c.Execution.Runtime.ID
}

// span says between which amounts the cost of a task, or a price that is preferred, lies by the
// lists.
func (s *speaker) span(candidate int) (list []string) {
	for _, role := range []role{tieBreaker, preference} {
		for k, cells := 0, s.cellsOf(candidate, role); k < len(cells); k++ {
			c, cell := &s.request.criteria[role][k], &cells[k]
			switch {
			case !cell.isContested || !cell.numeric():
			case c.id == CostID:
				list = append(list, "A task costs "+s.dollars(cell.lowest)+" to "+s.dollars(cell.Number)+", lists disagree.")
			case role == preference:
				list = append(list, "Its "+c.name()+" is "+s.amount(c, cell.lowest, cell)+" to "+s.amount(c, cell.Number,
					cell)+", lists disagree.")
			}
		}
	}
	return list
}
