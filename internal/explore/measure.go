package explore

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file asks what candidates have of keys, by rank requests whose preferences have no weight:
// the page evaluates nothing by rules of its own.

// series is a key, a task family, empty for every task, and an aggregation.
type series struct {
	key, family, aggregation string
	transfer, resolve        []string
}

// measured is what a candidate has of a series.
type measured struct {
	Status   string
	Value    record.Scalar
	Unit     record.Text
	Estimate *v3.Estimate
}

// statusPresent is that of a value that is there.
const statusPresent = "ok"

// shownJSON is a preference as rank requests have it.
type shownJSON struct {
	ID             string            `json:"id"`
	MeasurementKey string            `json:"measurementKey"`
	Aggregation    string            `json:"aggregation"`
	Direction      string            `json:"direction"`
	Weight         float64           `json:"weight"` // 0: shown, not scored
	Task           map[string]string `json:"task,omitempty"`
	Transfer       []string          `json:"transfer,omitempty"`
	Resolve        []string          `json:"resolve,omitempty"`
}

type candidateJSON struct {
	ID        string          `json:"id"`
	Model     record.Model    `json:"model"`
	Execution json.RawMessage `json:"execution"`
}

// measure tells what candidates have of each series, by their places in both lists.
func measure(ctx context.Context, ranker *v3.Ranker, candidates []compare.Candidate, list []series,
	told func(candidate, series int, v measured)) error {
	const candidatesAtOnce, seriesAtOnce = 1024, 8
	for start := 0; start < len(candidates); start += candidatesAtOnce {
		some := make([]candidateJSON, 0, candidatesAtOnce)
		for i := start; i < min(start+candidatesAtOnce, len(candidates)); i++ {
			var e canonical.Encoder
			catalog.EncodeProfile(&e, &candidates[i].Execution)
			some = append(some, candidateJSON{strconv.Itoa(i), candidates[i].Model, e.Buf})
		}
		for first := 0; first < len(list); first += seriesAtOnce {
			part := list[first:min(first+seriesAtOnce, len(list))]
			if err := measureSome(ctx, ranker, some, part, func(candidate, k int, v measured) {
				told(candidate, first+k, v)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func measureSome(ctx context.Context, ranker *v3.Ranker, candidates []candidateJSON, list []series,
	told func(candidate, series int, v measured)) error {
	shown, used := make([]shownJSON, len(list)), []json.RawMessage{}
	for i, s := range list {
		shown[i] = shownJSON{Direction: "maximize", ID: "value" + strconv.Itoa(i), MeasurementKey: s.key,
			Aggregation: s.aggregation, Transfer: s.transfer, Resolve: s.resolve}
		if k := keys.Find(keys.Default(), s.key); k != nil && k.Key == s.key {
			used = append(used, ijson.MustWriteTagged(k))
		}
		if s.family != "" {
			shown[i].Task = map[string]string{"family": s.family}
		}
	}
	request, err := v3.ReadRequest(problem.Source{Text: string(canonical.MustMarshal(map[string]any{
		"schemaVersion": v3.RequestSchema, "inventory": candidates, "preferences": shown, "minimumCoverage": 0,
		"keys": used,
	}))})
	if err != nil {
		return err
	}
	result, err := ranker.Rank(ctx, request, 0)
	if err != nil {
		return err
	}
	places := make([]int, len(list)) // of the series, by criterion
	for i, c := range result.Criteria() {
		if places[i], err = strconv.Atoi(strings.TrimPrefix(c.ID, "value")); err != nil {
			return err
		}
	}
	for _, outcome := range result.Outcomes() {
		candidate, err := strconv.Atoi(outcome.CandidateID)
		if err != nil {
			return err
		}
		for i, cell := range outcome.Cells {
			told(candidate, places[i], measured{cell.Status, cell.Value, record.Text(cell.Unit), cell.Estimate})
		}
	}
	return nil
}

// lent returns a series that is carried over to offers: over all but the condition, as drafts do.
func (s series) lent() series {
	if s.aggregation != string(record.Fact) {
		s.transfer, s.resolve = v3.DraftTransfer(), v3.DraftResolve()
	}
	return s
}

// harnessesOf names what samples of some keys were measured with: nothing if some model has samples
// and facts of them in one place, so that nothing has to be lent.
func harnessesOf(c *catalog.Catalog, rows map[string]*row, wanted []string, always bool) []string {
	names := map[string]bool{}
	records := catalog.NewRecordReader()
	for i := range c.Models() {
		cells := rows[c.Models()[i].Identity.Name()].Cells
		if slices.ContainsFunc(wanted, func(key string) bool { return cells[key] == nil }) {
			continue
		}
		facts, samples, ran := map[string]bool{}, []string{}, []string{}
		isEverywhere := false
		for _, o := range c.Models()[i].Observations {
			rec := records.Read(o)
			for k := range rec.Measurements {
				switch m := &rec.Measurements[k]; {
				case !slices.Contains(wanted, m.Key):
				case m.Kind == record.Fact:
					runtime, isAlone := rec.Execution.RuntimeAlone()
					isEverywhere = isEverywhere || !isAlone || runtime == ""
					facts[strings.Clone(runtime)] = true
				default:
					samples = append(samples, strings.Clone(rec.Execution.Runtime.ID))
					ran = append(ran, strings.Clone(harness(&rec.Execution)))
				}
			}
		}
		if len(facts) == 0 || len(samples) == 0 {
			continue
		}
		if !always && (isEverywhere || slices.ContainsFunc(samples, func(id string) bool { return id == "" || facts[id] })) {
			return nil
		}
		for _, name := range ran {
			names[name] = true
		}
	}
	return sortedTexts(names)
}

// harness is what a benchmark was run with.
func harness(s *record.Scope) string {
	for _, id := range []string{s.Adapter.ID, s.Workflow.ID, s.Runtime.ID} {
		if id != "" {
			return id
		}
	}
	return "nobody knows what"
}
