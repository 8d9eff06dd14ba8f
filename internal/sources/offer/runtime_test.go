package offer

import (
	"strings"
	"testing"
)

// The table, source by source.
func TestRuntimes(t *testing.T) {
	tests := []struct{ source, provider, runtime, prefix string }{
		{"models-dev", "google-vertex", "google-vertex", "google-vertex"},
		{"models-dev", "google-vertex-anthropic", "google-vertex", ""},
		{"models-dev", "alibaba-cn", "alibaba-cn", ""},
		{"models-dev", "azure", "azure", ""},
		{"litellm-prices", "openai", "openai", "openai"},
		{"litellm-prices", "text-completion-openai", "openai", "text-completion-openai"},
		{"litellm-prices", "azure", "azure", "azure"},
		{"litellm-prices", "azure_text", "azure", "azure"},
		{"litellm-prices", "azure_ai", "azure", "azure_ai"},
		{"litellm-prices", "bedrock", "amazon-bedrock", "bedrock"},
		{"litellm-prices", "bedrock_converse", "amazon-bedrock", "bedrock"},
		{"litellm-prices", "bedrock_mantle", "bedrock-mantle", "bedrock_mantle"},
		{"litellm-prices", "gemini", "google", "gemini"},
		{"litellm-prices", "vertex_ai", "google-vertex", "vertex_ai"},
		{"litellm-prices", "vertex_ai-anthropic_models", "google-vertex", "vertex_ai"},
		{"litellm-prices", "fireworks_ai", "fireworks-ai", "fireworks_ai"},
		{"litellm-prices", "fireworks_ai-embedding-models", "fireworks-ai", "fireworks_ai"},
		{"litellm-prices", "cohere", "cohere", "cohere"},
		{"litellm-prices", "cohere_chat", "cohere", "cohere"},
		{"litellm-prices", "together_ai", "togetherai", "together_ai"},
		{"litellm-prices", "vercel_ai_gateway", "vercel", "vercel_ai_gateway"},
		{"litellm-prices", "moonshot", "moonshotai", "moonshot"},
		{"litellm-prices", "dashscope", "alibaba", "dashscope"},
		{"litellm-prices", "novita", "novita-ai", "novita"},
		{"litellm-prices", "github_copilot", "github-copilot", "github_copilot"},
		{"litellm-prices", "snowflake", "snowflake-cortex", "snowflake"},
		{"litellm-prices", "nvidia_nim", "nvidia", "nvidia_nim"},
		{"litellm-prices", "gmi", "gmicloud", "gmi"},
		{"litellm-prices", "friendliai", "friendli", "friendliai"},
		{"litellm-prices", "meta_llama", "llama", "meta_llama"},
		{"litellm-prices", "cloudflare", "cloudflare-workers-ai", "cloudflare"},
		{"litellm-prices", "gradient_ai", "digitalocean", "gradient_ai"},
		{"litellm-prices", "amazon_nova", "nova", "amazon-nova"},
		{"litellm-prices", "Some_New_AI", "some-new-ai", "Some_New_AI"},
		{"genai-prices", "aws", "amazon-bedrock", ""},
		{"genai-prices", "fireworks", "fireworks-ai", ""},
		{"genai-prices", "together", "togetherai", ""},
		{"genai-prices", "x-ai", "xai", ""},
		{"genai-prices", "novita", "novita-ai", ""},
		{"genai-prices", "voyageai", "voyage", ""},
		{"genai-prices", "azure", "azure", ""},
		{"openrouter-models", "openrouter", "openrouter", ""},
	}
	for _, tt := range tests {
		p := ReadRuntimes(tt.source).Provider(tt.provider)
		if p.Runtime != tt.runtime || tt.prefix != "" && p.Prefix != tt.prefix {
			t.Errorf("%s of %s: %s with %s, want %s with %s", tt.provider, tt.source, p.Runtime, p.Prefix, tt.runtime, tt.prefix)
		}
	}
}

// Where several providers are one runtime, the table says which comes first.
func TestRuntimesOrder(t *testing.T) {
	for source, providers := range map[string][]string{
		"litellm-prices": {"azure", "azure_text", "azure_ai", "Azure"},
		"models-dev":     {"google-vertex", "google-vertex-anthropic", "Google_Vertex"},
	} {
		table := ReadRuntimes(source)
		for i := 1; i < len(providers); i++ {
			if table.Provider(providers[i-1]).place >= table.Provider(providers[i]).place {
				t.Errorf("%s: %s does not come before %s", source, providers[i-1], providers[i])
			}
		}
	}
}

func TestRuntimesVersion(t *testing.T) {
	if !strings.Contains(RuntimesJSON(), `"version": "`+RuntimesVersion+`"`) {
		t.Error("the table has another version")
	}
}
