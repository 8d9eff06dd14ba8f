package swebench_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/sources/swebench"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const (
	url       = "https://raw.githubusercontent.com/SWE-bench/swe-bench.github.io/0123456789abcdef0123456789abcdef01234567/data/leaderboards.json"
	fetchedAt = "2026-11-01T12:00:00.000Z"
	defaults  = `{"runtime":"swe-bench","validUntil":"2027-12-01T00:00:00.000Z"}`
)

// submission is one of the newer shape.
const submission = `{"name":"Mender 2 + Atlas 70B (20241022)","folder":"20261029_mender","resolved":53.0,"date":"2026-10-29",
"checked":true,"os_model":true,"os_system":false,"cost":12.5,"tags":["Model: atlas-70b-20241022","Org: Acme"],"warning":null}`

func body(board string, submissions ...string) string {
	return `{"leaderboards":[{"name":"` + board + `","results":[` + strings.Join(submissions, ",") + `]}]}`
}

func importBody(t *testing.T, text string) (*sources.Result, error) {
	t.Helper()
	return sourcetest.ImportRows(t, swebench.New(), defaults, sourcetest.Pin(t, swebench.Source, url, fetchedAt, text))
}

func TestSubmission(t *testing.T) {
	r, err := importBody(t, body("Verified", submission))
	if err != nil {
		t.Fatal(err)
	}
	rec := sourcetest.Find(t, r, "swe-bench:verified/20261029_mender")
	for key, want := range map[string]string{"resolved": "53", "tasks": "500", "cost": "12.5", "checked": "true", "open_model": "true", "open_system": "false"} {
		if got := sourcetest.Value(rec, "swe-bench.verified."+key); got != want {
			t.Errorf("%s is %q, want %s", key, got, want)
		}
	}
	if w := rec.Execution.Workflow; w.ID != "Mender 2" || w.Version != "2026-10-29" || rec.Task.Suite != "swe-bench.verified" {
		t.Errorf("workflow %+v, task %+v", w, rec.Task)
	}
	if rec.Uncertainty.Level != "moderate" || rec.Freshness.ObservedAt != "2026-10-29T00:00:00.000Z" || len(r.Diagnostics) != 0 {
		t.Errorf("%+v, %+v, %v", rec.Uncertainty, rec.Freshness, r.Diagnostics)
	}
}

// The model is what a tag says, then what a name has behind a plus or in brackets.
func TestLabels(t *testing.T) {
	for name, want := range map[string]string{
		"Mender + Atlas 70B (20241022)": "Atlas 70B (20241022)",
		"Mender 2 (atlas-70b)":          "atlas-70b",
		"Mender (2024-08-24)":           "Mender (2024-08-24)",
		"Mender":                        "Mender",
	} {
		labels, err := swebench.New().Labels(sourcetest.Manifest(t), []sources.File{sourcetest.Pin(t, swebench.Source, url, fetchedAt,
			body("Lite", strings.NewReplacer("Mender 2 + Atlas 70B (20241022)", name, "Model: ", "Kind: ").Replace(submission)))})
		if err != nil || labels[0].Label != want {
			t.Errorf("%s: %+v, %v", name, labels, err)
		}
	}
}

func TestTraps(t *testing.T) {
	tests := []struct {
		name, from, to string
		reason         sources.Reason
		isTaken        bool
		level          string
	}{
		{"a share that no count gives", "53.0", "53.17", sources.RateDiffers, true, "moderate"},
		{"a share above all", "53.0", "153", sources.InvalidValue, false, ""},
		{"a share that is a text", "53.0", `"53"`, sources.InvalidValue, false, ""},
		{"no date", `"2026-10-29"`, "null", sources.RowUndated, false, ""},
		{"a date of tomorrow", `"2026-10-29"`, `"2026-11-02"`, sources.RowInFuture, false, ""},
		{"not run again", `"checked":true`, `"checked":false`, "", true, "high"},
		{"warned of", `"warning":null`, `"warning":true`, "", true, "high"},
		{"the names of 2024", `"checked":true`, `"verified":true`, "", true, "moderate"},
		{"a new field", `"checked":true`, `"checked":true,"mood":1`, sources.NewMembers, true, "moderate"},
	}
	for _, tt := range tests {
		r, err := importBody(t, body("Verified", strings.Replace(submission, tt.from, tt.to, 1)))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		isTaken := len(r.Observations) == 1
		if isTaken != tt.isTaken || tt.reason != "" && sourcetest.Reasons(r)[tt.reason] != 1 || isTaken && r.Observations[0].Record().Uncertainty.Level != tt.level {
			t.Errorf("%s: taken %v, reported %v", tt.name, isTaken, sourcetest.Reasons(r))
		}
	}
	if r, err := importBody(t, body("Nightly", submission)); err != nil || r.Acquisition.SkippedFor[sources.UnknownBoard] != 1 {
		t.Errorf("an unknown board: %v, %v", r, err)
	}
	for text, path := range map[string]string{
		`{}`: "$.snapshots[0].body.leaderboards", `[]`: "$.snapshots[0].body", body("Lite", "1"): "$.snapshots[0].body.leaderboards[0].results[0]",
		body("Lite", `{"date":"2026-01-01"}`): "$.snapshots[0].body.leaderboards[0].results[0].folder",
		body("Lite", submission, submission):  "$.snapshots[0].body.leaderboards[0]",
		`{"leaderboards":[{"results":[]}]}`:   "$.snapshots[0].body.leaderboards[0].name",
	} {
		_, err := importBody(t, text)
		sourcetest.Refused(t, text, err, path, "")
	}
}

func TestRealFile(t *testing.T) {
	const name = "data.2025-01-22.json"
	text := vectortest.DataText(t, "data", "swe-bench", name)
	const old = "https://raw.githubusercontent.com/swe-bench/swe-bench.github.io/0123456789abcdef0123456789abcdef01234567/template/data.json"
	r, err := sourcetest.ImportRows(t, swebench.New(), defaults, sourcetest.Pin(t, swebench.Source, old, fetchedAt, text))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Observations) != 151 || len(r.Diagnostics) != 0 {
		t.Errorf("%s: %v", r.Summary(), sourcetest.Reasons(r))
	}
	sourcetest.Second(t, r, "testdata/second.py", vectortest.Data(t, "data", "swe-bench", name))
}

func FuzzImport(f *testing.F) {
	f.Add(body("Verified", submission))
	f.Add(body("Lite", `{"name":"a (b","folder":"c","resolved":1e400,"date":"2026-01-01"}`))
	f.Fuzz(func(t *testing.T, text string) {
		file, err := sourcetest.TryPin(t, swebench.Source, url, fetchedAt, text)
		if err != nil {
			t.Skip("not text")
		}
		sourcetest.FuzzRows(t, swebench.New(), defaults, file)
	})
}
