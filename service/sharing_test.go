package service_test

import (
	"bytes"
	"context"
	"errors"
	"github.com/model-catalog-service/svc/internal/ijson"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/compare/ranking"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

// public returns a catalog as the library has it.
func public(t *testing.T, c *catalog.Catalog) *service.Catalog {
	t.Helper()
	p, err := service.ParseCatalog(t.Context(), c.Serialize())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// request ranks two of the models of random catalogs, by a fact and by samples.
const request = `{"schemaVersion":"service.rank.request/v3","inventory":[
	{"id":"a","model":{"id":"a"},"execution":{"runtime":{"id":"r"}}},{"id":"b","model":{"id":"b"},"execution":{"runtime":{"id":"q"}}}],
	"requirements":[{"measurementKey":"l","aggregation":"count","transfer":["execution"],"operator":"gte","value":1}],
	"preferences":[{"measurementKey":"k","aggregation":"mean","transfer":["execution"],"resolve":["newest"],"direction":"minimize","weight":2},
		{"measurementKey":"l","aggregation":"fact","transfer":["execution"],"resolve":["newest"],"direction":"maximize","weight":1}]}`

// A diff has all members of the JSON that the command line prints, whatever was compared.
func TestCatalogDiff(t *testing.T) {
	inner, err := v3.ReadRequest(problem.Source{Text: request})
	if err != nil {
		t.Fatal(err)
	}
	q, err := service.ValidateRankRequest(request)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for range 40 {
		all := comparetest.Random(rnd, 40)
		old, new := comparetest.Compile(t, comparetest.May31, comparetest.Some(rnd, all)...), comparetest.Compile(t, comparetest.June1, comparetest.Some(rnd, all)...)
		sides := [2]*ranking.Side{}
		for i, c := range []*catalog.Catalog{old, new} {
			if sides[i], err = ranking.NewSide(t.Context(), c, inner); err != nil {
				t.Fatal(err)
			}
		}
		want, err := ranking.Diff(t.Context(), sides[0], sides[1], compare.Options{Limit: compare.DefaultLimit})
		if err != nil {
			t.Fatal(err)
		}
		for change, n := range want.Summary.Facts {
			seen[change] += n
		}
		got, err := service.DiffCatalogs(t.Context(), public(t, old), public(t, new), service.DiffOptions{Requests: []*service.RankRequest{q}})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := service.CanonicalJSON(marshal(t, got)); err != nil || !bytes.Equal(text, ijson.MustWriteTagged(want)) {
			t.Fatalf("the record of a diff is another one, %v\n%s\n%s", err, text, ijson.MustWriteTagged(want))
		}
		rankings, err := service.DiffRankings(t.Context(), public(t, old), public(t, new), q)
		if err != nil || !bytes.Equal(marshal(t, rankings), marshal(t, got.Rankings)) {
			t.Errorf("rankings by themselves differ, %v\n%s\n%s", err, marshal(t, rankings), marshal(t, got.Rankings))
		}
	}
	if seen[compare.Added] == 0 || seen[compare.Removed] == 0 {
		t.Errorf("nothing changed: %v", seen)
	}
}

func TestDiffOptions(t *testing.T) {
	old, new := firstDay(), secondDay()
	if d, err := service.DiffCatalogs(t.Context(), old, new, service.DiffOptions{Limit: -1}); err != nil || len(d.Models) != 0 || d.LeftOut[record.DiffModels] != 3 {
		t.Errorf("without a limit: %+v, %v", d, err)
	}
	if d, err := service.DiffCatalogs(t.Context(), old, new, service.DiffOptions{Limit: 1, Only: []record.DiffKind{record.DiffModels}}); err != nil || len(d.Models) != 1 || d.LeftOut[record.DiffModels] != 2 || len(d.Only) != 1 {
		t.Errorf("limited: %+v, %v", d, err)
	}
	if _, err := service.DiffCatalogs(t.Context(), old, new, service.DiffOptions{Only: []record.DiffKind{"prices"}}); err == nil {
		t.Error("an unknown kind is accepted")
	}
	if _, err := service.DiffCatalogs(t.Context(), new, old, service.DiffOptions{}); err == nil {
		t.Error("the newer catalog comes first")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := service.DiffRankings(ctx, old, new, cheapest()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A lock and a check have all members of their JSON.
func TestModelsLock(t *testing.T) {
	lockText := `{"schemaVersion":"service.models.lock/v1","catalog":{"digest":"` + firstDay().Digest() + `","asOf":"2026-10-01T01:00:00.000Z"},
	"policy":{"priceUpPercent":12.5,"noticeDays":3,"catalogMaxAgeDays":AGE,"levels":{"MODEL_GONE":"warn","PRICE_DOWN":"fail"}},
	"uses":[{"id":"writer","model":{"id":"x-ai/grok-4","revision":null,"quantization":null},"execution":{"runtime":{"id":"openrouter","version":null},
	"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null},
	"facts":{"price.output":{"value":0.000015,"unit":"USD/token"},"limits.context":{"value":256000,"unit":"tokens"},"capability.tools":{"value":true,"unit":null}}}]}`
	for age, want := range map[string]service.CatalogMaxAge{"null": {AnyAge: true}, "0": {Days: new(uint64(0))}, "9": {Days: new(uint64(9))}} {
		text := strings.Replace(lockText, "AGE", age, 1)
		l, err := service.ParseModelsLock(text)
		if err != nil || l.Text() != text {
			t.Fatalf("%v", err)
		}
		record := l.Record()
		if got := record.Policy.CatalogMaxAgeDays; got.AnyAge != want.AnyAge || (got.Days == nil) != (want.Days == nil) || got.Days != nil && *got.Days != *want.Days {
			t.Errorf("the age %s is %+v", age, got)
		}
		for _, written := range []any{l, record} {
			if again, err := service.CanonicalJSON(marshal(t, written)); err != nil || string(again) != string(canonicalText(t, text)) {
				t.Errorf("the record of a lock is another one, %v\n%s\n%s", err, again, text)
			}
		}
	}
	text := strings.Replace(lockText, `"catalogMaxAgeDays":AGE,`, "", 1)
	l, err := service.ParseModelsLock(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := service.CanonicalJSON(marshal(t, l.Record())); err != nil || string(again) != string(canonicalText(t, text)) {
		t.Errorf("the record of a lock is another one, %v\n%s\n%s", err, again, text)
	}
	inner, err := lock.Read(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	old, err := catalog.Parse(t.Context(), problem.Source{Text: service.SerializeCatalog(secondDay())})
	if err != nil {
		t.Fatal(err)
	}
	want, err := lock.Check(t.Context(), old, inner, text, "2026-10-20T00:00:00.000Z")
	if err != nil {
		t.Fatal(err)
	}
	check, err := service.CheckModels(t.Context(), secondDay(), l, time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := service.CanonicalJSON(marshal(t, check)); err != nil || !bytes.Equal(got, ijson.MustWriteTagged(want)) || len(check.Findings) < 2 {
		t.Errorf("the record of a check is another one, %v\n%s\n%s", err, got, ijson.MustWriteTagged(want))
	}
	if _, err := service.CheckModels(t.Context(), secondDay(), l, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)); !errors.Is(err, service.ErrCheckTooEarly) {
		t.Errorf("before the catalog: %v", err)
	}
	if _, err := service.CheckModels(t.Context(), secondDay(), l, time.Time{}); err == nil {
		t.Error("a check without a time is made")
	}
	updated, err := service.UpdateModels(t.Context(), secondDay(), l, time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if r := updated.Record(); r.Uses[0].Facts["price.output"].Value.Float() != 18e-6 || r.Catalog.Digest != secondDay().Digest() || *r.Policy.NoticeDays != 3 {
		t.Errorf("%+v", r)
	}
	_, err = service.ParseModelsLock("{}")
	if faults := service.Faults(err); len(faults) == 0 || faults[0].Path != "$.catalog" {
		t.Errorf("no lock: %v", err)
	}
}

func canonicalText(t *testing.T, text string) []byte {
	t.Helper()
	canonical, err := service.CanonicalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return canonical
}

func TestLockOptions(t *testing.T) {
	first, unlocked, err := service.LockModels(t.Context(), firstDay(), service.LockOptions{
		Uses: []service.ModelUse{{Runtime: "openrouter", Model: "openai/o1"}}, Watch: []string{"throughput"},
	})
	if err != nil || len(unlocked) == 0 || unlocked[len(unlocked)-1] != (service.UnlockedFact{Use: "openrouter:openai/o1", MeasurementKey: "throughput", Status: "missing"}) {
		t.Fatalf("%v, %v", unlocked, err)
	}
	both, _, err := service.LockModels(t.Context(), firstDay(), service.LockOptions{Requests: []*service.RankRequest{cheapest()}, Existing: first})
	if err != nil || len(both.Record().Uses) != 4 {
		t.Errorf("a lock that is continued: %v", err)
	}
	if _, _, err := service.LockModels(t.Context(), firstDay(), service.LockOptions{}); err == nil {
		t.Error("nothing is locked")
	}
	_, _, err = service.LockModels(t.Context(), firstDay(), service.LockOptions{Uses: []service.ModelUse{{Runtime: "openrouter", Model: "nobody/nothing"}}})
	if !errors.Is(err, service.ErrNothingToLock) {
		t.Errorf("an unknown model: %v", err)
	}
}

// A file and its report are those of the command line, in every format.
func TestExport(t *testing.T) {
	c := secondDay()
	inner, err := catalog.Parse(t.Context(), problem.Source{Text: service.SerializeCatalog(c)})
	if err != nil {
		t.Fatal(err)
	}
	base := service.NamedText{Name: "base.json", Text: `{"openrouter/x-ai/grok-4":{"input_cost_per_token":1}}`}
	for _, options := range []service.ExportOptions{
		{Format: record.FormatNDJSON}, {Format: record.FormatCSV, Runtimes: []string{"openrouter"}}, {Format: record.FormatLiteLLM}, {Format: record.FormatLiteLLM, Base: &base},
	} {
		o := export.Options{Format: record.ExportFormat(options.Format), Runtimes: options.Runtimes}
		if options.Base != nil {
			o.Base = &problem.Source{Name: base.Name, Text: base.Text}
		}
		want, wantErr := export.Text(t.Context(), inner, o)
		got, err := service.ExportCatalog(t.Context(), c, options)
		if !errors.Is(err, wantErr) || wantErr != nil && !errors.Is(err, service.ErrNothingToExport) {
			t.Fatalf("%s: %v, want %v", options.Format, err, wantErr)
		}
		if report, err := service.CanonicalJSON(marshal(t, got.Report)); err != nil || !bytes.Equal(report, ijson.MustWriteTagged(want.Report)) || string(got.Data) != want.Text {
			t.Errorf("%s: %v\n%s\n%s\n%s", options.Format, err, got.Data, report, ijson.MustWriteTagged(want.Report))
		}
	}
	database, err := service.ExportCatalog(t.Context(), c, service.ExportOptions{Format: record.FormatSQLite})
	if err != nil || !bytes.HasPrefix(database.Data, []byte("SQLite format 3\x00")) || database.Report.Exported.Rows != 4 {
		t.Errorf("database: %v", err)
	}
	for _, bad := range []service.ExportOptions{
		{}, {Format: "xml"}, {Format: record.FormatCatwalk}, {Format: record.FormatCSV, Base: &base},
		{Format: record.FormatSQLite, Runtimes: []string{"r"}}, {Format: record.FormatLiteLLM, Base: &service.NamedText{Text: "["}},
	} {
		if file, err := service.ExportCatalog(t.Context(), c, bad); err == nil || file != nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// A report is refused before anything is written, and what a page shows must fit it.
func TestPages(t *testing.T) {
	var page bytes.Buffer
	err := service.WriteReport(t.Context(), &page, secondDay(), service.ReportOptions{MaxBytes: 1000})
	if _, ok := errors.AsType[*service.ReportTooLargeError](err); !ok || page.Len() > 0 {
		t.Errorf("%v after %d bytes", err, page.Len())
	}
	options := service.PageOptions{Against: secondDay()}
	if err := service.WriteReport(t.Context(), &page, firstDay(), service.ReportOptions{PageOptions: options}); err == nil {
		t.Error("what it is against is newer")
	}
	if _, err := service.NewExploreHandler(t.Context(), firstDay(), service.ExploreOptions{PageOptions: options}); err == nil {
		t.Error("what it is against is newer")
	}
	if _, err := service.NewExploreHandler(t.Context(), firstDay(), service.ExploreOptions{Handler: service.CatalogHandlerOptions{MaxRankResponseBytes: -1}}); err == nil {
		t.Error("a negative limit is accepted")
	}
	page.Reset()
	options = service.PageOptions{Against: firstDay(), Requests: []service.NamedRequest{{Name: "cheapest.json", Request: cheapest()}}}
	handler, err := service.NewExploreHandler(t.Context(), secondDay(), service.ExploreOptions{PageOptions: options, CatalogFile: "prices.json"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/explore/extras.json", nil))
	extras := unmarshal[struct {
		Diff     record.CatalogDiff `json:"diff"`
		Requests []struct {
			Name    string                    `json:"name"`
			Request service.RankRequestRecord `json:"request"`
		} `json:"requests"`
		CatalogFile string `json:"catalogFile"`
	}](t, w.Body.Bytes())
	if extras.Diff.New.Digest != secondDay().Digest() || len(extras.Diff.Rankings) != 1 || extras.CatalogFile != "prices.json" ||
		len(extras.Requests) != 1 || len(extras.Requests[0].Request.Inventory) != 3 {
		t.Errorf("%s", w.Body)
	}
}

// An agent answers over HTTP, and refuses pages of other origins.
func TestAgent(t *testing.T) {
	if _, err := service.NewAgent(firstDay(), service.AgentOptions{Against: secondDay()}); err == nil {
		t.Error("what it is against is newer")
	}
	observed := make(chan service.Exchange, 10)
	agent, err := service.NewAgent(secondDay(), service.AgentOptions{Against: firstDay(), Observe: func(e service.Exchange) { observed <- e }})
	if err != nil {
		t.Fatal(err)
	}
	handler := agent.Handler()
	server := httptest.NewServer(handler)
	defer server.Close()
	for origin, want := range map[string]int{"": http.StatusOK, "https://elsewhere.example": http.StatusForbidden} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+service.AgentPath, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			q.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != want || want == http.StatusOK && !strings.Contains(string(body), `"name":"diff"`) {
			t.Errorf("origin %q: %d, %v, %s", origin, answer.StatusCode, err, body)
		}
		if e := <-observed; e.Status != want || e.Route != service.AgentPath {
			t.Errorf("origin %q: observed %+v", origin, e)
		}
	}
	server.Close()
	if handler.CallsInFlight() != 0 || handler.HeldBytes() != 0 {
		t.Errorf("%d calls in flight, %d bytes", handler.CallsInFlight(), handler.HeldBytes())
	}
}

// Streams are compiled as texts are, and faults have their place.
func TestCompileSources(t *testing.T) {
	text := string(readExample(t, "observations/runs.jsonl"))
	source := func(name, text string) service.ObservationSource {
		return service.ObservationSource{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	}
	options := service.CompileOptions{AsOf: november}
	want, err := service.CompileCatalog(t.Context(), exampleRuns(), options)
	if err != nil {
		t.Fatal(err)
	}
	got, err := service.CompileSources(t.Context(), []service.ObservationSource{source("runs.jsonl", text)}, options)
	if err != nil || got.Digest() != want.Digest() {
		t.Errorf("from a stream: %v", err)
	}
	read, err := service.ReadObservations(t.Context(), []service.ObservationSource{source("runs.jsonl", text), source("again.jsonl", text)})
	if err != nil || len(read) != want.Observations() {
		t.Fatalf("%d observations, %v", len(read), err)
	}
	if again, err := service.CompileObservations(t.Context(), read, options); err != nil || again.Digest() != want.Digest() {
		t.Errorf("from observations: %v", err)
	}
	for _, refuse := range []func([]service.ObservationSource) error{
		func(s []service.ObservationSource) error {
			_, err := service.CompileSources(t.Context(), s, options)
			return err
		},
		func(s []service.ObservationSource) error {
			_, err := service.ReadObservations(t.Context(), s)
			return err
		},
	} {
		faults := service.Faults(refuse([]service.ObservationSource{source("bad.jsonl", text+"{}\n")}))
		if len(faults) == 0 || faults[0].Code != service.InvalidObservation || faults[0].Place.File != "bad.jsonl" || faults[0].Place.Line != strings.Count(text, "\n")+1 {
			t.Errorf("%v", faults)
		}
		err := refuse([]service.ObservationSource{{Name: "closed", Open: func() (io.ReadCloser, error) { return nil, os.ErrPermission }}})
		if !errors.Is(err, os.ErrPermission) || service.Faults(err) != nil {
			t.Errorf("%v", err)
		}
	}
	_, err = service.NewObservation(record.Observation{})
	expectCode(t, "nothing", err, "INVALID_OBSERVATION", "$.kind")
	_, err = service.NewObservation(record.Observation{SchemaVersion: "service.observation/v1"})
	expectCode(t, "another version", err, "UNSUPPORTED_SCHEMA", "$.schemaVersion")
	record := read[0].Record()
	if o, err := service.NewObservation(record); err != nil || o.ID() != read[0].ID() {
		t.Errorf("%v", err)
	}
	record.Kind = "guess"
	_, err = service.NewObservation(record)
	expectCode(t, "a guess", err, "INVALID_OBSERVATION", "$.kind")
}

// Contents have all members of the JSON that the command line prints.
func TestContents(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, inner := range []*catalog.Catalog{comparetest.Compile(t, comparetest.May31, comparetest.Random(rnd, 60)...), comparetest.Compile(t, comparetest.June1)} {
		c := public(t, inner)
		at := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
		for _, o := range []service.ContentsOptions{{}, {AsOf: at}, {Key: "k", AsOf: at}, {Stale: true}, {Conflicts: true}, {Source: "external"}} {
			want := contents.Options{Key: o.Key, Source: o.Source, Stale: o.Stale, Conflicts: o.Conflicts}
			if !o.AsOf.IsZero() {
				want.AsOf = "2026-05-12T00:00:00.000Z"
			}
			found := contents.Found{}
			for i := range inner.Models() {
				if m := &inner.Models()[i]; m.Identity.ID == "a" {
					found.Models = append(found.Models, m)
				}
			}
			models, modelsErr := contents.Models(inner, want)
			keys, keysErr := contents.Keys(inner, want)
			measurements, measurementsErr := contents.Measurements(inner, found.Models, want)
			for name, list := range map[string]struct {
				want    *record.CatalogContents
				wantErr error
				got     func() (*record.CatalogContents, error)
			}{
				"models":       {models, modelsErr, func() (*record.CatalogContents, error) { return service.ListModels(c, o) }},
				"keys":         {keys, keysErr, func() (*record.CatalogContents, error) { return service.ListKeys(c, o) }},
				"measurements": {measurements, measurementsErr, func() (*record.CatalogContents, error) { return service.ListMeasurements(c, "a", o) }},
			} {
				got, err := list.got()
				if list.wantErr != nil || found.Models == nil && name == "measurements" {
					if _, ok := errors.AsType[*service.AbsentNameError](err); !ok || name != "measurements" && err.Error() != list.wantErr.Error() {
						t.Errorf("%s by %+v: %v, want %v", name, o, err, list.wantErr)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s by %+v: %v", name, o, err)
				}
				if text, err := service.CanonicalJSON(marshal(t, got)); err != nil || !bytes.Equal(text, ijson.MustWriteTagged(list.want)) {
					t.Errorf("the record of %s is another one, %v\n%s\n%s", name, err, text, ijson.MustWriteTagged(list.want))
				}
			}
		}
	}
	c := firstDay()
	_, err := service.ListModels(c, service.ContentsOptions{Key: "price.outptu"})
	if absent, ok := errors.AsType[*service.AbsentNameError](err); !ok || absent.Closest != "price.output" {
		t.Errorf("%v", err)
	}
	observation := record.List[string]{}
	for m := range c.Models() {
		observation = append(observation, m.Observations[0].ID)
	}
	_, err = service.ListMeasurements(c, observation[0], service.ContentsOptions{})
	if _, ok := errors.AsType[*service.AbsentNameError](err); !ok {
		t.Errorf("an observation: %v", err)
	}
	both := priceLists(1, offer{"moonshotai/kimi-k2", 1, 2}, offer{"moonshotai/kimi-k2-thinking", 1, 2})
	_, err = service.ListMeasurements(both, "moonshotai/ki", service.ContentsOptions{})
	if ambiguous, ok := errors.AsType[*service.AmbiguousNameError](err); !ok || ambiguous.Count != 2 || !strings.Contains(err.Error(), "moonshotai/kimi-k2") {
		t.Errorf("%v", err)
	}
	if _, err := service.ListKeys(c, service.ContentsOptions{AsOf: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("the year 10000 is accepted")
	}
}
