package record

import (
	"slices"
	"strings"
)

// The keys of facts that say what an offer is: a model as one seller sells it under one local id.
// They stand in one observation, the declaration offer, whose scope has the runtime that
// [OfferRuntime] names.
const (
	OfferID           = "offer.id"           // text: the local id, to the letter, as the seller's API takes it
	OfferKind         = "offer.kind"         // text: alias or router; absent for an offer of a model
	OfferService      = "offer.service"      // text: standard, or services joined by commas: batch, free
	OfferRegion       = "offer.region"       // text: eu, us-east-1; absent for none
	OfferQuantization = "offer.quantization" // text: fp8, int4; absent where nobody says it
	OfferMode         = "offer.mode"         // text: chat, responses, completion, embedding or realtime
	OfferAPI          = "offer.api"          // text: the base URL of the seller's API
	OfferKeyVariable  = "offer.key_variable" // text: the environment variable that has the key of the API
	OfferClient       = "offer.client"       // text: the npm package that speaks to the API
	OfferDocs         = "offer.docs"         // text: the URL of the seller's documentation
	OfferLiteLLM      = "offer.litellm"      // text: the key of the offer in LiteLLM's list
)

// NamesOffer reports whether a key is of what a list calls an offer or says of calling it. Several
// values are several names, all of which may be true: they contradict each other as little as two
// addresses of one house.
func NamesOffer(key string) bool {
	switch key {
	case OfferID, OfferMode, OfferAPI, OfferKeyVariable, OfferClient, OfferDocs, OfferLiteLLM:
		return true
	}
	return false
}

// The keys of facts that say how fast and how surely an offer answers.
const (
	SpeedTTFT       = "speed.ttft.p50"       // seconds to the first token, the median
	SpeedThroughput = "speed.throughput.p50" // tokens per second, the median
	Uptime          = "uptime"               // percent of requests that succeeded
)

// OfferSpeed is how fast and how surely an offer answers, where a list says so.
type OfferSpeed struct {
	TTFT       Float `json:"ttft"`       // seconds to the first token, the median
	Throughput Float `json:"throughput"` // tokens per second, the median
	Uptime     Float `json:"uptime"`     // percent of requests that succeeded
}

// NewOfferSpeed returns the speed of which a function tells the number of each key; nil if it knows
// none.
func NewOfferSpeed(number func(key string) Float) *OfferSpeed {
	s := OfferSpeed{number(SpeedTTFT), number(SpeedThroughput), number(Uptime)}
	if s == (OfferSpeed{}) {
		return nil
	}
	return &s
}

// ServiceStandard is the value of offer.service for an offer that is sold as usual.
const ServiceStandard = "standard"

// OfferRuntime returns the id of the runtime at which a seller sells a model in a region and with
// services, both perhaps empty: the seller alone, or its name, a colon and the parts in order:
//
//	OfferRuntime("openrouter", "", nil)                     // openrouter
//	OfferRuntime("amazon-bedrock", "eu", []string{"batch"}) // amazon-bedrock:batch,eu
func OfferRuntime(seller, region string, services []string) string {
	parts := slices.Clone(services)
	if region != "" {
		parts = append(parts, region)
	}
	if len(parts) == 0 {
		return seller
	}
	slices.Sort(parts)
	return seller + ":" + strings.Join(slices.Compact(parts), ",")
}

// Seller returns the seller that the id of a runtime names, and its parts: services and the region.
func Seller(runtime string) (seller string, parts []string) {
	seller, rest, ok := strings.Cut(runtime, ":")
	if !ok || rest == "" {
		return runtime, nil
	}
	return seller, strings.Split(rest, ",")
}

// IsService reports whether a part of a runtime's id is a service: what a seller does otherwise
// than usual. Other parts are regions, or what the owner of a runtime calls it.
func IsService(part string) bool {
	return slices.Contains(services, part) || strings.HasPrefix(part, "commitment-")
}

// services are those that sellers have.
var services = []string{"batch", "beta", "exacto", "extended", "fast", "flex", "floor", "free", "nitro", "no-thinking",
	"online", "priority", "tee", "thinking"}
