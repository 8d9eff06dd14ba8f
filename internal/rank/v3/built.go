package v3

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// BuiltOf says of which sources a catalog was built, and when each was seen, by the record of its
// build; nothing of an empty record:
//
//	Built of models-dev (2026-08-01), livebench (release 2026-01-08, seen 2026-08-01).
func BuiltOf(b *record.CatalogBuild) string {
	var sources []string
	for i := range b.Sources {
		s := &b.Sources[i]
		seen, _, _ := strings.Cut(string(s.SeenAt), "T")
		const release = len(time.DateOnly)
		switch {
		case seen == "" && s.Rows == 0:
			continue
		case seen == "":
			sources = append(sources, s.ID)
		case len(s.Revision) == release:
			sources = append(sources, s.ID+" (release "+string(s.Revision)+", seen "+seen+")")
		default:
			sources = append(sources, s.ID+" ("+seen+")")
		}
	}
	if sources == nil {
		return ""
	}
	return "Built of " + strings.Join(sources, ", ") + "."
}

// Shortcomings says which sources a catalog has only of an earlier day, or not at all, and why.
func Shortcomings(b *record.CatalogBuild) (sentences []string) {
	for i := range b.Sources {
		s := &b.Sources[i]
		seen, _, _ := strings.Cut(string(s.SeenAt), "T")
		switch {
		case s.Rows == 0 && s.Reason != "":
			sentences = append(sentences, fmt.Sprintf("the catalog has nothing of %s: %s", s.ID, s.Reason))
		case s.Reason != "" && s.Overdue:
			sentences = append(sentences, fmt.Sprintf("the catalog has %s as of %s, longer ago than its numbers are valid: %s",
				s.ID, seen, s.Reason))
		case s.Reason != "":
			sentences = append(sentences, fmt.Sprintf("the catalog has %s as of %s: %s", s.ID, seen, s.Reason))
		}
	}
	return sentences
}

// MissingRows says which rows of the leaderboards that a question prefers are no model of the
// catalog, by the record of its build:
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
			sentences = append(sentences, fmt.Sprintf("%d of %d rows of %s are in no model of this catalog, best of them %s", n,
				s.Rows, s.ID, best))
		}
	}
	return sentences
}
