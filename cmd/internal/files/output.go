package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/files"
)

// Output is what a command writes: standard output, or a file, whole or not at all, as
// [files.Write] says. What exists and is not a regular file, a device or a pipe for
// example, is written to directly.
type Output struct {
	name   string      // as it was given
	path   string      // with its symbolic links followed
	info   fs.FileInfo // nil if nothing is there yet
	stdout Stdout      // nil for a file
}

// Stdout is standard output.
type Stdout interface {
	io.Writer
	Flush() error
	Stat() (fs.FileInfo, error) // of the file that it is
}

// NewOutput returns the output that an option names: standard output, which is called -
// or nothing, or a file. It may be none of the inputs and none of the other outputs, by
// whatever names they go.
func NewOutput(name string, stdout Stdout, in *Inputs, others ...*Output) (*Output, error) {
	o, err := findOutput(name, stdout)
	if err == nil {
		err = o.refuseInputs(in)
	}
	for _, other := range others {
		if err == nil && o.isSame(other) {
			err = fmt.Errorf("is also the output %s", other.name)
		}
	}
	if err != nil {
		return nil, Named(o.name, err)
	}
	return o, nil
}

func findOutput(name string, stdout Stdout) (*Output, error) {
	o := &Output{name: name}
	var err error
	if name == "" || name == option.Stdin {
		o.name, o.stdout = cmp.Or(name, "standard output"), stdout
		o.info, _ = stdout.Stat() // writing to it will say what is wrong
		return o, nil
	}
	o.info, err = os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return o, err
	case err == nil && o.info.IsDir():
		return o, files.ErrDirectory
	case !o.isRegular():
		o.path = name // not followed: the link /dev/stdout leads to no path
		return o, nil
	}
	if o.path, err = followLinks(name); err == nil {
		_, err = os.Stat(filepath.Dir(o.path))
	}
	return o, err
}

// isSame reports whether two outputs are one file that cannot take both: one file that
// is there, or one name in one folder, in any case of its letters, which some systems do
// not tell apart. A device like /dev/null takes what comes.
func (o *Output) isSame(other *Output) bool {
	switch {
	case o.stdout != nil && other.stdout != nil:
		return true
	case o.info != nil && other.info != nil:
		return os.SameFile(o.info, other.info) && o.info.Mode()&fs.ModeCharDevice == 0
	case o.info != nil || other.info != nil || !strings.EqualFold(filepath.Base(o.path), filepath.Base(other.path)):
		return false
	}
	folder, err := os.Stat(filepath.Dir(o.path))
	if err != nil {
		return false // it was there: writing will say what is wrong
	}
	same, err := os.Stat(filepath.Dir(other.path))
	return err == nil && os.SameFile(folder, same)
}

// followLinks returns what a chain of symbolic links leads to, which need not exist.
func followLinks(path string) (string, error) {
	const maxLinks = 40
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // what is wrong shows when it is opened
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			// Joined without cleaning: after a linked folder .. is another one.
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}

// isRegular reports whether the output is, or will be, a regular file.
func (o *Output) isRegular() bool { return o.info == nil || o.info.Mode().IsRegular() }

// refuseInputs refuses an output that is also an input, or that the next run would
// find among its inputs.
func (o *Output) refuseInputs(in *Inputs) error {
	if !o.isRegular() {
		return nil
	}
	for _, f := range in.Files {
		if o.info != nil && f.info != nil && os.SameFile(o.info, f.info) {
			return fmt.Errorf("is also the input %s", f.Name)
		}
	}
	if o.stdout != nil || !files.IsRecords(o.path) {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(o.path))
	if err != nil {
		return err
	}
	for _, d := range in.folders {
		if os.SameFile(folder, d.Info) {
			return fmt.Errorf("would be an input: it is in the input directory %s", d.Name)
		}
	}
	return nil
}

// Write lets fill write the output. The writer of a regular file is an io.WriterAt too.
// If ctx ends, the file is left as it was.
func (o *Output) Write(ctx context.Context, fill func(io.Writer) error) error {
	var err error
	switch {
	case o.stdout != nil:
		if err := fill(o.stdout); err != nil {
			return err
		}
		return o.stdout.Flush()
	case o.isRegular():
		err = files.Write(ctx, o.path, func(w *files.Writer) error { return fill(w) })
	default:
		err = o.writeDirectly(ctx, fill)
	}
	if err != nil {
		return Named(o.name, err)
	}
	return nil
}

// WriteText writes a text.
func (o *Output) WriteText(ctx context.Context, text string) error {
	return o.Write(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func (o *Output) writeDirectly(ctx context.Context, fill func(io.Writer) error) error {
	f, err := o.open(ctx)
	if err != nil {
		return err
	}
	err = fill(struct{ io.Writer }{f}) // which is no io.WriterAt
	return cmp.Or(err, f.Close())
}

// errUnread is the error of a named pipe that nobody reads.
var errUnread = errors.New("is a named pipe that nobody reads: start its reader first")

// open opens what is not a regular file. The reader of a named pipe has some seconds to
// open it, too: it may be starting.
func (o *Output) open(ctx context.Context) (*os.File, error) {
	const patience, pause = 5 * time.Second, 10 * time.Millisecond
	mode := os.O_WRONLY
	if o.info.Mode()&fs.ModeNamedPipe != 0 {
		mode |= syscall.O_NONBLOCK // which fails as long as there is no reader
	}
	for begin := time.Now(); ; {
		f, err := os.OpenFile(o.path, mode, 0)
		switch {
		case !errors.Is(err, syscall.ENXIO) || mode == os.O_WRONLY:
			return f, err
		case time.Since(begin) > patience:
			return nil, errUnread
		}
		select {
		case <-ctx.Done():
			return nil, files.ErrInterrupt
		case <-time.After(pause):
		}
	}
}
