package rank

import (
	"math"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the rank request of versions 1 and 2: its members, the rules that
// they follow, and its normal form. A requirement reads
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

// Request is a validated and normalized rank request. It is immutable and safe
// for concurrent use; only [ReadRequest] makes one.
type Request struct {
	version      int // 1 or 2
	task         record.RankTaskV2
	candidates   []record.CandidateV2
	requirements []requirement
	preferences  []preference
	advisories   []advisory
	maximum      float64 // the sum of the weights, in order
}

// criterion is what a requirement, a preference and an advisory have in
// common: which measurements they look at and what they make of them.
type criterion struct {
	key         string // of the measurement
	aggregation string // one of aggregations, empty if it has a fault
	sources     sourceClasses
	json        string // the whole entry as canonical JSON, empty if it has a fault
	keyJSON     string // the key as canonical JSON
}

// requirement excludes candidates that do not meet it.
type requirement struct {
	criterion
	operator  string        // empty if it has a fault
	value     record.Scalar // its kind is 0 if it has a fault
	number    float64       // the value, if it is a number
	valueJSON string        // canonical
}

// preference scores candidates.
type preference struct {
	criterion
	direction string // empty if it has a fault
	weight    float64
}

// advisory tells what is known, without any effect on the ranking.
type advisory struct {
	criterion
	id     string
	idJSON string // canonical
}

// The aggregations, which make one value of many.
const (
	aggregateFact        = "fact"
	aggregateMean        = "mean"
	aggregateMin         = "min"
	aggregateMax         = "max"
	aggregateSuccessRate = "success-rate"
	aggregateCount       = "count"
)

// The operators, which hold an actual value against an expected one, and the
// directions, which say which end of a scale is the better one.
const (
	equal    = "eq"
	atLeast  = "gte"
	atMost   = "lte"
	maximize = "maximize"
	minimize = "minimize"
)

// sourceClasses is a set of source classes. The empty set, which no request can
// give, is a list that was left out: every class will do.
type sourceClasses uint8

const (
	firstParty sourceClasses = 1 << iota
	external
)

func sourceClass(name string) sourceClasses {
	switch name {
	case record.FirstParty:
		return firstParty
	case record.External:
		return external
	}
	return 0
}

// admits reports whether a measurement of a class counts.
func (s sourceClasses) admits(class sourceClasses) bool { return s == 0 || s&class != 0 }

// member is the set as a member of canonical JSON with a comma before it, or
// nothing if it was left out.
func (s sourceClasses) member() string {
	switch s {
	case firstParty:
		return `,"sourceClasses":["first-party"]`
	case external:
		return `,"sourceClasses":["external"]`
	case firstParty | external:
		return `,"sourceClasses":["external","first-party"]`
	}
	return ""
}

// The members of a request. Which version has advisories is known once the
// version is read.
var (
	anyRequestShape = ijson.NewShape(append(requestMembers, ijson.Optional("advisories", readAdvisories))...)
	requestShapeV1  = ijson.NewShape(requestMembers...)
	requestShapeV2  = ijson.NewShape(append(requestMembers, ijson.Required("advisories", readAdvisories))...)
)

type requestShape = ijson.Shape[*ijson.Reader, Request]

var requestSchemas = []string{record.RankRequestSchemaV1, record.RankRequestSchemaV2}

var requestMembers = []ijson.ShapeMember[*ijson.Reader, Request]{
	ijson.Required("schemaVersion", func(r *ijson.Reader, q *Request) {
		q.version = 1 + slices.Index(requestSchemas, r.Enum(requestSchemas...))
	}),
	ijson.Required("task", func(r *ijson.Reader, q *Request) { ijson.ReadTagged(r, &q.task) }),
	ijson.Required("inventory", func(r *ijson.Reader, q *Request) {
		q.candidates = readList(r, MaxCandidates, readCandidate, "id", func(c *record.CandidateV2) string { return c.ID })
	}),
	ijson.Required("requirements", func(r *ijson.Reader, q *Request) {
		q.requirements = readList(r, MaxCriteria, readRequirement, "requirement", func(q *requirement) string { return q.json })
	}),
	ijson.Required("preferences", func(r *ijson.Reader, q *Request) {
		at := r.Offset()
		q.preferences = readList(r, MaxCriteria, readPreference, "preference", func(p *preference) string { return p.json })
		for i := range q.preferences {
			q.maximum += q.preferences[i].weight
		}
		if math.IsInf(q.maximum, 0) {
			r.Fail(at, "", "weights must add up to a finite number")
		}
	}),
}

var (
	candidateShape   = ijson.TaggedShape[*ijson.Reader, record.CandidateV2]()
	requirementShape = ijson.TaggedShape(
		ijson.Required("value", func(r *ijson.Reader, q *record.RequirementV2) { q.Value = readValue(r) }),
		ijson.Optional("sourceClasses", func(r *ijson.Reader, q *record.RequirementV2) { q.SourceClasses = readSourceClasses(r) }),
	)
	preferenceShape = ijson.TaggedShape(
		ijson.Required("weight", func(r *ijson.Reader, p *record.PreferenceV2) { p.Weight = readWeight(r) }),
		ijson.Optional("sourceClasses", func(r *ijson.Reader, p *record.PreferenceV2) { p.SourceClasses = readSourceClasses(r) }),
	)
	advisoryShape = ijson.TaggedShape(
		ijson.Optional("sourceClasses", func(r *ijson.Reader, a *record.AdvisoryV2) { a.SourceClasses = readSourceClasses(r) }),
	)
)

// readAdvisories reads them all.
func readAdvisories(r *ijson.Reader, q *Request) {
	q.advisories = readList(r, MaxV2Advisories, readAdvisory, "id", func(a *advisory) string { return a.id })
}

// ReadRequest reads, validates and normalizes a request of either version.
// Faults have code INVALID_RANK_REQUEST: all of the document, in order, each
// with the place where it is in the source.
func ReadRequest(source problem.Source) (*Request, error) {
	q, faults := readDocument(source.Text)
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return q, nil
}

func readDocument(text string) (*Request, problem.List) {
	if len(text) > MaxRequestBytes {
		return nil, problem.List{{Code: problem.InvalidRankRequest, Path: "$", Offset: MaxRequestBytes,
			Reason: "must be at most " + strconv.Itoa(MaxRequestBytes) + " bytes, has " + strconv.Itoa(len(text))}}
	}
	q, hasAdvisories, faults := readRequest(text, anyRequestShape)
	// A version that does not agree with the members shows up in a second
	// reading, in its place among the other faults.
	switch {
	case q.version == 1 && hasAdvisories:
		_, _, faults = readRequest(text, requestShapeV1)
	case q.version == 2 && !hasAdvisories:
		_, _, faults = readRequest(text, requestShapeV2)
	}
	return q, faults
}

func readRequest(text string, shape *requestShape) (q *Request, hasAdvisories bool, faults problem.List) {
	r := ijson.NewReader(text, problem.InvalidRankRequest)
	r.TextLimit = MaxTextBytes
	q = &Request{}
	o := shape.Read(r, q)
	if n := len(q.candidates) * (len(q.requirements) + len(q.preferences)); n > MaxCriterionCells {
		r.Fail(o.Start(), "", "candidates times requirements and preferences must be at most %d, are %d", MaxCriterionCells, n)
	}
	if n := len(q.candidates) * len(q.advisories); n > MaxV2AdvisoryCells {
		r.FailMember(o.Start(), "advisories", "candidates times advisories must be at most %d, are %d", MaxV2AdvisoryCells, n)
	}
	return q, shape.Has(o, "advisories"), r.End()
}

// readList reads a list of at most limit items and sorts them by key, which no two
// may share. An item that failed to be read may have an empty key, and is then like
// no other. A list that is too long is refused as a whole: its items are not
// judged, and none is returned.
func readList[T any](r *ijson.Reader, limit int, readItem func(*ijson.Reader, *T), unique string, key func(*T) string) (items []T) {
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
		var none T
		items = append(items, none)
		readItem(r, &items[len(items)-1])
	}
	slices.SortFunc(items, func(a, b T) int { return canonical.CompareText(key(&a), key(&b)) })
	for i := 1; i < len(items); i++ {
		if again := key(&items[i]); again != "" && again == key(&items[i-1]) {
			r.Fail(at, "", "must hold each %s once: %s is repeated", unique, again)
			break
		}
	}
	return items
}

func readCandidate(r *ijson.Reader, c *record.CandidateV2) { candidateShape.Read(r, c) }

func readRequirement(r *ijson.Reader, q *requirement) {
	var rec record.RequirementV2
	o := requirementShape.Read(r, &rec)
	*q = requirement{criterion: newCriterion(&rec.CriterionV2, rec.SourceClasses), operator: rec.Operator, value: rec.Value}
	if (q.operator == atLeast || q.operator == atMost) && q.value.Kind != 0 && q.value.Kind != '0' {
		r.FailMember(o.Start(), "value", "must be a number when the operator is %s", q.operator)
	}
	if q.isComplete() && q.operator != "" && q.value.Kind != 0 {
		q.number = q.value.Float()
		q.render()
	}
}

func readPreference(r *ijson.Reader, p *preference) {
	var rec record.PreferenceV2
	preferenceShape.Read(r, &rec)
	*p = preference{newCriterion(&rec.CriterionV2, rec.SourceClasses), rec.Direction, rec.Weight}
	if p.isComplete() && p.direction != "" && p.weight > 0 {
		p.render()
	}
}

func readAdvisory(r *ijson.Reader, a *advisory) {
	var rec record.AdvisoryV2
	advisoryShape.Read(r, &rec)
	*a = advisory{criterion: newCriterion(&rec.CriterionV2, rec.SourceClasses), id: rec.ID}
	if a.isComplete() && a.id != "" {
		a.render()
	}
}

func newCriterion(rec *record.CriterionV2, classes []string) criterion {
	c := criterion{key: rec.MeasurementKey, aggregation: rec.Aggregation}
	for _, class := range classes {
		c.sources |= sourceClass(class)
	}
	return c
}

// isComplete reports whether what all criteria have was read without fault.
func (c *criterion) isComplete() bool { return c.key != "" && c.aggregation != "" }

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
		class := r.Enum(record.FirstParty, record.External)
		if class != "" && slices.Contains(classes, class) {
			again = class
		}
		classes = append(classes, class)
	}
	switch {
	case l.OK() && l.Index() < 0:
		r.Fail(l.Start(), "", "must not be empty when it is given")
	case again != "":
		r.Fail(l.Start(), "", "must hold each class once: %q is repeated", again)
	}
	return classes
}

// SchemaVersion is that of version 1 or 2.
func (q *Request) SchemaVersion() string { return requestSchemas[q.version-1] }

// Record returns the fields of the normalized request.
func (q *Request) Record() *record.RankRequestV2 {
	rec := &record.RankRequestV2{}
	ijson.ReadTagged(ijson.NewReader(q.JSON(), ""), rec)
	return rec
}

// JSON is the normalized request as canonical JSON: inventory and advisories by
// id, requirements and preferences by their own canonical JSON, tool surfaces
// and source classes sorted.
func (q *Request) JSON() string {
	var e canonical.Encoder
	e.Raw(`{`)
	if q.version == 2 {
		e.Raw(`"advisories":[`)
		for i := range q.advisories {
			separate(&e, i)
			e.Raw(q.advisories[i].json)
		}
		e.Raw(`],`)
	}
	e.Raw(`"inventory":[`)
	for i := range q.candidates {
		separate(&e, i)
		c := &q.candidates[i]
		e.Raw(`{"execution":`)
		catalog.EncodeProfile(&e, &c.Execution)
		e.Member(`,"id":`, c.ID)
		e.Raw(`,"model":`)
		catalog.EncodeModel(&e, &c.Model)
		e.Raw(`}`)
	}
	e.Raw(`],"preferences":[`)
	for i := range q.preferences {
		separate(&e, i)
		e.Raw(q.preferences[i].json)
	}
	e.Raw(`],"requirements":[`)
	for i := range q.requirements {
		separate(&e, i)
		e.Raw(q.requirements[i].json)
	}
	e.Raw(`],"schemaVersion":"` + q.SchemaVersion() + `","task":`)
	q.encodeTask(&e)
	e.Raw(`}`)
	return string(e.Buf)
}

// separate writes the comma before every item of a list but the first.
func separate(e *canonical.Encoder, i int) {
	if i > 0 {
		e.Raw(`,`)
	}
}

func (q *Request) encodeTask(e *canonical.Encoder) {
	e.Member(`{"family":`, q.task.Family)
	e.MemberOrNull(`,"suite":`, string(q.task.Suite))
	e.Raw(`}`)
}

// The functions below render an entry once, when it is read: it is sorted by
// that text, and results repeat parts of it.

func (q *requirement) render() {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, q.value)
	q.valueJSON = string(e.Buf)
	q.renderAs("", `,"operator":"`+q.operator+`"`+q.sources.member()+`,"value":`+q.valueJSON)
}

func (p *preference) render() {
	weight := string(canonical.AppendNumber(nil, p.weight))
	p.renderAs(`"direction":"`+p.direction+`",`, p.sources.member()+`,"weight":`+weight)
}

func (a *advisory) render() {
	a.idJSON = canonical.Quote(a.id)
	a.renderAs(`"id":`+a.idJSON+`,`, a.sources.member())
}

// renderAs renders a criterion with its other members: those before the key and
// those after it.
func (c *criterion) renderAs(before, after string) {
	c.keyJSON = canonical.Quote(c.key)
	c.json = `{"aggregation":"` + c.aggregation + `",` + before + `"measurementKey":` + c.keyJSON + after + `}`
}
