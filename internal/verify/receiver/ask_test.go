package receiver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// manyHeld is a bundle of so many claims.
func manyHeld(n int) string {
	var claims []string
	for i := range n {
		claims = append(claims, storetest.Claim(storetest.ManyID(i)))
	}
	return storetest.Draft{Claims: claims}.Text()
}

// callers is the key of a value that the context of a caller has.
type callers struct{}

// Every question has refs and a nonce of its own, which must come back unless nobody
// asks for that.
func TestAsk(t *testing.T) {
	held := verifytest.Bundle(t, manyHeld(600))
	for _, noNonce := range []bool{false, true} {
		var questions []struct {
			Nonce string
			Refs  []string
		}
		ctx := context.WithValue(t.Context(), callers{}, noNonce)
		answers, err := receiver.Ask(ctx, held, receiver.AskOptions{NoNonce: noNonce}, func(ctx context.Context, question []byte) (io.ReadCloser, error) {
			if ctx.Value(callers{}) != noNonce {
				t.Error("the context is not the caller's")
			}
			q := struct {
				Nonce string
				Refs  []string
			}{}
			verifytest.Decode(t, string(question), &q)
			questions = append(questions, q)
			return io.NopCloser(strings.NewReader(fmt.Sprint("answer ", len(questions)))), nil
		})
		if err != nil || len(answers) != 3 {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		seen := map[string]bool{}
		for i, a := range answers {
			q := questions[i]
			if a.Text != fmt.Sprint("answer ", i+1) || strings.Join(a.Refs, " ") != strings.Join(q.Refs, " ") || len(a.Refs) == 0 {
				t.Errorf("answer %d is %+v to %+v", i, a, q)
			}
			if len(q.Nonce) < 20 || seen[q.Nonce] || (a.Nonce == "") != noNonce || !noNonce && a.Nonce != q.Nonce {
				t.Errorf("nonce %q was sent, %q is demanded", q.Nonce, a.Nonce)
			}
			seen[q.Nonce] = true
		}
	}
}

// endless is a body without an end.
type endless struct {
	read   int
	closed bool
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 64<<20 {
		return 0, io.EOF // somebody reads it to its end
	}
	return len(p), nil
}

func (e *endless) Close() error {
	e.closed = true
	return nil
}

// All answers together have a bound, beyond which nothing is read.
func TestAskWithinBounds(t *testing.T) {
	held := verifytest.Bundle(t, manyHeld(600)) // three questions
	for _, tt := range []struct {
		most  int64
		sizes []int
		want  int // answers, 0 if they are too large
	}{
		{300, []int{100, 100, 100}, 3},
		{299, []int{100, 100, 100}, 0},
		{100, []int{101, 0, 0}, 0},
		{0, []int{1 << 20, 1 << 20, 1 << 20}, 3},
		{0, []int{receiver.MaxAnswerBytes, 1, 0}, 0},
	} {
		n := 0
		answers, err := receiver.Ask(t.Context(), held, receiver.AskOptions{MaxBytes: tt.most}, func(context.Context, []byte) (io.ReadCloser, error) {
			n++
			return io.NopCloser(strings.NewReader(strings.Repeat("x", tt.sizes[n-1]))), nil
		})
		_, tooLarge := errors.AsType[*receiver.TooLargeError](err)
		if len(answers) != tt.want || tooLarge != (tt.want == 0) {
			t.Errorf("%v of %d: %d answers, %v", tt.sizes, tt.most, len(answers), err)
		}
	}
	body := &endless{}
	_, err := receiver.Ask(t.Context(), held, receiver.AskOptions{MaxBytes: 1 << 20}, func(context.Context, []byte) (io.ReadCloser, error) { return body, nil })
	if _, ok := errors.AsType[*receiver.TooLargeError](err); !ok || body.read > 2<<20 || !body.closed {
		t.Errorf("an endless answer: %d bytes read, closed %v, %v", body.read, body.closed, err)
	}
}

// Errors of sending and of reading are those that come out.
func TestAskFails(t *testing.T) {
	held := verifytest.Bundle(t, manyHeld(1))
	away := errors.New("nobody is there")
	for name, send := range map[string]func(context.Context, []byte) (io.ReadCloser, error){
		"sending": func(context.Context, []byte) (io.ReadCloser, error) { return nil, away },
		"reading": func(context.Context, []byte) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{away})), nil
		},
	} {
		if answers, err := receiver.Ask(t.Context(), held, receiver.AskOptions{}, send); !errors.Is(err, away) || answers != nil {
			t.Errorf("%s: %v, %v", name, answers, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
