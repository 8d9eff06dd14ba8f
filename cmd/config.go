package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/canonical"
)

type configOptions struct {
	output string            // text or json
	given  map[string]string // values of options on the command line, by name
}

func newConfig(run func(context.Context, configOptions) error) *cobra.Command {
	var opts configOptions
	c := &cobra.Command{
		Use:   "config [--output text, json]",
		Short: "Print the configuration, and where each value comes from",
		Long: `Prints every key of the configuration with the value that is in force, and where
that comes from: an option of this very command line, a variable, the
configuration file, or the default. It names the file that was read, or that
would be read if it were there. A key without a value leaves it to the command.

What a key is for is told by "svc help environment". No key holds a secret.`,
		Example: "  svc config\n  SVC_LOG_LEVEL=debug svc config --color never\n  svc config --output json",
		Annotations: map[string]string{annotationNotes: `--output json prints {"file":{"found":boolean,"name":text or null},"settings":
[{"key":text,"origin":text,"value":text or null,"where":text or null}]}, where
origin is default, file, variable or option.

` + exitNotes},
		ValidArgsFunction: offerNothing,
		Args:              noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			opts.given = map[string]string{}
			c.Flags().Visit(func(f *pflag.Flag) { opts.given[f.Name] = f.Value.String() })
			return run(c.Context(), opts)
		},
	}
	addOutput(c, &opts.output, outputText, outputJSON)
	return c
}

// config prints the settings as they are in force for this very command line.
func (p *program) config(_ context.Context, opts configOptions) error {
	all := allSettings()
	values := make([]settingValue, len(all))
	for i, s := range all {
		values[i] = settingValue{s.fallback, fromDefault, ""}
		if set, ok := p.settings.values[s.key]; ok {
			values[i] = set
		}
		if value, ok := opts.given[s.key]; ok { // keys of options are called like these
			values[i] = settingValue{value, fromOption, "--" + s.key}
		}
	}
	if opts.output == outputJSON {
		p.stdout.Write(append(configJSON(p.settings.file, all, values), '\n'))
	} else {
		p.printConfig(all, values)
	}
	return p.stdout.Flush()
}

func (p *program) printConfig(all []setting, values []settingValue) {
	paint := p.screen.onStdout
	switch file := p.settings.file; {
	case file.name == "":
		p.stdout.WriteString("file: none, there is no configuration directory\n\n")
	case file.found:
		fmt.Fprintf(p.stdout, "file: %s\n\n", printable(file.name))
	default:
		fmt.Fprintf(p.stdout, "file: %s (not there)\n\n", printable(file.name))
	}
	var t table
	t.add(cell(paint.heading, "KEY"), cell(paint.heading, "VALUE"), cell(paint.heading, "FROM"))
	for i, v := range values {
		value, from := printable(v.value), string(v.origin)
		if value == "" {
			value = "-"
		}
		if v.where != "" {
			from += " " + printable(v.where)
		}
		t.add(cell(nil, all[i].key), cell(nil, value), cell(paint.faint, from))
	}
	p.stdout.WriteString(t.String())
}

func configJSON(file settingsFile, all []setting, values []settingValue) []byte {
	var e canonical.Encoder
	e.Raw(`{"file":{"found":`)
	e.Bool(file.found)
	e.Raw(`,"name":`)
	e.TextOrNull(valid(file.name))
	e.Raw(`},"settings":[`)
	for i, v := range values {
		if i > 0 {
			e.Raw(`,`)
		}
		e.Raw(`{"key":`)
		e.Text(all[i].key)
		e.Raw(`,"origin":`)
		e.Text(string(v.origin))
		e.Raw(`,"value":`)
		e.TextOrNull(valid(v.value))
		e.Raw(`,"where":`)
		e.TextOrNull(valid(v.where))
		e.Raw(`}`)
	}
	e.Raw(`]}`)
	return e.Buf
}
