package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/table"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// choose says which bodies of the store the catalog uses: of a list of offers its history, of
// anything else the newest.
func (b *build) choose(context.Context) error {
	for _, p := range b.parts {
		if p.adapter == nil {
			continue
		}
		for _, look := range b.chosen(p) {
			for _, text := range look.Bodies {
				e := sources.ReadEnvelope(string(text))
				if !b.Store.Has(e.BodySHA256) {
					b.warn("%s: the store has lost the body of %s", p.ID, e.FetchedAt)
					continue
				}
				p.bodies = append(p.bodies, b.bodyOf(&e))
			}
		}
		b.describe(p)
	}
	return nil
}

// chosen returns the looks at a source that the catalog uses, by time.
func (b *build) chosen(p *part) []record.Look {
	accepted := slices.DeleteFunc(b.looks(p), func(l record.Look) bool { return l.Verdict != record.Accepted })
	needed := recipe.Needed(accepted, b.AsOf, b.Recipe.KeepDays, sameBytes)
	if len(needed) > 0 && !p.adapter.IsPriceSource() {
		return needed[len(needed)-1:]
	}
	return needed
}

// sameBytes reports whether two looks found the same.
func sameBytes(a, b *record.Look) bool {
	sums := func(l *record.Look) (list []string) {
		for _, text := range l.Bodies {
			e := sources.ReadEnvelope(string(text))
			list = append(list, e.URL+" "+e.PublishedAt+" "+e.BodySHA256)
		}
		return list
	}
	return slices.Equal(sums(a), sums(b))
}

// bodyOf returns a body that the store has, to be read when it is wanted.
func (b *build) bodyOf(e *sources.Envelope) body {
	name := e.URL + " of " + e.FetchedAt
	return body{
		file: sources.File{
			Envelope: problem.Source{Name: name, Text: string(e.JSON())},
			Load: func() (problem.Source, error) {
				text, err := b.Store.Body(e.BodySHA256)
				return problem.Source{Name: name, Text: text}, err
			},
		},
		envelope: *e,
	}
}

// describe says in the build record what is used of a source, and why it is not the newest.
func (b *build) describe(p *part) {
	if len(p.bodies) > 0 {
		newest := &p.bodies[len(p.bodies)-1].envelope
		p.built.State, p.built.SeenAt = stateBuilt, record.Timestamp(newest.FetchedAt)
		p.built.Revision = record.Text(b.revisionOf(p, newest.URL))
		p.built.Overdue = p.approved != nil && recipe.IsOverdue(p.approved, newest.FetchedAt, b.now)
	}
	looks := b.looks(p)
	isHeld := !b.Locked && len(looks) > 0 && looks[len(looks)-1].Verdict == record.Held
	switch {
	case p.trouble != "":
		p.built.Reason = record.Text(p.trouble)
		if len(p.bodies) > 0 {
			p.built.State = stateMissed
		}
	case isHeld:
		p.built.Reason = looks[len(looks)-1].Reason
		if len(p.bodies) > 0 {
			p.built.State = stateHeld
		}
	case len(p.bodies) == 0 && p.adapter != nil:
		p.built.Reason = "the store has nothing of it"
	}
	b.warnOf(p)
}

// warnOf says what is not as it should be with a source.
func (b *build) warnOf(p *part) {
	switch p.built.State {
	case stateMissed, stateHeld:
		age := ""
		if p.built.Overdue {
			age = ", WHICH IS OLDER THAN ITS VALUES ARE VALID"
		}
		remedy := ""
		if p.built.State == stateHeld {
			remedy = "; --accept " + p.ID + " takes it"
		}
		b.warn("%s: %s: built from what it had on %s%s%s", p.ID, p.built.Reason, p.built.SeenAt, age, remedy)
	case stateAbsent:
		if p.adapter != nil {
			b.warn("%s: %s: built without it", p.ID, p.built.Reason)
		}
	}
}

// readOwn reads files of one's own: observations as they are, results of runs by their adapter.
func (b *build) readOwn(ctx context.Context, p *part) error {
	names, err := matching(b.Folder, p.Files, isOwn(p.ID))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no file matches %s", p.ID, p.Files)
	}
	if p.adapter != nil {
		return b.pinOwn(ctx, p, names)
	}
	var inputs []catalog.Source
	for _, name := range names {
		src, err := b.readFile(name)
		if err != nil {
			return err
		}
		b.guard.Lock()
		b.addFile(src)
		b.guard.Unlock()
		inputs = append(inputs, catalog.Source{Name: name, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(src.Text)), nil
		}})
	}
	if p.read, _, err = catalog.CompileSources(ctx, inputs, catalog.Options{AsOf: timestamp.End,
		Dedupe: true}); err != nil {
		return err
	}
	p.built.State, p.built.Rows, p.built.Imported = stateBuilt, p.read.Observations(), p.read.Observations()
	return nil
}

// pinOwn keeps results of runs in the store, each as of the time when it was first seen.
func (b *build) pinOwn(ctx context.Context, p *part, names []string) error {
	known := map[string]record.JSON{} // envelopes by URL and digest
	b.guard.Lock()
	defer b.guard.Unlock()
	looks := b.Store.Looks(p.ID)
	for _, l := range looks {
		for _, text := range l.Bodies {
			e := sources.ReadEnvelope(string(text))
			known[e.URL+e.BodySHA256] = text
		}
	}
	look := record.Look{Source: p.ID, At: record.Timestamp(nowText(b)), Verdict: record.Accepted}
	for _, name := range names {
		src, err := b.readRun(p, name)
		if err != nil {
			return err
		}
		e, err := sources.Pin(p.ID, sources.Download{URL: sources.TeamURN(p.ID) + name, FetchedAt: string(look.At)}, src,
			b.Manifest)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text := record.JSON(e.JSON())
		if before, ok := known[e.URL+e.BodySHA256]; ok {
			text = before
		}
		look.Bodies = append(look.Bodies, text)
		if err := b.Store.Keep(ctx, src.Text); err != nil {
			return err
		}
	}
	if len(looks) > 0 && slices.Equal(looks[len(looks)-1].Bodies, look.Bodies) {
		return nil
	}
	return b.Store.Add(ctx, look)
}

// readRun reads a result of runs: of a log what an import uses of it.
func (b *build) readRun(p *part, name string) (problem.Source, error) {
	if p.adapter.Reducer() == nil {
		return b.readFile(name)
	}
	file, err := os.Open(filepath.Join(b.Folder, filepath.FromSlash(name)))
	if err != nil {
		return problem.Source{}, err
	}
	info, err := file.Stat()
	src := problem.Source{}
	if err == nil {
		src, err = sources.ReduceFile(p.adapter, name, file, info.Size())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return src, errors.Join(err, file.Close())
}

func nowText(b *build) string {
	text, _ := timestamp.Format(b.now) // no clock goes beyond it
	return text
}

// isOwn returns what says whether a file is called like one of one's own of a source.
func isOwn(source string) func(name string) bool {
	switch source {
	case inspectlog.Source:
		return inspectlog.IsLog
	case table.Source:
		return func(name string) bool {
			return files.IsRecords(name) || slices.Contains([]string{".csv", ".tsv", ".parquet"}, filepath.Ext(name))
		}
	}
	return files.IsRecords
}

// matching returns the files below a folder that match a pattern, sorted. In it ** stands for any
// folders, also none.
func matching(folder, pattern string, isWanted func(name string) bool) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != ".":
			return filepath.SkipDir
		case d.IsDir() || !isWanted(name):
			return nil
		case recipe.Matches(strings.Split(pattern, "/"), strings.Split(name, "/")):
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}
