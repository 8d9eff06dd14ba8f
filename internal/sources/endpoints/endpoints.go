// Package endpoints reads the daily table of OpenRouter's endpoints: a row for each provider that
// serves a model there, with its prices, limits, policy, and how fast and how reliable it was in
// the last half hour.
//
//	model_slug,variant,provider_slug,quantization,p50_latency,p50_throughput,request_count,...
//	acme/atlas-70b,standard,fastco/turbo,fp8,668,31,59,...
//
// An endpoint is an offer: the model of the slug at the runtime openrouter/fastco/turbo. Prices
// are read of pricing_json, which has all of them. Latency is the time to the first token and
// becomes seconds. Uptime is the share of requests that succeeded of those that did or failed by
// the provider's fault.
//
// A row of an alias repeats another one. A row without a context window takes and gives no tokens:
// it is of pictures, films or speech.
package endpoints

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "openrouter-endpoints"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewPriceAdapter(sources.PriceList{
		Source:      Source,
		Version:     "1",
		Kind:        "endpoint-row",
		Read:        func(body, _ string) (*offer.Listing, error) { return Read(body) },
		Level:       record.LevelModerate,
		Basis:       "what OpenRouter states of each endpoint, as a daily copy has it",
		Gaps:        []string{"the copy is somebody else's: OpenRouter publishes no archive of it"},
		PublishedAt: publishedAt,
	})
}

// needed are the columns without which a table is none of endpoints.
var needed = []string{"model_slug", "variant", "provider_slug", "provider_region", "pricing_json", "context_length",
	"p50_latency", "p50_throughput"}

// others are the columns that are known beside them and those of figures.
var others = strings.Fields(
	`scrape_date scraped_at permaslug endpoint_id endpoint_name provider_name provider_display_name
	quantization max_completion_tokens max_prompt_tokens price_prompt price_completion price_cache_read price_cache_write
	price_image price_request price_web_search price_internal_reasoning discount is_free is_byok is_hidden is_disabled
	is_deranked status request_count stats_window_minutes success_count derankable_error_count rate_limited_count
	capacity_tpm limit_rpm limit_rpd supports_reasoning supports_tool_parameters data_policy_training
	data_policy_retains_prompts`)

// quantiles are those of latency and throughput.
var quantiles = []string{"p50", "p75", "p90", "p95", "p99"}

// publishedAt returns when the table was made, which its first row says.
func publishedAt(body string) (at string, ok bool) {
	t := csv.NewReader(strings.NewReader(body))
	head, err := t.Read()
	if err != nil {
		return "", false
	}
	first, err := t.Read()
	for i, name := range head {
		if err == nil && name == "scraped_at" && i < len(first) {
			at = strings.Replace(first[i], "+00:00", ".000Z", 1)
		}
	}
	return at, timestamp.Valid(at)
}

// Read reads the table. Faults have code INVALID_SOURCE_SNAPSHOT and paths from $.
func Read(body string) (*offer.Listing, error) {
	t := table{csv: csv.NewReader(strings.NewReader(body)), body: body}
	t.csv.ReuseRecord = true
	t.drafts.Conventions = offer.Conventions{PriceKind: offer.String, Free: []string{offer.Input, offer.Output},
		Varying: "-1"}
	if err := t.head(); err != nil {
		return nil, err
	}
	var rows []offer.Row
	for {
		at := int(t.csv.InputOffset())
		cells, err := t.csv.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(rows) == offer.MaxRows {
			return nil, t.refuse(at, len(rows), err)
		}
		rows = append(rows, t.row(cells, at, len(rows)))
	}
	listing := offer.NewListing(rows)
	for _, name := range t.unknown {
		listing.NewMembers[name] = len(rows)
	}
	listing.Locate(body)
	return listing, nil
}

// table is a table that is read.
type table struct {
	csv     *csv.Reader
	body    string
	drafts  offer.Drafts
	columns map[string]int
	unknown []string
}

// refuse refuses the body for what is wrong at an offset: too many rows where err is nil.
func (t *table) refuse(at, row int, err error) error {
	e := problem.New(problem.InvalidSourceSnapshot, fmt.Sprintf("$[%d]", row), offer.TooManyRows)
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		e.Reason = "is not CSV: " + parse.Err.Error()
	}
	e.Offset = at
	return problem.List{e}.Locate(t.body, problem.Start("")).Err()
}

func (t *table) head() error {
	names, err := t.csv.Read()
	t.columns = map[string]int{}
	for i, name := range names {
		if _, isThere := t.columns[name]; isThere && err == nil {
			err = &csv.ParseError{Err: errors.New("the column " + name + " is there twice")}
		}
		t.columns[name] = i
	}
	known := slices.Concat(needed, others)
	for _, q := range quantiles {
		known = append(known, q+"_latency", q+"_throughput")
	}
	for _, name := range needed {
		if _, isThere := t.columns[name]; !isThere && err == nil {
			err = &csv.ParseError{Err: errors.New("there is no column " + name)}
		}
	}
	if err != nil {
		if _, ok := errors.AsType[*csv.ParseError](err); !ok {
			err = &csv.ParseError{Err: err}
		}
		return t.refuse(0, 0, err)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.unknown = append(t.unknown, strings.Clone(name))
		}
	}
	return nil
}

// endpoint is a row that is read.
type endpoint struct {
	*offer.Draft
	*table
	cells []string
	at    int
}

// cell returns what a cell says, nil if it is empty.
func (e *endpoint) cell(name string) *offer.Value {
	i, isThere := e.columns[name]
	if !isThere || e.cells[i] == "" {
		return nil
	}
	v := &offer.Value{Kind: offer.String, Text: strings.Clone(e.cells[i]), Offset: e.at}
	if _, ok := offer.ParseDecimal(v.Text); ok {
		v.Kind = offer.Number
	}
	switch v.Text {
	case "True":
		v.Kind = offer.True
	case "False":
		v.Kind = offer.False
	}
	return v
}

func (e *endpoint) text(name string) string { return e.cells[e.columns[name]] }

func (t *table) row(cells []string, at, number int) offer.Row {
	e := endpoint{nil, t, cells, at}
	id := e.text("model_slug")
	if variant := e.text("variant"); variant != "standard" {
		id += ":" + variant
	}
	runtime := record.OfferRuntime("openrouter/"+e.text("provider_slug"), e.text("provider_region"), nil)
	e.Draft = t.drafts.Begin(id+"@"+strings.TrimPrefix(runtime, "openrouter/"), fmt.Sprintf("[%d]", number), at)
	e.Offer(offer.Provider{Runtime: runtime}, id, true)
	context, isCount := uint64(0), false
	if v := e.cell("context_length"); v != nil {
		context, isCount = v.Count()
	}
	switch {
	case !ijson.IsText(id) || !ijson.IsText(runtime) || strings.HasSuffix(runtime, "/"):
		return e.Skip(offer.RowNoID, "names no model or no provider")
	case strings.HasPrefix(id, "~"):
		return e.Skip(offer.RowRepeated, "is of an alias: the model that it names today has the same endpoint")
	case isCount && context == 0:
		return e.Skip(offer.RowOtherMode, "has no context window: it takes and gives no tokens")
	}
	e.describe()
	e.Limit(offer.LimitContext, "context_length", e.cell("context_length"))
	e.Limit(offer.LimitInput, "max_prompt_tokens", e.cell("max_prompt_tokens"))
	e.Limit(offer.LimitOutput, "max_completion_tokens", e.cell("max_completion_tokens"))
	e.Flag(offer.Tools, "supports_tool_parameters", e.cell("supports_tool_parameters"))
	e.Flag(offer.Reasons, "supports_reasoning", e.cell("supports_reasoning"))
	e.flag("policy", "policy.training", "data_policy_training")
	e.flag("policy", "policy.retention", "data_policy_retains_prompts")
	e.number("rate", "rate.requests_per_minute", "limit_rpm", 0)
	e.number("rate", "rate.requests_per_day", "limit_rpd", 0)
	e.prices()
	e.speed()
	e.uptime()
	return e.Row()
}

// describe says how the endpoint serves the model.
func (e *endpoint) describe() {
	if v := e.cell("quantization"); v != nil && v.Text != "unknown" {
		e.Word(record.OfferQuantization, "quantization", v)
	}
	e.Word(record.OfferRegion, "provider_region", e.cell("provider_region"))
}

func (e *endpoint) flag(declaration, key, column string) {
	v := e.cell(column)
	if v == nil {
		return
	}
	is, ok := v.Bool()
	if !ok {
		e.Invalid(column, v, "True or False")
		return
	}
	e.StateIn(declaration, key, record.Bool(is), column, v)
}

// number takes a number that is not negative, times a power of ten.
func (e *endpoint) number(declaration, key, column string, exponent int) {
	v := e.cell(column)
	if v == nil {
		return
	}
	d, ok := offer.ParseDecimal(v.Text)
	if !ok || d.IsNegative() {
		e.Invalid(column, v, "a number that is not negative")
		return
	}
	e.StateIn(declaration, key, record.Number(d.Shift(exponent).Float()), column, v)
}

// prices takes the prices as OpenRouter's own list has them, the bands of long prompts too.
func (e *endpoint) prices() {
	const column = "pricing_json"
	v := e.cell(column)
	if v == nil {
		return
	}
	r := ijson.NewReader(v.Text, problem.InvalidSourceSnapshot)
	pricing := offer.ReadJSON(r)
	if faults := r.End(); faults != nil || pricing.Kind != offer.Table {
		e.Invalid(column, v, "an object of JSON")
		return
	}
	place(pricing, e.at)
	if discount, ok := offer.ParseDecimal(e.text("discount")); ok && discount.Float() > 0 {
		e.Doubt("price.", "the price is that after a discount, which may end")
	}
	pricing.Members = slices.DeleteFunc(pricing.Members, func(m offer.Member) bool {
		return m.Name == "display_pricing" || m.Name == "image_token" // other words for prices, or of pictures
	})
	openrouter.TakePrices(e.Draft, pricing)
}

// place gives a value and all within it an offset.
func place(v *offer.Value, at int) {
	v.Offset = at
	for _, m := range v.Members {
		place(m.Value, at)
	}
	for _, item := range v.Items {
		place(item, at)
	}
}

// speed takes the figures of the last minutes, which change together.
func (e *endpoint) speed() {
	const milliseconds = -3
	for _, q := range quantiles {
		e.number("speed", "speed.ttft."+q, q+"_latency", milliseconds)
		e.number("speed", "speed.throughput."+q, q+"_throughput", 0)
	}
	e.number("speed", "speed.requests", "request_count", 0)
	e.number("speed", "speed.window", "stats_window_minutes", 0)
}

// uptime takes the share of requests that succeeded.
func (e *endpoint) uptime() {
	const succeeded, failed = "success_count", "derankable_error_count"
	s, f := e.cell(succeeded), e.cell(failed)
	if s == nil || f == nil {
		return
	}
	good, isCount := s.Count()
	bad, isCountToo := f.Count()
	switch {
	case !isCount || !isCountToo:
		e.Invalid(succeeded, s, "a count beside that of errors")
	case good+bad > 0:
		e.StateIn("uptime", "uptime", record.Number(100*float64(good)/float64(good+bad)), succeeded, s)
		e.StateIn("uptime", "uptime.requests", record.Number(float64(good+bad)), failed, f)
		e.Doubt("uptime", "over how long the requests were counted is not stated")
	}
}
