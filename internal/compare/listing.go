package compare

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// Listing is a model at a runtime that the execution scope of one of its facts
// names.
type Listing struct {
	Runtime  string
	LocalIDs []string // what the runtime calls the model, sorted
}

// RowReader returns the local id in the row id of a price source: what stands in
// the evidence id <source>:<row id>#<member>. It reports false for a source whose
// rows are not what a runtime sells. Only the sources know how they name rows.
type RowReader func(source, row, runtime string) (localID string, ok bool)

// Listings returns the listings of the model with this id, by runtime. The local
// ids are those of the rows that its facts come from, whether they hold or have
// expired. If there is none, it is the model id without its runtime and a slash, if
// it begins so and the rest has no slash, else the model id.
func (m *Model) Listings(modelID string, localID RowReader) []Listing {
	type name struct{ runtime, localID string } // the empty one says that there is a listing
	var names []name
	seen := make([]bool, len(m.Observations))
	var evidence []record.EvidenceLink
	var last [3]string // source, row and runtime: many facts come from one row
	for _, slot := range m.Slots {
		runtime := m.Executions[slot.Execution].Runtime.ID
		if runtime == "" {
			continue
		}
		if n := len(names); n == 0 || names[n-1].runtime != runtime {
			names = append(names, name{runtime, ""})
		}
		for _, fact := range slot.Facts {
			if seen[fact.Observation] {
				continue
			}
			seen[fact.Observation] = true
			evidence = m.Observations[fact.Observation].AppendEvidence(evidence[:0])
			for _, e := range evidence {
				source, row, ok := RowOf(e.ID)
				this := [3]string{source, row, runtime}
				if !ok || this == last {
					continue
				}
				last = this
				if id, ok := localID(source, row, runtime); ok {
					names = append(names, name{runtime, id})
				}
			}
		}
	}
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(canonical.CompareText(a.runtime, b.runtime), canonical.CompareText(a.localID, b.localID))
	})
	names = slices.Compact(names)
	listings := []Listing{}
	for _, n := range names {
		if n.localID == "" {
			listings = append(listings, Listing{n.runtime, nil})
			continue
		}
		last := &listings[len(listings)-1]
		last.LocalIDs = append(last.LocalIDs, n.localID)
	}
	for i := range listings {
		if l := &listings[i]; l.LocalIDs == nil {
			l.LocalIDs = []string{cmp.Or(withoutRuntime(modelID, l.Runtime), modelID)}
		}
	}
	return listings
}

// RowOf takes an evidence id <source>:<row id>#<member> apart.
func RowOf(evidence string) (source, row string, ok bool) {
	source, rest, ok := strings.Cut(evidence, ":")
	end := strings.LastIndexByte(rest, '#')
	if !ok || end <= 0 {
		return "", "", false
	}
	return source, rest[:end], true
}

// withoutRuntime returns what follows the runtime and a slash, "" if the model id
// does not begin so or more than a name follows.
func withoutRuntime(modelID, runtime string) string {
	rest, ok := strings.CutPrefix(modelID, runtime+"/")
	if !ok || strings.Contains(rest, "/") {
		return ""
	}
	return rest
}

// PlainProfile is the execution profile that says nothing but the runtime.
func PlainProfile(runtime string) record.Profile {
	return record.Profile{Runtime: record.Component{ID: runtime}, ToolSurface: []string{}}
}

// AnyRuntime is the runtime of candidates of which nothing says how they are run.
const AnyRuntime = "any"

// Candidate is a way to run a model that a rank request can ask about.
type Candidate struct {
	ID        string
	Model     record.Model
	Execution record.Profile
	IsOffer   bool // see [Offers]
}

// Candidates returns the candidates of a catalog for a set of measurement keys. Of
// each model these are the distinct exact executions of observations that measure
// one of the keys; if there is none, the plain profile of each of its listings; if
// there is none either, that of [AnyRuntime].
//
// The id of a candidate is its model id. Where several share that, # and a number
// follows it: from 1 in the order of their canonical JSON, leaving out those that
// make the id of a model of the catalog. What no rank request can hold, for a text
// of more than 256 bytes, is no candidate. Candidates are in the order of model id,
// then of the model's key, then of their own canonical JSON.
func Candidates(c *catalog.Catalog, keys []string) []Candidate {
	return named(c, candidates(c, keys, func(m *catalog.ModelEntry, wanted map[string]bool,
		records *catalog.RecordReader) []namedCandidate {
		return candidatesOf(m, wanted, false, records)
	}))
}

// named returns candidates with the numbers that they need.
func named(c *catalog.Catalog, all []namedCandidate) []Candidate {
	taken := map[string]bool{}
	for i := range c.Models() {
		taken[c.Models()[i].Identity.ID] = true
	}
	number(all, taken)
	out := make([]Candidate, 0, len(all))
	for _, n := range all {
		if fits(n.ID) {
			out = append(out, n.Candidate)
		}
	}
	return out
}

// CandidatesOfEach returns what Candidates and Offers return for any of the keys, without
// numbers. Some may be there twice.
func CandidatesOfEach(c *catalog.Catalog, keys []string) []Candidate {
	all := candidates(c, keys, func(m *catalog.ModelEntry, wanted map[string]bool,
		records *catalog.RecordReader) []namedCandidate {
		return append(candidatesOf(m, wanted, true, records), offersOf(m, wanted, c.AsOf(), records)...)
	})
	out := make([]Candidate, len(all))
	for i := range all {
		out[i] = all[i].Candidate
	}
	return out
}

// candidates returns the candidates that a rule finds of all models, without numbers.
func candidates(c *catalog.Catalog, keys []string, find func(m *catalog.ModelEntry, wanted map[string]bool,
	records *catalog.RecordReader) []namedCandidate) (all []namedCandidate) {
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[key] = true
	}
	entries := slices.Clone(c.Models())
	slices.SortStableFunc(entries, func(a, b catalog.ModelEntry) int {
		return canonical.CompareText(a.Identity.ID, b.Identity.ID)
	})
	records := catalog.NewRecordReader()
	for i := range entries {
		if m := &entries[i]; fits(m.Identity.ID, string(m.Identity.Revision), string(m.Identity.Quantization)) {
			all = append(all, find(m, wanted, records)...)
		}
	}
	return all
}

// namedCandidate is a candidate with the canonical JSON that numbers go by.
type namedCandidate struct {
	Candidate
	json string
}

// candidatesOf returns the candidates of one model for the wanted keys together, or for
// each of them.
func candidatesOf(m *catalog.ModelEntry, wanted map[string]bool, ofEach bool,
	records *catalog.RecordReader) []namedCandidate {
	exact, plain := map[string]record.Profile{}, map[string]record.Profile{}
	exactly := map[string]bool{} // the wanted keys that an exact execution has
	add := func(to map[string]record.Profile, p *record.Profile) {
		var e canonical.Encoder
		catalog.EncodeProfile(&e, p)
		if _, known := to[string(e.Buf)]; !known {
			kept := *p
			kept.ToolSurface = append([]string{}, p.ToolSurface...)
			to[string(e.Buf)] = kept
		}
	}
	for _, o := range m.Observations {
		rec := records.Read(o)
		isExact := rec.Execution.Kind == record.ScopeExact
		measures, hasFact := false, false
		for i := range rec.Measurements {
			if key := rec.Measurements[i].Key; wanted[key] {
				measures = true
				if isExact && !exactly[key] {
					exactly[strings.Clone(key)] = true
				}
			}
			hasFact = hasFact || rec.Measurements[i].Kind == record.Fact
		}
		if measures && isExact {
			add(exact, &rec.Execution.Profile)
		}
		if hasFact && rec.Execution.Kind != "" {
			p := PlainProfile(rec.Execution.Runtime.ID)
			add(plain, &p)
		}
	}
	if len(exactly) == 0 || ofEach && len(exactly) < len(wanted) {
		if len(plain) == 0 {
			p := PlainProfile(AnyRuntime)
			add(plain, &p)
		}
		maps.Copy(exact, plain)
	}
	list := make([]namedCandidate, 0, len(exact))
	for json, profile := range exact {
		if profileFits(&profile) {
			list = append(list, namedCandidate{Candidate{m.Identity.ID, m.Identity, profile, false}, `{"execution":` + json +
				`,"model":` + m.IdentityJSON + `}`})
		}
	}
	sortByJSON(list)
	return list
}

func sortByJSON(list []namedCandidate) {
	slices.SortFunc(list, func(a, b namedCandidate) int { return canonical.CompareText(a.json, b.json) })
}

// number numbers candidates that share an id.
func number(all []namedCandidate, taken map[string]bool) {
	byID := map[string][]*namedCandidate{}
	for i := range all {
		id := all[i].ID
		taken[id] = true
		byID[id] = append(byID[id], &all[i])
	}
	for i := range all {
		order := byID[all[i].ID]
		if len(order) < 2 {
			continue // or numbered already
		}
		slices.SortFunc(order, func(a, b *namedCandidate) int { return canonical.CompareText(a.json, b.json) })
		last := 0
		for _, c := range order {
			id := c.ID
			for c.ID == id || taken[c.ID] {
				last++
				c.ID = id + "#" + strconv.Itoa(last)
			}
		}
	}
}

// fits reports whether rank requests can hold the texts.
func fits(texts ...string) bool {
	const most = 256 // bytes, as rank requests have it
	return !slices.ContainsFunc(texts, func(s string) bool { return len(s) > most })
}

func profileFits(p *record.Profile) bool {
	return fits(p.ToolSurface...) && fits(p.Runtime.ID, string(p.Runtime.Version), p.Adapter.ID, string(p.Adapter.Version),
		p.Hardware.Class, string(p.Hardware.Accelerator), p.Workflow.ID, string(p.Workflow.Version),
		string(p.Workflow.Condition))
}
