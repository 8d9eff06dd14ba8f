package lock_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// rawModel is a row of OpenRouter's list as it stands.
type rawModel struct {
	ID                  string
	ContextLength       float64  `json:"context_length"`
	ExpirationDate      string   `json:"expiration_date"`
	SupportedParameters []string `json:"supported_parameters"`
	TopProvider         struct {
		ContextLength float64 `json:"context_length"`
	} `json:"top_provider"`
	Pricing struct{ Prompt, Completion string }
}

// readCapture returns the rows of a day by id, and a catalog of them, each row being a model.
func readCapture(t *testing.T, day string) (rows map[string]rawModel, c *catalog.Catalog) {
	t.Helper()
	const url, entry = "https://openrouter.ai/api/v1/models", `{"model":{"id":"%ROW%","revision":null,"quantization":null}}`
	text := vectortest.DataText(t, "data", "openrouter", "models."+day+".sui414.json")
	at := day + "T12:00:00.000Z"
	result, err := sourcetest.ImportAll(t, openrouter.New(), entry, sourcetest.Pin(t, openrouter.Source, url, at, `{"data":`+text+`}`))
	if err != nil {
		t.Fatal(err)
	}
	var docs []string
	for _, o := range result.Observations {
		docs = append(docs, o.Input())
	}
	if c, _, err = catalog.Compile(t.Context(), docs, catalog.Options{AsOf: at}); err != nil {
		t.Fatal(err)
	}
	var list []rawModel
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	rows = map[string]rawModel{}
	for _, r := range list {
		rows[r.ID] = r
	}
	return rows, c
}

// wantFindings says, by the rows alone, what became of the locked facts of a model.
func wantFindings(old rawModel, new *rawModel, locked map[string]record.StatedValue, day string) (codes []record.FindingCode) {
	if new == nil {
		return []record.FindingCode{record.ModelGone}
	}
	notice, _ := time.Parse(time.DateOnly, day)
	switch end := new.ExpirationDate; {
	case end != "" && end <= day:
		codes = append(codes, record.ModelRetired)
	case end != "" && end <= notice.AddDate(0, 0, 30).Format(time.DateOnly):
		codes = append(codes, record.ModelRetires)
	case end == "" && old.ExpirationDate != "":
		codes = append(codes, record.EvidenceMissing)
	case old.ExpirationDate != "" && end != old.ExpirationDate:
		codes = append(codes, record.FactChanged)
	}
	note := func(key string, before, after float64, up, down record.FindingCode) {
		if _, isLocked := locked[key]; !isLocked || before == after {
			return
		}
		if after > before {
			down = up
		}
		codes = append(codes, down)
	}
	number := func(text string) float64 { f, _ := strconv.ParseFloat(text, 64); return f }
	tools := func(r *rawModel) float64 {
		if slices.Contains(r.SupportedParameters, "tools") {
			return 1
		}
		return 0
	}
	note("price.input", number(old.Pricing.Prompt), number(new.Pricing.Prompt), record.PriceUp, record.PriceDown)
	note("price.output", number(old.Pricing.Completion), number(new.Pricing.Completion), record.PriceUp, record.PriceDown)
	note("limits.context", cmp.Or(old.TopProvider.ContextLength, old.ContextLength),
		cmp.Or(new.TopProvider.ContextLength, new.ContextLength), record.LimitUp, record.LimitDown)
	note("capability.tools", tools(&old), tools(new), record.CapabilityGained, record.CapabilityLost)
	return codes
}

// watched are the keys that are held against the rows.
var watched = []string{"price.input", "price.output", "limits.context", "capability.tools"}

// lockAll locks everything that a list has a price of.
func lockAll(t *testing.T, c *catalog.Catalog, rows map[string]rawModel) *lock.Lock {
	t.Helper()
	var uses []record.LockedUse
	for _, entry := range c.Models() {
		for _, o := range entry.Observations {
			rec := o.Record()
			isPriced := slices.ContainsFunc(rec.Measurements, func(m record.Measurement) bool { return m.Key == "price.output" })
			if runtime := rec.Execution.Runtime.ID; isPriced { // such as openrouter:free
				uses = append(uses, lock.Plain(runtime, entry.Identity.ID))
				break
			}
		}
	}
	priced := 0
	for id, row := range rows {
		if !strings.HasPrefix(id, "~") && !strings.HasPrefix(row.Pricing.Completion, "-") { // not an alias or a router
			priced++
		}
	}
	if len(uses) != priced {
		t.Errorf("%d of %d rows are offers", len(uses), priced)
	}
	l, _, err := lock.Make(t.Context(), c, lock.Demand{Uses: uses, Watch: watched}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Policy.Levels = map[record.FindingCode]string{record.PriceDown: lock.Warn, record.LimitUp: lock.Warn,
		record.CapabilityGained: lock.Warn}
	return l
}

// A lock of all that a list had on one day, held against the list of each later day, finds what a
// reading of the list finds by itself, model by model: no false alarm, and none that is missing.
func TestCaptures(t *testing.T) {
	vectortest.SkipRace(t)
	days := []string{"2026-07-17", "2026-07-18", "2026-07-19", "2026-07-28", "2026-07-31"}
	total := map[record.FindingCode]int{}
	rows, catalogs := make([]map[string]rawModel, len(days)), make([]*catalog.Catalog, len(days))
	for i, day := range days {
		rows[i], catalogs[i] = readCapture(t, day)
	}
	for i := range days[1:] {
		l := lockAll(t, catalogs[i], rows[i])
		for j := i + 1; j < len(days); j++ {
			report, err := lock.Check(t.Context(), catalogs[j], l, "", days[j]+"T12:00:00.000Z")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string][]record.FindingCode{}
			for _, f := range report.Findings {
				if f.Key != "" && !slices.Contains(watched, string(f.Key)) && !strings.HasPrefix(string(f.Key), "lifecycle.") {
					continue // what a lock has by itself, such as prices of cached tokens
				}
				got[string(f.Use)] = append(got[string(f.Use)], f.Code)
				total[f.Code]++
			}
			for n := range l.Uses {
				use := &l.Uses[n]
				var later *rawModel
				if r, isThere := rows[j][use.Model.ID]; isThere {
					later = &r
				}
				want := wantFindings(rows[i][use.Model.ID], later, use.Facts, days[j])
				slices.Sort(want)
				if slices.Sort(got[use.ID]); !slices.Equal(got[use.ID], want) {
					t.Errorf("%s, %s to %s: %v, want %v", use.ID, days[i], days[j], got[use.ID], want)
				}
			}
		}
	}
	for _, code := range []record.FindingCode{record.ModelGone, record.PriceUp, record.PriceDown, record.LimitDown, record.ModelRetires} {
		if total[code] == 0 {
			t.Errorf("no day has %s: %v", code, total)
		}
	}
}
