//go:build !unix

package server

import "errors"

// checkListens refuses: sockets are handed over on Unix alone.
func checkListens(uintptr) error { return errors.ErrUnsupported }
