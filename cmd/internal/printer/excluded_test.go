package printer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// Four candidates or more that lack the same are named together, the largest group first.
func TestExcludedTogether(t *testing.T) {
	var list []exclusion
	add := func(n int, name, because, shared string) {
		for i := range n {
			list = append(list, exclusion{fmt.Sprint(name, i), "model", []string{because}, shared})
		}
	}
	add(6, "small", "limits.context is 1, less than 2", "limits.context is less than 2")
	add(3, "mute", "tools is false, not true", "tools is not true")
	add(13, "dear", "price is 2, more than 1", "price is more than 1")
	var out bytes.Buffer
	c := console.New(&out, &out)
	New(c).printExcluded(list, 3, false)
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `
EXCLUDED: 13 because price is more than 1
  dear0, dear1, dear2, dear3, dear4, dear5, dear6, dear7, dear8, dear9 and 3
  more

EXCLUDED: 6 because limits.context is less than 2
  small0, small1, small2, small3, small4 and small5

EXCLUDED  MODEL  BECAUSE
mute0     model  tools is false, not true
mute1     model  tools is false, not true
mute2     model  tools is false, not true
`
	if got := out.String(); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colour elsewhere than on a terminal")
	}
}

// Where everything is excluded, only the first names are printed, however many are asked for.
func TestExcludedAll(t *testing.T) {
	var list []exclusion
	for i := range 92 {
		list = append(list, exclusion{fmt.Sprint("m", i), "model", []string{"because"}, "because"})
	}
	var out bytes.Buffer
	c := console.New(&out, &out)
	New(c).printExcluded(list, 128, true)
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "\nEXCLUDED: 92 because because\n  m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and 82 more\n"; out.String() != want {
		t.Errorf("%s\nnot\n%s", out.String(), want)
	}
}
