package sample

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
)

// maxSize is how many bytes the sample may add to the binary.
const maxSize = 600 << 10

// The sample is a valid catalog, small, and held as [Compress] makes it.
func TestSampleIsACatalog(t *testing.T) {
	text, err := Catalog()
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(t.Context(), problem.Source{Name: "sample", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, m := range c.Models() {
		ids[m.Identity.ID] = true
	}
	if len(ids) < 60 {
		t.Errorf("the sample has %d models, want 60 or more", len(ids))
	}
	if len(compressed) > maxSize {
		t.Errorf("the sample adds %d bytes to the binary, at most %d are allowed", len(compressed), maxSize)
	}
	build, err := Build()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Compress(text, build); err != nil || string(again) != string(compressed) {
		t.Errorf("the sample is held in %d bytes, and made again in %d, %v", len(compressed), len(again), err)
	}
}
