// Package contents says what a catalog holds, for people who look into one: its models
// with counts and dates, what was measured of a model, and its measurement keys. What is
// said of measurements is in the words of package compare: slots of facts and groups of
// samples, each with its state at an instant.
//
//	list, err := contents.Models(c, contents.Options{Key: "price", Stale: true, AsOf: "2026-08-01T00:00:00.000Z"})
//	// the models that have expired prices, and how many of them
//
// Everything is computed from the catalog and the options alone, in time and memory in
// proportion to the catalog.
package contents

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Lists of a record are cut at these lengths.
const (
	mostValues    = 16 // of a measurement
	mostSources   = 16
	mostKeyValues = 8
)

// Check checks the JSON of a record. Faults have no code.
func Check(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &record.CatalogContents{})
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return nil
}

// Options say what of a catalog is asked for.
type Options struct {
	AsOf      string // a timestamp; that of the catalog if it is empty
	Model     string // see [Only]; empty for all
	Key       string
	Source    string
	Stale     bool
	Conflicts bool
}

// Models lists the models that have a measurement which fits. The error is an
// *[AbsentError], for a name that the catalog does not have at all.
func Models(c *catalog.Catalog, opts Options) (*record.CatalogContents, error) {
	l := newListing(c, opts)
	models := []record.ModelContents{}
	for s := range l.each(l.entries, (*selection).count) {
		if len(s.chosen) > 0 {
			models = append(models, s.counts)
		}
	}
	if len(models) == 0 {
		return l.contents(models, nil), l.findAbsent()
	}
	return l.contents(models, nil), nil
}

// Measurements lists the measurements of some models of the catalog, such as [Find] finds. It
// ends when the context does.
func Measurements(ctx context.Context, c *catalog.Catalog, models []*catalog.ModelEntry, opts Options) (
	*record.CatalogContents, error) {
	l := newListing(c, opts)
	list, isEmpty := []record.ModelContents{}, true
	for s := range l.each(models, (*selection).count) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		measurements := s.measurements()
		s.counts.Measurements = measurements
		list = append(list, s.counts)
		isEmpty = isEmpty && len(measurements) == 0
	}
	if isEmpty {
		return l.contents(list, nil), l.findAbsent()
	}
	return l.contents(list, nil), nil
}

// Keys lists the measurement keys that have a measurement which fits.
func Keys(c *catalog.Catalog, opts Options) (*record.CatalogContents, error) {
	l := newListing(c, opts)
	keys := l.keys()
	if len(keys) == 0 {
		return l.contents(nil, keys), l.findAbsent()
	}
	return l.contents(nil, keys), nil
}

// listing goes through the models of a catalog.
type listing struct {
	catalog   *catalog.Catalog
	opts      Options
	entries   []*catalog.ModelEntry      // that fit by their ids
	conflicts map[string]map[string]bool // keys of conflicts by key of model
}

// selection is what fits of a model.
type selection struct {
	*listing
	entry   *catalog.ModelEntry
	view    *compare.View
	chosen  []choice
	sources [][]string           // of each observation of the model; nil if not known yet
	counts  record.ModelContents // once it is counted
}

// choice is a slot or a group with those of its entries that fit.
type choice struct {
	slot     *compare.Slot
	group    *compare.Group
	conflict string
}

func (ch *choice) key() string {
	if ch.slot != nil {
		return ch.slot.MeasurementKey
	}
	return ch.group.MeasurementKey
}

func (ch *choice) kind() string {
	if ch.slot != nil {
		return record.Fact
	}
	return record.Sample
}

func (ch *choice) execution() int {
	if ch.slot != nil {
		return ch.slot.Execution
	}
	return ch.group.Execution
}

func (ch *choice) entries() []compare.Entry {
	if ch.slot != nil {
		return ch.slot.Facts
	}
	return ch.group.Samples
}

func newListing(c *catalog.Catalog, opts Options) *listing {
	l := &listing{catalog: c, opts: opts, conflicts: map[string]map[string]bool{}}
	l.opts.AsOf = cmp.Or(opts.AsOf, c.AsOf())
	for _, text := range []*string{&l.opts.Model, &l.opts.Key, &l.opts.Source} {
		*text = ijson.Trim(*text) // as texts of records are
	}
	for _, conflict := range c.Conflicts() {
		if l.conflicts[conflict.ModelKey] == nil {
			l.conflicts[conflict.ModelKey] = map[string]bool{}
		}
		l.conflicts[conflict.ModelKey][conflict.Key] = true
	}
	for i := range c.Models() {
		if entry := &c.Models()[i]; containsFold(entry.Identity.ID, l.opts.Model) {
			l.entries = append(l.entries, entry)
		}
	}
	slices.SortStableFunc(l.entries, func(a, b *catalog.ModelEntry) int {
		return canonical.CompareText(a.Identity.ID,
			b.Identity.ID)
	})
	return l
}

// contents is the record of some models or keys.
func (l *listing) contents(models []record.ModelContents, keys []record.KeyContents) *record.CatalogContents {
	return &record.CatalogContents{
		SchemaVersion: record.CatalogContentsSchema, AsOf: record.Timestamp(l.opts.AsOf), Models: models, Keys: keys,
		Catalog: record.CatalogReference{Digest: l.catalog.Digest(), AsOf: record.Timestamp(l.catalog.AsOf())},
		Only: record.ContentsSelection{Model: record.Text(l.opts.Model), Key: record.Text(l.opts.Key),
			Source: record.Text(l.opts.Source),
			Stale:  l.opts.Stale, Conflicts: l.opts.Conflicts},
	}
}

// each goes through models in their order with what fits of each, which holds until the next.
// To read them takes most of the time, so that is done on all processors, some models
// ahead, and so is what prepare adds.
func (l *listing) each(entries []*catalog.ModelEntry, prepare func(*selection)) iter.Seq[*selection] {
	const ahead = 512
	return func(yield func(*selection) bool) {
		readers := make([]*compare.Reader, min(runtime.GOMAXPROCS(0), len(entries)))
		for i := range readers {
			readers[i] = compare.NewReader()
		}
		selections := make([]selection, min(ahead, len(entries)))
		for len(entries) > 0 {
			n := min(ahead, len(entries))
			var next atomic.Int64
			var running sync.WaitGroup
			for _, reader := range readers {
				running.Go(func() {
					for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
						s := &selections[i]
						s.listing, s.entry = l, entries[i]
						s.choose(reader.Read(entries[i].Observations))
						prepare(s)
					}
				})
			}
			running.Wait()
			for i := range selections[:n] {
				if !yield(&selections[i]) {
					return
				}
			}
			entries = entries[n:]
		}
	}
}

// choose chooses what fits of the observations of the model.
func (s *selection) choose(m *compare.Model) {
	s.view, s.chosen, s.sources = m.At(s.opts.AsOf), s.chosen[:0], make([][]string, len(m.Observations))
	for i := range m.Slots {
		if slot := &m.Slots[i]; containsFold(slot.MeasurementKey, s.opts.Key) {
			s.chooseFacts(slot)
		}
	}
	for i := range m.Groups {
		group := &m.Groups[i]
		if s.opts.Conflicts || !containsFold(group.MeasurementKey, s.opts.Key) {
			continue
		}
		samples := s.fitting(group.Samples)
		if len(samples) < len(group.Samples) {
			group = &compare.Group{MeasurementKey: group.MeasurementKey, Execution: group.Execution, Family: group.Family,
				Suite: group.Suite, Samples: samples}
		}
		if len(samples) > 0 {
			s.chosen = append(s.chosen, choice{group: group})
		}
	}
}

func (s *selection) chooseFacts(slot *compare.Slot) {
	conflict := ""
	if keys := s.conflicts[s.entry.Key]; len(keys) > 0 { // a hash takes its time
		if hash := s.view.Hash(slot, s.entry.IdentityJSON); keys[hash] {
			conflict = hash
		}
	}
	if s.opts.Conflicts && conflict == "" {
		return
	}
	facts := s.fitting(slot.Facts)
	if len(facts) < len(slot.Facts) {
		slot = &compare.Slot{MeasurementKey: slot.MeasurementKey, Execution: slot.Execution, Task: slot.Task, Facts: facts}
	}
	if len(facts) > 0 {
		s.chosen = append(s.chosen, choice{slot: slot, conflict: conflict})
	}
}

// fitting returns the entries that fit by their source and age.
func (s *selection) fitting(entries []compare.Entry) (list []compare.Entry) {
	if s.opts.Source == "" && !s.opts.Stale {
		return entries
	}
	for _, e := range entries {
		if s.opts.Stale && s.view.Holds[e.Observation] {
			continue
		}
		if s.opts.Source == "" || s.isFrom(e.Observation) {
			list = append(list, e)
		}
	}
	return list
}

func (s *selection) isFrom(observation int) bool {
	return s.view.Observations[observation].SourceClass == s.opts.Source ||
		slices.Contains(s.sourcesOf(observation), s.opts.Source)
}

// sourcesOf returns the sources that the evidence of an observation names, by name: what
// comes before the first colon of an evidence id, as importers write it.
func (s *selection) sourcesOf(observation int) []string {
	if s.sources[observation] != nil {
		return s.sources[observation]
	}
	names := []string{}
	for _, e := range s.view.Observations[observation].Evidence() {
		if name := sourceOf(e.ID); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names) // an observation may have thousands
	names = slices.Compact(names)
	s.sources[observation] = names
	return names
}

// sourceOf returns the source that the id of evidence names; "" if it names none.
func sourceOf(id string) string {
	name, _, ok := strings.Cut(id, ":")
	if !ok {
		return ""
	}
	return ijson.Trim(name)
}

// SourcesOf returns the sources that the evidence of a witness names, each once.
func SourcesOf(w *record.Witness) (names []string) {
	for _, e := range w.Evidence {
		if name := sourceOf(e.ID); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, canonical.CompareText)
	return names
}

// count counts what was chosen of the model.
func (s *selection) count() {
	m := record.ModelContents{Key: s.entry.Key, Identity: s.entry.Identity}
	seen := make([]bool, len(s.view.Observations))
	for i := range s.chosen {
		entries := s.chosen[i].entries()
		if s.chosen[i].slot != nil {
			m.Facts += len(entries)
		} else {
			m.Samples += len(entries)
		}
		if s.chosen[i].conflict != "" {
			m.Conflicts++
		}
		for _, e := range entries {
			if !s.view.Holds[e.Observation] {
				m.Expired++
			}
			if seen[e.Observation] {
				continue
			}
			seen[e.Observation] = true
			m.Observations++
			o := &s.view.Observations[e.Observation]
			at := o.Freshness.ObservedAt
			m.Newest = max(m.Newest, at, record.Timestamp(o.EvidenceTime()))
			if m.Oldest == "" || at < m.Oldest {
				m.Oldest = at
			}
		}
	}
	s.counts = m
}

// measurements returns what was chosen of the model by key, kind, execution and task.
func (s *selection) measurements() []record.MeasurementSummary {
	slices.SortStableFunc(s.chosen, func(a, b choice) int {
		return cmp.Or(canonical.CompareText(a.key(), b.key()), cmp.Compare(a.kind(), b.kind()),
			canonical.CompareText(s.view.Executions[a.execution()].JSON, s.view.Executions[b.execution()].JSON),
			compareTasks(s.task(&a), s.task(&b)))
	})
	list := []record.MeasurementSummary{}
	for i := range s.chosen {
		list = append(list, s.measurement(&s.chosen[i]))
	}
	return list
}

// compareTasks orders tasks as texts, none first.
func compareTasks(a, b record.SummaryTask) int {
	return cmp.Or(canonical.CompareText(a.Family, b.Family), canonical.CompareText(string(a.Suite), string(b.Suite)),
		canonical.CompareText(string(a.TaskID), string(b.TaskID)))
}

func (s *selection) measurement(ch *choice) record.MeasurementSummary {
	m := record.MeasurementSummary{MeasurementKey: ch.key(), Kind: ch.kind(), Conflict: record.Text(ch.conflict),
		Execution: s.view.Executions[ch.execution()].Scope, Task: s.task(ch)}
	entries := ch.entries()
	if ch.slot != nil {
		fact := s.view.Fact(ch.slot)
		m.State, m.Values, m.ValueCount = fact.State, fact.Values, fact.ValueCount
		m.Observations, m.ObservationCount = fact.Observations, fact.ObservationCount
		entries = s.view.Facts(ch.slot)
	} else {
		aggregate := s.view.Aggregate(ch.group)
		m.Aggregate = &aggregate
		m.State, entries = s.usedSamples(entries)
		values := compare.DistinctValues(entries)
		m.Values, m.ValueCount = values[:min(len(values), mostValues)], len(values)
		m.Observations, m.ObservationCount = s.view.Witnesses(entries), len(entries)
	}
	m.Sources = []string{}
	for _, e := range entries {
		for _, name := range s.sourcesOf(e.Observation) {
			if !slices.Contains(m.Sources, name) && len(m.Sources) < mostSources {
				m.Sources = append(m.Sources, name)
			}
		}
	}
	slices.SortFunc(m.Sources, canonical.CompareText)
	return m
}

// usedSamples returns the state of samples and those that make it: the ones that are used or, if
// there are none, all that hold or, if there are none either, all.
func (s *selection) usedSamples(samples []compare.Entry) (state string, list []compare.Entry) {
	var holding []compare.Entry
	for _, e := range samples {
		if s.view.Uses(e.Observation) {
			list = append(list, e)
		}
		if s.view.Holds[e.Observation] {
			holding = append(holding, e)
		}
	}
	switch {
	case len(list) > 0:
		return record.SummaryValue, list
	case len(holding) > 0:
		return record.SummaryInvalid, holding
	}
	return record.SummaryExpired, samples
}

// task returns the task of a slot, or the suite of a group.
func (s *selection) task(ch *choice) record.SummaryTask {
	if ch.slot == nil {
		return record.SummaryTask{Family: ch.group.Family, Suite: record.Text(ch.group.Suite)}
	}
	t := &s.view.Tasks[ch.slot.Task]
	return record.SummaryTask{Family: t.Family, Suite: record.Text(t.Suite), TaskID: record.Text(t.TaskID)}
}

// keys returns the keys of what fits, by key.
func (l *listing) keys() []record.KeyContents {
	found := map[string]*keyCount{}
	for s := range l.each(l.entries, func(*selection) {}) {
		for i := range s.chosen {
			key := s.chosen[i].key()
			k := found[key]
			if k == nil {
				k = &keyCount{ranges: map[string]*record.ValueRange{}, values: map[record.StatedValue]bool{}}
				k.MeasurementKey = key
				found[key] = k
			}
			k.add(s.view, &s.chosen[i])
		}
		for i := range s.chosen {
			found[s.chosen[i].key()].endModel()
		}
	}
	keys := []record.KeyContents{}
	for _, name := range slices.SortedFunc(maps.Keys(found), canonical.CompareText) {
		keys = append(keys, found[name].finish())
	}
	return keys
}

// keyCount is a key while it is counted.
type keyCount struct {
	record.KeyContents
	ranges map[string]*record.ValueRange // by unit
	values map[record.StatedValue]bool
	seen   map[int]bool // observations of the model that is read
}

func (k *keyCount) add(view *compare.View, ch *choice) {
	if !slices.Contains(k.Kinds, ch.kind()) {
		k.Kinds = append(k.Kinds, ch.kind())
	}
	if k.seen == nil {
		k.seen = map[int]bool{}
		k.Models++
	}
	for _, e := range ch.entries() {
		k.seen[e.Observation] = true
		if !view.Holds[e.Observation] {
			k.Expired++
		}
		if e.Value.Kind != '0' {
			k.values[record.StatedValue{Value: record.Scalar(e.Value), Unit: record.Text(e.Unit)}] = true
			continue
		}
		f, r := e.Value.Float(), k.ranges[e.Unit]
		if r == nil {
			r = &record.ValueRange{Unit: record.Text(e.Unit), Low: f, High: f}
			k.ranges[e.Unit] = r
		}
		r.Count++
		r.Low, r.High = min(r.Low, f), max(r.High, f)
	}
}

// endModel counts the observations of a model that has been read.
func (k *keyCount) endModel() {
	k.Observations += len(k.seen)
	k.seen = nil
}

func (k *keyCount) finish() record.KeyContents {
	slices.Sort(k.Kinds)
	k.Ranges = []record.ValueRange{}
	for _, unit := range slices.SortedFunc(maps.Keys(k.ranges), canonical.CompareText) {
		k.Ranges = append(k.Ranges, *k.ranges[unit])
	}
	entries := make([]compare.Entry, 0, len(k.values))
	for v := range k.values {
		entries = append(entries, compare.Entry{Value: record.Scalar(v.Value), Unit: string(v.Unit)})
	}
	k.Values, k.ValueCount = compare.DistinctValues(entries), len(k.values)
	k.Values = k.Values[:min(len(k.Values), mostKeyValues)]
	return k.KeyContents
}

func containsFold(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), strings.ToLower(part))
}
