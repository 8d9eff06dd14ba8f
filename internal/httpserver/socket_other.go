//go:build !unix

package httpserver

import (
	"errors"
	"net"
)

// checkListens refuses: sockets are handed over on Unix alone.
func checkListens(uintptr) error { return errors.ErrUnsupported }

// limitUnsent leaves it to the system what it keeps for a client.
func limitUnsent(*net.TCPConn, int) {}
