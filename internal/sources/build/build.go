// Package build makes a catalog of a recipe: it fetches what is due, keeps it in the store,
// and makes of all that is kept a catalog, its lock and its build record.
//
//	obtain    what each source has now, read by its adapter before it counts
//	choose    of all that the store has, what this catalog uses
//	import    rows become observations; labels are identified
//	settle    of what contradicts itself, what the recipe believes
//	compile   and compare with the catalog before, and ask the recipe's questions
//	publish   all outputs at once, or none
//
// A source that cannot be had, or whose answer does not count, never keeps the others from
// being built: its last good bodies are used, and the build record says why.
package build

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/fetch"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/sources/table"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Request says what to build, and how.
type Request struct {
	Recipe   *record.Recipe
	Text     problem.Source // of the recipe
	Folder   string         // of the recipe, in which outputs are written
	Store    *store.Store
	Adapters []sources.Adapter
	Manifest *sources.Manifest
	Version  string // of svc

	AsOf    string // a timestamp, "" for now
	Offline bool   // use what is in the store
	Locked  bool   // use the bytes that the lock names
	DryRun  bool   // write nothing but what was fetched
	Only    []string
	Accept  []string // sources whose newest body counts, however few rows it has
	Jobs    int      // how many sources are asked at once
	Fetch   fetch.Options
	Watch   Watcher

	Lock *record.CatalogLock // the one to build by; nil for the one in the folder
}

// Watcher is told what happens. Its methods are called by several goroutines.
type Watcher interface {
	// Expect says how many bytes an answer has, and Bytes how many more came.
	Expect(source string, n int64)
	Bytes(source string, n int64)
	// Retry says why a host is asked again.
	Retry(source, reason string)
	// Done says what became of a source once it was asked.
	Done(source, text string)
}

// Result is what a build made.
type Result struct {
	Lock     *record.CatalogLock
	Build    *record.CatalogBuild
	Catalog  *catalog.Catalog    // nil if nothing is new
	Diff     *record.CatalogDiff // null where there was no catalog before
	Answers  []Answers           // to the questions of the recipe, where there was a catalog before
	Warnings []string
	UpToDate bool // nothing is new, and nothing was written
}

// Answers are those to a question before a build and after it: who was ranked, the best first, and
// who was chosen.
type Answers struct {
	Old, New             []string
	OldChoice, NewChoice string
}

// build is the state of a Build.
type build struct {
	Request
	now      time.Time
	parts    []*part
	files    []record.LockedFile
	before   *record.CatalogLock // nil if there is none
	result   *Result
	guard    sync.Mutex // of the store and the warnings
	identify identifier
	decided  resolver.Decisions // nil if the recipe names none
	gateways []store.Output     // what gateways read

	isGathering bool // differences, in place of failing at the first
	differences []Difference
}

// part is one source of a build.
type part struct {
	record.RecipeSource
	adapter  sources.Adapter // nil for observations of one's own
	approved *sources.Source // nil for files of one's own
	trouble  string          // why it could not be asked
	bodies   []body          // that the catalog uses, by time
	read     *catalog.Catalog
	lines    []string
	built    record.BuiltSource
}

// body is a body that an adapter reads.
type body struct {
	file     sources.File
	envelope sources.Envelope
}

// Build makes a catalog. It fails if the recipe's own files cannot be read, if not one source
// gave anything, if the lock cannot be met, and if outputs cannot be written; outputs are
// then as they were.
func Build(ctx context.Context, req Request) (*Result, error) {
	b := newBuild(req)
	if err := b.begin(); err != nil {
		return nil, err
	}
	steps := []func(context.Context) error{b.obtain, b.choose}
	if b.Locked {
		steps = []func(context.Context) error{b.restore}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if !b.Locked && b.isUpToDate() {
		b.result.UpToDate, b.result.Lock = true, b.before
		return b.result, nil
	}
	return b.result, b.make(ctx)
}

func newBuild(req Request) *build {
	b := &build{Request: req, now: time.Now(), result: &Result{}}
	if req.Fetch.World != nil {
		b.now = req.Fetch.World.Now()
	}
	if b.AsOf == "" {
		b.AsOf, _ = timestamp.Format(b.now) // no clock goes beyond it
	}
	return b
}

// begin reads the files of the recipe and makes its parts.
func (b *build) begin() error {
	for i := range b.Recipe.Sources {
		p := &part{RecipeSource: b.Recipe.Sources[i], approved: b.Manifest.Source(b.Recipe.Sources[i].ID)}
		for _, a := range b.Adapters {
			if a.Source() == p.ID {
				p.adapter = a
			}
		}
		p.built = record.BuiltSource{ID: p.ID, State: stateAbsent, Skipped: map[string]int{}, LeftOut: map[string]int{},
			Joined: map[string]int{}}
		if p.approved != nil {
			p.built.Attribution, p.built.Site = record.Text(p.approved.Attribution.Name), record.Text(p.approved.Attribution.URL)
			p.built.License = record.Text(p.approved.License.Identifier)
		}
		b.parts = append(b.parts, p)
	}
	b.addFile(b.Text)
	names := append([]string{b.Recipe.Decisions, b.Recipe.Rulings}, b.Recipe.Questions...)
	for _, p := range b.parts {
		names = append(names, p.Mapping, p.Map)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		src, err := b.readFile(name)
		if err != nil {
			return err
		}
		b.addFile(src)
		if name == b.Recipe.Decisions {
			if b.decided, err = resolver.ReadDecisions(src); err != nil {
				return err
			}
		}
		for _, p := range b.parts {
			if p.Map != name {
				continue
			}
			columns, err := table.ReadMap(src)
			if err != nil {
				return err
			}
			p.adapter = table.New(columns)
		}
	}
	if b.before = b.Lock; b.before == nil {
		b.before = b.readLock()
	}
	return nil
}

// readFile reads a file of the recipe.
func (b *build) readFile(name string) (problem.Source, error) {
	text, err := files.Read(filepath.Join(b.Folder, filepath.FromSlash(name)), sources.MaxMappingBytes)
	if err != nil {
		return problem.Source{}, fmt.Errorf("the recipe names %s: %w", name, err)
	}
	return problem.Source{Name: name, Text: text}, nil
}

// addFile notes a file for the lock.
func (b *build) addFile(src problem.Source) {
	f := lockedFile(src)
	if !slices.ContainsFunc(b.files, func(other record.LockedFile) bool { return other.Path == f.Path }) {
		b.files = append(b.files, f)
	}
}

// readLock returns the lock of the catalog before, nil if there is none that can be read.
func (b *build) readLock() *record.CatalogLock {
	const most = 64 << 20
	text, err := files.Read(filepath.Join(b.Folder, recipe.LockName), most)
	if err != nil {
		return nil
	}
	l, err := recipe.ReadLock(problem.Source{Name: recipe.LockName, Text: text})
	if err != nil {
		return nil
	}
	return l
}

// warn keeps a sentence for whoever reads the result.
func (b *build) warn(format string, args ...any) {
	b.guard.Lock()
	defer b.guard.Unlock()
	b.result.Warnings = append(b.result.Warnings, fmt.Sprintf(format, args...))
}

// isUpToDate reports whether the catalog that is there was made of the same by the same rules,
// for an instant that is wanted, or of which a day has not passed.
func (b *build) isUpToDate() bool {
	if b.before == nil || b.DryRun {
		return false
	}
	const day = 24 * time.Hour
	at, err := time.Parse(timestamp.Layout, string(b.before.AsOf))
	asked, _ := time.Parse(timestamp.Layout, b.AsOf)
	if age := asked.Sub(at); err != nil || age < 0 || age >= day {
		return false
	}
	for _, p := range b.parts {
		if p.built.State != stateBuilt {
			return false // which is to be told
		}
	}
	lock := b.lock()
	lock.AsOf, lock.Catalog = b.before.AsOf, b.before.Catalog
	if recipe.WriteLock(lock) != recipe.WriteLock(b.before) {
		return false
	}
	text, err := files.Read(filepath.Join(b.Folder, recipe.BuildName), files.MaxWhole)
	if err != nil {
		return false
	}
	built, err := recipe.ReadBuild(problem.Source{Name: recipe.BuildName, Text: text})
	if err != nil || built.Catalog != lock.Catalog {
		return false
	}
	for _, question := range b.Recipe.Questions {
		for _, g := range b.Recipe.Gateways {
			if _, err := files.Read(filepath.Join(b.Folder, recipe.GatewayFile(question, g)), files.MaxWhole); err != nil {
				return false
			}
		}
	}
	text, err = files.Read(filepath.Join(b.Folder, recipe.Catalog), files.MaxWhole)
	return err == nil && strings.Contains(text, `,"digest":"`+lock.Catalog+`"`)
}

// errNothing says why there is no catalog at all: what became of each source.
func (b *build) errNothing() error {
	var reasons []string
	names := map[string][]string{} // by reason
	for _, p := range b.parts {
		reason := cmp.Or(string(p.built.Reason), "no rows")
		if names[reason] == nil {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], p.ID)
	}
	for i, reason := range reasons {
		reasons[i] = strings.Join(names[reason], ", ") + ": " + reason
	}
	return fmt.Errorf("no source gave anything: %s", strings.Join(reasons, "; "))
}
