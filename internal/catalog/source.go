package catalog

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unsafe"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// This file cuts a stream of observations into batches of whole documents, without
// judging them: it looks at quotes and brackets alone. A document is
//
//	{...}             the whole file,
//	[{...}, {...}]    an item of a list, or
//	{...}\n{...}\n    a line.

// Source is a stream of observations: one, a list of them, or one a line.
type Source struct {
	Name string // for messages
	Open func() (io.ReadCloser, error)
}

// chunkSize is how much of a source is read and handed to a worker at once. A
// document that is longer makes a chunk of its own.
const chunkSize = 256 << 10

// maxDocument is the most bytes that one document may have. Without a bound a
// stream that never ends would take all memory before anything is found wrong.
const maxDocument = 512 << 20

// splitter cuts a source. Its memory is a few chunks, whatever the size of the
// source: those that workers read, who give them back.
type splitter struct {
	in      io.Reader
	emit    func(*batch) bool // reports whether more is wanted
	place   problem.Place     // of text
	text    string            // what was read and not yet emitted, a view of buffer
	buffer  []byte
	buffers *bufferPool
	limit   int // bytes of a document
	atEnd   bool
	index   int // of the next item of a list
}

// split reads a source and emits its documents. What is wrong around them is
// emitted too; the error is one of reading.
func split(source Source, emit func(*batch) bool) error {
	in, err := source.Open()
	if err != nil {
		return err
	}
	s := &splitter{in: in, emit: emit, place: problem.Start(source.Name), buffers: newBufferPool(), limit: maxDocument}
	if err = errors.Join(s.run(), in.Close()); err != nil {
		return fmt.Errorf("%s: %w", source.Name, err)
	}
	return nil
}

func (s *splitter) run() error {
	for start := true; start || trimStart(s.text) == "" && !s.atEnd; start = false {
		if err := s.fill(); err != nil {
			return err
		}
	}
	if strings.HasPrefix(trimStart(s.text), "[") {
		s.drop(s.leading())
		return s.splitList()
	}
	lines, err := s.hasLines()
	if err != nil {
		return err
	}
	if lines {
		s.drop(s.leading())
		return s.splitLines()
	}
	for !s.atEnd {
		if err := s.fill(); err != nil {
			return err
		}
	}
	s.emitDocuments(len(s.text), wholeDocument, []Span{{s.leading(), len(s.text)}})
	return nil
}

// leading is the length of what is before the first value.
func (s *splitter) leading() int { return len(s.text) - len(trimStart(s.text)) }

// trimStart returns the text from its first value on.
func trimStart(text string) string {
	return strings.TrimLeft(text[ijson.LenByteOrderMark(text):], ijson.Whitespace)
}

// fill reads on until the text has grown by a chunk, or is twice as long as it was.
func (s *splitter) fill() error {
	n := len(s.text)
	if n > s.limit {
		return fmt.Errorf("a document has more than %d bytes", s.limit)
	}
	more := max(chunkSize, n)
	if cap(s.buffer)-n < more || len(s.buffer) != n {
		s.move(more)
	}
	read, err := io.ReadFull(s.in, s.buffer[n:n+more])
	s.buffer = s.buffer[:n+read]
	s.text = view(s.buffer)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.atEnd, err = true, nil
	}
	return err
}

// move puts the text into a buffer of its own, with room for more.
func (s *splitter) move(more int) {
	s.buffer = append(s.buffers.take(len(s.text)+more), s.text...)
	s.text = view(s.buffer)
}

// drop drops the first n bytes of the text.
func (s *splitter) drop(n int) {
	s.place = s.place.After(s.text[:n])
	s.text = s.text[n:]
}

// emitDocuments emits the documents in the first n bytes of the text, and with
// these the buffer. It reports whether more is wanted.
func (s *splitter) emitDocuments(n int, form form, docs []Span) bool {
	buffer := s.buffer
	b := &batch{form: form, text: s.text[:n], place: s.place, docs: docs, index: s.index}
	b.release = func() { s.buffers.put(buffer) }
	s.drop(n)
	s.move(chunkSize) // before a worker can be done with the buffer
	s.index += len(docs)
	if len(docs) == 0 {
		b.release()
		return true
	}
	return s.emit(b)
}

// emitBroken says that the list cannot be read on n bytes into the text.
func (s *splitter) emitBroken(n int, reason string) {
	e := problem.New(problem.InvalidObservation, "$", "%s", reason)
	e.Place = s.place.After(s.text[:n])
	e.Err = errBroken
	b := &batch{form: listItems, place: s.place}
	b.refuse(e)
	s.emit(b)
}

// hasLines reports whether there is a document on each line: by the source's
// name, or because the first line holds a whole one and others follow.
func (s *splitter) hasLines() (bool, error) {
	if ijson.IsLinesName(s.place.File) {
		return trimStart(s.text) != "", nil
	}
	for !s.atEnd && !strings.Contains(s.text, "\n") {
		if err := s.fill(); err != nil {
			return false, err
		}
	}
	line, rest, _ := strings.Cut(trimStart(s.text), "\n")
	first := ijson.NewReader(line, problem.InvalidObservation)
	first.Span()
	if first.End() != nil {
		return false, nil
	}
	for strings.Trim(rest, ijson.Whitespace) == "" {
		if s.atEnd {
			return false, nil
		}
		if err := s.fill(); err != nil {
			return false, err
		}
		_, rest, _ = strings.Cut(trimStart(s.text), "\n")
	}
	return true, nil
}

// splitLines emits the lines that are not blank.
func (s *splitter) splitLines() error {
	for {
		end := len(s.text)
		if !s.atEnd {
			end = strings.LastIndexByte(s.text, '\n') + 1
		}
		var docs []Span
		for start := 0; start < end; {
			next := end
			if n := strings.IndexByte(s.text[start:end], '\n'); n >= 0 {
				next = start + n + 1
			}
			line := strings.TrimRight(s.text[start:next], ijson.Whitespace)
			if trimmed := strings.TrimLeft(line, " \t"); trimmed != "" {
				docs = append(docs, Span{start + len(line) - len(trimmed), start + len(line)})
			}
			start = next
		}
		if end > 0 && !s.emitDocuments(end, wholeDocument, docs) || s.atEnd {
			return nil
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// splitList emits the items of the array that begins the text.
func (s *splitter) splitList() error {
	next := len("[")
	for first := true; ; {
		var docs []Span
		var found listItem
		for {
			if found = nextItem(s.text, next, first, s.atEnd); found.kind != itemFound {
				break
			}
			docs = append(docs, found.item)
			first, next = false, found.end
		}
		if wanted := s.emitDocuments(next, listItems, docs); !wanted {
			return nil
		}
		switch rest := found.end - next; found.kind { // what was emitted is no longer in the text
		case itemBroken:
			s.emitBroken(rest, found.reason)
			return nil
		case listEnded:
			return s.readTrailing(rest)
		}
		next = 0
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// listItem is what nextItem finds in a list.
type listItem struct {
	kind   itemKind
	item   Span   // if an item was found
	end    int    // the offset after the item or the list, or of what is wrong
	reason string // what is wrong
}

type itemKind uint8

const (
	itemFound  itemKind = iota
	itemCut             // more text is needed
	listEnded           // with a bracket
	itemBroken          // this is no list
)

// nextItem finds the item of a list from offset i on, after a comma unless it is
// the first.
func nextItem(text string, i int, first, atEnd bool) listItem {
	short := func() listItem {
		if atEnd {
			return listItem{kind: itemBroken, end: len(text), reason: "unexpected end of text in a list"}
		}
		return listItem{kind: itemCut}
	}
	skip := func() { i += len(text[i:]) - len(strings.TrimLeft(text[i:], ijson.Whitespace)) }
	skip()
	if i == len(text) {
		return short()
	}
	switch {
	case text[i] == ']':
		return listItem{kind: listEnded, end: i + 1}
	case first:
	case text[i] == ',':
		i++
		if skip(); i == len(text) {
			return short()
		}
	default:
		return listItem{kind: itemBroken, end: i, reason: "unexpected character, expected ',' or ']'"}
	}
	end := ijson.SpanEnd(text, i)
	if end < 0 || end == len(text) && !atEnd {
		return short()
	}
	if end == i {
		return listItem{kind: itemBroken, end: i, reason: "unexpected character, expected a value"}
	}
	return listItem{kind: itemFound, item: Span{i, end}, end: end}
}

// readTrailing demands that there is nothing but white space n bytes into the text.
func (s *splitter) readTrailing(n int) error {
	for {
		s.drop(n)
		if rest := strings.TrimLeft(s.text, ijson.Whitespace); rest != "" {
			s.emitBroken(len(s.text)-len(rest), "unexpected character, expected the end of the document")
			return nil
		}
		if s.atEnd {
			return nil
		}
		n = len(s.text)
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// bufferPool keeps the buffers that a source is read into, to be used again.
// Without it, of compiling 100,000 observations (148 MB), each chunk would touch
// fresh memory: 11% more processor time, 63% more memory.
type bufferPool struct{ free chan []byte }

func newBufferPool() *bufferPool {
	return &bufferPool{make(chan []byte, 4*runtime.GOMAXPROCS(0))}
}

// take returns an empty buffer with room for size bytes.
func (p *bufferPool) take(size int) []byte {
	select {
	case b := <-p.free:
		if cap(b) >= size {
			return b[:0]
		}
	default:
	}
	return make([]byte, 0, max(size, 2*chunkSize))
}

// put gives a buffer back. Nothing may refer to its bytes any more.
func (p *bufferPool) put(b []byte) {
	if cap(b) > 8*chunkSize { // one long document is no reason to keep so much
		return
	}
	select {
	case p.free <- b:
	default:
	}
}

// view returns bytes as a string that shares their memory, which must not change
// while the string is in use. A chunk is read, no part of it is kept, and then its
// buffer is used again: what outlives it, normalized documents and faults, is in
// memory of its own. Copying instead costs 13% more processor time and 90% more
// memory (100,000 observations).
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// arena holds normalized documents, many to a large piece of memory. They are
// written where they stay. A string for each takes 8% more memory, and no more
// time.
type arena struct{ piece []byte }

// room returns an empty buffer that most normalized documents fit into that were
// read from size bytes. It is the same one until keep is called.
func (a *arena) room(size int) []byte {
	const pieceSize = 1 << 20
	need := normalSize(size)
	if cap(a.piece)-len(a.piece) < need {
		a.piece = make([]byte, 0, max(pieceSize, need))
	}
	return a.piece[len(a.piece):]
}

// keep returns what was appended to the room as a string, for good.
func (a *arena) keep(b []byte) string {
	if n := len(a.piece) + len(b); n <= cap(a.piece) { // else it has outgrown the room and is elsewhere
		a.piece = a.piece[:n]
	}
	return view(b)
}
