package store

import (
	"errors"
	"net/url"
	"strings"
)

// kind is what kind of store an address names.
type kind int

const (
	kindFiles kind = iota
	kindSQLite
	kindPostgres
)

// Address names a store. It holds no password.
type Address struct {
	kind kind
	rest string // a path, or for PostgreSQL the whole address
}

// The errors of [ParseAddress]. They never repeat the address, which may hold
// what was meant to be a secret.
var (
	ErrAddress  = errors.New("must be file:PATH, sqlite:PATH or postgres://HOST/DATABASE")
	ErrPassword = errors.New("must hold no password: it comes from PGPASSWORD, PGPASSFILE or a service file (and @ in " +
		"other places is written %40)")
)

const postgresScheme = "postgres://"

// ParseAddress reads an address.
func ParseAddress(s string) (Address, error) {
	if strings.HasPrefix(s, postgresScheme) {
		return Address{kindPostgres, s}, refusePassword(s[len(postgresScheme):])
	}
	scheme, path, _ := strings.Cut(s, ":")
	switch {
	case path == "":
	case scheme == "file":
		return Address{kindFiles, path}, nil
	case scheme == "sqlite":
		return Address{kindSQLite, path}, nil
	}
	return Address{}, ErrAddress
}

// refusePassword finds a password in what follows postgres://, between
// the user and @ or among the parameters. In doubt there is one.
func refusePassword(s string) error {
	if at := strings.LastIndexByte(s, '@'); at >= 0 && strings.Contains(s[:at], ":") {
		return ErrPassword
	}
	_, query, _ := strings.Cut(s, "?")
	for parameter := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		name, err := url.PathUnescape(name)
		if err != nil {
			return ErrAddress
		}
		if strings.Contains(strings.ToLower(name), "password") {
			return ErrPassword
		}
	}
	return nil
}

// ReadOnly reports whether the store is bundle files, which nothing can be
// loaded into.
func (a Address) ReadOnly() bool { return a.kind == kindFiles }
