package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// loadVariable makes this program a loader of many claims into the address that
// it holds.
const loadVariable = "SVC_TEST_LOAD"

// loadedClaims is enough for a load to last a while.
const loadedClaims = 8_000

func loadProcess(address string) int {
	if err := loadMany(address); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func loadMany(address string) error {
	ctx := context.Background()
	a, err := store.ParseAddress(address)
	if err != nil {
		return err
	}
	b, err := verify.ReadBundle(problem.Source{Name: "many.json", Text: storetest.Many(loadedClaims).Text()})
	if err != nil {
		return err
	}
	l, err := store.OpenLoader(ctx, a)
	if err != nil {
		return err
	}
	fmt.Println("loading")
	_, err = l.Load(ctx, b, false)
	return err
}

// startLoading starts a process that loads, and returns when it does.
func startLoading(t *testing.T, address string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), loadVariable+"="+address)
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
			for _, wait := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond} {
				c := startLoading(t, address)
				time.Sleep(wait)
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
					t.Fatalf("the loader was too fast to be killed: %v", err)
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
	failed := make(chan error, 1)
	ctx := t.Context()
	go func() {
		_, err := l.Load(ctx, bundle, false)
		failed <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if err := p.Halt(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Fatal("the load was too fast to be stopped")
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
	defer stop()
	const lookers = 8
	failures := make(chan int, lookers)
	for range lookers {
		go func() {
			n := 0
			for ctx.Err() == nil {
				found, err := s.LookupByIntegrityRef(ctx, storetest.ManyID(3))
				switch {
				case err != nil:
					n++
					time.Sleep(time.Millisecond)
				case found == nil || len(found.Claims) != 1 || len(found.Evidence) != 3 || len(found.Events) != 3:
					t.Errorf("a known ref has %+v", found)
					stop()
				}
			}
			failures <- n
		}()
	}
	for range 2 {
		time.Sleep(100 * time.Millisecond)
		if err := p.Halt(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if _, err := s.LookupByIntegrityRef(ctx, storetest.ManyID(3)); err == nil {
			t.Error("a look-up without a database did not fail")
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { _, err := s.LookupByIntegrityRef(ctx, storetest.ManyID(3)); return err })
	}
	stop()
	total := 0
	for range lookers {
		total += <-failures
	}
	if total == 0 {
		t.Error("no look-up met the stopped database")
	}
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
