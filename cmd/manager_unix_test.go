//go:build unix

package cmd

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// asManaged makes of a command line of the program one that finds variables of a
// service manager. Only the process itself knows the id that it has to find.
func asManaged(sockets string, args []string) (name string, words []string) {
	return "sh", append([]string{"-c", `LISTEN_PID=$$ LISTEN_FDS=` + sockets + ` exec svc "$@"`, "svc"}, args...)
}

// manager is what a service manager has: a socket to hand over, and one to be
// told by.
type manager struct {
	url    string
	socket *os.File
	told   *net.UnixConn
}

func newManager(t *testing.T) *manager {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	told, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: filepath.Join(t.TempDir(), "notify")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		socket.Close()
		told.Close()
	})
	return &manager{"http://" + l.Addr().String(), socket, told}
}

func (m *manager) start(t *testing.T, args ...string) *served {
	t.Helper()
	name, words := asManaged("1", args)
	c := exec.Command(name, words...)
	c.ExtraFiles = []*os.File{m.socket}
	c.Env = append(os.Environ(), "NOTIFY_SOCKET="+m.told.LocalAddr().String())
	return startProcess(t, c)
}

func (m *manager) wantsToHear(t *testing.T, want string) {
	t.Helper()
	if err := m.told.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 100)
	if n, err := m.told.Read(got); err != nil || string(got[:n]) != want {
		t.Errorf("told %q, %v, want %q", got[:n], err, want)
	}
}

// A socket that was handed over is served whatever --host and --port say, and
// stays open when the process ends: who connects in between is answered by the
// next one.
func TestServeInherited(t *testing.T) {
	m := newManager(t)
	file := compiled(t, 5)
	for range 2 {
		answered := make(chan error, 1)
		go func() { // connects while nobody accepts
			response, err := http.Get(m.url + "/v1/models")
			if err == nil {
				err = response.Body.Close()
			}
			answered <- err
		}()
		p := m.start(t, "serve", "--catalog", file, "--host", "192.0.2.1", "--port", "1")
		if p.url != m.url {
			t.Errorf("the URL is %s, want %s", p.url, m.url)
		}
		m.wantsToHear(t, "READY=1")
		if err := <-answered; err != nil {
			t.Error(err)
		}
		p.signal(t, syscall.SIGTERM)
		m.wantsToHear(t, "STOPPING=1")
		p.wantsEnd(t, exitDone)
	}
}

func TestVerifyServeInherited(t *testing.T) {
	m := newManager(t)
	p := m.start(t, "verify-serve", "--store", "file:"+exampleClaims, "--source", "bench.example.org")
	if p.url != m.url {
		t.Errorf("the URL is %s, want %s", p.url, m.url)
	}
	m.wantsToHear(t, "READY=1")
	if status, body := fetch(t, m.url+producer.ProfilePath+"?ref=claim.atlas-70b.repairs"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	p.signal(t, syscall.SIGTERM)
	m.wantsToHear(t, "STOPPING=1")
	p.wantsEnd(t, exitDone)
}

// A manager that cannot be told is no reason not to serve. The log says so.
func TestServeUntold(t *testing.T) {
	p := serveProcess(t, []string{"NOTIFY_SOCKET=" + filepath.Join(t.TempDir(), "absent"), "LISTEN_PID=1", "LISTEN_FDS=1"}, "--catalog", compiled(t, 1))
	if status, body := fetch(t, p.url+"/v1/models"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
	if n := strings.Count(p.stderr.String(), `level=ERROR msg="service manager not told"`); n != 2 {
		t.Errorf("the log is %s", p.stderr)
	}
}

// What is no listening TCP socket is refused before the catalog is looked at.
func TestInheritedRefused(t *testing.T) {
	file := func(c interface{ File() (*os.File, error) }, err error) *os.File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.File()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	connected, err := net.DialTCP("tcp", nil, tcp.Addr().(*net.TCPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer connected.Close()
	udp, udpErr := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	unix, unixErr := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(t.TempDir(), "http")})
	plain, err := os.Open(exampleClaims)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	const noListener = "LISTEN_FDS: file descriptor 3 must be a TCP socket that listens: "
	for name, c := range map[string]struct {
		sockets string
		fd      *os.File
		want    string
	}{
		"two":       {"2", file(tcp, nil), "LISTEN_FDS: 2 sockets were passed, and svc takes one"},
		"no number": {"one", file(tcp, nil), `LISTEN_FDS: "one" is not a number of sockets`},
		"negative":  {"-1", file(tcp, nil), `LISTEN_FDS: "-1" is not a number of sockets`},
		"connected": {"1", file(connected, nil), noListener + "it does not listen"},
		"UDP":       {"1", file(udp, udpErr), noListener + "it does not listen"},
		"Unix":      {"1", file(unix, unixErr), noListener + "its network is unix"},
		"file":      {"1", plain, noListener + "getsockopt: socket operation on non-socket"},
		"absent":    {"1", nil, noListener + "getsockopt: "},
	} {
		t.Run(name, func(t *testing.T) {
			shell, words := asManaged(c.sockets, []string{"serve", "--catalog", "absent.json"})
			p := exec.Command(shell, words...)
			if c.fd != nil {
				p.ExtraFiles = []*os.File{c.fd}
			}
			var stdout, stderr bytes.Buffer
			p.Stdout, p.Stderr = &stdout, &stderr
			_ = p.Run()
			if p.ProcessState.ExitCode() != exitFailure || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "service: "+c.want) || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("exit code %d, stdout %q, stderr %q", p.ProcessState.ExitCode(), &stdout, &stderr)
			}
		})
	}
	if _, err := os.Stat(unix.Addr().String()); err != nil {
		t.Errorf("the socket of another is gone: %v", err)
	}
}

// systemd's own implementation is the referee: it starts the server when the
// first client comes.
func TestServeActivated(t *testing.T) {
	activate := vectortest.Tool(t, "systemd-socket-activate", "systemd")
	svc, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + freePort(t)
	c := exec.Command(activate, "--listen="+address, svc, "serve", "--catalog", compiled(t, 1))
	answered := make(chan error, 1)
	go func() {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			response, err := http.Get("http://" + address + "/v1/models")
			if err == nil || time.Now().After(deadline) {
				if err == nil {
					err = response.Body.Close()
				}
				answered <- err
				return
			}
		}
	}()
	p := startProcess(t, c)
	if p.url != "http://"+address {
		t.Errorf("the URL is %s, want http://%s", p.url, address)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
}

// A crash of a Go program is exit code 2, as is a wrong option, which no manager
// should try again. With what the units set, a crash ends by a signal instead.
// SIGQUIT stands for one here: Go treats it likewise.
func TestCrashIsNoMisuse(t *testing.T) {
	unit, err := os.ReadFile("../packaging/systemd/svc-serve.service")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", `ulimit -c 0; exec svc "$@"`, "svc", "serve", "--catalog", compiled(t, 1), "--port", "0")
	c.Env = os.Environ()
	for line := range strings.Lines(string(unit)) {
		if setting, ok := strings.CutPrefix(strings.TrimSpace(line), "Environment="); ok {
			c.Env = append(c.Env, setting)
		}
	}
	p := startProcess(t, c)
	p.signal(t, syscall.SIGQUIT)
	_ = p.Wait()
	if status := p.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("it ends with %v", p.ProcessState)
	}
}
