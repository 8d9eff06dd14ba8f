// Package files finds the files that arguments name, reads them and writes what
// comes out.
//
//   - [Inputs] are the files, directories and standard input that arguments name.
//     Every read has a bound and ends when its context does.
//   - [Output] is a file that a command writes, whole or not at all. It may be none of
//     the inputs.
//   - [KindOf] finds the kind of a file by its schemaVersion.
//
// Errors are an [Error]: the name that the user gave, and what is wrong.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/sample"
)

// Inputs are files in the order of the arguments that named them, those of a
// directory by path.
type Inputs struct {
	Files   []Input
	folders []files.Found // all that were looked through
	stdin   io.Reader
	fetch   Fetch
}

// Fetch returns the text of what a registry has by a name.
type Fetch func(ctx context.Context, name string) (string, error)

// Input is a file, or standard input.
type Input struct {
	Name  string      // as messages call it
	info  fs.FileInfo // nil if nothing is known of it
	stdin io.Reader   // nil for a file
	fetch Fetch       // nil but for what is in a registry
}

// Sample names the catalog that comes with svc, wherever a file may stand.
const Sample = "the sample catalog"

// New returns no inputs. The name - will stand for stdin.
func New(stdin io.Reader) *Inputs { return &Inputs{stdin: stdin} }

// WithFetch lets inputs be in registries.
func (in *Inputs) WithFetch(fetch Fetch) *Inputs {
	in.fetch = fetch
	return in
}

// Add adds what arguments name: files, directories, or - for standard input.
func (in *Inputs) Add(args ...string) error {
	for _, arg := range args {
		if info, err := os.Stat(arg); arg == option.Stdin || err != nil || !info.IsDir() {
			if _, err := in.AddFile(arg); err != nil {
				return err
			}
			continue
		}
		found, folders, err := files.Find(arg)
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			return Named(e.Path, err)
		} else if err != nil {
			return err
		}
		for _, f := range found {
			in.Files = append(in.Files, Input{Name: f.Name, info: f.Info})
		}
		in.folders = append(in.folders, folders...)
	}
	return nil
}

// AddFile adds one file, standard input, or the sample.
func (in *Inputs) AddFile(name string) (Input, error) {
	f := Input{Name: name, stdin: in.stdin}
	if registry.IsName(name) && in.fetch != nil {
		f.stdin, f.fetch = nil, in.fetch
	} else if name == Sample {
		text, err := sample.Catalog()
		if err != nil {
			return f, Named(name, err)
		}
		f.stdin = strings.NewReader(text)
	} else if file, ok := in.stdin.(*os.File); ok && name == option.Stdin {
		f.info, _ = file.Stat() // reading it will say what is wrong
	} else if name != option.Stdin {
		var err error
		if f, err = File(name); err != nil {
			return f, err
		}
	}
	in.Files = append(in.Files, f)
	return f, nil
}

// File returns the input of a file that may be called "-".
func File(name string) (Input, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = files.Readable(name, info)
	}
	if err != nil {
		return Input{}, Named(name, err)
	}
	return Input{Name: name, info: info}, nil
}

// isRegular reports whether an input is a regular file.
func (in Input) isRegular() bool { return in.info != nil && in.info.Mode().IsRegular() }

// IsRereadable reports whether an input can be read once more.
func (in Input) IsRereadable() bool { return in.stdin == nil && in.isRegular() }

// Size is how many bytes an input has, zero if that is not known.
func (in Input) Size() int64 {
	if !in.isRegular() {
		return 0
	}
	return in.info.Size()
}

// Size is how many bytes the inputs have, zero if that is not known.
func (in *Inputs) Size() (total int64) {
	for _, f := range in.Files {
		size := f.Size()
		if size == 0 {
			return 0
		}
		total += size
	}
	return total
}

// CheckTwice returns an error if the file with a name is an input before, too.
func (in *Inputs) CheckTwice(name string) error {
	for i, f := range in.Files {
		if f.Name != name {
			continue
		}
		for _, before := range in.Files[:i] {
			switch {
			case f.info == nil || before.info == nil || !os.SameFile(before.info, f.info):
			case f.Name == before.Name:
				return Named(f.Name, errors.New("is given twice"))
			default:
				return Named(f.Name, fmt.Errorf("is given twice: it is %s again", before.Name))
			}
		}
	}
	return nil
}

// FirstBad narrows the faults that err carries, if it carries any, to those of the
// first bad one of the inputs, which it returns.
func (in *Inputs) FirstBad(err error) (bad Input, _ error) {
	byFile := map[string]problem.List{}
	for _, fault := range problem.All(err) {
		byFile[fault.Place.File] = append(byFile[fault.Place.File], fault)
	}
	for _, f := range in.Files {
		if faults := byFile[f.Name]; faults != nil {
			return f, faults.Err()
		}
	}
	return Input{}, err
}
