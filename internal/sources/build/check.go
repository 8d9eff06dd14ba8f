package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
)

// Difference is something that is not what a lock names.
type Difference struct {
	What     string // a file, what a source published, a source, or the catalog
	Source   string // whose it is; empty for a file of one's own and the catalog
	Expected string // by the lock: a SHA-256, or the digest of a catalog or of what it has of a source
	Found    string // what is there; empty if nothing is
	why      string // nothing is
}

func (d *Difference) Error() string {
	if d.why != "" {
		return fmt.Sprintf("%s is gone: %s (its SHA-256 is %s)", d.What, d.why, d.Expected)
	}
	return fmt.Sprintf("%s is not the file that %s names: its SHA-256 is %s, not %s", d.What, recipe.LockName, d.Found,
		d.Expected)
}

// differ returns a difference as the error that it is, unless all are gathered.
func (b *build) differ(d *Difference) error {
	if !b.isGathering {
		return d
	}
	b.differences = append(b.differences, *d)
	return nil
}

// Checked is what came out of making a catalog again.
type Checked struct {
	Differences []Difference // none if it is the same catalog
	OtherRules  string       // by which the lock was made, where that may be why; else empty
}

// Check makes the catalog that a lock names of the bytes that the store has, and holds one against
// it that somebody has. It asks nobody and writes nothing. Where files or bodies differ, nothing
// is made: they are the difference. Else it is the catalog, and each source of which it has
// other observations.
func Check(ctx context.Context, req Request, held *catalog.Catalog) (Checked, error) {
	req.Locked, req.Offline = true, true
	b := newBuild(req)
	b.isGathering = true
	for _, step := range []func() error{b.begin, func() error { return b.restore(ctx) }} {
		if err := step(); err != nil {
			return Checked{}, err
		}
	}
	if b.differences != nil {
		return Checked{Differences: b.differences}, nil
	}
	made, err := b.compile(ctx)
	if err != nil {
		return Checked{}, err
	}
	if made.Digest() == held.Digest() {
		return Checked{}, nil
	}
	all := []Difference{{What: recipe.Catalog, Expected: made.Digest(), Found: held.Digest()}}
	expected, found := b.digestsOf(made), b.digestsOf(held)
	for _, source := range sortedKeys(expected) {
		if expected[source] != found[source] {
			all = append(all, Difference{What: source, Source: source, Expected: expected[source], Found: found[source]})
		}
		delete(found, source)
	}
	for _, source := range sortedKeys(found) {
		all = append(all, Difference{What: source, Source: source, Found: found[source]})
	}
	return Checked{all, b.otherRules(b.lock())}, nil
}

// digestsOf returns a digest of what a catalog has of each source: the SHA-256 of the ids of its
// observations, sorted, a line each.
func (b *build) digestsOf(c *catalog.Catalog) map[string]string {
	ids := map[string][]string{}
	reader := catalog.NewRecordReader()
	models := c.Models()
	for i := range models {
		for _, o := range models[i].Observations {
			source, _, _ := strings.Cut(reader.Read(o).Evidence[0].ID, ":")
			if source = strings.Clone(source); b.Manifest.Source(source) == nil && !sources.IsTeam(source) {
				source = recipe.Observations
			}
			ids[source] = append(ids[source], o.ID())
		}
	}
	digests := map[string]string{}
	for source, list := range ids {
		slices.Sort(list)
		digests[source] = canonical.SumText(strings.Join(list, "\n") + "\n")
	}
	return digests
}
