// Package vectortest reads what tests are held against: the vectors in the
// testdata of packages, which are results of another implementation, compressed,
// as a rule one a line ([All]); and the test data outside the project, real files
// of sources and vectors as they were published, which not every clone has
// ([Data]).
package vectortest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"testing"
)

// Text returns the content of a compressed file.
func Text(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}

// All decodes the vectors of a compressed file, of which there is one at least. A
// vector may have no members that T does not have.
func All[T any](t testing.TB, path string) []T {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(Text(t, path)))
	d.DisallowUnknownFields()
	return decode[T](t, path, d)
}

// Parts is All where T has those members alone that a test looks at.
func Parts[T any](t testing.TB, path string) []T {
	t.Helper()
	return decode[T](t, path, json.NewDecoder(bytes.NewReader(Text(t, path))))
}

func decode[T any](t testing.TB, path string, d *json.Decoder) (all []T) {
	t.Helper()
	for {
		var v T
		switch err := d.Decode(&v); err {
		case nil:
			all = append(all, v)
		case io.EOF:
			if len(all) == 0 {
				t.Fatalf("%s holds no vectors", path)
			}
			return all
		default:
			t.Fatalf("%s, vector %d: %v", path, len(all)+1, err)
		}
	}
}
