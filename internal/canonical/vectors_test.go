package canonical_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// vectorPath is where the project has a file of vectors.
func vectorPath(name string) string { return filepath.Join("testdata", name+".gz") }

// The copies in testdata are whole: they are the published files, where these
// lie beside the repository.
func TestVectorsAreThePublishedOnes(t *testing.T) {
	for _, name := range []string{"numbers.jsonl", "strings.jsonl", "order.json"} {
		t.Run(name, func(t *testing.T) {
			published := vectortest.DataText(t, "vectors", "core", name)
			if published != string(vectortest.Text(t, vectorPath(name))) {
				t.Errorf("testdata/%s.gz is not %s: copy it anew", name, name)
			}
		})
	}
}

func TestNumberVectors(t *testing.T) {
	type vector struct{ IEEE754, Canonical string }
	for i, v := range vectortest.All[vector](t, vectorPath("numbers.jsonl")) {
		bits, err := strconv.ParseUint(v.IEEE754, 16, 64)
		if err != nil || len(v.IEEE754) != 16 || v.Canonical == "" {
			t.Fatalf("vector %d is malformed: %+v", i+1, v)
		}
		if got := string(canonical.AppendNumber(nil, math.Float64frombits(bits))); got != v.Canonical {
			t.Errorf("vector %d: %s is written %s, want %s", i+1, v.IEEE754, got, v.Canonical)
		}
	}
}

func TestStringVectors(t *testing.T) {
	type vector struct {
		CodePoints   []rune
		CanonicalHex string
	}
	for i, v := range vectortest.All[vector](t, vectorPath("strings.jsonl")) {
		want, err := hex.DecodeString(v.CanonicalHex)
		if err != nil || len(want) < 2 {
			t.Fatalf("vector %d is malformed: %+v", i+1, v)
		}
		if got := canonical.AppendString(nil, string(v.CodePoints)); !bytes.Equal(got, want) {
			t.Errorf("vector %d: %U is written %s, want %s", i+1, v.CodePoints, got, want)
		}
	}
}

func TestOrderVectors(t *testing.T) {
	type vector struct {
		Note   string
		Sorted [][]rune
	}
	v := vectortest.All[vector](t, vectorPath("order.json"))[0]
	if len(v.Sorted) < 100 {
		t.Fatalf("order.json holds %d strings", len(v.Sorted))
	}
	// Every pair is compared: the neighbours alone would leave transitivity open.
	for i, a := range v.Sorted {
		for k, b := range v.Sorted {
			want := 0
			if string(a) != string(b) {
				want = sign(i - k)
			}
			if got := sign(canonical.CompareText(string(a), string(b))); got != want {
				t.Fatalf("CompareText(%q, %q) is %d, want %d", string(a), string(b), got, want)
			}
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
