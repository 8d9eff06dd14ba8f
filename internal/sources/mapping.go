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
	m := &mapping[E]{entries: map[string]*entry[E]{}}
	if err := readDecisions(m, src, source, f); err != nil {
		return nil, err
	}
	m.digest = canonical.Sum(canonicalText(src.Text))
	return m, nil
}

// canonicalText is a JSON text that was read before as canonical JSON.
func canonicalText(text string) []byte {
	return ijson.NewReader(text, problem.InvalidSourceSnapshot).AppendCanonical(nil)
}

// around reads the members around the entries.
type around struct{ identity, defaults func(*ijson.Reader) }

// readEntries reads a mapping of a source and calls read at the value of each of
// its entries.
func readEntries(r *ijson.Reader, source string, a around, read func(*ijson.Names)) {
	type document struct{}
	ijson.NewShape(
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *document) { r.Enum(MappingSchema) }),
		ijson.Required("source", func(r *ijson.Reader, _ *document) { r.Enum(source) }),
		ijson.Optional("identity", func(r *ijson.Reader, _ *document) { a.identity(r) }),
		ijson.Optional("defaults", func(r *ijson.Reader, _ *document) { a.defaults(r) }),
		ijson.Required("entries", func(r *ijson.Reader, _ *document) {
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
		}),
	).Read(r, &document{})
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
