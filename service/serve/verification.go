package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/verify"
)

// Store is a producer's storage, as far as answering needs it. It must be safe for concurrent use.
// Run of package [github.com/model-catalog-service/svc/service/serve/storetest] tests one.
//
// A ref names a claim by the claim's id, its currentIntegrityRef or the value of its
// currentIntegrityAnchor; evidence and traces by their integrityRef or the value of
// their integrityAnchor. Evidence leads to its claim, a trace to those in its
// claimIds. Answered are all claims that a ref names or leads to, their evidence and
// events, the traces that name one of these claims in claimIds or an actor of one of
// these events in actorRef, and a trace that the ref names.
type Store interface {
	// LookupByIntegrityRef returns nil, and no error, for a ref that names nothing.
	// An error means that the store cannot answer now. It must return when ctx is
	// done.
	LookupByIntegrityRef(ctx context.Context, ref string) (*verify.Records, error)
}

// BatchStore is a store that answers many refs at once.
type BatchStore interface {
	Store
	// LookupByIntegrityRefs returns an entry for each ref, in their order, nil for an
	// unknown one. A record to which several of the refs lead need only be in the
	// entry of the first of them.
	LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*verify.Records, error)
}

// NewMemoryStore returns a store of the records of bundles. Another record under the
// same id is an error of code [service.InvalidTrustBundle]. Package local opens stores that
// are files and databases.
func NewMemoryStore(bundles ...*verify.Bundle) (BatchStore, error) {
	inner := make([]*bundle.Bundle, len(bundles))
	for i, b := range bundles {
		inner[i] = (*bundle.Bundle)(b)
	}
	s, err := producer.NewMemoryStore(inner...)
	if err != nil {
		return nil, outward.Error(err)
	}
	return memoryStore{s}, nil
}

// memoryStore is a store of ours for callers.
type memoryStore struct{ *producer.MemoryStore }

func (s memoryStore) LookupByIntegrityRef(ctx context.Context, ref string) (*verify.Records, error) {
	found, err := s.LookupByIntegrityRefs(ctx, []string{ref})
	return found[0], err
}

func (s memoryStore) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*verify.Records, error) {
	found, err := s.MemoryStore.LookupByIntegrityRefs(ctx, refs)
	outer := make([]*verify.Records, len(found))
	for i, r := range found {
		if r != nil {
			outer[i] = verify.NewRecords(r.Claims, r.Evidence, r.Events, r.AuthorityTrace)
		}
	}
	return outer, err
}

// store is a caller's store for responders, batchStore one that answers many refs at
// once.
type (
	store      struct{ outer Store }
	batchStore struct {
		store
		outer BatchStore
	}
)

func (s store) LookupByIntegrityRef(ctx context.Context, ref string) (*bundle.Records, error) {
	r, err := s.outer.LookupByIntegrityRef(ctx, ref)
	return innerRecords(r), err
}

func (s batchStore) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*bundle.Records, error) {
	found, err := s.outer.LookupByIntegrityRefs(ctx, refs)
	inner := make([]*bundle.Records, len(found))
	for i, r := range found {
		inner[i] = innerRecords(r)
	}
	return inner, err
}

func innerRecords(r *verify.Records) *bundle.Records {
	if r == nil {
		return nil
	}
	return &bundle.Records{
		Claims: outward.Convert[bundle.Record](r.Claims), Evidence: outward.Convert[bundle.Record](r.Evidence),
		Events: outward.Convert[bundle.Record](r.Events), AuthorityTrace: outward.Convert[bundle.Record](r.AuthorityTrace),
	}
}

// innerStore returns a caller's store as responders take it, nil for none.
func innerStore(s Store) producer.Store {
	switch s := s.(type) {
	case nil:
		return nil
	case memoryStore:
		return s.MemoryStore
	case BatchStore:
		return batchStore{store{s}, s}
	}
	return store{s}
}

// StoreError reports a store that cannot answer now.
type StoreError struct{ Err error }

// Error returns the message of the store.
func (e *StoreError) Error() string { return (&producer.StoreError{Err: e.Err}).Error() }

// Unwrap returns the store's own error, or that of the context that ended.
func (e *StoreError) Unwrap() error { return e.Err }

// ResponderOptions are the options of a responder.
type ResponderOptions struct {
	Source                string        // names the producer in every answer; required
	StatusFunctionVersion string        // usually [verify.StatusFunctionVersion]; required
	Signer                verify.Signer // nil for answers without a signature
}

// Responder answers what a producer knows of refs. It is safe for
// concurrent use.
type Responder struct{ inner *producer.Responder }

// NewResponder returns a responder that looks refs up in a store.
// The error says which option is missing.
func NewResponder(store Store, options ResponderOptions) (*Responder, error) {
	r, err := producer.NewResponder(innerStore(store), producer.ResponderOptions{
		Source: options.Source, StatusFunctionVersion: options.StatusFunctionVersion, Signer: options.Signer,
	})
	if err != nil {
		return nil, err
	}
	return &Responder{r}, nil
}

// Response is an answer of a responder.
type Response struct {
	JSON     []byte               // {"bundle"} or, with a signer, {"bundle", "envelope"}; records are as they came
	Bundle   []byte               // the JSON of the bundle, a part of the other
	Envelope *record.DSSEEnvelope // the statement about this bundle; nil without a signer
}

// Respond looks refs up. The answer is dated now; an empty nonce is none.
//
// The error is a *StoreError if the store cannot answer or ctx ends
// before it does, a *AnswerTooLargeError if the answer would be larger than
// it may, has code [service.InvalidVerifyRequest] if a ref or the nonce is not UTF-8, and is
// else the signer's.
func (r *Responder) Respond(ctx context.Context, refs []string, now time.Time,
	nonce string) (*Response, error) {
	response, err := r.inner.Respond(ctx, refs, now, nonce)
	if _, ok := errors.AsType[*producer.TooLargeError](err); ok { // the store may have found so
		return nil, &AnswerTooLargeError{producer.MaxAnswerBytes}
	}
	if storeErr, ok := errors.AsType[*producer.StoreError](err); ok {
		return nil, &StoreError{storeErr.Err}
	}
	if err != nil {
		return nil, outward.Error(err)
	}
	return &Response{response.JSON, response.Bundle(), (*record.DSSEEnvelope)(response.Envelope)}, nil
}

// AnswerTooLargeError refuses a question whose answer would have more bytes
// than it may. Over HTTP it is the code ANSWER_TOO_LARGE.
type AnswerTooLargeError struct{ Limit int64 } // bytes

// Error says what to do.
func (e *AnswerTooLargeError) Error() string { return (&producer.TooLargeError{}).Error() }

// VerificationOptions are the settings of a VerificationHandler. All may be
// left out.
type VerificationOptions struct {
	Logger *slog.Logger     // takes the causes of answers with status 500 and 503, and at debug level a line a request
	Now    func() time.Time // dates the answers; nil is the clock
	Origin string           // the web origin whose pages may ask, * for all; empty for none
	MaxAge time.Duration    // how long caches may keep an answer, in whole seconds; zero for none

	// Observe, if not nil, is called at the end of each exchange. It is called
	// from many goroutines at once and must not block.
	Observe func(Exchange)
}

// VerificationHandler serves a responder over HTTP, under
// /.well-known/profile/verify and /.well-known/hachure/verify.
type VerificationHandler struct{ inner *producer.Handler }

// NewVerificationHandler returns a handler for both paths of the endpoint. It
// authenticates nobody: mount it inside middleware that does.
func NewVerificationHandler(r *Responder, options VerificationOptions) *VerificationHandler {
	return &VerificationHandler{producer.NewHandler(r.inner, producer.HandlerOptions{
		Log: options.Logger, Now: options.Now, Origin: options.Origin, MaxAge: options.MaxAge,
		Observe: innerObserve(options.Observe),
	})}
}

// ServeHTTP answers a question.
func (h *VerificationHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.inner.ServeHTTP(w, r)
}
