// Package gateway writes what gateways read, so that they call whom a ranking chose and, if that
// fails, who may stand in: LiteLLM's configuration and Portkey's.
//
//	ranking          gateway
//	glm-5.2          "coding" is z-ai/glm-5.2 at https://openrouter.ai/api/v1, with OPENROUTER_API_KEY
//	gpt-5.1          on 429, 5xx and time-outs gpt-5.1 at OpenAI, with OPENAI_API_KEY
//	gemini-3 (free)  nothing: no list says that it speaks chat completions
//
// A candidate is called where its address, the name of its key and its way of speaking are known,
// and where the gateway can pass on the setting that it was measured with. All others are left out,
// each with the reason. No file has a key: it has the names of environment variables.
package gateway

import (
	"path"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// Kind is a gateway.
type Kind uint8

// The gateways.
const (
	LiteLLM Kind = 1 + iota
	Portkey
)

// KindOf returns the gateway that reads files of such a name, 0 for none: LiteLLM reads YAML, and
// Portkey JSON.
func KindOf(file string) Kind {
	switch path.Ext(file) {
	case ".yaml", ".yml":
		return LiteLLM
	case ".json":
		return Portkey
	}
	return 0
}

// NameOf returns the name of the model that clients ask for: that of the file of the question.
func NameOf(question string) string {
	name := path.Base(question)
	return strings.TrimSuffix(name, path.Ext(name))
}

// File is the configuration of a gateway.
type File struct {
	Text    string    // empty if nobody can be called
	Calls   []v3.Call // whom it calls, the first choice first
	LeftOut []record.ExportOmission
}

// mostCalls is the choice and the most fallbacks that LiteLLM tries.
const mostCalls = 1 + 5

// Seconds and tries that a gateway gives each of those that it calls.
const timeout, retries = "120", "1"

// mayChange are the statuses after which another seller may answer: a time-out, too many requests,
// and what goes wrong at the seller, or at what stands before it.
const mayChange = "408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529"

// Write writes the configuration of a gateway by whom a ranking says to call. Clients ask it for
// the model with the name.
func Write(kind Kind, name string, calls []v3.Call) File {
	var f File
	var targets []target
	for i := range calls {
		c := &calls[i]
		t, reason, key, detail := kind.targetOf(c)
		if reason == "" && slices.ContainsFunc(f.Calls, func(other v3.Call) bool {
			return other.Runtime == c.Runtime && other.Offer.ID == c.Offer.ID
		}) {
			reason, detail = record.ExportSameName, string(c.Offer.ID) // which fails as the other does
		}
		if reason != "" {
			f.LeftOut = append(f.LeftOut, record.ExportOmission{Model: c.Model.ID, Revision: c.Model.Revision,
				Quantization: c.Model.Quantization, Runtime: record.Text(c.Runtime), Key: record.Text(key), Reason: reason,
				Detail: record.Text(detail)})
			continue
		}
		f.Calls, targets = append(f.Calls, *c), append(targets, t)
		if len(targets) == mostCalls {
			break
		}
	}
	switch {
	case targets == nil:
	case kind == LiteLLM:
		f.Text = writeLiteLLM(name, targets)
	default:
		f.Text = writePortkey(targets)
	}
	return f
}

// Warning says why the choice is not called first, "" if it is.
func (f *File) Warning(calls []v3.Call) string {
	if len(f.LeftOut) == 0 || len(f.Calls) > 0 && f.Calls[0].Candidate == calls[0].Candidate {
		return ""
	}
	text := "the choice, " + calls[0].Candidate + ", is left out: " + Why(&f.LeftOut[0])
	if len(f.Calls) > 0 {
		text += "; " + f.Calls[0].Candidate + " is called first"
	}
	return text
}

// Why says why a candidate is left out.
func Why(o *record.ExportOmission) string {
	detail := string(o.Detail)
	switch {
	case o.Reason == record.ExportUnknown:
		return "no list states its " + string(o.Key)
	case o.Reason == record.ExportExpired:
		return "it is deprecated or withdrawn"
	case o.Reason == record.ExportNoRuntime:
		return "the question is about no seller; with cheapest, cost or runtimes it is"
	case o.Reason == record.ExportNoProvider:
		return "gateways need more than a key for " + detail
	case o.Reason == record.ExportSameName:
		return "this offer is called already, with another setting"
	case o.Key == record.OfferMode:
		return "it answers " + detail + ", not chat"
	}
	return "the gateway does not pass on " + detail
}

// target is a candidate as a gateway calls it.
type target struct {
	*v3.Call
	client
	address string // empty for that which the gateway knows
	effort  string // empty for none
}

// targetOf returns how a gateway calls a candidate, or the reason why it cannot.
func (k Kind) targetOf(c *v3.Call) (t target, reason record.ExportReason, key, detail string) {
	unknown := record.ExportUnknown
	t.Call = c
	t.address = strings.TrimRight(string(c.Offer.API), "/")
	name := string(c.Offer.Client)
	if name == "" {
		name = clientAt(t.address)
	}
	t.client = clients[name]
	switch {
	case c.Runtime == "":
		return t, record.ExportNoRuntime, "", c.Candidate
	case c.IsEnded:
		return t, record.ExportExpired, "lifecycle.status", ""
	case c.Offer.ID == "":
		return t, unknown, record.OfferID, ""
	case c.Offer.KeyVariable == "":
		return t, unknown, record.OfferKeyVariable, ""
	case t.address == "" && (name == "" || name == compatible):
		return t, unknown, record.OfferAPI, ""
	case name == "":
		return t, unknown, record.OfferClient, ""
	case t.client == client{}:
		return t, record.ExportNoProvider, record.OfferClient, name
	case c.Modes == nil && !t.isChat:
		return t, unknown, record.OfferMode, ""
	case c.Modes != nil && !slices.Contains(c.Modes, "chat"):
		return t, record.ExportNotRepresentable, record.OfferMode, c.Modes[0]
	}
	for setting := range strings.SplitSeq(c.Condition, ",") {
		effort, isEffort := strings.CutPrefix(setting, "effort=")
		if setting != "" && (!isEffort || k == Portkey && !t.passesEffort()) {
			return t, record.ExportNotRepresentable, "", setting
		}
		t.effort = effort
	}
	return t, "", "", ""
}

// routing is what OpenRouter is told of whom to ask, as JSON, "" for nothing: another provider may
// take another price, and run the model in fewer bits.
func (t *target) routing() string {
	if t.Provider == "" {
		return ""
	}
	text := `{"only": [` + canonical.Quote(t.Provider) + "]"
	if t.Runs != "" {
		text += `, "quantizations": [` + canonical.Quote(t.Runs) + "]"
	}
	return text + "}"
}

// clientAt returns the client of an address that is that of one seller, "" if it is not known.
func clientAt(address string) string {
	for name, c := range clients {
		if c.home != "" && c.home == address {
			return name
		}
	}
	return ""
}

// compatible is the client that speaks OpenAI's chat completions to any address.
const compatible = "@ai-sdk/openai-compatible"

// client is how gateways do what a client does.
type client struct {
	liteLLM string // the prefix of LiteLLM's names of models
	portkey string // the provider of Portkey's; openai for all that speak chat completions
	home    string // for Portkey: the address of those that are not OpenAI and have one
	isChat  bool   // it has no other way of speaking
}

// passesEffort reports whether Portkey hands on how hard a model is to think. It drops it for
// Anthropic and Cohere.
func (c client) passesEffort() bool { return c.portkey == "openai" || c.portkey == "google" }

// clients are the npm packages that lists name, as far as a key is all that they need. The others
// need regions, accounts or projects, or are gateways themselves.
var clients = map[string]client{
	compatible:                    {"openai", "openai", "", true},
	"@ai-sdk/openai":              {"openai", "openai", "", false}, // also responses
	"@ai-sdk/anthropic":           {"anthropic", "anthropic", "", true},
	"@ai-sdk/google":              {"gemini", "google", "", true},
	"@ai-sdk/cohere":              {"cohere_chat", "cohere", "", true},
	"@openrouter/ai-sdk-provider": {"openrouter", "openai", "https://openrouter.ai/api/v1", true},
	"@ai-sdk/xai":                 {"xai", "openai", "https://api.x.ai/v1", true},
	"@ai-sdk/groq":                {"groq", "openai", "https://api.groq.com/openai/v1", true},
	"@ai-sdk/mistral":             {"mistral", "openai", "https://api.mistral.ai/v1", true},
	"@ai-sdk/cerebras":            {"cerebras", "openai", "https://api.cerebras.ai/v1", true},
	"@ai-sdk/deepinfra":           {"deepinfra", "openai", "https://api.deepinfra.com/v1/openai", true},
	"@ai-sdk/togetherai":          {"together_ai", "openai", "https://api.together.xyz/v1", true},
	"@ai-sdk/perplexity":          {"perplexity", "openai", "https://api.perplexity.ai", true},
}
