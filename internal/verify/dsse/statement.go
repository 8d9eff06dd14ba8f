package dsse

import (
	"bytes"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// StatementType is that of every in-toto statement.
const StatementType = "https://in-toto.io/Statement/v1"

const predicateType = "https://hachure.org/v1/bundle"

// NewStatement returns the statement about a bundle, in whatever spelling, and the
// refs that were asked for.
func NewStatement(text []byte, refs []string) ([]byte, error) {
	predicate, err := ijson.Canonical(string(text), problem.InvalidTrustBundle)
	if err != nil {
		return nil, err
	}
	const overhead = 256 // bytes, about, of a statement and of a subject
	statement := make([]byte, 0, len(predicate)+overhead*(1+len(refs)))
	statement = append(statement, `{"_type":"`+StatementType+`","predicate":`...)
	statement = append(statement, predicate...)
	statement = append(statement, `,"predicateType":"`+predicateType+`","subject":[`...)
	for i, ref := range refs {
		if i > 0 {
			statement = append(statement, ',')
		}
		statement = append(statement, `{"digest":{"integrity-ref":`...)
		statement = canonical.AppendString(statement, ref)
		if hash, ok := strings.CutPrefix(ref, "sha256:"); ok && canonical.IsHash(hash) {
			statement = append(statement, `,"sha256":"`+hash+`"`...)
		}
		statement = append(statement, `},"name":`...)
		statement = canonical.AppendString(statement, ref)
		statement = append(statement, '}')
	}
	return append(statement, `]}`...), nil
}

// Statement is an in-toto statement about a trust bundle.
type Statement struct {
	// Subjects are the refs that it is about. One whose digest is that of another
	// ref than its name says is "".
	Subjects []string

	kind, predicate, predicateType string
}

// About reports whether the statement is about a bundle, which is canonical JSON.
func (s *Statement) About(bundle []byte) bool {
	if s.predicate == string(bundle) {
		return true
	}
	predicate, err := ijson.Canonical(s.predicate, problem.InvalidTrustBundle)
	return err == nil && bytes.Equal(predicate, bundle)
}

var statementShape = ijson.NewOpenShape(
	ijson.Required("_type", func(r *ijson.Reader, s *Statement) { s.kind = r.String() }),
	ijson.Required("predicateType", func(r *ijson.Reader, s *Statement) { s.predicateType = r.String() }),
	ijson.Required("predicate", func(r *ijson.Reader, s *Statement) { s.predicate = r.SkipText() }),
	ijson.Required("subject", func(r *ijson.Reader, s *Statement) {
		for l := r.List(); l.Next(); {
			var one subject
			subjectShape.Read(r, &one)
			if one.name != one.ref {
				one.name = "" // no ref
			}
			s.Subjects = append(s.Subjects, one.name)
		}
	}),
)

// subject is what a statement is about.
type subject struct{ name, ref string }

var (
	subjectShape = ijson.NewOpenShape(
		ijson.Required("name", func(r *ijson.Reader, s *subject) { s.name = r.String() }),
		ijson.Required("digest", func(r *ijson.Reader, s *subject) { digestShape.Read(r, s) }),
	)
	digestShape = ijson.NewOpenShape(
		ijson.Required("integrity-ref", func(r *ijson.Reader, s *subject) { s.ref = r.String() }),
	)
)

// ReadStatement reads the payload of an envelope. ok is false for any other payload
// than a statement about a trust bundle.
func ReadStatement(e *Envelope) (s *Statement, ok bool) {
	r := ijson.NewReader(string(e.Payload), problem.InvalidJSON)
	s = &Statement{}
	statementShape.Read(r, s)
	ok = r.End() == nil && e.PayloadType == PayloadType && s.kind == StatementType && s.predicateType == predicateType
	return s, ok
}
