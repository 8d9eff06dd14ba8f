package offer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// The shared vocabulary: the keys under which all price sources state their facts,
// so that what agrees agrees and what contradicts shows as a conflict. Keys of
// prices are made by [PriceKey], those of modalities by [InputModality] and
// [OutputModality].
const (
	Input      = "input"       // tokens of the prompt
	Output     = "output"      // tokens of the answer
	CacheRead  = "cache_read"  // tokens of the prompt that were cached
	CacheWrite = "cache_write" // tokens of the prompt that are put into the cache
	Reasoning  = "reasoning"   // tokens of thinking, where they have a price of their own

	LimitContext = "limits.context" // prompt and answer together
	LimitInput   = "limits.input"   // the prompt alone
	LimitOutput  = "limits.output"  // the answer alone

	Tools             = "capability.tools"
	StructuredOutputs = "capability.structured_outputs"
	Reasons           = "capability.reasoning"
	OpenWeights       = "capability.open_weights"

	Released        = "lifecycle.released"   // YYYY-MM-DD or YYYY-MM, as printed
	Deprecated      = "lifecycle.deprecated" // the same
	Retires         = "lifecycle.retires"    // the same
	Status          = "lifecycle.status"     // as printed: alpha, beta, deprecated
	KnowledgeCutoff = "knowledge.cutoff"     // YYYY-MM
)

// The declarations that facts are put into together. Each price and each limit is
// a declaration of its own, named like its key.
const (
	Modality   = "modality"
	Capability = "capability"
	Lifecycle  = "lifecycle" // with the cutoff of knowledge
	Described  = "offer"     // what the offer is: see the keys of [record.OfferID]
)

// Modalities are those that the vocabulary knows.
var modalities = [...]string{"text", "image", "audio", "video", "pdf"}

// Modalities returns the modalities of the vocabulary.
func Modalities() []string { return slices.Clone(modalities[:]) }

// InputModality returns the key that says whether a model reads a modality, "" if
// the vocabulary does not know it.
func InputModality(name string) string { return modalityKey("modality.input.", name) }

// OutputModality returns the key that says whether a model writes a modality, ""
// if the vocabulary does not know it.
func OutputModality(name string) string { return modalityKey("modality.output.", name) }

func modalityKey(prefix, name string) string {
	if !slices.Contains(modalities[:], name) {
		return ""
	}
	return prefix + name
}

// Band is the part of requests that a price holds for. The zero Band is short
// prompts, standard service and a cache of the usual few minutes.
type Band struct {
	Context uint64 // the price of all tokens of a request whose prompt is longer than this; 0 for none
	TTL     string // how long the cache is kept, where it is another time: "1h"
}

// Hour is the band of a cache that is kept for an hour.
const Hour = "1h"

// PriceKey returns the key of a price:
//
//	PriceKey(CacheWrite, Band{200000, Hour}) // price.cache_write@context>200000,ttl=1h
func PriceKey(name string, b Band) string {
	key := "price." + name
	if b == (Band{}) {
		return key
	}
	separator := "@"
	if b.Context > 0 {
		key += separator + "context>" + strconv.FormatUint(b.Context, 10)
		separator = ","
	}
	if b.TTL != "" {
		key += separator + "ttl=" + b.TTL
	}
	return key
}

// IsPrice reports whether a key is that of a price.
func IsPrice(key string) bool { return strings.HasPrefix(key, "price.") }

// IsLimit reports whether a key is that of a limit.
func IsLimit(key string) bool { return strings.HasPrefix(key, "limits.") }

// Unit returns the unit of the values under a key, "" for none.
func Unit(key string) string {
	switch {
	case IsPrice(key):
		return "USD/token"
	case IsLimit(key):
		return "tokens"
	case strings.HasPrefix(key, "speed.ttft."):
		return "s"
	case strings.HasPrefix(key, "speed.throughput."):
		return "tokens/s"
	}
	return map[string]string{
		"speed.requests": "requests", "speed.window": "minutes", "uptime": "percent", "uptime.requests": "requests",
		"rate.requests_per_minute": "requests/minute", "rate.requests_per_day": "requests/day",
	}[key]
}

// DeclarationName returns the name of the declaration that a fact belongs to.
func DeclarationName(key string) string {
	group, _, _ := strings.Cut(key, ".")
	switch group {
	case Modality, Capability, Lifecycle, Described:
		return group
	case "knowledge":
		return Lifecycle
	}
	return key
}

// isDay reports whether s is a date, YYYY-MM-DD.
func isDay(s string) bool {
	_, ok := timestamp.ParseDate(s)
	return ok
}

// IsDate reports whether s is a date as the vocabulary has them: YYYY-MM-DD or YYYY-MM.
func IsDate(s string) bool { return isDay(s) || isMonth(s) }

// isMonth reports whether s is a month, YYYY-MM.
func isMonth(s string) bool { return isDay(s + "-01") }

// hasFormOfDay reports whether s is written like YYYY-MM-DD.
func hasFormOfDay(s string) bool {
	digits, rest := cutDigits(strings.ReplaceAll(s, "-", ""))
	return len(s) == len("YYYY-MM-DD") && s[4] == '-' && s[7] == '-' && len(digits) == len("YYYYMMDD") && rest == ""
}

// isText reports whether a record may hold s as a text.
func isText(s string) bool { return ijson.IsText(s) && canonical.ValidString(s) }

// Keys returns the keys of the vocabulary without bands, sorted.
func Keys() []string {
	keys := []string{LimitContext, LimitInput, LimitOutput, Tools, StructuredOutputs, Reasons, OpenWeights,
		Released, Deprecated, Retires, Status, KnowledgeCutoff}
	for _, price := range []string{Input, Output, CacheRead, CacheWrite, Reasoning} {
		keys = append(keys, PriceKey(price, Band{}))
	}
	for _, name := range Modalities() {
		keys = append(keys, InputModality(name), OutputModality(name))
	}
	slices.Sort(keys)
	return keys
}

// IsShared reports whether a key is one of the vocabulary, perhaps with bands.
func IsShared(key string) bool {
	plain, _, hasBand := strings.Cut(key, "@")
	_, found := slices.BinarySearch(Keys(), plain)
	return found && (!hasBand || IsPrice(key))
}
