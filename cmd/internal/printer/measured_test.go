package printer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/record"
)

// Each value names its source and the day on which that was seen, and of a contradiction it is said
// whose value is whose. What ran in one way comes together, but not what a source says at two addresses.
func TestWhoseValueIsWhose(t *testing.T) {
	said := func(source, from, uri string, facts ...any) comparetest.Statement {
		return comparetest.Statement{ID: "m", Execution: comparetest.At("shop"), From: from, Measurements: facts,
			Evidence: []string{source + ":row"}, URI: uri}
	}
	const unit = "USD/token"
	c := comparetest.Compile(t, comparetest.June2,
		said("first", comparetest.May1, "https://first.example", comparetest.Fact("price.output", 2e-6, unit),
			comparetest.Fact("limits.context", 1000, "tokens"), comparetest.Fact("tools", true)),
		said("second", comparetest.May2, "https://second.example", comparetest.Fact("price.output", 3e-6, unit),
			comparetest.Fact("limits.context", 1000, "tokens")),
		said("second", comparetest.May2, "https://second.example/other", comparetest.Fact("zeal", "high")),
		comparetest.Statement{ID: "m", Execution: comparetest.At("own"), Measurements: []any{comparetest.Fact("tools", false)},
			Source: "first-party"})
	list, err := contents.Measurements(t.Context(), c, []*catalog.ModelEntry{&c.Models()[0]}, contents.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	screen := console.New(&out, &out)
	New(screen).Contents(list, &record.CatalogBuild{}, c)
	if err := screen.Flush(); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "1 conflict\n")
	for _, o := range c.Models()[0].Observations {
		got = strings.ReplaceAll(got, o.ID()[:shortHash], "ID")
	}
	if want := `
shop
  observed 2026-05-02, holds without end; external: second
    https://second.example
  observed 2026-05-01, holds without end; external: first
    https://first.example
  limits.context  1,000 tokens              second 2026-05-02  ID +1
                                            first 2026-05-01
  price.output    $3.00 per million tokens  second 2026-05-02  ID
    contradicted  $2.00 per million tokens  first 2026-05-01   ID
  tools           true                      first 2026-05-01   ID

own
  observed 2026-05-01, holds without end; first-party
  tools  false  first-party 2026-05-01  ID

shop
  observed 2026-05-02, holds without end; external: second
    https://second.example/other
  zeal  high  second 2026-05-02  ID
`; got != want {
		t.Errorf("%s\nwant%s", got, want)
	}
}

// Where there is little room, a text that is too wide for its column sends what follows to the next
// line, and every source stays beside its value.
func TestNarrowRows(t *testing.T) {
	rows := []measuredRow{
		{keys: []string{"price.input"}, short: []string{"$1.00 per million"}, sources: []string{"list 2026-05-01", "shop 2026-05-02"}},
		{keys: []string{"price.input@context>272000"}, short: []string{"$2.00 per million"}, sources: []string{"list 2026-05-01"}},
		{keys: []string{"offer.docs", "  contradicted"}, short: []string{"https://shop.example/docs", "none"},
			sources: []string{"list 2026-05-01", "shop 2026-05-02"}},
	}
	for width, want := range map[int]string{
		56: `
  price.input     $1.00 per million  list 2026-05-01
                                     shop 2026-05-02
  price.input@context>272000
                  $2.00 per million  list 2026-05-01
  offer.docs      https://shop.example/docs
                                     list 2026-05-01
    contradicted  none               shop 2026-05-02
`,
		30: `
  price.input
      $1.00 per million
        list 2026-05-01
        shop 2026-05-02
  price.input@context>272000
      $2.00 per million
        list 2026-05-01
  offer.docs
      https://shop.example/docs
        list 2026-05-01
    contradicted
      none
        shop 2026-05-02
`} {
		if got := "\n" + narrowRows(rows, width); got != want {
			t.Errorf("%d columns: %s\nwant%s", width, got, want)
		}
	}
}
