package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The most bytes that are read of an input of any kind: of a regular file, and of what
// comes from a pipe and is read whole, as long as one document may be.
const (
	MaxWhole  = files.MaxWhole
	MaxStream = 512 << 20
)

// ErrNoDocument is what is wrong with an input of nothing but white space.
var ErrNoDocument = errors.New("holds no document")

// ErrCompressed is what is wrong with an input that gzip has compressed.
var ErrCompressed = errors.New("is compressed; gzip -dc prints what is in it")

const gzipBegins = "\x1f\x8b"

var errLongStream = fmt.Errorf("%w: it has more than %d bytes, which only a file may have", files.ErrTooLarge,
	MaxStream)

// reader is an input that is being read. Its errors do not name the input.
type reader struct {
	ctx      context.Context
	from     io.ReadCloser
	progress func(int64)
	blank    bool // nothing but white space was read so far
}

const whiteSpace = "\uFEFF \t\r\n"

func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(b)
	r.progress(int64(n))
	if r.blank {
		if bytes.HasPrefix(b[:n], []byte(gzipBegins)) {
			return 0, ErrCompressed
		}
		r.blank = len(bytes.TrimLeft(b[:n], whiteSpace)) == 0
	}
	if err == io.EOF && r.blank {
		return n, ErrNoDocument
	}
	return n, cause(err)
}

func (r *reader) Close() error { return cause(r.from.Close()) }

// Open opens an input for reading, and calls progress for the bytes that are read.
// An input without any document fails at its end. Errors of reading say only why, for
// the input's name to be put before them.
func (in Input) Open(ctx context.Context, progress func(int64)) (io.ReadCloser, error) {
	r := &reader{ctx: ctx, progress: progress, blank: true}
	if in.fetch != nil {
		text, err := in.fetch(ctx, in.Name)
		if err != nil {
			return nil, Named(in.Name, err)
		}
		r.from = io.NopCloser(strings.NewReader(text))
		return r, nil
	}
	if in.stdin != nil {
		r.from = io.NopCloser(in.stdin)
	} else {
		f, err := os.Open(in.Name)
		if err != nil {
			return nil, Named(in.Name, err)
		}
		r.from = f
	}
	if !in.isRegular() {
		r.from = &pipe{ReadCloser: r.from, ctx: ctx}
	}
	return r, nil
}

// pipe is a pipe or a terminal, which may have nothing to read for ever. It is read
// until its context ends. A read that is under way then goes on in the background, in a
// buffer of its own, until the program ends.
type pipe struct {
	io.ReadCloser
	ctx    context.Context
	buffer [64 << 10]byte
}

func (p *pipe) Read(b []byte) (int, error) {
	type part struct {
		n   int
		err error
	}
	buffer := p.buffer[:min(len(b), len(p.buffer))]
	read := make(chan part, 1) // so that a read that nobody waits for ends, too
	go func() {
		n, err := p.ReadCloser.Read(buffer)
		read <- part{n, err}
	}()
	select {
	case got := <-read:
		return copy(b, buffer[:got.n]), got.err
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}

// Read reads an input whole, which has at most so many bytes.
func (in Input) Read(ctx context.Context, most int64, progress func(int64)) (problem.Source, error) {
	r, err := in.Open(ctx, progress)
	if err != nil {
		return problem.Source{}, err
	}
	text, err := in.readAll(r, most)
	return problem.Source{Name: in.Name, Text: text}, in.close(r, err)
}

// close closes what the input was read from, and names it if anything went wrong.
func (in Input) close(r io.Closer, err error) error {
	if err = errors.Join(err, r.Close()); err != nil {
		return Named(in.Name, err)
	}
	return nil
}

func (in Input) readAll(r io.Reader, most int64) (string, error) {
	size := in.Size()
	if size > most {
		return "", files.TooLarge(most)
	}
	if !in.isRegular() && in.fetch == nil && most > MaxStream {
		text, err := files.ReadAll(r, MaxStream, 0)
		if errors.Is(err, files.ErrTooLarge) {
			err = errLongStream
		}
		return text, err
	}
	return files.ReadAll(r, most, size)
}

// ReadFile reads a file, or standard input, of at most so many bytes, and adds it to
// the inputs.
func (in *Inputs) ReadFile(ctx context.Context, name string, most int64) (problem.Source, error) {
	f, err := in.AddFile(name)
	if err != nil {
		return problem.Source{}, err
	}
	return f.Read(ctx, most, func(int64) {})
}

// Opened is an input whose beginning was read.
type Opened struct {
	Input
	ctx       context.Context
	progress  func(int64)
	from      io.ReadCloser
	rest      *bufio.Reader
	beginning string
}

// Peek opens an input and reads its beginning: 256 KiB, or all if it has less. The caller
// must go on with Stream or ReadRest.
func (in Input) Peek(ctx context.Context, progress func(int64)) (*Opened, error) {
	const size = 256 << 10
	from, err := in.Open(ctx, progress)
	if err != nil {
		return nil, err
	}
	o := &Opened{Input: in, ctx: ctx, progress: progress, from: from, rest: bufio.NewReaderSize(from, size)}
	beginning, err := o.rest.Peek(size)
	if err != nil && err != io.EOF {
		return nil, in.close(from, err)
	}
	o.beginning = string(beginning)
	return o, nil
}

// IsObservations reports whether the beginning shows that these are observations.
func (o *Opened) IsObservations() bool {
	k, at := KindOf(problem.Source{Name: o.Name, Text: o.beginning})
	return k == Observations && at >= 0
}

// Stream returns the whole input as it comes. Closing it closes the input.
func (o *Opened) Stream() io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{o.rest, o.from}
}

// ReadRest reads the whole input and closes it. A stream that does not begin like JSON
// is not read on.
func (o *Opened) ReadRest() (problem.Source, error) {
	source := problem.Source{Name: o.Name, Text: o.beginning}
	begun := strings.TrimLeft(o.beginning, whiteSpace)
	isJSON := begun == "" || strings.IndexAny(begun, `{["-0123456789tfn`) == 0
	switch {
	case o.IsRereadable():
		if err := o.close(o.from, nil); err != nil {
			return source, err
		}
		return o.Read(o.ctx, MaxWhole, o.progress) // faster than what a stream allows
	case !isJSON:
		return source, o.close(o.from, nil)
	}
	var err error
	source.Text, err = o.readAll(o.rest, MaxWhole)
	return source, o.close(o.from, err)
}
