package cmd

import (
	"io"

	"github.com/spf13/cobra"
)

// Root returns the whole tree of commands, for what documents it.
func Root() *cobra.Command {
	return newRoot(&program{stderr: io.Discard})
}

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "svc",
		Short: "Answers which models should do a job, and on what evidence",
		Long: `svc answers which of the models that you can launch should do a job, and on
what evidence. It compiles observations about models into a catalog, a
deterministic snapshot that is named by its digest, checks files and ranks your
candidates against the catalog. It opens no connection unasked.`,
		Annotations:       map[string]string{annotationNotes: programNotes},
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs, // the strict layer has judged them
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if c.Name() == cobra.ShellCompRequestCmd {
				prepareCompletion(c.Root(), args)
				return nil
			}
			return p.configure(c)
		},
	}
	help := newHelp(p.help)
	root.AddCommand(
		newCompile(p.compile),
		newValidate(p.validate),
		newRank(p.rank),
		newServe(p.serve),
		newVerifyServe(p.verifyServe),
		newVerifyLoad(p.verifyLoad),
		newVerify(p.verify),
		newImport(p.importSource),
		newSources(p),
		newSchema(p.schema),
		newCompletion(p.completion),
		newConfig(p.config),
		newVersion(p.version),
		help,
	)
	root.SetHelpCommand(help)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { p.stdout.WriteString(Usage(c)) })
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(p.stderr, Usage(c))
		return err
	})
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return optionError(p.words, err) })
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	finish(root, p)
	return root
}

// finish gives every command what all have: the options --color and --help,
// and the rules of options.
func finish(c *cobra.Command, p *program) {
	c.DisableFlagsInUseLine = true
	c.Flags().SortFlags = false
	if !c.HasSubCommands() && !c.DisableFlagParsing {
		c.Flags().Var(newChoice(&p.color, colorAuto, colorAlways, colorNever), "color",
			"colour what goes to a terminal: `WHEN` is auto, always or never")
		completeOption(c, "color", offerWords(colorAuto, colorAlways, colorNever))
	}
	c.Flags().BoolP("help", "h", false, "print this text")
	guardOptions(c.Flags())
	for _, sub := range c.Commands() {
		finish(sub, p)
	}
}

// annotationNoSettings marks a command that must work whatever the configuration.
const annotationNoSettings = "no settings"

// configure reads the configuration, gives it to the options that were not on
// the command line and decides on colour.
func (p *program) configure(c *cobra.Command) error {
	defer func() { p.screen.paint(p.color) }()
	if c.Annotations[annotationNoSettings] != "" {
		return nil
	}
	var err error
	if p.settings, err = loadSettings(); err != nil {
		return err
	}
	if !c.DisableFlagParsing {
		p.settings.apply(c.Flags())
	}
	return nil
}
