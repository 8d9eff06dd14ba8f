package build

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// make makes the catalog of what was chosen, and writes it.
func (b *build) make(ctx context.Context) error {
	if err := b.importAll(ctx); err != nil {
		return err
	}
	lines, err := b.settle(ctx)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return errNothing
	}
	c, _, err := catalog.Compile(ctx, lines, catalog.Options{AsOf: b.AsOf, Dedupe: true})
	if err != nil {
		return err
	}
	lock := b.lock()
	lock.Catalog = c.Digest()
	if b.Locked {
		if err := b.checkLocked(lock); err != nil {
			return err
		}
	}
	b.result.Lock = lock
	b.result.Build.AsOf, b.result.Build.Catalog = record.Timestamp(c.AsOf()), c.Digest()
	b.result.Build.Models, b.result.Build.Observations, b.result.Build.Conflicts = len(c.Models()), c.Observations(),
		len(c.Conflicts())
	for _, p := range b.parts {
		b.result.Build.Sources = append(b.result.Build.Sources, p.built)
	}
	if err := b.compare(ctx, c); err != nil {
		return err
	}
	if b.DryRun {
		return nil
	}
	return b.publish(ctx, c)
}

// settle returns the lines of all sources without those that the recipe does not believe or
// does not keep.
func (b *build) settle(ctx context.Context) ([]string, error) {
	var lines []string
	for _, p := range b.parts {
		lines = append(lines, p.lines...)
		p.lines = nil
		if p.read != nil {
			lines = appendInputs(lines, p.read)
			p.read = nil
		}
	}
	decisions := settle.Decisions{Prefer: b.Recipe.Prefer, Sellers: recipe.Sellers()}
	if b.Recipe.Rulings != "" {
		src, err := b.readFile(b.Recipe.Rulings)
		if err != nil {
			return nil, err
		}
		if decisions.Rulings, err = settle.ReadRulings(src); err != nil {
			return nil, err
		}
	}
	all, _, err := catalog.Compile(ctx, lines, catalog.Options{AsOf: timestamp.End, Dedupe: true})
	if err != nil {
		return nil, err
	}
	report, leftOut := settle.Settle(all, decisions)
	b.result.Build = &record.CatalogBuild{SchemaVersion: record.CatalogBuildSchema}
	settled := map[string]int{}
	for _, s := range report.LeftOut {
		settled[s.Key()]++
	}
	for _, k := range report.Keys {
		b.result.Build.Contradictions = append(b.result.Build.Contradictions, record.KeyContradictions{
			Key: k.Key, Offers: k.Shared, Agreeing: k.Agreeing, Contradicting: k.Contradicting, Settled: settled[k.Key],
		})
	}
	return b.kept(all, leftOut), nil
}

// kept returns the lines of a catalog that are not left out, and that the recipe keeps.
func (b *build) kept(all *catalog.Catalog, leftOut map[string]bool) (lines []string) {
	reader := catalog.NewRecordReader()
	counts := map[string]int{}
	models := all.Models()
	for i := range models {
		if !recipe.IsNamed(b.Recipe.Models, models[i].Identity.ID) {
			continue
		}
		for _, o := range models[i].Observations {
			rec := reader.Read(o)
			source, _, _ := strings.Cut(rec.Evidence[0].ID, ":")
			if leftOut[o.ID()] || b.isElsewhere(source, rec) || b.isUnwanted(source, rec) {
				continue
			}
			counts[source]++
			lines = append(lines, o.Input())
		}
	}
	for _, p := range b.parts {
		if p.adapter != nil {
			p.built.Observations = counts[p.ID]
		} else {
			p.built.Observations = p.built.Imported
		}
	}
	return lines
}

// isElsewhere reports whether an observation is about an offer of a provider that the recipe does
// not keep.
func (b *build) isElsewhere(source string, rec *record.Observation) bool {
	i := slices.IndexFunc(b.parts, func(p *part) bool { return p.ID == source })
	if i < 0 || b.parts[i].adapter == nil || !b.parts[i].adapter.IsPriceSource() {
		return false
	}
	seller, _, _ := strings.Cut(rec.Execution.Runtime.ID, ":")
	return seller != "" && !recipe.IsNamed(b.Recipe.Providers, seller)
}

// isUnwanted reports whether an observation is a figure of others that the recipe does not ask for.
// Places in arenas are most of what OpenRouter's list says, and answer few questions.
func (b *build) isUnwanted(source string, rec *record.Observation) bool {
	i := slices.IndexFunc(b.parts, func(p *part) bool { return p.ID == source })
	if i < 0 || source != openrouter.Source {
		return false
	}
	wanted := b.parts[i].Indexes
	if wanted == nil {
		wanted = []string{"artificial-analysis"}
	}
	for _, name := range recipe.Indexes {
		part := "." + strings.ReplaceAll(name, "-", "_") + "."
		if strings.Contains(rec.Measurements[0].Key, part) {
			return !slices.Contains(wanted, name)
		}
	}
	return false
}

func appendInputs(lines []string, c *catalog.Catalog) []string {
	models := c.Models()
	for i := range models {
		for _, o := range models[i].Observations {
			lines = append(lines, o.Input())
		}
	}
	return lines
}

// compare asks the questions of the recipe, and compares the catalog with the one before.
func (b *build) compare(ctx context.Context, c *catalog.Catalog) error {
	var requests []*v3.Request
	for _, name := range b.Recipe.Questions {
		src, err := b.readFile(name)
		if err != nil {
			return err
		}
		request, err := v3.ReadRequest(src)
		if err != nil {
			return err
		}
		requests = append(requests, request)
	}
	answers, err := ask(ctx, c, requests)
	if err != nil {
		return err
	}
	before := b.readCatalog(ctx)
	var earlier []string
	if before != nil {
		if earlier, err = ask(ctx, before, requests); err != nil {
			return err
		}
		diff, err := compare.Catalogs(ctx, before, c, compare.Options{})
		if err != nil {
			b.warn("%s is not compared: %s", recipe.Catalog, plain(err))
		} else {
			b.result.Diff = diff
			b.result.Build.Changes = &record.BuildChanges{Catalog: before.Digest(), Summary: diff.Summary}
		}
	}
	for i, name := range b.Recipe.Questions {
		q := record.BuiltQuestion{Path: name, Winner: record.Text(answers[i])}
		if before != nil {
			q.Before, q.Changed = record.Text(earlier[i]), earlier[i] != answers[i]
		}
		b.result.Build.Questions = append(b.result.Build.Questions, q)
	}
	return nil
}

// ask returns the candidate that comes first for each request, "" for none.
func ask(ctx context.Context, c *catalog.Catalog, requests []*v3.Request) (winners []string, err error) {
	if len(requests) == 0 {
		return nil, nil
	}
	ranker, err := v3.New(c)
	if err != nil {
		return nil, err
	}
	for _, request := range requests {
		r, err := ranker.Rank(ctx, request, 0)
		if err != nil {
			return nil, err
		}
		winners = append(winners, r.First())
	}
	return winners, nil
}

// readCatalog returns the catalog before, nil if there is none that can be read.
func (b *build) readCatalog(ctx context.Context) *catalog.Catalog {
	text, err := files.Read(filepath.Join(b.Folder, recipe.Catalog), files.MaxWhole)
	if err != nil {
		return nil
	}
	c, err := catalog.Parse(ctx, problem.Source{Name: recipe.Catalog, Text: text})
	if err != nil {
		b.warn("%s, which is replaced, could not be read: %s", recipe.Catalog, plain(err))
		return nil
	}
	return c
}

// publish writes the catalog, its lock and its build record, all or none, and drops from the store
// what is not needed any more.
func (b *build) publish(ctx context.Context, c *catalog.Catalog) error {
	text := func(text string) func(*files.Writer) error {
		return func(w *files.Writer) error {
			_, err := w.WriteString(text)
			return err
		}
	}
	err := b.Store.Publish(ctx, []store.Output{
		{Name: recipe.Catalog, Fill: func(w *files.Writer) error {
			_, err := c.WriteFile(w)
			return err
		}},
		{Name: recipe.LockName, Fill: text(recipe.WriteLock(b.result.Lock))},
		{Name: recipe.BuildName, Fill: text(recipe.WriteBuild(b.result.Build))},
	})
	if err != nil || b.Locked {
		return err
	}
	_, err = b.Store.Prune(ctx, b.isNeeded(), false)
	return err
}

// isNeeded returns what says whether a look is needed by this catalog, or by the next one.
func (b *build) isNeeded() func(record.Look) bool {
	needed := map[string]bool{} // looks by source, time and verdict
	name := func(l *record.Look) string { return l.Source + " " + string(l.At) + " " + string(l.Verdict) }
	known := map[string]bool{}
	for _, p := range b.parts {
		known[p.ID] = true
		looks := b.Store.Looks(p.ID)
		if len(looks) > 0 {
			needed[name(&looks[len(looks)-1])] = true
		}
		if p.adapter == nil {
			continue
		}
		for _, l := range b.chosen(p) {
			needed[name(&l)] = true
		}
	}
	return func(l record.Look) bool {
		isNewer := string(l.At) > b.AsOf // than the instant that this catalog speaks for
		return needed[name(&l)] || isNewer || !known[l.Source]
	}
}

// Prune drops from the store what neither the lock of the catalog nor the next build refers to:
// above all what sources had that the recipe names no more.
func Prune(ctx context.Context, req Request) (store.Pruned, error) {
	b := newBuild(req)
	if err := b.begin(); err != nil {
		return store.Pruned{}, err
	}
	named := map[string]bool{} // sources
	for _, p := range b.parts {
		named[p.ID] = true
	}
	locked := map[string]bool{} // digests
	if b.before != nil {
		for _, s := range b.before.Sources {
			for _, one := range s.Bodies {
				locked[one.SHA256] = true
			}
		}
	}
	isNeeded := b.isNeeded()
	return b.Store.Prune(ctx, func(l record.Look) bool {
		isLocked := slices.ContainsFunc(store.Envelopes(l), func(e sources.Envelope) bool { return locked[e.BodySHA256] })
		return isLocked || named[l.Source] && isNeeded(l)
	}, req.DryRun)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), canonical.CompareText)
}
