package sources_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

const (
	modelsURL = "https://openrouter.ai/api/v1/models"
	decided   = `{"model":{"id":"m","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`
)

func models(ids ...string) string {
	var rows []string
	for _, id := range ids {
		rows = append(rows, `{"id":"`+id+`","context_length":1}`)
	}
	return `{"data":[` + strings.Join(rows, ",\n") + `]}`
}

func mapping(entries string) problem.Source {
	return problem.Source{Name: "mapping", Text: "{\"schemaVersion\":\"service.source-mapping/v2\",\"source\":\"openrouter-models\",\"entries\":{\n" + entries + "}}"}
}

// Rows that no entry speaks of are skipped and named, and so are entries without
// a row; strictly, either is a failure.
func TestUnmappedAndMissing(t *testing.T) {
	f := sourcetest.Pin(t, "openrouter-models", modelsURL, fetchedAt, models("a", "b", "c"))
	m := mapping(`"b":` + decided + ",\n" + `"gone":` + decided)
	r, err := sourcetest.Import(t, openrouter.New(), m, f)
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Acquisition; a.Rows != 3 || a.Imported != 1 || a.SkippedFor[sources.UnmappedRow] != 2 {
		t.Errorf("%s", a.JSON())
	}
	var got []string
	for _, d := range r.Diagnostics {
		if d.Reason == sources.UnmappedRow || d.Reason == sources.MappedRowMissing {
			got = append(got, d.Place.File+" "+d.Path+" "+string(d.Reason)+" "+d.Row)
		}
	}
	want := []string{
		"body $.snapshots[0].body.data[0] unmapped-row a",
		"body $.snapshots[0].body.data[2] unmapped-row c",
		"mapping $.mapping.entries.gone mapped-row-missing gone",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if last := r.Diagnostics[len(r.Diagnostics)-1]; last.Place.Line != 3 || last.Place.Column != 1 {
		t.Errorf("%+v", last)
	}
	_, err = openrouter.New().Import(sources.Request{Manifest: sourcetest.Manifest(t), Snapshots: []sources.File{f}, Mapping: m, Strict: true})
	faults := problem.All(err)
	if len(faults) != 3 || faults[0].Code != problem.InvalidSourceSnapshot || faults[0].Path != "$.snapshots[0].body.data[0]" || faults[2].Path != "$.mapping.entries.gone" || faults[2].Place.Line != 3 {
		t.Errorf("strict: %v", faults)
	}
	m = mapping(`"a":` + decided + `,"b":` + decided + `,"c":` + decided)
	if _, err := openrouter.New().Import(sources.Request{Manifest: sourcetest.Manifest(t), Snapshots: []sources.File{f}, Mapping: m, Strict: true}); err != nil {
		t.Errorf("strict: %v", err)
	}
}

func TestRefusedMappings(t *testing.T) {
	f := sourcetest.Pin(t, "openrouter-models", modelsURL, fetchedAt, models("a"))
	tests := []struct{ name, text, path, reason string }{
		{"an undecided model", mapping(`"a":{"model":null,"validUntil":"2027-01-01T00:00:00.000Z"}`).Text, "$.mapping.entries.a.model", "must be an object"},
		{"an end that is none", mapping(`"a":{"model":{"id":"m","revision":null,"quantization":null},"validUntil":1}`).Text, "$.mapping.entries.a.validUntil", "must be a timestamp"},
		{"an entry of another source", mapping(`"a":{"model":{"id":"m","revision":null,"quantization":null},"runtime":null,"validUntil":"2027-01-01T00:00:00.000Z"}`).Text, "$.mapping.entries.a.runtime", "unknown field"},
		{"a row twice", mapping(`"a":` + decided + `,"a":` + decided).Text, "$.mapping.entries.a", "duplicate field"},
		{"another source", strings.Replace(mapping("").Text, "openrouter-models", "livebench", 1), "$.mapping.source", "must be openrouter-models"},
		{"another version", strings.Replace(mapping("").Text, "/v2", "/v9", 1), "$.mapping.schemaVersion", "must be service.source-mapping/v2"},
		{"no entries", `{"schemaVersion":"service.source-mapping/v2","source":"openrouter-models"}`, "$.mapping.entries", "missing field"},
		{"not JSON", "entries:", "$.mapping", "unexpected character"},
		{"an entry that ends too early", mapping(`"a": 1{"model":"}}`).Text, "$.mapping", "expected ',' or '}'"},
	}
	for _, tt := range tests {
		_, err := sourcetest.Import(t, openrouter.New(), problem.Source{Name: "mapping", Text: tt.text}, f)
		sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
		if faults := problem.All(err); len(faults) > 0 && (faults[0].Place.File != "mapping" || faults[0].Place.Line == 0) {
			t.Errorf("%s: %+v", tt.name, faults[0].Place)
		}
	}
}

func allAdapters() []sources.Adapter {
	return []sources.Adapter{
		aider.New(), livebench.New(), openrouter.New(), lmeval.New(), modelsdev.New(), litellm.New(), genaiprices.New(),
	}
}

func labels(rows ...string) (labels []sources.Label) {
	for _, row := range rows {
		labels = append(labels, sources.Label{Row: row})
	}
	return labels
}

// A draft holds every row with nothing decided, and keeps what was.
func TestDraftMapping(t *testing.T) {
	a := openrouter.New()
	draft, err := sources.DraftMapping(a, labels("b", "~a", `q"uote`), mapping(""))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "schemaVersion": "service.source-mapping/v2",
  "source": "openrouter-models",
  "identity": null,
  "defaults": {},
  "entries": {
    "b": null,
    "q\"uote": null,
    "~a": null
  }
}
`
	if draft.JSON != want || len(draft.New) != 3 || draft.Missing != nil {
		t.Errorf("%s%+v", draft.JSON, draft)
	}
	half := strings.Replace(draft.JSON, `"b": null`, `"b": {"model":{"id":"m","revision":"r","quantization":null}}`, 1)
	next, err := sources.DraftMapping(a, labels("b", "c"), problem.Source{Text: half})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(next.New, []string{"c"}) || !slices.Equal(next.Missing, []string{`q"uote`, "~a"}) || !strings.Contains(next.JSON, `"b": {"model":{"id":"m","quantization":null,"revision":"r"}}`) {
		t.Errorf("%s%+v", next.JSON, next)
	}
	same, err := sources.DraftMapping(a, labels("b", "c"), problem.Source{Text: next.JSON})
	if err != nil || same.JSON != next.JSON || same.New != nil {
		t.Errorf("a draft of its own rows is another: %v", err)
	}
	for _, bad := range []string{`[]`, strings.Replace(half, "openrouter-models", "livebench", 1), strings.Replace(half, `"~a"`, `"b"`, 1), mapping(`"a":1`).Text} {
		if _, err := sources.DraftMapping(a, nil, problem.Source{Text: bad}); len(problem.All(err)) == 0 || problem.All(err)[0].Code != problem.InvalidSourceSnapshot {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// rebased gives faults of a mapping by itself the path that they have in an
// import.
func rebased(err error) error {
	for _, e := range problem.All(err) {
		e.Path = "$.mapping" + strings.TrimPrefix(e.Path, "$")
	}
	return err
}

// The blank entry of every adapter has the members of its entries, undecided, as
// defaults. Rows of a price source need none.
func TestBlanks(t *testing.T) {
	for _, a := range allAdapters() {
		draft, err := sources.DraftMapping(a, labels("row"), problem.Source{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range problem.All(sources.CheckMapping(problem.Source{Text: draft.JSON}, allAdapters())) {
			if strings.Contains(e.Reason, "unknown") || strings.Contains(e.Reason, "missing") {
				t.Errorf("%s: %v", a.Source(), e)
			}
		}
		if err := sources.CheckMapping(problem.Source{Text: draft.JSON}, allAdapters()); (err == nil) != a.IsPriceSource() {
			t.Errorf("%s: the draft is refused with %v", a.Source(), err)
		}
	}
}

// A mapping tells by itself of which source it is.
func TestCheckMapping(t *testing.T) {
	check := func(text string) error {
		return rebased(sources.CheckMapping(problem.Source{Name: "mapping", Text: text}, allAdapters()))
	}
	if err := check(mapping(`"a":` + decided).Text); err != nil {
		t.Error(err)
	}
	sourcetest.Refused(t, "nobody's", check(strings.Replace(mapping("").Text, "openrouter-models", "nobody", 1)), "$.mapping.source", "must be aider-polyglot, livebench, openrouter-models, lm-eval, models-dev, litellm-prices or genai-prices")
	sourcetest.Refused(t, "of what is no text", check(strings.Replace(mapping("").Text, `"openrouter-models"`, "[]", 1)), "$.mapping.source", "must be aider-polyglot, livebench, openrouter-models, lm-eval, models-dev, litellm-prices or genai-prices")
	sourcetest.Refused(t, "without source", check(`{"schemaVersion":"service.source-mapping/v2","entries":{}}`), "$.mapping.source", "missing field")
}

// An acquisition record adds up, or is refused.
func TestCheckAcquisition(t *testing.T) {
	f := sourcetest.Pin(t, "openrouter-models", modelsURL, fetchedAt, models("a", "b"))
	r, err := sourcetest.Import(t, openrouter.New(), mapping(`"a":`+decided), f)
	if err != nil {
		t.Fatal(err)
	}
	right := string(r.Acquisition.JSON())
	for _, tt := range []struct{ old, new, path string }{
		{`"rows":2`, `"rows":3`, "$.rows"},
		{`"unmapped-row":1`, `"unmapped-row":2`, "$.skippedFor"},
		{`"snapshots":[`, `"snapshots":[],"more":[`, "$.more"},
		{`"imported":1,`, ``, "$.imported"},
		{`"bytes":`, `"bytes":-`, "$.snapshots[0].bytes"},
	} {
		err := sources.CheckAcquisition(problem.Source{Name: "record", Text: strings.Replace(right, tt.old, tt.new, 1)})
		if faults := problem.All(err); len(faults) == 0 || faults[0].Code != problem.InvalidSourceSnapshot || faults[0].Path != tt.path || faults[0].Place.Line != 1 {
			t.Errorf("%s: %v", tt.new, err)
		}
	}
}

// The evidence can be computed by anybody from the row and the mapping entry.
func TestEvidence(t *testing.T) {
	f := sourcetest.Pin(t, "openrouter-models", modelsURL, fetchedAt, models("a"))
	r, err := sourcetest.Import(t, openrouter.New(), mapping(`"a":`+decided), f)
	if err != nil {
		t.Fatal(err)
	}
	want := hexSum([]byte(`{"mapping":{"model":{"id":"m","quantization":null,"revision":null},"validUntil":"2027-01-01T00:00:00.000Z"},"row":{"declaration":"limits.context","id":"a","read":{"context_length":"1"}}}`))
	if got := sourcetest.Find(t, r, "openrouter-models:a#limits.context@"+fetchedAt).Evidence[0]; got.Digest.Value != want {
		t.Errorf("%+v, want %s", got, want)
	}
	// Another word of the mapping is other evidence.
	other, err := sourcetest.Import(t, openrouter.New(), mapping(`"a":`+strings.Replace(decided, "2027", "2028", 1)), f)
	if err != nil {
		t.Fatal(err)
	}
	if got := sourcetest.Find(t, other, "openrouter-models:a#limits.context@"+fetchedAt).Evidence[0]; got.Digest.Value == want {
		t.Error("the entry is not in the evidence")
	}
}

// Lines are in order, and each is an observation as a compilation takes it.
func TestLines(t *testing.T) {
	f := sourcetest.Pin(t, "openrouter-models", modelsURL, fetchedAt, models("a", "b", "c", "d"))
	r, err := sourcetest.Import(t, openrouter.New(), mapping(`"a":`+decided+`,"b":`+decided+`,"c":`+decided+`,"d":`+decided), f)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(sourcetest.Text(r), "\n"), "\n")
	if len(lines) != 8 || !slices.IsSorted(lines) || strings.Contains(lines[0], r.Observations[0].ID()) {
		t.Errorf("%q", lines)
	}
}
