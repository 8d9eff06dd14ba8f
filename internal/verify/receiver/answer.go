package receiver

import (
	"fmt"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/service/record"
)

// Answer is what came back when a question was asked.
type Answer struct {
	Text  string
	Refs  []string // that were asked for; nil if nobody knows, as of an answer from a file
	Nonce string   // that must come back; empty if none must
	ByRef bool     // the refs may name claims otherwise than by their ids
}

// parts are the parts of an answer, as texts.
type parts struct {
	bundle   string
	envelope string // empty if there is none
	version  string // of a bundle that is an answer by itself
}

var partsShape = ijson.NewOpenShape(
	ijson.Optional("bundle", func(r *ijson.Reader, p *parts) { p.bundle = r.SkipText() }),
	ijson.Optional("envelope", func(r *ijson.Reader, p *parts) {
		if !r.Null() {
			p.envelope = r.SkipText()
		}
	}),
	ijson.Optional("schemaVersion", func(r *ijson.Reader, p *parts) { p.version = r.SkipText() }),
)

// readAnswer reads { bundle, envelope? }, or the bundle alone, as static producers
// give it.
func readAnswer(text string) (*parts, *bundle.Content, error) {
	r := ijson.NewReader(text, problem.InvalidTrustBundle)
	p, root := &parts{}, "$.bundle"
	partsShape.Read(r, p)
	if faults := r.End(); faults != nil {
		return nil, nil, faults.Err()
	}
	if p.bundle == "" && p.version != "" {
		p, root = &parts{bundle: text}, "$"
	}
	if p.bundle == "" {
		return nil, nil, problem.New(problem.InvalidTrustBundle, root, "missing field")
	}
	content, err := bundle.ReadAnswer(p.bundle)
	if err != nil {
		return nil, nil, problem.All(err).Under(root).Err()
	}
	return p, content, nil
}

func refuse(code record.OutcomeCode, format string, args ...any) *record.ReceiptOutcome {
	return &record.ReceiptOutcome{Code: code, Message: fmt.Sprintf(format, args...)}
}

// open reads an answer and checks where it comes from and that it is to its question.
// It returns the id of the key that signed, empty if there are no keys, and why the
// answer is not taken, nil if it is.
func (a *Answer) open(keys []*dsse.PublicKey) (o *opened, keyID string, refused *record.ReceiptOutcome) {
	p, content, err := readAnswer(a.Text)
	if err != nil {
		return nil, "", refuse(record.OutcomeUnreadable, "the answer is malformed: %v", err)
	}
	if len(keys) > 0 {
		if keyID, refused = p.signedBy(keys, content.Metadata.RequestedRefs); refused != nil {
			return nil, keyID, refused
		}
	}
	if a.Nonce != "" && content.Metadata.Nonce != a.Nonce {
		missing := "does not return the nonce that was sent"
		if content.Metadata.Nonce == "" {
			missing = "has no nonce, so that it may be an old one"
		}
		return nil, keyID, refuse(record.OutcomeNonceMismatch, "the answer %s", missing)
	}
	if a.Refs != nil && !content.Metadata.RequestedRefs.Equal(a.Refs) {
		return nil, keyID, refuse(record.OutcomeRefsMismatch, "the answer is about other refs than those that were asked for")
	}
	answered := make(map[string]bool, len(content.Claims))
	for _, claim := range content.Claims {
		answered[claim.ID] = true
	}
	for _, ref := range content.Metadata.UnknownRefs.All() {
		if answered[ref] {
			return nil, keyID, refuse(record.OutcomeRefsMismatch, "the answer has the claim %q, and says that this claim is "+
				"unknown", ref)
		}
	}
	o = &opened{parts: p, content: content, text: a.Text}
	if !a.ByRef {
		o.refs = a.Refs
	}
	return o, keyID, nil
}

// signedBy checks the signature of an answer to the refs and returns the id of the key.
func (p *parts) signedBy(keys []*dsse.PublicKey, refs ijson.TextList) (keyID string, refused *record.ReceiptOutcome) {
	if p.envelope == "" {
		return "", refuse(record.OutcomeUnsigned, "a key was given, but the answer is not signed: it has no envelope")
	}
	e, err := dsse.ReadEnvelope(p.envelope)
	if err != nil {
		return "", refuse(record.OutcomeBadSignature, "the envelope is malformed: %v", err)
	}
	key := e.SignedBy(keys)
	switch {
	case key == nil && e.Names(keys):
		return "", refuse(record.OutcomeBadSignature, "the answer names a given key as its signer, but that key did not "+
			"sign it")
	case key == nil:
		return "", refuse(record.OutcomeNoKey, "none of the given keys signed the answer")
	}
	statement, ok := dsse.ReadStatement(e)
	if !ok {
		return "", refuse(record.OutcomePayloadMismatch, "the signed text is not an in-toto statement about a trust bundle")
	}
	if own, err := ijson.Canonical(p.bundle, problem.InvalidTrustBundle); err != nil || !statement.About(own) {
		return "", refuse(record.OutcomePayloadMismatch, "the signed bundle is not the one in the answer")
	}
	if !refs.Equal(statement.Subjects) {
		return key.ID(), refuse(record.OutcomeRefsMismatch, "the signed statement is about other refs than the answer")
	}
	return key.ID(), nil
}
