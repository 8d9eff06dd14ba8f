package printer

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what was measured of a model, for people. What ran in one way comes together, below
// its sources. Each value names its source and the day on which that source was seen to state it:
//
//	openrouter
//	  observed 2025-12-02, valid until 2025-12-09; external: openrouter
//	    https://openrouter.ai/api/v1/models
//	  limits.context  400,000 tokens             openrouter 2025-12-02  fc5ce6e3babb
//	  price.output    $10.00 per million tokens  openrouter 2025-12-02  bbd85392d0cb

// measured is what was measured of a model in one way, from sources that each have one address.
type measured struct {
	heading    []string
	statements []string // that say when a source was seen
	addresses  map[string][]string
	rows       []measuredRow
}

// measuredRow is a measurement in lines.
type measuredRow struct {
	keys, values, short, sources, ids []string // short is values in few columns
}

// printModel prints what was measured of a model of a catalog.
func (p *Printer) printModel(m *record.ModelContents, list *record.CatalogContents, c *catalog.Catalog) {
	p.Printf("\n%s  %s\n", p.Out.Heading.Sprint(console.Printable(m.Identity.Name())),
		strings.Join(modelCounts(m), ", ")+expiredText(m.Expired, list.AsOf))
	if len(m.Measurements) == 0 {
		p.Print("No measurement of it fits.\n")
		return
	}
	observations := map[string]*catalog.Observation{}
	if i := slices.IndexFunc(c.Models(), func(e catalog.ModelEntry) bool { return e.Key == m.Key }); i >= 0 {
		for k := range c.Models()[i].Observations {
			o := &c.Models()[i].Observations[k]
			observations[o.ID()] = o
		}
	}
	for _, part := range p.measuredParts(m, list.AsOf, observations) {
		p.printMeasured(part)
	}
}

// measuredParts puts together what ran in one way. A source that has several addresses, as one with
// a file for each run has, makes several parts, for no one could tell whose address is whose.
func (p *Printer) measuredParts(m *record.ModelContents, asOf record.Timestamp,
	observations map[string]*catalog.Observation) (parts []*measured) {
	for i := range m.Measurements {
		summary := &m.Measurements[i]
		next := &measured{heading: p.runLines(summary), addresses: map[string][]string{}}
		for k := range summary.Observations {
			next.addWitness(&summary.Observations[k], asOf)
		}
		at := slices.IndexFunc(parts, next.fits)
		if at < 0 {
			parts, at = append(parts, next), len(parts)
		}
		part := parts[at]
		for _, text := range next.statements {
			if part.addresses[text] == nil {
				part.statements = append(part.statements, text)
				part.addresses[text] = next.addresses[text]
			}
		}
		part.rows = append(part.rows, newMeasuredRow(summary, observations))
	}
	return parts
}

// addWitness adds when the source of an observation was seen, and where.
func (d *measured) addWitness(w *record.Witness, asOf record.Timestamp) {
	text := validity(w.ObservedAt, w.ValidUntil, asOf) + "; " + w.SourceClass
	if names := contents.SourcesOf(w); len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	if d.addresses[text] == nil {
		d.statements, d.addresses[text] = append(d.statements, text), []string{}
	}
	for _, e := range w.Evidence {
		if uri := string(e.URI); uri != "" && !slices.Contains(d.addresses[text], uri) {
			d.addresses[text] = append(d.addresses[text], uri)
		}
	}
}

// fits reports whether what ran as d did has no other address of a source of d.
func (d *measured) fits(other *measured) bool {
	return slices.Equal(d.heading, other.heading) && !slices.ContainsFunc(d.statements, func(text string) bool {
		there := other.addresses[text]
		return there != nil && !slices.Equal(there, d.addresses[text])
	})
}

// runLines says how a measurement was made.
func (p *Printer) runLines(m *record.MeasurementSummary) []string {
	scope := "any execution"
	if m.Execution.Kind != "" {
		scope = compare.Runs(m.Execution)
	}
	lines := []string{p.Out.Heading.Sprint(console.Printable(scope))}
	if m.Task.Family != "" {
		task := strings.Join(taskParts(m.Task.Family, string(m.Task.Suite), string(m.Task.TaskID)), " / ")
		lines = append(lines, p.Out.Faint.Sprint("  "+console.Printable(task)))
	}
	return lines
}

func newMeasuredRow(m *record.MeasurementSummary, observations map[string]*catalog.Observation) measuredRow {
	row := measuredRow{keys: []string{console.Clip(m.MeasurementKey)}}
	shown := m.Observations[:1]
	if m.State == record.SummaryConflict {
		shown = m.Observations
		row.keys = append(row.keys, "  contradicted")
	} else {
		row.values = []string{measurementText(m)}
	}
	for i := range m.Observations {
		source := sourceText(&m.Observations[i])
		if m.State == record.SummaryConflict { // a line for each source, even if it agrees with another
			stated := statedBy(observations[m.Observations[i].ID], m)
			row.values = append(row.values, console.Clip(valuesText(stated, len(stated), " and ")))
		} else if slices.Contains(row.sources, source) {
			continue
		}
		row.sources = append(row.sources, source)
	}
	for _, w := range shown {
		row.ids = append(row.ids, w.ID[:shortHash])
	}
	if more := m.ObservationCount - len(shown); more > 0 {
		row.ids[len(row.ids)-1] += " +" + number(more)
	}
	if more := m.ObservationCount - len(m.Observations); more > 0 && m.Kind == record.Fact {
		row.sources[len(row.sources)-1] += " +" + number(more)
	}
	for _, value := range row.values {
		row.short = append(row.short, strings.Replace(value, "per million tokens", "per million", 1))
	}
	return row
}

// sourceText names the source of an observation, and the day on which it was seen.
func sourceText(w *record.Witness) string {
	names := contents.SourcesOf(w)
	if len(names) == 0 {
		names = []string{w.SourceClass}
	}
	return console.Clip(strings.Join(names, ", ")) + " " + day(compare.SeenAt(w))
}

// statedBy returns what an observation states under the key of a measurement.
func statedBy(o *catalog.Observation, m *record.MeasurementSummary) (values []record.StatedValue) {
	if o == nil {
		return nil
	}
	for _, one := range o.Record().Measurements {
		if one.Key == m.MeasurementKey && one.Kind == m.Kind {
			values = append(values, record.StatedValue{Value: one.Value, Unit: record.Text(one.Unit)})
		}
	}
	return values
}

func (p *Printer) printMeasured(d *measured) {
	const margin = "  "
	p.Print("\n" + strings.Join(d.heading, "\n") + "\n")
	for _, text := range d.statements {
		for _, line := range wrapped(console.Printable(text), margin, p.Width()) {
			p.Print(margin + p.Out.Faint.Sprint(line[len(margin):]) + "\n")
		}
		for _, uri := range d.addresses[text] {
			p.Print(margin + margin + p.Out.Faint.Sprint(console.Printable(uri)) + "\n")
		}
	}
	var t console.Table
	for _, row := range d.rows {
		t.Add(console.Text(indented(margin, row.keys)...), console.Cell{Lines: row.values, Short: row.short},
			console.Text(row.sources...), console.Cell{Lines: row.ids, Spare: true})
	}
	text, fits := t.Fitting(p.Width())
	if !fits {
		text = narrowRows(d.rows, p.Width())
	}
	p.Print(text)
}

func indented(margin string, texts []string) (lines []string) {
	for _, text := range texts {
		lines = append(lines, margin+text)
	}
	return lines
}

// narrowRows lays measurements out where there is little room: what is too wide for its column
// sends what follows to the next line.
func narrowRows(rows []measuredRow, width int) string {
	const margin, gap = 2, 2
	var keys, values, sources []string
	for _, row := range rows {
		keys, values, sources = append(keys, row.keys...), append(values, row.short...), append(sources, row.sources...)
	}
	room := width - margin - 2*gap - widest(sources, width)
	key, value, fewest := margin, 0, len(keys)+len(values)+1
	for _, text := range keys { // the width of keys by which the fewest texts are too wide
		k := console.Columns(text)
		if n := wider(keys, k) + wider(values, room-k); k <= room && n < fewest {
			key, value, fewest = k, widest(values, room-k), n
		}
	}
	starts := []int{margin, margin + key + gap, 0}
	starts[2] = starts[1] + value + gap
	var b strings.Builder
	for _, row := range rows {
		for n := range max(len(row.keys), len(row.values), len(row.sources)) {
			column := 0
			for i, lines := range [][]string{row.keys, row.short, row.sources} {
				if n >= len(lines) {
					continue
				}
				if column > 0 && column+gap > starts[i] {
					b.WriteString("\n")
					column = 0
				}
				b.WriteString(strings.Repeat(" ", starts[i]-column) + lines[n])
				column = starts[i] + console.Columns(lines[n])
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// widest is the width of the widest text that is no wider than limit.
func widest(texts []string, limit int) (width int) {
	for _, text := range texts {
		if n := console.Columns(text); n <= limit {
			width = max(width, n)
		}
	}
	return width
}

// wider says how many texts are wider than a limit.
func wider(texts []string, limit int) (n int) {
	for _, text := range texts {
		if console.Columns(text) > limit {
			n++
		}
	}
	return n
}
