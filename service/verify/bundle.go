// Package verify says what became of published claims: it reads trust bundles, derives and merges
// statuses, asks producers, and holds their signed answers against what one has. It believes no
// status that a record states itself. It opens nothing, is built of the standard library alone,
// and works in a browser as WebAssembly.
//
//	held, err := verify.ParseBundle(text)
//	answers, err := verify.Ask(ctx, held, verify.AskOptions{}, send)
//	receipt, err := verify.Receive(held, answers, verify.ReceiveOptions{Now: now, Keys: []*verify.PublicKey{key},
//		Require: record.StatusVerified})
//	fmt.Println(receipt.OK, receipt.Outcomes)
//
// [DeriveStatuses] derives from the records that one has, [Merge] makes one bundle of several, and
// [NewStatement] and [Sign] make what producers sign.
package verify

import (
	"context"
	"errors"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/record"
)

// Bundle is a validated bundle of claims and what speaks for them, in the
// format Hachure, schema versions 5 to 9. It is immutable.
type Bundle bundle.Bundle

// ParseBundle reads a bundle and checks all of it: its schema, what its
// records name by id, its date-times. Its errors have code [service.InvalidTrustBundle].
func ParseBundle[T service.Text](json T) (*Bundle, error) {
	b, err := bundle.Read(problem.Source{Text: string(json)})
	if err != nil {
		return nil, outward.Error(err)
	}
	return (*Bundle)(b), nil
}

func (b *Bundle) inside() *bundle.Bundle { return (*bundle.Bundle)(b) }

// SchemaVersion returns the version of the format: 5 to 9.
func (b *Bundle) SchemaVersion() int { return b.inside().SchemaVersion() }

// Source returns who made the bundle.
func (b *Bundle) Source() string { return b.inside().Source() }

// Records returns the records that stores keep, in the order of the bundle.
func (b *Bundle) Records() *Records {
	return NewRecords(b.inside().Records(bundle.KindClaim), b.inside().Records(bundle.KindEvidence),
		b.inside().Records(bundle.KindEvent), b.inside().Records(bundle.KindTrace))
}

// StatusInput returns what [DeriveStatuses] looks at.
func (b *Bundle) StatusInput() *StatusInput { return &StatusInput{b.inside().StatusInput()} }

// Record is a claim, a piece of evidence, an event or an authority
// trace, as its producer wrote it. Stores give back what bundles gave them.
type Record struct {
	ID   string
	JSON string // without insignificant white space
}

// Records are records by kind. In what a store answers each list is
// sorted by id with service.CompareText and holds an id once.
type Records struct {
	Claims         []Record
	Evidence       []Record
	Events         []Record
	AuthorityTrace []Record
}

// NewRecords returns records of the rows of a store, in their order.
func NewRecords[R ~struct{ ID, JSON string }](claims, evidence, events,
	authorityTrace []R) *Records {
	return &Records{
		outward.Convert[Record](claims), outward.Convert[Record](evidence),
		outward.Convert[Record](events), outward.Convert[Record](authorityTrace),
	}
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
// Ed25519 or ECDSA P-256. Its error is a [*KeyError].
func NewKeySigner[T service.Text](pem T) (Signer, error) {
	s, err := dsse.ReadSigner([]byte(pem))
	if err != nil {
		return nil, keyError(err)
	}
	return s, nil
}

// NewStatement returns the in-toto statement about a bundle and the refs
// that were asked for, as canonical JSON.
func NewStatement[T service.Text](bundle T, refs []string) ([]byte, error) {
	s, err := dsse.NewStatement([]byte(bundle), refs)
	return s, outward.Error(err)
}

// Sign signs a statement.
func Sign[T service.Text](ctx context.Context, statement T, signer Signer) (*record.DSSEEnvelope, error) {
	e, err := dsse.Sign(ctx, []byte(statement), signer)
	if err != nil {
		return nil, outward.Error(err)
	}
	return (*record.DSSEEnvelope)(e), nil
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
// version 4 takes every digit. It fails with an [*UnknownVersionError], and if it cannot read the
// instant.
func DeriveStatuses(in *StatusInput, now, version string) ([]ClaimStatus, error) {
	function, err := newFunction(version, now)
	if err != nil {
		return nil, err
	}
	var statuses []ClaimStatus
	for _, s := range function.Derive(in.inner) {
		statuses = append(statuses, ClaimStatus(s))
	}
	return statuses, nil
}

// UnknownVersionError reports a version of the status function that nobody knows here.
type UnknownVersionError struct{ Version string }

// Error lists those that are known.
func (e *UnknownVersionError) Error() string { return (*status.UnknownVersionError)(e).Error() }

func newFunction(version, now string) (*status.Function, error) {
	function, err := status.New(status.Version(version), now)
	if unknown, ok := errors.AsType[*status.UnknownVersionError](err); ok {
		return nil, (*UnknownVersionError)(unknown)
	}
	return function, err
}

// RawBundle is a bundle as it came: records of which nothing was checked but
// that they have ids.
type RawBundle struct{ inner *bundle.Raw }

// ParseRawBundle reads a bundle without looking into its records, for
// merging. Its errors have code [service.InvalidTrustBundle].
func ParseRawBundle[T service.Text](json T) (*RawBundle, error) {
	b, err := bundle.ReadRaw(problem.Source{Text: string(json)})
	if err != nil {
		return nil, outward.Error(err)
	}
	return &RawBundle{b}, nil
}

// JSON returns the bundle, each record as it came.
func (b *RawBundle) JSON() string { return string(b.inner.AppendJSON(nil)) }

// StatusInput reads the records as the schema of the format says. Its errors have
// code [service.InvalidTrustBundle].
func (b *RawBundle) StatusInput() (*StatusInput, error) {
	in, err := b.inner.StatusInput()
	if err != nil {
		return nil, outward.Error(err)
	}
	return &StatusInput{in}, nil
}

// Merge makes one bundle of several of one schema version, the same
// whatever their order. It also returns the ids under which the bundles hold
// different records, of which one stays: the one whose canonical JSON sorts first.
func Merge(bundles ...*RawBundle) (*RawBundle, []record.RecordID, error) {
	inner := make([]*bundle.Raw, len(bundles))
	for i, b := range bundles {
		inner[i] = b.inner
	}
	merged, differing, err := merge.Bundles(inner...)
	if err != nil {
		return nil, nil, outward.Error(err)
	}
	return &RawBundle{merged}, differing, nil
}
