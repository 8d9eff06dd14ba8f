// Package local is the part of the public library that touches files. Everything
// else is in package service, which does not.
package local

import (
	"context"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service"
)

// ReadCatalogFile reads a serialized snapshot and verifies it, as
// [service.ParseCatalog] does. A file has at most
// [files.MaxWhole] bytes. An error of reading is an *fs.PathError.
func ReadCatalogFile(ctx context.Context, file string) (*service.Catalog, error) {
	text, err := files.Read(file, files.MaxWhole)
	if err != nil {
		return nil, err
	}
	return catalog.Parse(ctx, problem.Source{Name: file, Text: text})
}
