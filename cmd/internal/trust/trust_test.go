package trust

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/standing"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// The recipe beside a catalog says whom to believe, or else the configuration, or nobody; from a registry nothing unsigned is taken.
func TestPolicies(t *testing.T) {
	t.Parallel()
	here, there := t.TempDir(), t.TempDir()
	about := channel.Catalog{Digest: strings.Repeat("a", 64), File: strings.Repeat("f", 64), AsOf: "2026-11-01T00:00:00.000Z"}
	pairs := map[string]verifytest.KeyPair{here: verifytest.NewEd25519(t), there: verifytest.NewEd25519(t)}
	for folder, pair := range pairs {
		if err := os.WriteFile(filepath.Join(folder, "key.pem"), verifytest.PublicPEM(t, pair.Private.Public()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(here, "catalog.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const plain = "version: 1\nsources: { models-dev: }\n"
	of := func(folder string) []string {
		e, err := dsse.Sign(t.Context(), channel.Statement("catalog.json", about, nil), pairs[folder].Signer)
		if err != nil {
			t.Fatal(err)
		}
		return []string{string(e.AppendJSON(nil))}
	}
	own := config.Trust{Key: filepath.Join(there, "key.pem"), MaxAge: "24h"}
	file, pulled := filepath.Join(here, "catalog.json"), "oci://registry.example/catalog:latest"
	for name, test := range map[string]struct {
		recipe    string
		own       config.Trust
		name      string
		envelopes []string
		want      standing.State
		refused   error
	}{
		"recipe":           {plain + "trust: { key: key.pem }\n", own, file, of(here), standing.Verified, nil},
		"other than hers":  {plain + "trust: { key: key.pem }\n", own, file, of(there), standing.Unknown, nil},
		"configuration":    {plain, own, file, of(there), standing.Verified, nil},
		"nobody":           {plain, config.Trust{}, file, of(there), "", nil},
		"sample":           {plain, own, files.Sample, nil, "", nil},
		"pipe":             {plain, own, option.Stdin, nil, "", nil},
		"registry":         {plain, own, pulled, of(there), standing.Verified, nil},
		"unsigned there":   {plain, own, pulled, nil, standing.Unknown, ErrUnsigned},
		"signed by others": {plain, own, pulled, of(here), standing.Unknown, ErrUnsigned},
	} {
		write(test.recipe)
		p := Policies{Own: test.own, Sources: func() []string { return []string{"models-dev"} }}
		v, err := p.Judge(t.Context(), Catalog{Name: test.name, About: about, Envelopes: func() ([]string, error) { return test.envelopes, nil }})
		if v.State != test.want || !errors.Is(err, test.refused) || test.refused != nil && !errors.As(err, new(*RefusedError)) || v.MayChange() {
			t.Errorf("%s: %+v, %v", name, v.Standing, err)
		}
	}
	write("trust: [")
	if _, err := (Policies{Own: own, Sources: func() []string { return nil }}).Judge(context.Background(), Catalog{Name: file}); err == nil {
		t.Error("a recipe that cannot be read lets the configuration decide")
	}
}
