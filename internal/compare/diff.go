package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// DefaultLimit is how many entries a diff lists unless something else is asked for.
const DefaultLimit = 10_000

// How much of one entry is listed.
const (
	mostAlike     = 16
	mostValues    = 16
	mostWitnesses = 4
	mostEvidence  = 4
)

// Options say what a diff lists. What it counts is always the whole.
type Options struct {
	Only  []record.DiffKind // kinds of changes that are listed, empty for all
	Limit int               // how many models, facts, samples and conflicts together
	Model string            // key of the one model that is listed, empty for all
}

// Catalogs compares two catalogs. It fails if the second is of an earlier asOf than
// the first, or when the context ends.
//
// A model is added, removed, silenced (something held in OLD and nothing holds in
// NEW), revived (the reverse), or changed, if anything is listed of it. A slot of a
// model that is in both changes by this table, in which old states are rows and new
// ones columns:
//
//	          absent   expired     value    conflict
//	absent             backfilled  added    contradicted
//	expired   removed              renewed  contradicted
//	value     removed  expired     changed  contradicted
//	conflict  removed  expired     settled  contradicted
//
// A value that stays is reaffirmed if other observations say it, which is counted
// and not listed. A conflict that stays is contradicted if its values differ. Of a
// model that is added or removed those slots are listed, as added or removed, of
// which anything holds; they are not counted.
//
// A sample group is added if none of its samples is used in OLD, removed if NEW has
// none, expired if NEW has some and uses none, else changed if an aggregate or the
// number of its used samples differs, and reaffirmed if other samples come to the
// same; added and removed models
// are treated as with slots. A conflict of whatever model has arisen, ended, or
// changed if it is about other values.
//
// Models are listed by id and key, each with its facts, samples and conflicts. The
// limit ends the list in this order. Two catalogs of the same two sets of
// observations and instants have the same diff.
func Catalogs(ctx context.Context, old, new *catalog.Catalog, opts Options) (*record.CatalogDiff, error) {
	if new.AsOf() < old.AsOf() {
		return nil, fmt.Errorf("the catalog as of %s must come before the one as of %s", new.AsOf(), old.AsOf())
	}
	for _, kind := range opts.Only {
		if !slices.Contains(Kinds(), kind) {
			return nil, fmt.Errorf("there is no kind of changes %q", kind)
		}
	}
	only := slices.Compact(slices.Sorted(slices.Values(opts.Only)))
	if len(only) == 0 {
		only = Kinds()
	}
	c := &comparison{
		diff: &record.CatalogDiff{
			SchemaVersion: record.CatalogDiffSchema, Old: contentOf(old), New: contentOf(new), Only: only, Limit: opts.Limit,
			Summary: newSummary(), Models: []record.ModelChange{}, Rankings: []record.RankingChange{},
			LeftOut: map[record.DiffKind]int{record.DiffModels: 0, record.DiffFacts: 0, record.DiffSamples: 0,
				record.DiffConflicts: 0},
		},
		pairs: pairModels(old, new),
		model: opts.Model,
	}
	c.outcomes = make([]*outcome, len(c.pairs))
	c.full.Store(opts.Limit <= 0)
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(c.pairs)) {
		running.Go(func() { c.work(ctx) })
	}
	running.Wait()
	return c.diff, ctx.Err()
}

func contentOf(c *catalog.Catalog) record.CatalogContent {
	return record.CatalogContent{Digest: c.Digest(), AsOf: record.Timestamp(c.AsOf()), Models: len(c.Models()),
		Observations: c.Observations(), Conflicts: len(c.Conflicts())}
}

// pair is a model in both catalogs or in one.
type pair struct {
	catalog.ModelEntry // of either, without its observations
	in                 [2]*catalog.ModelEntry
	conflicts          [2][]*catalog.Conflict // by key
	alike              []string
}

// pairModels brings the models of two catalogs together, by id and key.
func pairModels(catalogs ...*catalog.Catalog) []*pair {
	byKey := map[string]*pair{}
	var pairs []*pair
	for i, c := range catalogs {
		models, conflicts := c.Models(), c.Conflicts()
		for k := range models {
			m := &models[k]
			p := byKey[m.Key]
			if p == nil {
				p = &pair{ModelEntry: *m}
				byKey[m.Key] = p
				pairs = append(pairs, p)
			}
			p.in[i] = m
		}
		for k := range conflicts {
			p := byKey[conflicts[k].ModelKey]
			p.conflicts[i] = append(p.conflicts[i], &conflicts[k])
		}
	}
	slices.SortFunc(pairs, func(a, b *pair) int {
		return cmp.Or(canonical.CompareText(a.Identity.ID, b.Identity.ID), strings.Compare(a.Key, b.Key))
	})
	for rest := pairs; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Identity.ID == rest[0].Identity.ID {
			n++
		}
		findAlike(rest[:n])
		rest = rest[n:]
	}
	return pairs
}

// findAlike notes for each of the models that share an id, and that are in one
// catalog alone, the first keys in the other.
func findAlike(models []*pair) {
	var keys [2][]string
	for _, p := range models {
		for i := range keys {
			if p.in[i] != nil && len(keys[i]) < mostAlike {
				keys[i] = append(keys[i], p.Key)
			}
		}
	}
	for _, p := range models {
		for i := range keys {
			if p.in[i] == nil {
				p.alike = keys[i]
			}
		}
	}
}

// comparison compares pair after pair, on all processors, and takes what comes of
// them in their order.
type comparison struct {
	pairs []*pair
	model string       // key of the one that is listed, or empty
	next  atomic.Int64 // the pair to be compared next, from 1
	full  atomic.Bool  // no more can be listed

	mutex    sync.Mutex // guards the rest
	outcomes []*outcome // of pairs that wait for one before them
	taken    int        // how many pairs were taken
	listed   int        // how many entries
	diff     *record.CatalogDiff
}

// outcome is what there is to be listed of a pair.
type outcome struct {
	entries [len(limitedKinds)]int // how many, by kind
	changes *record.ModelChange
}

// limitedKinds are the kinds that the limit is for, in the order in which it is used up.
var limitedKinds = [...]record.DiffKind{record.DiffModels, record.DiffFacts, record.DiffSamples, record.DiffConflicts}

func (c *comparison) work(ctx context.Context) {
	reader, counted, holding := NewReader(), newSummary(), [2]int{}
	for n := int(c.next.Add(1)); n <= len(c.pairs) && ctx.Err() == nil; n = int(c.next.Add(1)) {
		m := &modelComparison{pair: c.pairs[n-1], counted: &counted}
		m.read(reader, string(c.diff.Old.AsOf), string(c.diff.New.AsOf))
		holding[0] += m.observations.HoldingOld
		holding[1] += m.observations.HoldingNew
		out := c.compare(m)
		c.mutex.Lock()
		c.outcomes[n-1] = out
		for c.taken < len(c.outcomes) && c.outcomes[c.taken] != nil {
			c.take(c.outcomes[c.taken])
			c.outcomes[c.taken] = nil
			c.taken++
		}
		c.mutex.Unlock()
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	addSummary(&c.diff.Summary, &counted)
	c.diff.Old.Holding += holding[0]
	c.diff.New.Holding += holding[1]
}

// take lists the entries of an outcome up to the limit.
func (c *comparison) take(out *outcome) {
	var listed [len(limitedKinds)]int
	for i, kind := range limitedKinds {
		listed[i] = max(0, min(out.entries[i], c.diff.Limit-c.listed))
		c.listed += listed[i]
		c.diff.LeftOut[kind] += out.entries[i] - listed[i]
	}
	if listed[0] > 0 {
		m := out.changes
		m.Facts, m.Samples, m.Conflicts = m.Facts[:listed[1]], m.Samples[:listed[2]], m.Conflicts[:listed[3]]
		c.diff.Models = append(c.diff.Models, *m)
	}
	c.full.Store(c.listed >= c.diff.Limit)
}

// Shorten lists as much as a diff with a smaller limit does.
func Shorten(d *record.CatalogDiff, limit int) {
	models := d.Models
	d.Limit, d.Models = limit, []record.ModelChange{}
	c := &comparison{diff: d}
	for i := range models {
		m := &models[i]
		c.take(&outcome{[...]int{1, len(m.Facts), len(m.Samples), len(m.Conflicts)}, m})
	}
}

// modelComparison is a pair that is being compared: its observations read as one model,
// of which each catalog has a view.
type modelComparison struct {
	*pair
	*Model
	old, new     *View
	observations record.ObservationCounts
	counted      *record.DiffSummary
}

func (c *comparison) compare(m *modelComparison) *outcome {
	isListed := !c.full.Load() && (c.model == "" || c.model == m.Key)
	facts, factCount := m.compareFacts(isListed)
	samples, sampleCount := m.compareSamples(isListed)
	conflicts := m.compareConflicts()
	change := m.changeOfModel(factCount + sampleCount + len(conflicts))
	if change != "" {
		m.counted.Models[change]++
	}
	out := &outcome{entries: [...]int{0, factCount, sampleCount, len(conflicts)}}
	for i, kind := range limitedKinds {
		isAsked := slices.Contains(c.diff.Only, kind) && (c.model == "" || c.model == m.Key)
		switch {
		case !isAsked:
			out.entries[i] = 0
		case out.entries[i] > 0 || kind == record.DiffModels && change != "":
			out.entries[0] = 1
		}
	}
	if out.entries[0] > 0 && isListed {
		out.changes = m.list(change, facts, samples, conflicts, c.diff.Limit)
	}
	return out
}

// read reads the observations of both catalogs, each once.
func (m *modelComparison) read(reader *Reader, oldAsOf, newAsOf string) {
	var lists [2][]catalog.Observation // by id
	for i, entry := range m.in {
		if entry != nil {
			lists[i] = entry.Observations
		}
	}
	most := len(lists[0]) + len(lists[1])
	all, in := make([]catalog.Observation, 0, most), [2][]bool{make([]bool, 0, most), make([]bool, 0, most)}
	for a, b := lists[0], lists[1]; len(a)+len(b) > 0; {
		order := 0
		switch {
		case len(b) == 0:
			order = -1
		case len(a) == 0:
			order = +1
		default:
			order = strings.Compare(a[0].ID(), b[0].ID())
		}
		in[0], in[1] = append(in[0], order <= 0), append(in[1], order >= 0)
		if order <= 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all = append(all, b[0])
		}
		if order >= 0 {
			b = b[1:]
		}
	}
	m.Model = reader.Read(all)
	m.old = m.view(oldAsOf, func(i int) bool { return in[0][i] })
	m.new = m.view(newAsOf, func(i int) bool { return in[1][i] })
	o := &m.observations
	o.Old, o.New = len(lists[0]), len(lists[1])
	o.Added, o.Removed = len(all)-o.Old, len(all)-o.New
	for i := range all {
		if m.old.Holds[i] {
			o.HoldingOld++
		}
		if m.new.Holds[i] {
			o.HoldingNew++
		}
		if m.old.Holds[i] && !m.new.Holds[i] && in[1][i] {
			o.AgedOut++
		}
	}
	addCounts(m.counted.Observations, map[string]int{Added: o.Added, Removed: o.Removed, AgedOut: o.AgedOut})
}

// isInBoth reports whether both catalogs have the model.
func (m *modelComparison) isInBoth() bool { return m.in[0] != nil && m.in[1] != nil }

func (m *modelComparison) changeOfModel(entries int) string {
	switch {
	case m.in[0] == nil:
		return Added
	case m.in[1] == nil:
		return Removed
	case m.observations.HoldingOld > 0 && m.observations.HoldingNew == 0:
		return Silenced
	case m.observations.HoldingOld == 0 && m.observations.HoldingNew > 0:
		return Revived
	case entries > 0:
		return Changed
	}
	return ""
}

// changedSlot is a slot that is to be listed.
type changedSlot struct {
	*Slot
	change string
	hash   string
}

// compareFacts counts what changed, and returns it if it may be listed, and how much it is.
func (m *modelComparison) compareFacts(isListed bool) (list []changedSlot, changed int) {
	for i := range m.Slots {
		s := &m.Slots[i]
		change := m.changeOfSlot(s)
		if change == "" {
			continue
		}
		if m.isInBoth() {
			m.counted.Facts[change]++
		}
		if change == Reaffirmed {
			continue
		}
		if changed++; isListed {
			list = append(list, changedSlot{Slot: s, change: change})
		}
	}
	return list, changed
}

// changeOfSlot is the table.
func (m *modelComparison) changeOfSlot(s *Slot) string {
	before, after := m.old.State(s), m.new.State(s)
	switch {
	case !m.isInBoth() && before != StateValue && before != StateConflict && after != StateValue && after != StateConflict:
		return ""
	case m.in[0] == nil:
		return Added
	case after == StateAbsent:
		return Removed
	case after == StateExpired:
		return map[string]string{StateAbsent: Backfilled, StateValue: Expired, StateConflict: Expired}[before]
	case after == StateConflict:
		if before == StateConflict && slices.Equal(DistinctValues(m.old.Facts(s)), DistinctValues(m.new.Facts(s))) {
			return ""
		}
		return Contradicted
	case before != StateValue:
		return map[string]string{StateAbsent: Added, StateExpired: Renewed, StateConflict: Settled}[before]
	}
	said, says, others := -1, -1, false
	for i := range s.Facts {
		o := s.Facts[i].Observation
		if m.old.Holds[o] {
			said = i
		}
		if m.new.Holds[o] {
			says = i
		}
		others = others || m.old.Holds[o] != m.new.Holds[o]
	}
	switch {
	case !s.Facts[said].isAbout(&s.Facts[says]):
		return Changed
	case others:
		return Reaffirmed
	}
	return ""
}

// changedGroup is a sample group that is to be listed.
type changedGroup struct {
	*Group
	old, new record.SampleSummary
	rest     string // of its name, as canonical JSON
}

// compareSamples does as compareFacts.
func (m *modelComparison) compareSamples(isListed bool) (list []changedGroup, changed int) {
	for i := range m.Groups {
		g := &m.Groups[i]
		old, new, change := m.old.Aggregate(g), m.new.Aggregate(g), Changed
		switch {
		case old == new:
			if !slices.ContainsFunc(g.Samples,
				func(e Entry) bool { return m.old.Uses(e.Observation) != m.new.Uses(e.Observation) }) {
				continue
			}
			change = Reaffirmed
		case old.N == 0:
			change = Added
		case new.N > 0:
		case slices.ContainsFunc(g.Samples, func(e Entry) bool { return m.new.Has[e.Observation] }):
			change = Expired
		default:
			change = Removed
		}
		if m.isInBoth() {
			m.counted.Samples[change]++
		}
		if change == Reaffirmed {
			continue
		}
		if changed++; isListed {
			list = append(list, changedGroup{Group: g, old: old, new: new})
		}
	}
	return list, changed
}

func (m *modelComparison) compareConflicts() []record.ConflictChange {
	list := []record.ConflictChange{}
	note := func(c *catalog.Conflict, change string, old, new []record.Scalar) {
		m.counted.Conflicts[change]++
		key := ijson.NewReader(memberOf(c, "measurementKey"), "").String()
		list = append(list, record.ConflictChange{Key: c.Key, MeasurementKey: key, Change: change, Old: old, New: new})
	}
	for a, b := m.pair.conflicts[0], m.pair.conflicts[1]; len(a)+len(b) > 0; {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Key < b[0].Key:
			note(a[0], Ended, valuesOf(a[0]), nil)
			a = a[1:]
		case len(a) == 0 || b[0].Key < a[0].Key:
			note(b[0], Arisen, nil, valuesOf(b[0]))
			b = b[1:]
		default:
			if old, new := valuesOf(a[0]), valuesOf(b[0]); !slices.Equal(old, new) {
				note(b[0], Changed, old, new)
			}
			a, b = a[1:], b[1:]
		}
	}
	return list
}

// valuesOf returns the values of a conflict.
func valuesOf(c *catalog.Conflict) (values []record.Scalar) {
	r := ijson.NewReader(memberOf(c, "values"), "")
	for l := r.List(); l.Next(); {
		values = append(values, r.Scalar())
	}
	return values
}

// memberOf returns a member of a conflict, as it is written.
func memberOf(c *catalog.Conflict, name string) string {
	start := ijson.Locate(c.JSON, name)
	return c.JSON[start:ijson.SpanEnd(c.JSON, start)]
}

// list writes the entries down, of each kind at most as many as may be listed.
func (m *modelComparison) list(change string, facts []changedSlot, samples []changedGroup,
	conflicts []record.ConflictChange, most int) *record.ModelChange {
	out := &record.ModelChange{
		Key: m.Key, Identity: m.Identity,
		Change: change, Alike: append([]string{}, m.alike...), Observations: m.observations,
		Facts: []record.FactChange{}, Samples: []record.SampleChange{}, Conflicts: conflicts[:min(len(conflicts), most)],
	}
	for i := range facts {
		facts[i].hash = m.Hash(facts[i].Slot, m.IdentityJSON)
	}
	slices.SortFunc(facts, func(a, b changedSlot) int {
		return cmp.Or(canonical.CompareText(a.MeasurementKey, b.MeasurementKey), strings.Compare(a.hash, b.hash))
	})
	for i := range facts[:min(len(facts), most)] {
		out.Facts = append(out.Facts, m.fact(&facts[i]))
	}
	for i := range samples {
		samples[i].rest = m.restOf(samples[i].Group)
	}
	slices.SortFunc(samples, func(a, b changedGroup) int {
		return cmp.Or(canonical.CompareText(a.MeasurementKey, b.MeasurementKey), canonical.CompareText(a.rest, b.rest))
	})
	for i := range samples[:min(len(samples), most)] {
		out.Samples = append(out.Samples, m.sample(&samples[i]))
	}
	return out
}

func (m *modelComparison) fact(s *changedSlot) record.FactChange {
	f := record.FactChange{
		Slot: s.hash, MeasurementKey: s.MeasurementKey, Execution: m.Executions[s.Execution].Scope,
		Task:   m.Tasks[s.Task].Task,
		Change: s.change, Old: m.old.Fact(s.Slot), New: m.new.Fact(s.Slot),
	}
	if s.change == Changed {
		f.Ratio = ratio(f.Old.Values[0], f.New.Values[0])
	}
	return f
}

// ratio returns new / old if both are numbers of one unit and that is finite.
func ratio(old, new record.StatedValue) record.Float {
	quotient := new.Value.Float() / old.Value.Float()
	if old.Value.Kind != '0' || new.Value.Kind != '0' || old.Unit != new.Unit || math.IsInf(quotient, 0) ||
		math.IsNaN(quotient) {
		return record.Float{}
	}
	return record.NewFloat(quotient)
}

// Fact returns a slot as one catalog has it, nil if it does not.
func (v *View) Fact(s *Slot) *record.SlotState {
	state := v.State(s)
	if state == StateAbsent {
		return nil
	}
	entries := v.Facts(s)
	values := DistinctValues(entries)
	f := &record.SlotState{State: state, ValueCount: len(values), Values: values[:min(len(values), mostValues)],
		ObservationCount: len(entries)}
	f.Observations = v.Witnesses(entries)
	return f
}

// Witnesses returns the observations of a few of these entries, which are by id: the
// newest first.
func (v *View) Witnesses(entries []Entry) (list []record.Witness) {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return strings.Compare(string(v.Observations[b.Observation].Freshness.ObservedAt),
			string(v.Observations[a.Observation].Freshness.ObservedAt))
	})
	for _, e := range entries[:min(len(entries), mostWitnesses)] {
		o := &v.Observations[e.Observation]
		w := record.Witness{ID: o.ID, ObservedAt: o.Freshness.ObservedAt, ValidUntil: o.Freshness.ValidUntil,
			SourceClass: o.SourceClass}
		w.Evidence = o.Evidence()
		w.Evidence = w.Evidence[:min(len(w.Evidence), mostEvidence)]
		list = append(list, w)
	}
	return list
}

// restOf returns what tells a group from others of its model and key.
func (m *modelComparison) restOf(g *Group) string {
	var e canonical.Encoder
	e.Raw(`{"execution":` + m.Executions[g.Execution].JSON + `,"family":`)
	e.TextOrNull(g.Family)
	e.Raw(`,"suite":`)
	e.TextOrNull(g.Suite)
	e.Raw(`}`)
	return string(e.Buf)
}

func (m *modelComparison) sample(g *changedGroup) record.SampleChange {
	out := record.SampleChange{
		MeasurementKey: g.MeasurementKey, Execution: m.Executions[g.Execution].Scope,
		Family: record.Text(g.Family), Suite: record.Text(g.Suite),
	}
	for _, e := range g.Samples {
		o := e.Observation
		switch used, uses := m.old.Uses(o), m.new.Uses(o); {
		case uses && !m.old.Has[o]:
			out.Came++
		case used && !m.new.Has[o]:
			out.Went++
		case used && !uses:
			out.AgedOut++
		}
		if m.old.Has[o] {
			out.Old = &g.old
		}
		if m.new.Has[o] {
			out.New = &g.new
		}
	}
	return out
}
