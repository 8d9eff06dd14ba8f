package sample

import (
	"bytes"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// maxSize is how many bytes the sample may add to the binary.
const maxSize = 600 << 10

// The sample is a valid catalog, and small.
func TestSampleIsACatalog(t *testing.T) {
	r, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Name: "sample", Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Models()) < 40 {
		t.Errorf("the sample has %d models, want 40 or more", len(c.Models()))
	}
	if len(compressed) > maxSize {
		t.Errorf("the sample adds %d bytes to the binary, at most %d are allowed", len(compressed), maxSize)
	}
}

func TestCompress(t *testing.T) {
	for _, want := range []string{"", "{}", string(bytes.Repeat([]byte("models "), 1<<16))} {
		held, err := Compress([]byte(want))
		if err != nil {
			t.Fatal(err)
		}
		r, err := zstd.NewReader(bytes.NewReader(held))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%d bytes come back as %d bytes, %v", len(want), len(got), err)
		}
	}
}
