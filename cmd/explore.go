package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/server"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

type exploreOptions struct {
	serveOptions
	page pageOptions
	open bool
}

// pageOptions are what a page shows besides its catalog.
type pageOptions struct {
	against  string // an older catalog, or empty
	build    string // the record of the build, or empty
	requests []string
	question v3.Question
	words    []string // that ask the question
}

// options are those of a page: what to compare and what to rank.
func (o *pageOptions) options() []option.Option {
	questions := questionOptions(&o.question)
	for i := range questions {
		q := &questions[i]
		q.Value = option.Recorded(q.Name, q.Value, func(words ...string) { o.words = append(o.words, words...) })
	}
	return append([]option.Option{
		againstOption(&o.against),
		buildOption(&o.build),
		{Name: "request", Value: option.Inputs(&o.requests), Many: true, Offer: option.Endings("json"),
			Usage: "`REQ` is a file with a rank request; may be given more than once"},
	}, questions...)
}

func (o *pageOptions) check() error { return checkQuestion(&o.question) }

func newExplore(run func(context.Context, exploreOptions) error) *cobra.Command {
	opts := exploreOptions{serveOptions: serveOptions{
		Address:   server.Address{Host: httpserver.DefaultHost, Port: httpserver.DefaultPagePort},
		maxRanks:  httpapi.DefaultMaxConcurrentRankRequests,
		maxResult: httpapi.DefaultMaxRankResponseBytes,
	}}
	return option.Declare(&cobra.Command{
		Use: "explore [--catalog FILE] [--against OLD] [--build FILE] [--request REQ]..." + questionSynopsis +
			" [--host HOST] [--port PORT] [--open]" +
			" [--max-concurrent-rank-requests COUNT] [--max-rank-response-bytes BYTES]",
		Short:      "Look at a catalog in a browser",
		SuggestFor: []string{"browse", "open", "ui"},
		RunE:       option.Run(run, &opts, opts.page.check),
	}, slices.Concat([]option.Option{snapshotOption(&opts.catalog)}, opts.page.options(), []option.Option{
		opts.HostOption(),
		opts.PortOption(),
		{Name: "open", Value: option.Bool(&opts.open), Usage: "open the page in the browser"},
		{Name: "max-concurrent-rank-requests", Value: option.Integer(&opts.maxRanks, 1, option.MaxInteger),
			Offer: option.Nothing,
			Usage: "`COUNT` of rank requests at once, further ones get 503"},
		{Name: "max-rank-response-bytes", Value: option.Integer(&opts.maxResult, 1, option.MaxInteger), Offer: option.Nothing,
			Usage: "`BYTES` that a rank result may have, larger ones get 422"},
	})...)
}

// againstOption names an older catalog.
func againstOption(p *string) option.Option {
	return option.Option{Name: "against", Value: option.Input(p), Offer: option.Endings("json"),
		Usage: "`OLD` catalog snapshot, to show what changed since"}
}

// snapshotOption names the catalog of a page.
func snapshotOption(p *string) option.Option {
	return option.Option{Name: "catalog", Value: option.Text(p), Found: true, Offer: option.Endings("json"),
		Usage: "`FILE` with the catalog snapshot"}
}

// explore serves the page until a signal comes.
func (p *program) explore(ctx context.Context, opts exploreOptions) error {
	err := p.serveCatalog(ctx, opts.serveOptions, p.pageOf(ctx, opts.catalog, &opts.page), func(url string) {
		if p.IsTerminal() {
			p.Note("open this address in a browser; Ctrl-C ends svc:")
		}
		if opts.open {
			openBrowser(ctx, url, func(err error) { p.Problem("the browser did not open: " + err.Error()) })
		}
	})
	if errors.Is(err, syscall.EADDRINUSE) { // another page is open
		return fmt.Errorf("%w; --port 0 takes a free one", err)
	}
	return err
}

// pageOf returns what puts the page of a catalog in front of its API.
func (p *program) pageOf(ctx context.Context, name string, opts *pageOptions) frontOf {
	var read *explore.Extras
	return func(c *catalog.Catalog, sentence string, api *httpapi.Handler) (http.Handler, error) {
		if read == nil { // once: the files may be others later
			extras, err := p.readExtras(ctx, c, name, opts)
			if err != nil {
				return nil, err
			}
			read = &extras
		}
		extras := *read
		if sentence != "" {
			extras.Notes = append([]string{sentence}, extras.Notes...)
		}
		return explore.NewHandler(api, api.Ranker(), extras)
	}
}

// readExtras reads what a page shows besides its catalog. What is wrong with a file is
// said in one line.
func (p *program) readExtras(ctx context.Context, c *catalog.Catalog, name string, opts *pageOptions) (explore.Extras,
	error) {
	extras := explore.Extras{CatalogFile: filepath.Base(name)}
	built, err := p.buildOf(opts.build, name, c.Digest())
	if err != nil {
		return extras, err
	}
	extras.Build = built
	if line := v3.BuiltOf(built); line != "" {
		extras.Notes = slices.Concat([]string{line}, v3.Shortcomings(built))
	}
	in := p.newInputs()
	for _, request := range opts.requests {
		if _, err := in.AddFile(request); err != nil {
			return extras, err
		}
	}
	read, err := readRequests(ctx, in.Files)
	if err != nil {
		return extras, console.First(err)
	}
	for i, request := range read {
		extras.Requests = append(extras.Requests, explore.Request{Name: filepath.Base(opts.requests[i]), Request: request})
	}
	if !opts.question.IsEmpty() {
		request, err := p.draftQuestion(c, name, opts.build, opts.question)
		if err != nil {
			return extras, err
		}
		extras.Requests = slices.Insert(extras.Requests, 0, explore.Request{Name: drafted, Request: request,
			Question: &opts.question, Options: opts.words})
		read = slices.Insert(read, 0, request)
	}
	if len(read) == 0 {
		if first, ok := explore.FirstRequest(c); ok {
			extras.Requests = append(extras.Requests, first)
		}
	}
	if opts.against == "" {
		return extras, nil
	}
	old, _, err := p.readServed(ctx, opts.against)
	if err != nil {
		return extras, err
	}
	if extras.Diff, err = compareTo(ctx, old, c, read); err != nil {
		return extras, files.Named(opts.against, err)
	}
	return extras, nil
}

// compareTo compares an older catalog with a newer one.
func compareTo(ctx context.Context, old, new *catalog.Catalog, requests []*v3.Request) (*record.CatalogDiff, error) {
	before, err := ranking.NewSide(ctx, old, requests...)
	if err != nil {
		return nil, err
	}
	after, err := ranking.NewSide(ctx, new, requests...)
	if err != nil {
		return nil, err
	}
	return ranking.Diff(ctx, before, after, compare.Options{Limit: compare.DefaultLimit})
}

// openBrowser hands an address to the program of this system that opens addresses. It does
// not wait for it, and says later if it failed.
func openBrowser(ctx context.Context, url string, failed func(error)) {
	words := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	if err := c.Start(); err != nil {
		failed(err)
		return
	}
	go func() { // until the program ends, or the server
		if err := c.Wait(); err != nil && ctx.Err() == nil {
			failed(err)
		}
	}()
}
