package printer

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a result does not say itself and people want to read beside it: what the
// request asked, in which unit a sum is, and which tasks a score comes from:
//
//	usd-per-task is the price of 20,000 tokens of price.input and 3,000 tokens of price.output.
//	The tasks of livebench.agentic-coding.score: javascript, python and typescript.

// Background is what a table of a result says besides the result. The zero value says nothing.
type Background struct {
	LeftOut  int // candidates that meet the requirements, but that the request cannot hold
	catalog  *catalog.Catalog
	criteria map[string]*asked
	score    scale
	expires  string // the earliest of what was used, empty if nothing expires
	longPrices
}

// asked is what a request asks by a criterion, and what the catalog has for it.
type asked struct {
	ID                  string
	Operator, Direction string
	Sum                 []struct {
		MeasurementKey string
		Factor         float64
	}

	units map[string]string // of the terms of a sum, by key
	tasks map[string]bool   // that the candidates were measured by
}

// scale is that of the only preference, where the request gives one, so that what differs in
// score can be said in the unit of what was measured.
type scale struct {
	isAlone   bool
	unit      string
	low, high float64
	weight    float64
}

// NewBackground reads it from the normal form of a request of version 3 and from the
// observations that a result rests on.
func NewBackground(request string, c *catalog.Catalog, r *v3.Result) *Background {
	var q struct{ Requirements, Preferences, TieBreakers []*asked }
	if err := json.Unmarshal([]byte(request), &q); err != nil {
		return &Background{}
	}
	b := &Background{catalog: c, criteria: map[string]*asked{}}
	for _, a := range slices.Concat(q.Requirements, q.Preferences, q.TieBreakers) {
		a.units, a.tasks = map[string]string{}, map[string]bool{}
		b.criteria[a.ID] = a
	}
	b.readObservations(c, r)
	b.readScale(r)
	b.longPrices = longPricesOf(c, r)
	return b
}

// readObservations notes the units of what the criteria of candidates used and, of the ranked
// ones, the tasks and until when it holds.
func (b *Background) readObservations(c *catalog.Catalog, r *v3.Result) {
	ranked, excluded := b.usesOf(r.Ranked), b.usesOf(r.Excluded)
	reader := catalog.NewRecordReader()
	for i := range c.Models() {
		for _, o := range c.Models()[i].Observations {
			for _, a := range slices.Concat(ranked[o.ID()], excluded[o.ID()]) {
				a.readUnits(reader.Read(o))
			}
			for _, a := range ranked[o.ID()] {
				rec := reader.Read(o)
				if !rec.Freshness.HoldsAt(record.Timestamp(c.AsOf())) {
					continue
				}
				if until := rec.Freshness.ValidUntil; until != "" && (b.expires == "" || string(until) < b.expires) {
					b.expires = strings.Clone(string(until))
				}
				if rec.Task.TaskID != "" {
					a.tasks[strings.Clone(string(rec.Task.TaskID))] = true
				}
			}
		}
	}
}

// usesOf returns the criteria that used an observation for some candidates, by its id.
func (b *Background) usesOf(candidates []v3.Candidate) map[string][]*asked {
	used := map[string][]*asked{}
	for i := range candidates {
		for _, e := range candidates[i].Evidence {
			a := b.criteria[e.Criterion]
			for _, id := range e.ObservationIDs {
				if a != nil && !slices.Contains(used[id], a) && !slices.Contains(e.Overruled, id) {
					used[id] = append(used[id], a)
				}
			}
		}
	}
	return used
}

// readUnits notes those of the terms of a sum.
func (a *asked) readUnits(rec *record.Observation) {
	for _, t := range a.Sum {
		for k := range rec.Measurements {
			if m := &rec.Measurements[k]; m.Key == t.MeasurementKey {
				a.units[t.MeasurementKey] = strings.Clone(m.Unit)
			}
		}
	}
}

func (b *Background) readScale(r *v3.Result) {
	if len(r.ScoreScale.Scales) != 1 || r.ScoreScale.Kind != "fixed" || len(r.Ranked) == 0 {
		return
	}
	ends := &r.ScoreScale.Scales[0]
	for _, reason := range scored(r.Ranked[0].Reasons) {
		if reason.Contribution != nil && ends.Low != nil && ends.High != nil && r.ScoreScale.Maximum > 0 {
			b.score = scale{true, b.unit(reason.Criterion, reason.Estimate), *ends.Low, *ends.High, r.ScoreScale.Maximum}
		}
	}
}

// distance says a difference of scores, in the unit of what was measured where only that
// makes the score: that of two percentages in points.
func (s *scale) distance(difference float64) string {
	if !s.isAlone {
		return quantity.Number(difference)
	}
	const digits = 4
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(difference/s.weight*(s.high-s.low), 'g', digits, 64), 64)
	if err != nil {
		return quantity.Number(difference)
	}
	return points(rounded, s.unit)
}

// points is an amount by which two values of a unit differ: percentages differ by points.
func points(difference float64, unit string) string {
	switch {
	case unit != "percent":
		return amount(difference, unit)
	case difference == 1:
		return "1 point"
	}
	return quantity.Number(difference) + " points"
}

// criterion returns what was asked by a criterion; nothing if that is not known.
func (b *Background) criterion(id record.Text) *asked {
	if a := b.criteria[string(id)]; a != nil {
		return a
	}
	return &asked{}
}

// unit returns that of an estimate, dollars if it is a sum of prices.
func (b *Background) unit(id record.Text, e *v3.Estimate) string {
	switch {
	case b.criterion(id).isPrice():
		return "USD"
	case e == nil:
		return ""
	}
	return string(e.Unit)
}

// isPrice reports whether a sum is what so many tokens cost.
func (a *asked) isPrice() bool {
	for _, t := range a.Sum {
		if a.units[t.MeasurementKey] != "USD/token" {
			return false
		}
	}
	return len(a.Sum) > 0
}

// estimate is estimateText of what a reason found.
func (b *Background) estimate(r *v3.Reason) (value, interval, basis string) {
	e := r.Estimate
	if e != nil {
		e = new(*r.Estimate)
		e.Unit = record.Text(b.unit(r.Criterion, e))
	}
	return estimateText(r.Actual, e)
}

// legends explain the sums and the scores that the candidates shown have.
func (b *Background) legends(r *v3.Result) (sentences []string) {
	seen := map[record.Text]bool{}
	for i := range r.Ranked {
		for _, reason := range scored(r.Ranked[i].Reasons) {
			a := b.criterion(reason.Criterion)
			if seen[reason.Criterion] {
				continue
			}
			seen[reason.Criterion] = true
			if len(a.Sum) > 0 {
				sentences = append(sentences, criterionText(reason)+" is "+a.sumText()+".")
			}
			if text := a.taskText(); text != "" && reason.Estimate != nil && reason.Estimate.Method != "exact" {
				sentences = append(sentences, "The tasks of "+criterionText(reason)+": "+text+".")
			}
		}
	}
	return sentences
}

// expiryText says until when the numbers of an answer hold, by the day: a price of some months
// ago is not one of today.
func (b *Background) expiryText() string {
	day, _, _ := strings.Cut(b.expires, "T")
	if day == "" {
		return ""
	}
	return "The first of these numbers expires on " + day + "."
}

// sumText says what a sum adds up.
func (a *asked) sumText() string {
	isPrice := a.isPrice()
	var terms []string
	for _, t := range a.Sum {
		key := console.Clip(t.MeasurementKey)
		if isPrice {
			terms = append(terms, quantity.Number(t.Factor)+" tokens of "+key)
		} else {
			terms = append(terms, quantity.Number(t.Factor)+" × "+key)
		}
	}
	if isPrice {
		return "the price of " + enumeration(terms)
	}
	return strings.Join(terms, " + ")
}

// taskText names the tasks, if they are few.
func (a *asked) taskText() string {
	const most = 8
	if len(a.tasks) > most {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a.tasks)) {
		names = append(names, console.Clip(name))
	}
	return enumeration(names)
}
