package verify

import (
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The limits of one question.
const (
	MaxRefs       = 256
	MaxRefBytes   = 2048
	MaxNonceChars = 128
)

// Question is what is asked of a responder over HTTP: refs, exactly as they were
// sent, and a nonce, which is empty if there is none.
type Question struct {
	Refs  []string
	Nonce string
}

var questionFields = ijson.NewOpenFields("refs", "nonce?")

// ReadQuestion reads the body of a POST. Members that it does not know are
// ignored. Errors have the code INVALID_VERIFY_REQUEST.
func ReadQuestion(body string) (*Question, error) {
	r := ijson.NewReader(body, problem.InvalidVerifyRequest)
	q := &Question{}
	for o := r.Object(questionFields); o.Next(); {
		if o.Field() == 0 {
			q.readRefs(r)
			continue
		}
		at := r.Offset()
		if s, _, ok := r.StringOr("must be a string"); ok {
			if q.Nonce = s; !isNonce(s) {
				r.Fail(at, "", nonceRule)
			}
		}
	}
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
		case l.Index() == MaxRefs:
			r.Fail(at, "", countRule)
		case l.Index() > MaxRefs || !ok:
		case !isRef(ref):
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

func isRef(s string) bool { return s != "" && len(s) <= MaxRefBytes }

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
		name, ok := unescape(name)
		if !ok {
			return nil, badQuestion("$", "malformed escape in the query")
		}
		if value, ok = unescape(value); !ok {
			return nil, badQuestion("$", "malformed escape in the query")
		}
		switch {
		case name == "ref" && len(q.Refs) == MaxRefs:
			return nil, badQuestion("$.ref", countRule)
		case name == "ref" && !isRef(value):
			return nil, badQuestion("$.ref", refRule)
		case name == "ref" && !canonical.ValidString(value):
			return nil, badQuestion("$.ref", "must be UTF-8")
		case name == "ref":
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

func badQuestion(path, reason string) error {
	return problem.New(problem.InvalidVerifyRequest, path, "%s", reason)
}

// unescape decodes a name or value of a form-urlencoded query.
func unescape(s string) (string, bool) {
	if !strings.ContainsAny(s, "%+") {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			b = append(b, ' ')
		case '%':
			if i+2 >= len(s) {
				return "", false
			}
			high, low := hexDigit(s[i+1]), hexDigit(s[i+2])
			if high < 0 || low < 0 {
				return "", false
			}
			b = append(b, byte(high<<4|low))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return string(b), true
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
