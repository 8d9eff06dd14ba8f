package files

import (
	"errors"
	"io/fs"
	"os"

	"github.com/model-catalog-service/svc/internal/problem"
)

// Error is what is wrong with a file.
type Error struct {
	Name string // as the user gave it
	Err  error
}

func (e *Error) Error() string { return e.Name + ": " + problem.Brief(e.Err.Error()) }
func (e *Error) Unwrap() error { return e.Err }

// Named says what is wrong with a file, in one clause after its name.
func Named(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		err = e.Err
	}
	return &Error{name, cause(err)}
}

// cause takes the operation and the path off an error of the system: messages name
// the file by the name that the user gave.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}
