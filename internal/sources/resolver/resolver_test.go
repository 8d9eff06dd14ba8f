package resolver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/service/record"
)

func newResolver(t testing.TB) *resolver.Resolver {
	t.Helper()
	r, err := resolver.New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read says in short what a name is: kind if no offer, model, revision, quantization,
// services, region.
func read(r *resolver.Resolver, seller, id, base string) string {
	x := r.Resolve(resolver.Name{Seller: seller, ID: id, Base: base})
	s := x.Model.ID
	if s == "" {
		x.Model = record.Model{}
	}
	if x.Kind != resolver.Offer {
		s = string(x.Kind) + " " + s
	}
	for name, value := range map[string]string{" @": string(x.Model.Revision), " #": string(x.Model.Quantization)} {
		if value != "" && name == " @" {
			s += name + value
		}
	}
	if x.Model.Quantization != "" {
		s += " #" + string(x.Model.Quantization)
	}
	if len(x.Services) > 0 {
		s += " " + strings.Join(x.Services, ",")
	}
	if x.Region != "" {
		s += " in " + x.Region
	}
	if x.Disputed != "" {
		s += " not " + x.Disputed
	}
	return strings.TrimSpace(s)
}

// What names are, one line for each rule that would be missed.
func TestNames(t *testing.T) {
	r := newResolver(t)
	for name, want := range map[string]string{
		// one model under the names of several sellers
		"moonshotai kimi-k2.6":                                    "moonshotai/kimi-k2.6",
		"openrouter moonshotai/kimi-k2.6":                         "moonshotai/kimi-k2.6",
		"fireworks-ai accounts/fireworks/models/kimi-k2p6":        "moonshotai/kimi-k2.6",
		"fireworks-ai accounts/fireworks/routers/kimi-k2p6-turbo": "moonshotai/kimi-k2.6 fast",
		"cloudflare-workers-ai @cf/moonshotai/kimi-k2.6":          "moonshotai/kimi-k2.6",
		"togetherai moonshotai/Kimi-K2.6":                         "moonshotai/kimi-k2.6",
		"synthetic hf:moonshotai/Kimi-K2.6":                       "moonshotai/kimi-k2.6",
		"siliconflow-cn Pro/moonshotai/Kimi-K2.6":                 "moonshotai/kimi-k2.6",
		"chutes moonshotai/Kimi-K2.6-TEE":                         "moonshotai/kimi-k2.6 tee",
		"nano-gpt TEE/kimi-k2.6:thinking":                         "moonshotai/kimi-k2.6 tee,thinking",
		"openrouter moonshotai/kimi-k2.6:free":                    "moonshotai/kimi-k2.6 free",
		"routing-run route/kimi-k2.6-6bit":                        "moonshotai/kimi-k2.6 #6bit",
		// versions
		"venice grok-4-20":                                   "xai/grok-4.20",
		"qiniu-ai gemini-3.0-flash-preview":                  "google/gemini-3-flash",
		"openrouter google/gemini-2.0-flash-001":             "google/gemini-2.0-flash @001",
		"kimi-for-coding k2p7":                               "moonshotai/kimi-k2.7-code",
		"poe openai/gpt-5.1-instant":                         "openai/gpt-5.1-chat",
		"nvidia upstage/solar-10_7b-instruct":                "upstage/solar-10.7b-instruct",
		"google-vertex mistral-small-2503@001":               "mistral/mistral-small @2503",
		"lemonade gpt-oss-20b-mxfp4-GGUF":                    "openai/gpt-oss-20b #mxfp4",
		"tensormesh lukealonso/GLM-5.1-NVFP4-MTP":            "zhipuai/glm-5.1 #nvfp4",
		"azure gpt-35-turbo-16k":                             "openai/gpt-3.5-turbo-16k",
		"amazon-bedrock anthropic.claude-v2:1":               "anthropic/claude-2.1",
		"amazon-bedrock mistral.mistral-7b-instruct-v0:2":    "mistral/mistral-7b-instruct @v0.2",
		"sap-ai-core anthropic--claude-4.5-sonnet":           "anthropic/claude-sonnet-4.5",
		"fireworks-ai accounts/fireworks/models/qwen2p5-32b": "alibaba/qwen2.5-32b-base",
		"novita qwen/qwen-2.5-72b-instruct":                  "alibaba/qwen2.5-72b-instruct",
		// revisions
		"amazon-bedrock us.anthropic.claude-haiku-4-5-20251001-v1:0": "anthropic/claude-haiku-4.5 @20251001 in us",
		"google-vertex claude-sonnet-4@20250514":                     "anthropic/claude-sonnet-4 @20250514",
		"openai gpt-4o-2024-08-06":                                   "openai/gpt-4o @2024-08-06",
		"openrouter qwen/qwen3.5-flash-02-23":                        "alibaba/qwen3.5-flash @02-23",
		"cohere command-a-vision-07-2025":                            "cohere/command-a-vision @07-2025",
		"perplexity r1-1776":                                         "perplexity/r1-1776",
		"openai gpt-4o-audio-preview-2025-06-03":                     "openai/gpt-4o-audio-preview @2025-06-03",
		// other models
		"moonshotai kimi-k2-thinking":                                  "moonshotai/kimi-k2-thinking",
		"xai grok-4-fast":                                              "xai/grok-4-fast",
		"openai gpt-4-turbo":                                           "openai/gpt-4-turbo",
		"cloudflare workers-ai/@cf/deepgram/nova-3":                    "deepgram/nova-3",
		"vercel bfl/flux-2-flex":                                       "black-forest-labs/flux-2-flex",
		"google text-embedding-004":                                    "google/text-embedding-004",
		"nano-gpt huihui-ai/DeepSeek-R1-Distill-Llama-70B-abliterated": "huihui-ai/deepseek-r1-distill-llama-70b-abliterated",
		// services and regions
		"poe anthropic/claude-opus-4.6-fast":                                "anthropic/claude-opus-4.6 fast",
		"xai grok-4-fast-non-reasoning":                                     "xai/grok-4-fast",
		"azure global-standard/gpt-4o":                                      "openai/gpt-4o in global",
		"amazon-bedrock us-east-1/1-month-commitment/anthropic.claude-v2:1": "anthropic/claude-2.1 commitment-1m in us-east-1",
		"ollama-cloud gemma4:31b":                                           "google/gemma-4-31b-it",
		"nvidia nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4":             "nvidia/nemotron-3-super-120b-a12b #nvfp4",
		"nvidia nvidia/Kimi-K2.5-NVFP4":                                     "moonshotai/kimi-k2.5 #nvfp4",
		// no models
		"openai gpt-5.2-chat-latest":                 "alias openai/gpt-5.2-chat",
		"openrouter ~anthropic/claude-sonnet-latest": "alias anthropic/claude-sonnet-latest",
		"anthropic claude-sonnet-4-0":                "alias anthropic/claude-sonnet-4",
		"openrouter openrouter/auto":                 "router",
		"openrouter openrouter/free":                 "router",
		"nano-gpt nanogpt/coding-router:max":         "router",
		"nano-gpt owl":                               "",
		"nano-gpt ":                                  "",
		"nano-gpt /:~@--":                            "",
	} {
		seller, id, _ := strings.Cut(name, " ")
		if got := read(r, seller, id, ""); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Rules that were tried elsewhere and are wrong, each with names on which it fails.
func TestWrongRules(t *testing.T) {
	r := newResolver(t)
	for rule, names := range map[string]map[string]string{
		"-fast, -turbo, -lightning, -flex, -beta and -free are services": {
			"xai grok-4-fast": "xai/grok-4-fast", "openai gpt-4-turbo": "openai/gpt-4-turbo", "openai gpt-3.5-turbo": "openai/gpt-3.5-turbo",
			"openrouter nvidia/nemotron-3.5-lightning": "nvidia/nemotron-3.5-lightning", "vercel bfl/flux-2-flex": "black-forest-labs/flux-2-flex",
			"openrouter huggingfaceh4/zephyr-7b-beta:free": "huggingfaceh4/zephyr-7b-beta free", "zai glm-5-turbo": "zhipuai/glm-5-turbo",
			"nano-gpt ernie-4.5-turbo-128k": "baidu/ernie-4.5-turbo-128k",
		},
		"-thinking is a service": {
			"openrouter moonshotai/kimi-k2-thinking": "moonshotai/kimi-k2-thinking", "nebius Qwen/Qwen3-235B-A22B-Thinking-2507": "alibaba/qwen3-235b-a22b-thinking @2507",
			"openrouter qwen/qwen3-vl-30b-a3b-thinking": "alibaba/qwen3-vl-30b-a3b-thinking", "google gemini-2.0-flash-thinking-exp": "google/gemini-2.0-flash-thinking-exp",
		},
		"-thinking is a model": {
			"302ai claude-opus-4-6-thinking": "anthropic/claude-opus-4.6 thinking", "alibaba-cn deepseek-v3.2-exp-thinking": "deepseek/deepseek-v3.2-exp thinking",
		},
		"-preview says nothing": {
			"openrouter openai/o1-preview": "openai/o1-preview", "openrouter openai/gpt-4.5-preview": "openai/gpt-4.5-preview",
			"openrouter qwen/qwq-32b-preview": "alibaba/qwq-32b-preview", "alibaba qwen3-max-preview": "alibaba/qwen3-max-preview",
		},
		"-latest is a name without a date":  {"openai gpt-5.2-chat-latest": "alias openai/gpt-5.2-chat", "openrouter moonshotai/kimi-latest": "alias moonshotai/kimi-latest"},
		"-pro is always another model":      {"siliconflow-cn Pro/deepseek-ai/DeepSeek-R1": "deepseek/deepseek-r1"},
		"-pro is never another model":       {"openai o1-pro": "openai/o1-pro", "aws amazon.nova-pro-v1:0": "amazon/nova-pro", "xiaomi mimo-v2.5-pro": "xiaomi/mimo-v2.5-pro"},
		"-online is a service":              {"perplexity llama-3.1-sonar-large-128k-online": "perplexity/llama-3.1-sonar-large-128k-online"},
		"-search is a service":              {"openai gpt-4o-mini-search-preview": "openai/gpt-4o-mini-search-preview"},
		"-audio is a service":               {"openai gpt-4o-audio-preview": "openai/gpt-4o-audio-preview", "openai gpt-audio": "openai/gpt-audio"},
		"four digits are a date":            {"venice grok-4-20": "xai/grok-4.20", "groq llama2-70b-4096": "meta/llama-2-70b-chat", "azure gpt-35-turbo-16k": "openai/gpt-3.5-turbo-16k"},
		"v1:0 is a version of every model":  {"amazon-bedrock amazon.titan-embed-text-v2:0": "amazon/titan-embed-text-v2", "amazon-bedrock anthropic.claude-v2:1": "anthropic/claude-2.1"},
		"the seller is the maker":           {"cloudflare @cf/deepgram/nova-3": "deepgram/nova-3", "databricks databricks-meta-llama-3-1-8b-instruct": "meta/llama-3.1-8b-instruct"},
		"a router's own models are routers": {"openrouter openrouter/owl-alpha": "openrouter/owl-alpha"},
	} {
		for name, want := range names {
			seller, id, _ := strings.Cut(name, " ")
			if got := read(r, seller, id, ""); got != want {
				t.Errorf("%s? %s is %s, want %s", rule, name, got, want)
			}
		}
	}
}

// Each line of aliases has a row that is another model, or is served otherwise, without it.
func TestLines(t *testing.T) {
	r := newResolver(t)
	for _, line := range r.Lines() {
		seller, id, _ := strings.Cut(line.Row, " ")
		if with, without := read(r, seller, id, ""), read(line.Without, seller, id, ""); with == without {
			t.Errorf("%s: %q is %s without the line, too", line.Name, line.Row, with)
		}
	}
}

// What a source states of a name that tells nothing counts; against a name it does not.
func TestStatements(t *testing.T) {
	r := newResolver(t)
	for _, x := range [][3]string{
		{"owl", "xai/grok-4", "xai/grok-4"},
		{"databricks-claude-sonnet-4", "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4 not anthropic/claude-sonnet-4.5"},
		{"mimo-v2.5", "xiaomi/mimo-v2.5-pro", "xiaomi/mimo-v2.5 not xiaomi/mimo-v2.5-pro"},
		{"claude-sonnet-4-5", "anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5"},
	} {
		if got := read(r, "nano-gpt", x[0], x[1]); got != x[2] {
			t.Errorf("%s, stated as %s: %s, want %s", x[0], x[1], got, x[2])
		}
	}
}

// An id that the resolver gave is read as itself.
func TestIDsAreTheirOwn(t *testing.T) {
	r := newResolver(t)
	for _, l := range readLabels(t) {
		x := r.Resolve(l.name())
		if x.Model.ID == "" || x.Kind != resolver.Offer {
			continue
		}
		if again := r.Resolve(resolver.Name{ID: x.Model.ID}); again.Model.ID != x.Model.ID || len(again.Services) > 0 {
			t.Errorf("%s is %s, and that is %s with services %v", l.ID, x.Model.ID, again.Model.ID, again.Services)
		}
	}
}

// Any text is read in the same way twice, and the parts are texts without what separates them.
func FuzzResolve(f *testing.F) {
	for _, id := range []string{"us.anthropic.claude-haiku-4-5-20251001-v1:0", "~a/b:free:x", "hf:Qwen/Qwen3_5-9b-Q4_K_M", "a--b@latest", "1-2-3.4p5"} {
		f.Add("openrouter", id, "")
	}
	r := newResolver(f)
	f.Fuzz(func(t *testing.T, seller, id, base string) {
		n := resolver.Name{Seller: seller, ID: id, Base: base}
		x := r.Resolve(n)
		if fmt.Sprint(x) != fmt.Sprint(r.Resolve(n)) {
			t.Errorf("%q is read in two ways", id)
		}
		for _, s := range append(x.Services, x.Region) {
			if strings.ContainsAny(s, ",:") {
				t.Errorf("%q has the part %q", id, s)
			}
		}
		if x.Model.ID != "" && (!strings.Contains(x.Model.ID, "/") || strings.HasSuffix(x.Model.ID, "/") || strings.HasPrefix(x.Model.ID, "/")) {
			t.Errorf("%q is the model %q", id, x.Model.ID)
		}
	})
}

// What a person decided of a name counts, and else what is decided of another name of the
// model; the rest of the name stays.
func TestDecisions(t *testing.T) {
	d, err := resolver.ReadDecisions(problem.Source{Text: `{
		"zai-org/GLM-5": "acme/glm", "nano-gpt/owl": null, "openai/gpt-chat-latest": "openai/gpt-5.5-chat", "venice/glm-5": "zhipuai/glm-5"
	}`})
	if err != nil {
		t.Fatal(err)
	}
	r := newResolver(t).With(d)
	for name, want := range map[string]string{
		"chutes zai-org/GLM-5":              "acme/glm",
		"chutes zai-org/GLM-5-FP8":          "acme/glm #fp8",
		"chutes zai-org/GLM-5-TEE":          "acme/glm tee",
		"venice glm-5":                      "zhipuai/glm-5",
		"zai glm-5.1":                       "zhipuai/glm-5.1",
		"nano-gpt owl":                      "",
		"openrouter openai/gpt-chat-latest": "openai/gpt-5.5-chat",
	} {
		seller, id, _ := strings.Cut(name, " ")
		if got := read(r, seller, id, ""); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if x := r.Resolve(resolver.Name{Seller: "nano-gpt", ID: "owl"}); x.Rule != resolver.RuleDecision || x.Entry != "nano-gpt/owl" {
		t.Errorf("owl is known by %s of %s", x.Rule, x.Entry)
	}
}

// A file of decisions is refused with all its faults at once.
func TestDecisionsAreStrict(t *testing.T) {
	for text, paths := range map[string][]string{
		`[]`:                            {"$"},
		`{"a":1,"b":"","c":{"id":"x"}}`: {"$.a", "$.b", "$.c"},
		`{"":"acme/a"}`:                 {"$."},
		`{"a":"acme/a","a":null}`:       {"$.a"},
		`{"a":"acme/a"} {}`:             {"$"},
	} {
		_, err := resolver.ReadDecisions(problem.Source{Text: text})
		var got []string
		for _, e := range problem.All(err) {
			if got = append(got, e.Path); e.Code != problem.InvalidSourceSnapshot {
				t.Errorf("%s: code %s", text, e.Code)
			}
		}
		if !slices.Equal(got, paths) {
			t.Errorf("%s: faults at %q, want %q", text, got, paths)
		}
	}
}
