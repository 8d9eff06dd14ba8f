package export

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// This file is what the formats of other tools have rows for: offers. An offer is a
// model at a runtime, under the local id that the runtime knows it by, with what
// ranking would use as the value of each key for the plain profile of that runtime.

// sold is an offer with its facts.
type sold struct {
	offer.Offer
	model *catalog.ModelEntry
	facts map[string]rank.Fact // those with one value, by key
	// states are what came of the keys of which something is said but no one value is
	// known.
	states map[string]Reason
}

// number returns a price or a limit, by key.
func (s *sold) number(key string) (catalog.Scalar, bool) {
	f, ok := s.facts[key]
	return f.Value, ok
}

// is reports whether a key is known to be true, or to be false.
func (s *sold) is(key string) (value, known bool) {
	f, ok := s.facts[key]
	return f.Value.Kind == 't', ok
}

// text returns a text, by key.
func (s *sold) text(key string) (string, bool) {
	f, ok := s.facts[key]
	return f.Value.Text, ok
}

// offers returns the offers of a catalog, by runtime, then local id. What no offer can
// say is noted in the report.
func offers(ctx context.Context, c *catalog.Catalog, runtimes []string, report *Report) ([]*sold, error) {
	entries, names := c.Models(), newRows()
	byName := map[offer.Offer][]*sold{}
	finders := func() func(int) found {
		f := finder{c.AsOf(), runtimes, names, compare.NewReader(), catalog.NewRecordReader()}
		return func(i int) found { return f.find(&entries[i]) }
	}
	err := inOrder(ctx, len(entries), finders, func(f found) error {
		for _, s := range f.offers {
			byName[s.Offer] = append(byName[s.Offer], s)
		}
		report.LeftOut = append(report.LeftOut, f.LeftOut...)
		return f.err
	})
	if err != nil {
		return nil, err
	}
	list := make([]*sold, 0, len(byName))
	for _, same := range byName {
		if s := chooseIdentity(same, report); s != nil {
			list = append(list, s)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Runtime != list[j].Runtime {
			return canonical.CompareText(list[i].Runtime, list[j].Runtime) < 0
		}
		return canonical.CompareText(list[i].LocalID, list[j].LocalID) < 0
	})
	return list, nil
}

// finder finds the offers of models, one after the other, in the same space.
type finder struct {
	asOf     string
	runtimes []string
	names    *rows
	reader   *compare.Reader
	records  *catalog.RecordReader
}

// found is the offers of a model.
type found struct {
	offers []*sold
	Report // of what none of them can say
	err    error
}

func (f *finder) find(entry *catalog.ModelEntry) (out found) {
	m := f.reader.Read(entry.Observations)
	listings := m.Listings(entry.Identity.ID, f.names.of(entry.Identity.ID))
	if len(listings) == 0 {
		out.leaveOut(&entry.Identity, "", "", NoRuntime, "")
		return out
	}
	var facts *rank.Facts
	keys := keysByRuntime(m)
	for _, listing := range listings {
		if len(f.runtimes) > 0 && !slices.Contains(f.runtimes, listing.Runtime) {
			continue
		}
		if facts == nil {
			if facts, out.err = rank.NewFacts(withoutTask(entry, m), f.asOf, f.records); out.err != nil {
				return out
			}
		}
		s := evaluate(entry, keys, facts, listing.Runtime, &out.Report)
		for _, id := range listing.LocalIDs {
			one := *s
			one.Offer = offer.Offer{Runtime: listing.Runtime, LocalID: id}
			if len(listing.LocalIDs) > 1 {
				one.facts = s.factsOf(one.Offer, f.names)
			}
			out.offers = append(out.offers, &one)
		}
	}
	return out
}

// withoutTask returns a model with those of its observations alone that say facts without
// a task: all that a price list has, and often a small part.
func withoutTask(entry *catalog.ModelEntry, m *compare.Model) *catalog.ModelEntry {
	speaks := make([]bool, len(m.Observations))
	for i := range m.Slots {
		if slot := &m.Slots[i]; m.Tasks[slot.Task].Family == "" {
			for _, fact := range slot.Facts {
				speaks[fact.Observation] = true
			}
		}
	}
	part := *entry
	part.Observations = nil
	for i, o := range entry.Observations {
		if speaks[i] {
			part.Observations = append(part.Observations, o)
		}
	}
	return &part
}

// chooseIdentity returns which of several models with one name is exported: the one
// without revision and quantization, if there is one.
func chooseIdentity(same []*sold, report *Report) *sold {
	if len(same) == 1 {
		return same[0]
	}
	plain := -1
	for i, s := range same {
		if s.model.Identity.Revision == "" && s.model.Identity.Quantization == "" {
			if plain >= 0 { // two ids that lead to one name
				plain = -1
				break
			}
			plain = i
		}
	}
	for i, s := range same {
		if i != plain {
			report.leaveOut(&s.model.Identity, s.Runtime, "", SameName, s.LocalID)
		}
	}
	if plain < 0 {
		return nil
	}
	return same[plain]
}

// keysByRuntime returns the keys of facts without a task, by the runtime that they are
// of, which is empty for facts of every one.
func keysByRuntime(m *compare.Model) map[string]map[string]bool {
	keys := map[string]map[string]bool{}
	for i := range m.Slots {
		slot := &m.Slots[i]
		if m.Tasks[slot.Task].Family != "" {
			continue
		}
		runtime := m.Executions[slot.Execution].Runtime.ID
		if keys[runtime] == nil {
			keys[runtime] = map[string]bool{}
		}
		keys[runtime][slot.MeasurementKey] = true
	}
	return keys
}

// evaluate evaluates all keys of which something is said of a runtime, or of every one.
func evaluate(entry *catalog.ModelEntry, keys map[string]map[string]bool, facts *rank.Facts, runtime string, report *Report) *sold {
	s := &sold{model: entry, facts: map[string]rank.Fact{}, states: map[string]Reason{}}
	profile := compare.PlainProfile(runtime)
	facts.TurnTo(&profile)
	concerns := maps.Clone(keys[runtime])
	if concerns == nil {
		concerns = map[string]bool{}
	}
	maps.Copy(concerns, keys[""])
	for key := range concerns {
		f := facts.Evaluate(key)
		reason := map[rank.FactStatus]Reason{rank.FactStale: Expired, rank.FactConflict: Conflict, rank.FactIncomparable: Incomparable}[f.Status]
		detail := ""
		if f.Status == rank.FactOK {
			if reason, detail = fault(key, &f); reason == "" {
				s.facts[key] = f
				continue
			}
		}
		if reason != "" {
			s.states[key] = reason
			report.leaveOut(&entry.Identity, runtime, key, reason, detail)
		}
	}
	return s
}

// fault says why the value of a key of the vocabulary is none that a format could say:
// it is in another unit, or is not of the kind that the vocabulary gives the key.
func fault(key string, f *rank.Fact) (reason Reason, detail string) {
	isNumber := offer.IsPrice(key) || offer.IsLimit(key)
	isFlag := strings.HasPrefix(key, "capability.") || strings.HasPrefix(key, "modality.")
	switch {
	case !isNumber && !isFlag:
		return "", ""
	case f.Unit != offer.Unit(key):
		if f.Unit == "" {
			return WrongUnit, "none"
		}
		return WrongUnit, f.Unit
	case isFlag && f.Value.Kind != 't' && f.Value.Kind != 'f':
		return NotRepresentable, "is neither true nor false"
	case !isNumber:
		return "", ""
	case f.Value.Kind != '0':
		return NotRepresentable, "is not a number"
	}
	d, _ := offer.ParseDecimal(f.Value.Text) // a number of a record is one of JSON
	if n, isCount := d.Count(); offer.IsLimit(key) && (!isCount || n == 0) {
		return NotRepresentable, "is not a count above 0"
	}
	if d.IsNegative() {
		return NotRepresentable, "is below 0"
	}
	return "", ""
}

// factsOf returns the facts of one local id of several that a runtime has for a model:
// those that rows of other local ids alone state are left out.
func (s *sold) factsOf(of offer.Offer, names *rows) map[string]rank.Fact {
	facts := map[string]rank.Fact{}
	for key, f := range s.facts {
		isNamed, isOther := false, false
		for _, e := range s.evidence(key) {
			if source, row, ok := compare.RowOf(e.ID); ok {
				if id, ok := names.of(s.model.Identity.ID)(source, row, of.Runtime); ok {
					isNamed, isOther = isNamed || id == of.LocalID, isOther || id != of.LocalID
				}
			}
		}
		if isNamed || !isOther {
			facts[key] = f
		}
	}
	return facts
}

// rows knows how price sources name their rows.
type rows struct{ modelsDev, litellm, genai *offer.Runtimes }

func newRows() *rows {
	return &rows{offer.ReadRuntimes(modelsDevSource), offer.ReadRuntimes(litellm.Source), offer.ReadRuntimes("genai-prices")}
}

// of returns what tells the local id of a row of a price source that is about a model.
func (r *rows) of(model string) compare.RowReader {
	return func(source, row, runtime string) (string, bool) {
		cut := func(table *offer.Runtimes) (string, bool) {
			provider, id, ok := strings.Cut(row, "/")
			return id, ok && id != "" && table.Provider(provider).Runtime == runtime
		}
		switch source {
		case "openrouter-models":
			return row, runtime == "openrouter"
		case modelsDevSource:
			return cut(r.modelsDev)
		case "genai-prices":
			return cut(r.genai)
		case litellm.Source:
			return r.withoutPrefix(row, runtime, model), true
		}
		return "", false
	}
}

// withoutPrefix returns the local id in a key of LiteLLM's. The key does not tell its
// provider: of the prefixes of the runtime's providers, and none, it is the one that the
// id of the model follows from, or else the first that the key begins with.
func (r *rows) withoutPrefix(key, runtime, model string) string {
	ids := []string{}
	if name, id, ok := strings.Cut(key, "/"); ok && id != "" && r.litellm.Provider(name).Runtime == runtime {
		ids = append(ids, id)
	}
	for _, p := range r.litellm.Providers(runtime) {
		if id, ok := strings.CutPrefix(key, p.Prefix+"/"); ok && id != "" {
			ids = append(ids, id)
		}
	}
	ids = append(ids, key)
	for _, id := range ids {
		if (offer.Offer{Runtime: runtime, LocalID: id}).ModelID() == model {
			return id
		}
	}
	return ids[0]
}

// band is a band of a price that the offer has.
type band struct {
	key string
	offer.Band
}

// bands returns the bands of a price that are known, by context, then time to live.
func (s *sold) bands(price string) (list []band) {
	for key := range s.facts {
		rest, ok := strings.CutPrefix(key, price+"@")
		if !ok {
			continue
		}
		b := band{key: key}
		for part := range strings.SplitSeq(rest, ",") {
			name, value := part, ""
			if i := strings.IndexAny(part, ">="); i >= 0 {
				name, value = part[:i], part[i+1:]
			}
			switch n, err := strconv.ParseUint(value, 10, 53); {
			case name == "context" && err == nil && n > 0:
				b.Context = n
			case name == "ttl":
				b.TTL = value
			}
		}
		if offer.PriceKey(strings.TrimPrefix(price, "price."), b.Band) == key { // or else it is a band that nobody knows
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b band) int {
		return cmp.Or(cmp.Compare(a.Context, b.Context), strings.Compare(a.TTL, b.TTL))
	})
	return list
}

// uri returns the first https address in the evidence of a fact.
func (s *sold) uri(key string) string {
	for _, e := range s.evidence(key) {
		if strings.HasPrefix(e.URI, "https://") {
			return e.URI
		}
	}
	return ""
}

// evidence returns the evidence of a fact.
func (s *sold) evidence(key string) (list []catalog.Evidence) {
	for _, id := range s.facts[key].ObservationIDs {
		if o, ok := s.model.Find(id); ok {
			list = append(list, o.Record().Evidence...)
		}
	}
	return list
}

// newest returns when the newest of the evidence that was used was observed.
func (s *sold) newest() (at string) {
	for key := range s.facts {
		for _, e := range s.evidence(key) {
			at = max(at, e.ObservedAt)
		}
	}
	return at
}
