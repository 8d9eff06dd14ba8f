package sources

import (
	"maps"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// MappingSchema is the schema version of a mapping.
const MappingSchema = "service.source-mapping/v1"

// Claim is what every entry of a mapping says: this row is this model, and may
// be held for it until then.
type Claim struct {
	Model      catalog.Model
	ValidUntil string // timestamp

	untilAt int // offset
}

// ReadUntil reads the member validUntil of an entry.
func (c *Claim) ReadUntil(r *ijson.Reader) {
	c.untilAt = r.Offset()
	c.ValidUntil = r.Timestamp()
}

// mapping is a person's reviewed word on the rows of a source.
type mapping[E any] struct {
	entries map[string]*entry[E]
	digest  string // SHA-256 of the canonical JSON of the whole
}

// entry is what a mapping says of a row.
type entry[E any] struct {
	claim Claim
	more  E
	doc   []byte // canonical JSON
	at    int    // offset of its name
	used  bool
}

var mappingFields = ijson.NewFields("schemaVersion", "source", "entries")

// readMapping reads a mapping of a source. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func readMapping[E any](src problem.Source, source string, read func(*ijson.Reader, *Claim) E) (*mapping[E], error) {
	if len(src.Text) > MaxMappingBytes {
		e := problem.New(problem.InvalidSourceSnapshot, "$", "has %d bytes, a mapping has at most %d", len(src.Text), MaxMappingBytes)
		e.Place = problem.Start(src.Name)
		return nil, e
	}
	m := &mapping[E]{entries: map[string]*entry[E]{}}
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	for o := r.Object(mappingFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(MappingSchema)
		case 1:
			r.Enum(source)
		case 2:
			readEntries(r, src.Text, m, read)
		}
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	m.digest = canonical.Sum(ijson.NewReader(src.Text, problem.InvalidSourceSnapshot).AppendCanonical(nil))
	return m, nil
}

func readEntries[E any](r *ijson.Reader, text string, m *mapping[E], read func(*ijson.Reader, *Claim) E) {
	again := ijson.NewPartReader(problem.InvalidSourceSnapshot)
	n := r.Names()
	for n.Next() {
		e := &entry[E]{at: n.At()}
		start := r.Offset()
		e.more = read(r, &e.claim)
		if r.IsBroken() {
			return
		}
		again.Reset(text[start:ijson.SpanEnd(text, start)])
		e.doc = again.AppendCanonical(nil)
		m.entries[n.Name()] = e
		if len(m.entries) > MaxRows {
			r.Fail(n.Start(), "", "must hold at most %d entries", MaxRows)
			return
		}
	}
}

// names returns the row ids of the mapping, sorted.
func (m *mapping[E]) names() []string {
	return slices.SortedFunc(maps.Keys(m.entries), canonical.CompareText)
}

// mappingSource returns the source that a mapping says it is of, and the offset
// where it stands, or -1. What is no text is no source.
func mappingSource(text string) (source string, at int) {
	r := ijson.NewReader(text, problem.InvalidSourceSnapshot)
	at = -1
	for n := r.Names(); n.Next(); {
		if n.Name() == "source" {
			if at = r.Offset(); r.Kind() == '"' {
				source = r.String()
				continue
			}
		}
		r.Skip()
	}
	return source, at
}

// CheckMapping validates a mapping of whatever source it is of, one of the
// adapters'. Faults have code INVALID_SOURCE_SNAPSHOT and paths from $.
func CheckMapping(src problem.Source, adapters []Adapter) error {
	source, at := mappingSource(src.Text)
	var known []string
	for _, a := range adapters {
		if a.Source() == source {
			return a.CheckMapping(src)
		}
		known = append(known, a.Source())
	}
	if at < 0 { // any adapter will say what is wrong
		return adapters[0].CheckMapping(src)
	}
	e := problem.New(problem.InvalidSourceSnapshot, "$.source", "must be %s", ijson.Alternatives(known))
	e.Offset = at
	return problem.List{e}.Locate(src.Text, problem.Start(src.Name)).Err()
}
