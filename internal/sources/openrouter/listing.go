package openrouter

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// ReadListing reads an answer as a price list: its rows as offers of the router,
// stated in the shared vocabulary. What the vocabulary lacks keeps keys of the
// router: efforts, the context length of the model where that of the top provider
// is the limit, and the indexes of others. The latter are samples, in declarations
// whose names begin with benchmarks.
//
// The envelope is checked strictly. A value of a row that is not what it should be is left
// out, and the rest of the row taken. Faults have code INVALID_SOURCE_SNAPSHOT and paths from $.
func ReadListing(body string) (*offer.Listing, error) {
	r := ijson.NewReader(body, problem.InvalidSourceSnapshot)
	var models []*offer.Value
	unknown := map[string]bool{}
	readAnswer(r, unknown, func() int {
		for l := r.List(); l.Next(); {
			if len(models) == offer.MaxRows {
				r.Broken(r.Offset(), offer.TooManyRows)
				break
			}
			models = append(models, offer.ReadRow(r))
		}
		return len(models)
	})
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(body, problem.Start("")).Err()
	}
	ids := make(map[string]bool, len(models))
	for _, v := range models {
		ids[v.Get("id").Text] = true
	}
	drafts := offer.Drafts{Conventions: offer.Conventions{PriceKind: offer.String,
		Free: []string{offer.Input, offer.Output}, Varying: "-1"}}
	rows := make([]offer.Row, len(models))
	for i, v := range models {
		rows[i] = readOffer(&drafts, ids, ".data["+strconv.Itoa(i)+"]", v)
	}
	listing := offer.NewListing(rows)
	for name := range unknown {
		listing.NewMembers[name]++ // around the rows
	}
	listing.Locate(body)
	return listing, nil
}

func readOffer(drafts *offer.Drafts, ids map[string]bool, path string, v *offer.Value) offer.Row {
	id := v.Get("id").Text
	d := drafts.Begin(id, path, v.Offset)
	d.Offer(offer.Provider{Runtime: runtime}, id, true)
	if strings.HasPrefix(id, "~") || !v.Get("alias_target").Lacks() {
		return d.Skip(offer.RowAlias, "%s is an alias: what it names changes without notice", canonical.Quote(id))
	}
	o := offering{d, v}
	known(d, v, "", modelMembers)
	o.prices()
	o.limits()
	o.architecture()
	o.parameters()
	o.lifecycle()
	o.efforts()
	benchmarks := o.table(v, "", "benchmarks", benchmarksMembers)
	switch {
	case !isRepeated(id, ids):
		o.indexes(benchmarks)
		o.arenas(benchmarks)
	case benchmarks != nil && len(benchmarks.Members) > 0:
		d.LeaveOut(offer.RelayedTwice, "benchmarks", benchmarks, "repeats what its base model carries: left out")
	}
	return d.Row()
}

// offering is a row that is read.
type offering struct {
	*offer.Draft
	v *offer.Value
}

// known notes the members of a table that are not in one of those that are known.
func known(d *offer.Draft, v *offer.Value, prefix string, members map[string]bool) {
	for _, m := range v.Members {
		if !members[m.Name] {
			d.Unknown(prefix + m.Name)
		}
	}
}

// table returns a member that is a table, with the names of what is known in it; nil if
// there is none.
func (o offering) table(parent *offer.Value, prefix, name string, members map[string]bool) *offer.Value {
	v := parent.Get(name)
	if v.Lacks() {
		return nil
	}
	if v.Kind != offer.Table {
		o.Invalid(prefix+name, v, "an object")
		return nil
	}
	known(o.Draft, v, prefix+name+".", members)
	return v
}

// texts returns the texts of a member that is a list of them; ok is false if it states
// none.
func (o offering) texts(parent *offer.Value, prefix, name string) (v *offer.Value, list []string, ok bool) {
	v = parent.Get(name)
	if v.Lacks() {
		return v, nil, false
	}
	if list, ok = v.Strings(); !ok || !areTexts(list) {
		o.Invalid(prefix+name, v, "a list of texts")
		return v, nil, false
	}
	return v, list, true
}

func areTexts(list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !ijson.IsText(s) })
}

// priceNames are the members of pricing that are prices per token.
var priceNames = map[string]struct {
	price string
	ttl   string
}{
	"prompt":               {price: offer.Input},
	"completion":           {price: offer.Output},
	"internal_reasoning":   {price: offer.Reasoning},
	"input_cache_read":     {price: offer.CacheRead},
	"input_cache_write":    {price: offer.CacheWrite},
	"input_cache_write_1h": {offer.CacheWrite, offer.Hour},
}

// TakePrices takes prices that are written as in the router's list.
func TakePrices(d *offer.Draft, pricing *offer.Value) {
	offering{d, &offer.Value{Kind: offer.Table, Members: []offer.Member{{Name: "pricing", Value: pricing}}}}.prices()
}

// prices takes the prices of the row: those of short prompts, and overrides of
// longer ones, each with some of the prices:
//
//	"prompt": "0.000002", "overrides": [{ "min_prompt_tokens": 200000, "prompt": "0.000004" }]
//
// An override may also be of a time of the day. What it overrides has no one price.
func (o offering) prices() {
	pricing := o.table(o.v, "", "pricing", pricingMembers)
	if pricing == nil {
		return
	}
	varying := map[bandPrice]bool{}
	var overrides []override
	if list := pricing.Get("overrides"); !list.Lacks() {
		if list.Kind != offer.List {
			o.Invalid("pricing.overrides", list, "a list of overrides")
		}
		for i, item := range list.Items {
			overrides = append(overrides, o.readOverride("pricing.overrides["+strconv.Itoa(i)+"]", item, varying))
		}
	}
	for _, override := range overrides {
		for _, name := range override.names {
			if n := priceNames[name]; !varying[bandPrice{name, override.above}] {
				o.Price(n.price, offer.Band{Context: override.above, TTL: n.ttl}, override.member+"."+name, override.v.Get(name))
			}
		}
	}
	for _, name := range []string{"request", "web_search"} {
		if price, ok := offer.ParseDecimal(pricing.Get(name).Characters()); ok && price.Float() > 0 {
			o.PerRequest()
		}
	}
	for _, m := range pricing.Members {
		if n, ok := priceNames[m.Name]; ok && !varying[bandPrice{m.Name, 0}] {
			o.Price(n.price, offer.Band{TTL: n.ttl}, "pricing."+m.Name, m.Value)
		}
	}
}

// bandPrice is the price of a name above a number of tokens.
type bandPrice struct {
	name  string
	above uint64
}

// override is the prices of prompts above a number of tokens.
type override struct {
	member string
	v      *offer.Value
	names  []string // of the prices
	above  uint64
}

// readOverride reads an override of longer prompts. Of one of a time of the day there are no
// prices: it notes those that it overrides as varying.
func (o offering) readOverride(member string, v *offer.Value, varying map[bandPrice]bool) (out override) {
	var names []string
	isOfTime, isOfOther := false, false
	for _, m := range v.Members {
		_, isPrice := priceNames[m.Name]
		switch {
		case isPrice:
			names = append(names, m.Name)
		case strings.HasPrefix(m.Name, "utc_"):
			isOfTime = true
		case m.Name != "min_prompt_tokens" && !slices.Contains(otherPrices, m.Name):
			o.Unknown("pricing.overrides." + m.Name)
			isOfOther = isOfOther || m.Kind != offer.String // prices are texts
		}
	}
	from := v.Get("min_prompt_tokens")
	var tokens uint64
	isCount := false
	if !from.Lacks() {
		tokens, isCount = from.Count()
	}
	switch {
	case isOfTime:
		o.Varies(member, v, names)
		for _, name := range names {
			varying[bandPrice{name, tokens}] = true
		}
	case from.Lacks() || isOfOther:
		o.Invalid(member, v, "an override of longer prompts or of a time of day alone")
	case !isCount || tokens == 0:
		o.Invalid(member+".min_prompt_tokens", from, "a number of tokens")
	default:
		return override{member, v, names, tokens}
	}
	return override{}
}

// otherPrices are members of pricing that are prices of other things, or of which
// it is not told per what they are.
var otherPrices = []string{"request", "image", "audio", "web_search", "image_output", "audio_output",
	"input_audio_cache", "discount"}

// limits takes what a request gets that names no provider: the limits of the top
// provider. Where it has none, the context length is that of the model.
func (o offering) limits() {
	top := o.table(o.v, "", "top_provider", topProviderMembers)
	o.Limit(offer.LimitOutput, "top_provider.max_completion_tokens", top.Get("max_completion_tokens"))
	const own = "context_length"
	if limit := top.Get(own); !limit.Lacks() {
		o.Limit(offer.LimitContext, "top_provider."+own, limit)
		o.count(runtime+"."+own, own, o.v.Get(own))
		return
	}
	o.Limit(offer.LimitContext, own, o.v.Get(own))
}

func (o offering) count(key, member string, v *offer.Value) {
	if v.Lacks() {
		return
	}
	n, ok := v.Count()
	if !ok || n == 0 {
		o.Invalid(member, v, "a limit")
		return
	}
	o.State(key, record.Number(float64(n)), member, v)
}

func (o offering) architecture() {
	const prefix = "architecture"
	v := o.table(o.v, "", prefix, architectureMembers)
	o.modalities(v, prefix+".", "input_modalities", offer.InputModality)
	o.modalities(v, prefix+".", "output_modalities", offer.OutputModality)
}

// modalities takes a list that names all modalities that there are.
func (o offering) modalities(architecture *offer.Value, prefix, list string, key func(string) string) {
	v, names, ok := o.texts(architecture, prefix, list)
	if !ok {
		return
	}
	member := prefix + list
	for i, name := range names {
		if name == "file" {
			names[i] = "pdf"
		}
	}
	for _, name := range offer.Modalities() {
		o.State(key(name), record.Bool(slices.Contains(names, name)), member, v)
	}
	for _, name := range names {
		if key(name) == "" {
			o.State(runtime+"."+list+"."+name, record.Bool(true), member, v)
		}
	}
}

func (o offering) parameters() {
	const member = "supported_parameters"
	v, names, ok := o.texts(o.v, "", member)
	if !ok {
		return
	}
	o.State(offer.Tools, record.Bool(slices.Contains(names, "tools")), member, v)
	o.State(offer.StructuredOutputs, record.Bool(slices.Contains(names, "structured_outputs")), member, v)
	o.State(offer.Reasons, record.Bool(slices.Contains(names, "reasoning")), member, v)
}

func (o offering) lifecycle() {
	const never = "2098-12-31" // by which the router says that no end is planned
	if v := o.v.Get("expiration_date"); v == nil || v.Text != never {
		o.Day(offer.Retires, "expiration_date", v)
	}
	o.Month(offer.KnowledgeCutoff, "knowledge_cutoff", o.v.Get("knowledge_cutoff"))
}

func (o offering) efforts() {
	reasoning := o.table(o.v, "", "reasoning", reasoningMembers)
	v, names, _ := o.texts(reasoning, "reasoning.", "supported_efforts")
	for _, name := range names {
		o.State(runtime+".reasoning.effort."+name, record.Bool(true), "reasoning.supported_efforts", v)
	}
	o.Word(runtime+".reasoning.default_effort", "reasoning.default_effort", reasoning.Get("default_effort"))
}

// The beginnings of the names of declarations of what others measured.
const (
	declaredIndexes = "benchmarks.artificial_analysis."
	declaredArenas  = "benchmarks.design_arena."
)

// indexes takes what Artificial Analysis measured.
func (o offering) indexes(benchmarks *offer.Value) {
	v := o.table(benchmarks, "benchmarks.", "artificial_analysis", indexMembers)
	for _, name := range []string{"intelligence_index", "coding_index", "agentic_index"} {
		member := declaredIndexes + name
		o.sample(member, "artificial_analysis."+name, member, v.Get(name))
	}
}

// arenas takes the places in the tables of Design Arena.
func (o offering) arenas(benchmarks *offer.Value) {
	const prefix = "benchmarks.design_arena"
	list := benchmarks.Get("design_arena")
	if list.Lacks() {
		return
	}
	if list.Kind != offer.List {
		o.Invalid(prefix, list, "a list of places")
	}
	for i, v := range list.Items {
		at := prefix + "[" + strconv.Itoa(i) + "]"
		arena, category := v.Get("arena").Characters(), v.Get("category").Characters()
		if !areTexts([]string{arena, category}) {
			o.Invalid(at, v, "a place with an arena and a category")
			continue
		}
		known(o.Draft, v, prefix+".", arenaMembers)
		for _, score := range arenaScores {
			o.sample(declaredArenas+arena+"/"+category, "design_arena."+score.name, at+"."+score.name, v.Get(score.name))
		}
	}
}

func (o offering) sample(declaration, key, member string, v *offer.Value) {
	if v.Lacks() {
		return
	}
	d, ok := offer.ParseDecimal(v.Text)
	number := d.Float()
	if !ok || v.Kind != offer.Number || math.IsInf(number, 0) {
		o.Invalid(member, v, "a number")
		return
	}
	o.StateIn(declaration, runtime+"."+key, record.Number(number), member, v)
}
