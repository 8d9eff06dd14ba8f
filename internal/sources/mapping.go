package sources

import (
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
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
// What an entry holds beyond model and validUntil is the adapter's matter.
const MappingSchema = "service.source-mapping/v1"

const mappingPath = "$.mapping"

// Claim is what every entry of a mapping says: this row is this model, and may
// be held for it until then. The entries of an adapter embed it.
type Claim struct {
	Model      catalog.Model
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
	entries map[string]*entry[E]
	digest  string // SHA-256 of the canonical JSON of the whole
}

// entry is what a mapping says of a row.
type entry[E any] struct {
	said  E
	doc   []byte // canonical JSON
	name  int    // offset of the row id
	start int    // offset of the entry
	used  bool
}

// readMapping reads a mapping of a source. Faults have code
// INVALID_SOURCE_SNAPSHOT and paths from $.
func readMapping[E any](src problem.Source, source string, shape *ijson.Shape[*ijson.Reader, E]) (*mapping[E], error) {
	if err := checkSize(src, problem.InvalidSourceSnapshot, "a mapping", MaxMappingBytes); err != nil {
		return nil, err
	}
	m := &mapping[E]{entries: map[string]*entry[E]{}}
	err := readEntries(src, source, func(r *ijson.Reader, n *ijson.Names) {
		e := &entry[E]{name: n.At(), start: r.Offset()}
		shape.Read(r, &e.said)
		m.entries[n.Name()] = e
	})
	if err != nil {
		return nil, err
	}
	for _, e := range m.entries {
		e.doc = canonicalText(src.Text[e.start:ijson.SpanEnd(src.Text, e.start)])
	}
	m.digest = canonical.Sum(canonicalText(src.Text))
	return m, nil
}

// canonicalText is a JSON text that was read before as canonical JSON.
func canonicalText(text string) []byte {
	return ijson.NewReader(text, problem.InvalidSourceSnapshot).AppendCanonical(nil)
}

// readEntries reads a mapping of a source and calls read at the value of each of
// its entries.
func readEntries(src problem.Source, source string, read func(*ijson.Reader, *ijson.Names)) error {
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	type document struct{}
	ijson.NewShape(
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *document) { r.Enum(MappingSchema) }),
		ijson.Required("source", func(r *ijson.Reader, _ *document) { r.Enum(source) }),
		ijson.Required("entries", func(r *ijson.Reader, _ *document) {
			count := 0
			n := r.Names()
			for n.Next() {
				if count++; count <= MaxRows {
					read(r, &n)
				} else {
					r.Skip()
				}
			}
			if count > MaxRows {
				r.Fail(n.Start(), "", "must hold at most %d entries", MaxRows)
			}
		}),
	).Read(r, &document{})
	return r.End().Locate(src.Text, problem.Start(src.Name)).Err()
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
