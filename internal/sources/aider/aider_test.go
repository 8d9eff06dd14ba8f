package aider_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const (
	commit    = "0123456789abcdef0123456789abcdef01234567"
	other     = "76543210fedcba9876543210fedcba9876543210"
	fetchedAt = "2026-11-01T12:00:00.000Z"
	entry     = `{"model":{"id":"%ROW%","revision":null,"quantization":null},"runtime":{"id":"litellm","version":null},"validUntil":"2027-01-01T00:00:00.000Z"}`
)

func url(commit string) string {
	return "https://raw.githubusercontent.com/Aider-AI/aider/" + commit + "/aider/website/_data/polyglot_leaderboard.yml"
}

// plain is a row with nothing odd about it.
const plain = `- dirname: 2025-02-25-20-23-07--atlas
  test_cases: 225
  model: atlas-70b (high)
  edit_format: diff
  commit_hash: 2fccd47
  pass_rate_1: 20.4
  pass_rate_2: 35.6
  pass_num_1: 46
  pass_num_2: 80
  percent_cases_well_formed: 100.0
  total_tests: 225
  command: aider --model acme/atlas-70b
  date: 2025-02-25
  versions: 0.75.2.dev
  seconds_per_case: 34.8
  total_cost: 1.5000
  prompt_tokens: 1000
  completion_tokens: 20
`

const plainRow = "aider-polyglot:2025-02-25-20-23-07--atlas"

func importBody(t *testing.T, body string) (*sources.Result, error) {
	t.Helper()
	f, err := sourcetest.TryPin(t, aider.Source, url(commit), fetchedAt, body)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.ImportAll(t, aider.New(), entry, f)
}

func mustImport(t *testing.T, body string) *sources.Result {
	t.Helper()
	r, err := importBody(t, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRow(t *testing.T) {
	rec := sourcetest.Find(t, mustImport(t, plain), plainRow)
	want := map[string][2]string{
		"pass_rate_1": {"20.4", "percent"}, "pass_rate_2": {"35.6", "percent"}, "well_formed": {"100", "percent"},
		"test_cases": {"225", "cases"}, "total_tests": {"225", "tests"}, "seconds_per_case": {"34.8", "seconds"}, "total_cost": {"1.5", "USD"},
	}
	got := map[string][2]string{}
	for _, m := range rec.Measurements {
		got[strings.TrimPrefix(m.Key, "aider.polyglot.")] = [2]string{m.Value.Text, m.Unit}
		if m.Kind != "sample" {
			t.Errorf("%s is a %s", m.Key, m.Kind)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("measurements %v\nwant %v", got, want)
	}
	if e := rec.Execution; e.Kind != "exact" || e.Runtime.ID != "litellm" || e.Adapter.ID != "aider" || e.Adapter.Version != "0.75.2.dev" ||
		e.Workflow.ID != "aider.polyglot" || e.Workflow.Version != "2fccd47" || e.Workflow.Condition != "edit_format=diff" {
		t.Errorf("execution %+v", e)
	}
	if k := rec.Task; k.Family != "software-engineering" || k.Suite != "aider.polyglot" || k.TaskID != "" {
		t.Errorf("task %+v", k)
	}
	if rec.Freshness.ObservedAt != "2025-02-25T00:00:00.000Z" || rec.Freshness.ValidUntil != "2027-01-01T00:00:00.000Z" {
		t.Errorf("freshness %+v", rec.Freshness)
	}
	if u := rec.Usage; u.InputTokens.N != 1000 || u.OutputTokens.N != 20 || u.TotalTokens.Known || u.Completeness != "partial" {
		t.Errorf("usage %+v", u)
	}
	if rec.SourceClass != "external" || rec.Evidence[0].Digest.Value == "" || !strings.HasSuffix(string(rec.Evidence[0].URI), "/blob/"+commit+"/aider/website/_data/polyglot_leaderboard.yml") {
		t.Errorf("evidence %+v", rec.Evidence)
	}
}

// replaced is the plain row with other text for a field; without text it lacks
// the field.
func replaced(field, text string) string {
	var b strings.Builder
	for line := range strings.Lines(plain) {
		name, _, _ := strings.Cut(strings.TrimLeft(line, "- "), ":")
		switch {
		case name != field:
			b.WriteString(line)
		case text != "":
			b.WriteString(line[:strings.Index(line, name)] + text + "\n")
		}
	}
	return b.String()
}

// Each trap of the format has its case: what the row then says, and what is
// reported of it.
func TestTraps(t *testing.T) {
	tests := []struct {
		name, field, text string
		check             func(t *testing.T, r *sources.Result)
	}{
		{"digits are a commit", "commit_hash", "commit_hash: 0282574", version("0282574")},
		{"so is a number with an exponent", "commit_hash", "commit_hash: 1e7", version("1e7")},
		{"and one in octal", "commit_hash", "commit_hash: 0o17", version("0o17")},
		{"a dirty commit", "commit_hash", "commit_hash: a755079-dirty", all(version("a755079-dirty"), gap("the tool had local changes that no commit holds"))},
		{"two commits", "commit_hash", "commit_hash: aaacee5-dirty, aeaf259", all(version("aaacee5-dirty, aeaf259"), gap("the run spans more than one commit of the tool"))},
		{"no commit", "commit_hash", "", all(version(""), gap("the commit of the tool is not stated"))},
		{"fewer cases", "test_cases", "test_cases: 223", gap("223 cases were run of 225 tests")},
		{"a rate that its counts do not give", "pass_rate_2", "pass_rate_2: 61.7", all(value("pass_rate_2", "61.7"), reported(sources.RateDiffers, "pass_rate_2"))},
		{"a cost of 0", "total_cost", "total_cost: 0.0000", all(value("total_cost", ""), reported(sources.UnknownCost, "total_cost"), gap("the cost of the run is not known"))},
		{"a cost of 0 as an integer", "total_cost", "total_cost: 0", all(value("total_cost", ""), reported(sources.UnknownCost, "total_cost"))},
		{"no cost", "total_cost", "", all(value("total_cost", ""), reported(sources.UnknownCost, "total_cost"), gap("the cost of the run is not known"))},
		{"a cost without value", "total_cost", "total_cost:", all(value("total_cost", ""), reported(sources.UnknownCost, "total_cost"))},
		{"a free display text", "model", `model: 'Qwen3 235B A22B diff, no think, Alibaba API'`, basis(`the row calls the model "Qwen3 235B A22B diff, no think, Alibaba API"`)},
		{"two models", "command", "editor_model: gpt-4.1", gap(`two models took part: "gpt-4.1" edited`)},
		{"effort in its field", "command", "reasoning_effort: high", basis("the row states reasoning_effort high")},
		{"no effort in a field", "command", "", gap("reasoning effort is not stated by a field of the row: it may have been set")},
		{"thinking off", "command", "thinking_tokens: 0", basis("the row states thinking_tokens 0")},
		{"no tokens", "prompt_tokens", "", func(t *testing.T, r *sources.Result) {
			if u := r.Observations[0].Record().Usage; u.InputTokens.Known || u.OutputTokens.N != 20 {
				t.Errorf("usage %+v", u)
			}
		}},
		{"tokens that are no count", "prompt_tokens", "prompt_tokens: -5", all(reported(sources.InvalidValue, "prompt_tokens"), func(t *testing.T, r *sources.Result) {
			if u := r.Observations[0].Record().Usage; u.InputTokens.Known || u.OutputTokens.N != 20 {
				t.Errorf("usage %+v", u)
			}
		})},
		{"a rate above all", "pass_rate_1", "pass_rate_1: 100.1", all(value("pass_rate_1", ""), reported(sources.InvalidValue, "pass_rate_1"))},
		{"a rate in quotes", "pass_rate_1", `pass_rate_1: "20.4"`, all(value("pass_rate_1", ""), reported(sources.InvalidValue, "pass_rate_1"))},
		{"a rate that is no number", "pass_rate_1", "pass_rate_1: .nan", all(value("pass_rate_1", ""), reported(sources.InvalidValue, "pass_rate_1"))},
		{"a rate with the point at its end", "pass_rate_1", "pass_rate_1: 20.", all(value("pass_rate_1", ""), reported(sources.InvalidValue, "pass_rate_1"))},
		{"no rate", "pass_rate_1", "", all(value("pass_rate_1", ""), reported(sources.MissingValue, "pass_rate_1"))},
		{"half a case", "test_cases", "test_cases: 1.5", all(value("test_cases", ""), reported(sources.InvalidValue, "test_cases"))},
		{"a new field", "command", "mood: good", func(t *testing.T, r *sources.Result) {
			if d := r.Diagnostics[0]; d.Reason != sources.NewMembers || !strings.Contains(d.Message, `"mood"`) {
				t.Errorf("diagnostics %v", r.Diagnostics)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, mustImport(t, replaced(tt.field, tt.text))) })
	}
}

func all(checks ...func(*testing.T, *sources.Result)) func(*testing.T, *sources.Result) {
	return func(t *testing.T, r *sources.Result) {
		for _, check := range checks {
			check(t, r)
		}
	}
}

func version(want string) func(*testing.T, *sources.Result) {
	return func(t *testing.T, r *sources.Result) {
		if got := r.Observations[0].Record().Execution.Workflow.Version; string(got) != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}
}

func value(key, want string) func(*testing.T, *sources.Result) {
	return func(t *testing.T, r *sources.Result) {
		if got := sourcetest.Value(r.Observations[0].Record(), "aider.polyglot."+key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func gap(want string) func(*testing.T, *sources.Result) {
	return func(t *testing.T, r *sources.Result) {
		if gaps := r.Observations[0].Record().Uncertainty.Gaps; !slices.Contains(gaps, want) {
			t.Errorf("gaps %q lack %q", gaps, want)
		}
	}
}

func basis(want string) func(*testing.T, *sources.Result) {
	return func(t *testing.T, r *sources.Result) {
		if basis := r.Observations[0].Record().Uncertainty.Basis; !slices.Contains(basis, want) {
			t.Errorf("basis %q lacks %q", basis, want)
		}
	}
}

func reported(reason sources.Reason, field string) func(*testing.T, *sources.Result) {
	return func(t *testing.T, r *sources.Result) {
		for _, d := range r.Diagnostics {
			if d.Reason == reason && d.Path == "$.snapshots[0].body[0]."+field {
				return
			}
		}
		t.Errorf("diagnostics %v lack %s of %s", r.Diagnostics, reason, field)
	}
}

// Models repeat; rows do not.
func TestRowsOfOneModel(t *testing.T) {
	second := strings.Replace(replaced("edit_format", "edit_format: whole"), "--atlas", "--atlas-whole", 1)
	r := mustImport(t, plain+second)
	if r.Acquisition.Imported != 2 {
		t.Errorf("%d rows imported", r.Acquisition.Imported)
	}
	_, err := importBody(t, plain+"\n"+plain)
	sourcetest.Refused(t, "a row repeated", err, "$.snapshots[0].body[1].dirname", "is repeated")
}

// A row that cannot be dated is skipped, with the place where it stands.
func TestSkippedRows(t *testing.T) {
	for _, tt := range []struct {
		body   string
		reason sources.Reason
	}{
		{replaced("date", ""), sources.RowUndated},
		{replaced("date", "date: 2025-02-30"), sources.RowUndated},
		{replaced("date", "date: 25.2.2025"), sources.RowUndated},
		{replaced("date", "date: 2026-11-02"), sources.RowInFuture},
		{"- dirname: x\n  date: 2025-02-25\n", sources.RowEmpty},
	} {
		r := mustImport(t, "\n"+tt.body)
		if a := r.Acquisition; a.Rows != 1 || a.Skipped != 1 || a.SkippedFor[tt.reason] != 1 || len(r.Observations) != 0 {
			t.Errorf("%s: %s", tt.reason, a.JSON())
		}
		d := r.Diagnostics[len(r.Diagnostics)-1]
		if d.Reason != tt.reason || d.Place.Line != 2 || d.Place.Column != 3 || d.Place.File != "body" {
			t.Errorf("%s: %+v", tt.reason, d)
		}
	}
}

// Correcting a row changes the observation of that row alone, and fetching later changes none. The
// address of the evidence is that of the commit.
func TestStability(t *testing.T) {
	second := strings.Replace(plain, "--atlas", "--basalt", 1)
	before := mustImport(t, plain+second)
	if again := mustImport(t, plain+second); sourcetest.Text(again) != sourcetest.Text(before) {
		t.Error("the same input gives other bytes")
	}
	corrected := second + replaced("pass_rate_2", "pass_rate_2: 36.4")
	f := sourcetest.Pin(t, aider.Source, url(commit), "2026-12-01T00:00:00.000Z", corrected)
	after, err := sourcetest.ImportAll(t, aider.New(), entry, f)
	if err != nil {
		t.Fatal(err)
	}
	if changed := sourcetest.Changed(before, after); !slices.Equal(changed, []string{plainRow}) {
		t.Errorf("changed are %q", changed)
	}
}

// Of the real files every row is imported; what is left out of them is counted.
func TestRealFiles(t *testing.T) {
	tests := []struct {
		file    string
		rows    int
		reasons map[sources.Reason]int
	}{
		{"polyglot_leaderboard.2025-01-30.01d0e138.yml", 18, map[sources.Reason]int{sources.UnknownCost: 7, sources.RateDiffers: 1}},
		{"polyglot_leaderboard.2025-10-04.cb6a152e.yml", 69, map[sources.Reason]int{sources.UnknownCost: 18, sources.RateDiffers: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			r := mustImport(t, vectortest.DataText(t, "data", "aider", tt.file))
			if a := r.Acquisition; a.Rows != tt.rows || a.Imported != tt.rows || a.Skipped != 0 || a.Observations != tt.rows {
				t.Errorf("%s", a.JSON())
			}
			if got := sourcetest.Reasons(r); !maps.Equal(got, tt.reasons) {
				t.Errorf("diagnostics %v, want %v", got, tt.reasons)
			}
		})
	}
}
