package v3

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the normal form of a request: what a person left out is filled in, and every
// member is written. See [Request] for an example.

// normalize fills in what a request that was read without fault leaves out.
func (q *Request) normalize() {
	q.confidence = cmp.Or(q.confidence, defaultConfidence)
	if !q.hasCoverage {
		q.minimumCoverage, q.hasCoverage = defaultCoverage, true
	}
	for i := range q.candidates {
		if p := &q.candidates[i].Execution; p.ToolSurface == nil {
			p.ToolSurface = []string{}
		}
	}
	for _, list := range q.criteria {
		for i := range list {
			c := &list[i]
			if c.sum == nil {
				c.measure.normalize(q)
			}
			for j := range c.sum {
				c.sum[j].normalize(q)
			}
			sortTerms(c.sum)
			c.number = c.value.Float()
			c.setTexts()
		}
	}
}

// setTexts sets what results repeat of a criterion.
func (c *criterion) setTexts() {
	c.idJSON, c.keyJSON = canonical.Quote(c.id), "null"
	name := c.idJSON
	if c.sum == nil {
		c.keyJSON = canonical.Quote(c.key)
		name = c.keyJSON
	}
	c.nameJSON = name[1 : len(name)-1]
	var e canonical.Encoder
	catalog.EncodeScalar(&e, c.value)
	c.valueJSON = string(e.Buf)
}

// sortTerms puts terms into the order of their canonical JSON.
func sortTerms(sum []term) {
	type keyed struct {
		text string
		term
	}
	list := make([]keyed, len(sum))
	for i := range sum {
		list[i] = keyed{string(canonical.MustMarshal(sum[i].document())), sum[i]}
	}
	slices.SortFunc(list, func(a, b keyed) int { return canonical.CompareText(a.text, b.text) })
	for i := range list {
		sum[i] = list[i].term
	}
}

func (m *measure) normalize(q *Request) {
	m.about = keys.Find(q.keys, m.key)
	if !m.ownTask {
		m.task = q.task
	}
	if m.sources == 0 {
		m.sources = anySource
	}
}

// JSON is the normal form of the request: canonical JSON with every member
// written. It is a valid request, and its own normal form.
func (q *Request) JSON() string {
	if q.IsEarlier() {
		return string(ijson.MustWriteTagged(q.earlier))
	}
	document := object{
		"schemaVersion": RequestSchema, "task": q.task, "inventory": record.List[record.CandidateV2](q.candidates),
		"minimumCoverage": q.minimumCoverage, "confidence": q.confidence, "target": nil, "choice": nil, "cost": nil,
		"keys": json.RawMessage(ijson.MustWriteTagged(record.List[record.Key](q.keys))),
	}
	if q.target != 0 {
		document["target"] = q.target.String()
	}
	if q.choice != nil {
		document["choice"] = object{"within": q.choice.within, "by": record.Text(q.choice.by)}
	}
	if c := q.cost; c != nil {
		document["cost"] = object{
			"inputTokens": c.input, "outputTokens": c.output, "cachedInputTokens": c.cachedInput,
			"cacheWriteTokens": c.cacheWrite, "requests": c.requests, "resolve": namesOfSteps(c.resolve),
		}
	}
	for role, list := range q.criteria {
		criteria := make([]object, len(list))
		for i := range list {
			criteria[i] = list[i].document()
		}
		document[roleMembers[role]] = criteria
	}
	return string(canonical.MustMarshal(document))
}

// object is a JSON object. Nil is null.
type object map[string]any

func (c *criterion) document() object {
	d := c.measure.document()
	if c.sum != nil {
		for name := range d {
			d[name] = nil
		}
		terms := make([]object, len(c.sum))
		for i := range c.sum {
			terms[i] = c.sum[i].document()
		}
		d["sum"] = terms
	} else {
		d["sum"] = nil
	}
	d["id"] = c.id
	switch c.role {
	case requirement:
		d["operator"], d["value"] = c.operator.String(), c.value
	case preference:
		d["direction"], d["weight"], d["scale"] = c.direction.String(), c.weight, nil
		if c.scale != nil {
			d["scale"] = object{"low": c.scale.low, "high": c.scale.high, "log": c.scale.log}
		}
	case tieBreaker:
		d["direction"] = c.direction.String()
	}
	return d
}

func (t *term) document() object {
	d := t.measure.document()
	d["factor"] = t.factor
	return d
}

// document is the members of a measure, those that a sum excludes.
func (m *measure) document() object {
	d := object{
		"measurementKey": m.key, "aggregation": "", "unit": record.Text(m.unit), "task": m.task,
		"sourceClasses": namesOf(sourceNames, uint32(m.sources)), "transfer": namesOfTransfer(m.transfer),
		"resolve": namesOfSteps(m.resolve),
	}
	if m.aggregation != 0 {
		d["aggregation"] = m.aggregation.String()
	}
	return d
}

func namesOfSteps(steps []step) []string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = stepNames[s-1]
	}
	return names
}
