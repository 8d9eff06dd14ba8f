package cmd

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/canonical"
)

func newConfig(run func(ctx context.Context, output string) error) *cobra.Command {
	var output string
	return option.Declare(&cobra.Command{
		Use:        "config [--output text, json]",
		Short:      "Print the configuration, and where each value comes from",
		SuggestFor: []string{"settings", "env"},
		RunE:       option.Run(run, &output),
	}, option.Format(&output, option.FormatText, option.FormatJSON))
}

// printConfig prints the configuration that is in force for this very command line.
func (p *program) printConfig(_ context.Context, output string) error {
	document := p.config.Document()
	if output == option.FormatJSON {
		p.PrintJSON(canonical.MustMarshal(document))
		return nil
	}
	switch name := console.Printable(string(document.File.Name)); {
	case name == "":
		p.Print("file: none, there is no configuration directory\n\n")
	case document.File.Found:
		p.Printf("file: %s\n\n", name)
	default:
		p.Printf("file: %s (not there)\n\n", name)
	}
	var t console.Table
	t.Head(p.Out, "KEY", "VALUE", "FROM")
	for _, s := range document.Settings {
		from := string(s.Origin)
		if s.Where != "" {
			from += " " + console.Printable(string(s.Where))
		}
		t.Add(console.Text(s.Key), console.Text(cmp.Or(console.Printable(string(s.Value)), "-")),
			console.Cell{Paint: p.Out.Faint, Lines: []string{from}})
	}
	p.Print(t.Fit(p.Width()))
	return nil
}
