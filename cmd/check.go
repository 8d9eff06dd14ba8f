package cmd

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/printer"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/lock/results"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

type checkOptions struct {
	catalog string
	lock    string
	now     string // a timestamp, or empty for the clock
	update  bool
	output  string // auto, table, json, github, sarif or junit
}

// The formats for servers of continuous integration. The first is workflow commands, which
// GitHub shows beside the lines of the lock.
const (
	formatGitHub = "github"
	formatSarif  = "sarif"
	formatJUnit  = "junit"
)

// summaryVariable names the file that GitHub shows as the summary of a step.
const summaryVariable = "GITHUB_STEP_SUMMARY"

func newCheck(run func(context.Context, checkOptions) error) *cobra.Command {
	var opts checkOptions
	return option.Declare(&cobra.Command{
		Use: "check [--catalog FILE] --lock FILE [--now TIME] [--update]" +
			" [--output auto, table, json, github, sarif, junit]",
		Short: "Check a lock: say which models, prices or limits have changed",
		RunE: func(c *cobra.Command, _ []string) error {
			if opts.update && opts.lock == option.Stdin {
				return option.Errorf("Unexpected option: --update (the lock is standard input)")
			}
			return run(c.Context(), opts)
		},
	},
		foundCatalog(&opts.catalog),
		option.Option{Name: "lock", Value: option.Input(&opts.lock), Required: true, Offer: option.Endings("json"),
			Usage: "`FILE` with the lock; - is standard input"},
		option.Option{Name: "now", Value: option.Instant(&opts.now, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` of the check (default now), not before that of the catalog"},
		option.Option{Name: "update", Value: option.Bool(&opts.update),
			Usage: "write the facts of the catalog into the lock; the exit code says what was found before"},
		option.Format(&opts.output, option.FormatAuto, option.FormatTable, option.FormatJSON, formatGitHub, formatSarif,
			formatJUnit),
	)
}

func (p *program) check(ctx context.Context, opts checkOptions) error {
	in := p.newInputs()
	snapshot, err := in.AddFile(opts.catalog)
	if err != nil {
		return err
	}
	source, err := in.ReadFile(ctx, opts.lock, lock.MaxBytes)
	if err != nil {
		return err
	}
	l, err := lock.Read(source)
	if err != nil {
		return files.OtherKind(source, files.ModelsLock, err)
	}
	c, s, err := p.readTrusted(ctx, snapshot)
	if err != nil {
		return err
	}
	now := opts.now
	if now == "" {
		now, _ = timestamp.Format(time.Now()) // the clock is in years that there are
	}
	report, err := lock.Check(ctx, c, l, source.Text, now)
	if err != nil {
		return fmt.Errorf("%w: %s is before %s", err, now, c.AsOf())
	}
	if opts.update {
		updated, err := lock.Update(ctx, c, l, now)
		if err != nil {
			return err
		}
		out, err := files.NewOutput(opts.lock, p.Document(), p.newInputs())
		if err != nil {
			return err
		}
		if err := out.WriteText(ctx, updated.Text()); err != nil {
			return err
		}
		p.Note("%s: updated to the catalog as of %s; the findings are from before the update", opts.lock, c.AsOf())
	}
	if err := p.printCheck(report, l, source, opts.output, s.Sentence); err != nil {
		return err
	}
	if !report.OK {
		return exitError(exitNo)
	}
	return nil
}

func (p *program) printCheck(r *record.ModelsCheck, l *lock.Lock, source problem.Source, output,
	trust string) error {
	switch {
	case output == formatGitHub:
		return p.printCommands(r, l, source)
	case output == formatSarif:
		return p.printText(results.Sarif(r, l, source.Text, fileURI(source.Name), thisBuild().Version))
	case output == formatJUnit:
		return p.printText(results.JUnit(r))
	case p.wantsTable(output):
		p.printFindings(r, trust)
	default:
		p.PrintJSON(ijson.MustWriteTagged(r))
	}
	return p.Flush()
}

// fileURI is the name of a file as a URI, in which a relative name is relative to the repository.
// Standard input has none.
func fileURI(name string) string {
	if name == option.Stdin {
		return ""
	}
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

// printText prints a text, if there was no error that made it.
func (p *program) printText(text []byte, err error) error {
	if err != nil {
		return err
	}
	p.Print(string(text))
	return p.Flush()
}

// printFindings prints a table for people.
func (p *program) printFindings(r *record.ModelsCheck, trust string) {
	checked := 0
	for _, use := range r.Uses {
		checked += use.Checked
	}
	p.Print(printer.CatalogName(r.Catalog.Digest, string(r.Catalog.AsOf)) + "\n")
	if trust != "" {
		p.Print(trust + "\n")
	}
	if len(r.Findings) == 0 {
		p.Printf("%s and %s are as they were locked.\n", quantity.Count(len(r.Uses), "use"), quantity.Count(checked, "fact"))
		return
	}
	p.Print("\n")
	var table console.Table
	table.Head(p.Out, "LEVEL", "CODE", "USE", "KEY", "WHAT")
	for _, f := range r.Findings {
		table.Add(console.Text(string(f.Level)), console.Text(string(f.Code)), console.Text(console.Clip(string(f.Use))),
			console.Text(console.Clip(string(f.Key))), console.Text(console.Printable(f.Message)))
	}
	if text, fits := table.Fitting(p.Width()); fits {
		p.Print(text)
	} else {
		p.printParagraphs(r.Findings)
	}
	p.Printf("\n%s.\n", countFindings(r.Findings))
}

// printParagraphs prints findings for a narrow terminal: what is found of several keys of a
// use is said once.
//
//	warn  EVIDENCE_MISSING  openrouter:acme/atlas
//	      price.input, price.output: nobody says it any more: take it out of the lock, or find a source that does
func (p *program) printParagraphs(findings []record.Finding) {
	const margin = "      "
	for len(findings) > 0 {
		first := &findings[0]
		n := 1
		for n < len(findings) && findings[n].Code == first.Code && findings[n].Use == first.Use &&
			findings[n].Message == first.Message {
			n++
		}
		var keys []string
		for _, f := range findings[:n] {
			if f.Key != "" {
				keys = append(keys, console.Clip(string(f.Key)))
			}
		}
		what := console.Printable(first.Message)
		if keys != nil {
			what = strings.Join(keys, ", ") + ": " + what
		}
		head := fmt.Sprintf("%s  %s  %s", first.Level, first.Code, console.Clip(string(first.Use)))
		p.Print(p.Out.Heading.Sprint(strings.TrimSpace(head)) + "\n")
		p.PrintWrapped(margin, what)
		if findings = findings[n:]; len(findings) > 0 {
			p.Print("\n")
		}
	}
}

// countFindings says how many findings fail the check, and how many only warn.
func countFindings(findings []record.Finding) string {
	var failures, warnings int
	for _, f := range findings {
		if f.Level == lock.Fail {
			failures++
		} else {
			warnings++
		}
	}
	switch {
	case failures == 0:
		return "Nothing fails; " + quantity.Count(warnings, "warning")
	case warnings == 0:
		return quantity.Count(failures, "failure")
	}
	return quantity.Count(failures, "failure") + " and " + quantity.Count(warnings, "warning")
}

// printCommands prints a workflow command for each finding, and appends a table of them
// to the summary of the step.
func (p *program) printCommands(r *record.ModelsCheck, l *lock.Lock, source problem.Source) error {
	// As GitHub asks for: of data, percent, CR and LF; of properties, colon and comma too.
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	// Of a table in Markdown, what would end a cell or begin a tag or a link.
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;", "[", "\\[", "]", "\\]", "`", "\\`", "*", "\\*", "_",
		"\\_", "\\", "\\\\", "\n", " ", "\r", " ", "@", "&#64;")
	summary := "### Models\n\n| level | code | use | key | what |\n| --- | --- | --- | --- | --- |\n"
	for _, f := range r.Findings {
		command := "error"
		if f.Level == lock.Warn {
			command = "warning"
		}
		fmt.Fprintf(p.Console, "::%s file=%s,line=%d,title=%s::%s\n", command, property.Replace(source.Name),
			results.Line(&f, l, source.Text),
			property.Replace(string(f.Code)), data.Replace(console.Printable(results.Sentence(&f))))
		summary += fmt.Sprintf("| %s | %s | %s | %s | %s |\n", f.Level, cell.Replace(string(f.Code)),
			cell.Replace(console.Printable(string(f.Use))),
			cell.Replace(console.Printable(string(f.Key))), cell.Replace(console.Printable(f.Message)))
	}
	if len(r.Findings) == 0 {
		summary = fmt.Sprintf("### Models\n\nNothing has changed: %s checked.\n", quantity.Count(len(r.Uses), "use"))
	}
	if err := p.Flush(); err != nil {
		return err
	}
	name := os.Getenv(summaryVariable)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return files.Named(name, err)
	}
	_, err = f.WriteString(summary)
	if err = cmp.Or(err, f.Close()); err != nil {
		return files.Named(name, err)
	}
	return nil
}
