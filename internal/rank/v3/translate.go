package v3

import (
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Translate makes a request of version 3 from the normal form of one of version 1 or
// 2: its schemaVersion is changed, and requirements and preferences get the ids
// requirement-001, requirement-002, ..., preference-001, ... in their order.
//
// If for each candidate the samples of each criterion form one group, and the numbers
// of each preference have one unit across candidates, both requests rank and exclude
// the same candidates in the same order, with the same bits for every value,
// contribution and score. Otherwise version 3 says that the evidence is ambiguous or
// incomparable, which version 2 mixes. What version 2 calls missing, because only
// another revision or quantization of the model has evidence, is incomparable here.
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
	for i := range q.Members {
		m := &q.Members[i]
		switch role := role(slices.Index(roleMembers, m.Name)); {
		case m.Name == "schemaVersion":
			m.Value.Text = RequestSchema
		case role == requirement, role == preference:
			for j := range m.Value.Items {
				id := ijson.Value{Kind: '"', Text: fmt.Sprintf("%s-%03d", roleNames[role], j+1)}
				m.Value.Items[j].Members = append(m.Value.Items[j].Members, ijson.Member{Name: "id", Value: id})
			}
		}
	}
	return q.AppendCanonical(nil)
}
