package export

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what the formats of other tools have rows for: offers. An offer is a
// model at a runtime, under the local id that the runtime knows it by, with what
// ranking would use as the value of each key for the plain profile of that runtime.

// sold is an offer with its facts.
type sold struct {
	offer.Offer
	model *catalog.ModelEntry
	facts []fact // those with one value, by key
	// states are what came of the keys of which something is said but no one value is
	// known.
	states map[string]record.ExportReason
	call   map[string]string // how it is called, by the keys of offers: offer.mode
	// isNamesake says that another model has the name, and this one is not exported.
	isNamesake bool
	isDead     bool // nobody sells it any more

	// What is known only until the next model is read.
	cut *compare.Model // the model

	// What the format makes of it where the base has no row.
	fresh *freshRow
}

// fact is a value that all agree on who say something that holds.
type fact struct {
	key     string
	value   record.Scalar
	entries []compare.Entry // who says it, by id, until the next model is read
	isTold  bool            // by the row
}

// noFact is what a key has that nothing is known of. Nobody writes it.
var noFact fact

// fact returns the fact of a key, and whether there is one.
func (s *sold) fact(key string) (f *fact, known bool) {
	from, to := 0, len(s.facts)
	for from < to {
		middle := (from + to) / 2
		switch order := strings.Compare(s.facts[middle].key, key); {
		case order == 0:
			return &s.facts[middle], true
		case order < 0:
			from = middle + 1
		default:
			to = middle
		}
	}
	return &noFact, false
}

// tell notes that the row tells a key, if it is known.
func (s *sold) tell(key string) {
	if f, known := s.fact(key); known {
		f.isTold = true
	}
}

// number returns a price or a limit, by key.
func (s *sold) number(key string) (record.Scalar, bool) {
	f, ok := s.fact(key)
	return f.value, ok
}

// is reports whether a key is known to be true, or to be false.
func (s *sold) is(key string) (value, known bool) {
	f, ok := s.fact(key)
	return f.value.Kind == 't', ok
}

// text returns a text, by key.
func (s *sold) text(key string) (string, bool) {
	f, ok := s.fact(key)
	return f.value.Text, ok
}

// findOffers returns what is offered of each model, by its identity: id, revision,
// quantization. Of those that are new to the base the writer makes rows at once, on all
// processors.
func findOffers(ctx context.Context, c *catalog.Catalog, runtimes []string, w writer) ([]found, error) {
	names := newRows()
	entries := modelsInOrder(c, func(a, b *catalog.ModelEntry) int {
		return cmp.Or(canonical.CompareText(a.Identity.ID, b.Identity.ID),
			canonical.CompareText(string(a.Identity.Revision), string(b.Identity.Revision)),
			canonical.CompareText(string(a.Identity.Quantization), string(b.Identity.Quantization)))
	})
	finders := func() func(int) found {
		f := finder{asOf: c.AsOf(), runtimes: runtimes, names: names, reader: compare.NewReader()}
		return func(i int) found {
			out := f.find(entries[i])
			for _, s := range out.offers {
				s.prepare(w)
			}
			out.forgetEvidence()
			return out
		}
	}
	models := make([]found, 0, len(entries))
	byName := map[offer.Offer][]*sold{}
	err := inOrder(ctx, len(entries), finders, func(f found) error {
		for _, s := range f.offers {
			byName[s.Offer] = append(byName[s.Offer], s)
		}
		models = append(models, f)
		return nil
	})
	for _, same := range byName {
		chooseIdentity(same)
	}
	return models, err
}

// finder finds the offers of models, one after the other, in the same space.
type finder struct {
	asOf     string
	runtimes []string
	names    *rows
	reader   *compare.Reader
	view     compare.View
}

// found is the offers of a model.
type found struct {
	offers              []*sold
	record.ExportReport // of what none of them can say
}

// forgetEvidence forgets what the next model takes the space of.
func (f *found) forgetEvidence() {
	for _, s := range f.offers {
		s.cut = nil
		for i := range s.facts {
			s.facts[i].entries = nil
		}
	}
}

func (f *finder) find(entry *catalog.ModelEntry) (out found) {
	m := f.reader.Glance(entry.Observations)
	listings := m.Listings(entry.Identity.ID, f.names.reader(entry.Identity.ID))
	if len(listings) == 0 {
		leaveOut(&out.ExportReport, &entry.Identity, "", "", record.ExportNoRuntime, "")
		return out
	}
	isWanted := func(runtime string) bool {
		seller, _ := record.Seller(runtime)
		return len(f.runtimes) == 0 || slices.Contains(f.runtimes, runtime) || slices.Contains(f.runtimes, seller)
	}
	for i := range m.Slots {
		slot := &m.Slots[i]
		if runtime := m.Executions[slot.Execution].Runtime.ID; m.Tasks[slot.Task].Family != "" &&
			(runtime == "" || isWanted(runtime)) {
			leaveOut(&out.ExportReport, &entry.Identity, runtime, slot.MeasurementKey, record.ExportNotRepresentable,
				"is about a task")
		}
	}
	f.view.Turn(m, f.asOf)
	slots := withoutTask(m)
	for _, listing := range listings {
		if !isWanted(listing.Runtime) {
			continue
		}
		s := evaluate(entry, &f.view, listing.Runtime, slots, &out.ExportReport)
		if kind, _ := s.text(record.OfferKind); kind != "" {
			leaveOut(&out.ExportReport, &entry.Identity, listing.Runtime, "", record.ExportNotRepresentable,
				"is an "+kind+", not a model")
			continue
		}
		seller, _ := record.Seller(listing.Runtime)
		ids := listing.LocalIDs
		if id, _ := s.text(record.OfferID); id != "" {
			ids = []string{id}
		}
		for _, id := range ids {
			one := *s
			one.Offer = offer.Offer{Runtime: seller, LocalID: id}
			if len(ids) > 1 {
				one.facts = s.factsOf(one.Offer, f.names)
			}
			one.takeCall()
			one.isDead = hasEnded(&f.view, listing.Runtime, f.asOf)
			out.offers = append(out.offers, &one)
		}
	}
	return out
}

// hasEnded reports whether anybody says that a runtime has withdrawn a model, or retired it
// before an instant.
func hasEnded(view *compare.View, runtime, instant string) bool {
	for i := range view.Slots {
		s := &view.Slots[i]
		at, isAlone := view.Executions[s.Execution].RuntimeAlone()
		if !isAlone || at != runtime || s.MeasurementKey != record.LifecycleStatus &&
			s.MeasurementKey != record.LifecycleRetires {
			continue
		}
		for _, f := range s.Facts {
			day, isDay := timestamp.LastDay(f.Value.Text)
			isEnd := f.Value.Text == record.StatusWithdrawn || isDay && day.Format(timestamp.Layout) <= instant
			if isEnd && view.Holds[f.Observation] {
				return true
			}
		}
	}
	return false
}

// takeCall takes the facts that say how the offer is called out of its facts, which are about the
// model.
func (s *sold) takeCall() {
	s.call = map[string]string{}
	s.facts = slices.DeleteFunc(s.facts, func(f fact) bool {
		isCall := strings.HasPrefix(f.key, "offer.")
		if isCall && f.value.Kind == '"' {
			s.call[f.key] = f.value.Text
		}
		return isCall
	})
}

// chooseIdentity chooses which of several models with one name is exported: the one
// without revision and quantization, if there is one.
func chooseIdentity(same []*sold) {
	isPlain := func(s *sold) bool {
		return s.model.Identity.Revision == "" && s.model.Identity.Quantization == ""
	}
	plain := 0
	for _, s := range same {
		if isPlain(s) {
			plain++ // two are ids that lead to one name
		}
	}
	for _, s := range same {
		s.isNamesake = len(same) > 1 && !(plain == 1 && isPlain(s))
	}
}

// withoutTask returns the slots of facts without a task, by runtime, then key.
func withoutTask(m *compare.Model) []*compare.Slot {
	slots := make([]*compare.Slot, 0, len(m.Slots))
	for i := range m.Slots {
		if slot := &m.Slots[i]; m.Tasks[slot.Task].Family == "" {
			slots = append(slots, slot)
		}
	}
	slices.SortFunc(slots, func(a, b *compare.Slot) int {
		if a.Execution == b.Execution { // as is likely
			return byKey(a, b)
		}
		return cmp.Or(strings.Compare(m.Executions[a.Execution].Runtime.ID, m.Executions[b.Execution].Runtime.ID),
			byKey(a, b))
	})
	return slots
}

func byKey(a, b *compare.Slot) int { return strings.Compare(a.MeasurementKey, b.MeasurementKey) }

// evaluate evaluates all keys of which something is said of a runtime, or of every one,
// as ranking evaluates a fact for the plain profile of the runtime.
func evaluate(entry *catalog.ModelEntry, view *compare.View, runtime string, slots []*compare.Slot,
	report *record.ExportReport) *sold {
	s := &sold{model: entry, cut: view.Model}
	profile := compare.PlainProfile(runtime)
	says := func(of string) []*compare.Slot {
		start := sort.Search(len(slots), func(i int) bool { return view.Executions[slots[i].Execution].Runtime.ID >= of })
		n := sort.Search(len(slots)-start,
			func(i int) bool { return view.Executions[slots[start+i].Execution].Runtime.ID > of })
		return slots[start : start+n]
	}
	concerns := says(runtime)
	if every := says(""); len(every) > 0 {
		concerns = slices.Concat(concerns, every)
		slices.SortFunc(concerns, byKey)
	}
	s.facts = make([]fact, 0, len(concerns))
	for len(concerns) > 0 {
		n := 1
		for n < len(concerns) && byKey(concerns[0], concerns[n]) == 0 {
			n++
		}
		f := fact{key: concerns[0].MeasurementKey}
		reason, detail := f.agree(view, &profile, concerns[:n])
		concerns = concerns[n:]
		if reason == "" {
			reason, detail = f.fault()
		}
		if reason == "" {
			s.facts = append(s.facts, f)
			continue
		}
		if s.states == nil {
			s.states = map[string]record.ExportReason{}
		}
		s.states[f.key] = reason
		leaveOut(report, &entry.Identity, runtime, f.key, reason, detail)
	}
	return s
}

// agree finds the one value that a profile has in the slots of a key, or says why there is
// none.
func (f *fact) agree(view *compare.View, profile *record.Profile, slots []*compare.Slot) (record.ExportReason, string) {
	reason := record.ExportIncomparable // unless a slot is about the profile
	for _, slot := range slots {
		if !v3.Applies(&view.Executions[slot.Execution].Scope, profile) {
			continue
		}
		reason = record.ExportExpired // unless a fact holds
		switch facts := view.Facts(slot); {
		case !view.Holds[facts[0].Observation]: // then none does
		case f.entries == nil:
			f.entries = facts
		default:
			f.entries = slices.Concat(f.entries, facts)
			slices.SortFunc(f.entries, func(a, b compare.Entry) int { return a.Observation - b.Observation })
		}
	}
	if f.entries == nil {
		return reason, ""
	}
	first := &f.entries[0]
	differs := func(e compare.Entry) bool { return e.Unit != first.Unit }
	if slices.ContainsFunc(f.entries, differs) {
		return record.ExportIncomparable, ""
	}
	if !record.NamesOffer(f.key) && slices.ContainsFunc(f.entries,
		func(e compare.Entry) bool { return e.Value != first.Value }) {
		return record.ExportConflict, ""
	}
	f.value = first.Value
	return "", ""
}

// fault says why the value of a key of the vocabulary is none that a format could say:
// it is in another unit, or is not of the kind that the vocabulary gives the key.
func (f *fact) fault() (reason record.ExportReason, detail string) {
	isNumber := offer.IsPrice(f.key) || offer.IsLimit(f.key)
	isFlag := strings.HasPrefix(f.key, "capability.") || strings.HasPrefix(f.key, "modality.")
	isDate := f.key == offer.Released || f.key == offer.Deprecated || f.key == offer.Retires ||
		f.key == offer.KnowledgeCutoff
	isText := isDate || f.key == offer.Status
	switch unit := f.entries[0].Unit; {
	case !isNumber && !isFlag && !isText:
		return "", ""
	case unit != offer.Unit(f.key):
		return record.ExportWrongUnit, cmp.Or(unit, "none")
	case isFlag && f.value.Kind != 't' && f.value.Kind != 'f':
		return record.ExportNotRepresentable, "is neither true nor false"
	case isText && f.value.Kind != '"':
		return record.ExportNotRepresentable, "is not a text"
	case isDate && !offer.IsDate(f.value.Text):
		return record.ExportNotRepresentable, "is not a date"
	case !isNumber:
		return "", ""
	case f.value.Kind != '0':
		return record.ExportNotRepresentable, "is not a number"
	}
	d, _ := offer.ParseDecimal(f.value.Text) // a number of a record is one of JSON
	if n, isCount := d.Count(); offer.IsLimit(f.key) && (!isCount || n == 0) {
		return record.ExportNotRepresentable, "is not a count above 0"
	}
	if d.IsNegative() {
		return record.ExportNotRepresentable, "is below 0"
	}
	if offer.IsPrice(f.key) && math.IsInf(d.Shift(6).Float(), 0) {
		return record.ExportNotRepresentable, "is too large for a million tokens"
	}
	return "", ""
}

// factsOf returns the facts of one local id of several that a runtime has for a model:
// those that rows of other local ids alone state are left out.
func (s *sold) factsOf(of offer.Offer, names *rows) (facts []fact) {
	for _, f := range s.facts {
		isNamed, isOther := false, false
		for _, e := range f.entries {
			for _, seen := range s.cut.Observations[e.Observation].Evidence() {
				if source, row, ok := compare.RowOf(seen.ID); ok {
					if id, ok := names.reader(s.model.Identity.ID)(source, row, of.Runtime); ok {
						isNamed, isOther = isNamed || id == of.LocalID, isOther || id != of.LocalID
					}
				}
			}
		}
		if isNamed || !isOther {
			facts = append(facts, f)
		}
	}
	return facts
}

// rows knows how price sources name their rows.
type rows struct{ modelsDev, litellm, genai *offer.Runtimes }

func newRows() *rows {
	return &rows{offer.ReadRuntimes(modelsDevSource), offer.ReadRuntimes(litellm.Source),
		offer.ReadRuntimes("genai-prices")}
}

// reader returns what tells the local id reader a row reader a price source that is about a model.
func (r *rows) reader(model string) compare.RowReader {
	return func(source, row, runtime string) (string, bool) {
		runtime, _ = record.Seller(runtime) // rows name no services and regions
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
	begin := price + "@"
	first, _ := slices.BinarySearchFunc(s.facts, begin, func(f fact,
		begin string) int {
		return strings.Compare(f.key, begin)
	})
	for _, f := range s.facts[first:] {
		key := f.key
		rest, ok := strings.CutPrefix(key, begin)
		if !ok {
			break
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
	f, _ := s.fact(key)
	for _, e := range f.entries {
		for _, seen := range s.cut.Observations[e.Observation].Evidence() {
			if strings.HasPrefix(string(seen.URI), "https://") {
				return string(seen.URI)
			}
		}
	}
	return ""
}

// newest returns when the newest of the evidence that was used was observed.
func (s *sold) newest() (at string) {
	last := -1 // many facts come from one observation
	for _, f := range s.facts {
		for _, e := range f.entries {
			if e.Observation != last {
				last = e.Observation
				at = max(at, s.cut.Observations[last].EvidenceTime())
			}
		}
	}
	return at
}
