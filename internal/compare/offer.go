package compare

import (
	"maps"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/sellers"
	"github.com/model-catalog-service/svc/service/record"
)

// Offers returns the candidates of a catalog for keys of which some are told of each
// runtime, as prices are, and others were measured elsewhere, as scores are: with the
// harness of a benchmark, which sells nothing. They are each runtime that states a fact of
// one of the keys, under each condition that a sample of one was measured with. So from
//
//	price.output  at moonshotai and at openrouter
//	score         measured by the benchmark arena, with effort=low and with effort=high
//
// come four:
//
//	kimi on moonshotai, effort=high    kimi on openrouter, effort=high
//	kimi on moonshotai, effort=low     kimi on openrouter, effort=low
//
// A price is that of the runtime itself. A score has to be transferred, over all but the
// condition: a model that thinks less is not the same. Offers that are not sold as usual, such as
// free ones, or that have ended are none. Models that lack one of the two, or
// have more than 1,024 of them, have the candidates of [Candidates]. All are in its order.
func Offers(c *catalog.Catalog, keys []string) []Candidate {
	return named(c, candidates(c, keys, func(m *catalog.ModelEntry, wanted map[string]bool,
		records *catalog.RecordReader) []namedCandidate {
		if list := offersOf(m, wanted, c.AsOf(), records); list != nil {
			return list
		}
		return candidatesOf(m, wanted, false, records)
	}))
}

// maxOffers is how many offers a model may have. Real ones have a hundred.
const maxOffers = 1024

// offersOf returns the offers of one model, or nil.
func offersOf(m *catalog.ModelEntry, wanted map[string]bool, asOf string,
	records *catalog.RecordReader) []namedCandidate {
	places, workflows := map[string]bool{}, map[record.Workflow]bool{}
	stated := map[string]map[string][]string{} // texts that hold, by runtime and key
	for _, o := range m.Observations {
		rec := records.Read(o)
		runtime, isAlone := rec.Execution.RuntimeAlone()
		for i := range rec.Measurements {
			measured := &rec.Measurements[i]
			if isAlone && measured.Kind == record.Fact && measured.Value.Kind == '"' &&
				rec.Freshness.HoldsAt(record.Timestamp(asOf)) {
				if stated[runtime] == nil {
					stated[strings.Clone(runtime)] = map[string][]string{}
				}
				key := strings.Clone(measured.Key)
				stated[runtime][key] = append(stated[runtime][key], strings.Clone(measured.Value.Text))
			}
			switch {
			case !wanted[measured.Key]:
			case measured.Kind != record.Fact:
				var workflow record.Workflow
				if rec.Execution.Workflow.ID != "" {
					workflow = record.Workflow{ID: record.OwnWorkflow,
						Condition: record.Text(strings.Clone(string(rec.Execution.Workflow.Condition)))}
				}
				workflows[workflow] = true
			case isAlone && runtime != "" && !places[runtime]:
				places[strings.Clone(runtime)] = true
			}
		}
	}
	maps.DeleteFunc(places, func(runtime string, _ bool) bool {
		return !sellers.IsUsual(asOf, func(key string) []string { return stated[runtime][key] })
	})
	if len(places)*len(workflows) > maxOffers {
		return nil
	}
	var list []namedCandidate
	for runtime := range places {
		for workflow := range workflows {
			p := PlainProfile(runtime)
			p.Workflow = workflow
			id := m.Identity.Name() + " on " + runtime
			if workflow.Condition != "" {
				id += ", " + string(workflow.Condition)
			}
			if profileFits(&p) {
				var e canonical.Encoder
				catalog.EncodeProfile(&e, &p)
				list = append(list, namedCandidate{Candidate{id, m.Identity, p, true}, `{"execution":` + string(e.Buf) +
					`,"model":` + m.IdentityJSON + `}`})
			}
		}
	}
	sortByJSON(list)
	return list
}
