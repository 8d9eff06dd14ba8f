package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/docs/schemas"
)

type schemaOptions struct {
	name string // empty to list all
	out  string // empty for stdout
}

func newSchema(run func(context.Context, schemaOptions) error) *cobra.Command {
	var opts schemaOptions
	return option.Declare(&cobra.Command{
		Use:   "schema [NAME] [-o FILE]",
		Short: "Print the JSON Schema of a format, or list all schemas",
		ValidArgsFunction: option.First(func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, s := range schemas.All() {
				names = append(names, cobra.CompletionWithDesc(s.Name, s.About))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				if opts.out != "" {
					return option.Errorf("Missing argument: NAME")
				}
				return nil
			}
			if _, ok := schemas.Text(args[0]); !ok {
				return option.NoneOf("NAME", args[0], schemaNames())
			}
			opts.name = args[0]
			return option.NoArguments(c, args[1:])
		},
		RunE: option.Run(run, &opts),
	}, option.Out(&opts.out, "json"))
}

func schemaNames() (names []string) {
	for _, s := range schemas.All() {
		names = append(names, s.Name)
	}
	return names
}

func (p *program) schema(ctx context.Context, opts schemaOptions) error {
	if opts.name == "" {
		var t console.Table
		t.Head(p.Out, "NAME", "WHAT IS IN SUCH A DOCUMENT")
		for _, s := range schemas.All() {
			t.Add(console.Text(s.Name), console.Text(s.About))
		}
		p.Print(t.Fit(p.Width()))
		return nil
	}
	text, _ := schemas.Text(opts.name) // there is one
	out, err := files.NewOutput(opts.out, p.Document(), p.newInputs())
	if err != nil {
		return err
	}
	return out.WriteText(ctx, string(text))
}
