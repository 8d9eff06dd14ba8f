package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// This file notes what can be asked although it is hardly meant: names that the
// catalog does not have, and prices for a token that are meant for a million. The ranking
// stays what it is.

// noteAbsence notes, of a query that found nothing, names that it may mean.
func noteAbsence(found int, what, query string, similar func(name string, known []string) []string,
	known []string) []string {
	if found > 0 || query == "" {
		return nil
	}
	return []string{"no " + what + " has the words of " + quote(query) + offer(similar, query, known)}
}

// notes returns what is odd about a request.
func (a *Agent) notes(q *asked) (list []string) {
	for _, absence := range a.vocabulary.Absent(q.Names()) {
		text := absence.String()
		if absence.Kind == rank.KeyName && absence.Closest == "" {
			text += offer(v3.SimilarKeys, absence.Text, a.index.keyNames())
		}
		list = append(list, text)
	}
	list = slices.Concat(list, v3.Shortcomings(a.build), q.missing)
	var request struct {
		Requirements []struct {
			MeasurementKey string
			Value          any
		}
	}
	if json.Unmarshal([]byte(q.JSON()), &request) == nil {
		for _, r := range request.Requirements {
			if bound, isNumber := r.Value.(float64); isNumber && bound > quantity.DearestToken &&
				a.index.isPerToken(r.MeasurementKey) {
				list = append(list, fmt.Sprintf("%s is in USD per token: %v dollars per million tokens are %[2]ve-6",
					r.MeasurementKey, bound))
			}
		}
	}
	const most = 8
	if len(list) > most {
		list = append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return list
}
