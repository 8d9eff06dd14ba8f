// Package store keeps what was fetched, in a folder beside a recipe.
//
//	.svc/.gitignore       so that nobody commits it
//	.svc/lock             held by the one build that runs
//	.svc/index.jsonl      a line for each look at a source, the newest last
//	.svc/bodies/<sha256>  the bytes, once however often they were seen
//	.svc/outputs/         outputs on their way to their places
//
// A body is written whole or not at all, and before the line that names it. A line that a
// killed run left half is cut off by the next one. Outputs that belong together take their
// places together: see [Store.Publish].
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Folder is the name of the folder, beside the recipe.
const Folder = ".svc"

// The names in the folder.
const (
	indexName  = "index.jsonl"
	lockName   = "lock"
	bodiesName = "bodies"
)

// maxIndex is the most bytes of an index.
const maxIndex = 1 << 30

// Store is the folder, held by this process.
type Store struct {
	folder  string
	looks   []record.Look
	size    int64 // of the index
	release func()
}

// Open opens the store in a folder, or makes it. If another process has it, waiting is called
// once and Open waits.
func Open(ctx context.Context, folder string, waiting func()) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(folder, bodiesName), 0o755); err != nil {
		return nil, err
	}
	release, err := files.Hold(ctx, filepath.Join(folder, lockName), waiting)
	if err != nil {
		return nil, err
	}
	s := &Store{folder: folder, release: release}
	for _, prepare := range []func(context.Context) error{s.ignore, s.finish, s.readIndex} {
		if err := prepare(ctx); err != nil {
			release()
			return nil, err
		}
	}
	return s, nil
}

// Close lets others have the store.
func (s *Store) Close() { s.release() }

// ignore writes the file that keeps the store out of Git.
func (s *Store) ignore(ctx context.Context) error {
	path := filepath.Join(s.folder, ".gitignore")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return files.WriteText(ctx, path, "*\n")
}

// readIndex reads all looks, and cuts off a line that is not whole.
func (s *Store) readIndex(context.Context) error {
	path := filepath.Join(s.folder, indexName)
	text, err := files.Read(path, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	whole := strings.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return err
		}
	}
	s.size = int64(whole)
	number := 0
	for line := range strings.Lines(text[:whole]) {
		number++
		r, look := ijson.NewReader(strings.TrimSuffix(line, "\n"), ""), record.Look{}
		ijson.ReadTagged(r, &look)
		if err := r.End().Err(); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
		s.looks = append(s.looks, look)
	}
	return nil
}

// Looks returns all looks at a source, the newest last.
func (s *Store) Looks(source string) (list []record.Look) {
	for _, l := range s.looks {
		if l.Source == source {
			list = append(list, l)
		}
	}
	return list
}

func (s *Store) bodyPath(sha256 string) string { return filepath.Join(s.folder, bodiesName, sha256) }

// Body returns the bytes that have a digest. Bytes that have another one are as good as gone.
func (s *Store) Body(sha256 string) (string, error) {
	path := s.bodyPath(sha256)
	text, err := files.Read(path, sources.MaxBodyBytes)
	if err == nil && canonical.SumText(text) != sha256 {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("is damaged: its bytes have another digest")}
	}
	return text, err
}

// Has reports whether the store has a body, without reading it.
func (s *Store) Has(sha256 string) bool {
	info, err := os.Stat(s.bodyPath(sha256))
	return err == nil && info.Mode().IsRegular()
}

// Keep stores bodies, unless they are there.
func (s *Store) Keep(ctx context.Context, bodies ...string) error {
	for _, body := range bodies {
		sum := canonical.SumText(body)
		if _, err := s.Body(sum); err == nil {
			continue
		}
		if err := files.WriteText(ctx, s.bodyPath(sum), body); err != nil {
			return err
		}
	}
	return nil
}

// Add stores a look, whose bodies the store has.
func (s *Store) Add(ctx context.Context, look record.Look) error {
	if ctx.Err() != nil {
		return files.ErrInterrupt
	}
	look.SchemaVersion = record.LookSchema
	line := append(ijson.MustWriteTagged(&look), '\n')
	path := filepath.Join(s.folder, indexName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(line)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(s.size) // the next run would do it, too
		return err
	}
	s.size += int64(len(line))
	s.looks = append(s.looks, look)
	return nil
}

// Pruned counts what is dropped of a store.
type Pruned struct {
	Looks, Bodies int
	Bytes         int64 // of the bodies
}

// Prune drops the looks that are not kept, and the bodies that no look names any more. In a dry run
// it drops nothing, and says what it would.
func (s *Store) Prune(ctx context.Context, isKept func(record.Look) bool, isDry bool) (p Pruned, err error) {
	var kept []record.Look
	var text strings.Builder
	named := map[string]bool{}
	for _, look := range s.looks {
		if !isKept(look) {
			continue
		}
		kept = append(kept, look)
		text.Write(append(ijson.MustWriteTagged(&look), '\n'))
		for _, e := range Envelopes(look) {
			named[e.BodySHA256] = true
		}
	}
	if p.Looks = len(s.looks) - len(kept); p.Looks > 0 && !isDry {
		if err := files.WriteText(ctx, filepath.Join(s.folder, indexName), text.String()); err != nil {
			return Pruned{}, err
		}
		s.looks, s.size = kept, int64(text.Len())
	}
	entries, err := os.ReadDir(filepath.Join(s.folder, bodiesName))
	if err != nil {
		return p, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || named[e.Name()] || !info.Mode().IsRegular() {
			continue
		}
		if !isDry {
			if err := os.Remove(s.bodyPath(e.Name())); err != nil {
				return p, err
			}
		}
		p.Bodies, p.Bytes = p.Bodies+1, p.Bytes+info.Size()
	}
	return p, nil
}

// Envelopes returns the envelopes of a look, first those of what an adapter reads.
func Envelopes(look record.Look) (list []sources.Envelope) {
	for _, texts := range []record.List[record.JSON]{look.Bodies, look.Others} {
		for _, text := range texts {
			list = append(list, sources.ReadEnvelope(string(text)))
		}
	}
	return list
}
