package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/access"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/sample"
	builder "github.com/model-catalog-service/svc/internal/sources/build"
	download "github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

type buildOptions struct {
	recipe       string // empty for the one that is found
	asOf         string // a timestamp, or empty for now
	only, accept []string
	jobs         uint64
	ca           string // empty for the system's
	output       string // text or json
	offline      bool
	locked       bool
	dryRun       bool
	explain      bool
	check        bool   // what gateWinner is
	gate         string // what decides about exit code 3, of gates; empty for nothing
	lock         string // for that gate
}

func newBuild(run func(context.Context, buildOptions) error) *cobra.Command {
	opts := buildOptions{jobs: 4}
	const mostJobs = 64
	return option.Declare(&cobra.Command{
		Use: "build [--recipe FILE] [--offline] [--locked] [--as-of TIME] [--only SOURCE]... [--accept SOURCE]..." +
			" [--jobs N]" +
			" [--dry-run] [--explain] [--check] [--gate winner, top3, choice, lock] [--lock FILE] [--ca FILE]" +
			" [--output text, json]",
		Short:      "Make today's catalog of a recipe: fetch what is due, and compile it",
		SuggestFor: []string{"make", "update", "refresh", "sync"},
		RunE:       option.Run(run, &opts, opts.validate),
	},
		option.Option{Name: "recipe", Value: option.Text(&opts.recipe), Offer: option.Endings("yaml", "yml"),
			Usage: "`FILE` with the recipe (default catalog.yaml here or in a folder above)"},
		option.Option{Name: "offline", Value: option.Bool(&opts.offline), Usage: "use what is in the store, and ask nobody"},
		option.Option{Name: "locked", Value: option.Bool(&opts.locked),
			Usage: "use the very bytes that catalog.lock.json names, or fail"},
		option.Option{Name: "as-of", Value: option.Instant(&opts.asOf, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` that the catalog speaks for (default now); what was fetched later is left out"},
		option.Option{Name: "only", Value: option.Each(func(text string) error {
			opts.only = append(opts.only,
				text)
			return nil
		}),
			Many: true, Offer: offerRecipeSources, Usage: "fetch this `SOURCE` alone, due or not; may be given more than once"},
		option.Option{Name: "accept", Value: option.Each(func(text string) error {
			opts.accept = append(opts.accept,
				text)
			return nil
		}),
			Many: true, Offer: offerRecipeSources,
			Usage: "take what is held back of this `SOURCE`; may be given more than once"},
		option.Option{Name: "jobs", Value: option.Integer(&opts.jobs, 1, mostJobs), Offer: option.Nothing,
			Usage: "ask `N` sources at once"},
		option.Option{Name: "dry-run", Value: option.Bool(&opts.dryRun),
			Usage: "fetch and compile, but leave the catalog and its lock as they are"},
		option.Option{Name: "explain", Value: option.Bool(&opts.explain),
			Usage: "print the plain commands that this amounts to, and do nothing"},
		option.Option{Name: "check", Value: option.Bool(&opts.check),
			Usage: "exit with 3 if the winner of a question of the recipe changed"},
		option.Option{Name: "gate", Value: option.ChoiceOrNone(&opts.gate, gates...),
			Usage: "exit with 3 if the answer to a question changed in this: `WHAT`, or if the check of the lock fails"},
		option.Option{Name: "lock", Value: option.Text(&opts.lock), Offer: option.Endings("json"),
			Usage: "`FILE` with the lock that --gate lock checks the catalog against"},
		option.Option{Name: "ca", Value: option.Text(&opts.ca), Offer: option.Endings("pem", "crt"),
			Usage: "`FILE` with certificates of authorities to trust besides those of the system"},
		option.Format(&opts.output, option.FormatText, option.FormatJSON),
	)
}

func offerRecipeSources(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return recipe.Known(), cobra.ShellCompDirectiveNoFileComp
}

// validate finds what is wrong with options that are right one by one.
func (o *buildOptions) validate() error {
	switch {
	case o.locked && o.asOf != "":
		return option.Errorf("Options that exclude each other: --locked and --as-of (the lock says it)")
	case o.locked && (o.only != nil || o.accept != nil):
		return option.Errorf("Options that exclude each other: --locked and --only or --accept")
	case o.check && o.gate != "":
		return option.Errorf("Options that exclude each other: --check and --gate")
	case (o.gate == gateLock) != (o.lock != ""):
		return option.Errorf("Options that go together: --gate lock and --lock")
	case o.offline && o.only != nil:
		return option.Errorf("Options that exclude each other: --offline and --only")
	}
	return nil
}

// readRecipe finds a recipe and reads it.
func readRecipe(name string) (problem.Source, *record.Recipe, error) {
	if name == "" {
		if name = builder.Find("."); name == "" {
			return problem.Source{}, nil, fmt.Errorf("there is no %s here or in a folder above: svc init writes one",
				recipe.FileName)
		}
		if here, err := os.Getwd(); err == nil && filepath.Dir(name) == here {
			name = recipe.FileName
		}
	}
	text, err := disk.Read(name, recipe.MaxBytes)
	if err != nil {
		return problem.Source{}, nil, files.Named(name, err)
	}
	src := problem.Source{Name: name, Text: text}
	r, err := recipe.Read(src, sourceNames())
	return src, r, err
}

func (p *program) build(ctx context.Context, opts buildOptions) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapOfLists * 4)
	}
	src, r, err := readRecipe(opts.recipe)
	if err != nil {
		return err
	}
	for name, list := range map[string][]string{"--only": opts.only, "--accept": opts.accept} {
		for _, id := range list {
			if !slices.ContainsFunc(r.Sources, func(s record.RecipeSource) bool { return s.ID == id }) {
				return option.Invalid(name, id, "must be a source of the recipe")
			}
		}
	}
	if opts.explain {
		p.Print(recipe.Commands(r))
		return nil
	}
	roots, err := access.Roots(opts.ca)
	if err != nil {
		return err
	}
	folder := filepath.Dir(src.Name)
	src.Name = filepath.Base(src.Name)
	kept, err := p.openStore(ctx, folder)
	if err != nil {
		return err
	}
	defer kept.Close()
	watch := &buildWatcher{program: p, bar: p.Progress("fetching", 0, console.Bytes)}
	result, err := builder.Build(ctx, builder.Request{
		Recipe: r, Text: src, Folder: folder, Store: kept, Adapters: adapters(), Manifest: packagedManifest(),
		Version: thisBuild().Version,
		AsOf:    opts.asOf, Offline: opts.offline, Locked: opts.locked, DryRun: opts.dryRun, Only: opts.only,
		Accept: opts.accept,
		Jobs:   toInt(opts.jobs), Fetch: download.Options{Roots: roots, World: p.world}, Watch: watch,
	})
	watch.bar.End()
	if ctx.Err() != nil {
		return disk.ErrInterrupt
	}
	if err != nil {
		return err
	}
	for _, warning := range result.Warnings {
		p.Warn("%s", warning)
	}
	if result.UpToDate && opts.gate == gateLock {
		f, err := files.New(p.stdin).AddFile(filepath.Join(folder, recipe.Catalog))
		if err != nil {
			return err
		}
		if result.Catalog, err = p.readCatalog(ctx, f); err != nil {
			return err
		}
	}
	return p.reportBuild(ctx, result, opts)
}

// openStore opens the store of a recipe's folder.
func (p *program) openStore(ctx context.Context, folder string) (*store.Store, error) {
	return store.Open(ctx, filepath.Join(folder, store.Folder), func() {
		p.Note("another build has %s; waiting until it ends", filepath.Join(folder, store.Folder))
	})
}

// buildWatcher shows how far a build is: a line for each source that was asked.
type buildWatcher struct {
	program *program
	bar     *console.Progress
}

func (w *buildWatcher) Expect(string, int64)        {}
func (w *buildWatcher) Bytes(_ string, n int64)     { w.bar.Add(n) }
func (w *buildWatcher) Retry(source, reason string) { w.say(source, "asking again: "+reason) }
func (w *buildWatcher) Done(source, text string)    { w.say(source, text) }

func (w *buildWatcher) say(source, text string) {
	w.bar.HideWhile(func() { w.program.Note("%-20s %s", source, console.Printable(text)) })
}

// reportBuild prints what a build made.
func (p *program) reportBuild(ctx context.Context, result *builder.Result, opts buildOptions) error {
	if result.UpToDate {
		p.Note("nothing is new: %s of %s stays as it is", recipe.Catalog, moment(string(result.Lock.AsOf)))
		return p.passGate(ctx, result, opts)
	}
	b := result.Build
	if opts.output == option.FormatJSON {
		p.PrintJSON(ijson.MustWriteTagged(b))
	} else {
		p.Print(buildSummary(b))
	}
	return p.passGate(ctx, result, opts)
}

// passGate exits with 3 if a build changed what its gate is about.
func (p *program) passGate(ctx context.Context, result *builder.Result, opts buildOptions) (err error) {
	if opts.check {
		opts.gate = gateWinner
	}
	isNo := slices.ContainsFunc(result.Answers, func(a builder.Answers) bool {
		return isThrough(opts.gate, a.Old, a.New, a.OldChoice, a.NewChoice)
	})
	if opts.gate == gateLock {
		isNo, err = p.failsLock(ctx, opts.lock, result.Catalog)
	}
	if err == nil && isNo {
		return exitError(exitNo)
	}
	return err
}

// moment writes a timestamp as people read it.
func moment(at string) string {
	t, err := time.Parse(timestamp.Layout, at)
	if err != nil {
		return at
	}
	return t.Format("2006-01-02 15:04 UTC")
}

// buildSummary is what a build made, in some ten lines.
func buildSummary(b *record.CatalogBuild) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s, %s, as of %s\n", recipe.Catalog, quantity.Count(b.Models, "model"),
		quantity.Count(b.Observations, "observation"), moment(string(b.AsOf)))
	for _, x := range b.Sources {
		fmt.Fprintf(&s, "  %-20s %s\n", x.ID, sourceSummary(&x))
	}
	agreeing, contradicting, settled := 0, 0, 0
	for _, k := range b.Contradictions {
		agreeing, contradicting, settled = agreeing+k.Agreeing, contradicting+k.Contradicting, settled+k.Settled
	}
	if agreeing+contradicting > 0 {
		fmt.Fprintf(&s, "Lists agree on %s and contradict each other on %s, of which %s not settled.\n",
			quantity.Count(agreeing, "fact"), quantity.Number(float64(contradicting)), are(b.Conflicts))
	}
	if c := b.Changes; c != nil {
		m, f := c.Summary.Models, c.Summary.Facts
		fmt.Fprintf(&s, "Since the last catalog %s came, %s went, %s changed.\n", quantity.Count(m["added"], "model"),
			quantity.Number(float64(m["removed"])), quantity.Count(f["changed"], "fact"))
	}
	for _, q := range b.Questions {
		switch {
		case q.Changed:
			fmt.Fprintf(&s, "%s: %s, no longer %s\n", q.Path, orNone(q.Winner), orNone(q.Before))
		default:
			fmt.Fprintf(&s, "%s: %s\n", q.Path, orNone(q.Winner))
		}
	}
	return s.String()
}

func sourceSummary(x *record.BuiltSource) string {
	if x.Rows == 0 {
		return "nothing: " + console.Printable(string(x.Reason))
	}
	text := fmt.Sprintf("%s of %s", quantity.Number(float64(x.Imported)), quantity.Count(x.Rows, "row"))
	if x.SeenAt != "" {
		text += ", seen " + moment(string(x.SeenAt))
	}
	if n := len(x.Unknown); n > 0 {
		text += "; " + quantity.Count(n, "row") + " without a model"
		if best := x.Unknown[0]; len(best.Values) > 0 {
			text += fmt.Sprintf(", the best %s (%.1f)", console.Clip(best.Label), best.Values[0].Value)
		}
	}
	return text
}

func orNone(t record.Text) string {
	if t == "" {
		return "nobody"
	}
	return string(t)
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return quantity.Number(float64(n)) + " are"
}

// buildOption is the option --build of commands that ask a catalog.
func buildOption(p *string) option.Option {
	return option.Option{Name: "build", Value: option.Text(p), Offer: option.Endings("json"),
		Usage: "`FILE` with what svc build says of the catalog (default beside it: catalog.build.json)"}
}

// buildOf returns the record of the build of the catalog of a file: the one that is named, or else
// the one that stands beside the file, or that of the sample or of the registry. Where there is
// none of this catalog it is empty.
func (p *program) buildOf(named, name, digest string) (*record.CatalogBuild, error) {
	file := cmp.Or(named, strings.TrimSuffix(name, ".json")+".build.json")
	read := func() (string, error) { return disk.Read(file, registry.MaxRecord) }
	if got := p.pulled[name]; named == "" && got != nil {
		read = func() (string, error) { return got.Build, nil }
	} else if named == "" && name == files.Sample {
		read = sample.Build
	}
	text, err := read()
	source := problem.Source{Name: file, Text: text}
	var b *record.CatalogBuild
	if err == nil {
		if b, err = recipe.ReadBuild(source); err == nil && b.Catalog != digest {
			err = errors.New("tells of another catalog")
		}
	}
	switch {
	case err == nil:
		return b, nil
	case named == "":
		return &record.CatalogBuild{}, nil
	}
	return nil, files.Named(file, files.OtherKind(source, files.CatalogBuild, err))
}
