package compare

import (
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// Text returns a value and the name of its unit as people read them: see package quantity.
func (v Value) Text() (text, unit string) {
	switch v.Value.Kind {
	case '0':
		return quantity.Text(record.Scalar(v.Value).Float(), string(v.Unit))
	case '"':
		return v.Value.Text, string(v.Unit)
	}
	return strconv.FormatBool(v.Value.Kind == 't'), string(v.Unit)
}

// Text returns what a slot says and in which unit. Several values are alternatives; a
// slot that is absent, which is nil, says a dash.
func (f *Fact) Text() (text, unit string) {
	if f == nil {
		return "–", ""
	}
	const few = 3
	var values []string
	for i, v := range f.Values[:min(len(f.Values), few)] {
		value, in := v.Text()
		if i == 0 {
			unit = in
		}
		if in != unit {
			value += " " + in
		}
		values = append(values, value)
	}
	if more := f.ValueCount - len(values); more > 0 {
		values = append(values, quantity.Number(float64(more))+" more")
	}
	text = strings.Join(values, " or ")
	if f.State == StateExpired {
		text += " (expired)"
	}
	return text, unit
}

// Name is the identity of a model in one text.
func (i Identity) Name() string {
	return record.Model{ID: i.ID, Revision: i.Revision, Quantization: i.Quantization}.Name()
}

// Runs says in one text how a model is run: what an execution scope names of runtime,
// adapter and workflow. It is empty for the scope that says nothing.
func (s Scope) Runs() string {
	scope, err := catalog.ParseScope(string(s))
	if err != nil { // as null is
		return ""
	}
	var parts []string
	for _, part := range []string{scope.Runtime.ID, scope.Adapter.ID, scope.Workflow.ID, string(scope.Workflow.Condition)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
