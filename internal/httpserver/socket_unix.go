//go:build unix

package httpserver

import (
	"errors"
	"net"
	"os"
	"runtime"
	"syscall"
)

// checkListens distinguishes a socket that listens from one that is connected, and from
// what is not a socket.
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

// limitUnsent bounds how much the system keeps for a client that does not read, in
// bytes. Linux alone has this bound, which does not slow down those who do read;
// elsewhere the system's own holds.
func limitUnsent(conn *net.TCPConn, bytes int) {
	raw, err := conn.SyscallConn()
	if err != nil || runtime.GOOS != "linux" {
		return
	}
	const notSentLowWater = 25 // TCP_NOTSENT_LOWAT, tcp(7)
	_ = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notSentLowWater, bytes)
	})
}
