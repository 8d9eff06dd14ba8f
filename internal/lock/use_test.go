package lock_test

import (
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/service/record"
)

// A use is of the model without revision, or of the only revision that is run at the runtime. Of
// several a person names one.
func TestUsesOfRevisions(t *testing.T) {
	dated := func(revision any, runtime string) Statement {
		s := said("", "price.input", 1e-6, "USD/token")
		s.Model, s.Execution = Object{"id": "acme/dated", "revision": revision, "quantization": nil}, At(runtime)
		return s
	}
	c := Compile(t, May31, dated("1", "one"), dated("1", "two"), dated("2", "two"), dated(nil, "all"), dated("1", "all"))
	for _, tt := range []struct {
		text, want, fault string
	}{
		{"one:acme/dated", "one:acme/dated@1", ""},
		{"two:acme/dated", "", "two:acme/dated is one of several, so name it: acme/dated@1, acme/dated@2"},
		{"two:acme/dated@2", "two:acme/dated@2", ""},
		{"all:acme/dated", "all:acme/dated", ""},
		{"all:acme/dated@1", "all:acme/dated@1", ""},
		{"none:acme/dated", "none:acme/dated", ""},
	} {
		use, err := lock.ReadUse(c, tt.text)
		if fault := ""; err != nil {
			if fault = err.Error(); fault != tt.fault {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		if use.ID != tt.want || tt.fault != "" || use.Model.Name() != tt.want[len(use.Execution.Runtime.ID)+1:] && use.Model != (record.Model{ID: "acme/dated"}) {
			t.Errorf("%s: %+v", tt.text, use)
		}
	}
}
