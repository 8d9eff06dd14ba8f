package genaiprices_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
)

const at = "2026-08-15T23:59:59.999Z"

// readRow reads a list of one row, given its members after id and match.
func readRow(t testing.TB, at, members string) *offer.Row {
	t.Helper()
	l, err := genaiprices.Read(`[{"id":"p","models":[{"id":"m","match":{"equals":"m"},`+members+`}]}]`, at)
	if err != nil {
		t.Fatal(err)
	}
	return &l.Rows[0]
}

// Each trap of the list: what a row gives.
func TestRows(t *testing.T) {
	const path = "[0].models[0]."
	tests := []struct {
		name, members string
		want          []string
	}{
		{"prices per million tokens", `"prices":{"input_mtok":0.8,"output_mtok":5,"cache_read_mtok":0.08,"cache_write_mtok":1,"cache_write_1h_mtok":1.6,"output_reasoning_mtok":7}`,
			[]string{"price.cache_read 8e-8", "price.cache_write 0.000001", "price.cache_write@ttl=1h 0.0000016", "price.input 8e-7", "price.output 0.000005", "price.reasoning 0.000007"}},
		{"tiers", `"prices":{"cache_write_1h_mtok":{"base":1,"tiers":[{"start":200000,"price":2},{"start":400000,"price":3}]}}`,
			[]string{"price.cache_write@context>200000,ttl=1h 0.000002", "price.cache_write@context>400000,ttl=1h 0.000003", "price.cache_write@ttl=1h 0.000001"}},
		{"prices of other things", `"prices":{"input_mtok":1,"input_audio_mtok":1,"output_image_mtok":2,"input_video_mtok":3,"web_searches_kcount":10,"requests_kcount":5,"output_citation_mtok":2,"cache_audio_read_mtok":4}`,
			[]string{"price.input 0.000001"}},
		{"no prices", `"prices":{}`, []string{"row-empty"}},
		{"no prices but a context window", `"prices":{},"context_window":1000`, []string{"limits.context 1000"}},
		{"0", `"prices":{"input_mtok":0}`, []string{"unknown-price at " + path + "prices.input_mtok", "row-empty"}},
		{"texts", `"prices":{"input_mtok":"1","output_mtok":{"base":"1","tiers":5}},"context_window":"1000"`,
			[]string{"invalid-value at " + path + "prices.input_mtok", "invalid-value at " + path + "prices.output_mtok.base", "invalid-value at " + path + "prices.output_mtok.tiers",
				"invalid-value at " + path + "context_window", "row-empty"}},
		{"no tiers", `"prices":{"input_mtok":{"base":1,"tiers":null}}`, []string{"price.input 0.000001"}},
		{"tiers that are none", `"prices":{"input_mtok":{"tiers":[{"price":1},{"start":0,"price":1},{"start":0.5,"price":1},{"start":100}]}}`,
			[]string{"invalid-value at " + path + "prices.input_mtok.tiers[0]", "invalid-value at " + path + "prices.input_mtok.tiers[1].start", "invalid-value at " + path + "prices.input_mtok.tiers[2].start", "row-empty"}},
		{"two tiers of one start", `"prices":{"input_mtok":{"base":1,"tiers":[{"start":5,"price":1},{"start":5,"price":2}]}}`,
			[]string{"price.input 0.000001", "contradicts-itself at " + path + "prices.input_mtok.tiers[0].price"}},
		{"another unit", `"prices":{"input_mtok":1001,"output_mtok":1}`, []string{"implausible-price at " + path + "prices.input_mtok", "implausible-price at " + path + "prices.output_mtok", "row-empty"}},
		{"deprecated", `"prices":null,"deprecated":true`, []string{`lifecycle.status "deprecated"`}},
		{"not deprecated", `"deprecated":false,"context_window":5`, []string{`limits.context 5`}},
		{"deprecated since", `"deprecated":"2025"`, []string{"invalid-value at " + path + "deprecated", "row-empty"}},
		{"no table of prices", `"prices":5`, []string{"invalid-value at " + path + "prices", "row-empty"}},
		{"prices of pictures by the time of day", `"prices":[{"prices":{"input_mtok":1}},{"constraint":{"start_time":"00:30:00Z"},"prices":{"output_image_mtok":4}}]`, []string{"price.input 0.000001"}},
		{"prices by the time of day", `"prices":[{"prices":{"input_mtok":1,"output_mtok":2,"cache_read_mtok":3}},{"constraint":{"start_time":"00:30:00Z","end_time":"16:30:00Z"},"prices":{"input_mtok":4,"output_mtok":2}}]`,
			[]string{"price.cache_read 0.000003", "unknown-price at " + path + "prices[1]"}},
		{"entries that are none", `"prices":[5,{"prices":{"input_mtok":1}},{"constraint":{"weekday":"sunday"},"prices":{"input_mtok":2}},{"constraint":{"start_date":"2026-02-30"},"prices":{"input_mtok":3}},{"constraint":null}]`,
			[]string{"price.input 0.000001", "invalid-value at " + path + "prices[0]", "invalid-value at " + path + "prices[2].constraint", "invalid-value at " + path + "prices[3].constraint", "invalid-value at " + path + "prices[4]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := offertest.Show(readRow(t, at, tt.members)); !slices.Equal(got, tt.want) {
				t.Errorf("%s,\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// Of dated prices those are taken that held on the day, and they end with the next.
func TestDatedPrices(t *testing.T) {
	const base, august, september, january = `{"prices":{"input_mtok":1}}`, `{"constraint":{"start_date":"2026-08-15"},"prices":{"input_mtok":2}}`,
		`{"constraint":{"start_date":"2026-09-01"},"prices":{"input_mtok":3}}`, `{"constraint":{"start_date":"2027-01-01"},"prices":{"input_mtok":4}}`
	tests := []struct {
		at    string
		list  []string
		price string
		until string
	}{
		{"2026-08-14T23:59:59.999Z", []string{base, august, september}, "0.000001", "2026-08-15T00:00:00.000Z"},
		{"2026-08-15T00:00:00.000Z", []string{base, august, september}, "0.000002", "2026-09-01T00:00:00.000Z"},
		{"2026-08-15T23:59:59.999Z", []string{base, august, september, january}, "0.000002", "2026-09-01T00:00:00.000Z"},
		{"2026-10-01T00:00:00.000Z", []string{base, august, september}, "0.000003", ""},
		{"2026-10-01T00:00:00.000Z", []string{september, august, base}, "0.000001", ""}, // the last that holds
		{"2026-08-16T00:00:00.000Z", []string{september, january}, "0.000003", "2027-01-01T00:00:00.000Z"},
		{"2026-08-16T00:00:00.000Z", []string{september}, "0.000003", ""},
		{"2026-08-16T00:00:00.000Z", []string{base, january, september}, "0.000001", "2026-09-01T00:00:00.000Z"},
	}
	for _, tt := range tests {
		r := readRow(t, tt.at, `"context_window":5,"prices":[`+strings.Join(tt.list, ",")+`]`)
		if len(r.Declarations) != 2 || r.Declarations[0].Until != "" {
			t.Fatalf("%+v", r)
		}
		if d := r.Declarations[1]; d.Facts[0].Value.Text != tt.price || d.Until != tt.until {
			t.Errorf("%s, %v: %s until %q, want %s until %q", tt.at, tt.list, d.Facts[0].Value.Text, d.Until, tt.price, tt.until)
		}
	}
}

// A row whose match does not accept its own id gives nothing.
func TestMatch(t *testing.T) {
	long := strings.Repeat("m", 1001)
	tests := []struct {
		id, match string
		want      bool
	}{
		{"GPT-4o", `{"equals":"gpt-4O"}`, true},
		{"gpt-4o", `{"equals":"gpt-4"}`, false},
		{"gpt-4o-mini", `{"starts_with":"GPT-4o"}`, true},
		{"gpt-4o", `{"ends_with":"-4O"}`, true},
		{"gpt-4o", `{"contains":"T-4"}`, true},
		{"gpt-4o", `{"contains":"x"}`, false},
		{"grok-4.3-20260101", `{"regex":"^grok-4\\.3-\\d{8}$"}`, true},
		{"grok-4.3", `{"regex":"^grok-4\\.3-\\d{8}$"}`, false},
		{"x-grok", `{"regex":"grok"}`, true},
		{"gpt-4o", `{"or":[{"equals":"a"},{"and":[{"starts_with":"gpt"},{"ends_with":"4o"}]}]}`, true},
		{"gpt-4o", `{"and":[{"starts_with":"gpt"},{"ends_with":"mini"}]}`, false},
		{"gpt-4o", `{"or":[]}`, false},
		{"gpt-4o", `{"and":[]}`, false},
		{"gpt-4o", `{}`, false},
		{"gpt-4o", `{"equals":"gpt-4o","contains":"x"}`, false},
		{"gpt-4o", `{"equals":5}`, false},
		{"gpt-4o", `{"like":"gpt-4o"}`, false},
		{"gpt-4o", `{"or":{"equals":"gpt-4o"}}`, false},
		{"gpt-4o", `null`, false},
		{"gpt-4o", `{"or":[{"equals":"gpt-4o"},{"regex":"(?!x)gpt"}]}`, false}, // Go has no lookahead
		{"gpt-4o", `{"or":[{"equals":"gpt-4o"},{"regex":"` + strings.Repeat("g", 1001) + `"}]}`, false},
		{"gpt-4o", `{"regex":"` + strings.Repeat("g?", 500) + `"}`, true},
		{long, `{"equals":"` + long + `"}`, false},
	}
	for _, tt := range tests {
		l, err := genaiprices.Read(`[{"models":[{"id":"`+tt.id+`","match":`+tt.match+`,"context_window":5}],"id":"p"}]`, at)
		if err != nil {
			t.Fatal(err)
		}
		if r := l.Rows[0]; (r.Skip == "") != tt.want || !tt.want && r.Skip != offer.RowNoID || r.ID != "p/"+tt.id {
			t.Errorf("%.50s, %s: %s, %s", tt.id, tt.match, r.Skip, r.Why)
		}
	}
}

// Regular expressions that stand for very many states are refused, since all of
// them together would take hours.
func TestMatchStates(t *testing.T) {
	row := `{"id":"m","match":{"regex":"` + strings.Repeat("[a-z]{1000}", 90) + `"}}`
	list := func(n int) string {
		return `[{"id":"p","models":[` + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + `]}]`
	}
	if l, err := genaiprices.Read(list(2), at); err != nil || l.Rows[0].Skip != offer.RowNoID {
		t.Errorf("two: %v", err)
	}
	if _, err := genaiprices.Read(list(10_000), at); err == nil || !strings.Contains(err.Error(), "regular expressions") {
		t.Errorf("ten thousand: %v", err)
	}
}

func TestRepeatedAndNew(t *testing.T) {
	l, err := genaiprices.Read(`[{"id":"together","extractors":[],"models":[
		{"id":"a","match":{"equals":"a"},"prices":{"input_mtok":1,"per_day":2},"tags":[]},
		{"id":"a","match":{"equals":"a"},"prices":{"input_mtok":{"base":1,"tiers":[],"from":3}}}]},
		{"id":"togetherai","models":[{"id":"a","match":{"equals":"a"},"prices":{"input_mtok":1}}]}]`, at)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Skipped(); got[offer.RowRepeated] != 2 || l.Rows[0].Skip != "" {
		t.Errorf("skipped %v", got)
	}
	if n, _ := l.NewMembersNote(); n.Message != `not known and not taken: "prices.per_day" (1), "tags" (1)` {
		t.Error(n.Message)
	}
}

func TestRefusals(t *testing.T) {
	for body, path := range map[string]string{
		``:                                    "$",
		`{}`:                                  "$",
		`[5]`:                                 "$[0]",
		`[{"models":[]}]`:                     "$[0].id",
		`[{"id":"p"}]`:                        "$[0].models",
		`[{"id":"p","models":[5]}]`:           "$[0].models[0]",
		`[{"id":"p","models":[{}]}]`:          "$[0].models[0].id",
		`[{"id":"p","models":[{"id":""}]}]`:   "$[0].models[0].id",
		`[{"id":"p","models":[{"id":"m"}]}]}`: "$",
	} {
		_, err := genaiprices.Read(body, at)
		e, ok := errors.AsType[*problem.Error](err)
		if !ok || e.Code != problem.InvalidSourceSnapshot || e.Path != path || e.Place.Line == 0 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestHostile(t *testing.T) {
	many := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	for name, body := range map[string]string{
		"deep matches": `[{"id":"p","models":[{"id":"m","match":` + strings.Repeat(`{"or":[`, 100_000),
		"many tiers":   `[{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":{"input_mtok":{"base":1,"tiers":[` + many(`{"start":5,"price":1}`, 200_000) + `]}}}]}]`,
		"many dates":   `[{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":[` + many(`{"constraint":{"start_date":"2026-01-01"},"prices":{"input_mtok":1}}`, 100_000) + `]}]}]`,
		"many times":   `[{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":[` + many(`{"constraint":{"start_time":"x"},"prices":{"input_mtok":1}}`, 100_000) + `]}]}]`,
		"many models":  `[{"id":"p","models":[` + many(`{"id":"m"}`, offer.MaxRows+1) + `]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			if l, err := genaiprices.Read(body, at); err == nil && len(l.Rows) != 1 {
				t.Errorf("%d rows", len(l.Rows))
			}
		})
	}
	if _, err := genaiprices.Read(`[{"id":"p","models":[`+many(`{"id":"m"}`, offer.MaxRows+1)+`]}]`, at); err == nil || !strings.Contains(err.Error(), offer.TooManyRows) {
		t.Errorf("many models: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`[{"id":"p","models":[{"id":"m","match":{"or":[{"regex":"^m$"},{"starts_with":"m"}]},"prices":[{"prices":{"input_mtok":1}},{"constraint":{"start_date":"2026-09-01"},"prices":{"input_mtok":{"base":1,"tiers":[{"start":5,"price":2}]}}},{"constraint":{"start_time":"00:00:00Z"},"prices":{"output_mtok":2}}]}]}]`, 15)
	f.Fuzz(func(t *testing.T, body string, day int) {
		day = (day%28+28)%28 + 1
		l, err := genaiprices.Read(body, "2026-08-"+strconv.Itoa(100 + day)[1:]+"T00:00:00.000Z")
		if err == nil {
			offertest.Hold(t, l)
		}
	})
}
