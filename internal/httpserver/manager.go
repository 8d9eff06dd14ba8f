package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Manager is the service manager that started this process, systemd or another that speaks
// its protocol: it may hand over a socket that listens already, and may want to know how
// far the process has come. Without one, its methods do what there is to do otherwise.
type Manager struct {
	listener net.Listener // nil where none was handed over
	notify   string       // the socket for messages, empty for none
}

// The variables of the protocol, sd_listen_fds(3) and sd_notify(3).
const (
	listenPID    = "LISTEN_PID"
	listenFDs    = "LISTEN_FDS"
	notifySocket = "NOTIFY_SOCKET"
)

// firstSocket is the file descriptor that the first socket is handed over as.
const firstSocket = 3

// FindManager takes what a service manager has left in the environment, for one process
// alone: the variables are gone afterwards, so that no child believes that it was meant.
func FindManager() (*Manager, error) {
	pid, count := os.Getenv(listenPID), os.Getenv(listenFDs)
	m := &Manager{notify: os.Getenv(notifySocket)}
	for _, name := range []string{listenPID, "LISTEN_PIDFDID", listenFDs, "LISTEN_FDNAMES", notifySocket} {
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	if pid != strconv.Itoa(os.Getpid()) || count == "" || count == "0" {
		return m, nil // there is no socket, or it is another's
	}
	if n, err := strconv.Atoi(count); err != nil || n < 0 {
		return nil, fmt.Errorf("%s: %q is not a number of sockets", listenFDs, count)
	} else if n != 1 {
		return nil, fmt.Errorf("%s: %d sockets were passed, and svc takes one", listenFDs, n)
	}
	var err error
	if m.listener, err = inherited(firstSocket); err != nil {
		return nil, fmt.Errorf("%s: file descriptor %d must be a TCP socket that listens: %w", listenFDs, firstSocket, err)
	}
	return m, nil
}

// inherited returns the TCP listener that a file descriptor is. One that is no
// listener is left alone: if nothing was handed over, it may be anybody's.
func inherited(fd uintptr) (net.Listener, error) {
	if err := checkListens(fd); err != nil {
		return nil, err
	}
	f := os.NewFile(fd, "socket")
	defer f.Close() // the listener has a descriptor of its own, which no child inherits
	l, err := net.FileListener(f)
	if err != nil {
		return nil, err
	}
	if unix, ok := l.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // whoever made it needs its name
	}
	if _, ok := l.(*net.TCPListener); !ok {
		return nil, errors.Join(fmt.Errorf("its network is %s", l.Addr().Network()), l.Close())
	}
	return l, nil
}

// Listen returns the socket that was handed over, else it listens on a port like
// the function of that name.
func (m *Manager) Listen(ctx context.Context, host string, port uint16) (net.Listener, error) {
	if m.listener != nil {
		return m.listener, nil
	}
	return Listen(ctx, host, port)
}

// Ready tells the manager that requests are answered from now on.
func (m *Manager) Ready() error { return m.send("READY=1") }

// Stopping tells the manager that the process is about to end.
func (m *Manager) Stopping() error { return m.send("STOPPING=1") }

func (m *Manager) send(state string) error {
	if m.notify == "" {
		return nil
	}
	if !strings.HasPrefix(m.notify, "/") && !strings.HasPrefix(m.notify, "@") {
		return fmt.Errorf("%s: %q is not the address of a Unix socket", notifySocket, m.notify)
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Net: "unixgram", Name: m.notify})
	if err != nil {
		return fmt.Errorf("%s: %w", notifySocket, err)
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // it may not listen
	if _, err = conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("%s: %w", notifySocket, err)
	}
	return nil
}
