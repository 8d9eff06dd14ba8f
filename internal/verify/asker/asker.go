// Package asker sends questions to a producer over HTTP. What a question is and what the
// answers are worth is the matter of package receiver, which needs no network.
package asker

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// answerTime is for one question and its answer.
const answerTime = 30 * time.Second

// The errors of [ParseEndpoint].
var (
	ErrCredentials = errors.New("it holds a user or password, which others can see") // so nobody should repeat the text
	ErrEndpoint    = errors.New("must be a URL like https://producer.example")
)

// ParseEndpoint returns the URL that questions go to. A host without a path stands for the
// well-known path of producers.
func ParseEndpoint(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && u.User != nil || (err != nil || u.Host == "") &&
		strings.Contains(text, "@"): // also where no URL can be read
		return "", ErrCredentials
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
		return "", ErrEndpoint
	case u.Path == "" || u.Path == "/":
		u.Path = producer.HachurePath
	}
	return u.String(), nil
}

// Asker asks one endpoint. It is safe for concurrent use.
type Asker struct {
	endpoint string
	header   http.Header
	client   http.Client
	close    func()
}

// Access is what an endpoint wants to see of who asks, and what it must show. The zero value is
// nothing in particular.
type Access struct {
	Header      http.Header       // of every question, such as Authorization
	Certificate []tls.Certificate // of the client
	Roots       *x509.CertPool    // that may vouch for the endpoint; nil for those of the system
}

// New returns an asker of an endpoint, a URL as [ParseEndpoint] returns it. A transport that is
// nil stands for one like [http.DefaultTransport], with connections of its own and with access.
func New(endpoint string, transport http.RoundTripper, access Access) *Asker {
	a := &Asker{endpoint: endpoint, header: access.Header, close: func() {}}
	if transport == nil {
		transport = http.DefaultTransport
		if t, ok := transport.(*http.Transport); ok {
			own := t.Clone()
			own.TLSClientConfig = &tls.Config{Certificates: access.Certificate, RootCAs: access.Roots}
			transport, a.close = own, own.CloseIdleConnections
		}
	}
	a.client = http.Client{
		Transport: transport,
		Timeout:   answerTime,
		// The one who is asked must answer: the user's question was not for another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return a
}

// Close ends the connections, unless they are those of a transport that [New] was given.
func (a *Asker) Close() { a.close() }

// Send sends a question and returns the body of the answer, which the caller must bound and
// close. All errors, also those of reading the body, name the endpoint.
func (a *Asker) Send(ctx context.Context, question []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.endpoint, bytes.NewReader(question))
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, a.header)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := a.client.Do(request)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, &Error{Endpoint: a.endpoint, Err: failed.Err}
	} else if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, &Error{Endpoint: a.endpoint, Status: response.StatusCode}
	}
	return &answerBody{response.Body, a.endpoint}, nil
}

// Error reports an endpoint that gave no answer, or not the whole of one.
type Error struct {
	Endpoint string
	Status   int   // of its answer; 0 if none came
	Err      error // why none came, or why it broke off; nil if the status is another than 200
}

func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("%s does not answer: %v", e.Endpoint, e.Err)
	case e.Err != nil:
		return fmt.Sprintf("%s: the answer broke off: %v", e.Endpoint, e.Err)
	}
	// By its name, not in the words of whoever answered, of which there may be many.
	return fmt.Sprintf("%s answered %d %s", e.Endpoint, e.Status, http.StatusText(e.Status))
}

func (e *Error) Unwrap() error { return e.Err }

// answerBody is the body of an answer.
type answerBody struct {
	io.ReadCloser
	endpoint string
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &Error{b.endpoint, http.StatusOK, err}
	}
	return n, err
}
