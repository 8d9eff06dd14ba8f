package storetest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// StartPgBouncer starts a proxy before a server that is ours and returns the address
// of a database behind it. The mode says for how long a client has a connection of
// the server: session, transaction or statement. It ends with the test.
func StartPgBouncer(tb testing.TB, p *Postgres, mode string) (address string) {
	tb.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // which is not in the path of every user
	}
	if _, err := os.Stat(program); err != nil {
		vectortest.Missing(tb, "PgBouncer is missing: install pgbouncer")
	}
	folder, err := os.MkdirTemp("", "svcpb") // short: the name of a socket has 107 bytes
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(folder) })
	as, err := asPostgres(folder)
	if err != nil {
		tb.Fatal(err)
	}
	size := 3 // so few that clients have another connection each time
	if mode == "session" {
		size = 50 // each client has its own
	}
	config := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=%s user=tester\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = "+
		"%s\nlisten_port = 6432\n"+
		"auth_type = any\npool_mode = %s\ndefault_pool_size = %d\n", p.folder, folder, mode, size)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	process := exec.Command(program, config)
	as(process)
	if err := process.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(process.Process.Kill(), process.Wait()); err == nil {
			tb.Error("PgBouncer ended by itself")
		}
	})
	address = "postgres://tester@/postgres?port=6432&host=" + url.QueryEscape(folder)
	deadline := time.Now().Add(20 * time.Second)
	for err = ping(address); err != nil; err = ping(address) {
		if time.Now().After(deadline) {
			tb.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return address
}
