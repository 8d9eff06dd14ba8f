package v3

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// This file makes the request of a draft from the models and keys that were chosen.

// suffixed is a name with something after it, for which the name is cut where a request has no
// room for both.
func suffixed(name, suffix string) string {
	room := MaxTextBytes - len(suffix)
	if len(name) > room {
		for !utf8.RuneStart(name[room]) {
			room--
		}
		name = name[:room]
	}
	return name + suffix
}

// shortName is the last part of the id of a model.
func shortName(id string) string {
	if name := ijson.Trim(id[strings.LastIndexByte(id, '/')+1:]); name != "" {
		return name
	}
	return id
}

// inventory makes the candidates, called by the short names of their models, by the
// whole ids where these are the same, and by the condition, if there are several.
func (d *drafter) inventory() (list []record.CandidateV2) {
	taken, owners := map[string]bool{}, map[string]string{}
	isShared := map[string]bool{}
	tried := map[string]int{} // by name, so that many candidates of one name take linear time
	for i := range d.candidates {
		id := d.candidates[i].entry.Identity.ID
		name := shortName(id)
		isShared[name] = isShared[name] || owners[name] != "" && owners[name] != id
		owners[name] = id
	}
	for i := range d.candidates {
		c := &d.candidates[i]
		m := &c.entry.Identity
		base := shortName(m.ID)
		if isShared[base] {
			base = m.ID
		}
		if long := ijson.Trim(base + "@" + c.condition); c.isOneOfMany && c.condition != "" && fits(long) {
			base = long
		}
		id := base
		for taken[id] {
			tried[base]++
			id = suffixed(base, fmt.Sprintf("-%d", tried[base]+1))
		}
		taken[id] = true
		made := record.CandidateV2{ID: id, Model: *m}
		made.Execution.Runtime.ID = c.runtime
		if c.hasWorkflow {
			made.Execution.Workflow = record.Workflow{ID: record.OwnWorkflow, Condition: record.Text(c.condition)}
		}
		list = append(list, made)
	}
	return list
}

// criteriaOf makes the criteria of a role.
func (d *drafter) criteriaOf(role role) (list []criterion) {
	required := map[*surveyedKey]int{}
	for i := range d.criteria {
		c := &d.criteria[i]
		if c.role != role || c.role == tieBreaker && c.direction == 0 { // a price
			continue
		}
		made := criterion{role: role, measure: c.key.measure()}
		if !c.key.Fact && d.lendsRevisions() {
			made.transfer |= dimModelRevision
		}
		switch role {
		case requirement:
			if required[c.key]++; required[c.key] > 1 {
				made.id = d.criterionID("requirement:"+c.key.Key, fmt.Sprintf(":%d", required[c.key]))
			}
			made.operator, made.value = d.expected(c)
		case tieBreaker:
			made.direction = c.direction
		case preference:
			made.direction, made.weight, made.scale = c.direction, cmp.Or(c.weight, 1), d.ends(c.key)
		}
		if made.id == "" {
			made.id = d.longID(c.key, role)
		}
		list = append(list, made)
	}
	return list
}

// cost returns the cost of a task, if the question asks for it.
func (d *drafter) cost() *taskCost {
	if !d.question.asksCost() {
		return nil
	}
	c := d.question.task()
	c.resolve = priceResolve
	return c
}

// withinShare returns how far below the best the choice may be, as a share of the scale.
func (d *drafter) withinShare() record.Float {
	if share := d.question.Within; share.Known || !d.question.Cheapest {
		return share
	}
	return record.NewFloat(cheapestWithin)
}

// choice returns how the question chooses, nil for the best score.
func (d *drafter) choice(q *Request) *choice {
	share := d.withinShare()
	if !share.Known {
		return nil
	}
	maximum := 0.0
	for i := range q.criteria[preference] {
		maximum += q.criteria[preference][i].weight
	}
	by := CostID
	if made := q.criteria[tieBreaker]; len(made) > 0 {
		by = cmp.Or(made[0].id, roleNames[tieBreaker]+":"+made[0].key)
	}
	return &choice{within: share.Value * maximum, by: by}
}

// usedKeys returns what the dictionary says of the keys that the question asks about, where a
// ranking depends on it.
func (d *drafter) usedKeys() (list []record.Key) {
	for i := range d.criteria {
		c := &d.criteria[i]
		if k := c.key.about; k != nil && (c.role != tieBreaker || c.direction != 0) &&
			(k.Bounds != nil || k.Size != nil || len(k.Joins) > 0) &&
			!slices.ContainsFunc(list, func(known record.Key) bool { return known.Key == k.Key }) {
			list = append(list, *k)
		}
	}
	slices.SortFunc(list, func(a, b record.Key) int { return canonical.CompareText(a.Key, b.Key) })
	return list
}

// rangeOf returns the least and the greatest number of the candidates or, if they have
// none, of all models.
func (d *drafter) rangeOf(k *surveyedKey) scale {
	if r, ok := d.ranges[k]; ok {
		return r
	}
	return k.numbers
}

// expected returns the operator and the value of a requirement. One by a key alone is met by
// every candidate that has a number.
func (d *drafter) expected(c *draftCriterion) (operator, record.Scalar) {
	number := func(f float64) record.Scalar {
		return record.Scalar{Kind: '0', Text: string(canonical.AppendNumber(nil, f))}
	}
	switch {
	case c.operator == equal:
		return equal, c.value
	case c.operator != 0:
		return c.operator, number(c.limit)
	}
	return atLeast, number(d.rangeOf(c.key).low)
}

// ends returns the scale of a preference, or nil.
func (d *drafter) ends(k *surveyedKey) *scale {
	ends := d.rangeOf(k)
	switch {
	case k.kinds == "t":
		ends = scale{low: 0, high: 1}
	case k.kinds != "0":
		return nil
	case k.about != nil && k.about.Bounds != nil && k.about.Bounds.Low <= k.numbers.low &&
		k.numbers.high <= k.about.Bounds.High:
		ends = scale{low: k.about.Bounds.Low, high: k.about.Bounds.High}
	case slices.Equal(k.units, []string{"percent"}):
		ends = scale{low: 0, high: 100}
	case k.isPrice() && ends.low > 0:
		ends.log = true
	}
	if ends.low >= ends.high {
		return nil
	}
	return &ends
}

// aggregation is what makes one value of those that a candidate has.
func (k *surveyedKey) aggregation() aggregation {
	switch {
	case k.Fact:
		return aggregateFact
	case k.kinds == "0":
		return aggregateMean
	case k.kinds == "t":
		return aggregateSuccessRate
	}
	return aggregateCount
}

// fits reports whether a request can hold what a criterion says of the key, whose id has
// the role before it.
func (k *surveyedKey) fits() bool {
	return fits("requirement:"+k.Key, strings.Join(k.units, ""))
}

// longID returns the id that a criterion needs because the one that it would have is too long,
// or else nothing.
func (d *drafter) longID(k *surveyedKey, role role) string {
	if fits(roleNames[requirement] + ":" + k.Key) {
		return ""
	}
	return d.criterionID(k.Key, ":"+roleNames[role])
}

// criterionID is [suffixed] for an id, which no other criterion has. Names that differ only
// where they are cut are counted.
func (d *drafter) criterionID(name, suffix string) string {
	id := suffixed(name, suffix)
	for n := 2; d.ids[id]; n++ {
		id = suffixed(name, fmt.Sprintf("%s-%d", suffix, n))
	}
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	d.ids[id] = true
	return id
}

// measure is how the key is read.
func (k *surveyedKey) measure() measure {
	m := measure{key: k.Key, aggregation: k.aggregation()}
	if len(k.units) == 1 {
		m.unit = k.units[0]
	}
	if k.isPerRuntime() {
		if k.isPerRuntimePrice() {
			m.resolve = priceResolve
		}
		return m
	}
	m.transfer, m.resolve = wholeExecution, draftResolve
	if k.hasConditions {
		m.transfer = draftTransfer
	}
	return m
}

// Over what drafts transfer a sample that was measured elsewhere, all but the condition, such
// as how long a model may think, and how they choose among what differs. The page has the
// same lists.
const draftTransfer = wholeExecution &^ (dimExecution | dimWorkflowCondition)

var draftResolve = []step{mostSpecific, newest}

// priceResolve is how drafts choose among prices that contradict each other: nobody pays more than
// the highest.
var priceResolve = []step{highest}

// DraftTransfer returns the names of what drafts transfer.
func DraftTransfer() []string { return namesOfTransfer(draftTransfer) }

// DraftResolve returns the names of the steps by which drafts choose.
func DraftResolve() []string { return namesOfSteps(draftResolve) }
