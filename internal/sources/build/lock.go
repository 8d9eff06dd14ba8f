package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/service/record"
)

// lock returns the lock of what the build uses, without the digest of the catalog.
func (b *build) lock() *record.CatalogLock {
	l := &record.CatalogLock{
		SchemaVersion: record.CatalogLockSchema, AsOf: record.Timestamp(b.AsOf), Svc: b.Version, Rules: rules(),
		Files: b.files,
	}
	for _, p := range b.parts {
		s := record.LockedSource{ID: p.ID}
		for _, one := range p.bodies {
			e := &one.envelope
			s.Bodies = append(s.Bodies, record.LockedBody{
				Revision: record.Text(b.revisionOf(p, e.URL)), URL: e.URL, FetchedAt: record.Timestamp(e.FetchedAt),
				PublishedAt: record.Timestamp(e.PublishedAt), MediaType: e.MediaType, SHA256: e.BodySHA256, Bytes: e.BodyBytes,
			})
		}
		l.Sources = append(l.Sources, s)
	}
	return l
}

// revisionOf returns the release or commit that a URL is of, "" if it is of none.
func (b *build) revisionOf(p *part, u string) string {
	r, _ := b.Manifest.Resource(p.ID, u)
	return r.Revision
}

func lockedFile(src problem.Source) record.LockedFile {
	return record.LockedFile{Path: src.Name, SHA256: canonical.SumText(src.Text), Bytes: uint64(len(src.Text))}
}

// restore gets the very bytes that the lock names, from the store or from where they came.
func (b *build) restore(ctx context.Context) error {
	if b.before == nil {
		return fmt.Errorf("%s is missing or not valid, and --locked builds what it names", recipe.LockName)
	}
	for _, p := range b.parts {
		if p.adapter == nil {
			if err := b.readOwn(ctx, p); err != nil {
				return err
			}
		}
	}
	for _, f := range b.before.Files {
		i := slices.IndexFunc(b.files, func(other record.LockedFile) bool { return other.Path == f.Path })
		if i < 0 {
			return fmt.Errorf("%s names the file %s, which the recipe does not", recipe.LockName, f.Path)
		}
		if found := b.files[i].SHA256; found != f.SHA256 {
			if err := b.differ(&Difference{What: f.Path, Expected: f.SHA256, Found: found}); err != nil {
				return err
			}
		}
	}
	b.AsOf = string(b.before.AsOf)
	for _, p := range b.parts {
		i := slices.IndexFunc(b.before.Sources, func(s record.LockedSource) bool { return s.ID == p.ID })
		if i < 0 {
			return fmt.Errorf("%s does not name the source %s", recipe.LockName, p.ID)
		}
		for _, locked := range b.before.Sources[i].Bodies {
			one, err := b.restoreBody(ctx, p, &locked)
			if d, ok := errors.AsType[*Difference](err); ok {
				err = b.differ(d)
			}
			if err != nil {
				return err
			}
			p.bodies = append(p.bodies, one)
		}
		b.describe(p)
	}
	return nil
}

// restoreBody gets a body that the lock names.
func (b *build) restoreBody(ctx context.Context, p *part, l *record.LockedBody) (one body, err error) {
	text, err := b.Store.Body(l.SHA256)
	if err != nil {
		found := ""
		if text != "" {
			found = canonical.SumText(text)
		}
		if text, err = b.fetchLocked(ctx, p, l, found); err != nil {
			return one, err
		}
		if err := b.Store.Keep(ctx, text); err != nil {
			return one, err
		}
	}
	src := problem.Source{Name: l.URL, Text: text}
	e, err := sources.Pin(p.ID, sources.Download{
		URL: l.URL, FetchedAt: string(l.FetchedAt), PublishedAt: string(l.PublishedAt), MediaType: l.MediaType,
	}, src, b.Manifest)
	if err != nil {
		return one, fmt.Errorf("%s: %s: %w", recipe.LockName, l.URL, err)
	}
	return b.bodyOf(e), nil
}

// fetchLocked fetches bytes in whose place the store has others, or none.
func (b *build) fetchLocked(ctx context.Context, p *part, l *record.LockedBody, found string) (string, error) {
	gone := func(why string) error {
		return &Difference{What: fmt.Sprintf("%s of %s", l.URL, l.FetchedAt), Source: p.ID, Expected: l.SHA256,
			Found: found, why: why}
	}
	if p.approved == nil {
		return "", gone("it is a file of your own that has changed")
	}
	if b.Offline {
		return "", gone("the store does not have it")
	}
	gathered, err := fetch.Gather(ctx, fetch.Request{
		Manifest: b.Manifest, Source: p.ID, Revision: string(l.Revision), Head: p.adapter.IsPriceSource(),
		Folders: recipe.Folders(&p.RecipeSource),
		Older:   nothingOlder,
	}, b.options(p))
	if ctx.Err() != nil {
		return "", err
	}
	if err != nil {
		return "", gone(err.Error())
	}
	for _, g := range gathered {
		if g.Envelope.BodySHA256 == l.SHA256 {
			return g.Body.Text, nil
		}
	}
	return "", gone("the source has other bytes now")
}

func nothingOlder(string) (string, sources.Envelope) { return "", sources.Envelope{} }

// checkLocked demands that the lock is met.
func (b *build) checkLocked(l *record.CatalogLock) error {
	if l.Catalog == b.before.Catalog {
		*l = *b.before
		return nil
	}
	return fmt.Errorf("%s names the catalog %s, and this is %s: %s", recipe.LockName, b.before.Catalog, l.Catalog,
		cmp.Or(b.otherRules(l), "the same bytes gave it"))
}

// otherRules says that the lock was made by other rules than those of this program; "" if it was
// not.
func (b *build) otherRules(l *record.CatalogLock) string {
	if l.Svc == b.before.Svc && slices.Equal(l.Rules, b.before.Rules) {
		return ""
	}
	return fmt.Sprintf("svc %s with %v made it of the same bytes, and this is svc %s with %v", b.before.Svc,
		b.before.Rules, l.Svc, l.Rules)
}
