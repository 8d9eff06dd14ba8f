package httpapi

import (
	"net/http"
	"strconv"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// answer is a whole response but for the headers that all have. Answers are
// shared by requests and never changed.
type answer struct {
	status int
	header []headerField
	body   [][]byte // its pieces; nil for an answer without a body
}

// headerField is a header with its one value. The slices are shared by all
// answers: they are full, so that whoever appends to one gets a copy.
type headerField struct {
	name  string // in the form that package net/http gives it
	value []string
}

func field(name, value string) headerField {
	return headerField{http.CanonicalHeaderKey(name), []string{value}}
}

var jsonType = field("Content-Type", "application/json; charset=utf-8")

// newAnswer returns an answer with a JSON body, which may come in pieces.
func newAnswer(status int, body ...[]byte) answer {
	length := 0
	for _, piece := range body {
		length += len(piece)
	}
	return answer{
		status: status,
		header: []headerField{jsonType, field("Content-Length", strconv.Itoa(length))},
		body:   body,
	}
}

// with returns the answer with another header.
func (a answer) with(name, value string) answer {
	a.header = append(a.header[:len(a.header):len(a.header)], field(name, value))
	return a
}

// The answers without a body.
var (
	notModified = answer{status: http.StatusNotModified}

	preflight = answer{status: http.StatusNoContent}.
			with("Allow", methodsOfRank).
			with("Access-Control-Allow-Methods", methodsOfRank).
			with("Access-Control-Allow-Headers", "Content-Type").
			with("Access-Control-Max-Age", "86400")
)

// What Allow lists.
const (
	methodsOfReads = "GET, HEAD"
	methodsOfRank  = "POST, OPTIONS"
)

// commonHeader is what every answer has.
type commonHeader []headerField

func newCommonHeader(c *catalog.Catalog, etag string) commonHeader {
	return commonHeader{
		field("ETag", etag),
		field("X-Service-Catalog-Digest", c.Digest()),
		field("X-Service-Catalog-As-Of", c.AsOf()),
		field("Access-Control-Allow-Origin", "*"),
		field("Access-Control-Expose-Headers", "ETag, X-Service-Catalog-As-Of, X-Service-Catalog-Digest"),
		field("Cache-Control", "public, max-age=0, must-revalidate"),
	}
}
