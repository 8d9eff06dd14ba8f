package rank

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// builder indexes observations of one model.
type builder struct {
	asOf         string
	observations []observation
	measurements []measurement
	series       numbering[seriesKey]
	seriesOf     []int32           // by measurement
	scopes       numbering[string] // by kind and canonical JSON of the profile
	scopeOf      []catalog.Scope   // by number
	tasks        numbering[task]
	evidence     textsBuilder
	basis, gaps  textsBuilder
	enc          canonical.Encoder
}

func newBuilder(asOf string) *builder {
	return &builder{
		asOf:     asOf,
		series:   newNumbering[seriesKey](),
		scopes:   newNumbering[string](),
		tasks:    newNumbering[task](),
		evidence: textsBuilder{numbering: newNumbering[string]()},
		basis:    textsBuilder{numbering: newNumbering[string]()},
		gaps:     textsBuilder{numbering: newNumbering[string]()},
	}
}

// add adds an observation; they come in order of their ids. The lists of the
// record are not kept.
func (b *builder) add(id string, rec *catalog.Record) {
	if rec.Outcome.Status == catalog.OutcomeInvalid {
		return
	}
	for i := range rec.Measurements {
		b.addMeasurement(&rec.Measurements[i])
	}
	b.observations = append(b.observations, observation{
		id:     id,
		scope:  b.scope(&rec.Execution),
		task:   b.tasks.of(task{rec.Task.Family, rec.Task.Suite}),
		source: sourceClass(rec.SourceClass),
		level:  level(slices.Index(levelNames, rec.Uncertainty.Level)),
		fresh:  rec.Freshness.ValidUntil == "" || rec.Freshness.ValidUntil > b.asOf,
	})
	for i := range rec.Evidence {
		b.evidence.add(rec.Evidence[i].ID)
	}
	b.evidence.endList()
	for _, text := range rec.Uncertainty.Basis {
		b.basis.add(text)
	}
	b.basis.endList()
	for _, text := range rec.Uncertainty.Gaps {
		b.gaps.add(text)
	}
	b.gaps.endList()
}

// addMeasurement adds a measurement of the next observation.
func (b *builder) addMeasurement(m *catalog.Measurement) {
	b.seriesOf = append(b.seriesOf, b.series.of(seriesKey{m.Key, m.Kind == catalog.Fact}))
	b.measurements = append(b.measurements, measurement{newValue(m.Value), m.Unit, int32(len(b.observations))})
}

// scope returns the number of a scope.
func (b *builder) scope(s *catalog.Scope) int32 {
	var kept catalog.Scope // a null scope has nothing but the kind
	b.enc.Buf = b.enc.Buf[:0]
	if s.Kind != "" {
		kept = *s
		b.enc.Raw(s.Kind)
		catalog.EncodeProfile(&b.enc, &s.Profile)
	}
	if number, known := b.scopes.numbers[string(b.enc.Buf)]; known {
		return number
	}
	kept.ToolSurface = slices.Clone(kept.ToolSurface)
	b.scopeOf = append(b.scopeOf, kept)
	return b.scopes.of(string(b.enc.Buf))
}

// append adds the observations of another builder behind the own ones.
func (b *builder) append(other *builder) {
	first := int32(len(b.observations))
	scopes, tasks, series := b.scopes.append(&other.scopes), b.tasks.append(&other.tasks), b.series.append(&other.series)
	for i, number := range scopes {
		if int(number) == len(b.scopeOf) {
			b.scopeOf = append(b.scopeOf, other.scopeOf[i])
		}
	}
	for _, o := range other.observations {
		o.scope, o.task = scopes[o.scope], tasks[o.task]
		b.observations = append(b.observations, o)
	}
	for i, m := range other.measurements {
		m.observation += first
		b.measurements = append(b.measurements, m)
		b.seriesOf = append(b.seriesOf, series[other.seriesOf[i]])
	}
	b.evidence.append(&other.evidence)
	b.basis.append(&other.basis)
	b.gaps.append(&other.gaps)
}

// finish returns the index.
func (b *builder) finish() *model {
	m := &model{
		observations: slices.Clip(b.observations),
		scopes:       slices.Clip(b.scopeOf),
		tasks:        slices.Clip(b.tasks.keys),
		evidence:     b.evidence.finish(),
		basis:        b.basis.finish(),
		gaps:         b.gaps.finish(),
	}
	m.series, m.measurements = b.sortSeries()
	return m
}

// sortSeries brings the measurements of each series together.
func (b *builder) sortSeries() ([]series, []measurement) {
	all := make([]series, len(b.series.keys))
	for i, key := range b.series.keys {
		all[i].seriesKey = key
	}
	for _, number := range b.seriesOf {
		all[number].end++ // counts them, for now
	}
	end := int32(0)
	for i := range all {
		all[i].start, end = end, end+all[i].end
		all[i].end = all[i].start
	}
	sorted := make([]measurement, len(b.measurements))
	for i, number := range b.seriesOf {
		s := &all[number]
		sorted[s.end] = b.measurements[i]
		s.end++
	}
	slices.SortFunc(all, func(a, b series) int { return a.compare(b.seriesKey) })
	return all, sorted
}

// textsBuilder makes textLists.
type textsBuilder struct {
	numbering numbering[string]
	lists     []int32
	ends      []int32
}

// add adds a text to the list of the next observation.
func (t *textsBuilder) add(text string) { t.lists = append(t.lists, t.numbering.of(text)) }

// endList ends the list of an observation.
func (t *textsBuilder) endList() { t.ends = append(t.ends, int32(len(t.lists))) }

// append adds the lists of another builder behind the own ones.
func (t *textsBuilder) append(other *textsBuilder) {
	numbers, start := t.numbering.append(&other.numbering), int32(len(t.lists))
	for _, number := range other.lists {
		t.lists = append(t.lists, numbers[number])
	}
	for _, end := range other.ends {
		t.ends = append(t.ends, start+end)
	}
}

// finish numbers the texts anew, in their order, and renders them.
func (t *textsBuilder) finish() textLists {
	texts := t.numbering.keys
	order := make([]int32, len(texts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return canonical.CompareText(texts[a], texts[b]) })
	var (
		out  = textLists{texts: make([]string, len(texts)), of: slices.Clip(t.lists), ends: slices.Clip(t.ends)}
		anew = make([]int32, len(texts))
		json []byte
		ends = make([]int, len(texts))
	)
	for i, old := range order {
		out.texts[i] = texts[old]
		anew[old] = int32(i)
		json = canonical.AppendString(json, texts[old])
		ends[i] = len(json)
	}
	for i, old := range out.of {
		out.of[i] = anew[old]
	}
	out.json = cut(string(json), ends)
	return out
}

// cut returns the parts of a text that end at ends.
func cut(text string, ends []int) []string {
	parts, start := make([]string, len(ends)), 0
	for i, end := range ends {
		parts[i] = text[start:end]
		start = end
	}
	return parts
}
