package explore_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// What nobody sees in a name of a catalog, the page shows.
func TestHiddenCharactersAreShown(t *testing.T) {
	dom, err := os.ReadFile("web/dom.js")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(vectortest.Tool(t, "node", "nodejs"), "--input-type=module", "-")
	c.Stdin = strings.NewReader(string(dom) + `
process.stdout.write(visible("a\0\u0007\u007f\u0085\u200b\u202e\u2067\ufeffb") + visible("é 😀\u200d\n\u2002") + visible(5));`)
	out, err := c.CombinedOutput()
	if want := `a\u0000\u0007\u007f\u0085\u200b\u202e\u2067\ufeffb` + "é 😀\u200d\n\u20025"; err != nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
}

// A report shows them without a script, too, and keeps each name apart from what is around it.
func TestReportShowsHiddenCharacters(t *testing.T) {
	text, err := os.ReadFile("../../examples/observations/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	const model = `"acme/atlas-70b"`
	hidden := strings.ReplaceAll(string(text), model, `"a\u0000\u0007\u0085\u202e\u061cb<"`)
	source := catalog.Source{Name: "facts.json", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(hidden)), nil }}
	c, _, err := catalog.CompileSources(t.Context(), []catalog.Source{source}, catalog.Options{AsOf: "2026-12-01T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	page := report(t, c, explore.Extras{}, explore.ReportOptions{Title: "b\u202ec"})
	for _, part := range []string{`<bdi>a\x00\a\u0085\u202e\u061cb&lt;`, `<title>b\u202ec</title>`} {
		if !strings.Contains(page, part) {
			t.Errorf("it lacks %s", part)
		}
	}
	if strings.ContainsAny(page, "\x00\x07\u0085\u202e\u061c") {
		t.Error("it has hidden characters")
	}
}
