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
// The formats ndjson and csv tell every slot and sample group, with its state. Package
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
)

// Format is a format that a catalog can be exported in.
type Format string

// The formats.
const (
	LiteLLM   Format = "litellm"
	ModelsDev Format = "models.dev"
	Catwalk   Format = "catwalk"
	NDJSON    Format = "ndjson"
	CSV       Format = "csv"
	SQLite    Format = "sqlite"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(LiteLLM), string(ModelsDev), string(Catwalk), string(NDJSON), string(CSV), string(SQLite)}
}

// TakesBase reports whether a format continues a base, and whether it must have one.
func (f Format) TakesBase() (may, must bool) {
	switch f {
	case LiteLLM:
		return true, false
	case ModelsDev, Catwalk:
		return true, true
	}
	return false, false
}

// MayReadAsZero are the keys that a reader of catwalk counts as free where they are
// absent, which a caller may accept.
func MayReadAsZero() []string { return []string{"price.cache_read", "price.cache_write"} }

// Options say what to export.
type Options struct {
	Format      Format
	Base        *problem.Source // the file that is continued, nil for none
	Runtimes    []string        // those of interest, all if there are none
	ReadsAsZero []string        // of [MayReadAsZero]: keys that may be unknown in a new row of catwalk
}

// ErrNothing says that there was no row to write.
var ErrNothing = errors.New("nothing of the catalog can be written in this format")

// File is what was written.
type File struct {
	Text   string
	Report *Report
	// Guarded is how many cells of a table got an apostrophe, so that no spreadsheet takes
	// them for a formula.
	Guarded int
}

// Text exports a catalog in a format that is a text. If there is nothing to write the
// error is [ErrNothing], and the report says why.
func Text(ctx context.Context, c *catalog.Catalog, o Options) (*File, error) {
	switch o.Format {
	case NDJSON, CSV:
		var out strings.Builder
		file, err := WriteLines(ctx, c, o, &out)
		if file != nil {
			file.Text = out.String()
		}
		return file, err
	case LiteLLM, ModelsDev, Catwalk:
	default:
		return nil, fmt.Errorf("format %s is not a text", o.Format)
	}
	report := NewReport(c, o.Format)
	file := &File{Report: report}
	if o.Base != nil {
		report.Base = &Base{canonical.Sum([]byte(o.Base.Text))}
	}
	var err error
	if file.Text, err = continueBase(ctx, c, o, report); err != nil {
		return nil, err
	}
	report.sort()
	if report.Exported.Rows == 0 {
		file.Text = ""
		return file, ErrNothing
	}
	return file, nil
}

// NewReport returns a report on nothing yet.
func NewReport(c *catalog.Catalog, f Format) *Report {
	return &Report{SchemaVersion: ReportSchema, Catalog: Content{c.Digest(), c.AsOf()}, Format: f, Changed: []Change{}, LeftOut: []LeftOut{}}
}

// writer writes the offers of a catalog into a base.
type writer interface {
	// row returns the row of an offer, nil if there is none.
	row(s *sold) *row
	// write gives a row what the catalog knows of its offer, and notes the keys that it told.
	write(r *row, s *sold, told map[string]bool)
	// needs are the keys that a new row needs.
	needs(s *sold) []string
	// insert puts a new row into the base, or says why it cannot.
	insert(r *row, s *sold) (reason Reason, detail string)
}

func continueBase(ctx context.Context, c *catalog.Catalog, o Options, report *Report) (string, error) {
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
	case LiteLLM:
		w, err = newLiteLLM(b, source, report)
	case ModelsDev:
		w, err = newModelsDev(b, source, report)
	case Catwalk:
		w, err = newCatwalk(b, source, report, o.ReadsAsZero)
	}
	if err != nil {
		return "", err
	}
	list, err := offers(ctx, c, o.Runtimes, report)
	if err != nil {
		return "", err
	}
	const oftenLeftOut = 8 // keys of an offer
	report.LeftOut = slices.Grow(report.LeftOut, oftenLeftOut*len(list))
	told := map[string]bool{}
	for _, s := range list {
		clear(told)
		continueOffer(w, s, told, report)
	}
	if f, ok := w.(interface{ finish() }); ok {
		f.finish()
	}
	return b.String(), nil
}

// continueOffer writes one offer: into the row that the base has of it, or into a new
// one.
func continueOffer(w writer, s *sold, told map[string]bool, report *Report) {
	identity := &s.model.Identity
	r := w.row(s)
	if r == nil {
		r = &row{report: report, isNew: true}
		lacks := false
		for _, key := range w.needs(s) {
			if _, known := s.fact(key); known {
				continue
			}
			lacks = true
			if s.states[key] == "" {
				report.leaveOut(identity, s.Runtime, key, Unknown, s.LocalID)
			}
		}
		if lacks {
			return
		}
	}
	w.write(r, s, told)
	if r.isNew {
		if reason, detail := w.insert(r, s); reason != "" {
			report.leaveOut(identity, s.Runtime, "", reason, detail)
			return
		}
		report.Exported.NewRows++
	} else if r.changed {
		report.Exported.ChangedRows++
	}
	for i := range s.facts {
		if key := s.facts[i].key; !told[key] {
			report.leaveOut(identity, s.Runtime, key, NotRepresentable, "")
		}
	}
	if len(told) > 0 || r.isNew {
		report.Exported.Rows++
		report.Exported.Facts += len(told)
	}
}

// sortedRows sorts new rows by their names.
func sortedRows(rows []member) []member {
	slices.SortFunc(rows, func(a, b member) int { return canonical.CompareText(a.name, b.name) })
	return rows
}
