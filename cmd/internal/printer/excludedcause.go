package printer

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// This file says why no candidate is ranked.

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
		if isTied := nearest >= 0 && miss == misses; miss > 0 && miss < misses || isTied &&
			reachOf(r.Excluded[i].Reasons) > reachOf(r.Excluded[nearest].Reasons) {
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
		text = points(difference(r.Actual.Float(), r.Expected.Float()), unit(r.Estimate))
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
