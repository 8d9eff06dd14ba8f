package service

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Text is a text as a caller has it: JSON or, for keys, PEM.
type Text interface{ ~string | ~[]byte }

// NamedText is a text and its name, usually that of a file, which errors have.
type NamedText struct{ Name, Text string }

// CanonicalJSON returns the canonical form (RFC 8785) of a JSON text, which must
// be I-JSON (RFC 7493). Its errors have code [InvalidJSON].
func CanonicalJSON[T Text](doc T) ([]byte, error) {
	v, err := ijson.ReadValue(string(doc), problem.InvalidJSON)
	if err != nil {
		return nil, Faults(err)
	}
	return v.AppendCanonical(nil), nil
}

// SHA256 returns the lower-case hexadecimal SHA-256 of the canonical form of a
// JSON text. Ids and digests are made of it. Its errors are those of
// CanonicalJSON.
func SHA256[T Text](doc T) (string, error) {
	c, err := CanonicalJSON(doc)
	if err != nil {
		return "", err
	}
	return canonical.Sum(c), nil
}

// CompareText orders strings by their UTF-16 code units, as everything that is
// sorted in a catalog and in a result is ordered. The result is negative, zero
// or positive.
func CompareText(a, b string) int { return canonical.CompareText(a, b) }
