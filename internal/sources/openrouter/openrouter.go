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
// Each row is an offer. Indexes of others are taken with high uncertainty and
// without scope, and not for a variant that repeats those of its base model. Members
// that are not used come and go every month, and new ones are named in one diagnostic.
//
// The answer has no date: a fact was observed when the answer was fetched, and
// holds for as long as the manifest says that one does. It does not tell which
// provider serves what, and nothing tells that it is the whole list but a
// total_count, where it has one.
package openrouter

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "openrouter-models"

// runtime is what a model is run by when it is called through the router, and
// what the keys of measurements begin with.
const runtime = "openrouter"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewPriceAdapter(sources.PriceList{
		Source:  Source,
		Version: "2",
		Kind:    "api-member",
		Read:    func(body, _ string) (*offer.Listing, error) { return ReadListing(body) },
		Level:   record.LevelLow,
		Basis:   "OpenRouter models API",
		Gaps:    []string{"may differ by provider"},
		Other:   relayedRecord,
	})
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
			Gaps: []string{"version, date and method of the measurement are not disclosed",
				"with which settings of the model it was made is not disclosed"},
		},
	}
}

// relayedIndex is an index of Artificial Analysis.
func relayedIndex(name string) *record.Observation {
	families := map[string]string{"intelligence_index": "general", "coding_index": "software-engineering",
		"agentic_index": "agentic"}
	return relayed("Artificial Analysis", record.Task{Family: families[name], Suite: "artificial-analysis",
		TaskID: record.Text(name)})
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
		rec.Measurements = append(rec.Measurements, record.Measurement{Key: f.Key, Kind: record.Sample, Value: f.Value,
			Unit: unit})
	}
	return rec
}
