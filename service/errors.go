package service

import (
	"errors"
	"fmt"

	"github.com/model-catalog-service/svc/internal/problem"
)

// Error is one fault of one document.
type Error struct {
	Code   ErrorCode
	Path   string // JSON path of the faulty member, such as $.inventory[0].model; "$" is the document
	Reason string // what is wrong and what is allowed, without the path
	Place  Place  // where that is in the text, if it is in one
	Err    error  // the cause, if there is one
	Rest   int    // of the last entry of a list that was cut short: how many faults it stands for
}

// Error returns path and reason, with at most 200 characters of each value in
// them.
func (e *Error) Error() string { return (&problem.Error{Path: e.Path, Reason: e.Reason}).Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Place is a character in a text.
type Place struct {
	File   string // the name of the text, empty if it has none
	Line   int    // from 1; zero is no place
	Column int    // from 1, in code points
}

// ErrorList is all faults of one document, the first fault first. At most 1000 faults are listed;
// the Rest of the last entry counts the others.
type ErrorList []*Error

// Error returns the message of the first fault and the number of the others.
func (l ErrorList) Error() string {
	if len(l) == 0 {
		return "no faults"
	}
	others := 0
	for _, e := range l[1:] {
		others += max(1, e.Rest)
	}
	if others == 0 {
		return l[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", l[0], others)
}

// Unwrap returns the faults, so that errors.As finds the first.
func (l ErrorList) Unwrap() []error {
	faults := make([]error, len(l))
	for i, e := range l {
		faults[i] = e
	}
	return faults
}

// Faults returns the faults of documents that err carries, nil if it is another
// error, such as that of a context.
func Faults(err error) ErrorList {
	if list, ok := errors.AsType[ErrorList](err); ok {
		return list
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return ErrorList{e}
	}
	return newErrorList(problem.All(err))
}

func newErrorList(faults problem.List) (list ErrorList) {
	for _, e := range faults {
		list = append(list, &Error{ErrorCode(e.Code), e.Path, e.Reason, Place(e.Place), e.Err, e.Rest})
	}
	return list
}

// ErrorCode names a class of failure. Codes do not change between versions of the
// library.
type ErrorCode string

// The codes of errors.
const (
	InvalidObservation    ErrorCode = "INVALID_OBSERVATION"     // an observation breaks its schema
	UnsupportedSchema     ErrorCode = "UNSUPPORTED_SCHEMA"      // an observation of another schema version
	DuplicateObservation  ErrorCode = "DUPLICATE_OBSERVATION"   // two observations have one id
	InvalidCompileOptions ErrorCode = "INVALID_COMPILE_OPTIONS" // AsOf is missing, or something is dated after it
	// a snapshot is malformed or not what its observations compile to
	InvalidCatalog           ErrorCode = "INVALID_CATALOG"
	UnsupportedCatalogSchema ErrorCode = "UNSUPPORTED_CATALOG_SCHEMA" // a snapshot of another schema version
	// a rank request breaks its schema or exceeds a limit
	InvalidRankRequest ErrorCode = "INVALID_RANK_REQUEST"
	// an adapter refuses a body, an envelope or a mapping
	InvalidSourceSnapshot  ErrorCode = "INVALID_SOURCE_SNAPSHOT"
	InvalidSourceManifest  ErrorCode = "INVALID_SOURCE_MANIFEST"  // a manifest breaks its schema or is not approved
	InvalidSourceDiscovery ErrorCode = "INVALID_SOURCE_DISCOVERY" // the releases of a source cannot be told for sure
	// a trust bundle breaks its schema, or bundles cannot be merged
	InvalidTrustBundle ErrorCode = "INVALID_TRUST_BUNDLE"
	// a question to the verification endpoint is malformed or exceeds a limit
	InvalidVerifyRequest ErrorCode = "INVALID_VERIFY_REQUEST"
	InvalidJSON          ErrorCode = "INVALID_JSON" // a text is not I-JSON
)
