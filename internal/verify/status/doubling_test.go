package status_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// repeat joins n records, in whose text # stands for the number of each.
func repeat(n int, record string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(record, "#", fmt.Sprint(i))
	}
	return strings.Join(list, ",")
}

// BenchmarkDoubling derives statuses of bundles in which much could be held against
// much.
func BenchmarkDoubling(b *testing.B) {
	resolution := verifytest.SceneEvent("v#", "verified", "2026-02-01T00:00:00Z", `,"resolvesDispute":true,"authorityRef":"role:x"`)
	expired := strings.Replace(verifytest.SceneTrace(`,"validUntil":"2026-01-01T00:00:00.#Z"`), `"t"`, `"t#"`, 1)
	piece := verifytest.ScenePiece("e#", `"observedAt":"2026-01-01T00:00:00Z","passing":true,"integrityRef":"r#"`)
	claim := func(n int, s string) string { // the claim, n times
		from, to := strings.Index(s, `"claims":[`)+len(`"claims":[`), strings.Index(s, `],"evidence"`)
		return s[:from] + repeat(n, s[from:to]) + s[to:]
	}
	for name, scene := range map[string]func(n int) string{
		"resolutions and traces of one actor": func(n int) string {
			return verifytest.Scene{Events: repeat(n, resolution), Traces: repeat(n, expired)}.Text()
		},
		"the same, and the claim is repeated": func(n int) string {
			return claim(n, verifytest.Scene{Events: repeat(n, resolution), Traces: repeat(n, expired)}.Text())
		},
		"evidence, and an event that names it": func(n int) string {
			event := strings.Replace(verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", ""), `["e"]`, `[`+repeat(n, `"e#"`)+`]`, 1)
			return claim(n, verifytest.Scene{
				Claim: `"currentIntegrityRef":"x"`, Policy: `"requiredEvidence":[],"validityRule":{"kind":"commit"}`,
				Evidence: repeat(n, piece), Events: event,
			}.Text())
		},
		"requirements of a policy, and claims": func(n int) string {
			return claim(n, verifytest.Scene{
				Policy:   `"requiredEvidence":[` + repeat(n, `"test_output"`) + `],"validityRule":{"kind":"manual"}`,
				Evidence: repeat(n, piece),
			}.Text())
		},
		"claims of one id that are derived from it": func(n int) string {
			return claim(n, verifytest.Scene{Claim: `"derivedFrom":["c"]`}.Text())
		},
		"a chain of claims": func(n int) string {
			before, after, _ := strings.Cut(verifytest.Scene{Claim: `"derivedFrom":["?"]`}.Text(), `"id":"c"`)
			one, after, _ := strings.Cut(after, `],"evidence"`)
			list := make([]string, n)
			for i := range list {
				list[i] = fmt.Sprintf(`{"id":"c%d"%s`, i, strings.Replace(one, "?", fmt.Sprint("c", i+1), 1))
			}
			return strings.TrimSuffix(before, "{") + strings.Join(list, ",") + `],"evidence"` + after
		},
	} {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 500, func(n int) func() {
				in, err := verifytest.Raw(b, scene(n)).StatusInput()
				if err != nil {
					b.Fatal(err)
				}
				return func() { derive(b, in) }
			})
		})
	}
}

func derive(b *testing.B, in *bundle.Content) {
	b.Helper()
	for _, version := range status.Versions() {
		if got := statuses(b, in, version, "2026-03-01T00:00:00Z"); len(got) == 0 {
			b.Fatal("no statuses")
		}
	}
}
