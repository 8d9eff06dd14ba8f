package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
)

// Postgres is a PostgreSQL server for tests.
type Postgres struct {
	address string // of a database in it
	bin     string // of a server that is ours: where its programs are
	folder  string // and its data and socket
	process *exec.Cmd
	hold    io.Closer // ends the process when it is closed
	ended   chan error
	schemas atomic.Int64
}

// ErrNoPostgres is why tests of PostgreSQL are skipped.
var ErrNoPostgres = errors.New("no PostgreSQL: set SVC_TEST_POSTGRES to the address of a database, " +
	"run a server on localhost, or install one (Debian: apt-get install postgresql)")

// FindPostgres finds a server for tests: that of SVC_TEST_POSTGRES, one that
// runs on localhost, or one that it starts. Stop must be called in the end.
func FindPostgres() (*Postgres, error) {
	if address := os.Getenv("SVC_TEST_POSTGRES"); address != "" {
		if err := ping(address); err != nil {
			return nil, fmt.Errorf("SVC_TEST_POSTGRES: %w", err)
		}
		return &Postgres{address: address}, nil
	}
	for _, host := range []string{"localhost", url.QueryEscape("/var/run/postgresql")} {
		address := "postgres:///postgres?connect_timeout=2&host=" + host
		if ping(address) == nil {
			return &Postgres{address: address}, nil
		}
	}
	return StartPostgres()
}

func ping(address string) error {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	return db.PingContext(ctx)
}

// StartPostgres starts a server on a socket in a temporary folder.
func StartPostgres() (*Postgres, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is right
	if len(found) == 0 {
		return nil, ErrNoPostgres
	}
	slices.SortFunc(found, func(a, b string) int { return major(a) - major(b) })
	p := &Postgres{bin: filepath.Dir(found[len(found)-1])}
	var err error
	if p.folder, err = os.MkdirTemp("", "svcpg"); err != nil { // short: the name of a socket has 107 bytes
		return nil, err
	}
	if err = p.init(); err == nil {
		err = p.Start()
	}
	if err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func major(path string) int {
	n, _ := strconv.Atoi(strings.Split(path, "/")[4]) // /usr/lib/postgresql/<major>/...
	return n
}

func (p *Postgres) data() string { return filepath.Join(p.folder, "data") }

func (p *Postgres) init() error {
	as, err := asPostgres(p.folder)
	if err != nil {
		return err
	}
	p.address = "postgres://tester@/postgres?host=" + url.QueryEscape(p.folder)
	c := exec.Command(filepath.Join(p.bin, "initdb"), "--no-sync", "--auth=trust", "--username=tester",
		"--encoding=UTF8", "--locale=C.UTF-8", p.data())
	as(c)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	const rules = "local all locked scram-sha-256\nlocal all all trust\n"
	return os.WriteFile(filepath.Join(p.data(), "pg_hba.conf"), []byte(rules), 0o600)
}

// Lock makes a role called locked, the only one of a server that is ours that
// needs its password.
func (p *Postgres) Lock(tb testing.TB, password string) {
	tb.Helper()
	p.exec(tb, "CREATE ROLE locked LOGIN PASSWORD '"+password+"'")
}

// Start starts a server that was stopped by [Postgres.Halt].
func (p *Postgres) Start() error {
	as, err := asPostgres(p.folder)
	if err != nil {
		return err
	}
	var log bytes.Buffer
	// The shell ends the server when this process closes the pipe or is no more.
	p.process = exec.Command("sh", "-c", `"$@" & while read line; do :; done; kill -INT $!; wait`, "sh",
		filepath.Join(p.bin, "postgres"), "-D", p.data(), "-k", p.folder,
		"-c", "listen_addresses=", "-c", "max_connections=100", "-c", "max_wal_size=4GB", "-c", "shared_buffers=256MB")
	p.process.Stdout, p.process.Stderr = &log, &log
	as(p.process)
	if p.hold, err = p.process.StdinPipe(); err != nil {
		return err
	}
	if err := p.process.Start(); err != nil {
		return err
	}
	p.ended = make(chan error, 1)
	go func() { p.ended <- p.process.Wait() }()
	deadline := time.Now().Add(30 * time.Second)
	for {
		if err = ping(p.address); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("postgres does not answer: %w", err), p.Halt(), errors.New(log.String()))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Halt stops a server that is ours, at once: all connections are cut.
func (p *Postgres) Halt() error {
	if p.process == nil {
		return nil
	}
	p.hold.Close()
	err := <-p.ended
	p.process = nil
	return err
}

// Stop ends a server that is ours for good.
func (p *Postgres) Stop() error {
	if p.folder == "" {
		return nil
	}
	return errors.Join(p.Halt(), os.RemoveAll(p.folder))
}

// Address returns the address of a database that is empty: a schema of its own,
// which goes when the test ends.
func (p *Postgres) Address(tb testing.TB) string {
	tb.Helper()
	schema := fmt.Sprintf("svc_test_%d_%d", os.Getpid(), p.schemas.Add(1))
	p.exec(tb, "CREATE SCHEMA "+schema)
	tb.Cleanup(func() { p.exec(tb, "DROP SCHEMA "+schema+" CASCADE") })
	separator := "?"
	if strings.Contains(p.address, "?") {
		separator = "&"
	}
	return p.address + separator + "search_path=" + schema
}

// Disconnect ends all connections of an application.
func (p *Postgres) Disconnect(tb testing.TB, application string) {
	tb.Helper()
	p.exec(tb, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '"+application+"'")
}

// Database returns the address of the database of a server that is ours, for those
// who cannot name a schema.
func (p *Postgres) Database(tb testing.TB) string {
	tb.Helper()
	if p.folder == "" {
		tb.Fatal("the server is somebody else's")
	}
	return p.address
}

func (p *Postgres) exec(tb testing.TB, statement string) {
	tb.Helper()
	db, err := sql.Open("pgx", p.address)
	if err == nil {
		defer db.Close()
		_, err = db.Exec(statement)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
