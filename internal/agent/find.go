package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file finds models, what is known of them, and keys.

// findArguments are those of find.
type findArguments struct {
	Query, Model, Key, Runtime, By, State string
	AtLeast, AtMost, Require              json.RawMessage
	Evidence                              bool
	page
}

func (a *Agent) find(ctx context.Context, arguments []byte) (any, error) {
	var in findArguments
	if err := decodeList(arguments, &in, &in.page); err != nil {
		return nil, err
	}
	if err := cmp.Or(a.index.hasKey(in.Key, "$.key"), a.index.runtime(in.Runtime, "$.runtime")); err != nil {
		return nil, err
	}
	models, assumptions, err := a.chooseModels(ctx, &in)
	if err != nil {
		return nil, err
	}
	out := a.newAnswer()
	out.Assumptions = assumptions
	var rows [][]any
	switch {
	case in.By == "key":
		rows = a.keyRows(out, &in)
	case in.By != "" && in.By != "model":
		return nil, &refusal{invalidArgument, "$.by", "must be model or key"}
	case in.Model != "" || in.Key != "" || in.State != "":
		if rows, err = a.measurementRows(ctx, out, &in, models); err != nil {
			return nil, err
		}
	default:
		rows = modelRows(out, models, in.Cursor == "")
	}
	if len(rows) == 0 && in.Query != "" && in.By == "" {
		out.Answer = []string{"No model has the words of " + quote(in.Query) +
			offer(spelling.Similar, in.Query, a.index.modelIDs()) + "."}
	}
	return out, out.cut(rows, in.page)
}

// chooseModels chooses models by name, provider and key, and by the bounds of a question, whose
// candidates are those that meet them.
func (a *Agent) chooseModels(ctx context.Context, in *findArguments) (list []*modelRow, assumptions []string,
	err error) {
	named := map[string]bool{}
	if in.Model != "" {
		models, err := a.findModels(in.Model, "$.model")
		if err != nil {
			return nil, nil, err
		}
		for _, m := range models {
			named[m.Key] = true
		}
	}
	fitting, assumptions, err := a.meeting(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range a.index.models {
		if (in.Model == "" || named[m.Key]) && has(m.Identity.ID, in.Query) && m.isAt(in.Runtime) && m.hasKey(in.Key) &&
			(fitting == nil || fitting[m.Identity]) {
			list = append(list, m)
		}
	}
	return list, assumptions, nil
}

// meeting returns the models that meet bounds, nil if there are none.
func (a *Agent) meeting(ctx context.Context, in *findArguments) (map[record.Model]bool, []string, error) {
	members := map[string]json.RawMessage{"atLeast": in.AtLeast, "atMost": in.AtMost, "require": in.Require}
	isBounded := false
	for _, value := range members {
		isBounded = isBounded || !isAbsent(value)
	}
	if !isBounded {
		return nil, nil, nil
	}
	if in.Runtime != "" {
		members["runtimes"], _ = json.Marshal([]string{in.Runtime}) // a text
	}
	q, err := a.readAsked(&asking{}, members)
	if err != nil {
		return nil, nil, err
	}
	r, err := a.evaluate(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	fitting := map[record.Model]bool{}
	for _, c := range r.Outcomes() {
		if c.Rank != nil {
			fitting[c.Model] = true
		}
	}
	return fitting, a.assume(q), nil
}

// modelRows lists models, with counts of who makes and sells them and of what is known of them.
func modelRows(out *answer, models []*modelRow, withFacets bool) (rows [][]any) {
	out.Columns = []string{"model", "runtimes", "keys", "last seen"}
	makers, runtimes, known := map[string]int{}, map[string]int{}, map[string]int{}
	for _, m := range models {
		if maker := m.maker(); maker != "" {
			makers[maker]++
		}
		for _, runtime := range m.runtimes {
			runtimes[runtime]++
		}
		for key := range m.keys {
			if !strings.HasPrefix(key, "offer.") { // which all have, and which price tells
				known[key]++
			}
		}
		rows = append(rows, []any{m.Identity.Name(), listed(m.runtimes), len(m.keys), day(m.lastSeen)})
	}
	if withFacets && len(models) > 1 {
		out.Facets = map[string]map[string]int{"maker": most(makers), "runtime": most(runtimes), "key": most(known)}
	}
	return rows
}

// most returns the largest counts.
func most(counts map[string]int) map[string]int {
	const few = 8
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], canonical.CompareText(a, b))
	})
	for _, name := range names[min(few, len(names)):] {
		delete(counts, name)
	}
	return counts
}

// listed names a few of some names.
func listed(names []string) string {
	const few = 4
	if more := len(names) - few; more > 0 {
		return strings.Join(names[:few], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// day is the day of a timestamp.
func day(timestamp string) string {
	text, _, _ := strings.Cut(timestamp, "T")
	return text
}

// keyRows lists keys, with what the dictionary says of them.
func (a *Agent) keyRows(out *answer, in *findArguments) (rows [][]any) {
	out.Columns = []string{"key", "name", "better", "models", "values"}
	dictionary := keys.Default()
	for _, k := range a.index.keys() {
		name, better := "", ""
		if about := keys.Find(dictionary, k.MeasurementKey); about != nil {
			name, better = string(about.Name), string(about.Direction)
		}
		if !has(k.MeasurementKey+" "+name, in.Query) || !has(k.MeasurementKey, in.Key) {
			continue
		}
		var values []string
		for _, r := range k.Ranges {
			low, unit := quantity.Text(r.Low, string(r.Unit))
			high, _ := quantity.Text(r.High, string(r.Unit))
			values = append(values, strings.TrimSpace(low+" to "+high+" "+unit))
		}
		for i := range k.Values {
			values = append(values, statedText(&k.Values[i]))
		}
		rows = append(rows, []any{k.MeasurementKey, name, better, k.Models, listed(values)})
	}
	if len(rows) == 0 {
		out.Answer = []string{"No key has the words of " + quote(in.Query) +
			offer(v3.SimilarKeys, in.Query, a.index.keyNames) + "."}
	}
	return rows
}

// measurementRows lists what was stated and measured of models.
func (a *Agent) measurementRows(ctx context.Context, out *answer, in *findArguments, models []*modelRow) (
	[][]any, error) {
	out.Columns = []string{"model", "key", "runs", "value", "state", "seen", "valid until", "sources"}
	opts := contents.Options{Key: in.Key}
	switch in.State {
	case "", "any":
	case "expired":
		opts.Stale = true
	case "conflict":
		opts.Conflicts = true
	default:
		return nil, &refusal{invalidArgument, "$.state", "must be expired or conflict"}
	}
	entries := make([]*catalog.ModelEntry, len(models))
	for i, m := range models {
		entries[i] = m.ModelEntry
	}
	list, err := contents.Measurements(ctx, a.catalog, entries, opts)
	if err != nil && list == nil {
		return nil, err
	}
	var rows [][]any
	for i := range list.Models {
		m := &list.Models[i]
		for k := range m.Measurements {
			s := &m.Measurements[k]
			if !isOf(s.Execution.Runtime.ID, in.Runtime) && s.Execution.Runtime.ID != "" {
				continue
			}
			rows = append(rows, measurementRow(m.Identity.Name(), s, in.Evidence))
		}
	}
	return rows, nil
}

func measurementRow(model string, s *record.MeasurementSummary, withEvidence bool) []any {
	var values []string
	for i := range s.Values {
		values = append(values, statedText(&s.Values[i]))
	}
	text := strings.Join(values, " or ")
	if s.Aggregate != nil {
		text = compare.SampleText(s.Aggregate)
	}
	var seen, until string
	sources := strings.Join(s.Sources, ", ")
	if len(s.Observations) > 0 {
		newest := &s.Observations[0]
		seen, until = day(string(compare.SeenAt(newest))), day(string(newest.ValidUntil))
		for _, e := range newest.Evidence {
			if withEvidence && e.URI != "" {
				sources = string(e.URI)
				break
			}
		}
	}
	return []any{model, s.MeasurementKey, compare.Runs(s.Execution), text, s.State, seen, until, sources}
}

// statedText is a value with its unit.
func statedText(v *record.StatedValue) string {
	text, unit := compare.ValueText(*v)
	return strings.TrimSpace(text + " " + unit)
}
