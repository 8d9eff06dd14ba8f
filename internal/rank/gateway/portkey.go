package gateway

import (
	"cmp"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// This file is the configuration of Portkey's gateway. The gateway takes it with each request, from
// a header, and looks at no environment: whoever sends the request puts the keys in the place of
// their names.

// writePortkey writes the configuration. Its time-outs are in milliseconds, and the gateway makes a
// 408 of one.
func writePortkey(targets []target) string {
	var s strings.Builder
	s.WriteString("{\n  \"strategy\": {\"mode\": \"fallback\", \"on_status_codes\": [" + mayChange +
		"]},\n  \"request_timeout\": " + timeout + "000,\n  \"targets\": [")
	for i, t := range targets {
		s.WriteString(map[bool]string{true: "\n    {", false: ",\n    {"}[i == 0])
		provider, host, routing := t.portkey, cmp.Or(t.address, t.home), t.routing()
		if routing != "" { // which it passes on for OpenRouter alone, whose /v1 it adds
			provider, host = "openrouter", strings.TrimSuffix(host, "/v1")
		}
		s.WriteString(`"provider": ` + canonical.Quote(provider))
		if host != "" {
			s.WriteString(`, "custom_host": ` + canonical.Quote(host))
		}
		s.WriteString(`, "api_key": ` + canonical.Quote("$"+string(t.Offer.KeyVariable)) +
			`, "override_params": {"model": ` + canonical.Quote(string(t.Offer.ID)))
		if t.effort != "" {
			s.WriteString(`, "reasoning_effort": ` + canonical.Quote(t.effort))
		}
		if routing != "" {
			s.WriteString(`, "provider": ` + routing)
		}
		s.WriteString("}}")
	}
	s.WriteString("\n  ]\n}\n")
	return s.String()
}
