package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// open opens an input for reading. A failed read says why alone, for the input's
// name to be put before it, and an input without any document fails at its end.
func (p *program) open(in input, bar *progress) (io.ReadCloser, error) {
	if in.name == stdinName {
		return &reading{from: io.NopCloser(p.stdin), bar: bar, blank: true}, nil
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, fileError(in.name, err)
	}
	return &reading{from: f, bar: bar, blank: true}, nil
}

var errNoDocument = errors.New("holds no document")

// reading is an input that is being read.
type reading struct {
	from  io.ReadCloser
	bar   *progress
	blank bool // nothing but white space was read so far
}

func (r *reading) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	return n, r.note(b[:n], err)
}

// note takes down what was read and returns the error to report.
func (r *reading) note(b []byte, err error) error {
	r.bar.add(int64(len(b)))
	if r.blank {
		r.blank = len(bytes.TrimLeft(b, "\uFEFF \t\r\n")) == 0
	}
	if err == io.EOF && r.blank {
		return errNoDocument
	}
	return cause(err)
}

// ReadFull is io.ReadFull, before anything else is read. The halves of a large
// file are read at the same time: most of the work is that memory is touched for
// the first time.
func (r *reading) ReadFull(b []byte) (int, error) {
	const large = 4 << 20
	file, ok := r.from.(*os.File)
	if !ok || len(b) < large {
		return io.ReadFull(r, b)
	}
	half := len(b) / 2
	var (
		second    sync.WaitGroup
		more      int
		secondErr error
	)
	second.Go(func() { more, secondErr = file.ReadAt(b[half:], int64(half)) })
	n, err := io.ReadFull(r, b[:half])
	second.Wait()
	if err != nil {
		return n, err
	}
	n += more
	if err = r.note(b[half:n], secondErr); err == nil {
		_, err = file.Seek(int64(n), io.SeekStart) // where reading goes on
	}
	return n, cause(err)
}

func (r *reading) Close() error { return cause(r.from.Close()) }

// source returns an input as a stream of observations.
func (p *program) source(in input, bar *progress) catalog.Source {
	return catalog.Source{Name: in.name, Open: func() (io.ReadCloser, error) { return p.open(in, bar) }}
}

// read reads an input whole.
func (p *program) read(in input, bar *progress) (problem.Source, error) {
	from, err := p.open(in, bar)
	if err != nil {
		return problem.Source{}, err
	}
	text, err := slurp(from, in.size())
	if err = errors.Join(err, from.Close()); err != nil {
		return problem.Source{}, fileError(in.name, err)
	}
	return problem.Source{Name: in.name, Text: text}, nil
}

// readFile reads a file whole. Unlike other inputs it is never standard input:
// a file may be called "-".
func readFile(name string) (problem.Source, error) {
	f, err := os.Open(name)
	if err != nil {
		return problem.Source{}, fileError(name, err)
	}
	in := input{name: name}
	in.info, _ = f.Stat() // reading it will tell what is wrong
	from := &reading{from: f, blank: true}
	text, err := slurp(from, in.size())
	if err = errors.Join(err, from.Close()); err != nil {
		return problem.Source{}, fileError(name, err)
	}
	return problem.Source{Name: name, Text: text}, nil
}

// readSmall reads a file of at most so many bytes, whole, and adds it to the
// inputs.
func (p *program) readSmall(name string, most int64, in *inputs) (problem.Source, error) {
	f, err := p.findFile(name)
	if err != nil {
		return problem.Source{}, err
	}
	in.files = append(in.files, f)
	tooLarge := fileError(name, fmt.Errorf("has more than %d bytes", most))
	if f.size() > most {
		return problem.Source{}, tooLarge
	}
	from, err := p.open(f, nil)
	if err != nil {
		return problem.Source{}, err
	}
	text, err := slurp(io.LimitReader(from, most+1), f.size())
	if err = errors.Join(err, from.Close()); err != nil {
		return problem.Source{}, fileError(name, err)
	}
	if int64(len(text)) > most {
		return problem.Source{}, tooLarge
	}
	return problem.Source{Name: name, Text: text}, nil
}

// maxWhole is the most bytes that are read into one string. Beyond it the memory
// of the machine would be gone before anything else is found wrong.
const maxWhole = min(16<<30, math.MaxInt)

// slurp reads everything into one string. Texts of gigabytes are normal, so that
// it holds no second copy when the expected size is right.
func slurp(r io.Reader, size int64) (string, error) {
	if size > maxWhole {
		return "", fmt.Errorf("has %d bytes, at most %d can be read", size, int64(maxWhole))
	}
	if size == 0 {
		return slurpPieces(r)
	}
	buf := make([]byte, size)
	n, err := readFull(r, buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	text := unsafe.String(unsafe.SliceData(buf), n) // nobody writes to buf any more
	if err != nil {
		return text, nil
	}
	grown, err := slurpPieces(r)
	if grown != "" {
		text += grown
	}
	return text, err
}

// readFull is io.ReadFull, in a reader's own way if it has one.
func readFull(r io.Reader, b []byte) (int, error) {
	if own, ok := r.(interface{ ReadFull([]byte) (int, error) }); ok {
		return own.ReadFull(b)
	}
	return io.ReadFull(r, b)
}

// slurpPieces reads pieces and puts them together at the end.
func slurpPieces(r io.Reader) (string, error) {
	const firstPiece, largestPiece = 64 << 10, 64 << 20
	var (
		pieces [][]byte
		total  int
		err    error
	)
	for size := firstPiece; err == nil; size = min(2*size, largestPiece) {
		piece := make([]byte, size)
		var n int
		n, err = io.ReadFull(r, piece)
		pieces = append(pieces, piece[:n])
		total += n
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	var text strings.Builder
	text.Grow(total)
	for i, piece := range pieces {
		text.Write(piece)
		pieces[i] = nil // may go before all are copied
	}
	return text.String(), nil
}
