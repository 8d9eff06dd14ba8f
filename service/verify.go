package service

import (
	"context"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
)

// StatusFunctionVersion is the version of the status function that
// [DeriveStatuses] is.
const StatusFunctionVersion = status.FunctionVersion

// What the verification endpoint is made of.
type (
	// TrustBundle is a validated bundle of claims and what speaks for them.
	TrustBundle = bundle.Bundle
	// RawTrustBundle is a bundle as it came, of which merging makes another.
	RawTrustBundle = bundle.Raw
	// VerificationRecord is a claim, a piece of evidence, an event or an authority
	// trace, as it came.
	VerificationRecord = bundle.Record
	// VerificationRecords are those that a ref leads to.
	VerificationRecords = bundle.Records
	// VerificationStore is a producer's storage.
	VerificationStore = producer.Store
	// VerificationBatchStore is a store that answers many refs at once.
	VerificationBatchStore = producer.BatchStore
	// VerificationStoreError reports a store that cannot answer now.
	VerificationStoreError = producer.StoreError

	// VerificationResponder answers what a producer knows of refs.
	VerificationResponder = producer.Responder
	// VerificationOptions are the options of a responder.
	VerificationOptions = producer.ResponderOptions
	// VerificationResponse is an answer.
	VerificationResponse = producer.Response
	// VerificationHandler serves a responder over HTTP.
	VerificationHandler = producer.Handler
	// VerificationHandlerOptions are the settings of a handler.
	VerificationHandlerOptions = producer.HandlerOptions

	// Signer signs answers.
	Signer = dsse.Signer
	// DSSEEnvelope is a signed statement.
	DSSEEnvelope = dsse.Envelope

	// StatusInput is what the status function looks at.
	StatusInput = bundle.Content
	// ClaimStatus is the status of one claim.
	ClaimStatus = status.ClaimStatus
	// Collision is an id under which merged bundles hold different records.
	Collision = bundle.RecordID
)

// ParseTrustBundle reads a bundle and checks all of it: its schema, what its
// records name by id, its date-times. Its errors have code INVALID_TRUST_BUNDLE.
func ParseTrustBundle[T text](json T) (*TrustBundle, error) {
	return bundle.Read(problem.Source{Text: string(json)})
}

// ParseRawTrustBundle reads a bundle without looking into its records, for
// merging. Its errors have code INVALID_TRUST_BUNDLE.
func ParseRawTrustBundle[T text](json T) (*RawTrustBundle, error) {
	return bundle.ReadRaw(problem.Source{Text: string(json)})
}

// NewMemoryStore returns a store of the records of bundles. Package local opens
// those that are files and databases.
func NewMemoryStore(bundles ...*TrustBundle) (VerificationStore, error) {
	s, err := producer.NewMemoryStore(bundles...)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// NewVerificationResponder returns a responder that looks refs up in a store.
// The error tells which option is missing.
func NewVerificationResponder(store VerificationStore, options VerificationOptions) (*VerificationResponder, error) {
	return producer.NewResponder(store, options)
}

// NewVerificationHandler returns a handler for both paths of the endpoint. It
// authenticates nobody: mount it behind middleware that does.
func NewVerificationHandler(r *VerificationResponder, options VerificationHandlerOptions) *VerificationHandler {
	return producer.NewHandler(r, options)
}

// NewKeySigner returns a signer with the private key of a PEM text: PKCS #8,
// Ed25519 or ECDSA P-256.
func NewKeySigner[T text](pem T) (Signer, error) {
	s, err := dsse.ReadSigner([]byte(pem))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ToInTotoStatement returns the in-toto statement about a bundle and the refs
// that were asked for, as canonical JSON.
func ToInTotoStatement[T text](bundle T, refs []string) ([]byte, error) {
	return dsse.NewStatement([]byte(bundle), refs)
}

// ToDSSEEnvelope signs a statement.
func ToDSSEEnvelope[T text](ctx context.Context, statement T, signer Signer) (*DSSEEnvelope, error) {
	return dsse.Sign(ctx, []byte(statement), signer)
}

// DeriveStatuses derives the status of every claim at an instant. No status that
// the records state themselves is believed.
func DeriveStatuses(in *StatusInput, now time.Time) []ClaimStatus {
	return status.Derive(in, now)
}

// MergeBundles makes one bundle of several of one schema version, the same
// whatever their order, and tells which ids collide.
func MergeBundles(bundles ...*RawTrustBundle) (*RawTrustBundle, []Collision, error) {
	return merge.Bundles(bundles...)
}
