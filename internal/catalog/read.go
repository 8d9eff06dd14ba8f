package catalog

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// This file reads an observation: which members each object has, in the order in
// which faults are reported, what their values must be, and the rules that tie
// several members together. A fault of the second evidence reads
//
//	$.evidence[1].digest.value: must be 64 lower-case hexadecimal digits

// recordReader reads one observation after the other into the same record, whose
// lists it uses again. A record that was read without a fault follows all rules,
// and its lists are in normal order.
type recordReader struct {
	*ijson.Reader
	rec       record.Observation
	id        string // the member of that name, if the observation may have one
	reordered bool   // measurements or evidence were not in normal order
}

type recordShape = ijson.Shape[*recordReader, record.Observation]

var (
	// inputShape is an observation as it is written: without an id.
	inputShape = ijson.TaggedShape(recordMembers...)
	// storedShape is an observation as it is in a snapshot.
	storedShape = ijson.TaggedShape(append(recordMembers,
		ijson.Required("id", func(r *recordReader, _ *record.Observation) { r.id = r.Hash() }))...)
)

// recordMembers are those of which tags do not say everything.
var recordMembers = []ijson.ShapeMember[*recordReader, record.Observation]{
	ijson.Required("schemaVersion", func(r *recordReader, rec *record.Observation) {
		r.readSchemaVersion()
		rec.SchemaVersion = record.ObservationSchema
	}),
	ijson.Required("execution", func(r *recordReader, rec *record.Observation) { readScope(r.Reader, &rec.Execution) }),
	ijson.Required("measurements", (*recordReader).readMeasurements),
	ijson.Required("evidence", (*recordReader).readEvidence),
	ijson.Required("freshness", (*recordReader).readFreshness),
	ijson.Required("uncertainty", func(r *recordReader, rec *record.Observation) {
		uncertaintyShape.Read(r.Reader, &rec.Uncertainty)
	}),
}

var (
	// ModelShape is a model identity.
	ModelShape = ijson.TaggedShape[*ijson.Reader, record.Model]()
	// ProfileShape is an execution profile.
	ProfileShape = ijson.TaggedShape[*ijson.Reader, record.Profile]()
	// openProfileShape is one whose runtime may be null, as in rank requests of version 3.
	openProfileShape = ijson.TaggedShape[*ijson.Reader, record.OpenProfile]()
	componentShape   = ijson.TaggedShape[*ijson.Reader, record.Component]()
	hardwareShape    = ijson.TaggedShape[*ijson.Reader, record.Hardware]()
	scopeShape       = ijson.TaggedShape[*ijson.Reader, record.Scope]()
	measurementShape = ijson.TaggedShape[*ijson.Reader, record.Measurement]()
	evidenceShape    = ijson.TaggedShape[*ijson.Reader, record.Evidence]()
	freshnessShape   = ijson.TaggedShape[*ijson.Reader, record.Freshness]()
	uncertaintyShape = ijson.TaggedShape(ijson.Required("basis", func(r *ijson.Reader, u *record.Uncertainty) {
		at, isList := r.Offset(), r.Kind() == '['
		if u.Basis = r.TextSet(u.Basis); isList && len(u.Basis) == 0 {
			r.Fail(at, "", "must not be empty")
		}
	}))
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
	r.rec.Kind, r.rec.Execution.Kind, r.rec.Freshness = "", "", record.Freshness{}
	r.id, r.reordered = "", false
	o := shape.Read(r, &r.rec)
	r.checkKind(shape, o)
	r.reordered = r.reordered || r.Reordered()
}

const schemaRule = `must be "` + record.ObservationSchema + `"`

func (r *recordReader) readSchemaVersion() {
	at := r.Offset()
	if r.Kind() != '"' {
		r.Skip()
		r.FailAs(problem.UnsupportedSchema, at, "", schemaRule)
		return
	}
	if s, _, ok := r.StringOr(schemaRule); ok && s != record.ObservationSchema {
		r.FailAs(problem.UnsupportedSchema, at, "", "%s, is %q", schemaRule, s)
	}
}

// checkKind holds the rules that tie the kind to other members of the observation.
func (r *recordReader) checkKind(shape *recordShape, o ijson.Object) {
	switch r.rec.Kind {
	case record.KindDeclaration:
		for _, member := range []string{"outcome", "usage"} {
			if shape.Has(o, member) && !shape.IsNull(o, member) {
				r.FailMember(o.Start(), member, "must be null in a declaration")
			}
		}
	case record.KindEvaluation:
		for _, member := range []string{"execution", "task", "outcome"} {
			if shape.IsNull(o, member) {
				r.FailMember(o.Start(), member, "must not be null in an evaluation")
			}
			if member == "execution" && r.rec.Execution.Kind == record.ScopePartial {
				r.FailMember(o.Start(), "execution.kind", "must be exact in an evaluation")
			}
		}
	}
}

func readScope(r *ijson.Reader, s *record.Scope) {
	o := scopeShape.Read(r, s)
	if isNull := s.ToolSurface == nil && scopeShape.Has(o, "toolSurface"); isNull && s.Kind == record.ScopeExact {
		r.FailMember(o.Start(), "toolSurface", "must be a list in an exact scope: [] if there are no tools")
	}
}

// readMeasurements reads the measurements and puts them into normal order, that
// of their canonical JSON, in which equal pairs of key and kind come to be
// neighbours.
func (r *recordReader) readMeasurements(rec *record.Observation) {
	list := rec.Measurements[:0]
	l := r.List()
	for l.Next() {
		list = append(list, record.Measurement{})
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
func (r *recordReader) readEvidence(rec *record.Observation) {
	list := rec.Evidence[:0]
	l := r.List()
	for l.Next() {
		list = append(list, record.Evidence{})
		evidenceShape.Read(r.Reader, &list[len(list)-1])
	}
	l.DemandItems()
	rec.Evidence = list
	byID := func(a, b record.Evidence) int { return canonical.CompareText(a.ID, b.ID) }
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

func (r *recordReader) readFreshness(rec *record.Observation) {
	f := &rec.Freshness
	o := freshnessShape.Read(r.Reader, f)
	if f.ValidUntil != "" && f.ObservedAt != "" && f.ValidUntil <= f.ObservedAt {
		r.FailMember(o.Start(), "validUntil", "must be later than observedAt, %s", f.ObservedAt)
	}
}

// lateDates returns, as faults, the dates of the observation just read, which is
// valid, that are after asOf.
func (r *recordReader) lateDates(doc, asOf string) problem.List {
	late := string(r.rec.Freshness.ObservedAt) > asOf
	for i := range r.rec.Evidence {
		late = late || string(r.rec.Evidence[i].ObservedAt) > asOf
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

// ReadModel reads a model identity.
func ReadModel(r *ijson.Reader) (m record.Model) {
	ModelShape.Read(r, &m)
	return m
}

// ReadComponent reads a piece of software and its version.
func ReadComponent(r *ijson.Reader) (c record.Component) {
	componentShape.Read(r, &c)
	return c
}

// ReadComponentOrNull is ReadComponent that may also be null.
func ReadComponentOrNull(r *ijson.Reader) (c record.Component) {
	readOrNull(r, componentShape, &c)
	return c
}

// ReadHardware reads what a model runs on, or null.
func ReadHardware(r *ijson.Reader) (h record.Hardware) {
	readOrNull(r, hardwareShape, &h)
	return h
}

// ReadTexts reads a list of unique texts, which it returns sorted.
func ReadTexts(r *ijson.Reader) []string { return r.UniqueTexts() }

// ReadProfile reads an execution profile.
func ReadProfile(r *ijson.Reader) (p record.Profile) {
	ProfileShape.Read(r, &p)
	return p
}

// ReadOpenProfile reads an execution profile whose runtime may be null, which is one that
// nothing is said of.
func ReadOpenProfile(r *ijson.Reader) record.Profile {
	var p record.OpenProfile
	openProfileShape.Read(r, &p)
	return p.Profile
}
