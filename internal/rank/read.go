package rank

import (
	"math"
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The members of a request and its parts, in the order in which faults are
// reported. Which versions have advisories is known once the version is read.
var (
	requestFieldsV1   = ijson.NewFields("schemaVersion", "task", "inventory", "requirements", "preferences")
	requestFieldsV2   = ijson.NewFields("schemaVersion", "task", "inventory", "requirements", "preferences", "advisories")
	requestFieldsAny  = ijson.NewFields("schemaVersion", "task", "inventory", "requirements", "preferences", "advisories?")
	taskFields        = ijson.NewFields("family", "suite")
	candidateFields   = ijson.NewFields("id", "model", "execution")
	requirementFields = ijson.NewFields("measurementKey", "aggregation", "operator", "value", "sourceClasses?")
	preferenceFields  = ijson.NewFields("measurementKey", "aggregation", "direction", "weight", "sourceClasses?")
	advisoryFields    = ijson.NewFields("id", "measurementKey", "aggregation", "sourceClasses?")
)

// fieldAdvisories is the place of the advisories in requestFieldsAny.
const fieldAdvisories = 5

// ReadRequest reads, validates and normalizes a request of either version.
// Faults have code INVALID_RANK_REQUEST: all of the document, in order, each
// with the place where it stands in the source.
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
	q, hasAdvisories, faults := readRequest(text, requestFieldsAny)
	// A version that does not agree with the members shows up in a second
	// reading, in its place among the other faults.
	switch {
	case q.version == 1 && hasAdvisories:
		_, _, faults = readRequest(text, requestFieldsV1)
	case q.version == 2 && !hasAdvisories:
		_, _, faults = readRequest(text, requestFieldsV2)
	}
	return q, faults
}

func readRequest(text string, fields *ijson.Fields) (q *Request, hasAdvisories bool, faults problem.List) {
	r := ijson.NewReader(text, problem.InvalidRankRequest)
	r.TextLimit = MaxTextBytes
	q = &Request{}
	advisoriesAt := 0
	o := r.Object(fields)
	start := o.Start()
	for o.Next() {
		switch o.Field() {
		case 0:
			q.version = 1 + slices.Index(requestSchemas, r.Enum(requestSchemas...))
		case 1:
			q.readTask(r)
		case 2:
			q.candidates, _ = readList(r, MaxCandidates, readCandidate, "id", func(c *candidate) string { return c.id })
		case 3:
			q.requirements, _ = readList(r, MaxCriteria, readRequirement, "requirement", func(c *requirement) string { return c.json })
		case 4:
			q.readPreferences(r)
		case fieldAdvisories:
			q.advisories, advisoriesAt = readList(r, MaxV2Advisories, readAdvisory, "id", func(c *advisory) string { return c.id })
		}
	}
	if n := len(q.candidates) * (len(q.requirements) + len(q.preferences)); n > MaxCriterionCells {
		r.Fail(start, "", "candidates times requirements and preferences must be at most %d, are %d", MaxCriterionCells, n)
	}
	if n := len(q.candidates) * len(q.advisories); n > MaxV2AdvisoryCells {
		r.Fail(advisoriesAt, ".advisories", "candidates times advisories must be at most %d, are %d", MaxV2AdvisoryCells, n)
	}
	return q, o.Seen(fieldAdvisories), r.End()
}

var requestSchemas = []string{RequestSchemaV1, RequestSchemaV2}

// readList reads a list of at most limit items, sorts them by key, which no two
// may share, and returns where it stands. An item that failed to be read has an
// empty key and is like no other. A list that is too long is refused as a whole:
// its items are not judged, and none is returned.
func readList[T any](r *ijson.Reader, limit int, readItem func(*ijson.Reader) T, unique string, key func(*T) string) (items []T, at int) {
	at = r.Offset()
	before := *r
	l := r.List()
	for l.Next() {
		if l.Index() == limit {
			*r = before // as if no item had been read
			r.Skip()
			r.Fail(at, "", "must have at most %d entries", limit)
			return nil, at
		}
		items = append(items, readItem(r))
	}
	slices.SortFunc(items, func(a, b T) int { return canonical.CompareText(key(&a), key(&b)) })
	for i := 1; i < len(items); i++ {
		if again := key(&items[i]); again != "" && again == key(&items[i-1]) {
			r.Fail(at, "", "must hold each %s once: %s is repeated", unique, again)
			break
		}
	}
	return items, at
}

func (q *Request) readTask(r *ijson.Reader) {
	for o := r.Object(taskFields); o.Next(); {
		switch o.Field() {
		case 0:
			q.family = r.Text()
		case 1:
			q.suite = r.TextOrNull()
		}
	}
}

func readCandidate(r *ijson.Reader) (c candidate) {
	for o := r.Object(candidateFields); o.Next(); {
		switch o.Field() {
		case 0:
			c.id = r.Text()
		case 1:
			c.model = catalog.ReadModel(r)
		case 2:
			c.execution = catalog.ReadProfile(r)
		}
	}
	return c
}

func readRequirement(r *ijson.Reader) (q requirement) {
	valueAt := 0
	o := r.Object(requirementFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			q.key = r.Text()
		case 1:
			q.aggregation = aggregation(readName(r, aggregationNames))
		case 2:
			q.operator = operator(readName(r, operatorNames))
		case 3:
			valueAt = r.Offset()
			q.value = readValue(r)
		case 4:
			q.sources = readSourceClasses(r)
		}
	}
	if q.operator > equal && q.value.Kind != 0 && q.value.Kind != '0' {
		r.Fail(valueAt, ".value", "must be a number when the operator is %s", q.operator)
	}
	if q.complete() && q.operator != 0 && q.value.Kind != 0 {
		q.number = q.value.Float()
		q.render()
	}
	return q
}

// readName reads one of the names and returns its position from 1, 0 for none.
func readName(r *ijson.Reader, names []string) int {
	return 1 + slices.Index(names, r.Enum(names...))
}

// readValue reads a requirement's value; its kind is 0 after a fault.
func readValue(r *ijson.Reader) (v catalog.Scalar) {
	if r.Kind() == '"' {
		v = catalog.Scalar{Kind: '"', Text: r.Text()}
	} else {
		v = catalog.ReadScalar(r)
	}
	if isBool := v.Kind == 't' || v.Kind == 'f'; v.Text == "" && !isBool {
		return catalog.Scalar{}
	}
	return v
}

// readSourceClasses reads a list of one class or both.
func readSourceClasses(r *ijson.Reader) (set sourceClasses) {
	again := ""
	l := r.List()
	for l.Next() {
		name := r.Enum(catalog.FirstParty, catalog.External)
		class := sourceClass(name)
		if set&class != 0 {
			again = name
		}
		set |= class
	}
	switch {
	case l.OK() && l.Index() < 0:
		r.Fail(l.Start(), "", "must not be empty when it is given")
	case again != "":
		r.Fail(l.Start(), "", "must hold each class once: %q is repeated", again)
	}
	return set
}

// complete reports whether what all criteria have was read without fault.
func (c *criterion) complete() bool { return c.key != "" && c.aggregation != 0 }

func (q *Request) readPreferences(r *ijson.Reader) {
	var at int
	q.preferences, at = readList(r, MaxCriteria, readPreference, "preference", func(c *preference) string { return c.json })
	for i := range q.preferences {
		q.maximum += q.preferences[i].weight
	}
	if math.IsInf(q.maximum, 0) {
		r.Fail(at, "", "weights must add up to a finite number")
	}
}

func readPreference(r *ijson.Reader) (q preference) {
	for o := r.Object(preferenceFields); o.Next(); {
		switch o.Field() {
		case 0:
			q.key = r.Text()
		case 1:
			q.aggregation = aggregation(readName(r, aggregationNames))
		case 2:
			q.direction = direction(readName(r, directionNames))
		case 3:
			q.weight = readWeight(r)
		case 4:
			q.sources = readSourceClasses(r)
		}
	}
	if q.complete() && q.direction != 0 && q.weight > 0 {
		q.render()
	}
	return q
}

// readWeight reads a number above zero; it returns 0 after a fault.
func readWeight(r *ijson.Reader) float64 {
	at := r.Offset()
	text := r.Number()
	if text == "" {
		return 0
	}
	weight := catalog.Scalar{Kind: '0', Text: text}.Float()
	if weight <= 0 {
		r.Fail(at, "", "must be a number above zero")
		return 0
	}
	return weight
}

func readAdvisory(r *ijson.Reader) (q advisory) {
	for o := r.Object(advisoryFields); o.Next(); {
		switch o.Field() {
		case 0:
			q.id = r.Text()
		case 1:
			q.key = r.Text()
		case 2:
			q.aggregation = aggregation(readName(r, aggregationNames))
		case 3:
			q.sources = readSourceClasses(r)
		}
	}
	if q.complete() && q.id != "" {
		q.render()
	}
	return q
}
