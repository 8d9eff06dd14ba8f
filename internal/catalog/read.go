package catalog

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// This file reads an observation: which members each object has, in the order in
// which faults are reported, what their values must be, and the rules that tie
// several members together. A fault of the second evidence reads
//
//	$.evidence[1].digest.value: must be 64 lower-case hexadecimal digits

// recordReader reads one observation after the other into the same Record, whose
// lists it uses again. A Record that was read without a fault follows all rules,
// and its lists are in normal order.
type recordReader struct {
	*ijson.Reader
	rec       Record
	id        string   // the member of that name, if the observation may have one
	reordered bool     // some list was not in normal order
	given     nullable // members that are there and are not null
	null      nullable // members that are null
}

// nullable is a set of those members of an observation that may be null.
type nullable uint8

const (
	nullableExecution nullable = 1 << iota
	nullableTask
	nullableOutcome
	nullableUsage
)

type recordShape = ijson.Shape[*recordReader, Record]

var (
	// inputShape is an observation as it is written: without an id.
	inputShape = ijson.NewShape(recordMembers...)
	// storedShape is an observation as it is in a snapshot.
	storedShape = ijson.NewShape(append(recordMembers, ijson.Required("id", func(r *recordReader, _ *Record) { r.id = r.Hash() }))...)
)

var recordMembers = []ijson.ShapeMember[*recordReader, Record]{
	ijson.Required("schemaVersion", func(r *recordReader, _ *Record) { r.readSchemaVersion() }),
	ijson.Required("kind", func(r *recordReader, rec *Record) { rec.Kind = r.Enum(KindEvaluation, KindDeclaration) }),
	ijson.Required("model", func(r *recordReader, rec *Record) { ModelShape.Read(r.Reader, &rec.Model) }),
	ijson.Required("execution", func(r *recordReader, rec *Record) {
		if r.isNull(nullableExecution) {
			rec.Execution = Scope{}
		} else {
			r.readScope(&rec.Execution)
		}
	}),
	ijson.Required("task", func(r *recordReader, rec *Record) { readNullable(r, nullableTask, taskShape, &rec.Task) }),
	ijson.Required("measurements", (*recordReader).readMeasurements),
	ijson.Required("outcome", func(r *recordReader, rec *Record) { readNullable(r, nullableOutcome, outcomeShape, &rec.Outcome) }),
	ijson.Required("usage", func(r *recordReader, rec *Record) { readNullable(r, nullableUsage, usageShape, &rec.Usage) }),
	ijson.Required("sourceClass", func(r *recordReader, rec *Record) { rec.SourceClass = r.Enum(FirstParty, External) }),
	ijson.Required("evidence", (*recordReader).readEvidence),
	ijson.Required("freshness", (*recordReader).readFreshness),
	ijson.Required("uncertainty", func(r *recordReader, rec *Record) { uncertaintyShape.Read(r, &rec.Uncertainty) }),
}

// ModelShape is a model identity.
var ModelShape = ijson.NewShape(
	ijson.Required("id", func(r *ijson.Reader, m *Model) { m.ID = r.Text() }),
	ijson.Required("revision", func(r *ijson.Reader, m *Model) { m.Revision = r.TextOrNull() }),
	ijson.Required("quantization", func(r *ijson.Reader, m *Model) { m.Quantization = r.TextOrNull() }),
)

var componentShape = ijson.NewShape(
	ijson.Required("id", func(r *ijson.Reader, c *Component) { c.ID = r.Text() }),
	ijson.Required("version", func(r *ijson.Reader, c *Component) { c.Version = r.TextOrNull() }),
)

// ProfileShape is an execution profile.
var ProfileShape = newProfileShape(ReadComponent)

// openProfileShape is one whose runtime may be null, as in rank requests of version 3.
var openProfileShape = newProfileShape(ReadComponentOrNull)

func newProfileShape(readRuntime func(*ijson.Reader) Component) *ijson.Shape[*ijson.Reader, Profile] {
	return ijson.NewShape(
		ijson.Required("runtime", func(r *ijson.Reader, p *Profile) { p.Runtime = readRuntime(r) }),
		ijson.Required("adapter", func(r *ijson.Reader, p *Profile) { readOrNull(r, componentShape, &p.Adapter) }),
		ijson.Required("effectiveContextTokens", func(r *ijson.Reader, p *Profile) { readCount(r, &p.EffectiveContextTokens) }),
		ijson.Required("toolSurface", func(r *ijson.Reader, p *Profile) { p.ToolSurface = r.UniqueTexts() }),
		ijson.Required("hardware", func(r *ijson.Reader, p *Profile) { readOrNull(r, hardwareShape, &p.Hardware) }),
		ijson.Required("workflow", func(r *ijson.Reader, p *Profile) { readOrNull(r, workflowShape, &p.Workflow) }),
	)
}

var scopeShape = ijson.NewShape(
	ijson.Required("kind", func(r *recordReader, s *Scope) { s.Kind = r.Enum(ScopeExact, ScopePartial) }),
	ijson.Required("runtime", func(r *recordReader, s *Scope) { componentShape.Read(r.Reader, &s.Runtime) }),
	ijson.Required("adapter", func(r *recordReader, s *Scope) { readOrNull(r.Reader, componentShape, &s.Adapter) }),
	ijson.Required("effectiveContextTokens", func(r *recordReader, s *Scope) { readCount(r.Reader, &s.EffectiveContextTokens) }),
	ijson.Required("toolSurface", func(r *recordReader, s *Scope) {
		if r.Null() {
			s.ToolSurface = nil
		} else {
			s.ToolSurface = r.readSet(s.ToolSurface)
		}
	}),
	ijson.Required("hardware", func(r *recordReader, s *Scope) { readOrNull(r.Reader, hardwareShape, &s.Hardware) }),
	ijson.Required("workflow", func(r *recordReader, s *Scope) { readOrNull(r.Reader, workflowShape, &s.Workflow) }),
)

var hardwareShape = ijson.NewShape(
	ijson.Required("class", func(r *ijson.Reader, h *Hardware) { h.Class = r.Text() }),
	ijson.Required("accelerator", func(r *ijson.Reader, h *Hardware) { h.Accelerator = r.TextOrNull() }),
	ijson.Required("memoryBytes", func(r *ijson.Reader, h *Hardware) { readCount(r, &h.MemoryBytes) }),
)

var workflowShape = ijson.NewShape(
	ijson.Required("id", func(r *ijson.Reader, w *Workflow) { w.ID = r.Text() }),
	ijson.Required("version", func(r *ijson.Reader, w *Workflow) { w.Version = r.TextOrNull() }),
	ijson.Required("condition", func(r *ijson.Reader, w *Workflow) { w.Condition = r.TextOrNull() }),
)

var taskShape = ijson.NewShape(
	ijson.Required("family", func(r *ijson.Reader, t *Task) { t.Family = r.Text() }),
	ijson.Required("suite", func(r *ijson.Reader, t *Task) { t.Suite = r.TextOrNull() }),
	ijson.Required("taskId", func(r *ijson.Reader, t *Task) { t.TaskID = r.TextOrNull() }),
	ijson.Required("evaluator", func(r *ijson.Reader, t *Task) { componentShape.Read(r, &t.Evaluator) }),
)

var measurementShape = ijson.NewShape(
	ijson.Required("key", func(r *ijson.Reader, m *Measurement) { m.Key = r.Text() }),
	ijson.Required("kind", func(r *ijson.Reader, m *Measurement) { m.Kind = r.Enum(Fact, Sample) }),
	ijson.Required("value", func(r *ijson.Reader, m *Measurement) { m.Value = ReadScalar(r) }),
	ijson.Optional("unit", func(r *ijson.Reader, m *Measurement) { m.Unit = r.Text() }),
)

var outcomeShape = ijson.NewShape(
	ijson.Required("status", func(r *ijson.Reader, o *Outcome) {
		o.Status = r.Enum(OutcomeAccepted, OutcomeRejected, OutcomeInvalid)
	}),
	ijson.Required("reason", func(r *ijson.Reader, o *Outcome) { o.Reason = r.TextOrNull() }),
)

var usageShape = ijson.NewShape(
	ijson.Required("inputTokens", func(r *ijson.Reader, u *Usage) { readCount(r, &u.InputTokens) }),
	ijson.Required("outputTokens", func(r *ijson.Reader, u *Usage) { readCount(r, &u.OutputTokens) }),
	ijson.Required("reasoningTokens", func(r *ijson.Reader, u *Usage) { readCount(r, &u.ReasoningTokens) }),
	ijson.Required("totalTokens", func(r *ijson.Reader, u *Usage) { readCount(r, &u.TotalTokens) }),
	ijson.Required("completeness", func(r *ijson.Reader, u *Usage) {
		u.Completeness = r.Enum(UsageComplete, UsagePartial, UsageUnknown)
	}),
	ijson.Required("modelCalls", func(r *ijson.Reader, u *Usage) { readCount(r, &u.ModelCalls) }),
	ijson.Required("wallTimeMs", func(r *ijson.Reader, u *Usage) { readCount(r, &u.WallTimeMs) }),
)

var evidenceShape = ijson.NewShape(
	ijson.Required("id", func(r *ijson.Reader, e *Evidence) { e.ID = r.Text() }),
	ijson.Required("kind", func(r *ijson.Reader, e *Evidence) { e.Kind = r.Text() }),
	ijson.Required("uri", func(r *ijson.Reader, e *Evidence) { e.URI = r.TextOrNull() }),
	ijson.Required("digest", func(r *ijson.Reader, e *Evidence) { readOrNull(r, digestShape, &e.SHA256) }),
	ijson.Required("observedAt", func(r *ijson.Reader, e *Evidence) { e.ObservedAt = r.Timestamp() }),
)

var digestShape = ijson.NewShape(
	ijson.Required("algorithm", func(r *ijson.Reader, _ *string) { r.Enum("sha256") }),
	ijson.Required("value", func(r *ijson.Reader, hash *string) { *hash = r.Hash() }),
)

var freshnessShape = ijson.NewShape(
	ijson.Required("observedAt", func(r *ijson.Reader, f *Freshness) { f.ObservedAt = r.Timestamp() }),
	ijson.Required("validUntil", func(r *ijson.Reader, f *Freshness) { f.ValidUntil = r.TimestampOrNull() }),
)

var uncertaintyShape = ijson.NewShape(
	ijson.Required("level", func(r *recordReader, u *Uncertainty) {
		u.Level = r.Enum(LevelLow, LevelModerate, LevelHigh, LevelUnknown)
	}),
	ijson.Required("basis", func(r *recordReader, u *Uncertainty) {
		at, isList := r.Offset(), r.Kind() == '['
		if u.Basis = r.readSet(u.Basis); isList && len(u.Basis) == 0 {
			r.Fail(at, "", "must not be empty")
		}
	}),
	ijson.Required("gaps", func(r *recordReader, u *Uncertainty) { u.Gaps = r.readSet(u.Gaps) }),
)

// datesShape is the dates of an observation that may not be after asOf, in the
// order in which they are judged.
var (
	datesShape = ijson.NewOpenShape(
		ijson.Required("freshness", func(r *dateReader, _ *struct{}) { datedShape.Read(r, &struct{}{}) }),
		ijson.Required("evidence", func(r *dateReader, _ *struct{}) {
			for l := r.List(); l.Next(); {
				datedShape.Read(r, &struct{}{})
			}
		}),
	)
	datedShape = ijson.NewOpenShape(ijson.Required("observedAt", func(r *dateReader, _ *struct{}) {
		at := r.Offset()
		if r.Timestamp() > r.asOf {
			r.Fail(at, "", "is after asOf, %s", r.asOf)
		}
	}))
)

// dateReader reads the dates of a valid observation once more.
type dateReader struct {
	*ijson.Reader
	asOf string
}

func newRecordReader() *recordReader {
	return &recordReader{Reader: ijson.NewPartReader(problem.InvalidObservation)}
}

// read reads and validates an observation of the shape.
func (r *recordReader) read(doc string, shape *recordShape) problem.List {
	r.Reset(doc)
	r.readRecord(shape)
	return r.End()
}

func (r *recordReader) readRecord(shape *recordShape) {
	// What a rule asks for may be missing. All else is written anew, or not used
	// because it is missing.
	r.rec.Kind, r.rec.Execution.Kind, r.rec.Freshness = "", "", Freshness{}
	r.id, r.reordered, r.given, r.null = "", false, 0, 0
	o := shape.Read(r, &r.rec)
	r.checkKind(o.Start())
}

// isNull reads null, if that is there, and notes whether it was.
func (r *recordReader) isNull(member nullable) bool {
	isNull := r.Null()
	if isNull {
		r.null |= member
	} else {
		r.given |= member
	}
	return isNull
}

func (r *recordReader) readSchemaVersion() {
	at := r.Offset()
	const rule = `must be "` + ObservationSchema + `"`
	if r.Kind() != '"' {
		r.Skip()
		r.FailAs(problem.UnsupportedSchema, at, "", rule)
		return
	}
	if s, _, ok := r.StringOr(rule); ok && s != ObservationSchema {
		r.FailAs(problem.UnsupportedSchema, at, "", "%s, is %q", rule, s)
	}
}

// checkKind holds the rules that tie the kind to other members of the
// observation, which begins at start.
func (r *recordReader) checkKind(start int) {
	switch r.rec.Kind {
	case KindDeclaration:
		const rule = "must be null in a declaration"
		if r.given&nullableOutcome != 0 {
			r.FailMember(start, "outcome", rule)
		}
		if r.given&nullableUsage != 0 {
			r.FailMember(start, "usage", rule)
		}
	case KindEvaluation:
		const rule = "must not be null in an evaluation"
		if r.null&nullableExecution != 0 {
			r.FailMember(start, "execution", rule)
		}
		if r.rec.Execution.Kind == ScopePartial {
			r.FailMember(start, "execution.kind", "must be exact in an evaluation")
		}
		if r.null&nullableTask != 0 {
			r.FailMember(start, "task", rule)
		}
		if r.null&nullableOutcome != 0 {
			r.FailMember(start, "outcome", rule)
		}
	}
}

func (r *recordReader) readScope(s *Scope) {
	o := scopeShape.Read(r, s)
	if isNull := s.ToolSurface == nil && scopeShape.Has(o, "toolSurface"); isNull && s.Kind == ScopeExact {
		r.FailMember(o.Start(), "toolSurface", "must be a list in an exact scope: [] if there are no tools")
	}
}

// readMeasurements reads the measurements and puts them into normal order, that
// of their canonical JSON, in which equal pairs of key and kind come to be
// neighbours.
func (r *recordReader) readMeasurements(rec *Record) {
	list := rec.Measurements[:0]
	l := r.List()
	for l.Next() {
		list = append(list, Measurement{})
		measurementShape.Read(r.Reader, &list[len(list)-1])
	}
	l.DemandItems()
	rec.Measurements = list
	if !sortMeasurements(list, r.Escaped()) {
		r.reordered = true
	}
	for i := 1; i < len(list); i++ {
		a, b := &list[i-1], &list[i]
		if a.Kind == b.Kind && a.Key == b.Key && a.Kind != "" && a.Key != "" { // faults of their own leave them empty
			r.Fail(l.Start(), "", "must hold each key once of each kind: %s %q is repeated", a.Kind, a.Key)
			return
		}
	}
}

// readEvidence reads the evidence and puts it into order of ids.
func (r *recordReader) readEvidence(rec *Record) {
	list := rec.Evidence[:0]
	l := r.List()
	for l.Next() {
		list = append(list, Evidence{})
		evidenceShape.Read(r.Reader, &list[len(list)-1])
	}
	l.DemandItems()
	rec.Evidence = list
	byID := func(a, b Evidence) int { return canonical.CompareText(a.ID, b.ID) }
	if !slices.IsSortedFunc(list, byID) {
		r.reordered = true
		slices.SortFunc(list, byID)
	}
	for i := 1; i < len(list); i++ {
		if list[i].ID == list[i-1].ID && list[i].ID != "" {
			r.Fail(l.Start(), "", "must hold each id once: %q is repeated", list[i].ID)
			return
		}
	}
}

func (r *recordReader) readFreshness(rec *Record) {
	f := &rec.Freshness
	o := freshnessShape.Read(r.Reader, f)
	if f.ValidUntil != "" && f.ObservedAt != "" && f.ValidUntil <= f.ObservedAt {
		r.FailMember(o.Start(), "validUntil", "must be later than observedAt, %s", f.ObservedAt)
	}
}

// readSet reads a list of unique texts into the room of another and sorts them.
func (r *recordReader) readSet(room []string) []string {
	set := room[:0]
	if set == nil {
		set = []string{}
	}
	l := r.List()
	for l.Next() {
		set = append(set, r.Text())
	}
	if !slices.IsSortedFunc(set, canonical.CompareText) {
		r.reordered = true
		slices.SortFunc(set, canonical.CompareText)
	}
	if again := ijson.Repeated(set); again != "" {
		r.Fail(l.Start(), "", "must hold each text once: %q is repeated", again)
	}
	return set
}

// lateDates returns, as faults, the dates of the observation just read, which is
// valid, that are after asOf.
func (r *recordReader) lateDates(doc, asOf string) problem.List {
	late := r.rec.Freshness.ObservedAt > asOf
	for i := range r.rec.Evidence {
		late = late || r.rec.Evidence[i].ObservedAt > asOf
	}
	if !late {
		return nil
	}
	again := &dateReader{ijson.NewPartReader(problem.InvalidCompileOptions), asOf}
	again.OuterDepth = r.OuterDepth
	again.Reset(doc)
	datesShape.Read(again, &struct{}{})
	return again.End()
}

// readOrNull reads an object of the shape, or null, which is the zero value.
func readOrNull[T any](r *ijson.Reader, shape *ijson.Shape[*ijson.Reader, T], into *T) {
	if r.Null() {
		var null T
		*into = null
	} else {
		shape.Read(r, into)
	}
}

// readNullable is readOrNull for a member of the observation itself.
func readNullable[T any](r *recordReader, member nullable, shape *ijson.Shape[*ijson.Reader, T], into *T) {
	if r.isNull(member) {
		var null T
		*into = null
	} else {
		shape.Read(r.Reader, into)
	}
}

func readCount(r *ijson.Reader, c *Count) { c.N, c.Known = r.CountOrNull() }

// ReadScalar reads a string, a number or a boolean.
func ReadScalar(r *ijson.Reader) Scalar {
	switch kind := r.Kind(); kind {
	case '"':
		return Scalar{kind, r.String()}
	case 't', 'f':
		r.Bool()
		return Scalar{Kind: kind}
	case '{', '[', 'n':
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be a string, a number or a boolean")
		return Scalar{}
	}
	return Scalar{'0', r.Number()}
}

// ReadModel reads a model identity.
func ReadModel(r *ijson.Reader) (m Model) {
	ModelShape.Read(r, &m)
	return m
}

// ReadComponent reads a piece of software and its version.
func ReadComponent(r *ijson.Reader) (c Component) {
	componentShape.Read(r, &c)
	return c
}

// ReadComponentOrNull is ReadComponent that may also be null.
func ReadComponentOrNull(r *ijson.Reader) (c Component) {
	readOrNull(r, componentShape, &c)
	return c
}

// ReadHardware reads what a model runs on, or null.
func ReadHardware(r *ijson.Reader) (h Hardware) {
	readOrNull(r, hardwareShape, &h)
	return h
}

// ReadTexts reads a list of unique texts, which it returns sorted.
func ReadTexts(r *ijson.Reader) []string { return r.UniqueTexts() }

// ReadProfile reads an execution profile.
func ReadProfile(r *ijson.Reader) (p Profile) {
	ProfileShape.Read(r, &p)
	return p
}

// ReadOpenProfile reads an execution profile whose runtime may be null, which is one that
// nothing is said of.
func ReadOpenProfile(r *ijson.Reader) (p Profile) {
	openProfileShape.Read(r, &p)
	return p
}
