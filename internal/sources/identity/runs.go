package identity

import (
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// runDays is how long a run of one's own is valid where no mapping says it.
const runDays = 365

// MapRuns returns the mapping of runs of one's own of which nobody decided anything: each is the
// model that the rules of names read, else that of the name as it is, for a year.
func MapRuns(a sources.Adapter, m *sources.Manifest, files []sources.File, decided resolver.Decisions) (problem.Source,
	error) {
	mapping := problem.Source{Name: "default mapping"}
	labels, err := a.Labels(m, files)
	if err != nil {
		return mapping, err
	}
	names, err := resolver.New()
	if err != nil {
		return mapping, err
	}
	if decided != nil {
		names = names.With(decided)
	}
	proposals := Propose(a.Source(), labels, nil, names)
	entries, err := proposals.Accepted([]string{"all"})
	if err != nil {
		return mapping, err
	}
	for _, open := range proposals.Open {
		model := ijson.Member{Name: "model", Value: ijson.Value{Kind: '"', Text: open.Row}}
		entries[open.Row] = ijson.Value{Kind: '{', Members: []ijson.Member{model}}
	}
	end := ""
	for _, f := range files {
		e := sources.ReadEnvelope(f.Envelope.Text)
		end = max(end, e.FetchedAt)
	}
	mapping.Text, err = sources.AddEntries(a, problem.Source{}, entries, "", timestamp.AddHours(end, runDays*24))
	return mapping, err
}
