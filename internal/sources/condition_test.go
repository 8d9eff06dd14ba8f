package sources_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const aiderURL = "https://raw.githubusercontent.com/Aider-AI/aider/" + noCommit + "/aider/website/_data/polyglot_leaderboard.yml"

func aiderFile(t testing.TB) sources.File {
	return sourcetest.Pin(t, aider.Source, aiderURL, "2026-01-01T00:00:00.000Z", vectortest.DataText(t, "data", "aider", "polyglot_leaderboard.2025-10-04.cb6a152e.yml"))
}

func aiderMapping(entries string) problem.Source {
	return v2(aider.Source, `"defaults":{"runtime":"aider","validUntil":"2027-01-01T00:00:00.000Z"},"entries":{`+entries+`}`)
}

// Rows of one model that differ in effort alone are two scopes if a field of the row or
// the mapping says so, and are both skipped if nobody does.
func TestNeverAnAverage(t *testing.T) {
	f := aiderFile(t)
	const plain, high = "2025-06-25-20-30-16--o3-price-reduction", "2025-06-25-21-04-24--o3-price-reduction-high"
	rows, err := sourcetest.Rows(t, aider.New(), f)
	if err != nil {
		t.Fatal(err)
	}
	gpt5 := slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return !strings.Contains(row, "gpt-5") })
	if len(gpt5) < 3 {
		t.Fatalf("%q", rows)
	}
	var entries []string
	for _, row := range gpt5 {
		entries = append(entries, `"`+row+`":{"model":"openai/gpt-5"}`)
	}
	r := importPrices(t, aider.New(), aiderMapping(strings.Join(entries, ",")), f)
	seen := map[string]bool{}
	for _, o := range r.Observations {
		rec := o.Record()
		if condition := rec.Execution.Workflow.Condition; seen[string(condition)] || !strings.Contains(string(condition), "effort=") {
			t.Errorf("condition %q", condition)
		} else {
			seen[string(condition)] = true
		}
	}
	if len(seen) != len(gpt5) {
		t.Errorf("%d of %d rows: %s", len(seen), len(gpt5), r.Acquisition.JSON())
	}
	same := importPrices(t, aider.New(), aiderMapping(`"`+plain+`":{"model":"openai/o3"},"`+high+`":{"model":"openai/o3","workflowCondition":null}`), f)
	if len(same.Observations) != 2 { // one states an effort
		t.Errorf("%s", same.Summary())
	}
	twins := sourcetest.Pin(t, aider.Source, aiderURL, "2026-01-01T00:00:00.000Z", twin("a", "74.2")+twin("b (high)", "84.0")+twin("c", "50.0"))
	both := `"a":{"model":"m"},"c":{"model":"n"},"b (high)":{"model":"m"`
	same = importPrices(t, aider.New(), aiderMapping(both+"}"), twins)
	if len(same.Observations) != 1 || same.Acquisition.SkippedFor[sources.SameScope] != 2 {
		t.Errorf("%s", same.Summary())
	}
	if last := same.Diagnostics[len(same.Diagnostics)-1]; last.Row != "b (high)" || !strings.Contains(last.Message, `as "a": `) {
		t.Errorf("%+v", last)
	}
	_, err = aider.New().Import(sources.Request{Manifest: sourcetest.Manifest(t), Snapshots: []sources.File{twins}, Mapping: aiderMapping(both + "}"), Strict: true})
	if len(problem.All(err)) != 2 {
		t.Errorf("strict: %v", err)
	}
	apart := importPrices(t, aider.New(), aiderMapping(both+`,"workflowCondition":"effort=high"}`), twins)
	if len(apart.Observations) != 3 {
		t.Errorf("%s", apart.Summary())
	}
	_, err = sourcetest.Import(t, aider.New(), aiderMapping(`"`+high+`":{"model":"openai/o3","workflowCondition":"effort=low"}`), f)
	sourcetest.Refused(t, "two efforts", err, "$.mapping.entries."+high+".workflowCondition", "must not contradict the row")
}

// Saying the same by defaults keeps the observation.
func TestSayingTheSameByDefaults(t *testing.T) {
	f := aiderFile(t)
	const row = "2025-01-31-20-27-46--o3-mini-diff2"
	old := sourcetest.Mapping(aider.Source, `{"model":{"id":"openai/o3-mini","revision":null,"quantization":null},"runtime":{"id":"aider","version":null},"validUntil":"2027-01-01T00:00:00.000Z"}`, row)
	before := sourcetest.Text(importPrices(t, aider.New(), old, f))
	after := sourcetest.Text(importPrices(t, aider.New(), aiderMapping(`"`+row+`":{"model":"openai/o3-mini"}`), f))
	if before != after {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

func twin(dirname, rate string) string {
	return "- dirname: " + dirname + "\n  model: " + dirname + "\n  edit_format: diff\n  commit_hash: abc\n  versions: 0.86\n  date: 2025-06-25\n  pass_rate_2: " + rate + "\n"
}
