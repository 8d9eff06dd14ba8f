package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/signing"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	builder "github.com/model-catalog-service/svc/internal/sources/build"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/service/record"
)

type attestOptions struct {
	catalog string
	signing.Key
	source   string
	channel  string
	build    string
	withdraw string
	reason   string
	now      string
	out      string
	sigstore bool   // the envelope in a bundle of Sigstore
	again    bool   // make the catalog again of its lock, and compare
	recipe   string // empty for the one that is found
	lock     string // empty for the one beside the catalog, or else beside the recipe
}

func newAttest(run func(context.Context, attestOptions) error) *cobra.Command {
	var opts attestOptions
	return option.Declare(&cobra.Command{
		Use: "attest CATALOG --key PEM --source ID --channel FILE [--build FILE] [--now TIME] [--sigstore] [-o FILE]\n" +
			"svc attest --withdraw DIGEST --reason TEXT --channel FILE [--now TIME]\n" +
			"svc attest --check CATALOG [--recipe FILE] [--lock FILE]",
		Short:             "Sign a catalog, publish it as a claim, or make it again",
		ValidArgsFunction: option.Endings("json"),
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case opts.withdraw == "" && len(args) == 0:
				return option.Errorf("Missing argument: CATALOG")
			case opts.withdraw == "" && len(args) == 1:
				opts.catalog = args[0]
			case len(args) > 0:
				return option.Errorf("Unexpected argument: %s", args[len(args)-1])
			}
			return nil
		},
		RunE: option.Run(run, &opts, opts.check),
	},
		option.Option{Name: "key", Value: option.Text(&opts.File), Offer: option.Endings("pem", "key"),
			Usage: "file with the private key that signs, in `PEM`: PKCS #8, Ed25519 or ECDSA P-256"},
		opts.CommandOption(),
		option.Option{Name: "source", Value: option.Text(&opts.source), Offer: option.Nothing,
			Usage: "`ID` that names you in claims and answers"},
		option.Option{Name: "channel", Value: option.Text(&opts.channel), Offer: option.Endings("json"),
			Usage: "`FILE` with the claims of your catalogs, for svc verify-load; it is made or continued"},
		buildOption(&opts.build),
		option.Option{Name: "withdraw", Value: digestOption(&opts.withdraw), Offer: option.Nothing,
			Usage: "`DIGEST` of a catalog to take back"},
		option.Option{Name: "reason", Value: option.Text(&opts.reason), Offer: option.Nothing,
			Usage: "`TEXT` that says why it is taken back"},
		option.Option{Name: "now", Value: option.Instant(&opts.now, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` of the publication (default now)"},
		option.Option{Name: "sigstore", Value: option.Bool(&opts.sigstore),
			Usage: "write the envelope in a bundle of Sigstore, version 0.3, for cosign and its like"},
		option.Option{Name: "check", Value: option.Bool(&opts.again),
			Usage: "make the catalog again of what its lock names, and say what differs; exit with 3 if anything does"},
		option.Option{Name: "recipe", Value: option.Text(&opts.recipe), Offer: option.Endings("yaml", "yml"),
			Usage: "`FILE` with the recipe, beside its store (default catalog.yaml here or in a folder above)"},
		option.Option{Name: "lock", Value: option.Text(&opts.lock), Offer: option.Endings("json"),
			Usage: "`FILE` with the lock (default the one beside CATALOG, or else that of the recipe)"},
		option.Out(&opts.out, "json"),
	)
}

// digestOption takes the digest of a catalog, with or without sha256: before it.
func digestOption(p *string) option.Value {
	return option.Func(func(text string) error {
		digest, ok := channel.Digest(channel.Ref(strings.TrimPrefix(text, "sha256:")))
		if !ok {
			return errors.New("must be the digest of a catalog, 64 hexadecimal digits")
		}
		*p = digest
		return nil
	})
}

func (o *attestOptions) check() error {
	others := o.File + o.Command + o.source + o.build + o.out
	switch {
	case o.again && (o.sigstore || others+o.channel+o.withdraw+o.reason+o.now != ""):
		return option.Errorf("Options that exclude each other: --check and those that sign, publish or withdraw")
	case o.again:
		return nil
	case o.recipe+o.lock != "":
		return option.Errorf("Options for --check alone: --recipe, --lock")
	case o.channel == "":
		return option.Errorf("Missing option: --channel")
	case o.withdraw == "" && o.reason != "":
		return option.Errorf("Option without --withdraw: --reason")
	case o.withdraw != "" && strings.TrimSpace(o.reason) == "":
		return option.Errorf("Missing option: --reason")
	case o.withdraw != "" && (o.sigstore || others != ""):
		return option.Errorf("Options that exclude each other: --withdraw and those of a CATALOG")
	case o.withdraw == "" && !o.IsNamed():
		return option.Errorf("Missing option: --key or --signer-command")
	case o.File != "" && o.Command != "":
		return option.Errorf("Options that exclude each other: --key and --signer-command")
	case o.withdraw == "" && o.source == "":
		return option.Errorf("Missing option: --source")
	}
	if o.now == "" {
		o.now, _ = timestamp.Format(time.Now())
	}
	return nil
}

// attest signs a catalog, and adds it to the channel of its source; or takes one back, or makes one
// again.
func (p *program) attest(ctx context.Context, opts attestOptions) error {
	if opts.again {
		return p.makeAgain(ctx, opts)
	}
	c, err := readChannel(opts.channel)
	if err != nil {
		return err
	}
	if opts.withdraw != "" {
		return withdraw(ctx, c, opts)
	}
	in, out, err := p.open(opts.out, opts.catalog)
	if err != nil {
		return err
	}
	source, err := in.Files[0].Read(ctx, files.MaxWhole, func(int64) {})
	if err != nil {
		return err
	}
	about, err := describeCatalog(ctx, source)
	if err != nil {
		return err
	}
	build, err := p.buildOf(opts.build, opts.catalog, about.Digest)
	if err != nil {
		return err
	}
	if build.Catalog == "" {
		build = nil
	}
	signer, _, err := opts.Signer(ctx)
	if err != nil {
		return err
	}
	envelope, err := dsse.Sign(ctx, channel.Statement(filepath.Base(opts.catalog), *about, build), signer)
	if err != nil {
		return err
	}
	if c == nil {
		c = channel.New(opts.source)
	}
	if c.Source() != opts.source {
		return files.Named(opts.channel, fmt.Errorf("is the channel of %s", console.Clip(c.Source())))
	}
	if err := c.Publish(*about, build, opts.now); err != nil {
		return files.Named(opts.channel, err)
	}
	if err := disk.WriteText(ctx, opts.channel, string(c.JSON())); err != nil {
		return err
	}
	return out.Write(ctx, func(w io.Writer) error {
		text := envelope.AppendJSON
		if opts.sigstore {
			text = envelope.AppendSigstore
		}
		_, err := w.Write(append(text(nil), '\n'))
		return err
	})
}

// withdraw takes a catalog back.
func withdraw(ctx context.Context, c *channel.Channel, opts attestOptions) error {
	if c == nil {
		return files.Named(opts.channel, fs.ErrNotExist)
	}
	if err := c.Withdraw(opts.withdraw, opts.reason, opts.now); err != nil {
		return files.Named(opts.channel, err)
	}
	return disk.WriteText(ctx, opts.channel, string(c.JSON()))
}

// readChannel reads the channel in a file, nil if there is none yet.
func readChannel(name string) (*channel.Channel, error) {
	text, err := disk.Read(name, files.MaxWhole)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, files.Named(name, err)
	}
	source := problem.Source{Name: name, Text: text}
	c, err := channel.Read(source)
	if err != nil {
		return nil, files.OtherKind(source, files.TrustBundle, err)
	}
	return c, nil
}

// describeCatalog returns what claims say of a catalog.
func describeCatalog(ctx context.Context, source problem.Source) (*channel.Catalog, error) {
	c, err := catalog.Parse(ctx, source)
	if err != nil {
		return nil, files.OtherKind(source, files.Catalog, err)
	}
	about := describe(source.Text, c)
	return &about, nil
}

// describe returns what claims say of a catalog that was read from a text.
func describe(text string, c *catalog.Catalog) channel.Catalog {
	return channel.Catalog{Digest: c.Digest(), File: canonical.SumText(text), AsOf: c.AsOf()}
}

// makeAgain makes a catalog of what its lock names, and says what differs.
func (p *program) makeAgain(ctx context.Context, opts attestOptions) error {
	in, err := p.inputs(opts.catalog)
	if err != nil {
		return err
	}
	held, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	src, r, err := readRecipe(opts.recipe)
	if err != nil {
		return err
	}
	folder := filepath.Dir(src.Name)
	src.Name = filepath.Base(src.Name)
	locked, err := readCatalogLock(opts.lock, strings.TrimSuffix(opts.catalog, ".json")+".lock.json",
		filepath.Join(folder, recipe.LockName))
	if err != nil {
		return err
	}
	kept, err := p.openStore(ctx, folder)
	if err != nil {
		return err
	}
	defer kept.Close()
	checked, err := builder.Check(ctx, builder.Request{
		Recipe: r, Text: src, Folder: folder, Store: kept, Adapters: adapters(), Manifest: packagedManifest(),
		Version: thisBuild().Version, Lock: locked, Fetch: download.Options{World: p.world},
	}, held)
	if err != nil {
		return err
	}
	if checked.Differences == nil {
		p.Printf("%s is what its lock makes: %s\n", opts.catalog, held.Digest())
		return nil
	}
	return p.printDifferences(checked)
}

// printDifferences prints what is not what a lock names. Where all of it is gone, nothing could be
// compared.
func (p *program) printDifferences(checked builder.Checked) error {
	var t console.Table
	t.Head(p.Out, "SOURCE", "WHAT", "EXPECTED", "FOUND")
	code := exitError(exitFailure)
	for _, d := range checked.Differences {
		if d.Found != "" {
			code = exitNo
		}
		t.Add(console.Text(cmp.Or(d.Source, "-")), console.Text(console.Printable(d.What)),
			console.Text(cmp.Or(d.Expected, "nothing")), console.Text(cmp.Or(d.Found, "nothing")))
	}
	p.Print(t.Fit(p.Width()))
	if checked.OtherRules != "" {
		p.Warn("%s", checked.OtherRules)
	}
	return code
}

// readCatalogLock reads the lock that is named, or else the one beside the catalog, or else that of
// the recipe.
func readCatalogLock(named, beside, ofRecipe string) (*record.CatalogLock, error) {
	name := cmp.Or(named, beside)
	text, err := disk.Read(name, files.MaxWhole)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		name = ofRecipe
		text, err = disk.Read(name, files.MaxWhole)
	}
	if err != nil {
		return nil, files.Named(name, err)
	}
	src := problem.Source{Name: name, Text: text}
	l, err := recipe.ReadLock(src)
	return l, files.OtherKind(src, files.CatalogLock, err)
}
