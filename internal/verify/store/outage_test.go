package store_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// outage is something that befalls a store: begin makes it, end undoes it.
type outage struct {
	name       string
	begin, end func(t *testing.T)
}

// During an outage a store is not ready and answers nothing, not even what it has answered
// before; after it, it is ready and answers again, without help.
func holdOutages(t *testing.T, s store.Store, outages []outage) {
	t.Helper()
	ask := func(ref string) error {
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		_, err := s.LookupByIntegrityRef(ctx, ref)
		return err
	}
	ready := func() error {
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		return s.Ready(ctx)
	}
	known := storetest.ManyID(3)
	for _, o := range outages {
		eventually(t, ready)
		if err := ask(known); err != nil {
			t.Fatalf("before %s: %v", o.name, err)
		}
		o.begin(t)
		if err := ready(); err == nil {
			t.Errorf("%s: the store says that it is ready", o.name)
		}
		for _, ref := range []string{known, storetest.ManyID(7)} {
			if err := ask(ref); err == nil {
				t.Errorf("%s: the store answers %s", o.name, ref)
			}
		}
		o.end(t)
		eventually(t, ready)
		eventually(t, func() error { return ask(known) })
	}
}

func TestOutagesOfSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.db")
	l := storetest.Loader(t, "sqlite:"+path)
	if _, err := l.Load(t.Context(), storetest.Many(200).Bundle(t), false); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) func(t *testing.T) {
		return func(t *testing.T) {
			time.Sleep(5 * time.Millisecond) // the file system's clock is coarse
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	zeros := make([]byte, len(whole))
	copy(zeros[8<<10:], whole[8<<10:])
	moved := path + ".moved"
	rename := func(from, to string) func(t *testing.T) {
		return func(t *testing.T) {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	holdOutages(t, storetest.Open(t, "sqlite:"+path), []outage{
		{"a file that is away", rename(path, moved), rename(moved, path)},
		{"a file that is cut", write(whole[:len(whole)/2]), write(whole)},
		{"an empty file", write(nil), write(whole)},
		{"a file that is damaged", write(zeros), write(whole)},
	})
}

func TestOutagesOfPostgres(t *testing.T) {
	p := ownPostgres(t)
	address := p.Address(t)
	if _, err := storetest.Loader(t, address).Load(t.Context(), storetest.Many(20).Bundle(t), false); err != nil {
		t.Fatal(err)
	}
	check := func(f func() error) func(t *testing.T) {
		return func(t *testing.T) {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var lock *sql.Tx
	holdOutages(t, storetest.Open(t, address), []outage{
		{"a stopped server", check(p.Halt), check(p.Start)},
		{"tables that are locked", func(t *testing.T) {
			if lock, err = db.BeginTx(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			for _, table := range []string{"verification_record", "verification_schema"} {
				if _, err := lock.ExecContext(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
					t.Fatal(err)
				}
			}
		}, check(func() error { return lock.Rollback() })},
	})
}

// Bundle files are read once: nothing befalls them.
func TestReadyFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	if err := os.WriteFile(path, []byte(storetest.Many(2).Text()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, "file:"+path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}
