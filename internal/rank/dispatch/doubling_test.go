package dispatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank/dispatch"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// BenchmarkDoubling reads requests of which one list is large, whether it may be or not.
func BenchmarkDoubling(b *testing.B) {
	repeat := func(n int, item string) string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = strings.ReplaceAll(item, "#", fmt.Sprint(i))
		}
		return strings.Join(texts, ",")
	}
	for version, start := range map[string]string{
		"v2": `{"schemaVersion":"service.rank.request/v2","task":{"family":"f"},`,
		"v3": `{"schemaVersion":"service.rank.request/v3",`,
	} {
		const one = `"inventory":[{"id":"a","model":{"id":"m"}}],`
		for name, members := range map[string]func(n int) string{
			"candidates":       func(n int) string { return `"inventory":[` + repeat(n, `{"id":"c#","model":{"id":"m#"}}`) + `]` },
			"candidates alike": func(n int) string { return `"inventory":[` + repeat(n, `{"id":"c","model":{"id":"m"}}`) + `]` },
			"tools": func(n int) string {
				return `"inventory":[{"id":"a","model":{"id":"m"},"execution":{"runtime":{"id":"r"},"toolSurface":[` + repeat(n, `"t#"`) + `]}}]`
			},
			"requirements": func(n int) string {
				return one + `"requirements":[` + repeat(n, `{"measurementKey":"k#","aggregation":"mean","operator":"gte","value":#}`) + `]`
			},
			"requirements alike": func(n int) string {
				return one + `"requirements":[` + repeat(n, `{"measurementKey":"k","aggregation":"mean","operator":"gte","value":1}`) + `]`
			},
			"preferences": func(n int) string {
				return one + `"preferences":[` + repeat(n, `{"measurementKey":"k#","aggregation":"mean","direction":"maximize","weight":1}`) + `]`
			},
			"values": func(n int) string {
				return one + `"requirements":[{"measurementKey":"k","aggregation":"fact","operator":"in","value":[` + repeat(n, `"v#"`) + `]}]`
			},
			"terms": func(n int) string {
				return one + `"preferences":[{"sum":[` + repeat(n, `{"measurementKey":"k#","aggregation":"fact","factor":1}`) + `],"direction":"minimize","weight":1}]`
			},
			"steps": func(n int) string {
				return one + `"preferences":[{"measurementKey":"k","aggregation":"fact","resolve":[` + repeat(n, `"newest"`) + `],"direction":"minimize","weight":1}]`
			},
			"transfers": func(n int) string {
				return one + `"preferences":[{"measurementKey":"k","aggregation":"fact","transfer":[` + repeat(n, `"runtime"`) + `],"direction":"minimize","weight":1}]`
			},
			"unknown fields":   func(n int) string { return one + repeat(n, `"x#":1`) },
			"repeated members": func(n int) string { return one + repeat(n, `"x":1`) },
			"a long text": func(n int) string {
				return `"inventory":[{"id":"` + strings.Repeat(`\u0061`, n) + `","model":{"id":"m"}}]`
			},
		} {
			b.Run(version+"/"+name, func(b *testing.B) {
				vectortest.Doubling(b, 200, func(n int) func() {
					text := start + members(n) + "}"
					return func() { _, _ = dispatch.ReadRequest(problem.Source{Text: text}) }
				})
			})
		}
	}
}
