package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/store"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// TestPasswords: passwords come from where libpq takes them from, and a wrong
// one stands in no error.
func TestPasswords(t *testing.T) {
	const right, wrong = "right-horse", "wrong-donkey"
	p := ownPostgres(t)
	p.Lock(t, right)
	address := strings.Replace(p.Address(t), "tester@", "locked@", 1)
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, set := range map[string]func(t *testing.T, password string) (address string){
		"PGPASSWORD": func(t *testing.T, password string) string {
			t.Setenv("PGPASSWORD", password)
			return address
		},
		"PGPASSFILE": func(t *testing.T, password string) string {
			t.Setenv("PGPASSFILE", write("pgpass", "*:*:*:locked:"+password+"\n"))
			return address
		},
		"service file": func(t *testing.T, password string) string {
			t.Setenv("PGSERVICEFILE", write("services", "[records]\nuser=locked\npassword="+password+"\n"))
			return strings.Replace(address, "locked@", "", 1) + "&service=records"
		},
		"nowhere": func(t *testing.T, _ string) string { return address },
	} {
		for _, password := range []string{right, wrong} {
			t.Run(name+"/"+password, func(t *testing.T) {
				// Logged in, there is nothing yet.
				_, _, err := store.Open(t.Context(), storetest.Address(t, set(t, password)))
				if in := errors.Is(err, store.ErrNoSchema); in != (password == right && name != "nowhere") {
					t.Errorf("error %v", err)
				}
				if err != nil && strings.Contains(err.Error(), password) {
					t.Errorf("the error repeats the password: %v", err)
				}
			})
		}
	}
}
