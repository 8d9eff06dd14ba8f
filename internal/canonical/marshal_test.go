package canonical_test

import (
	"math"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

type document struct {
	Version string           `json:"schemaVersion"`
	Note    record.Text      `json:"note"`
	Link    record.Text      `json:"link"`
	Counts  map[string]int   `json:"counts"`
	List    []any            `json:"list"`
	Absent  string           `json:"absent,omitempty"`
	Flag    bool             `json:"é"`
	Half    *float64         `json:"half"`
	Nested  []map[string]any `json:"nested"`
}

// A struct is written with its members in canonical order, numbers and strings in
// canonical form, and empty texts as null.
func TestMarshal(t *testing.T) {
	half := 0.5
	d := document{
		Version: "<v/1> & \u2028", Link: "x", Counts: map[string]int{"b": 1, "a": 1 << 53}, Half: &half,
		List: []any{1e21, math.Copysign(0, -1), 1e-7, uint64(7), "\x01", true, nil}, Nested: []map[string]any{{"\ufb33": 1, "😀": 2}, {}},
	}
	want := `{"counts":{"a":9007199254740992,"b":1},"half":0.5,"link":"x","list":[1e+21,0,1e-7,7,"\u0001",true,null],` +
		`"nested":[{"😀":2,"` + "\ufb33" + `":1},{}],"note":null,"schemaVersion":"<v/1> & ` + "\u2028" + `","é":false}`
	if got, err := canonical.Marshal(d); string(got) != want || err != nil {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if got := string(canonical.MustMarshal(d)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What has no canonical text is refused.
func TestMarshalRefuses(t *testing.T) {
	for name, v := range map[string]any{
		"2^53+1":     []int64{1<<53 + 1},
		"NaN":        math.NaN(),
		"a function": func() {},
	} {
		if got, err := canonical.Marshal(v); err == nil {
			t.Errorf("%s is written %s", name, got)
		}
	}
	if _, err := canonical.Marshal(int64(1<<53 + 1)); !strings.Contains(err.Error(), "9007199254740993") {
		t.Errorf("the error does not name the number: %v", err)
	}
}
