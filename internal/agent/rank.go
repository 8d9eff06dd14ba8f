package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the tools that choose: rank, explain, compare and price.

// evaluate ranks the candidates of a request.
func (a *Agent) evaluate(ctx context.Context, q *asked) (*v3.Ranking, error) {
	const most = 16 << 20 // bytes of a result that is told in short
	ranker, err := a.ranker()
	if err != nil {
		return nil, err
	}
	r, err := ranker.Rank(ctx, q.Request, most)
	if _, isTooLarge := errors.AsType[*rank.TooLargeError](err); isTooLarge {
		return nil, tooLarge(most, "name fewer candidates or criteria")
	}
	return r, err
}

func (a *Agent) rank(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		asking
		page
		Excluded bool
	}
	q, r, err := a.ask(ctx, arguments, &in, &in.asking)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	out := a.newAnswer()
	if out.Assumptions = a.assume(q); !r.IsEarlier() {
		said := r.Answer()
		out.Answer = slices.Concat(said.Choice, said.Changes)
		out.Assumptions = slices.Concat(said.Notes, out.Assumptions)
	}
	rows := rankedRows(out, r, runtimesOf(q))
	if in.Excluded || len(rows) == 0 {
		rows = excludedRows(out, r)
	}
	return out, out.cut(rows, in.page)
}

// ask reads the arguments of a call that asks for a ranking, and ranks.
func (a *Agent) ask(ctx context.Context, arguments []byte, in any, of *asking) (*asked, *v3.Ranking, error) {
	members, err := decode(arguments, in, questionMembers...)
	if err != nil {
		return nil, nil, err
	}
	q, err := a.readAsked(of, members)
	if err != nil {
		return nil, nil, err
	}
	r, err := a.evaluate(ctx, q)
	return q, r, err
}

// runtimesOf returns where the candidates of a request run, by id.
func runtimesOf(q *asked) map[string]string {
	runtimes := map[string]string{}
	for _, c := range q.Candidates() {
		runtimes[c.ID] = c.Execution.Runtime.ID
	}
	return runtimes
}

// rankedRows lists the candidates that are ranked, with what they have under each criterion.
func rankedRows(out *answer, r *v3.Ranking, runtimes map[string]string) (rows [][]any) {
	out.Columns = []string{"rank", "may be", "candidate", "model", "runtime"}
	criteria := r.Criteria()
	var shown []int
	for i := range criteria {
		c := &criteria[i]
		name := cmp.Or(c.MeasurementKey, c.ID)
		if name == v3.CostID {
			name = "a task"
		}
		if !slices.Contains(out.Columns, name) {
			out.Columns, shown = append(out.Columns, name), append(shown, i)
		}
	}
	for _, c := range r.Outcomes() {
		if c.Rank == nil {
			break // the others follow
		}
		may := ""
		if c.RankInterval != nil {
			may = strconv.Itoa(c.RankInterval.Low) + " to " + strconv.Itoa(c.RankInterval.High)
		}
		row := []any{*c.Rank, may, c.CandidateID, c.Model.Name(), runtimes[c.CandidateID]}
		for _, i := range shown {
			text := ""
			if cell := c.Cells[i]; cell != nil {
				text = estimatedText(&cell.Value, cell.Unit, cell.Estimate)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

// excludedRows lists the candidates that are excluded, with the reasons.
func excludedRows(out *answer, r *v3.Ranking) (rows [][]any) {
	out.Columns = []string{"candidate", "model", "excluded because"}
	for _, c := range r.Outcomes() {
		if c.Rank == nil {
			rows = append(rows, []any{c.CandidateID, c.Model.Name(), strings.Join(c.Shortfalls, "; ")})
		}
	}
	return rows
}

// estimatedText is a value with its interval; empty if there is none.
func estimatedText(v *record.Scalar, unit string, e *v3.Estimate) string {
	if v == nil || v.Kind == 0 {
		return ""
	}
	text := statedText(&record.StatedValue{Value: *v, Unit: record.Text(unit)})
	if e == nil || e.Low == nil || e.High == nil || *e.Low == *e.High {
		return text
	}
	const digits = 3
	return text + " (" + quantity.RoundedPhrase(*e.Low, unit, digits) + " to " +
		quantity.RoundedPhrase(*e.High, unit, digits) + ")"
}

// explain says how one candidate came out: by default in a row for each criterion, and in full as
// the record of it.
func (a *Agent) explain(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		asking
		Candidate string
		Full      bool
	}
	q, r, err := a.ask(ctx, arguments, &in, &in.asking)
	if err != nil {
		return nil, err
	}
	x, err := r.Explain(ctx, in.Candidate)
	if unknown, isUnknown := errors.AsType[*v3.UnknownCandidateError](err); isUnknown {
		return nil, &refusal{unknownName, "$.candidate", unknown.Error()}
	} else if err != nil {
		return nil, err
	}
	if in.Full {
		text, err := canonical.Marshal(x)
		if err == nil && len(text) > MaxAnswer {
			err = tooLarge(len(text), "leave full out, or criteria out of the question")
		}
		return json.RawMessage(text), err
	}
	out := a.newAnswer("role", "criterion", "status", "value", "weight", "adds to the score", "entries", "seen",
		"evidence")
	out.Assumptions = a.assume(q)
	out.Answer = placementText(x, r)
	rows := [][]any{}
	for i := range x.Criteria {
		rows = append(rows, criterionRow(&x.Criteria[i]))
	}
	return out, out.cut(rows, page{Limit: new(whole(maxLimit))})
}

// placementText says where a candidate ended, or why it is excluded.
func placementText(x *v3.Explanation, r *v3.Ranking) []string {
	for _, c := range r.Outcomes() {
		switch {
		case c.CandidateID != x.Candidate.ID:
		case c.Rank == nil:
			return c.Shortfalls
		case c.RankInterval == nil:
			return []string{"Rank " + strconv.Itoa(*c.Rank) + "."}
		default:
			return []string{"Rank " + strconv.Itoa(*c.Rank) + ", which may be " + strconv.Itoa(c.RankInterval.Low) + " to " +
				strconv.Itoa(c.RankInterval.High) + "; score " + quantity.Rounded(c.Score.Value, 3) + "."}
		}
	}
	return nil
}

func criterionRow(c *v3.ExplainedCriterion) []any {
	var seen, address string
	if len(c.Entries) > 0 {
		seen = day(c.Entries[0].ObservedAt)
		for _, e := range c.Entries[0].Evidence {
			address = cmp.Or(address, string(e.URI))
		}
	}
	rounded := func(f *float64) any {
		if f == nil {
			return ""
		}
		return json.Number(canonical.AppendNumber(nil, *f))
	}
	return []any{c.Role, cmp.Or(string(c.MeasurementKey), c.Criterion), c.Status,
		estimatedText(c.Value, string(c.Unit), c.Estimate), rounded(c.Weight), rounded(c.Contribution), c.EntryCount, seen,
		address}
}

// sellers are the arguments about some models, where they run and what they are to do.
type sellers struct {
	Models, Runtimes texts
	Tokens, Cached   string
	Requests         *whole
}

// compare holds a few models against each other.
func (a *Agent) compare(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		sellers
		page
		Key string
	}
	err := decodeList(arguments, &in, &in.page)
	if err != nil {
		return nil, err
	}
	const most = 6
	if len(in.Models) < 2 || len(in.Models) > most {
		return nil, &refusal{invalidArgument, "$.models", "must be a list of 2 to 6 models; price looks at one, rank at more"}
	}
	ask := v3.HeadToHead{Runtimes: in.Runtimes}
	if ask.Tokens, err = readTask(in.Tokens, in.Cached, in.Requests); err != nil {
		return nil, err
	}
	for i, name := range in.Models {
		id, condition, _ := strings.Cut(name, "@")
		models, err := a.findModels(name, "$.models["+strconv.Itoa(i)+"]")
		if err != nil && condition != "" {
			if models, err = a.findModels(id, "$.models["+strconv.Itoa(i)+"]"); err == nil {
				condition = "@" + condition
			}
		} else {
			condition = ""
		}
		if err != nil {
			return nil, err
		}
		ask.Models = append(ask.Models, models[0].Identity.ID+condition)
	}
	ranker, err := a.ranker()
	if err != nil {
		return nil, err
	}
	c, err := v3.Compare(ctx, a.catalog, ranker, ask)
	if absent, ok := errors.AsType[*v3.AbsentError](err); ok {
		return nil, a.refuse(absent, "$."+absent.What+"s")
	} else if err != nil {
		return nil, err
	}
	out := a.newAnswer("key")
	out.Answer, out.Assumptions = c.Answer, slices.Concat(c.Notes, v3.Shortcomings(a.build))
	return out, out.cut(comparedRows(out, c, in.Key), in.page)
}

// comparedRows lists what the candidates of a comparison have, key by key.
func comparedRows(out *answer, c *record.Comparison, key string) (rows [][]any) {
	runtimes, costs := []any{"runtime"}, []any{"a task"}
	for i := range c.Candidates {
		one := &c.Candidates[i]
		cost := ""
		if one.USDPerTask.Known {
			cost = quantity.RoundedPhrase(one.USDPerTask.Value, "USD", 3)
		}
		out.Columns = append(out.Columns, one.CandidateID)
		runtimes, costs = append(runtimes, string(one.Runtime)), append(costs, cost)
	}
	out.Columns = append(out.Columns, "shown")
	if key == "" {
		rows = append(rows, append(runtimes, ""), append(costs, ""))
	}
	for _, k := range slices.Concat(c.Measured, c.Stated) {
		if !has(k.MeasurementKey, key) {
			continue
		}
		row := []any{k.MeasurementKey}
		for i := range k.Values {
			v := &k.Values[i]
			var values []string
			for n := range v.Values {
				values = append(values, estimatedText(&v.Values[n].Value, string(v.Values[n].Unit), v.Estimate))
			}
			row = append(row, cmp.Or(strings.Join(values, " or "), v.Status))
		}
		rows = append(rows, append(row, string(k.Verdict)))
	}
	return rows
}

// price says what a task costs at everybody who sells some models, the cheapest first.
func (a *Agent) price(ctx context.Context, arguments []byte) (any, error) {
	var in struct {
		sellers
		page
	}
	err := decodeList(arguments, &in, &in.page)
	if err != nil {
		return nil, err
	}
	opts := contents.CostOptions{Runtimes: in.Runtimes}
	if opts.Task, err = readTask(in.Tokens, in.Cached, in.Requests); err != nil {
		return nil, err
	}
	if len(in.Models) == 0 {
		return nil, &refusal{invalidArgument, "$.models", "is missing"}
	}
	var entries []*catalog.ModelEntry
	for i, name := range in.Models {
		models, err := a.findModels(name, "$.models["+strconv.Itoa(i)+"]")
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		entries = append(entries, models...)
	}
	for i, name := range in.Runtimes {
		if err := a.index.runtime(name, "$.runtimes["+strconv.Itoa(i)+"]"); err != nil {
			return nil, err
		}
	}
	table, err := contents.Costs(ctx, a.catalog, entries, opts)
	if err != nil {
		return nil, err
	}
	out := a.newAnswer("model", "runtime", "a task", "all tasks", "prices", "call it as", "valid until")
	out.Assumptions = slices.Concat(table.Notes, v3.Shortcomings(a.build))
	calls := a.callsOf(entries)
	rows := [][]any{}
	for i := range table.Offers {
		rows = append(rows, offerRow(&table.Offers[i], calls))
	}
	for i := range table.Unpriced {
		u := &table.Unpriced[i]
		rows = append(rows, []any{u.Model.Name(), string(u.Runtime), u.Reason + ": price of " + u.Part, "", "", "", ""})
	}
	return out, out.cut(rows, in.page)
}

func offerRow(o *record.OfferCost, calls map[offerOf]string) []any {
	dollars := func(i *record.Interval) string {
		const digits = 3
		if i == nil {
			return ""
		}
		text := quantity.RoundedPhrase(i.Low, "USD", digits)
		if i.High > i.Low {
			text += " to " + quantity.RoundedPhrase(i.High, "USD", digits)
		}
		return text
	}
	var prices []string
	for i := range o.Prices {
		low, unit := quantity.Text(o.Prices[i].USDPerToken.Low, "USD/token")
		prices = append(prices, o.Prices[i].Part+" "+low+" "+unit)
	}
	return []any{o.Model.Name(), string(o.Runtime), dollars(&o.USDPerTask), dollars(o.USDTotal),
		strings.Join(prices, ", "), calls[offerOf{o.Model, string(o.Runtime)}], day(string(o.ValidUntil))}
}

// offerOf is a model at a runtime.
type offerOf struct {
	model   record.Model
	runtime string
}

// callsOf returns the local ids of models at their runtimes.
func (a *Agent) callsOf(entries []*catalog.ModelEntry) map[offerOf]string {
	calls := map[offerOf]string{}
	reader := compare.NewReader()
	for _, entry := range entries {
		view := reader.Glance(entry.Observations).At(a.catalog.AsOf())
		for i := range view.Slots {
			s := &view.Slots[i]
			runtime, isAlone := view.Executions[s.Execution].RuntimeAlone()
			for _, f := range s.Facts {
				if of := (offerOf{entry.Identity, runtime}); isAlone && s.MeasurementKey == record.OfferID &&
					view.Holds[f.Observation] && calls[of] == "" {
					calls[of] = strings.Clone(f.Value.Text)
				}
			}
		}
	}
	return calls
}
