//go:build !linux

package files

import "errors"

// renameNew always fails: a rename replaces what has the name.
func renameNew(string, string) error { return errors.ErrUnsupported }
