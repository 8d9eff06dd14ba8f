package sources

import (
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// MappingSchema is the schema version of a mapping: a person's reviewed word on
// the rows of a source.
//
//	{
//	  "schemaVersion": "service.source-mapping/v1",
//	  "source": "openrouter-models",
//	  "entries": {
//	    "acme/atlas-70b": {
//	      "model": {"id":"acme/atlas-70b","revision":null,"quantization":null},
//	      "validUntil": "2027-01-01T00:00:00.000Z"
//	    }
//	  }
//	}
//
// What an entry holds beyond model and validUntil is the adapter's matter. The
// second version says the same in fewer words; see [MappingSchemaV2].
const MappingSchema = "service.source-mapping/v1"

const mappingPath = "$.mapping"

// Claim is what every entry of a mapping says: this row is this model, and may
// be held for it until then. The entries of an adapter embed it.
type Claim struct {
	Model      record.Model
	ValidUntil string // timestamp
}

func (c *Claim) common() *Claim { return c }

// Claimant is a pointer to an entry that embeds a [Claim].
type Claimant[E any] interface {
	*E
	common() *Claim
}

// mapping is the entries of a mapping by row id.
type mapping[E any] struct {
	version  int    // of the schema
	identity string // how rows without entry are known: offer/v1, offer/v2; "" if they are not
	entries  map[string]*entry[E]
	defaults int    // offset of the defaults, 0 if there are none
	digest   string // SHA-256 of the canonical JSON of the whole
}

// entry is what a mapping says of a row.
type entry[E any] struct {
	said  E
	none  string // why the row is no one model; "" if it is one
	doc   []byte // canonical JSON of the effective entry
	name  int    // offset of the row id
	start int    // offset of the entry
	used  bool
}

// readMapping reads a mapping of a source. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func readMapping[E any](src problem.Source, source string, f *EntryFormat[E]) (*mapping[E], error) {
	if err := checkSize(src, problem.InvalidSourceSnapshot, "a mapping", MaxMappingBytes); err != nil {
		return nil, err
	}
	version := mappingVersion(src.Text)
	m := &mapping[E]{version: version, entries: map[string]*entry[E]{}}
	var err error
	switch {
	case version == 2:
		err = readMappingV2(m, src, source, f)
	case f.V1 == nil:
		err = refuseV1(src)
	default:
		err = readMappingV1(m, src, source, f.V1)
	}
	if err != nil {
		return nil, err
	}
	m.digest = canonical.Sum(canonicalText(src.Text))
	return m, nil
}

func readMappingV1[E any](m *mapping[E], src problem.Source, source string, shape *ijson.Shape[*ijson.Reader, E]) error {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	readEntries(r, MappingSchema, source, nil, func(n *ijson.Names) {
		e := &entry[E]{name: n.At(), start: r.Offset()}
		shape.Read(r, &e.said)
		m.entries[n.Name()] = e
	})
	if faults := r.End(); faults != nil {
		return faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	for _, e := range m.entries {
		e.doc = canonicalText(src.Text[e.start:ijson.SpanEnd(src.Text, e.start)])
	}
	return nil
}

// refuseV1 refuses what is not a mapping of the second version.
func refuseV1(src problem.Source) error {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	type document struct{}
	ijson.NewOpenShape(
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *document) { r.Enum(MappingSchemaV2) }),
	).Read(r, &document{})
	return r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}

// mappingVersion returns the version of the schema that a mapping says it has: 2, or
// 1 for all else.
func mappingVersion(text string) int {
	version, _ := ijson.NewReader(text, problem.InvalidSourceSnapshot).Value().Get("schemaVersion")
	if version.Kind == '"' && version.Text == MappingSchemaV2 {
		return 2
	}
	return 1
}

// canonicalText is a JSON text that was read before as canonical JSON.
func canonicalText(text string) []byte {
	return ijson.NewReader(text, problem.InvalidSourceSnapshot).AppendCanonical(nil)
}

// around are the members around the entries that only the second version has.
type around struct{ identity, defaults func(*ijson.Reader) }

// readEntries reads a mapping of a source and calls read at the value of each of
// its entries.
func readEntries(r *ijson.Reader, schema, source string, a *around, read func(*ijson.Names)) {
	type document struct{}
	members := []ijson.ShapeMember[*ijson.Reader, document]{
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *document) { r.Enum(schema, MappingSchemaV2) }),
		ijson.Required("source", func(r *ijson.Reader, _ *document) { r.Enum(source) }),
	}
	if a != nil {
		members = append(members,
			ijson.Optional("identity", func(r *ijson.Reader, _ *document) { a.identity(r) }),
			ijson.Optional("defaults", func(r *ijson.Reader, _ *document) { a.defaults(r) }))
	}
	members = append(members, ijson.Required("entries", func(r *ijson.Reader, _ *document) {
		count := 0
		n := r.Names()
		for n.Next() {
			if count++; count <= MaxRows {
				read(&n)
			} else {
				r.Skip()
			}
		}
		if count > MaxRows {
			r.Fail(n.Start(), "", "must hold at most %d entries", MaxRows)
		}
	}))
	ijson.NewShape(members...).Read(r, &document{})
}

// rows returns the row ids of the mapping, sorted.
func (m *mapping[E]) rows() []string {
	return slices.SortedFunc(maps.Keys(m.entries), canonical.CompareText)
}

// CheckMapping validates a mapping of whatever source it is of, one of the
// adapters'. Faults have code INVALID_SOURCE_SNAPSHOT and paths from $.
func CheckMapping(src problem.Source, adapters []Adapter) error {
	source, stated := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot).Value().Get("source")
	var known []string
	for _, a := range adapters {
		if a.Source() == source.Text && source.Kind == '"' {
			return a.CheckMapping(src)
		}
		known = append(known, a.Source())
	}
	if !stated { // any adapter will say what is wrong
		return adapters[0].CheckMapping(src)
	}
	e := problem.New(problem.InvalidSourceSnapshot, "$.source", "must be %s", ijson.Alternatives(known))
	start := strings.IndexByte(src.Text, '{')
	e.Offset = start + ijson.Locate(src.Text[start:], "source")
	return problem.List{e}.Locate(src.Text, problem.Start(src.Name)).Err()
}
