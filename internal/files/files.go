// Package files reads and writes files as the rest of svc may rely on it.
//
//   - [Write] writes a file whole or not at all. Whoever reads it while it is
//     written, or after a run that failed, was killed or lost its power, finds the
//     old file or the new one.
//   - [Read] and [Open] read regular files, and [Read] no more than a bound: not
//     every file that has a name has an end.
//   - [Find] lists the files of a directory that hold records.
//
// Errors name the path and what is wrong with it, as a *fs.PathError.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// The causes of errors, besides those of the system.
var (
	ErrDirectory  = errors.New("is a directory")
	ErrIrregular  = errors.New("is not a regular file")
	ErrNamedPipe  = errors.New("is a named pipe: give - as the argument and the pipe as standard input")
	ErrNoRecords  = errors.New("the directory holds no *.json, *.jsonl or *.ndjson")
	ErrInterrupt  = errors.New("interrupted")
	ErrTooLarge   = errors.New("is too large")
	errTooManyDir = fmt.Errorf("holds more than %d directories", maxDirectories)
)

// MaxWhole is the most bytes of a text that is read into memory whole. Beyond it
// the memory of a machine is gone before anything else is found wrong.
const MaxWhole = min(16<<30, math.MaxInt)

func refuse(path string, cause error) error {
	return &fs.PathError{Op: "read", Path: path, Err: cause}
}

// Open opens a regular file, or a pipe that the shell has opened for its
// <(command). A named pipe in a folder is refused: nobody may ever write to it.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if err := Readable(path, info); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return f, info, nil
}

// Readable reports why what is at a path cannot be read to its end, if it cannot.
func Readable(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular() || mode&fs.ModeNamedPipe != 0 && isDescriptor(path):
		return nil
	case mode.IsDir():
		return refuse(path, ErrDirectory)
	case mode&fs.ModeNamedPipe != 0:
		return refuse(path, ErrNamedPipe)
	}
	return refuse(path, ErrIrregular)
}

// isDescriptor reports whether a path means an open file of the process.
func isDescriptor(path string) bool {
	folder := filepath.ToSlash(filepath.Dir(path))
	return path == "/dev/stdin" || folder == "/dev/fd" ||
		strings.HasPrefix(folder, "/proc/") && strings.HasSuffix(folder, "/fd")
}

// Read reads a file of at most so many bytes. What is larger is not read.
func Read(path string, most int64) (string, error) {
	f, info, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() > most {
		return "", refuse(path, TooLarge(most))
	}
	text, err := ReadAll(f, most, info.Size())
	if err != nil {
		return "", refuse(path, err)
	}
	return text, nil
}

// TooLarge says that a file has more than so many bytes.
func TooLarge(most int64) error {
	return fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, most)
}

// ReadAll reads r to its end, which comes after at most so many bytes. The
// expected number of bytes, zero if it is not known, saves copies.
func ReadAll(r io.Reader, most, expected int64) (string, error) {
	r = io.LimitReader(r, most+1)
	var text strings.Builder
	if expected > 0 {
		text.Grow(int(min(expected, most)))
		if _, err := io.Copy(&text, r); err != nil {
			return "", err
		}
	} else if err := readPieces(&text, r); err != nil {
		return "", err
	}
	if int64(text.Len()) > most {
		return "", TooLarge(most)
	}
	return text.String(), nil
}

// readPieces reads r in pieces, which are put together at the end. One buffer that
// grows would take half as much memory again, and copy most bytes several times.
func readPieces(text *strings.Builder, r io.Reader) error {
	const smallest, largest = 4 << 10, 64 << 20
	var (
		pieces [][]byte
		total  int
		err    error
	)
	for size := smallest; err == nil; size = min(2*size, largest) {
		piece, n := make([]byte, size), 0
		for n < size && err == nil {
			var more int
			more, err = r.Read(piece[n:])
			n += more
		}
		pieces = append(pieces, piece[:n])
		total += n
	}
	if err != io.EOF {
		return err
	}
	text.Grow(total)
	for i, piece := range pieces {
		text.Write(piece)
		pieces[i] = nil // it may go before all are copied
	}
	return nil
}
