package producer

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// MaxNonceChars is how many characters a nonce may have.
const MaxNonceChars = 128

// Question is what is asked of a responder over HTTP: refs, exactly as they were
// sent, and a nonce, which is empty if there is none.
type Question struct {
	Refs  []string
	Nonce string

	pluses map[int]string // refs of a query that has plus signs, with these instead of spaces
}

var questionShape = ijson.NewOpenShape(
	ijson.Required("refs", func(r *ijson.Reader, q *Question) { q.readRefs(r) }),
	ijson.Optional("nonce", func(r *ijson.Reader, q *Question) {
		s, at, ok := r.StringOr("must be a string")
		if q.Nonce = s; ok && !isNonce(s) {
			r.Fail(at, "", nonceRule)
		}
	}),
)

// ReadQuestion reads the body of a POST. Members that it does not know are ignored.
// Errors have the code INVALID_VERIFY_REQUEST.
func ReadQuestion(body string) (*Question, error) {
	r := ijson.NewReader(body, problem.InvalidVerifyRequest)
	q := &Question{}
	questionShape.Read(r, q)
	if faults := r.End(); faults != nil {
		return nil, faults.Err()
	}
	return q, nil
}

func (q *Question) readRefs(r *ijson.Reader) {
	l := r.List()
	for l.Next() {
		ref, at, ok := r.StringOr("must be a string")
		switch {
		case l.Index() == bundle.MaxRefs:
			r.Fail(at, "", countRule)
		case l.Index() > bundle.MaxRefs || !ok:
		case !bundle.IsRef(ref):
			r.Fail(at, "", refRule)
		default:
			q.Refs = append(q.Refs, ref)
		}
	}
	if l.OK() && l.Index() < 0 {
		r.Fail(l.Start(), "", countRule)
	}
}

const (
	refRule   = "must not be empty and have at most 2048 bytes"
	countRule = "must be 1 to 256 refs"
	nonceRule = "must have 1 to 128 characters"
)

func isNonce(s string) bool {
	return s != "" && len(s) <= utf8.UTFMax*MaxNonceChars && utf8.RuneCountInString(s) <= MaxNonceChars
}

// ParseQuestion reads the query of a GET, which is form-urlencoded: ref once or
// more, nonce at most once. Parameters that it does not know are ignored. Errors
// have the code INVALID_VERIFY_REQUEST.
func ParseQuestion(query string) (*Question, error) {
	q := &Question{}
	hasNonce := false
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, badQuestion("$", "malformed escape in the query")
		}
		escaped := value
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, badQuestion("$", "malformed escape in the query")
		}
		switch {
		case name == "ref" && len(q.Refs) == bundle.MaxRefs:
			return nil, badQuestion("$.ref", countRule)
		case name == "ref" && !bundle.IsRef(value):
			return nil, badQuestion("$.ref", refRule)
		case name == "ref" && !canonical.ValidString(value):
			return nil, badQuestion("$.ref", "must be UTF-8")
		case name == "ref":
			if strings.Contains(escaped, "+") {
				if q.pluses == nil {
					q.pluses = map[int]string{}
				}
				q.pluses[len(q.Refs)], _ = url.PathUnescape(escaped)
			}
			q.Refs = append(q.Refs, value)
		case name == "nonce" && (hasNonce || !isNonce(value) || !canonical.ValidString(value)):
			return nil, badQuestion("$.nonce", nonceRule)
		case name == "nonce":
			q.Nonce, hasNonce = value, true
		}
	}
	if len(q.Refs) == 0 {
		return nil, badQuestion("$.ref", countRule)
	}
	return q, nil
}

// meant returns the refs of a question. A plus sign in a query is a space, but many clients
// send one for itself: if nothing is named with spaces and something with pluses, that is meant.
func (r *Responder) meant(ctx context.Context, q *Question) ([]string, error) {
	if len(q.pluses) == 0 {
		return q.Refs, nil
	}
	at := slices.Sorted(maps.Keys(q.pluses))
	var both []string
	for _, i := range at {
		both = append(both, q.Refs[i], q.pluses[i])
	}
	found, err := r.lookUp(ctx, both)
	if err != nil {
		return nil, err
	}
	refs := slices.Clone(q.Refs)
	for n, i := range at {
		if found[2*n] == nil && found[2*n+1] != nil {
			refs[i] = q.pluses[i]
		}
	}
	return refs, nil
}

func badQuestion(path, reason string) error {
	return problem.New(problem.InvalidVerifyRequest, path, "%s", reason)
}
