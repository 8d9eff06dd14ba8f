package printer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// This file is the answer of a result in sentences that a person can repeat:
//
//	kimi-k2.7-code comes first of 12 candidates, with 70% for livebench.agentic-coding.score;
//	3 are excluded. The evidence does not show whether it is better than glm-5.2; it goes first
//	because its usd-per-task is lower: $0.031, not $0.0412.

// answerText says who comes first, how sure that is, and what decided.
func (b *Background) answerText(r *v3.Result) string {
	if len(r.Ranked) == 0 {
		return nobodyText(len(r.Excluded))
	}
	first := &r.Ranked[0]
	switch {
	case len(r.ScoreScale.Scales) == 0 && len(tieBreakers(first)) == 0 && len(r.Ranked) > 1:
		return unorderedText(len(r.Ranked), len(r.Excluded))
	case isUnknown(r):
		return "Nothing that the request prefers is known of any candidate" + excludedSuffix(len(r.Excluded))
	}
	text := placeText(console.Clip(first.CandidateID), b.soleText(r), len(r.Ranked), b.LeftOut, len(r.Excluded))
	tied := r.Ranked[1:]
	for i := range tied {
		if tied[i].TieGroup != first.TieGroup {
			tied = tied[:i]
			break
		}
	}
	switch {
	case len(r.Ranked) == 1:
	case len(tied) > 0 && len(r.ScoreScale.Scales) == 0:
		text += " " + b.decisionText("It goes first", r.Ranked)
	case len(tied) > 0:
		group := r.Ranked[:1+len(tied)]
		how := " The evidence does not show whether it is better than " + tiedText(tied, alternatives)
		if isEqual(group) {
			how = " It has the same score as " + tiedText(tied, enumeration)
		}
		text += how + "; " + b.decisionText("it goes first", group)
	default:
		text += " " + b.leadText(r)
	}
	if first.Coverage < 1 {
		text += " For it there is evidence for " + percent(first.Coverage) + " of the weight."
	}
	return text
}

// isUnknown reports whether nothing that is preferred is known of any candidate.
func isUnknown(r *v3.Result) bool {
	return !slices.ContainsFunc(r.Ranked, func(c v3.Candidate) bool { return c.Coverage > 0 })
}

// isEqual reports whether exact numbers give a whole tie group one score.
func isEqual(group []v3.Candidate) (isCompared bool) {
	for i := range group {
		if c := group[i].Comparison; c != nil {
			if isCompared = c.Margin != nil && *c.Margin == 0; !isCompared {
				return false
			}
		}
	}
	return isCompared
}

// leadText says how the first, whom nobody is tied with, compares with the leader of the
// next tie group. Between exact numbers there is nothing to be sure of.
func (b *Background) leadText(r *v3.Result) string {
	for i := range r.Ranked[1:] {
		next := &r.Ranked[1+i]
		name := console.Clip(next.CandidateID)
		switch c := next.Comparison; {
		case c == nil || c.Leader != r.Ranked[0].CandidateID:
		case c.Margin == nil:
			return "It cannot be compared with " + name + ": there is too little evidence."
		case *c.Margin > 0:
			return "The evidence shows that it is better than " + name + ", the next best."
		default:
			next = &r.Ranked[1] // of equals, tie breakers order them
			value, _ := b.soleValue(r, next)
			return "Next is " + console.Clip(next.CandidateID) + ", with " + cmp.Or(value, "a score of "+quantity.Number(next.Score)) + "."
		}
	}
	return ""
}

// unorderedText says that candidates only meet requirements, and that none of them is better.
func unorderedText(ranked, excluded int) string {
	return quantity.Count(ranked, "candidate") + " meet the requirements. Their ids alone order them: there are no preferences, and no tie breaker has a value" + excludedSuffix(excluded)
}

// excludedSuffix ends a sentence with how many candidates are excluded, if any is.
func excludedSuffix(n int) string {
	if n == 0 {
		return "."
	}
	return "; " + excludedText(n)
}

// nobodyText says that no candidate is ranked.
func nobodyText(excluded int) string {
	if excluded == 0 {
		return "The request has no candidates."
	}
	return "No candidate is ranked; " + excludedText(excluded)
}

// excludedText says how many candidates are excluded, at the end of a sentence.
func excludedText(n int) string {
	if n == 1 {
		return "1 is excluded."
	}
	return number(n) + " are excluded."
}

// placeText says who comes first of how many, and with what.
func placeText(id, with string, ranked, leftOut, excluded int) string {
	text := id + " comes first of " + quantity.Count(ranked, "candidate")
	switch {
	case ranked == 1:
		text = id + " is the only candidate that is ranked"
	case leftOut > 0:
		text = id + " comes first of the best " + number(ranked+excluded) + " of " + number(ranked+excluded+leftOut) + " candidates that fit the question"
	}
	return text + with + excludedSuffix(excluded)
}

// soleText is the value of the first candidate by the only preference that there is.
func (b *Background) soleText(r *v3.Result) string {
	if value, name := b.soleValue(r, &r.Ranked[0]); value != "" {
		return ", with " + value + " for " + name
	}
	return ""
}

// soleValue is what a candidate has by the only preference that there is, and the name of that.
func (b *Background) soleValue(r *v3.Result, c *v3.Candidate) (value, name string) {
	for _, reason := range scored(c.Reasons) {
		if reason.Contribution != nil && len(r.ScoreScale.Scales) == 1 {
			value, _, _ = b.estimate(reason)
			return value, criterionText(reason)
		}
	}
	return "", ""
}

// tiedText names the candidates that are tied with the first, or says how many they are.
func tiedText(tied []v3.Candidate, list func([]string) string) string {
	const most = 3
	if len(tied) > most {
		return number(len(tied)) + " others"
	}
	var names []string
	for i := range tied {
		names = append(names, console.Clip(tied[i].CandidateID))
	}
	return list(names)
}

// decisionText says what puts the first of a tie group there: the first tie breaker in
// which it differs from the second, otherwise its score, otherwise its id.
func (b *Background) decisionText(subject string, group []v3.Candidate) string {
	first, second := group[0], group[1]
	ours, theirs := tieBreakers(&first), tieBreakers(&second)
	for i, r := range ours {
		value, _, _ := b.estimate(r)
		name := criterionText(r)
		if i >= len(theirs) || theirs[i].Criterion != r.Criterion {
			return fmt.Sprintf("%s because its %s is known: %s.", subject, name, value)
		}
		other, _, _ := b.estimate(theirs[i])
		if theirs[i].Actual.Text == r.Actual.Text {
			continue
		}
		isLow := b.criterion(r.Criterion).Direction == "minimize"
		if len(group) > 2 && i == 0 { // the first tie breaker orders the whole group
			return fmt.Sprintf("%s because it has the %s %s, %s.", subject, choose(isLow, "lowest", "highest"), name, value)
		}
		against := ""
		if len(group) > 2 {
			against = " than that of " + console.Clip(second.CandidateID)
		}
		return fmt.Sprintf("%s because its %s is %s%s: %s, not %s.", subject, name, choose(isLow, "lower", "higher"), against, value, other)
	}
	if first.Score > second.Score && len(ours) == 0 {
		return subject + " because it has the highest score."
	}
	if first.Score > second.Score {
		return subject + " because its score is higher than that of " + console.Clip(second.CandidateID) + "."
	}
	return subject + " by the order of their ids alone."
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// tieBreakers returns the reasons of a candidate that are the values of tie breakers.
func tieBreakers(c *v3.Candidate) (list []*v3.Reason) {
	for i := range c.Reasons {
		if c.Reasons[i].Code == "TIE_BREAKER_VALUE" {
			list = append(list, &c.Reasons[i])
		}
	}
	return list
}

// causeText says of candidates of which none is ranked what excludes most of them, how many
// of these by nothing else, and by how much the nearest one misses:
//
//	Most, 40 of 57, are excluded because price.output is more than $1.00 per million tokens,
//	31 of them by nothing else. Nearest is atlas: its price.output is $1.20 per million tokens,
//	more than $1.00 per million tokens.
//
// Where it is expired evidence, the sentence ends with what to do.
func (b *Background) causeText(r *v3.Result) string {
	counts, alone := map[string]int{}, map[string]int{}
	nearest, misses := -1, math.Inf(1)
	for i := range r.Excluded {
		_, shared := b.obstacles(r.Excluded[i].Reasons)
		for _, because := range shared {
			counts[because]++
			if len(shared) == 1 {
				alone[because]++
			}
		}
		miss := missOf(r.Excluded[i].Reasons)
		if isTied := nearest >= 0 && miss == misses; miss > 0 && miss < misses || isTied && reachOf(r.Excluded[i].Reasons) > reachOf(r.Excluded[nearest].Reasons) {
			nearest, misses = i, miss
		}
	}
	most := ""
	for _, because := range slices.Sorted(maps.Keys(counts)) {
		if counts[because] > counts[most] {
			most = because
		}
	}
	text := ""
	if n := len(r.Excluded); len(counts) > 1 && 2*counts[most] > n {
		who := "Most, " + number(counts[most]) + " of " + number(n) + ","
		if counts[most] == n {
			who = "All of them"
		}
		text = who + " are excluded because " + clause(most)
		if k := alone[most]; k > 0 {
			text += ", " + number(k) + " of them by nothing else"
		}
		text += "."
	}
	text = strings.TrimSpace(text + " " + b.remedyText(most))
	if nearest < 0 || len(r.Excluded) == 1 { // whose reasons follow
		return text
	}
	lines, _ := b.obstacles(r.Excluded[nearest].Reasons)
	text += " Nearest is " + console.Clip(r.Excluded[nearest].CandidateID) + ": its " + strings.Join(lines, "; its ")
	if by := b.shortfall(r.Excluded[nearest].Reasons); by != "" {
		text += "; it misses by " + by
	}
	return strings.TrimSpace(text + ".")
}

// remedyText says what to do where what excludes most candidates is evidence that has expired.
func (b *Background) remedyText(because string) string {
	key, found := strings.CutSuffix(because, ": "+gapWords["stale"])
	if !found || b.catalog == nil {
		return ""
	}
	remedy := b.catalog.Expiry(key).Remedy()
	return strings.ToUpper(remedy[:1]) + remedy[1:] + "."
}

// shortfall is by how much a candidate misses the only number that it misses.
func (b *Background) shortfall(reasons []v3.Reason) (text string) {
	for i := range reasons {
		r := &reasons[i]
		if r.Code != "REQUIREMENT_NOT_MET" {
			continue
		}
		if text != "" || r.Actual.Kind != '0' || r.Expected.Kind != '0' {
			return ""
		}
		text = points(difference(r.Actual.Float(), r.Expected.Float()), b.unit(r.Criterion, r.Estimate))
	}
	return text
}

// difference is how far two numbers are apart, without the last digits, which a subtraction
// makes of none: 2.5 is 1.4 more than 1.1, not 1.4000000000000001. Whole numbers keep all.
func difference(x, y float64) float64 {
	const digits = 12
	if d := math.Abs(x - y); d == math.Trunc(d) {
		return d
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(math.Abs(x-y), 'g', digits, 64), 64)
	if err != nil {
		return math.Abs(x - y)
	}
	return rounded
}

// clause is a gap, as a table has it, after "because":
//
//	price.output: no evidence                        there is no evidence of price.output
//	price.output: the evidence contradicts itself    the evidence of price.output contradicts itself
func clause(gap string) string {
	key, words, isGap := strings.Cut(gap, ": ")
	if !isGap {
		return gap
	}
	if rest, found := strings.CutPrefix(words, "the evidence "); found {
		return "the evidence of " + key + " " + rest
	}
	if words == gapWords["missing"] {
		return "there is no evidence of " + key
	}
	return gap
}

// missOf is how far a candidate is from what is required: one for each requirement that it
// does not meet, and the part by which it misses the numbers. It is infinite where something
// that is missing or contradicts itself excludes it.
func missOf(reasons []v3.Reason) (miss float64) {
	for i := range reasons {
		r := &reasons[i]
		switch {
		case r.Code == "REQUIREMENT_MET" || r.Code == "PREFERENCE_SCORE" || r.Code == "TIE_BREAKER_VALUE":
		case r.Code != "REQUIREMENT_NOT_MET":
			return math.Inf(1)
		case r.Actual.Kind == '0' && r.Expected.Kind == '0':
			distance := math.Abs(r.Actual.Float() - r.Expected.Float())
			miss += 1 + distance/(distance+math.Abs(r.Expected.Float()))
		default:
			miss += 2
		}
	}
	return miss
}

// reachOf is how far the numbers of a candidate reach towards those that it misses. It tells
// candidates apart that all miss by as much, since the number required is so large that theirs
// do not change the difference.
func reachOf(reasons []v3.Reason) (reach float64) {
	for i := range reasons {
		if r := &reasons[i]; r.Code == "REQUIREMENT_NOT_MET" && r.Actual.Kind == '0' && r.Expected.Kind == '0' {
			reach += math.Copysign(1, r.Expected.Float()-r.Actual.Float()) * r.Actual.Float()
		}
	}
	return reach
}
