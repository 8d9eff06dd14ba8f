package export

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the table of prices: a row for each offer that has one, a column for each key, in
// USD per token. A cell is empty where nobody says a price, where it has expired, and where lists
// contradict each other, which the report tells.

// priceColumns are those before the keys.
var priceColumns = []string{"model", "revision", "quantization", "provider", "service", "id"}

// reader is a [writer] that has a row for every offer, so that none is made.
type reader struct{ writer }

func (reader) row(*sold) *row { return &row{} }

func writePrices(ctx context.Context, c *catalog.Catalog, o Options, report *record.ExportReport) (string, error) {
	models, err := findOffers(ctx, c, o.Runtimes, reader{})
	if err != nil {
		return "", err
	}
	known, offers := map[string]bool{}, []*sold{}
	for i := range models {
		for _, omission := range models[i].LeftOut {
			if offer.IsPrice(string(omission.Key)) {
				report.LeftOut = append(report.LeftOut, omission)
			}
		}
		for _, s := range models[i].offers {
			isPriced := false
			for _, f := range s.facts {
				if offer.IsPrice(f.key) && !s.isDead {
					known[f.key], isPriced = true, true
					report.Exported.Facts++
				}
			}
			if isPriced {
				offers = append(offers, s)
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(known), canonical.CompareText)
	var out strings.Builder
	out.WriteString(csvRow(slices.Concat(priceColumns, keys)))
	for _, s := range offers {
		id := &s.model.Identity
		cells := []string{id.ID, string(id.Revision), string(id.Quantization), s.Runtime, s.call[record.OfferService],
			s.LocalID}
		for _, key := range keys {
			v, _ := s.number(key)
			cells = append(cells, v.Text)
		}
		out.WriteString(csvRow(cells))
	}
	report.Exported.Rows = len(offers)
	return out.String(), nil
}

// csvRow writes a row as RFC 4180 has it. A text that a spreadsheet would take for a formula is in
// quotes, and so is one of several lines, or with a comma or quotes in it.
func csvRow(cells []string) string {
	quoted := make([]string, len(cells))
	for i, cell := range cells {
		if quoted[i] = cell; opensFormula(cell) || strings.ContainsAny(cell, "\",\r\n") || strings.HasPrefix(cell, " ") {
			quoted[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, ",") + "\n"
}
