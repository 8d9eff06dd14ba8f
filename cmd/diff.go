package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/feed"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/compare/table"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/lock/results"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

type diffOptions struct {
	catalog  string // the newest, where one alone is named
	catalogs []string
	requests []string
	only     []record.DiffKind
	limit    uint64
	all      bool
	exitCode bool
	gate     string // what decides about exit code 3, of gates; empty for nothing
	lock     string // for that gate
	output   string // auto, table, json or atom
	feedURL  string
	out      string // empty for stdout
}

// formatAtom is the format of a feed.
const formatAtom = "atom"

func newDiff(run func(context.Context, diffOptions) error) *cobra.Command {
	opts := diffOptions{limit: compare.DefaultLimit}
	return option.Declare(&cobra.Command{
		Use: "diff CATALOG [CATALOG...] [--catalog FILE] [--request REQ]... [--only KINDS] [--all] [--limit N]" +
			" [--exit-code] [--gate winner, top3, choice, lock] [--lock FILE]" +
			" [--output auto, table, json, atom] [--feed-url URL] [-o FILE]",
		Short:             "Show what changed between catalogs, and why a ranking changed",
		SuggestFor:        []string{"changes"},
		ValidArgsFunction: option.Endings("json"),
		Args:              option.Files(&opts.catalogs, "CATALOG"),
		RunE:              option.Run(run, &opts, opts.check),
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Found: true, Offer: option.Endings("json"),
			Usage: "`FILE` to compare CATALOG with, where one alone is named"},
		option.Option{Name: "request", Value: option.Inputs(&opts.requests), Many: true, Offer: option.Endings("json"),
			Usage: "`FILE` with a rank request or question, which both catalogs answer; may be given more than once"},
		option.Option{Name: "only", Value: option.Func(opts.setOnly), Offer: offerKinds,
			Usage: "`KINDS` to compare, separated by commas: " + ijson.Alternatives(kindNames()) + " (default all)"},
		option.Option{Name: "all", Value: option.Bool(&opts.all),
			Usage: "let the table list all, not what fits a screen"},
		option.Option{Name: "limit", Value: option.Integer(&opts.limit, 0, option.MaxInteger), Offer: option.Nothing,
			Usage: "list at most `COUNT` models, facts, samples and conflicts, 0 for counts and rankings alone"},
		option.Option{Name: "exit-code", Value: option.Bool(&opts.exitCode), Usage: "exit with 3 if there are changes"},
		option.Option{Name: "gate", Value: option.ChoiceOrNone(&opts.gate, gates...),
			Usage: "exit with 3 if the answer to a request changed in this: `WHAT`, or if the check of the lock fails"},
		option.Option{Name: "lock", Value: option.Text(&opts.lock), Offer: option.Endings("json"),
			Usage: "`FILE` with the lock that --gate lock checks the newest catalog against"},
		option.Format(&opts.output, option.FormatAuto, option.FormatTable, option.FormatJSON, formatAtom),
		option.Option{Name: "feed-url", Value: option.Text(&opts.feedURL), Offer: option.Nothing,
			Usage: "`URL` where the feed will be found; required with --output atom"},
		option.Out(&opts.out, "json", "jsonl", "xml", "atom"),
	)
}

func kindNames() (names []string) {
	for _, kind := range compare.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// setOnly reads kinds that are separated by commas.
func (o *diffOptions) setOnly(text string) error {
	o.only = nil
	for word := range strings.SplitSeq(text, ",") {
		kind := record.DiffKind(word)
		if !slices.Contains(compare.Kinds(), kind) {
			rule := "must be one or more, separated by commas, of " + ijson.Alternatives(kindNames())
			if question := spelling.DidYouMean(word, kindNames()); question != "" {
				rule += "; " + question
			}
			return errors.New(rule)
		}
		if slices.Contains(o.only, kind) {
			return fmt.Errorf("names %s twice", kind)
		}
		o.only = append(o.only, kind)
	}
	return nil
}

// offerKinds offers the kinds that may follow those that are typed.
func offerKinds(_ *cobra.Command, _ []string, word string) (offers []string, _ cobra.ShellCompDirective) {
	before := word[:strings.LastIndexByte(word, ',')+1]
	for _, kind := range kindNames() {
		if !slices.Contains(strings.Split(before, ","), kind) {
			offers = append(offers, before+kind)
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// check finds what is wrong with options that are right one by one.
func (o *diffOptions) check() error {
	if len(o.catalogs) == 1 {
		o.catalogs = append(o.catalogs, o.catalog)
	}
	isFeed := o.output == formatAtom
	switch at, err := url.Parse(o.feedURL); {
	case isFeed && o.feedURL == "":
		return option.Errorf("Missing option: --feed-url")
	case !isFeed && o.feedURL != "":
		return option.Errorf("Unexpected option: --feed-url goes with --output atom")
	case o.gate != "" && o.exitCode:
		return option.Errorf("Options that exclude each other: --gate and --exit-code")
	case (o.gate == gateLock) != (o.lock != ""):
		return option.Errorf("Options that go together: --gate lock and --lock")
	case o.gate != "" && o.gate != gateLock && (o.requests == nil || !o.wants(record.DiffRankings)):
		return option.Errorf("Missing option: --request (--gate %s is about the answer to one)", o.gate)
	case isFeed && (err != nil || !at.IsAbs()):
		return option.Invalid("--feed-url", o.feedURL, "must be an absolute URL")
	}
	return nil
}

// wants reports whether a kind of changes is asked for.
func (o *diffOptions) wants(kind record.DiffKind) bool {
	return o.only == nil || slices.Contains(o.only, kind)
}

// diff reads all requests before any catalog, and the catalogs one after the other, of
// which it keeps the newest and two.
func (p *program) diff(ctx context.Context, opts diffOptions) error {
	in, out, err := p.open(opts.out, slices.Concat(opts.catalogs, opts.requests)...)
	if err != nil {
		return err
	}
	snapshots := in.Files[:len(opts.catalogs)]
	work := rankWork{opts: rankOptions{catalog: opts.catalogs[len(snapshots)-1]}, files: in.Files[len(snapshots):]}
	questions, err := work.read(ctx)
	if err != nil {
		return err
	}
	isTerminal := p.IsTerminal() && (opts.out == "" || opts.out == option.Stdin)
	isTable := opts.output == option.FormatTable || opts.output == option.FormatAuto && isTerminal
	limit := toInt(opts.limit)
	if (isTable || opts.output == formatAtom) && opts.limit == compare.DefaultLimit {
		limit = math.MaxInt // tables and feeds have what matters most of all that changed
	}
	diffs, newest, err := p.compareCatalogs(ctx, snapshots, &work, questions, compare.Options{Only: opts.only,
		Limit: limit})
	if err != nil {
		return err
	}
	err = out.Write(ctx, func(w io.Writer) error {
		switch {
		case opts.output == formatAtom:
			return feed.Write(w, opts.feedURL, diffs)
		case isTable:
			_, err := io.WriteString(w, p.diffTables(diffs, opts))
			return err
		}
		for _, d := range diffs {
			if _, err := w.Write(append(ijson.MustWriteTagged(d), '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	isNo := opts.exitCode && slices.ContainsFunc(diffs, compare.AnyChanges)
	switch {
	case err != nil:
	case opts.gate == gateLock:
		isNo, err = p.failsLock(ctx, opts.lock, newest)
	default:
		isNo = isNo || slices.ContainsFunc(diffs, func(d *record.CatalogDiff) bool {
			return slices.ContainsFunc(d.Rankings, func(r record.RankingChange) bool {
				return isThrough(opts.gate, r.Old, r.New, string(r.OldChoice), string(r.NewChoice))
			})
		})
	}
	if err == nil && isNo {
		return exitError(exitNo)
	}
	return err
}

// What decides about exit code 3.
const gateWinner, gateTop, gateChoice, gateLock = "winner", "top3", "choice", "lock"

var gates = []string{gateWinner, gateTop, gateChoice, gateLock}

// isThrough reports whether the answer to a request changed in what a gate is about.
func isThrough(gate string, old, new []string, oldChoice, newChoice string) bool {
	const top = 3
	first := func(n int, list []string) []string { return list[:min(n, len(list))] }
	switch gate {
	case gateWinner:
		return !slices.Equal(first(1, old), first(1, new))
	case gateTop:
		return !slices.Equal(first(top, old), first(top, new))
	case gateChoice:
		return oldChoice != newChoice
	}
	return false
}

// failsLock reports whether the check of a lock against a catalog, at its own time, finds a
// failure.
func (p *program) failsLock(ctx context.Context, name string, c *catalog.Catalog) (bool, error) {
	in := p.newInputs()
	source, err := in.ReadFile(ctx, name, lock.MaxBytes)
	if err != nil {
		return false, err
	}
	l, err := lock.Read(source)
	if err != nil {
		return false, files.OtherKind(source, files.ModelsLock, err)
	}
	report, err := lock.Check(ctx, c, l, source.Text, c.AsOf())
	if err != nil {
		return false, err
	}
	for _, f := range report.Findings {
		if f.Level == lock.Fail {
			p.Note("%s: %s", name, console.Printable(results.Sentence(&f)))
		}
	}
	return !report.OK, nil
}

// readRequests reads rank requests.
func readRequests(ctx context.Context, in []files.Input) (requests []*v3.Request, err error) {
	for _, f := range in {
		source, err := f.ReadKind(ctx, files.RankRequest, rank.MaxRequestBytes)
		if err != nil {
			return nil, err
		}
		request, err := readRankRequest(source)
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}

// compareCatalogs compares each catalog with the next, and returns the newest, too, of which
// requests are made of the questions.
func (p *program) compareCatalogs(ctx context.Context, snapshots []files.Input, work *rankWork,
	questions map[int]*v3.Question, opts compare.Options) (diffs []*record.CatalogDiff, newest *catalog.Catalog,
	err error) {
	last := len(snapshots) - 1
	if newest, err = p.readCatalog(ctx, snapshots[last]); err != nil {
		return nil, nil, err
	}
	if err := p.draftQuestions(newest, work, questions); err != nil {
		return nil, nil, err
	}
	var before *ranking.Side
	for i, f := range snapshots {
		c := newest
		if i < last {
			if c, err = p.readCatalog(ctx, f); err != nil {
				return nil, nil, err
			}
		}
		side, err := ranking.NewSide(ctx, c, work.requests...)
		if err != nil {
			return nil, nil, err
		}
		if i > 0 {
			d, err := ranking.Diff(ctx, before, side, opts)
			if err != nil {
				return nil, nil, files.Named(f.Name, err)
			}
			diffs = append(diffs, d)
		}
		before = side
	}
	return diffs, newest, nil
}

// diffTables lays diffs out for people.
func (p *program) diffTables(diffs []*record.CatalogDiff, opts diffOptions) string {
	var names []string
	for _, request := range opts.requests {
		names = append(names, filepath.Base(request))
	}
	var b strings.Builder
	lines, width := max(p.Height(), screenLines)-1, cmp.Or(p.Width(), screenColumns)
	if opts.all {
		lines, width = 0, 0
	}
	for i, d := range diffs {
		if i > 0 {
			b.WriteString("\n\n")
		}
		for k, block := range table.New(d, names, lines) {
			if k > 0 {
				b.WriteString("\n")
			}
			p.layOut(&b, block, width)
		}
	}
	return b.String()
}

// The screen that a table fits, unless the terminal is larger.
const screenLines, screenColumns = 24, 80

// layOut writes a block of a table, with its signs in a column of their own, clipped to a width
// unless that is 0.
func (p *program) layOut(b *strings.Builder, block table.Block, width int) {
	paints := map[string]*color.Color{"+": p.Out.Good, "↑": p.Out.Good, "-": p.Out.Bad, "↓": p.Out.Bad,
		"×": p.Out.Bad, "!": p.Out.Bad, "~": p.Out.Heading}
	lines := make([][]string, 0, len(block.Rows)+1)
	if block.Heading != nil {
		lines = append(lines, block.Heading)
	}
	for _, row := range block.Rows {
		cells := slices.Clone(row.Cells)
		if row.Sign != "" {
			cells[0] = row.Sign + " " + cells[0]
		}
		lines = append(lines, cells)
	}
	console.ClipColumns(lines, width)
	var t console.Table
	for i, line := range lines {
		if i == 0 && block.Heading != nil {
			t.Head(p.Out, line...)
			continue
		}
		cells := make([]console.Cell, 0, len(line))
		for _, text := range line {
			cells = append(cells, console.Text(text))
		}
		cells[0].Paint = paints[block.Rows[len(block.Rows)-len(lines)+i].Sign]
		t.Add(cells...)
	}
	b.WriteString(t.Fit(p.Width()))
}
