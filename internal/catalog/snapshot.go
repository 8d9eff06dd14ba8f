package catalog

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/service/record"
)

// This file alone knows the layout of a serialized snapshot:
//
//	{"asOf":"2026-07-18T00:00:00.000Z","conflicts":[...],"digest":"1f9b254f...","models":[
//	  {"identity":{...},"key":"955f7cf9...","observations":[...]},...],"schemaVersion":"service.catalog/v2"}
//
// on one line, without white space. Others ask for spans.

// Catalog is a validated snapshot: a set of observations compiled as of an
// instant. It is immutable and safe for concurrent use; only [Compile] and
// [Parse] make one.
type Catalog struct {
	asOf      string
	models    []ModelEntry
	conflicts []Conflict
	expired   int    // observations
	text      string // serialized, of a catalog that was read from this very text

	seal   sync.Once // guards digest
	digest string
}

// ModelEntry is a model and its observations, by id.
type ModelEntry struct {
	Key          string // the hash of the identity
	Identity     record.Model
	IdentityJSON string // canonical
	Observations []Observation
}

// Record returns the model with the fields of all its observations.
func (m *ModelEntry) Record() record.CatalogModel {
	observations := make(record.List[record.CatalogObservation], len(m.Observations))
	for i, o := range m.Observations {
		observations[i] = record.CatalogObservation{Observation: o.Record(), ID: o.id}
	}
	return record.CatalogModel{Key: m.Key, Identity: m.Identity, Observations: observations}
}

// Find returns the observation with an id.
func (m *ModelEntry) Find(id string) (o Observation, ok bool) {
	i, ok := slices.BinarySearchFunc(m.Observations, id, func(o Observation,
		id string) int {
		return strings.Compare(o.id, id)
	})
	if !ok {
		return Observation{}, false
	}
	return m.Observations[i], true
}

// AsOf is the instant that the catalog was compiled for.
func (c *Catalog) AsOf() string { return c.asOf }

// Digest is the SHA-256 of the snapshot without its digest.
func (c *Catalog) Digest() string {
	c.seal.Do(func() { c.digest = hashPieces(c.pieces("")) })
	return c.digest
}

// Models returns the models by key. The caller must not change it.
func (c *Catalog) Models() []ModelEntry { return c.models }

// Conflicts returns the conflicts by key. The caller must not change it.
func (c *Catalog) Conflicts() []Conflict { return c.conflicts }

// Observations returns the number of observations.
func (c *Catalog) Observations() int {
	n := 0
	for i := range c.models {
		n += len(c.models[i].Observations)
	}
	return n
}

// Size is the number of bytes of the serialized snapshot.
func (c *Catalog) Size() int { return totalLength(c.pieces(c.Digest())) }

// Serialize returns the snapshot as canonical JSON. Of a catalog that was read from it, this
// is the text that was read.
func (c *Catalog) Serialize() string {
	if c.text != "" {
		return c.text
	}
	var b strings.Builder
	b.Grow(c.Size())
	for piece := range c.pieces(c.Digest()) {
		b.WriteString(piece)
	}
	return b.String()
}

// WriteTo writes the snapshot as canonical JSON.
func (c *Catalog) WriteTo(w io.Writer) (int64, error) {
	return writePieces(w, c.pieces(c.Digest()))
}

// ModelSpans returns where in the serialized snapshot each model is, in the order
// of Models: {"identity":...,"key":...,"observations":[...]}.
func (c *Catalog) ModelSpans() []Span {
	spans := make([]Span, len(c.models))
	end := c.Size() - len(snapshotEnd)
	for i := len(spans) - 1; i >= 0; i-- {
		spans[i] = Span{end - totalLength(c.models[i].pieces), end}
		end = spans[i].Start - len(`,`)
	}
	return spans
}

// FindSchemaVersion returns where the schemaVersion is in a text that begins and
// ends as a serialized snapshot does; found is false for every other text. It
// looks at nothing between, which may be gigabytes.
func FindSchemaVersion(text string) (value Span, found bool) {
	found = strings.HasPrefix(text, snapshotStart) && strings.HasSuffix(text, snapshotEnd)
	return Span{len(text) - len(quotedSchema+`}`), len(text) - len(`}`)}, found
}

// What is around the values of a snapshot.
const (
	quotedSchema  = `"` + record.CatalogSchema + `"`
	snapshotStart = `{"asOf":"`
	digestStart   = `,"digest":"`
	digestEnd     = `"`
	snapshotEnd   = `],"schemaVersion":` + quotedSchema + `}`
)

// pieces yields the text of the snapshot, without a digest if it is empty.
func (c *Catalog) pieces(digest string) iter.Seq[string] {
	return func(yield func(string) bool) {
		wanted := true
		put := func(piece string) bool {
			wanted = wanted && yield(piece)
			return wanted
		}
		putAll(put, snapshotStart, c.asOf, `","conflicts":[`)
		for i := 0; i < len(c.conflicts) && wanted; i++ {
			putAll(put, separator(i), c.conflicts[i].JSON)
		}
		put(`]`)
		if digest != "" {
			putAll(put, digestStart, digest, digestEnd)
		}
		put(`,"models":[`)
		for i := 0; i < len(c.models) && wanted; i++ {
			put(separator(i))
			c.models[i].pieces(put)
		}
		put(snapshotEnd)
	}
}

// pieces yields the model as it is in a snapshot.
func (m *ModelEntry) pieces(yield func(string) bool) {
	wanted := putAll(yield, `{"identity":`, m.IdentityJSON, `,"key":"`, m.Key, `","observations":[`)
	for i := 0; i < len(m.Observations) && wanted; i++ {
		wanted = putAll(yield, separator(i), m.Observations[i].doc)
	}
	if wanted {
		yield(`]}`)
	}
}

// putAll yields pieces as long as they are wanted, and reports whether more are.
func putAll(yield func(string) bool, pieces ...string) bool {
	for _, p := range pieces {
		if !yield(p) {
			return false
		}
	}
	return true
}

// separator is what comes before an item of a list.
func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// AppendJSON appends the model as it is in a snapshot.
func (m *ModelEntry) AppendJSON(dst []byte) []byte {
	for piece := range m.pieces {
		dst = append(dst, piece...)
	}
	return dst
}

func totalLength(pieces iter.Seq[string]) (n int) {
	for piece := range pieces {
		n += len(piece)
	}
	return n
}

// pieceBuffer is how much of a snapshot is handed on at once.
const pieceBuffer = 256 << 10

func writePieces(w io.Writer, pieces iter.Seq[string]) (n int64, err error) {
	buf := bufio.NewWriterSize(w, pieceBuffer)
	for piece := range pieces {
		m, err := buf.WriteString(piece)
		n += int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, buf.Flush()
}

// hashPieces returns the hash of a text in pieces.
func hashPieces(pieces iter.Seq[string]) string {
	h := sha256.New()
	writePieces(h, pieces) // a hash takes all bytes
	return hex.EncodeToString(h.Sum(nil))
}

// File is what [Catalog.WriteFile] needs of a file.
type File interface {
	io.Writer
	io.WriterAt
}

// WriteFile writes the snapshot to a file that is empty, as WriteTo does. If the
// digest is not known yet, it is computed while the file is written, and put into
// its place last.
func (c *Catalog) WriteFile(f File) (n int64, err error) {
	sealed := true
	c.seal.Do(func() {
		sealed = false
		n, err = c.writeSealing(f)
	})
	if sealed {
		return c.WriteTo(f)
	}
	return n, err
}

// writeSealing writes the snapshot with zeros for the digest, while another
// processor computes it, and fills it in. Whether or not the writing succeeds, the
// digest is right in the end.
func (c *Catalog) writeSealing(f File) (int64, error) {
	hashed := make(chan struct{})
	go func() {
		defer close(hashed)
		c.digest = hashPieces(c.pieces(""))
	}()
	n, err := writePieces(f, c.pieces(noID))
	<-hashed
	if err == nil {
		_, err = f.WriteAt([]byte(c.digest), c.digestOffset())
	}
	return n, err
}

// digestOffset is where the digest is in the serialized snapshot.
func (c *Catalog) digestOffset() (n int64) {
	for piece := range c.pieces(noID) {
		if piece == noID {
			break
		}
		n += int64(len(piece))
	}
	return n
}
