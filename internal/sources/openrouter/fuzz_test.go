package openrouter_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

func FuzzImport(f *testing.F) {
	f.Add(answer(atlas, basalt))
	f.Add(answer(with(atlas, `"acme/atlas-70b"`, `"~acme/atlas"`), with(basalt, `"0.00003"`, `"-1"`)))
	f.Add(`{"data":[{"id":"x:free","pricing":{"overrides":[{}],"prompt":"0"}},{"id":"x"}],"total_count":2,"links":{"next":null}}`)
	f.Add(`[{"id":"x"}]`)
	f.Fuzz(func(t *testing.T, body string) {
		file, err := sourcetest.TryPin(t, openrouter.Source, url, fetchedAt, body)
		if err != nil {
			return
		}
		sourcetest.Fuzz(t, openrouter.New(), entry, file)
	})
}
