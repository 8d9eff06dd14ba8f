package catalog

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

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

// splitter cuts a source into chunks of whole documents, without judging them.
// Its memory is a few chunks, whatever the size of the source: those that
// workers read, who give them back.
type splitter struct {
	in      io.Reader
	emit    func(*batch) bool // reports whether more is wanted
	place   problem.Place     // of text
	text    string            // what was read and not yet handed on, a view of buffer
	buffer  []byte
	buffers *bufferPool
	most    int // bytes of a document
	eof     bool
	index   int // of the next document in a list
}

// split reads source and hands its documents on. The list holds what is wrong
// around them; the error is one of reading.
func split(source Source, emit func(*batch) bool) (problem.List, error) {
	in, err := source.Open()
	if err != nil {
		return nil, err
	}
	s := &splitter{in: in, emit: emit, place: problem.Start(source.Name), buffers: newBufferPool(), most: maxDocument}
	fault, err := s.run()
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", source.Name, err)
	}
	if fault == nil {
		return nil, nil
	}
	return problem.List{fault}, nil
}

func (s *splitter) run() (*problem.Error, error) {
	for start := true; start || trimStart(s.text) == "" && !s.eof; start = false {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(trimStart(s.text), "[") {
		s.advance(s.leading())
		return s.list()
	}
	lines, err := s.hasLines()
	if err != nil {
		return nil, err
	}
	if lines {
		s.advance(s.leading())
		return nil, s.lines()
	}
	for !s.eof {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	s.hand(len(s.text), []span{{s.leading(), len(s.text)}}, -1)
	return nil, nil
}

// leading is the length of what stands before the first value.
func (s *splitter) leading() int { return len(s.text) - len(trimStart(s.text)) }

// space is what JSON knows as white space.
const space = " \t\r\n"

// trimStart returns the text from its first value on.
func trimStart(text string) string {
	return strings.TrimLeft(text[ijson.LenByteOrderMark(text):], space)
}

// fill reads on until the text has grown by a chunk, or twice as long as it is.
func (s *splitter) fill() error {
	n := len(s.text)
	if n > s.most {
		return fmt.Errorf("a document has more than %d bytes", s.most)
	}
	more := max(chunkSize, n)
	if cap(s.buffer)-n < more || len(s.buffer) != n {
		s.move(more)
	}
	read, err := io.ReadFull(s.in, s.buffer[n:n+more])
	s.buffer = s.buffer[:n+read]
	s.text = view(s.buffer)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.eof, err = true, nil
	}
	return err
}

// move puts the text into a buffer of its own, with room for more.
func (s *splitter) move(more int) {
	s.buffer = append(s.buffers.take(len(s.text)+more), s.text...)
	s.text = view(s.buffer)
}

// advance drops what stands before i.
func (s *splitter) advance(i int) {
	s.place = s.place.After(s.text[:i])
	s.text = s.text[i:]
}

// hand gives the first n bytes of the text away, with the documents in them,
// the first of which has the index, and with them the buffer. It reports whether
// more is wanted.
func (s *splitter) hand(n int, docs []span, index int) bool {
	b := &batch{text: s.text[:n], place: s.place, docs: docs, model: -1, index: index}
	buffer := s.buffer
	b.release = func() { s.buffers.put(buffer) }
	s.advance(n)
	s.move(chunkSize) // before a worker can have done with the buffer
	if len(docs) == 0 {
		b.release()
		return true
	}
	return s.emit(b)
}

// hasLines reports whether a document stands on each line: by the source's
// name, or because the first line holds a whole one and others follow.
func (s *splitter) hasLines() (bool, error) {
	if ijson.IsLinesName(s.place.File) {
		return trimStart(s.text) != "", nil
	}
	for !s.eof && !strings.Contains(s.text, "\n") {
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
	for strings.Trim(rest, space) == "" {
		if s.eof {
			return false, nil
		}
		if err := s.fill(); err != nil {
			return false, err
		}
		_, rest, _ = strings.Cut(trimStart(s.text), "\n")
	}
	return true, nil
}

// lines hands the lines on that are not blank.
func (s *splitter) lines() error {
	for {
		end := len(s.text)
		if !s.eof {
			end = strings.LastIndexByte(s.text, '\n') + 1
		}
		var docs []span
		for start := 0; start < end; {
			next := end
			if n := strings.IndexByte(s.text[start:end], '\n'); n >= 0 {
				next = start + n + 1
			}
			line := strings.TrimRight(s.text[start:next], space)
			if trimmed := strings.TrimLeft(line, " \t"); trimmed != "" {
				docs = append(docs, span{start + len(line) - len(trimmed), start + len(line)})
			}
			start = next
		}
		if end > 0 && !s.hand(end, docs, -1) || s.eof {
			return nil
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// list hands the items of the array on that begins the text.
func (s *splitter) list() (*problem.Error, error) {
	var docs []span
	i := len("[")
	first := true
	for {
		end, more := i, false
		for {
			var item span
			var fault string
			if item, end, fault = nextItem(s.text, i, first, s.eof); fault != "" {
				s.hand(i, docs, s.index)
				return s.broken(end-i, fault), nil
			}
			if item[1] == 0 {
				more = end < 0
				break
			}
			docs = append(docs, item)
			first, i = false, end
		}
		n := len(docs)
		if wanted := s.hand(i, docs, s.index); !wanted {
			return nil, nil
		}
		s.index += n
		if !more {
			return s.trailing(end - i)
		}
		docs, i = nil, 0
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// nextItem finds the item of a list that follows at i, behind a comma unless it
// is the first. It returns the item and the offset behind it; or no item and the
// offset behind the bracket that closes the list, or -1 if more text is needed;
// or what is wrong, and where.
func nextItem(text string, i int, first, eof bool) (item span, end int, fault string) {
	short := func() (span, int, string) {
		if eof {
			return span{}, len(text), "unexpected end of text in a list"
		}
		return span{}, -1, ""
	}
	skip := func() { i += len(text[i:]) - len(strings.TrimLeft(text[i:], space)) }
	skip()
	if i == len(text) {
		return short()
	}
	switch {
	case text[i] == ']':
		return span{}, i + 1, ""
	case first:
	case text[i] == ',':
		i++
		if skip(); i == len(text) {
			return short()
		}
	default:
		return span{}, i, "unexpected character, expected ',' or ']'"
	}
	end = ijson.SpanEnd(text, i)
	if end < 0 || end == len(text) && !eof {
		return short()
	}
	if end == i {
		return span{}, i, "unexpected character, expected a value"
	}
	return span{i, end}, end, ""
}

// trailing demands that only white space is left behind offset i.
func (s *splitter) trailing(i int) (*problem.Error, error) {
	for {
		s.advance(i)
		rest := strings.TrimLeft(s.text, space)
		if rest != "" {
			return s.broken(len(s.text)-len(rest), "unexpected character, expected the end of the document"), nil
		}
		if s.eof {
			return nil, nil
		}
		i = len(s.text)
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// broken is the fault of a list that cannot be read on at offset i.
func (s *splitter) broken(i int, reason string) *problem.Error {
	e := problem.New(problem.InvalidObservation, "$", "%s", reason)
	e.Place = s.place.After(s.text[:i])
	e.Err = errBroken
	return e
}
