package rank

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// Request is a validated and normalized rank request. It is immutable and safe
// for concurrent use; only [ReadRequest] makes one.
type Request struct {
	version       int // 1 or 2
	family, suite string
	candidates    []candidate
	requirements  []requirement
	preferences   []preference
	advisories    []advisory
	maximum       float64 // the sum of the weights, in order
}

// candidate is a model that the caller can launch, and how.
type candidate struct {
	id        string
	model     catalog.Model
	execution catalog.Profile
}

// criterion is what a requirement, a preference and an advisory have in
// common: which measurements they look at and what they make of them.
type criterion struct {
	key         string // of the measurement
	aggregation aggregation
	sources     sourceClasses
	json        string // the whole entry as canonical JSON
	keyJSON     string // the key as canonical JSON
}

// requirement excludes candidates that do not meet it.
type requirement struct {
	criterion
	operator  operator
	value     catalog.Scalar
	number    float64 // the value, if it is a number
	valueJSON string  // canonical
}

// preference scores candidates.
type preference struct {
	criterion
	direction direction
	weight    float64
}

// advisory tells what is known, without any effect on the ranking.
type advisory struct {
	criterion
	id     string
	idJSON string // canonical
}

// aggregation makes one value of many. The zero value is none.
type aggregation uint8

const (
	aggregateFact aggregation = iota + 1
	aggregateMean
	aggregateMin
	aggregateMax
	aggregateSuccessRate
	aggregateCount
)

var aggregationNames = []string{"fact", "mean", "min", "max", "success-rate", "count"}

func (a aggregation) String() string { return aggregationNames[a-1] }

// operator holds an actual value against an expected one. The zero value is none.
type operator uint8

const (
	equal operator = iota + 1
	atLeast
	atMost
)

var operatorNames = []string{"eq", "gte", "lte"}

func (o operator) String() string { return operatorNames[o-1] }

// direction tells which end of the scale is the better one. The zero value is none.
type direction uint8

const (
	maximize direction = iota + 1
	minimize
)

var directionNames = []string{"maximize", "minimize"}

func (d direction) String() string { return directionNames[d-1] }

// sourceClasses is a set of source classes. The empty set, which no request can
// give, stands for a list that was left out: every class will do.
type sourceClasses uint8

const (
	firstParty sourceClasses = 1 << iota
	external
)

func sourceClass(name string) sourceClasses {
	switch name {
	case catalog.FirstParty:
		return firstParty
	case catalog.External:
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
		encodeCandidate(&e, &q.candidates[i])
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
	e.Raw(`],"schemaVersion":"`)
	if q.version == 2 {
		e.Raw(RequestSchemaV2)
	} else {
		e.Raw(RequestSchemaV1)
	}
	e.Raw(`","task":`)
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

func encodeCandidate(e *canonical.Encoder, c *candidate) {
	e.Raw(`{"execution":`)
	catalog.EncodeProfile(e, &c.execution)
	e.Raw(`,"id":`)
	e.Text(c.id)
	e.Raw(`,"model":`)
	catalog.EncodeModel(e, &c.model)
	e.Raw(`}`)
}

func (q *Request) encodeTask(e *canonical.Encoder) {
	e.Raw(`{"family":`)
	e.Text(q.family)
	e.Raw(`,"suite":`)
	e.TextOrNull(q.suite)
	e.Raw(`}`)
}

// The functions below render an entry once, when it is read: it is sorted by
// that text, and results repeat parts of it.

func (q *requirement) render() {
	var e canonical.Encoder
	q.begin(&e, "")
	e.Raw(`,"operator":"` + q.operator.String() + `"` + q.sources.member() + `,"value":`)
	start := len(e.Buf)
	catalog.EncodeScalar(&e, q.value)
	end := len(e.Buf)
	q.finish(&e)
	q.valueJSON = q.json[start:end]
}

func (q *preference) render() {
	var e canonical.Encoder
	q.begin(&e, `"direction":"`+q.direction.String()+`",`)
	e.Raw(q.sources.member() + `,"weight":`)
	e.Number(q.weight)
	q.finish(&e)
}

func (q *advisory) render() {
	var e canonical.Encoder
	e.Text(q.id)
	q.idJSON = string(e.Buf)
	e.Buf = e.Buf[:0]
	q.begin(&e, `"id":`+q.idJSON+`,`)
	e.Raw(q.sources.member())
	q.finish(&e)
}

// begin writes the members up to the key; between them come those given.
func (c *criterion) begin(e *canonical.Encoder, members string) {
	e.Raw(`{"aggregation":"` + c.aggregation.String() + `",` + members + `"measurementKey":`)
	start := len(e.Buf)
	e.Text(c.key)
	c.keyJSON = string(e.Buf[start:])
}

func (c *criterion) finish(e *canonical.Encoder) {
	e.Raw(`}`)
	c.json = string(e.Buf)
}
