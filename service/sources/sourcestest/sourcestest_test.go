package sourcestest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/sources"
	"github.com/model-catalog-service/svc/service/sources/sourcestest"
)

// Our own adapters conform, on the files of the examples.
func TestAdapters(t *testing.T) {
	manifest, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	for folder, adapter := range map[string]*sources.Adapter{
		"aider": sources.NewAider(), "livebench": sources.NewLiveBench(), "lmarena": sources.NewLMArena(),
		"swe-bench": sources.NewSWEBench(), "openrouter": sources.NewOpenRouter(),
		"openrouter-endpoints": sources.NewOpenRouterEndpoints(), "every-eval-ever": sources.NewEveryEvalEver(),
	} {
		t.Run(folder, func(t *testing.T) {
			sourcestest.Run(t, adapter, request(t, "../../../examples/sources/"+folder, manifest))
		})
	}
}

func request(t *testing.T, folder string, manifest *sources.Manifest) sources.Request {
	t.Helper()
	read := func(name string) service.NamedText {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return service.NamedText{Name: filepath.Base(name), Text: string(text)}
	}
	envelopes, err := filepath.Glob(folder + "/*.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	r := sources.Request{Manifest: manifest, Mapping: read(folder + "/mapping.json")}
	for _, name := range envelopes {
		body := read(strings.TrimSuffix(name, ".snapshot.json"))
		r.Snapshots = append(r.Snapshots, sources.File{Body: body, Envelope: read(name)})
	}
	return r
}
