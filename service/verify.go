package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// TrustBundle is a validated bundle of claims and what speaks for them, in the
// format Hachure, schema versions 5 to 9. It is immutable.
type TrustBundle struct{ inner *bundle.Bundle }

// ParseTrustBundle reads a bundle and checks all of it: its schema, what its
// records name by id, its date-times. Its errors have code [InvalidTrustBundle].
func ParseTrustBundle[T Text](json T) (*TrustBundle, error) {
	b, err := bundle.Read(problem.Source{Text: string(json)})
	if err != nil {
		return nil, publish(err)
	}
	return &TrustBundle{b}, nil
}

// SchemaVersion returns the version of the format: 5 to 9.
func (b *TrustBundle) SchemaVersion() int { return b.inner.SchemaVersion() }

// Source returns who made the bundle.
func (b *TrustBundle) Source() string { return b.inner.Source() }

// Records returns the records that stores keep, in the order of the bundle.
func (b *TrustBundle) Records() *VerificationRecords {
	return NewVerificationRecords(b.inner.Records(bundle.KindClaim), b.inner.Records(bundle.KindEvidence),
		b.inner.Records(bundle.KindEvent), b.inner.Records(bundle.KindTrace))
}

// StatusInput returns what [DeriveStatuses] looks at.
func (b *TrustBundle) StatusInput() *StatusInput { return &StatusInput{b.inner.StatusInput()} }

// VerificationRecord is a claim, a piece of evidence, an event or an authority
// trace, as its producer wrote it. Stores give back what bundles gave them.
type VerificationRecord struct {
	ID   string
	JSON string // without insignificant white space
}

// VerificationRecords are records by kind. In what a store answers each list is
// sorted by id with CompareText and holds an id once.
type VerificationRecords struct {
	Claims         []VerificationRecord
	Evidence       []VerificationRecord
	Events         []VerificationRecord
	AuthorityTrace []VerificationRecord
}

// NewVerificationRecords returns records of the rows of a store, in their order.
func NewVerificationRecords[R ~struct{ ID, JSON string }](claims, evidence, events,
	authorityTrace []R) *VerificationRecords {
	return &VerificationRecords{
		convert[VerificationRecord](claims), convert[VerificationRecord](evidence),
		convert[VerificationRecord](events), convert[VerificationRecord](authorityTrace),
	}
}

func convert[To, From ~struct{ ID, JSON string }](list []From) []To {
	converted := make([]To, len(list))
	for i, r := range list {
		converted[i] = To(r)
	}
	return converted
}

// VerificationStore is a producer's storage, as far as answering needs it. It must
// be safe for concurrent use.
//
// A ref names a claim by the claim's id, its currentIntegrityRef or the value of its
// currentIntegrityAnchor; evidence and traces by their integrityRef or the value of
// their integrityAnchor. Evidence leads to its claim, a trace to those in its
// claimIds. Answered are all claims that a ref names or leads to, their evidence and
// events, the traces that name one of these claims in claimIds or an actor of one of
// these events in actorRef, and a trace that the ref names.
type VerificationStore interface {
	// LookupByIntegrityRef returns nil, and no error, for a ref that names nothing.
	// An error means that the store cannot answer now. It must return when ctx is
	// done.
	LookupByIntegrityRef(ctx context.Context, ref string) (*VerificationRecords, error)
}

// VerificationBatchStore is a store that answers many refs at once.
type VerificationBatchStore interface {
	VerificationStore
	// LookupByIntegrityRefs returns an entry for each ref, in their order, nil for an
	// unknown one. A record to which several of the refs lead need only be in the
	// entry of the first of them.
	LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*VerificationRecords, error)
}

// NewMemoryStore returns a store of the records of bundles. Another record under the
// same id is an error of code [InvalidTrustBundle]. Package local opens stores that
// are files and databases.
func NewMemoryStore(bundles ...*TrustBundle) (VerificationBatchStore, error) {
	inner := make([]*bundle.Bundle, len(bundles))
	for i, b := range bundles {
		inner[i] = b.inner
	}
	s, err := producer.NewMemoryStore(inner...)
	if err != nil {
		return nil, publish(err)
	}
	return memoryStore{s}, nil
}

// memoryStore is a store of ours for callers.
type memoryStore struct{ *producer.MemoryStore }

func (s memoryStore) LookupByIntegrityRef(ctx context.Context, ref string) (*VerificationRecords, error) {
	found, err := s.LookupByIntegrityRefs(ctx, []string{ref})
	return found[0], err
}

func (s memoryStore) LookupByIntegrityRefs(ctx context.Context, refs []string) ([]*VerificationRecords, error) {
	found, err := s.MemoryStore.LookupByIntegrityRefs(ctx, refs)
	outer := make([]*VerificationRecords, len(found))
	for i, r := range found {
		if r != nil {
			outer[i] = NewVerificationRecords(r.Claims, r.Evidence, r.Events, r.AuthorityTrace)
		}
	}
	return outer, err
}

// store is a caller's store for responders, batchStore one that answers many refs at
// once.
type (
	store      struct{ outer VerificationStore }
	batchStore struct {
		store
		outer VerificationBatchStore
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

func innerRecords(r *VerificationRecords) *bundle.Records {
	if r == nil {
		return nil
	}
	return &bundle.Records{
		Claims: convert[bundle.Record](r.Claims), Evidence: convert[bundle.Record](r.Evidence),
		Events: convert[bundle.Record](r.Events), AuthorityTrace: convert[bundle.Record](r.AuthorityTrace),
	}
}

// innerStore returns a caller's store as responders take it, nil for none.
func innerStore(s VerificationStore) producer.Store {
	switch s := s.(type) {
	case nil:
		return nil
	case memoryStore:
		return s.MemoryStore
	case VerificationBatchStore:
		return batchStore{store{s}, s}
	}
	return store{s}
}

// VerificationStoreError reports a store that cannot answer now.
type VerificationStoreError struct{ Err error }

// Error returns the message of the store.
func (e *VerificationStoreError) Error() string { return (&producer.StoreError{Err: e.Err}).Error() }

// Unwrap returns the store's own error, or that of the context that ended.
func (e *VerificationStoreError) Unwrap() error { return e.Err }

// VerificationOptions are the options of a responder.
type VerificationOptions struct {
	Source                string // names the producer in every answer; required
	StatusFunctionVersion string // one of StatusFunctionVersions, usually StatusFunctionVersion; required
	Signer                Signer // nil for answers without a signature
}

// VerificationResponder answers what a producer knows of refs. It is safe for
// concurrent use.
type VerificationResponder struct{ inner *producer.Responder }

// NewVerificationResponder returns a responder that looks refs up in a store.
// The error says which option is missing.
func NewVerificationResponder(store VerificationStore, options VerificationOptions) (*VerificationResponder, error) {
	r, err := producer.NewResponder(innerStore(store), producer.ResponderOptions{
		Source: options.Source, StatusFunctionVersion: options.StatusFunctionVersion, Signer: options.Signer,
	})
	if err != nil {
		return nil, err
	}
	return &VerificationResponder{r}, nil
}

// VerificationResponse is an answer of a responder.
type VerificationResponse struct {
	JSON     []byte        // {"bundle"} or, with a signer, {"bundle", "envelope"}; records are as they came
	Bundle   []byte        // the JSON of the bundle, a part of the other
	Envelope *DSSEEnvelope // the statement about this bundle; nil without a signer
}

// Respond looks refs up. The answer is dated now; an empty nonce is none.
//
// The error is a *VerificationStoreError if the store cannot answer or ctx ends
// before it does, a *VerificationAnswerTooLargeError if the answer would be larger than
// it may, has code [InvalidVerifyRequest] if a ref or the nonce is not UTF-8, and is
// else the signer's.
func (r *VerificationResponder) Respond(ctx context.Context, refs []string, now time.Time,
	nonce string) (*VerificationResponse, error) {
	response, err := r.inner.Respond(ctx, refs, now, nonce)
	if _, ok := errors.AsType[*producer.TooLargeError](err); ok { // the store may have found so
		return nil, &VerificationAnswerTooLargeError{producer.MaxAnswerBytes}
	}
	if storeErr, ok := errors.AsType[*producer.StoreError](err); ok {
		return nil, &VerificationStoreError{storeErr.Err}
	}
	if err != nil {
		return nil, publish(err)
	}
	return &VerificationResponse{response.JSON, response.Bundle(), newEnvelope(response.Envelope)}, nil
}

// VerificationAnswerTooLargeError refuses a question whose answer would have more bytes
// than it may. Over HTTP it is the code ANSWER_TOO_LARGE.
type VerificationAnswerTooLargeError struct{ Limit int64 } // bytes

// Error says what to do.
func (e *VerificationAnswerTooLargeError) Error() string { return (&producer.TooLargeError{}).Error() }

// VerificationHandlerOptions are the settings of a VerificationHandler. All may be
// left out.
type VerificationHandlerOptions struct {
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
func NewVerificationHandler(r *VerificationResponder, options VerificationHandlerOptions) *VerificationHandler {
	return &VerificationHandler{producer.NewHandler(r.inner, producer.HandlerOptions{
		Log: options.Logger, Now: options.Now, Origin: options.Origin, MaxAge: options.MaxAge,
		Observe: innerObserve(options.Observe),
	})}
}

// ServeHTTP answers a question.
func (h *VerificationHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.inner.ServeHTTP(w, r)
}

// Signer signs answers. It is safe for concurrent use.
type Signer interface {
	// KeyID names the key, for those who have several to choose from.
	KeyID() string
	// Sign returns a signature of the bytes, which are the pre-authentication
	// encoding (DSSE v1.0) of an envelope.
	Sign(ctx context.Context, encoding []byte) ([]byte, error)
}

// NewKeySigner returns a signer with the private key of a PEM text: PKCS #8,
// Ed25519 or ECDSA P-256.
func NewKeySigner[T Text](pem T) (Signer, error) {
	s, err := dsse.ReadSigner([]byte(pem))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// DSSEEnvelope is a signed statement, DSSE v1.0.
type DSSEEnvelope struct {
	Payload     []byte                     `json:"payload"`     // the statement
	PayloadType string                     `json:"payloadType"` // application/vnd.in-toto+json
	Signatures  record.List[DSSESignature] `json:"signatures"`  // at most 16
}

// DSSESignature is a signature of an envelope's pre-authentication encoding.
type DSSESignature struct {
	KeyID string `json:"keyid,omitzero"` // a hint at the key, which nobody has signed
	Sig   []byte `json:"sig"`
}

// ToInTotoStatement returns the in-toto statement about a bundle and the refs
// that were asked for, as canonical JSON.
func ToInTotoStatement[T Text](bundle T, refs []string) ([]byte, error) {
	s, err := dsse.NewStatement([]byte(bundle), refs)
	return s, publish(err)
}

// ToDSSEEnvelope signs a statement.
func ToDSSEEnvelope[T Text](ctx context.Context, statement T, signer Signer) (*DSSEEnvelope, error) {
	e, err := dsse.Sign(ctx, []byte(statement), signer)
	if err != nil {
		return nil, publish(err)
	}
	return newEnvelope(e), nil
}

func newEnvelope(e *dsse.Envelope) *DSSEEnvelope {
	if e == nil {
		return nil
	}
	envelope := &DSSEEnvelope{Payload: e.Payload, PayloadType: e.PayloadType}
	for _, s := range e.Signatures {
		envelope.Signatures = append(envelope.Signatures, DSSESignature(s))
	}
	return envelope
}

// StatusFunctionVersion is the version of the status function by which producers
// and receivers derive unless they say something else.
const StatusFunctionVersion = "4"

// StatusFunctionVersions returns the versions that [DeriveStatuses] knows, the oldest
// first.
func StatusFunctionVersions() []string {
	var list []string
	for _, v := range status.Versions() {
		list = append(list, string(v))
	}
	return list
}

// StatusInput is what the status function looks at: the records of one bundle.
type StatusInput struct{ inner *bundle.Content }

// ClaimStatus is the status of one claim.
type ClaimStatus struct {
	ID     string
	Status record.VerificationStatus
}

// DeriveStatuses derives the status of every claim at an instant, by a version of the
// status function. It believes no status that the records state themselves, but for
// proposed and assumed where no event decides. The instant is RFC 3339, of which
// version 4 takes every digit. The error says which of version and instant is wrong.
func DeriveStatuses(in *StatusInput, now, version string) ([]ClaimStatus, error) {
	function, err := status.New(status.Version(version), now)
	if err != nil {
		return nil, err
	}
	var statuses []ClaimStatus
	for _, s := range function.Derive(in.inner) {
		statuses = append(statuses, ClaimStatus(s))
	}
	return statuses, nil
}

// RawTrustBundle is a bundle as it came: records of which nothing was checked but
// that they have ids.
type RawTrustBundle struct{ inner *bundle.Raw }

// ParseRawTrustBundle reads a bundle without looking into its records, for
// merging. Its errors have code [InvalidTrustBundle].
func ParseRawTrustBundle[T Text](json T) (*RawTrustBundle, error) {
	b, err := bundle.ReadRaw(problem.Source{Text: string(json)})
	if err != nil {
		return nil, publish(err)
	}
	return &RawTrustBundle{b}, nil
}

// JSON returns the bundle, each record as it came.
func (b *RawTrustBundle) JSON() string { return string(b.inner.AppendJSON(nil)) }

// StatusInput reads the records as the schema of the format says. Its errors have
// code [InvalidTrustBundle].
func (b *RawTrustBundle) StatusInput() (*StatusInput, error) {
	in, err := b.inner.StatusInput()
	if err != nil {
		return nil, publish(err)
	}
	return &StatusInput{in}, nil
}

// MergeBundles makes one bundle of several of one schema version, the same
// whatever their order. It also returns the ids under which the bundles hold
// different records, of which one stays: the one whose canonical JSON sorts first.
func MergeBundles(bundles ...*RawTrustBundle) (*RawTrustBundle, []record.RecordID, error) {
	inner := make([]*bundle.Raw, len(bundles))
	for i, b := range bundles {
		inner[i] = b.inner
	}
	merged, differing, err := merge.Bundles(inner...)
	if err != nil {
		return nil, nil, publish(err)
	}
	return &RawTrustBundle{merged}, differing, nil
}
