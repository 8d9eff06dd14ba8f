package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(loadVariable); address != "" {
		os.Exit(loadProcess(address))
	}
	code := m.Run()
	if sharedServer.server != nil {
		if err := sharedServer.server.Stop(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

// sharedServer is the PostgreSQL server of all tests that only need one.
var sharedServer struct {
	once   sync.Once
	server *storetest.Postgres
	err    error
}

// postgres returns the address of an empty database.
func postgres(tb testing.TB) string {
	tb.Helper()
	s := &sharedServer
	s.once.Do(func() { s.server, s.err = storetest.FindPostgres() })
	skipWithout(tb, s.err)
	return s.server.Address(tb)
}

func skipWithout(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, storetest.ErrNoPostgres) {
		vectortest.Missing(tb, err.Error())
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// newSQLite returns the address of a database that is not there yet.
func newSQLite(tb testing.TB) string {
	return "sqlite:" + filepath.Join(tb.TempDir(), "records.db")
}

// databases are the kinds of databases, each with what makes an empty one.
func databases() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{"SQLite": newSQLite, "PostgreSQL": postgres}
}

func TestLookups(t *testing.T) {
	t.Run("Memory", func(t *testing.T) {
		storetest.Lookups(t, func(t *testing.T, bundles ...*bundle.Bundle) producer.BatchStore {
			s, err := producer.NewMemoryStore(bundles...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		})
	})
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			storetest.Lookups(t, func(t *testing.T, bundles ...*bundle.Bundle) producer.BatchStore {
				address := empty(t)
				l := storetest.Loader(t, address)
				for _, b := range bundles {
					if _, err := l.Load(t.Context(), b, false); err != nil {
						t.Fatal(err)
					}
				}
				return storetest.Open(t, address)
			})
		})
	}
}

func TestLoads(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			storetest.Loads(t, func(t *testing.T) string { return empty(t) })
		})
	}
}

func TestReadOnly(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			address := empty(t)
			storetest.Loader(t, address)
			err := store.TryWrite(t.Context(), storetest.Open(t, address))
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "-", ""), "readonly") {
				t.Errorf("a connection for look-ups wrote, or failed for another reason: %v", err)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			address := empty(t)
			parsed := storetest.Address(t, address)
			l := storetest.Loader(t, address)
			for version, want := range map[int]error{0: store.ErrNoSchema, 1: store.ErrOldSchema, 4: store.ErrOldSchema, 5: nil, 6: store.ErrNewSchema} {
				if err := l.SetVersion(t.Context(), version); err != nil {
					t.Fatal(err)
				}
				_, closeStore, err := store.Open(t.Context(), parsed)
				if !errors.Is(err, want) {
					t.Errorf("version %d: error %v, want %v", version, err, want)
				}
				if err == nil {
					closeStore()
				}
				if want != store.ErrNewSchema && want != store.ErrOldSchema {
					continue
				}
				if _, err := store.OpenLoader(t.Context(), parsed); !errors.Is(err, want) {
					t.Errorf("loading into version %d: error %v, want %v", version, err, want)
				}
			}
		})
	}
}

// An answer is that of the last load, for each of several readers, and comes from the
// cache only as long as nothing was loaded.
func TestAnswersFollowLoads(t *testing.T) {
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			address := empty(t)
			l := storetest.Loader(t, address)
			readers := []producer.BatchStore{storetest.Open(t, address), storetest.Open(t, address)}
			for n := range 5 {
				d := storetest.Draft{Claims: []string{storetest.Claim("c"), storetest.Claim(fmt.Sprint("d", n))}}
				for i := range n {
					d.Evidence = append(d.Evidence, storetest.Evidence(fmt.Sprint("e", i), "c"))
				}
				if _, err := l.Load(t.Context(), d.Bundle(t), false); err != nil {
					t.Fatal(err)
				}
				for range 3 { // the later ones from the cache
					for i, s := range readers {
						one, err := s.LookupByIntegrityRef(t.Context(), "c")
						if err != nil || len(one.Evidence) != n {
							t.Fatalf("load %d, reader %d: %+v, %v", n, i, one, err)
						}
						unknown, err := s.LookupByIntegrityRef(t.Context(), fmt.Sprint("d", n+1))
						if err != nil || unknown != nil {
							t.Fatalf("load %d, reader %d: %+v, %v", n, i, unknown, err)
						}
						many, err := s.LookupByIntegrityRefs(t.Context(), []string{"c", fmt.Sprint("d", n+1), "c"})
						if err != nil || len(many[0].Evidence) != n || many[1] != nil || len(many[2].Claims) != 0 {
							t.Fatalf("load %d, reader %d: %+v, %v", n, i, many, err)
						}
					}
				}
			}
		})
	}
}

func TestNotThere(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.db")
	for _, address := range []string{"sqlite:" + missing, "file:" + missing} {
		if _, _, err := store.Open(t.Context(), storetest.Address(t, address)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v", address, err)
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("opening for look-ups made a file")
	}
	folder := "sqlite:" + t.TempDir()
	if _, _, err := store.Open(t.Context(), storetest.Address(t, folder)); err == nil {
		t.Error("a folder was opened as a database")
	}
	if _, err := store.OpenLoader(t.Context(), storetest.Address(t, folder)); err == nil {
		t.Error("a folder was opened for loading")
	}
	noDatabase := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(noDatabase, []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Open(t.Context(), storetest.Address(t, "sqlite:"+noDatabase)); err == nil || !strings.Contains(err.Error(), noDatabase) {
		t.Errorf("a file that is not a database: error %v", err)
	}
}

// TestOddPaths opens databases whose names mean something in the URLs that the
// driver takes.
func TestOddPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a b.db", "100%.db", "a?mode=memory", "a#b", ":memory:", "file:x", "?", "café.db"} {
		address := "sqlite:" + name
		l := storetest.Loader(t, address)
		if _, err := l.Load(t.Context(), storetest.Draft{Claims: []string{storetest.Claim("c1")}}.Bundle(t), false); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
		if found, err := storetest.Open(t, address).LookupByIntegrityRef(t.Context(), "c1"); err != nil || found == nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write("a/1.json", storetest.Draft{Claims: []string{storetest.Claim("c1")}}.Text())
	write("a/b/2.ndjson", storetest.Draft{Claims: []string{storetest.Claim("c2")}}.Text())
	write("a/readme.txt", "no bundle")
	for address, want := range map[string][]bool{"file:" + one: {true, false}, "file:" + filepath.Join(folder, "a"): {true, true}} {
		s := storetest.Open(t, address)
		found, err := s.LookupByIntegrityRefs(t.Context(), []string{"c1", "c2"})
		if err != nil || (found[0] != nil) != want[0] || (found[1] != nil) != want[1] {
			t.Errorf("%s: %v, %v, want %v", address, found, err, want)
		}
	}
	if _, err := store.OpenLoader(t.Context(), storetest.Address(t, "file:"+one)); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("loading into a file: error %v", err)
	}
	write("c/none.txt", "")
	if _, _, err := store.Open(t.Context(), storetest.Address(t, "file:"+filepath.Join(folder, "c"))); err == nil {
		t.Error("a folder without bundles was opened")
	}
	bad := write("d/bad.json", `{"schemaVersion":4}`)
	_, _, err := store.Open(t.Context(), storetest.Address(t, "file:"+bad))
	fault, ok := errors.AsType[*problem.Error](err)
	if !ok || fault.Code != problem.InvalidTrustBundle || fault.Place.File != bad {
		t.Errorf("a bad bundle: error %v", err)
	}
	write("e/1.json", storetest.Draft{Claims: []string{storetest.Claim("c1")}}.Text())
	write("e/2.json", strings.Replace(storetest.Draft{Claims: []string{storetest.Claim("c1")}}.Text(), `"value":1`, `"value":2`, 1))
	_, _, err = store.Open(t.Context(), storetest.Address(t, "file:"+filepath.Join(folder, "e")))
	if fault, ok := errors.AsType[*problem.Error](err); !ok || fault.Code != problem.InvalidTrustBundle {
		t.Errorf("two contents under one id: error %v", err)
	}
}

// What no answer can hold is not read into memory first. A trace that belongs to a claim in two
// ways counts once.
func TestLargeLookup(t *testing.T) {
	large := `,"metadata":{"log":"` + strings.Repeat("x", producer.MaxAnswerBytes/2) + `"}`
	for name, empty := range databases() {
		t.Run(name, func(t *testing.T) {
			address := empty(t)
			draft := storetest.Draft{
				Claims:         []string{storetest.Claim("c", large), storetest.Claim("d"), storetest.Claim("e")},
				Events:         []string{storetest.Event("v", "e", "ann")},
				AuthorityTrace: []string{storetest.Trace("t", "bob", []string{"c"}, large), storetest.Trace("u", "ann", []string{"e"}, large)},
			}
			if _, err := storetest.Loader(t, address).Load(t.Context(), draft.Bundle(t), false); err != nil {
				t.Fatal(err)
			}
			s := storetest.Open(t, address)
			store.Forget(s)
			_, err := s.LookupByIntegrityRef(t.Context(), "c")
			if _, ok := errors.AsType[*producer.TooLargeError](err); !ok {
				t.Errorf("a look-up of more than an answer: %v", err)
			}
			for _, id := range []string{"d", "e"} {
				if found, err := s.LookupByIntegrityRef(t.Context(), id); found == nil || err != nil {
					t.Errorf("the next look-up, of %s: %v, %v", id, found, err)
				}
			}
		})
	}
}
