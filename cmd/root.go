// Package cmd is the command line of svc: it parses, calls and prints.
//
// Every command has a file of its own: a constructor that returns it, an options struct
// that it fills, and a method of the program that takes the options and does the work.
// What commands share has rooms of its own: internal/option for options and arguments,
// internal/files for inputs and outputs, internal/console for the streams, internal/config
// for the configuration, internal/server for what runs until a signal comes, and
// internal/printer for results as people read them. The texts of help are in docs/manual.
// [Main] alone turns errors into exit codes.
package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/trust"
	"github.com/model-catalog-service/svc/internal/catalog"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/registry"
	builder "github.com/model-catalog-service/svc/internal/sources/build"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/internal/verify/standing"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailure = 1 // the work could not be done
	exitUsage   = 2 // the command line is wrong
	exitNo      = 3 // checked, and the answer is no
)

// exitPipe is what a shell reports of a program that SIGPIPE ended, 128 and 13: whoever read
// the result has closed the pipe before its end.
const exitPipe = 141

const logFormatVariable = "SVC_LOG_FORMAT"

// exitError ends the program with a code, the reasons having been printed.
type exitError int

func (e exitError) Error() string { return "exit code " + strconv.Itoa(int(e)) }

// exitCode is the only place that turns an error into an exit code.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if _, ok := errors.AsType[*option.UsageError](err); ok {
		return exitUsage
	}
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	return exitFailure
}

// program is one run of svc.
type program struct {
	*console.Console
	stdin   io.Reader
	signals *console.Signals
	words   []string        // the command line
	world   *download.World // nil but in tests
	color   string          // auto, always or never
	config  *config.Config
	pulled  map[string]*registry.Catalog // by name
}

// Main runs svc with the arguments that follow its name and returns the exit code.
//
// A panic is an internal error, with exit code 1. One in another goroutine, and what the
// Go runtime gives up at, no memory for example, cannot be caught. The runtime would end
// the program with 2 there, as if the command line were wrong; it is set to abort, which
// shells report as 134.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return start(nil, args, stdin, stdout, stderr)
}

// start is Main in a world, which is nil but in tests.
func start(world *download.World, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	debug.SetTraceback("crash")
	defer func() {
		if fault := recover(); fault != nil {
			console.New(io.Discard, stderr).Crash(fault, debug.Stack())
			code = exitFailure
		}
	}()
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is a failed write like others
	ctx, signals := console.Watch(context.Background())
	defer signals.Stop()
	p := &program{Console: console.New(stdout, stderr), stdin: stdin, signals: signals, words: args, world: world}
	if os.Getenv(logFormatVariable) == "json" { // also for what is wrong before the configuration is read
		p.LogJSON()
	}
	c, err := p.run(ctx)
	if errors.Is(p.Flush(), syscall.EPIPE) {
		return exitPipe
	}
	if sent := signals.Received(ctx); sent != nil && err != nil && !errors.Is(err, disk.ErrInterrupt) {
		console.End(sent)
		return exitFailure // where a program cannot send itself a signal
	}
	return exitCode(p.report(c, p.flush(err)))
}

// flush writes what is left of the result. It returns err, how the command ended, or
// that the result could not be written.
func (p *program) flush(err error) error {
	failure := p.Flush()
	switch {
	case failure == nil:
		return err
	case err == nil || errors.Is(err, errors.Unwrap(failure)):
		return failure
	}
	p.Problem(failure.Error())
	return err
}

// report prints how a command ended, if that was not well.
func (p *program) report(c *cobra.Command, err error) error {
	if misuse, ok := errors.AsType[*option.UsageError](err); ok {
		p.misuse(c, misuse)
	} else if _, printed := errors.AsType[exitError](err); err != nil && !printed {
		p.Fail(err)
	}
	return err
}

// misuse prints what is wrong with the command line of a command. The usage of a server
// goes with it whole; of others, one line of it.
func (p *program) misuse(c *cobra.Command, e *option.UsageError) {
	if c.DisableFlagParsing { // a strict command
		p.MisuseLast(Usage(c), e.Message, e.Tip)
		return
	}
	p.Misuse(e.Message, e.Tip, "Usage: "+shortSynopsis(c)+"\nRun '"+c.CommandPath()+" --help' for more\n")
}

// run chooses a command and executes it. It returns the command whose usage goes with
// a usage error.
func (p *program) run(ctx context.Context) (*cobra.Command, error) {
	root := newRoot(p)
	if len(p.words) > 0 && (p.words[0] == "--version" || p.words[0] == "-V") {
		p.words = append([]string{"version"}, p.words[1:]...)
	}
	c, help, err := option.Choose(root, p.words)
	switch {
	case err != nil:
		return c, err
	case help:
		p.Print(Usage(c))
		return c, nil
	}
	for _, refuse := range []func(*cobra.Command, []string) error{option.RefuseEmptyShort, option.RefuseOptionAsValue} {
		if err := refuse(c, p.words); err != nil {
			return c, err
		}
	}
	root.SetArgs(p.words)
	return root.ExecuteContextC(ctx)
}

// Root returns the whole tree of commands, for what documents it.
func Root() *cobra.Command {
	return newRoot(&program{Console: console.New(io.Discard, io.Discard)})
}

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:               "svc",
		Short:             "Rank the models you can run for a task, and show the evidence",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs, // the strict layer has judged them
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if c.Name() == cobra.ShellCompRequestCmd {
				option.PrepareOffer(c.Root(), args)
				return nil
			}
			if err := p.configure(c); err != nil {
				return err
			}
			return option.Complete(c, args)
		},
	}
	help := newHelp(p.help)
	addGroup(root, "Choose models", newRank(p.rank), newCost(p.cost), newCompare(p.compare), newLock(p.lock),
		newCheck(p.check))
	addGroup(root, "Look into a catalog", newShow(p.show), newDiff(p.diff), newExplore(p.explore),
		newReport(p.writeReport))
	addGroup(root, "Build a catalog", newInit(p.initRecipe), newBuild(p.build), newSources(p), newImport(p.importSource),
		newSettle(p.settle), newNew(p), newCompile(p.compile), newValidate(p.validate))
	addGroup(root, "Share a catalog", newPush(p.push), newPull(p.pull), newServe(p.serve), newMCP(p.mcp),
		newExport(p.export))
	addGroup(root, "Verify claims", newVerify(p.verify), newAttest(p.attest), newVerifyServe(p.verifyServe),
		newVerifyLoad(p.verifyLoad))
	addGroup(root, "Other commands", newSchema(p.schema), newConfig(p.printConfig), newCompletion(p.completion),
		newVersion(p.version), help)
	root.SetHelpCommand(help)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return option.Explain(c, p.words, err) })
	root.SetOut(p.Console)
	root.SetErr(p.Stderr())
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	p.finish(root)
	return root
}

// addGroup adds commands, which help lists below a title.
func addGroup(c *cobra.Command, title string, commands ...*cobra.Command) {
	c.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, sub := range commands {
		sub.GroupID = title
	}
	c.AddCommand(commands...)
}

// finish gives every command what all have: the options --color and --help, and the
// rules of options. One that says nothing of arguments takes none.
func (p *program) finish(c *cobra.Command) {
	c.DisableFlagsInUseLine = true
	isStrict := c.DisableFlagParsing
	if !c.HasSubCommands() && c.Args == nil {
		c.Args = option.NoArguments
	}
	if !c.HasSubCommands() && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = option.Nothing
	}
	if !c.HasSubCommands() && !isStrict {
		option.Declare(c, option.Option{Name: "color", Value: option.Choice(&p.color, console.ColorAuto, console.ColorAlways,
			console.ColorNever),
			Usage: "colour what goes to a terminal: `WHEN` is auto, always or never"})
	}
	option.Declare(c, option.Option{Name: "help", Short: "h", Value: option.Bool(new(bool)), Usage: "print this text"})
	if isStrict {
		c.Args = func(c *cobra.Command, words []string) error { return option.Judge(c.Flags(), words, givenElsewhere(c)) }
	} else {
		option.Guard(c)
	}
	if !c.HasParent() {
		option.Declare(c, option.Option{Name: "version", Short: "V", Value: option.Bool(new(bool)),
			Usage: "print what svc version prints"})
	}
	for _, sub := range c.Commands() {
		p.finish(sub)
	}
}

// givenElsewhere returns a function that reports whether a variable or the configuration file
// gives an option of a command that its words lack.
func givenElsewhere(c *cobra.Command) func(string) (bool, error) {
	return func(name string) (bool, error) {
		read, err := config.Load(c.Name(), pflag.NewFlagSet("", pflag.ContinueOnError))
		return err == nil && read.Gives(name), err
	}
}

// configure reads the configuration, gives it to the options that were not on the
// command line, and decides on colour.
func (p *program) configure(c *cobra.Command) (err error) {
	defer func() { p.Paint(p.color) }()
	if !readsConfig(c) {
		return nil
	}
	if p.config, err = config.Load(c.Name(), c.Flags()); err != nil {
		return err
	}
	if p.config.Log.Format == "json" && isServer(c) { // the file speaks of servers
		p.LogJSON()
	}
	option.SetFound(c.Flags(), foundName())
	p.warnOfVariables()
	return nil
}

// foundName is the catalog to ask where nobody names one: that of the recipe in this folder or
// above, if it was built, else the sample.
func foundName() string {
	found := builder.Find(".")
	if found == "" {
		return files.Sample
	}
	name := filepath.Join(filepath.Dir(found), recipe.Catalog)
	if here, err := os.Getwd(); err == nil && filepath.Dir(found) == here {
		name = recipe.Catalog
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return files.Sample
	}
	return name
}

// warnOfVariables names the variables SVC_... that no command knows. Those that begin with
// SVC_TEST_ are left to tests of what uses svc.
func (p *program) warnOfVariables() {
	var known []string
	for _, v := range Variables(nil) {
		known = append(known, strings.Split(v.Term, ", ")...)
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if value == "" || !strings.HasPrefix(name, "SVC_") || strings.HasPrefix(name, "SVC_TEST_") ||
			slices.Contains(known, name) {
			continue
		}
		question := spelling.DidYouMean(name, known)
		if question != "" {
			question = "; " + question
		}
		p.Warn("no command knows the variable %s%s", problem.Clip(name), question)
	}
}

// readsConfig reports whether a command reads the configuration. These must work
// whatever it says.
func readsConfig(c *cobra.Command) bool {
	return c.Runnable() && !slices.Contains([]string{"completion", "help", "version"}, c.Name())
}

// inputs returns the files that arguments name.
func (p *program) inputs(args ...string) (*files.Inputs, error) {
	in := p.newInputs()
	return in, in.Add(args...)
}

// open returns the inputs of a command that reads some files, those that have a name, and
// its output, which is none of them.
func (p *program) open(out string, names ...string) (*files.Inputs, *files.Output, error) {
	in := p.newInputs()
	for _, name := range names {
		if name == "" {
			continue
		}
		if _, err := in.AddFile(name); err != nil {
			return nil, nil, err
		}
	}
	output, err := files.NewOutput(out, p.Document(), in)
	return in, output, err
}

// readTrusted reads a catalog, and says what became of it. One that a policy refuses is a no.
func (p *program) readTrusted(ctx context.Context, in files.Input) (*catalog.Catalog, trust.Verdict, error) {
	c, v, err := p.readJudged(ctx, in)
	if refused, ok := errors.AsType[*trust.RefusedError](err); ok {
		p.Fail(refused.Unwrap())
		return nil, v, exitError(exitNo)
	}
	if err == nil && v.State != "" && v.State != standing.Verified {
		p.Warn("%s: %s", in.Name, v.Sentence)
	}
	return c, v, err
}

// readJudged reads a catalog, and judges it by its policy. An error may be a [trust.RefusedError].
func (p *program) readJudged(ctx context.Context, in files.Input) (*catalog.Catalog, trust.Verdict, error) {
	source, c, err := p.readSnapshot(ctx, in)
	if err != nil {
		return nil, trust.Verdict{}, err
	}
	v, err := trust.Policies{Own: p.config.Trust, Sources: sourceNames}.Judge(ctx, trust.Catalog{
		Name:      in.Name,
		About:     describe(source.Text, c),
		Envelopes: func() ([]string, error) { return p.envelopesOf(ctx, in.Name) },
	})
	if err != nil {
		return nil, v, err
	}
	return c, v, nil
}
