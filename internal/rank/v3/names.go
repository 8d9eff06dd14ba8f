package v3

import "github.com/model-catalog-service/svc/internal/rank"

// Names returns what the request looks for in a catalog, in its order: see
// [rank.Absent].
func (q *Request) Names() []rank.Name {
	list := q.task.names()
	for i := range q.candidates {
		list = append(list, rank.ModelNames(q.candidates[i].model)...)
	}
	for _, criteria := range q.criteria {
		for i := range criteria {
			list = append(list, criteria[i].names()...)
			for _, term := range criteria[i].sum {
				list = append(list, term.names()...)
			}
		}
	}
	return list
}

// names are the keys and the task that a measure looks for.
func (m *measure) names() []rank.Name {
	list := m.task.names()
	for _, key := range []string{m.key, m.errorKey, m.trials.key} {
		list = append(list, rank.Name{Kind: rank.KeyName, Text: key})
	}
	return list
}

func (s *selector) names() []rank.Name {
	return []rank.Name{{Kind: rank.FamilyName, Text: s.family}, {Kind: rank.SuiteName, Text: s.suite}}
}
