package printer

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a task costs at everybody who sells some models:
//
//	A TASK              PROVIDER    INPUT  OUTPUT  MODEL            FIRST TOKEN  TOKENS/S  UPTIME  VALID UNTIL
//	$0.0276             openrouter  $0.60  $2.20   zhipuai/glm-5.2  0.773 s      42        99.7%   2026-07-13
//	$0.0312 to $0.0416  zai         $1.00  $3.20   zhipuai/glm-5.2                                 2026-07-12
//
// The prices are dollars per million tokens, and speeds the medians that a list states.

// partNames are the columns of prices.
var partNames = []struct{ part, column string }{{"input", "INPUT"}, {"output", "OUTPUT"}, {"cached-input", "CACHED"},
	{"cache-write", "CACHE WRITE"}}

// Costs prints a table of costs, of the cheapest offers.
func (p *Printer) Costs(t *record.CostTable, most int) {
	p.Print(CatalogName(t.Catalog.Digest, string(t.Catalog.AsOf)) + "\n\n")
	if len(t.Offers) == 0 {
		p.printProse("Nobody is known to sell any of these models at a price that is still valid.")
	} else {
		shown := t.Offers[:min(most, len(t.Offers))]
		p.Print(p.offerTable(shown))
		if more := len(t.Offers) - len(shown); more > 0 {
			p.Print("\n")
			p.printProse(quantity.Count(more, "more offer") + ". Use --top to list more.")
		}
	}
	p.printSentences(t.Notes)
	p.printUnpriced(t.Unpriced)
}

func (p *Printer) offerTable(offers []record.OfferCost) string {
	var t console.Table
	names := []string{"A TASK", "TOTAL", "PROVIDER"}
	for _, part := range partNames {
		names = append(names, part.column)
	}
	t.Head(p.Out, slices.Concat(names, []string{"MODEL"}, speedColumns, []string{"VALID UNTIL"})...)
	for i := range offers {
		o := &offers[i]
		total := ""
		if o.USDTotal != nil {
			total = dollarRange(*o.USDTotal)
		}
		row := []console.Cell{console.Text(dollarRange(o.USDPerTask)), console.Text(total),
			console.Text(console.Clip(string(o.Runtime)))}
		for _, part := range partNames {
			text := ""
			for _, price := range o.Prices {
				if price.Part == part.part {
					text = priceRange(price.USDPerToken)
				}
			}
			row = append(row, console.Text(text))
		}
		row = append(append(row, console.Text(console.Clip(o.Model.Name()))), speedCells(o.Speed)...)
		t.Add(append(row, console.Cell{Lines: []string{day(o.ValidUntil)}, Spare: true})...)
	}
	return t.Fit(p.Width())
}

// speedColumns say how fast an offer answers, where there is room.
var speedColumns = []string{"FIRST TOKEN", "TOKENS/S", "UPTIME"}

func speedCells(s *record.OfferSpeed) (cells []console.Cell) {
	const digits = 3
	if s == nil {
		s = &record.OfferSpeed{}
	}
	for _, part := range []struct {
		record.Float
		unit string
	}{{s.TTFT, "s"}, {s.Throughput, ""}, {s.Uptime, "percent"}} {
		cell := console.Cell{Lines: []string{""}, Spare: true}
		if part.Known {
			cell.Lines[0] = quantity.RoundedPhrase(part.Value, part.unit, digits)
		}
		cells = append(cells, cell)
	}
	return cells
}

// dollarRange is a cost, or from where to where it is.
func dollarRange(i record.Interval) string {
	const digits = 3
	low, high := quantity.RoundedPhrase(i.Low, "USD", digits), quantity.RoundedPhrase(i.High, "USD", digits)
	if low == high {
		return low
	}
	return low + " to " + high
}

// priceRange is a price for a million tokens.
func priceRange(i record.Interval) string {
	low, _ := quantity.Text(i.Low, "USD/token")
	high, _ := quantity.Text(i.High, "USD/token")
	if low == high {
		return low
	}
	return low + " to " + high
}

// printUnpriced says which offers have no cost, and why.
func (p *Printer) printUnpriced(list []record.UnpricedOffer) {
	const most = 5
	reasons := map[string][]string{}
	for i := range list {
		name := console.Clip(list[i].Model.Name())
		if list[i].Runtime != "" {
			name += " on " + console.Clip(string(list[i].Runtime))
		}
		reasons[list[i].Reason] = append(reasons[list[i].Reason], name)
	}
	for _, r := range []struct{ reason, text string }{{"expired", "Not priced, because a price has expired: "},
		{"missing", "Not priced, because a price is not known: "}} {
		names := reasons[r.reason]
		if names == nil {
			continue
		}
		text := strings.Join(names[:min(most, len(names))], ", ")
		if more := len(names) - most; more > 0 {
			text += " and " + number(more) + " more"
		}
		p.Print("\n")
		p.printProse(r.text + text + ".")
	}
}
