//go:build js && wasm

// Command verify is package service/verify for JavaScript: index.js loads it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall/js"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/verify"
)

func main() {
	js.Global().Call(callback, map[string]any{
		"verify": js.FuncOf(func(_ js.Value, args []js.Value) any {
			request, kept, done := args[0].String(), args[1], args[2]
			go func() { done.Invoke(outcome(receive(request, kept))) }()
			return nil
		}),
		"ask": js.FuncOf(func(_ js.Value, args []js.Value) any {
			question, send, done := args[0].String(), args[1], args[2]
			go func() { done.Invoke(outcome(ask(question, send))) }()
			return nil
		}),
	})
	select {} // the functions are called from now on
}

// callback is what index.js calls the function that takes the others.
const callback = "takeVerify"

// outcome is what JavaScript gets: the JSON of a result or of an error.
func outcome(result any, err error) string {
	type fault struct {
		Code   service.ErrorCode `json:"code"`
		Path   string            `json:"path"`
		Reason string            `json:"reason"`
	}
	var out struct {
		Result any     `json:"result,omitempty"`
		Error  string  `json:"error,omitempty"`
		Faults []fault `json:"faults,omitempty"`
	}
	if err != nil {
		out.Error = err.Error()
		for _, f := range service.Faults(err) {
			out.Faults = append(out.Faults, fault{f.Code, f.Path, f.Reason})
		}
	} else {
		out.Result = result
	}
	text, err := json.Marshal(out)
	if err != nil { // a result is a record, which JSON can say
		return `{"error":"the result cannot be written"}`
	}
	return string(text)
}

// answer is an answer as JavaScript has it.
type answer struct {
	Text  string   `json:"text"`
	Refs  []string `json:"refs,omitempty"`
	Nonce string   `json:"nonce,omitempty"`
	ByRef bool     `json:"byRef,omitempty"`
}

func receive(request string, kept js.Value) (*record.VerificationReceipt, error) {
	var in struct {
		Bundle  string   `json:"bundle"`
		Answers []answer `json:"answers"`
		Options struct {
			Now                   string                    `json:"now"`
			StatusFunctionVersion string                    `json:"statusFunctionVersion"`
			Keys                  []string                  `json:"keys"`
			Require               record.VerificationStatus `json:"require"`
			AllowFall             bool                      `json:"allowFall"`
			AllowChange           bool                      `json:"allowChange"`
			MaxAgeSeconds         float64                   `json:"maxAgeSeconds"`
		} `json:"options"`
	}
	if err := unmarshal(request, &in); err != nil {
		return nil, err
	}
	held, err := verify.ParseBundle(in.Bundle)
	if err != nil {
		return nil, err
	}
	o := in.Options
	options := verify.ReceiveOptions{
		Now: o.Now, StatusFunctionVersion: o.StatusFunctionVersion, Require: o.Require, AllowFall: o.AllowFall,
		AllowChange: o.AllowChange, MaxAge: time.Duration(o.MaxAgeSeconds * float64(time.Second)),
	}
	if kept.Truthy() {
		options.Memory = memory{kept}
	}
	for _, pem := range o.Keys {
		key, err := verify.ParsePublicKey(pem)
		if err != nil {
			return nil, err
		}
		options.Keys = append(options.Keys, key)
	}
	var answers []verify.Answer
	for _, a := range in.Answers {
		answers = append(answers, verify.Answer{JSON: a.Text, Refs: a.Refs, Nonce: a.Nonce, ByRef: a.ByRef})
	}
	return verify.Receive(held, answers, options)
}

// memory is a memory that JavaScript has. Its functions take and give texts, and promise what they
// give.
type memory struct{ js.Value }

// Recall implements verify.Memory.
func (m memory) Recall(source string) (answers []string, err error) {
	text, err := await(m.Call("recall", source))
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(text).Decode(&answers)
	return answers, err
}

// Keep implements verify.Memory.
func (m memory) Keep(source string, answers []string) error {
	text, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	_, err = await(m.Call("keep", source, string(text)))
	return err
}

func ask(request string, send js.Value) ([]answer, error) {
	var in struct {
		Bundle  string `json:"bundle"`
		Options struct {
			Refs     []string `json:"refs"`
			NoNonce  bool     `json:"noNonce"`
			MaxBytes int64    `json:"maxBytes"`
		} `json:"options"`
	}
	if err := unmarshal(request, &in); err != nil {
		return nil, err
	}
	held, err := verify.ParseBundle(in.Bundle)
	if err != nil {
		return nil, err
	}
	found, err := verify.Ask(context.Background(), held, verify.AskOptions(in.Options),
		func(_ context.Context, question []byte) (io.ReadCloser, error) {
			return await(send.Invoke(string(question)))
		})
	answers := []answer{}
	for _, a := range found {
		answers = append(answers, answer{a.JSON, a.Refs, a.Nonce, a.ByRef})
	}
	return answers, err
}

// await waits for a promise of a text.
func await(promise js.Value) (io.ReadCloser, error) {
	type settled struct {
		text string
		err  error
	}
	result := make(chan settled, 1)
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any { result <- settled{text: args[0].String()}; return nil })
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		result <- settled{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer kept.Release()
	defer broken.Release()
	promise.Call("then", kept, broken)
	r := <-result
	return io.NopCloser(strings.NewReader(r.text)), r.err
}

// unmarshal reads what index.js wrote. A member that nobody knows is a mistake of the page.
func unmarshal(text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
