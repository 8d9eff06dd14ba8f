package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// batch is a run of documents that one worker normalizes.
type batch struct {
	text  string        // what the documents stand in, dropped when they are read
	place problem.Place // of text; without one, faults keep their offset in text
	docs  []span
	// The documents are those from $.models[model].observations[index] on in a
	// snapshot, from $[index] in a list if model is negative, from
	// $.observations[index] if there is no place. With a negative index each
	// document is for itself.
	model, index int
	asOf         string // if set, nothing may be dated after it
	release      func() // to be called when the text is read, if set

	entries []entry
	faults  problem.List
}

// errBroken is the cause of the fault of a JSON text that cannot be read, of
// which nothing else is said: ErrNotJSON for a text of many documents.
var errBroken = fmt.Errorf("%w as a whole", ijson.ErrNotJSON)

// brokenAlone drops all other faults of a file that is not JSON as a whole.
func brokenAlone(faults problem.List) problem.List {
	broken := map[string]*problem.Error{}
	for _, e := range faults {
		if file := e.Place.File; errors.Is(e, errBroken) && broken[file] == nil {
			broken[file] = e
		}
	}
	if len(broken) == 0 {
		return faults
	}
	return slices.DeleteFunc(faults, func(e *problem.Error) bool {
		first := broken[e.Place.File]
		return first != nil && first != e
	})
}

// path returns the JSON path of a document.
func (b *batch) path(n int) string {
	switch {
	case b.model >= 0:
		return fmt.Sprintf("$.models[%d].observations[%d]", b.model, b.index+n)
	case b.place.Line == 0:
		return fmt.Sprintf("$.observations[%d]", b.index+n)
	case b.index >= 0:
		return fmt.Sprintf("$[%d]", b.index+n)
	}
	return "$"
}

// isPart reports whether the documents are parts of one JSON text.
func (b *batch) isPart() bool { return b.model >= 0 || b.place.Line > 0 && b.index >= 0 }

// around is how many arrays and objects are open around the documents.
func (b *batch) around() int {
	switch {
	case b.model >= 0:
		return 4 // the snapshot, its models, one of these, its observations
	case b.isPart():
		return 1
	}
	return 0
}

// refuse notes the faults of a document, whose paths and offsets are still
// those within it.
func (b *batch) refuse(n int, place problem.Place, faults problem.List) {
	doc := b.docs[n]
	if b.place.Line > 0 {
		faults.Locate(doc.of(b.text), place)
	}
	path := b.path(n)
	if b.isPart() && errors.Is(faults[0], ijson.ErrNotJSON) {
		path = "$"
		faults[0].Err = errBroken
	}
	for _, e := range faults {
		e.Path = path + strings.TrimPrefix(e.Path, "$")
		if e.Offset >= 0 {
			e.Offset += doc[0]
		}
	}
	b.faults = append(b.faults, faults...)
}
