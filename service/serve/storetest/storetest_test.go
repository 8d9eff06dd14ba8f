package storetest_test

import (
	"testing"

	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/serve/storetest"
	"github.com/model-catalog-service/svc/service/verify"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, bundle *verify.Bundle) serve.Store {
		store, err := serve.NewMemoryStore(bundle)
		if err != nil {
			t.Fatal(err)
		}
		return store
	})
}
