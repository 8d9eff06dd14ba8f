package catalog

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
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
// is in a snapshot.
func (o Observation) JSON() string { return o.doc }

// Input is the normalized observation as canonical JSON without its id, which is
// how it enters a compilation.
func (o Observation) Input() string {
	before, after, _ := strings.Cut(o.doc, `,"id":"`+o.id+`"`) // nothing contains its own hash
	return before + after
}

// AppendInput appends Input to b.
func (o Observation) AppendInput(b []byte) []byte {
	before, after, _ := strings.Cut(o.doc, `,"id":"`+o.id+`"`)
	return append(append(b, before...), after...)
}

// Record returns the members of the observation.
func (o Observation) Record() record.Observation { return *NewRecordReader().Read(o) }

// Normalize validates one observation, which has no id yet, and computes its
// id. Faults have code INVALID_OBSERVATION or UNSUPPORTED_SCHEMA.
func Normalize(doc string) (Observation, error) {
	n := newNormalizer()
	mark := ijson.LenByteOrderMark(doc)
	if faults := n.reader.read(doc[mark:], inputShape); faults != nil {
		for _, e := range faults {
			if e.Offset >= 0 {
				e.Offset += mark
			}
		}
		return Observation{}, faults.Err()
	}
	n.writer.Buf = make([]byte, 0, normalSize(len(doc)))
	n.write()
	return n.observation(string(n.writer.Buf)), nil
}

// normalizer makes observations: what its reader has read its writer writes.
type normalizer struct {
	reader *recordReader
	writer *recordWriter
}

func newNormalizer() normalizer { return normalizer{newRecordReader(), newRecordWriter()} }

// write writes what was read, which is valid, after what the writer's buffer holds.
func (n *normalizer) write() { n.writer.write(&n.reader.rec, !n.reader.Escaped()) }

// observation returns what was written, of which doc is a lasting copy.
func (n *normalizer) observation(doc string) Observation {
	return Observation{doc, n.writer.parts.id.Text(doc)}
}

// normalSize is how many bytes a normalized document has at most, as a rule, that
// is read from size bytes: the id makes it longer, white space shorter.
func normalSize(size int) int { return size + size/8 + 256 }

// Builder makes observations of records that programs fill in. It reuses its
// room from one to the next.
type Builder struct {
	input *recordWriter
	normalizer
}

// NewBuilder returns a Builder.
func NewBuilder() *Builder { return &Builder{newRecordWriter(), newNormalizer()} }

// Build validates and normalizes a record and computes its id, as [Normalize]
// does with the JSON of one.
func (b *Builder) Build(rec *record.Observation) (Observation, error) {
	if err := b.read(rec); err != nil {
		return Observation{}, err
	}
	b.writer.Buf = b.writer.Buf[:0]
	b.write()
	return b.observation(string(b.writer.Buf)), nil
}

// AppendInput validates and normalizes a record as Build does, and appends what
// [Observation.Input] would be to dst.
func (b *Builder) AppendInput(dst []byte, rec *record.Observation) ([]byte, error) {
	if err := b.read(rec); err != nil {
		return dst, err
	}
	b.writer.Buf = b.writer.Buf[:0]
	b.writer.encode(&b.reader.rec, !b.reader.Escaped())
	before, after := b.writer.splitAtID()
	return append(append(dst, before...), after...), nil
}

// read validates a record and reads it into the reader's room. Its schema version may be empty.
func (b *Builder) read(rec *record.Observation) error {
	if rec.SchemaVersion != "" && rec.SchemaVersion != record.ObservationSchema {
		return problem.New(problem.UnsupportedSchema, "$.schemaVersion", "%s, is %q", schemaRule, rec.SchemaVersion)
	}
	for i := range rec.Measurements {
		if v := &rec.Measurements[i].Value; v.Kind == '0' && strings.Trim(v.Text, "0123456789+-.eE") != "" {
			path := fmt.Sprintf("$.measurements[%d].value", i)
			return problem.New(problem.InvalidObservation, path, "must be a number, is %q", v.Text)
		}
	}
	b.input.Buf = b.input.Buf[:0]
	b.input.encode(rec, false)
	if !utf8.Valid(b.input.Buf) {
		var faults problem.List
		findInvalid(reflect.ValueOf(rec).Elem(), "$", &faults)
		return faults.Err()
	}
	before, after := b.input.splitAtID()
	return b.reader.read(string(append(before, after...)), inputShape).Err()
}

// findInvalid finds the texts of a record that are not UTF-8. Fields without a name in JSON are
// parts of what they are in.
func findInvalid(v reflect.Value, path string, faults *problem.List) {
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			inner := path
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
				inner += "." + name
			}
			findInvalid(value, inner, faults)
		}
	case reflect.Slice:
		for i := range v.Len() {
			findInvalid(v.Index(i), fmt.Sprintf("%s[%d]", path, i), faults)
		}
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			*faults = append(*faults, problem.New(problem.InvalidObservation, path, "must be UTF-8"))
		}
	}
}

// RecordReader reads the members of many observations into the same room.
type RecordReader struct{ reader *recordReader }

// NewRecordReader returns a RecordReader.
func NewRecordReader() *RecordReader { return &RecordReader{newRecordReader()} }

// Read returns the members of an observation. The lists of the record are valid
// until the next call; its texts stay.
func (r *RecordReader) Read(o Observation) *record.Observation {
	r.reader.read(o.doc, storedShape)
	return &r.reader.rec
}

// ParseModel validates the JSON of a model identity.
func ParseModel(doc string) (record.Model, error) { return parsePart(doc, ReadModel) }

// ParseProfile validates the JSON of an execution profile.
func ParseProfile(doc string) (record.Profile, error) { return parsePart(doc, ReadProfile) }

// ParseScope validates the JSON of an execution scope.
func ParseScope(doc string) (record.Scope, error) {
	return parsePart(doc, func(r *ijson.Reader) (s record.Scope) {
		readScope(r, &s)
		return s
	})
}

// parsePart reads a part of an observation that is a document by itself. Its
// faults have code INVALID_OBSERVATION and paths from $.
func parsePart[T any](doc string, read func(*ijson.Reader) T) (part T, err error) {
	r := ijson.NewReader(doc, problem.InvalidObservation)
	part = read(r)
	if faults := r.End(); faults != nil {
		var none T
		return none, faults.Err()
	}
	return part, nil
}
