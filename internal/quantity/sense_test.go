package quantity_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/quantity"
)

// Words of a name and units say which end is the good one, not letters inside other words.
func TestLessIsBetter(t *testing.T) {
	for _, test := range []struct {
		key, unit       string
		isLess, isCount bool
	}{
		{"price.output", "", true, false}, {"price.input", "", true, false}, {"aider.polyglot.total_cost", "", true, true}, {"fee", "USD/image", true, false},
		{"latency.p50", "", true, false}, {"answer", "ms", true, false}, {"answer", "s", true, false}, {"aider.error_outputs", "", true, false}, {"board.rank", "", true, false},
		{"livebench.coding.score", "percent", false, false}, {"runtime.score", "", false, false}, {"sometimes.right", "", false, false}, {"frank.score", "", false, false},
		{"terrors.found", "", false, false}, {"pricey", "", false, false}, {"aider.polyglot.test_cases", "", false, true}, {"used", "tokens", false, true}, {"speed", "tokens/s", false, false},
		{"discount.score", "", false, false}, {"", "", false, false},
	} {
		if less, count := quantity.LessIsBetter(test.key, test.unit), quantity.IsCount(test.key, test.unit); less != test.isLess || count != test.isCount {
			t.Errorf("%s, %s: less is better %t, a count %t", test.key, test.unit, less, count)
		}
	}
}
