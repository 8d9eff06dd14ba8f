package cmd

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/asker"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

type verifyOptions struct {
	bundle   string
	endpoint string
	response string
	keys     []string
	function *status.Function
	require  string // a status, or empty
	noNonce  bool
	fall     bool   // a claim that is no longer verified is no refusal
	output   string // table or json
}

func newVerify(run func(context.Context, verifyOptions) error) *cobra.Command {
	var opts verifyOptions
	var version, now string
	return option.Declare(&cobra.Command{
		Use:   "verify --bundle FILE (--endpoint URL | --response FILE) [--key PEM]... [--now TIME] [--require STATUS] [--status-function-version VERSION] [--no-nonce] [--allow-fall] [--output table, json]",
		Short: "Ask about claims that you hold, and recompute their statuses",
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case opts.endpoint == "" && opts.response == "":
				return option.Errorf("Missing option: --endpoint or --response")
			case opts.endpoint != "" && opts.response != "":
				return option.Errorf("Options that exclude each other: --endpoint and --response")
			}
			if now == "" {
				now, _ = timestamp.Format(time.Now())
			}
			var err error
			if opts.function, err = status.New(status.Version(version), now); err != nil {
				return option.Invalid("--now", now, "must not be a leap second, which version "+version+" of the status function does not read")
			}
			return run(c.Context(), opts)
		},
	},
		option.Option{Name: "bundle", Value: option.Input(&opts.bundle), Required: true, Offer: option.Endings("json"),
			Usage: "`FILE` with the trust bundle that you hold; - is standard input"},
		option.Option{Name: "endpoint", Value: endpointOption(&opts.endpoint), Offer: option.Nothing, Usage: "`URL` to ask"},
		option.Option{Name: "response", Value: option.Input(&opts.response), Offer: option.Endings("json"), Usage: "`FILE` with an answer; - is standard input"},
		option.Option{Name: "key", Value: option.Texts(&opts.keys), Many: true, Offer: option.Endings("pem", "pub", "key"),
			Usage: "file with a public key that may have signed, in `PEM`; may be repeated"},
		option.Option{Name: "now", Value: option.ExactInstant(&now, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` to derive the statuses for: RFC 3339, a date or now (default now)"},
		option.Option{Name: "require", Value: option.ChoiceOrNone(&opts.require, bundle.Statuses()...), Usage: "`STATUS` that every claim must have in the end"},
		option.Option{Name: "status-function-version", Value: option.Choice(&version, statusVersions()...), Usage: "`VERSION` of the status function"},
		option.Option{Name: "no-nonce", Value: option.Bool(&opts.noNonce), Usage: "accept answers without the nonce that was sent"},
		option.Option{Name: "allow-fall", Value: option.Bool(&opts.fall), Usage: "accept that a claim that was verified no longer is"},
		option.Format(&opts.output, option.FormatTable, option.FormatJSON),
	)
}

// statusVersions returns the versions of the status function, the default first.
func statusVersions() []string {
	var list []string
	for _, v := range status.Versions() {
		list = append([]string{string(v)}, list...)
	}
	return list
}

// endpointOption is an option that takes the URL of a verification endpoint.
func endpointOption(p *string) option.Value {
	return option.Func(func(text string) (err error) {
		if *p, err = asker.ParseEndpoint(text); errors.Is(err, asker.ErrCredentials) {
			return option.Hidden(err.Error()) // not to be named in the message, which may be kept
		}
		return err
	})
}

// verify asks and prints what came out. What could not be read is an outcome like
// others, so that who reads the JSON need not read stderr.
func (p *program) verify(ctx context.Context, opts verifyOptions) error {
	receipt, unreadable := p.receive(ctx, opts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if unreadable != nil {
		p.Fail(unreadable)
	} else {
		for _, o := range receipt.Outcomes {
			if receiver.SeverityOf(o.Code) != receiver.Notice || o.Code == record.OutcomeOtherVersion {
				p.Problem(describeOutcome(&o))
			}
		}
	}
	severity := receipt.Severity()
	if opts.output == option.FormatJSON {
		p.PrintJSON(receipt.JSON())
	} else if severity != receiver.Failure {
		p.printReceipt(receipt)
	}
	switch severity {
	case receiver.Failure:
		return exitError(exitFailure)
	case receiver.Refusal:
		return exitError(exitNo)
	}
	return nil
}

// receive does the work. An error is what is wrong with a file of the user, in more
// words than the outcome has.
func (p *program) receive(ctx context.Context, opts verifyOptions) (*receiver.Receipt, error) {
	unreadable := func(err error) (*receiver.Receipt, error) {
		r, message := receiver.NewReceipt(opts.function), err.Error()
		if faults := problem.All(err); faults != nil {
			message = console.Describe(faults[0])
		}
		r.Add(record.OutcomeUnreadable, message)
		return r, err
	}
	in := files.New(p.stdin)
	source, err := in.ReadFile(ctx, opts.bundle, files.MaxWhole)
	if err != nil {
		return unreadable(err)
	}
	held, err := bundle.Read(source)
	if err != nil {
		return unreadable(files.OtherKind(source, files.TrustBundle, err))
	}
	options := receiver.Options{Function: opts.function, Require: record.VerificationStatus(opts.require), AllowFall: opts.fall}
	for _, name := range opts.keys {
		key, err := readPublicKey(name)
		if err != nil {
			return unreadable(err)
		}
		options.Keys = append(options.Keys, key)
	}
	receipt := receiver.NewHeldReceipt(held, opts.function)
	if receipt.Severity() != receiver.Notice {
		return receipt, nil
	}
	var answers []receiver.Answer
	if opts.response != "" {
		answer, err := in.ReadFile(ctx, opts.response, receiver.MaxAnswerBytes)
		if err != nil {
			return unreadable(err)
		}
		if err := files.Expect(answer, verificationAnswer); err != nil {
			return unreadable(err)
		}
		answers = []receiver.Answer{{Text: answer.Text}}
	} else if answers, err = ask(ctx, opts.endpoint, held, !opts.noNonce); err != nil {
		code := record.OutcomeUnreachable
		if _, ok := errors.AsType[*receiver.TooLargeError](err); ok {
			code = record.OutcomeUnreadable
		}
		receipt.Add(code, err.Error())
		return receipt, nil
	}
	return receiver.Receive(held, answers, options), nil
}

// verificationAnswer is what an answer is called beside other kinds of files. A trust
// bundle alone is one, too.
var verificationAnswer = files.Kind{Name: "answer", Family: files.TrustBundle.Family}

func readPublicKey(name string) (*dsse.PublicKey, error) {
	text, err := disk.Read(name, maxKey)
	if err != nil {
		return nil, files.Named(name, err)
	}
	key, err := dsse.ReadPublicKey([]byte(text))
	if err != nil {
		return nil, cmp.Or(files.Expect(problem.Source{Name: name, Text: text}, files.Kind{Name: "public key"}), files.Named(name, err))
	}
	return key, nil
}

// ask asks an endpoint for the claims of a bundle. The caller says whether the nonces
// must come back.
func ask(ctx context.Context, endpoint string, held *bundle.Bundle, demandNonce bool) ([]receiver.Answer, error) {
	a := asker.New(endpoint, nil)
	defer a.Close()
	return receiver.Ask(ctx, held, receiver.AskOptions{NoNonce: !demandNonce}, a.Send)
}

// describeOutcome says what an outcome is, and about which records.
func describeOutcome(o *record.ReceiptOutcome) string {
	text := string(o.Code) + ": " + o.Message
	for i, record := range o.Records {
		switch {
		case i == 0:
			text += ": "
		case i == console.MaxNamed:
			return text + ", and more"
		default:
			text += ", "
		}
		text += record.Collection + " " + console.Clip(record.ID)
	}
	return text
}

// printReceipt prints the statuses for people.
func (p *program) printReceipt(r *receiver.Receipt) {
	var t console.Table
	t.Head(p.Out, "CLAIM", "BEFORE", "AFTER", "NOTE")
	for _, c := range r.Claims {
		after, paint := "-", p.Out.Faint
		switch c.After {
		case "":
		case record.StatusVerified:
			after, paint = string(c.After), p.Out.Good
		default:
			after, paint = string(c.After), p.Out.Bad
		}
		note := ""
		switch {
		case c.After == "":
			note = "the answer was rejected"
		case c.Fall != "":
			note = console.Printable(c.Fall)
		case !c.Answered:
			note = "not in the answer"
		case c.Changed:
			note = "the claim has changed"
		}
		t.Add(console.Text(console.Clip(c.ID)), console.Text(string(c.Before)),
			console.Cell{Paint: paint, Lines: []string{after}}, console.Cell{Paint: p.Out.Faint, Lines: []string{note}})
	}
	p.Print(t.Fit(p.Width()))
	signature := "no signature checked"
	if len(r.KeyIDs) > 0 {
		signature = "signed by " + r.KeyIDs[0]
	}
	p.Printf("\nStatuses as of %s by version %s of the status function, %s.\n", r.Now, r.StatusFunctionVersion, signature)
	for _, o := range r.Outcomes {
		if receiver.SeverityOf(o.Code) == receiver.Notice && o.Code != record.OutcomeOtherVersion { // which stderr has
			p.Print(console.Printable(describeOutcome(&o)) + "\n")
		}
	}
}
