package sqlite_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/exporttest"
	"github.com/model-catalog-service/svc/internal/export/sqlite"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// examples are the observations that come with the project, and some with slots in every
// state.
func examples(t testing.TB) *catalog.Catalog {
	t.Helper()
	var sources []string
	files, err := filepath.Glob("../../../examples/observations/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			for line := range strings.Lines(string(text)) {
				list = append(list, json.RawMessage(line))
			}
		}
		for _, doc := range list {
			sources = append(sources, string(doc))
		}
	}
	c, _, err := catalog.Compile(t.Context(), sources, catalog.Options{AsOf: "2026-12-01T00:00:00.000Z", Dedupe: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open writes a catalog into a file and opens it.
func open(t testing.TB, c *catalog.Catalog) (*sql.DB, string) {
	t.Helper()
	var database bytes.Buffer
	if _, err := sqlite.Write(t.Context(), c, &database); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "catalog.db")
	if err := os.WriteFile(name, database.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, name
}

// rows returns what a query gives, a text for each row.
func rows(t testing.TB, db *sql.DB, query string) (list []string) {
	t.Helper()
	for _, cells := range table(t, db, query) {
		list = append(list, strings.Join(cells, "|"))
	}
	return list
}

// table returns what a query gives, by row and column; null is -.
func table(t testing.TB, db *sql.DB, query string) (list [][]string) {
	t.Helper()
	found, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer found.Close()
	columns, _ := found.Columns()
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, v := range values {
			switch v := v.(type) {
			case nil:
				texts = append(texts, "-")
			case int64:
				texts = append(texts, strconv.FormatInt(v, 10))
			case float64:
				texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64))
			case string:
				texts = append(texts, v)
			}
		}
		list = append(list, texts)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// The same catalog gives the same bytes, and the database is sound.
func TestDatabase(t *testing.T) {
	c := examples(t)
	var first, second bytes.Buffer
	if _, err := sqlite.Write(t.Context(), c, &first); err != nil {
		t.Fatal(err)
	}
	report, err := sqlite.Write(t.Context(), c, &second)
	if err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the second time the bytes are others: %v", err)
	}
	if report.Exported.Rows != c.Observations() {
		t.Errorf("%d rows of %d observations", report.Exported.Rows, c.Observations())
	}
	db, _ := open(t, c)
	for query, want := range map[string]string{"PRAGMA integrity_check": "ok", "PRAGMA user_version": "1", "SELECT digest FROM catalog": c.Digest()} {
		if got := rows(t, db, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v", query, got)
		}
	}
	if got := rows(t, db, "PRAGMA foreign_key_check"); got != nil {
		t.Errorf("foreign keys: %v", got)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// A writer that fails, and a context that ends, end the writing; of nothing nothing is
// written.
func TestWriteEnds(t *testing.T) {
	c := examples(t)
	full := errors.New("the disk is full")
	if _, err := sqlite.Write(t.Context(), c, failing{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Write(ctx, c, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	empty, _, err := catalog.Compile(t.Context(), nil, catalog.Options{AsOf: c.AsOf()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Write(t.Context(), empty, failing{full}); !errors.Is(err, export.ErrNothing) {
		t.Errorf("an empty catalog: %v", err)
	}
}

// The observations made again from the tables have the ids that they had.
func TestObservationsComeBack(t *testing.T) {
	t.Run("examples", func(t *testing.T) { demandObservations(t, examples(t)) })
	t.Run("real files", func(t *testing.T) {
		vectortest.SkipLong(t)
		for _, f := range exporttest.Files(t, "") {
			t.Run(f.Name, func(t *testing.T) { demandObservations(t, exporttest.Catalog(t, f)) })
		}
	})
}

// So do texts that would do something where they are not taken as data.
func TestHostileTexts(t *testing.T) {
	demandObservations(t, comparetest.Compile(t, "2026-06-02T00:00:00.000Z", comparetest.Hostile()...))
}

func demandObservations(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	db, _ := open(t, c)
	measured, witnessed := measurements(t, db), evidence(t, db)
	text := func(v sql.NullString) string { return v.String }
	count := func(v sql.NullInt64) record.Count { return record.Count{N: uint64(v.Int64), Known: v.Valid} }
	texts := func(json string) (list []string) { return decodeTexts(t, json) }
	found, err := db.Query(`SELECT o.id, m.id, m.revision, m.quantization, o.kind,
		e.kind, e.runtime, e.runtime_version, e.adapter, e.adapter_version, e.context_tokens, e.tools, e.hardware, e.accelerator, e.memory_bytes, e.workflow, e.workflow_version, e.workflow_condition,
		t.family, t.suite, t.task, t.evaluator, t.evaluator_version,
		o.outcome, o.outcome_reason, o.source_class, o.observed_at, o.valid_until, o.uncertainty, o.basis, o.gaps,
		o.input_tokens, o.output_tokens, o.reasoning_tokens, o.total_tokens, o.model_calls, o.wall_time_ms, o.usage_completeness
		FROM observations o JOIN models m ON m.key = o.model LEFT JOIN executions e ON e.key = o.execution LEFT JOIN tasks t ON t.key = o.task`)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	n := 0
	for ; found.Next(); n++ {
		var (
			s                                   [40]sql.NullString
			context, memory, in, out, reason    sql.NullInt64
			total, calls, wall                  sql.NullInt64
			rec                                 record.Observation
			id, kind, basis, gaps, level, class string
			observed                            string
		)
		if err := found.Scan(&id, &s[0], &s[1], &s[2], &kind, &s[3], &s[4], &s[5], &s[6], &s[7], &context, &s[8], &s[9], &s[10], &memory, &s[11], &s[12], &s[13],
			&s[14], &s[15], &s[16], &s[17], &s[18], &s[19], &s[20], &class, &observed, &s[21], &level, &basis, &gaps,
			&in, &out, &reason, &total, &calls, &wall, &s[22]); err != nil {
			t.Fatal(err)
		}
		rec.Kind, rec.SourceClass = kind, class
		rec.Model = record.Model{ID: text(s[0]), Revision: record.Text(text(s[1])), Quantization: record.Text(text(s[2]))}
		rec.Execution = record.Scope{Kind: text(s[3]), Profile: record.Profile{
			Runtime: record.Component{ID: text(s[4]), Version: record.Text(text(s[5]))}, Adapter: record.Component{ID: text(s[6]), Version: record.Text(text(s[7]))},
			EffectiveContextTokens: count(context), Hardware: record.Hardware{Class: text(s[9]), Accelerator: record.Text(text(s[10])), MemoryBytes: count(memory)},
			Workflow: record.Workflow{ID: text(s[11]), Version: record.Text(text(s[12])), Condition: record.Text(text(s[13]))}}}
		if s[8].Valid {
			rec.Execution.ToolSurface = texts(s[8].String)
		}
		rec.Task = record.Task{Family: text(s[14]), Suite: record.Text(text(s[15])), TaskID: record.Text(text(s[16])), Evaluator: record.Component{ID: text(s[17]), Version: record.Text(text(s[18]))}}
		rec.Outcome = record.Outcome{Status: text(s[19]), Reason: record.Text(text(s[20]))}
		rec.Freshness = record.Freshness{ObservedAt: record.Timestamp(observed), ValidUntil: record.Timestamp(text(s[21]))}
		rec.Uncertainty = record.Uncertainty{Level: level, Basis: texts(basis), Gaps: texts(gaps)}
		rec.Usage = record.Usage{InputTokens: count(in), OutputTokens: count(out), ReasoningTokens: count(reason), TotalTokens: count(total),
			Completeness: text(s[22]), ModelCalls: count(calls), WallTimeMs: count(wall)}
		rec.Measurements, rec.Evidence = measured[id], witnessed[id]
		if o, err := catalog.NewBuilder().Build(&rec); err != nil || o.ID() != id {
			t.Errorf("%s comes back as %s: %v", id, o.JSON(), err)
		}
	}
	if err := found.Err(); err != nil || n != c.Observations() {
		t.Errorf("%d of %d observations: %v", n, c.Observations(), err)
	}
}

func decodeTexts(t testing.TB, text string) (list []string) {
	t.Helper()
	list = []string{}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// measurements returns those of each observation, by its id.
func measurements(t testing.TB, db *sql.DB) map[string][]record.Measurement {
	t.Helper()
	all := map[string][]record.Measurement{}
	for _, cells := range table(t, db, "SELECT observation, kind, key, type, value, coalesce(unit, '') FROM measurements") {
		m := record.Measurement{Kind: cells[1], Key: cells[2], Unit: cells[5]}
		switch cells[3] {
		case "text":
			m.Value = record.Scalar{Kind: '"', Text: cells[4]}
		case "number":
			m.Value = record.Scalar{Kind: '0', Text: cells[4]}
		default:
			m.Value = record.Scalar{Kind: map[string]byte{"1": 't', "0": 'f'}[cells[4]]}
		}
		all[cells[0]] = append(all[cells[0]], m)
	}
	return all
}

// evidence returns that of each observation, by its id.
func evidence(t testing.TB, db *sql.DB) map[string][]record.Evidence {
	t.Helper()
	all := map[string][]record.Evidence{}
	for _, cells := range table(t, db, "SELECT observation, id, kind, coalesce(uri, ''), coalesce(sha256, ''), observed_at FROM evidence") {
		all[cells[0]] = append(all[cells[0]], record.Evidence{ID: cells[1], Kind: cells[2], URI: record.Text(cells[3]), Digest: record.SHA256(cells[4]), ObservedAt: record.Timestamp(cells[5])})
	}
	return all
}

// The view of facts has the states that a fresh evaluation gives.
func TestFactsView(t *testing.T) {
	c := examples(t)
	db, _ := open(t, c)
	var want []string
	for _, entry := range c.Models() {
		m := compare.NewReader().Read(entry.Observations)
		view := m.At(c.AsOf())
		for i := range m.Slots {
			want = append(want, strings.Join([]string{entry.Identity.ID, m.Slots[i].MeasurementKey, string(view.State(&m.Slots[i]))}, "|"))
		}
	}
	got := rows(t, db, "SELECT model, key, state FROM facts")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("facts are %q, want %q", got, want)
	}
	for _, view := range []string{"samples", "prices", "contradictions", "expiring"} {
		if len(rows(t, db, "SELECT * FROM "+view)) == 0 && view != "contradictions" {
			t.Errorf("%s is empty", view)
		}
	}
}

// Whatever is said, the views of facts and samples tell what a fresh evaluation gives:
// what it does not know is null.
func TestViewsAgree(t *testing.T) {
	vectortest.SkipRace(t)
	rnd := rand.New(rand.NewPCG(5, 8))
	for range 40 {
		c := comparetest.Compile(t, comparetest.May31, comparetest.Random(rnd, 1+rnd.IntN(30))...)
		db, _ := open(t, c)
		var facts, samples []string
		number := func(n record.Float) string {
			if !n.Known {
				return "-"
			}
			return fmt.Sprintf("%.12g", n.Value)
		}
		cell := func(text string) string { return cmp.Or(text, "-") }
		for _, entry := range c.Models() {
			view := compare.NewReader().Read(entry.Observations).At(c.AsOf())
			for i := range view.Slots {
				s := &view.Slots[i]
				value, unit, said := "-", "", view.Facts(s)
				if view.State(s) == compare.StateValue {
					value, unit = said[0].Value.Text, said[0].Unit
					switch said[0].Value.Kind {
					case 't':
						value = "1"
					case 'f':
						value = "0"
					case '0':
						value = number(record.NewFloat(said[0].Value.Float()))
					}
				}
				facts = append(facts, fmt.Sprint(entry.Identity.Name(), " ", s.MeasurementKey, " ", cell(view.Executions[s.Execution].Runtime.ID), " ", view.State(s), " ", value, " ", cell(unit), " ", len(said)))
			}
			for i := range view.Groups {
				g := &view.Groups[i]
				if a := view.Aggregate(g); a.N > 0 {
					samples = append(samples, fmt.Sprint(entry.Identity.Name(), " ", g.MeasurementKey, " ", cell(g.Family), cell(g.Suite), " ", a.N, cell(string(a.Unit)), " ",
						number(a.Mean), " ", number(a.Min), " ", number(a.Max), " ", number(a.SuccessRate)))
				}
			}
		}
		name := `model || iif(revision IS NULL, '', '@' || revision) || iif(quantization IS NULL, '', ' ' || quantization) || ' ' || key || ' '`
		show := func(column string) string {
			return "coalesce(iif(typeof(" + column + ") IN ('real', 'integer'), printf('%.12g', " + column + "), " + column + "), '-')"
		}
		for query, want := range map[string][]string{
			"SELECT " + name + " || coalesce(runtime, '-') || ' ' || state || ' ' || " + show("value") + " || ' ' || coalesce(unit, '-') || ' ' || observations FROM facts":                                                                                          facts,
			"SELECT " + name + " || coalesce(family, '-') || coalesce(suite, '-') || ' ' || n || coalesce(unit, '-') || ' ' || " + show("mean") + " || ' ' || " + show("min") + " || ' ' || " + show("max") + " || ' ' || " + show("success_rate") + " FROM samples": samples,
		} {
			got := rows(t, db, query)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("%d rows, want %d: %q, want %q", len(got), len(want), got[i], want[i])
					}
				}
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
		}
	}
}

// queries are those of the page about exporting.
func queries(t *testing.T) (list []string) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/exporting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(page), "```sql\n")[1:] {
		query, _, _ := strings.Cut(block, "```")
		list = append(list, query)
	}
	if len(list) != 10 {
		t.Errorf("%d queries, there are ten", len(list))
	}
	return list
}

// Every query of the page about exporting finds something in a catalog that has what it
// asks for.
func TestQueriesOfThePage(t *testing.T) {
	at := func(key string, value any, unit, until string) comparetest.Statement {
		return comparetest.Statement{ID: "zhipuai/glm-5.2", Execution: comparetest.At("shop"), Measurements: []any{comparetest.Fact(key, value, unit)}, Until: until, URI: "https://shop.example"}
	}
	db, _ := open(t, comparetest.Compile(t, comparetest.May31,
		at("price.input", 2e-6, "USD/token", "2026-06-02T00:00:00.000Z"), at("price.output", 4e-6, "USD/token", ""), at("limits.context", 262144, "tokens", ""),
		at("price.reasoning", 4e-6, "USD/token", ""), at("price.reasoning", 5e-6, "USD/token", ""), at("limits.output", 8192, "tokens", comparetest.May2),
		comparetest.Statement{ID: "zhipuai/glm-5.2", Execution: comparetest.Ran("shop"), Task: comparetest.Job("coding", "s", "1"), Outcome: "accepted", Measurements: []any{comparetest.Sample("livebench.agentic-coding.score", 70)}}))
	for _, query := range queries(t) {
		if len(rows(t, db, query)) == 0 {
			t.Errorf("nothing is found by %s", query)
		}
	}
}

// Tables and views have the columns that people and programs rely on, in their order.
func TestColumns(t *testing.T) {
	db, _ := open(t, examples(t))
	for name, want := range map[string]string{
		"catalog":    "digest, as_of, models, observations, conflicts",
		"models":     "key, name, id, revision, quantization",
		"executions": "key, name, kind, runtime, runtime_version, adapter, adapter_version, context_tokens, tools, hardware, accelerator, memory_bytes, workflow, workflow_version, workflow_condition",
		"tasks":      "key, name, family, suite, task, evaluator, evaluator_version",
		"observations": "id, model, kind, execution, task, outcome, source_class, observed_at, valid_until, holds, uncertainty, basis, gaps, " +
			"input_tokens, output_tokens, reasoning_tokens, total_tokens, model_calls, wall_time_ms, outcome_reason, usage_completeness",
		"measurements":          "observation, kind, key, type, value, unit",
		"evidence":              "observation, id, kind, uri, sha256, observed_at",
		"conflicts":             "key, model, measurement, execution, task",
		"conflict_observations": "conflict, observation",
		"facts":                 "model, revision, quantization, runtime, execution, task, key, state, value, unit, observed_at, valid_until, observations",
		"samples":               "model, revision, quantization, runtime, execution, family, suite, key, n, unit, mean, min, max, success_rate",
		"prices":                "model, revision, quantization, runtime, input, output, cache_read, cache_write, reasoning, context, output_limit",
		"contradictions":        "conflict, measurement, model, runtime, value, unit, uri, observed_at, valid_until",
		"expiring":              "valid_until, model, runtime, observation, keys",
	} {
		if got := strings.Join(rows(t, db, "SELECT name FROM pragma_table_info('"+name+"')"), ", "); got != want {
			t.Errorf("%s has %s", name, got)
		}
	}
	if got := rows(t, db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"); len(got) != 14 {
		t.Errorf("tables and views are %q", got)
	}
}

// Nothing is known in the views that is not known in the catalog: what is unknown, has
// expired or is contradicted is null in them, and a price of 0 is 0.
func TestNothingIsInvented(t *testing.T) {
	at := func(model, key string, value any, unit, until string) comparetest.Statement {
		return comparetest.Statement{ID: model, Execution: comparetest.At("shop"), Measurements: []any{comparetest.Fact(key, value, unit)}, Until: until}
	}
	var list []comparetest.Statement
	columns := map[string]string{"price.input": "input", "price.output": "output", "price.cache_read": "cache_read", "price.cache_write": "cache_write",
		"price.reasoning": "reasoning", "limits.context": "context", "limits.output": "output_limit"}
	for key := range columns {
		unit, value, other := "USD/token", 2e-6, 3e-6
		if strings.HasPrefix(key, "limits.") {
			unit, value, other = "tokens", 2048, 4096
		}
		list = append(list, at("known", key, value, unit, ""), at("zero", key, 0, unit, ""), at("expired", key, value, unit, comparetest.May2),
			at("contradicted", key, value, unit, ""), at("contradicted", key, other, unit, ""), at("other unit", key, value, "other", ""))
	}
	list = append(list, at("unknown", "note", "text", "", ""))
	// The runtime "shop 2" is another than version 2 of the shop, although both are called so.
	versioned := at("two shops", "price.input", 5e-6, "USD/token", "")
	versioned.Execution = comparetest.Object{"kind": "partial", "runtime": comparetest.Object{"id": "shop", "version": "2"}, "adapter": nil,
		"effectiveContextTokens": nil, "toolSurface": nil, "hardware": nil, "workflow": nil}
	other := at("two shops", "note", "text", "", "")
	other.Execution = comparetest.At("shop 2")
	list = append(list, versioned, other)
	db, name := open(t, comparetest.Compile(t, comparetest.May31, list...))
	for _, column := range rows(t, db, "SELECT name FROM pragma_table_info('prices')") {
		if isNumber := !slices.Contains([]string{"model", "revision", "quantization", "runtime"}, column); isNumber != slices.Contains(slices.Collect(maps.Values(columns)), column) {
			t.Errorf("nothing holds what %s says of what is not known", column)
		}
	}
	for key, column := range columns {
		var got []string
		for _, cells := range table(t, db, "SELECT model, "+column+" FROM prices WHERE model <> 'two shops' ORDER BY model") {
			got = append(got, cells[0]+" "+cells[1])
		}
		known := "2"
		if strings.HasPrefix(key, "limits.") {
			known = "2048"
		}
		want := []string{"contradicted -", "expired -", "known " + known, "other unit -", "unknown -", "zero 0"}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
		states := rows(t, db, "SELECT model, state, value FROM facts WHERE key = '"+key+"' AND model IN ('contradicted', 'expired') ORDER BY model")
		if !slices.Equal(states, []string{"contradicted|conflict|-", "expired|expired|-"}) {
			t.Errorf("%s is %q", key, states)
		}
	}
	if got := rows(t, db, "SELECT runtime, input FROM prices WHERE model = 'two shops' ORDER BY runtime"); !slices.Equal(got, []string{"shop|-", "shop 2|-"}) {
		t.Errorf("two shops: %q", got)
	}
	// So do the programs that people have.
	const priced = "SELECT model FROM prices WHERE input IS NOT NULL OR context IS NOT NULL ORDER BY model"
	out, err := exec.Command(vectortest.Tool(t, "sqlite3", "sqlite3"), "-readonly", name, priced).CombinedOutput()
	if err != nil || string(out) != "known\nzero\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// priceColumns are the columns of prices, after model and runtime.
var priceColumns = []struct{ key, column string }{
	{"price.input", "input"}, {"price.output", "output"}, {"price.cache_read", "cache_read"}, {"price.cache_write", "cache_write"}, {"price.reasoning", "reasoning"},
	{"limits.context", "context"}, {"limits.output", "output_limit"},
}

// priceRows are the rows of prices that a fresh evaluation gives, with the decimal point
// moved: one for each listing.
func priceRows(t testing.TB, c *catalog.Catalog) (list []string) {
	t.Helper()
	reader, records := compare.NewReader(), catalog.NewRecordReader()
	for i, models := 0, c.Models(); i < len(models); i++ {
		m := reader.Read(models[i].Observations)
		facts, err := v3.NewFacts(&models[i], c.AsOf(), records)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range m.Listings(models[i].Identity.ID, func(_, _, _ string) (string, bool) { return "", false }) {
			id := &models[i].Identity
			cells := []string{cell(id.ID), cell(string(id.Revision)), cell(string(id.Quantization)), cell(l.Runtime)}
			profile := compare.PlainProfile(l.Runtime)
			facts.TurnTo(&profile)
			for _, column := range priceColumns {
				number := ""
				if f := facts.Evaluate(column.key); f.Status == v3.FactOK && f.Value.Kind == '0' &&
					f.Unit == map[bool]string{true: "USD/token", false: "tokens"}[strings.HasPrefix(column.key, "price.")] {
					if number = f.Value.Text; f.Unit == "USD/token" {
						number = quantity.PerMillion(number)
					}
				}
				cells = append(cells, cell(number))
			}
			list = append(list, strings.Join(cells, "|"))
		}
	}
	slices.Sort(list)
	return list
}

// cell is what is in a cell of a table: numbers to fifteen digits, as shells print them and
// some lists have prices that somebody computed, with a seventeenth digit; - is null.
func cell(text string) string {
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(f, 'g', 15, 64)
	}
	return cmp.Or(text, "-")
}

const priceQuery = "SELECT model, revision, quantization, runtime, input, output, cache_read, cache_write, reasoning, context, output_limit FROM prices"

// The prices of real files are those of a fresh evaluation.
func TestRealPrices(t *testing.T) {
	vectortest.SkipLong(t)
	c := exporttest.Mixed(t)
	db, _ := open(t, c)
	var got []string
	for _, cells := range table(t, db, priceQuery) {
		for i := range cells {
			cells[i] = cell(cells[i])
		}
		got = append(got, strings.Join(cells, "|"))
	}
	slices.Sort(got)
	want := priceRows(t, c)
	demandRows(t, "prices", got, want)
	if known := 7*len(want) - strings.Count(strings.Join(want, "\n"), "|-"); known < 10000 {
		t.Errorf("%d numbers", known)
	}
}

// demandRows compares rows, and tells of few that differ.
func demandRows(t *testing.T, name string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: %s, want %s", name, got[i], want[i])
			return
		}
	}
}

// told is what programs must find in the database of a catalog, made from its observations
// alone: rows by query, sorted.
func told(t testing.TB, c *catalog.Catalog) map[string][]string {
	t.Helper()
	observations := "SELECT id, source_class, observed_at, valid_until, holds, total_tokens FROM observations"
	measurements := "SELECT observation, kind, key, type, typeof(value) AS held, value, unit FROM measurements"
	facts := "SELECT model, runtime, key, state, value, unit FROM facts"
	rows := map[string][]string{priceQuery: priceRows(t, c), observations: nil, measurements: nil, facts: nil}
	add := func(query string, cells ...string) {
		for i := range cells {
			cells[i] = cell(cells[i])
		}
		rows[query] = append(rows[query], strings.Join(cells, "|"))
	}
	reader := compare.NewReader()
	for _, entry := range c.Models() {
		for _, o := range entry.Observations {
			rec := o.Record()
			holds, tokens := "0", ""
			if rec.Freshness.HoldsAt(record.Timestamp(c.AsOf())) {
				holds = "1"
			}
			if n := rec.Usage.TotalTokens; n.Known {
				tokens = strconv.FormatUint(n.N, 10)
			}
			add(observations, o.ID(), rec.SourceClass, string(rec.Freshness.ObservedAt), string(rec.Freshness.ValidUntil), holds, tokens)
			for _, m := range rec.Measurements {
				kind, held, value := columnOf(m.Value)
				add(measurements, o.ID(), m.Kind, m.Key, kind, held, value, m.Unit)
			}
		}
		view := reader.Read(entry.Observations).At(c.AsOf())
		for i := range view.Slots {
			s := &view.Slots[i]
			state, value, unit := view.State(s), "", ""
			if state == compare.StateValue {
				fact := view.Facts(s)[0]
				_, _, value = columnOf(fact.Value)
				unit = fact.Unit
			}
			add(facts, entry.Identity.ID, view.Executions[s.Execution].Runtime.ID, s.MeasurementKey, string(state), value, unit)
		}
	}
	for _, list := range rows {
		slices.Sort(list)
	}
	return rows
}

// columnOf is how the table of measurements has a value.
func columnOf(v record.Scalar) (kind, held, value string) {
	switch v.Kind {
	case '"':
		return "text", "text", v.Text
	case 't':
		return "boolean", "integer", "1"
	case 'f':
		return "boolean", "integer", "0"
	}
	if _, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
		return "number", "integer", v.Text
	}
	return "number", "real", v.Text
}

// jsonRows reads a list of objects that a program printed: cells in the order of the
// columns of a query.
func jsonRows(t *testing.T, query string, text []byte) (list []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var objects []map[string]any
	if err := decoder.Decode(&objects); err != nil {
		t.Fatalf("%s: %v: %.200s", query, err, text)
	}
	columns, _, _ := strings.Cut(strings.TrimPrefix(query, "SELECT "), " FROM ")
	for _, object := range objects {
		var cells []string
		for _, column := range strings.Split(columns, ", ") {
			_, name, isCalled := strings.Cut(column, " AS ")
			if !isCalled {
				name = column
			}
			text := ""
			if v := object[name]; v != nil {
				text = cmp.Or(fmt.Sprint(v), "empty, not null")
			}
			cells = append(cells, cell(text))
		}
		list = append(list, strings.Join(cells, "|"))
	}
	slices.Sort(list)
	return list
}

// Programs that people have read the database, that of the examples and that of real files:
// they find what the observations say, and answer every query of the page as we do.
func TestReaders(t *testing.T) {
	vectortest.SkipRace(t)
	catalogs := map[string]*catalog.Catalog{"examples": examples(t)}
	if vectortest.DataFolder(t) != "" {
		files := exporttest.Files(t, openrouter.Source)
		catalogs["real files"] = exporttest.Catalog(t, files[len(files)-1])
	}
	for name, c := range catalogs {
		db, file := open(t, c)
		t.Run("sqlite3 "+name, func(t *testing.T) {
			program := vectortest.Tool(t, "sqlite3", "sqlite3")
			out, err := exec.Command(program, "-readonly", file, "PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT count(*) > 0 FROM facts; PRAGMA user_version").CombinedOutput()
			if err != nil || string(out) != "ok\n1\n1\n" {
				t.Errorf("%v: %s", err, out)
			}
			for query, want := range told(t, c) {
				out, err := exec.Command(program, "-readonly", "-json", file, query).Output()
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				demandRows(t, query, jsonRows(t, query, out), want)
			}
			for _, query := range queries(t) {
				out, err := exec.Command(program, "-readonly", file, query).CombinedOutput()
				if want := len(rows(t, db, query)); err != nil || strings.Count(string(out), "\n") != want {
					t.Errorf("%s: %v, %d lines, want %d", query, err, strings.Count(string(out), "\n"), want)
				}
			}
		})
	}
}
