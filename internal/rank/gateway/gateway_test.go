package gateway_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/internal/rank/gateway"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

const compatible = "@ai-sdk/openai-compatible"

// call is a candidate of which everything is known.
func call(id string, change func(*v3.Call)) v3.Call {
	c := v3.Call{Candidate: id, Model: record.Model{ID: "acme/" + id}, Runtime: "seller-" + id, Modes: []string{"chat"},
		Offer: record.RankOffer{ID: record.Text("local/" + id), API: record.Text("https://" + id + ".example/v1/"),
			KeyVariable: record.Text(strings.ToUpper(id) + "_API_KEY"), Client: compatible}}
	if change != nil {
		change(&c)
	}
	return c
}

// What is not known of a candidate leaves it out, with the reason, and the others are called.
func TestLeftOut(t *testing.T) {
	for want, change := range map[string]func(*v3.Call){
		"no-runtime  a":                          func(c *v3.Call) { c.Runtime = "" },
		"expired lifecycle.status ":              func(c *v3.Call) { c.IsEnded = true },
		"unknown offer.id ":                      func(c *v3.Call) { c.Offer.ID = "" },
		"unknown offer.key_variable ":            func(c *v3.Call) { c.Offer.KeyVariable = "" },
		"unknown offer.client ":                  func(c *v3.Call) { c.Offer.Client = "" },
		"unknown offer.api ":                     func(c *v3.Call) { c.Offer.Client, c.Offer.API = "", "" },
		"no-provider offer.client @ai-sdk/azure": func(c *v3.Call) { c.Offer.Client = "@ai-sdk/azure" },
		"unknown offer.mode ":                    func(c *v3.Call) { c.Offer.Client, c.Modes = "@ai-sdk/openai", nil },
		"not-representable offer.mode responses": func(c *v3.Call) { c.Modes = []string{"responses"} },
		"not-representable  thinking=on":         func(c *v3.Call) { c.Condition = "effort=high,thinking=on" },
		"not-representable  edit_format=diff":    func(c *v3.Call) { c.Condition = "edit_format=diff" },
		"same-name  local/b":                     func(c *v3.Call) { c.Runtime, c.Offer.ID = "seller-b", "local/b" },
		"unknown offer.api":                      func(c *v3.Call) { c.Offer.API = "" },
		"":                                       func(c *v3.Call) { c.Modes = nil },
		" ":                                      func(c *v3.Call) { c.Modes = []string{"responses", "chat"} },
		"  ":                                     func(c *v3.Call) { c.Condition = "effort=high" },
		"    ":                                   func(c *v3.Call) { c.Offer.Client, c.Offer.API = "", "https://openrouter.ai/api/v1/" },
		"   ":                                    func(c *v3.Call) { c.Offer.Client, c.Offer.API = "@ai-sdk/openai", "" },
	} {
		b := call("b", nil)
		calls := []v3.Call{b, call("a", change)}
		for _, kind := range []gateway.Kind{gateway.LiteLLM, gateway.Portkey} {
			f := gateway.Write(kind, "q", calls)
			if strings.TrimSpace(want) == "" {
				if len(f.LeftOut) != 0 || len(f.Calls) != 2 {
					t.Errorf("%q: %+v", want, f)
				}
				continue
			}
			if len(f.LeftOut) != 1 || len(f.Calls) != 1 || f.Warning(calls) != "" {
				t.Errorf("%s: %+v", want, f)
				continue
			}
			o := f.LeftOut[0]
			if got := strings.TrimSpace(fmt.Sprintf("%s %s %s", o.Reason, o.Key, o.Detail)); got != strings.TrimSpace(want) || o.Model != "acme/a" || gateway.Why(&o) == "" {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

// Portkey's gateway drops the effort for Anthropic, so that another model would answer. LiteLLM
// passes it on.
func TestEffort(t *testing.T) {
	calls := []v3.Call{call("a", func(c *v3.Call) { c.Offer.Client, c.Condition = "@ai-sdk/anthropic", "effort=high" }), call("b", nil)}
	f := gateway.Write(gateway.Portkey, "q", calls)
	if got := f.Warning(calls); len(f.Calls) != 1 || got != "the choice, a, is left out: the gateway does not pass on effort=high; b is called first" {
		t.Errorf("%q, %+v", got, f)
	}
	if f := gateway.Write(gateway.LiteLLM, "q", calls); len(f.Calls) != 2 || !strings.Contains(f.Text, `reasoning_effort: "high"`) {
		t.Error(f.Text)
	}
	if f := gateway.Write(gateway.Portkey, "q", calls[:1]); f.Text != "" || f.Warning(calls) == "" {
		t.Errorf("nobody can be called: %+v", f)
	}
}

// LiteLLM tries five fallbacks. More are not written.
func TestMostFallbacks(t *testing.T) {
	var calls []v3.Call
	for i := range 9 {
		calls = append(calls, call(fmt.Sprint("m", i), nil))
	}
	for _, kind := range []gateway.Kind{gateway.LiteLLM, gateway.Portkey} {
		if f := gateway.Write(kind, "q", calls); len(f.Calls) != 6 || f.Calls[5].Candidate != "m5" || len(f.LeftOut) != 0 {
			t.Errorf("%d calls", len(f.Calls))
		}
	}
}

// The configuration of LiteLLM has only members that its documentation names, of the right types,
// and no key.
func TestLiteLLMAsDocumented(t *testing.T) {
	calls := []v3.Call{
		call("glm", nil),
		call("claude", func(c *v3.Call) {
			c.Offer.Client, c.Offer.API, c.Condition = "@ai-sdk/anthropic", "https://a.example/v1", "effort=high"
		}),
		call("gpt", func(c *v3.Call) { c.Offer.Client, c.Offer.API = "@ai-sdk/openai", "" }),
		call("kimi", func(c *v3.Call) {
			c.Offer.Client, c.Offer.API, c.Provider, c.Runs = "", "https://openrouter.ai/api/v1", "acme", "fp8"
		}),
	}
	f := gateway.Write(gateway.KindOf("x/coding.yaml"), gateway.NameOf("questions/coding.json"), calls)
	var config map[string]any
	if err := yaml.Unmarshal([]byte(f.Text), &config); err != nil {
		t.Fatal(err)
	}
	// Of https://docs.litellm.ai/docs/proxy/configs, ../proxy/config_settings, ../routing and
	// ../completion/provider_specific_params, and what OpenRouter documents of its provider routing.
	documented := map[string]reflect.Kind{"model_list": reflect.Slice, "model_list.model_name": reflect.String,
		"model_list.litellm_params": reflect.Map, "model_list.litellm_params.model": reflect.String,
		"model_list.litellm_params.api_base": reflect.String, "model_list.litellm_params.api_key": reflect.String,
		"model_list.litellm_params.reasoning_effort": reflect.String, "model_list.litellm_params.extra_body": reflect.Map,
		"router_settings":           reflect.Map,
		"router_settings.fallbacks": reflect.Slice, "router_settings.fallbacks.coding": reflect.Slice,
		"router_settings.num_retries": reflect.Int, "router_settings.timeout": reflect.Int,
		"model_list.litellm_params.extra_body.provider":               reflect.Map,
		"model_list.litellm_params.extra_body.provider.only":          reflect.Slice,
		"model_list.litellm_params.extra_body.provider.quantizations": reflect.Slice}
	met := map[string]bool{}
	walk(config, "", func(path string, kind reflect.Kind) {
		met[path] = true
		if documented[path] != kind {
			t.Errorf("%s is a %s, documented is %s", path, kind, documented[path])
		}
	})
	if len(met) != len(documented) {
		t.Errorf("%d of %d members were met", len(met), len(documented))
	}
	want, err := os.ReadFile("testdata/coding.yaml")
	if err != nil || f.Text != string(want) {
		t.Errorf("%v\n%s", err, f.Text)
	}
}

// walk hands out the members of a document, those of the items of a list as those of the list.
func walk(v any, path string, member func(path string, kind reflect.Kind)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			at := strings.TrimPrefix(path+"."+name, ".")
			member(at, reflect.TypeOf(value).Kind())
			walk(value, at, member)
		}
	case []any:
		for _, item := range v {
			walk(item, path, member)
		}
	}
}

// The configuration of Portkey falls back on time-outs, 429 and 5xx, and on nothing else.
func TestPortkey(t *testing.T) {
	f := gateway.Write(gateway.KindOf("coding.json"), "coding", []v3.Call{
		call("glm", nil), call("x", func(c *v3.Call) { c.Offer.Client, c.Offer.API = "@ai-sdk/xai", "" }),
		call("k", func(c *v3.Call) { c.Offer.Client, c.Offer.API, c.Provider = "@openrouter/ai-sdk-provider", "", "acme" })})
	var config struct {
		Strategy struct {
			Mode string `json:"mode"`
			On   []int  `json:"on_status_codes"`
		} `json:"strategy"`
		Targets []map[string]any `json:"targets"`
	}
	if err := json.Unmarshal([]byte(f.Text), &config); err != nil {
		t.Fatal(err)
	}
	isOther := func(code int) bool { return code != 408 && code != 429 && (code < 500 || code > 599) }
	if config.Strategy.Mode != "fallback" || slices.ContainsFunc(config.Strategy.On, isOther) || !slices.Contains(config.Strategy.On, 503) {
		t.Errorf("%+v", config.Strategy)
	}
	want := []map[string]any{
		{"provider": "openai", "custom_host": "https://glm.example/v1", "api_key": "$GLM_API_KEY", "override_params": map[string]any{"model": "local/glm"}},
		{"provider": "openai", "custom_host": "https://api.x.ai/v1", "api_key": "$X_API_KEY", "override_params": map[string]any{"model": "local/x"}},
		{"provider": "openrouter", "custom_host": "https://openrouter.ai/api", "api_key": "$K_API_KEY",
			"override_params": map[string]any{"model": "local/k", "provider": map[string]any{"only": []any{"acme"}}}},
	}
	if !reflect.DeepEqual(config.Targets, want) {
		t.Errorf("%v", config.Targets)
	}
}

func TestKindOf(t *testing.T) {
	for file, want := range map[string]gateway.Kind{"a.yaml": gateway.LiteLLM, "a.yml": gateway.LiteLLM, "b/a.json": gateway.Portkey, "a": 0, "a.toml": 0, "": 0} {
		if got := gateway.KindOf(file); got != want {
			t.Errorf("%s: %d", file, got)
		}
	}
}
