package offer

import (
	_ "embed" // for the table
	"math"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// RuntimesVersion is the version of the table of runtimes. Another table is
// another version, since ids of offers follow from it.
const RuntimesVersion = "runtimes/v1"

//go:embed runtimes.json
var runtimesJSON string

// RuntimesJSON returns the table of runtimes as it is packaged.
func RuntimesJSON() string { return runtimesJSON }

// Runtimes is the table of which runtime a provider is, by the names that one
// price source has for providers. What it does not list is named by the source's
// own name, in lower case, with hyphens for underscores. Regions are runtimes of
// their own.
type Runtimes struct{ entries []NamedProvider }

// Provider is what the table says of a provider.
type Provider struct {
	Runtime string
	Prefix  string // before the slash in ids, where a source writes ids with a prefix
	place   int    // in the table
}

// NamedProvider is a provider with the name that a source has for it. In the table, a
// name that ends with * stands for all that begin so.
type NamedProvider struct {
	Name string
	Provider
}

// ReadRuntimes returns the part of the packaged table that is about a source.
func ReadRuntimes(source string) *Runtimes {
	t := &Runtimes{}
	r := ijson.NewReader(runtimesJSON, problem.InvalidSourceSnapshot)
	table := ReadJSON(r)
	for _, row := range table.Get("runtimes").Items {
		names := row.Get(source)
		if names == nil {
			continue
		}
		for _, item := range names.Items {
			e := NamedProvider{item.Get("provider").Text, Provider{Runtime: row.Get("id").Text, place: len(t.entries)}}
			e.Prefix = e.Name
			if prefix := item.Get("prefix"); prefix != nil {
				e.Prefix = prefix.Text
			}
			t.entries = append(t.entries, e)
		}
	}
	return t
}

// Provider returns what a provider is, by the source's name of it.
func (t *Runtimes) Provider(name string) Provider {
	for _, e := range t.entries {
		start, isPattern := strings.CutSuffix(e.Name, "*")
		if name == e.Name || isPattern && strings.HasPrefix(name, start) {
			return e.Provider
		}
	}
	return Provider{
		Runtime: strings.ReplaceAll(strings.ToLower(name), "_", "-"),
		Prefix:  strings.Clone(name),
		place:   math.MaxInt,
	}
}

// Entries returns what the table lists, in its order.
func (t *Runtimes) Entries() []NamedProvider { return t.entries }

// Providers returns the providers that sell as a runtime, by the source's names of
// them: those of the table in its order, and the runtime's own name if that leads to
// it. Of names that are patterns it returns none.
func (t *Runtimes) Providers(runtime string) (list []NamedProvider) {
	own := true
	for _, e := range t.entries {
		if e.Runtime == runtime && !strings.HasSuffix(e.Name, "*") {
			list = append(list, e)
			own = own && e.Name != runtime
		}
	}
	if p := t.Provider(runtime); own && p.Runtime == runtime {
		list = append(list, NamedProvider{runtime, p})
	}
	return list
}
