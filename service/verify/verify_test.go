package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/serve"
	"github.com/model-catalog-service/svc/service/verify"
)

// A signed statement is read into the struct of an envelope and holds what was signed.
func TestEnvelope(t *testing.T) {
	private, _ := servicetest.Keys()
	signer, err := verify.NewKeySigner(private)
	if err != nil {
		t.Fatal(err)
	}
	statement, err := verify.NewStatement(servicetest.Read("claims.json"), []string{"c1"})
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := verify.Sign(t.Context(), statement, signer)
	if err != nil || !bytes.Equal(envelope.Payload, statement) || len(envelope.Signatures) != 1 || envelope.Signatures[0].KeyID != signer.KeyID() {
		t.Fatalf("%+v, %v", envelope, err)
	}
	store, err := serve.NewMemoryStore(servicetest.Bundle("claims.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := serve.NewResponder(store, serve.ResponderOptions{Source: "s", StatusFunctionVersion: "2", Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	response, err := r.Respond(t.Context(), []string{"c1"}, servicetest.Later, "")
	if err != nil {
		t.Fatal(err)
	}
	answer := servicetest.Unmarshal[struct {
		Bundle   json.RawMessage
		Envelope json.RawMessage
	}](t, response.JSON)
	if !bytes.Equal(answer.Bundle, response.Bundle) || !bytes.Equal(answer.Envelope, servicetest.Marshal(t, response.Envelope)) {
		t.Errorf("%s, but the envelope is %s", answer.Envelope, servicetest.Marshal(t, response.Envelope))
	}
}

// A receipt has all members of the JSON that the command line prints.
func TestReceipt(t *testing.T) {
	text := string(servicetest.Read("claims-held.json"))
	inner, err := bundle.Read(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	held := servicetest.Bundle("claims-held.json")
	const now = "2026-11-20T00:00:00.0000000001Z"
	function, err := status.New(status.DefaultVersion, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"{}", text, string(servicetest.Read("claims.json"))} {
		want := receiver.Receive(inner, []receiver.Answer{{Text: answer}}, receiver.Options{Function: function, Require: record.StatusVerified}).JSON()
		receipt, err := verify.Receive(held, []verify.Answer{{JSON: answer}}, verify.ReceiveOptions{Now: now, Require: record.StatusVerified})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := service.CanonicalJSON(servicetest.Marshal(t, receipt)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v\n%s\n%s", err, got, want)
		}
	}
	for _, bad := range []verify.ReceiveOptions{{}, {Now: "2026-11-20"}, {Now: now, StatusFunctionVersion: "5"}, {Now: "2016-12-31T23:59:60Z", StatusFunctionVersion: "3"}} {
		if r, err := verify.Receive(held, nil, bad); err == nil {
			t.Errorf("%+v gives the receipt %+v", bad, r)
		}
	}
	for _, version := range verify.StatusFunctionVersions() {
		r, err := verify.Receive(held, nil, verify.ReceiveOptions{Now: now, StatusFunctionVersion: version})
		if err != nil || r.StatusFunctionVersion != version {
			t.Errorf("version %s: %+v, %v", version, r, err)
		}
	}
	send := func(_ context.Context, question []byte) (io.ReadCloser, error) {
		if !json.Valid(question) {
			t.Errorf("question %s", question)
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	answers, err := verify.Ask(t.Context(), held, verify.AskOptions{NoNonce: true}, send)
	if err != nil || len(answers) != 1 || answers[0].JSON != text || answers[0].Nonce != "" || len(answers[0].Refs) != 2 {
		t.Errorf("%+v, %v", answers, err)
	}
	_, err = verify.Ask(t.Context(), held, verify.AskOptions{MaxBytes: 10}, send)
	if e, ok := errors.AsType[*verify.TooLargeError](err); !ok || e.Limit != 10 {
		t.Errorf("%v", err)
	}
}

// Callers tell apart what went wrong.
func TestErrorTypes(t *testing.T) {
	private, public := servicetest.Keys()
	_, notPublic := verify.ParsePublicKey(private)
	_, notPrivate := verify.NewKeySigner(public)
	_, noKey := verify.ParsePublicKey("")
	for _, err := range []error{notPublic, notPrivate, noKey} {
		if refused, ok := errors.AsType[*verify.KeyError](err); !ok || refused.Reason == "" {
			t.Errorf("%#v", err)
		}
	}
	held := servicetest.Bundle("claims-held.json")
	const now = "2026-11-20T00:00:00Z"
	_, deriving := verify.DeriveStatuses(held.StatusInput(), now, "5")
	_, receiving := verify.Receive(held, nil, verify.ReceiveOptions{Now: now, StatusFunctionVersion: "5"})
	for _, err := range []error{deriving, receiving} {
		if unknown, ok := errors.AsType[*verify.UnknownVersionError](err); !ok || unknown.Version != "5" {
			t.Errorf("%#v", err)
		}
	}
	if _, err := verify.Receive(held, nil, verify.ReceiveOptions{Now: now, Require: "Verified"}); err == nil {
		t.Error("a status that there is not is required")
	}
}
