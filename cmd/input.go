package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// stdinName is the argument that stands for standard input.
const stdinName = "-"

// inputs are the files that arguments lead to, in the order of the arguments
// and within a directory by path.
type inputs struct {
	files   []input
	folders []folder // all that were looked through
}

// input is a file, or standard input.
type input struct {
	name string      // as messages call it
	info fs.FileInfo // nil if nothing is known of it
}

type folder struct {
	name string
	info fs.FileInfo
}

// isRecordFile reports whether a file in a directory is one of its inputs.
func isRecordFile(name string) bool {
	switch filepath.Ext(name) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// findInputs looks up what arguments name: files, directories, or - for
// standard input.
func (p *program) findInputs(args ...string) (*inputs, error) {
	found := &inputs{}
	for _, arg := range args {
		if err := found.add(arg, p.stdin); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// findFile looks up one file, or standard input.
func (p *program) findFile(name string) (input, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return input{}, fileError(name, errors.New("is a directory"))
	}
	found, err := p.findInputs(name)
	if err != nil {
		return input{}, err
	}
	return found.files[0], nil
}

func (in *inputs) add(arg string, stdin io.Reader) error {
	if arg == stdinName {
		var info fs.FileInfo
		if f, ok := stdin.(*os.File); ok {
			info, _ = f.Stat() // reading it will tell what is wrong
		}
		in.files = append(in.files, input{arg, info})
		return nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return fileError(arg, err)
	}
	if !info.IsDir() {
		// A pipe is what the shell makes of <(command).
		if !info.Mode().IsRegular() && info.Mode()&fs.ModeNamedPipe == 0 {
			return fileError(arg, errNotAFile)
		}
		in.files = append(in.files, input{arg, info})
		return nil
	}
	before := len(in.files)
	if err := in.addFolder(folder{arg, info}, nil); err != nil {
		return err
	}
	inside := in.files[before:]
	if len(inside) == 0 {
		return fileError(arg, errors.New("the directory holds no *.json, *.jsonl or *.ndjson"))
	}
	slices.SortFunc(inside, func(a, b input) int { return strings.Compare(a.name, b.name) })
	return nil
}

var errNotAFile = errors.New("is not a regular file")

// twice returns an error if the file with a name is an input before, too.
func (in *inputs) twice(name string) error {
	for i, f := range in.files {
		if f.name != name {
			continue
		}
		for _, before := range in.files[:i] {
			switch {
			case f.info == nil || before.info == nil || !os.SameFile(before.info, f.info):
			case f.name == before.name:
				return fileError(f.name, errors.New("is given twice"))
			default:
				return fileError(f.name, fmt.Errorf("is given twice: it is %s again", before.name))
			}
		}
	}
	return nil
}

// addFolder adds the files of a directory and of those below it. Symbolic links
// are followed; above are the directories that it was reached through.
func (in *inputs) addFolder(here folder, above []folder) error {
	for _, a := range above {
		if os.SameFile(a.info, here.info) {
			return fileError(here.name, fmt.Errorf("directory loop: it is %s again", a.name))
		}
	}
	above = append(above, here)
	in.folders = append(in.folders, here)
	entries, err := os.ReadDir(here.name)
	if err != nil {
		return fileError(here.name, err)
	}
	for _, e := range entries {
		path := filepath.Join(here.name, e.Name())
		wanted := isRecordFile(e.Name())
		if !wanted && !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil && !wanted && errors.Is(err, fs.ErrNotExist):
			// A link that leads nowhere is no input.
		case err != nil:
			return fileError(path, err)
		case info.IsDir():
			if err := in.addFolder(folder{path, info}, above); err != nil {
				return err
			}
		case wanted && !info.Mode().IsRegular():
			return fileError(path, errNotAFile)
		case wanted:
			in.files = append(in.files, input{path, info})
		}
	}
	return nil
}

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

// isRereadable reports whether an input can be read once more.
func (in input) isRereadable() bool { return in.name != stdinName && in.info.Mode().IsRegular() }

// size is how many bytes an input has, zero if that is not known.
func (in input) size() int64 {
	if in.info == nil || !in.info.Mode().IsRegular() {
		return 0
	}
	return in.info.Size()
}

// size is how many bytes the inputs have, zero if that is not known.
func (in *inputs) size() (total int64) {
	for _, f := range in.files {
		size := f.size()
		if size == 0 {
			return 0
		}
		total += size
	}
	return total
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
