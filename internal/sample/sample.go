// Package sample holds the catalog that comes with svc, so that a first question needs no
// file. It has the models of examples/models with all that their sources say of them;
// that folder says which sources these are, under which licences, and how to make it again.
package sample

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the catalog
	"io"
)

//go:embed catalog.json.gz
var compressed []byte

// Open returns the text of the catalog.
func Open() (io.Reader, error) { return gzip.NewReader(bytes.NewReader(compressed)) }

// Compress returns the text of a catalog in the form in which this package holds it, for the
// test that makes it.
func Compress(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
