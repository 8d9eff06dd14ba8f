package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
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
	return option.Func(func(text string) error {
		u, err := url.Parse(text)
		switch {
		case err == nil && u.User != nil: // not named in the message, which may be kept
			return option.Hidden("it holds a user or password, which others can see")
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
			return errors.New("must be a URL like https://producer.example")
		case u.Path == "" || u.Path == "/":
			u.Path = producer.HachurePath
		}
		*p = u.String()
		return nil
	})
}

// verify asks and prints what came out. What could not be read is an outcome like
// others, so that who reads the JSON need not read stderr.
func (p *program) verify(ctx context.Context, opts verifyOptions) error {
	setHeapGrowth(heapOfAnswers)
	receipt, unreadable := p.receive(ctx, opts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if unreadable != nil {
		p.Fail(unreadable)
	} else {
		for _, o := range receipt.Outcomes {
			if o.Code.Severity() != receiver.Notice || o.Code == receiver.OtherVersion {
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
		r.Add(receiver.Unreadable, message)
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
	options := receiver.Options{Function: opts.function, Require: bundle.Status(opts.require), AllowFall: opts.fall}
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
		code := receiver.Unreachable
		if _, ok := errors.AsType[*receiver.TooLargeError](err); ok {
			code = receiver.Unreadable
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

// askTime is for one question and its answer.
const askTime = 30 * time.Second

// ask asks an endpoint for the claims of a bundle. The caller says whether the nonces
// must come back.
func ask(ctx context.Context, endpoint string, held *bundle.Bundle, demandNonce bool) ([]receiver.Answer, error) {
	client := &http.Client{
		Timeout: askTime,
		// The one who is asked must answer: the user's question was not for another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	return receiver.Ask(ctx, held, receiver.AskOptions{NoNonce: !demandNonce}, func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		return post(ctx, client, endpoint, question)
	})
}

// post sends a question and returns the body of the answer. Errors of reading it name
// the endpoint.
func post(ctx context.Context, client *http.Client, endpoint string, question []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(question))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("%s does not answer: %w", endpoint, failed.Err)
	} else if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		// By its name, not in the words of whoever answered, of which there may be many.
		return nil, fmt.Errorf("%s answered %d %s", endpoint, response.StatusCode, http.StatusText(response.StatusCode))
	}
	return &answerBody{response.Body, endpoint}, nil
}

// answerBody is the body of an answer.
type answerBody struct {
	io.ReadCloser
	endpoint string
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: the answer broke off: %w", b.endpoint, err)
	}
	return n, err
}

// describeOutcome says what an outcome is, and about which records.
func describeOutcome(o *receiver.Outcome) string {
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
		case bundle.Verified:
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
	p.Printf("\nStatuses as of %s by version %s of the status function, %s.\n", r.Now, r.Version, signature)
	for _, o := range r.Outcomes {
		if o.Code.Severity() == receiver.Notice && o.Code != receiver.OtherVersion { // which stderr has
			p.Print(console.Printable(describeOutcome(&o)) + "\n")
		}
	}
}
