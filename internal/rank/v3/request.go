package v3

import (
	"math"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// RequestSchema is the schema version of a request.
const RequestSchema = "service.rank.request/v3"

// The bounds of a request. All are checked before anything is evaluated, so that
// no request makes the evaluation dear. A criterion that is a sum counts as many
// times as it has terms.
const (
	MaxRequestBytes   = 1 << 20 // bytes of the document
	MaxCriteria       = 192     // requirements, and separately preferences and tie breakers
	MaxKeys           = 128     // entries of the dictionary of keys
	MaxTerms          = 32      // terms of a sum
	MaxTextBytes      = 256     // bytes of UTF-8 in each text
	MaxCriterionCells = 1 << 16 // candidates times criteria
)

// Request is a validated and normalized request. It is immutable and safe for
// concurrent use; only [ReadRequest] makes one.
//
// A request that a person writes is short, since most members may be left out:
//
//	{ "schemaVersion": "service.rank.request/v3",
//	  "inventory": [{ "id": "atlas", "model": { "id": "acme/atlas" } }],
//	  "preferences": [{ "measurementKey": "swe-bench.resolved", "aggregation": "success-rate",
//	                    "transfer": ["execution"], "direction": "maximize", "weight": 1 }] }
//
// In the normal form every member is written: the preference has the id
// preference:swe-bench.resolved, reads every task, both source classes and any
// unit, resolves nothing, and has no scale.
type Request struct {
	task            Task
	candidates      []record.CandidateV2 // by id
	criteria        [roles][]criterion
	minimumCoverage float64
	confidence      float64
	target          target
	choice          *choice
	cost            *taskCost
	keys            []record.Key          // by key
	hasCoverage     bool                  // minimumCoverage was given
	maximum         float64               // the sum of the weights, in order
	earlier         *record.RankRequestV2 // of version 1 or 2, in normal form, or nil
	notes           []string              // that the answer shall have besides its own; no part of the document
}

// Noting returns the request with sentences that an answer to it shall have: what whoever asks
// knows of the catalog and the catalog does not say.
func (q *Request) Noting(notes []string) *Request {
	noting := *q
	noting.notes = notes
	return &noting
}

// Candidates returns the candidates, by id. Nobody may change them.
func (q *Request) Candidates() []record.CandidateV2 { return q.candidates }

// role is what a criterion is there for. Roles stand in the order in which
// requests list them.
type role uint8

const (
	requirement role = iota // excludes candidates that do not meet it
	preference              // scores candidates
	tieBreaker              // orders candidates of equal scores, and chooses among good ones
	roles
)

var roleNames = []string{"requirement", "preference", "tieBreaker"}

// roleMembers are the members of a request that hold the criteria of a role.
var roleMembers = []string{"requirements", "preferences", "tieBreakers"}

// criterion is what a candidate is judged by: one measure, or a sum of several.
type criterion struct {
	role role
	id   string
	measure
	sum []term // in normal order; if there is any, the measure has nothing

	operator  operator      // of a requirement
	value     record.Scalar // of a requirement
	number    float64       // the value, if it is one
	direction direction     // of a preference and a tie breaker
	weight    float64       // of a preference
	scale     *scale        // of a preference, or nil

	// What results repeat, as canonical JSON.
	idJSON, keyJSON, valueJSON string
	nameJSON                   string // the measurement key or, of a sum, the id, without quotes
}

// term is one part of a sum.
type term struct {
	measure
	factor float64
	prices []string // of a part of the cost of a task: keys that stand for the measure, the first that is known
}

// measure says which measurements are read and what is made of them: the members
// that a criterion without sum and a term have in common. But for key and
// aggregation they are called evidence options.
type measure struct {
	key         string
	aggregation aggregation
	unit        string // "" for any and none
	task        Task
	ownTask     bool // it has a task that is not the request's
	sources     sourceClasses
	transfer    dimensions // as given
	resolve     []step
	about       *record.Key // what the request says of the key, or nil
}

// scale fixes the ends of a preference.
type scale struct {
	low, high float64
	log       bool // places go by the logarithm
}

// admits reports whether a task is chosen by another one, of which each member that is not "" must
// be equal. An observation without a task speaks of every task.
func admits(s, t *Task) bool {
	return t.Family == "" ||
		(s.Family == "" || s.Family == t.Family) && (s.Suite == "" || s.Suite == t.Suite) &&
			(s.TaskID == "" || s.TaskID == t.TaskID)
}

// The vocabularies of a request. The zero value of each is none of them.
type (
	aggregation uint8 // makes one value of many
	operator    uint8 // holds an actual value against an expected one
	direction   uint8 // tells which end of a scale is the better one
	step        uint8 // chooses among evidence that differs
	target      uint8 // what an interval is about
)

const (
	aggregateFact aggregation = iota + 1
	aggregateMean
	aggregateMin
	aggregateMax
	aggregateSuccessRate
	aggregateCount
)

const (
	equal operator = iota + 1
	atLeast
	atMost
)

const (
	maximize direction = iota + 1
	minimize
)

const (
	mostSpecific step = iota + 1
	ownParty
	newest
	highest // of facts that are numbers
)

const (
	targetBenchmark target = iota + 1 // would this benchmark give the same number again
	targetTasks                       // would other tasks of the kind give it
)

var (
	aggregationNames = []string{"fact", "mean", "min", "max", "success-rate", "count"}
	operatorNames    = []string{"eq", "gte", "lte"}
	directionNames   = []string{"maximize", "minimize"}
	stepNames        = []string{"most-specific", "first-party", "newest", "highest"}
	targetNames      = []string{"benchmark", "tasks"}
	sourceNames      = []string{record.External, record.FirstParty} // in order
)

func (a aggregation) String() string { return aggregationNames[a-1] }
func (o operator) String() string    { return operatorNames[o-1] }
func (d direction) String() string   { return directionNames[d-1] }
func (t target) String() string      { return targetNames[t-1] }

// sourceClasses is a set of source classes; bits stand in the order of sourceNames.
type sourceClasses uint8

const (
	external sourceClasses = 1 << iota
	firstParty
	anySource = external | firstParty
)

// What a request has that gives none: that of intervals and comparisons, and the share of the
// weight for which a candidate must have evidence.
const defaultConfidence, defaultCoverage = 0.95, 1

// ReadRequest reads, validates and normalizes a request. One whose schemaVersion is that of version
// 1 or 2 is read by their rules, any other by those of version 3. Faults have code
// INVALID_RANK_REQUEST: all of the document, in order, each with the place where it stands in the
// source.
func ReadRequest(source problem.Source) (*Request, error) {
	switch schemaVersion(source.Text) {
	case record.RankRequestSchemaV1, record.RankRequestSchemaV2:
		q, err := rank.ReadRequest(source)
		if err != nil {
			return nil, err
		}
		return newEarlier(q), nil
	}
	q, faults := readDocument(source.Text)
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return q, nil
}

// IsQuestion reports whether a document is a question, by its schemaVersion.
func IsQuestion(text string) bool { return schemaVersion(text) == record.RankQuestionSchema }

// schemaVersion returns that of a document, or "". It reads as far as that member.
func schemaVersion(text string) string {
	r := ijson.NewReader(text, "")
	for n := r.Names(); n.Next(); r.Skip() {
		if n.Name() == "schemaVersion" && r.Kind() == '"' {
			return r.String()
		}
	}
	return ""
}

func readDocument(text string) (*Request, problem.List) {
	if len(text) > MaxRequestBytes {
		return nil, problem.List{{Code: problem.InvalidRankRequest, Path: "$", Offset: MaxRequestBytes,
			Reason: "must be at most " + strconv.Itoa(MaxRequestBytes) + " bytes, has " + strconv.Itoa(len(text))}}
	}
	q, faults := readRequest(text, nil)
	// An id may stand in one list alone. Which list comes first is not said by the
	// text, so that this shows up in a second reading.
	if before, again := q.idsBefore(); again {
		_, faults = readRequest(text, &before)
	}
	// Earlier versions have advisories: beside a wrong version they are no fault of their own.
	if slices.ContainsFunc(faults, func(f *problem.Error) bool { return f.Path == "$.schemaVersion" }) {
		faults = slices.DeleteFunc(faults, func(f *problem.Error) bool { return f.Path == "$.advisories" })
	}
	if faults != nil {
		return nil, faults
	}
	q.normalize()
	return q, nil
}

func readRequest(text string, before *idLists) (*Request, problem.List) {
	r := requestReader{ijson.NewReader(text, problem.InvalidRankRequest), before}
	r.TextLimit = MaxTextBytes
	q := &Request{}
	o := requestShape.Read(r, q)
	if n := len(q.candidates) * q.cells(); n > MaxCriterionCells {
		r.Fail(o.Start(), "", "candidates times requirements, preferences and tie breakers must be at most %d, are %d",
			MaxCriterionCells, n)
	}
	q.checkChoice(r, o.Start())
	return q, r.End()
}

// idLists holds, for each role, the ids of the criteria in lists before its own.
type idLists [roles]map[string]bool

// idsBefore returns the ids in the lists before each, and whether any is there again.
func (q *Request) idsBefore() (before idLists, again bool) {
	all := map[string]bool{}
	for i, list := range q.criteria {
		before[i] = map[string]bool{}
		for id := range all {
			before[i][id] = true
		}
		for j := range list {
			id := list[j].id
			again = again || before[i][id] && id != ""
			all[id] = true
		}
	}
	return before, again
}

// requestReader reads a request.
type requestReader struct {
	*ijson.Reader
	before *idLists // or nil, in the first reading
}

// The shapes of a request and its parts. Throughout, null is the same as left out.
var (
	requestShape = ijson.NewSparseShape(
		ijson.Required("schemaVersion", func(r requestReader, q *Request) {
			readSchema(r.Reader, record.RankRequestSchemaV1, record.RankRequestSchemaV2, RequestSchema)
		}),
		ijson.Optional("task", func(r requestReader, q *Request) { taskShape.Read(r, &q.task) }),
		ijson.Required("inventory", func(r requestReader, q *Request) { q.candidates = readInventory(r) }),
		ijson.Optional(roleMembers[requirement], func(r requestReader,
			q *Request) {
			q.readCriteria(r, requirement, MaxCriteria)
		}),
		ijson.Optional(roleMembers[preference], func(r requestReader,
			q *Request) {
			q.readCriteria(r, preference, MaxCriteria)
		}),
		ijson.Optional(roleMembers[tieBreaker], func(r requestReader,
			q *Request) {
			q.readCriteria(r, tieBreaker, MaxCriteria)
		}),
		ijson.Optional("minimumCoverage", func(r requestReader, q *Request) {
			q.hasCoverage = true
			q.minimumCoverage = readNumber(r, "must be a number from 0 to 1", func(f float64) bool { return f >= 0 && f <= 1 })
		}),
		ijson.Optional("confidence", func(r requestReader, q *Request) {
			q.confidence = readNumber(r, "must be a number from 0.5 to 0.9999",
				func(f float64) bool { return f >= 0.5 && f <= 0.9999 })
		}),
		ijson.Optional("target", func(r requestReader, q *Request) { q.target = readName[target](r, targetNames) }),
		ijson.Optional("choice", func(r requestReader, q *Request) {
			q.choice = &choice{}
			choiceShape.Read(r, q.choice)
		}),
		ijson.Optional("cost", func(r requestReader, q *Request) {
			q.cost = &taskCost{}
			costShape.Read(r, q.cost)
		}),
		ijson.Optional("keys", readKeys),
	)
	taskShape = ijson.NewSparseShape(
		ijson.Optional("family", func(r requestReader, t *Task) { t.Family = record.Text(r.Text()) }),
		ijson.Optional("suite", func(r requestReader, t *Task) { t.Suite = record.Text(r.Text()) }),
		ijson.Optional("taskId", func(r requestReader, t *Task) { t.TaskID = record.Text(r.Text()) }),
	)
	candidateShape = ijson.NewSparseShape(
		ijson.Required("id", func(r requestReader, c *record.CandidateV2) { c.ID = r.Text() }),
		ijson.Required("model", func(r requestReader, c *record.CandidateV2) { modelShape.Read(r, &c.Model) }),
		ijson.Optional("execution", func(r requestReader, c *record.CandidateV2) { profileShape.Read(r, &c.Execution) }),
	)
	modelShape = ijson.NewSparseShape(
		ijson.Required("id", func(r requestReader, m *record.Model) { m.ID = r.Text() }),
		ijson.Optional("revision", func(r requestReader, m *record.Model) { m.Revision = record.Text(r.Text()) }),
		ijson.Optional("quantization", func(r requestReader, m *record.Model) { m.Quantization = record.Text(r.Text()) }),
	)
	profileShape = ijson.NewSparseShape(
		ijson.Optional("runtime", func(r requestReader, p *record.Profile) { componentShape.Read(r, &p.Runtime) }),
		ijson.Optional("adapter", func(r requestReader, p *record.Profile) { componentShape.Read(r, &p.Adapter) }),
		ijson.Optional("effectiveContextTokens", func(r requestReader,
			p *record.Profile) {
			p.EffectiveContextTokens = readCount(r)
		}),
		ijson.Optional("toolSurface", func(r requestReader, p *record.Profile) { p.ToolSurface = r.UniqueTexts() }),
		ijson.Optional("hardware", func(r requestReader, p *record.Profile) { hardwareShape.Read(r, &p.Hardware) }),
		ijson.Optional("workflow", func(r requestReader, p *record.Profile) { workflowShape.Read(r, &p.Workflow) }),
	)
	componentShape = ijson.NewSparseShape(
		ijson.Required("id", func(r requestReader, c *record.Component) { c.ID = r.Text() }),
		ijson.Optional("version", func(r requestReader, c *record.Component) { c.Version = record.Text(r.Text()) }),
	)
	hardwareShape = ijson.NewSparseShape(
		ijson.Required("class", func(r requestReader, h *record.Hardware) { h.Class = r.Text() }),
		ijson.Optional("accelerator", func(r requestReader, h *record.Hardware) { h.Accelerator = record.Text(r.Text()) }),
		ijson.Optional("memoryBytes", func(r requestReader, h *record.Hardware) { h.MemoryBytes = readCount(r) }),
	)
	workflowShape = ijson.NewSparseShape(
		ijson.Required("id", func(r requestReader, w *record.Workflow) { w.ID = r.Text() }),
		ijson.Optional("version", func(r requestReader, w *record.Workflow) { w.Version = record.Text(r.Text()) }),
		ijson.Optional("condition", func(r requestReader, w *record.Workflow) { w.Condition = record.Text(r.Text()) }),
	)
	scaleShape = ijson.NewSparseShape(
		ijson.Required("low", func(r requestReader, s *scale) { s.low = readNumber(r, "", nil) }),
		ijson.Required("high", func(r requestReader, s *scale) { s.high = readNumber(r, "", nil) }),
		ijson.Optional("log", func(r requestReader, s *scale) { s.log = r.Bool() }),
	)
	termShape = ijson.NewSparseShape(slices.Concat(
		[]ijson.ShapeMember[requestReader, term]{
			ijson.Required("measurementKey", func(r requestReader, t *term) { t.key = r.Text() }),
			ijson.Required("aggregation", func(r requestReader, t *term) {
				t.aggregation = readName[aggregation](r,
					aggregationNames)
			}),
			ijson.Required("factor", func(r requestReader, t *term) { t.factor = readNumber(r, "", nil) }),
		},
		options(func(t *term) *measure { return &t.measure }))...)
	criterionShapes = [roles]*ijson.Shape[requestReader, criterion]{
		requirement: newCriterionShape(
			ijson.Required("operator", func(r requestReader, c *criterion) {
				c.operator = readName[operator](r,
					operatorNames)
			}),
			ijson.Required("value", func(r requestReader, c *criterion) { c.value = readValue(r) }),
		),
		preference: newCriterionShape(
			ijson.Required("direction", readDirection),
			ijson.Required("weight", func(r requestReader, c *criterion) {
				c.weight = readNumber(r, "must be zero or more", func(f float64) bool { return f >= 0 })
			}),
			ijson.Optional("scale", readScale),
		),
		tieBreaker: newCriterionShape(ijson.Required("direction", readDirection)),
	}
)

// readSchema reads the schema version of a document, which is the last of those that
// there are. A message names them all: documents of the others are read by their own
// rules.
func readSchema(r *ijson.Reader, all ...string) string {
	at, current := r.Offset(), all[len(all)-1]
	if version := r.Enum(all...); version != current && version != "" {
		r.Fail(at, "", "must be %s here", current)
	}
	return current
}

// newCriterionShape returns the shape of a criterion that has certain members of
// its role.
func newCriterionShape(own ...ijson.ShapeMember[requestReader, criterion]) *ijson.Shape[requestReader, criterion] {
	return ijson.NewSparseShape(slices.Concat(
		[]ijson.ShapeMember[requestReader, criterion]{
			ijson.RequiredWith("sum", "id", func(r requestReader, c *criterion) { c.id = r.Text() }),
			ijson.RequiredWithout("sum", "measurementKey", func(r requestReader, c *criterion) { c.key = r.Text() }),
			ijson.RequiredWithout("sum", "aggregation", func(r requestReader,
				c *criterion) {
				c.aggregation = readName[aggregation](r, aggregationNames)
			}),
			ijson.Optional("sum", func(r requestReader, c *criterion) {
				l := readList(r, MaxTerms, &c.sum, readTerm)
				l.DemandItems()
			}),
		},
		options(func(c *criterion) *measure { return &c.measure }), own)...)
}

// options are the evidence options, which criteria and terms have in common.
func options[T any](of func(*T) *measure) []ijson.ShapeMember[requestReader, T] {
	return []ijson.ShapeMember[requestReader, T]{
		ijson.Optional("unit", func(r requestReader, t *T) { of(t).unit = r.Text() }),
		ijson.Optional("task", func(r requestReader, t *T) {
			of(t).ownTask = true
			taskShape.Read(r, &of(t).task)
		}),
		ijson.Optional("sourceClasses", func(r requestReader, t *T) {
			names, l := readNames(r, sourceNames)
			l.DemandItems()
			for _, n := range names {
				of(t).sources |= 1 << n
			}
		}),
		ijson.Optional("transfer", func(r requestReader, t *T) {
			names, _ := readNames(r, transferNames)
			for _, n := range names {
				of(t).transfer |= transferred[n]
			}
		}),
		ijson.Optional("resolve", func(r requestReader, t *T) {
			of(t).resolve = readSteps(r)
		}),
	}
}

// readSteps reads the steps that choose among evidence that differs.
func readSteps(r requestReader) (steps []step) {
	names, _ := readNames(r, stepNames)
	for _, n := range names {
		steps = append(steps, step(n+1))
	}
	return steps
}

// besideSum are the members that a sum excludes.
var besideSum = []string{"measurementKey", "aggregation", "unit", "task", "sourceClasses", "transfer", "resolve"}

// readList reads a list of at most limit items. A list that is too long is refused
// as a whole: its items are not judged, and none is returned.
func readList[T any](r requestReader, limit int, list *[]T, read func(requestReader, *T)) ijson.List {
	before := *r.Reader
	l := r.List()
	for l.Next() {
		if l.Index() == limit {
			*r.Reader = before // as if no item had been read
			at := r.Offset()
			r.Skip()
			r.Fail(at, "", "must have at most %d entries", limit)
			*list = nil
			return ijson.List{}
		}
		var item T
		read(r, &item)
		*list = append(*list, item)
	}
	return l
}

// readNames reads a list of names, each once, and returns their positions among
// those that are allowed.
func readNames(r requestReader, allowed []string) (names []int, l ijson.List) {
	again := -1
	for l = r.List(); l.Next(); {
		n := slices.Index(allowed, r.Enum(allowed...))
		if n < 0 {
			continue
		}
		if slices.Contains(names, n) {
			again = n
			continue
		}
		names = append(names, n)
	}
	if again >= 0 {
		r.Fail(l.Start(), "", "must hold each name once: %s is repeated", allowed[again])
	}
	return names, l
}

// readName reads a name of a vocabulary, whose values count from 1; it returns 0
// after a fault.
func readName[E ~uint8](r requestReader, names []string) E {
	return E(1 + slices.Index(names, r.Enum(names...)))
}

// readNumber reads a number that is allowed; it returns 0 after a fault.
func readNumber(r requestReader, rule string, allowed func(float64) bool) float64 {
	at := r.Offset()
	text := r.Number()
	f := record.Scalar{Kind: '0', Text: text}.Float()
	if text != "" && allowed != nil && !allowed(f) {
		r.Fail(at, "", "%s", rule)
		return 0
	}
	return f
}

func readCount(r requestReader) record.Count { return record.Count{N: r.Count(), Known: true} }

// readValue reads a requirement's value; its kind is 0 after a fault.
func readValue(r requestReader) (v record.Scalar) {
	mark := r.Mark()
	if r.Kind() == '"' {
		v = record.Scalar{Kind: '"', Text: r.Text()}
	} else {
		v = r.Reader.Scalar()
	}
	if r.Mark() > mark {
		return record.Scalar{}
	}
	return v
}

func readDirection(r requestReader, c *criterion) {
	c.direction = readName[direction](r, directionNames)
}

func readScale(r requestReader, c *criterion) {
	mark := r.Mark()
	c.scale = &scale{}
	o := scaleShape.Read(r, c.scale)
	switch {
	case r.Mark() > mark:
	case c.scale.low >= c.scale.high:
		r.Fail(o.Start(), "", "low must be below high")
	case c.scale.log && c.scale.low <= 0:
		r.Fail(o.Start(), "", "low must be above zero on a logarithmic scale")
	}
}

func readInventory(r requestReader) (list []record.CandidateV2) {
	l := readList(r, MaxCriterionCells, &list, func(r requestReader, c *record.CandidateV2) { candidateShape.Read(r, c) })
	slices.SortFunc(list, func(a, b record.CandidateV2) int { return canonical.CompareText(a.ID, b.ID) })
	for i := 1; i < len(list); i++ {
		if again := list[i].ID; again != "" && again == list[i-1].ID {
			r.Fail(l.Start(), "", "must hold each id once: %q is repeated", again)
			break
		}
	}
	return list
}

// readCriteria reads the criteria of a role.
func (q *Request) readCriteria(r requestReader, role role, limit int) {
	list := &q.criteria[role]
	l := readList(r, limit, list, func(r requestReader, c *criterion) {
		c.role = role
		readCriterion(r, c)
	})
	ids := map[string]bool{}
	for i := range *list {
		id := (*list)[i].id
		if id != "" && (ids[id] || r.before != nil && r.before[role][id]) {
			r.Fail(l.Start(), "", "must hold no id that was given to another criterion: %q", id)
			break
		}
		ids[id] = true
	}
	if role != tieBreaker { // these are given in order of rank
		slices.SortStableFunc(*list, func(a, b criterion) int { return canonical.CompareText(a.id, b.id) })
	}
	if role == preference {
		for i := range *list {
			q.maximum += (*list)[i].weight
		}
		if math.IsInf(q.maximum, 0) {
			r.Fail(l.Start(), "", "weights must add up to a finite number")
		}
	}
}

func readCriterion(r requestReader, c *criterion) {
	shape := criterionShapes[c.role]
	o := shape.Read(r, c)
	has := func(member string) bool { return shape.Has(o, member) }
	isSum := has("sum")
	if isSum {
		for _, member := range besideSum {
			if has(member) {
				r.FailMember(o.Start(), member, "must be left out beside sum, whose terms have their own")
			}
		}
	}
	if c.id == "" && !has("id") && !isSum && c.key != "" {
		c.id = roleNames[c.role] + ":" + c.key
		if len(c.id) > MaxTextBytes {
			r.Fail(o.Start(), ".id", "must be given, since %s:<measurementKey> has %d bytes of UTF-8, more than %d",
				roleNames[c.role], len(c.id), MaxTextBytes)
		}
	}
	checkSteps(r, o, &c.measure)
	if c.operator > equal && c.value.Kind != 0 && c.value.Kind != '0' {
		r.FailMember(o.Start(), "value", "must be a number when the operator is %s", c.operator)
	}
}

func readTerm(r requestReader, t *term) { checkSteps(r, termShape.Read(r, t), &t.measure) }

// checkSteps refuses a step that goes with facts alone.
func checkSteps(r requestReader, o ijson.Object, m *measure) {
	if m.aggregation > aggregateFact && slices.Contains(m.resolve, highest) {
		r.FailMember(o.Start(), "resolve", "must not have %s beside %s, only beside %s", stepNames[highest-1], m.aggregation,
			aggregateFact)
	}
}

// cells is the number of times that a criterion counts.
func (c *criterion) cells() int { return max(1, len(c.sum)) }

// cells is the number of cells of one candidate.
func (q *Request) cells() (n int) {
	for _, list := range q.criteria {
		for i := range list {
			n += list[i].cells()
		}
	}
	if q.cost != nil {
		n += costTerms
	}
	return n
}

// separate writes the comma before every item of a list but the first.
func separate(e *canonical.Encoder, i int) {
	if i > 0 {
		e.Raw(`,`)
	}
}
