package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// loadVariable makes this program a loader of many claims into the address that it holds,
// after a number of records and a blank. Once more are written, it says so and waits to be
// killed.
const loadVariable = "SVC_TEST_LOAD"

// loadedClaims have seven records each.
const loadedClaims = 2_000

func loadProcess(variable string) int {
	if err := loadMany(variable); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func loadMany(variable string) error {
	ctx := context.Background()
	number, address, _ := strings.Cut(variable, " ")
	most, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	a, err := store.ParseAddress(address)
	if err != nil {
		return err
	}
	b, err := bundle.Read(problem.Source{Name: "many.json", Text: storetest.Many(loadedClaims).Text()})
	if err != nil {
		return err
	}
	l, err := store.OpenLoader(ctx, a)
	if err != nil {
		return err
	}
	written := 0
	l.Progress = func(n int) {
		if written += n; written >= most {
			fmt.Println("loading")
			time.Sleep(time.Hour) // to be killed
		}
	}
	_, err = l.Load(ctx, b, false)
	return err
}

// startLoading starts a process that loads, and returns when it has written so many
// records and waits.
func startLoading(t *testing.T, address string, records int) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), loadVariable+"="+strconv.Itoa(records)+" "+address)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "loading\n" {
		t.Fatalf("the loader says %q, %v", line, err)
	}
	return c
}

// TestKilled kills a loader in its transaction. Nothing of its bundle is there,
// others can load at once, and what was there stays.
func TestKilled(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			address := empty(t)
			l := storetest.Loader(t, address)
			before := storetest.Draft{Claims: []string{storetest.Claim("before")}}.Bundle(t)
			if _, err := l.Load(t.Context(), before, false); err != nil {
				t.Fatal(err)
			}
			s := storetest.Open(t, address)
			for _, records := range []int{1, 3*loadedClaims + 1, 7 * loadedClaims} { // the first ones, some of each kind, all
				c := startLoading(t, address, records)
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
					t.Fatalf("the loader ended with %v", err)
				}
				if got := storetest.CountMany(t, s, loadedClaims); got != 0 {
					t.Fatalf("%d claims of a killed load are there", got)
				}
				if found, err := s.LookupByIntegrityRef(t.Context(), "before"); err != nil || found == nil {
					t.Fatalf("what was loaded before: %v, %v", found, err)
				}
			}
			report, err := l.Load(t.Context(), storetest.Many(loadedClaims).Bundle(t), false)
			if err != nil || report.Added.Claims != loadedClaims {
				t.Errorf("loading after a killed load: %+v, %v", report, err)
			}
			if got := storetest.CountMany(t, s, loadedClaims); got != loadedClaims {
				t.Errorf("%d of %d claims are there", got, loadedClaims)
			}
		})
	}
}

// ownPostgres starts a server that may be stopped.
func ownPostgres(t *testing.T) *storetest.Postgres {
	t.Helper()
	p, err := storetest.StartPostgres()
	skipWithout(t, err)
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestStoppedInLoad stops the database while a bundle is loaded: the load fails,
// nothing of it is there, and the same loader loads it when the database is back.
func TestStoppedInLoad(t *testing.T) {
	p := ownPostgres(t)
	address := p.Address(t)
	l := storetest.Loader(t, address)
	s := storetest.Open(t, address)
	bundle := storetest.Many(loadedClaims).Bundle(t)
	halted, written := false, 0
	l.Progress = func(n int) {
		if written += n; written > loadedClaims && !halted {
			halted = true
			if err := p.Halt(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := l.Load(t.Context(), bundle, false); err == nil || !halted {
		t.Fatalf("the load ended with %v, the database was stopped: %v", err, halted)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error { _, err := s.LookupByIntegrityRef(t.Context(), "x"); return err })
	if got := storetest.CountMany(t, s, loadedClaims); got != 0 {
		t.Fatalf("%d claims of a failed load are there", got)
	}
	if _, err := l.Load(t.Context(), bundle, false); err != nil {
		t.Fatal(err)
	}
	if got := storetest.CountMany(t, s, loadedClaims); got != loadedClaims {
		t.Errorf("%d of %d claims are there", got, loadedClaims)
	}
}

// TestStoppedInLookups stops and starts the database under look-ups: each either
// fails or finds what is there, and in the end they find it again.
func TestStoppedInLookups(t *testing.T) {
	p := ownPostgres(t)
	address := p.Address(t)
	l := storetest.Loader(t, address)
	if _, err := l.Load(t.Context(), storetest.Many(10).Bundle(t), false); err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, address)
	ctx, stop := context.WithCancel(t.Context())
	const lookers = 8
	var failures atomic.Int64
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for range lookers {
		all.Go(func() {
			for ctx.Err() == nil {
				found, err := s.LookupByIntegrityRef(ctx, storetest.ManyID(3))
				switch {
				case err != nil:
					failures.Add(1)
					time.Sleep(time.Millisecond)
				case found == nil || len(found.Claims) != 1 || len(found.Evidence) != 3 || len(found.Events) != 3:
					t.Errorf("a known ref has %+v", found)
					stop()
				}
			}
		})
	}
	for range 2 {
		if err := p.Halt(); err != nil {
			t.Fatal(err)
		}
		before := failures.Load()
		eventually(t, func() error {
			if failures.Load() == before {
				return errors.New("no look-up met the stopped database")
			}
			return nil
		})
		if _, err := s.LookupByIntegrityRef(ctx, storetest.ManyID(3)); err == nil {
			t.Error("a look-up without a database did not fail")
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { _, err := s.LookupByIntegrityRef(ctx, storetest.ManyID(3)); return err })
	}
}

// TestDeadConnections ends all connections of a store at once, as a restart or a
// firewall does. The next look-ups find what is there, each at the first attempt.
func TestDeadConnections(t *testing.T) {
	p := ownPostgres(t)
	address := p.Address(t)
	if _, err := storetest.Loader(t, address).Load(t.Context(), storetest.Many(10).Bundle(t), false); err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, address)
	for range 5 {
		var lookers sync.WaitGroup
		for range 8 {
			lookers.Go(func() {
				found, err := s.LookupByIntegrityRef(t.Context(), storetest.ManyID(3))
				if err != nil || found == nil || len(found.Claims) != 1 {
					t.Errorf("%+v, %v", found, err)
				}
			})
		}
		lookers.Wait()
		// They may die between the look at the state and the statement, too.
		p.Disconnect(t, "svc verify-serve")
		if found, err := store.FindAnew(t.Context(), s, storetest.ManyID(4)); err != nil || found == nil || len(found.Claims) != 1 {
			t.Errorf("%+v, %v", found, err)
		}
		p.Disconnect(t, "svc verify-serve")
	}
}

// TestExchangedFile takes the file of an SQLite database away under a store, and puts
// another in its place. Without a file the store is not ready and answers nothing;
// the first look-up after that answers from the new file.
func TestExchangedFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "records.db")
	makeFile := func(path, claim string) {
		t.Helper()
		a := storetest.Address(t, "sqlite:"+path)
		l, err := store.OpenLoader(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Load(t.Context(), storetest.Draft{Claims: []string{storetest.Claim(claim)}}.Bundle(t), false); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	makeFile(path, "first")
	s := storetest.Open(t, "sqlite:"+path)
	ready := func() error { return s.Ready(t.Context()) }
	holds := func(claim string, want bool) {
		t.Helper()
		if found, err := s.LookupByIntegrityRef(t.Context(), claim); err != nil || (found != nil) != want {
			t.Errorf("%s: %+v, %v", claim, found, err)
		}
	}
	holds("first", true)
	if err := ready(); err != nil {
		t.Error(err)
	}

	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if _, err := s.LookupByIntegrityRef(t.Context(), "first"); !errors.Is(err, fs.ErrNotExist) || !errors.Is(ready(), fs.ErrNotExist) {
		t.Errorf("without a file: %v, ready %v", err, ready())
	}
	makeFile(path, "second")
	holds("second", true)
	holds("first", false)

	// A file that is renamed is there at every moment, so that no look-up fails. The
	// old one had its last load while the store was open.
	makeFile(path, "third")
	makeFile(filepath.Join(folder, "new.db"), "fourth")
	ctx, stop := context.WithCancel(t.Context())
	var lookers sync.WaitGroup
	for range 4 {
		lookers.Go(func() {
			for ctx.Err() == nil {
				found, err := s.LookupByIntegrityRefs(t.Context(), []string{"third", "fourth"})
				if err != nil || (found[0] == nil) == (found[1] == nil) {
					t.Errorf("%+v, %v", found, err)
					return
				}
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	if err := os.Rename(filepath.Join(folder, "new.db"), path); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	stop()
	lookers.Wait()
	holds("fourth", true)
	holds("third", false)

	if err := os.WriteFile(filepath.Join(folder, "text"), []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(folder, "text"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LookupByIntegrityRef(t.Context(), "fourth"); err == nil || ready() == nil {
		t.Errorf("a file that is not a database: %v, ready %v", err, ready())
	}
	makeFile(filepath.Join(folder, "new.db"), "fifth")
	if err := os.Rename(filepath.Join(folder, "new.db"), path); err != nil {
		t.Fatal(err)
	}
	holds("fifth", true)
}

// eventually demands that f succeeds within a while.
func eventually(t *testing.T, f func() error) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
