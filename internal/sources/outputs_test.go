package sources_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/endpoints"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmarena"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/sources/swebench"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// What comes out of a file must not change by a bit as long as the version of its
// adapter does not: ids would. So the outputs of the examples and of real files
// are kept as digests, a line for each import:
//
//	<name> observations <sha256> diagnostics <sha256> acquisition <sha256>
//	<name> refused <first fault>
//
// go test ./internal/sources -run Outputs -update writes the lines anew, those too
// that have nothing but a name.
var update = flag.Bool("update", false, "write the outputs of all imports into testdata")

// holdOutputs makes the import that each line of a file in testdata names, and
// compares what comes of it.
func holdOutputs(t *testing.T, file string, makeImport func(name string) (*sources.Result, error)) {
	t.Helper()
	path := filepath.Join("testdata", file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var anew strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		name, _, _ := strings.Cut(line, " ")
		got := name + " " + output(makeImport(name))
		if got != line && !*update {
			t.Errorf("%s is another:\n%s\nwas\n%s", path, got, line)
		}
		anew.WriteString(got + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(anew.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// output is what a line says of an import. Of the manifest only the part that
// approves the source has a say in it, so its digest is left out.
func output(r *sources.Result, err error) string {
	if err != nil {
		return "refused " + problem.All(err)[0].Error()
	}
	var diagnostics strings.Builder
	for _, d := range r.Diagnostics {
		fmt.Fprintf(&diagnostics, "%s:%d:%d: %s\n", d.Place.File, d.Place.Line, d.Place.Column, d.String())
	}
	acquisition := *r.Acquisition
	acquisition.ManifestDigest = ""
	return fmt.Sprintf("observations %s diagnostics %s acquisition %s", canonical.Sum([]byte(sourcetest.Text(r))),
		canonical.Sum([]byte(diagnostics.String())), canonical.Sum(acquisition.JSON()))
}

// A line of the examples names their folder, in which are a mapping and bodies with
// their envelopes.
func TestOutputsOfExamples(t *testing.T) {
	adapters := map[string]sources.Adapter{"aider": aider.New(), "every-eval-ever": everyeval.New(), "livebench": livebench.New(), "lm-eval": lmeval.New(), "lmarena": lmarena.New(), "openrouter": openrouter.New(), "openrouter-endpoints": endpoints.New(), "swe-bench": swebench.New()}
	holdOutputs(t, "example-outputs.txt", func(name string) (*sources.Result, error) {
		folder := filepath.Join("../../examples/sources", name)
		read := func(file string) problem.Source {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			return problem.Source{Name: file, Text: string(text)}
		}
		envelopes, err := filepath.Glob(filepath.Join(folder, "*"+sources.EnvelopeSuffix))
		if err != nil {
			t.Fatal(err)
		}
		var files []sources.File
		for _, path := range envelopes {
			envelope := filepath.Base(path)
			files = append(files, sources.File{Body: read(strings.TrimSuffix(envelope, sources.EnvelopeSuffix)), Envelope: read(envelope)})
		}
		return sourcetest.Import(t, adapters[name], read("mapping.json"), files...)
	})
}

// A line of the real files names one. Every row is mapped, by the same entry.
func TestOutputsOfRealFiles(t *testing.T) {
	vectortest.SkipLong(t)
	const (
		atlas   = `"model":{"id":"%ROW%","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"`
		runtime = `"runtime":{"id":"api","version":null}`
		profile = `"adapter":null,"effectiveContextTokens":4096,"toolSurface":[],"hardware":{"class":"server","accelerator":"h100","memoryBytes":null}`
	)
	vectortest.Data(t, "data") // or the test skips
	holdOutputs(t, "real-outputs.txt", func(name string) (*sources.Result, error) {
		body := vectortest.DataText(t, "data", name)
		pin := func(source, url string) sources.File { return sourcetest.Pin(t, source, url, fetchedAt, body) }
		switch folder, _, _ := strings.Cut(name, "/"); folder {
		case "aider":
			url := "https://raw.githubusercontent.com/Aider-AI/aider/" + strings.Repeat("0", 40) + "/aider/website/_data/polyglot_leaderboard.yml"
			return sourcetest.ImportAll(t, aider.New(), `{`+atlas+`,`+runtime+`}`, pin(aider.Source, url))
		case "openrouter":
			return sourcetest.ImportAll(t, openrouter.New(), `{`+atlas+`}`, pin(openrouter.Source, modelsURL))
		case "lm-eval":
			entry := `{` + atlas + `,` + runtime + `,` + profile + `,"families":{},"defaultFamily":"general"}`
			return sourcetest.ImportAll(t, lmeval.New(), entry, pin(lmeval.Source, "urn:lm-eval:team/run-1"))
		case "livebench":
			release := strings.TrimPrefix(path.Base(name), "table_")[:len("2026_01_08")] // table_2026_01_08.2026-05-22.67070cdf.csv
			table := pin(livebench.Source, "https://livebench.ai/table_"+release+".csv")
			file := "categories_" + release + ".json"
			categories := sourcetest.Pin(t, livebench.Source, "https://livebench.ai/"+file, fetchedAt, vectortest.DataText(t, "data", "livebench", file))
			return sourcetest.ImportAll(t, livebench.New(), `{`+atlas+`,`+runtime+`,"workflowCondition":null}`, table, categories)
		}
		t.Fatalf("%s is of no source", name)
		return nil, nil
	})
}
