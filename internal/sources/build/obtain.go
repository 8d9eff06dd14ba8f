package build

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/service/record"
)

// The states of a source.
const (
	stateBuilt  = "built"  // its newest body is used
	stateHeld   = "held"   // its newest body does not count, the last good one is used
	stateMissed = "missed" // it could not be had, the last good body is used
	stateAbsent = "absent" // it has no body that could be used
)

// leastShare is how many rows of the last accepted body a new one has at least, in percent.
const leastShare = 80

// obtain asks all sources that are due, several at once.
func (b *build) obtain(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, b.Jobs))
	for _, p := range b.parts {
		group.Go(func() error {
			if p.approved == nil {
				return b.readOwn(ctx, p)
			}
			return b.obtainSource(ctx, p)
		})
	}
	return group.Wait()
}

// isAsked reports whether a source is asked in this build.
func (b *build) isAsked(p *part) bool {
	if b.Offline || len(b.Only) > 0 && !slices.Contains(b.Only, p.ID) {
		return false
	}
	last := ""
	for _, l := range b.looks(p) {
		if l.Verdict == record.Accepted {
			last = max(last, string(l.At))
		}
	}
	return slices.Contains(b.Only, p.ID) || recipe.IsDue(p.approved, recipe.Revision(&p.RecipeSource), last, b.now)
}

// looks returns the looks of the store at what the recipe wants of a source.
func (b *build) looks(p *part) []record.Look {
	b.guard.Lock()
	defer b.guard.Unlock()
	return slices.DeleteFunc(b.Store.Looks(p.ID), func(l record.Look) bool { return !b.isWanted(p, &l) })
}

// isWanted reports whether a look is at the revision that the recipe names, or at the newest.
func (b *build) isWanted(p *part, l *record.Look) bool {
	revision := recipe.Revision(&p.RecipeSource)
	folders := recipe.Folders(&p.RecipeSource)
	for _, text := range l.Bodies {
		r, _ := b.Manifest.Resource(p.ID, sources.ReadEnvelope(string(text)).URL)
		of := r.Revision
		isNewest := len(l.Others) > 0 || of == "" || p.approved.IsDaily()
		if revision != "" && of != revision || revision == "" && !isNewest || !slices.Equal(r.Folders, folders) {
			return false
		}
	}
	return len(l.Bodies) > 0
}

// options are those of the fetch of a source.
func (b *build) options(p *part) fetch.Options {
	o := b.Fetch
	if recipe.Folders(&p.RecipeSource) == nil {
		o.Timeout = 10 * time.Minute
	}
	o.Progress = func(n int64) { b.Watch.Bytes(p.ID, n) }
	o.Expect = func(n int64) { b.Watch.Expect(p.ID, n) }
	o.Retry = func(reason string) { b.Watch.Retry(p.ID, reason) }
	return o
}

// obtainSource asks a source, if it is due, and judges what it has.
func (b *build) obtainSource(ctx context.Context, p *part) error {
	if !b.isAsked(p) {
		return b.acceptHeld(ctx, p)
	}
	start := time.Now()
	gathered, err := fetch.Gather(ctx, fetch.Request{
		Manifest: b.Manifest, Source: p.ID, Revision: recipe.Revision(&p.RecipeSource), Head: p.adapter.ReadsHead(),
		Folders:     recipe.Folders(&p.RecipeSource),
		PublishedAt: p.adapter.PublishedAt, Older: func(u string) (string, sources.Envelope) { return b.older(p, u) },
	}, b.options(p))
	if ctx.Err() != nil {
		return files.ErrInterrupt
	}
	if err != nil {
		p.trouble = err.Error()
		b.Watch.Done(p.ID, "could not be fetched: "+p.trouble)
		return nil
	}
	look, texts := b.judge(p, gathered)
	b.guard.Lock()
	defer b.guard.Unlock()
	isNew := slices.ContainsFunc(texts, func(text string) bool { return !b.Store.Has(canonical.SumText(text)) })
	if err := b.Store.Keep(ctx, texts...); err != nil {
		return err
	}
	b.Watch.Done(p.ID, describeLook(&look, isNew, texts, time.Since(start)))
	return b.Store.Add(ctx, look)
}

// describeLook says in a line what a source had.
func describeLook(l *record.Look, isNew bool, texts []string, took time.Duration) string {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	line := fmt.Sprintf("%s rows, %s in %v", quantity.Number(float64(l.Rows)), quantity.Bytes(int64(size)),
		took.Round(100*time.Millisecond))
	if !isNew {
		line += ", as before"
	}
	if l.Verdict == record.Held {
		line += "; held back: " + string(l.Reason)
	}
	return line
}

// older returns what the store has of a URL.
func (b *build) older(p *part, u string) (string, sources.Envelope) {
	b.guard.Lock()
	defer b.guard.Unlock()
	for _, l := range slices.Backward(b.Store.Looks(p.ID)) {
		for _, e := range store.Envelopes(l) {
			if e.URL != u || l.Verdict != record.Accepted {
				continue
			}
			if text, err := b.Store.Body(e.BodySHA256); err == nil {
				return text, e
			}
		}
	}
	return "", sources.Envelope{}
}

// judge reads what a source has by its adapter, and says whether it counts.
func (b *build) judge(p *part, gathered []fetch.Gathered) (look record.Look, texts []string) {
	look = record.Look{Source: p.ID, Verdict: record.Accepted}
	var read []sources.File
	for _, g := range gathered {
		envelope := record.JSON(g.Envelope.JSON())
		if g.Importable {
			look.Bodies = append(look.Bodies, envelope)
			read = append(read, g.File)
		} else {
			look.Others = append(look.Others, envelope)
		}
		look.At = max(look.At, record.Timestamp(g.Envelope.FetchedAt))
		texts = append(texts, g.Body.Text)
	}
	rows, err := countRows(p.adapter, b.Manifest, read)
	if err != nil {
		look.Verdict, look.Reason = record.Held, record.Text("the adapter refuses it: "+plain(err))
		return look, texts
	}
	look.Rows = rows
	reason := ""
	if last := b.lastLike(p, &look); rows == 0 {
		reason = "it has no rows"
	} else if last != nil && rows*100 < last.Rows*leastShare {
		reason = fmt.Sprintf("it has %d rows, the one before had %d", rows, last.Rows)
	}
	if reason != "" && !(rows > 0 && slices.Contains(b.Accept, p.ID)) {
		look.Verdict, look.Reason = record.Held, record.Text(reason)
	}
	return look, texts
}

// countRows counts the rows of bodies that can become observations.
func countRows(a sources.Adapter, m *sources.Manifest, read []sources.File) (rows int, err error) {
	labels, err := a.Labels(m, read)
	for _, l := range labels {
		if l.Skip == "" {
			rows++
		}
	}
	return rows, err
}

// plain is an error in one line.
func plain(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSpace(problem.Brief(text))
}

// lastLike returns the newest look that counts and found the same resources, nil if there is
// none.
func (b *build) lastLike(p *part, look *record.Look) *record.Look {
	urls := urlsOf(look)
	for _, l := range slices.Backward(b.looks(p)) {
		if l.Verdict == record.Accepted && slices.Equal(urlsOf(&l), urls) {
			return &l
		}
	}
	return nil
}

func urlsOf(l *record.Look) (urls []string) {
	for _, text := range l.Bodies {
		urls = append(urls, sources.ReadEnvelope(string(text)).URL)
	}
	slices.Sort(urls)
	return urls
}

// errHeld is why a body cannot be accepted.
var errHeld = errors.New("nothing is held back that its adapter can read")

// acceptHeld makes what is held back count, if that is asked for.
func (b *build) acceptHeld(ctx context.Context, p *part) error {
	if !slices.Contains(b.Accept, p.ID) {
		return nil
	}
	looks := b.looks(p)
	if len(looks) == 0 || looks[len(looks)-1].Verdict != record.Held || looks[len(looks)-1].Rows == 0 {
		return fmt.Errorf("%s: %w", p.ID, errHeld)
	}
	look := looks[len(looks)-1]
	look.Verdict, look.Reason = record.Accepted, ""
	b.guard.Lock()
	defer b.guard.Unlock()
	return b.Store.Add(ctx, look)
}
