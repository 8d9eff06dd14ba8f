package identity

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
)

// Crosswalk is a list of models by the names that they have somewhere.
type Crosswalk struct {
	SourceID string `json:"sourceId"`
	SHA256   string `json:"sha256"`

	entries []entry
	bases   map[string]string // models of the rows of price sources, by runtime and local id
}

// entry is a model with its names.
type entry struct {
	model   string
	id      string   // what the crosswalk calls it
	names   []string // in normal form
	weights string   // the name of its weights, in normal form; "" if it has none
	reasons bool
}

// FromOpenRouter makes a crosswalk of an answer of the models API. Variants and
// aliases are not in it.
func FromOpenRouter(body string) (*Crosswalk, error) {
	v, err := ijson.ReadValue(body, problem.InvalidSourceSnapshot)
	if err != nil {
		return nil, err
	}
	c := &Crosswalk{SourceID: openrouter.Source, SHA256: canonical.SumText(body)}
	data, _ := v.Get("data")
	for _, row := range data.Items {
		id, slug, weights := text(row, "id"), text(row, "canonical_slug"), text(row, "hugging_face_id")
		alias, isAlias := row.Get("alias_target")
		if id == "" || strings.Contains(id, ":") || strings.HasPrefix(id, "~") || isAlias && alias.Kind != 'n' {
			continue
		}
		e := entry{model: id, id: id, names: []string{afterSlash(id)}, weights: normalForm(weights[strings.LastIndexByte(weights, '/')+1:])}
		if name := afterSlash(slug); slug != "" && !datesDiffer(e.names[0], name) && name != e.names[0] {
			e.names = append(e.names, name)
		}
		parameters, _ := row.Get("supported_parameters")
		e.reasons = slices.ContainsFunc(parameters.Items, func(p ijson.Value) bool { return p.Text == "reasoning" })
		c.entries = append(c.entries, e)
	}
	return c, nil
}

func text(v ijson.Value, name string) string {
	m, _ := v.Get(name)
	if m.Kind != '"' {
		return ""
	}
	return m.Text
}

func afterSlash(id string) string {
	_, name, ok := strings.Cut(id, "/")
	if !ok {
		name = id
	}
	return normalForm(name)
}

// datesDiffer reports whether two names end in dates that are not the same day.
func datesDiffer(a, b string) bool {
	_, x, isDated := cutDate(a)
	_, y, isOtherDated := cutDate(b)
	return isDated && isOtherDated && !x.agrees(y)
}

// makers are the providers of models.dev that sell their own models.
var makers = []string{
	"alibaba", "anthropic", "cohere", "deepseek", "google", "inception", "minimax", "mistral", "moonshotai", "openai", "perplexity",
	"stepfun", "xai", "xiaomi", "zai",
}

// FromModelsDev makes a crosswalk of a tree of models.dev: the files of models/, and
// what the makers' own providers call models that these lack.
func FromModelsDev(body string) (*Crosswalk, error) {
	names, err := modelsdev.Names(body)
	if err != nil {
		return nil, err
	}
	c := &Crosswalk{SourceID: modelsdev.Source, SHA256: canonical.SumText(body), bases: map[string]string{}}
	known := map[string]bool{}
	for _, n := range names {
		if n.Provider == "" {
			name := afterSlash(n.ID)
			known[name] = true
			c.entries = append(c.entries, entry{model: n.ID, id: n.ID, names: []string{name}, reasons: n.Reasons})
		}
	}
	for _, n := range names {
		if n.Provider == "" {
			continue
		}
		if n.Base != "" {
			c.bases[n.Runtime+"\t"+n.ID] = n.Base
		}
		if name := normalForm(n.ID); slices.Contains(makers, n.Provider) && !strings.Contains(n.ID, "/") && !known[name] {
			model := n.Base
			if model == "" {
				model = n.Provider + "/" + n.ID
			}
			c.entries = append(c.entries, entry{model: model, id: n.Provider + "/" + n.ID, names: []string{name}, reasons: n.Reasons})
		}
	}
	return c, nil
}

// FromMapping makes a crosswalk of a mapping: its rows, standing for their models.
func FromMapping(body string) (*Crosswalk, error) {
	v, err := ijson.ReadValue(body, problem.InvalidSourceSnapshot)
	if err != nil {
		return nil, err
	}
	c := &Crosswalk{SourceID: text(v, "source"), SHA256: canonical.SumText(body)}
	entries, _ := v.Get("entries")
	for _, m := range entries.Members {
		model, _ := m.Value.Get("model")
		id := model.Text
		if model.Kind == '{' {
			id = text(model, "id")
		}
		if id != "" {
			c.entries = append(c.entries, entry{model: id, id: m.Name, names: []string{normalForm(m.Name)}})
		}
	}
	return c, nil
}
