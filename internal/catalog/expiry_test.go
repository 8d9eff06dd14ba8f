package catalog_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
)

// What has expired is counted, of a key or of all, and a time is named at which most of it
// held. No catalog can be older than its youngest date, of an observation or its evidence.
func TestExpiry(t *testing.T) {
	const none = "null"
	dated := func(n int, key, from, evidence, until string) string {
		if until != none {
			until = `"` + until + `"`
		}
		return set(set(set(set(set(evaluation, "$.task.taskId", fmt.Sprintf(`"t%d"`, n)), "$.measurements[0].key", `"`+key+`"`),
			"$.evidence[0].observedAt", `"`+evidence+`"`), "$.evidence[1].observedAt", `"`+from+`"`),
			"$.freshness", `{"observedAt": "`+from+`", "validUntil": `+until+`}`)
	}
	const (
		june, noon, july8, later = "2026-06-01T00:00:00.000Z", "2026-07-01T12:00:00.000Z", "2026-07-08T12:00:00.000Z", "2026-07-05T08:00:00.000Z"
		sameDay                  = "2026-07-01T13:00:00.000Z"
	)
	prices := []string{dated(1, `pri\"ce`, noon, june, july8), dated(2, `pri\"ce`, noon, june, july8), dated(3, "score", june, june, none)}
	for name, tt := range map[string]struct {
		list []string
		keys []string
		want catalog.Expiry
	}{
		"all":                      {prices, nil, catalog.Expiry{Observations: 3, Expired: 2, LastHeld: "2026-07-02"}},
		"a key":                    {prices, []string{`pri"ce`}, catalog.Expiry{Observations: 2, Expired: 2, LastHeld: "2026-07-02"}},
		"a key that holds":         {prices, []string{"score"}, catalog.Expiry{Observations: 1}},
		"two keys":                 {prices, []string{"score", `pri"ce`}, catalog.Expiry{Observations: 3, Expired: 2, LastHeld: "2026-07-02"}},
		"no such key":              {prices, []string{"pri"}, catalog.Expiry{}},
		"expired on that day":      {[]string{dated(1, "a", noon, june, sameDay)}, nil, catalog.Expiry{Observations: 1, Expired: 1, LastHeld: noon}},
		"evidence that is younger": {[]string{dated(1, "a", noon, later, july8)}, nil, catalog.Expiry{Observations: 1, Expired: 1, LastHeld: "2026-07-06"}},
		"something younger": {[]string{dated(1, "a", june, june, noon), dated(2, "a", june, june, noon), dated(3, "b", later, june, none)}, nil,
			catalog.Expiry{Observations: 3, Expired: 2}},
	} {
		c, _, err := catalog.Compile(context.Background(), tt.list, catalog.Options{AsOf: asOf})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e := c.Expiry(); c.MostExpired() != (2*e.Expired > e.Observations) {
			t.Errorf("%s: %d of %d expired, most: %v", name, e.Expired, e.Observations, c.MostExpired())
		}
		if got := c.Expiry(tt.keys...); got != tt.want {
			t.Errorf("%s: %+v, not %+v", name, got, tt.want)
		}
	}
}
