package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
)

type pushOptions struct {
	catalog, name            string
	build, lock, attestation string // empty for those beside the catalog
}

func newPush(run func(context.Context, pushOptions) error) *cobra.Command {
	var opts pushOptions
	return option.Declare(&cobra.Command{
		Use:               "push CATALOG oci://HOST/REPOSITORY:TAG [--build FILE] [--lock FILE] [--attestation FILE]",
		Short:             "Put a catalog into a registry",
		SuggestFor:        []string{"upload", "publish"},
		ValidArgsFunction: option.Endings("json"),
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return option.Errorf("Missing argument: CATALOG")
			case 1:
				return option.Errorf("Missing argument: oci://HOST/REPOSITORY:TAG")
			case 2:
				opts.catalog, opts.name = args[0], args[1]
				return nil
			}
			return option.Errorf("Unexpected argument: %s", args[2])
		},
		RunE: option.Run(run, &opts, func() error { return checkRegistryName(opts.name) }),
	},
		buildOption(&opts.build),
		option.Option{Name: "lock", Value: option.Text(&opts.lock), Offer: option.Endings("json"),
			Usage: "`FILE` with the lock of the catalog (default the one beside it)"},
		option.Option{Name: "attestation", Value: option.Text(&opts.attestation), Offer: option.Endings("json"),
			Usage: "`FILE` with what svc attest printed (default the one beside CATALOG)"},
	)
}

// push puts a catalog into a registry, with what stands beside it.
func (p *program) push(ctx context.Context, opts pushOptions) error {
	in, err := p.inputs(opts.catalog)
	if err != nil {
		return err
	}
	source, c, err := p.readSnapshot(ctx, in.Files[0])
	if err != nil {
		return err
	}
	about := describe(source.Text, c)
	what := &registry.Catalog{Text: source.Text, Digest: c.Digest(), AsOf: c.AsOf()}
	stem := strings.TrimSuffix(opts.catalog, ".json")
	what.Build, err = p.companion(opts.build, stem+".build.json", func(src problem.Source) (bool, error) {
		b, err := recipe.ReadBuild(src)
		return err == nil && b.Catalog == c.Digest(), files.OtherKind(src, files.CatalogBuild, err)
	})
	if err != nil {
		return err
	}
	what.Lock, err = p.companion(opts.lock, stem+".lock.json", func(src problem.Source) (bool, error) {
		l, err := recipe.ReadLock(src)
		return err == nil && l.Catalog == c.Digest(), files.OtherKind(src, files.CatalogLock, err)
	})
	if err != nil {
		return err
	}
	envelope, err := p.companion(opts.attestation, stem+".attestation.json", func(src problem.Source) (bool, error) {
		e, err := dsse.ReadEnvelope(strings.TrimSpace(src.Text))
		return err == nil && channel.IsAbout(e, about), err
	})
	if err != nil {
		return err
	}
	if envelope != "" {
		what.Attestations = []string{strings.TrimSpace(envelope)}
	}
	client, err := p.registries()
	if err != nil {
		return err
	}
	name, err := client.Push(ctx, opts.name, what)
	if err != nil {
		return files.Named(opts.name, err)
	}
	p.Print(name + "\n")
	return nil
}

// companion reads a file that belongs to a catalog: the one that is named, or else the one beside
// it, if it is there and about this catalog.
func (p *program) companion(named, beside string, isAbout func(problem.Source) (bool, error)) (string, error) {
	name := cmp.Or(named, beside)
	text, err := disk.Read(name, registry.MaxRecord)
	if errors.Is(err, fs.ErrNotExist) && named == "" || registry.IsName(name) {
		return "", nil
	} else if err != nil {
		return "", files.Named(name, err)
	}
	switch ok, err := isAbout(problem.Source{Name: name, Text: text}); {
	case err != nil:
		return "", files.Named(name, err)
	case ok:
		return text, nil
	case named != "":
		return "", files.Named(name, errors.New("tells of another catalog"))
	}
	p.Warn("%s tells of another catalog: it is left out", name)
	return "", nil
}
