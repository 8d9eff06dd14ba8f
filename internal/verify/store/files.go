package store

import (
	"context"
	"os"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// maxBundleBytes is how large a bundle file may be.
const maxBundleBytes = 4 << 30

// openFiles reads a bundle file, or all in a directory.
func openFiles(ctx context.Context, path string) (*producer.MemoryStore, error) {
	names, err := bundleFiles(path)
	if err != nil {
		return nil, err
	}
	bundles := make([]*bundle.Bundle, len(names))
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := files.Read(name, maxBundleBytes)
		if err != nil {
			return nil, err
		}
		if bundles[i], err = bundle.Read(problem.Source{Name: name, Text: text}); err != nil {
			return nil, err
		}
	}
	return producer.NewMemoryStore(bundles...)
}

// bundleFiles returns the files that a path stands for: itself, or if it is a
// directory, those of records in it.
func bundleFiles(path string) (names []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	found, _, err := files.Find(path)
	for _, f := range found {
		names = append(names, f.Name)
	}
	return names, err
}
