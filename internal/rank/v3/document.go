package v3

import (
	"encoding/json"
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Result is a rank result as it is written. [ReadResult] makes one of what
// [Ranking.AppendJSON] wrote, and [canonical.Marshal] writes the same bytes again.
//
// Nil and, of a [record.Text], the empty text stand for null.
type Result struct {
	SchemaVersion string                  `json:"schemaVersion"` // service.rank.result/v3
	Catalog       record.CatalogReference `json:"catalog"`
	Task          Task                    `json:"task"` // that of the request
	Statistics    Statistics              `json:"statistics"`
	ScoreScale    ScoreScale              `json:"scoreScale"`
	Ranked        []Candidate             `json:"ranked"`   // the best first
	Excluded      []Candidate             `json:"excluded"` // by id
}

// Task selects tasks: each member that is not null must be equal.
type Task struct {
	Family record.Text `json:"family"`
	Suite  record.Text `json:"suite"`
	TaskID record.Text `json:"taskId"`
}

// Statistics says at which confidence candidates were compared.
type Statistics struct {
	Confidence  float64 `json:"confidence"` // 0.8, 0.9, 0.95, 0.99 or 0.999
	Correction  string  `json:"correction" is:"none bonferroni"`
	Comparisons uint64  `json:"comparisons"` // pairs of ranked candidates
	Quantile    float64 `json:"quantile"`    // of the normal distribution, as comparisons used it
}

// ScoreScale says what scores can be held against.
type ScoreScale struct {
	Kind    string            `json:"kind" is:"fixed request-relative"` // fixed, or request-relative: scores of one result alone compare
	Maximum float64           `json:"maximum"`                          // the sum of the weights
	Scales  []PreferenceScale `json:"scales"`
}

// PreferenceScale is the ends of a preference, null if it had none.
type PreferenceScale struct {
	Criterion string   `json:"criterion"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
}

// Candidate is a candidate and what became of it.
type Candidate struct {
	CandidateID string             `json:"candidateId"`
	Model       record.Model       `json:"model"`
	Execution   record.Profile     `json:"execution"` // of which the runtime may be null, too
	*Standing                      // nil if the candidate is excluded
	Reasons     []Reason           `json:"reasons"`
	Evidence    []Evidence         `json:"evidence"`
	Uncertainty record.Uncertainty `json:"uncertainty"`
	Advisories  []Advisory         `json:"advisories"`
}

// Standing is the place of a candidate that is not excluded.
type Standing struct {
	Rank       uint64      `json:"rank"`     // from 1
	TieGroup   uint64      `json:"tieGroup"` // from 1; who shares one cannot be told apart from its leader
	Score      float64     `json:"score"`    // from 0 to the maximum of the scale
	Coverage   float64     `json:"coverage"` // share of the weight for which there is a number
	Comparison *Comparison `json:"comparison"`
}

// Comparison is that of a candidate with the leader of the tie group before it.
type Comparison struct {
	Leader        string   `json:"leader"`     // candidate id
	Difference    float64  `json:"difference"` // of the scores
	StandardError *float64 `json:"standardError"`
	Margin        *float64 `json:"margin"` // differences up to it are ties
	Outcome       string   `json:"outcome" is:"tied separable unknown"`
	Paired        []string `json:"paired" each:"once"`  // preferences for which both ran the same tasks
	Unknown       []string `json:"unknown" each:"once"` // preferences for which nothing is known of the difference
}

// Reason is one reason for how a candidate came out. Which members it has depends on
// its code.
type Reason struct {
	Code                   string        `json:"code"`
	Criterion              record.Text   `json:"criterion"`      // null for COVERAGE_TOO_LOW
	MeasurementKey         record.Text   `json:"measurementKey"` // null for that and for a sum
	Summary                string        `json:"summary"`
	ExecutionApplicability Applicability `json:"executionApplicability"`
	*Finding                             // the value that was found, if the reason names one
	Expected               *Value        `json:"expected,omitempty"`     // of requirements and coverage
	Contribution           *float64      `json:"contribution,omitempty"` // of a preference to the score
	Ambiguity              []Ambiguity   `json:"ambiguity,omitempty"`    // of AMBIGUOUS_EVIDENCE
}

// Finding is a value and how sure it is.
type Finding struct {
	Actual   Value     `json:"actual"`
	Estimate *Estimate `json:"estimate"` // null if the value is not a number
}

// Value is a string, a number or a boolean.
type Value struct{ record.Scalar }

// MarshalJSON writes the value.
func (v Value) MarshalJSON() ([]byte, error) {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v.Scalar)
	return e.Buf, nil
}

// ReadJSON reads the value.
func (v *Value) ReadJSON(r *ijson.Reader) { v.Scalar = r.Scalar() }

// Estimate says how far a number would move if it were measured again on other tasks
// of the kind.
type Estimate struct {
	Value         float64     `json:"value"`
	Unit          record.Text `json:"unit"`
	N             float64     `json:"n"`        // measurements, or trials
	Clusters      *uint64     `json:"clusters"` // of measurements that share luck
	StandardError *float64    `json:"standardError"`
	Low           *float64    `json:"low"` // ends of the interval at the confidence of the result
	High          *float64    `json:"high"`
	Method        string      `json:"method" is:"exact cluster-robust wilson reported trials sum unknown"`
}

// Ambiguity is a dimension in which groups of samples differ, and how.
type Ambiguity struct {
	Dimension string            `json:"dimension"`
	Values    []json.RawMessage `json:"values"` // canonical JSON: texts, counts, lists of texts and null
}

// Applicability tells how far evidence and a candidate agree.
type Applicability struct {
	MatchedKinds          []string `json:"matchedKinds"`
	AssertedDimensions    []string `json:"assertedDimensions"`
	WildcardedDimensions  []string `json:"wildcardedDimensions"`
	MismatchedDimensions  []string `json:"mismatchedDimensions"`
	TransferredDimensions []string `json:"transferredDimensions"`
}

// Evidence is what a criterion rests on.
type Evidence struct {
	Criterion      string      `json:"criterion"`
	MeasurementKey record.Text `json:"measurementKey"` // null for a sum
	ObservationIDs []string    `json:"observationIds" is:"hash"`
	EvidenceIDs    []string    `json:"evidenceIds" each:"once"`
	Overruled      []string    `json:"overruled" is:"hash"` // observations that hold and were not used
}

// Advisory is what is known without any effect on the ranking.
type Advisory struct {
	Criterion              string             `json:"criterion"`
	MeasurementKey         record.Text        `json:"measurementKey"`
	Status                 string             `json:"status"` // present, missing, stale, conflicting, incomparable or ambiguous
	Evidence               Evidence           `json:"evidence"`
	Uncertainty            record.Uncertainty `json:"uncertainty"`
	ExecutionApplicability Applicability      `json:"executionApplicability"`
	*Presence                                 // if it is present
	Ambiguity              []Ambiguity        `json:"ambiguity,omitempty"` // if it is ambiguous
}

// Presence is the value of an advisory.
type Presence struct {
	Value    Value       `json:"value"`
	Unit     record.Text `json:"unit"`
	Estimate *Estimate   `json:"estimate"` // null if the value is not a number
}

// ReadResult reads a result strictly: which members there are, what kind of value and
// which word each may have, that ranks count from 1 and tie groups with them, and
// that reasons, advisories and estimates have the members that go with their code,
// status and method. Whether a result is what a catalog answers, only ranking again
// can tell.
//
// Faults have no code. They are all of the source, in order, each with the place
// where it stands.
func ReadResult(source problem.Source) (*Result, error) {
	return readDocumentOf(source, resultShape)
}

// CheckResult returns what is wrong with the text of a result, without places.
func CheckResult(text string) problem.List {
	_, faults := readText(text, resultShape)
	return faults
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

// nullable reads what may also be null.
func nullable[T any](read func(*ijson.Reader) T) func(*ijson.Reader) *T {
	return func(r *ijson.Reader) *T {
		if r.Null() {
			return nil
		}
		t := read(r)
		return &t
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

// nameOrNull reads one of several names, or null.
func nameOrNull(names []string) func(*ijson.Reader) record.Text {
	return func(r *ijson.Reader) record.Text {
		if r.Null() {
			return ""
		}
		return record.Text(r.Enum(names...))
	}
}

// namesOf returns the names whose bits are in a set.
func namesOf(names []string, set uint32) []string {
	list := []string{}
	for ; set != 0; set &= set - 1 {
		list = append(list, names[bits.TrailingZeros32(set)])
	}
	return list
}

// tagged reads a struct by its tags.
func tagged[T any](r *ijson.Reader) (t T) {
	ijson.ReadTagged(r, &t)
	return t
}

func readTextOrNull(r *ijson.Reader) record.Text { return record.Text(r.TextOrNull()) }
func readFloat(r *ijson.Reader) float64          { return record.Scalar{Kind: '0', Text: r.Number()}.Float() }
func readAnyValue(r *ijson.Reader) Value         { return Value{r.Scalar()} }

// The shapes of a result and its parts.
var (
	resultShape = ijson.TaggedShape(
		member("schemaVersion", func(t *Result) *string { return &t.SchemaVersion }, func(r *ijson.Reader) string {
			return readSchema(r, record.RankResultSchemaV1, record.RankResultSchemaV2, ResultSchema)
		}),
		member("ranked", func(t *Result) *[]Candidate { return &t.Ranked }, readRanked),
		member("excluded", func(t *Result) *[]Candidate { return &t.Excluded }, listOf(objectOf(excludedShape))),
	)
	rankedShape   = ijson.NewShape(slices.Concat(candidateMembers, standingMembers, judgementMembers)...)
	excludedShape = ijson.NewShape(slices.Concat(candidateMembers, judgementMembers)...)

	candidateMembers = []ijson.ShapeMember[*ijson.Reader, Candidate]{
		member("candidateId", func(t *Candidate) *string { return &t.CandidateID }, (*ijson.Reader).Text),
		member("model", func(t *Candidate) *record.Model { return &t.Model }, catalog.ReadModel),
		member("execution", func(t *Candidate) *record.Profile { return &t.Execution }, catalog.ReadOpenProfile),
	}
	standingMembers = []ijson.ShapeMember[*ijson.Reader, Candidate]{
		member("rank", func(t *Candidate) *uint64 { return &t.Rank }, (*ijson.Reader).Count),
		member("tieGroup", func(t *Candidate) *uint64 { return &t.TieGroup }, (*ijson.Reader).Count),
		member("score", func(t *Candidate) *float64 { return &t.Score }, readFloat),
		member("coverage", func(t *Candidate) *float64 { return &t.Coverage }, readFloat),
		member("comparison", func(t *Candidate) **Comparison { return &t.Comparison }, nullable(tagged[Comparison])),
	}
	judgementMembers = []ijson.ShapeMember[*ijson.Reader, Candidate]{
		member("reasons", func(t *Candidate) *[]Reason { return &t.Reasons }, listOf(readReason)),
		member("evidence", func(t *Candidate) *[]Evidence { return &t.Evidence }, listOf(tagged[Evidence])),
		member("uncertainty", func(t *Candidate) *record.Uncertainty { return &t.Uncertainty }, tagged[record.Uncertainty]),
		member("advisories", func(t *Candidate) *[]Advisory { return &t.Advisories }, listOf(readAdvisory)),
	}
	reasonShape = ijson.NewShape(
		member("code", func(t *Reason) *string { return &t.Code }, oneOf(reasonCodes...)),
		member("criterion", func(t *Reason) *record.Text { return &t.Criterion }, readTextOrNull),
		member("measurementKey", func(t *Reason) *record.Text { return &t.MeasurementKey }, readTextOrNull),
		member("summary", func(t *Reason) *string { return &t.Summary }, (*ijson.Reader).Text),
		member("executionApplicability", func(t *Reason) *Applicability { return &t.ExecutionApplicability }, objectOf(applicabilityShape)),
		ijson.Optional("actual", func(r *ijson.Reader, t *Reason) { t.finding().Actual = readAnyValue(r) }),
		ijson.Optional("expected", func(r *ijson.Reader, t *Reason) { v := readAnyValue(r); t.Expected = &v }),
		ijson.Optional("contribution", func(r *ijson.Reader, t *Reason) { f := readFloat(r); t.Contribution = &f }),
		ijson.Optional("estimate", func(r *ijson.Reader, t *Reason) { t.finding().Estimate = nullable(readEstimate)(r) }),
		ijson.Optional("ambiguity", func(r *ijson.Reader, t *Reason) { t.Ambiguity = readAmbiguity(r) }),
	)
	estimateShape  = ijson.TaggedShape[*ijson.Reader, Estimate]()
	ambiguityShape = ijson.NewShape(
		member("dimension", func(t *Ambiguity) *string { return &t.Dimension }, oneOf(groupDimensionNames()...)),
		member("values", func(t *Ambiguity) *[]json.RawMessage { return &t.Values }, listOf(func(r *ijson.Reader) json.RawMessage {
			return r.Value().AppendCanonical(nil)
		})),
	)
	applicabilityShape = ijson.NewShape(
		member("matchedKinds", func(t *Applicability) *[]string { return &t.MatchedKinds }, listOf(oneOf(scopeKindNames...))),
		member("assertedDimensions", func(t *Applicability) *[]string { return &t.AssertedDimensions }, listOf(oneOf(dimensionNames...))),
		member("wildcardedDimensions", func(t *Applicability) *[]string { return &t.WildcardedDimensions }, listOf(oneOf(dimensionNames...))),
		member("mismatchedDimensions", func(t *Applicability) *[]string { return &t.MismatchedDimensions }, listOf(oneOf(dimensionNames...))),
		member("transferredDimensions", func(t *Applicability) *[]string { return &t.TransferredDimensions }, listOf(oneOf(dimensionNames...))),
	)
	advisoryShape = ijson.NewShape(
		member("criterion", func(t *Advisory) *string { return &t.Criterion }, (*ijson.Reader).Text),
		member("measurementKey", func(t *Advisory) *record.Text { return &t.MeasurementKey }, readTextOrNull),
		member("status", func(t *Advisory) *string { return &t.Status }, oneOf(advisoryStatuses...)),
		member("evidence", func(t *Advisory) *Evidence { return &t.Evidence }, tagged[Evidence]),
		member("uncertainty", func(t *Advisory) *record.Uncertainty { return &t.Uncertainty }, tagged[record.Uncertainty]),
		member("executionApplicability", func(t *Advisory) *Applicability { return &t.ExecutionApplicability }, objectOf(applicabilityShape)),
		ijson.Optional("value", func(r *ijson.Reader, t *Advisory) { t.presence().Value = readAnyValue(r) }),
		ijson.Optional("unit", func(r *ijson.Reader, t *Advisory) { t.presence().Unit = readTextOrNull(r) }),
		ijson.Optional("estimate", func(r *ijson.Reader, t *Advisory) { t.presence().Estimate = nullable(readEstimate)(r) }),
		ijson.Optional("ambiguity", func(r *ijson.Reader, t *Advisory) { t.Ambiguity = readAmbiguity(r) }),
	)
)

func groupDimensionNames() (names []string) {
	for i := range groupDimensions {
		names = append(names, groupDimensions[i].name)
	}
	return names
}

// finding returns that of the reason, which has one from now on.
func (t *Reason) finding() *Finding {
	if t.Finding == nil {
		t.Finding = &Finding{}
	}
	return t.Finding
}

// presence returns that of the advisory, which has one from now on.
func (t *Advisory) presence() *Presence {
	if t.Presence == nil {
		t.Presence = &Presence{}
	}
	return t.Presence
}

// readRanked reads the candidates that are ranked. They stand in order of their
// ranks, and so do their tie groups.
func readRanked(r *ijson.Reader) []Candidate {
	list := []Candidate{}
	group := uint64(0)
	for l := r.List(); l.Next(); {
		c := Candidate{Standing: &Standing{}}
		o := rankedShape.Read(r, &c)
		if place := uint64(l.Index() + 1); rankedShape.Has(o, "rank") && c.Rank != place {
			r.FailMember(o.Start(), "rank", "must be %d, its place in the list", place)
		}
		if isNext := c.TieGroup == group+1; rankedShape.Has(o, "tieGroup") && !isNext && (c.TieGroup != group || group == 0) {
			r.FailMember(o.Start(), "tieGroup", "must be that of the candidate before or the next one, counted from 1")
		}
		group = c.TieGroup
		list = append(list, c)
	}
	return list
}

// readReason reads a reason and holds it to the members that go with its code.
func readReason(r *ijson.Reader) (t Reason) {
	o := reasonShape.Read(r, &t)
	isCoverage := t.Code == noteNames[coverageTooLow]
	isRequirement := t.Code == noteNames[requirementMet] || t.Code == noteNames[requirementNotMet]
	isScore, isAmbiguous := t.Code == noteNames[preferenceScore], t.Code == noteNames[ambiguousEvidence]
	hasActual := isCoverage || isRequirement || isScore || t.Code == noteNames[tieBreakerValue]
	hold(r, reasonShape, o, t.Code,
		membership{"actual", hasActual}, membership{"expected", isRequirement || isCoverage}, membership{"contribution", isScore},
		membership{"estimate", hasActual}, membership{"ambiguity", isAmbiguous})
	if t.Code != "" && t.Criterion == "" != isCoverage && reasonShape.Has(o, "criterion") {
		r.FailMember(o.Start(), "criterion", "must be null when the code is %s, and only then", noteNames[coverageTooLow])
	}
	return t
}

// readAdvisory reads an advisory and holds it to the members that go with its status.
func readAdvisory(r *ijson.Reader) (t Advisory) {
	o := advisoryShape.Read(r, &t)
	isPresent := t.Status == advisoryStatuses[ok]
	hold(r, advisoryShape, o, t.Status,
		membership{"value", isPresent}, membership{"unit", isPresent}, membership{"estimate", isPresent},
		membership{"ambiguity", t.Status == advisoryStatuses[ambiguous]})
	return t
}

// membership says whether an object has a member beside some word in it.
type membership struct {
	member  string
	belongs bool
}

// hold reports members of an object that do not go with a word in it, and those that
// do and are missing.
func hold[T any](r *ijson.Reader, shape *ijson.Shape[*ijson.Reader, T], o ijson.Object, word string, list ...membership) {
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

// readEstimate reads an estimate. Where the method is unknown there is no interval.
func readEstimate(r *ijson.Reader) (t Estimate) {
	o := estimateShape.Read(r, &t)
	isUnknown := t.Method == unknown.String()
	for _, m := range []struct {
		name string
		f    *float64
	}{{"standardError", t.StandardError}, {"low", t.Low}, {"high", t.High}} {
		if t.Method != "" && estimateShape.Has(o, m.name) && (m.f == nil) != isUnknown {
			r.FailMember(o.Start(), m.name, "must be null when the method is unknown, and only then")
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
