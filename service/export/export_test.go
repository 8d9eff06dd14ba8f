package export_test

import (
	"bytes"
	"errors"
	"testing"

	insidecatalog "github.com/model-catalog-service/svc/internal/catalog"
	insideexport "github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/export"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
)

// A file and its report are those of the command line, in every format.
func TestExport(t *testing.T) {
	c := servicetest.SecondDay()
	inner, err := insidecatalog.Parse(t.Context(), problem.Source{Text: catalog.Serialize(c)})
	if err != nil {
		t.Fatal(err)
	}
	base := service.NamedText{Name: "base.json", Text: `{"openrouter/x-ai/grok-4":{"input_cost_per_token":1}}`}
	for _, options := range []export.Options{
		{Format: record.FormatNDJSON}, {Format: record.FormatCSV, Runtimes: []string{"openrouter"}}, {Format: record.FormatLiteLLM}, {Format: record.FormatLiteLLM, Base: &base},
	} {
		o := insideexport.Options{Format: record.ExportFormat(options.Format), Runtimes: options.Runtimes}
		if options.Base != nil {
			o.Base = &problem.Source{Name: base.Name, Text: base.Text}
		}
		want, wantErr := insideexport.Text(t.Context(), inner, o)
		got, err := export.Catalog(t.Context(), c, options)
		if !errors.Is(err, wantErr) || wantErr != nil && !errors.Is(err, export.ErrNothing) {
			t.Fatalf("%s: %v, want %v", options.Format, err, wantErr)
		}
		if report, err := service.CanonicalJSON(servicetest.Marshal(t, got.Report)); err != nil || !bytes.Equal(report, ijson.MustWriteTagged(want.Report)) || string(got.Data) != want.Text {
			t.Errorf("%s: %v\n%s\n%s\n%s", options.Format, err, got.Data, report, ijson.MustWriteTagged(want.Report))
		}
	}
	database, err := export.Catalog(t.Context(), c, export.Options{Format: record.FormatSQLite})
	if err != nil || !bytes.HasPrefix(database.Data, []byte("SQLite format 3\x00")) || database.Report.Exported.Rows != 4 {
		t.Errorf("database: %v", err)
	}
	for _, bad := range []export.Options{
		{}, {Format: "xml"}, {Format: record.FormatCatwalk}, {Format: record.FormatCSV, Base: &base},
		{Format: record.FormatSQLite, Runtimes: []string{"r"}}, {Format: record.FormatLiteLLM, Base: &service.NamedText{Text: "["}},
	} {
		if file, err := export.Catalog(t.Context(), c, bad); err == nil || file != nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
