package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
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
// and the other is gone. The one exception is a folder that cannot be synced on a file
// system without hard links: there the error says that the new file is in place.
//
// What a killed run leaves is called .<name>.tmp-<16 digits>, which nobody takes for
// a file of records. The next run that writes the same path removes it, if the file
// system has locks; without them nobody can tell it from a file that is being written.
func Write(ctx context.Context, path string, fill func(*Writer) error) error {
	return write(ctx, path, fill, replace)
}

// Create is [Write] for a file that must not be there yet. Of several that create
// one path at the same time one succeeds; the others get fs.ErrExist.
func Create(ctx context.Context, path string, fill func(*Writer) error) error {
	return write(ctx, path, fill, create)
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
	// On Windows a file that is open cannot be renamed; elsewhere the lock must
	// not end before the name has.
	if runtime.GOOS == "windows" {
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = publish(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what went wrong before is what there is to say
	}
	_ = f.Close() // its bytes are on the disk, or it is gone
	return err
}

// replace moves a file to a name that another may have. The other keeps a second name
// until the folder is on the disk, and gets its own back if that fails.
func replace(from, to string) error {
	old := temporaryName(to)
	kept := os.Link(to, old)
	undo := func() error { return os.Rename(old, to) }
	switch {
	case errors.Is(kept, fs.ErrNotExist):
		undo = func() error { return os.Remove(to) }
	case kept != nil:
		undo = func() error { return kept }
	}
	err := os.Rename(from, to)
	if err == nil {
		err = syncName(to, undo)
	}
	_ = os.Remove(old)
	return err
}

// create moves a file to a name that no file has: by a hard link, where the file system
// has them, else by a rename that replaces nothing, where it has that. Else it reserves
// the name, so that there is an empty file for a moment.
func create(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		_ = os.Remove(from) // else the next run does
	} else if !errors.Is(err, fs.ErrExist) {
		err = renameNew(from, to)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = renameReserved(from, to)
	}
	if err != nil {
		return err
	}
	return syncName(to, func() error { return os.Remove(to) })
}

// renameReserved renames a file once it has created the other name.
func renameReserved(from, to string) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_ = f.Close()
	if err = os.Rename(from, to); err != nil {
		_ = os.Remove(to)
	}
	return err
}

// createBeside creates a file in the folder of a path, with the mode and the owner
// of the one at the path, and locks it where it can, so that other runs can tell that
// somebody writes to it.
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
		f, err = os.OpenFile(temporaryName(path), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		if err = lock(f); errors.Is(err, errTaken) {
			_ = f.Close() // another run took it for a leftover and removes it
			continue
		}
		if err = nil; replaces {
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

// errTaken is the error of a lock that another run has, or has had until it removed the
// file. Any other error means that the file system has no locks.
var errTaken = errors.New("another run has it")

// temporaryDigits is how many hexadecimal digits end the name of a file that is not
// finished yet.
const temporaryDigits = 16

// temporaryName returns a new name for a file that is not finished yet.
func temporaryName(path string) string {
	return fmt.Sprintf("%s%0*x", temporaryPrefix(path), temporaryDigits, rand.Uint64())
}

// temporaryPrefix is what such names begin with.
func temporaryPrefix(path string) string {
	const longest = 200 // leaves room in the 255 bytes that file systems allow
	folder, base := filepath.Split(path)
	base = strings.ToValidUTF8(base[:min(len(base), longest)], "")
	return folder + "." + base + ".tmp-"
}

// isTemporary reports whether a name is such a name, and no other that begins alike.
func isTemporary(name, prefix string) bool {
	digits, begins := strings.CutPrefix(name, prefix)
	return begins && len(digits) == temporaryDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// removeLeftovers removes what killed runs have left of a file. Nothing depends on
// it, so that it does not fail.
func removeLeftovers(path string) {
	folder, prefix := filepath.Split(temporaryPrefix(path))
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isTemporary(e.Name(), prefix) || !e.Type().IsRegular() {
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

// syncName makes sure that a new name is on the disk, or takes it back by undo.
func syncName(path string, undo func() error) error {
	err := SyncFolder(filepath.Dir(path))
	if err != nil && undo() != nil {
		return &fs.PathError{Op: "sync", Path: path,
			Err: fmt.Errorf("the new file is in place, but after a power failure the old one may be: %w", err)}
	}
	return err
}

// SyncFolder makes sure that the names in a folder are on the disk. Some file systems
// know no such thing.
func SyncFolder(path string) error {
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

// Move moves a file that is whole to a path on the same file system, where it takes the place of
// another, whose mode and owner it gets. After a power failure it may be where it was, unless
// [SyncFolder] follows; nothing is undone.
func Move(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if old, err := os.Stat(to); err == nil && old.Mode().IsRegular() {
		keepOwner(f, old)
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		_ = f.Close() // a file that is open cannot be renamed there
	}
	return os.Rename(from, to)
}
