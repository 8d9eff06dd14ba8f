package livebench_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const (
	fetchedAt = "2026-11-01T12:00:00.000Z"
	entry     = `{"model":{"id":"%ROW%","revision":null,"quantization":null},"runtime":{"id":"vendor-api","version":null},"workflowCondition":"high-effort","validUntil":"2027-01-01T00:00:00.000Z"}`

	head       = "model,code_generation,connections,javascript,olympiad,paraphrase,tablejoin,zebra_puzzle\n"
	categories = `{"Reasoning":["zebra_puzzle"],"Coding":["code_generation"],"Agentic Coding":["javascript"],"Mathematics":["olympiad"],"Data Analysis":["tablejoin"],"Language":["connections"],"IF":["paraphrase"]}`
	atlas      = "atlas-70b-high-effort,70.423,34.833,15.0,63.669,12.55,20.308,7.5\n"
	basalt     = "basalt.pro-v1:0,1.0,2.0,3.0,4.0,5.0,6.0,7.0\n"
)

func url(kind, release string) string {
	name := map[string]string{"table": "table_%s.csv", "categories": "categories_%s.json"}[kind]
	return "https://livebench.ai/" + fmt.Sprintf(name, strings.ReplaceAll(release, "-", "_"))
}

func pins(t *testing.T, release, table, categories string) []sources.File {
	t.Helper()
	return []sources.File{
		sourcetest.Pin(t, livebench.Source, url("table", release), fetchedAt, table),
		sourcetest.Pin(t, livebench.Source, url("categories", release), fetchedAt, categories),
	}
}

func importTable(t *testing.T, table string) (*sources.Result, error) {
	t.Helper()
	return sourcetest.ImportAll(t, livebench.New(), entry, pins(t, "2026-01-08", table, categories)...)
}

func mustImport(t *testing.T, table string) *sources.Result {
	t.Helper()
	r, err := importTable(t, table)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCells(t *testing.T) {
	r := mustImport(t, head+atlas)
	want := map[string][3]string{ // by task: key, family, value
		"code_generation": {"coding", "software-engineering", "70.423"},
		"connections":     {"language", "language", "34.833"},
		"javascript":      {"agentic-coding", "software-engineering", "15"},
		"olympiad":        {"mathematics", "mathematics", "63.669"},
		"paraphrase":      {"instruction-following", "instruction-following", "12.55"},
		"tablejoin":       {"data-analysis", "data-analysis", "20.308"},
		"zebra_puzzle":    {"reasoning", "reasoning", "7.5"},
	}
	if len(r.Observations) != len(want) {
		t.Fatalf("%d observations, want %d", len(r.Observations), len(want))
	}
	for task, w := range want {
		rec := sourcetest.Find(t, r, "livebench:atlas-70b-high-effort#"+task+"@2026-01-08")
		if k := rec.Task; k.Family != w[1] || k.Suite != "livebench" || string(k.TaskID) != task {
			t.Errorf("%s: task %+v", task, k)
		}
		if got := sourcetest.Value(rec, "livebench."+w[0]+".score"); got != w[2] || rec.Measurements[0].Unit != "percent" {
			t.Errorf("%s: %+v, want %s", task, rec.Measurements, w[2])
		}
		e := rec.Execution
		if e.Kind != "exact" || e.Adapter.ID != "livebench" || e.Adapter.Version != "2026-01-08" ||
			e.Workflow.ID != "livebench" || e.Workflow.Version != "2026-01-08" || e.Workflow.Condition != "high-effort" {
			t.Errorf("%s: execution %+v", task, e)
		}
		if rec.Freshness.ObservedAt != fetchedAt {
			t.Errorf("%s: freshness %+v", task, rec.Freshness)
		}
	}
}

// The four spellings of a missing score, cut numbers, and what is no score.
func TestCellsWithoutScore(t *testing.T) {
	tests := []struct {
		cell   string
		reason sources.Reason
	}{
		{"", sources.MissingValue}, {" ", sources.MissingValue}, {"N/A", sources.MissingValue}, {"NaN", sources.MissingValue},
		{"73.", sources.InvalidValue}, {"-1", sources.InvalidValue}, {"100.1", sources.InvalidValue}, {"7e1", sources.InvalidValue},
		{" 7.5", sources.InvalidValue}, {"07.5", sources.InvalidValue}, {"null", sources.InvalidValue}, {"Infinity", sources.InvalidValue},
	}
	for _, tt := range tests {
		r := mustImport(t, head+strings.Replace(atlas, "34.833", tt.cell, 1))
		if len(r.Observations) != 6 || r.Acquisition.Imported != 1 || len(r.Diagnostics) != 1 {
			t.Errorf("%q: %d observations, %v", tt.cell, len(r.Observations), r.Diagnostics)
			continue
		}
		d := r.Diagnostics[0]
		if d.Reason != tt.reason || d.Path != "$.snapshots[0].body[1].connections" || d.Place.Line != 2 || d.Place.Column != 30 {
			t.Errorf("%q: %+v", tt.cell, d)
		}
	}
}

// A score of 0 is one, but may be a failed grading.
func TestZero(t *testing.T) {
	rec := sourcetest.Find(t, mustImport(t, head+strings.Replace(atlas, "15.0", "0.0", 1)), "livebench:atlas-70b-high-effort#javascript@2026-01-08")
	if sourcetest.Value(rec, "livebench.agentic-coding.score") != "0" || !slices.Contains(rec.Uncertainty.Gaps, "a score of 0 may be a failed grading") {
		t.Errorf("%+v", rec)
	}
}

// The cells of a row of another width cannot be told apart: the row is skipped,
// wherever it stands, and so is one that was cut in the middle of a number.
func TestRowWidth(t *testing.T) {
	for _, odd := range []string{
		"cobalt,1.0,2.0,3.0\n", "cobalt,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0\n", "cobalt\n", "cobalt,88.0,73.",
		"cobalt" + strings.Repeat(",1.0", 5000) + "\n",
	} {
		for _, body := range []string{head + atlas + basalt + odd, head + strings.TrimRight(odd, "\n") + "\n" + atlas + basalt} {
			r := mustImport(t, body)
			if a := r.Acquisition; a.Rows != 3 || a.Imported != 2 || a.SkippedFor[sources.RowWidth] != 1 || len(r.Observations) != 14 {
				t.Errorf("%.30q: %s", odd, a.JSON())
			}
		}
	}
	r := mustImport(t, head+"\n"+atlas+"\n\n")
	if r.Acquisition.Rows != 1 || r.Acquisition.Imported != 1 {
		t.Errorf("blank lines: %s", r.Acquisition.JSON())
	}
	r = mustImport(t, head+atlas+"basalt, , , , , , , \n")
	if r.Acquisition.SkippedFor[sources.RowEmpty] != 1 {
		t.Errorf("a row without scores: %s", r.Acquisition.JSON())
	}
}

func TestRefusedTables(t *testing.T) {
	tests := []struct{ name, table, path, reason string }{
		{"empty", "", "$.snapshots[0].body[0]", "must be the head"},
		{"another first column", strings.Replace(head, "model", "name", 1), "$.snapshots[0].body[0]", "must be the head"},
		{"a repeated column", strings.Replace(head, "connections", "javascript", 1), "$.snapshots[0].body[0][3]", "is repeated"},
		{"a nameless column", strings.Replace(head, "connections", "", 1), "$.snapshots[0].body[0][2]", "must be the name"},
		{"a column of no category", strings.Replace(head, "connections", "sudoku", 1), "$.snapshots[0].body[0][2]", "a task of no category"},
		{"a task without column", strings.Replace(head, ",zebra_puzzle", "", 1), "$.snapshots[1].body.Reasoning[0]", "which no column"},
		{"a repeated row", head + atlas + atlas, "$.snapshots[0].body[2][0]", "is repeated"},
		{"a nameless row", head + ",1,2,3,4,5,6,7\n", "$.snapshots[0].body[1][0]", "must name a model"},
		{"quotes", head + `"atlas",1,2,3,4,5,6,7`, "$.snapshots[0].body[1]", "no quotes"},
		{"an unclosed quote", head + "atlas,\"1,2,3,4,5,6,7\n" + basalt, "$.snapshots[0].body[1]", "no quotes"},
		{"lines that end as on Windows", strings.ReplaceAll(head+atlas, "\n", "\r\n"), "$.snapshots[0].body[0]", "line feed alone"},
		{"lines that end with a carriage return", strings.ReplaceAll(head+atlas, "\n", "\r"), "$.snapshots[0].body[0]", "line feed alone"},
		{"a giant cell", head + "atlas," + strings.Repeat("1", 5<<20) + ",2,3,4,5,6,7\n", "$.snapshots[0].body[1]", "at most 1024"},
		{"ten thousand columns", "model" + strings.Repeat(",x", 10_000) + "\n", "$.snapshots[0].body[0]", "10001 columns"},
		{"too many rows", head + manyRows(sources.MaxRows+1), "$.snapshots[0].body[100001]", "more than the 100000 rows"},
	}
	for _, tt := range tests {
		_, err := importTable(t, tt.table)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
	}
}

func manyRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "m%d,1,2,3,4,5,6,7\n", i)
	}
	return b.String()
}

func TestRefusedCategories(t *testing.T) {
	tests := []struct{ name, categories, path, reason string }{
		{"a list", `[]`, "$.snapshots[1].body", "must be an object"},
		{"an unknown category", strings.Replace(categories, "Language", "Poetry", 1), "$.snapshots[1].body.Poetry", "is a category that is not known"},
		{"a task in two categories", strings.Replace(categories, `"olympiad"`, `"olympiad","connections"`, 1), "$.snapshots[1].body.Language[0]", "is repeated"},
		{"a category twice", strings.Replace(categories, `"IF"`, `"Coding"`, 1), "$.snapshots[1].body.Coding", "duplicate field"},
		{"a task that is none", strings.Replace(categories, `"olympiad"`, `7`, 1), "$.snapshots[1].body.Mathematics[0]", "must be a non-empty string"},
		{"not JSON", categories[1:], "$.snapshots[1].body", "expected the end of the document"},
	}
	for _, tt := range tests {
		_, err := sourcetest.ImportAll(t, livebench.New(), entry, pins(t, "2026-01-08", head+atlas, tt.categories)...)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
	}
}

// Table and categories must be of one release; equal bytes prove nothing.
func TestPairs(t *testing.T) {
	table := sourcetest.Pin(t, livebench.Source, url("table", "2026-01-08"), fetchedAt, head+atlas)
	cats := sourcetest.Pin(t, livebench.Source, url("categories", "2026-01-08"), fetchedAt, categories)
	older := sourcetest.Pin(t, livebench.Source, url("categories", "2025-12-23"), fetchedAt, categories)
	index := sourcetest.Pin(t, livebench.Source, "https://livebench.ai/", fetchedAt, "<html>")
	tests := []struct {
		name         string
		files        []sources.File
		path, reason string
	}{
		{"two releases", []sources.File{table, older}, "$.snapshots[1].url", "the categories are of 2025-12-23"},
		{"the table alone", []sources.File{table}, "$.snapshots", "must be the table and the categories"},
		{"three", []sources.File{table, cats, older}, "$.snapshots[2].url", "a second one"},
		{"twice the same", []sources.File{table, table}, "$.snapshots[1]", "is the same as $.snapshots[0]"},
		{"the index", []sources.File{table, index}, "$.snapshots[1].url", "must be that of the table or the categories"},
		{"none", nil, "$.snapshots", "must not be empty"},
	}
	for _, tt := range tests {
		_, err := sourcetest.ImportAll(t, livebench.New(), entry, tt.files...)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
	}
	swapped, err := sourcetest.ImportAll(t, livebench.New(), entry, cats, table)
	if err != nil || len(swapped.Observations) != 7 {
		t.Errorf("the other way round: %v", err)
	}
	early := sourcetest.Pin(t, livebench.Source, url("table", "2026-01-08"), "2026-01-07T00:00:00.000Z", head+atlas)
	_, err = sourcetest.ImportAll(t, livebench.New(), entry, early, cats)
	sourcetest.Refused(t, "fetched before the release", err, "$.snapshots[0].fetchedAt", "must not be before the release")
}

// A backup that lies beside the releases is none.
func TestStrayTable(t *testing.T) {
	for _, u := range []string{"https://livebench.ai/table_2025_12_25_bck.csv", "https://livebench.ai/table.csv", "https://livebench.ai/table_2025_02_30.csv",
		"https://livebench.ai/table_2025-12-23.csv", "https://www.livebench.ai/table_2025_12_23.csv"} {
		if _, err := sourcetest.TryPin(t, livebench.Source, u, fetchedAt, head); err == nil {
			t.Errorf("%s is a release", u)
		}
	}
}

// Where the tables that were fetched before are there, too, correcting a cell changes the
// observation of that cell alone, and adding a row changes none: a cell was seen when the first
// table had it so.
func TestStability(t *testing.T) {
	before := mustImport(t, head+atlas+basalt)
	if again := mustImport(t, head+atlas+basalt); sourcetest.Text(again) != sourcetest.Text(before) {
		t.Error("the same input gives other bytes")
	}
	later := []sources.File{
		pins(t, "2026-01-08", head+atlas+basalt, categories)[0],
		sourcetest.Pin(t, livebench.Source, url("table", "2026-01-08"), "2026-12-01T00:00:00.000Z", head+"cobalt,1,2,3,4,5,6,7\n"+basalt+strings.Replace(atlas, "15.0", "95.0", 1)),
		sourcetest.Pin(t, livebench.Source, url("categories", "2026-01-08"), "2026-12-01T00:00:00.000Z", " "+categories),
	}
	after, err := sourcetest.Import(t, livebench.New(), sourcetest.Mapping(livebench.Source, entry, "atlas-70b-high-effort", "basalt.pro-v1:0"), later...)
	if err != nil {
		t.Fatal(err)
	}
	if changed := sourcetest.Changed(before, after); !slices.Equal(changed, []string{"livebench:atlas-70b-high-effort#javascript@2026-01-08"}) {
		t.Errorf("changed are %q", changed)
	}
	corrected := sourcetest.Find(t, after, "livebench:atlas-70b-high-effort#javascript@2026-01-08")
	if corrected.Freshness.ObservedAt != "2026-12-01T00:00:00.000Z" {
		t.Errorf("a corrected cell was observed %+v", corrected.Freshness)
	}
	if after.Acquisition.SkippedFor[sources.UnmappedRow] != 1 {
		t.Errorf("%s", after.Acquisition.JSON())
	}
}

func realFile(t testing.TB, name string) string {
	t.Helper()
	return vectortest.DataText(t, "data", "livebench", name)
}

// Every published release imports, those with six categories too.
func TestRealFiles(t *testing.T) {
	tests := []struct {
		table, release string
		rows, tasks    int
		skipped        map[sources.Reason]int
		reported       map[sources.Reason]int
		left           int // cells that hold no score
	}{
		{"table_2024_06_24.csv", "2024-06-24", 73, 17, nil, nil, 0},
		{"table_2024_07_26.csv", "2024-07-26", 73, 18, nil, nil, 0},
		{"table_2024_08_31.csv", "2024-08-31", 59, 18, nil, nil, 0},
		{"table_2025_04_02.csv", "2025-04-02", 63, 18, nil, nil, 0},
		{"table_2025_04_25.csv", "2025-04-25", 57, 17, nil, nil, 0},
		{"table_2025_05_30.csv", "2025-05-30", 70, 20, nil, nil, 0},
		{"table_2025_11_25.csv", "2025-11-25", 65, 20, nil, nil, 0},
		{"table_2026_01_08.csv", "2026-01-08", 127, 23, map[sources.Reason]int{sources.RowWidth: 1}, map[sources.Reason]int{sources.RowWidth: 1}, 0},
		{"historical/table_2025_05_30.2025-09-17.6d7587be.csv", "2025-05-30", 80, 20, nil, map[sources.Reason]int{sources.MissingValue: 15}, 15},
		{"historical/table_2026_01_08.2026-05-22.67070cdf.csv", "2026-01-08", 115, 23, map[sources.Reason]int{sources.RowWidth: 1}, map[sources.Reason]int{sources.RowWidth: 1}, 0},
		{"historical/table_2026_01_08.2026-06-17.7dd9ca76.csv", "2026-01-08", 126, 23, map[sources.Reason]int{sources.RowWidth: 1}, map[sources.Reason]int{sources.RowWidth: 1}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.table, func(t *testing.T) {
			table := realFile(t, tt.table)
			cats := realFile(t, "categories_"+strings.ReplaceAll(tt.release, "-", "_")+".json")
			r, err := sourcetest.ImportAll(t, livebench.New(), entry, pins(t, tt.release, table, cats)...)
			if err != nil {
				t.Fatal(err)
			}
			skipped := 0
			for _, n := range tt.skipped {
				skipped += n
			}
			a := r.Acquisition
			if a.Rows != tt.rows || !maps.Equal(a.SkippedFor, tt.skipped) || a.Observations != tt.tasks*(tt.rows-skipped)-tt.left {
				t.Errorf("%s", a.JSON())
			}
			if got := sourcetest.Reasons(r); !maps.Equal(got, tt.reported) {
				t.Errorf("diagnostics %v, want %v", got, tt.reported)
			}
		})
	}
}

// On 2026-06-19 five models were corrected in place. Nothing else of the release
// changed for the models that both revisions have.
func TestRealCorrection(t *testing.T) {
	cats := realFile(t, "categories_2026_01_08.json")
	imported := func(table string) *sources.Result {
		r, err := sourcetest.ImportAll(t, livebench.New(), entry, pins(t, "2026-01-08", table, cats)...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before, after := imported(realFile(t, "historical/table_2026_01_08.2026-06-17.7dd9ca76.csv")), imported(realFile(t, "table_2026_01_08.csv"))
	had := sourcetest.IDs(before)
	models := map[string]bool{}
	for _, id := range sourcetest.Changed(before, after) {
		if had[id] != "" {
			model, _, _ := strings.Cut(strings.TrimPrefix(id, "livebench:"), "#")
			models[model] = true
		}
	}
	if len(models) != 5 || !models["claude-opus-4-8-xhigh-effort"] {
		t.Errorf("corrected are %v", slices.Sorted(maps.Keys(models)))
	}
}
