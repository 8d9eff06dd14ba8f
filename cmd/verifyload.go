package cmd

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

type verifyLoadOptions struct {
	store   store.Address
	bundles []string
	update  bool
}

func newVerifyLoad(run func(context.Context, verifyLoadOptions) error) *cobra.Command {
	var opts verifyLoadOptions
	return option.Declare(&cobra.Command{
		Use:               "verify-load --store ADDRESS BUNDLE... [--update]",
		Short:             "Load trust bundles into a store for verify-serve",
		ValidArgsFunction: option.Endings("json", "jsonl", "ndjson"),
		Args:              option.Files(&opts.bundles, "BUNDLE"),
		RunE:              option.Run(run, &opts),
	},
		option.Option{Name: "store", Value: option.Func(func(text string) (err error) {
			if opts.store, err = store.ParseAddress(text); err == nil && opts.store.ReadOnly() {
				err = store.ErrReadOnly
			}
			if err != nil {
				return option.Hidden(err.Error())
			}
			return nil
		}), Required: true, Offer: offerStores("sqlite:", "postgres://"),
			Usage: "`ADDRESS` of the database: sqlite:PATH or postgres://..., without a password"},
		option.Option{Name: "update", Value: option.Bool(&opts.update),
			Usage: "let claims and authority traces replace older ones"},
	)
}

func (p *program) verifyLoad(ctx context.Context, opts verifyLoadOptions) error {
	setHeapGrowth(heapOfRecords)
	in, err := p.inputs(opts.bundles...)
	if err != nil {
		return err
	}
	var loader *store.Loader
	for _, f := range in.Files {
		bundle, err := p.readBundle(ctx, f)
		if err != nil {
			return err
		}
		if loader == nil { // a bad bundle alone makes no database
			if loader, err = store.OpenLoader(ctx, opts.store); err != nil {
				return storeError(err)
			}
			defer loader.Close() // what is to be kept is committed
		}
		report, err := p.loadBundle(ctx, loader, f, bundle, opts.update)
		if err != nil {
			return err
		}
		p.Printf("%s: %s\n", console.Printable(f.Name), describeReport(report, opts.update))
		if err := p.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// readBundle reads a trust bundle.
func (p *program) readBundle(ctx context.Context, in files.Input) (*bundle.Bundle, error) {
	bar := p.Progress("reading", in.Size(), console.Bytes)
	source, err := in.Read(ctx, files.MaxWhole, bar.Add)
	bar.End()
	if err != nil {
		return nil, err
	}
	b, err := bundle.Read(source)
	if err != nil {
		return nil, files.OtherKind(source, files.TrustBundle, err)
	}
	debug.FreeOSMemory() // what reading took is room for the database's pages
	return b, nil
}

func (p *program) loadBundle(ctx context.Context, loader *store.Loader, in files.Input, b *bundle.Bundle,
	update bool) (store.Report, error) {
	bar := p.Progress("loading", 0, console.Count("records"))
	defer bar.End()
	loader.Progress = func(n int) { bar.Add(int64(n)) }
	report, err := loader.Load(ctx, b, update)
	if err != nil {
		return store.Report{}, files.Named(in.Name, storeError(err))
	}
	return report, nil
}

// describeReport says what became of the records of a bundle.
func describeReport(r store.Report, update bool) string {
	parts := []string{"added " + describeCounts(r.Added), "there already " + describeCounts(r.Present)}
	if update {
		parts = append(parts, "updated "+describeCounts(r.Updated))
	}
	return strings.Join(parts, "; ")
}

func describeCounts(c store.Counts) string {
	return fmt.Sprintf("claims %d, evidence %d, events %d, traces %d", c.Claims, c.Evidence, c.Events, c.AuthorityTrace)
}
