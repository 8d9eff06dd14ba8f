package cmd

import (
	"context"
	"crypto/sha256"
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
	"github.com/model-catalog-service/svc/internal/catalog"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
)

type attestOptions struct {
	catalog  string
	key      string
	source   string
	channel  string
	build    string
	withdraw string
	reason   string
	now      string
	out      string
}

func newAttest(run func(context.Context, attestOptions) error) *cobra.Command {
	var opts attestOptions
	return option.Declare(&cobra.Command{
		Use: "attest CATALOG --key PEM --source ID --channel FILE [--build FILE] [--now TIME] [-o FILE]\n" +
			"svc attest --withdraw DIGEST --reason TEXT --channel FILE [--now TIME]",
		Short:             "Sign a catalog, and publish or withdraw it as a claim",
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
		option.Option{Name: "key", Value: option.Text(&opts.key), Offer: option.Endings("pem", "key"),
			Usage: "file with the private key that signs, in `PEM`: PKCS #8, Ed25519 or ECDSA P-256"},
		option.Option{Name: "source", Value: option.Text(&opts.source), Offer: option.Nothing,
			Usage: "`ID` that names you in claims and answers"},
		option.Option{Name: "channel", Value: option.Text(&opts.channel), Required: true, Offer: option.Endings("json"),
			Usage: "`FILE` with the claims of your catalogs, for svc verify-load; it is made or continued"},
		buildOption(&opts.build),
		option.Option{Name: "withdraw", Value: digestOption(&opts.withdraw), Offer: option.Nothing,
			Usage: "`DIGEST` of a catalog to take back"},
		option.Option{Name: "reason", Value: option.Text(&opts.reason), Offer: option.Nothing,
			Usage: "`TEXT` that says why it is taken back"},
		option.Option{Name: "now", Value: option.Instant(&opts.now, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` of the publication (default now)"},
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
	switch {
	case o.withdraw == "" && o.reason != "":
		return option.Errorf("Option without --withdraw: --reason")
	case o.withdraw != "" && strings.TrimSpace(o.reason) == "":
		return option.Errorf("Missing option: --reason")
	case o.withdraw != "" && o.key+o.source+o.build+o.out != "":
		return option.Errorf("Options that exclude each other: --withdraw and those of a CATALOG")
	case o.withdraw == "" && o.key == "":
		return option.Errorf("Missing option: --key")
	case o.withdraw == "" && o.source == "":
		return option.Errorf("Missing option: --source")
	}
	if o.now == "" {
		o.now, _ = timestamp.Format(time.Now())
	}
	return nil
}

// attest signs a catalog, and adds it to the channel of its source; or takes one back.
func (p *program) attest(ctx context.Context, opts attestOptions) error {
	c, err := readChannel(opts.channel)
	if err != nil {
		return err
	}
	if opts.withdraw != "" {
		if c == nil {
			return files.Named(opts.channel, fs.ErrNotExist)
		}
		if err := c.Withdraw(opts.withdraw, opts.reason, opts.now); err != nil {
			return files.Named(opts.channel, err)
		}
		return disk.WriteText(ctx, opts.channel, string(c.JSON()))
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
	build, err := buildOf(opts.build, opts.catalog, about.Digest)
	if err != nil {
		return err
	}
	if build.Catalog == "" {
		build = nil
	}
	signer, err := readSigningKey(opts.key)
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
		_, err := w.Write(append(envelope.AppendJSON(nil), '\n'))
		return err
	})
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
	return &channel.Catalog{Digest: c.Digest(), File: fmt.Sprintf("%x", sha256.Sum256([]byte(source.Text))),
		AsOf: c.AsOf()}, nil
}
