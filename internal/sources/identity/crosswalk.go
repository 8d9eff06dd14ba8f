package identity

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/service/record"
)

// Crosswalk is a list of models by the names that they have somewhere.
type Crosswalk struct {
	record.CrosswalkReference

	entries []entry
}

// entry is a model with its names.
type entry struct {
	model   string // its id, where a person decided; "" for what its names say
	id      string // what the crosswalk calls it
	seller  string // whose names these are; "" for names that tell the maker
	names   []string
	weights string // the name of its weights; "" if it has none
	reasons bool
	trust   int // the lower counts
}

// The trust in names: the makers' own and those of a list that is kept in order, and those
// that any seller writes.
const (
	orderly   = 2
	anySeller = 3
)

func newCrosswalk(source, body string) *Crosswalk {
	return &Crosswalk{CrosswalkReference: record.CrosswalkReference{SourceID: source, SHA256: canonical.SumText(body)}}
}

// FromOpenRouter makes a crosswalk of an answer of the models API. Variants and
// aliases are not in it.
func FromOpenRouter(body string) (*Crosswalk, error) {
	v, err := ijson.ReadValue(body, problem.InvalidSourceSnapshot)
	if err != nil {
		return nil, err
	}
	c := newCrosswalk(openrouter.Source, body)
	data, _ := v.Get("data")
	for _, row := range data.Items {
		id, slug, weights := text(row, "id"), text(row, "canonical_slug"), text(row, "hugging_face_id")
		alias, isAlias := row.Get("alias_target")
		if id == "" || strings.Contains(id, ":") || strings.HasPrefix(id, "~") || isAlias && alias.Kind != 'n' {
			continue
		}
		e := entry{id: id, names: []string{id}, weights: weights}
		if slug != "" && slug != id {
			e.names = append(e.names, slug)
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

// makers are the providers of models.dev that sell their own models.
var makers = []string{
	"alibaba", "anthropic", "cohere", "deepseek", "google", "inception", "minimax", "mistral", "moonshotai", "openai",
	"perplexity",
	"stepfun", "xai", "xiaomi", "zai",
}

// router is the provider of models.dev whose ids are those of OpenRouter.
const router = "openrouter"

// FromModelsDev makes a crosswalk of a tree of models.dev. Most the files of models/ count,
// then what the makers' own providers call their models, then OpenRouter's ids, then all others.
func FromModelsDev(body string) (*Crosswalk, error) {
	names, err := modelsdev.Names(body)
	if err != nil {
		return nil, err
	}
	c := newCrosswalk(modelsdev.Source, body)
	for _, n := range names {
		switch {
		case n.Provider == "":
			c.entries = append(c.entries, entry{id: n.ID, names: []string{n.ID}, reasons: n.Reasons})
		case slices.Contains(makers, n.Provider) && !strings.Contains(n.ID, "/"):
			id := n.Provider + "/" + n.ID
			c.entries = append(c.entries, entry{id: id, names: []string{id}, reasons: n.Reasons, trust: 1})
		case n.Provider == router:
			c.entries = append(c.entries, entry{id: n.ID, names: []string{n.ID}, reasons: n.Reasons, trust: orderly})
		default:
			c.entries = append(c.entries, entry{id: n.Provider + "/" + n.ID, seller: n.Runtime, names: []string{n.ID},
				reasons: n.Reasons, trust: anySeller})
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
	c := newCrosswalk(text(v, "source"), body)
	entries, _ := v.Get("entries")
	for _, m := range entries.Members {
		model, _ := m.Value.Get("model")
		id := model.Text
		if model.Kind == '{' {
			id = text(model, "id")
		}
		if id != "" {
			c.entries = append(c.entries, entry{model: id, id: m.Name, names: []string{m.Name}})
		}
	}
	return c, nil
}
