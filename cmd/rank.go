package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/printer"
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

type rankOptions struct {
	catalog  string
	build    string // the record of its build, empty for the one beside it
	requests []string
	question v3.Question // asked by options, in place of requests
	output   string      // auto, json or table
	top      uint64      // how many candidates a table shows; 0 if nobody said
	why      bool        // with what each got its score for, and what would change the choice
	explain  string      // the id of a candidate, or empty
	version  string      // 3 to translate the requests instead, or empty
	strict   bool        // names that the catalog does not have are a failure
	out      string      // empty for stdout
}

func newRank(run func(context.Context, rankOptions) error) *cobra.Command {
	var opts rankOptions
	return option.Declare(&cobra.Command{
		Use: "rank [--catalog FILE] [--build FILE] [REQUEST...]" + questionSynopsis +
			" [--top N] [--why] [--explain ID] [--strict] [--version 3] [-o FILE] [--output auto, json, table]",
		Short:             "Rank candidates by the evidence in a catalog",
		SuggestFor:        []string{"ask", "choose", "recommend"},
		ValidArgsFunction: option.Endings("json", "jsonl", "ndjson"),
		Args:              option.FilesOrNone(&opts.requests, "REQUEST"),
		RunE:              option.Run(run, &opts, opts.check),
	}, slices.Concat([]option.Option{foundCatalog(&opts.catalog), buildOption(&opts.build)},
		questionOptions(&opts.question), []option.Option{
			{Name: "top", Value: option.Integer(&opts.top, 1, v3.MaxCriterionCells),
				Usage: "show the first `N` candidates by score in a table (default: the choice and those that nobody beats in " +
					"score and cost)"},
			{Name: "why", Value: option.Bool(&opts.why),
				Usage: "show in a table, too, what each candidate got its score for, and what would change the choice"},
			{Name: "explain", Value: option.Text(&opts.explain), Offer: option.Nothing,
				Usage: "explain the candidate with this `ID`, or the only one that begins so, down to the observations"},
			{Name: "strict", Value: option.Bool(&opts.strict),
				Usage: "exit with 1, after printing the results, if the catalog lacks a name that a request uses"},
			{Name: "version", Value: option.ChoiceOrNone(&opts.version, "3"),
				Usage: "translate the requests to `VERSION` 3 and print them, without ranking"},
			option.Out(&opts.out, "json", "jsonl"),
			option.Format(&opts.output, option.FormatAuto, option.FormatJSON, option.FormatTable),
		})...)
}

// check finds what is wrong with options that are right one by one.
func (o *rankOptions) check() error {
	asks := !o.question.IsEmpty()
	switch {
	case asks && len(o.requests) > 0:
		err := option.Errorf("A REQUEST and options that ask a question exclude each other: %s", o.requests[0])
		if o.catalog == files.Sample { // nobody named a catalog, so the argument may be one
			return option.WithTip(err, option.MeantOption("catalog", o.requests[0]))
		}
		return err
	case asks && o.version != "":
		return option.Errorf("Options that exclude each other: --version and options that ask a question")
	case !asks && len(o.requests) == 0:
		return option.WithTip(option.Errorf("Missing argument: REQUEST"),
			"Without a file, ask by options: --maximize KEY, --at-most KEY=NUMBER")
	case o.version != "" && o.explain != "":
		return option.Errorf("Options that exclude each other: --version and --explain")
	case o.top != 0 && o.explain != "":
		return option.Errorf("Options that exclude each other: --top and --explain")
	case o.why && (o.explain != "" || o.version != ""):
		return option.Errorf("Options that exclude each other: --why and --%s",
			map[bool]string{true: "explain", false: "version"}[o.explain != ""])
	case o.version != "" && o.top != 0:
		return option.Errorf("Options that exclude each other: --version and --top")
	case o.version != "" && o.strict:
		return option.Errorf("Options that exclude each other: --version and --strict")
	}
	return checkQuestion(&o.question)
}

// rank reads all requests before it ranks any, so that nothing is printed if one is
// bad.
func (p *program) rank(ctx context.Context, opts rankOptions) error {
	in := p.newInputs()
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
	work := rankWork{opts: opts, files: in.Files[others:]}
	questions, err := work.read(ctx)
	if err != nil {
		return err
	}
	absent := false
	if opts.version == "" {
		c, s, err := p.readTrusted(ctx, in.Files[0])
		if err != nil {
			return err
		}
		work.trust = s.Sentence
		if !opts.question.IsEmpty() {
			request, err := p.draftQuestion(c, opts.catalog, opts.build, opts.question)
			if err != nil {
				return err
			}
			work.files, work.requests = []files.Input{{Name: drafted}}, []*v3.Request{request}
		}
		if err := p.draftQuestions(c, &work, questions); err != nil {
			return err
		}
		if work.ranker, err = v3.New(c); err != nil {
			return err
		}
		absent = p.reportAbsences(&work)
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
	requests []*v3.Request
	ranker   *v3.Ranker // nil for translations
	trust    string     // what became of the catalog, empty without a policy
}

// printer returns a printer of results on a console.
func (w *rankWork) printer(c *console.Console) *printer.Printer {
	pr := printer.New(c)
	pr.Trust = w.trust
	return pr
}

// read reads the files, and returns the questions among them, by number: their requests are nil so
// far.
func (w *rankWork) read(ctx context.Context) (questions map[int]*v3.Question, err error) {
	questions = map[int]*v3.Question{}
	for i, f := range w.files {
		source, err := f.ReadKind(ctx, files.RankRequest, rank.MaxRequestBytes)
		switch {
		case err != nil:
			return nil, err
		case !v3.IsQuestion(source.Text):
			request, err := readRankRequest(source)
			if err != nil {
				return nil, err
			}
			w.requests = append(w.requests, request)
			continue
		case w.opts.version != "":
			return nil, files.Named(f.Name,
				errors.New("holds a rank question; svc new request "+f.Name+" makes a request of it"))
		}
		if questions[i], err = readQuestion(source); err != nil {
			return nil, err
		}
		w.requests = append(w.requests, nil)
	}
	return questions, nil
}

// readQuestion reads a question.
func readQuestion(source problem.Source) (*v3.Question, error) {
	document, err := v3.ReadQuestion(source)
	if err != nil {
		return nil, err
	}
	question, err := v3.NewQuestion(document)
	if err != nil {
		return nil, files.Named(source.Name, err)
	}
	return &question, nil
}

// draftQuestions makes requests of the questions.
func (p *program) draftQuestions(c *catalog.Catalog, work *rankWork, questions map[int]*v3.Question) error {
	for i := range work.requests {
		if work.requests[i] != nil {
			continue
		}
		request, err := p.draftQuestion(c, work.opts.catalog, work.opts.build, *questions[i])
		if err != nil {
			return files.Named(work.files[i].Name, err)
		}
		work.requests[i] = request
	}
	return nil
}

// reportAbsences names what the requests look for and the catalog does not have at all,
// and reports whether there is any.
func (p *program) reportAbsences(work *rankWork) (found bool) {
	for i, request := range work.requests {
		absences := work.ranker.Absent(request.Names())
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
		bar.HideWhile(func() { err = p.printResult(i, result, work) })
		if err != nil {
			return err
		}
	}
	return nil
}

func readRankRequest(source problem.Source) (*v3.Request, error) {
	request, err := v3.ReadRequest(source)
	if err != nil {
		return nil, files.OtherKind(source, files.RankRequest, err)
	}
	return request, nil
}

// printTranslations prints requests as ones of version 3: for people, as svc new request
// writes them, or each as canonical JSON.
func (p *program) printTranslations(work *rankWork) error {
	texts := make([]string, len(work.requests))
	for i, request := range work.requests {
		var err error
		if texts[i], err = translate(request, work.opts.output == option.FormatJSON); err != nil {
			return files.Named(work.files[i].Name, err)
		}
	}
	out := p.Document()
	for _, text := range texts {
		io.WriteString(out, text) // an error stays with standard output
	}
	return nil
}

// translate writes a request as one of version 3. One that would get too large for a request by
// its layout has none.
func translate(request *v3.Request, isCanonical bool) (string, error) {
	q, err := request.Translate()
	if err != nil {
		return "", err
	}
	if text := q.Text(); !isCanonical && len(text) <= v3.MaxRequestBytes {
		return text, nil
	}
	return q.JSON() + "\n", nil
}

// wantsTable reports whether a result is to be printed for people.
func (p *program) wantsTable(output string) bool {
	return output == option.FormatTable || output == option.FormatAuto && p.IsTerminal()
}

// printResult prints the result of the nth request, at once, as requests may take
// their time.
func (p *program) printResult(n int, result *v3.Ranking, work *rankWork) error {
	request, opts := work.files[n].Name, &work.opts
	isTable := p.wantsTable(opts.output)
	if isTable && n > 0 {
		p.Print("\n")
	}
	if isTable && result.IsEarlier() {
		work.printer(p.Console).Ranking(request, result, p.shownCandidates(opts.top))
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
	work.printer(p.Console).Result(request, r, result, printer.ResultOptions{Top: int(opts.top), IsWhy: opts.why})
	return p.Flush()
}

// shownCandidates is how many candidates a table shows. A terminal gets the first, anything
// else all of them, unless somebody says how many.
func (p *program) shownCandidates(top uint64) int {
	const few = 10
	switch {
	case top > 0:
		return int(top)
	case p.IsTerminal():
		return few
	}
	return v3.MaxCriterionCells
}

// explain prints how one candidate comes out in each request. All are explained before
// anything is printed.
func (p *program) explain(ctx context.Context, work *rankWork) error {
	all := make([]*v3.Explanation, len(work.requests))
	for i, request := range work.requests {
		id, err := meantCandidate(request, work.opts.explain)
		if err != nil {
			return files.Named(work.files[i].Name, err)
		}
		x, err := work.ranker.Explain(ctx, request, id)
		if errors.As(err, new(*v3.UnknownCandidateError)) {
			return files.Named(work.files[i].Name, err)
		}
		if err != nil {
			return err
		}
		all[i] = x
	}
	for i, x := range all {
		if !p.wantsTable(work.opts.output) {
			p.PrintJSON(canonical.MustMarshal(x))
			continue
		}
		if i > 0 {
			p.Print("\n")
		}
		work.printer(p.Console).Explanation(work.files[i].Name, x, work.ranker.Catalog())
	}
	return nil
}

// meantCandidate returns the id of a candidate that begins with a word, which may end in the
// sign of what was cut off. It returns the word if it is an id or the beginning of none.
func meantCandidate(request *v3.Request, word string) (string, error) {
	const few = 5
	beginning := strings.TrimSuffix(word, "…")
	var meant []string
	inventory := request.Candidates()
	for _, c := range inventory {
		if c.ID == word {
			return word, nil
		}
		if beginning != "" && strings.HasPrefix(c.ID, beginning) {
			meant = append(meant, problem.Clip(c.ID))
		}
	}
	switch n := len(meant); {
	case n == 0:
		return word, nil
	case n == 1:
		return inventory[slices.IndexFunc(inventory, func(c record.CandidateV2) bool {
			return strings.HasPrefix(c.ID,
				beginning)
		})].ID, nil
	case n > few:
		return "", fmt.Errorf("%q is the beginning of %d candidates: %s and %d more", word, n,
			strings.Join(meant[:few], ", "), n-few)
	default:
		return "", fmt.Errorf("%q is the beginning of %d candidates: %s", word, n, strings.Join(meant, ", "))
	}
}
