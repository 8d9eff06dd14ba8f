package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// fetcher gathers what a folder shall have.
type fetcher struct {
	req      Request
	opts     Options
	source   *sources.Source
	client   *http.Client
	gathered []gathered
}

// gathered is a body with its envelope, or a proposal without one.
type gathered struct {
	name       string
	state      State
	file       sources.File
	reference  string
	importable bool
}

func (f *fetcher) fetch(ctx context.Context) error {
	s := f.source
	entry := s.Resolver.Entrypoint.URL
	switch {
	case s.Revision.Kind == sources.KindSnapshot:
		g, err := f.gather(ctx, entry, true)
		if err != nil {
			return err
		}
		e, err := readEnvelope(g.file, s.ID, f.req.Manifest)
		if err == nil && f.req.Revision != "" && f.req.Revision != e.BodySHA256 {
			return fmt.Errorf("%s: the SHA-256 of the bytes is %s, not %s", entry, e.BodySHA256, f.req.Revision)
		}
		return err
	case f.req.Revision != "":
		return f.gatherArtifacts(ctx, f.req.Revision)
	case s.Resolver.DerivedResourcePolicy == sources.PolicyMainBundle:
		revision, err := f.discover(ctx)
		if err != nil {
			return err
		}
		return f.gatherArtifacts(ctx, revision)
	}
	return fmt.Errorf("%s needs a revision (a %s): its revisions cannot be discovered", s.ID, s.Revision.Grammar)
}

// gatherArtifacts downloads what a revision is made of. What is not required may
// be missing.
func (f *fetcher) gatherArtifacts(ctx context.Context, revision string) error {
	for i := range f.source.Artifacts.Items {
		item := &f.source.Artifacts.Items[i]
		if _, err := f.gather(ctx, item.URL(revision), true); err != nil && (item.Required || !isGone(err)) {
			return err
		}
	}
	return nil
}

func isGone(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && e.Status == http.StatusNotFound
}

// discover downloads the index and its bundle and returns the newest revision
// that they tell of.
func (f *fetcher) discover(ctx context.Context) (revision string, err error) {
	m, s := f.req.Manifest, f.source
	index, err := f.gather(ctx, s.Resolver.Entrypoint.URL, false)
	if err != nil {
		return "", err
	}
	named, err := discovery.Bundle(index.file, s.ID, m)
	if err != nil {
		return "", err
	}
	request := discovery.Request{Manifest: m, Source: s.ID, Index: index.file}
	bundle, err := f.gather(ctx, named, false)
	if isGone(err) {
		bundle, request.AssetManifest, err = f.bundleOfAssets(ctx, named)
	}
	if err != nil {
		return "", err
	}
	request.Bundle = bundle.file
	p, err := discovery.Propose(request)
	if err != nil {
		return "", err
	}
	name := s.ID + "-proposal.json"
	text := string(p.JSON()) + "\n"
	f.gathered = append(f.gathered, gathered{name: name, state: f.stateOf(name, text), file: sources.File{Body: problem.Source{Name: name, Text: text}}})
	return p.CurrentRevision, nil
}

// bundleOfAssets downloads the bundle that the asset manifest names, where that
// of the index is gone.
func (f *fetcher) bundleOfAssets(ctx context.Context, gone string) (gathered, problem.Source, error) {
	s := f.source
	u := discovery.AssetManifestURL(s)
	a, err := get(ctx, f.client, sources.Resource{
		URL: u, Origin: s.CanonicalOrigin, MediaTypes: []string{"application/json"}, MaxBytes: s.Resolver.Entrypoint.MaxBytes,
	}, "", f.opts)
	if err != nil {
		return gathered{}, problem.Source{}, fmt.Errorf("%s is gone, and %w", gone, err)
	}
	assets := problem.Source{Name: u, Text: a.body}
	named, err := discovery.BundleOfAssets(assets, s.ID, f.req.Manifest)
	if err != nil {
		return gathered{}, assets, err
	}
	g, err := f.gather(ctx, named, false)
	if isGone(err) {
		err = fmt.Errorf("neither %s, which the index names, nor %s, which the asset manifest names, is there: %w", gone, named, err)
	}
	return g, assets, err
}

// gather downloads a resource that the manifest approves, unless the folder has
// it already.
func (f *fetcher) gather(ctx context.Context, u string, importable bool) (gathered, error) {
	m, s := f.req.Manifest, f.source
	r, reason := m.Resource(s.ID, u)
	if reason != "" {
		return gathered{}, fmt.Errorf("%s %s", u, reason)
	}
	g := gathered{name: fileName(r), importable: importable}
	older, was := f.older(g.name, u)
	a, err := get(ctx, f.client, r, was.ETag, f.opts)
	if err != nil {
		return gathered{}, err
	}
	if a.unchanged || a.body == older.Body.Text && was.URL != "" {
		g.state, g.file, g.reference = Unchanged, older, was.Reference
		f.gathered = append(f.gathered, g)
		return g, nil
	}
	body := problem.Source{Name: filepath.Join(f.req.Folder, g.name), Text: a.body}
	fetchedAt, _ := timestamp.Format(f.opts.Now()) // no clock goes beyond it
	e, err := sources.Pin(s.ID, sources.Fetched{
		URL: u, FetchedAt: fetchedAt, MediaType: a.mediaType, Redirects: a.redirects, ETag: a.etag,
	}, body, m)
	if err != nil {
		return gathered{}, fmt.Errorf("%s: %w", u, err)
	}
	g.state, g.reference = f.stateOf(g.name, a.body), e.Reference
	g.file = sources.File{Body: body, Envelope: problem.Source{Name: body.Name + sources.EnvelopeSuffix, Text: string(e.JSON()) + "\n"}}
	f.gathered = append(f.gathered, g)
	return g, nil
}

// older returns the snapshot of a URL that the folder has. One that does not hold
// is as good as none, and has an empty envelope.
func (f *fetcher) older(name, u string) (sources.File, sources.Envelope) {
	path := filepath.Join(f.req.Folder, name)
	body, err := files.Read(path, sources.MaxBodyBytes)
	if err != nil {
		return sources.File{}, sources.Envelope{}
	}
	envelope, err := files.Read(path+sources.EnvelopeSuffix, sources.MaxBodyBytes)
	if err != nil {
		return sources.File{}, sources.Envelope{}
	}
	file := sources.File{
		Body:     problem.Source{Name: path, Text: body},
		Envelope: problem.Source{Name: path + sources.EnvelopeSuffix, Text: envelope},
	}
	e, err := readEnvelope(file, f.source.ID, f.req.Manifest)
	if err != nil || e.URL != u {
		return sources.File{}, sources.Envelope{}
	}
	return file, e
}

func readEnvelope(file sources.File, source string, m *sources.Manifest) (sources.Envelope, error) {
	s, err := sources.Open(file, source, m)
	if err != nil {
		return sources.Envelope{}, err
	}
	return s.Envelope(), nil
}

// stateOf is what becomes of a file that shall have the text.
func (f *fetcher) stateOf(name, text string) State {
	switch was, err := files.Read(filepath.Join(f.req.Folder, name), sources.MaxBodyBytes); {
	case errors.Is(err, os.ErrNotExist):
		return New
	case err == nil && was == text:
		return Unchanged
	}
	return Changed
}

// fileName is how a body is called: what envelopes call it, and an ending.
func fileName(r sources.Resource) string {
	ending := filepath.Ext(r.URL[strings.LastIndexByte(r.URL, '/')+1:])
	if ending == "" {
		switch r.MediaTypes[0] {
		case "text/html":
			ending = ".html"
		case "application/json":
			ending = ".json"
		}
	}
	return r.SourceID + ending
}
