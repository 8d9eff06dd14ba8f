package cmd

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/access"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
)

type pullOptions struct{ name, out string }

func newPull(run func(context.Context, pullOptions) error) *cobra.Command {
	opts := pullOptions{out: recipe.Catalog}
	return option.Declare(&cobra.Command{
		Use:        "pull oci://HOST/REPOSITORY:TAG [-o FILE]",
		Short:      "Get a catalog out of a registry",
		SuggestFor: []string{"download"},
		Args:       option.OneArgument(&opts.name, "oci://HOST/REPOSITORY:TAG"),
		RunE:       option.Run(run, &opts, func() error { return checkRegistryName(opts.name) }),
	}, option.Out(&opts.out, "json"))
}

// checkRegistryName refuses what is no name of a registry.
func checkRegistryName(name string) error {
	if !registry.IsName(name) {
		return option.Errorf("Unexpected argument: %s (%v)", name, registry.ErrName)
	}
	return nil
}

// pull writes what a registry has of a catalog: its file, and what stands beside it.
func (p *program) pull(ctx context.Context, opts pullOptions) error {
	if opts.out == option.Stdin {
		return option.Errorf("Unexpected value for --out: - (the lock and others stand beside the file)")
	}
	in := p.newInputs()
	snapshot, err := in.AddFile(opts.name)
	if err != nil {
		return err
	}
	if _, _, err := p.readTrusted(ctx, snapshot); err != nil {
		return err
	}
	got, err := p.fromRegistry(ctx, opts.name)
	if err != nil {
		return err
	}
	stem, attestation := strings.TrimSuffix(opts.out, ".json"), ""
	if len(got.Attestations) > 0 {
		attestation = got.Attestations[len(got.Attestations)-1]
	}
	for _, f := range []struct{ name, text string }{
		{stem + ".lock.json", got.Lock}, {stem + ".build.json", got.Build}, {stem + ".attestation.json", attestation},
		{opts.out, got.Text},
	} {
		if f.text == "" {
			continue
		}
		if err := disk.WriteText(ctx, f.name, f.text); err != nil {
			return files.Named(f.name, err)
		}
	}
	p.Print(got.Name + "\n")
	return nil
}

// registries returns the client of registries.
func (p *program) registries() (*registry.Client, error) {
	roots, err := access.Roots(p.config.Registry.CA)
	if err != nil {
		return nil, err
	}
	return registry.New(roots)
}

// fromRegistry returns what a registry has by a name, once for each name.
func (p *program) fromRegistry(ctx context.Context, name string) (*registry.Catalog, error) {
	if got := p.pulled[name]; got != nil {
		return got, nil
	}
	client, err := p.registries()
	if err != nil {
		return nil, err
	}
	got, err := client.Pull(ctx, name)
	if err != nil {
		return nil, files.Named(name, err)
	}
	if p.pulled == nil {
		p.pulled = map[string]*registry.Catalog{}
	}
	p.pulled[name] = got
	return got, nil
}

// newInputs returns inputs, which may be in registries.
func (p *program) newInputs() *files.Inputs {
	return files.New(p.stdin).WithFetch(func(ctx context.Context, name string) (string, error) {
		got, err := p.fromRegistry(ctx, name)
		if err != nil {
			return "", err
		}
		return got.Text, nil
	})
}

// envelopesOf returns the attestations of a catalog: of a registry, or beside its file.
func (p *program) envelopesOf(ctx context.Context, name string) ([]string, error) {
	if !registry.IsName(name) {
		beside := strings.TrimSuffix(name, ".json") + ".attestation.json"
		text, err := disk.Read(beside, registry.MaxRecord)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, files.Named(beside, err)
		}
		return []string{strings.TrimSpace(text)}, nil
	}
	got, err := p.fromRegistry(ctx, name)
	if err != nil {
		return nil, err
	}
	return got.Attestations, nil
}
