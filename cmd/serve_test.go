package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/bench/workload"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// served is a process that serves.
type served struct {
	*exec.Cmd
	url    string
	stdout *bufio.Reader
	stderr *syncBuffer
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// serveProcess starts the program to serve a catalog and waits for its line.
func serveProcess(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	return startServing(t, env, append([]string{"serve", "--port", "0"}, args...)...)
}

// startServing starts the program and waits for its line.
func startServing(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	c := exec.Command("svc", args...)
	c.Env = append(os.Environ(), append([]string{"XDG_CONFIG_HOME=" + t.TempDir()}, env...)...)
	return startProcess(t, c)
}

// startProcess starts a process that serves and waits for its line.
func startProcess(t *testing.T, c *exec.Cmd) *served {
	t.Helper()
	p := &served{Cmd: c, stderr: &syncBuffer{}}
	p.Stderr = p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("%v, stderr: %s", err, p.stderr)
	}
	p.url = strings.TrimSuffix(line, "\n")
	return p
}

func (p *served) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wantsEnd waits for the end and checks the exit code, and that stdout held one
// line alone. A process that does not end is killed.
func (p *served) wantsEnd(t *testing.T, code int) {
	t.Helper()
	const deadline = time.Minute // much more than the grace of requests in flight
	late := time.AfterFunc(deadline, func() { _ = p.Process.Kill() })
	rest, err := io.ReadAll(p.stdout)
	if !late.Stop() {
		t.Errorf("it has not ended after %s", deadline)
	}
	if err != nil || len(rest) > 0 {
		t.Errorf("stdout goes on with %q, %v", rest, err)
	}
	_ = p.Wait()
	if got := p.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d; stderr: %s", got, code, p.stderr)
	}
}

// compiled compiles n generated observations into a file and returns its name.
func compiled(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	var observations bytes.Buffer
	if err := workload.Observations(&observations, workload.Config{Seed: 1, N: n}); err != nil {
		t.Fatal(err)
	}
	source, file := filepath.Join(dir, "observations.jsonl"), filepath.Join(dir, "catalog.json")
	if err := os.WriteFile(source, observations.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := Main([]string{"compile", source, "--as-of", workload.AsOf, "-o", file}, nil, io.Discard, io.Discard); code != exitDone {
		t.Fatalf("compile: exit code %d", code)
	}
	return file
}

// Both signals end it with code 0. The line on stdout is the URL; the log tells
// of start and stop and of nothing between.
func TestServe(t *testing.T) {
	file := compiled(t, 50)
	snapshot, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		p := serveProcess(t, nil, "--catalog", file)
		host, port, err := net.SplitHostPort(strings.TrimPrefix(p.url, "http://"))
		if err != nil || host != "127.0.0.1" || port == "0" {
			t.Errorf("the URL is %q", p.url)
		}
		response, err := http.Get(p.url + "/v1/catalog/snapshot")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !bytes.Equal(body, snapshot) {
			t.Errorf("the served snapshot is not the file: %d bytes, %v", len(body), err)
		}
		p.signal(t, s)
		p.wantsEnd(t, exitDone)
		lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		stopping := "msg=stopping signal=" + s.String()
		if len(lines) != 4 || !strings.Contains(lines[0], "msg=serving url="+p.url+" ") || lines[1] != p.url+"/v1/models lists the models" ||
			!strings.Contains(lines[2], stopping) || !strings.Contains(lines[3], "msg=stopped complete=true") {
			t.Errorf("the log is %q", lines)
		}
	}
}

// With the page, the server answers / as well as the API, and pages of other sites no longer. A page
// follows no tag.
func TestServePage(t *testing.T) {
	file := compiled(t, 50)
	p := serveProcess(t, []string{"SVC_SERVE_PAGE=true"}, "--catalog", file)
	for path, want := range map[string]string{"/": "<!doctype html>", "/explore/index.json": `"rows"`, "/v1/models": `"models"`} {
		if status, body := fetch(t, p.url+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", "https://elsewhere.example")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site gets %d", response.StatusCode)
	}
	c := process(t.TempDir(), "serve", "--catalog", file, "--port", "0")
	c.Env = append(c.Environ(), "SVC_SERVE_PAGE=true", "SVC_SERVE_FOLLOW=5m")
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "serve.page and serve.follow exclude each other") {
		t.Errorf("a page that follows: %v, %s", err, out)
	}
}

// What the command line lacks, a variable gives, else the configuration file; the command
// line wins over both.
func TestServeIsConfigured(t *testing.T) {
	file := compiled(t, 1)
	config := filepath.Join(t.TempDir(), "config.yaml")
	writeFile(t, config, []byte("catalog: "+file+"\nserve:\n  host: 127.0.0.2\n  port: 0\nverify-serve.port: 0\n"))
	for name, tt := range map[string]struct {
		env  []string
		args []string
		host string
	}{
		"variables":    {[]string{"SVC_CATALOG=" + file, "SVC_SERVE_HOST=127.0.0.3", "SVC_SERVE_PORT=0"}, nil, "127.0.0.3"},
		"file":         {[]string{"SVC_CONFIG=" + config}, nil, "127.0.0.2"},
		"both":         {[]string{"SVC_CONFIG=" + config, "SVC_SERVE_HOST=127.0.0.3"}, nil, "127.0.0.3"},
		"command line": {[]string{"SVC_CATALOG=nowhere", "SVC_SERVE_PORT=1"}, []string{"--catalog", file, "--port", "0", "--host", "127.0.0.4"}, "127.0.0.4"},
	} {
		p := startServing(t, tt.env, append([]string{"serve"}, tt.args...)...)
		if host, _, err := net.SplitHostPort(strings.TrimPrefix(p.url, "http://")); err != nil || host != tt.host {
			t.Errorf("%s: the URL is %q, want the host %s", name, p.url, tt.host)
		}
		p.signal(t, syscall.SIGTERM)
		p.wantsEnd(t, exitDone)
	}
	p := startServing(t, []string{"SVC_CONFIG=" + config}, "verify-serve", "--store", "file:"+exampleClaims, "--source", "a")
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
}

// What can be reached from other machines says that it authenticates nobody, even if the
// log is off.
func TestServeWarns(t *testing.T) {
	file := compiled(t, 1)
	for host, warned := range map[string]bool{"127.0.0.1": false, "localhost": false, "0.0.0.0": true} {
		p := serveProcess(t, []string{"SVC_LOG_LEVEL=error"}, "--catalog", file, "--host", host)
		p.signal(t, os.Interrupt)
		p.wantsEnd(t, exitDone)
		want := p.url + "/v1/models lists the models\n"
		if warned {
			want = "warning: " + p.url + " can be reached from other machines and authenticates nobody: put your own authentication in front of it\n" + want
		}
		if got := p.stderr.String(); got != want {
			t.Errorf("%s: stderr is %q, want %q", host, got, want)
		}
	}
}

// With SVC_LOG_FORMAT=json each line on standard error is JSON, warnings and the URL of
// the models too.
func TestServeLogsJSON(t *testing.T) {
	p := serveProcess(t, []string{"SVC_LOG_FORMAT=json", "SVC_LOG_LEVLE=debug"}, "--catalog", compiled(t, 1), "--host", "0.0.0.0")
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
	levels := map[string]int{}
	for line := range strings.Lines(p.stderr.String()) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Msg == "" || entry.Time == "" {
			t.Errorf("%v: %s", err, line)
		}
		levels[entry.Level]++
	}
	if levels["WARN"] != 2 || levels["INFO"] < 4 {
		t.Errorf("%v: %s", levels, p.stderr.String())
	}
}

// Both servers run at once with one configuration file, each with a port for operators.
func TestServersSideBySide(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	writeFile(t, file, []byte("admin: {addr: \"192.0.2.1:1\"}\nserve:\n  admin: {addr: \"127.0.0.1:0\"}\nverify-serve.admin.addr: \"127.0.0.1:0\"\n"))
	env := []string{"SVC_CONFIG=" + file}
	for _, p := range []*served{
		serveProcess(t, env, "--catalog", compiled(t, 1)),
		verifyServe(t, env, "--store", "file:"+exampleClaims),
	} {
		if admin := p.admin(t); admin == p.url {
			t.Errorf("one port for both: %s", admin)
		} else if status, body := fetch(t, admin+"/healthz"); status != http.StatusOK {
			t.Errorf("%s: %d %s", admin, status, body)
		}
	}
}

// A port that is taken is told in one line.
func TestServePortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for command, tip := range map[string]string{"serve": "", "explore": "; --port 0 takes a free one"} {
		var stdout, stderr bytes.Buffer
		c := exec.Command("svc", command, "--catalog", compiled(t, 1), "--port", port)
		c.Stdout, c.Stderr = &stdout, &stderr
		_ = c.Run()
		want := "service: listen tcp4 127.0.0.1:" + port + ": bind: address already in use" + tip + "\n"
		if c.ProcessState.ExitCode() != exitFailure || stdout.Len() > 0 || stderr.String() != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command, c.ProcessState.ExitCode(), &stdout, &stderr)
		}
	}
}

// A URL that cannot be printed is a failure.
func TestServeFailedStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	var stderr bytes.Buffer
	c := exec.Command("svc", "serve", "--catalog", compiled(t, 1), "--port", "0")
	c.Stdout, c.Stderr = full, &stderr
	_ = c.Run()
	if c.ProcessState.ExitCode() != exitFailure || !strings.HasSuffix(stderr.String(), "service: standard output: no space left on device\n") {
		t.Errorf("exit code %d, stderr %q", c.ProcessState.ExitCode(), &stderr)
	}
}

// Requests are under way by the hundred when the signal comes. Every client sees
// a whole answer or no byte of one.
func TestServeStopsUnderLoad(t *testing.T) {
	const clients, enough = 50, 1000
	file := compiled(t, 100) // 150 kB
	snapshot, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := serveProcess(t, nil, "--catalog", file)
	var answered atomic.Int64
	loaded := make(chan struct{})
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() {
			transport := &http.Transport{Protocols: new(http.Protocols), DisableKeepAlives: n%2 == 0}
			transport.Protocols.SetHTTP1(n%5 > 0)
			transport.Protocols.SetUnencryptedHTTP2(n%5 == 0)
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport, Timeout: time.Minute}
			for {
				response, err := client.Get(p.url + "/v1/catalog/snapshot")
				if err != nil {
					return
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || !bytes.Equal(body, snapshot) {
					t.Errorf("%s: %d bytes of %d, %v", response.Proto, len(body), len(snapshot), err)
				}
				if answered.Add(1) == enough {
					close(loaded)
				}
			}
		})
	}
	<-loaded
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
	all.Wait()
	if !strings.Contains(p.stderr.String(), "msg=stopped complete=true") {
		t.Errorf("stderr: %s", p.stderr)
	}
}

// half sends a rank request without the end of its body and waits until the
// server reads that.
func (p *served) half(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprint(conn, "POST /v1/rank HTTP/1.1\r\nHost: svc.example\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
	asked := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, asked); err != nil {
		t.Fatalf("%q, %v", asked, err)
	}
	fmt.Fprint(conn, "{")
	return conn
}

// deaf asks for a snapshot of several MB and reads no more than its first bytes.
func (p *served) deaf(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "GET /v1/catalog/snapshot HTTP/1.1\r\nHost: svc.example\r\n\r\n")
	if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200 OK\r\n"))); err != nil {
		t.Fatal(err)
	}
	return conn
}

// deafened is how many observations make a snapshot that no buffer of the system holds.
const deafened = 20_000

// A second signal ends it at once, with code 1.
func TestServeSecondSignal(t *testing.T) {
	p := serveProcess(t, nil, "--catalog", compiled(t, deafened))
	p.deaf(t)
	p.signal(t, os.Interrupt)
	waitFor(t, func() bool { return strings.Contains(p.stderr.String(), "msg=stopping") })
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitFailure) // without it the code would be 0, after the grace
	if !strings.HasSuffix(p.stderr.String(), "service: stopped before all requests had ended\n") {
		t.Errorf("stderr: %s", p.stderr)
	}
}

// A request whose body has not come is closed without a byte of an answer, at once: it
// may never come, and the client may safely ask elsewhere.
func TestServeStopsWithoutBodies(t *testing.T) {
	p := serveProcess(t, nil, "--catalog", compiled(t, 1), "--max-concurrent-rank-requests", "1")
	conn := p.half(t)
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
	if !strings.Contains(p.stderr.String(), "msg=stopped complete=true") { // the body was not waited for until the grace was over
		t.Errorf("stderr: %s", p.stderr)
	}
	if answer, _ := io.ReadAll(conn); len(answer) > 0 {
		t.Errorf("the client got %q", answer)
	}
}

// What does not end within the time given is closed, and the code is 0: an answer that
// nobody takes.
func TestServeGrace(t *testing.T) {
	vectortest.SkipLong(t)
	t.Parallel()
	p := serveProcess(t, nil, "--catalog", compiled(t, deafened))
	p.deaf(t)
	begin := time.Now()
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
	if took := time.Since(begin); took < httpserver.Grace {
		t.Errorf("it took %v to end", took)
	}
	if !strings.Contains(p.stderr.String(), "msg=stopped complete=false") {
		t.Errorf("stderr: %s", p.stderr)
	}
}

// The second port tells operators what they ask. The paths of the first stay
// what they are.
func TestServeAdmin(t *testing.T) {
	p := serveProcess(t, []string{"SVC_ADMIN_ADDR=127.0.0.1:0", "SVC_LOG_FORMAT=json", "SVC_LOG_LEVEL=debug"}, "--catalog", compiled(t, 20))
	admin := p.admin(t)
	for path, want := range map[string]string{
		"/healthz": "ok\n", "/readyz": "ok\n", "/debug/pprof/": "goroutine",
	} {
		if status, body := fetch(t, admin+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if status, _ := fetch(t, p.url+path); status != http.StatusNotFound {
			t.Errorf("%s is served on the first port: %d", path, status)
		}
	}
	wantsMetrics(t, admin, `svc_http_requests_total{route="other",status="404"} 3`, "svc_catalog_info{as_of=", "svc_rank_requests_in_flight 0", "go_goroutines ")
	waitFor(t, func() bool {
		return strings.Contains(p.stderr.String(), `"msg":"request","method":"GET","path":"/healthz","status":404`)
	})
	p.signal(t, os.Interrupt)
	p.wantsEnd(t, exitDone)
}

// admin returns the URL of the port for operators, once the log tells it.
func (p *served) admin(t *testing.T) (url string) {
	t.Helper()
	line := regexp.MustCompile(`"?msg"?[=:]"admin listener",? ?"?url"?[=:]"?(http://[^\s"]+)["\s]`)
	waitFor(t, func() bool {
		found := line.FindStringSubmatch(p.stderr.String())
		if found != nil {
			url = found[1]
		}
		return found != nil
	})
	return url
}

// wantsMetrics waits until all lines begin so: a request is counted when it has ended,
// which is after its client has the answer.
func wantsMetrics(t *testing.T, admin string, lines ...string) (metrics string) {
	t.Helper()
	waitFor(t, func() bool {
		_, metrics = fetch(t, admin+"/metrics")
		return !slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(metrics, "\n"+line) })
	})
	return metrics
}

// waitFor waits until something is so.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came so far")
		}
	}
}

func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// Whatever the command line, judging it panics never and opens nothing. What is
// accepted has the file, and each option once with a value.
func FuzzServeArguments(f *testing.F) {
	for _, line := range []string{
		"--catalog c.json", "--catalog c.json --port 80", "--port=80", "--catalog --port", "--host a --catalog b --host c", "-h", "x --catalog",
		"--max-rank-response-bytes 9007199254740991 --catalog -",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		root := &cobra.Command{Use: "svc"}
		root.AddCommand(newServe(func(context.Context, serveOptions) error {
			t.Fatal("judging runs the command")
			return nil
		}))
		c, help, err := option.Choose(root, append([]string{"serve"}, words...))
		if err != nil || c.Name() != "serve" {
			t.Fatalf("%q: %v is chosen, %v", words, c.Name(), err)
		}
		if help != (slices.Contains(words, "--help") || slices.Contains(words, "-h")) {
			t.Errorf("%q: usage was asked for: %v", words, help)
		}
		if help || option.Judge(c.Flags(), words, func(string) (bool, error) { return false, nil }) != nil {
			return
		}
		known := []string{"--catalog", "--host", "--port", "--max-concurrent-rank-requests", "--max-rank-response-bytes"}
		seen := map[string]bool{}
		for i := 0; i < len(words); i += 2 {
			if !slices.Contains(known, words[i]) || seen[words[i]] || i+1 == len(words) ||
				words[i+1] == "" || strings.HasPrefix(words[i+1], "--") {
				t.Fatalf("%q is accepted", words)
			}
			seen[words[i]] = true
		}
		if !seen["--catalog"] {
			t.Errorf("%q is accepted without a catalog", words)
		}
	})
}
