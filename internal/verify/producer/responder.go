// Package producer answers what a producer knows of refs, over HTTP or without.
//
// A [Store] finds records by ref; a [MemoryStore] is one over bundles. A [Responder]
// looks refs up and puts the records into one bundle, in the order of the refs, each
// record once, with metadata that names the refs and those that are unknown:
//
//	{"bundle": {"schemaVersion": 5, "source": "acme", "claims": [...], "evidence": [...],
//	  "policies": [], "events": [...], "metadata": {"respondedAt": "2026-07-18T06:00:00.000Z",
//	  "statusFunctionVersion": "4", "requestedRefs": ["c1", "x"], "unknownRefs": ["x"]}}}
//
// With a signer there is an envelope beside the bundle, overhead a statement about this
// very bundle. A [Handler] serves a responder over HTTP, for whoever its producer lets
// through. Records come out as they went in, and a store that fails is never taken for
// one that knows nothing.
package producer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
)

// ResponderOptions are the options of a Responder.
type ResponderOptions struct {
	Source                string      // names the producer in every answer; required
	StatusFunctionVersion string      // as a rule [status.DefaultVersion]; required
	Signer                dsse.Signer // nil for answers without a signature
}

// MaxAnswerBytes is how many bytes an answer may have, its envelope included.
const MaxAnswerBytes = 8 << 20

// TooLargeError refuses a question whose answer would have more bytes than it may.
type TooLargeError struct{}

func (*TooLargeError) Error() string {
	return fmt.Sprintf("the answer would have more than %d bytes", MaxAnswerBytes)
}

// Responder answers what a producer knows of refs. It is safe for concurrent use.
type Responder struct {
	store   Store
	options ResponderOptions
}

// NewResponder returns a responder that looks refs up in the store.
func NewResponder(store Store, options ResponderOptions) (*Responder, error) {
	for _, o := range [...]struct{ name, value string }{
		{"Source", options.Source}, {"StatusFunctionVersion", options.StatusFunctionVersion},
	} {
		switch {
		case o.value == "":
			return nil, fmt.Errorf("%s must not be empty", o.name)
		case !canonical.ValidString(o.value):
			return nil, fmt.Errorf("%s must be UTF-8", o.name)
		}
	}
	if store == nil {
		return nil, errors.New("no store")
	}
	return &Responder{store, options}, nil
}

// Response is the answer to a question. It does not change.
type Response struct {
	// JSON is { bundle } or, with a signer, { bundle, envelope }. The records in
	// the bundle are as they came.
	JSON []byte
	// Envelope holds the in-toto statement about the very bundle, nil without a
	// signer.
	Envelope *dsse.Envelope

	bundleEnd int
}

const beforeBundle = `{"bundle":`

// Bundle returns the bundle's JSON, a part of the Response's.
func (r *Response) Bundle() []byte { return r.JSON[len(beforeBundle):r.bundleEnd:r.bundleEnd] }

// Respond looks refs up and puts the answer together. now is the time that the
// answer is dated with; an empty nonce is none.
//
// The error is a *StoreError if the store cannot answer or ctx ends before it
// does, a *problem.Error of code INVALID_VERIFY_REQUEST if a ref or the nonce is
// not UTF-8, a *TooLargeError if the answer would have more than MaxAnswerBytes, and
// else the signer's, or that of a store or a clock that is broken.
func (r *Responder) Respond(ctx context.Context, refs []string, now time.Time, nonce string) (*Response, error) {
	if now.IsZero() {
		return nil, errors.New("an answer cannot be dated with the zero time")
	}
	for _, s := range refs {
		if !canonical.ValidString(s) {
			return nil, problem.New(problem.InvalidVerifyRequest, "$.refs", "must be UTF-8")
		}
	}
	if !canonical.ValidString(nonce) {
		return nil, problem.New(problem.InvalidVerifyRequest, "$.nonce", "must be UTF-8")
	}
	found, err := r.lookUp(ctx, refs)
	if err != nil {
		return nil, err
	}
	a := answer{refs: refs, nonce: nonce, now: now, records: unionInOrder(found)}
	for i, records := range found {
		if records == nil {
			a.unknown = append(a.unknown, refs[i])
		}
	}
	return r.write(ctx, &a)
}

// answer is what a bundle is made of.
type answer struct {
	refs    []string
	unknown []string
	nonce   string
	now     time.Time
	records *bundle.Records
}

// unionInOrder returns the records of all refs in the order of the refs, each
// record once. If there is one ref, these are the store's own.
func unionInOrder(found []*bundle.Records) *bundle.Records {
	known := slices.DeleteFunc(slices.Clone(found), func(r *bundle.Records) bool { return r == nil })
	if len(known) == 1 {
		return known[0]
	}
	all := &bundle.Records{}
	for kind := range bundle.Stored {
		seen := map[string]bool{}
		into := all.List(kind)
		for _, records := range known {
			for _, r := range *records.List(kind) {
				if !seen[r.ID] {
					seen[r.ID] = true
					*into = append(*into, r)
				}
			}
		}
	}
	return all
}

// write puts an answer into JSON and signs it.
func (r *Responder) write(ctx context.Context, a *answer) (*Response, error) {
	if a.recordBytes() > MaxAnswerBytes {
		return nil, &TooLargeError{} // before any of it is copied
	}
	if _, isRead := r.store.(*MemoryStore); !isRead { // whose records came of bundles that were read
		if err := checkRecords(a.records); err != nil {
			return nil, err
		}
	}
	out := append(make([]byte, 0, a.size(r.options.Signer != nil)), beforeBundle...)
	out = r.appendBundle(out, a)
	response := &Response{bundleEnd: len(out)}
	if r.options.Signer != nil {
		statement, err := dsse.NewStatement(out[len(beforeBundle):], a.refs)
		if err != nil {
			return nil, fmt.Errorf("the store holds a record that is not JSON: %w", err)
		}
		if response.Envelope, err = dsse.Sign(ctx, statement, r.options.Signer); err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
		out = append(out, `,"envelope":`...)
		out = response.Envelope.AppendJSON(out)
	}
	if response.JSON = append(out, '}'); len(response.JSON) > MaxAnswerBytes {
		return nil, &TooLargeError{}
	}
	return response, nil
}

// size is about how many bytes an answer takes.
func (a *answer) size(signed bool) int {
	const overhead = 512
	size := overhead + a.recordBytes()
	for _, ref := range a.refs {
		size += 2 * len(ref)
	}
	if signed {
		size += size*3/2 + overhead
	}
	return size
}

// recordBytes is how many bytes of an answer are records.
func (a *answer) recordBytes() (size int) {
	for kind := range bundle.Stored {
		for _, r := range *a.records.List(kind) {
			size += len(r.JSON) + 1
		}
	}
	return size
}

func (r *Responder) appendBundle(dst []byte, a *answer) []byte {
	dst = append(dst, `{"schemaVersion":`...)
	dst = strconv.AppendInt(dst, int64(bundle.LowestVersion(a.records)), 10)
	dst = append(dst, `,"source":`...)
	dst = canonical.AppendString(dst, r.options.Source)
	dst = bundle.AppendRecords(append(dst, `,"claims":`...), a.records.Claims)
	dst = bundle.AppendRecords(append(dst, `,"evidence":`...), a.records.Evidence)
	dst = bundle.AppendRecords(append(dst, `,"policies":[],"events":`...), a.records.Events)
	if len(a.records.AuthorityTrace) > 0 {
		dst = bundle.AppendRecords(append(dst, `,"authorityTrace":`...), a.records.AuthorityTrace)
	}
	dst = append(dst, `,"metadata":{"respondedAt":"`...)
	dst = a.now.UTC().AppendFormat(dst, timestamp.Layout)
	dst = append(dst, `","statusFunctionVersion":`...)
	dst = canonical.AppendString(dst, r.options.StatusFunctionVersion)
	dst = appendStrings(append(dst, `,"requestedRefs":`...), a.refs)
	dst = appendStrings(append(dst, `,"unknownRefs":`...), a.unknown)
	if a.nonce != "" {
		dst = canonical.AppendString(append(dst, `,"nonce":`...), a.nonce)
	}
	return append(dst, `}}`...)
}

func appendStrings(dst []byte, list []string) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Texts(list)
	return e.Buf
}
