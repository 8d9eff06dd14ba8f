package discovery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// BenchmarkDoubling looks for releases in programs that are large in one way each.
func BenchmarkDoubling(b *testing.B) {
	for name, program := range map[string]func(n int) string{
		"code":          func(n int) string { return build(otherCode(n, 0) + slider(known...) + otherCode(n, 9000)) },
		"lists":         func(n int) string { return build(strings.Repeat("var a="+list(known...)+";", n/200)) },
		"names":         func(n int) string { return build("var a=" + list(known...) + ";" + strings.Repeat("a;", n)) },
		"declarations":  func(n int) string { return build(many(n/8, "var v%d=1;") + slider(known...)) },
		"a long list":   func(n int) string { return build(`var a=["2020-01-01"` + strings.Repeat(`,"2020-01-01"`, n/12) + `]`) },
		"a long string": func(n int) string { return build(`var a="` + strings.Repeat("a", n) + `"`) },
	} {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 16<<10, func(n int) func() {
				code := program(n)
				return func() { _, _ = releases(code) } // hostile ones are refused
			})
		})
	}
}
