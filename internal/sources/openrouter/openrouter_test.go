package openrouter_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

const (
	url       = "https://openrouter.ai/api/v1/models"
	fetchedAt = "2026-11-01T12:00:00.000Z"
	entry     = `{"model":{"id":"%ROW%","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`

	// atlas is a row with all that is used.
	atlas = `{"id":"acme/atlas-70b","canonical_slug":"acme/atlas-70b-20260814","hugging_face_id":"","name":"Acme: Atlas 70B",
"created":1786000000,"description":"A model...","context_length":1000000,
"architecture":{"modality":"text+image->text","input_modalities":["text","image"],"output_modalities":["text"],"tokenizer":"Other","instruct_type":null},
"pricing":{"prompt":"0.0000001","completion":"0.00000008333333333333334","web_search":"0.01","input_cache_read":"0.00000001"},
"top_provider":{"context_length":262144,"max_completion_tokens":16384,"is_moderated":false},
"per_request_limits":null,"supported_parameters":["max_tokens","tools"],"default_parameters":{"temperature":null,"top_p":0.95},
"supported_voices":null,"knowledge_cutoff":"2026-01-31","expiration_date":"2098-12-31","links":{"details":"/api/v1/models/acme/atlas-70b/endpoints"},
"reasoning":{"mandatory":false,"supported_efforts":["high","low"],"default_effort":"low"},
"benchmarks":{"design_arena":[{"arena":"models","category":"website","elo":1319,"win_rate":58,"rank":7}],
"artificial_analysis":{"intelligence_index":null,"coding_index":13.1,"agentic_index":40}}}`

	basalt = `{"id":"acme/basalt","context_length":8192,"architecture":{"input_modalities":["text"],"output_modalities":["text"]},"pricing":{"prompt":"0.00003","completion":"0.00006"},"top_provider":{"context_length":8192,"max_completion_tokens":4096},"supported_parameters":[]}`

	atlasRow = "openrouter-models:acme/atlas-70b#"
)

func importBody(t testing.TB, body string) (*sources.Result, error) {
	t.Helper()
	return sourcetest.ImportAll(t, openrouter.New(), entry, sourcetest.Pin(t, openrouter.Source, url, fetchedAt, body))
}

func mustImport(t testing.TB, rows ...string) *sources.Result {
	t.Helper()
	r, err := importBody(t, answer(rows...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func answer(rows ...string) string { return `{"data":[` + strings.Join(rows, ",\n") + `]}` }

// A row is an offer in the vocabulary of all price lists, and what the vocabulary lacks has keys of
// the router. It holds for as long as the manifest says.
func TestFacts(t *testing.T) {
	r := mustImport(t, atlas)
	var got []string
	for _, o := range r.Observations {
		rec := o.Record()
		if rec.Execution.Kind == "" {
			continue // what others measured
		}
		for _, m := range rec.Measurements {
			got = append(got, strings.TrimSpace(m.Key+" "+sourcetest.Value(rec, m.Key)+" "+m.Unit))
		}
		if e := rec.Execution; rec.Kind != "declaration" || e.Kind != "partial" || e.Runtime != (record.Component{ID: "openrouter"}) ||
			rec.Freshness != (record.Freshness{ObservedAt: fetchedAt, ValidUntil: "2026-11-02T12:00:00.000Z"}) {
			t.Errorf("%+v", rec)
		}
	}
	slices.Sort(got)
	want := []string{
		"capability.reasoning false", "capability.structured_outputs false", "capability.tools true", "knowledge.cutoff 2026-01",
		"limits.context 262144 tokens", "limits.output 16384 tokens",
		"modality.input.audio false", "modality.input.image true", "modality.input.pdf false", "modality.input.text true", "modality.input.video false",
		"modality.output.audio false", "modality.output.image false", "modality.output.pdf false", "modality.output.text true", "modality.output.video false",
		"offer.id acme/atlas-70b", "offer.service standard", "openrouter.context_length 1000000",
		"openrouter.reasoning.default_effort low", "openrouter.reasoning.effort.high true", "openrouter.reasoning.effort.low true",
		"price.cache_read 1e-8 USD/token", "price.input 1e-7 USD/token", "price.output 8.333333333333334e-8 USD/token",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// What others measured has their name, high uncertainty and no scope.
func TestRelayed(t *testing.T) {
	r := mustImport(t, atlas)
	for member, want := range map[string][4]string{ // evaluator, family, key, value
		"benchmarks.artificial_analysis.coding_index":  {"Artificial Analysis", "software-engineering", "artificial_analysis.coding_index", "13.1"},
		"benchmarks.artificial_analysis.agentic_index": {"Artificial Analysis", "agentic", "artificial_analysis.agentic_index", "40"},
		"benchmarks.design_arena.models/website":       {"Design Arena", "design", "design_arena.elo", "1319"},
	} {
		rec := sourcetest.Find(t, r, atlasRow+member+"@"+fetchedAt)
		if rec.Task.Evaluator.ID != want[0] || rec.Task.Family != want[1] || sourcetest.Value(rec, "openrouter."+want[2]) != want[3] {
			t.Errorf("%s: %+v %+v", member, rec.Task, rec.Measurements)
		}
		if rec.Uncertainty.Level != "high" || rec.Execution.Kind != "" || rec.Measurements[0].Kind != "sample" {
			t.Errorf("%s: %+v", member, rec)
		}
	}
}

// with is the row with one text in the place of another.
func with(row, old, new string) string {
	if !strings.Contains(row, old) {
		panic("no " + old)
	}
	return strings.Replace(row, old, new, 1)
}

// Members that are not known are named, all in one diagnostic.
func TestNewMembers(t *testing.T) {
	r := mustImport(t, with(with(atlas, `"id":`, `"mood":{"a":[1]},"id":`), `"prompt":`, `"per_joke":"1","prompt":`), with(basalt, `"id":`, `"mood":1,"id":`))
	d := r.Diagnostics[0]
	if d.Reason != sources.NewMembers || d.Message != `not known and not taken: "mood" (2), "pricing.per_joke" (1)` || sourcetest.Reasons(r)[sources.NewMembers] != 1 {
		t.Errorf("%v", r.Diagnostics)
	}
	if len(r.Observations) != len(mustImport(t, atlas, basalt).Observations) {
		t.Error("what is used changed")
	}
}

func TestEnvelopes(t *testing.T) {
	for _, ok := range []string{`{"data":[` + basalt + `],"total_count":1,"links":{"next":null}}`, `{"links":{"next":null,"self":"x"},"total_count":1,"data":[` + basalt + `]}`} {
		if r, err := importBody(t, ok); err != nil || r.Acquisition.Imported != 1 {
			t.Errorf("%s: %v", ok, err)
		}
	}
	tests := []struct{ name, body, path, reason string }{
		{"a bare list", `[` + basalt + `]`, "$.snapshots[0].body", "a bare list is what a collector made of it"},
		{"a collector's envelope", `{"fetchedAt":"2026-08-22T00:00:00Z","count":1,"data":[` + basalt + `]}`, "$.snapshots[0].body.fetchedAt", "a collector's own envelope"},
		{"a further page", `{"data":[` + basalt + `],"total_count":1,"links":{"next":"/api/v1/models?offset=500&limit=500"}}`, "$.snapshots[0].body.links.next", "a further page follows"},
		{"another count", `{"data":[` + basalt + `],"total_count":2,"links":{"next":null}}`, "$.snapshots[0].body.total_count", "holds 1 models"},
		{"links without next", `{"data":[],"total_count":0,"links":{}}`, "$.snapshots[0].body.links.next", "missing field"},
		{"a count without links", `{"data":[` + basalt + `],"total_count":1}`, "$.snapshots[0].body", "both of total_count and links"},
		{"no data", `{}`, "$.snapshots[0].body.data", "missing field"},
		{"null", `null`, "$.snapshots[0].body", "must be an object"},
	}
	for _, tt := range tests {
		_, err := importBody(t, tt.body)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
	}
}

// What is no answer is refused.
func TestRefusedAnswers(t *testing.T) {
	row := "$.snapshots[0].body.data[0]"
	tests := []struct{ name, body, path, reason string }{
		{"no id", answer(with(basalt, `"id":"acme/basalt",`, ``)), row + ".id", "missing field"},
		{"a row that is none", answer(`"acme/basalt"`), row, "must be an object"},
		{"a duplicate field", answer(with(basalt, `"id":`, `"context_length":1,"id":`)), row + ".context_length", "duplicate field"},
		{"one in what is not used", answer(with(atlas, `{"temperature":null,`, `{"top_p":null,`)), row + ".default_parameters.top_p", "duplicate field"},
		{"depth", `{"data":[{"mood":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}]}`, "$.snapshots[0].body", "more than 64"},
		{"not JSON", `{"data":[` + basalt, "$.snapshots[0].body", "unexpected end"},
		{"a file of white space", strings.Repeat(" ", 1<<20), "$.snapshots[0].body", "unexpected end"},
	}
	for _, tt := range tests {
		_, err := importBody(t, tt.body)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
	}
	_, err := importBody(t, answer(strings.Split(strings.TrimSuffix(strings.Repeat(`{"id":"x"}`+"\n", sources.MaxRows+1), "\n"), "\n")...))
	if err == nil {
		t.Error("more rows than an import may have")
	}
}

// The same address with a filter gives other models; nothing in the body tells.
func TestFilteredAnswer(t *testing.T) {
	for _, u := range []string{url + "?supported_parameters=tools", url + "/", "http" + strings.TrimPrefix(url, "https"), "https://openrouter.ai/api/v1/models?offset=500"} {
		if _, err := sourcetest.TryPin(t, openrouter.Source, u, fetchedAt, answer()); err == nil {
			t.Errorf("%s is approved", u)
		}
	}
}

// A row's change changes the observation of that fact alone; a description is no
// fact. A mapping that ran out refuses the import.
func TestStability(t *testing.T) {
	before := mustImport(t, atlas, basalt)
	if again := mustImport(t, atlas, basalt); sourcetest.Text(again) != sourcetest.Text(before) {
		t.Error("the same input gives other bytes")
	}
	after := mustImport(t, basalt, with(with(atlas, `"0.0000001"`, `"0.0000002"`), `A model...`, `Another text`))
	if changed := sourcetest.Changed(before, after); !slices.Equal(changed, []string{atlasRow + "price.input@" + fetchedAt}) {
		t.Errorf("changed are %q", changed)
	}
	f := sourcetest.Pin(t, openrouter.Source, url, fetchedAt, answer(basalt))
	short := strings.Replace(entry, "2027-01-01T00:00:00.000Z", "2026-11-01T12:00:00.001Z", 1)
	r, err := sourcetest.ImportAll(t, openrouter.New(), short, f)
	if err != nil || r.Observations[0].Record().Freshness.ValidUntil != "2026-11-01T12:00:00.001Z" {
		t.Errorf("the mapping's own end: %v", err)
	}
	_, err = sourcetest.ImportAll(t, openrouter.New(), strings.Replace(entry, "2027-01-01T00:00:00.000Z", fetchedAt, 1), f)
	sourcetest.Refused(t, "a mapping that ran out", err, "$.mapping.entries.acme/basalt.validUntil", "must be later than")
}

func realFile(t testing.TB, name string) string {
	t.Helper()
	return vectortest.DataText(t, "data", "openrouter", name)
}

// Every real capture is imported or refused for what it is.
func TestRealFiles(t *testing.T) {
	tests := []struct {
		file          string
		rows          int
		observations  int
		reasons       map[sources.Reason]int
		path, refused string
	}{
		{file: "models.2025-07-29.wikiarena.json", rows: 151, observations: 1242, reasons: map[sources.Reason]int{sources.UnknownPrice: 151}},
		{file: "models.2025-12-02.chess.json", rows: 335, observations: 2659, reasons: map[sources.Reason]int{sources.UnknownPrice: 342}},
		{file: "models.2026-03-10.dongasai.json", rows: 346, observations: 2833, reasons: map[sources.Reason]int{sources.UnknownPrice: 7}},
		{file: "models.2026-06-16.chlnga.json", rows: 337, observations: 4137,
			reasons: map[sources.Reason]int{sources.RelayedTwice: 11, sources.UnknownPrice: 8}},
		{file: "models.2026-07-17.sui414.json", path: "$.snapshots[0].body", refused: "a bare list is what a collector made of it"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			r, err := importBody(t, realFile(t, tt.file))
			if tt.refused != "" {
				sourcetest.Refused(t, tt.file, err, tt.path, tt.refused)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a := r.Acquisition
			if a.Rows != tt.rows || a.Skipped != 0 || a.Observations != tt.observations {
				t.Errorf("%d rows, skipped %v, %d observations", a.Rows, a.SkippedFor, a.Observations)
			}
			if got := sourcetest.Reasons(r); !maps.Equal(got, tt.reasons) {
				t.Errorf("diagnostics %v, want %v", got, tt.reasons)
			}
		})
	}
}

// The newest shape of the answer, of which the first and the last bytes are at
// hand: a count and no further page. Two of its models are left.
func TestRealExcerpts(t *testing.T) {
	body := strings.TrimRight(realFile(t, "models.2026-09-25.ainative.EXCERPT-head.txt"), "\n") + realFile(t, "models.2026-09-25.ainative.EXCERPT-tail.txt")
	_, err := importBody(t, body)
	sourcetest.Refused(t, "two of 458", err, "$.snapshots[0].body.total_count", "holds 2 models")
	r, err := importBody(t, strings.Replace(body, `"total_count":458`, `"total_count":2`, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := map[sources.Reason]int{sources.UnknownPrice: 2}
	if got := sourcetest.Reasons(r); r.Acquisition.Imported != 2 || !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The largest capture, every row of which is mapped. Beside the usual it reports
// the most memory that one import had in use at once, in bytes for each byte of
// the body.
func BenchmarkLargestCapture(b *testing.B) {
	body := realFile(b, "models.2026-03-10.dongasai.json")
	f := sourcetest.Pin(b, openrouter.Source, url, fetchedAt, body)
	a, m := openrouter.New(), sourcetest.Manifest(b)
	rows, err := sourcetest.Rows(b, a, f)
	if err != nil {
		b.Fatal(err)
	}
	mapping := sourcetest.Mapping(openrouter.Source, entry, rows...)
	run := func() {
		if _, err := a.Import(sources.Request{Manifest: m, Snapshots: []sources.File{f}, Mapping: mapping}); err != nil {
			b.Fatal(err)
		}
	}
	peak := sourcetest.PeakMemory(run)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(peak)/float64(len(body)), "peak/body")
}
