package cmd

import (
	"context"
	"errors"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
)

type verifyOptions struct {
	bundle   string
	endpoint string
	response string
	keys     []string
	now      string // a timestamp
	require  string // a status, or empty
	noNonce  bool
	output   string // table or json
}

func newVerify(run func(context.Context, verifyOptions) error) *cobra.Command {
	var opts verifyOptions
	c := &cobra.Command{
		Use:   "verify --bundle FILE (--endpoint URL | --response FILE) [--key PEM]... [--now TIME] [--require STATUS] [--no-nonce] [--output table, json]",
		Short: "Ask what became of the claims of a bundle, and recompute their statuses",
		Long: `Asks a verification endpoint for the claims of a trust bundle that you hold,
merges the answer with the bundle and derives the status of each claim from the
records, before and after, as of one instant. No status in the answer is
believed. An answer may also come from a file.

With --key the answer must be signed by one of the keys, and what is signed must
be the very bundle in it.`,
		Example: `  svc verify --bundle held.json --endpoint https://producer.example
  svc verify --bundle held.json --endpoint https://producer.example --key producer.pem --require verified
  svc verify --bundle held.json --response answer.json --now 2026-07-18 --output json`,
		Annotations: map[string]string{annotationNotes: `An endpoint without a path stands for its /.well-known/hachure/verify. Claims are
asked for by id, 256 at a time, each time with a nonce that must come back;
with --no-nonce it need not.

Exit codes:
  0  the claims were checked
  1  failure: UNREACHABLE, UNREADABLE, NOTHING_HELD, UNKNOWN_REF, NO_KEY
  2  usage error
  3  checked, and the answer is no: UNSIGNED, BAD_SIGNATURE, PAYLOAD_MISMATCH,
     NONCE_MISMATCH, MERGE_COLLISION, STATUS_NOT_MET

--output json prints one document, after a failure too:
  {"claims":[{"after":text or null,"answered":boolean,"before":text,"changed":
  boolean,"id":text}],"keyIds":[text],"now":text,"ok":boolean,"outcomes":[{"code":
  text,"message":text,"records":[{"collection":text,"id":text}]}]}`},
		ValidArgsFunction: offerNothing,
		Args:              noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := needOptions(c, "bundle"); err != nil {
				return err
			}
			switch {
			case opts.endpoint == "" && opts.response == "":
				return usagef("Missing option: --endpoint or --response")
			case opts.endpoint != "" && opts.response != "":
				return usagef("Unexpected option: --response (there is --endpoint)")
			case hasUser(opts.endpoint): // not named in the message, which may be kept
				return usagef("Invalid value for --endpoint: it holds a user or password, which others can see")
			case opts.bundle == stdinName && opts.response == stdinName:
				return usagef("Repeated argument: %s", stdinName)
			}
			return run(c.Context(), opts)
		},
	}
	f := c.Flags()
	f.StringVar(&opts.bundle, "bundle", "", "`FILE` with the trust bundle that you hold; - is standard input")
	f.Var(&endpoint{&opts.endpoint}, "endpoint", "`URL` to ask")
	f.StringVar(&opts.response, "response", "", "`FILE` with an answer; - is standard input")
	f.StringArrayVar(&opts.keys, "key", nil, "file with a public key that may have signed, in `PEM`; may be repeated")
	f.Var(&instant{value: &opts.now, now: time.Now}, "now", "`TIME` to derive the statuses for: RFC 3339, a date or now (default now)")
	f.Var(&choice{&opts.require, verify.Statuses()}, "require", "`STATUS` that every claim must have in the end")
	f.BoolVar(&opts.noNonce, "no-nonce", false, "accept answers without the nonce that was sent")
	addOutput(c, &opts.output, outputTable, outputJSON)
	completeOption(c, "bundle", offerFiles("json"))
	completeOption(c, "endpoint", offerNothing)
	completeOption(c, "response", offerFiles("json"))
	completeOption(c, "key", offerFiles("pem", "pub", "key"))
	completeOption(c, "now", offerWords("now"))
	completeOption(c, "require", offerWords(verify.Statuses()...))
	return c
}

// endpoint is an option that takes the URL of a verification endpoint.
type endpoint struct{ value *string }

func (e *endpoint) String() string { return *e.value }
func (e *endpoint) Type() string   { return "url" }

func (e *endpoint) Set(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
		return errors.New("must be a URL like https://producer.example")
	case u.Path == "" || u.Path == "/":
		u.Path = verify.HachurePath
	}
	*e.value = u.String()
	return nil
}

func hasUser(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.User != nil
}

// verify asks and prints what came out. What could not be read is an outcome
// like others, so that who reads the JSON need not read stderr.
func (p *program) verify(ctx context.Context, opts verifyOptions) error {
	receipt, unreadable := p.receipt(ctx, opts)
	if unreadable != nil {
		p.explain(nil, unreadable)
	} else {
		p.complainOf(receipt)
	}
	p.printReceipt(receipt, opts.output)
	switch receipt.Gravity() {
	case verify.Failure:
		return exitError(exitFailure)
	case verify.Refusal:
		return exitError(exitNo)
	}
	return nil
}

// receipt does the work. An error is what is wrong with a file of the user, in
// more words than the outcome has.
func (p *program) receipt(ctx context.Context, opts verifyOptions) (*verify.Receipt, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if opts.now != "" {
		now, _ = parseInstant(opts.now) // it was formatted by this program
	}
	receive := verify.ReceiveOptions{Now: now, Require: verify.Status(opts.require)}
	unreadable := func(err error) (*verify.Receipt, error) {
		r, message := verify.NewReceipt(now), err.Error()
		if faults := problem.All(err); faults != nil {
			message = describe(faults[0])
		}
		r.Add(verify.Unreadable, message)
		return r, err
	}
	held, err := p.readHeld(opts.bundle)
	if err != nil {
		return unreadable(err)
	}
	for _, name := range opts.keys {
		key, err := readKey(name)
		if err != nil {
			return unreadable(err)
		}
		receive.Keys = append(receive.Keys, key)
	}
	receipt := verify.Before(held, now)
	if receipt.Gravity() != verify.Notice {
		return receipt, nil
	}
	var answers []verify.Answer
	if opts.response != "" {
		text, err := p.readText(opts.response)
		if err != nil {
			return unreadable(err)
		}
		answers = []verify.Answer{{Text: text}}
	} else if answers, err = ask(ctx, opts.endpoint, verify.Questions(held), !opts.noNonce); err != nil {
		receipt.Add(askOutcome(err), err.Error())
		return receipt, nil
	}
	return verify.Receive(held, answers, receive), nil
}

func (p *program) readHeld(name string) (*verify.Bundle, error) {
	in, err := p.findFile(name)
	if err != nil {
		return nil, err
	}
	source, err := p.read(in, nil)
	if err != nil {
		return nil, err
	}
	return verify.ReadBundle(source)
}

func (p *program) readText(name string) (string, error) {
	in, err := p.findFile(name)
	if err != nil {
		return "", err
	}
	source, err := p.read(in, nil)
	return source.Text, err
}

func readKey(name string) (*verify.PublicKey, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	key, err := verify.ReadPublicKey(text)
	if err != nil {
		return nil, fileError(name, err)
	}
	return key, nil
}
