// Package local is the part of the public library that touches files, sockets and
// databases. Everything else is in package service, which does not.
package local

import (
	"context"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/service"
)

// ReadCatalogFile reads a serialized snapshot and verifies it, as
// [service.ParseCatalog] does. A file has at most 16 GiB. An error of reading is an
// *fs.PathError.
func ReadCatalogFile(ctx context.Context, file string) (*service.Catalog, error) {
	text, err := files.Read(file, files.MaxWhole)
	if err != nil {
		return nil, err
	}
	c, err := service.ParseCatalog(ctx, text)
	return c, inFile(err, file)
}

// inFile names the file in the faults of its text.
func inFile(err error, file string) error {
	for _, fault := range service.Faults(err) {
		fault.Place.File = file
	}
	return err
}

// publish makes a [service.ErrorList] of the faults in an error.
func publish(err error) error {
	if faults := service.Faults(err); faults != nil {
		return faults
	}
	return err
}
