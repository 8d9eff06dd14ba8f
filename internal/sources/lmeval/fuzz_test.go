package lmeval_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

func FuzzImport(f *testing.F) {
	f.Add(today)
	f.Add(with(`"exact_match,strict-match":0.5`, `"exact_match,strict-match":-Infinity`))
	f.Add(`{"results":{"t":{"acc":0.5,"acc_stderr":NaN}},"versions":{"t":0},"config":{"model_args":"pretrained=x","limit":1.5}}`)
	f.Add(`{"results":{"t":{"acc,none":1,"a,b,c":2}},"configs":{},"versions":{},"config":{},"model_name":"x","date":0.5}`)
	f.Fuzz(func(t *testing.T, body string) {
		file, err := sourcetest.TryPin(t, lmeval.Source, urn, fetchedAt, body)
		if err != nil {
			return
		}
		sourcetest.Fuzz(t, lmeval.New(), entry, file)
	})
}
