package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/rank"
)

type lockOptions struct {
	catalog  string
	requests []string
	uses     []string
	watch    []string
	out      string
}

func newLock(run func(context.Context, lockOptions) error) *cobra.Command {
	var opts lockOptions
	return option.Declare(&cobra.Command{
		Use:   "lock --catalog FILE (--request REQUEST | --use RUNTIME:MODEL)... [--watch KEY]... [-o FILE]",
		Short: "Write down the models that you rely on, with prices and limits",
		RunE: func(c *cobra.Command, _ []string) error {
			if opts.requests == nil && opts.uses == nil {
				return option.Errorf("Missing option: --request or --use")
			}
			return run(c.Context(), opts)
		},
	},
		neededCatalog(&opts.catalog),
		option.Option{Name: "request", Value: option.Inputs(&opts.requests), Many: true, Offer: option.Endings("json"),
			Usage: "file with a rank `REQUEST` whose candidates you use; - is standard input"},
		option.Option{Name: "use", Value: useOption(&opts.uses), Many: true, Offer: option.Nothing,
			Usage: "`RUNTIME:MODEL` that you use, like openrouter:moonshotai/kimi-k2"},
		option.Option{Name: "watch", Value: option.Texts(&opts.watch), Many: true, Offer: option.Nothing,
			Usage: "`KEY` to lock besides prices, limits, capabilities and the life cycle"},
		option.Out(&opts.out, "json"),
	)
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
	for _, use := range opts.uses {
		runtime, model, _ := strings.Cut(use, ":")
		demand.Uses = append(demand.Uses, lock.Plain(runtime, model))
	}
	existing, err := p.existingLock(ctx, opts.out)
	if err != nil {
		return err
	}
	c, err := p.readCatalog(ctx, in.Files[0])
	if err != nil {
		return err
	}
	l, unlocked, err := lock.Make(ctx, c, demand, existing)
	if err != nil {
		return err
	}
	if err := out.WriteText(ctx, l.Text()); err != nil {
		return err
	}
	p.printUnlocked(unlocked)
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
	source, err := files.New(p.stdin).ReadFile(ctx, name, lock.MaxBytes)
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
	words := map[rank.FactStatus]string{rank.FactMissing: "unknown", rank.FactStale: "expired", rank.FactConflict: "contradicted", rank.FactIncomparable: "not comparable"}
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
		p.Note("%s: %s", strings.Join(uses[line], ", "), line)
	}
}
