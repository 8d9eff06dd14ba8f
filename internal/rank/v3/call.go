package v3

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/rank/index"
	"github.com/model-catalog-service/svc/internal/sellers"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says how to call a candidate at its provider, and who else of clouds and large hosts
// sells the model that was chosen.

// facts returns what facts state of a model at a runtime, those that hold first, then the newest.
func (m *model) facts(key string, kind byte, of *record.Model, runtime string) (found []*index.Measurement) {
	series, _ := m.Find(index.SeriesKey{Key: key, Fact: true})
	for i := range series {
		o := &m.observations[series[i].Observation]
		g := &m.groups[o.group]
		if series[i].Kind == kind && g.model == *of && g.scope.Runtime.ID == runtime && !o.invalid {
			found = append(found, &series[i])
		}
	}
	slices.SortStableFunc(found, func(a, b *index.Measurement) int {
		x, y := &m.observations[a.Observation], &m.observations[b.Observation]
		return cmp.Or(compareBool(y.fresh, x.fresh), strings.Compare(y.observedAt, x.observedAt),
			strings.Compare(a.JSON, b.JSON))
	})
	return found
}

// stated returns the texts that facts state.
func (m *model) stated(key string, of *record.Model, runtime string) (texts []string) {
	for _, f := range m.facts(key, '"', of, runtime) {
		texts = append(texts, f.Scalar().Text)
	}
	return texts
}

// offerOf returns how to call a candidate, and how fast it answers; nil if no list says so.
func (r *Ranking) offerOf(candidate int) *record.RankOffer {
	c := &r.request.candidates[candidate]
	if c.Execution.Runtime.ID == "" {
		return nil
	}
	var o record.RankOffer
	for _, part := range []struct {
		into *record.Text
		key  string
	}{{&o.ID, record.OfferID}, {&o.API, record.OfferAPI}, {&o.KeyVariable, record.OfferKeyVariable},
		{&o.Client, record.OfferClient}, {&o.LiteLLM, record.OfferLiteLLM}} {
		texts := r.models[candidate].stated(part.key, &c.Model, c.Execution.Runtime.ID)
		if router, _, isEndpoint := endpoint(c.Execution.Runtime.ID); isEndpoint && texts == nil &&
			(part.key == record.OfferAPI || part.key == record.OfferKeyVariable || part.key == record.OfferClient) {
			texts = r.models[candidate].stated(part.key, &c.Model, router)
		}
		if texts != nil {
			*part.into = record.Text(texts[0])
		}
	}
	o.Speed = record.NewOfferSpeed(func(key string) record.Float {
		m := r.models[candidate]
		for _, f := range m.facts(key, '0', &c.Model, c.Execution.Runtime.ID) {
			if m.observations[f.Observation].fresh {
				return record.NewFloat(f.Number)
			}
		}
		return record.Float{}
	})
	if o == (record.RankOffer{}) {
		return nil
	}
	return &o
}

// endpoint returns the seller of a runtime. If that is OpenRouter's endpoint of a provider, it
// returns OpenRouter and the provider.
func endpoint(runtime string) (seller, provider string, isEndpoint bool) {
	const router = "openrouter"
	seller, _ = record.Seller(runtime)
	if provider, isEndpoint = strings.CutPrefix(seller, router+"/"); isEndpoint {
		seller = router
	}
	return seller, provider, isEndpoint
}

// call says how to call a candidate.
func (s *speaker) call(candidate int) string {
	o := s.offerOf(candidate)
	if o == nil || o.ID == "" {
		return ""
	}
	c := &s.request.candidates[candidate]
	seller, provider, isEndpoint := endpoint(c.Execution.Runtime.ID)
	text := "To use it, call it as " + string(o.ID) + " at " + cmp.Or(strings.TrimRight(string(o.API), "/"), seller)
	if o.KeyVariable != "" {
		text += " with " + string(o.KeyVariable)
	}
	if isEndpoint {
		text += ", and ask for the provider " + provider
		if in := s.models[candidate].stated(record.OfferQuantization, &c.Model, c.Execution.Runtime.ID); in != nil {
			text += ", which runs it in " + in[0]
		}
	}
	return text + "."
}

// majorOffer is the cheapest offer of clouds and large hosts.
type majorOffer struct {
	runtime string
	usd     float64
}

// findMajor returns the cheapest offer of the chosen model at a cloud or a large host, as it is
// sold as usual and meets the requirements, nil if there is none or the chosen one is one.
func (r *Ranking) findMajor() *majorOffer {
	if r.decision == nil || r.request.cost == nil {
		return nil
	}
	chosen := r.request.candidates[r.decision.chosen]
	m := r.models[r.decision.chosen]
	if seller, _ := record.Seller(chosen.Execution.Runtime.ID); seller == "" || sellers.IsMajor(seller) {
		return nil
	}
	best := &majorOffer{usd: math.Inf(1)}
	v := newEvaluation(r.ranker, r.request)
	for _, runtime := range m.runtimesOf(&chosen.Model) {
		seller, parts := record.Seller(runtime)
		if !sellers.IsMajor(seller) || !m.isUsual(parts, &chosen.Model, runtime, r.ranker.asOf) {
			continue
		}
		other := chosen
		other.Execution.Runtime = record.Component{ID: runtime}
		v.begin(&other)
		if usd, ok := r.costAt(v); ok && usd < best.usd {
			*best = majorOffer{runtime, usd}
		}
	}
	if best.runtime == "" {
		return nil
	}
	return best
}

// costAt returns what a task costs at the candidate of an evaluation, if it meets the requirements.
func (r *Ranking) costAt(v *evaluation) (usd float64, isKnown bool) {
	for i := range r.request.criteria[requirement] {
		var c cell
		if v.evaluate(&r.request.criteria[requirement][i], &c); c.status != ok ||
			!r.request.criteria[requirement][i].meets(&c.Value) {
			return 0, false
		}
	}
	for i := range r.request.criteria[tieBreaker] {
		if k := &r.request.criteria[tieBreaker][i]; k.id == CostID {
			var c cell
			v.evaluate(k, &c)
			return c.Number, c.numeric()
		}
	}
	return 0, false
}

// runtimesOf returns the runtimes at which facts of a model are known, sorted.
func (m *model) runtimesOf(of *record.Model) (list []string) {
	for i := range m.groups {
		if id := m.groups[i].scope.Runtime.ID; id != "" && m.groups[i].model == *of {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isUsual reports whether an offer is sold in the usual way and has not ended.
func (m *model) isUsual(parts []string, of *record.Model, runtime, asOf string) bool {
	var services []record.Scalar
	for _, text := range m.stated(record.OfferService, of, runtime) {
		services = append(services, record.Scalar{Kind: '"', Text: text})
	}
	return len(servicesOf(parts, services)) == 0 && m.stated(record.OfferKind, of, runtime) == nil &&
		!sellers.IsEnded(asOf, func(key string) []string { return m.stated(key, of, runtime) })
}

// majorText names the cheapest offer of clouds and large hosts.
func (s *speaker) majorText() string {
	if s.major == nil {
		return ""
	}
	return "Of clouds and large hosts " + s.major.runtime + " sells it for least, at " + s.dollars(s.major.usd) +
		" a task."
}

// Call is a candidate to call, and what the catalog says of calling it.
type Call struct {
	Candidate string
	Model     record.Model
	Runtime   string           // empty where the request names none
	Provider  string           // whom OpenRouter is to ask; empty for other sellers, and for whomever it likes
	Runs      string           // the quantization in which that provider runs it; empty if no list says so
	Condition string           // the settings that it was measured with: effort=high
	Offer     record.RankOffer // what no list says is empty
	Modes     []string         // chat, responses: those that lists state
	IsEnded   bool             // by the time of the catalog it is deprecated or withdrawn
}

// Calls returns whom to call: the choice, then who may stand in for it. These are who is within the
// tolerance, in the order of the choice, then whom the evidence does not tell apart from it, the
// best score first. Without a ranked candidate there is none.
func (r *Ranking) Calls() (list []Call) {
	if r.decision == nil {
		return nil
	}
	chosen, within, x := r.decision.chosen, 0.0, r.newComparer()
	if r.request.choice != nil {
		within = r.request.choice.within
	}
	var near, alike []int
	for _, i := range r.ranked {
		switch {
		case i == chosen:
		case r.scores[i] >= r.scores[r.decision.best]-within:
			near = append(near, i)
		default:
			if c := x.compare(chosen, i); c.known && !c.isShown() {
				alike = append(alike, i)
			}
		}
	}
	slices.SortStableFunc(near, r.compareBy)
	for _, i := range slices.Concat([]int{chosen}, near, alike) {
		list = append(list, r.callOf(i))
	}
	return list
}

// callOf returns what is known of calling a candidate.
func (r *Ranking) callOf(candidate int) Call {
	c := &r.request.candidates[candidate]
	runtime := c.Execution.Runtime.ID
	stated := func(key string) []string { return r.models[candidate].stated(key, &c.Model, runtime) }
	call := Call{Candidate: c.ID, Model: c.Model, Runtime: runtime, Condition: string(c.Execution.Workflow.Condition),
		Modes: stated(record.OfferMode), IsEnded: sellers.IsEnded(r.ranker.asOf, stated)}
	if _, provider, isEndpoint := endpoint(runtime); isEndpoint {
		call.Provider = provider
		if in := stated(record.OfferQuantization); in != nil {
			call.Runs = in[0]
		}
	}
	if o := r.offerOf(candidate); o != nil {
		call.Offer = *o
	}
	return call
}
