package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/docs/schemas"
	"github.com/model-catalog-service/svc/internal/ijson"
)

type schemaOptions struct {
	name string // empty to list all
	out  string // empty for stdout
}

func newSchema(run func(context.Context, schemaOptions) error) *cobra.Command {
	var opts schemaOptions
	c := &cobra.Command{
		Use:   "schema [NAME] [-o FILE]",
		Short: "Print the JSON Schema of a format, or list them",
		Long: `Prints the JSON Schema (2020-12) of the format NAME, with which editors complete
and check files; without NAME, lists all formats that have one. svc validate knows
the rules that no schema can tell as well.`,
		Example:     "  svc schema\n  svc schema observation\n  svc schema rank-request -o .vscode/rank-request.schema.json",
		Annotations: map[string]string{annotationNotes: exitNotes},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, s := range schemas.All() {
				if len(args) == 0 {
					names = append(names, cobra.CompletionWithDesc(s.Name, s.About))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				if c.Flags().Changed("out") {
					return usagef("Missing argument: NAME")
				}
				return nil
			}
			if _, ok := schemas.Text(args[0]); !ok {
				return invalidValue("NAME", args[0], "must be "+ijson.Alternatives(schemaNames()))
			}
			opts.name = args[0]
			return noArguments(c, args[1:])
		},
		RunE: func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) },
	}
	addOut(c, &opts.out, "json")
	return c
}

func schemaNames() (names []string) {
	for _, s := range schemas.All() {
		names = append(names, s.Name)
	}
	return names
}

func (p *program) schema(ctx context.Context, opts schemaOptions) error {
	if opts.name == "" {
		p.listSchemas()
		return nil
	}
	text, _ := schemas.Text(opts.name) // there is one
	out, err := targetOf(opts.out, &inputs{})
	if err != nil {
		return err
	}
	return p.deliver(ctx, out, writing(string(text)))
}

func (p *program) listSchemas() {
	heading := p.screen.onStdout.heading
	var t table
	t.add(cell(heading, "NAME"), cell(heading, "WHAT DOCUMENTS TELL"))
	for _, s := range schemas.All() {
		t.add(cell(nil, s.Name), cell(nil, s.About))
	}
	p.stdout.WriteString(t.String())
}
