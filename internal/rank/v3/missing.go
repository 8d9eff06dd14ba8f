package v3

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// MissingRows says which rows of the leaderboards that a question prefers are no model of the catalog,
// by the record of its build:
//
//	28 of 65 rows of livebench are in no model of this catalog, best of them gpt-5.2-high (78.2)
func MissingRows(b *record.CatalogBuild, q *Question) (sentences []string) {
	keys := slices.Concat(q.Maximize, q.Minimize, q.Keys)
	for i := range b.Sources {
		s := &b.Sources[i]
		n, best := 0, ""
		for _, row := range s.Unknown { // the best first
			at := slices.IndexFunc(row.Values, func(v record.UnknownValue) bool { return slices.Contains(keys, v.Key) })
			if at < 0 {
				continue
			}
			if n++; n == 1 {
				best = row.Label + " (" + quantity.Rounded(row.Values[at].Value, 3) + ")"
			}
		}
		if n > 0 {
			sentences = append(sentences, fmt.Sprintf("%d of %d rows of %s are in no model of this catalog, best of them %s", n, s.Rows, s.ID, best))
		}
	}
	return sentences
}
