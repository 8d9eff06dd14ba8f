package v3_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// These tests hold every sentence of an answer against the result that it is about, by a reading of
// their own: a sentence that none of them knows fails.

// reading is a result and its request, as a sentence is held against them.
type reading struct {
	*record.RankResult
	request struct {
		Preferences []struct {
			ID             string
			MeasurementKey string
			Direction      string
			Weight         float64
		}
		TieBreakers  []struct{ ID, MeasurementKey, Direction string }
		Requirements []struct {
			ID, MeasurementKey, Operator string
			Value                        any
		}
		Choice *struct {
			Within float64
			By     string
		}
		Cost *record.TaskTokens
	}
}

func (r *reading) candidate(id string) *record.RankCandidate {
	i := slices.IndexFunc(r.Ranked, func(c record.RankCandidate) bool { return c.CandidateID == id })
	if i < 0 {
		return nil
	}
	return &r.Ranked[i]
}

// counted are the preferences that score.
func (r *reading) counted() (list []string) {
	for _, p := range r.request.Preferences {
		if p.Weight > 0 {
			list = append(list, p.ID)
		}
	}
	return list
}

// found returns the reason of a candidate about a criterion that has a number.
func (r *reading) found(c *record.RankCandidate, criterion string) *record.RankReason {
	for i := range c.Reasons {
		if string(c.Reasons[i].Criterion) == criterion && c.Reasons[i].RankFinding != nil {
			return &c.Reasons[i]
		}
	}
	return nil
}

// within are the candidates whose score is close enough to the best.
func (r *reading) within() (list []*record.RankCandidate) {
	for i := range r.Ranked {
		if r.Ranked[i].Score >= r.Ranked[0].Score-r.request.Choice.Within {
			list = append(list, &r.Ranked[i])
		}
	}
	return list
}

// isNear reports whether a text says a number, rounded to three digits or more.
func isNear(text string, f float64) bool {
	text = strings.NewReplacer(",", "", "$", "", "%", "", "−", "-").Replace(text)
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(got-f) <= 0.0051*math.Abs(f)+1e-12
}

// points is a difference of scores in the words of an answer.
func (r *reading) points(text string, difference float64) bool {
	if isNear(text, difference) {
		return true
	}
	list := r.counted()
	if len(list) != 1 {
		return false
	}
	for _, s := range r.ScoreScale.Scales {
		if s.Criterion == list[0] && s.Low != nil {
			weight := 0.0
			for _, p := range r.request.Preferences {
				if p.ID == list[0] {
					weight = p.Weight
				}
			}
			per := (*s.High - *s.Low) / weight
			if isNear(text, difference*per) || strings.Contains(text, "per million") && isNear(text, 1e6*difference*per) {
				return true
			}
		}
	}
	return false
}

// sentence is a form of sentence, and when it is true. The parts are those of the pattern.
type sentence struct {
	pattern string
	isTrue  func(r *reading, part []string) bool
}

func (r *reading) best() *record.RankCandidate   { return &r.Ranked[0] }
func (r *reading) chosen() *record.RankCandidate { return r.candidate(r.Choice.CandidateID) }

// alike counts who is neither shown to be better nor to be worse than the best.
func (r *reading) alike() int {
	i := r.best().RankInterval
	return i.High - i.Low
}

// isCheapest reports whether nobody within the tolerance costs less than the choice, and all costs are known.
func (r *reading) isCheapest() bool {
	return !slices.ContainsFunc(r.within(), func(c *record.RankCandidate) bool {
		return c.Cost == nil || c.Cost.USDPerTask < r.chosen().Cost.USDPerTask
	})
}

const amount = `(.+?)`

var sentences = []sentence{
	{`The request has no candidates\.`, func(r *reading, _ []string) bool { return len(r.Ranked)+len(r.Excluded) == 0 }},
	{`No candidate is ranked: (\d+) (?:is|are) excluded\.`, func(r *reading, p []string) bool {
		return len(r.Ranked) == 0 && p[1] == strconv.Itoa(len(r.Excluded))
	}},
	{`(\d+) candidates meet the requirements\.`, func(r *reading, p []string) bool { return p[1] == strconv.Itoa(len(r.Ranked)) && len(r.Ranked) > 1 }},
	{`(\S+) is the only candidate that meets the requirements\.`, func(r *reading, p []string) bool {
		return len(r.Ranked) == 1 && r.Ranked[0].CandidateID == p[1]
	}},
	{`You gave no preference, so candidates are sorted by id\.`, func(r *reading, _ []string) bool {
		return len(r.counted()) == 0 && slices.IsSortedFunc(r.Ranked, func(a, b record.RankCandidate) int { return strings.Compare(a.CandidateID, b.CandidateID) })
	}},
	{`You gave no preference, so candidates are sorted by (\S+): (\S+) comes first, with ` + amount + `\.`, func(r *reading, p []string) bool {
		return len(r.counted()) == 0 && r.Ranked[0].CandidateID == p[2] && slices.ContainsFunc(r.Ranked[0].Reasons, func(x record.RankReason) bool {
			return x.RankFinding != nil && x.Actual.Kind == '0' && (string(x.Criterion) == p[1] || string(x.MeasurementKey) == p[1]) &&
				(isNear(p[3], x.Actual.Float()) || isNear(p[3], 1e6*x.Actual.Float()))
		})
	}},
	{`No candidate has evidence for what is preferred\.`, func(r *reading, _ []string) bool {
		return !slices.ContainsFunc(r.Ranked, func(c record.RankCandidate) bool { return c.Coverage > 0 })
	}},
	{`Take (\S+): it is the only candidate that is ranked\.`, func(r *reading, p []string) bool { return len(r.Ranked) == 1 && r.Ranked[0].CandidateID == p[1] }},
	{`Take (\S+): it has the best score, as (?:has|have) (.+)\.`, func(r *reading, p []string) bool {
		equal := 0
		for _, c := range r.Ranked[1:] {
			if c.Score == r.best().Score {
				equal++
				if !strings.HasSuffix(p[2], "others") && !strings.Contains(p[2], c.CandidateID) {
					return false
				}
			}
		}
		return r.best().CandidateID == p[1] && equal > 0 && (!strings.HasSuffix(p[2], "others") || p[2] == strconv.Itoa(equal)+" others")
	}},
	{`Take (\S+): it has the best score of (\d+) candidates\.`, func(r *reading, p []string) bool {
		return r.best().CandidateID == p[1] && p[2] == strconv.Itoa(len(r.Ranked)) && r.Ranked[1].Score < r.best().Score
	}},
	{`Take (\S+): it has the (highest|lowest) (\S+) of (\d+) candidates\.`, func(r *reading, p []string) bool {
		x := r.found(r.best(), r.counted()[0])
		return r.best().CandidateID == p[1] && p[4] == strconv.Itoa(len(r.Ranked)) && r.Ranked[1].Score < r.best().Score &&
			!slices.ContainsFunc(r.Ranked[1:], func(c record.RankCandidate) bool {
				y := r.found(&c, r.counted()[0])
				return y == nil || (p[2] == "highest") != (y.Actual.Float() < x.Actual.Float())
			})
	}},
	{`Take (\S+): it has the best score, and no other candidate is within ` + amount + ` of it\. It costs ` + amount + ` a task(?: of (\S+) \+ (\S+) tokens)?\.`, func(r *reading, p []string) bool {
		return r.best().CandidateID == p[1] && len(r.within()) == 1 && r.points(p[2], r.request.Choice.Within) && isNear(p[3], r.chosen().Cost.USDPerTask)
	}},
	{`Take (\S+): at ` + amount + ` a task(?: of \S+ \+ \S+ tokens)? it costs least of (\d+) candidates within ` + amount + ` of the best score\.`, func(r *reading, p []string) bool {
		return r.Choice.CandidateID == p[1] && isNear(p[2], r.chosen().Cost.USDPerTask) && p[3] == strconv.Itoa(len(r.within())) &&
			r.points(p[4], r.request.Choice.Within) && r.isCheapest()
	}},
	{`Take (\S+): at ` + amount + ` a task(?: of \S+ \+ \S+ tokens)? it costs least of the (\d+) candidates within ` + amount + ` of the best score whose cost is known\.`, func(r *reading, p []string) bool {
		priced, cheapest := 0, true
		for _, c := range r.within() {
			if c.Cost != nil {
				priced++
				cheapest = cheapest && c.Cost.USDPerTask >= r.chosen().Cost.USDPerTask
			}
		}
		return r.Choice.CandidateID == p[1] && isNear(p[2], r.chosen().Cost.USDPerTask) && p[3] == strconv.Itoa(priced) && priced < len(r.within()) && cheapest
	}},
	{`Take (\S+): it is the first by (.+) of (\d+) candidates? within ` + amount + ` of the best score\.`, func(r *reading, p []string) bool {
		return r.Choice.CandidateID == p[1] && p[3] == strconv.Itoa(len(r.within())) && r.points(p[4], r.request.Choice.Within)
	}},
	{`It scores ` + amount + ` of (\S+)(?: \((\S+)% confidence interval ` + amount + ` to ` + amount + `\))?, by (.+)\.`, func(r *reading, p []string) bool {
		c := r.chosen()
		hasInterval := p[3] != ""
		return isNear(p[1], c.Score) && isNear(p[2], r.ScoreScale.Maximum) &&
			(!hasInterval || isNear(p[3], 100*r.Statistics.Confidence) && isNear(p[4], c.ScoreInterval.Low) && isNear(p[5], c.ScoreInterval.High))
	}},
	{`It has ` + amount + ` for (\S+?)(?: \((.+)\))?\.`, func(r *reading, p []string) bool {
		x := r.found(r.chosen(), r.counted()[0])
		f := x.Actual.Float()
		return (isNear(p[1], f) || isNear(p[1], 1e6*f)) && r.isSureness(p[3], x.Estimate)
	}},
	{`Nothing is known of how sure the scores are, so nobody is shown to be better\.`, func(r *reading, _ []string) bool { return r.best().AmongBest == nil }},
	{`The evidence shows that it is better than (?:any of the (\d+) others|the other candidate)\.`, func(r *reading, p []string) bool {
		return (r.best().RankInterval == record.RankInterval{Low: 1, High: 1}) && (p[1] == "" && len(r.Ranked) == 2 || p[1] == strconv.Itoa(len(r.Ranked)-1))
	}},
	{`The evidence does not tell it apart from (?:any of the (\d+) others|the other candidate)\.`, func(r *reading, p []string) bool {
		return r.alike() == len(r.Ranked)-1 && (p[1] == "" && len(r.Ranked) == 2 || p[1] == strconv.Itoa(len(r.Ranked)-1))
	}},
	{`The evidence shows that it is better than (\d+) of the (\d+) others, and does not tell it apart from (\d+)\.`, func(r *reading, p []string) bool {
		i := r.best().RankInterval
		return p[2] == strconv.Itoa(len(r.Ranked)-1) && p[1] == strconv.Itoa(len(r.Ranked)-i.High) && p[3] == strconv.Itoa(r.alike()) && i.Low == 1
	}},
	{`On the tasks that both have, the evidence shows that (\d+) of the (\d+) others (?:is|are) better\.`, func(r *reading, p []string) bool {
		return p[1] == strconv.Itoa(r.best().RankInterval.Low-1) && p[1] != "0" && p[2] == strconv.Itoa(len(r.Ranked)-1)
	}},
	{`Next is (\S+), with ` + amount + `\.`, func(r *reading, p []string) bool {
		x := r.found(&r.Ranked[1], r.counted()[0])
		return r.Ranked[1].CandidateID == p[1] && x.Estimate.Basis == "exact" && (isNear(p[2], x.Actual.Float()) || isNear(p[2], 1e6*x.Actual.Float()))
	}},
	{`That is ` + amount + ` below the best, (\S+?)(?:, and saves ` + amount + ` a task \(` + amount + `\))?\.`, func(r *reading, p []string) bool {
		return r.points(p[1], r.Choice.Below) && r.Choice.Below > 0 && r.Choice.Best == p[2] && r.isSaving(p[3], p[4])
	}},
	{`It has the score of the best, (\S+?)(?:, and saves ` + amount + ` a task \(` + amount + `\))?\.`, func(r *reading, p []string) bool {
		return r.Choice.Below == 0 && r.Choice.Best == p[1] && r.isSaving(p[2], p[3])
	}},
	{`Too little is known to tell the two apart\.`, func(r *reading, _ []string) bool { return r.Choice.IsToldApart == nil }},
	{`The evidence shows that the best is better\.`, func(r *reading, _ []string) bool { return *r.Choice.IsToldApart }},
	{`On the (\d+) tasks that both have, the evidence shows that the choice is better\.`, func(r *reading, p []string) bool {
		return !*r.Choice.IsToldApart && strconv.FormatUint(r.Choice.Shared.N, 10) == p[1] && r.chosen().RankInterval.Low < len(r.Ranked) && r.best().RankInterval.Low > 1
	}},
	{`The evidence does not tell the two apart\.`, func(r *reading, _ []string) bool { return !*r.Choice.IsToldApart }},
	{`It has evidence for ` + amount + ` of the weight\.`, func(r *reading, p []string) bool {
		return isNear(p[1], 100*r.chosen().Coverage) && r.chosen().Coverage < 1
	}},
	{`A task is (.+?)(?:; ` + amount + ` tasks? cost ` + amount + `)?\.`, func(r *reading, p []string) bool {
		t := r.request.Cost
		return strings.HasPrefix(p[1], quantity.Number(float64(t.Input))+" input tokens") && strings.Contains(p[1], quantity.Number(float64(t.Output))+" output tokens") &&
			strings.Contains(p[1], "cached tokens") == (t.CachedInput > 0) && (p[2] == "" || p[2] == quantity.Number(float64(t.Requests)) && isNear(p[3], r.chosen().Cost.USDTotal.Value))
	}},
	{`The number of questions of (.+) is inferred from the scores; nobody publishes it\.`, func(r *reading, _ []string) bool {
		return r.some(func(x *record.RankReason) bool { return x.Estimate != nil && x.Estimate.Size == "inferred" })
	}},
	{`The benchmark ran these models in its own harness, not as the candidates run\.`, func(r *reading, _ []string) bool {
		return r.some(func(x *record.RankReason) bool {
			return slices.ContainsFunc(x.ExecutionApplicability.TransferredDimensions, func(d string) bool { return !strings.HasPrefix(d, "model.") })
		})
	}},
	{`(.+) (was|were) measured as another revision of the model, which may be other weights\.`, func(r *reading, p []string) bool {
		return strings.Contains(p[1], " and ") == (p[2] == "were") && r.some(func(x *record.RankReason) bool {
			return slices.Contains(x.ExecutionApplicability.TransferredDimensions, "model.revision")
		})
	}},
	{`Prices do not count the extra tokens that more effort takes\.`, func(r *reading, _ []string) bool {
		conditions := map[string]map[string]bool{}
		for _, c := range r.Ranked {
			if conditions[c.Model.ID] == nil {
				conditions[c.Model.ID] = map[string]bool{}
			}
			conditions[c.Model.ID][string(c.Execution.Workflow.Condition)] = true
		}
		for _, list := range conditions {
			if len(list) > 1 {
				return true
			}
		}
		return false
	}},
	{`A task costs ` + amount + ` to ` + amount + `, lists disagree\.`, func(r *reading, p []string) bool {
		c := r.chosen().Cost
		return c.Lowest.Known && isNear(p[1], c.Lowest.Value) && isNear(p[2], c.USDPerTask) && c.Lowest.Value < c.USDPerTask
	}},
	{`Its (\S+) is ` + amount + ` to ` + amount + `, lists disagree\.`, func(r *reading, p []string) bool {
		return slices.ContainsFunc(r.chosen().Reasons, func(x record.RankReason) bool {
			return string(x.MeasurementKey) == p[1] && x.RankFinding != nil && (isNear(p[3], x.Actual.Float()) || isNear(p[3], 1e6*x.Actual.Float()))
		})
	}},
	{`Its (\S+) is ` + amount + `(?:; that of (\S+) is ` + amount + `)?\.`, func(r *reading, p []string) bool {
		has := func(candidate *record.RankCandidate, text string) bool {
			return slices.ContainsFunc(candidate.Reasons, func(x record.RankReason) bool {
				return x.RankFinding != nil && x.Actual.Kind == '0' && (string(x.Criterion) == p[1] || string(x.MeasurementKey) == p[1]) &&
					(isNear(text, x.Actual.Float()) || strings.Contains(text, "per million") && isNear(text, 1e6*x.Actual.Float()))
			})
		}
		return has(r.chosen(), p[2]) && (p[3] == "" || r.Choice.Best == p[3] && has(r.best(), p[4]))
	}},
	{`Lists disagree about prices, and that decides the choice: (.+)\.`, func(r *reading, p []string) bool {
		parts := strings.Split(p[1], "; ")
		for i, l := range r.Lists {
			who := "there is none"
			if l.CandidateID != "" {
				who = string(l.CandidateID)
			}
			if !strings.HasPrefix(parts[i], "by "+l.List+" "+who) {
				return false
			}
		}
		return len(parts) == len(r.Lists) && slices.ContainsFunc(r.Lists, func(l record.ListChoice) bool {
			return r.Choice == nil || string(l.CandidateID) != r.Choice.CandidateID
		})
	}},
	{`Of clouds and large hosts (\S+) sells it for least, at ` + amount + ` a task\.`, func(r *reading, p []string) bool {
		return string(r.chosen().Execution.Runtime.ID) != p[1]
	}},
	{`(?:Most, ([\d,]+) of ([\d,]+),|All of them) are excluded because (.+?)(?:, ([\d,]+) of them by nothing else)?\.`, func(r *reading, p []string) bool {
		all, alone, most := r.commonest(p[3])
		n, some := len(r.Excluded), strings.HasPrefix(p[0], "Most")
		return all == most && 2*all > n && some == (all < n) && (!some || p[1] == strconv.Itoa(all) && p[2] == strconv.Itoa(n)) &&
			(p[4] == "" && alone == 0 || p[4] == strconv.Itoa(alone))
	}},
	{`Nearest is (\S+): its .+\.`, func(r *reading, p []string) bool { return r.isNearest(p[1]) }},
	{`Fetch newer files(?:, or compile with --as-of \S+)?\.`, func(r *reading, _ []string) bool {
		return slices.ContainsFunc(r.Excluded, func(c record.RankCandidate) bool {
			return slices.ContainsFunc(c.Reasons, func(x record.RankReason) bool { return x.Code == "STALE_EVIDENCE" })
		})
	}},
	{`(\d+) candidates? (?:is|are) excluded\.`, func(r *reading, p []string) bool { return p[1] == strconv.Itoa(len(r.Excluded)) }},
	{`With a weight (above|below) (\S+) for (.+), not (\S+), the choice is (\S+)\.`, func(r *reading, p []string) bool {
		return slices.ContainsFunc(r.Flips, func(f record.RankFlip) bool {
			return f.Kind == "weight" && f.CandidateID == p[5] && isNear(p[2], f.To) && isNear(p[4], f.From) && (p[1] == "above") == (f.To > f.From)
		})
	}},
	{`If a task at (\S+) cost less than ` + amount + `, not ` + amount + `, the choice would be (\S+)\.`, func(r *reading, p []string) bool {
		return p[1] == p[4] && isNear(p[2], r.chosen().Cost.USDPerTask) && isNear(p[3], r.candidate(p[1]).Cost.USDPerTask)
	}},
	{`With a tolerance (?:of|below) ` + amount + `, not ` + amount + `, the choice is (\S+)\.`, func(r *reading, p []string) bool {
		return slices.ContainsFunc(r.Flips, func(f record.RankFlip) bool {
			return f.Kind == "tolerance" && f.CandidateID == p[3] && r.points(p[1], f.To) && r.points(p[2], f.From)
		})
	}},
	{`With (.+) of at (least|most) ` + amount + `, not ` + amount + `, the best is (\S+)\.`, func(r *reading, p []string) bool {
		return slices.ContainsFunc(r.Flips, func(f record.RankFlip) bool {
			return f.Kind == "requirement" && f.CandidateID == p[5] && isNear(p[3], f.To) && isNear(p[4], f.From) && (p[2] == "least") == (f.To < f.From)
		})
	}},
	{`About ([\d,]+) more (question|task)s? of (.+) for each would tell (\S+) and (\S+) apart\.`, func(r *reading, p []string) bool {
		n, _ := strconv.ParseFloat(strings.ReplaceAll(p[1], ",", ""), 64)
		return r.Next.Of == p[2]+"s" && r.Next.Candidates[0] == p[4] && r.Next.Candidates[1] == p[5] && n >= float64(r.Next.Count) && n < 1.11*float64(r.Next.Count)+1
	}},
	{`No benchmark of a usual size tells (\S+) and (\S+) apart: it takes more than 100,000 (question|task)s\.`, func(r *reading, p []string) bool {
		return r.Next.Count > 100_000 && r.Next.Of == p[3]+"s" && r.Next.Candidates[0] == p[1] && r.Next.Candidates[1] == p[2]
	}},
}

// some reports whether a reason of a ranked candidate about what scores has a property.
func (r *reading) some(is func(*record.RankReason) bool) bool {
	return slices.ContainsFunc(r.Ranked, func(c record.RankCandidate) bool {
		return slices.ContainsFunc(r.counted(), func(id string) bool {
			x := r.found(&c, id)
			return x != nil && is(x)
		})
	})
}

func (r *reading) isSaving(usd, share string) bool {
	if usd == "" {
		return r.Choice.Saves == nil || r.Choice.Saves.USDPerTask <= 0
	}
	s := r.Choice.Saves
	share = strings.TrimSuffix(share, "%")
	f, err := strconv.ParseFloat(share, 64)
	return isNear(usd, s.USDPerTask) && err == nil && math.Abs(f-100*s.Share) <= 0.051*100*s.Share
}

// isSureness reports whether words in parentheses say how sure an estimate is.
func (r *reading) isSureness(words string, e *record.RankEstimate) bool {
	part := regexp.MustCompile(`^(\S+)% confidence interval (.+) to (.+?)(?:, ([\d,.]+) questions| for other tasks of the kind, from (\d+) tasks|, as the source publishes)?$`).FindStringSubmatch(words)
	switch {
	case words == "":
		return e.Basis == "exact"
	case strings.Contains(words, "one task"):
		return e.Basis == "unknown" && e.Tasks == 1
	case part == nil:
		return words == "how sure that is is not known" && e.Basis == "unknown"
	case !isNear(part[1], 100*r.Statistics.Confidence) || !isNear(part[2], *e.Low) || !isNear(part[3], *e.High):
		return false
	case part[4] != "":
		return e.Basis == "benchmark" && isNear(part[4], *e.Trials)
	case part[5] != "":
		return e.Basis == "tasks" && part[5] == strconv.FormatUint(e.Tasks, 10)
	}
	return e.Basis == "published" || e.Basis == "sum"
}

// Every sentence of an answer is true, in 3,000 random requests.
func TestEverySentence(t *testing.T) {
	var patterns []*regexp.Regexp
	for _, s := range sentences {
		patterns = append(patterns, regexp.MustCompile("^"+s.pattern+"$"))
	}
	said := make([]int, len(sentences))
	d := dice{Rand: rand.New(rand.NewPCG(26, 11))}
	for n := range vectortest.Rounds(3000) {
		d.isCalm = n%4 > 0
		docs := d.observations()
		slices.Sort(docs)
		c := mustCompile(t, asOf, slices.Compact(docs))
		q := mustRead(t, d.request())
		ranking := mustEvaluate(t, mustIndex(t, c), q)
		result := mustWrite(t, ranking)
		r := &reading{}
		if err := json.Unmarshal([]byte(result), &r.RankResult); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(q.JSON()), &r.request); err != nil {
			t.Fatal(err)
		}
		r.agree(t, ranking.Excluded())
		all := slices.Concat(r.Answer.Choice, r.Answer.Notes, r.Answer.Changes)
		if r.Answer.Next != "" {
			all = append(all, string(r.Answer.Next))
		}
		for _, text := range all {
			i := slices.IndexFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) })
			if i < 0 {
				t.Fatalf("nobody knows the sentence %q", text)
			}
			said[i]++
			if !sentences[i].isTrue(r, patterns[i].FindStringSubmatch(text)) {
				t.Fatalf("request %d: %q is not true of\n%s\nof %s", n, text, result, q.JSON())
			}
		}
	}
	for i, n := range said {
		if n == 0 && !vectortest.IsShort() {
			t.Logf("never said: %s", sentences[i].pattern)
		}
	}
	t.Log(said)
}
