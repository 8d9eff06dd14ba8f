package v3

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Translate makes a request of version 3 from the normal form of one of version 1 or
// 2: its schemaVersion is changed, requirements and preferences get the ids
// requirement-001, requirement-002, ..., preference-001, ... in their order, advisories become
// preferences of weight 0, and evidence for nothing is enough to be ranked.
//
// If for each candidate the samples of each criterion form one group, each task has as many samples
// as any other, and the numbers of each preference have one unit across candidates, both requests rank
// and exclude the same candidates by the same values, but for the last digit of sums, which version 3
// rounds correctly. Otherwise version 3 reports that the evidence is ambiguous or incomparable, which
// version 2 mixes. What version 2 calls missing, because only another revision or quantization of the
// model has evidence, is incomparable here.
//
// The only fault is that of an advisory which has one of these ids already.
func Translate(normal string) (text string, err error) {
	text = string(translate(normal))
	_, err = ReadRequest(problem.Source{Text: text})
	if err != nil {
		return "", err
	}
	return text, nil
}

// Earlier is Translate for a request that is evaluated by the rules of its own
// version, to be explained: evidence of another revision or quantization is not looked
// at, and samples are counted together whatever their groups and units across
// candidates.
func Earlier(normal string) *Request {
	q, _ := readRequest(string(translate(normal)), nil)
	q.normalize()
	q.mixes, q.sha256 = true, canonical.Sum([]byte(normal))
	return q
}

func translate(normal string) []byte {
	q, _ := ijson.ReadValue(normal, problem.InvalidRankRequest) // a normal form reads
	text := func(name, text string) ijson.Member {
		return ijson.Member{Name: name, Value: ijson.Value{Kind: '"', Text: text}}
	}
	zero := ijson.Value{Kind: '0', Text: "0"}
	var shown []ijson.Value
	for i := range q.Members {
		m := &q.Members[i]
		switch role := role(slices.Index(roleMembers, m.Name)); {
		case m.Name == "schemaVersion":
			m.Value.Text = RequestSchema
		case m.Name == "advisories":
			shown = m.Value.Items
		case role == requirement, role == preference:
			for j := range m.Value.Items {
				m.Value.Items[j].Members = append(m.Value.Items[j].Members, text("id", fmt.Sprintf("%s-%03d", roleNames[role], j+1)))
			}
		}
	}
	for i := range shown {
		shown[i].Members = append(shown[i].Members, text("direction", directionNames[0]), ijson.Member{Name: "weight", Value: zero})
	}
	q.Members = slices.DeleteFunc(q.Members, func(m ijson.Member) bool { return m.Name == "advisories" })
	for i := range q.Members {
		if m := &q.Members[i]; m.Name == roleMembers[preference] {
			m.Value.Items = append(m.Value.Items, shown...)
		}
	}
	q.Members = append(q.Members, ijson.Member{Name: "minimumCoverage", Value: zero})
	return q.AppendCanonical(nil)
}
