package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// ranking lists the candidates that came out differently, in their new order, and why.
func (t *table) ranking(r *record.RankingChange, name string) {
	if len(t.until) == 0 {
		t.findEnds()
	}
	var list []*record.CandidateChange
	for i := range r.Candidates {
		if c := &r.Candidates[i]; place(c.Old.Rank) != place(c.New.Rank) || c.Old.Score != c.New.Score {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *record.CandidateChange) int {
		return cmp.Or(cmp.Compare(order(&a.New), order(&b.New)), cmp.Compare(order(&a.Old), order(&b.Old)))
	})
	var rows []Row
	for _, c := range list {
		rows = append(rows, Row{signOf(c), []string{c.CandidateID, place(c.Old.Rank), place(c.New.Rank), scoreText(c),
			strings.Join(t.why(c), ", ")}})
	}
	t.add([]string{name, "OLD", "NEW", "SCORE", "WHY"}, rows)
}

// findEnds notes until when the observations of the diff hold.
func (t *table) findEnds() {
	for _, m := range t.Models {
		for _, f := range m.Facts {
			if f.Old != nil {
				for _, o := range f.Old.Observations {
					t.until[o.ID] = string(o.ValidUntil)
				}
			}
		}
	}
}

// order is the rank, after all of them for a candidate that is excluded.
func order(o *record.CandidateOutcome) int {
	if o.Rank == nil {
		return math.MaxInt
	}
	return *o.Rank
}

func signOf(c *record.CandidateChange) string {
	switch {
	case c.New.Rank == nil:
		return "×"
	case c.Old.Rank == nil:
		return "+"
	case c.Move.Value > 0:
		return "↑"
	case c.Move.Value < 0:
		return "↓"
	}
	return "~"
}

func scoreText(c *record.CandidateChange) string {
	text := func(p *record.CandidateOutcome) string {
		if p.Outcome == compare.Excluded {
			return string(compare.Excluded)
		}
		return quantity.Number(p.Score.Value)
	}
	new := text(&c.New)
	if i := c.New.ScoreInterval; i != nil && i.Low < i.High { // else it is exact
		const digits = 3
		new += " (" + quantity.Rounded(i.Low, digits) + "–" + quantity.Rounded(i.High, digits) + ")"
	}
	if old := text(&c.Old); old != text(&c.New) {
		return old + " → " + new
	}
	return new
}

// why says what made a candidate come out differently. The numbers add up to the change of
// its score. What is only told of it, in advisories, is no reason.
func (t *table) why(c *record.CandidateChange) (reasons []string) {
	isRankedInBoth := c.Old.Outcome == compare.Ranked && c.New.Outcome == compare.Ranked
	keys := map[string]string{} // of criteria whose evidence has the same fate
	for i := range c.Criteria {
		k := &c.Criteria[i]
		if k.Role == compare.Advisory || k.Old == nil || k.New == nil {
			continue
		}
		key := cmp.Or(string(k.MeasurementKey), string(k.Criterion))
		if !slices.Contains(k.Causes, compare.CauseStatus) {
			reasons = append(reasons, valueReasons(k, key)...)
			continue
		}
		fate := ": " + t.statusText(k)
		if change := k.New.Contribution.Value - k.Old.Contribution.Value; change != 0 && isRankedInBoth { // 0 without a score
			reasons = append(reasons, key+fate+" ("+quantity.Signed(change)+")")
			continue
		}
		if same := keys[fate]; same != "" {
			reasons[slices.Index(reasons, same+fate)] = same + ", " + key + fate
			key = same + ", " + key
		} else {
			reasons = append(reasons, key+fate)
		}
		keys[fate] = key
	}
	if len(reasons) == 0 && isRankedInBoth {
		reasons = []string{"others moved"}
	}
	return reasons
}

// valueReasons says what another value or another scale made of a criterion. A
// requirement that is met as before is no reason.
func valueReasons(k *record.CriterionChange, key string) (reasons []string) {
	turned := slices.Contains(k.Causes, compare.CauseRequirement)
	if slices.Contains(k.Causes, compare.CauseValue) && (turned || k.Role != compare.Requirement) {
		reason := key + " " + cellText(k.Old) + " → " + cellText(k.New)
		if k.Contribution != nil && k.Contribution.OfValue != 0 {
			reason += " (" + quantity.Signed(k.Contribution.OfValue) + ")"
		}
		if turned {
			reason += ": " + strings.ToLower(strings.ReplaceAll(string(k.New.Code), "_", " "))
		}
		reasons = append(reasons, reason)
	}
	if k.Contribution != nil && k.Contribution.OfScale != 0 && slices.Contains(k.Causes, compare.CauseScale) {
		reasons = append(reasons, "scale of "+key+" ("+quantity.Signed(k.Contribution.OfScale)+")")
	}
	return reasons
}

// statusText says what became of the evidence.
func (t *table) statusText(k *record.CriterionChange) string {
	switch k.New.Status {
	case compare.StatusOK:
		return "there is evidence now, " + cellText(k.New)
	case compare.StatusMissing:
		return "there is no evidence any more"
	case compare.StatusConflict:
		return "the evidence contradicts itself"
	case compare.StatusIncomparable:
		return "the evidence cannot be compared"
	case compare.StatusAmbiguous:
		return "the evidence is ambiguous"
	}
	last := ""
	for _, id := range k.Old.ObservationIDs {
		last = max(last, t.until[id])
	}
	if last == "" || last > string(t.New.AsOf) {
		return "the evidence expired"
	}
	return "the evidence expired on " + day(last)
}

func cellText(c *record.CriterionValue) string {
	if c.Value == nil {
		return "–"
	}
	text, _ := compare.ValueText(record.StatedValue{Value: *c.Value, Unit: c.Unit})
	return text
}
