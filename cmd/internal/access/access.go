// Package access reads what a host wants to see of who asks, and who may vouch for it, from files:
// nothing of that is in arguments, which others can see.
package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/verify/asker"
)

const maxSecret = 1 << 20 // bytes of a file

// Files are the names of the files. An empty name is none.
type Files struct {
	Token       string // a bearer token
	Header      string // headers, a line each
	Certificate string // a client certificate and its private key, in PEM
	Roots       string // authorities to trust beside those of the system, in PEM
}

// Read reads the files. No error repeats a secret.
func (opts Files) Read() (a asker.Access, err error) {
	if a.Header, err = readHeader(opts.Header); err != nil {
		return a, err
	}
	if opts.Token != "" {
		text, err := readSecret(opts.Token)
		if err != nil {
			return a, err
		}
		if text = strings.TrimSpace(text); text == "" || !httpguts.ValidHeaderFieldValue(text) ||
			strings.ContainsAny(text, " \t") {
			return a, files.Named(opts.Token, errors.New("must hold one token, without white space in it"))
		}
		a.Header.Set("Authorization", "Bearer "+text)
	}
	if opts.Certificate != "" {
		text, err := readSecret(opts.Certificate)
		if err != nil {
			return a, err
		}
		pair, err := tls.X509KeyPair([]byte(text), []byte(text))
		if err != nil {
			return a, files.Named(opts.Certificate, errors.New("must hold a certificate and its private key, in PEM"))
		}
		a.Certificate = []tls.Certificate{pair}
	}
	a.Roots, err = Roots(opts.Roots)
	return a, err
}

// readSecret reads a file with a secret, which others must not be able to read.
func readSecret(name string) (string, error) {
	f, info, err := disk.Open(name)
	if err != nil {
		return "", files.Named(name, err)
	}
	defer f.Close()
	const readByOthers = 0o004
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&readByOthers != 0 {
		return "", files.Named(name, errors.New("others can read this secret: take that from them (chmod o-r), and get a "+
			"new one if somebody may have"))
	}
	text, err := disk.ReadAll(f, maxSecret, 0)
	if err != nil {
		return "", files.Named(name, err)
	}
	return text, nil
}

// readHeader reads a file with headers, a line each; without a name there are none.
func readHeader(name string) (http.Header, error) {
	header := http.Header{}
	if name == "" {
		return header, nil
	}
	text, err := readSecret(name)
	if err != nil {
		return nil, err
	}
	for number, line := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		field, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if value = strings.TrimSpace(value); !ok || !httpguts.ValidHeaderFieldName(field) ||
			!httpguts.ValidHeaderFieldValue(value) {
			return nil, files.Named(name, fmt.Errorf("line %d must be a header like Authorization: Basic WORD", number+1))
		}
		header.Add(field, value)
	}
	return header, nil
}

// Roots returns the authorities of the system and those in a file, nil without a file.
func Roots(name string) (*x509.CertPool, error) {
	if name == "" {
		return nil, nil
	}
	const most = 16 << 20
	text, err := disk.Read(name, most)
	if err != nil {
		return nil, files.Named(name, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM([]byte(text)) {
		return nil, files.Named(name, errors.New("holds no certificate in PEM"))
	}
	return roots, nil
}
