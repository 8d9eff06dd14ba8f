package gateway

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// This file is the configuration of LiteLLM's proxy and router. LiteLLM takes the keys from the
// environment itself: os.environ/NAME. It falls back after any failure that outlasts the retries.

// writeLiteLLM writes the configuration. The first target has the name, and each other the name
// and that of its candidate, so that the logs tell them apart. Texts are quoted as JSON, which YAML
// reads.
func writeLiteLLM(name string, targets []target) string {
	var s, fallbacks strings.Builder
	s.WriteString("# svc export writes this file, and svc build writes it anew.\nmodel_list:\n")
	for i, t := range targets {
		called := canonical.Quote(name)
		if i > 0 {
			called = canonical.Quote(name + "/" + t.Candidate)
			fallbacks.WriteString("        - " + called + "\n")
		}
		base := t.address
		if t.liteLLM == "anthropic" {
			base = strings.TrimSuffix(base, "/v1") // which LiteLLM adds
		}
		s.WriteString("  - model_name: " + called + "\n    litellm_params:\n")
		for _, p := range [][2]string{{"model", t.liteLLM + "/" + string(t.Offer.ID)}, {"api_base", base},
			{"api_key", "os.environ/" + string(t.Offer.KeyVariable)}, {"reasoning_effort", t.effort}} {
			if p[1] != "" {
				s.WriteString("      " + p[0] + ": " + canonical.Quote(p[1]) + "\n")
			}
		}
		if routing := t.routing(); routing != "" {
			s.WriteString(`      extra_body: {"provider": ` + routing + "}\n")
		}
	}
	s.WriteString("router_settings:\n")
	if fallbacks.Len() > 0 {
		s.WriteString("  fallbacks:\n    - " + canonical.Quote(name) + ":\n" + fallbacks.String())
	}
	s.WriteString("  num_retries: " + retries + "\n  timeout: " + timeout + "\n")
	return s.String()
}
