package export_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// imported is the catalog of what a price map says, an observation for each declaration.
func imported(t testing.TB, listing *offer.Listing) *catalog.Catalog {
	t.Helper()
	const observed = "2026-07-05T00:00:00.000Z"
	b := catalog.NewBuilder()
	var docs []string
	for i := range listing.Rows {
		row := &listing.Rows[i]
		if row.Skip != "" {
			continue
		}
		for _, d := range row.Declarations {
			rec := record.Observation{
				Kind: record.KindDeclaration, Model: record.Model{ID: row.Offer.ModelID()},
				Execution: record.Scope{Kind: record.ScopePartial}, SourceClass: record.External,
				Evidence: []record.Evidence{{ID: "litellm-prices:" + row.ID + "#" + d.Name + "@" + observed, Kind: "price-list-row",
					URI: "https://prices.example/map.json", ObservedAt: observed}},
				Freshness: record.Freshness{ObservedAt: observed}, Uncertainty: record.Uncertainty{Level: record.LevelModerate, Basis: []string{"a list"}},
			}
			rec.Execution.Runtime.ID = row.Offer.Runtime
			for _, f := range d.Facts {
				rec.Measurements = append(rec.Measurements, record.Measurement{Key: f.Key, Kind: record.Fact, Value: f.Value, Unit: offer.Unit(f.Key)})
			}
			o, err := b.Build(&rec)
			if err != nil {
				t.Fatalf("%s %s: %v", row.ID, d.Name, err)
			}
			docs = append(docs, o.Input())
		}
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf, Dedupe: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Exporting what was imported from a map, with the map as the base, gives the map byte
// for byte. Without a base, importing the export gives what was exported.
func TestLiteLLMRoundTrip(t *testing.T) {
	vectortest.SkipRace(t)
	lists, err := filepath.Glob(filepath.Join(vectortest.Data(t, "data", "litellm"), "*.json"))
	if err != nil || len(lists) == 0 {
		t.Fatalf("there are no maps: %v", err)
	}
	for _, name := range lists {
		text := vectortest.DataText(t, "data", "litellm", filepath.Base(name))
		listing, err := litellm.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		c := imported(t, listing)
		again, err := export.Text(t.Context(), c, export.Options{Format: record.FormatLiteLLM, Base: &problem.Source{Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		if again.Text != text {
			t.Errorf("%s: %d changes, like %+v", filepath.Base(name), len(again.Report.Changed), again.Report.Changed[:min(3, len(again.Report.Changed))])
		}
		fresh, err := export.Text(t.Context(), c, export.Options{Format: record.FormatLiteLLM})
		if err != nil {
			t.Fatal(err)
		}
		compareListings(t, fresh.Text, listing)
		// What comes of importing that is exported as it was, but for offers that are free: an import
		// takes a price of 0 for one that nobody knows.
		back, err := litellm.Read(fresh.Text)
		if err != nil {
			t.Fatal(err)
		}
		second, err := export.Text(t.Context(), imported(t, back), export.Options{Format: record.FormatLiteLLM})
		if err != nil {
			t.Fatal(err)
		}
		rows, again2 := rowsOf(t, fresh.Text), rowsOf(t, second.Text)
		for name, row := range rows {
			isFree := row["input_cost_per_token"] == "0" || row["output_cost_per_token"] == "0"
			for _, member := range []string{"source", "max_output_tokens", "max_tokens"} { // where it was found; see the page
				delete(row, member)
				delete(again2[name], member)
			}
			if !isFree && !maps.Equal(row, again2[name]) {
				t.Errorf("%s: %s was %v, is %v", filepath.Base(name), name, row, again2[name])
			}
			delete(again2, name)
		}
		if len(again2) > 0 {
			t.Errorf("%s: %d rows are new", filepath.Base(name), len(again2))
		}
	}
}

// rowsOf returns the rows of a map, with the JSON of their members.
func rowsOf(t *testing.T, text string) map[string]map[string]string {
	t.Helper()
	var raw map[string]map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	for name, members := range raw {
		rows[name] = map[string]string{}
		for member, value := range members {
			rows[name][member] = string(value)
		}
	}
	return rows
}

// compareListings demands that importing an export gives, of each row in it, the facts
// that there were, but for limits that importing leaves out.
func compareListings(t *testing.T, text string, was *offer.Listing) {
	t.Helper()
	listing, err := litellm.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	before := map[offer.Offer]map[string]record.Scalar{}
	for i := range was.Rows {
		if row := &was.Rows[i]; row.Skip == "" {
			before[row.Offer] = facts(row)
		}
	}
	if len(listing.Rows) < 50 {
		t.Errorf("%d rows, there are more", len(listing.Rows))
	}
	for i := range listing.Rows {
		row := &listing.Rows[i]
		if row.Skip != "" {
			t.Errorf("%s is skipped: %s", row.ID, row.Why)
			continue
		}
		want, got := before[row.Offer], facts(row)
		for key, value := range want {
			isOutput := key == "modality.output.text" || key == "modality.input.text" || strings.HasPrefix(key, "modality.output.")
			if got[key] != value && !(isOutput && got[key] == record.Scalar{}) && !(key == offer.LimitOutput && want[offer.LimitInput] == value) {
				t.Errorf("%s: %s was %v, is %v", row.ID, key, value, got[key])
			}
		}
	}
}

func facts(row *offer.Row) map[string]record.Scalar {
	facts := map[string]record.Scalar{}
	for _, d := range row.Declarations {
		for _, f := range d.Facts {
			facts[f.Key] = f.Value
		}
	}
	return facts
}

// mixed is a catalog with slots in every state, and samples.
func mixed(t testing.TB) *catalog.Catalog {
	t.Helper()
	a := stated{model: "acme/atlas", runtime: "acme", key: "price.output", value: 2e-6, unit: "USD/token", uri: "https://a.example"}
	b, gone, text := a, a, a
	b.value, b.uri = 3e-6, "https://b.example"
	gone.key, gone.expired = "price.input", true
	text.key, text.value, text.unit = "note", "=1+1", ""
	docs := []string{a.observation(), b.observation(), gone.observation(), text.observation(),
		stated{model: "acme/atlas", key: "limits.context", value: 131072, unit: "tokens"}.observation()}
	for i, value := range []float64{0.5, 0.75, 1} {
		docs = append(docs, sample("acme/atlas", i, fmt.Sprint(value)), sample("=evil", i, "true"))
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sample is an observation of one run.
func sample(model string, run int, value string) string {
	return fmt.Sprintf(`{"schemaVersion":"service.observation/v2","kind":"evaluation","model":{"id":%q,"revision":null,"quantization":null},
"execution":{"kind":"exact","runtime":{"id":"vllm","version":"0.9"},"adapter":null,"effectiveContextTokens":8192,"toolSurface":["python"],"hardware":{"class":"gpu","accelerator":"h100","memoryBytes":80},"workflow":{"id":"agent","version":null,"condition":"effort=high"}},
"task":{"family":"coding","suite":"s","taskId":"t%d","evaluator":{"id":"tests","version":"1"}},"measurements":[{"key":"quality","kind":"sample","value":%s}],
"outcome":{"status":"rejected","reason":"slow"},"usage":{"inputTokens":5,"outputTokens":null,"reasoningTokens":null,"totalTokens":7,"completeness":"partial","modelCalls":1,"wallTimeMs":null},
"sourceClass":"first-party","evidence":[{"id":"run:%d","kind":"log","uri":null,"digest":null,"observedAt":"2026-07-01T00:00:00.000Z"}],
"freshness":{"observedAt":"2026-07-01T00:00:00.000Z","validUntil":null},"uncertainty":{"level":"high","basis":["one run"],"gaps":["one machine"]}}`, model, run, value, run)
}

// Each slot and each sample group has its line, with the state and the value that they
// have; lines are sorted and canonical.
func TestLines(t *testing.T) {
	c := mixed(t)
	file, err := export.Text(t.Context(), c, export.Options{Format: record.FormatNDJSON})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(file.Text) {
		l := &ndjsonLine{}
		r := ijson.NewReader(line, "")
		ijson.ReadTagged(r, l)
		if faults := r.End(); faults != nil {
			t.Errorf("%v in %s", faults.Err(), line)
		}
		if text, err := ijson.Canonical(line, ""); err != nil || string(text)+"\n" != line {
			t.Errorf("is not canonical: %s", line)
		}
		value := ""
		if l.Value != nil {
			value = l.Value.Text
		}
		if l.Values != nil {
			value = string(canonical.MustMarshal(l.Values))
		}
		got = append(got, strings.TrimSpace(fmt.Sprintln(l.Model.ID, l.Kind, l.Key, l.Runtime, l.State, value, l.Mean.Value, l.SuccessRate.Known)))
	}
	want := []string{
		"=evil samples quality vllm   0 true",
		"acme/atlas fact limits.context  value 131072 0 false",
		"acme/atlas fact note acme value =1+1 0 false",
		"acme/atlas fact price.input acme expired  0 false",
		`acme/atlas fact price.output acme conflict [{"unit":"USD/token","value":0.000002},{"unit":"USD/token","value":0.000003}] 0 false`,
		"acme/atlas samples quality vllm   0.75 false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines are\n%s", strings.Join(got, "\n"))
	}
	// So it is counted over the slots of a fresh reading.
	slots := 0
	for _, entry := range c.Models() {
		m := compare.NewReader().Read(entry.Observations)
		slots += len(m.Slots) + len(m.Groups)
	}
	if file.Report.Exported.Rows != slots {
		t.Errorf("%d rows of %d slots and groups", file.Report.Exported.Rows, slots)
	}
}

// What is read of a line is written by canonical.Marshal as the line is, lines are sorted,
// and a table has them in the same order: of all lines of the example catalogs, and of
// lines that only a member after the execution tells apart.
func TestLinesAreMarshaled(t *testing.T) {
	docs := []string{}
	for i, task := range []string{"b", "\ue000", "a", "\U0001f600", "\\", "c"} {
		doc := strings.ReplaceAll(sample("acme/atlas", i%2, fmt.Sprint(i%3)), `"suite":"s"`, `"suite":`+canonical.Quote(task))
		docs = append(docs, doc, strings.ReplaceAll(doc, `"revision":null`, `"revision":`+canonical.Quote(task)), strings.ReplaceAll(doc, "sample", "fact"))
	}
	alike, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
	if err != nil {
		t.Fatal(err)
	}
	catalogs := []*catalog.Catalog{mixed(t), alike}
	for _, name := range []string{"catalog.json", "models/catalog.json"} {
		name = filepath.Join("../../examples", name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Parse(t.Context(), problem.Source{Name: name, Text: string(text)})
		if err != nil {
			t.Fatal(err)
		}
		catalogs = append(catalogs, c)
	}
	for _, c := range catalogs {
		file, err := export.Text(t.Context(), c, export.Options{Format: record.FormatNDJSON})
		if err != nil {
			t.Fatal(err)
		}
		table, err := export.Text(t.Context(), c, export.Options{Format: record.FormatCSV})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(table.Text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var before [4]string
		n := 0
		for line := range strings.Lines(file.Text) {
			l := &ndjsonLine{}
			ijson.ReadTagged(ijson.NewReader(line, ""), l)
			place := [4]string{l.Model.ID, l.Key, l.Kind, line}
			if slices.CompareFunc(before[:], place[:], canonical.CompareText) >= 0 {
				t.Errorf("%s\nis before\n%s", before[3], line)
			}
			before = place
			n++
			if suite := rows[n][7]; rows[n][0] != l.Kind || rows[n][9] != l.Key || rows[n][22] != strings.Join(l.ObservationIDs, " ") || l.Task != nil && suite != string(l.Task.Suite) {
				t.Errorf("row %d is %q, the line %s", n, rows[n], line)
			}
			if want := string(canonical.MustMarshal(l)); want+"\n" != line {
				t.Errorf("the line is\n%s\ncanonical.Marshal writes\n%s", line, want)
			}
		}
	}
}

// A table has the same rows, and what a spreadsheet would take for a formula is in quotes, as it is.
func TestCSV(t *testing.T) {
	file, err := export.Text(t.Context(), mixed(t), export.Options{Format: record.FormatCSV})
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(file.Text))
	head, err := r.Read()
	if err != nil || strings.Join(head, ",") != "kind,model,revision,quantization,runtime,execution,family,suite,task,key,state,value,values,unit,n,mean,min,max,success_rate,observed_at,valid_until,source_classes,observations,evidence" {
		t.Errorf("the head is %v, %v", head, err)
	}
	rows := 0
	for ; ; rows++ {
		cells, err := r.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(cells) != len(head) {
			t.Errorf("%d cells", len(cells))
		}
	}
	if rows != 6 || strings.Contains(file.Text, "\r") || !strings.Contains(file.Text, `,"=1+1",`) || !strings.Contains(file.Text, `,"=evil",`) {
		t.Errorf("%d rows\n%s", rows, file.Text)
	}
}

// FuzzBase gives any text as a base: what comes out is JSON, and what was no part of a
// change stays.
func FuzzBase(f *testing.F) {
	for _, format := range []record.ExportFormat{record.FormatLiteLLM, record.FormatModelsDev, record.FormatCatwalk} {
		f.Add(string(format), bases[format])
	}
	f.Add("litellm", "{\"acme/base\":{\n\t\"litellm_provider\" : \"acme\" } , \"x\":1 }")
	f.Add("litellm", `{"adme/base": {"input_cost_per_token": 7e907, "litellm_provider": "acme", "mode": "chat"}}`)
	c := compile(f, append(state("acme/fresh", "acme", whole()), state("acme/base", "acme", whole())...)...)
	f.Fuzz(func(t *testing.T, format, base string) {
		if !slices.Contains([]string{"litellm", "models.dev", "catwalk"}, format) {
			return
		}
		o := export.Options{Format: record.ExportFormat(format), Base: &problem.Source{Text: base}}
		file, err := export.Text(context.Background(), c, o)
		if err != nil {
			return
		}
		// Bytes that are not changed stay, a number that no double holds, too.
		_, faultBefore := ijson.Canonical(base, "")
		if _, err := ijson.Canonical(file.Text, ""); err != nil && faultBefore == nil {
			t.Fatalf("%v in %q, from %q", err, file.Text, base)
		}
		again, err := export.Text(context.Background(), c, export.Options{Format: o.Format, Base: &problem.Source{Text: file.Text}})
		if err != nil || again.Text != file.Text {
			t.Fatalf("%v: %q becomes %q, and then %q", err, base, file.Text, again.Text)
		}
	})
}
