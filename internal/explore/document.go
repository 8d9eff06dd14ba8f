package explore

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// This file is answers that are sent compressed to whoever takes them so.

// versions are a text as it is and compressed.
type versions struct{ plain, packed httpserver.Answer }

// leastPacked is the size from which on texts are compressed.
const leastPacked = 1 << 10

func newVersions(mediaType string, body []byte, header []httpserver.Field) *versions {
	of := func(body []byte) httpserver.Answer {
		a := httpserver.NewAnswer(http.StatusOK, body).With("Content-Type", mediaType).With("Vary", "Accept-Encoding")
		for _, f := range header {
			a = a.With(f.Name, f.Value[0])
		}
		return a
	}
	v := &versions{plain: of(body)}
	v.packed = v.plain
	if len(body) < leastPacked {
		return v
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	v.packed = of(packed.Bytes()).With("Content-Encoding", "gzip")
	return v
}

// of is the version that a client takes.
func (v *versions) of(r *http.Request) *httpserver.Answer {
	for _, list := range r.Header["Accept-Encoding"] {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "gzip" {
				return &v.packed
			}
		}
	}
	return &v.plain
}

// document is an answer that never changes.
type document struct {
	tag       string // strong
	found     *versions
	unchanged httpserver.Answer
}

func newDocument(mediaType string, body []byte, more ...httpserver.Field) *document {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	weak := httpserver.NewField("ETag", "W/"+tag) // the two versions say the same
	return &document{tag, newVersions(mediaType, body, append(more, weak)),
		httpserver.Answer{Status: http.StatusNotModified, Header: []httpserver.Field{weak}}}
}
