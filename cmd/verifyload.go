package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/verify"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

type verifyLoadOptions struct {
	store   store.Address
	bundles []string
	update  bool
}

func newVerifyLoad(run func(context.Context, verifyLoadOptions) error) *cobra.Command {
	var opts verifyLoadOptions
	var address string
	c := &cobra.Command{
		Use:   "verify-load --store ADDRESS BUNDLE... [--update]",
		Short: "Load trust bundles into a store of the verification endpoint",
		Long: `Loads the claims, evidence, events and authority traces of trust bundles into a
database, which it makes or brings up to date first. A bundle is loaded in one
transaction, whole or not at all, and checked before. It prints for each what was
added and what was there already; the same record again changes nothing.

A record with another content under an id that the store has is refused, and with
it the rest of its bundle. With --update a claim or an authority trace takes the
place of the old one; events and evidence never change.

A BUNDLE is a file or a directory, which stands for its *.json, *.jsonl and
*.ndjson, those of directories below it too; - for standard input.`,
		Example: `  svc verify-load --store sqlite:records.db examples/claims.json
  svc verify-load --store postgres://svc@db.example.org/records --update bundles/`,
		Annotations:       map[string]string{annotationNotes: exitNotes},
		ValidArgsFunction: offerFiles("json", "jsonl", "ndjson"),
		Args: func(c *cobra.Command, args []string) error {
			if err := needFiles("BUNDLE", args); err != nil {
				return err
			}
			if err := needOptions(c, "store"); err != nil {
				return err
			}
			var err error
			if opts.store, err = store.ParseAddress(address); err == nil && opts.store.ReadOnly() {
				err = store.ErrReadOnly
			}
			if err != nil { // the address is not repeated: it may hold a secret
				return usagef("Invalid value for --store: %s", err)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			opts.bundles = args
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&address, "store", "", "`ADDRESS` of the database: sqlite:PATH or postgres://..., without a password")
	f.BoolVar(&opts.update, "update", false, "let claims and authority traces take the place of older ones")
	completeOption(c, "store", offerStores("sqlite:", "postgres://"))
	return c
}

func (p *program) verifyLoad(ctx context.Context, opts verifyLoadOptions) error {
	in, err := p.findInputs(opts.bundles...)
	if err != nil {
		return err
	}
	var loader *store.Loader
	for _, f := range in.files {
		bundle, err := p.readForLoad(f)
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
		fmt.Fprintf(p.stdout, "%s: %s\n", printable(f.name), describeReport(report, opts.update))
		if err := p.stdout.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) readForLoad(in input) (*verify.Bundle, error) {
	bar := p.startProgress("reading", in.size(), inBytes)
	source, err := p.read(in, bar)
	bar.end()
	if err != nil {
		return nil, err
	}
	bundle, err := verify.ReadBundle(source)
	if err != nil {
		return nil, otherKind(source, numberFamily, err)
	}
	return bundle, nil
}

func (p *program) loadBundle(ctx context.Context, loader *store.Loader, in input, bundle *verify.Bundle, update bool) (store.Report, error) {
	bar := p.startProgress("loading", 0, inRecords)
	defer bar.end()
	loader.Progress = func(n int) { bar.add(int64(n)) }
	report, err := loader.Load(ctx, bundle, update)
	if err != nil {
		return store.Report{}, fileError(in.name, storeError(err))
	}
	return report, nil
}

// describeReport tells what became of the records of a bundle.
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

// inRecords writes a number of records.
func inRecords(n int64) string { return fmt.Sprintf("%d records", n) }
