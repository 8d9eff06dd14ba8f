package httpserver

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A process that is not meant takes no socket, and leaves nothing for its
// children to find.
func TestFindManagerOfAnother(t *testing.T) {
	for name, value := range map[string]string{
		listenPID: "1", listenFDs: "1", "LISTEN_FDNAMES": "http", "LISTEN_PIDFDID": "7", notifySocket: "/nowhere/to/be/found",
	} {
		t.Setenv(name, value)
	}
	m, err := FindManager()
	if err != nil || m.listener != nil {
		t.Fatalf("%+v, %v", m, err)
	}
	for _, line := range os.Environ() {
		if strings.HasPrefix(line, "LISTEN_") || strings.HasPrefix(line, "NOTIFY_") {
			t.Errorf("a child would find %s", line)
		}
	}
	if err := m.Ready(); err == nil || !strings.HasPrefix(err.Error(), "NOTIFY_SOCKET: ") {
		t.Errorf("nobody was told, and the error is %v", err)
	}
	l, err := m.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Without a manager there is nobody to tell, which is no fault.
func TestNoManager(t *testing.T) {
	t.Setenv(notifySocket, "")
	m, err := FindManager()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{m.Ready(), m.Stopping()} {
		if err != nil {
			t.Error(err)
		}
	}
}

// The messages are those of sd_notify(3), to a name in the file system or, on
// Linux, in the abstract space.
func TestManagerIsTold(t *testing.T) {
	names := []string{filepath.Join(t.TempDir(), "notify")}
	if runtime.GOOS == "linux" {
		names = append(names, "@svc-test-"+filepath.Base(filepath.Dir(names[0])))
	} else if runtime.GOOS == "windows" {
		t.Skip("no such sockets here")
	}
	for _, name := range names {
		manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: name})
		if err != nil {
			t.Fatal(err)
		}
		defer manager.Close()
		t.Setenv(notifySocket, name)
		m, err := FindManager()
		if err != nil {
			t.Fatal(err)
		}
		for want, tell := range map[string]func() error{"READY=1": m.Ready, "STOPPING=1": m.Stopping} {
			if err := tell(); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 100)
			if n, err := manager.Read(got); err != nil || string(got[:n]) != want {
				t.Errorf("%s: told %q, %v, want %q", name, got[:n], err, want)
			}
		}
	}
	t.Setenv(notifySocket, "vsock:2:1234")
	m, err := FindManager()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Ready(); err == nil || !strings.Contains(err.Error(), "vsock:2:1234") {
		t.Errorf("another family: %v", err)
	}
}
