package httpserver

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Answer is a whole response but for the fields that all answers of an
// [Endpoint] have. Answers are shared by requests and never changed.
type Answer struct {
	Status int
	Header []Field
	Body   [][]byte // its pieces; nil for an answer without a body
}

// Field is a header field with its one value. The slices are shared by all
// answers: they are full, so that whoever appends to one gets a copy.
type Field struct {
	Name  string // in the form that package net/http gives it
	Value []string
}

// NewField returns a field.
func NewField(name, value string) Field {
	return Field{http.CanonicalHeaderKey(name), []string{value}}
}

// NewAnswer returns an answer with a body, which may come in pieces.
func NewAnswer(status int, body ...[]byte) Answer {
	a := Answer{Status: status, Body: body}
	return a.With("Content-Length", strconv.Itoa(a.size()))
}

// With returns the answer with one more field.
func (a Answer) With(name, value string) Answer {
	a.Header = append(a.Header[:len(a.Header):len(a.Header)], NewField(name, value))
	return a
}

// size is how many bytes the body has.
func (a *Answer) size() (n int) {
	for _, piece := range a.Body {
		n += len(piece)
	}
	return n
}

// The codes of errors that every endpoint has.
const (
	CodeNotFound         problem.Code = "NOT_FOUND"
	CodeMethodNotAllowed problem.Code = "METHOD_NOT_ALLOWED"
	CodePayloadTooLarge  problem.Code = "PAYLOAD_TOO_LARGE"
	CodeInternalError    problem.Code = "INTERNAL_ERROR"
)

// Statuses returns the table of error codes and HTTP statuses of an endpoint:
// the codes that every endpoint has, and its own.
func Statuses(own map[problem.Code]int) map[problem.Code]int {
	table := map[problem.Code]int{
		CodeNotFound:         http.StatusNotFound,
		CodeMethodNotAllowed: http.StatusMethodNotAllowed,
		CodePayloadTooLarge:  http.StatusRequestEntityTooLarge,
		CodeInternalError:    http.StatusInternalServerError,
	}
	maps.Copy(table, own)
	return table
}

// Errors makes the answers of an endpoint that report an error. Their bodies are
// canonical JSON:
//
//	{"error":{"code":"NOT_FOUND","message":"Unknown path."},"schemaVersion":"service.api.error/v1"}
type Errors struct {
	Schema   string // schemaVersion of the bodies
	Catalog  any    // what the bodies say of the catalog; nil leaves the member out
	Statuses map[problem.Code]int
}

// Answer returns the answer with an error code and a message, for people. What
// is not UTF-8 in the message is replaced by U+FFFD.
func (e Errors) Answer(code problem.Code, message string) Answer {
	type cause struct {
		Code    problem.Code `json:"code"`
		Message string       `json:"message"`
	}
	return NewAnswer(e.Statuses[code], canonical.MustMarshal(struct {
		Catalog any    `json:"catalog,omitempty"`
		Error   cause  `json:"error"`
		Schema  string `json:"schemaVersion"`
	}{e.Catalog, cause{code, strings.ToValidUTF8(message, "\uFFFD")}, e.Schema}))
}
