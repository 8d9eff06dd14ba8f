package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/model-catalog-service/svc/internal/files"
)

// stdinName is the argument that stands for standard input.
const stdinName = "-"

// inputs are the files that arguments lead to, in the order of the arguments
// and within a directory by path.
type inputs struct {
	files   []input
	folders []files.Found // all that were looked through
}

// input is a file, or standard input.
type input struct {
	name string      // as messages call it
	info fs.FileInfo // nil if nothing is known of it
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
			return fileError(arg, files.ErrIrregular)
		}
		in.files = append(in.files, input{arg, info})
		return nil
	}
	found, folders, err := files.Find(arg)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fileError(e.Path, err)
	}
	for _, f := range found {
		in.files = append(in.files, input{f.Name, f.Info})
	}
	in.folders = append(in.folders, folders...)
	return err
}

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
