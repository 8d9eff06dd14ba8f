package catalog

import (
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// ParseModel validates the JSON of a model identity.
func ParseModel(doc string) (Model, error) {
	return parsePart(doc, ReadModel)
}

// ParseProfile validates the JSON of an execution profile.
func ParseProfile(doc string) (Profile, error) {
	return parsePart(doc, ReadProfile)
}

// ParseScope validates the JSON of an execution scope.
func ParseScope(doc string) (Scope, error) {
	return parsePart(doc, func(r *ijson.Reader) (s Scope) {
		newDecoder().readScope(r, &s)
		return s
	})
}

// parsePart reads a part of an observation that is a document by itself. Its
// faults have code INVALID_OBSERVATION and paths from $.
func parsePart[T any](doc string, read func(*ijson.Reader) T) (part T, err error) {
	r := ijson.NewReader(doc, problem.InvalidObservation)
	part = read(r)
	if faults := r.End(); faults != nil {
		var none T
		return none, faults.Err()
	}
	return part, nil
}
