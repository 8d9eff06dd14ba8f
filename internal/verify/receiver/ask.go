package receiver

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// MaxAnswerBytes is how many bytes the answers to all questions may have together,
// unless something else is said. A receiver needs about four times as much memory.
const MaxAnswerBytes = 64 << 20

// TooLargeError refuses answers that have more bytes than they may.
type TooLargeError struct{ Most int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the answers have more than %d bytes together", e.Most)
}

// AskOptions are the options of [Ask].
type AskOptions struct {
	Refs     []string // to ask for; nil for the ids of the held claims, and else nothing need be held
	NoNonce  bool     // the nonces that are sent need not come back
	MaxBytes int64    // of all answers together, zero for MaxAnswerBytes
}

// Questions returns the refs to ask for: the ids of the held claims, in as many parts
// as it takes. Ids that cannot be asked for are left out.
func Questions(held *bundle.Bundle) [][]string {
	var ids []string
	for _, claim := range held.StatusInput().Claims {
		if bundle.IsRef(claim.ID) {
			ids = append(ids, claim.ID)
		}
	}
	return slices.Collect(slices.Chunk(ids, bundle.MaxRefs))
}

// Ask asks for the claims of a bundle, or by refs that name them, one question after the other,
// each with a nonce of its own. send sends a question, which is JSON, and returns the body of the
// answer. The error is that of send or of reading, or a [TooLargeError].
func Ask(ctx context.Context, held *bundle.Bundle, options AskOptions,
	send func(ctx context.Context, question []byte) (io.ReadCloser, error)) ([]Answer, error) {
	most := options.MaxBytes
	if most == 0 {
		most = MaxAnswerBytes
	}
	var answers []Answer
	left := most
	questions := slices.Collect(slices.Chunk(options.Refs, bundle.MaxRefs))
	if options.Refs == nil {
		questions = Questions(held)
	}
	for _, refs := range questions {
		nonce := rand.Text()
		question := canonical.MustMarshal(map[string]any{"nonce": nonce, "refs": refs})
		body, err := send(ctx, question)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		n, err := io.Copy(&text, io.LimitReader(body, left+1))
		body.Close() // what was read counts
		if left -= n; left < 0 {
			return nil, &TooLargeError{most}
		}
		if err != nil {
			return nil, err
		}
		if options.NoNonce {
			nonce = ""
		}
		answers = append(answers, Answer{Text: text.String(), Refs: refs, Nonce: nonce, ByRef: options.Refs != nil})
	}
	return answers, nil
}
