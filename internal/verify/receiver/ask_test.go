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

// Every question has refs and a nonce of its own, which must come back unless nobody
// asks for that.
func TestAsk(t *testing.T) {
	held := verifytest.Bundle(t, manyHeld(600))
	for _, noNonce := range []bool{false, true} {
		var questions []struct {
			Nonce string
			Refs  []string
		}
		answers, err := receiver.Ask(t.Context(), held, receiver.AskOptions{NoNonce: noNonce}, func(_ context.Context, question []byte) (io.ReadCloser, error) {
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
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func (*endless) Close() error { return nil }

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
	if _, ok := errors.AsType[*receiver.TooLargeError](err); !ok || body.read > 2<<20 {
		t.Errorf("an endless answer: %d bytes read, %v", body.read, err)
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
