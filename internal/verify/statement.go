package verify

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://hachure.org/v1/bundle"
)

// AppendStatement appends the canonical JSON of an in-toto Statement v1 whose
// predicate is the bundle and whose subjects are the refs. bundle must be
// canonical JSON.
func AppendStatement(dst, bundle []byte, refs []string) []byte {
	dst = append(dst, `{"_type":"`+statementType+`","predicate":`...)
	dst = append(dst, bundle...)
	dst = append(dst, `,"predicateType":"`+predicateType+`","subject":[`...)
	for i, ref := range refs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"digest":{"integrity-ref":`...)
		dst = canonical.AppendString(dst, ref)
		if hash, ok := strings.CutPrefix(ref, "sha256:"); ok && canonical.IsHash(hash) {
			dst = append(dst, `,"sha256":"`+hash+`"`...)
		}
		dst = append(dst, `},"name":`...)
		dst = canonical.AppendString(dst, ref)
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}

// ToInTotoStatement returns the statement that an answer's envelope holds, as
// canonical JSON. The bundle may be in any spelling.
func ToInTotoStatement(bundle []byte, refs []string) ([]byte, error) {
	text, err := canonicalText(nil, string(bundle))
	if err != nil {
		return nil, err
	}
	return AppendStatement(nil, text, refs), nil
}

var statementFields = ijson.NewOpenFields("_type", "predicateType", "predicate")

// predicate returns the canonical JSON of the bundle that a statement holds. ok
// is false for any other payload.
func predicate(payload []byte) (bundle []byte, ok bool) {
	r := ijson.NewReader(string(payload), problem.InvalidJSON)
	kind, of := "", ""
	for o := r.Object(statementFields); o.Next(); {
		switch o.Field() {
		case 0:
			kind = r.String()
		case 1:
			of = r.String()
		case 2:
			bundle = r.AppendCanonical(nil)
		}
	}
	return bundle, r.End() == nil && kind == statementType && of == predicateType
}
