package explore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sellers"
	"github.com/model-catalog-service/svc/service/record"
)

// This file makes what the page begins with: a row for each model, with what holds of it, and
// the keys. Observations come with a model when somebody looks at it.

// released is the key of the day on which a model came out.
const released = "lifecycle.released"

// index is the page's table of contents.
type index struct {
	Digest       string      `json:"digest"`
	AsOf         string      `json:"asOf"`
	Observations int         `json:"observations"`
	Holding      int         `json:"holding"`
	Benchmark    record.Text `json:"benchmark"` // that most models with a price have
	Expiry       []expiry    `json:"expiry"`
	Sources      []*source   `json:"sources"`
	Keys         []*indexKey `json:"keys"`
	Pairs        []pair      `json:"pairs"` // that a plot may begin with, the best first
	Rows         []*row      `json:"rows"`
}

// expiry is how many observations expire on a day, and how many prices are among them.
type expiry struct {
	Day          string `json:"day"`
	Observations int    `json:"observations"`
	Prices       int    `json:"prices"`
}

// source is where rows of evidence come from.
type source struct {
	ID           string `json:"id"`
	Seen         string `json:"seen"` // when its newest row was
	Rows         int    `json:"rows"`
	Observations int    `json:"observations"`
	rows         map[string]bool
}

// indexKey is a key with what the dictionary says of it.
type indexKey struct {
	Key      string        `json:"key"`
	Name     record.Text   `json:"name"`
	Line     record.Text   `json:"line"`
	Less     bool          `json:"less"`   // is better
	Family   string        `json:"family"` // of the dictionary; empty: unknown
	Fact     bool          `json:"fact"`
	Numeric  bool          `json:"numeric"`
	Models   int           `json:"models"`
	Holding  int           `json:"holding"` // models of which a value holds
	Units    []record.Text `json:"units"`
	Low      *float64      `json:"low"`
	High     *float64      `json:"high"`
	Families []string      `json:"families"`
	Under    []string      `json:"under"` // executions, a few
}

// row is what the list shows of a model.
type row struct {
	Key         string           `json:"key"`
	Identity    record.Model     `json:"identity"`
	Runtimes    []string         `json:"runtimes"`            // of offers as they are usual, the maker's first
	Others      []string         `json:"others,omitempty"`    // of offers that are free, batched or ended
	Ended       bool             `json:"ended,omitempty"`     // every offer has
	Released    string           `json:"released,omitempty"`  // the first date that is stated
	Spellings   []string         `json:"spellings,omitempty"` // what sellers call it
	Holding     int              `json:"holding"`
	Total       int              `json:"total"`
	LastSeen    string           `json:"lastSeen"`
	Conflicting bool             `json:"conflicting,omitempty"`
	Harnesses   []string         `json:"harnesses,omitempty"` // that measured it, and do not sell it
	Cells       map[string]*cell `json:"cells"`
}

// cell is what holds of a key: numbers as a range, others as a list, or else the last value that
// expired. What samples come to is in means.
type cell struct {
	N        int                 `json:"n,omitempty"` // values that hold
	Low      *float64            `json:"low,omitempty"`
	High     *float64            `json:"high,omitempty"`
	Texts    []record.Scalar     `json:"texts,omitempty"`
	Unit     record.Text         `json:"unit,omitempty"`
	Sample   bool                `json:"sample,omitempty"`
	Mixed    bool                `json:"mixed,omitempty"` // of several units
	Conflict bool                `json:"conflict,omitempty"`
	Says     map[string][]string `json:"says,omitempty"` // who says which of several values that are no numbers
	Last     *expired            `json:"last,omitempty"`
	Means    []mean              `json:"means,omitempty"` // the lowest first
	Only     string              `json:"only,omitempty"`  // the observation that a single value is of
	lastAt   string
}

type expired struct {
	Value record.Scalar `json:"value"`
	Unit  record.Text   `json:"unit"`
	Until record.Text   `json:"until"` // null for what was invalid
}

// mean is what the samples of a model come to that were made in one way.
type mean struct {
	Value     float64        `json:"value"`
	Unit      record.Text    `json:"unit"`
	Estimate  *v3.Estimate   `json:"estimate,omitempty"`
	Execution record.Profile `json:"execution"`
}

// newIndex makes the index of a catalog.
func newIndex(ctx context.Context, ranker *v3.Ranker) (*index, error) {
	c := ranker.Catalog()
	x := &index{Digest: c.Digest(), AsOf: c.AsOf(), Benchmark: record.Text(leadingBenchmark(c)), Rows: []*row{}}
	collected := newCollector(x.AsOf)
	records := catalog.NewRecordReader()
	var samples []string
	for i := range c.Models() {
		m := &c.Models()[i]
		r := collected.row(m, records)
		x.Rows = append(x.Rows, r)
		x.Observations += r.Total
		x.Holding += r.Holding
		for key, cell := range r.Cells {
			if cell.Sample && cell.N > 0 && !slices.Contains(samples, key) {
				samples = append(samples, key)
			}
		}
	}
	x.Keys, x.Expiry, x.Sources = collected.keyList(), collected.expiryList(), collected.sourceList()
	if err := x.addMeans(ctx, ranker, samples); err != nil {
		return nil, err
	}
	x.Pairs = pairsOf(x.Rows)
	slices.SortStableFunc(x.Rows, func(a, b *row) int {
		return cmp.Or(-compareMeans(a.Cells[string(x.Benchmark)], b.Cells[string(x.Benchmark)]),
			-cmp.Compare(a.Released, b.Released), canonical.CompareText(a.Identity.Name(), b.Identity.Name()))
	})
	return x, nil
}

// byName returns the rows by the names of their models.
func (x *index) byName() map[string]*row {
	rows := map[string]*row{}
	for _, r := range x.Rows {
		rows[r.Identity.Name()] = r
	}
	return rows
}

// compareMeans compares the best means of two cells; one without any is below all others.
func compareMeans(a, b *cell) int {
	best := func(c *cell) (float64, bool) {
		if c == nil || len(c.Means) == 0 {
			return 0, false
		}
		return c.Means[len(c.Means)-1].Value, true
	}
	x, isX := best(a)
	y, isY := best(b)
	if isX != isY {
		return map[bool]int{true: 1, false: -1}[isX]
	}
	return cmp.Compare(x, y)
}

// addMeans adds what the samples of models come to, as a ranking has it.
func (x *index) addMeans(ctx context.Context, ranker *v3.Ranker, samples []string) error {
	if len(samples) == 0 {
		return nil
	}
	byName := x.byName()
	slices.Sort(samples)
	all := compare.CandidatesOfEach(ranker.Catalog(), samples)
	for _, key := range samples { // candidates whose model lacks it are not asked about
		candidates := []compare.Candidate{}
		for i := range all {
			if c := byName[all[i].Model.Name()].Cells[key]; c != nil && c.Sample && !all[i].IsOffer {
				candidates = append(candidates, all[i])
			}
		}
		if err := measure(ctx, ranker, candidates, []series{{key: key, aggregation: "mean"}},
			func(candidate, _ int, v measured) {
				byName[candidates[candidate].Model.Name()].Cells[key].addMean(&v, &candidates[candidate].Execution)
			}); err != nil {
			return err
		}
	}
	return nil
}

// addMean adds what samples come to that were made in one way.
func (c *cell) addMean(v *measured, execution *record.Profile) {
	if v.Status != statusPresent || v.Value.Kind != '0' {
		return
	}
	c.Means = append(c.Means, mean{v.Value.Float(), v.Unit, v.Estimate, *execution})
	slices.SortStableFunc(c.Means, func(a, b mean) int { return cmp.Compare(a.Value, b.Value) })
	c.Low, c.High = &c.Means[0].Value, &c.Means[len(c.Means)-1].Value
}

// pair is a price and a benchmark that so many models have.
type pair struct {
	X string `json:"x"`
	Y string `json:"y"`
	N int    `json:"n"`
}

// pairsOf counts the models that have a price and a benchmark, where there is no benchmark a price
// and another number, and where there is no price what was measured to be paid. What is paid for
// answers comes first among prices that as many have.
func pairsOf(rows []*row) []pair {
	isNumber := func(c *cell) bool { return c.N > 0 && c.Low != nil && !c.Mixed }
	isPrice := func(c *cell) bool { return isNumber(c) && !c.Sample && strings.HasPrefix(string(c.Unit), "USD") }
	isCost := func(c *cell) bool { return isNumber(c) && strings.HasPrefix(string(c.Unit), "USD") }
	find := func(isPrice, isScore func(*cell) bool) (list []pair) {
		counts := map[pair]int{}
		for _, r := range rows {
			for x, price := range r.Cells {
				for y, score := range r.Cells {
					if isPrice(price) && isScore(score) {
						counts[pair{X: x, Y: y}]++
					}
				}
			}
		}
		list = []pair{}
		for p, n := range counts {
			list = append(list, pair{p.X, p.Y, n})
		}
		place := func(p pair) (n int) {
			if !strings.Contains(p.X, "output") && !strings.Contains(p.X, "completion") {
				n++
			}
			if quantity.LessIsBetter(p.Y, "") || quantity.IsCount(p.Y, "") {
				n += 2
			}
			return n
		}
		slices.SortFunc(list, func(a, b pair) int {
			return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(place(a), place(b)), canonical.CompareText(a.Y, b.Y),
				canonical.CompareText(a.X, b.X))
		})
		return list[:min(len(list), 50)]
	}
	if list := find(isPrice, func(c *cell) bool { return isNumber(c) && c.Sample }); len(list) > 0 {
		return list
	}
	if list := find(isPrice, func(c *cell) bool { return isNumber(c) && !isPrice(c) }); len(list) > 0 {
		return list
	}
	return find(isCost, func(c *cell) bool { return isNumber(c) && !isCost(c) })
}

// collector makes rows, and gathers what the keys of all have.
type collector struct {
	asOf     string
	keys     map[string]*indexKey
	families map[string]map[string]bool
	under    map[string]map[string]bool
	units    map[string]map[record.Text]bool
	expiries map[string]*expiry
	sources  map[string]*source
}

func newCollector(asOf string) *collector {
	return &collector{asOf, map[string]*indexKey{}, map[string]map[string]bool{}, map[string]map[string]bool{},
		map[string]map[record.Text]bool{}, map[string]*expiry{}, map[string]*source{}}
}

// row makes the row of a model.
func (c *collector) row(m *catalog.ModelEntry, records *catalog.RecordReader) *row {
	r := &row{Key: m.Key, Identity: m.Identity, Total: len(m.Observations), Cells: map[string]*cell{}}
	offers := c.offersOf(m, records)
	usual := r.describe(offers, c.asOf)
	filler := newFiller(c.asOf)
	ran, told := map[string]bool{}, map[string]bool{}
	for _, o := range m.Observations {
		rec := records.Read(o)
		runtime, isAlone := rec.Execution.RuntimeAlone()
		c.note(rec)
		holds := rec.Freshness.HoldsAt(record.Timestamp(c.asOf))
		if holds {
			r.Holding++
			if isAlone && runtime == "" { // of the model, whoever sells it
				r.cameOut(saidIn(rec, released))
			}
		}
		at := string(rec.Freshness.ObservedAt)
		for i := range rec.Evidence { // of a list: in the first snapshot that states it, and in the last
			at = max(at, string(rec.Evidence[i].ObservedAt))
		}
		if at > r.LastSeen && at <= c.asOf {
			r.LastSeen = strings.Clone(at)
		}
		if id := rec.Execution.Runtime.ID; id != "" {
			of := told
			if rec.Measurements[0].Kind == record.Sample {
				of = ran
			}
			of[strings.Clone(id)] = true
		}
		if isAlone && runtime != "" && len(usual) > 0 && !usual[runtime] {
			continue // what is free or ended is seen where the model is
		}
		filler.add(o.ID(), rec, r.Cells, rec.Execution.Runtime.ID)
	}
	r.Conflicting = filler.settle()
	for id := range told {
		if _, isOffer := offers[id]; !isOffer || usual[id] {
			r.Runtimes = append(r.Runtimes, id)
		}
		delete(ran, id)
	}
	r.Harnesses = sortedTexts(ran)
	maker, _, _ := strings.Cut(m.Identity.ID, "/")
	slices.SortFunc(r.Runtimes, func(a, b string) int {
		isOther := func(id string) int { return map[bool]int{true: 0, false: 1}[sellers.IsOwn(id, maker+"/")] }
		return cmp.Or(cmp.Compare(isOther(a), isOther(b)), canonical.CompareText(a, b))
	})
	c.count(r)
	return r
}

// describe takes from what sellers state when a model came out, what they call it, and whether all
// of its offers have ended. It returns the offers that are sold as usual.
func (r *row) describe(offers map[string]map[string][]string, asOf string) (usual map[string]bool) {
	usual, spellings := map[string]bool{}, map[string]bool{}
	ended := 0
	for runtime, stated := range offers {
		said := func(key string) []string { return stated[key] }
		if sellers.IsEnded(asOf, said) {
			ended++
		}
		if sellers.IsUsual(asOf, said) {
			usual[runtime] = true
		} else {
			r.Others = append(r.Others, runtime)
		}
		for _, id := range stated[record.OfferID] {
			spellings[id] = true
		}
		r.cameOut(stated[released])
	}
	slices.Sort(r.Others)
	r.Ended, r.Spellings = ended > 0 && ended == len(offers), sortedTexts(spellings)
	return usual
}

// cameOut takes the first of the days on which a model is said to have come out.
func (r *row) cameOut(days []string) {
	for _, day := range days {
		if r.Released == "" || day < r.Released {
			r.Released = strings.Clone(day)
		}
	}
}

// offersOf returns the texts that each seller states of its offer, by runtime and key. Sellers of a
// model of which no offer is usual are told by what they state.
func (c *collector) offersOf(m *catalog.ModelEntry, records *catalog.RecordReader) map[string]map[string][]string {
	offers := map[string]map[string][]string{}
	for _, o := range m.Observations {
		rec := records.Read(o)
		runtime, isAlone := rec.Execution.RuntimeAlone()
		if !isAlone || runtime == "" {
			continue
		}
		stated := offers[runtime]
		for i := range rec.Measurements {
			measured := &rec.Measurements[i]
			if measured.Kind != record.Fact {
				continue
			}
			if stated == nil {
				stated = map[string][]string{}
				offers[strings.Clone(runtime)] = stated
			}
			if measured.Value.Kind == '"' && rec.Freshness.HoldsAt(record.Timestamp(c.asOf)) {
				key := strings.Clone(measured.Key)
				stated[key] = append(stated[key], strings.Clone(measured.Value.Text))
			}
		}
	}
	return offers
}

// saidIn returns the texts that an observation states under a key.
func saidIn(rec *record.Observation, key string) (texts []string) {
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		if m.Kind == record.Fact && m.Key == key && m.Value.Kind == '"' {
			texts = append(texts, m.Value.Text)
		}
	}
	return texts
}

// note takes from an observation what is known of its keys.
func (c *collector) note(rec *record.Observation) {
	isPrice := false
	for i := range rec.Measurements {
		measured := &rec.Measurements[i]
		k := c.keys[measured.Key]
		if k == nil {
			key := strings.Clone(measured.Key)
			k = &indexKey{Key: key}
			c.keys[key] = k
			c.families[key], c.under[key], c.units[key] = map[string]bool{}, map[string]bool{}, map[record.Text]bool{}
		}
		k.Fact = k.Fact || measured.Kind == record.Fact
		isPrice = isPrice || measured.Kind == record.Fact && strings.HasPrefix(measured.Unit, "USD")
		if family := rec.Task.Family; family != "" && !c.families[k.Key][family] {
			c.families[k.Key][strings.Clone(family)] = true
		}
		const few = 50
		if under := c.under[k.Key]; len(under) < few {
			if text := compare.Runs(rec.Execution); !under[text] {
				under[text] = true
			}
		}
	}
	c.cite(rec)
	until := string(rec.Freshness.ValidUntil)
	if until == "" || !rec.Freshness.HoldsAt(record.Timestamp(c.asOf)) {
		return
	}
	day := until[:len("2026-01-02")]
	e := c.expiries[day]
	if e == nil {
		day = strings.Clone(day)
		e = &expiry{Day: day}
		c.expiries[day] = e
	}
	e.Observations++
	if isPrice {
		e.Prices++
	}
}

// cite counts the rows that the evidence of an observation names.
func (c *collector) cite(rec *record.Observation) {
	cited := ""
	for i := range rec.Evidence {
		e := &rec.Evidence[i]
		id, row, ok := compare.RowOf(e.ID)
		if !ok {
			continue
		}
		s := c.sources[id]
		if s == nil {
			s = &source{ID: strings.Clone(id), rows: map[string]bool{}}
			c.sources[s.ID] = s
		}
		if !s.rows[row] {
			s.rows[strings.Clone(row)] = true
			s.Rows++
		}
		if at := string(e.ObservedAt); at > s.Seen {
			s.Seen = strings.Clone(at)
		}
		if id != cited {
			cited = s.ID
			s.Observations++
		}
	}
}

func (c *collector) sourceList() []*source {
	list := []*source{}
	for _, s := range c.sources {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *source) int {
		return cmp.Or(cmp.Compare(b.Observations, a.Observations), canonical.CompareText(a.ID, b.ID))
	})
	return list
}

// count takes from a row what its keys have.
func (c *collector) count(r *row) {
	for key, cell := range r.Cells {
		cell.trim()
		k := c.keys[key]
		k.Models++
		if cell.N == 0 {
			continue
		}
		k.Holding++
		c.units[key][cell.Unit] = true
		if cell.Low == nil {
			continue
		}
		k.Numeric = true
		if k.Low == nil || *cell.Low < *k.Low {
			k.Low = cell.Low
		}
		if k.High == nil || *cell.High > *k.High {
			k.High = cell.High
		}
	}
}

func (c *collector) keyList() []*indexKey {
	list := []*indexKey{}
	for key, k := range c.keys {
		k.Families, k.Under, k.Units = sortedTexts(c.families[key]), sortedTexts(c.under[key]), sortedTexts(c.units[key])
		unit := ""
		if len(k.Units) > 0 {
			unit = string(k.Units[0])
		}
		k.Less = quantity.LessIsBetter(key, unit)
		if d := keys.Find(keys.Default(), key); d != nil {
			k.Line, k.Family = d.Line, string(d.Family)
			if k.Name = d.Name; d.Key != key {
				k.Name = record.Text(nameOf(key))
			}
			if d.Direction != "" {
				k.Less = d.Direction == "minimize"
			}
		}
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b *indexKey) int { return canonical.CompareText(a.Key, b.Key) })
	return list
}

// nameOf names a key of which the dictionary has a pattern: image input for modality.input.image.
func nameOf(key string) string {
	parts := strings.Split(key, ".")
	if len(parts) == 3 && parts[0] == "modality" {
		return parts[2] + " " + parts[1]
	}
	return ""
}

func sortedTexts[T ~string](set map[T]bool) []T {
	list := []T{}
	for text := range set {
		list = append(list, text)
	}
	slices.SortFunc(list, func(a, b T) int { return canonical.CompareText(string(a), string(b)) })
	return list
}

func (c *collector) expiryList() []expiry {
	list := []expiry{}
	for _, e := range c.expiries {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b expiry) int { return strings.Compare(a.Day, b.Day) })
	return list
}
