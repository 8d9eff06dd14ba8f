package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// ending is a context that ends once it has been asked for a few times whether it has.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// Each tool that goes through models asks whether its caller is still there, for each of them.
func TestToolsEndWithTheirCaller(t *testing.T) {
	const models = 20
	var statements []comparetest.Statement
	names := []string{}
	for i := range models {
		names = append(names, fmt.Sprintf("lab/m%02d", i))
		statements = append(statements, comparetest.Statement{ID: names[i], Execution: comparetest.At("shop"),
			Measurements: []any{comparetest.Fact("price.output", 1e-6, "USD/token"), comparetest.Fact("price.input", 1e-6, "USD/token")}})
	}
	a, err := New(comparetest.Compile(t, comparetest.May31, statements...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]map[string]any{
		"price": {"models": names}, "find": {"key": "price"}, "expiring": {"before": "2027-01-01"},
	}
	for _, tool := range a.tools() {
		arguments, isHere := calls[tool.name]
		if !isHere {
			continue
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		most := models - 1
		if tool.name == "price" { // which looks each name up before
			most += models
		}
		for _, left := range []int{0, 1, most} {
			if _, err := tool.call(&ending{t.Context(), left}, text); !errors.Is(err, context.Canceled) {
				t.Errorf("%s goes on after its caller was asked for %d times: %v", tool.name, left, err)
			}
		}
		if _, err := tool.call(t.Context(), text); err != nil {
			t.Errorf("%s: %v", tool.name, err)
		}
		delete(calls, tool.name)
	}
	if len(calls) > 0 {
		t.Errorf("there are no tools %v", calls)
	}
}
