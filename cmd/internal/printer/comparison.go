package printer

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is a few models held against each other:
//
//	MEASURED                glm-5.2                  kimi-k2.7-code         SHOWN
//	livebench.coding.score  79.65%, 71.3% to 86.1%   76.2%, 67.6% to 83%    cannot be told apart
//
//	STATED                  glm-5.2                  kimi-k2.7-code
//	price.output            $2.20 per million tokens $3.00 per million tokens

// Comparison prints a comparison.
func (p *Printer) Comparison(c *record.Comparison) {
	p.Print(CatalogName(c.Catalog.Digest, string(c.Catalog.AsOf)) + "\n\n")
	p.printProse(console.Printable(strings.Join(c.Answer, " ")))
	p.Print("\n" + p.comparedTable(c, "", candidateRows(c)))
	if len(c.Measured) > 0 {
		p.Print("\n" + p.comparedTable(c, "MEASURED", keyRows(c.Measured)))
	}
	var differing []comparedRow
	var same []string
	for _, row := range keyRows(c.Stated) {
		if slices.ContainsFunc(row.values, func(text string) bool { return text != row.values[0] }) {
			differing = append(differing, row)
		} else {
			same = append(same, row.name+" ("+row.values[0]+")")
		}
	}
	if differing != nil {
		p.Print("\n" + p.comparedTable(c, "STATED", differing))
	}
	if same != nil {
		p.printSentences([]string{"The same for all: " + strings.Join(same, ", ") + "."})
	}
	p.printSentences(c.Notes)
}

// comparedRow is what all candidates have under a name.
type comparedRow struct {
	name   string
	values []string
	remark string
}

func (p *Printer) comparedTable(c *record.Comparison, name string, rows []comparedRow) string {
	var t console.Table
	names := []string{name}
	for i := range c.Candidates {
		names = append(names, console.Clip(c.Candidates[i].CandidateID))
	}
	t.Head(p.Out, append(names, "SHOWN")...)
	for _, row := range rows {
		cells := []console.Cell{console.Text(row.name)}
		for _, value := range row.values {
			cells = append(cells, console.Text(value))
		}
		t.Add(append(cells, console.Text(row.remark))...)
	}
	return t.Fit(p.Width())
}

// candidateRows are who the candidates are, what they cost, and of when the prices are.
func candidateRows(c *record.Comparison) (rows []comparedRow) {
	model, provider, cost, total := comparedRow{name: "model"}, comparedRow{name: "provider"}, comparedRow{name: "a task"},
		comparedRow{name: "all tasks"}
	dollars := func(f record.Float) string {
		const digits = 3
		if !f.Known {
			return ""
		}
		return quantity.RoundedPhrase(f.Value, "USD", digits)
	}
	for i := range c.Candidates {
		one := &c.Candidates[i]
		name := console.Clip(one.Model.Name())
		if one.Condition != "" {
			name += " with " + console.Clip(string(one.Condition))
		}
		model.values, provider.values = append(model.values, name), append(provider.values, console.Clip(string(one.Runtime)))
		cost.values, total.values = append(cost.values, dollars(one.USDPerTask)), append(total.values, dollars(one.USDTotal))
	}
	observed, until := comparedRow{name: "prices of"}, comparedRow{name: "valid until"}
	for i := range c.Candidates {
		var first, last record.Timestamp
		for k := range c.Stated {
			v := &c.Stated[k].Values[i]
			if !strings.HasPrefix(c.Stated[k].MeasurementKey, "price.") || v.ObservedAt == "" {
				continue
			}
			first = max(first, v.ObservedAt)
			if last == "" || v.ValidUntil != "" && v.ValidUntil < last {
				last = v.ValidUntil
			}
		}
		observed.values, until.values = append(observed.values, day(first)), append(until.values, day(last))
	}
	for _, row := range []comparedRow{model, provider, cost, total, observed, until} {
		if strings.Join(row.values, "") != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

func keyRows(list []record.ComparedKey) (rows []comparedRow) {
	for i := range list {
		row := comparedRow{name: console.Clip(list[i].MeasurementKey), remark: console.Printable(string(list[i].Verdict))}
		for k := range list[i].Values {
			row.values = append(row.values, comparedText(&list[i].Values[k]))
		}
		rows = append(rows, row)
	}
	return rows
}

// comparedText is a value with its interval, or what is wrong with it.
func comparedText(v *record.ComparedValue) string {
	switch {
	case v.Status == "ok":
		text, interval, _ := estimateText(v.Values[0].Value, v.Estimate)
		if v.Estimate == nil {
			text = statedText(v.Values[0])
		}
		if interval != "" {
			text += ", " + interval
		}
		return text
	case v.Status == "conflict":
		var texts []string
		for _, value := range v.Values {
			texts = append(texts, statedText(value))
		}
		return strings.Join(texts, " or ")
	case v.Status == "missing":
		return ""
	}
	return v3.GapText(v.Status)
}

func statedText(v record.StatedValue) string {
	if v.Value.Kind == '0' {
		return amount(v.Value.Float(), string(v.Unit))
	}
	if v.Value.Kind == '"' {
		return console.Clip(v.Value.Text)
	}
	return scalarText(v.Value)
}
