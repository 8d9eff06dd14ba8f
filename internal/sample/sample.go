// Package sample holds the catalog that comes with svc, so that a first question needs no
// file. It has the models of examples/models with all that their sources say of them;
// that folder says which sources these are, under which licences, and how to make it again.
package sample

import (
	"bytes"
	_ "embed" // for the catalog
	"io"

	"github.com/klauspost/compress/zstd"
)

//go:embed catalog.json.zst
var compressed []byte

// Open returns the text of the catalog.
func Open() (io.Reader, error) {
	return zstd.NewReader(bytes.NewReader(compressed), zstd.WithDecoderConcurrency(1))
}

// Compress returns the text of a catalog in the form in which this package holds it, for the
// test that makes it.
func Compress(text []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(text, nil), w.Close()
}
