package v3

import (
	"math/bits"
	"reflect"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// The parts of a result and of an explanation, which package record declares.
type (
	Result             = record.RankResult
	Task               = record.RankTask
	Statistics         = record.RankStatistics
	Choice             = record.RankChoice
	Saving             = record.RankSaving
	FrontierStep       = record.FrontierStep
	Flip               = record.RankFlip
	NextMeasurement    = record.NextMeasurement
	Candidate          = record.RankCandidate
	Interval           = record.Interval
	Cost               = record.RankCost
	Reason             = record.RankReason
	Finding            = record.RankFinding
	Estimate           = record.RankEstimate
	Ambiguity          = record.RankAmbiguity
	Applicability      = record.RankApplicability
	Evidence           = record.RankEvidence
	Explanation        = record.RankExplanation
	RequestID          = record.RankRequestID
	Placement          = record.RankPlacement
	ExplainedCriterion = record.ExplainedCriterion
	Entry              = record.ExplainedEntry
	MeasuredTask       = record.MeasuredTask
	ShownEvidence      = record.ShownEvidence
	Answer             = record.RankAnswer
)

// ReadResult reads a result strictly: which members there are, what kind of value and which word
// each may have, that ranks count from 1, and that reasons and estimates have the members that go
// with their code and basis. Whether a result is what a catalog answers, only ranking again can
// tell.
//
// Faults have no code. They are all of the source, in order, each with the place
// where it stands.
func ReadResult(source problem.Source) (*Result, error) {
	return readDocumentOf(source, resultShape)
}

// CheckResults validates the shape of a rank result of any version, or of several, one a
// line as they are written. Faults have no code. They are all of the source, in order,
// each with its place. Whether a result is what a catalog answers, only ranking again
// can show.
func CheckResults(source problem.Source) error {
	earlier := rank.NewResultChecker()
	var faults problem.Collector
	for text, start := range ijson.Documents(source) {
		var found problem.List
		switch schemaVersion(text) {
		case record.RankResultSchemaV1, record.RankResultSchemaV2:
			found = earlier(text)
		default:
			_, found = readText(text, resultShape)
		}
		faults.Add(found.Locate(text, start)...)
		if faults.Full() {
			break
		}
	}
	return faults.List(source.Name).Err()
}

func readDocumentOf[T any](source problem.Source, shape *ijson.Shape[*ijson.Reader, T]) (*T, error) {
	document, faults := readText(source.Text, shape)
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return document, nil
}

func readText[T any](text string, shape *ijson.Shape[*ijson.Reader, T]) (*T, problem.List) {
	r := ijson.NewReader(text, "")
	document := new(T)
	shape.Read(r, document)
	return document, r.End()
}

// member is a member of a document that a plain struct has.
func member[T, V any](name string, field func(*T) *V, read func(*ijson.Reader) V) ijson.ShapeMember[*ijson.Reader, T] {
	return ijson.Required(name, func(r *ijson.Reader, t *T) { *field(t) = read(r) })
}

// objectOf reads an object of a shape.
func objectOf[T any](shape *ijson.Shape[*ijson.Reader, T]) func(*ijson.Reader) T {
	return func(r *ijson.Reader) (t T) {
		shape.Read(r, &t)
		return t
	}
}

// listOf reads a list.
func listOf[T any](read func(*ijson.Reader) T) func(*ijson.Reader) []T {
	return func(r *ijson.Reader) []T {
		list := []T{}
		for l := r.List(); l.Next(); {
			list = append(list, read(r))
		}
		return list
	}
}

func oneOf(words ...string) func(*ijson.Reader) string {
	return func(r *ijson.Reader) string { return r.Enum(words...) }
}

// namesOf returns the names whose bits are in a set.
func namesOf(names []string, set uint32) []string {
	list := []string{}
	for ; set != 0; set &= set - 1 {
		list = append(list, names[bits.TrailingZeros32(set)])
	}
	return list
}

// The shapes of a result and its parts.
var (
	resultShape = ijson.TaggedShape(
		member("schemaVersion", func(t *Result) *string { return &t.SchemaVersion }, func(r *ijson.Reader) string {
			return readSchema(r, record.RankResultSchemaV1, record.RankResultSchemaV2, ResultSchema)
		}),
		member("ranked", func(t *Result) *[]Candidate { return &t.Ranked }, readRanked),
		member("excluded", func(t *Result) *[]Candidate { return &t.Excluded }, listOf(objectOf(excludedShape))),
	)
	rankedShape   = ijson.TaggedShape(executionMember, reasonsMember)
	excludedShape = ijson.TaggedShape(append([]ijson.ShapeMember[*ijson.Reader, Candidate]{executionMember, reasonsMember},
		standing()...)...)
	executionMember = member("execution", func(t *Candidate) *record.Profile { return &t.Execution },
		catalog.ReadOpenProfile)
	reasonsMember = member("reasons", func(t *Candidate) *[]Reason { return &t.Reasons }, listOf(readReason))

	reasonShape = ijson.TaggedShape(
		member("code", func(t *Reason) *string { return &t.Code }, oneOf(reasonCodes...)),
		member("executionApplicability", func(t *Reason) *Applicability { return &t.ExecutionApplicability },
			objectOf(applicabilityShape)),
		ijson.Optional("actual", func(r *ijson.Reader, t *Reason) { finding(t).Actual = r.Scalar() }),
		ijson.Optional("estimate", func(r *ijson.Reader, t *Reason) { finding(t).Estimate = readEstimate(r) }),
		ijson.Optional("ambiguity", func(r *ijson.Reader, t *Reason) { t.Ambiguity = readAmbiguity(r) }),
	)
	estimateShape  = ijson.TaggedShape[*ijson.Reader, Estimate]()
	ambiguityShape = ijson.NewShape(
		member("dimension", func(t *Ambiguity) *string { return &t.Dimension }, oneOf(groupDimensionNames()...)),
		member("values", func(t *Ambiguity) *[]record.JSON { return &t.Values }, listOf(func(r *ijson.Reader) record.JSON {
			return record.JSON(r.Value().AppendCanonical(nil))
		})),
	)
	applicabilityShape = ijson.NewShape(
		member("matchedKinds", func(t *Applicability) *[]string { return &t.MatchedKinds }, listOf(oneOf(scopeKindNames...))),
		member("assertedDimensions", func(t *Applicability) *[]string { return &t.AssertedDimensions },
			listOf(oneOf(dimensionNames...))),
		member("wildcardedDimensions", func(t *Applicability) *[]string { return &t.WildcardedDimensions },
			listOf(oneOf(dimensionNames...))),
		member("mismatchedDimensions", func(t *Applicability) *[]string { return &t.MismatchedDimensions },
			listOf(oneOf(dimensionNames...))),
		member("transferredDimensions", func(t *Applicability) *[]string { return &t.TransferredDimensions },
			listOf(oneOf(dimensionNames...))),
	)
)

// standing says of the members that ranked candidates have that others must not have them.
func standing() (absent []ijson.ShapeMember[*ijson.Reader, Candidate]) {
	for field := range reflect.TypeFor[record.RankStanding]().Fields() {
		absent = append(absent, ijson.Absent[*ijson.Reader, Candidate](field.Tag.Get("json")))
	}
	return absent
}

func groupDimensionNames() (names []string) {
	for i := range groupDimensions {
		names = append(names, groupDimensions[i].name)
	}
	return names
}

// finding returns that of the reason, which has one from now on.
func finding(t *Reason) *record.RankFinding {
	if t.RankFinding == nil {
		t.RankFinding = &record.RankFinding{}
	}
	return t.RankFinding
}

// readRanked reads the candidates that are ranked, in order of their ranks.
func readRanked(r *ijson.Reader) []Candidate {
	list := []Candidate{}
	for l := r.List(); l.Next(); {
		var c Candidate
		o := rankedShape.Read(r, &c)
		if place := uint64(l.Index() + 1); rankedShape.Has(o, "rank") && c.Rank != place {
			r.FailMember(o.Start(), "rank", "must be %d, its place in the list", place)
		}
		list = append(list, c)
	}
	return list
}

// readReason reads a reason and holds it to the members that go with its code.
func readReason(r *ijson.Reader) (t Reason) {
	o := reasonShape.Read(r, &t)
	isCoverage := t.Code == noteNames[noEvidence]
	isRequirement := t.Code == noteNames[requirementMet] || t.Code == noteNames[requirementNotMet]
	isScore, isAmbiguous := t.Code == noteNames[preferenceScore], t.Code == noteNames[ambiguousEvidence]
	hasActual := isCoverage || isRequirement || isScore || t.Code == noteNames[tieBreakerValue] ||
		t.Code == noteNames[valueShown]
	hold(r, reasonShape, o, t.Code,
		membership{"actual", hasActual}, membership{"expected", isRequirement || isCoverage},
		membership{"contribution", isScore},
		membership{"estimate", hasActual}, membership{"ambiguity", isAmbiguous})
	if t.Code != "" && t.Criterion == "" != isCoverage && reasonShape.Has(o, "criterion") {
		r.FailMember(o.Start(), "criterion", "must be null when the code is %s, and only then", noteNames[noEvidence])
	}
	return t
}

// membership says whether an object has a member beside some word in it.
type membership struct {
	member  string
	belongs bool
}

// hold reports members of an object that do not go with a word in it, and those that
// do and are missing.
func hold[T any](r *ijson.Reader, shape *ijson.Shape[*ijson.Reader, T], o ijson.Object, word string,
	list ...membership) {
	for _, b := range list {
		switch has := shape.Has(o, b.member); {
		case word == "": // which is a fault of its own
		case has && !b.belongs:
			r.FailMember(o.Start(), b.member, "must be left out beside %s", word)
		case !has && b.belongs:
			r.Fail(o.Start(), "."+b.member, "missing field: it goes with %s", word)
		}
	}
}

// readEstimate reads an estimate, or null. Where the basis is unknown there is no interval.
func readEstimate(r *ijson.Reader) *Estimate {
	if r.Null() {
		return nil
	}
	t := &Estimate{}
	o := estimateShape.Read(r, t)
	isUnknown := t.Basis == unknownBasis.String()
	for _, m := range []struct {
		name string
		f    *float64
	}{{"low", t.Low}, {"high", t.High}} {
		if t.Basis != "" && estimateShape.Has(o, m.name) && (m.f == nil) != isUnknown {
			r.FailMember(o.Start(), m.name, "must be null when the basis is unknown, and only then")
		}
	}
	return t
}

func readAmbiguity(r *ijson.Reader) (list []Ambiguity) {
	l := r.List()
	for l.Next() {
		list = append(list, objectOf(ambiguityShape)(r))
	}
	l.DemandItems()
	return list
}
