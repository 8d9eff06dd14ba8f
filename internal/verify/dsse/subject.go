package dsse

import (
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// This file reads what any in-toto statement is about, whatever it says of that.

// Subject is something that a statement is about.
type Subject struct{ Name, SHA256 string }

// About is what a statement says it is about.
type About struct {
	PredicateType string
	Subjects      []Subject
}

var (
	aboutShape = ijson.NewOpenShape(
		ijson.Required("predicateType", func(r *ijson.Reader, a *About) { a.PredicateType = r.String() }),
		ijson.Required("subject", func(r *ijson.Reader, a *About) {
			for l := r.List(); l.Next(); {
				var s Subject
				fileShape.Read(r, &s)
				a.Subjects = append(a.Subjects, s)
			}
		}),
	)
	fileShape = ijson.NewOpenShape(
		ijson.Optional("name", func(r *ijson.Reader, s *Subject) { s.Name = r.String() }),
		ijson.Required("digest", func(r *ijson.Reader, s *Subject) { fileDigestShape.Read(r, s) }),
	)
	fileDigestShape = ijson.NewOpenShape(
		ijson.Required("sha256", func(r *ijson.Reader, s *Subject) { s.SHA256 = r.String() }),
	)
)

// About reads what the statement in an envelope is about. It is empty for any other payload, and
// for subjects without a SHA-256. Who signed it is not asked.
func (e *Envelope) About() About {
	r, a := ijson.NewReader(string(e.Payload), problem.InvalidJSON), About{}
	aboutShape.Read(r, &a)
	if r.End() != nil || e.PayloadType != PayloadType {
		return About{}
	}
	return a
}
