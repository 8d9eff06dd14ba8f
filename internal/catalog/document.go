package catalog

import (
	"fmt"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Document is the text of one record and where it stands.
type Document struct {
	Text   string
	Source *problem.Source
	Offset int // of Text in the source, in bytes
	// Model and Index say where in the source's document the record stands: at
	// $.models[Model].observations[Index], at $[Index] if Model is negative, or
	// at $ if both are. Without a source it is $.observations[Index].
	Model, Index int
}

// Path returns the JSON path of the record in its source.
func (d *Document) Path() string {
	switch {
	case d.Source == nil:
		return fmt.Sprintf("$.observations[%d]", d.Index)
	case d.Model >= 0:
		return fmt.Sprintf("$.models[%d].observations[%d]", d.Model, d.Index)
	case d.Index >= 0:
		return fmt.Sprintf("$[%d]", d.Index)
	}
	return "$"
}

// documents calls yield for each document of a source, in order, until it
// returns false. A source holds one observation, a list of them, or one a line.
// The documents themselves are not judged. A problem means that the list around
// them cannot be read.
func documents(s *problem.Source, yield func(Document) bool) problem.List {
	start := len(s.Text) - len(strings.TrimLeft(strings.TrimPrefix(s.Text, "\uFEFF"), " \t\r\n"))
	switch {
	case strings.HasPrefix(s.Text[start:], "["):
		return listItems(s, yield)
	case hasLines(s, start):
		lines(s, start, yield)
	default:
		yield(Document{Text: s.Text, Source: s, Model: -1, Index: -1})
	}
	return nil
}

// listItems yields the items of an array.
func listItems(s *problem.Source, yield func(Document) bool) problem.List {
	r := ijson.NewReader(s.Text, problem.InvalidObservation)
	for l := r.List(); l.Next(); {
		start := r.Offset()
		text := r.Span()
		if text != "" && !yield(Document{Text: text, Source: s, Offset: start, Model: -1, Index: l.Index()}) {
			return nil
		}
	}
	faults := r.End()
	for _, e := range faults {
		e.Source = s
	}
	return faults
}

// hasLines reports whether a document stands on each line: by the source's name,
// or because the first line holds a whole one and others follow.
func hasLines(s *problem.Source, start int) bool {
	if strings.HasSuffix(s.Name, ".jsonl") || strings.HasSuffix(s.Name, ".ndjson") {
		return strings.TrimSpace(s.Text[start:]) != ""
	}
	line, rest, _ := strings.Cut(s.Text[start:], "\n")
	if strings.TrimSpace(rest) == "" {
		return false
	}
	first := ijson.NewReader(line, problem.InvalidObservation)
	first.Span()
	return first.End() == nil
}

// lines yields the lines that are not blank.
func lines(s *problem.Source, start int, yield func(Document) bool) {
	for start < len(s.Text) {
		line, _, found := strings.Cut(s.Text[start:], "\n")
		end := start + len(line)
		if text := strings.TrimLeft(line, " \t\r"); text != "" &&
			!yield(Document{Text: text, Source: s, Offset: end - len(text), Model: -1, Index: -1}) {
			return
		}
		if !found {
			return
		}
		start = end + 1
	}
}

// place turns the path and offset of a problem of the document into those of
// its source.
func (d *Document) place(e *problem.Error) *problem.Error {
	placed := *e
	placed.Source = d.Source
	placed.Path = d.Path() + strings.TrimPrefix(e.Path, "$")
	if e.Offset >= 0 {
		placed.Offset += d.Offset
	}
	return &placed
}
