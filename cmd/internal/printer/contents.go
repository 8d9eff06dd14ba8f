package printer

import (
	"fmt"
	"math"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a catalog holds for people.

const (
	shortHash = 12
	dayLength = len("2006-01-02")
)

// Contents prints a list of models, of keys, or what was measured of models, of a catalog c that
// was built so.
func (p *Printer) Contents(list *record.CatalogContents, built *record.CatalogBuild, c *catalog.Catalog) {
	p.Print(CatalogName(list.Catalog.Digest, string(list.Catalog.AsOf)) + "\n")
	if line := v3.BuiltOf(built); line != "" {
		p.PrintWrapped("", console.Printable(line))
	}
	for _, line := range v3.Shortcomings(built) {
		p.PrintWrapped("", "Note: "+console.Printable(line)+".")
	}
	switch {
	case list.Keys != nil:
		p.printKeys(list)
	case len(list.Models) > 0 && list.Models[0].Measurements != nil:
		for i := range list.Models {
			p.printModel(&list.Models[i], list, c)
		}
	default:
		p.printModels(list)
	}
}

// nothing is what there is to say of an empty list.
func nothing(c *record.CatalogContents) string {
	if hasFilter(c.Only) {
		return "Nothing in the catalog fits.\n"
	}
	return "The catalog is empty.\n"
}

func (p *Printer) printModels(c *record.CatalogContents) {
	models := c.Models
	if len(models) == 0 {
		p.Print(nothing(c))
		return
	}
	observations, measurements, expired := 0, 0, 0
	columns := []modelColumn{
		{"OBS", func(m *record.ModelContents) int { return m.Observations }, false},
		{"FACTS", func(m *record.ModelContents) int { return m.Facts }, true},
		{"SAMPLES", func(m *record.ModelContents) int { return m.Samples }, true},
		{"CONFLICTS", func(m *record.ModelContents) int { return m.Conflicts }, false},
	}
	names := []string{"MODEL"}
	for _, column := range columns {
		names = append(names, column.name)
	}
	var t console.Table
	t.Head(p.Out, append(names, "OLDEST", "NEWEST")...)
	for i := range models {
		m := &models[i]
		observations += m.Observations
		measurements += m.Facts + m.Samples
		expired += m.Expired
		cells := []console.Cell{console.Text(console.Printable(m.Identity.Name()))}
		for _, column := range columns {
			cells = append(cells, console.Cell{Lines: []string{blankZero(column.count(m))}, Spare: column.spare})
		}
		oldest := console.Cell{Lines: []string{day(m.Oldest)}, Spare: true}
		t.Add(append(cells, oldest, console.Text(day(m.Newest)))...)
	}
	p.Printf("%s, %s, %s%s\n\n", quantity.Count(len(models), "model"), quantity.Count(observations, "observation"),
		quantity.Count(measurements, "measurement"), expiredText(expired, c.AsOf))
	if text, fits := t.Fitting(p.Width()); fits {
		p.Print(text)
		return
	}
	for i := range models {
		m := &models[i]
		parts := []string{quantity.Count(m.Observations, "observation")}
		if m.Conflicts > 0 {
			parts = append(parts, quantity.Count(m.Conflicts, "conflict"))
		}
		p.Printf("%s\n  %s, newest %s\n", console.Printable(m.Identity.Name()), strings.Join(parts, ", "), day(m.Newest))
	}
}

// modelColumn is a column of counts in a list of models.
type modelColumn struct {
	name  string
	count func(*record.ModelContents) int
	spare bool
}

func blankZero(n int) string {
	if n == 0 {
		return ""
	}
	return number(n)
}

func day(timestamp record.Timestamp) string {
	return string(timestamp[:min(len(timestamp), dayLength)])
}

func expiredText(n int, asOf record.Timestamp) string {
	if n == 0 {
		return ""
	}
	return "; " + number(n) + " expired as of " + day(asOf)
}

func (p *Printer) printKeys(c *record.CatalogContents) {
	keys := c.Keys
	if len(keys) == 0 {
		p.Print(nothing(c))
		return
	}
	p.Printf("%s\n\n", quantity.Count(len(keys), "key"))
	var t console.Table
	t.Head(p.Out, "KEY", "KIND", "MODELS", "RANGE")
	for i := range keys {
		k := &keys[i]
		t.Add(console.Text(console.Printable(k.MeasurementKey)), console.Text(strings.Join(k.Kinds, ", ")),
			console.Text(number(k.Models)), console.Text(rangeLines(k)...))
	}
	if text, fits := t.Fitting(p.Width()); fits {
		p.Print(text)
		return
	}
	for i := range keys {
		k := &keys[i]
		p.Printf("%s\n  %s, %s: %s\n", console.Printable(k.MeasurementKey), strings.Join(k.Kinds, ", "),
			quantity.Count(k.Models, "model"), strings.Join(rangeLines(k), "; "))
	}
}

// rangeLines says in which range the numbers of a key are, a line for each unit, and
// which texts and booleans it has.
func rangeLines(k *record.KeyContents) (lines []string) {
	for _, r := range k.Ranges {
		low, unit := quantity.Text(r.Low, string(r.Unit))
		high, _ := quantity.Text(r.High, string(r.Unit))
		text := low
		if low != high {
			text += " to " + high
		}
		lines = append(lines, console.Clip(strings.TrimSpace(text+" "+shortUnit(unit))))
	}
	if len(k.Values) > 0 {
		lines = append(lines, console.Clip(valuesText(k.Values, k.ValueCount, ", ")))
	}
	return lines
}

// shortUnit leaves a column as narrow as it can be.
func shortUnit(unit string) string {
	if unit == "per million tokens" {
		return "per million"
	}
	return unit
}

func modelCounts(m *record.ModelContents) (parts []string) {
	for _, part := range []struct {
		n    int
		noun string
	}{{m.Observations, "observation"}, {m.Facts, "fact"}, {m.Samples, "sample"}, {m.Conflicts, "conflict"}} {
		if part.n > 0 {
			parts = append(parts, quantity.Count(part.n, part.noun))
		}
	}
	return parts
}

func taskParts(parts ...string) (known []string) {
	for _, part := range parts {
		if part != "" {
			known = append(known, part)
		}
	}
	return known
}

// validity says when something was observed and how long that holds.
func validity(observedAt, validUntil, asOf record.Timestamp) string {
	text := "observed " + day(observedAt)
	switch {
	case validUntil == "":
		return text + ", holds without end"
	case validUntil <= asOf:
		return text + ", expired " + day(validUntil)
	}
	return text + ", valid until " + day(validUntil)
}

// measurementText says a value with its unit, and on how much it rests.
func measurementText(m *record.MeasurementSummary) string {
	basis := ""
	if a := m.Aggregate; a != nil && a.N > 0 {
		switch {
		case a.SuccessRate.Known:
			passed := a.SuccessRate.Value * float64(a.N)
			return fmt.Sprintf("%s (%s of %s)", quantity.Number(a.SuccessRate.Value), quantity.Number(math.Round(passed)),
				number(a.N))
		case a.Mean.Known:
			basis = "n " + number(a.N)
			if a.Min != a.Max {
				low, _ := quantity.Text(a.Min.Value, string(a.Unit))
				high, _ := quantity.Text(a.Max.Value, string(a.Unit))
				basis += ", " + low + " to " + high
			}
			return console.Clip(quantity.Phrase(a.Mean.Value, string(a.Unit))) + "  " + console.Printable(basis)
		}
		basis = "  n " + number(a.N)
	}
	switch m.State {
	case record.SummaryExpired:
		basis = "  expired"
	case record.SummaryInvalid:
		basis = "  of invalid evaluations"
	}
	return console.Clip(valuesText(m.Values, m.ValueCount, " or ")) + basis
}

// valuesText lists a few values as people read them.
func valuesText(values []record.StatedValue, count int, join string) string {
	const few = 3
	var texts []string
	last := min(len(values), few) - 1
	for i, v := range values[:last+1] {
		text, unit := compare.ValueText(v)
		if i == last || values[i+1].Unit != v.Unit { // a unit is said once
			text = strings.TrimSpace(text + " " + unit)
		}
		texts = append(texts, text)
	}
	if more := count - len(texts); more > 0 && texts != nil {
		texts = append(texts, number(more)+" more")
	}
	return strings.Join(texts, join)
}

// Observation prints all that an observation says.
func (p *Printer) Observation(o *catalog.Observation, asOf string) {
	r := o.Record()
	line := func(name string, parts ...string) {
		const margin = 13
		text := console.Printable(strings.Join(taskParts(parts...), ", "))
		lines := []string{text}
		if width := p.Width(); width > 0 {
			for _, word := range strings.Fields(text) {
				width = max(width, margin+console.Columns(word)) // ids and addresses stay whole, for people to copy
			}
			lines = console.Wrap(text, width-margin)
		}
		p.Print(p.Out.Heading.Sprintf("%-12s", name) + " " + strings.Join(lines, "\n"+strings.Repeat(" ", margin)) + "\n")
	}
	line("observation", o.ID())
	line("kind", r.Kind)
	line("model", r.Model.Name())
	line("execution", scopeParts(&r.Execution)...)
	if r.Task.Family != "" {
		line("task", strings.Join(taskParts(r.Task.Family, string(r.Task.Suite), string(r.Task.TaskID)), " / "),
			"judged by "+componentText(r.Task.Evaluator))
	}
	if r.Outcome.Status != "" {
		line("outcome", r.Outcome.Status, string(r.Outcome.Reason))
	}
	if r.Usage.Completeness != "" {
		line("usage", usageParts(&r.Usage)...)
	}
	line("source", r.SourceClass)
	line("validity", validity(r.Freshness.ObservedAt, r.Freshness.ValidUntil, record.Timestamp(asOf)))
	line("uncertainty", r.Uncertainty.Level)
	for _, text := range r.Uncertainty.Basis {
		line("  basis", text)
	}
	for _, text := range r.Uncertainty.Gaps {
		line("  gap", text)
	}
	for _, e := range r.Evidence {
		line("evidence", e.ID, e.Kind, "observed "+string(e.ObservedAt[:dayLength]))
		if e.URI != "" {
			line("  uri", string(e.URI))
		}
		if e.Digest.Value != "" {
			line("  sha256", e.Digest.Value)
		}
	}
	p.Print("\n")
	var t console.Table
	t.Head(p.Out, "KIND", "KEY", "VALUE")
	for _, m := range r.Measurements {
		text, unit := compare.ValueText(record.StatedValue{Value: m.Value, Unit: record.Text(m.Unit)})
		t.Add(console.Text(m.Kind), console.Text(console.Clip(m.Key)),
			console.Text(console.Printable(strings.TrimSpace(text+" "+unit))))
	}
	p.Print(t.Fit(p.Width()))
}

// scopeParts says all that an execution scope asserts.
func scopeParts(s *record.Scope) (parts []string) {
	if s.Kind == "" {
		return []string{"any"}
	}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("runtime", componentText(s.Runtime))
	add("adapter", componentText(s.Adapter))
	if s.EffectiveContextTokens.Known {
		add("context", quantity.Phrase(float64(s.EffectiveContextTokens.N), "tokens"))
	}
	if s.ToolSurface != nil {
		tools := strings.Join(s.ToolSurface, " ")
		if tools == "" {
			tools = "none"
		}
		add("tools", tools)
	}
	add("hardware", strings.Join(taskParts(s.Hardware.Class, string(s.Hardware.Accelerator)), " "))
	if s.Hardware.MemoryBytes.Known {
		add("memory", quantity.Phrase(float64(s.Hardware.MemoryBytes.N), "bytes"))
	}
	add("workflow", strings.Join(taskParts(s.Workflow.ID, string(s.Workflow.Version), string(s.Workflow.Condition)), " "))
	return append([]string{s.Kind}, parts...)
}

func componentText(c record.Component) string {
	return strings.Join(taskParts(c.ID, string(c.Version)), " ")
}

// usageParts says what a run used.
func usageParts(u *record.Usage) (parts []string) {
	parts = []string{u.Completeness}
	for _, part := range []struct {
		count record.Count
		noun  string
	}{{u.InputTokens, "input tokens"}, {u.OutputTokens, "output tokens"}, {u.ReasoningTokens, "reasoning tokens"},
		{u.TotalTokens, "tokens in all"}, {u.ModelCalls, "model calls"}, {u.WallTimeMs, "ms"}} {
		if part.count.Known {
			parts = append(parts, quantity.Phrase(float64(part.count.N), part.noun))
		}
	}
	return parts
}

// hasFilter reports whether only a part was asked for.
func hasFilter(o record.ContentsSelection) bool {
	return o.Model != "" || o.Key != "" || o.Source != "" || o.Stale || o.Conflicts
}
