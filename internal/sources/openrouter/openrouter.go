// Package openrouter reads the answer of OpenRouter's models API: what the router
// says of each model that it offers, and indexes of others that it relays.
//
//	{"data": [{
//	  "id": "acme/atlas-70b", "context_length": 1000000,
//	  "pricing": {"prompt": "0.0000001", "completion": "0.0000004"},
//	  "top_provider": {"context_length": 262144, "max_completion_tokens": 16384},
//	  "supported_parameters": ["max_tokens", "tools"], ...
//	}]}
//
// A row is known by its id. Each fact becomes a declaration of its own, so that
// one change of the answer is one change of an observation: limits, prices per
// token to the nearest double of their text, modalities, tools, structured
// outputs, reasoning efforts. Indexes of others are taken with high uncertainty
// and without scope, and not for a variant that repeats those of its base model.
// An alias is never imported. What is used is checked strictly; members that are
// not used come and go every month, and new ones are named in one diagnostic.
//
// The answer has no date: a fact was observed when the answer was fetched, and
// holds for as long as the manifest says that one does. It does not tell which
// provider serves what, and nothing tells that it is the whole list but a
// total_count, where it has one.
package openrouter

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "openrouter-models"

// runtime is what a model is run by when it is called through the router, and
// what the keys of measurements begin with.
const runtime = "openrouter"

// New returns the adapter. Mappings of the first version get the declarations of
// the router's own keys; those of the second, and no mapping at all, offers in the
// vocabulary of all price lists.
func New() sources.Adapter {
	return sources.NewPriceAdapter(sources.PriceList{
		Source:  Source,
		Version: "2",
		Kind:    "api-member",
		Read:    func(body, _ string) (*offer.Listing, error) { return ReadListing(body) },
		Level:   record.LevelLow,
		Basis:   basis,
		Gaps:    []string{gapProvider},
		Other:   relayedRecord,
		V1: sources.NewAdapter(sources.Format[model, entry]{
			Source:   Source,
			Entry:    sources.EntryFormat[entry]{V1: entryShape, Blank: `{"model":null,"validUntil":null}`},
			ReadRows: readRows,
			Observe:  observe,
		}),
	})
}

// What every declaration of the router's own rests on, and what it does not tell.
const (
	basis       = "OpenRouter models API"
	gapProvider = "may differ by provider"
)

// entry is what the mapping says of a row.
type entry struct{ sources.Claim }

var entryShape = ijson.NewShape(
	ijson.Required("model", func(r *ijson.Reader, e *entry) { e.Model = catalog.ReadModel(r) }),
	ijson.Required("validUntil", func(r *ijson.Reader, e *entry) { e.ValidUntil = r.Timestamp() }),
)

// declarations are made of a row.
type declarations struct {
	*sources.Batch
	*model
	fetched  string
	notAfter string
	uri      string
}

func observe(b *sources.Batch, in *sources.Row[model], _ *entry) {
	source := b.Approved()
	fetched := in.Where.Snapshot.Envelope().FetchedAt
	d := declarations{b, &in.Data, fetched, timestamp.AddHours(fetched, source.Freshness.MaxAgeHours), source.Resolver.Entrypoint.URL}
	d.limit("context_length", "context_length", d.context)
	d.limit("top_provider.context_length", "top_provider.context_length", d.topContext)
	d.limit("max_completion_tokens", "top_provider.max_completion_tokens", d.completion)
	d.declarePrices()
	d.modalities("input_modalities", d.input)
	d.modalities("output_modalities", d.output)
	d.supported()
	d.declareEfforts()
	switch {
	case !d.isRepeated:
		d.declareIndexes()
		d.declareArenas()
	case len(d.indexes) > 0 || len(d.arenas) > 0:
		d.Note(sources.RelayedTwice, ".benchmarks", d.benchmarksAt, "repeats what its base model carries: left out")
	}
}

// fact adds a declaration of the router's own. Source is the JSON of what the
// member says.
func (d *declarations) fact(key, member string, value record.Scalar, unit, source string, gaps ...string) {
	d.observe(member, source, &record.Observation{
		Kind: record.KindDeclaration,
		Execution: record.Scope{Kind: record.ScopePartial, Profile: record.Profile{
			Runtime: record.Component{ID: runtime},
		}},
		Measurements: []record.Measurement{{Key: runtime + "." + key, Kind: record.Fact, Value: value, Unit: unit}},
		Freshness:    record.Freshness{ObservedAt: record.Timestamp(d.fetched)},
		Uncertainty: record.Uncertainty{
			Level: record.LevelLow,
			Basis: []string{basis},
			Gaps:  append([]string{gapProvider}, gaps...),
		},
	})
}

func (d *declarations) observe(member, source string, rec *record.Observation) {
	row := sources.Object("id", canonical.Quote(d.id), "member", canonical.Quote(member), "value", source)
	d.Observe(rec, record.External, sources.Cell{ID: member, Kind: "api-member", URI: d.uri, JSON: row}, d.notAfter)
}

func (d *declarations) limit(key, member string, l limit) {
	switch {
	case !l.stated:
		d.Note(sources.MissingValue, "."+member, -1, "is not stated")
	case !l.Known:
		d.Note(sources.MissingValue, "."+member, l.offset, "is null")
	case l.N == 0:
		d.Note(sources.InvalidValue, "."+member, l.offset, "is 0, which is not a limit: left out")
	default:
		n := record.Number(float64(l.N))
		d.fact(key, member, n, "tokens", n.Text)
	}
}

func (d *declarations) declarePrices() {
	for _, name := range []string{"prompt", "completion"} {
		if !slices.ContainsFunc(d.prices, func(p price) bool { return p.name == name }) {
			d.Note(sources.MissingValue, ".pricing."+name, -1, "is not stated")
		}
	}
	for _, p := range d.prices {
		d.price(p)
	}
}

// price takes a price as it is printed: the nearest binary64 number, nothing
// computed.
func (d *declarations) price(p price) {
	member := "pricing." + p.name
	value, ok := sources.Decimal(p.literal)
	isBase := p.name == "prompt" || p.name == "completion"
	switch {
	case p.literal == "-1":
		d.Note(sources.UnknownPrice, "."+member, p.offset, "is -1: the price varies")
		return
	case !ok || value < 0:
		d.Note(sources.InvalidValue, "."+member, p.offset, "is "+canonical.Quote(p.literal)+", which is not a price: left out")
		return
	case value == 0 && !isBase:
		d.Note(sources.UnknownPrice, "."+member, p.offset, "is 0, by which answers until 2025-12 say that it is not stated")
		return
	}
	var gaps []string
	if value == 0 {
		gaps = append(gaps, "a price of 0 may not last")
	}
	if d.overrides > 0 {
		gaps = append(gaps, "the price is that of the lowest tier or of one time of day: pricing.overrides names others")
	}
	number := record.Number(value)
	if number.Text != p.literal {
		gaps = append(gaps, "printed as "+p.literal)
	}
	d.fact(member, member, number, "USD/token", canonical.Quote(p.literal), gaps...)
}

func (d *declarations) modalities(name string, list texts) {
	member := "architecture." + name
	if !list.stated {
		d.Note(sources.MissingValue, "."+member, -1, "is not stated")
	}
	for _, modality := range list.values {
		d.fact(name+"."+modality, member+"."+modality, record.Bool(true), "", "true")
	}
}

// supported declares whether tools and structured outputs are supported, for
// which the list of parameters speaks whether or not it names them.
func (d *declarations) supported() {
	if !d.parameters.stated {
		d.Note(sources.MissingValue, ".supported_parameters", -1, "is not stated")
		return
	}
	for _, name := range []string{"tools", "structured_outputs"} {
		has := slices.Contains(d.parameters.values, name)
		d.fact(name, "supported_parameters."+name, record.Bool(has), "", strconv.FormatBool(has))
	}
}

func (d *declarations) declareEfforts() {
	for _, name := range d.efforts.values {
		d.fact("reasoning.effort."+name, "reasoning.supported_efforts."+name, record.Bool(true), "", "true")
	}
	if name := d.defaultEffort; name != "" {
		d.fact("reasoning.default_effort", "reasoning.default_effort", record.Scalar{Kind: '"', Text: name}, "", canonical.Quote(name))
	}
}

// relayed is a declaration of what somebody else measured.
func relayed(evaluator string, task record.Task) *record.Observation {
	task.Evaluator = record.Component{ID: evaluator}
	return &record.Observation{
		Kind: record.KindDeclaration,
		Task: task,
		Uncertainty: record.Uncertainty{
			Level: record.LevelHigh,
			Basis: []string{"measured by " + evaluator + ", relayed by the OpenRouter models API"},
			Gaps:  []string{"version, date and method of the measurement are not disclosed", "with which settings of the model it was made is not disclosed"},
		},
	}
}

// relayedIndex is an index of Artificial Analysis.
func relayedIndex(name string) *record.Observation {
	families := map[string]string{"intelligence_index": "general", "coding_index": "software-engineering", "agentic_index": "agentic"}
	return relayed("Artificial Analysis", record.Task{Family: families[name], Suite: "artificial-analysis", TaskID: record.Text(name)})
}

// relayedArena is a place in one of Design Arena's tables.
func relayedArena(name string) *record.Observation {
	return relayed("Design Arena", record.Task{Family: "design", Suite: "design-arena", TaskID: record.Text(name)})
}

// relayedRecord is the record of a declaration of a listing that somebody else
// measured, nil for what the router says itself.
func relayedRecord(d *offer.Declaration) (rec *record.Observation) {
	if name, ok := strings.CutPrefix(d.Name, declaredIndexes); ok {
		rec = relayedIndex(name)
	} else if name, ok := strings.CutPrefix(d.Name, declaredArenas); ok {
		rec = relayedArena(name)
	} else {
		return nil
	}
	for _, f := range d.Facts {
		unit := ""
		for _, score := range arenaScores {
			if strings.HasSuffix(f.Key, "."+score.name) {
				unit = score.unit
			}
		}
		rec.Measurements = append(rec.Measurements, record.Measurement{Key: f.Key, Kind: record.Sample, Value: f.Value, Unit: unit})
	}
	return rec
}

func sample(key string, value float64, unit string) record.Measurement {
	return record.Measurement{Key: runtime + "." + key, Kind: record.Sample, Value: record.Number(value), Unit: unit}
}

func (d *declarations) declareIndexes() {
	for _, x := range d.indexes {
		member := "benchmarks.artificial_analysis." + x.name
		if !x.known {
			d.Note(sources.MissingValue, "."+member, x.offset, "is null: not measured")
			continue
		}
		rec := relayedIndex(x.name)
		rec.Freshness.ObservedAt = record.Timestamp(d.fetched)
		rec.Measurements = []record.Measurement{sample("artificial_analysis."+x.name, x.value, "")}
		d.observe(member, rec.Measurements[0].Value.Text, rec)
	}
}

func (d *declarations) declareArenas() {
	for _, a := range d.arenas {
		rec := relayedArena(a.name())
		rec.Freshness.ObservedAt = record.Timestamp(d.fetched)
		source := []string{"arena", canonical.Quote(a.name())}
		for i, score := range a.scores {
			name := arenaScores[i].name
			if !score.known {
				d.Note(sources.MissingValue, a.path+"."+name, score.offset, "is null: not measured")
				continue
			}
			m := sample("design_arena."+name, score.value, arenaScores[i].unit)
			rec.Measurements = append(rec.Measurements, m)
			source = append(source, name, m.Value.Text)
		}
		if len(rec.Measurements) > 0 {
			d.observe("benchmarks.design_arena."+a.name(), string(sources.Object(source...)), rec)
		}
	}
}
