package offer

import "strings"

// NamedProvider is a provider with the name that a source has for it.
type NamedProvider struct {
	Name string
	Provider
}

// Providers returns the providers that sell as a runtime, by the source's names of
// them: those of the table in its order, and the runtime's own name if that leads to
// it. Of names that are patterns it returns none.
func (t *Runtimes) Providers(runtime string) (list []NamedProvider) {
	own := true
	for _, e := range t.entries {
		if e.Runtime == runtime && !strings.HasSuffix(e.name, "*") {
			list = append(list, NamedProvider{e.name, e.Provider})
			own = own && e.name != runtime
		}
	}
	if p := t.Provider(runtime); own && p.Runtime == runtime {
		list = append(list, NamedProvider{runtime, p})
	}
	return list
}
