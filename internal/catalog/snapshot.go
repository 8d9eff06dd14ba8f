package catalog

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"strings"
	"sync"
)

// Catalog is a validated snapshot: a set of observations compiled as of an
// instant. It is immutable and safe for concurrent use; only [Compile] and
// [Parse] make one.
type Catalog struct {
	asOf      string
	models    []ModelEntry
	conflicts []Conflict

	seal   sync.Once // guards digest
	digest string
}

// ModelEntry is a model and its observations, by id.
type ModelEntry struct {
	Key          string // the hash of the identity
	Identity     Model
	IdentityJSON string // canonical
	Observations []Observation
}

// AsOf is the instant that the catalog was compiled for.
func (c *Catalog) AsOf() string { return c.asOf }

// Digest is the SHA-256 of the snapshot without its digest.
func (c *Catalog) Digest() string {
	c.seal.Do(func() {
		h := sha256.New()
		writePieces(h, c.pieces("")) // a hash takes all bytes
		c.digest = hex.EncodeToString(h.Sum(nil))
	})
	return c.digest
}

// Models returns the models by key. The caller must not change it.
func (c *Catalog) Models() []ModelEntry { return c.models }

// Conflicts returns the conflicts by key. The caller must not change it.
func (c *Catalog) Conflicts() []Conflict { return c.conflicts }

// Size is the number of bytes of the serialized snapshot.
func (c *Catalog) Size() int {
	n := 0
	for piece := range c.pieces(c.Digest()) {
		n += len(piece)
	}
	return n
}

// Observations returns the number of observations.
func (c *Catalog) Observations() int {
	n := 0
	for i := range c.models {
		n += len(c.models[i].Observations)
	}
	return n
}

// Serialize returns the snapshot as canonical JSON.
func (c *Catalog) Serialize() string {
	var b strings.Builder
	b.Grow(c.Size())
	for piece := range c.pieces(c.Digest()) {
		b.WriteString(piece)
	}
	return b.String()
}

// pieceBuffer is how much of a snapshot is handed on at once.
const pieceBuffer = 256 << 10

// WriteTo writes the snapshot as canonical JSON.
func (c *Catalog) WriteTo(w io.Writer) (int64, error) {
	return writePieces(w, c.pieces(c.Digest()))
}

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

// pieces yields the text of the snapshot, without a digest if it is empty.
func (c *Catalog) pieces(digest string) iter.Seq[string] {
	return func(yield func(string) bool) {
		emit := func(pieces ...string) bool {
			for _, p := range pieces {
				if !yield(p) {
					return false
				}
			}
			return true
		}
		_ = c.head(emit) && (digest == "" || emit(digestStart, digest, digestEnd)) && c.tail(emit)
	}
}

// What stands around the digest in a snapshot.
const digestStart, digestEnd = `,"digest":"`, `"`

// head emits the text before the digest.
func (c *Catalog) head(emit func(...string) bool) bool {
	if !emit(`{"asOf":"`, c.asOf, `","conflicts":[`) {
		return false
	}
	separator := ""
	for i := range c.conflicts {
		if !emit(separator, c.conflicts[i].JSON) {
			return false
		}
		separator = ","
	}
	return emit(`]`)
}

// tail emits the text behind the digest.
func (c *Catalog) tail(emit func(...string) bool) bool {
	separator := `,"models":[`
	for i := range c.models {
		if !emit(separator) || !c.models[i].pieces(emit) {
			return false
		}
		separator = `,`
	}
	if len(c.models) == 0 && !emit(separator) {
		return false
	}
	return emit(`],"schemaVersion":"` + SnapshotSchema + `"}`)
}

// pieces emits the model as it stands in a snapshot.
func (m *ModelEntry) pieces(emit func(...string) bool) bool {
	if !emit(`{"identity":`, m.IdentityJSON, `,"key":"`, m.Key, `","observations":[`) {
		return false
	}
	separator := ""
	for i := range m.Observations {
		if !emit(separator, m.Observations[i].doc) {
			return false
		}
		separator = ","
	}
	return emit(`]}`)
}

// AppendJSON appends the model as it stands in a snapshot.
func (m *ModelEntry) AppendJSON(dst []byte) []byte {
	m.pieces(func(pieces ...string) bool {
		for _, p := range pieces {
			dst = append(dst, p...)
		}
		return true
	})
	return dst
}
