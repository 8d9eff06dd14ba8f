// Package export writes what a catalog knows in formats that other tools read: lines, tables, a
// database of SQLite, and the lists of LiteLLM, catwalk and models.dev. It writes into memory.
//
//	file, err := export.Catalog(ctx, c, export.Options{Format: record.FormatCSV})
//	fmt.Println(file.Report.Exported.Rows)
package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/sqlite"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// ErrNothing says that nothing of the catalog can be written in a format. The
// report of the file says why.
var ErrNothing = export.ErrNothing

// Options say what to export.
type Options struct {
	Format   record.ExportFormat
	Base     *service.NamedText // the file of the format that is continued, nil for none
	Runtimes []string           // those of interest, such as openrouter; nil for all
	// ReadsAsZero is what may be unknown in a new row of catwalk, though its reader takes it for free:
	// price.cache_read, price.cache_write.
	ReadsAsZero []string
}

// File is what was written.
type File struct {
	Data   []byte
	Report *record.ExportReport
}

// Catalog writes what a catalog knows in a format that other tools read. What is
// unknown, expired or contradicted is never written, but listed in the report; of a base
// all bytes stay but those of values that the catalog knows better.
//
// It fails with [ErrNothing], beside a file that has a report alone; with the
// faults of the base, which have no code; or with the error of the context.
func Catalog(ctx context.Context, c *catalog.Catalog, options Options) (*File, error) {
	if !slices.Contains(export.Formats(), string(options.Format)) {
		return nil, fmt.Errorf("there is no format %q", options.Format)
	}
	inner := export.Options{Format: options.Format, Runtimes: options.Runtimes, ReadsAsZero: options.ReadsAsZero}
	switch may, must := export.TakesBase(inner.Format); {
	case must && options.Base == nil:
		return nil, fmt.Errorf("%s needs a base", options.Format)
	case !may && options.Base != nil:
		return nil, fmt.Errorf("%s has no base", options.Format)
	case options.Base != nil:
		inner.Base = &problem.Source{Name: options.Base.Name, Text: options.Base.Text}
	}
	if inner.Format == record.FormatSQLite {
		if options.Runtimes != nil {
			return nil, fmt.Errorf("%s is the whole catalog, of all runtimes", options.Format)
		}
		var data bytes.Buffer
		report, err := sqlite.Write(ctx, (*inside.Catalog)(c), &data)
		if err != nil && !errors.Is(err, export.ErrNothing) {
			return nil, err
		}
		return &File{Data: data.Bytes(), Report: report}, err
	}
	file, err := export.Text(ctx, (*inside.Catalog)(c), inner)
	if err != nil && !errors.Is(err, export.ErrNothing) {
		return nil, outward.Error(err)
	}
	return &File{[]byte(file.Text), file.Report}, err
}
