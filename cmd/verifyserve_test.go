package cmd

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

const exampleClaims = "../examples/claims.json"

// loadedStore returns the address of an SQLite database with the example.
func loadedStore(t *testing.T) string {
	t.Helper()
	address := "sqlite:" + filepath.Join(t.TempDir(), "claims.db")
	runOK(t, "verify-load", "--store", address, exampleClaims)
	return address
}

// runOK runs the program, which must end with code 0, and returns its stdout.
func runOK(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := Main(args, strings.NewReader(""), &stdout, &stderr); code != exitDone {
		t.Fatalf("%q: exit code %d: %s", args, code, &stderr)
	}
	return stdout.String()
}

// verifyServe starts a server, on a free port.
func verifyServe(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	return startServing(t, env, append([]string{"verify-serve", "--port", "0", "--source", "bench.example.org"}, args...)...)
}

// writePair writes a pair of keys and returns the names of the files.
func writePair(t *testing.T, private any, public any) (privateFile, publicFile string) {
	t.Helper()
	folder := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o640); err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	privateFile = write("key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(public)
	return privateFile, write("public.pem", "PUBLIC KEY", der, err)
}

// TestVerifyServe is the whole way of a newcomer: load, serve, ask, and find out
// that a claim was revoked since the older copy was made.
func TestVerifyServe(t *testing.T) {
	edPublic, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ecPrivate, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sqlite := loadedStore(t)
	for name, pair := range map[string]struct {
		private, public any
		signal          os.Signal
	}{
		"Ed25519":     {edPrivate, edPublic, syscall.SIGTERM},
		"ECDSA P-256": {ecPrivate, &ecPrivate.PublicKey, os.Interrupt},
	} {
		for _, address := range []string{sqlite, "file:" + exampleClaims} {
			kind, _, _ := strings.Cut(address, ":")
			t.Run(name+", "+kind, func(t *testing.T) {
				key, public := writePair(t, pair.private, pair.public)
				p := verifyServe(t, nil, "--store", address, "--signing-key", key)
				for _, path := range []string{producer.ProfilePath, producer.HachurePath} {
					status, body := fetch(t, p.url+path+"?ref=claim.atlas-70b.repairs&ref=nothing")
					if status != http.StatusOK || !strings.Contains(body, `"unknownRefs":["nothing"]`) || !strings.Contains(body, `"envelope":{`) {
						t.Errorf("%s: %d %s", path, status, body)
					}
				}
				out := runOK(t, "verify", "--bundle", "../examples/claims-held.json", "--endpoint", p.url, "--key", public, "--allow-fall", "--output", "json", "--now", "2026-12-01")
				wantChange(t, out)
				p.signal(t, pair.signal)
				p.wantsEnd(t, exitDone)
				lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
				if len(lines) != 3 || !strings.Contains(lines[0], "msg=serving url="+p.url+" source=bench.example.org ") {
					t.Errorf("the log is %q", lines)
				}
			})
		}
	}
}

// wantChange demands that one claim of the example went from verified to stale
// and that the other stayed.
func wantChange(t *testing.T, receipt string) {
	t.Helper()
	var got struct {
		OK     bool `json:"ok"`
		Claims []struct{ ID, Before, After string }
	}
	if err := json.Unmarshal([]byte(receipt), &got); err != nil {
		t.Fatalf("%v in %s", err, receipt)
	}
	if !got.OK || len(got.Claims) != 2 || got.Claims[0].Before != "verified" || got.Claims[0].After != "stale" ||
		got.Claims[1].Before != "verified" || got.Claims[1].After != "verified" {
		t.Errorf("the receipt is %s", receipt)
	}
}

// SIGHUP makes the server read its key again, while clients ask: each answer is signed by the old
// key or the new one. A file that holds no key changes nothing. Without a key, SIGHUP ends it.
func TestVerifyServeReadsKeyAgain(t *testing.T) {
	var pairs [2][2]string // files with private and public keys
	for i := range pairs {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		pairs[i][0], pairs[i][1] = writePair(t, private, public)
	}
	p := verifyServe(t, nil, "--store", "file:"+exampleClaims, "--signing-key", pairs[0][0])
	ask := func(public string, want int) {
		t.Helper()
		var stderr bytes.Buffer
		if code := Main([]string{"verify", "--bundle", "../examples/claims-held.json", "--endpoint", p.url, "--key", public, "--allow-fall",
			"--now", "2026-12-01"}, strings.NewReader(""), io.Discard, &stderr); code != want {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
	}
	reload := func(text []byte, said string) {
		t.Helper()
		writeFile(t, pairs[0][0], text)
		p.signal(t, syscall.SIGHUP)
		waitFor(t, func() bool { return strings.Contains(p.stderr.String(), said) })
	}
	ask(pairs[0][1], exitDone)
	reload([]byte("no key"), "signing key not read again")
	ask(pairs[0][1], exitDone)
	next, err := os.ReadFile(pairs[1][0])
	if err != nil {
		t.Fatal(err)
	}
	reload(next, "signing key read again")
	ask(pairs[1][1], exitDone)
	ask(pairs[0][1], exitFailure)
	p.signal(t, os.Interrupt)
	p.wantsEnd(t, exitDone)
	p = verifyServe(t, nil, "--store", "file:"+exampleClaims)
	p.signal(t, syscall.SIGHUP)
	p.wantsEnd(t, exitDone)
}

// What can be reached from other machines says that it authenticates nobody,
// even if the log is off.
func TestVerifyServeWarns(t *testing.T) {
	for host, warned := range map[string]bool{"127.0.0.1": false, "localhost": false, "0.0.0.0": true} {
		p := verifyServe(t, []string{"SVC_LOG_LEVEL=error"}, "--store", "file:"+exampleClaims, "--host", host)
		p.signal(t, os.Interrupt)
		p.wantsEnd(t, exitDone)
		want := "warning: " + p.url + " can be reached from other machines and authenticates nobody: put your own authentication in front of it\n"
		if !warned {
			want = ""
		}
		if got := p.stderr.String(); got != want {
			t.Errorf("%s: stderr is %q, want %q", host, got, want)
		}
	}
	for addr, warned := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true, ":0": true} {
		p := verifyServe(t, []string{"SVC_LOG_LEVEL=error", "SVC_ADMIN_ADDR=" + addr}, "--store", "file:"+exampleClaims)
		p.signal(t, os.Interrupt)
		p.wantsEnd(t, exitDone)
		if got := p.stderr.String(); strings.Contains(got, "let only operators reach it") != warned || strings.Count(got, "\n") > 1 {
			t.Errorf("operators' port at %s: stderr is %q", addr, got)
		}
	}
}

// The second port and the log at debug level tell of requests; neither tells
// what was asked for.
func TestVerifyServeObserved(t *testing.T) {
	p := verifyServe(t, []string{"SVC_ADMIN_ADDR=127.0.0.1:0", "SVC_LOG_FORMAT=json", "SVC_LOG_LEVEL=debug"}, "--store", loadedStore(t))
	admin := p.admin(t)
	for path, want := range map[string]int{
		producer.ProfilePath + "?ref=quiet-please": 200, producer.HachurePath: 400, "/metrics": 404, "/": 404,
	} {
		if status, body := fetch(t, p.url+path); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := fetch(t, admin+"/readyz"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("readyz: %d %s", status, body)
	}
	metrics := wantsMetrics(t, admin,
		`svc_http_requests_total{route="/.well-known/profile/verify",status="200"} 1`,
		`svc_http_requests_total{route="/.well-known/hachure/verify",status="400"} 1`,
		`svc_http_requests_total{route="other",status="404"} 2`)
	if strings.Contains(metrics, "svc_rank") {
		t.Error("the metrics tell of ranks")
	}
	waitFor(t, func() bool {
		return strings.Contains(p.stderr.String(), `"msg":"request","method":"GET","path":"/.well-known/profile/verify","status":200,"complete":true`)
	})
	if strings.Contains(p.stderr.String(), "quiet-please") {
		t.Error("the log repeats a ref")
	}
}

// TestVerifyServeExchange takes the file of a server away and puts another in its
// place. Without a file the server is not ready and cannot answer.
func TestVerifyServeExchange(t *testing.T) {
	address := loadedStore(t)
	path := strings.TrimPrefix(address, "sqlite:")
	p := verifyServe(t, []string{"SVC_ADMIN_ADDR=127.0.0.1:0"}, "--store", address)
	admin := p.admin(t)
	expect := func(when string, ready, answered int) {
		t.Helper()
		if status, body := fetch(t, admin+"/readyz"); status != ready {
			t.Errorf("%s: readyz: %d %s", when, status, body)
		}
		if status, body := fetch(t, p.url+producer.HachurePath+"?ref=claim.atlas-70b.repairs"); status != answered {
			t.Errorf("%s: %d %s", when, status, body)
		}
	}
	expect("at first", http.StatusOK, http.StatusOK)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	expect("without a file", http.StatusServiceUnavailable, http.StatusServiceUnavailable)
	if err := os.Rename(strings.TrimPrefix(loadedStore(t), "sqlite:"), path); err != nil {
		t.Fatal(err)
	}
	expect("with another file", http.StatusOK, http.StatusOK)
}

// TestVerifyServePostgres stops the database under a server: what is known is
// never reported as unknown, and the server recovers by itself. A password that
// it does not need stands in no line that it writes.
func TestVerifyServePostgres(t *testing.T) {
	db, err := storetest.StartPostgres()
	if errors.Is(err, storetest.ErrNoPostgres) {
		vectortest.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Stop(); err != nil {
			t.Error(err)
		}
	})
	address := db.Address(t)
	var loads []*exec.Cmd // two at once, into a database without schema
	for range 2 {
		c := exec.Command("svc", "verify-load", "--store", address, exampleClaims)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		loads = append(loads, c)
	}
	for _, c := range loads {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "hunter2-correct-horse"
	p := verifyServe(t, []string{"PGPASSWORD=" + secret, "SVC_LOG_LEVEL=debug"}, "--store", address)
	ask := func() (int, string, http.Header) {
		t.Helper()
		response, err := http.Get(p.url + producer.ProfilePath + "?ref=claim.atlas-70b.repairs")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var body bytes.Buffer
		if _, err := body.ReadFrom(response.Body); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, body.String(), response.Header
	}
	const known = `"unknownRefs":[]`
	if status, body, _ := ask(); status != http.StatusOK || !strings.Contains(body, known) {
		t.Fatalf("%d %s", status, body)
	}
	for range 2 {
		if err := db.Halt(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			status, body, header := ask()
			if status != http.StatusServiceUnavailable || !strings.Contains(body, `"STORE_UNAVAILABLE"`) || header.Get("Retry-After") != "1" {
				t.Errorf("without a database: %d %v %s", status, header, body)
			}
		}
		if err := db.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool {
			status, body, _ := ask()
			if status != http.StatusServiceUnavailable && (status != http.StatusOK || !strings.Contains(body, known)) {
				t.Fatalf("%d %s", status, body)
			}
			return status == http.StatusOK
		})
	}
	p.signal(t, syscall.SIGTERM)
	p.wantsEnd(t, exitDone)
	if log := p.stderr.String(); strings.Contains(log, secret) || !strings.Contains(log, "store unavailable") {
		t.Errorf("the log is %s", log)
	}
}

// The example is what a bundle must be, and the older copy is a part of it.
func TestExampleClaims(t *testing.T) {
	read := func(name string) (b struct{ Claims, Evidence, Events, AuthorityTrace []json.RawMessage }) {
		t.Helper()
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	now, held := read(exampleClaims), read("../examples/claims-held.json")
	for _, lists := range [][2][]json.RawMessage{
		{now.Claims, held.Claims}, {now.Evidence, held.Evidence}, {now.Events, held.Events}, {now.AuthorityTrace, held.AuthorityTrace},
	} {
		for _, record := range lists[1] {
			if !slices.ContainsFunc(lists[0], func(r json.RawMessage) bool { return bytes.Equal(r, record) }) {
				t.Errorf("the producer no longer has %s", record)
			}
		}
	}
}
