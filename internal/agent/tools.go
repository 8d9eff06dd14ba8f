package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the tools. Their schemas are written by hand: strict clients refuse what
// is inferred from Go types.

// Pieces of schemas.
const (
	closed      = `"additionalProperties":false`
	catalogPart = `"catalog":{"type":"object","properties":{"digest":{"type":"string"},"asOf":{"type":"string"}},` +
		`"required":["digest","asOf"],` + closed + `}`
	textOrNull   = `{"anyOf":[{"type":"string"},{"type":"null"}]}`
	numberOrNull = `{"anyOf":[{"type":"number"},{"type":"null"}]}`
	texts        = `{"type":"array","items":{"type":"string"}}`
	anything     = `{"type":"array","items":{"type":"object"}}`
	cursorPart   = `"cursor":{"type":"string","description":"nextCursor of the answer before."}`
)

// explanationPart is the schema of an explanation, diffPart that of a diff. The schemas of
// the formats say more of them.
var (
	explanationPart = object(`"schemaVersion","catalog","request","candidate","placement","criteria"`,
		`"schemaVersion":{"type":"string"},`+catalogPart+
			`,"request":{"type":"object"},"candidate":{"type":"object"},"placement":{"type":"object"},`+
			`"criteria":{"type":"array","items":`+
			object(`"role","criterion","measurementKey","aggregation","status","code","value","unit","estimate","weight",`+
				`"lowest","highest","normalized","contribution","entries","entryCount"`,
				`"role":{"type":"string"},"criterion":{"type":"string"},"measurementKey":`+textOrNull+`,"aggregation":`+textOrNull+
					`,"status":{"type":"string"},"code":`+textOrNull+
					`,"value":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"null"}]},"unit":`+textOrNull+
					`,"estimate":{"anyOf":[{"type":"object"},{"type":"null"}]},"weight":`+numberOrNull+`,"lowest":`+numberOrNull+
					`,"highest":`+numberOrNull+
					`,"normalized":`+numberOrNull+`,"contribution":`+numberOrNull+`,"entries":`+anything+
					`,"entryCount":{"type":"integer"}`)+`}`)
	diffPart = object(`"schemaVersion","old","new","only","limit","summary","models","rankings","leftOut"`,
		`"schemaVersion":{"type":"string"},"old":{"type":"object"},"new":{"type":"object"},"only":`+texts+
			`,"limit":{"type":"integer"},"summary":{"type":"object"},"models":`+anything+`,"rankings":`+anything+
			`,"leftOut":{"type":"object"}`)
)

// limitPart is a limit, with what it is where there is none.
func limitPart(usual string) string {
	return `"limit":{"type":"integer","minimum":1,"maximum":100,"description":"How many at most; without it ` + usual +
		`."}`
}

func object(required, properties string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `],` + closed + `}`
}

func (a *Agent) tools() []tool {
	requestPart := `"request":{"type":"object","description":"A question, as in the example: maximize, minimize ` +
		`(lists of keys), cheapest (true) say what is better, weights (numbers by key) how much, atLeast, atMost ` +
		`(numbers by key) and require (true, false or a word by key) what is required, models, runtimes (lists) which ` +
		`candidates there are, services (a list such as free, batch, any; standard without it) and sellerPolicy ` +
		`(first-party, major, any) which offers. Or a whole rank request, as the instructions show."}`
	list := []tool{
		a.listKeysTool(), a.listModelsTool(), a.getModelTool(), a.rankTool(requestPart), a.explainTool(requestPart),
	}
	if a.older != nil {
		list = append(list, a.diffTool(requestPart))
	}
	return list
}

func (a *Agent) listKeysTool() tool {
	return tool{
		name: "list_keys", title: "List measurement keys",
		description: `Lists what the catalog knows of models, by measurement key: kind, units, how many models, and the ` +
			`range of the values that hold. Call it first. Example: {"query":"price"}`,
		input: object(``, `"query":{"type":"string","description":"Words that all occur in the key."},`+
			`"model":{"type":"string","description":"Id or key of a model that has the key."},`+
			limitPart("50")+`,`+cursorPart),
		output: object(`"catalog","total","keys","nextCursor"`,
			catalogPart+`,"total":{"type":"integer"},"keys":{"type":"array","items":`+
				object(`"key","kind","units","models","families","suites","low","high"`,
					`"key":{"type":"string"},"kind":{"type":"string"},"units":`+texts+`,"models":{"type":"integer"},"families":`+
						texts+`,"suites":`+texts+`,"low":`+numberOrNull+`,"high":`+numberOrNull)+
				`},"nextCursor":`+textOrNull+`,"notes":`+texts),
		call: a.listKeys,
	}
}

func (a *Agent) listModelsTool() tool {
	return tool{
		name: "list_models", title: "List models",
		description: `Lists models by id, with the runtimes that sell or run them and how much of what is known of them ` +
			`holds. Example: {"query":"kimi","key":"price.output","state":"holds"}`,
		input: object(``, `"query":{"type":"string","description":"Words that all occur in the id."},`+
			`"runtime":{"type":"string"},"key":{"type":"string","description":"A measurement key that the model has."},`+
			`"state":{"type":"string","enum":["holds","expired","conflicts"]},`+limitPart("20")+`,`+cursorPart),
		output: object(`"catalog","total","models","nextCursor"`,
			catalogPart+`,"total":{"type":"integer"},"models":{"type":"array","items":`+
				object(`"key","id","revision","quantization","runtimes","observations","holding","conflicts","lastSeen"`,
					`"key":{"type":"string"},"id":{"type":"string"},"revision":`+textOrNull+`,"quantization":`+textOrNull+
						`,"runtimes":`+texts+
						`,"observations":{"type":"integer"},"holding":{"type":"integer"},"conflicts":{"type":"integer"},`+
						`"lastSeen":{"type":"string"}`)+
				`},"nextCursor":`+textOrNull+`,"notes":`+texts),
		call: a.listModels,
	}
}

func (a *Agent) getModelTool() tool {
	return tool{
		name: "get_model", title: "Look at one model",
		description: `Says what is known of one model: each fact with its state, value, unit, dates and address, or ` +
			`each group of samples. Example: {"model":"acme/atlas","key":"price.output"}`,
		input: object(`"model"`,
			`"model":{"type":"string","description":"Id or key; a unique beginning will do."},"key":{"type":"string"},`+
				`"detail":{"type":"string","enum":["facts","samples","observations"]},`+limitPart("20")+`,`+cursorPart),
		output: object(`"catalog","model","total","entries","nextCursor"`, catalogPart+`,"model":`+
			object(`"key","id","revision","quantization"`,
				`"key":{"type":"string"},"id":{"type":"string"},"revision":`+textOrNull+`,"quantization":`+textOrNull)+
			`,"total":{"type":"integer"},"entries":`+anything+`,"nextCursor":`+textOrNull),
		call: a.getModel,
	}
}

func (a *Agent) rankTool(requestPart string) tool {
	return tool{
		name: "rank", title: "Rank candidates",
		description: `Chooses among candidates on the evidence of the catalog: the answer in sentences, those that meet ` +
			`the requirements by score, and those that do not with the reasons. A question finds its candidates itself. ` +
			`full gives the whole result. Example: {"request":{"maximize":["tickets.solved"],` +
			`"atMost":{"price.output":"5/M"},"runtimes":["acme"]}}`,
		input: object(`"request"`,
			requestPart+`,"full":{"type":"boolean","description":"Whether to give the whole result."},`+
				limitPart("10 candidates of a question, and all of a request")+`,`+cursorPart),
		output: `{"type":"object","properties":{"answer":{"anyOf":[{"type":"object","description":"Whom to take and why,` +
			` in sentences."},{"type":"null"}]},"catalog":{"type":"object"},"ranked":` + anything + `,"excluded":` + anything +
			`,"sha256":{"type":"string","description":"Of the whole result."},"nextCursor":` + textOrNull + `,"notes":` +
			texts + `},"required":["catalog","ranked","excluded"]}`,
		call: a.rank,
	}
}

func (a *Agent) diffTool(requestPart string) tool {
	return tool{
		name: "diff", title: "Show what changed",
		description: `Shows what changed since an older catalog: models, facts, samples and contradictions, and how a ` +
			`request is answered differently. Example: {"only":["facts"],"limit":10}`,
		input: object(``, `"only":{"type":"array","items":{"type":"string","enum":["conflicts","facts","models",`+
			`"rankings","samples"]},"description":"Kinds of changes; all without it."},`+
			`"model":{"type":"string","description":"Id or key of the one model to look at; a unique beginning will do."},`+
			requestPart+`,`+limitPart("20 entries")),
		output: diffPart,
		call:   a.diff,
	}
}

func (a *Agent) explainTool(requestPart string) tool {
	return tool{
		name: "explain", title: "Explain one candidate",
		description: `Shows how one candidate came out, criterion by criterion down to the observations and their ` +
			`evidence. Take the request as you gave it to rank, and candidateId of its answer. Example: ` +
			`{"request":{"maximize":["tickets.solved"],"runtimes":["acme"]},"candidate":"atlas"}`,
		input: object(`"request","candidate"`,
			requestPart+`,"candidate":{"type":"string","description":"The id of a candidate."}`),
		output: explanationPart,
		call:   a.explain,
	}
}

func (a *Agent) listKeys(_ context.Context, arguments []byte) (any, error) {
	var in struct {
		Query, Model, Cursor string
		Limit                *whole
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
	p, err := cut(found, in.Cursor, limit, a.catalog.Digest())
	return struct {
		Catalog    reference   `json:"catalog"`
		Total      int         `json:"total"`
		Keys       []*keyRow   `json:"keys"`
		NextCursor record.Text `json:"nextCursor"`
		Notes      []string    `json:"notes,omitempty"`
	}{a.reference(), len(found), p.items, p.next, noteAbsence(len(found), "key", in.Query, v3.SimilarKeys,
		a.index.keyNames())}, err
}

func (a *Agent) listModels(_ context.Context, arguments []byte) (any, error) {
	var in struct {
		Query, Runtime, Key, State, Cursor string
		Limit                              *whole
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
	if in.Runtime != "" {
		if err := a.index.runtime(in.Runtime, "$.runtime"); err != nil {
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
		if has(m.ID, in.Query) && isIn(m) && (in.Runtime == "" || m.at[in.Runtime]) && (in.Key == "" || m.keys[in.Key]) {
			found = append(found, m)
		}
	}
	p, err := cut(found, in.Cursor, limit, a.catalog.Digest())
	return struct {
		Catalog    reference   `json:"catalog"`
		Total      int         `json:"total"`
		Models     []*modelRow `json:"models"`
		NextCursor record.Text `json:"nextCursor"`
		Notes      []string    `json:"notes,omitempty"`
	}{a.reference(), len(found), p.items, p.next, noteAbsence(len(found), "model", in.Query, spelling.Similar,
		a.index.modelIDs())}, err
}

// factEntry is a slot in an answer.
type factEntry struct {
	Key          string               `json:"key"`
	Execution    json.RawMessage      `json:"execution"`
	Task         json.RawMessage      `json:"task"`
	State        string               `json:"state"`
	Values       []record.StatedValue `json:"values"`
	ObservedAt   string               `json:"observedAt"`
	ValidUntil   record.Text          `json:"validUntil"`
	EvidenceURI  record.Text          `json:"evidenceUri"`
	Observations int                  `json:"observations"`
}

// samplesEntry is a sample group in an answer.
type samplesEntry struct {
	Key       string          `json:"key"`
	Execution json.RawMessage `json:"execution"`
	Family    record.Text     `json:"family"`
	Suite     record.Text     `json:"suite"`
	record.SampleSummary
}

func (a *Agent) getModel(_ context.Context, arguments []byte) (any, error) {
	var in struct {
		Model, Key, Detail, Cursor string
		Limit                      *whole
	}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := within(in.Limit, 20)
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
	list, err := a.details(entry, in.Detail, in.Key)
	if err != nil {
		return nil, err
	}
	p, err := cut(list, in.Cursor, limit, a.catalog.Digest())
	id := &entry.Identity
	return struct {
		Catalog    reference   `json:"catalog"`
		Model      any         `json:"model"`
		Total      int         `json:"total"`
		Entries    []any       `json:"entries"`
		NextCursor record.Text `json:"nextCursor"`
	}{a.reference(), struct {
		Key          string      `json:"key"`
		ID           string      `json:"id"`
		Revision     record.Text `json:"revision"`
		Quantization record.Text `json:"quantization"`
	}{entry.Key, id.ID, record.Text(id.Revision), record.Text(id.Quantization)}, len(list), p.items, p.next}, err
}

// details returns the facts, the sample groups or the observations of a model, of one key or of
// all.
func (a *Agent) details(entry *catalog.ModelEntry, detail, key string) (list []any, err error) {
	m := compare.NewReader().Read(entry.Observations)
	view := m.At(a.catalog.AsOf())
	switch detail {
	case "", "facts":
		for _, s := range byKey(m.Slots, func(s *compare.Slot) string { return s.MeasurementKey }) {
			if key == "" || s.MeasurementKey == key {
				list = append(list, factOf(view, s))
			}
		}
	case "samples":
		for _, g := range byKey(m.Groups, func(g *compare.Group) string { return g.MeasurementKey }) {
			if key == "" || g.MeasurementKey == key {
				list = append(list, samplesEntry{g.MeasurementKey, json.RawMessage(m.Executions[g.Execution].JSON),
					record.Text(g.Family), record.Text(g.Suite), view.Aggregate(g)})
			}
		}
	case "observations":
		for _, o := range entry.Observations {
			if measures(o, key) {
				list = append(list, json.RawMessage(o.JSON()))
			}
		}
	default:
		return nil, &refusal{invalidArgument, "$.detail", "must be facts, samples or observations"}
	}
	return list, nil
}

// byKey returns slots or groups by their keys, and as they were where they have one.
func byKey[T any](list []T, key func(*T) string) []*T {
	sorted := make([]*T, len(list))
	for i := range list {
		sorted[i] = &list[i]
	}
	slices.SortStableFunc(sorted, func(a, b *T) int { return canonical.CompareText(key(a), key(b)) })
	return sorted
}

func measures(o catalog.Observation, key string) bool {
	return key == "" || slices.ContainsFunc(o.Record().Measurements,
		func(m record.Measurement) bool { return m.Key == key })
}

func factOf(view *compare.View, s *compare.Slot) factEntry {
	facts := view.Facts(s)
	values := compare.DistinctValues(facts)
	e := factEntry{Key: s.MeasurementKey, Execution: json.RawMessage(view.Executions[s.Execution].JSON),
		Task:  json.RawMessage(view.Tasks[s.Task].JSON),
		State: view.State(s), Values: values[:min(len(values), mostTexts)], Observations: len(facts)}
	endless := false
	for _, f := range facts {
		o := &view.Observations[f.Observation]
		e.ObservedAt = max(e.ObservedAt, string(o.Freshness.ObservedAt))
		e.ValidUntil = max(e.ValidUntil, record.Text(o.Freshness.ValidUntil))
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
