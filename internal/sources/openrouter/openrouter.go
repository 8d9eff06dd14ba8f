// Package openrouter reads the answer of OpenRouter's models API: what the router
// says of each model that it offers, and indexes of others that it relays.
//
// Each fact becomes a declaration of its own, so that one change of the answer is
// one change of an observation. What is used is checked strictly; members that
// are not used come and go every month, and new ones are named in one diagnostic.
//
// The answer has no date: a fact was observed when the answer was fetched, and
// holds for as long as the manifest says that one does.
package openrouter

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Source is the id of the source.
const Source = "openrouter-models"

// runtime is what a model is run by when it is called through the router, and
// what the keys of measurements begin with.
const runtime = "openrouter"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewAdapter(sources.Format[model, entry]{
		Source:    Source,
		Adapter:   Source,
		Version:   "1",
		Blank:     `{"model":null,"validUntil":null}`,
		ReadEntry: readEntry,
		ReadRows:  readRows,
		Observe:   observe,
	})
}

// entry is what the mapping says of a row beyond the model: nothing.
type entry struct{}

var entryFields = ijson.NewFields("model", "validUntil")

func readEntry(r *ijson.Reader, claim *sources.Claim) entry {
	for o := r.Object(entryFields); o.Next(); {
		switch o.Field() {
		case 0:
			claim.Model = catalog.ReadModel(r)
		case 1:
			claim.ReadUntil(r)
		}
	}
	return entry{}
}

// observer makes the declarations of a row.
type observer struct {
	b        *sources.Batch
	m        *model
	fetched  string
	notAfter string
	uri      string
}

func observe(b *sources.Batch, in *sources.Row[model], _ *entry) {
	source := b.Manifest().Source(Source)
	fetched := b.Snapshot(0).Envelope().FetchedAt
	o := observer{b, &in.Data, fetched, timestamp.AddHours(fetched, source.Freshness.MaxAgeHours), source.Resolver.Entrypoint.URL}
	o.limits()
	o.prices()
	o.modalities()
	o.parameters()
	o.efforts()
	if !o.m.isRepeated {
		o.indexes()
		o.arenas()
	} else if len(o.m.indexes) > 0 || len(o.m.arenas) > 0 {
		b.Note(sources.RelayedTwice, ".benchmarks", o.m.benchmarksAt, "repeats what its base model carries: left out")
	}
}

// fact adds a declaration of the router's own.
func (o *observer) fact(key, member string, value catalog.Scalar, unit string, source []byte, gaps ...string) {
	rec := catalog.Record{
		Kind: catalog.KindDeclaration,
		Execution: catalog.Scope{Kind: catalog.ScopePartial, Profile: catalog.Profile{
			Runtime: catalog.Component{ID: runtime},
		}},
		Measurements: []catalog.Measurement{{Key: runtime + "." + key, Kind: catalog.Fact, Value: value, Unit: unit}},
		Freshness:    catalog.Freshness{ObservedAt: o.fetched},
		Uncertainty: catalog.Uncertainty{
			Level: catalog.LevelLow,
			Basis: []string{"OpenRouter models API"},
			Gaps:  append([]string{"may differ by provider"}, gaps...),
		},
	}
	o.observe(&rec, member, source)
}

func (o *observer) observe(rec *catalog.Record, member string, source []byte) {
	e := canonical.Encoder{}
	e.Raw(`{"id":`)
	e.Text(o.m.id)
	e.Raw(`,"member":`)
	e.Text(member)
	e.Raw(`,"value":`)
	e.Buf = append(e.Buf, source...)
	e.Raw(`}`)
	o.b.Observe(rec, catalog.External, sources.Cell{ID: member, Kind: "api-member", URI: o.uri, JSON: e.Buf}, o.notAfter)
}

func (o *observer) limits() {
	for _, l := range []struct {
		count       limit
		key, member string
	}{
		{o.m.context, "context_length", "context_length"},
		{o.m.topContext, "top_provider.context_length", "top_provider.context_length"},
		{o.m.completion, "max_completion_tokens", "top_provider.max_completion_tokens"},
	} {
		switch {
		case !l.count.stated:
			o.b.Note(sources.MissingValue, "."+l.member, -1, "is not stated")
		case !l.count.Known:
			o.b.Note(sources.MissingValue, "."+l.member, l.count.offset, "is null")
		case l.count.N == 0:
			o.b.Note(sources.InvalidValue, "."+l.member, l.count.offset, "is 0, which is no limit: left out")
		default:
			n := sources.Number(float64(l.count.N))
			o.fact(l.key, l.member, n, "tokens", []byte(n.Text))
		}
	}
}

func (o *observer) prices() {
	for _, name := range []string{"prompt", "completion"} {
		if !slices.ContainsFunc(o.m.prices, func(p price) bool { return p.name == name }) {
			o.b.Note(sources.MissingValue, ".pricing."+name, -1, "is not stated")
		}
	}
	for _, p := range o.m.prices {
		o.price(p)
	}
}

// price takes a price as it is printed: the nearest binary64 number, nothing
// computed.
func (o *observer) price(p price) {
	path := ".pricing." + p.name
	value, ok := sources.Decimal(p.literal)
	isBase := p.name == "prompt" || p.name == "completion"
	switch {
	case ok && p.literal == "-1":
		o.b.Note(sources.UnknownPrice, path, p.offset, "is -1: the price varies")
		return
	case !ok || value < 0:
		o.b.Note(sources.InvalidValue, path, p.offset, "is "+canonical.Quote(p.literal)+", which is no price: left out")
		return
	case value == 0 && !isBase:
		o.b.Note(sources.UnknownPrice, path, p.offset, "is 0, by which answers until 2025-12 say that it is not stated")
		return
	}
	var gaps []string
	if value == 0 {
		gaps = append(gaps, "a price of 0 may not last")
	}
	if o.m.overrides > 0 {
		gaps = append(gaps, "the price is that of the lowest tier or of one time of day: pricing.overrides names others")
	}
	number := sources.Number(value)
	if number.Text != p.literal {
		gaps = append(gaps, "printed as "+p.literal)
	}
	o.fact("pricing."+p.name, "pricing."+p.name, number, "USD/token", []byte(canonical.Quote(p.literal)), gaps...)
}

func (o *observer) modalities() {
	for _, l := range []struct {
		list texts
		name string
	}{{o.m.input, "input_modalities"}, {o.m.output, "output_modalities"}} {
		member := "architecture." + l.name
		if !l.list.stated {
			o.b.Note(sources.MissingValue, "."+member, -1, "is not stated")
		}
		for _, name := range l.list.values {
			o.fact(l.name+"."+name, member+"."+name, sources.Bool(true), "", []byte("true"))
		}
	}
}

// parameters declares whether tools and structured outputs are supported, for
// which the list of parameters speaks whether or not it names them.
func (o *observer) parameters() {
	if !o.m.parameters.stated {
		o.b.Note(sources.MissingValue, ".supported_parameters", -1, "is not stated")
		return
	}
	for _, name := range []string{"tools", "structured_outputs"} {
		has := sources.Bool(slices.Contains(o.m.parameters.values, name))
		source := "false"
		if has.Kind == 't' {
			source = "true"
		}
		o.fact(name, "supported_parameters."+name, has, "", []byte(source))
	}
}

func (o *observer) efforts() {
	for _, name := range o.m.efforts.values {
		o.fact("reasoning.effort."+name, "reasoning.supported_efforts."+name, sources.Bool(true), "", []byte("true"))
	}
	if name := o.m.defaultEffort; name != "" {
		o.fact("reasoning.default_effort", "reasoning.default_effort", sources.Text(name), "", []byte(canonical.Quote(name)))
	}
}

// relayed is a declaration of what somebody else measured.
func (o *observer) relayed(evaluator string, task catalog.Task) catalog.Record {
	task.Evaluator = catalog.Component{ID: evaluator}
	return catalog.Record{
		Kind:      catalog.KindDeclaration,
		Task:      task,
		Freshness: catalog.Freshness{ObservedAt: o.fetched},
		Uncertainty: catalog.Uncertainty{
			Level: catalog.LevelHigh,
			Basis: []string{"measured by " + evaluator + ", relayed by the OpenRouter models API"},
			Gaps:  []string{"version, date and method of the measurement are not disclosed", "with which settings of the model it was made is not disclosed"},
		},
	}
}

func sample(key string, value float64, unit string) catalog.Measurement {
	return catalog.Measurement{Key: runtime + "." + key, Kind: catalog.Sample, Value: sources.Number(value), Unit: unit}
}

func (o *observer) indexes() {
	family := map[string]string{"intelligence_index": "general", "coding_index": "software-engineering", "agentic_index": "agentic"}
	for _, x := range o.m.indexes {
		member := "benchmarks.artificial_analysis." + x.name
		if x.isNull {
			o.b.Note(sources.MissingValue, "."+member, x.offset, "is null: not measured")
			continue
		}
		rec := o.relayed("Artificial Analysis", catalog.Task{Family: family[x.name], Suite: "artificial-analysis", TaskID: x.name})
		rec.Measurements = []catalog.Measurement{sample("artificial_analysis."+x.name, x.value, "")}
		o.observe(&rec, member, []byte(rec.Measurements[0].Value.Text))
	}
}

func (o *observer) arenas() {
	for _, a := range o.m.arenas {
		rec := o.relayed("Design Arena", catalog.Task{Family: "design", Suite: "design-arena", TaskID: a.name()})
		e := canonical.Encoder{}
		e.Raw(`{"arena":`)
		e.Text(a.name())
		for i, x := range a.values {
			if x.isNull {
				o.b.Note(sources.MissingValue, a.path+"."+x.name, x.offset, "is null: not measured")
				continue
			}
			rec.Measurements = append(rec.Measurements, sample("design_arena."+x.name, x.value, arenaUnits[i]))
			e.Raw(`,"` + x.name + `":`)
			e.Number(x.value)
		}
		e.Raw(`}`)
		if len(rec.Measurements) > 0 {
			o.observe(&rec, "benchmarks.design_arena."+a.name(), e.Buf)
		}
	}
}

// baseOf returns the id that a variant (id:free, id:batch) is a variant of.
func baseOf(id string) (base string, isVariant bool) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 {
		return "", false
	}
	return id[:i], true
}
