package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// isClosed reports whether standard output was closed when the program was started, as
// by >&- in a shell. The Go runtime opens /dev/null in its place then, for reading and
// writing, before any code of ours runs, so that every write would succeed.
//
// Other programs hand over such a /dev/null on purpose, Python and Node among them, and
// nothing tells the two apart. A shell never does: >/dev/null is for writing alone. So
// what counts as closed is such a standard output of a program that a shell has started
// whose own is something else, or closed too: dash closes its own until the program ends.
func isClosed(stdout *os.File) bool {
	const name = "/dev/null"
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, stdout.Fd(), syscall.F_GETFL, 0)
	if errno != 0 || flags&syscall.O_ACCMODE != syscall.O_RDWR || !leadsTo(os.Getpid(), stdout.Fd(), name) {
		return false
	}
	shells := []string{"sh", "ash", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"}
	parent := os.Getppid()
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	return err == nil && slices.Contains(shells, strings.TrimSpace(string(comm))) && !leadsTo(parent, stdout.Fd(), name)
}

// leadsTo reports whether a file descriptor of a process leads to a file, or may do so:
// those of a process of another user are not shown.
func leadsTo(process int, fd uintptr, name string) bool {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", process, fd))
	return path == name || err != nil && !errors.Is(err, fs.ErrNotExist)
}
