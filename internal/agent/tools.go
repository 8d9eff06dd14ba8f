package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// This file is the tools. Their schemas are written by hand: strict clients refuse what
// is inferred from Go types.

// Pieces of schemas.
const (
	closed       = `"additionalProperties":false`
	catalogPart  = `"catalog":{"type":"object","properties":{"digest":{"type":"string"},"asOf":{"type":"string"}},"required":["digest","asOf"],` + closed + `}`
	textOrNull   = `{"anyOf":[{"type":"string"},{"type":"null"}]}`
	numberOrNull = `{"anyOf":[{"type":"number"},{"type":"null"}]}`
	texts        = `{"type":"array","items":{"type":"string"}}`
	anything     = `{"type":"array","items":{"type":"object"}}`
	limitPart    = `"limit":{"type":"integer","minimum":1,"maximum":100,"description":"How many at most."}`
	cursorPart   = `"cursor":{"type":"string","description":"nextCursor of the answer before."}`
)

func object(required, properties string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `],` + closed + `}`
}

func (a *Agent) tools() []tool {
	requestPart := `"request":{"type":"object","description":"A rank request, as the instructions show."}`
	return []tool{
		{
			name: "list_keys", title: "List measurement keys",
			description: `Lists what the catalog knows of models, by measurement key: kind, units, how many models, and the range of the values that hold. Call it first. Example: {"query":"price"}`,
			input: object(``, `"query":{"type":"string","description":"Words that all occur in the key."},"model":{"type":"string","description":"Id or key of a model that has the key."},`+
				limitPart+`,`+cursorPart),
			output: object(`"catalog","total","keys","nextCursor"`, catalogPart+`,"total":{"type":"integer"},"keys":{"type":"array","items":`+
				object(`"key","kind","units","models","families","suites","low","high"`, `"key":{"type":"string"},"kind":{"type":"string"},"units":`+texts+`,"models":{"type":"integer"},"families":`+texts+`,"suites":`+texts+`,"low":`+numberOrNull+`,"high":`+numberOrNull)+
				`},"nextCursor":`+textOrNull),
			call: a.listKeys,
		}, {
			name: "list_models", title: "List models",
			description: `Lists models by id, with the runtimes that sell or run them and how much of what is known of them holds. Example: {"query":"kimi","key":"price.output","state":"holds"}`,
			input: object(``, `"query":{"type":"string","description":"Words that all occur in the id."},"runtime":{"type":"string"},"key":{"type":"string","description":"A measurement key that the model has."},`+
				`"state":{"type":"string","enum":["holds","expired","conflicts"]},`+limitPart+`,`+cursorPart),
			output: object(`"catalog","total","models","nextCursor"`, catalogPart+`,"total":{"type":"integer"},"models":{"type":"array","items":`+
				object(`"key","id","revision","quantization","runtimes","observations","holding","conflicts","lastSeen"`, `"key":{"type":"string"},"id":{"type":"string"},"revision":`+textOrNull+`,"quantization":`+textOrNull+`,"runtimes":`+texts+
					`,"observations":{"type":"integer"},"holding":{"type":"integer"},"conflicts":{"type":"integer"},"lastSeen":{"type":"string"}`)+
				`},"nextCursor":`+textOrNull),
			call: a.listModels,
		}, {
			name: "get_model", title: "Look at one model",
			description: `Says what is known of one model: each fact with its state, value, unit, dates and address, or each group of samples. Example: {"model":"acme/atlas","key":"price.output"}`,
			input: object(`"model"`, `"model":{"type":"string","description":"Id or key; a unique beginning will do."},"key":{"type":"string"},`+
				`"detail":{"type":"string","enum":["facts","samples","observations"]},`+limitPart+`,`+cursorPart),
			output: object(`"catalog","model","total","entries","nextCursor"`, catalogPart+`,"model":`+
				object(`"key","id","revision","quantization"`, `"key":{"type":"string"},"id":{"type":"string"},"revision":`+textOrNull+`,"quantization":`+textOrNull)+
				`,"total":{"type":"integer"},"entries":`+anything+`,"nextCursor":`+textOrNull),
			call: a.getModel,
		}, {
			name: "rank", title: "Rank candidates",
			description: `Ranks the candidates of a request on the evidence of the catalog: those that meet the requirements by score, and those that do not with the reasons. full gives the whole result. Example: {"request":{...}}`,
			input:       object(`"request"`, requestPart+`,"full":{"type":"boolean"}`),
			output:      `{"type":"object"}`,
			call:        a.rank,
		}, {
			name: "explain", title: "Explain one candidate",
			description: `Shows how one candidate of a request came out, criterion by criterion, with the evidence for each. Example: {"request":{...},"candidate":"a"}`,
			input:       object(`"request","candidate"`, requestPart+`,"candidate":{"type":"string","description":"The id of a candidate of the request."}`),
			output:      object(`"catalog","candidate","placement","entry","evidence"`, catalogPart+`,"candidate":{"type":"string"},"placement":{"type":"string","enum":["ranked","excluded"]},"entry":{"type":"object"},"evidence":`+anything),
			call:        a.explain,
		},
	}
}

func (a *Agent) listKeys(_ context.Context, arguments []byte) (any, error) {
	var in struct {
		Query, Model, Cursor string
		Limit                *int
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := within(in.Limit, 50)
	if err != nil {
		return nil, err
	}
	model := ""
	if in.Model != "" {
		entry, err := a.index.find(in.Model, "$.model")
		if err != nil {
			return nil, err
		}
		model = entry.Key
	}
	var found []*keyRow
	for _, k := range a.index.keys {
		if has(k.Key, in.Query) && (model == "" || k.of[model]) {
			found = append(found, k)
		}
	}
	p, err := cut(a, found, in.Cursor, limit)
	return struct {
		Catalog    reference      `json:"catalog"`
		Total      int            `json:"total"`
		Keys       []*keyRow      `json:"keys"`
		NextCursor canonical.Text `json:"nextCursor"`
	}{a.reference(), len(found), p.items, p.next}, err
}

func (a *Agent) listModels(_ context.Context, arguments []byte) (any, error) {
	var in struct {
		Query, Runtime, Key, State, Cursor string
		Limit                              *int
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := within(in.Limit, 20)
	if err != nil {
		return nil, err
	}
	if in.Key != "" {
		if err := a.index.key(in.Key, "$.key"); err != nil {
			return nil, err
		}
	}
	isIn := map[string]func(*modelRow) bool{
		"":          func(*modelRow) bool { return true },
		"holds":     func(m *modelRow) bool { return m.Holding > 0 },
		"expired":   func(m *modelRow) bool { return m.Holding == 0 },
		"conflicts": func(m *modelRow) bool { return m.Conflicts > 0 },
	}[in.State]
	if isIn == nil {
		return nil, &refusal{invalidArgument, "$.state", "must be holds, expired or conflicts"}
	}
	var found []*modelRow
	for _, m := range a.index.models {
		if has(m.ID, in.Query) && isIn(m) && (in.Runtime == "" || slices.Contains(m.Runtimes, in.Runtime)) && (in.Key == "" || m.keys[in.Key]) {
			found = append(found, m)
		}
	}
	p, err := cut(a, found, in.Cursor, limit)
	return struct {
		Catalog    reference      `json:"catalog"`
		Total      int            `json:"total"`
		Models     []*modelRow    `json:"models"`
		NextCursor canonical.Text `json:"nextCursor"`
	}{a.reference(), len(found), p.items, p.next}, err
}

// factEntry is a slot in an answer.
type factEntry struct {
	Key          string          `json:"key"`
	Execution    json.RawMessage `json:"execution"`
	Task         json.RawMessage `json:"task"`
	State        compare.State   `json:"state"`
	Values       []compare.Value `json:"values"`
	ObservedAt   string          `json:"observedAt"`
	ValidUntil   canonical.Text  `json:"validUntil"`
	EvidenceURI  canonical.Text  `json:"evidenceUri"`
	Observations int             `json:"observations"`
}

// samplesEntry is a sample group in an answer.
type samplesEntry struct {
	Key       string          `json:"key"`
	Execution json.RawMessage `json:"execution"`
	Family    canonical.Text  `json:"family"`
	Suite     canonical.Text  `json:"suite"`
	compare.Aggregate
}

func (a *Agent) getModel(_ context.Context, arguments []byte) (any, error) {
	var in struct {
		Model, Key, Detail, Cursor string
		Limit                      *int
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := within(in.Limit, 50)
	if err != nil {
		return nil, err
	}
	entry, err := a.index.find(in.Model, "$.model")
	if err != nil {
		return nil, err
	}
	if in.Key != "" {
		if err := a.index.key(in.Key, "$.key"); err != nil {
			return nil, err
		}
	}
	m := compare.NewReader().Read(entry.Observations)
	view := m.At(a.catalog.AsOf())
	var list []any
	switch in.Detail {
	case "", "facts":
		for i := range m.Slots {
			if s := &m.Slots[i]; in.Key == "" || s.MeasurementKey == in.Key {
				list = append(list, factOf(view, s))
			}
		}
	case "samples":
		for i := range m.Groups {
			if g := &m.Groups[i]; in.Key == "" || g.MeasurementKey == in.Key {
				list = append(list, samplesEntry{g.MeasurementKey, json.RawMessage(m.Executions[g.Execution].JSON), canonical.Text(g.Family), canonical.Text(g.Suite), view.Aggregate(g)})
			}
		}
	case "observations":
		for _, o := range entry.Observations {
			if measures(o, in.Key) {
				list = append(list, json.RawMessage(o.JSON()))
			}
		}
	default:
		return nil, &refusal{invalidArgument, "$.detail", "must be facts, samples or observations"}
	}
	p, err := cut(a, list, in.Cursor, limit)
	id := &entry.Identity
	return struct {
		Catalog    reference      `json:"catalog"`
		Model      any            `json:"model"`
		Total      int            `json:"total"`
		Entries    []any          `json:"entries"`
		NextCursor canonical.Text `json:"nextCursor"`
	}{a.reference(), struct {
		Key          string         `json:"key"`
		ID           string         `json:"id"`
		Revision     canonical.Text `json:"revision"`
		Quantization canonical.Text `json:"quantization"`
	}{entry.Key, id.ID, canonical.Text(id.Revision), canonical.Text(id.Quantization)}, len(list), p.items, p.next}, err
}

func measures(o catalog.Observation, key string) bool {
	return key == "" || slices.ContainsFunc(o.Record().Measurements, func(m catalog.Measurement) bool { return m.Key == key })
}

func factOf(view *compare.View, s *compare.Slot) factEntry {
	facts := view.Facts(s)
	values := compare.DistinctValues(facts)
	e := factEntry{Key: s.MeasurementKey, Execution: json.RawMessage(view.Executions[s.Execution].JSON), Task: json.RawMessage(view.Tasks[s.Task].JSON),
		State: view.State(s), Values: values[:min(len(values), mostTexts)], Observations: len(facts)}
	endless := false
	for _, f := range facts {
		o := &view.Observations[f.Observation]
		e.ObservedAt = max(e.ObservedAt, o.Freshness.ObservedAt)
		e.ValidUntil = max(e.ValidUntil, canonical.Text(o.Freshness.ValidUntil))
		endless = endless || o.Freshness.ValidUntil == ""
		for _, evidence := range o.Evidence() {
			if e.EvidenceURI == "" {
				e.EvidenceURI = evidence.URI
			}
		}
	}
	if endless {
		e.ValidUntil = ""
	}
	return e
}

// because is what one criterion did for a candidate.
type because struct {
	Criterion    string          `json:"criterion"`
	Value        *compare.Scalar `json:"value"`
	Low          compare.Number  `json:"low"`
	High         compare.Number  `json:"high"`
	Contribution float64         `json:"contribution"`
}

// place is a candidate in a short result.
type place struct {
	CandidateID string    `json:"candidateId"`
	Rank        int       `json:"rank"`
	Score       float64   `json:"score"`
	Because     []because `json:"because"`
}

// excluded is a candidate that does not meet the requirements.
type excluded struct {
	CandidateID string   `json:"candidateId"`
	Because     []string `json:"because"`
}

// evaluate ranks the request in the arguments.
func (a *Agent) evaluate(ctx context.Context, request json.RawMessage) (*rank.Result, string, error) {
	if len(request) == 0 {
		return nil, "", &refusal{invalidArgument, "$.request", "is missing"}
	}
	q, err := rank.ReadRequest(problem.Source{Text: string(request)})
	if err != nil {
		return nil, "", problem.All(err).Under("$.request").Err()
	}
	result, err := a.ranker.Rank(ctx, q)
	if err != nil {
		return nil, "", err
	}
	const most = 16 << 20
	text, err := result.AppendJSON(nil, most)
	return result, string(text), err
}

func (a *Agent) rank(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Request json.RawMessage
		Full    bool
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	result, text, err := a.evaluate(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	if in.Full {
		if len(text) > MaxAnswer {
			return nil, tooLarge(len(text), "leave full out, or name fewer candidates")
		}
		return json.RawMessage(text), nil
	}
	low, high := map[string]compare.Number{}, map[string]compare.Number{}
	ranked, out := []place{}, []excluded{}
	for _, p := range result.Ranked() {
		for _, r := range p.Reasons {
			if r.Code != rank.PreferenceScore {
				continue
			}
			f := r.Actual.Float()
			if l := low[r.MeasurementKey]; !l.Known || f < l.Value {
				low[r.MeasurementKey] = compare.Exactly(f)
			}
			if h := high[r.MeasurementKey]; !h.Known || f > h.Value {
				high[r.MeasurementKey] = compare.Exactly(f)
			}
		}
	}
	for _, p := range result.Ranked() {
		one := place{p.CandidateID, p.Rank, p.Score, []because{}}
		for _, r := range p.Reasons {
			b := because{Criterion: r.MeasurementKey, Contribution: r.Contribution}
			if r.Actual.Kind != 0 {
				value := compare.Scalar(r.Actual)
				b.Value = &value
			}
			if r.Code == rank.PreferenceScore {
				b.Low, b.High = low[r.MeasurementKey], high[r.MeasurementKey]
			}
			one.Because = append(one.Because, b)
		}
		ranked = append(ranked, one)
	}
	for _, p := range result.Excluded() {
		one := excluded{p.CandidateID, []string{}}
		for _, r := range p.Reasons {
			one.Because = append(one.Because, string(r.Code)+": "+r.Summary)
		}
		out = append(out, one)
	}
	return struct {
		Catalog  reference  `json:"catalog"`
		Ranked   []place    `json:"ranked"`
		Excluded []excluded `json:"excluded"`
		SHA256   string     `json:"sha256"` // of the whole result
	}{a.reference(), ranked, out, canonical.Sum([]byte(text))}, nil
}

// witness is an observation in an explanation.
type witness struct {
	ObservationID string             `json:"observationId"`
	ObservedAt    string             `json:"observedAt"`
	ValidUntil    canonical.Text     `json:"validUntil"`
	SourceClass   string             `json:"sourceClass"`
	Evidence      []compare.Evidence `json:"evidence"`
}

// explain gives the candidate's part of the result, and where its evidence can be seen.
func (a *Agent) explain(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		Request   json.RawMessage
		Candidate string
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	_, text, err := a.evaluate(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, err
	}
	var names []string
	for _, placement := range []string{"ranked", "excluded"} {
		var entries []json.RawMessage
		if err := json.Unmarshal(whole[placement], &entries); err != nil {
			return nil, err
		}
		for _, entry := range entries {
			var head struct {
				CandidateID string
				Model       struct{ ID, Revision, Quantization string }
				Evidence    []struct{ ObservationIDs []string }
			}
			if err := json.Unmarshal(entry, &head); err != nil {
				return nil, err
			}
			names = append(names, head.CandidateID)
			if head.CandidateID != in.Candidate {
				continue
			}
			var ids []string
			for _, e := range head.Evidence {
				ids = append(ids, e.ObservationIDs...)
			}
			return struct {
				Catalog   reference       `json:"catalog"`
				Candidate string          `json:"candidate"`
				Placement string          `json:"placement"`
				Entry     json.RawMessage `json:"entry"`
				Evidence  []witness       `json:"evidence"`
			}{a.reference(), in.Candidate, placement, entry, a.witnesses(catalog.Model{ID: head.Model.ID, Revision: head.Model.Revision, Quantization: head.Model.Quantization}, ids)}, nil
		}
	}
	return nil, &refusal{unknownName, "$.candidate", "the request has no such candidate; the closest are " + strings.Join(closest(in.Candidate, names), ", ")}
}

// witnesses returns the observations with these ids, the first of them.
func (a *Agent) witnesses(model catalog.Model, ids []string) []witness {
	const most = 32
	list := []witness{}
	slices.Sort(ids)
	for _, entry := range a.index.byKey {
		if entry.Identity != model {
			continue
		}
		for _, id := range slices.Compact(ids) {
			o, ok := entry.Find(id)
			if !ok || len(list) == most {
				continue
			}
			rec := o.Record()
			w := witness{id, rec.Freshness.ObservedAt, canonical.Text(rec.Freshness.ValidUntil), rec.SourceClass, []compare.Evidence{}}
			for _, e := range rec.Evidence {
				w.Evidence = append(w.Evidence, compare.Evidence{ID: e.ID, URI: canonical.Text(e.URI)})
			}
			list = append(list, w)
		}
	}
	return list
}
