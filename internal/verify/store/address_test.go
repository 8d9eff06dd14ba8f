package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/store"
)

func TestParseAddress(t *testing.T) {
	for _, s := range []string{
		"file:bundle.json", "file:/a/b", "file:a:b", "sqlite:records.db", "sqlite:/a/b.db", "sqlite:a@b:c",
		"postgres://", "postgres:///db", "postgres://host", "postgres://user@host:5432/db?sslmode=verify-full",
		"postgres://one:5432,two:5433/db", "postgres:///db?host=%2Fvar%2Frun&user=me", "postgres://[::1]:5432/db",
		"postgres://host/db?service=records&passfile=%2Fsecret&application_name=a%40b:c",
	} {
		a, err := store.ParseAddress(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if a.ReadOnly() != strings.HasPrefix(s, "file:") {
			t.Errorf("%s: ReadOnly is %v", s, a.ReadOnly())
		}
	}
	for _, s := range []string{
		"", ":", "file:", "sqlite:", "bundle.json", "sqlite", "File:a", "SQLITE:a", "mysql://u:secret@h/d", " file:a",
		"postgres:", "postgres:/db", "postgresql://host/db", "Postgres://host", "host=localhost password=secret",
		"postgres://host/db?%zz=1",
	} {
		if _, err := store.ParseAddress(s); !errors.Is(err, store.ErrAddress) {
			t.Errorf("%q: error %v", s, err)
		}
	}
	for _, s := range []string{
		"postgres://user:secret@host/db", "postgres://user:@host/db", "postgres://:secret@host", "postgres://user:se/cret@host/db",
		"postgres://user:se?cret@host/db", "postgres://user:se@cret@host/db", "postgres://user:secret@", "postgres://a@user:secret@host/db",
		"postgres://host/db?password=secret", "postgres://host/db?sslmode=disable&password=secret", "postgres://host?pass%77ord=secret",
		"postgres://host/db?PassWord=secret", "postgres://host/db?sslpassword=secret", "postgres://host/db?password",
		"postgres://host/db?a=b?c&password=secret", "postgres://host/db?user=u&x=y:secret@h",
	} {
		_, err := store.ParseAddress(s)
		if !errors.Is(err, store.ErrPassword) {
			t.Errorf("%q: error %v", s, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error repeats the password: %v", s, err)
		}
	}
}
