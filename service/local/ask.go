package local

import (
	"context"
	"fmt"
	"net/http"

	"github.com/model-catalog-service/svc/internal/verify/asker"
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
// The error is a [*verify.TooLargeError], or says what is wrong with the URL or that
// the endpoint did not answer; if ctx has ended, it wraps the error of ctx.
func AskEndpoint(ctx context.Context, endpoint string, held *verify.Bundle,
	options EndpointOptions) ([]verify.Answer, error) {
	endpoint, err := asker.ParseEndpoint(endpoint)
	if err != nil {
		return nil, fmt.Errorf("the URL of the endpoint: %w", err)
	}
	a := asker.New(endpoint, options.Transport, asker.Access{})
	defer a.Close()
	return verify.Ask(ctx, held, options.Ask, a.Send)
}
