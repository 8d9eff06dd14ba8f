package export_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/export/exporttest"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// Round trips of what was exported from real files. What there was is told by evaluating
// the catalog once more; what was written is read by the rules of the format alone.

// known is the facts that a catalog knows of a model at a runtime: those of which one value
// holds, in the unit of the key.
type known map[string]record.Scalar

// evaluated is what was evaluated before, by catalog: several tests ask for the same.
var evaluated = map[*catalog.Catalog]map[offer.Offer]known{}

// sales returns who sells a model under which local id: the subjects of its offer.id, by offer.
func sales(c *catalog.Catalog) map[offer.Offer][]subject {
	records, found := catalog.NewRecordReader(), map[offer.Offer][]subject{}
	for i := range c.Models() {
		entry := &c.Models()[i]
		for _, o := range entry.Observations {
			r := records.Read(o)
			for _, m := range r.Measurements {
				if m.Key == record.OfferID {
					runtime := r.Execution.Runtime.ID
					seller, _ := record.Seller(runtime)
					of := offer.Offer{Runtime: seller, LocalID: m.Value.Text}
					if s := (subject{entry, runtime}); !slices.Contains(found[of], s) {
						found[of] = append(found[of], s)
					}
				}
			}
		}
	}
	return found
}

// subject is a model at a runtime.
type subject struct {
	model   *catalog.ModelEntry
	runtime string
}

func (s *subject) isPlain() bool {
	return s.model.Identity.Revision == "" && s.model.Identity.Quantization == ""
}

// knownFacts evaluates a catalog for the offers that are asked for. Where several models are one
// offer, it is the one of which all lists say that it is, without revision and quantization.
func knownFacts(t *testing.T, c *catalog.Catalog) func(offer.Offer) known {
	t.Helper()
	sold, records := sales(c), catalog.NewRecordReader()
	if evaluated[c] == nil {
		evaluated[c] = map[offer.Offer]known{}
	}
	return func(o offer.Offer) known {
		if all, ok := evaluated[c][o]; ok {
			return all
		}
		same := []known{}
		for _, s := range sold[o] {
			if all := s.facts(t, c.AsOf(), records); len(sold[o]) == 1 || all[record.OfferID].Text == o.LocalID && s.isPlain() {
				same = append(same, all)
			}
		}
		if len(same) != 1 {
			t.Errorf("%d models are the offer %v", len(same), o)
			return nil
		}
		evaluated[c][o] = same[0]
		return same[0]
	}
}

// facts evaluates what is known of the subject.
func (s *subject) facts(t *testing.T, asOf string, records *catalog.RecordReader) known {
	facts, err := v3.NewFacts(s.model, asOf, records)
	if err != nil {
		t.Fatal(err)
	}
	profile := compare.PlainProfile(s.runtime)
	facts.TurnTo(&profile)
	all := known{}
	for _, key := range facts.Keys() {
		if f := facts.Evaluate(key); f.Status == v3.FactOK && f.Unit == offer.Unit(key) {
			all[key] = f.Value
		}
	}
	return all
}

// litellmSays reports whether LiteLLM has a member for a key.
func litellmSays(key string) bool {
	if places[record.FormatLiteLLM][key] != nil {
		return key != offer.Deprecated
	}
	price, band, isBand := strings.Cut(key, "@")
	return isBand && places[record.FormatLiteLLM][price] != nil && strings.HasPrefix(price, "price.") && !strings.Contains(band, "ttl=5m")
}

// Importing an export for LiteLLM gives, for every row in it, the facts that were exported
// and nothing else: not those that importing leaves out (a price of 0, which the lists
// write for what they do not know, and an output limit equal to the one of the input), and
// the limit of the context as the one of the input where that was widened.
func TestRealLiteLLMComesBack(t *testing.T) {
	vectortest.SkipLong(t)
	for _, real := range exporttest.All(t) {
		file, err := export.Text(t.Context(), real.Catalog, export.Options{Format: record.FormatLiteLLM})
		if err == export.ErrNothing && strings.HasPrefix(real.Name, genaiprices.Source) {
			continue // the list does not know what writes text
		} else if err != nil {
			t.Fatalf("%s: %v", real.Name, err)
		}
		listing, err := litellm.Read(file.Text)
		if err != nil {
			t.Fatalf("%s: %v", real.Name, err)
		}
		if len(listing.Rows) != file.Report.Exported.NewRows || len(listing.Rows) < 30 {
			t.Errorf("%s: %d rows, %+v", real.Name, len(listing.Rows), file.Report.Exported)
		}
		evaluate, sold, widened, faults, said := knownFacts(t, real.Catalog), sales(real.Catalog), widenedOffers(file.Report), 0, 0
		for i := range listing.Rows {
			row := &listing.Rows[i]
			want := evaluate(row.Offer)
			if _, isOne := want[record.OfferID]; !isOne {
				continue // some of what is known may be about other local ids alone
			}
			got := facts(row)
			said += len(got)
			for key, value := range got {
				if strings.HasPrefix(key, "offer.") {
					continue // how LiteLLM calls it, which follows from its name of the row
				}
				w, ok := want[key]
				if !ok && key == offer.LimitInput {
					w, ok = want[offer.LimitContext], slices.ContainsFunc(sold[row.Offer], func(s subject) bool { return widened[s.model.Identity.ID+"\n"+row.Offer.Runtime] })
				}
				if !ok || w != value {
					t.Errorf("%s %s: %s comes back as %v, it was %v", real.Name, row.ID, key, value, w)
					faults++
				}
			}
			for key, value := range want {
				_, ok := got[key]
				isOurs := litellmSays(key) || key == offer.Deprecated && len(value.Text) == len("YYYY-MM-DD")
				isLost := strings.HasPrefix(key, "price.") && value.Float() == 0 || key == offer.LimitOutput && value == got[offer.LimitInput] || !hasName(key)
				if isOurs && !ok && !isLost {
					t.Errorf("%s %s: %s was %v and does not come back", real.Name, row.ID, key, value)
					faults++
				}
			}
			if row.Skip != "" && len(got) > 0 || faults > 20 {
				t.Fatalf("%s %s: skipped for %s", real.Name, row.ID, row.Skip)
			}
		}
		t.Logf("%s: %d rows, %d facts", real.Name, len(listing.Rows), said)
	}
}

// hasName reports whether a band of a context has a name: it is in whole thousands.
func hasName(key string) bool {
	_, rest, isContext := strings.Cut(key, "context>")
	digits, _, _ := strings.Cut(rest, ",")
	return !isContext || strings.HasSuffix(digits, "000")
}

// widenedOffers returns the offers, model id and runtime, of which a limit was widened.
func widenedOffers(r *record.ExportReport) map[string]bool {
	widened := map[string]bool{}
	for i := range r.LeftOut {
		if l := &r.LeftOut[i]; l.Reason == record.ExportWidened {
			widened[l.Model+"\n"+string(l.Runtime)] = true
		}
	}
	return widened
}

// Exporting what was imported from a map with the map as the base gives the map byte for
// byte.
func TestRealLiteLLMBase(t *testing.T) {
	vectortest.SkipLong(t)
	for _, f := range exporttest.Files(t, litellm.Source) {
		file, err := export.Text(t.Context(), exporttest.Catalog(t, f), export.Options{Format: record.FormatLiteLLM, Base: &problem.Source{Text: f.Text}})
		if err != nil {
			t.Fatal(err)
		}
		if file.Text != f.Text || len(file.Report.Changed) > 0 || file.Report.Exported.NewRows > 0 || file.Report.Exported.Rows < 500 {
			t.Errorf("%s: %+v, %d changes, like %+v", f.Name, file.Report.Exported, len(file.Report.Changed), file.Report.Changed[:min(3, len(file.Report.Changed))])
		}
	}
}

// shifted is the double of a JSON number whose decimal point was moved.
func shifted(t *testing.T, number json.Number, digits int64) float64 {
	t.Helper()
	exact, ok := new(big.Rat).SetString(number.String())
	if !ok {
		t.Fatalf("%s is not a number", number)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil)
	f, _ := exact.Quo(exact, new(big.Rat).SetInt(power)).Float64()
	return f
}

// readRows is what a file of models.dev or catwalk says, by offer, read by the table of the
// format.
type readRows map[offer.Offer]known

func (r readRows) state(o offer.Offer, key string, value record.Scalar) {
	if r[o] == nil {
		r[o] = known{}
	}
	r[o][key] = value
}

func number(f float64) record.Scalar {
	return record.Scalar{Kind: '0', Text: string(canonical.AppendNumber(nil, f))}
}

// readModelsDev reads a file of models.dev by the table of its format.
func readModelsDev(t *testing.T, text string) readRows {
	t.Helper()
	type cost struct {
		Input, Output, Reasoning json.Number
		CacheRead                json.Number `json:"cache_read"`
		CacheWrite               json.Number `json:"cache_write"`
	}
	var file map[string]struct {
		Models map[string]struct {
			Cost *struct {
				cost
				Tiers []struct {
					cost
					Tier struct{ Size json.Number }
				}
				Over200k *cost `json:"context_over_200k"`
			}
			Limit                      map[string]json.Number
			Modalities                 *struct{ Input, Output []string }
			Reasoning                  *bool
			ToolCall                   *bool `json:"tool_call"`
			StructuredOutput           *bool `json:"structured_output"`
			OpenWeights                *bool `json:"open_weights"`
			Release, Status, Knowledge *string
			ReleaseDate                *string `json:"release_date"`
		}
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	rows := readRows{}
	runtimes := offer.ReadRuntimes(modelsdev.Source)
	for provider, p := range file {
		for id, m := range p.Models {
			o := offer.Offer{Runtime: runtimes.Provider(provider).Runtime, LocalID: id}
			price := func(c *cost, band offer.Band) {
				for name, v := range map[string]json.Number{offer.Input: c.Input, offer.Output: c.Output, offer.Reasoning: c.Reasoning, offer.CacheRead: c.CacheRead, offer.CacheWrite: c.CacheWrite} {
					if v != "" {
						rows.state(o, offer.PriceKey(name, band), number(shifted(t, v, 6)))
					}
				}
			}
			if m.Cost != nil {
				price(&m.Cost.cost, offer.Band{})
				for _, tier := range m.Cost.Tiers {
					size, err := strconv.ParseUint(tier.Tier.Size.String(), 10, 64)
					if err != nil {
						t.Fatal(err)
					}
					price(&tier.cost, offer.Band{Context: size})
				}
				if m.Cost.Over200k != nil {
					price(m.Cost.Over200k, offer.Band{Context: 200000})
				}
			}
			for name, v := range m.Limit {
				rows.state(o, "limits."+name, number(shifted(t, v, 0)))
			}
			for key, flag := range map[string]*bool{offer.Reasons: m.Reasoning, offer.Tools: m.ToolCall, offer.StructuredOutputs: m.StructuredOutput, offer.OpenWeights: m.OpenWeights} {
				if flag != nil {
					rows.state(o, key, record.Bool(*flag))
				}
			}
			for key, s := range map[string]*string{offer.Released: m.ReleaseDate, offer.Status: m.Status, offer.KnowledgeCutoff: m.Knowledge} {
				if s != nil {
					rows.state(o, key, record.Scalar{Kind: '"', Text: *s})
				}
			}
			if m.Modalities != nil {
				for _, medium := range offer.Modalities() {
					rows.state(o, offer.InputModality(medium), record.Bool(slices.Contains(m.Modalities.Input, medium)))
					rows.state(o, offer.OutputModality(medium), record.Bool(slices.Contains(m.Modalities.Output, medium)))
				}
			}
		}
	}
	return rows
}

// Reading a file of models.dev back by the table of its format gives, of every row, the
// values that were exported, bit for bit, and nothing else. The providers are the real
// ones, at first without models, and then with those that were written; on those, the
// export of another catalog may leave what it does not know.
func TestRealModelsDevComesBack(t *testing.T) {
	vectortest.SkipLong(t)
	trees := exporttest.Files(t, modelsdev.Source)
	for _, tree := range trees {
		base, all := exporttest.Providers(t, tree), exporttest.All(t)
		for i, real := range all {
			isOwn := strings.Contains(real.Name, tree.Name)
			if !isOwn && (strings.Contains(real.Name, ".tar") || tree.Name != trees[len(trees)-1].Name) {
				continue // the other lists go into the newest providers alone
			}
			o := export.Options{Format: record.FormatModelsDev, Base: &problem.Source{Text: base}}
			file, err := export.Text(t.Context(), real.Catalog, o)
			if err == export.ErrNothing && !isOwn {
				continue // the list does not know all that a row needs
			} else if err != nil {
				t.Fatalf("%s: %v", real.Name, err)
			}
			rows := readModelsDev(t, file.Text)
			evaluate := knownFacts(t, real.Catalog)
			for o, got := range rows {
				demandSame(t, real.Name, o, got, evaluate(o), got)
			}
			if len(rows) != file.Report.Exported.NewRows || isOwn && len(rows) < 1000 {
				t.Errorf("%s: %d rows, %+v", real.Name, len(rows), file.Report.Exported)
			}
			t.Logf("%s: %d rows", real.Name, len(rows))
			// With what was written as the base, nothing changes.
			again, err := export.Text(t.Context(), real.Catalog, export.Options{Format: record.FormatModelsDev, Base: &problem.Source{Text: file.Text}})
			if err != nil || again.Text != file.Text || len(again.Report.Changed) > 0 || again.Report.Exported.NewRows > 0 {
				t.Errorf("%s: a base that agrees changes: %v %+v", real.Name, err, again.Report.Changed[:min(3, len(again.Report.Changed))])
			}
			if !strings.Contains(real.Name, trees[len(trees)-1].Name) {
				continue
			}
			// What others say of the same offers replaces what the base says: all of them in the
			// largest base, one in each other.
			runtimes := offer.ReadRuntimes(modelsdev.Source)
			for j, other := range all {
				if i == j || !isOwn && j != (i+1)%len(all) {
					continue
				}
				changed, err := export.Text(t.Context(), other.Catalog, export.Options{Format: record.FormatModelsDev, Base: &problem.Source{Text: file.Text}})
				if err != nil {
					t.Fatalf("%s: %v", other.Name, err)
				}
				after := readModelsDev(t, changed.Text)
				demandChanges(t, other.Name, rows, after, changed.Report, func(c record.ExportedChange) offer.Offer {
					provider, id, _ := strings.Cut(c.Row, "/")
					return offer.Offer{Runtime: runtimes.Provider(provider).Runtime, LocalID: id}
				})
			}
		}
	}
}

// demandSame demands of what was read of an offer that it is what is known, and that of
// what is known all was read that the format says anything of in the row.
func demandSame(t *testing.T, name string, o offer.Offer, got, want, row known) {
	t.Helper()
	for key, value := range got {
		if w, ok := want[key]; !ok || w != value {
			t.Errorf("%s %v: %s comes back as %v, it was %v (%v)", name, o, key, value, w, ok)
		}
	}
	if _, isOne := want[record.OfferID]; !isOne {
		return // some of what is known may be about other local ids alone
	}
	for _, key := range offer.Keys() {
		value, isKnown := want[key]
		if _, isRead := row[key]; !isKnown || isRead || places[record.FormatModelsDev][key] == nil {
			continue
		}
		if key == "price.reasoning" && row[offer.Reasons].Kind != 't' || key == offer.Status && value.Text != "alpha" && value.Text != "beta" && value.Text != "deprecated" {
			continue
		}
		t.Errorf("%s %v: %s was %v and does not come back", name, o, key, value)
	}
}

// demandChanges demands that rows which were there before differ in nothing that is not
// told as a change.
func demandChanges(t *testing.T, name string, before, after readRows, report *record.ExportReport, offerOf func(record.ExportedChange) offer.Offer) {
	t.Helper()
	told := map[offer.Offer]bool{}
	for _, c := range report.Changed {
		if c.Old == c.New {
			t.Errorf("%s: %+v is not a change", name, c)
		}
		told[offerOf(c)] = true
	}
	for o, was := range before {
		is := after[o]
		if is == nil {
			t.Errorf("%s: %v is gone", name, o)
			continue
		}
		if fmt.Sprint(was) != fmt.Sprint(is) && !told[o] {
			t.Errorf("%s: %v changed, and nothing tells so", name, o)
		}
	}
	if n := len(after) - len(before); n != report.Exported.NewRows {
		t.Errorf("%s: %d new rows, %+v", name, n, report.Exported)
	}
}

// catwalkOf is a file of catwalk with all providers of a tree, and no models.
func catwalkOf(t *testing.T, tree exporttest.File) string {
	t.Helper()
	var providers map[string]any
	if err := json.Unmarshal([]byte(exporttest.Providers(t, tree)), &providers); err != nil {
		t.Fatal(err)
	}
	var list []any
	for id := range providers {
		list = append(list, map[string]any{"id": id, "name": id, "models": []any{}})
	}
	slices.SortFunc(list, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["id"].(string), b.(map[string]any)["id"].(string))
	})
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readCatwalk reads a file of catwalk by the table of its format.
func readCatwalk(t *testing.T, text string) readRows {
	t.Helper()
	var file []struct {
		ID     string
		Models []map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	rows := readRows{}
	runtimes := offer.ReadRuntimes(modelsdev.Source)
	for _, p := range file {
		for _, m := range p.Models {
			var id string
			_ = json.Unmarshal(m["id"], &id)
			o := offer.Offer{Runtime: runtimes.Provider(p.ID).Runtime, LocalID: id}
			for key, list := range places[record.FormatCatwalk] {
				v := m[list[0]]
				switch {
				case v == nil:
				case strings.HasPrefix(key, "price."):
					rows.state(o, key, number(shifted(t, json.Number(v), 6)))
				case strings.HasPrefix(key, "limits."):
					rows.state(o, key, number(shifted(t, json.Number(v), 0)))
				default:
					rows.state(o, key, record.Bool(string(v) == "true"))
				}
			}
		}
	}
	return rows
}

// The same of catwalk: with what a reader counts as free accepted, and without.
func TestRealCatwalkComesBack(t *testing.T) {
	vectortest.SkipLong(t)
	trees := exporttest.Files(t, modelsdev.Source)
	base := catwalkOf(t, trees[len(trees)-1])
	for _, real := range exporttest.All(t) {
		evaluate := knownFacts(t, real.Catalog)
		for _, asZero := range [][]string{nil, export.MayReadAsZero()} {
			file, err := export.Text(t.Context(), real.Catalog, export.Options{Format: record.FormatCatwalk, Base: &problem.Source{Text: base}, ReadsAsZero: asZero})
			if err == export.ErrNothing {
				continue
			} else if err != nil {
				t.Fatalf("%s: %v", real.Name, err)
			}
			rows := readCatwalk(t, file.Text)
			for o, got := range rows {
				want := evaluate(o)
				for key, value := range got {
					if w, ok := want[key]; !ok || w != value {
						t.Errorf("%s %v: %s comes back as %v, it was %v", real.Name, o, key, value, w)
					}
				}
				for key := range places[record.FormatCatwalk] {
					if _, ok := got[key]; !ok && !slices.Contains(asZero, key) {
						t.Errorf("%s %v: %s is absent, and would be read as 0", real.Name, o, key)
					}
				}
			}
			if len(rows) != file.Report.Exported.NewRows {
				t.Errorf("%s: %d rows, %+v", real.Name, len(rows), file.Report.Exported)
			}
			t.Logf("%s: %d rows", real.Name, len(rows))
		}
	}
}

// ndjsonLine is a line of ndjson as its readers see it.
type ndjsonLine struct {
	Kind           string                `json:"kind"` // fact or samples
	Model          ndjsonModel           `json:"model"`
	Runtime        record.Text           `json:"runtime"`
	Execution      record.JSON           `json:"execution"`
	Task           *ndjsonTask           `json:"task"`
	Key            string                `json:"key"`
	State          record.Text           `json:"state"` // value, conflict or expired
	Value          *record.Scalar        `json:"value"`
	Unit           record.Text           `json:"unit"`
	Values         *[]record.StatedValue `json:"values"` // of a conflict
	N              *int                  `json:"n"`
	Mean           record.Float          `json:"mean"`
	Min            record.Float          `json:"min"`
	Max            record.Float          `json:"max"`
	SuccessRate    record.Float          `json:"successRate"`
	ObservedAt     record.Text           `json:"observedAt"` // the newest of the observations
	ValidUntil     record.Text           `json:"validUntil"` // when the last of them expires
	SourceClasses  []string              `json:"sourceClasses"`
	ObservationIDs []string              `json:"observationIds"`
	EvidenceURIs   []string              `json:"evidenceUris"`
}

// ndjsonModel is the model of a line.
type ndjsonModel struct {
	Key          string      `json:"key"`
	ID           string      `json:"id"`
	Revision     record.Text `json:"revision"`
	Quantization record.Text `json:"quantization"`
}

// ndjsonTask is the task of a line; that of a sample group names no single task.
type ndjsonTask struct {
	Family string      `json:"family"`
	Suite  record.Text `json:"suite"`
	TaskID record.Text `json:"taskId"`
}

// Every slot's line has the state and the value that a fresh evaluation gives, and every
// slot has one.
func TestRealLines(t *testing.T) {
	vectortest.SkipLong(t)
	for _, real := range exporttest.All(t) {
		file, err := export.Text(t.Context(), real.Catalog, export.Options{Format: record.FormatNDJSON})
		if err != nil {
			t.Fatal(err)
		}
		lines := map[string]*ndjsonLine{}
		for text := range strings.Lines(file.Text) {
			l := &ndjsonLine{}
			r := ijson.NewReader(text, "")
			ijson.ReadTagged(r, l)
			if faults := r.End(); faults != nil {
				t.Fatalf("%v in %s", faults.Err(), text)
			}
			if l.Kind == "fact" {
				task := "null"
				if l.Task != nil {
					task = fmt.Sprint(*l.Task)
				}
				lines[strings.Join([]string{l.Model.Key, string(l.Execution), task, l.Key}, "\n")] = l
			}
		}
		slots := 0
		reader := compare.NewReader()
		for _, entry := range real.Catalog.Models() {
			view := reader.Read(entry.Observations).At(real.Catalog.AsOf())
			for i := range view.Slots {
				s := &view.Slots[i]
				slots++
				task := "null"
				if of := &view.Tasks[s.Task]; of.Family != "" {
					var whole struct{ TaskID string }
					_ = json.Unmarshal([]byte(of.JSON), &whole)
					task = fmt.Sprint(ndjsonTask{Family: of.Family, Suite: record.Text(of.Suite), TaskID: record.Text(whole.TaskID)})
				}
				l := lines[strings.Join([]string{entry.Key, view.Executions[s.Execution].JSON, task, s.MeasurementKey}, "\n")]
				values := compare.DistinctValues(view.Facts(s))
				switch {
				case l == nil:
					t.Errorf("%s: %s %s has no line", real.Name, entry.Identity.ID, s.MeasurementKey)
				case string(l.State) != string(view.State(s)):
					t.Errorf("%s: %s %s is %s, the line says %s", real.Name, entry.Identity.ID, s.MeasurementKey, view.State(s), l.State)
				case view.State(s) == compare.StateValue && !slices.Contains(values, record.StatedValue{Value: *l.Value, Unit: l.Unit}), // of names there may be several
					view.State(s) == compare.StateConflict && !slices.Equal(*l.Values, values),
					view.State(s) != compare.StateValue && l.Value != nil, view.State(s) != compare.StateConflict && l.Values != nil:
					t.Errorf("%s: %s %s is %v, the line says %v %v", real.Name, entry.Identity.ID, s.MeasurementKey, values, l.Value, l.Values)
				}
			}
		}
		if slots != len(lines) {
			t.Errorf("%s: %d lines of %d slots", real.Name, len(lines), slots)
		}
	}
}
