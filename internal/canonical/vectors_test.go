package canonical_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// vectorFile returns the content of testdata/<name>.gz.
func vectorFile(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// decodeVector decodes a vector and refuses members that its type does not know.
func decodeVector(t testing.TB, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in the vector %s", err, text)
	}
}

// vectorLines returns the vectors of a file that holds one a line.
func vectorLines(t testing.TB, name string) [][]byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(vectorFile(t, name)), []byte("\n"))
	if len(lines) < 2 {
		t.Fatalf("%s holds %d vectors", name, len(lines))
	}
	return lines
}

// The copies in testdata are whole: they are the published files, where these
// lie beside the repository.
func TestVectorsAreThePublishedOnes(t *testing.T) {
	for _, name := range []string{"numbers.jsonl", "strings.jsonl", "order.json"} {
		t.Run(name, func(t *testing.T) {
			published, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "vectors", "core", name))
			if err != nil {
				t.Skipf("the published vectors are not here, only their copy is tested: %v", err)
			}
			if !bytes.Equal(published, vectorFile(t, name)) {
				t.Errorf("testdata/%s.gz is not %s: copy it anew", name, name)
			}
		})
	}
}

func TestNumberVectors(t *testing.T) {
	for i, line := range vectorLines(t, "numbers.jsonl") {
		var v struct{ IEEE754, Canonical string }
		decodeVector(t, line, &v)
		bits, err := strconv.ParseUint(v.IEEE754, 16, 64)
		if err != nil || len(v.IEEE754) != 16 || v.Canonical == "" {
			t.Fatalf("vector %d is malformed: %s", i+1, line)
		}
		if got := string(canonical.AppendNumber(nil, math.Float64frombits(bits))); got != v.Canonical {
			t.Errorf("vector %d: %s is written %s, want %s", i+1, v.IEEE754, got, v.Canonical)
		}
	}
}

func TestStringVectors(t *testing.T) {
	for i, line := range vectorLines(t, "strings.jsonl") {
		var v struct {
			CodePoints   []rune
			CanonicalHex string
		}
		decodeVector(t, line, &v)
		want, err := hex.DecodeString(v.CanonicalHex)
		if err != nil || len(want) < 2 {
			t.Fatalf("vector %d is malformed: %s", i+1, line)
		}
		if got := canonical.AppendString(nil, string(v.CodePoints)); !bytes.Equal(got, want) {
			t.Errorf("vector %d: %U is written %s, want %s", i+1, v.CodePoints, got, want)
		}
	}
}

func TestOrderVectors(t *testing.T) {
	var v struct {
		Note   string
		Sorted [][]rune
	}
	decodeVector(t, vectorFile(t, "order.json"), &v)
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
