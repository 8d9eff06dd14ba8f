package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/sqlite"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// ExportReportSchema is the schema version of a report on an export.
const ExportReportSchema = "service.export.report/v1"

// ErrNothingToExport says that nothing of the catalog can be written in a format. The
// report of the file says why.
var ErrNothingToExport = export.ErrNothing

// ExportFormat is a format that a catalog can be exported in.
type ExportFormat string

// The formats.
const (
	FormatLiteLLM   ExportFormat = "litellm"    // LiteLLM's map of prices; continues a base or begins one
	FormatModelsDev ExportFormat = "models.dev" // models.dev's api.json; continues a base
	FormatCatwalk   ExportFormat = "catwalk"    // the providers of catwalk; continues a base
	FormatNDJSON    ExportFormat = "ndjson"     // every slot and sample group, one a line
	FormatCSV       ExportFormat = "csv"        // the same as a table (RFC 4180)
	FormatSQLite    ExportFormat = "sqlite"     // the whole catalog as a database
)

// ExportOptions say what to export.
type ExportOptions struct {
	Format      ExportFormat
	Base        *NamedText // the file of the format that is continued, nil for none
	Runtimes    []string   // those of interest, such as openrouter; nil for all
	ReadsAsZero []string   // price.cache_read, price.cache_write: what may be unknown in a new row of catwalk, though its reader takes it for free
}

// ExportedFile is what was written.
type ExportedFile struct {
	Data   []byte
	Report *ExportReport
	// Guarded is how many cells of a table got an apostrophe, so that no spreadsheet takes
	// them for a formula.
	Guarded int
}

// ExportCatalog writes what a catalog knows in a format that other tools read. What is
// unknown, expired or contradicted is never written, but listed in the report; of a base
// all bytes stay but those of values that the catalog knows better.
//
// It fails with [ErrNothingToExport], beside a file that has a report alone; with the
// faults of the base, which have no code; or with the error of the context.
func ExportCatalog(ctx context.Context, c *Catalog, options ExportOptions) (*ExportedFile, error) {
	if !slices.Contains(export.Formats(), string(options.Format)) {
		return nil, fmt.Errorf("there is no format %q", options.Format)
	}
	inner := export.Options{Format: export.Format(options.Format), Runtimes: options.Runtimes, ReadsAsZero: options.ReadsAsZero}
	switch may, must := inner.Format.TakesBase(); {
	case must && options.Base == nil:
		return nil, fmt.Errorf("%s needs a base", options.Format)
	case !may && options.Base != nil:
		return nil, fmt.Errorf("%s has no base", options.Format)
	case options.Base != nil:
		inner.Base = &problem.Source{Name: options.Base.Name, Text: options.Base.Text}
	}
	if inner.Format == export.SQLite {
		if options.Runtimes != nil {
			return nil, fmt.Errorf("%s is the whole catalog, of all runtimes", options.Format)
		}
		var data bytes.Buffer
		report, err := sqlite.Write(ctx, c.inner, &data)
		if err != nil && !errors.Is(err, export.ErrNothing) {
			return nil, err
		}
		return &ExportedFile{Data: data.Bytes(), Report: newExportReport(report)}, err
	}
	file, err := export.Text(ctx, c.inner, inner)
	if err != nil && !errors.Is(err, export.ErrNothing) {
		return nil, publish(err)
	}
	return &ExportedFile{[]byte(file.Text), newExportReport(file.Report), file.Guarded}, err
}

func newExportReport(r *export.Report) *ExportReport { return decode[*ExportReport](r.JSON()) }

// ExportReport says what an export wrote, what it changed in its base, and what it left
// out.
type ExportReport struct {
	SchemaVersion string                      `json:"schemaVersion"` // ExportReportSchema
	Catalog       record.CatalogReference     `json:"catalog"`
	Format        ExportFormat                `json:"format"`
	Base          *ExportBase                 `json:"base"` // nil if there was none
	Exported      ExportCounts                `json:"exported"`
	Changed       record.List[ExportedChange] `json:"changed"`
	LeftOut       record.List[ExportOmission] `json:"leftOut"`
}

// ExportBase names the file that was continued.
type ExportBase struct {
	SHA256 string `json:"sha256"` // of its text
}

// ExportCounts count what was written.
type ExportCounts struct {
	Rows        int `json:"rows"`        // with at least one fact of the catalog; without a base lines or, of a database, observations
	Facts       int `json:"facts"`       // that the file has
	NewRows     int `json:"newRows"`     // that the base lacks
	ChangedRows int `json:"changedRows"` // of the base
}

// ExportedChange is a member of a row of the base that the catalog knows better.
type ExportedChange struct {
	Row    string `json:"row"`
	Member string `json:"member"`
	Old    any    `json:"old"` // what JSON has there; nil if the row had none
	New    any    `json:"new"`
}

// ExportOmission is a model, a model at a runtime, or a fact of that which was left out, or
// written as something wider.
type ExportOmission struct {
	Model        string       `json:"model"` // its id
	Revision     *string      `json:"revision"`
	Quantization *string      `json:"quantization"`
	Runtime      *string      `json:"runtime"`
	Key          *string      `json:"key"` // the measurement key; nil if it is the whole row
	Reason       ExportReason `json:"reason"`
	Detail       *string      `json:"detail"`
}

// ExportReason says why something was left out.
type ExportReason string

// Why something was left out.
const (
	ExportConflict         ExportReason = "conflict"          // what holds contradicts itself
	ExportExpired          ExportReason = "expired"           // nothing that was said holds
	ExportIncomparable     ExportReason = "incomparable"      // it is about another execution, or in several units
	ExportWrongUnit        ExportReason = "unit"              // it is not in the unit of its key
	ExportUnknown          ExportReason = "unknown"           // a new row needs it, and nothing states it
	ExportSameName         ExportReason = "same-name"         // several models have the name
	ExportNoRuntime        ExportReason = "no-runtime"        // nothing says where the model runs
	ExportNoProvider       ExportReason = "no-provider"       // the base does not know the provider
	ExportNotRepresentable ExportReason = "not-representable" // the format cannot say it
	ExportWidened          ExportReason = "widened"           // a context limit was written as an input limit
)
