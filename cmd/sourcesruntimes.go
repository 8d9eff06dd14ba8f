package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/sources/offer"
)

func newSourcesRuntimes(run func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use:   "runtimes",
		Short: "Print which providers of price sources are one runtime",
		RunE:  func(c *cobra.Command, _ []string) error { return run(c.Context()) },
	}
}

func (p *program) printRuntimes(context.Context) error {
	p.Print(offer.RuntimesJSON())
	return nil
}
