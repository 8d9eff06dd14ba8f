// Package export writes what a catalog knows in formats that other tools read: price
// maps, model lists, tables, a database.
//
// What is exported of a model at a runtime is what ranking would use: the one value
// that all observations which hold give a key. A reader of most of these formats cannot
// tell unknown from 0, or from false. So what is unknown, expired or contradicted is
// never written; a row that would be read wrongly without it is not made; and all that
// is left out is listed, with the reason, in a [Report].
//
// Three formats continue a file of their own, the base: litellm (which can do
// without), models.dev and catwalk. In a row of the base, members that the catalog has a
// value for are replaced where they stand, unless they have that value; all other bytes
// stay. So a diff against the base shows what the catalog knows better, and a base that
// agrees comes out byte for byte:
//
//	base                                     catalog               export
//	"a/m": {"input_cost_per_token": 1e-6,    price.input 1e-6      "a/m": {"input_cost_per_token": 1e-6,
//	        "output_cost_per_token": 2e-6}   price.output 3e-6             "output_cost_per_token": 0.000003}
//
// The formats ndjson and csv tell every slot and sample group, with its state, and the format
// prices what each offer costs, as a table. Package
// sqlite, below, writes the whole catalog as a database.
package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(record.FormatLiteLLM), string(record.FormatModelsDev), string(record.FormatCatwalk),
		string(record.FormatNDJSON), string(record.FormatCSV), string(record.FormatPrices), string(record.FormatSQLite)}
}

// TakesBase reports whether a format continues a base, and whether it must have one.
func TakesBase(f record.ExportFormat) (may, must bool) {
	switch f {
	case record.FormatLiteLLM:
		return true, false
	case record.FormatModelsDev, record.FormatCatwalk:
		return true, true
	}
	return false, false
}

// MayReadAsZero are the keys that a reader of catwalk counts as free where they are
// absent, which a caller may accept.
func MayReadAsZero() []string { return []string{"price.cache_read", "price.cache_write"} }

// Options say what to export.
type Options struct {
	Format      record.ExportFormat
	Base        *problem.Source // the file that is continued, nil for none
	Runtimes    []string        // those of interest, all if there are none
	ReadsAsZero []string        // of [MayReadAsZero]: keys that may be unknown in a new row of catwalk
}

// ErrNothing says that there was no row to write.
var ErrNothing = errors.New("there is no row to write")

// File is what was written.
type File struct {
	Text   string
	Report *record.ExportReport
}

// Text exports a catalog in a format that is a text. If there is nothing to write the
// error is [ErrNothing], and the report says why.
func Text(ctx context.Context, c *catalog.Catalog, o Options) (*File, error) {
	switch o.Format {
	case record.FormatNDJSON, record.FormatCSV:
		var out strings.Builder
		file, err := WriteLines(ctx, c, o, &out)
		if file != nil {
			file.Text = out.String()
		}
		return file, err
	case record.FormatLiteLLM, record.FormatModelsDev, record.FormatCatwalk, record.FormatPrices:
	default:
		return nil, fmt.Errorf("format %s is not a text", o.Format)
	}
	report := NewReport(c, o.Format)
	file := &File{Report: report}
	if o.Base != nil {
		report.Base = &record.ExportBase{SHA256: canonical.Sum([]byte(o.Base.Text))}
	}
	write := continueBase
	if o.Format == record.FormatPrices {
		write = writePrices
	}
	var err error
	if file.Text, err = write(ctx, c, o, report); err != nil {
		return nil, err
	}
	sortChanges(report)
	if report.Exported.Rows == 0 {
		file.Text = ""
		return file, ErrNothing
	}
	return file, nil
}

// NewReport returns a report on nothing yet.
func NewReport(c *catalog.Catalog, f record.ExportFormat) *record.ExportReport {
	return &record.ExportReport{SchemaVersion: record.ExportReportSchema,
		Catalog: record.CatalogReference{Digest: c.Digest(), AsOf: record.Timestamp(c.AsOf())}, Format: f,
		Changed: []record.ExportedChange{}, LeftOut: []record.ExportOmission{}}
}

// writer writes the offers of a catalog into a base. All that it does with a new row
// before it is inserted, it does with many at a time.
type writer interface {
	// row returns the row of an offer, nil if there is none.
	row(s *sold) *row
	// write gives a row what the catalog knows of its offer, and tells which of it.
	write(r *row, s *sold)
	// needs are the keys that a new row needs.
	needs(s *sold) []string
	// compose makes the text of a new row from its members, or says why there is none.
	compose(r *row, s *sold) (reason record.ExportReason, detail string)
	// insert puts a new row into the base. It reports false if a new one has its name already.
	insert(r *row, s *sold) bool
}

func continueBase(ctx context.Context, c *catalog.Catalog, o Options, report *record.ExportReport) (string, error) {
	source := problem.Source{Text: "{}\n"}
	if o.Base != nil {
		source = *o.Base
	}
	b, err := readBase(source)
	if err != nil {
		return "", err
	}
	var w writer
	switch o.Format {
	case record.FormatLiteLLM:
		w, err = newLiteLLM(b, source, report)
	case record.FormatModelsDev:
		w, err = newModelsDev(b, source, report)
	case record.FormatCatwalk:
		w, err = newCatwalk(b, source, report, o.ReadsAsZero)
	}
	if err != nil {
		return "", err
	}
	models, err := findOffers(ctx, c, o.Runtimes, w)
	if err != nil {
		return "", err
	}
	const oftenLeftOut = 10 // keys of a model
	report.LeftOut = slices.Grow(report.LeftOut, oftenLeftOut*len(models))
	for i := range models {
		of := len(report.LeftOut)
		report.LeftOut = append(report.LeftOut, models[i].LeftOut...)
		for _, s := range models[i].offers {
			if s.isNamesake {
				leaveOut(report, &s.model.Identity, s.Runtime, "", record.ExportSameName, s.LocalID)
				continue
			}
			s.finish(w, report)
		}
		sortModel(report, of)
	}
	if f, ok := w.(interface{ finish() }); ok {
		f.finish()
	}
	return b.String(), nil
}

// freshRow is a row that the base does not have.
type freshRow struct {
	row   *row // nil if there is none
	facts int  // how many it tells
	notes record.ExportReport
}

// prepare makes the row of an offer that the base does not have.
func (s *sold) prepare(w writer) {
	if w.row(s) != nil {
		return
	}
	s.fresh = new(freshRow)
	notes := &s.fresh.notes
	if s.isDead {
		leaveOut(notes, &s.model.Identity, s.Runtime, "", record.ExportEnded, "")
		return
	}
	lacks := false
	for _, key := range w.needs(s) {
		if _, known := s.fact(key); known {
			continue
		}
		lacks = true
		if s.states[key] == "" {
			leaveOut(notes, &s.model.Identity, s.Runtime, key, record.ExportUnknown, s.LocalID)
		}
	}
	if lacks {
		return
	}
	r := &row{report: notes, isNew: true}
	w.write(r, s)
	if reason, detail := w.compose(r, s); reason != "" {
		leaveOut(notes, &s.model.Identity, s.Runtime, "", reason, detail)
		return
	}
	s.fresh.row = r
	s.fresh.facts = s.leaveOutUntold(notes)
}

// finish writes one offer: into the row that the base has of it, or as a new one.
func (s *sold) finish(w writer, report *record.ExportReport) {
	e := &report.Exported
	if s.fresh != nil {
		report.LeftOut = append(report.LeftOut, s.fresh.notes.LeftOut...)
		switch {
		case s.fresh.row == nil:
		case !w.insert(s.fresh.row, s): // another model is called so, too
			leaveOut(report, &s.model.Identity, s.Runtime, "", record.ExportSameName, s.LocalID)
		default:
			e.NewRows++
			e.Rows++
			e.Facts += s.fresh.facts
		}
		return
	}
	r := w.row(s)
	if s.isDead {
		leaveOut(report, &s.model.Identity, s.Runtime, "", record.ExportEnded, "the base has it as "+r.name)
	}
	w.write(r, s)
	if r.changed {
		e.ChangedRows++
	}
	if told := s.leaveOutUntold(report); told > 0 {
		e.Rows++
		e.Facts += told
	}
}

// leaveOutUntold notes the keys that the format has no member for, and counts the others.
func (s *sold) leaveOutUntold(report *record.ExportReport) (told int) {
	for i := range s.facts {
		if f := &s.facts[i]; f.isTold {
			told++
		} else {
			leaveOut(report, &s.model.Identity, s.Runtime, f.key, record.ExportNotRepresentable, "")
		}
	}
	return told
}

// sortedRows sorts new rows by their names.
func sortedRows(rows []member) []member {
	slices.SortFunc(rows, func(a, b member) int { return canonical.CompareText(a.name, b.name) })
	return rows
}
