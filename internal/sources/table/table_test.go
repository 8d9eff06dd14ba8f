package table_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/sources/table"
)

const columns = `{"model":"Model","key":"Benchmark","value":"Score","n":"Questions","date":"Day","task":"Task","constants":{"unit":"percent"}}`

const comma = "Model,Benchmark,Score,Questions,Day,Task,Comment\n" +
	"openai/gpt-5,triage,71.5,200,2026-10-12,t1,\"SECRET, said\"\nz-ai/glm-5,triage,68,,2026-10-12,,\n"

// importTable imports a table as nobody decided of it.
func importTable(t *testing.T, text, columns string) (*sources.Result, error) {
	t.Helper()
	m, err := table.ReadMap(problem.Source{Text: columns})
	if err != nil {
		t.Fatal(err)
	}
	a := table.New(m)
	body, err := a.Reducer()(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	if strings.Contains(body, "SECRET") {
		t.Fatalf("a column that the map does not name is kept: %s", body)
	}
	at := a.PublishedAt(body)
	if at == "" {
		at = "2026-01-01T00:00:00.000Z"
	}
	f := sourcetest.Pin(t, table.Source, "urn:table:1", at, body)
	mapping, err := identity.MapRuns(a, sourcetest.Manifest(t), []sources.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.Import(t, a, mapping, f)
}

// A table says the same as CSV, TSV and JSON Lines, and is read so by another reader.
func TestFormats(t *testing.T) {
	tabs := strings.NewReplacer("\"SECRET, said\"", "SECRET", ",", "\t").Replace(comma)
	lines := `{"Model":"openai/gpt-5","Benchmark":"triage","Score":71.5,"Questions":200,"Day":"2026-10-12","Task":"t1"}` + "\n\n" +
		`{"Model":"z-ai/glm-5","Benchmark":"triage","Score":"68","Questions":"","Day":"2026-10-12","Task":""}` + "\n"
	first, err := importTable(t, comma, columns)
	if err != nil || len(first.Observations) != 2 || len(first.Diagnostics) > 0 {
		t.Fatal(err, first)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"a.csv": comma, "b.csv": "\ufeff" + strings.ReplaceAll(comma, "\n", "\r\n"), "a.tsv": tabs, "a.jsonl": lines} {
		r, err := importTable(t, text, columns)
		if err != nil || sourcetest.Text(r) != sourcetest.Text(first) {
			t.Fatalf("%s: %v\n%s\n%s", name, err, sourcetest.Text(r), sourcetest.Text(first))
		}
		for file, content := range map[string]string{"map.json": columns, name: text} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sourcetest.Second(t, r, "testdata/second.py", filepath.Join(folder, "map.json"), filepath.Join(folder, name))
	}
	rec := sourcetest.Find(t, first, "table:openai/gpt-5#triage/t1/2026-10-12")
	if rec.SourceClass != "first-party" || rec.Task.TaskID != "t1" || rec.Freshness.ValidUntil != "2027-10-12T00:00:00.000Z" || rec.Measurements[0].Unit != "percent" {
		t.Errorf("%+v", rec)
	}
}

func TestTraps(t *testing.T) {
	tests := []struct {
		name, from, to string
		reason         sources.Reason
		taken          int
	}{
		{"a value in words", "71.5", "good", sources.InvalidValue, 1},
		{"a number in words", ",200,", ",many,", sources.InvalidValue, 2},
		{"no model", "z-ai/glm-5", "", sources.RowEmpty, 1},
		{"no key", "z-ai/glm-5,triage", "z-ai/glm-5,", sources.RowEmpty, 1},
		{"a date as others write it", "2026-10-12,t1", "12.10.2026,t1", sources.RowUndated, 1},
		{"a line twice", "z-ai/glm-5,triage,68,,2026-10-12,,\n", "z-ai/glm-5,triage,68,,2026-10-12,,\nz-ai/glm-5,triage,67,,2026-10-12,,\n", "", 3},
	}
	for _, tt := range tests {
		r, err := importTable(t, strings.Replace(comma, tt.from, tt.to, 1), columns)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if len(r.Observations) != tt.taken || tt.reason != "" && sourcetest.Reasons(r)[tt.reason] == 0 {
			t.Errorf("%s: %s, reported %v", tt.name, r.Summary(), sourcetest.Reasons(r))
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string][2]string{
		strings.Replace(comma, "Score", "Points", 1): {"$[2]", `no column "Score"`},
		comma + "openai/gpt-5,triage\n":              {"$[4]", "is not CSV"},
		"{\"Model\":1}\n":                            {"$[1]", "no column"},
		"{\"Model\"\n":                               {"$[1]", "not an object"},
	} {
		_, err := importTable(t, text, columns)
		if faults := problem.All(err); len(faults) != 1 || faults[0].Path != want[0] || !strings.Contains(faults[0].Reason, want[1]) || faults[0].Place.Line == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, path := range map[string]string{
		`{}`: "$.model", `{"model":"a","key":"b","value":"c","date":"d","colour":"e"}`: "$.colour", `[]`: "$", `{"model":1}`: "$.model",
		`{"model":"a","key":"b","value":"c","date":"d","constants":{"size":"e"}}`: "$.constants.size",
		`{"model":"a","date":"d"}`: "$.key", `{"model":"a","values":{}}`: "$.date", `{"model":"a","date":"d","values":{"k":{}}}`: "$.values.k.column",
		`{"model":"a","date":"d","values":{"k":{"column":"c","power":0.5}}}`:     "$.values.k.power",
		`{"model":"a","date":"d","values":{"k":{"column":"c","power":16}}}`:      "$.values.k.power",
		`{"model":"a","date":"d","values":{"k":{"column":"c","where":{"a":1}}}}`: "$.values.k.where.a",
		`{"model":"a","date":"d","values":{"k":{"column":"c","mean":1}}}`:        "$.values.k.mean",
	} {
		_, err := table.ReadMap(problem.Source{Text: text})
		if faults := problem.All(err); len(faults) == 0 || faults[0].Path != path {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A log of a gateway has a line for each request: of each offer and day the mean of each value is
// taken, of how many requests, and no other column.
func TestRequests(t *testing.T) {
	example := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../../../examples/gateway", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), "a secret", "SECRET")
	}
	lite, portkey := example("litellm-spend.csv"), example("portkey-logs.jsonl")
	if !strings.Contains(lite, "SECRET") || !strings.Contains(portkey, "SECRET") {
		t.Fatal("the logs have no prompts")
	}
	first, err := importTable(t, lite, example("litellm-map.json"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := importTable(t, portkey, example("portkey-map.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*sources.Result{first, second} {
		if len(r.Observations) != 10 || len(r.Diagnostics) != 0 {
			t.Errorf("%s, %+v", r.Summary(), r.Diagnostics)
		}
		for id, want := range map[string]string{
			"table:z-ai/glm-5.2#gateway.success//2026-10-12/openrouter":       "zhipuai/glm-5.2 openrouter 0.6666666666666666  3",
			"table:z-ai/glm-5.2#gateway.latency//2026-10-12/openrouter":       "zhipuai/glm-5.2 openrouter 5000 ms 2",
			"table:z-ai/glm-5.2#gateway.tokens.output//2026-10-12/openrouter": "zhipuai/glm-5.2 openrouter 500 tokens 2",
			"table:z-ai/glm-5.2#gateway.cost//2026-10-12/openrouter":          "zhipuai/glm-5.2 openrouter 0.00415 USD 2",
			"table:gpt-5.5#gateway.cost//2026-10-12/openai":                   "openai/gpt-5.5 openai 0.000095 USD 1",
		} {
			rec := sourcetest.Find(t, r, id)
			got := strings.Join([]string{rec.Model.ID, rec.Execution.Runtime.ID, rec.Measurements[0].Value.Text, string(rec.Measurements[0].Unit), rec.Measurements[1].Value.Text}, " ")
			if got != want {
				t.Errorf("%s: %s, want %s", id, got, want)
			}
		}
	}
	for from, place := range map[string]string{"5900,2800": "$[3]", "glm-5.2,coding,openrouter,success,4100": "$[2]"} {
		_, err := importTable(t, strings.Replace(lite, from, strings.Replace(from, "00", "NaN", 1), 1), example("litellm-map.json"))
		if faults := problem.All(err); len(faults) != 1 || faults[0].Path != place || !strings.Contains(faults[0].Reason, "not a number") {
			t.Errorf("%s: %v", from, err)
		}
	}
	if _, err := importTable(t, strings.Replace(lite, "startTime", "begun", 1), example("litellm-map.json")); err == nil || !strings.Contains(err.Error(), `no column "startTime"`) {
		t.Error(err)
	}
	// Without a value in a line, the line is none for that value alone.
	third, err := importTable(t, strings.Replace(lite, "5900,", ",", 1), example("litellm-map.json"))
	if err != nil || sourcetest.Find(t, third, "table:z-ai/glm-5.2#gateway.latency//2026-10-12/openrouter").Measurements[1].Value.Text != "1" {
		t.Error(err)
	}
}

func FuzzReduce(f *testing.F) {
	f.Add([]byte(comma))
	f.Add([]byte(`{"Model":"a"}`))
	m, err := table.ReadMap(problem.Source{Text: columns})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		body, err := table.New(m).Reducer()(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		if file, err := sourcetest.TryPin(t, table.Source, "urn:table:1", "2026-11-01T12:00:00.000Z", body); err == nil {
			sourcetest.FuzzRows(t, table.New(m), `{"validUntil":"2999-01-01T00:00:00.000Z"}`, file)
		}
	})
}
