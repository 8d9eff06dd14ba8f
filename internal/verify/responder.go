package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// ResponderOptions are the options of a Responder.
type ResponderOptions struct {
	Source                string // names the producer in every answer; required
	StatusFunctionVersion string // as a rule [StatusFunctionVersion]; required
	Signer                Signer // nil for answers without a signature
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
	Envelope *Envelope

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
// not UTF-8, and else the signer's.
func (r *Responder) Respond(ctx context.Context, refs []string, now time.Time, nonce string) (*Response, error) {
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
	records *Records
}

// unionInOrder returns the records of all refs in the order of the refs, each
// record once. If there is one ref, these are the store's own.
func unionInOrder(found []*Records) *Records {
	var only *Records
	all := &Records{}
	var seen [4]map[string]bool
	for _, records := range found {
		if records == nil || records == only {
			continue
		}
		if only == nil {
			only = records
			continue
		}
		if seen[0] == nil {
			seen = [4]map[string]bool{{}, {}, {}, {}}
			all.add(only, &seen)
		}
		all.add(records, &seen)
	}
	switch {
	case only == nil:
		return all
	case seen[0] == nil:
		return only
	}
	return all
}

func (r *Records) add(more *Records, seen *[4]map[string]bool) {
	into := [...]*[]Record{&r.Claims, &r.Evidence, &r.Events, &r.AuthorityTrace}
	for i, list := range [...][]Record{more.Claims, more.Evidence, more.Events, more.AuthorityTrace} {
		for _, record := range list {
			if !seen[i][record.ID] {
				seen[i][record.ID] = true
				*into[i] = append(*into[i], record)
			}
		}
	}
}

// write puts an answer into JSON and signs it.
func (r *Responder) write(ctx context.Context, a *answer) (*Response, error) {
	out := append(make([]byte, 0, a.size(r.options.Signer != nil)), beforeBundle...)
	out = r.appendBundle(out, a)
	response := &Response{bundleEnd: len(out)}
	if r.options.Signer != nil {
		statement, err := ToInTotoStatement(out[len(beforeBundle):], a.refs)
		if err != nil {
			return nil, fmt.Errorf("the store holds a record that is no JSON: %w", err)
		}
		if response.Envelope, err = ToDSSEEnvelope(ctx, statement, r.options.Signer); err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
		out = append(out, `,"envelope":`...)
		out = response.Envelope.AppendJSON(out)
	}
	response.JSON = append(out, '}')
	return response, nil
}

// size is about how many bytes an answer takes.
func (a *answer) size(signed bool) int {
	const around = 512
	size := around
	for _, list := range [...][]Record{a.records.Claims, a.records.Evidence, a.records.Events, a.records.AuthorityTrace} {
		for i := range list {
			size += len(list[i].JSON) + 1
		}
	}
	for _, ref := range a.refs {
		size += 2 * len(ref)
	}
	if signed {
		size += size*3/2 + around
	}
	return size
}

func (r *Responder) appendBundle(dst []byte, a *answer) []byte {
	version := `{"schemaVersion":5,"source":`
	for i := range a.records.Evidence {
		if needsLatest(a.records.Evidence[i].JSON) {
			version = `{"schemaVersion":7,"source":`
			break
		}
	}
	dst = append(dst, version...)
	dst = canonical.AppendString(dst, r.options.Source)
	dst = appendRecords(append(dst, `,"claims":`...), a.records.Claims)
	dst = appendRecords(append(dst, `,"evidence":`...), a.records.Evidence)
	dst = appendRecords(append(dst, `,"policies":[],"events":`...), a.records.Events)
	if len(a.records.AuthorityTrace) > 0 {
		dst = appendRecords(append(dst, `,"authorityTrace":`...), a.records.AuthorityTrace)
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

var (
	kindFields        = ijson.NewOpenFields("evidenceType?", "execution?")
	environmentFields = ijson.NewOpenFields("environment?")
)

// needsLatest reports whether a piece of evidence is of a kind that came with
// the latest version of the schema. Few texts have to be read for that.
func needsLatest(evidence string) bool {
	if !strings.Contains(evidence, runtimeObservation) && !strings.Contains(evidence, "environment") &&
		!strings.Contains(evidence, `\u`) {
		return false
	}
	latest := false
	r := ijson.NewReader(evidence, problem.InvalidTrustBundle)
	for o := r.Object(kindFields); o.Next(); {
		if o.Field() == 0 {
			latest = r.String() == runtimeObservation || latest
			continue
		}
		for o := r.Object(environmentFields); o.Next(); {
			r.Skip()
			latest = true
		}
	}
	return latest
}
