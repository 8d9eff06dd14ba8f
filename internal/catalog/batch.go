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
	beyond  int // number of faults that are not kept
}

// maxFaults is how many faults are kept of a batch: in proportion to its text,
// and more than most files have, were each document wrong in each member.
func (b *batch) maxFaults() int {
	const bytesPerFault, always = 256, 1000
	if b.model >= 0 { // a snapshot may have any number of small batches
		return b.size()/bytesPerFault + 20
	}
	return b.size()/bytesPerFault + always
}

// size is how many bytes the documents have.
func (b *batch) size() int {
	if len(b.docs) == 0 {
		return 0
	}
	return b.docs[len(b.docs)-1][1] - b.docs[0][0]
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
// those within it, and of which some more may not have been kept.
func (b *batch) refuse(n int, place problem.Place, faults problem.List, beyond int) {
	doc := b.docs[n]
	if b.place.Line > 0 {
		faults.Locate(doc.of(b.text), place)
	}
	path := b.path(n)
	broken := b.isPart() && errors.Is(faults[0], ijson.ErrNotJSON)
	if broken {
		path = "$"
		faults[0].Err = errBroken
	}
	if beyond > 0 {
		faults = faults[:len(faults)-1] // the entry that tells how many
	}
	if room := max(0, b.maxFaults()-len(b.faults)); len(faults) > room && !broken {
		beyond += len(faults) - room
		faults = faults[:room]
	}
	b.beyond += beyond
	for _, e := range faults {
		e.Path = path + strings.TrimPrefix(e.Path, "$")
		if e.Offset >= 0 {
			e.Offset += doc[0]
		}
	}
	b.faults = append(b.faults, faults...)
}

// gatherFaults returns the faults of all batches and of what is around their
// documents, and for each file a last entry that tells how many more there are.
func gatherFaults(batches []*batch, around problem.List) problem.List {
	var faults problem.List
	beyond := map[string]int{}
	var files []string
	for _, b := range batches {
		faults = append(faults, b.faults...)
		if b.beyond > 0 {
			if beyond[b.place.File] == 0 {
				files = append(files, b.place.File)
			}
			beyond[b.place.File] += b.beyond
		}
	}
	faults = datesLast(brokenAlone(append(faults, around...)))
	for _, file := range files {
		last := slices.IndexFunc(faults, func(e *problem.Error) bool { return e.Place.File == file })
		if last < 0 || errors.Is(faults[last], errBroken) {
			continue
		}
		more := problem.New(faults[last].Code, "$", "%d more problems", beyond[file])
		more.Place = problem.Place{File: file}
		faults = append(faults, more)
	}
	return faults
}
