// Package problem holds the one error type of the project: what is wrong,
// under which code, and where.
//
// Every refusal of a document is an [Error] with a code of the published
// table, a JSON path into the document that was refused and a message that
// begins with that path. Callers find it with errors.As. Where a reader finds
// more than one fault it returns a [List], the first fault first. Lists are
// bounded: a last entry, made by [More], stands for the faults that were not kept.
package problem

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Code names a class of failure. The values are part of the public interface.
type Code string

// The codes of the library, each with what it is returned for.
const (
	InvalidObservation    Code = "INVALID_OBSERVATION"     // an observation fails structural validation
	UnsupportedSchema     Code = "UNSUPPORTED_SCHEMA"      // an observation of another schema version
	DuplicateObservation  Code = "DUPLICATE_OBSERVATION"   // two inputs normalize to one id
	InvalidCompileOptions Code = "INVALID_COMPILE_OPTIONS" // asOf is no timestamp, or a record is dated after it
	// a snapshot is malformed or is not what its observations compile to
	InvalidCatalog           Code = "INVALID_CATALOG"
	UnsupportedCatalogSchema Code = "UNSUPPORTED_CATALOG_SCHEMA" // a snapshot of another schema version
	InvalidRankRequest       Code = "INVALID_RANK_REQUEST"       // a rank request fails validation or exceeds a limit
	// a source adapter refuses its input: a body, an envelope or a mapping
	InvalidSourceSnapshot  Code = "INVALID_SOURCE_SNAPSHOT"
	InvalidSourceManifest  Code = "INVALID_SOURCE_MANIFEST"  // an approved-source manifest fails validation
	InvalidSourceDiscovery Code = "INVALID_SOURCE_DISCOVERY" // source discovery refuses its input
	InvalidJSON            Code = "INVALID_JSON"             // a text of no particular kind is not I-JSON
	// a trust bundle breaks its schema, or bundles cannot be merged
	InvalidTrustBundle Code = "INVALID_TRUST_BUNDLE"
	// a question to the verification endpoint is malformed or exceeds a limit
	InvalidVerifyRequest Code = "INVALID_VERIFY_REQUEST"
)

// NoOffset is the Offset of an Error that has no place in a text.
const NoOffset = -1

// Error is one fault of one document.
type Error struct {
	Code   Code
	Path   string // JSON path of the faulty member, "$" for the document
	Reason string // what is wrong and what is allowed, without the path
	Offset int    // byte offset in the document's text, or NoOffset
	Place  Place  // where that is in a file, if the document comes from one
	Err    error  // the cause, if there is one
	Rest   int    // of an entry made by More: how many faults it stands for
}

// New returns an Error that has no place in a text.
func New(code Code, path, format string, args ...any) *Error {
	return &Error{Code: code, Path: path, Reason: fmt.Sprintf(format, args...), Offset: NoOffset}
}

// More returns the entry of a list that stands for n faults which were not kept.
// It has no place in a text.
func More(code Code, n int) *Error {
	e := New(code, "$", "%d more problems", n)
	e.Rest = n
	return e
}

// AndMore is More for a text that was not read to its end, so that nobody knows
// how many faults there are besides the n that were counted.
func AndMore(code Code, n int) *Error {
	e := New(code, "$", "at least %d more problems: the rest was not read", n)
	e.Rest = n
	return e
}

// Error is the message: the path, a colon and the reason, with no more than 200
// characters of each value in them.
func (e *Error) Error() string { return Clip(e.Path) + ": " + Brief(e.Reason) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// List is all faults of one document, in the order in which they are to be
// reported. A List that is used as an error is never empty.
type List []*Error

// Error is the message of the first fault and the number of all others.
func (l List) Error() string {
	if len(l) == 0 {
		return "no problems"
	}
	others := 0
	for _, e := range l[1:] {
		others += max(1, e.Rest)
	}
	if others == 0 {
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), others)
}

// Unwrap lets errors.As find the first fault.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Err returns the list as an error: nil if it is empty, its only member
// itself, else the list.
func (l List) Err() error {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	}
	return l
}

// All returns the faults that err carries: those of a List, the one Error that
// it wraps, or none.
func All(err error) List {
	if list, ok := errors.AsType[List](err); ok {
		return list
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return List{e}
	}
	return nil
}

// Under puts another beginning in the place of the $ of all paths, where the text
// that was read is a part of a document. It returns the list.
func (l List) Under(root string) List {
	for _, e := range l {
		e.Path = root + strings.TrimPrefix(e.Path, "$")
	}
	return l
}

// DefaultMost is how many faults are kept of a text, or of several that are read
// together, unless something else is said.
const DefaultMost = 1000

// MostCounted is how many faults are counted before reading stops, so that a flood
// of faults takes no more time than that many.
const MostCounted = 100_000

// Collector gathers faults of several texts up to a bound and counts the others,
// so that a flood of faults takes no more memory than a few. Once it is full nobody
// should read on. Its zero value keeps [DefaultMost].
type Collector struct {
	Most  int // how many are kept, zero for DefaultMost
	list  List
	rest  int
	first *Error // of those that are not kept
}

// Add adds faults in their order. An entry that stands for others is counted as
// these.
func (c *Collector) Add(faults ...*Error) {
	for _, e := range faults {
		switch {
		case e.Rest == 0 && len(c.list) < cmp.Or(c.Most, DefaultMost):
			c.list = append(c.list, e)
		default:
			if c.rest == 0 {
				c.first = e
			}
			c.rest += max(1, e.Rest)
		}
	}
}

// Len returns how many faults were added.
func (c *Collector) Len() int { return len(c.list) + c.rest }

// Full reports whether so many faults were added that reading should stop.
func (c *Collector) Full() bool { return c.Len() >= MostCounted }

// List returns the faults that were kept and, if there were others, a last entry
// that stands for these and names the file, or without one the file of the first
// of them.
func (c *Collector) List(file string) List {
	if c.rest == 0 {
		return c.list
	}
	more := More(c.first.Code, c.rest)
	if c.Full() {
		more = AndMore(c.first.Code, c.rest)
	}
	more.Place.File = cmp.Or(file, c.first.Place.File)
	return append(c.list[:len(c.list):len(c.list)], more)
}
