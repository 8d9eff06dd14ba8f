package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/model-catalog-service/svc/internal/verify/asker"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/verify"
)

// EndpointOptions are the options of [AskEndpoint]. The zero value asks as svc verify does.
type EndpointOptions struct {
	Ask       verify.AskOptions
	Transport http.RoundTripper // sends the questions, perhaps with credentials; nil for one like http.DefaultTransport
}

// AskEndpoint asks a producer over HTTP for the claims of a bundle. Hand the answers to
// [verify.Receive], which checks them and computes the statuses.
//
// The endpoint is a URL like https://producer.example, without a user or password. If it has
// no path, the question goes to /.well-known/hachure/verify. Claims are asked for as
// [verify.Ask] does. A question and its answer take at most 30 seconds, redirects
// are not followed, and an answer has status 200.
//
// The error is a [*verify.TooLargeError], an [*EndpointError], or says what is wrong with the URL.
func AskEndpoint(ctx context.Context, endpoint string, held *verify.Bundle,
	options EndpointOptions) ([]verify.Answer, error) {
	var answers []verify.Answer
	err := askAt(endpoint, options, func(send sender) (err error) {
		answers, err = verify.Ask(ctx, held, options.Ask, send)
		return err
	})
	return answers, err
}

// VerifyAtEndpoint is [AskEndpoint] with [verify.Verify]: for bundles of any size.
func VerifyAtEndpoint(ctx context.Context, endpoint string, held *verify.Bundle, options EndpointOptions,
	receive verify.ReceiveOptions) (*record.VerificationReceipt, error) {
	var r *record.VerificationReceipt
	err := askAt(endpoint, options, func(send sender) (err error) {
		r, err = verify.Verify(ctx, held, options.Ask, receive, send)
		return err
	})
	return r, err
}

type sender = func(ctx context.Context, question []byte) (io.ReadCloser, error)

// askAt calls ask with what sends questions to an endpoint.
func askAt(endpoint string, options EndpointOptions, ask func(sender) error) error {
	endpoint, err := asker.ParseEndpoint(endpoint)
	if err != nil {
		return fmt.Errorf("the URL of the endpoint: %w", err)
	}
	a := asker.New(endpoint, options.Transport, asker.Access{})
	defer a.Close()
	err = ask(a.Send)
	if failed, ok := errors.AsType[*asker.Error](err); ok {
		return (*EndpointError)(failed)
	}
	return err
}

// EndpointError reports an endpoint that gave no answer, or not the whole of one.
type EndpointError struct {
	Endpoint string
	Status   int   // of its answer, such as 401 or 503; 0 if none came
	Err      error // why none came, such as a refused connection, or why it broke off; nil for another status than 200
}

// Error names the endpoint.
func (e *EndpointError) Error() string { return (*asker.Error)(e).Error() }

// Unwrap returns the cause, which is that of the context if it has ended.
func (e *EndpointError) Unwrap() error { return e.Err }
