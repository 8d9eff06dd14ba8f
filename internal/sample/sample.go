// Package sample holds the catalog that comes with svc, so that a first question needs no
// file. It is the catalog of examples/models, compressed; that folder says which sources it
// has, under which licences, and how to make it again.
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

// Compress returns the text of a catalog in the form in which this package holds it.
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

// Decompress returns the text of a catalog that Compress has compressed.
func Decompress(compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
