package verify

import (
	"bytes"
	"errors"
	"slices"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Answer is what came back when a question was asked.
type Answer struct {
	Text  string
	Nonce string // that must come back; empty if none must
}

// received is an answer that was read. Nothing in it is believed yet.
type received struct {
	text     string // of the bundle
	raw      *RawBundle
	version  int
	envelope string // its text, empty if there is none
	nonce    string
}

var (
	answerFields   = ijson.NewOpenFields("bundle?", "envelope?", "schemaVersion?")
	receivedFields = ijson.NewOpenFields("metadata")
	metadataFields = ijson.NewOpenFields("respondedAt", "statusFunctionVersion", "requestedRefs", "unknownRefs", "nonce?")
)

// readAnswer reads { bundle, envelope? }, or the bundle alone, as static
// producers give it.
func readAnswer(text string) (*received, error) {
	r := ijson.NewReader(text, problem.InvalidTrustBundle)
	a, alone, path := &received{}, false, "$.bundle"
	for o := r.Object(answerFields); o.Next(); {
		switch o.Field() {
		case 0:
			a.text = skipped(r, text)
		case 1:
			if !r.Null() {
				a.envelope = skipped(r, text)
			}
		case 2:
			r.Skip()
			alone = true
		}
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Err()
	}
	switch {
	case a.text == "" && alone:
		a.text, a.envelope, path = text, "", "$"
	case a.text == "":
		return nil, problem.New(problem.InvalidTrustBundle, path, "missing member")
	}
	if err := a.readBundle(); err != nil {
		for _, fault := range problem.All(err) {
			fault.Path = path + fault.Path[len("$"):]
		}
		return nil, err
	}
	return a, nil
}

// skipped skips a value and returns its text.
func skipped(r *ijson.Reader, text string) string {
	start := r.Offset()
	r.Skip()
	return text[start:r.Offset()]
}

func (a *received) readBundle() error {
	d := newDecoder(a.text[ijson.LenByteOrderMark(a.text):], 0)
	content := d.content(answeredFields)
	if faults := d.End(); faults != nil {
		return faults.Err()
	}
	a.raw, a.version = content.raw(), content.schemaVersion
	return a.readMetadata()
}

// readMetadata reads what the answer tells of itself.
func (a *received) readMetadata() error {
	d := newDecoder(a.text[ijson.LenByteOrderMark(a.text):], 0)
	for o := d.Object(receivedFields); o.Next(); {
		for o := d.Object(metadataFields); o.Next(); {
			switch o.Field() {
			case 0, 1:
				d.anyString()
			case 2, 3:
				d.strings()
			case 4:
				a.nonce = d.String()
			}
		}
	}
	return d.End().Err()
}

// raw returns the records of a bundle.
func (c *content) raw() *RawBundle {
	b := &RawBundle{
		Source:   c.source,
		Claims:   recordsOf(c.claims, func(c *claim) Record { return c.Record }),
		Evidence: recordsOf(c.evidence, func(e *evidence) Record { return e.Record }),
		Policies: recordsOf(c.policies, func(p *policy) Record { return p.Record }),
		Events:   recordsOf(c.events, func(e *event) Record { return e.Record }),
	}
	if c.hasTraces {
		b.AuthorityTrace = recordsOf(c.traces, func(t *trace) Record { return t.Record })
	}
	return b
}

// signedBy checks the signature of an answer. It returns the id of the key, or
// the outcome that there is none.
func (a *received) signedBy(keys []*PublicKey) (keyID string, code OutcomeCode, err error) {
	if a.envelope == "" {
		return "", Unsigned, errors.New("the answer has no envelope, a signature is demanded")
	}
	e, err := ReadEnvelope(a.envelope)
	if err != nil {
		return "", BadSignature, errors.New("the envelope is malformed: " + err.Error())
	}
	key := e.verifiedBy(keys)
	if key == nil {
		named := slices.ContainsFunc(keys, func(k *PublicKey) bool {
			return slices.ContainsFunc(e.Signatures, func(s Signature) bool { return s.KeyID == k.id })
		})
		if named {
			return "", BadSignature, errors.New("a signature names a given key, which did not make it")
		}
		return "", NoKey, errors.New("no given key made a signature of the envelope")
	}
	bundle, ok := predicate(e.Payload)
	if !ok || e.PayloadType != PayloadType {
		return "", PayloadMismatch, errors.New("what is signed is no in-toto statement about a trust bundle")
	}
	if own, err := canonicalText(nil, a.text); err != nil || !bytes.Equal(own, bundle) {
		return "", PayloadMismatch, errors.New("what is signed is another bundle than the one beside it")
	}
	return key.id, "", nil
}

// verifiedBy returns a key that made one of the signatures. Key ids are hints
// and not looked at.
func (e *Envelope) verifiedBy(keys []*PublicKey) *PublicKey {
	pae := AppendPAE(nil, e.PayloadType, e.Payload)
	for _, s := range e.Signatures {
		for _, k := range keys {
			if k.Verify(pae, s.Sig) {
				return k
			}
		}
	}
	return nil
}
