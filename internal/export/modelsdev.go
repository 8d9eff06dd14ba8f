package export

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the shape of models.dev's api.json: providers by id, each with its
// models by id, prices in USD per million tokens. How to reach a provider is no
// evidence, so that the base must have it. Readers take an absent price as 0, an absent
// tool_call as true, and one model without limit breaks the whole list.

type modelsDev struct {
	*base
	report    *record.ExportReport
	runtimes  *offer.Runtimes
	providers map[string]*offer.Value // lists of models, by runtime
	rows      map[offer.Offer]*row
	fresh     map[*offer.Value][]member
	media     [2]direction
	needed    []string // keys of a new row
}

// direction is what goes in, or what comes out, with the keys of its modalities.
type direction struct {
	name string
	keys []string
}

const modelsDevSource = "models-dev"

func newModelsDev(b *base, source problem.Source, report *record.ExportReport) (*modelsDev, error) {
	m := &modelsDev{base: b, report: report, runtimes: offer.ReadRuntimes(modelsDevSource),
		providers: map[string]*offer.Value{}, rows: map[offer.Offer]*row{}, fresh: map[*offer.Value][]member{},
		media: [2]direction{{name: "input"}, {name: "output"}},
		needed: []string{"price.input", "price.output", offer.LimitContext, offer.LimitOutput, offer.Tools, offer.Reasons,
			offer.OpenWeights, offer.Released}}
	for _, medium := range offer.Modalities() {
		m.media[0].keys = append(m.media[0].keys, offer.InputModality(medium))
		m.media[1].keys = append(m.media[1].keys, offer.OutputModality(medium))
	}
	m.needed = slices.Concat(m.needed, m.media[0].keys, m.media[1].keys)
	if b.root.Kind != offer.Table {
		return nil, b.refuse(source, b.root, "$", "must be an object of providers")
	}
	for _, p := range b.root.Members {
		models := p.Value.Get("models")
		if models == nil || models.Kind != offer.Table {
			return nil, b.refuse(source, p.Value, "$."+p.Name, "must have the object models")
		}
		runtime := m.runtimes.Provider(p.Name).Runtime
		if m.providers[runtime] == nil || p.Name == runtime {
			m.providers[runtime] = models
		}
		for _, model := range models.Members {
			if model.Value.Kind != offer.Table {
				return nil, b.refuse(source, model.Value, "$."+p.Name+".models."+model.Name, "must be an object")
			}
			of := offer.Offer{Runtime: runtime, LocalID: model.Name}
			if m.rows[of] == nil || p.Name == runtime {
				m.rows[of] = &row{base: b, name: p.Name + "/" + model.Name, report: report, object: model.Value}
			}
		}
	}
	return m, nil
}

func (m *modelsDev) row(s *sold) *row { return m.rows[s.Offer] }

func (m *modelsDev) needs(s *sold) []string {
	if m.providers[s.Runtime] == nil {
		return nil // insert says so
	}
	return m.needed
}

func (m *modelsDev) write(r *row, s *sold) {
	if m.providers[s.Runtime] == nil {
		return
	}
	m.writeModalities(r, s)
	m.writeAttachment(r, s)
	for _, flag := range []struct{ key, name string }{
		{offer.Reasons, "reasoning"}, {offer.Tools, "tool_call"}, {offer.StructuredOutputs, "structured_output"},
		{offer.OpenWeights, "open_weights"},
	} {
		is, known := s.is(flag.key)
		if !known || flag.key == offer.Reasons && !m.makesReason(r, is) {
			continue
		}
		s.tell(flag.key)
		r.set(flag.name, flagJSON(is), isFlag(is))
	}
	for _, text := range []struct{ key, name string }{{offer.Released, "release_date"}, {offer.Status, "status"},
		{offer.KnowledgeCutoff, "knowledge"}} {
		v, known := s.text(text.key)
		if !known || text.name == "status" && !slices.Contains([]string{"alpha", "beta", "deprecated"}, v) {
			continue
		}
		s.tell(text.key)
		r.set(text.name, canonical.Quote(v), func(old *offer.Value) bool {
			// The vocabulary cuts the cutoff to its month.
			return isText(v)(old) || text.name == "knowledge" && old.Kind == offer.String && strings.HasPrefix(old.Text, v+"-")
		})
	}
	m.writeCost(r, s)
	m.writeLimits(r, s)
}

// makesReason prepares a row of the base for whether its model reasons, and reports whether
// the row can say so. Options of reasoning and a price for it belong to a model that
// reasons, which must have the former.
func (m *modelsDev) makesReason(r *row, reasons bool) bool {
	if r.isNew {
		return true
	}
	options := r.object.Get("reasoning_options")
	if !reasons {
		return options == nil && r.object.Get("cost").Get("reasoning") == nil
	}
	if did := r.object.Get("reasoning"); options == nil && (did == nil || did.Kind != offer.True) {
		r.set("reasoning_options", "[]", func(*offer.Value) bool { return false })
	}
	return true
}

// writeModalities writes what goes in and what comes out: each if all its modalities are
// known, and both where the row has neither.
func (m *modelsDev) writeModalities(r *row, s *sold) {
	var members []member
	object := r.object.Get("modalities")
	isTable := object != nil && object.Kind == offer.Table
	var whole []direction
	for _, of := range m.media {
		has := make([]string, 0, len(of.keys))
		known := 0
		for i, medium := range offer.Modalities() {
			is, ok := s.is(of.keys[i])
			if ok {
				known++
			}
			if is {
				has = append(has, medium)
			}
		}
		if known < len(of.keys) {
			continue
		}
		var e canonical.Encoder
		e.Texts(has)
		whole, members = append(whole, of), append(members, member{of.name, string(e.Buf)})
		if isTable {
			r.setIn(object, "modalities.", of.name, string(e.Buf), isSet(has))
		}
	}
	if !isTable && len(members) < 2 {
		return
	}
	for _, of := range whole {
		for _, key := range of.keys {
			s.tell(key)
		}
	}
	if !isTable {
		r.set("modalities", layout{}.object(members), func(*offer.Value) bool { return false })
	}
}

// isSet is a list of these texts in any order.
func isSet(want []string) func(*offer.Value) bool {
	return func(old *offer.Value) bool {
		var texts []string
		for _, item := range old.Items {
			texts = append(texts, item.Text)
		}
		slices.Sort(texts)
		return old.Kind == offer.List && slices.Equal(texts, slices.Sorted(slices.Values(want)))
	}
}

// writeAttachment says whether files can be attached: one modality is enough to know
// that they can, all four are needed to know that they cannot.
func (m *modelsDev) writeAttachment(r *row, s *sold) {
	any, all := false, true
	for _, medium := range []string{"image", "audio", "video", "pdf"} {
		is, known := s.is(offer.InputModality(medium))
		any, all = any || known && is, all && known
	}
	if any || all {
		r.set("attachment", flagJSON(any), isFlag(any))
	}
}

// modelsDevPrices are the members of cost.
var modelsDevPrices = []string{offer.Input, offer.Output, offer.Reasoning, offer.CacheRead, offer.CacheWrite}

// writeCost writes prices. Input and output always come together: a cost with one of
// them would be read as if the other were free.
func (m *modelsDev) writeCost(r *row, s *sold) {
	cost := r.object.Get("cost")
	isTable := cost != nil && cost.Kind == offer.Table
	_, hasInput := s.number("price.input")
	_, hasOutput := s.number("price.output")
	if !isTable && !(hasInput && hasOutput) {
		return
	}
	reasons, known := s.is(offer.Reasons)
	if !known && r.object != nil {
		v := r.object.Get("reasoning")
		reasons = v != nil && v.Kind == offer.True
	}
	inner := &row{base: r.base, name: r.name, report: r.report, object: cost, isNew: !isTable}
	for _, name := range modelsDevPrices {
		v, ok := s.number("price." + name)
		if !ok || name == offer.Reasoning && !reasons {
			continue
		}
		s.tell("price." + name)
		inner.setIn(cost, "cost.", name, quantity.PerMillion(v.Text), isNumber(v.Text, -6))
	}
	m.writeTiers(inner, cost, s, reasons)
	r.changed = r.changed || inner.changed
	if inner.isNew {
		r.set("cost", layout{}.object(inner.members), func(*offer.Value) bool { return false })
	}
}

// writeTiers writes the prices of long prompts: into what the row has for that length, else
// as something new if input and output are known.
func (m *modelsDev) writeTiers(r *row, cost *offer.Value, s *sold, reasons bool) {
	var sizes []uint64
	for _, name := range modelsDevPrices {
		for _, b := range s.bands("price." + name) {
			if b.TTL == "" {
				sizes = append(sizes, b.Context)
			}
		}
	}
	slices.Sort(sizes)
	var fresh []string
	isNever := func(*offer.Value) bool { return false }
	tiers := cost.Get("tiers")
	for _, context := range slices.Compact(sizes) {
		t := newTier(s, context, reasons)
		size := uintText(context)
		if t.write(r, s, findTier(tiers, size), "cost.tiers."+size+".") {
			fresh = append(fresh, layout{}.object(append(inMillions(t.prices),
				member{"tier", `{"size":` + size + `,"type":"context"}`})))
		}
		if context == 200000 && t.write(r, s, cost.Get("context_over_200k"), "cost.context_over_200k.") {
			r.setIn(cost, "cost.", "context_over_200k", layout{}.object(inMillions(t.prices)), isNever)
		}
	}
	switch {
	case len(fresh) == 0:
	case tiers != nil && tiers.Kind == offer.List:
		for _, text := range fresh {
			r.addItem(tiers, text)
			r.changed = true
			r.report.Changed = append(r.report.Changed, record.ExportedChange{Row: r.name, Member: "cost.tiers",
				New: record.JSON(text)})
		}
	default:
		r.setIn(cost, "cost.", "tiers", "["+strings.Join(fresh, ",")+"]", isNever)
	}
}

// tier is the prices of prompts of a length.
type tier struct {
	keys    []string
	prices  []member
	isWhole bool // those of input and output are known
}

func newTier(s *sold, context uint64, reasons bool) (t tier) {
	for _, name := range modelsDevPrices {
		key := offer.PriceKey(name, offer.Band{Context: context})
		if v, ok := s.number(key); ok && (name != offer.Reasoning || reasons) {
			t.keys, t.prices = append(t.keys, key), append(t.prices, member{name, v.Text})
		}
	}
	t.isWhole = len(t.prices) > 1 && t.prices[0].name == offer.Input && t.prices[1].name == offer.Output
	return t
}

// findTier returns the tier that a row has for a size, nil if there is none.
func findTier(tiers *offer.Value, size string) *offer.Value {
	if tiers == nil {
		return nil
	}
	for _, item := range tiers.Items {
		of := item.Get("tier")
		at, kind := of.Get("size"), of.Get("type")
		if at != nil && isNumber(size, 0)(at) && kind != nil && kind.Text == "context" {
			return item
		}
	}
	return nil
}

// write writes the prices into what the row has. It reports whether there is none, and they are to
// be something new.
func (t *tier) write(r *row, s *sold, old *offer.Value, path string) (isNew bool) {
	isTable := old != nil && old.Kind == offer.Table
	if !isTable && !t.isWhole {
		return false
	}
	for _, key := range t.keys {
		s.tell(key)
	}
	if !isTable {
		return true
	}
	for _, p := range t.prices {
		r.setIn(old, path, p.name, quantity.PerMillion(p.json), isNumber(p.json, -6))
	}
	return false
}

func inMillions(prices []member) []member {
	out := make([]member, len(prices), len(prices)+1)
	for i, p := range prices {
		out[i] = member{p.name, quantity.PerMillion(p.json)}
	}
	return out
}

// writeLimits writes the limits. A row without context and output breaks its readers.
func (m *modelsDev) writeLimits(r *row, s *sold) {
	limit := r.object.Get("limit")
	isTable := limit != nil && limit.Kind == offer.Table
	_, hasContext := s.number(offer.LimitContext)
	_, hasOutput := s.number(offer.LimitOutput)
	if !isTable && !(hasContext && hasOutput) {
		return
	}
	inner := &row{base: r.base, name: r.name, report: r.report, object: limit, isNew: !isTable}
	for _, l := range []struct{ key, name string }{{offer.LimitContext, "context"}, {offer.LimitInput, "input"},
		{offer.LimitOutput, "output"}} {
		if v, ok := s.number(l.key); ok {
			s.tell(l.key)
			inner.setIn(limit, "limit.", l.name, v.Text, isNumber(v.Text, 0))
		}
	}
	r.changed = r.changed || inner.changed
	if inner.isNew {
		r.set("limit", layout{}.object(inner.members), func(*offer.Value) bool { return false })
	}
}

func (m *modelsDev) compose(r *row, s *sold) (record.ExportReason, string) {
	models := m.providers[s.Runtime]
	if models == nil {
		return record.ExportNoProvider, ""
	}
	name := canonical.Quote(s.LocalID)
	r.members = append([]member{{"id", name}, {"name", name}}, r.members...)
	r.members = append(r.members, member{"last_updated", canonical.Quote(s.newest()[:len("YYYY-MM-DD")])})
	if reasons, _ := s.is(offer.Reasons); reasons {
		r.members = append(r.members, member{"reasoning_options", "[]"})
	}
	var last *offer.Value
	if n := len(models.Members); n > 0 {
		last = models.Members[n-1].Value
	}
	r.text = m.layoutOf(last).object(r.members)
	return "", ""
}

func (m *modelsDev) insert(r *row, s *sold) bool {
	models := m.providers[s.Runtime]
	m.fresh[models] = append(m.fresh[models], member{s.LocalID, r.text})
	return true
}

func (m *modelsDev) finish() {
	for models, rows := range m.fresh {
		for _, row := range sortedRows(rows) {
			m.add(models, row.name, row.json)
		}
	}
}
