package store_test

import (
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// olderDraft is what the databases in testdata/records-v2 hold, which must stay as they are: the
// program of that version made them of it.
func olderDraft() (d storetest.Draft) {
	d = storetest.Many(30)
	for i, id := range []string{"", "\x00", "\x01sha256:00", strings.Repeat("x", 1025), "café"} {
		d.Claims = append(d.Claims, storetest.Claim(id, `,"currentIntegrityRef":"odd"`))
		d.Evidence = append(d.Evidence, storetest.Evidence(id, id, fmt.Sprintf(`,"integrityRef":"odd.%d"`, i)))
		d.Events = append(d.Events, storetest.Event(id, id, "by"+id))
		d.AuthorityTrace = append(d.AuthorityTrace, storetest.Trace(id, "by"+id, []string{storetest.ManyID(i)}, `,"integrityRef":"trace"`))
	}
	d.Claims = append(d.Claims, storetest.Claim("large"), storetest.Claim("alone"))
	for i := range 250 { // more than a page and a part of each
		id := fmt.Sprintf("large.%03d", i)
		d.Evidence = append(d.Evidence, storetest.Evidence(id, "large"))
		d.Events = append(d.Events, storetest.Event(id, "large", fmt.Sprint("reviewer:", i%40)))
	}
	return d
}

// olderRefs are refs of it.
func olderRefs() []string {
	refs := []string{"", "\x00", "\x01sha256:00", strings.Repeat("x", 1025), "café", "odd", "odd.0", "odd.3", "trace", "large", "alone", "nowhere"}
	for i := range 30 {
		refs = append(refs, storetest.ManyID(i), storetest.ManyRef(i))
	}
	return refs
}

// olderDatabases are databases that programs of versions 1 and 2 of the schema made.
var olderDatabases = map[string]struct {
	held func(t *testing.T) *bundle.Bundle
	refs []string
}{
	"records-v1": {func(t *testing.T) *bundle.Bundle {
		return verifytest.Bundle(t, verifytest.File(t, "../../../examples/claims.json"))
	}, []string{"claim.atlas-70b.repairs", "claim.atlas-70b.price", "nowhere"}},
	"records-v2": {func(t *testing.T) *bundle.Bundle { return olderDraft().Bundle(t) }, olderRefs()},
}

// olderAddress returns the address of a copy of such a database.
func olderAddress(t *testing.T, kind, name string) string {
	t.Helper()
	file := map[string]string{"SQLite": ".db.gz", "PostgreSQL": ".sql.gz"}[kind]
	packed, err := os.Open("testdata/" + name + file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "SQLite" {
		path := filepath.Join(t.TempDir(), "records.db")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return "sqlite:" + path
	}
	address := postgres(t)
	execute(t, kind, address, string(text))
	return address
}

// execute runs statements in a database, beside svc.
func execute(t *testing.T, kind, address, statements string) {
	t.Helper()
	driver, name := "pgx", address+"&default_query_exec_mode=simple_protocol"
	if kind == "SQLite" {
		driver, name = "sqlite", strings.TrimPrefix(address, "sqlite:")
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

// A database of an older version is brought up to date by the next load, and answers what it
// held, byte for byte.
func TestMigration(t *testing.T) {
	for kind := range databases() {
		for name, older := range olderDatabases {
			t.Run(kind+"/"+name, func(t *testing.T) {
				address := olderAddress(t, kind, name)
				if _, _, err := store.Open(t.Context(), storetest.Address(t, address)); !errors.Is(err, store.ErrOldSchema) {
					t.Errorf("opened for look-ups before the migration: %v", err)
				}
				held := older.held(t)
				report, err := storetest.Loader(t, address).Load(t.Context(), held, false)
				if err != nil {
					t.Fatal(err)
				}
				if report.Added != (store.Counts{}) || report.Present.Evidence != held.Len(bundle.KindEvidence) || report.Present.Events != held.Len(bundle.KindEvent) {
					t.Errorf("what was held before the migration: %+v", report)
				}
				compareWithMemory(t, storetest.Open(t, address), older.refs, held)
			})
		}
	}
}

// compareWithMemory demands the answers of memory to each ref, and to all of them.
func compareWithMemory(t *testing.T, s producer.BatchStore, refs []string, held ...*bundle.Bundle) {
	t.Helper()
	memory, err := producer.NewMemoryStore(held...)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		want, _ := memory.LookupByIntegrityRef(t.Context(), ref)
		for _, kept := range []bool{false, true} { // the second time it is
			got, err := s.LookupByIntegrityRef(t.Context(), ref)
			if err != nil || !isSame(got, want) {
				t.Errorf("%.80q (kept: %v): not what memory has: %.300s, %v", ref, kept, fmt.Sprint(got), err)
			}
		}
	}
	want, _ := memory.LookupByIntegrityRefs(t.Context(), refs)
	if got, err := s.LookupByIntegrityRefs(t.Context(), refs); err != nil || !slices.EqualFunc(got, want, isSame) {
		t.Errorf("all at once: not what memory has, %v", err)
	}
}

// isSame reports whether two answers have the same records in the same order.
func isSame(a, b *bundle.Records) bool {
	if a == nil || b == nil {
		return a == b
	}
	for kind := range bundle.Stored {
		if !slices.Equal(*a.List(kind), *b.List(kind)) {
			return false
		}
	}
	return true
}

// A migration that fails, however late, leaves the database as it was: the same program that
// used it before can, and a later migration finds all that was held.
func TestMigrationFails(t *testing.T) {
	for kind := range databases() {
		t.Run(kind, func(t *testing.T) {
			address := olderAddress(t, kind, "records-v2")
			// Version 4 drops the table that this view reads, after all records were moved.
			execute(t, kind, address, "CREATE VIEW mine AS SELECT ref FROM verification_claim_ref")
			if _, err := store.OpenLoader(t.Context(), storetest.Address(t, address)); err == nil || !strings.Contains(err.Error(), "migration 4") {
				t.Fatalf("migrated in spite of the view: %v", err)
			}
			if _, _, err := store.Open(t.Context(), storetest.Address(t, address)); !errors.Is(err, store.ErrOldSchema) {
				t.Errorf("after the migration that failed: %v", err)
			}
			execute(t, kind, address, "UPDATE verification_claim SET record = record") // it is there
			execute(t, kind, address, "DROP VIEW mine")
			storetest.Loader(t, address)
			compareWithMemory(t, storetest.Open(t, address), olderRefs(), olderDraft().Bundle(t))
		})
	}
}
