package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// BenchmarkDoubling reads bundles that are right, and some in which everything is
// wrong.
func BenchmarkDoubling(b *testing.B) {
	ids := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"%x"`, i)
		}
		return strings.Join(list, ",")
	}
	for name, text := range map[string]func(n int) string{
		"right":    func(n int) string { return storetest.Many(n / 4).Text() },
		"repeated": func(n int) string { return storetest.Draft{Claims: make([]string, n)}.Text() },
		"dangling": func(n int) string {
			event := strings.Replace(storetest.Event("v", "c", "a"), `"evidenceIds":[]`, `"evidenceIds":[`+ids(10*n)+`]`, 1)
			return storetest.Draft{Claims: []string{storetest.Claim("c")}, Events: []string{event}}.Text()
		},
		"members": func(n int) string {
			names := strings.ReplaceAll(ids(10*n)+`,"0"`, `",`, `":1,`) + ":1"
			return storetest.Draft{Claims: []string{strings.Replace(storetest.Claim("c"), `"value":1`, `"value":{`+names+`}`, 1)}}.Text()
		},
	} {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 1_000, func(n int) func() {
				text := text(n)
				if name == "repeated" {
					text = strings.Replace(text, `"claims":[`+strings.Repeat(",", n-1), `"claims":[`+strings.Repeat(storetest.Claim("c")+",", n-1)+storetest.Claim("c"), 1)
				}
				return func() {
					if _, err := bundle.Read(problem.Source{Text: text}); (err == nil) != (name == "right") {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
