// Package litellm reads LiteLLM's price map: one JSON object with a member for
// each model of each provider, in which a price is a number in USD per token.
//
// A key is no id: it begins with the provider, with another word, or with none.
// What the provider calls the model is the key without the prefix, and which
// provider it is says litellm_provider. Bands are in the names of members
// (input_cost_per_token_above_200k_tokens), or in tiered_pricing.
//
// The list states no context window: max_input_tokens is a limit of the input. It
// writes that limit for the output, too, where it knows none.
//
// People edit the list by hand, so that at times a key is there twice, or a member of
// a row. Two members of a key are two rows of one offer, as two keys of one offer are.
package litellm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// Source is the id of the source.
const Source = "litellm-prices"

// New returns the adapter.
func New() sources.Adapter {
	return sources.NewPriceAdapter(sources.PriceList{
		Source:  Source,
		Version: "1",
		Kind:    "price-list-row",
		Read:    func(body, _ string) (*offer.Listing, error) { return Read(body) },
		Level:   record.LevelModerate,
		Basis:   "LiteLLM model prices, a list that its contributors keep",
		Gaps:    []string{"who looked the value up, and when, is not told"},
	})
}

// Read reads the price map. Faults have code INVALID_SOURCE_SNAPSHOT and paths
// from $, the beginning of the body.
func Read(body string) (*offer.Listing, error) {
	r := ijson.NewReader(body, problem.InvalidSourceSnapshot)
	l := list{runtimes: offer.ReadRuntimes(Source)}
	l.drafts.Conventions = offer.Conventions{PriceKind: offer.Number, SharedLimit: offer.LimitInput}
	var rows []offer.Row
	for n := r.RepeatedNames(); n.Next(); {
		rows = append(rows, l.row(n.Name(), n.At(), offer.ReadRepeatedJSON(r)))
		if len(rows) > offer.MaxRows {
			r.Broken(n.At(), offer.TooManyRows)
		}
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(body, problem.Start("")).Err()
	}
	listing := offer.NewListing(rows)
	listing.Locate(body)
	return listing, nil
}

type list struct {
	runtimes *offer.Runtimes
	drafts   offer.Drafts
}

// modes are those of models that take and give tokens.
var modes = []string{"chat", "completion", "responses", "embedding", "realtime"}

func (l *list) row(key string, at int, v *offer.Value) offer.Row {
	d := l.drafts.Begin(key, "."+key, at)
	provider := v.Get("litellm_provider")
	switch {
	case key == "sample_spec":
		return d.Skip(offer.RowNoModel, "documents the list")
	case strings.HasPrefix(key, "together-ai-") || strings.HasPrefix(key, "fireworks-ai-"):
		return d.Skip(offer.RowNoModel, "is a class of prices")
	case provider == nil || provider.Kind != offer.String || !ijson.IsText(provider.Text):
		return d.Skip(offer.RowNoModel, "has no litellm_provider")
	}
	if mode := v.Get("mode"); !mode.Lacks() && !slices.Contains(modes, mode.Text) {
		return d.Skip(offer.RowOtherMode, "has the mode %s", mode)
	}
	p := l.runtimes.Provider(provider.Text)
	id, hasPrefix := strings.CutPrefix(key, p.Prefix+"/")
	if !ijson.IsText(id) {
		return d.Skip(offer.RowNoID, "has the id %s, which no model can have", canonical.Quote(id))
	}
	d.Offer(p, id, hasPrefix)
	d.State(record.OfferLiteLLM, offer.Text(key), "key", &offer.Value{Kind: offer.String, Text: key, Offset: at})
	r := row{d, v, nil}
	r.take()
	return d.Row()
}

// row is a row that is read.
type row struct {
	*offer.Draft
	v       *offer.Value
	varying []string // prices
}

func (r *row) take() {
	const offPeak = "off_peak_pricing"
	r.vary(offPeak, r.v.Get(offPeak))
	var tiers []*offer.Value
	for _, m := range r.v.Members {
		switch m.Name {
		case offPeak:
		case "tiered_pricing":
			tiers = append(tiers, m.Value)
		case "max_input_tokens":
			r.Limit(offer.LimitInput, m.Name, m.Value)
		case "max_output_tokens":
			r.Limit(offer.LimitOutput, m.Name, m.Value)
		case "supported_modalities":
			r.modalities(offer.InputModality, m.Name, m.Value)
		case "supported_output_modalities":
			r.modalities(offer.OutputModality, m.Name, m.Value)
		case "deprecation_date":
			r.Day(offer.Deprecated, m.Name, m.Value)
		case "mode":
			r.Word(record.OfferMode, m.Name, m.Value)
		case "search_context_cost_per_query", "input_cost_per_query", "input_cost_per_request":
			r.PerRequest()
		default:
			r.takeNamed(m.Name, m.Value)
		}
	}
	named := r.PriceKeys() // of a name of their own, which win
	for _, list := range tiers {
		r.tiers(list, named)
	}
}

// vary notes prices that have others at some times of the day or week, whatever the
// length of the prompt:
//
//	{ "hours_utc": "16:30-00:30", "input_cost_per_token": 1.35e-07 }
func (r *row) vary(name string, offPeak *offer.Value) {
	if offPeak == nil {
		return
	}
	var names []string
	for _, m := range offPeak.Members {
		if price, _, ok := priceOf(m.Name); ok {
			r.varying = append(r.varying, price)
			names = append(names, m.Name)
		}
	}
	r.Varies(name, offPeak, names)
}

// price takes a price that does not vary.
func (r *row) price(price string, b offer.Band, member string, v *offer.Value) {
	if !slices.Contains(r.varying, price) {
		r.Price(price, b, member, v)
	}
}

// flags are the members that say of one thing whether it is so.
var flags = map[string]string{
	"supports_vision":           "modality.input.image",
	"supports_audio_input":      "modality.input.audio",
	"supports_video_input":      "modality.input.video",
	"supports_pdf_input":        "modality.input.pdf",
	"supports_audio_output":     "modality.output.audio",
	"supports_function_calling": offer.Tools,
	"supports_response_schema":  offer.StructuredOutputs,
	"supports_reasoning":        offer.Reasons,
}

// takeNamed takes a member that is one of many alike.
func (r *row) takeNamed(name string, v *offer.Value) {
	if key, ok := flags[name]; ok {
		r.Flag(key, name, v)
		return
	}
	if name == olderCacheRead {
		if r.v.Get("cache_read_input_token_cost").Lacks() {
			r.price(offer.CacheRead, offer.Band{}, name, v)
		}
		return
	}
	if price, band, ok := priceOf(name); ok {
		r.price(price, band, name, v)
		return
	}
	if !isKnown(name) {
		r.Unknown(name)
	}
}

// modalities takes those that a list names. What it does not name, other members
// may.
func (r *row) modalities(key func(string) string, name string, v *offer.Value) {
	if v.Lacks() {
		return
	}
	list, ok := v.Strings()
	if !ok {
		r.Invalid(name, v, "a list of modalities")
		return
	}
	for _, modality := range list {
		switch k := key(modality); {
		case k != "":
			r.State(k, record.Bool(true), name, v)
		case modality != "code": // which the vocabulary leaves out
			r.Unknown(name + ": " + modality)
		}
	}
}

// prices are the members that are prices per token.
var prices = map[string]string{
	"input_cost_per_token":            offer.Input,
	"output_cost_per_token":           offer.Output,
	"cache_read_input_token_cost":     offer.CacheRead,
	"cache_creation_input_token_cost": offer.CacheWrite,
	"output_cost_per_reasoning_token": offer.Reasoning,
}

// olderCacheRead is what cache_read_input_token_cost was called once. Some rows
// have both, equal; some have it alone.
const olderCacheRead = "input_cost_per_token_cache_hit"

// priceOf returns the price that a member is, by its name:
// cache_creation_input_token_cost_above_1hr_above_200k_tokens is that of writing
// to a cache for an hour, of prompts longer than 200,000 tokens.
func priceOf(name string) (price string, b offer.Band, ok bool) {
	base, bands, hasBands := strings.Cut(name, "_above_")
	if price, ok = prices[base]; !ok || !hasBands {
		return price, b, ok
	}
	for _, band := range strings.Split(bands, "_above_") {
		switch {
		case band == "1hr" && price == offer.CacheWrite && b.TTL == "":
			b.TTL = offer.Hour
		case b.Context == 0:
			if b.Context, ok = thousands(band); !ok {
				return "", b, false
			}
		default:
			return "", b, false
		}
	}
	return price, b, true
}

// thousands reads 200k_tokens.
func thousands(band string) (tokens uint64, ok bool) {
	digits, ok := strings.CutSuffix(band, "k_tokens")
	n, err := strconv.ParseUint(digits, 10, 32)
	return 1000 * n, ok && err == nil && n > 0
}

// tiers takes the prices of tiered_pricing:
//
//	[{ "range": [0, 256000.0], "input_cost_per_token": 5e-08 }, ...]
//
// The tier from 0 on is the price without a band. Tiers by results are those of a
// search, not of tokens.
func (r *row) tiers(list *offer.Value, named map[string]bool) {
	const name = "tiered_pricing"
	if list.Lacks() {
		return
	}
	if list.Kind != offer.List {
		r.Invalid(name, list, "a list of tiers")
		return
	}
	for i, tier := range list.Items {
		member := name + "[" + strconv.Itoa(i) + "]"
		if tier.Get("max_results_range") != nil {
			continue
		}
		start, ok := rangeStart(tier.Get("range"))
		if !ok {
			r.Invalid(member, tier, "a tier with a range of tokens")
			continue
		}
		for _, m := range tier.Members {
			price, isPrice := prices[m.Name]
			switch {
			case isPrice && !named[offer.PriceKey(price, offer.Band{Context: start})]:
				r.price(price, offer.Band{Context: start}, member+"."+m.Name, m.Value)
			case !isPrice && m.Name != "range" && !isKnown(m.Name):
				r.Unknown(name + "." + m.Name)
			}
		}
	}
}

func rangeStart(v *offer.Value) (start uint64, ok bool) {
	if v == nil || v.Kind != offer.List || len(v.Items) == 0 {
		return 0, false
	}
	return v.Items[0].Count()
}

// isKnown reports whether a member is known and not taken: prices of other things
// than tokens, of other classes of service and in other currencies, flags of other
// things, and notes of the list about itself.
func isKnown(name string) bool {
	_, isRead := prices[name]
	return isRead || slices.Contains(knownNames, name) ||
		slices.ContainsFunc(knownStarts, func(s string) bool { return strings.HasPrefix(name, s) }) ||
		slices.ContainsFunc(knownEnds, func(s string) bool { return strings.HasSuffix(name, s) }) ||
		slices.ContainsFunc(knownParts, func(s string) bool { return strings.Contains(name, s) })
}

var (
	knownNames = []string{
		"litellm_provider", "mode", "max_tokens", "source", "comment", "metadata", "supported_endpoints", "supported_regions",
		"rpm", "tpm", "rpd", "output_vector_size", "tool_use_system_prompt_tokens", "web_search_billing_unit",
		"provider_specific_entry", "audio_transcription_config", "use_openai_responses_path", "rules",
		"cache_creation_input_audio_token_cost", "cache_creation_input_image_token_cost",
		"cache_read_input_audio_token_cost", "cache_read_input_image_token_cost", "citation_cost_per_token",
	}
	knownStarts = []string{
		"supports_", "uses_", "max_", "gemini_", "bedrock_", "regional_processing_uplift_multiplier_",
	}
	knownEnds = []string{
		"_batches", "_batch_requests", "_priority", "_flex", "_per_page", "_per_credit", "_per_session", "_per_day", "_calls",
		"_per_1k_tokens",
	}
	knownParts = []string{
		"_dbu_cost_", "_db_cost_", "_cost_per_second", "_cost_per_image", "_cost_per_character", "_cost_per_pixel",
		"_cost_per_query", "_cost_per_request", "_cost_per_audio_", "_cost_per_video_",
	}
)
