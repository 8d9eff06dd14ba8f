package build

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/gateway"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// compile makes the catalog of what was chosen.
func (b *build) compile(ctx context.Context) (*catalog.Catalog, error) {
	if err := b.importAll(ctx); err != nil {
		return nil, err
	}
	lines, err := b.settle(ctx)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, b.errNothing()
	}
	c, _, err := catalog.Compile(ctx, lines, catalog.Options{AsOf: b.AsOf, Dedupe: true})
	return c, err
}

// make makes the catalog of what was chosen, and writes it.
func (b *build) make(ctx context.Context) error {
	c, err := b.compile(ctx)
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
	b.result.Catalog = c
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
	answers, err := b.ask(ctx, c)
	if err != nil {
		return err
	}
	for _, question := range b.Recipe.Questions {
		b.writeGateways(question, answers[question])
	}
	before := b.readCatalog(ctx)
	earlier := map[string]*v3.Ranking{}
	if before != nil {
		if earlier, err = b.ask(ctx, before); err != nil {
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
	for _, name := range b.Recipe.Questions {
		q := record.BuiltQuestion{Path: name, Winner: winner(answers[name])}
		if before != nil {
			q.Before = winner(earlier[name])
			q.Changed = q.Before != q.Winner
			b.result.Answers = append(b.result.Answers, answersOf(earlier[name], answers[name]))
		}
		b.result.Build.Questions = append(b.result.Build.Questions, q)
	}
	return nil
}

// ask answers the questions of the recipe from a catalog, by their files. One that the catalog has
// no answer for, such as about a key that it lacks, has none.
func (b *build) ask(ctx context.Context, c *catalog.Catalog) (map[string]*v3.Ranking, error) {
	answers := map[string]*v3.Ranking{}
	if len(b.Recipe.Questions) == 0 {
		return answers, nil
	}
	ranker, err := v3.New(c)
	if err != nil {
		return nil, err
	}
	for _, name := range b.Recipe.Questions {
		src, err := b.readFile(name)
		if err != nil {
			return nil, err
		}
		request, err := requestOf(ranker, src)
		if err != nil {
			var absent *v3.AbsentError
			if errors.As(err, &absent) {
				continue
			}
			return nil, err
		}
		if answers[name], err = ranker.Rank(ctx, request, 0); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// requestOf reads a request, or a question of which it makes one.
func requestOf(ranker *v3.Ranker, src problem.Source) (*v3.Request, error) {
	if !v3.IsQuestion(src.Text) {
		return v3.ReadRequest(src)
	}
	document, err := v3.ReadQuestion(src)
	if err != nil {
		return nil, err
	}
	question, err := v3.NewQuestion(document)
	if err != nil {
		return nil, err
	}
	draft, err := ranker.Draft(question)
	if err != nil {
		return nil, err
	}
	return draft.Request, nil
}

func answersOf(old, new *v3.Ranking) (a Answers) {
	if old != nil {
		a.Old, a.OldChoice = old.Ranked(), old.Chosen()
	}
	if new != nil {
		a.New, a.NewChoice = new.Ranked(), new.Chosen()
	}
	return a
}

// winner returns the candidate that comes first, "" for none.
func winner(r *v3.Ranking) record.Text {
	if r == nil {
		return ""
	}
	return record.Text(r.First())
}

// writeGateways keeps what gateways are to read for the end. Where nobody can be called, a file
// stays as it is.
func (b *build) writeGateways(question string, answer *v3.Ranking) {
	var calls []v3.Call
	if answer != nil {
		calls = answer.Calls()
	}
	for _, g := range b.Recipe.Gateways {
		name := recipe.GatewayFile(question, g)
		if len(calls) == 0 {
			b.warn("%s stays as it is: %s chooses nobody", name, question)
			continue
		}
		f := gateway.Write(gateway.KindOf(name), gateway.NameOf(question), calls)
		if warning := f.Warning(calls); warning != "" {
			b.warn("%s: %s", name, warning)
		}
		if f.Text != "" {
			b.gateways = append(b.gateways, store.Output{Name: name, Fill: fill(f.Text)})
		}
	}
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

// fill writes a text.
func fill(text string) func(*files.Writer) error {
	return func(w *files.Writer) error {
		_, err := w.WriteString(text)
		return err
	}
}

// publish writes what gateways read, the catalog, its lock and its build record, all or none, and
// drops from the store what is not needed any more.
func (b *build) publish(ctx context.Context, c *catalog.Catalog) error {
	err := b.Store.Publish(ctx, append(b.gateways,
		store.Output{Name: recipe.Catalog, Fill: func(w *files.Writer) error {
			_, err := c.WriteFile(w)
			return err
		}},
		store.Output{Name: recipe.LockName, Fill: fill(recipe.WriteLock(b.result.Lock))},
		store.Output{Name: recipe.BuildName, Fill: fill(recipe.WriteBuild(b.result.Build))},
	))
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
