package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

type newRequestOptions struct {
	catalog    string
	file       string // with a question, in place of the options; empty for none
	question   v3.Question
	asQuestion bool   // write the question itself
	out        string // empty for stdout
}

func newNewRequest(run func(context.Context, newRequestOptions) error) *cobra.Command {
	var opts newRequestOptions
	return option.Declare(&cobra.Command{
		Use:               "request [--catalog FILE] [QUESTION]" + questionSynopsis + " [--question] [-o FILE]",
		Short:             "Write a rank request with the models and keys of a catalog",
		ValidArgsFunction: option.First(option.Endings("json")),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.file, args = args[0], args[1:]
				if opts.file == "" {
					return option.Errorf("Empty argument: QUESTION")
				}
			}
			return option.NoArguments(c, args)
		},
		RunE: option.Run(run, &opts, opts.check),
	}, slices.Concat([]option.Option{foundCatalog(&opts.catalog)}, questionOptions(&opts.question), []option.Option{
		{Name: "question", Value: option.Bool(&opts.asQuestion),
			Usage: "write the question itself as a document, for svc rank and POST /v1/rank, without asking a catalog"},
		option.Out(&opts.out, "json"),
	})...)
}

func (o *newRequestOptions) check() error {
	switch {
	case o.file != "" && o.asQuestion:
		return option.Errorf("Unexpected option: --question (%s is a question)", o.file)
	case o.file != "" && !o.question.IsEmpty():
		return option.Errorf("A QUESTION and options that ask a question exclude each other: %s", o.file)
	case o.asQuestion && o.question.IsEmpty():
		return option.WithTip(option.Errorf("Missing option: --maximize, or another that asks a question"),
			"Such as --maximize livebench.coding.score --cheapest")
	}
	return checkQuestion(&o.question)
}

// questionSynopsis is how synopses list what questionOptions has.
const questionSynopsis = " [--model ID]... [--all] [--runtime ID]... [--service NAME]... [--seller-policy " +
	"first-party, major, any] [--at-least KEY=NUMBER]... [--at-most KEY=NUMBER]..." +
	" [--require KEY]... [--maximize KEY]... [--minimize KEY]... [--weight KEY=NUMBER]... [--trials KEY=COUNT]... " +
	"[--key KEY]... [--cheapest] [--within SHARE]" +
	" [--tokens INPUT/OUTPUT] [--cached TOKENS] [--requests NUMBER] [--cost measured, measured:KEY] [--confidence " +
	"LEVEL] [--target benchmark, tasks]"

// questionOptions are those by which people ask without writing a request.
func questionOptions(q *v3.Question) []option.Option {
	return slices.Concat(candidateOptions(q), preferenceOptions(q))
}

// candidateOptions say which candidates there are, and what they must have.
func candidateOptions(q *v3.Question) []option.Option {
	return []option.Option{
		{Name: "model", Value: option.Texts(&q.Models), Many: true, Offer: offerCatalogNames(modelMark),
			Usage: "`ID` of a model, which becomes a candidate; may be repeated"},
		{Name: "all", Value: option.Bool(&q.All),
			Usage: "take each model that has any of the preferred keys, not only those that have all"},
		{Name: "runtime", Value: option.Texts(&q.Runtimes), Many: true, Offer: offerCatalogNames(runtimeMark),
			Usage: "`ID` of a provider that you can use; candidates run there alone; openrouter:free is one offer of it; may " +
				"be repeated"},
		{Name: "service", Value: option.Texts(&q.Services), Many: true, Offer: offerServices,
			Usage: "`NAME` of a service, such as free, batch or any, by which candidates are sold (otherwise standard); may " +
				"be repeated"},
		{Name: "seller-policy", Value: option.ChoiceOrNone(&q.Sellers, v3.SellerPolicies...),
			Usage: "take sellers by `POLICY`: first-party, the makers of the models; major, clouds and large hosts; any " +
				"(default any)"},
		{Name: "at-least", Value: parsed(&q.AtLeast, parseBound), Many: true, Offer: offerBounds,
			Usage: "`KEY=NUMBER` that a candidate must reach, such as 200k or 90%, in the unit of the catalog; may be repeated"},
		{Name: "at-most", Value: parsed(&q.AtMost, parseBound), Many: true, Offer: offerBounds,
			Usage: "`KEY=NUMBER` that a candidate must not exceed; 5/M is 5 dollars per million tokens; may be repeated"},
		{Name: "require", Value: parsed(&q.Require, parseDemand), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` that must be true, such as capability.tools, or KEY=VALUE, a word that it must be; may be repeated"},
	}
}

// preferenceOptions say what is better, and what is chosen by.
func preferenceOptions(q *v3.Question) []option.Option {
	return []option.Option{
		{Name: "maximize", Value: option.Texts(&q.Maximize), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of which more is better; may be repeated"},
		{Name: "minimize", Value: option.Texts(&q.Minimize), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of which less is better; may be repeated"},
		{Name: "weight", Value: parsed(&q.Weights, v3.ParseWeight), Many: true, Offer: offerBounds,
			Usage: "`KEY=NUMBER`, the weight of a key to maximize or minimize (otherwise 1); may be repeated"},
		{Name: "trials", Value: parsed(&q.Trials, v3.ParseShares), Many: true, Offer: offerBounds,
			Usage: "`KEY=COUNT`, if the values of KEY are shares of trials: the key COUNT has their number; may be repeated"},
		{Name: "key", Value: option.Texts(&q.Keys), Many: true, Offer: offerCatalogNames(keyMark),
			Usage: "`KEY` of a measurement, which becomes a criterion as its values suggest; may be repeated"},
		{Name: "cheapest", Value: option.Bool(&q.Cheapest),
			Usage: "choose the cheapest candidate whose score is within 3% of the best, or as --within says"},
		{Name: "within", Value: once(&q.Within, v3.ParseShare), Offer: option.Nothing,
			Usage: "choose the cheapest candidate whose score is at most `SHARE` of the scale below the best, such as 5%"},
		{Name: "tokens", Value: task(q, func(t *v3.TaskTokens, text string) (err error) {
			t.Input, t.Output, err = v3.ParseTokens(text)
			return err
		}), Offer: option.Nothing,
			Usage: "`INPUT/OUTPUT`, the tokens of a task, such as 3k/500 (otherwise 20k/3k), to say what one costs"},
		{Name: "cached", Value: task(q, func(t *v3.TaskTokens, text string) (err error) {
			t.CachedInput, err = v3.ParseCount(text)
			return err
		}), Offer: option.Nothing,
			Usage: "`TOKENS` of the prompt that are read from the cache, beside those of --tokens"},
		{Name: "requests", Value: task(q, func(t *v3.TaskTokens, text string) (err error) {
			t.Requests, err = v3.ParseCount(text)
			return err
		}), Offer: option.Nothing,
			Usage: "`NUMBER` of tasks, such as 1M, to say what all cost"},
		{Name: "cost", Value: option.Parsed(func(text string) (err error) {
			q.Measured, err = v3.ParseMeasured(text)
			return err
		}), Offer: option.Nothing,
			Usage: "measured or `measured:KEY`, to choose by what models were measured to cost, at each effort, not by price " +
				"lists"},
		{Name: "confidence", Value: once(&q.Confidence, parseConfidence), Offer: option.Nothing,
			Usage: "`LEVEL` of intervals and comparisons, from 50% to 99.99% (otherwise 95%)"},
		{Name: "target", Value: option.ChoiceOrNone(&q.Target, "benchmark", "tasks"),
			Usage: "say where the same benchmark would lie again, or other tasks of the kind (otherwise benchmark where its " +
				"size is known)"},
	}
}

// once is an option that is a value which a function reads.
func once[T any](into *T, parse func(text string) (T, error)) option.Value {
	return option.Parsed(func(text string) (err error) {
		*into, err = parse(text)
		return err
	})
}

// task is an option about the tokens of a task, which has the usual ones where only others are
// given.
func task(q *v3.Question, set func(t *v3.TaskTokens, text string) error) option.Value {
	return option.Parsed(func(text string) error {
		if q.Tokens == nil {
			q.Tokens = v3.UsualTokens()
		}
		return set(q.Tokens, text)
	})
}

// parseConfidence reads a level, like 95% or 0.95.
func parseConfidence(text string) (float64, error) {
	share, err := v3.ParseShare(text)
	if err != nil || share.Value < 0.5 || share.Value > 0.9999 {
		return 0, errors.New("must be from 50% to 99.99%, like 95% or 0.95")
	}
	return share.Value, nil
}

func checkQuestion(q *v3.Question) error {
	if q.All && q.Models != nil {
		return option.Errorf("Options that exclude each other: --all and --model")
	}
	return nil
}

// parsed is an option that may be given more than once, each time with a text that a function
// reads.
func parsed[T any](list *[]T, parse func(text string) (T, error)) option.Value {
	return option.Each(func(text string) error {
		item, err := parse(text)
		*list = append(*list, item)
		return err
	})
}

// parseBound is [v3.ParseBound] of what a shell has left of a text: nothing of $5, and /M of $5/M.
func parseBound(text string) (v3.Bound, error) {
	b, err := v3.ParseBound(text)
	if number := text[strings.LastIndexByte(text, '=')+1:]; err != nil && number != text &&
		(number == "" || number[0] == '/') {
		err = fmt.Errorf("%w; in a shell, $5 needs single quotes", err)
	}
	return b, err
}

// parseDemand is [v3.ParseDemand], which says of a number which options are for it.
func parseDemand(text string) (v3.Demand, error) {
	d, err := v3.ParseDemand(text)
	if b, errOfBound := v3.ParseBound(text); err != nil && errOfBound == nil {
		err = fmt.Errorf("%w; on the command line: --at-least %[2]s=%[3]s, --at-most %[2]s=%[3]s or --require "+
			"'%[2]s=\"%[3]s\"'", err, b.Key, text[len(b.Key)+1:])
	}
	return d, err
}

// allOption says how to ask for what a question leaves out.
const allOption = "; --all takes those, too, that have any of them"

func (p *program) newRequest(ctx context.Context, opts newRequestOptions) error {
	names := []string{opts.catalog}
	if opts.file != "" {
		names = append(names, opts.file)
	}
	if opts.asQuestion {
		names = nil
	}
	in, out, err := p.open(opts.out, names...)
	if err != nil {
		return err
	}
	if opts.asQuestion {
		return out.WriteText(ctx, opts.question.Text())
	}
	if opts.file != "" {
		source, err := in.Files[1].ReadKind(ctx, files.RankQuestion, rank.MaxRequestBytes)
		if err != nil {
			return err
		}
		question, err := readQuestion(source)
		if err != nil {
			return files.OtherKind(source, files.RankQuestion, err)
		}
		opts.question = *question
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	draft, missing, err := p.draftRequest(c, opts.catalog, "", opts.question)
	if err != nil {
		return err
	}
	for _, text := range missing {
		p.Warn("%s", text)
	}
	return out.WriteText(ctx, draft.Text)
}

// draftRequest writes the request that asks a question about the catalog of a file. Its errors say
// where to look for the names that there are. It warns of sources that are behind by the record of
// its build, of a file or beside the catalog, and returns which rows of leaderboards are in no
// model.
func (p *program) draftRequest(c *catalog.Catalog, name, build string, question v3.Question) (draft *v3.Drafted,
	missing []string, err error) {
	draft, err = v3.Draft(c, question)
	if err != nil {
		return draft, nil, explainAbsence(err, name)
	}
	b, err := p.buildOf(build, name, c.Digest())
	if err != nil {
		return draft, nil, err
	}
	for _, text := range v3.Shortcomings(b) {
		p.Warn("%s", text)
	}
	for _, omission := range draft.Omissions() {
		text := omission.Text
		if omission.AsksAll {
			text += allOption
		}
		p.Warn("%s", text)
	}
	return draft, v3.MissingRows(b, &question), nil
}

// explainAbsence says of each name that the catalog of a file does not have where to look
// for those that it has. What does not fit the catalog is the question's fault.
func explainAbsence(err error, file string) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range several.Unwrap() {
			all = append(all, explainAbsence(one, file))
		}
		return errors.Join(all...)
	}
	if absent, ok := errors.AsType[*v3.AbsentError](err); ok {
		if absent.Similar == nil {
			list := map[string]string{"model": " lists those that there are", "key": " --keys lists those that there are",
				"runtime": " MODEL lists those of a model", "service": " MODEL lists those of a model"}
			err = fmt.Errorf("%w; svc show %s%s", err, file, list[absent.What])
		}
		return files.Named(file, err)
	}
	if unfit, ok := errors.AsType[*v3.UnfitError](err); ok {
		if unfit.AsksAll {
			err = fmt.Errorf("%w%s", err, allOption)
		}
		return files.Named(drafted, err)
	}
	return err
}

// drafted is the name of a request that options ask for.
const drafted = "your question"

// draftQuestion is draftRequest for a request that is ranked at once: the answer says which rows
// are missing.
func (p *program) draftQuestion(c *catalog.Catalog, name, build string, question v3.Question) (*v3.Request, error) {
	draft, missing, err := p.draftRequest(c, name, build, question)
	if err != nil {
		return nil, err
	}
	return draft.Request.Noting(missing), nil
}

// questionOptionsOf are some of questionOptions, for commands that ask for a part of a question.
func questionOptionsOf(q *v3.Question, names ...string) []option.Option {
	return slices.DeleteFunc(questionOptions(q), func(o option.Option) bool { return !slices.Contains(names, o.Name) })
}
