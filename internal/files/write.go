package files

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// Writer is a file that is being written. Nothing of it is found under its name
// before all of it is on the disk.
type Writer struct {
	ctx context.Context
	f   *os.File
	buf *bufio.Writer
}

// Write appends bytes. It fails when the context has ended.
func (w *Writer) Write(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, ErrInterrupt
	}
	return w.buf.Write(b)
}

// WriteString appends a string.
func (w *Writer) WriteString(s string) (int, error) {
	if w.ctx.Err() != nil {
		return 0, ErrInterrupt
	}
	return w.buf.WriteString(s)
}

// WriteAt overwrites bytes that were appended before.
func (w *Writer) WriteAt(b []byte, offset int64) (int, error) {
	if w.ctx.Err() != nil {
		return 0, ErrInterrupt
	}
	if err := w.buf.Flush(); err != nil {
		return 0, err
	}
	return w.f.WriteAt(b, offset)
}

var _ interface {
	io.Writer
	io.StringWriter
	io.WriterAt
} = (*Writer)(nil)

// Write lets fill write the file at a path: into another beside it, which takes its
// place when all bytes are on the disk. A file that is replaced leaves its mode to
// the new one and, where the system allows it, its owner; else the mode is 0644
// less the umask. If anything fails, fill or because ctx ends, the old file stays
// and the other is gone.
//
// What a killed run leaves is called .<name>.tmp-<letters>, which nobody takes for
// a file of records, and is removed by the next run that writes the same path.
func Write(ctx context.Context, path string, fill func(*Writer) error) error {
	return write(ctx, path, fill, os.Rename)
}

// Create is [Write] for a file that must not be there yet. Of several that create
// one path at the same time one succeeds; the others get fs.ErrExist.
func Create(ctx context.Context, path string, fill func(*Writer) error) error {
	return write(ctx, path, fill, func(from, to string) error {
		if err := os.Link(from, to); err != nil {
			return err
		}
		return os.Remove(from)
	})
}

// WriteText is [Write] of a text.
func WriteText(ctx context.Context, path, text string) error {
	return Write(ctx, path, func(w *Writer) error {
		_, err := w.WriteString(text)
		return err
	})
}

func write(ctx context.Context, path string, fill func(*Writer) error, publish func(from, to string) error) error {
	removeLeftovers(path)
	f, err := createBeside(path)
	if err != nil {
		return err
	}
	const bufferBytes = 64 << 10
	w := &Writer{ctx: ctx, f: f, buf: bufio.NewWriterSize(f, bufferBytes)}
	if err = fill(w); err == nil {
		err = w.buf.Flush()
	}
	if err == nil && ctx.Err() != nil {
		err = ErrInterrupt
	}
	if err == nil {
		err = f.Sync()
	}
	temporary := f.Name()
	// On Windows a file that is open cannot be renamed; elsewhere the lock must
	// not end before the name has.
	if runtime.GOOS == "windows" {
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = publish(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // what went wrong before is what there is to say
		_ = f.Close()
		return err
	}
	if runtime.GOOS != "windows" {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return syncFolder(filepath.Dir(path))
}

// createBeside creates a file in the folder of a path, with the mode and the owner
// of the one at the path, and locks it, so that other runs can tell that somebody
// writes to it.
func createBeside(path string) (*os.File, error) {
	var mode fs.FileMode = 0o644
	old, err := os.Stat(path)
	replaces := err == nil && old.Mode().IsRegular()
	if replaces {
		mode = old.Mode().Perm()
	}
	const tries = 10
	for range tries {
		var f *os.File
		f, err = os.OpenFile(leftoverPrefix(path)+strconv.FormatUint(rand.Uint64(), 36), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		if err = lock(f); err != nil {
			_ = f.Close() // another run took it for a leftover and removed it
			continue
		}
		if replaces {
			keepOwner(f, old)
			err = f.Chmod(mode)
		}
		if err != nil {
			_ = os.Remove(f.Name())
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}
	return nil, err
}

// leftoverPrefix is what the names of files that are not finished yet begin with.
func leftoverPrefix(path string) string {
	const longest = 200 // leaves room in the 255 bytes that file systems allow
	folder, base := filepath.Split(path)
	base = strings.ToValidUTF8(base[:min(len(base), longest)], "")
	return folder + "." + base + ".tmp-"
}

// removeLeftovers removes what killed runs have left of a file. Nothing depends on
// it, so that it does not fail.
func removeLeftovers(path string) {
	folder, prefix := filepath.Split(leftoverPrefix(path))
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(folder, e.Name())
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		isAbandoned := lock(f) == nil
		if runtime.GOOS == "windows" {
			_ = f.Close()
		}
		if isAbandoned {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}

// syncFolder makes sure that a renaming is on the disk. Some file systems know
// no such thing.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
