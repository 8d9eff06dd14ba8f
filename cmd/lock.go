package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

type lockOptions struct {
	catalog  string
	requests []string
	question v3.Question // asked by options: its candidates are used, too
	uses     []string
	watch    []string
	out      string
}

func newLock(run func(context.Context, lockOptions) error) *cobra.Command {
	var opts lockOptions
	return option.Declare(&cobra.Command{
		Use: "lock [--catalog FILE] (--request REQUEST | --use RUNTIME:MODEL)..." + questionSynopsis +
			" [--watch KEY]... [-o FILE]",
		Short: "Write down the models that you rely on, with prices and limits",
		RunE:  option.Run(run, &opts, opts.check),
	}, slices.Concat([]option.Option{
		foundCatalog(&opts.catalog),
		{Name: "request", Value: option.Inputs(&opts.requests), Many: true, Offer: option.Endings("json"),
			Usage: "file with a rank `REQUEST` whose candidates you use; - is standard input"},
		{Name: "use", Value: useOption(&opts.uses), Many: true, Offer: option.Nothing,
			Usage: "`RUNTIME:MODEL` that you use, like openrouter:moonshotai/kimi-k2"},
	}, questionOptions(&opts.question), []option.Option{
		{Name: "watch", Value: option.Texts(&opts.watch), Many: true, Offer: option.Nothing,
			Usage: "`KEY` to lock besides prices, limits, capabilities and the life cycle"},
		option.Out(&opts.out, "json"),
	})...)
}

func (o *lockOptions) check() error {
	if o.requests == nil && o.uses == nil && o.question.IsEmpty() {
		return option.WithTip(option.Errorf("Missing option: --request or --use"),
			"Or ask for what you use by options: --model ID --runtime ID")
	}
	return checkQuestion(&o.question)
}

// useOption takes a runtime and a model id, with a colon between them.
func useOption(p *[]string) option.Value {
	return option.Each(func(text string) error {
		if runtime, model, ok := strings.Cut(text, ":"); !ok || runtime == "" || model == "" {
			return errors.New("must be RUNTIME:MODEL")
		}
		*p = append(*p, text)
		return nil
	})
}

func (p *program) lock(ctx context.Context, opts lockOptions) error {
	in, out, err := p.open(opts.out, append([]string{opts.catalog}, opts.requests...)...)
	if err != nil {
		return err
	}
	requests, err := readRequests(ctx, in.Files[1:])
	if err != nil {
		return err
	}
	demand := lock.Demand{Watch: opts.watch}
	for _, request := range requests {
		if err := demand.Add(request.JSON()); err != nil {
			return err
		}
	}
	existing, err := p.existingLock(ctx, opts.out)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	for _, use := range opts.uses {
		found, err := lock.ReadUse(c, use)
		if err != nil {
			return files.Named(opts.catalog, err)
		}
		demand.Uses = append(demand.Uses, found)
	}
	if !opts.question.IsEmpty() {
		request, err := p.draftQuestion(c, opts.catalog, "", opts.question)
		if err != nil {
			return err
		}
		if err := demand.Add(request.JSON()); err != nil {
			return err
		}
	}
	l, unlocked, err := lock.Make(ctx, c, demand, existing)
	if err != nil {
		return err
	}
	if err := out.WriteText(ctx, l.Text()); err != nil {
		return err
	}
	p.printUnlocked(unlocked)
	facts := 0
	for _, use := range l.Uses {
		facts += len(use.Facts)
	}
	p.Note("locked: %s of %s", quantity.Count(facts, "fact"), quantity.Count(len(l.Uses), "use"))
	return nil
}

// existingLock reads the lock that is to be continued, nil if there is none.
func (p *program) existingLock(ctx context.Context, name string) (*lock.Lock, error) {
	if name == "" || name == option.Stdin {
		return nil, nil
	}
	if info, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	source, err := p.newInputs().ReadFile(ctx, name, lock.MaxBytes)
	if errors.Is(err, files.ErrNoDocument) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	l, err := lock.Read(source)
	if err != nil {
		return nil, files.OtherKind(source, files.ModelsLock, err)
	}
	return l, nil
}

// printUnlocked says what was not locked: a line for each status and list of keys, with
// the uses that share them.
func (p *program) printUnlocked(list []lock.UnlockedKey) {
	words := map[v3.FactStatus]string{v3.FactMissing: "unknown", v3.FactStale: "expired", v3.FactConflict: "contradicted",
		v3.FactIncomparable: "not comparable"}
	type part struct{ use, status string }
	var parts []part
	keys := map[part][]string{}
	for _, u := range list {
		at := part{u.Use, words[u.Status]}
		if keys[at] == nil {
			parts = append(parts, at)
		}
		keys[at] = append(keys[at], u.Key)
	}
	var lines []string
	uses := map[string][]string{}
	for _, at := range parts {
		line := "not locked, " + at.status + ": " + strings.Join(keys[at], ", ")
		if uses[line] == nil {
			lines = append(lines, line)
		}
		uses[line] = append(uses[line], at.use)
	}
	for _, line := range lines {
		p.Note("%s: %s", firstNames(uses[line]), line)
	}
}

// firstNames lists names, of many the first, so that what is said of them stays in sight.
func firstNames(names []string) string {
	const few = 5
	if more := len(names) - few; more > 1 {
		return strings.Join(names[:few], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}
