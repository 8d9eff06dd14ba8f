package vectortest_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// A program that is missing skips a test of a developer and fails one in CI. One that is
// there does neither.
func TestTool(t *testing.T) {
	for ci, want := range map[string]outcome{"": {skipped: true}, "false": {skipped: true}, "true": {failed: true}} {
		t.Setenv("CI", ci)
		o := ending(t, func(o *outcome) { vectortest.Tool(o, "no-such-program", "nothing") })
		if o.skipped != want.skipped || o.failed != want.failed {
			t.Errorf("CI=%q: skipped %t, failed %t", ci, o.skipped, o.failed)
		}
		o = ending(t, func(o *outcome) {
			if vectortest.Tool(o, "go", "Go") == "" {
				t.Errorf("CI=%q: no path", ci)
			}
		})
		if o.skipped || o.failed {
			t.Errorf("CI=%q: a program that is there: skipped %t, failed %t", ci, o.skipped, o.failed)
		}
	}
}
