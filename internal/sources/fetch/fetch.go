// Package fetch downloads the resources of approved sources into a folder. It is
// the one room of the sources that touches network and files.
//
// What every download promises, whatever the other side does:
//
//   - HTTPS only, and the approved origin only, for redirects too, of which there
//     may be three;
//   - public addresses only. What is checked is the address that is dialled, so
//     that a name that leads elsewhere on a second look-up gains nothing. Where the
//     environment names a proxy, it dials in our place;
//   - no more bytes than the manifest approves, compressed or not, and no more
//     time than [Options] give, nor a pause longer than 15 seconds. A tree of which folders are
//     taken may be larger: it is never kept as a whole;
//   - a host that is busy is asked again, when it says so within a bound, and bytes that
//     break off are gone on with where the host allows it;
//   - another media type than the approved one, another status than 200 and bytes
//     that break off are failures;
//   - a failure leaves no file. Files are put in place whole, when all that was
//     asked for is there and [sources.Pin] has accepted it.
//
// A body that a folder has already, with an envelope that holds, is asked for on
// condition that it changed. If it did not, its bytes are kept once more, with an
// envelope of now: what was looked at today holds from today on. Files are named by
// time and digest ([sources.PinnedName]), so that none takes the place of another.
package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Request says what to fetch.
type Request struct {
	Manifest *sources.Manifest
	Source   string
	// Revision is one of the source's. If it is empty, the source must be one whose
	// revisions can be discovered, or are snapshots. For the latter a revision is
	// the SHA-256 that the bytes must have.
	Revision string
	Folder   string // made if it is not there
	// Folders are those that are taken of a tree, none for the whole tree. The tree may then have
	// [MostRead] bytes, and what is taken those of a body.
	Folders []string
	// PublishedAt returns when a body says that it was published, "" if it does not
	// say so. It may be nil.
	PublishedAt func(body string) string
	// Head takes what the entrypoint of a source of commits has now, where no revision
	// is asked for.
	Head bool
	// Older returns what was fetched of a URL before; an empty envelope if nothing was. If it
	// is nil, the folder is looked through.
	Older func(u string) (body string, e sources.Envelope)
}

// Options say how to fetch. The zero value is fine.
type Options struct {
	// Timeout bounds each download, from the name's look-up to the last byte. Zero
	// means two minutes, and an hour for a tree of which folders are taken.
	Timeout time.Duration
	// Progress is told of bytes as they come. It may be nil.
	Progress func(n int64)
	// Expect is told how many bytes an answer has, if it says so, and Retry why a host is asked
	// again. Both may be nil.
	Expect func(n int64)
	Retry  func(reason string)
	// Roots are the authorities to trust, nil for the system's.
	Roots *x509.CertPool
	// World is nil but in tests.
	World *World
}

// SavedFile is a file that the folder now has.
type SavedFile struct {
	Path  string // of the body, or of the proposal
	State State
	// Reference is that of the body's envelope, empty for a proposal.
	Reference string
	// Importable tells the bodies that an adapter reads.
	Importable bool
}

// State is what became of a file.
type State string

// The states of files.
const (
	New       State = "new"
	Changed   State = "changed"   // it took the place of another
	Unchanged State = "unchanged" // it is as it was
	Again     State = "again"     // the bytes were seen before, and now once more
)

// Fetch downloads a revision of a source, or its newest one, into a folder.
func Fetch(ctx context.Context, req Request, opts Options) ([]SavedFile, error) {
	f, err := gather(ctx, req, opts)
	if err != nil {
		return nil, err
	}
	return f.save(ctx)
}

// Gathered is a body with its envelope, as it came.
type Gathered struct {
	sources.File
	Envelope   *sources.Envelope
	Importable bool // an adapter reads it
}

// Gather is Fetch without a folder: what came is returned, and nothing is written.
func Gather(ctx context.Context, req Request, opts Options) (list []Gathered, err error) {
	f, err := gather(ctx, req, opts)
	if err != nil {
		return nil, err
	}
	for _, g := range f.gathered {
		if g.envelope != nil { // else it is a proposal
			list = append(list, Gathered{g.file, g.envelope, g.Importable})
		}
	}
	return list, nil
}

// World is what a fetch knows of the machine and the network. Tests have their own.
type World struct {
	Resolver Resolver
	Permit   func(netip.Addr) bool // whether an address may be dialled
	Port     string                // in the place of the port of a URL, "" for that
	Now      func() time.Time
	Wait     func(ctx context.Context, d time.Duration) // before a host is asked again
	Idle     time.Duration                              // without a byte, until a download has failed
	// MostRead and MostUnpacked take the place of the bounds of trees, 0 for those.
	MostRead, MostUnpacked int64
}

// The bounds of a tree of which folders are taken, as it comes and unpacked.
const (
	MostRead     = 2 << 30
	MostUnpacked = 16 << 30
)

// realWorld is the world outside of tests.
func realWorld() World {
	const idle = 15 * time.Second
	return World{Resolver: net.DefaultResolver, Permit: isPublic, Now: time.Now, Wait: wait, Idle: idle}
}

// wait waits, unless ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func gather(ctx context.Context, req Request, opts Options) (*fetcher, error) {
	s := req.Manifest.Source(req.Source)
	if s == nil {
		return nil, fmt.Errorf("the manifest approves no source %s", req.Source)
	}
	if req.Revision != "" && !sources.IsRevision(s.Revision.Grammar, req.Revision) {
		return nil, fmt.Errorf("%s is not a revision of %s: must be a %s", req.Revision, s.ID, s.Revision.Grammar)
	}
	w := realWorld()
	if opts.World != nil {
		w = *opts.World
	}
	f := &fetcher{req: req, source: s, now: w.Now, downloader: newDownloader(opts, w)}
	defer f.downloader.transport.CloseIdleConnections()
	return f, f.gatherAll(ctx)
}

// fetcher gathers what a folder shall have.
type fetcher struct {
	req        Request
	source     *sources.Source
	now        func() time.Time
	downloader *downloader
	gathered   []pendingFile
}

// pendingFile is what a file shall be: a body with its envelope, or a proposal without
// one.
type pendingFile struct {
	SavedFile
	file     sources.File
	envelope *sources.Envelope // nil of a proposal
}

// gatherAll downloads what was asked for.
func (f *fetcher) gatherAll(ctx context.Context) error {
	s := f.source
	entry := s.Resolver.Entrypoint.URL
	switch {
	case s.IsDaily() && f.req.Revision == "":
		return f.gatherNewestDay(ctx)
	case s.Revision.Kind == sources.KindSnapshot, f.req.Head && f.req.Revision == "":
		file, err := f.gather(ctx, entry, true)
		if sum := canonical.Sum([]byte(file.Body.Text)); err == nil && f.req.Revision != "" && f.req.Revision != sum {
			return fmt.Errorf("%s: the SHA-256 of the bytes is %s, not %s", entry, sum, f.req.Revision)
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

// gatherNewestDay downloads what there is of today, else of yesterday.
func (f *fetcher) gatherNewestDay(ctx context.Context) error {
	now := f.now().UTC()
	err := f.gatherArtifacts(ctx, now.Format(time.DateOnly))
	if err != nil && isGone(err) {
		err = f.gatherArtifacts(ctx, now.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	return err
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
	request := discovery.Request{Manifest: m, Source: s.ID}
	if request.Index, err = f.gather(ctx, s.Resolver.Entrypoint.URL, false); err != nil {
		return "", err
	}
	named, err := discovery.Bundle(request.Index, s.ID, m)
	if err != nil {
		return "", err
	}
	request.Bundle, err = f.gather(ctx, named, false)
	if isGone(err) {
		err = f.bundleOfAssets(ctx, &request, named)
	}
	if err != nil {
		return "", err
	}
	p, err := discovery.Propose(request)
	if err != nil {
		return "", err
	}
	path := filepath.Join(f.req.Folder, s.ID+"-proposal.json")
	text := string(p.JSON()) + "\n"
	f.gathered = append(f.gathered, pendingFile{SavedFile{Path: path, State: stateOf(path, text)},
		sources.File{Body: problem.Source{Name: path, Text: text}}, nil})
	return p.CurrentRevision, nil
}

// bundleOfAssets downloads the bundle that the asset manifest names, where that
// of the index is gone.
func (f *fetcher) bundleOfAssets(ctx context.Context, request *discovery.Request, gone string) error {
	s := f.source
	u := discovery.AssetManifestURL(s)
	a, err := f.downloader.get(ctx, sources.Resource{
		URL: u, Origin: s.CanonicalOrigin, MediaTypes: []string{"application/json"}, MaxBytes: s.Resolver.Entrypoint.MaxBytes,
	}, "")
	if err != nil {
		return fmt.Errorf("%s is gone, and %w", gone, err)
	}
	request.AssetManifest = problem.Source{Name: u, Text: a.body}
	named, err := discovery.BundleOfAssets(request.AssetManifest, s.ID, f.req.Manifest)
	if err != nil {
		return err
	}
	request.Bundle, err = f.gather(ctx, named, false)
	if isGone(err) {
		return fmt.Errorf("neither %s, which the index names, nor %s, which the asset manifest names, is there: %w", gone,
			named, err)
	}
	return err
}

// gather downloads a resource that the manifest approves, unless the folder has
// it already.
func (f *fetcher) gather(ctx context.Context, u string, importable bool) (file sources.File, err error) {
	m, s := f.req.Manifest, f.source
	if importable {
		u += sources.Fragment(f.req.Folders)
	}
	r, reason := m.Resource(s.ID, u)
	if reason != "" {
		return file, fmt.Errorf("%s %s", u, reason)
	}
	name := fileName(r)
	older, was := f.older(name, u)
	a, err := f.downloader.get(ctx, r, string(was.ETag))
	if err != nil {
		return file, err
	}
	if a.unchanged {
		a = &answer{body: older, mediaType: was.MediaType, redirects: was.Redirects, etag: string(was.ETag)}
	}
	fetchedAt, _ := timestamp.Format(f.now()) // no clock goes beyond it
	e, err := sources.Pin(s.ID, sources.Download{
		URL: u, FetchedAt: fetchedAt, PublishedAt: f.publishedAt(a.body), MediaType: a.mediaType, Redirects: a.redirects,
		ETag: a.etag,
	}, problem.Source{Name: name, Text: a.body}, m)
	if err != nil {
		return file, fmt.Errorf("%s: %w", u, err)
	}
	path := filepath.Join(f.req.Folder, sources.PinnedName(name, e))
	file.Body = problem.Source{Name: path, Text: a.body}
	file.Envelope = problem.Source{Name: path + sources.EnvelopeSuffix, Text: string(e.JSON()) + "\n"}
	state := New
	if was.URL != "" && a.body == older {
		state = Again
	}
	f.gathered = append(f.gathered, pendingFile{SavedFile{path, state, e.Reference, importable}, file, e})
	return file, nil
}

func (f *fetcher) publishedAt(body string) string {
	if f.req.PublishedAt == nil {
		return ""
	}
	return f.req.PublishedAt(body)
}

// older returns the newest snapshot of a URL that the folder has, pinned or under the
// plain name. One that does not hold is as good as none, and has an empty envelope.
func (f *fetcher) older(name, u string) (body string, _ sources.Envelope) {
	if f.req.Older != nil {
		return f.req.Older(u)
	}
	entries, err := os.ReadDir(f.req.Folder)
	if err != nil {
		return "", sources.Envelope{}
	}
	for _, e := range slices.Backward(entries) { // sorted, and so by time
		if e.Name() != name && !sources.IsPinnedAs(name, e.Name()) {
			continue
		}
		path := filepath.Join(f.req.Folder, e.Name())
		body, err := files.Read(path, sources.MaxBodyBytes)
		envelope, envelopeErr := files.Read(path+sources.EnvelopeSuffix, sources.MaxBodyBytes)
		if err != nil || envelopeErr != nil {
			continue
		}
		file := sources.File{Body: problem.Source{Name: path, Text: body},
			Envelope: problem.Source{Name: path, Text: envelope}}
		if s, err := sources.Open(file, f.source.ID, f.req.Manifest); err == nil && s.Envelope().URL == u {
			return body, s.Envelope()
		}
	}
	return "", sources.Envelope{}
}

// stateOf is what becomes of a file that shall have the text.
func stateOf(path, text string) State {
	switch was, err := files.Read(path, sources.MaxBodyBytes); {
	case errors.Is(err, os.ErrNotExist):
		return New
	case err == nil && was == text:
		return Unchanged
	}
	return Changed
}

// fileName is how a body is called: what envelopes call it, and an ending.
func fileName(r sources.Resource) string {
	address, _, _ := strings.Cut(r.URL, "#")
	ending := filepath.Ext(address[strings.LastIndexByte(address, '/')+1:])
	if ending == "" {
		switch r.MediaTypes[0] {
		case "text/html":
			ending = ".html"
		case "application/json":
			ending = ".json"
		case sources.MediaTar:
			ending = ".tar"
		}
	}
	return r.SourceID + ending
}

// save puts what was gathered into the folder. A run that is killed leaves whole
// files, and at worst a body whose envelope is of the one before, which nobody
// accepts and the next run repairs.
func (f *fetcher) save(ctx context.Context) (saved []SavedFile, err error) {
	if err := os.MkdirAll(f.req.Folder, 0o755); err != nil {
		return nil, err
	}
	for _, g := range f.gathered {
		for _, file := range []problem.Source{g.file.Body, g.file.Envelope} {
			if file.Name == "" || stateOf(file.Name, file.Text) == Unchanged {
				continue
			}
			if err := files.WriteText(ctx, file.Name, file.Text); err != nil {
				return nil, err
			}
		}
		saved = append(saved, g.SavedFile)
	}
	return saved, nil
}
