package build

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

// This file says which models the labels of leaderboards are.

// rules are the versions of the rules that a build goes by, sorted.
func rules() []string {
	list := []string{offer.RuleV2, offer.RuntimesVersion, resolver.Version}
	slices.Sort(list)
	return list
}

// identifier names the models of the recipe's lists.
type identifier struct {
	isRead     bool
	crosswalks []*identity.Crosswalk
}

// crosswalks returns the lists of names, made of the newest body of each list that has any.
func (b *build) crosswalks() ([]*identity.Crosswalk, error) {
	x := &b.identify
	if x.isRead {
		return x.crosswalks, nil
	}
	x.isRead = true
	for _, source := range []string{modelsdev.Source, openrouter.Source} {
		i := slices.IndexFunc(b.parts, func(p *part) bool { return p.ID == source })
		if i < 0 || len(b.parts[i].bodies) == 0 {
			continue
		}
		newest := b.parts[i].bodies[len(b.parts[i].bodies)-1]
		src, err := newest.file.Load()
		if err != nil {
			return nil, err
		}
		read := identity.FromOpenRouter
		if source == modelsdev.Source {
			read = identity.FromModelsDev
		}
		c, err := read(src.Text)
		if err != nil {
			return nil, err
		}
		x.crosswalks = append(x.crosswalks, c)
	}
	return x.crosswalks, nil
}

// identifyLabels returns a mapping of the rows of a leaderboard: what a person decided, and of
// the other rows all that the rules propose. What stays open goes into the build record.
func (b *build) identifyLabels(p *part, decided problem.Source) (m problem.Source, err error) {
	if p.MappedOnly {
		return decided, nil
	}
	crosswalks, err := b.crosswalks()
	if err != nil {
		return m, err
	}
	var read []sources.File
	seenAt := ""
	for _, one := range p.bodies {
		read = append(read, one.file)
		seenAt = max(seenAt, one.envelope.FetchedAt)
	}
	labels, err := p.adapter.Labels(b.Manifest, read)
	if err != nil {
		return m, err
	}
	undecided, err := sources.Undecided(p.adapter, labels, decided)
	if err != nil {
		return m, err
	}
	names, err := resolver.New()
	if err != nil {
		return m, err
	}
	if b.decided != nil {
		names = names.With(b.decided)
	}
	proposals := identity.Propose(p.ID, undecided, crosswalks, names)
	for _, one := range proposals.Proposals {
		p.built.Joined[one.Rule]++
	}
	entries, err := proposals.Accepted([]string{"all"})
	if err != nil {
		return m, err
	}
	runtime, until := recipe.Runtime(p.ID), recipe.ValidUntil(seenAt)
	if decided.Text != "" {
		runtime, until = "", "" // as it says
	}
	m = problem.Source{Name: "the mapping of " + p.ID}
	if m.Text, err = sources.AddEntries(p.adapter, decided, entries, runtime, until); err != nil {
		return m, err
	}
	p.built.Unknown, err = b.unknownRows(p, proposals.Open, runtime, until)
	return m, err
}

// unknownRows returns the rows that are no model, with what their leaderboard says of them: the
// best of the first key first.
func (b *build) unknownRows(p *part, open []record.OpenIdentity, runtime, until string) ([]record.UnknownRow, error) {
	entries := map[string]ijson.Value{}
	for _, one := range open {
		model := ijson.Member{Name: "model", Value: ijson.Value{Kind: '"', Text: "unknown/" + canonical.SumText(one.Row)}}
		entries[one.Row] = ijson.Value{Kind: '{', Members: []ijson.Member{model}}
	}
	if len(open) == 0 || runtime == "" {
		return nil, nil
	}
	text, err := sources.AddEntries(p.adapter, problem.Source{}, entries, runtime, until)
	if err != nil {
		return nil, err
	}
	request := sources.Request{Manifest: b.Manifest, Mapping: problem.Source{Name: "unknown", Text: text}}
	for _, one := range p.bodies {
		request.Snapshots = append(request.Snapshots, one.file)
	}
	result, err := p.adapter.Import(request)
	if err != nil {
		return nil, err
	}
	means := map[string]map[string]*mean{} // by model and key
	for _, o := range result.Observations {
		rec := o.Record()
		of := means[rec.Model.ID]
		if of == nil {
			of = map[string]*mean{}
			means[rec.Model.ID] = of
		}
		for _, x := range rec.Measurements {
			if x.Kind == record.Sample && x.Value.Kind == '0' {
				if of[x.Key] == nil {
					of[x.Key] = &mean{}
				}
				of[x.Key].add(x.Value.Float())
			}
		}
	}
	var rows []record.UnknownRow
	for _, one := range open {
		row := record.UnknownRow{Row: one.Row, Label: one.Label, Reason: one.Reason}
		of := means["unknown/"+canonical.SumText(one.Row)]
		for _, key := range sortedKeys(of) {
			if i := strings.LastIndexByte(key, '.'); i >= 0 && of[key[:i]] != nil {
				continue // how sure that value is
			}
			row.Values = append(row.Values, record.UnknownValue{Key: key, Value: of[key].value()})
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b record.UnknownRow) int { return byBest(&a, &b) })
	return rows, nil
}

// byBest orders rows by the first value that they have, the higher first, those without one last.
func byBest(a, b *record.UnknownRow) int {
	switch {
	case len(a.Values) == 0 || len(b.Values) == 0:
		return len(b.Values) - len(a.Values)
	case a.Values[0].Key != b.Values[0].Key:
		return canonical.CompareText(a.Values[0].Key, b.Values[0].Key)
	case a.Values[0].Value != b.Values[0].Value:
		if a.Values[0].Value > b.Values[0].Value {
			return -1
		}
		return 1
	}
	return 0
}

// mean is the mean of numbers.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(f float64)  { m.sum, m.n = m.sum+f, m.n+1 }
func (m *mean) value() float64 { return m.sum / float64(m.n) }
