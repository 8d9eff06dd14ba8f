package catalog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// The numbers of the package comment, found again as it says.
func TestExample(t *testing.T) {
	const observation = `{"schemaVersion":"service.observation/v2","kind":"declaration",
		"model":{"id":"acme/atlas","revision":null,"quantization":null},"execution":null,"task":null,
		"measurements":[{"key":"limits.context","kind":"fact","value":131072,"unit":"tokens"}],"outcome":null,"usage":null,"sourceClass":"external",
		"evidence":[{"id":"datasheet","kind":"document","uri":null,"digest":null,"observedAt":"2026-07-01T00:00:00.000Z"}],
		"freshness":{"observedAt":"2026-07-01T00:00:00.000Z","validUntil":null},
		"uncertainty":{"level":"low","basis":["vendor datasheet"],"gaps":[]}}`
	c, _, err := catalog.Compile(t.Context(), []string{observation}, catalog.Options{AsOf: "2026-07-18T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Serialize())
	key := canonical.Sum([]byte(`{"id":"acme/atlas","quantization":null,"revision":null}`))
	if len(text) != 958 || !strings.HasPrefix(key, "955f7cf9") || c.Models()[0].Key != key {
		t.Errorf("%d bytes, key %s of %s", len(text), c.Models()[0].Key, key)
	}
	digest := canonical.Sum([]byte(regexp.MustCompile(`"digest":"[^"]*","models"`).ReplaceAllString(text, `"models"`)))
	if !strings.HasPrefix(digest, "1f9b254f") || c.Digest() != digest {
		t.Errorf("digest %s, found again %s", c.Digest(), digest)
	}
}
