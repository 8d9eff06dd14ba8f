package catalog

import (
	"cmp"
	"crypto/sha256"
	"hash"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Observation is a validated and normalized observation. It is immutable; only
// this package makes one.
type Observation struct {
	doc string // canonical JSON, with the id
	id  string // a part of doc
}

// ID is the SHA-256 of the canonical JSON of the normalized observation
// without its id.
func (o Observation) ID() string { return o.id }

// JSON is the normalized observation as canonical JSON, with its id, as it
// stands in a snapshot.
func (o Observation) JSON() string { return o.doc }

// Input is the normalized observation as canonical JSON without its id, which is
// how it enters a compilation.
func (o Observation) Input() string {
	before, after, _ := strings.Cut(o.doc, `,"id":"`+o.id+`"`) // a hash stands in nothing that it is of
	return before + after
}

// Record returns the members of the observation.
func (o Observation) Record() Record {
	d := newDecoder()
	d.read(o.doc, observationFieldsWithID)
	return d.rec
}

// Normalize validates one observation, which has no id yet, and computes its
// id. Faults have code INVALID_OBSERVATION or UNSUPPORTED_SCHEMA.
func Normalize(doc string) (Observation, error) {
	d := newDecoder()
	mark := ijson.LenByteOrderMark(doc)
	if faults := d.read(doc[mark:], observationFields); faults != nil {
		for _, e := range faults {
			e.Offset += mark
		}
		return Observation{}, faults.Err()
	}
	d.enc.Buf = make([]byte, 0, normalSize(len(doc)))
	d.encode()
	return d.observation(string(d.enc.Buf)), nil
}

var (
	observationFields = ijson.NewFields("schemaVersion", "kind", "model", "execution", "task", "measurements",
		"outcome", "usage", "sourceClass", "evidence", "freshness", "uncertainty")
	observationFieldsWithID = ijson.NewFields("schemaVersion", "kind", "model", "execution", "task", "measurements",
		"outcome", "usage", "sourceClass", "evidence", "freshness", "uncertainty", "id")
)

// decoder reads observations and writes them normalized. It is reused from one
// to the next, and so are the lists of its record.
type decoder struct {
	asOf string // if set, nothing may be dated after it

	r   *ijson.Reader
	rec Record
	// givenID is the id that the document has, if it may have one.
	givenID string
	// reordered tells that some list was not in normal order.
	reordered bool
	seen      seenMembers

	enc    canonical.Encoder
	parts  parts // where things stand in enc
	sorter measurementSorter
	hash   hash.Hash
}

// seenMembers are the members that rules about several members blame.
type seenMembers struct {
	execution, task, outcome, usage member
	executionKind, model, id        int // offsets
}

// member is where a member stands, and whether it is null. The zero value is one
// that is missing.
type member struct {
	at   int
	null bool
}

// readNull reads null, if that stands there, and notes what it has met.
func readNull(r *ijson.Reader) (m member) {
	m.at = r.Offset()
	m.null = r.Null()
	return m
}

func (m member) isNull() bool  { return m.at > 0 && m.null }
func (m member) isGiven() bool { return m.at > 0 && !m.null }

// span is a part of the encoded document: from, to.
type span [2]int

func (s span) of(doc string) string { return doc[s[0]:s[1]] }

// parts are those parts of the encoded document that compiling looks at.
type parts struct {
	id, model, execution, task span
	freshness                  freshnessPart
	facts                      []factPart
}

// freshnessPart is where the two timestamps stand, the second an empty span if
// it is null.
type freshnessPart struct{ observedAt, validUntil span }

func (f freshnessPart) of(doc string) interval {
	return interval{f.observedAt.of(doc), cmp.Or(f.validUntil.of(doc), timestamp.End)}
}

// factPart is a measurement of kind fact: its key and value.
type factPart struct{ key, value span }

func newDecoder() *decoder {
	return &decoder{r: ijson.NewPartReader(problem.InvalidObservation), hash: sha256.New()}
}

// read reads and validates one document into d.rec.
func (d *decoder) read(doc string, fields *ijson.Fields) problem.List {
	d.r.Reset(doc)
	d.readRecord(d.r, fields)
	faults := d.r.End()
	if d.r.Beyond() > 0 {
		return faults // so many that their order is of no more use
	}
	return freshnessFirst(datesLast(faults))
}

// datesLast drops the faults of dates if there are others: a record is held
// against asOf once it is valid.
func datesLast(faults problem.List) problem.List {
	if !slices.ContainsFunc(faults, func(e *problem.Error) bool { return !isDateFault(e) }) {
		return faults
	}
	return slices.DeleteFunc(faults, isDateFault)
}

func isDateFault(e *problem.Error) bool { return e.Code == problem.InvalidCompileOptions }

// freshnessFirst puts a date fault of the freshness before those of the
// evidence, in which order dates are judged.
func freshnessFirst(faults problem.List) problem.List {
	ofFreshness := func(e *problem.Error) bool { return isDateFault(e) && e.Path == "$.freshness.observedAt" }
	if i := slices.IndexFunc(faults, ofFreshness); i > 0 {
		fresh := faults[i]
		copy(faults[1:], faults[:i])
		faults[0] = fresh
	}
	return faults
}

func (d *decoder) readRecord(r *ijson.Reader, fields *ijson.Fields) {
	rec := &d.rec
	d.givenID, d.reordered, d.seen = "", false, seenMembers{}
	rec.Kind, rec.Execution.Kind, rec.Task, rec.Outcome, rec.Usage = "", "", Task{}, Outcome{}, Usage{}
	o := r.Object(fields)
	for o.Next() {
		switch o.Field() {
		case 0:
			readSchemaVersion(r)
		case 1:
			rec.Kind = r.Enum(KindEvaluation, KindDeclaration)
		case 2:
			d.seen.model = r.Offset()
			rec.Model = ReadModel(r)
		case 3:
			if d.seen.execution = readNull(r); !d.seen.execution.null {
				d.readScope(r, &rec.Execution)
			}
		case 4:
			if d.seen.task = readNull(r); !d.seen.task.null {
				rec.Task = readTask(r)
			}
		case 5:
			d.readMeasurements(r)
		case 6:
			if d.seen.outcome = readNull(r); !d.seen.outcome.null {
				rec.Outcome = readOutcome(r)
			}
		case 7:
			if d.seen.usage = readNull(r); !d.seen.usage.null {
				rec.Usage = readUsage(r)
			}
		case 8:
			rec.SourceClass = r.Enum(FirstParty, External)
		case 9:
			d.readEvidenceList(r)
		case 10:
			rec.Freshness = d.readFreshness(r)
		case 11:
			d.readUncertainty(r, &rec.Uncertainty)
		case 12:
			d.seen.id = r.Offset()
			d.givenID = r.Hash()
		}
	}
	d.checkKind(r)
}

func readSchemaVersion(r *ijson.Reader) {
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

// checkKind holds the rules that tie the kind to other members.
func (d *decoder) checkKind(r *ijson.Reader) {
	switch seen := &d.seen; d.rec.Kind {
	case KindDeclaration:
		const rule = "must be null in a declaration"
		if seen.outcome.isGiven() {
			r.Fail(seen.outcome.at, ".outcome", rule)
		}
		if seen.usage.isGiven() {
			r.Fail(seen.usage.at, ".usage", rule)
		}
	case KindEvaluation:
		const rule = "must not be null in an evaluation"
		if seen.execution.isNull() {
			r.Fail(seen.execution.at, ".execution", rule)
		}
		if d.rec.Execution.Kind == ScopePartial {
			r.Fail(seen.executionKind, ".execution.kind", "must be exact in an evaluation")
		}
		if seen.task.isNull() {
			r.Fail(seen.task.at, ".task", rule)
		}
		if seen.outcome.isNull() {
			r.Fail(seen.outcome.at, ".outcome", rule)
		}
	}
}

// readMeasurements reads the measurements and puts them into normal order,
// that of their canonical JSON.
func (d *decoder) readMeasurements(r *ijson.Reader) {
	list := d.rec.Measurements[:0]
	l := r.List()
	for l.Next() {
		list = append(list, Measurement{})
		readMeasurement(r, &list[len(list)-1])
	}
	l.DemandItems()
	d.rec.Measurements = list
	d.reordered = !d.sorter.sort(list, r.Escaped()) || d.reordered
	for i := 1; i < len(list); i++ {
		a, b := &list[i-1], &list[i]
		if a.Kind == b.Kind && a.Key == b.Key && a.Kind != "" && a.Key != "" { // faults of their own leave them empty
			r.Fail(l.Start(), "", "must hold each key once of each kind: %s %q is repeated", a.Kind, a.Key)
			return
		}
	}
}

// readEvidenceList reads the evidence and puts it into order of ids.
func (d *decoder) readEvidenceList(r *ijson.Reader) {
	list := d.rec.Evidence[:0]
	l := r.List()
	for l.Next() {
		list = append(list, Evidence{})
		d.readEvidence(r, &list[len(list)-1])
	}
	l.DemandItems()
	d.rec.Evidence = list
	byID := func(a, b Evidence) int { return canonical.CompareText(a.ID, b.ID) }
	if !slices.IsSortedFunc(list, byID) {
		d.reordered = true
		slices.SortFunc(list, byID)
	}
	for i := 1; i < len(list); i++ {
		if list[i].ID == list[i-1].ID && list[i].ID != "" {
			r.Fail(l.Start(), "", "must hold each id once: %q is repeated", list[i].ID)
			return
		}
	}
}

// observation is what was encoded; doc is a lasting copy of it.
func (d *decoder) observation(doc string) Observation {
	return Observation{doc: doc, id: d.parts.id.of(doc)}
}
