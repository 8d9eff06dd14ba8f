package store

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
)

const (
	// maxKey is the most bytes of an id or ref that go into an index as they
	// are. PostgreSQL takes some 2,700 bytes in an entry, which may hold two.
	maxKey = 1024
	// hashMark begins the key of an id or ref that is indexed by its hash.
	hashMark = "\x01sha256:"
)

// key returns what stands for an id or ref in the columns that are searched:
// the text itself, or its hash if it is too long for an index or is no text to
// the databases. Different texts have different keys.
func key(s string) string {
	isText := utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
	if isText && len(s) <= maxKey && !strings.HasPrefix(s, hashMark[:1]) {
		return s
	}
	return hashMark + canonical.Sum([]byte(s))
}

// record returns a stored record. Its id is the key, or where that is a hash
// stands in its text alone.
func record(key, text string) (verify.Record, error) {
	if !strings.HasPrefix(key, hashMark) {
		return verify.Record{ID: key, JSON: text}, nil
	}
	v, err := ijson.ReadValue(text, problem.InvalidTrustBundle)
	if err != nil {
		return verify.Record{}, fmt.Errorf("a stored record is damaged: %w", err)
	}
	id, _ := v.Get("id")
	return verify.Record{ID: id.Text, JSON: text}, nil
}

// list writes keys as the JSON array that the queries take them as.
func list(keys []string) string {
	b := []byte{'['}
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = canonical.AppendString(b, k)
	}
	return string(append(b, ']'))
}
