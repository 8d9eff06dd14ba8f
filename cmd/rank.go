package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

type rankOptions struct {
	catalog  string
	requests []string
	output   string // auto, json or table
	explain  string // the id of a candidate, or empty
	version  string // 3 to translate the requests instead, or empty
	strict   bool   // names that the catalog does not have are a failure
	out      string // empty for stdout
}

func newRank(run func(context.Context, rankOptions) error) *cobra.Command {
	var opts rankOptions
	return option.Declare(&cobra.Command{
		Use:               "rank --catalog FILE REQUEST... [--explain ID] [--strict] [--version 3] [-o FILE] [--output auto, json, table]",
		Short:             "Rank the candidates of requests against a catalog",
		ValidArgsFunction: option.Endings("json", "jsonl", "ndjson"),
		Args:              option.Files("REQUEST"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case opts.version != "" && opts.explain != "":
				return option.Errorf("Options that exclude each other: --version and --explain")
			case opts.version != "" && opts.strict:
				return option.Errorf("Options that exclude each other: --version and --strict")
			case opts.version != "": // needs no catalog
				opts.catalog = ""
				opts.requests = args
				return run(c.Context(), opts)
			}
			if opts.catalog == "" { // neither the command line nor the configuration names one
				return option.Errorf("Missing option: --catalog")
			}
			if err := option.OneStdin(append([]string{opts.catalog}, args...)...); err != nil {
				return err
			}
			opts.requests = args
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "catalog", Value: option.Text(&opts.catalog), Offer: option.Endings("json"),
			Usage: "`FILE` with the catalog snapshot; - is standard input"},
		option.Option{Name: "explain", Value: option.Text(&opts.explain), Offer: option.Nothing,
			Usage: "print how the candidate with this `ID` came out, down to the observations"},
		option.Option{Name: "strict", Value: option.Bool(&opts.strict),
			Usage: "end with 1, after printing the results, if the catalog does not have a name that a request looks for"},
		option.Option{Name: "version", Value: option.ChoiceOrNone(&opts.version, "3"),
			Usage: "print the requests as ones of `VERSION` 3, and rank nothing"},
		option.Out(&opts.out, "json", "jsonl"),
		option.Format(&opts.output, option.FormatAuto, option.FormatJSON, option.FormatTable),
	)
}

// rank reads all requests before it ranks any, so that nothing is printed if one is
// bad.
func (p *program) rank(ctx context.Context, opts rankOptions) error {
	in := files.New(p.stdin)
	if opts.version == "" {
		if _, err := in.AddFile(opts.catalog); err != nil {
			return err
		}
	}
	others := len(in.Files)
	if err := in.Add(opts.requests...); err != nil {
		return err
	}
	out, err := files.NewOutput(opts.out, p.Console, in)
	if err != nil {
		return err
	}
	requests, err := readRequests(ctx, in.Files[others:])
	if err != nil {
		return err
	}
	work := rankWork{opts: opts, files: in.Files[others:], requests: requests}
	absent := false
	if opts.version == "" {
		c, err := p.readCatalog(ctx, in.Files[0])
		if err != nil {
			return err
		}
		absent = p.tellAbsences(c, &work)
		work.ranker = dispatch.New(c)
	}
	if opts.out == "" || opts.out == option.Stdin {
		err = p.writeRanking(ctx, &work)
	} else {
		err = out.Write(ctx, func(w io.Writer) error {
			q := *p
			q.Console = p.To(w)
			q.Paint(p.color)
			return cmp.Or(q.writeRanking(ctx, &work), q.Flush())
		})
	}
	if err == nil && absent && opts.strict {
		return exitError(exitFailure)
	}
	return err
}

// rankWork is what is to be ranked.
type rankWork struct {
	opts     rankOptions
	files    []files.Input // of the requests
	requests []*dispatch.Request
	ranker   *dispatch.Ranker // nil for translations
}

// tellAbsences names what the requests look for and the catalog does not have at all,
// and reports whether there is any.
func (p *program) tellAbsences(c *catalog.Catalog, work *rankWork) (found bool) {
	for i, request := range work.requests {
		absences := rank.Absent(c, request.Names())
		for n := range absences {
			line := work.files[i].Name + ": " + absences[n].String()
			switch {
			case n == console.MaxNamed:
				line = fmt.Sprintf("%s: %d more names that the catalog does not have", work.files[i].Name, len(absences)-n)
			case n > console.MaxNamed:
				continue
			}
			if work.opts.strict {
				p.Problem(line)
			} else {
				p.Warn("%s", line)
			}
		}
		found = found || len(absences) > 0
	}
	return found
}

// writeRanking prints what was asked for: results, explanations or translations.
func (p *program) writeRanking(ctx context.Context, work *rankWork) error {
	switch {
	case work.ranker == nil:
		return p.printTranslations(work)
	case work.opts.explain != "":
		return p.explain(ctx, work)
	}
	bar := p.Progress("ranking", int64(len(work.requests)), console.Count("requests"))
	defer bar.End()
	for i, request := range work.requests {
		result, err := work.ranker.Rank(ctx, request, 0)
		if err != nil {
			return err
		}
		bar.Add(1)
		bar.Aside(func() { err = p.printResult(i, work.files[i].Name, result, work.opts.output) })
		if err != nil {
			return err
		}
	}
	return nil
}

func readRankRequest(ctx context.Context, f files.Input) (*dispatch.Request, error) {
	source, err := f.Read(ctx, rank.MaxRequestBytes, func(int64) {})
	if err != nil {
		return nil, err
	}
	request, err := dispatch.ReadRequest(source)
	if err != nil {
		return nil, files.OtherKind(source, files.RankRequest, err)
	}
	return request, nil
}

// printTranslations prints requests as ones of version 3, a line each.
func (p *program) printTranslations(work *rankWork) error {
	lines := make([]string, len(work.requests))
	for i, request := range work.requests {
		var err error
		if lines[i], err = request.Translate(); err != nil {
			return files.Named(work.files[i].Name, err)
		}
	}
	for _, line := range lines {
		p.PrintJSON([]byte(line))
	}
	return nil
}

// wantsTable reports whether a result is to be printed for people.
func (p *program) wantsTable(output string) bool {
	return output == option.FormatTable || output == option.FormatAuto && p.IsTerminal()
}

// printResult prints the result of the nth request, at once, as requests may take
// their time.
func (p *program) printResult(n int, request string, result *dispatch.Result, output string) error {
	isTable := p.wantsTable(output)
	if isTable && n > 0 {
		p.Print("\n")
	}
	if isTable && result.Earlier != nil {
		p.printRanking(request, result.Earlier)
		return p.Flush()
	}
	line, err := result.AppendJSON(nil, 0)
	if err != nil {
		return err
	}
	if !isTable {
		p.PrintJSON(line)
		return p.Flush()
	}
	r, err := v3.ReadResult(problem.Source{Text: string(line)})
	if err != nil {
		return err
	}
	p.printTieGroups(request, r)
	return p.Flush()
}

// widthOfTables is how many columns a terminal has at least where candidates are rows of
// a table; where it has less, each is a block of lines.
const widthOfTables = 100

// candidateTable lays out a table of candidates for the terminal.
func (p *program) candidateTable(t *console.Table) string {
	if width := p.Width(); width > 0 && width < widthOfTables {
		return t.Blocks(width)
	}
	return t.Fit(p.Width())
}

// printRanking prints a result for people: the ranked candidates with their scores and
// why, and below them the excluded ones and why not.
func (p *program) printRanking(request string, r *rank.Result) {
	p.printOrigin(request, r.Digest(), r.AsOf())
	faint := func(lines []string) console.Cell { return console.Cell{Paint: p.Out.Faint, Lines: lines} }
	var ranked, excluded console.Table
	ranked.Head(p.Out, "RANK", "CANDIDATE", "MODEL", "SCORE", "", "WHY", "MISSING")
	for _, c := range r.Ranked() {
		ranked.Add(console.Text(strconv.Itoa(c.Rank)), console.Text(console.Clip(c.CandidateID)), console.Text(console.Clip(modelName(c.Model))),
			scoreCell(c.Score, r.Maximum()), console.Cell{Paint: p.Out.Bar, Lines: []string{scoreBar(c.Score, r.Maximum())}, Spare: true},
			console.Cell{Lines: contributions(c.Reasons, fourDigits), Short: contributions(c.Reasons, twoDigits)}, faint(shortfalls(c.Reasons)))
	}
	excluded.Head(p.Out, "EXCLUDED", "MODEL", "BECAUSE")
	for _, c := range r.Excluded() {
		excluded.Add(console.Text(console.Clip(c.CandidateID)), console.Text(console.Clip(modelName(c.Model))), console.Text(gaps(c.Reasons)...))
	}
	switch {
	case len(r.Ranked()) > 0:
		p.Print(p.candidateTable(&ranked))
	case len(r.Excluded()) > 0:
		p.Print("No candidate meets the requirements.\n")
	default:
		p.Print("The request has no candidates.\n")
	}
	if len(r.Excluded()) > 0 {
		p.Print("\n" + p.candidateTable(&excluded))
	}
}

// scoreCell is a score beside the highest that there could be.
func scoreCell(score, maximum float64) console.Cell {
	text := func(digits int) []string {
		return []string{roundedDecimal(score, digits) + " of " + roundedDecimal(maximum, digits)}
	}
	return console.Cell{Lines: text(fourDigits), Short: text(twoDigits)}
}

// contributions says what each preference added to the score, with so many digits.
func contributions(reasons []rank.Reason, digits int) (lines []string) {
	for i := range reasons {
		if r := &reasons[i]; r.Code == rank.PreferenceScore {
			lines = append(lines, fmt.Sprintf("+%s %s = %s", roundedDecimal(r.Contribution, digits), console.Clip(r.MeasurementKey), actualText(r, digits)))
		}
	}
	return lines
}

// actualText is a value as people read it, with its unit and what it was made of:
//
//	0.75 (3 of 4)
//	61.5% (mean of 12)
//	$1.90 per million tokens
func actualText(r *rank.Reason, digits int) string {
	n := r.Measurements
	switch {
	case r.Actual.Kind != '0':
		return scalarText(r.Actual)
	case r.Aggregation == "success-rate" && n > 0:
		return fmt.Sprintf("%s (%.0f of %d)", roundedDecimal(r.Actual.Float(), digits), r.Actual.Float()*float64(n), n)
	case r.Aggregation == "count" || r.Aggregation == "fact" || n < 2:
		return roundedQuantity(r.Actual.Float(), r.Unit, digits)
	}
	return fmt.Sprintf("%s (%s of %d)", roundedQuantity(r.Actual.Float(), r.Unit, digits), r.Aggregation, n)
}

// shortfalls says what is missing of a ranked candidate, and of how many preferences.
func shortfalls(reasons []rank.Reason) []string {
	all, known := 0, 0
	for i := range reasons {
		switch reasons[i].Code {
		case rank.PreferenceScore:
			all, known = all+1, known+1
		case rank.RequirementMet:
		default:
			all++
		}
	}
	lines := gaps(reasons)
	if known < all {
		lines = append(lines, evidenceText(known, all))
	}
	return lines
}

// evidenceText says of how many preferences there is evidence. One without counts like
// its worst value.
func evidenceText(known, all int) string {
	if all == 1 {
		return fmt.Sprintf("%d of 1 preference has evidence", known)
	}
	return fmt.Sprintf("%d of %d preferences have evidence", known, all)
}

// gaps says in words what is wrong or missing.
func gaps(reasons []rank.Reason) (lines []string) {
	words := map[rank.ReasonCode]string{
		rank.MissingEvidence:           ": no evidence",
		rank.PreferenceEvidenceMissing: ": no evidence",
		rank.StaleEvidence:             ": the evidence has expired",
		rank.ConflictingEvidence:       ": the evidence contradicts itself",
		rank.IncomparableEvidence:      ": the evidence cannot be compared",
	}
	for i := range reasons {
		r := &reasons[i]
		key := console.Clip(r.MeasurementKey)
		if r.Code == rank.RequirementNotMet {
			expected := scalarText(r.Expected)
			if r.Expected.Kind == '0' && r.Actual.Kind == '0' {
				expected = quantity(r.Expected.Float(), r.Unit)
			}
			lines = append(lines, key+" is "+actualText(r, fourDigits)+missText(r.Summary, r.Actual.Kind == '0')+expected)
		} else if gap, ok := words[r.Code]; ok {
			lines = append(lines, key+gap)
		}
	}
	return lines
}

// missText leads from a value to what was required of it. The summary of the reason ends in
// the operator.
func missText(summary string, isNumber bool) string {
	switch operator := summary[strings.LastIndexByte(summary, ' ')+1:]; {
	case operator == "gte" && isNumber:
		return ", less than "
	case operator == "lte" && isNumber:
		return ", more than "
	case operator == "gte":
		return ", not at least "
	case operator == "lte":
		return ", not at most "
	}
	return ", not "
}

func modelName(m catalog.Model) string {
	name := m.ID
	if m.Revision != "" {
		name += "@" + m.Revision
	}
	if m.Quantization != "" {
		name += " " + m.Quantization
	}
	return name
}

func scalarText(v catalog.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return console.Clip(string(e.Buf))
}

// scoreBar shows a score as a part of the highest that there could be.
func scoreBar(score, maximum float64) string {
	const width = 12
	full := 0
	if maximum > 0 {
		full = min(width, int(score/maximum*width+0.5))
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
