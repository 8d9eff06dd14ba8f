// Package rank reads what stays as it is of ranking: requests and results of versions 1 and 2.
//
// Package v3 ranks by requests of every version: a request that [ReadRequest] reads comes to what a
// catalog has on each criterion, in one value for each candidate, or to why there is none. A
// requirement without a value excludes its candidate. A preference gives each candidate that has a
// value its weight times the place of that value between the worst and the best one: with prices of
// 0.5, 2 and 12 and weight 2 the contributions are 2, 1.739... and 0. The score is the sum.
package rank

import (
	"math"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// This file reads rank requests of versions 1 and 2: the rules that their members follow, and
// their normal form. A requirement reads
//
//	{ "measurementKey": "price.input", "aggregation": "fact", "operator": "lte", "value": 10 }

// The bounds of a request. All are checked before anything is evaluated, so
// that no request makes the evaluation dear.
const (
	MaxRequestBytes    = 1 << 20 // bytes of the document
	MaxCandidates      = 128     // candidates in the inventory
	MaxCriteria        = 128     // requirements, and separately preferences
	MaxCriterionCells  = 2048    // candidates times requirements and preferences
	MaxTextBytes       = 256     // bytes of UTF-8 in each text
	MaxV2Advisories    = 64      // advisories
	MaxV2AdvisoryCells = 1024    // candidates times advisories
)

// The members of a request. Which version has advisories is known once the
// version is read.
var (
	anyRequestShape = newRequestShape(ijson.Optional("advisories", readAdvisories))
	requestShapeV1  = newRequestShape(ijson.Absent[*ijson.Reader, record.RankRequestV2]("advisories"))
	requestShapeV2  = newRequestShape(ijson.Required("advisories", readAdvisories))
)

type requestShape = ijson.Shape[*ijson.Reader, record.RankRequestV2]

func newRequestShape(advisories ijson.ShapeMember[*ijson.Reader, record.RankRequestV2]) *requestShape {
	return ijson.TaggedShape(
		ijson.Required("inventory", func(r *ijson.Reader, q *record.RankRequestV2) {
			q.Inventory = readList(r, MaxCandidates, readCandidate, "id")
		}),
		ijson.Required("requirements", func(r *ijson.Reader, q *record.RankRequestV2) {
			q.Requirements = readList(r, MaxCriteria, readRequirement, "requirement")
		}),
		ijson.Required("preferences", readPreferences),
		advisories)
}

var (
	candidateShape   = ijson.TaggedShape[*ijson.Reader, record.CandidateV2]()
	requirementShape = ijson.TaggedShape(
		ijson.Required("value", func(r *ijson.Reader, q *record.RequirementV2) { q.Value = readValue(r) }),
		ijson.Optional("sourceClasses",
			func(r *ijson.Reader, q *record.RequirementV2) { q.SourceClasses = readSourceClasses(r) }),
	)
	preferenceShape = ijson.TaggedShape(
		ijson.Required("weight", func(r *ijson.Reader, p *record.PreferenceV2) { p.Weight = readWeight(r) }),
		ijson.Optional("sourceClasses",
			func(r *ijson.Reader, p *record.PreferenceV2) { p.SourceClasses = readSourceClasses(r) }),
	)
	advisoryShape = ijson.TaggedShape(
		ijson.Optional("sourceClasses",
			func(r *ijson.Reader, a *record.AdvisoryV2) { a.SourceClasses = readSourceClasses(r) }),
	)
)

// ReadRequest reads and validates a request of version 1 or 2 and returns its normal form:
// inventory and advisories by id, requirements and preferences by their own canonical JSON, tool
// surfaces and source classes sorted. Faults have code INVALID_RANK_REQUEST: all of the document,
// in order, each with the place where it is in the source.
func ReadRequest(source problem.Source) (*record.RankRequestV2, error) {
	q, faults := readDocument(source.Text)
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return q, nil
}

func readDocument(text string) (*record.RankRequestV2, problem.List) {
	if len(text) > MaxRequestBytes {
		return nil, problem.List{{Code: problem.InvalidRankRequest, Path: "$", Offset: MaxRequestBytes,
			Reason: "must be at most " + strconv.Itoa(MaxRequestBytes) + " bytes, has " + strconv.Itoa(len(text))}}
	}
	q, hasAdvisories, faults := readRequest(text, anyRequestShape)
	// A version that does not agree with the members shows up in a second
	// reading, in its place among the other faults.
	switch {
	case q.SchemaVersion == record.RankRequestSchemaV1 && hasAdvisories:
		_, _, faults = readRequest(text, requestShapeV1)
	case q.SchemaVersion == record.RankRequestSchemaV2 && !hasAdvisories:
		_, _, faults = readRequest(text, requestShapeV2)
	}
	return q, faults
}

func readRequest(text string, shape *requestShape) (q *record.RankRequestV2, hasAdvisories bool, faults problem.List) {
	r := ijson.NewReader(text, problem.InvalidRankRequest)
	r.TextLimit = MaxTextBytes
	q = &record.RankRequestV2{}
	o := shape.Read(r, q)
	if n := len(q.Inventory) * (len(q.Requirements) + len(q.Preferences)); n > MaxCriterionCells {
		r.Fail(o.Start(), "", "candidates times requirements and preferences must be at most %d, are %d", MaxCriterionCells,
			n)
	}
	if n := len(q.Inventory) * len(q.Advisories); n > MaxV2AdvisoryCells {
		r.FailMember(o.Start(), "advisories", "candidates times advisories must be at most %d, are %d", MaxV2AdvisoryCells, n)
	}
	return q, shape.Has(o, "advisories"), r.End()
}

// readList reads a list of at most limit items and sorts them by their keys, which no two
// may share. An item that failed to be read may have an empty key, and is then like
// no other. A list that is too long is refused as a whole: its items are not
// judged, and none is returned.
func readList[T any](r *ijson.Reader, limit int, readItem func(*ijson.Reader, *T) (key string),
	unique string) (items []T) {
	type keyed struct {
		key  string
		item T
	}
	var list []keyed
	at := r.Offset()
	before := *r
	l := r.List()
	for l.Next() {
		if l.Index() == limit {
			*r = before // as if no item had been read
			r.Skip()
			r.Fail(at, "", "must have at most %d entries", limit)
			return nil
		}
		list = append(list, keyed{})
		k := &list[len(list)-1]
		k.key = readItem(r, &k.item)
	}
	slices.SortFunc(list, func(a, b keyed) int { return canonical.CompareText(a.key, b.key) })
	for i := 1; i < len(list); i++ {
		if again := list[i].key; again != "" && again == list[i-1].key {
			r.Fail(at, "", "must hold each %s once: %s is repeated", unique, again)
			break
		}
	}
	items = make([]T, len(list))
	for i := range list {
		items[i] = list[i].item
	}
	return items
}

func readCandidate(r *ijson.Reader, c *record.CandidateV2) (key string) {
	candidateShape.Read(r, c)
	return c.ID
}

func readRequirement(r *ijson.Reader, q *record.RequirementV2) (key string) {
	o := requirementShape.Read(r, q)
	if (q.Operator == "gte" || q.Operator == "lte") && q.Value.Kind != 0 && q.Value.Kind != '0' {
		r.FailMember(o.Start(), "value", "must be a number when the operator is %s", q.Operator)
	}
	return keyOf(q, isComplete(&q.CriterionV2) && q.Operator != "" && q.Value.Kind != 0)
}

// readPreferences reads them all.
func readPreferences(r *ijson.Reader, q *record.RankRequestV2) {
	at := r.Offset()
	q.Preferences = readList(r, MaxCriteria, func(r *ijson.Reader, p *record.PreferenceV2) string {
		preferenceShape.Read(r, p)
		return keyOf(p, isComplete(&p.CriterionV2) && p.Direction != "" && p.Weight > 0)
	}, "preference")
	maximum := 0.0
	for i := range q.Preferences {
		maximum += q.Preferences[i].Weight
	}
	if math.IsInf(maximum, 0) {
		r.Fail(at, "", "weights must add up to a finite number")
	}
}

// readAdvisories reads them all.
func readAdvisories(r *ijson.Reader, q *record.RankRequestV2) {
	q.Advisories = readList(r, MaxV2Advisories, func(r *ijson.Reader, a *record.AdvisoryV2) string {
		advisoryShape.Read(r, a)
		return a.ID
	}, "id")
}

// keyOf returns the key of a criterion in its list: its canonical JSON, unless it was read with a
// fault.
func keyOf(criterion any, isComplete bool) string {
	if !isComplete {
		return ""
	}
	return string(ijson.MustWriteTagged(criterion))
}

// isComplete reports whether what all criteria have was read without fault.
func isComplete(c *record.CriterionV2) bool { return c.MeasurementKey != "" && c.Aggregation != "" }

// readValue reads a requirement's value. After a fault its kind is 0.
func readValue(r *ijson.Reader) (v record.Scalar) {
	if r.Kind() == '"' {
		v = record.Scalar{Kind: '"', Text: r.Text()}
	} else {
		v = r.Scalar()
	}
	if isBool := v.Kind == 't' || v.Kind == 'f'; v.Text == "" && !isBool {
		return record.Scalar{}
	}
	return v
}

// readWeight reads a number above zero; it returns 0 after a fault.
func readWeight(r *ijson.Reader) float64 {
	at := r.Offset()
	text := r.Number()
	weight := record.Scalar{Kind: '0', Text: text}.Float()
	if text != "" && weight <= 0 {
		r.Fail(at, "", "must be a number above zero")
		return 0
	}
	return weight
}

// readSourceClasses reads a list of one class or both.
func readSourceClasses(r *ijson.Reader) (classes []string) {
	again := ""
	l := r.List()
	for l.Next() {
		switch class := r.Enum(record.FirstParty, record.External); {
		case class == "":
		case slices.Contains(classes, class):
			again = class
		default:
			classes = append(classes, class)
		}
	}
	switch {
	case l.OK() && l.Index() < 0:
		r.Fail(l.Start(), "", "must not be empty when it is given")
	case again != "":
		r.Fail(l.Start(), "", "must hold each class once: %q is repeated", again)
	}
	slices.Sort(classes)
	return classes
}
