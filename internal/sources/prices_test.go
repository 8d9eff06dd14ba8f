package sources_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// priceSources are the price sources, each with a URL of its files and how the
// vectors call them.
var priceSources = []struct {
	adapter     sources.Adapter
	url, prefix string
}{
	{modelsdev.New(), "https://codeload.github.com/anomalyco/models.dev/tar.gz/" + noCommit, "models-dev"},
	{litellm.New(), "https://raw.githubusercontent.com/BerriAI/litellm/" + noCommit + "/model_prices_and_context_window.json", "litellm"},
	{genaiprices.New(), "https://raw.githubusercontent.com/pydantic/genai-prices/" + noCommit + "/prices/new_data/v2/data.json", "genai-prices"},
	{openrouter.New(), modelsURL, "openrouter"},
}

const noCommit = "0000000000000000000000000000000000000000"

// realFile pins a real file of a price source.
func realFile(t testing.TB, source, url, file, at string) sources.File {
	t.Helper()
	body := vectortest.DataText(t, "data", file)
	if source == openrouter.Source && strings.HasPrefix(body, "[") { // its collector dropped the envelope
		body = `{"data":` + body + `}`
	}
	return sourcetest.Pin(t, source, url, at, body)
}

func importPrices(t testing.TB, a sources.Adapter, mapping problem.Source, files ...sources.File) *sources.Result {
	t.Helper()
	r, err := sourcetest.Import(t, a, mapping, files...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// byV1 is the mapping by which rows are models of their own ids.
func byV1(source string) problem.Source { return v2(source, `"identity":"offer/v1","entries":{}`) }

// What is imported of a real file by offer/v1 is what the vectors count, fact
// by fact.
func TestImportOfPrices(t *testing.T) {
	vectortest.SkipLong(t)
	for _, s := range priceSources {
		for _, name := range offertest.Names(t, s.prefix) {
			v := offertest.ReadVector(t, name)
			r := importPrices(t, s.adapter, byV1(s.adapter.Source()), realFile(t, s.adapter.Source(), s.url, v.File, v.At))
			a := r.Acquisition
			if a.Rows != v.Rows || a.Imported != v.Imported || len(a.SkippedFor) != len(v.Skipped) {
				t.Errorf("%s: %s", name, a.JSON())
			}
			for reason, n := range v.Skipped {
				if a.SkippedFor[sources.Reason(reason)] != n {
					t.Errorf("%s: %d %s, want %d", name, a.SkippedFor[sources.Reason(reason)], reason, n)
				}
			}
			if facts, sum := digestOfFacts(r); facts != v.FactsTotal || sum != v.FactsSHA256 {
				t.Errorf("%s: %d facts with the sha256 %s, want %d with %s", name, facts, sum, v.FactsTotal, v.FactsSHA256)
			}
		}
	}
}

// digestOfFacts is that of the vectors: over a line for each fact of the shared
// vocabulary.
func digestOfFacts(r *sources.Result) (n int, sum string) {
	var lines []string
	reader := catalog.NewRecordReader()
	for _, o := range r.Observations {
		rec := reader.Read(o)
		for _, m := range rec.Measurements {
			if !strings.HasPrefix(m.Key, "openrouter.") {
				lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\n", rec.Model.ID, rec.Execution.Runtime.ID, m.Key, offertest.JSON(m.Value)))
			}
		}
	}
	slices.Sort(lines)
	return len(lines), canonical.Sum([]byte(strings.Join(lines, "")))
}

// The snapshots of a source make the runs that the vectors count, in whatever
// order they are given, and of two runs of one fact one ends before the other
// begins.
func TestSuccessionOfImports(t *testing.T) {
	vectortest.SkipLong(t)
	for _, s := range priceSources {
		source := s.adapter.Source()
		v := offertest.ReadSuccession(t, source)
		var files []sources.File
		for _, snapshot := range v.Snapshots {
			files = append(files, realFile(t, source, s.url, snapshot.File, snapshot.At))
		}
		r := importPrices(t, s.adapter, byV1(source), files...)
		shared := 0
		type run struct{ fact, begins, ends string }
		var runs []run
		reader := catalog.NewRecordReader()
		for _, o := range r.Observations {
			rec := reader.Read(o)
			if strings.HasPrefix(rec.Measurements[0].Key, "openrouter.") {
				continue
			}
			shared++
			row, _, _ := strings.Cut(rec.Evidence[0].ID, "#")
			for _, m := range rec.Measurements {
				runs = append(runs, run{rec.Model.ID + " " + rec.Execution.Runtime.ID + " " + m.Key + " " + row, string(rec.Freshness.ObservedAt), string(rec.Freshness.ValidUntil)})
			}
		}
		if shared != v.AsRuns || r.Succession.Snapshots != len(files) {
			t.Errorf("%s: %d observations of the vocabulary of %d snapshots, want %d of %d", source, shared, r.Succession.Snapshots, v.AsRuns, len(files))
		}
		slices.SortFunc(runs, func(a, b run) int {
			return cmp.Or(strings.Compare(a.fact, b.fact), strings.Compare(a.begins, b.begins))
		})
		for i := 1; i < len(runs); i++ {
			if a, b := runs[i-1], runs[i]; a.fact == b.fact && a.ends > b.begins {
				t.Errorf("%s: %s is stated twice at %s", source, a.fact, b.begins)
			}
		}
		if source != genaiprices.Source { // ordering is not the adapters' matter: one is enough
			continue
		}
		slices.Reverse(files)
		if again := importPrices(t, s.adapter, byV1(source), files...); sourcetest.Text(again) != sourcetest.Text(r) {
			t.Errorf("%s: another order gives something else", source)
		}
	}
}

const litellmURL = "https://raw.githubusercontent.com/BerriAI/litellm/" + noCommit + "/model_prices_and_context_window.json"

func litellmFile(t testing.TB, at, rows string) sources.File {
	return sourcetest.Pin(t, litellm.Source, litellmURL, at, "{"+rows+"}")
}

const (
	day1 = "2026-07-01T00:00:00.000Z"
	day2 = "2026-07-02T00:00:00.000Z"
	day3 = "2026-07-03T00:00:00.000Z"
)

func gpt(input string) string {
	return `"gpt-5":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":` + input + `}`
}

func lines(r *sources.Result) (lines []string) {
	for _, o := range r.Observations {
		rec := o.Record()
		ids := []string{}
		for _, e := range rec.Evidence {
			ids = append(ids, e.ID)
		}
		lines = append(lines, fmt.Sprintf("%s=%s %s..%s %s", rec.Measurements[0].Key, rec.Measurements[0].Value.Text, rec.Freshness.ObservedAt[:10], rec.Freshness.ValidUntil[:10], strings.Join(ids, " ")))
	}
	slices.Sort(lines)
	return lines
}

// A closed run keeps its id whatever comes after it, and a capture between two that
// agree changes nothing.
func TestRunsKeepTheirIDs(t *testing.T) {
	a := litellm.New()
	one := litellmFile(t, day1, gpt("1e-06"))
	two := litellmFile(t, day2, gpt("0.000001"))
	three := litellmFile(t, day3, gpt("2e-06"))
	got := lines(importPrices(t, a, byV1(a.Source()), one, three))
	want := []string{
		"price.input=0.000001 2026-07-01..2026-07-03 litellm-prices:gpt-5#price.input@2026-07-01T00:00:00.000Z",
		"price.input=0.000002 2026-07-03..2026-07-10 litellm-prices:gpt-5#price.input@2026-07-03T00:00:00.000Z",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = lines(importPrices(t, a, byV1(a.Source()), three, two, one))
	want[0] += " litellm-prices:gpt-5#price.input@2026-07-02T00:00:00.000Z"
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	four := litellmFile(t, "2026-07-02T12:00:00.000Z", gpt("1e-06"))
	without := importPrices(t, a, byV1(a.Source()), one, four, three)
	with := importPrices(t, a, byV1(a.Source()), one, two, four, three)
	if sourcetest.Text(without) != sourcetest.Text(with) {
		t.Error("a capture between two that agree changes something")
	}
	_, err := sourcetest.Import(t, a, problem.Source{}, one, one)
	sourcetest.Refused(t, "two of one time", err, "$.snapshots[1]", "has the same time as $.snapshots[0]")
}

func v2(source, rest string) problem.Source {
	return problem.Source{Name: "mapping", Text: `{"schemaVersion":"service.source-mapping/v2","source":"` + source + `",` + rest + `}`}
}

// Saying the same in fewer words changes no observation; deciding something else
// changes those of its row.
func TestSayingTheSame(t *testing.T) {
	a := litellm.New()
	f := litellmFile(t, day1, gpt("1e-06")+`,"claude":{"litellm_provider":"anthropic","input_cost_per_token":3e-06}`)
	byID := sourcetest.Text(importPrices(t, a, problem.Source{}, f))
	claude := `"claude":{"model":"anthropic/claude"}`
	for _, same := range []string{
		`"identity":"offer/v2","entries":{"gpt-5":{"model":"openai/gpt-5"}}`,
		`"identity":"offer/v2","defaults":{},"entries":{"gpt-5":null}`,
		`"identity":null,"entries":{"gpt-5":{"model":{"id":"openai/gpt-5","revision":null,"quantization":null},"validUntil":null},` + claude + `}`,
		`"entries":{"gpt-5":{"model":"openai/gpt-5","decidedBy":{"person":"me"}},` + claude + `}`,
		`"entries":{"gpt-5":{"model":"openai/gpt-5","decidedBy":{"rule":"name/1","entry":"x","crosswalk":"y"}},` + claude + `}`,
	} {
		if got := sourcetest.Text(importPrices(t, a, v2(a.Source(), same), f)); got != byID {
			t.Errorf("%s gives\n%s\nwant\n%s", same, got, byID)
		}
	}
	const until = `"validUntil":"2026-07-04T00:00:00.000Z"`
	stated := importPrices(t, a, v2(a.Source(), `"entries":{"gpt-5":{"model":"openai/gpt-5",`+until+`},"claude":{"model":"anthropic/claude",`+until+`}}`), f)
	byDefault := importPrices(t, a, v2(a.Source(), `"defaults":{`+until+`},"entries":{"gpt-5":{"model":"openai/gpt-5"},`+claude+`}`), f)
	if sourcetest.Text(stated) != sourcetest.Text(byDefault) || sourcetest.Text(stated) == byID {
		t.Errorf("by default:\n%swant\n%s", sourcetest.Text(byDefault), sourcetest.Text(stated))
	}
	none := importPrices(t, a, v2(a.Source(), `"identity":"offer/v1","entries":{"gpt-5":{"none":"a test"}}`), f)
	if none.Acquisition.SkippedFor[sources.MappedToNone] != 1 || len(none.Observations) != 1 {
		t.Errorf("%s", none.Acquisition.JSON())
	}
	unmapped := importPrices(t, a, v2(a.Source(), `"entries":{"gpt-5":null,`+claude+`}`), f)
	if unmapped.Acquisition.SkippedFor[sources.UnmappedRow] != 1 || len(unmapped.Observations) != 2 {
		t.Errorf("%s", unmapped.Acquisition.JSON())
	}
}

// A mapping is refused with a path where it is wrong, once for each fault.
func TestRefusedDefaults(t *testing.T) {
	a := litellm.New()
	f := litellmFile(t, day1, gpt("1e-06"))
	for _, tt := range []struct{ mapping, path, reason string }{
		{`"entries":{"a":{}}`, "$.mapping.entries.a.model", "missing field"},
		{`"entries":{"a":{"model":null}}`, "$.mapping.entries.a.model", "must be an object, or the text of an id"},
		{`"entries":{"a":{"model":" x"}}`, "$.mapping.entries.a.model.id", "must"},
		{`"entries":{"a":{"model":"x","more":1}}`, "$.mapping.entries.a.more", "unknown field"},
		{`"entries":{"a":[]}`, "$.mapping.entries.a", "must be an object, or null"},
		{`"entries":{"a":{"none":"x","model":"y"}}`, "$.mapping.entries.a.model", "must not be there"},
		{`"entries":{"a":{"none":""}}`, "$.mapping.entries.a.none", "must be a text"},
		{`"entries":{"a":{"model":"x","decidedBy":{"rule":"r","entry":"e"}}}`, "$.mapping.entries.a.decidedBy.crosswalk", "missing field"},
		{`"defaults":{"model":"x"},"entries":{}`, "$.mapping.defaults.model", "must be in an entry"},
		{`"defaults":{"validUntil":"soon"},"entries":{"a":{"model":"x"},"b":{"model":"y"}}`, "$.mapping.defaults.validUntil", "must be a timestamp"},
		{`"defaults":[],"entries":{}`, "$.mapping.defaults", "must be an object"},
		{`"identity":"offer/v3","entries":{}`, "$.mapping.identity", "must be offer/v1 or offer/v2"},
		{`"identity":"offer/v1"`, "$.mapping.entries", "missing field"},
		{`"defaults":{"validUntil":"2026-07-01T00:00:00.000Z"},"identity":null,"entries":{"gpt-5":{"model":"x"}}`, "$.mapping.defaults.validUntil", "must be later than"},
	} {
		_, err := sourcetest.Import(t, a, v2(a.Source(), tt.mapping), f)
		sourcetest.Refused(t, tt.mapping, err, tt.path, tt.reason)
		if faults := problem.All(err); len(faults) != 1 || faults[0].Place.Line != 1 {
			t.Errorf("%s: %d faults, %v", tt.mapping, len(faults), err)
		}
	}
}

// All entries that expired are told at once.
func TestAllExpiredEntries(t *testing.T) {
	f := litellmFile(t, day2, gpt("1e-06")+`,"claude":{"litellm_provider":"anthropic","input_cost_per_token":3e-06,"output_cost_per_token":3e-06}`)
	const until = `,"validUntil":"2026-07-01T00:00:00.000Z"`
	_, err := sourcetest.Import(t, litellm.New(), v2(litellm.Source, `"entries":{"gpt-5":{"model":"openai/gpt-5"`+until+`},"claude":{"model":"c"`+until+`}}`), f)
	if faults := problem.All(err); len(faults) != 2 {
		t.Errorf("%v", err)
	}
}

// What several snapshots say alike is one diagnostic, and counts are sums.
func TestSharedDiagnostics(t *testing.T) {
	one := litellmFile(t, day1, gpt("0"+`,"output_cost_per_token":1e-05`))
	two := litellmFile(t, day2, `"sample_spec":{},`+gpt("0"+`,"output_cost_per_token":1e-05`))
	r := importPrices(t, litellm.New(), problem.Source{}, two, one)
	if a := r.Acquisition; a.Rows != 3 || a.Skipped != 1 || len(a.Snapshots) != 2 || a.Snapshots[0].FetchedAt != day1 {
		t.Errorf("%s", a.JSON())
	}
	if len(r.Diagnostics) != 2 || r.Diagnostics[0].Snapshots != 2 || r.Diagnostics[0].Path != "$.snapshots[1].body.gpt-5.input_cost_per_token" ||
		r.Diagnostics[0].Row != "gpt-5" || r.Diagnostics[0].Place.File != "body" {
		t.Errorf("%+v", r.Diagnostics)
	}
}

// The time of a snapshot is when it was published, if that is known.
func TestPublishedAt(t *testing.T) {
	body := problem.Source{Name: "body", Text: "{" + gpt("1e-06") + "}"}
	pin := func(f sources.Download) (sources.File, error) {
		f.URL, f.FetchedAt = litellmURL, day2
		e, err := sources.Pin(litellm.Source, f, body, sourcetest.Manifest(t))
		if err != nil {
			return sources.File{}, err
		}
		return sources.File{Body: body, Envelope: problem.Source{Text: string(e.JSON())}}, nil
	}
	f, err := pin(sources.Download{PublishedAt: day1})
	if err != nil || !strings.Contains(f.Envelope.Text, `"schemaVersion":"service.source.snapshot/v2"`) {
		t.Fatal(err, f.Envelope.Text)
	}
	r := importPrices(t, litellm.New(), problem.Source{}, f)
	if rec := r.Observations[0].Record(); rec.Freshness.ObservedAt != day1 || string(rec.Freshness.ValidUntil) != timestamp.AddHours(day1, 168) {
		t.Errorf("%+v", rec.Freshness)
	}
	_, err = pin(sources.Download{PublishedAt: day3})
	sourcetest.Refused(t, "published after the fetch", err, "$.publishedAt", "must not be later than fetchedAt")
	_, err = sources.Pin(openrouter.Source, sources.Download{URL: modelsURL, FetchedAt: day2, PublishedAt: day1}, problem.Source{Text: models("a")}, sourcetest.Manifest(t))
	sourcetest.Refused(t, "no commit", err, "$.publishedAt", "must not be there")
	stripped := f
	stripped.Envelope.Text = strings.Replace(f.Envelope.Text, `"publishedAt":"`+day1+`",`, "", 1)
	_, err = sourcetest.Import(t, litellm.New(), problem.Source{}, stripped)
	sourcetest.Refused(t, "without the time", err, "$.snapshots[0].schemaVersion", "for an envelope with publishedAt")
}

// Bytes that were published once and looked at again are one run, which holds from the
// last look on, in whatever order the looks are given.
func TestSeenAgain(t *testing.T) {
	body := problem.Source{Name: "body", Text: "{" + gpt("1e-06") + "}"}
	var looks []sources.File
	for _, at := range []string{day2, day3} {
		e, err := sources.Pin(litellm.Source, sources.Download{URL: litellmURL, PublishedAt: day1, FetchedAt: at}, body, sourcetest.Manifest(t))
		if err != nil {
			t.Fatal(err)
		}
		looks = append(looks, sources.File{Body: body, Envelope: problem.Source{Text: string(e.JSON())}})
	}
	for range 2 {
		r := importPrices(t, litellm.New(), byV1(litellm.Source), looks...)
		want := record.Freshness{ObservedAt: day1, ValidUntil: record.Timestamp(timestamp.AddHours(day3, 168))}
		if len(r.Observations) != 1 || r.Observations[0].Record().Freshness != want {
			t.Errorf("%d observations, the first %+v, want %+v", len(r.Observations), r.Observations[0].Record().Freshness, want)
		}
		slices.Reverse(looks)
	}
	// Other bytes that say that they were published then are no second look.
	other := problem.Source{Name: "other", Text: "{" + gpt("2e-06") + "}"}
	e, err := sources.Pin(litellm.Source, sources.Download{URL: litellmURL, PublishedAt: day1, FetchedAt: day3}, other, sourcetest.Manifest(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = sourcetest.Import(t, litellm.New(), problem.Source{}, looks[0], sources.File{Body: other, Envelope: problem.Source{Text: string(e.JSON())}})
	sourcetest.Refused(t, "other bytes of one time", err, "$.snapshots[1]", "has the same time as $.snapshots[0]")
}

// An offer that is in another row in a later snapshot is one run, which ends where the
// first of the entries of both rows does.
func TestRunOfTwoRows(t *testing.T) {
	const sooner, later = "2026-07-04T00:00:00.000Z", "2026-07-05T00:00:00.000Z"
	first := litellmFile(t, day1, gpt("1e-06"))
	last := litellmFile(t, day2, strings.Replace(gpt("1e-06"), `"gpt-5"`, `"openai/gpt-5"`, 1))
	for _, ends := range [][2]string{{sooner, later}, {later, sooner}} {
		r := importPrices(t, litellm.New(), v2(litellm.Source, `"identity":"offer/v1","entries":{"gpt-5":{"model":"m","validUntil":"`+ends[0]+`"},"openai/gpt-5":{"model":"m","validUntil":"`+ends[1]+`"}}`), first, last)
		if len(r.Observations) != 1 || r.Observations[0].Record().Freshness != (record.Freshness{ObservedAt: day1, ValidUntil: sooner}) {
			t.Errorf("%q: %d observations, the first %+v", ends, len(r.Observations), r.Observations[0].Record().Freshness)
		}
	}
}

// Lines alone are those of all observations, each as often as they are asked for, and
// in order: also of runs whose evidence has one digest, since a price came back, and of
// lines longer than what is read at once.
func TestLinesOnly(t *testing.T) {
	long := strings.Repeat("x", 2000)
	files := []sources.File{
		litellmFile(t, day1, gpt("1e-6")), litellmFile(t, day2, gpt("2e-6")), litellmFile(t, day3, gpt("1e-6")),
	}
	for name, request := range map[string]sources.Request{
		"a price that came back": {Snapshots: files},
		"a long id":              {Snapshots: []sources.File{litellmFile(t, day1, strings.ReplaceAll(gpt("1e-6"), "gpt-5", long))}},
	} {
		request.Manifest = sourcetest.Manifest(t)
		request.Mapping = sources.EmptyMapping(litellm.Source)
		all, err := litellm.New().Import(request)
		if err != nil {
			t.Fatal(err)
		}
		request.LinesOnly = true
		only, err := litellm.New().Import(request)
		if err != nil {
			t.Fatal(err)
		}
		want := sourcetest.Text(all)
		if name == "a long id" && len(want) <= 4096 {
			t.Fatalf("%s: a line of %d bytes is not long", name, len(want))
		}
		if len(only.Observations) != 0 || only.Acquisition.Observations != len(all.Observations) || strings.Count(want, "\n") != len(all.Observations) {
			t.Errorf("%s: %d observations of %d", name, only.Acquisition.Observations, len(all.Observations))
		}
		for range 2 {
			if got := sourcetest.Text(only); got != want || !slices.IsSorted(strings.Split(strings.TrimSuffix(got, "\n"), "\n")) {
				t.Errorf("%s: the lines\n%s\nwant\n%s", name, got, want)
			}
		}
		stop := errors.New("stop")
		if err := only.Lines(func([]byte) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("%s: an error of writing becomes %v", name, err)
		}
	}
}

// What a price source says holds for maxAgeHours of the manifest from the newest look on,
// and its page says so. Of other sources the mapping says how long a row holds, and no
// page says otherwise.
func TestAnswersHoldForMaxAge(t *testing.T) {
	m := sourcetest.Manifest(t)
	sentences := map[uint64]string{24: "an answer is valid for a day", 168: "an answer is valid for a week"}
	isPriceSource := map[string]bool{}
	for _, s := range priceSources {
		source := s.adapter.Source()
		isPriceSource[source] = true
		v := offertest.ReadVector(t, offertest.Names(t, s.prefix)[0])
		r := importPrices(t, s.adapter, problem.Source{}, realFile(t, source, s.url, v.File, day3))
		hours := m.Source(source).Freshness.MaxAgeHours
		reader, latest := catalog.NewRecordReader(), ""
		for _, o := range r.Observations {
			latest = max(latest, string(reader.Read(o).Freshness.ValidUntil))
		}
		if want := timestamp.AddHours(day3, hours); latest != want {
			t.Errorf("%s holds until %s, want %s: %d hours", source, latest, want, hours)
		}
	}
	for _, s := range m.Sources() {
		page, err := os.ReadFile("../../docs/sources/" + s.ID + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		says := strings.Contains(string(page), sentences[s.Freshness.MaxAgeHours])
		if says != isPriceSource[s.ID] || !says && strings.Contains(string(page), "answer is valid for") {
			t.Errorf("the page of %s is wrong on how long an answer holds, %d hours", s.ID, s.Freshness.MaxAgeHours)
		}
	}
}
