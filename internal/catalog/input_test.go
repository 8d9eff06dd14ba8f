package catalog_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// A Record says all of an observation: written and normalized it is the same.
func TestRecordIsWhole(t *testing.T) {
	reader := catalog.NewRecordReader()
	for _, doc := range append(manyObservations(t), evaluation, declaration) {
		o, err := catalog.Normalize(doc)
		if err != nil {
			t.Fatal(err)
		}
		rec := o.Record()
		if again, err := catalog.NewBuilder().Build(&rec); err != nil || again != o {
			t.Fatalf("%+v is written as %s (%v)\nwant %s", rec, again.JSON(), err, o.JSON())
		}
		if again, err := catalog.Normalize(o.Input()); err != nil || again != o {
			t.Fatalf("%s has the input %s (%v)", o.JSON(), o.Input(), err)
		}
		// The lists of a RecordReader are those of the last observation alone.
		if again, err := catalog.NewBuilder().Build(reader.Read(o)); err != nil || again != o {
			t.Fatalf("%s is read as %s (%v)", o.JSON(), again.JSON(), err)
		}
	}
}
