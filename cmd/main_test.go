package cmd

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/model-catalog-service/svc/internal/sources/build/hosttest"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
)

func TestMain(m *testing.M) {
	os.Setenv(raceOptions, strings.TrimSpace(os.Getenv(raceOptions)+" atexit_sleep_ms=0"))
	testscript.Main(parent{m}, map[string]func(){
		"svc": func() { endWithTests(); os.Exit(start(testWorld(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		// These meet a fault of the program: where a result is written, and in another
		// goroutine, where standard input is read.
		"svc-panics":       func() { os.Exit(Main(os.Args[1:], os.Stdin, faulty{}, os.Stderr)) },
		"svc-panics-aside": func() { os.Exit(Main(os.Args[1:], faulty{}, os.Stdout, os.Stderr)) },
	})
}

// testWorld is the world of a program that a test leads to a stand-in for the hosts: its port, and
// the time there.
func testWorld() *download.World {
	port, clock := os.Getenv(hostsPort), os.Getenv(hostsClock)
	if port == "" {
		return nil
	}
	now, err := time.Parse(time.RFC3339, clock)
	if err != nil {
		now = time.Now()
	}
	return hosttest.World(port, now)
}

// The variables that lead a program to a stand-in.
const (
	hostsPort  = "SVC_TEST_HOSTS"
	hostsClock = "SVC_TEST_CLOCK"
)

// parent runs the tests, which start programs.
type parent struct{ *testing.M }

// Run lets the programs that tests start have the signals that nohup or a shell's & ignores,
// which programs inherit, and know whose they are.
func (p parent) Run() int {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // here it stays without effect
		}
	}
	os.Setenv(owner, strconv.Itoa(os.Getpid()))
	return p.M.Run()
}

// faulty is a stream that no program is ready for.
type faulty struct{}

func (faulty) Write([]byte) (int, error) { panic("a fault\x1b[2J\nof the program") }
func (faulty) Read([]byte) (int, error)  { panic("a fault of the program") }

const (
	// raceOptions is what the race detector reads. Unless told otherwise each program
	// that it is in waits for a second at its end, and the tests run hundreds.
	raceOptions = "GORACE"
	// owner is the process of the tests that started a program.
	owner = "SVC_TEST_OWNER"
)

// passVariables gives these to a script, which has few variables of its own.
func passVariables(env *testscript.Env) {
	for _, name := range []string{raceOptions, owner} {
		env.Setenv(name, os.Getenv(name))
	}
}

// endWithTests ends this program soon after the tests that started it, however they end.
func endWithTests() {
	pid, err := strconv.Atoi(os.Getenv(owner))
	if err != nil {
		return
	}
	tests, err := os.FindProcess(pid)
	if err != nil {
		os.Exit(exitFailure)
	}
	go func() {
		for !errors.Is(tests.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			time.Sleep(time.Second)
		}
		os.Exit(exitFailure)
	}()
}

// A server ends with the tests that started it, even if those are killed.
func TestServersEndWithTheTests(t *testing.T) {
	tests := exec.Command("sleep", "600")
	if err := tests.Start(); err != nil {
		t.Skip(err)
	}
	p := serveProcess(t, []string{owner + "=" + strconv.Itoa(tests.Process.Pid)}, "--catalog", compiled(t, 1))
	_ = tests.Process.Kill()
	_ = tests.Wait()
	p.wantsEnd(t, exitFailure)
}

// The tests pass where SIGHUP and SIGINT are ignored, as nohup and a shell's & do.
func TestServeUnderNohup(t *testing.T) {
	tests, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", `trap '' HUP INT; exec "$@"`, "sh", tests, "-test.run=^TestServe$")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
