package livebench_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

func FuzzImport(f *testing.F) {
	f.Add(head+atlas+basalt, categories)
	f.Add(head+"cobalt,88.0,73.", categories)
	f.Add("model,a\n\nx, \n,N/A\n", `{"IF":["a"]}`)
	f.Add("model,\"a\"\r\nx,1\r\n", `{"IF":["a"],"Coding":[]}`)
	f.Fuzz(func(t *testing.T, table, categories string) {
		var files []sources.File
		for kind, body := range map[string]string{"table": table, "categories": categories} {
			file, err := sourcetest.TryPin(t, livebench.Source, url(kind, "2026-01-08"), fetchedAt, body)
			if err != nil {
				return
			}
			files = append(files, file)
		}
		sourcetest.Fuzz(t, livebench.New(), entry, files...)
	})
}
