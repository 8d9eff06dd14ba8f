//go:build unix

package server

import (
	"errors"
	"os"
	"syscall"
)

// checkListens tells a socket that listens from one that is connected, and from
// what is no socket.
func checkListens(fd uintptr) error {
	listens, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
	if err != nil {
		return os.NewSyscallError("getsockopt", err)
	}
	if listens == 0 {
		return errors.New("it does not listen")
	}
	return nil
}
