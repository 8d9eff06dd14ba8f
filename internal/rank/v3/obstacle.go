package v3

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says why candidates are excluded, made here once for everybody who shows it. A
// candidate has obstacles: requirements that it does not meet, and gaps in its evidence.
//
//	price.output is $12.00 per million tokens, more than $5.00 per million tokens
//	limits.context: no evidence

// Obstacles are what a candidate lacks.
type Obstacles struct {
	CandidateID string
	Lines       []string // with the candidate's values, each once
	Shared      []string // the same without these: what several candidates lack reads the same

	miss, reach float64 // see [Obstacles.isNearer]
	by          string  // how far the only number is from the bound that it misses; "" if there is no such number
	unmet       int     // requirements that are not met
}

// Because is what several candidates lack, after "because".
func (o *Obstacles) Because() string {
	var list []string
	for _, text := range o.Shared {
		list = append(list, clause(text))
	}
	return strings.Join(list, "; ")
}

// Excluded says what each excluded candidate lacks, by id.
func (r *Ranking) Excluded() (list []Obstacles) {
	for _, number := range r.excluded {
		list = append(list, *r.obstacles(number))
	}
	return list
}

// Obstacles says what a candidate of the request lacks.
func (r *Ranking) Obstacles(id string) *Obstacles {
	number := slices.IndexFunc(r.request.candidates, func(c record.CandidateV2) bool { return c.ID == id })
	if number < 0 {
		return &Obstacles{CandidateID: id}
	}
	return r.obstacles(number)
}

func (r *Ranking) obstacles(number int) *Obstacles {
	o := &Obstacles{CandidateID: r.request.candidates[number].ID}
	w := &writer{Ranking: r, model: r.models[number]}
	w.eachReason(number, func(c *criterion, cell *cell, code note) {
		switch {
		case c == nil:
			o.miss = math.Inf(1)
			if need := quantity.Phrase(100*r.request.minimumCoverage, "percent"); r.request.minimumCoverage < 1 {
				o.add("there is evidence for "+quantity.Phrase(100*r.coverage[number], "percent")+" of the weight, not for "+need,
					"there is not evidence for "+need+" of the weight")
			}
		case code == requirementNotMet:
			o.addUnmet(c, cell)
		case code == requirementMet || code == preferenceScore || code == tieBreakerValue || code == valueShown:
		default:
			if c.role == requirement {
				o.miss = math.Inf(1)
			}
			text := c.name() + ": " + w.gapText(cell)
			o.add(text, text)
		}
	})
	return o
}

func (o *Obstacles) add(line, shared string) {
	if !slices.Contains(o.Lines, line) {
		o.Lines = append(o.Lines, line)
	}
	if !slices.Contains(o.Shared, shared) {
		o.Shared = append(o.Shared, shared)
	}
}

// addUnmet adds a requirement that is not met, and how far the candidate is from it.
func (o *Obstacles) addUnmet(c *criterion, cell *cell) {
	value, expected := string(cell.AppendJSON(nil)), c.valueJSON
	isNumber := cell.numeric() && c.value.Kind == '0'
	if cell.numeric() {
		value = quantity.Phrase(cell.Number, cell.unit)
	}
	o.by = ""
	o.unmet++
	o.miss += 2 // more than any number misses by
	if isNumber {
		wanted := c.value.Float()
		by := math.Abs(cell.Number - wanted)
		o.miss += by/(by+math.Abs(wanted)) - 1
		o.reach += math.Copysign(1, wanted-cell.Number) * cell.Number
		expected = quantity.Phrase(wanted, cell.unit)
		if o.unmet == 1 {
			o.by = distanceText(cell.Number, wanted, cell.unit)
		}
	}
	miss := missWords[isNumber][c.operator] + expected
	o.add(c.name()+" is "+value+", "+miss, c.name()+" is "+miss)
}

// missWords lead to what was required, of numbers and of other values.
var missWords = map[bool]map[operator]string{
	true:  {atLeast: "less than ", atMost: "more than ", equal: "not "},
	false: {atLeast: "not at least ", atMost: "not at most ", equal: "not "},
}

// gapWords say what is wrong with evidence.
var gapWords = [...]string{missing: "no evidence", stale: "the evidence has expired",
	conflict: "the evidence contradicts itself", incomparable: "the evidence cannot be compared",
	ambiguous: "the evidence is of several kinds", ok: ""}

// GapText says what is wrong with evidence of a status.
func GapText(status string) string {
	if i := slices.Index(statusNames, status); i >= 0 {
		return gapWords[i]
	}
	return ""
}

// gapText says why a cell has no number, or no value.
func (w *writer) gapText(c *cell) string {
	switch {
	case c.mixedUnits:
		return "the candidates have values in more than one unit"
	case c.status == ok:
		return "the value is not a number"
	case c.status == ambiguous:
		text := gapWords[ambiguous]
		for _, a := range w.differing(c) {
			text += ", by " + a.dimension + " (" + a.listed() + ")"
		}
		return text
	case c.status == incomparable && c.scope.matched == 0 && c.scope.mismatched != 0:
		return "the evidence " + differingText(namesOf(dimensionNames, uint32(c.scope.mismatched)))
	}
	return gapWords[c.status]
}

// listed are the values, at most a few.
func (a *differing) listed() string {
	const most = 5
	var list []string
	for _, text := range a.values[:min(most, len(a.values))] {
		if text == "null" {
			text = "none"
		} else if r := ijson.NewReader(text, ""); r.Kind() == '"' {
			text = r.String()
		}
		list = append(list, text)
	}
	if len(a.values) > most {
		list = append(list, "and others")
	}
	return strings.Join(list, ", ")
}

// differingText says in what evidence that cannot be compared differs, after "the evidence". A
// price or a limit of another provider was not measured.
func differingText(dimensions []string) string {
	if slices.Equal(dimensions, []string{"runtime.id"}) {
		return "is about another provider"
	}
	return "was measured with another " + listed(DimensionWords(dimensions))
}

// DimensionWords are dimensions as people read them, each once, in order.
func DimensionWords(dimensions []string) (words []string) {
	for _, name := range dimensions {
		word, member, _ := strings.Cut(name, ".")
		switch word {
		case "model":
			word = member
		case "effectiveContextTokens":
			word = "length of context"
		case "toolSurface":
			word = "set of tools"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// clause is what a candidate lacks, after "because":
//
//	price.output: no evidence                        there is no evidence of price.output
//	price.output: the evidence contradicts itself    the evidence of price.output contradicts itself
func clause(text string) string {
	key, words, isGap := strings.Cut(text, ": ")
	if rest, found := strings.CutPrefix(words, "the evidence "); isGap && found {
		return "the evidence of " + key + " " + rest
	}
	if isGap && words == gapWords[missing] {
		return "there is no evidence of " + key
	}
	return text
}

// cause says of candidates of which none is ranked what excludes most of them, how many of these by
// nothing else, and who misses least:
//
//	Most, 40 of 57, are excluded because price.output is more than $1.00 per million tokens, 31 of
//	them by nothing else. Nearest is atlas: its price.output is $1.20 per million tokens, more than
//	$1.00 per million tokens; it misses by $0.20 per million tokens.
//
// Where it is expired evidence, a sentence says what to do.
func (s *speaker) cause() (list []string) {
	excluded := s.Excluded()
	counts, alone := map[string]int{}, map[string]int{}
	var nearest *Obstacles
	for i := range excluded {
		o := &excluded[i]
		for _, because := range o.Shared {
			counts[because]++
			if len(o.Shared) == 1 {
				alone[because]++
			}
		}
		if o.miss > 0 && !math.IsInf(o.miss, 1) && (nearest == nil || o.isNearer(nearest)) {
			nearest = o
		}
	}
	most := ""
	for _, because := range slices.SortedFunc(maps.Keys(counts), canonical.CompareText) {
		if counts[because] > counts[most] {
			most = because
		}
	}
	if n := len(excluded); len(counts) > 1 && 2*counts[most] > n {
		who := "Most, " + number(counts[most]) + " of " + number(n) + ","
		if counts[most] == n {
			who = "All of them"
		}
		text := who + " are excluded because " + clause(most)
		if k := alone[most]; k > 0 {
			text += ", " + number(k) + " of them by nothing else"
		}
		list = append(list, text+".")
	}
	if key, isExpired := strings.CutSuffix(most, ": "+gapWords[stale]); isExpired {
		remedy := s.ranker.catalog.Expiry(key).Remedy()
		list = append(list, strings.ToUpper(remedy[:1])+remedy[1:]+".")
	}
	if nearest != nil && len(excluded) > 1 {
		text := "Nearest is " + nearest.CandidateID + ": its " + strings.Join(nearest.Lines, "; its ")
		if nearest.by != "" {
			text += "; it misses by " + nearest.by
		}
		list = append(list, text+".")
	}
	return list
}

// isNearer reports whether a candidate is closer to what is required: by how much it misses, which
// is one for each requirement that it does not meet, and the part by which it misses the number. It
// is infinite where evidence excludes it. Where two miss by as much, since the number required is
// so large that theirs do not change the difference, the one is nearer whose numbers reach further.
func (o *Obstacles) isNearer(other *Obstacles) bool {
	return o.miss < other.miss || o.miss == other.miss && o.reach > other.reach
}

// distanceText is how far two numbers are apart, without the last digits, which a subtraction makes
// of none: 2.5 is 1.4 more than 1.1, not 1.4000000000000001. Whole numbers keep all. Percentages
// differ by points.
func distanceText(x, y float64, unit string) string {
	const digits = 12
	d := math.Abs(x - y)
	if d != math.Trunc(d) {
		if rounded, err := strconv.ParseFloat(strconv.FormatFloat(d, 'g', digits, 64), 64); err == nil {
			d = rounded
		}
	}
	if unit == "percent" {
		return pointsText(quantity.Number(d))
	}
	return quantity.Phrase(d, unit)
}
