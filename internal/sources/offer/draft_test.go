package offer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/service/record"
)

// Each rule of what becomes of what is printed has its row.
func TestRules(t *testing.T) {
	perMillion := offer.Conventions{PriceExponent: -6, PriceKind: offer.Number, SharedLimit: offer.LimitContext}
	router := offer.Conventions{PriceKind: offer.String, Free: []string{offer.Input, offer.Output}, Varying: "-1"}
	tests := []struct {
		name   string
		habits offer.Conventions
		draft  func(d *offer.Draft, v func(string) *offer.Value)
		want   []string
	}{
		{"a price per million", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v("0.8"))
		}, []string{"price.input 8e-7"}},
		{"bands", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.CacheWrite, offer.Band{200_000, offer.Hour}, "a", v("10"))
			d.Price(offer.CacheWrite, offer.Band{TTL: offer.Hour}, "b", v("5"))
			d.Price(offer.CacheWrite, offer.Band{Context: 200_000}, "c", v("4"))
		}, []string{
			"price.cache_write@context>200000 0.000004",
			"price.cache_write@context>200000,ttl=1h 0.00001",
			"price.cache_write@ttl=1h 0.000005",
		}},
		{"a price of 0", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v("0.00"))
		}, []string{"unknown-price at .row.in", "row-empty"}},
		{"a price of 0 of a router", router, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v(`"0"`))
			d.Price(offer.CacheRead, offer.Band{}, "cache", v(`"0"`))
		}, []string{"price.input 0", "unknown-price at .row.cache"}},
		{"a price that varies", router, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v(`"-1"`))
			d.Price(offer.Output, offer.Band{}, "out", v(`"-2"`))
		}, []string{"unknown-price at .row.in", "invalid-value at .row.out", "row-empty"}},
		{"a price below 0", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v("-1"))
		}, []string{"invalid-value at .row.in", "row-empty"}},
		{"no price at all", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v(`"0.8"`))
			d.Price(offer.Output, offer.Band{}, "out", v(`{}`))
			d.Price(offer.CacheRead, offer.Band{}, "null", v(`null`))
			d.Price(offer.CacheRead, offer.Band{}, "none", nil)
		}, []string{"invalid-value at .row.in", "invalid-value at .row.out", "row-empty"}},
		{"the dearest price", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v("1000"))
		}, []string{"price.input 0.001"}},
		{"another unit", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "in", v("10"))
			d.Price(offer.Output, offer.Band{}, "out", v("1000.1"))
			d.Price(offer.CacheRead, offer.Band{}, "cache", v("0"))
			d.Limit(offer.LimitInput, "limit", v("100"))
		}, []string{"limits.input 100", "implausible-price at .row.in", "implausible-price at .row.out", "implausible-price at .row.cache"}},
		{"limits", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Limit(offer.LimitContext, "context", v("128000.0"))
			d.Limit(offer.LimitInput, "input", v("128000"))
			d.Limit(offer.LimitOutput, "output", v("128000"))
		}, []string{"limits.context 128000", "limits.input 128000", "limit-not-separate at .row.output"}},
		{"limits of a router", router, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Limit(offer.LimitContext, "context", v("128000"))
			d.Limit(offer.LimitOutput, "output", v("128000"))
		}, []string{"limits.context 128000", "limits.output 128000"}},
		{"no limits", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Limit(offer.LimitContext, "zero", v("0"))
			d.Limit(offer.LimitContext, "part", v("0.5"))
			d.Limit(offer.LimitContext, "minus", v("-5"))
			d.Limit(offer.LimitContext, "text", v(`"128000"`))
			d.Limit(offer.LimitContext, "null", v("null"))
		}, []string{"invalid-value at .row.zero", "invalid-value at .row.part", "invalid-value at .row.minus", "invalid-value at .row.text", "row-empty"}},
		{"an output limit of 0 beside no context", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Limit(offer.LimitContext, "context", v("0"))
			d.Limit(offer.LimitOutput, "output", v("0"))
		}, []string{"invalid-value at .row.context", "invalid-value at .row.output", "row-empty"}},
		{"flags", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Flag(offer.Tools, "tools", v("true"))
			d.Flag(offer.Reasons, "reasons", v("false"))
			d.Flag(offer.StructuredOutputs, "text", v(`"true"`))
			d.Flag(offer.OpenWeights, "null", v(`null`))
		}, []string{"capability.reasoning false", "capability.tools true", "invalid-value at .row.text"}},
		{"all modalities", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Modalities(offer.InputModality, "in", v(`["text","pdf","smell"]`))
			d.Modalities(offer.OutputModality, "out", v(`"text"`))
		}, []string{
			"modality.input.audio false", "modality.input.image false", "modality.input.pdf true", "modality.input.text true",
			"modality.input.video false", "invalid-value at .row.out",
		}},
		{"the life cycle", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Day(offer.Released, "released", v(`"2025-11"`))
			d.Day(offer.Deprecated, "deprecated", v(`"2026-02-28"`))
			d.Day(offer.Retires, "retires", v(`"2025-25-11"`))
			d.Day(offer.Retires, "leap", v(`"2025-02-29"`))
			d.Word(offer.Status, "status", v(`"beta"`))
			d.Month(offer.KnowledgeCutoff, "knowledge", v(`"2025-02-31"`))
		}, []string{
			`knowledge.cutoff "2025-02"`, `lifecycle.deprecated "2026-02-28"`, `lifecycle.released "2025-11"`, `lifecycle.status "beta"`,
			"invalid-value at .row.retires", "invalid-value at .row.leap",
		}},
		{"no life cycle", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Month(offer.KnowledgeCutoff, "year", v(`"2025"`))
			d.Month(offer.KnowledgeCutoff, "month", v(`"2025-13"`))
			d.Month(offer.KnowledgeCutoff, "more", v(`"2025-02-3x"`))
			d.Month(offer.KnowledgeCutoff, "number", v(`202502`))
			d.Word(offer.Status, "blank", v(`" beta"`))
			d.Word(offer.Status, "empty", v(`""`))
		}, []string{
			"invalid-value at .row.year", "invalid-value at .row.month", "invalid-value at .row.more", "invalid-value at .row.number",
			"invalid-value at .row.blank", "invalid-value at .row.empty", "row-empty",
		}},
		{"two things of one key", perMillion, func(d *offer.Draft, v func(string) *offer.Value) {
			d.Price(offer.Input, offer.Band{}, "same", v("1.0"))
			d.Price(offer.Input, offer.Band{}, "again", v("1"))
			d.Flag(offer.Tools, "yes", v("true"))
			d.Flag(offer.Tools, "no", v("false"))
		}, []string{"price.input 0.000001", "contradicts-itself at .row.yes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			drafts := offer.Drafts{Conventions: tt.habits}
			d := drafts.Begin("row", ".row", 0)
			at := 0
			tt.draft(d, func(text string) *offer.Value {
				v := offertest.Value(t, text)
				at++
				v.Offset = at
				return v
			})
			r := d.Row()
			if got := offertest.Show(&r); !slices.Equal(got, tt.want) {
				t.Errorf("%s,\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// What was read is kept as it was printed, for the digest of evidence: 5.0 and 5
// are one price, and two literals. A position in a list is no part of it.
func TestRead(t *testing.T) {
	drafts := offer.Drafts{Conventions: offer.Conventions{PriceKind: offer.Number}}
	d := drafts.Begin("row", "", 0)
	d.Price(offer.Input, offer.Band{}, "cost.tiers[1].input", offertest.Value(t, "5.0e-6"))
	list := offertest.Value(t, `["text","\u00e9",1.0,true,null,{"a":1}]`)
	d.State(offer.InputModality("text"), record.Bool(true), "in", list)
	d.State(offer.InputModality("image"), record.Bool(false), "in", list)
	d.Flag(offer.OutputModality("audio"), "audio", offertest.Value(t, "true"))
	got := map[string]string{}
	for _, d := range d.Row().Declarations {
		got[d.Name] = d.Read
	}
	if want := `{"cost.tiers[].input":"5.0e-6"}`; got["price.input"] != want {
		t.Errorf("%s, want %s", got["price.input"], want)
	}
	if want := `{"audio":true,"in":["text","é","1.0",true,null,{}]}`; got[offer.Modality] != want {
		t.Errorf("%s, want %s", got[offer.Modality], want)
	}
}

// Gaps say what a row does not tell of a fact.
func TestGaps(t *testing.T) {
	drafts := offer.Drafts{Conventions: offer.Conventions{PriceKind: offer.Number, Free: []string{offer.Output}}}
	d := drafts.Begin("row", "", 0)
	for band, price := range map[offer.Band]string{{}: "1e-6", {Context: 200_000}: "2e-6", {TTL: offer.Hour}: "3e-6", {200_000, offer.Hour}: "4e-6", {Context: 1000}: "5e-6"} {
		d.Price(offer.CacheWrite, band, "p", offertest.Value(t, price))
	}
	d.Price(offer.Output, offer.Band{}, "o", offertest.Value(t, "0"))
	d.Doubt("price.", "all prices")
	d.PricesUntil("2026-09-01T00:00:00.000Z")
	d.Limit(offer.LimitInput, "l", offertest.Value(t, "5"))
	want := map[string][]string{
		"price.cache_write":                       {"all prices", "requests with a prompt of more than 1000 tokens have another price", "requests with a prompt of more than 200000 tokens have another price"},
		"price.cache_write@context>1000":          {"all prices", "whether a prompt of exactly 1000 tokens has this price is not stated"},
		"price.cache_write@context>200000":        {"all prices", "whether a prompt of exactly 200000 tokens has this price is not stated"},
		"price.cache_write@context>200000,ttl=1h": {"all prices", "whether a prompt of exactly 200000 tokens has this price is not stated"},
		"price.cache_write@ttl=1h":                {"all prices", "requests with a prompt of more than 200000 tokens have another price"},
		"price.output":                            {"all prices", "a price of 0 may not last"},
		"limits.input":                            nil,
	}
	declarations := d.Row().Declarations
	if len(declarations) != len(want) {
		t.Errorf("%d declarations", len(declarations))
	}
	for _, d := range declarations {
		if !slices.Equal(d.Gaps, want[d.Name]) {
			t.Errorf("%s: %q, want %q", d.Name, d.Gaps, want[d.Name])
		}
		if until := d.Until != ""; until != offer.IsPrice(d.Name) {
			t.Errorf("%s holds until %q", d.Name, d.Until)
		}
	}
}

// Where a row states a price twice, as it did in two tiers of one size, each gap is told
// once: a record that tells one twice is refused, and with it all others of the list. Of
// prices of 0 each tells that it may not last, and of other prices none.
func TestGapsOfRepeatedPrices(t *testing.T) {
	drafts := offer.Drafts{Conventions: offer.Conventions{PriceKind: offer.Number, Free: []string{offer.Input, offer.Output}}}
	d := drafts.Begin("row", "", 0)
	d.Offer(offer.Provider{Runtime: "r"}, "m", true)
	band := offer.Band{Context: 1000}
	for range 2 {
		d.Price(offer.Input, band, "p", offertest.Value(t, "0"))
		d.Price(offer.Output, band, "q", offertest.Value(t, "1e-6"))
	}
	d.Price(offer.Input, offer.Band{}, "p", offertest.Value(t, "0"))
	d.Price(offer.Output, offer.Band{}, "q", offertest.Value(t, "0"))
	const free, longer, exactly = "a price of 0 may not last", "requests with a prompt of more than 1000 tokens have another price", "whether a prompt of exactly 1000 tokens has this price is not stated"
	want := map[string][]string{
		"price.input":               {free, longer},
		"price.input@context>1000":  {free, exactly},
		"price.output":              {free, longer},
		"price.output@context>1000": {exactly},
	}
	declarations := d.Row().Declarations
	if len(declarations) != len(want) {
		t.Errorf("%d declarations", len(declarations))
	}
	for _, d := range declarations {
		if !slices.Equal(d.Gaps, want[d.Name]) {
			t.Errorf("%s: %q, want %q", d.Name, d.Gaps, want[d.Name])
		}
	}
}

func numbers() *offer.Drafts {
	return &offer.Drafts{Conventions: offer.Conventions{PriceKind: offer.Number}}
}

// row makes a row of prices of an offer.
func row(t testing.TB, drafts *offer.Drafts, id string, p offer.Provider, localID string, hasPrefix bool, prices ...string) offer.Row {
	d := drafts.Begin(id, "."+id, 0)
	d.Offer(p, localID, hasPrefix)
	for i, price := range prices {
		d.Price([]string{offer.Input, offer.Output, offer.CacheRead}[i], offer.Band{}, "p", offertest.Value(t, price))
	}
	return d.Row()
}

// Of several rows of one offer one stays, by rules.
func TestRepeated(t *testing.T) {
	azure := offer.ReadRuntimes("litellm-prices")
	first, second := azure.Provider("azure"), azure.Provider("azure_text")
	tests := []struct {
		name  string
		rows  func(ds *offer.Drafts) []offer.Row
		stays string
		why   string
	}{
		{"the key with a prefix", func(ds *offer.Drafts) []offer.Row {
			return []offer.Row{row(t, ds, "one", first, "m", false, "1e-6"), row(t, ds, "two", second, "m", true, "1e-6")}
		}, "two", `has the offer of the row "two", and says the same`},
		{"the provider that is named first", func(ds *offer.Drafts) []offer.Row {
			return []offer.Row{row(t, ds, "one", second, "m", true, "1e-6"), row(t, ds, "two", first, "m", true, "2e-6", "3e-6")}
		}, "two", `has the offer of the row "two", and differs in price.input, price.output`},
		{"the row that comes first", func(ds *offer.Drafts) []offer.Row {
			return []offer.Row{row(t, ds, "one", first, "m", true, "1e-6"), row(t, ds, "two", first, "m", true, "1e-6", "1e-6")}
		}, "one", `has the offer of the row "one", and differs in price.output`},
		{"rows that are empty do not count", func(ds *offer.Drafts) []offer.Row {
			return []offer.Row{row(t, ds, "one", first, "m", true, "0"), row(t, ds, "two", second, "m", false, "1e-6")}
		}, "two", "no value of the row can be taken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := offer.NewListing(tt.rows(numbers()))
			for _, r := range l.Rows {
				if isSkipped := r.Skip != ""; isSkipped == (r.ID == tt.stays) || isSkipped && r.Why != tt.why {
					t.Errorf("%s: %s, %s", r.ID, r.Skip, r.Why)
				}
			}
		})
	}
	other := offer.NewListing([]offer.Row{
		row(t, numbers(), "one", first, "m", true, "1e-6"), row(t, numbers(), "two", first, "M", true, "1e-6"),
		row(t, numbers(), "three", offer.Provider{Runtime: "b"}, "m", true, "1e-6"),
	})
	if len(other.Skipped()) > 0 {
		t.Errorf("skipped %v: ids compare byte for byte", other.Skipped())
	}
}

// What nothing reads is counted by rows, and told in one note.
func TestNewMembers(t *testing.T) {
	drafts := &offer.Drafts{}
	var rows []offer.Row
	for i := range 30 {
		d := drafts.Begin(fmt.Sprint(i), "", 0)
		d.Unknown("cost.cached")
		d.Unknown("cost.cached")
		d.Unknown(fmt.Sprintf("z%02d", i))
		if i == 0 {
			rows = append(rows, d.Skip(offer.RowOtherMode, "is skipped"))
			continue
		}
		rows = append(rows, d.Row())
	}
	n, ok := offer.NewListing(rows).NewMembersNote()
	if !ok || n.Reason != offer.NewMembers || !strings.HasPrefix(n.Message, `not known and not taken: "cost.cached" (29), "z01" (1), `) || !strings.HasSuffix(n.Message, `"z19" (1) and 10 more`) {
		t.Errorf("%+v", n)
	}
	if _, ok := offer.NewListing(nil).NewMembersNote(); ok {
		t.Error("there is a note on nothing")
	}
}

func TestModelID(t *testing.T) {
	for offer, want := range map[offer.Offer]string{
		{"openai", "gpt-5"}:            "openai/gpt-5",
		{"openrouter", "openai/gpt-5"}: "openai/gpt-5",
		{"groq", "a/b/c"}:              "a/b/c",
		{"zai", "GLM-4.5"}:             "zai/GLM-4.5",
	} {
		if got := offer.ModelID(); got != want {
			t.Errorf("%v is %s, want %s", offer, got, want)
		}
	}
}
