package lmarena_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/lmarena"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const (
	commit    = "0123456789abcdef0123456789abcdef01234567"
	fetchedAt = "2026-11-01T12:00:00.000Z"
	defaults  = `{"runtime":"lmarena","validUntil":"2027-01-01T00:00:00.000Z"}`
)

func url(name string) string {
	return "https://raw.githubusercontent.com/lmarena/arena-catalog/" + commit + "/data/leaderboard-" + name + ".json"
}

// pin pins the file of an arena.
func pin(t *testing.T, name, body string) sources.File {
	t.Helper()
	return sourcetest.Pin(t, lmarena.Source, url(name), fetchedAt, body)
}

func place(rating, low, high string) string {
	return `{"rating":` + rating + `,"rating_q975":` + high + `,"rating_q025":` + low + `}`
}

func TestPlace(t *testing.T) {
	f := pin(t, "text", `{"coding":{"atlas-70b":`+place("1514.4", "1502.1", "1526.7")+`}}`)
	r, err := sourcetest.ImportRows(t, lmarena.New(), defaults, f)
	if err != nil {
		t.Fatal(err)
	}
	rec := sourcetest.Find(t, r, "lmarena:atlas-70b#text.coding@"+fetchedAt)
	for end, want := range map[string]string{"": "1514.4", ".low": "1502.1", ".high": "1526.7", ".stderr": "6.2756255201732785"} {
		if got := sourcetest.Value(rec, "lmarena.text.coding.rating"+end); got != want {
			t.Errorf("rating%s is %s, want %s", end, got, want)
		}
	}
	if w := rec.Execution.Workflow; w.ID != "lmarena.text" || w.Condition != "style_control=off" || rec.Task.Family != "software-engineering" || rec.Task.TaskID != "coding" {
		t.Errorf("workflow %+v, task %+v", w, rec.Task)
	}
	if !strings.HasSuffix(string(rec.Evidence[0].URI), "/blob/"+commit+"/data/leaderboard-text.json") {
		t.Errorf("evidence %+v", rec.Evidence)
	}
}

// The same model is one row in all files; what differs is the arena and the condition.
func TestFiles(t *testing.T) {
	body := `{"full":{"atlas-70b":` + place("1400", "1390", "1410") + `}}`
	r, err := sourcetest.ImportRows(t, lmarena.New(), defaults, pin(t, "text", body), pin(t, "text-style-control", body), pin(t, "vision", body), pin(t, "image", body))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Observations); n != 4 {
		t.Fatalf("%d observations", n)
	}
	styled := sourcetest.Find(t, r, "lmarena:atlas-70b#text.full+style-control@"+fetchedAt)
	if styled.Execution.Workflow.Condition != "style_control=on" || styled.Task.Family != "conversation" {
		t.Errorf("%+v", styled)
	}
	// A rating with style control is another number, under a key of its own.
	plain := sourcetest.Find(t, r, "lmarena:atlas-70b#text.full@"+fetchedAt)
	if sourcetest.Value(plain, "lmarena.text.full.rating") == "" || sourcetest.Value(styled, "lmarena.text-style-control.full.rating") == "" ||
		sourcetest.Value(styled, "lmarena.text.full.rating") != "" {
		t.Errorf("%+v, and with style control %+v", plain.Measurements, styled.Measurements)
	}
	if image := sourcetest.Find(t, r, "lmarena:atlas-70b#image.full@"+fetchedAt); image.Execution.Workflow.Condition != "" {
		t.Errorf("%+v", image.Execution)
	}
	_, err = sourcetest.ImportRows(t, lmarena.New(), defaults, pin(t, "text", body), sourcetest.Pin(t, lmarena.Source, strings.Replace(url("text"), "0", "1", 1), fetchedAt, body))
	sourcetest.Refused(t, "two commits", err, "$.snapshots[1].url", "each once")
}

func TestTraps(t *testing.T) {
	tests := []struct {
		name, place string
		values      int
		reason      sources.Reason
	}{
		{"no bounds", `{"rating":1400}`, 1, sources.InvalidValue},
		{"bounds that are none", place("1400", "1401", "1410"), 1, sources.InvalidValue},
		{"an interval of no width", place("1400", "1400", "1400"), 1, sources.InvalidValue},
		{"a bound that is no number", place("1400", `"low"`, "1410"), 1, sources.InvalidValue},
		{"no rating", `{"rating":null,"rating_q975":1,"rating_q025":0}`, 0, sources.MissingValue},
		{"a new field", `{"rating":1400,"rating_q975":1410,"rating_q025":1390,"votes":7}`, 4, sources.NewMembers},
	}
	for _, tt := range tests {
		r, err := sourcetest.ImportRows(t, lmarena.New(), defaults, pin(t, "text", `{"full":{"atlas":`+tt.place+`,"basalt":`+place("1", "0", "2")+`}}`))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		n := 0
		for _, o := range r.Observations {
			if rec := o.Record(); rec.Model.ID == "atlas" {
				n = len(rec.Measurements)
			}
		}
		if n != tt.values || sourcetest.Reasons(r)[tt.reason] == 0 {
			t.Errorf("%s: %d values, reported %v", tt.name, n, sourcetest.Reasons(r))
		}
	}
	for name, body := range map[string]string{
		"$.snapshots[0].body":                 `[]`,
		"$.snapshots[0].body.full":            `{"full":[]}`,
		"$.snapshots[0].body.full.atlas":      `{"full":{"atlas":1400}}`,
		"$.snapshots[0].body.full. ":          `{"full":{" ":{"rating":1}}}`,
		"$.snapshots[0].body.full.atlas.rank": `{"full":{"atlas":{"rank":1,"rank":2}}}`,
	} {
		_, err := sourcetest.ImportRows(t, lmarena.New(), defaults, pin(t, "text", body))
		sourcetest.Refused(t, body, err, name, "")
	}
}

func TestRealFile(t *testing.T) {
	const name = "leaderboard-text.2025-11-06.json"
	path := vectortest.Data(t, "data", "lmarena", name)
	r, err := sourcetest.ImportRows(t, lmarena.New(), defaults, pin(t, "text", vectortest.DataText(t, "data", "lmarena", name)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Observations) != 6834 || r.Acquisition.Rows != 259 || len(r.Diagnostics) != 0 {
		t.Errorf("%s: %v", r.Summary(), sourcetest.Reasons(r))
	}
	sourcetest.Second(t, r, "testdata/second.py", "text", "off", fetchedAt, path)
}

func FuzzImport(f *testing.F) {
	f.Add(`{"coding":{"atlas-70b":` + place("1514.4", "1502.1", "1526.7") + `}}`)
	f.Add(`{"coding":{"atlas-70b":{"rating":1e400}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		file, err := sourcetest.TryPin(t, lmarena.Source, url("text"), fetchedAt, body)
		if err != nil {
			t.Skip("not text")
		}
		sourcetest.FuzzRows(t, lmarena.New(), defaults, file)
	})
}
