package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/files"
)

// What --output may be.
const (
	outputAuto  = "auto" // a table on a terminal, else json
	outputJSON  = "json"
	outputTable = "table"
	outputText  = "text"
)

// stdoutName is the file name that stands for standard output.
const stdoutName = "-"

// addOutput adds the option --output, whose default is the first format.
func addOutput(c *cobra.Command, into *string, formats ...string) {
	c.Flags().Var(newChoice(into, formats...), "output", "`FORMAT` of the result: "+strings.Join(formats, ", "))
	completeOption(c, "output", offerWords(formats...))
}

// addOut adds the option -o of a command whose result goes to a file, as a rule
// one with such an ending, or to standard output.
func addOut(c *cobra.Command, into *string, endings ...string) {
	c.Flags().StringVarP(into, "out", "o", "",
		"`FILE` to write, whole or not at all; without it, or with -, the bytes go to standard output")
	completeOption(c, "out", offerFiles(endings...))
}

// deliver lets write write a result to a file, or without one to stdout.
func (p *program) deliver(ctx context.Context, out *target, write func(io.Writer) error) error {
	if out != nil {
		return out.write(ctx, write)
	}
	if err := write(p.stdout); err != nil {
		return err
	}
	return p.stdout.Flush()
}

// writing returns what writes a text.
func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// target is the file that -o names. It is written whole or not at all: into a
// temporary file beside it, which takes its place when all bytes are on the
// disk. A run that fails or is killed leaves the old file. What a killed one
// leaves beside it has a name that no run looks for.
type target struct {
	name string      // as it was given
	path string      // behind symbolic links
	info fs.FileInfo // nil if nothing is there yet
}

func newTarget(name string) (*target, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fileError(name, err)
	case err == nil && info.IsDir():
		return nil, fileError(name, errors.New("is a directory"))
	case err == nil && !info.Mode().IsRegular():
		// Its links stay as they are: that of /dev/stdout leads to no path.
		return &target{name, name, info}, nil
	}
	path, err := followLinks(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fileError(name, err)
	}
	return &target{name, path, info}, nil
}

// followLinks returns what a chain of symbolic links leads to, which need not
// exist.
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
			// Joined without cleaning: behind a linked folder .. is another one.
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}

// targetOf returns the target that an option names, which may be none of the
// inputs. It is nil for standard output.
func targetOf(name string, in *inputs) (*target, error) {
	if name == "" || name == stdoutName {
		return nil, nil
	}
	t, err := newTarget(name)
	if err != nil {
		return nil, err
	}
	return t, t.refuseInputs(in)
}

// isRegular reports whether the target is, or will be, a regular file. Others,
// like devices and pipes, are written to directly.
func (t *target) isRegular() bool { return t.info == nil || t.info.Mode().IsRegular() }

// refuseInputs refuses a target that is also an input, or that the next run
// would find among its inputs.
func (t *target) refuseInputs(in *inputs) error {
	if !t.isRegular() {
		return nil
	}
	for _, f := range in.files {
		if t.info != nil && f.info != nil && os.SameFile(t.info, f.info) {
			return fileError(t.name, fmt.Errorf("is also the input %s", f.name))
		}
	}
	if !files.IsRecords(t.path) {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(t.path))
	if err != nil {
		return fileError(t.name, err)
	}
	for _, d := range in.folders {
		if os.SameFile(folder, d.Info) {
			return fileError(t.name, fmt.Errorf("would be an input: it is in the input directory %s", d.Name))
		}
	}
	return nil
}

// write lets fill write the file. A regular one is an io.WriterAt too. A signal
// to end is a failure like another, so that the temporary file goes.
func (t *target) write(ctx context.Context, fill func(io.Writer) error) error {
	if !t.isRegular() {
		return t.writeDirectly(fill)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := files.Write(ctx, t.path, func(w *files.Writer) error { return fill(w) })
	if err != nil {
		return fileError(t.name, err)
	}
	return nil
}

// writeDirectly writes to what is no regular file.
func (t *target) writeDirectly(fill func(io.Writer) error) error {
	f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return fileError(t.name, err)
	}
	err = fill(struct{ io.Writer }{f}) // which is no io.WriterAt
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fileError(t.name, err)
	}
	return nil
}
