package cmd

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/verify"
)

const (
	askTime   = 30 * time.Second // for one question and its answer
	maxAnswer = 256 << 20        // in bytes
)

var errLongAnswer = fmt.Errorf("the answer has more than %d bytes", maxAnswer)

// askOutcome is the outcome that an error of ask comes to.
func askOutcome(err error) verify.OutcomeCode {
	if errors.Is(err, errLongAnswer) {
		return verify.Unreadable
	}
	return verify.Unreachable
}

// ask asks an endpoint for each list of refs in turn. Every question has a nonce
// of its own; whether it must come back is for the caller to say.
func ask(ctx context.Context, endpoint string, questions [][]string, demandNonce bool) ([]verify.Answer, error) {
	client := &http.Client{
		Timeout: askTime,
		// Whoever is asked answers itself: a question that another host answers
		// was not the user's.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	var answers []verify.Answer
	for _, refs := range questions {
		nonce := rand.Text()
		text, err := askOnce(ctx, client, endpoint, refs, nonce)
		if err != nil {
			return nil, err
		}
		if !demandNonce {
			nonce = ""
		}
		answers = append(answers, verify.Answer{Text: text, Nonce: nonce})
	}
	return answers, nil
}

func askOnce(ctx context.Context, client *http.Client, endpoint string, refs []string, nonce string) (string, error) {
	e := canonical.Encoder{}
	e.Raw(`{"nonce":`)
	e.Text(nonce)
	e.Raw(`,"refs":`)
	e.Texts(refs)
	e.Raw(`}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(e.Buf))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answered %s", endpoint, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: the answer broke off: %w", endpoint, err)
	case len(text) > maxAnswer:
		return "", errLongAnswer
	}
	return string(text), nil
}
