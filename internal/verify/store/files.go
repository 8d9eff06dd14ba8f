package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
)

// openFiles reads a bundle file, or all in a directory.
func openFiles(ctx context.Context, path string) (*verify.MemoryStore, error) {
	names, err := bundleFiles(path)
	if err != nil {
		return nil, err
	}
	bundles := make([]*verify.Bundle, len(names))
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if bundles[i], err = verify.ReadBundle(problem.Source{Name: name, Text: string(text)}); err != nil {
			return nil, err
		}
	}
	return verify.NewMemoryStore(bundles...)
}

// bundleFiles returns the files that a path stands for: itself, or if it is a
// directory, its *.json, *.jsonl and *.ndjson and those of directories below it,
// sorted.
func bundleFiles(path string) (names []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch filepath.Ext(name) {
		case ".json", ".jsonl", ".ndjson":
			names = append(names, name)
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("the directory holds no *.json, *.jsonl or *.ndjson")}
	}
	return names, err
}
