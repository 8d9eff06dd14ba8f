package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/access"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/signing"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/asker"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/memory"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

type verifyOptions struct {
	bundle      string
	release     string // a file of a release of svc, checked instead of all else, or empty
	catalog     string // asked about instead of the claims of a bundle, or empty
	endpoint    string
	response    string
	keys        []string
	function    *status.Function
	require     string // a status, or empty
	noNonce     bool
	fall        bool          // a claim that is no longer verified is no refusal
	change      bool          // a claim that says something else is no refusal
	maxAge      time.Duration // of an answer that meets require
	keep        string        // a folder, or empty
	refs        []string      // to ask for, instead of the ids of the claims
	access      access.Files
	signing.Key        // of the receipt, if anybody is named
	output      string // table or json
}

func newVerify(run func(context.Context, verifyOptions) error) *cobra.Command {
	var opts verifyOptions
	var version, now string
	return option.Declare(&cobra.Command{
		Use: "verify (--bundle FILE | --catalog FILE) (--endpoint URL | --response FILE) [--key PEM]... [--now TIME] " +
			"[--require STATUS] [--max-age DURATION]" +
			" [--keep FOLDER] [--ref REF]... [--token-file FILE] [--header-file FILE] [--cert PEM] [--ca PEM] " +
			"[--allow-change] [--allow-fall]" +
			" [--sign-receipt PEM]" +
			" [--no-nonce] [--status-function-version VERSION] [--output table, json]\n" +
			"svc verify --release FILE --key PEM",
		Short: "Ask about claims that you hold, and recompute their statuses",
		RunE: func(c *cobra.Command, _ []string) error {
			if opts.release != "" {
				if err := opts.checkRelease(); err != nil {
					return err
				}
				return run(c.Context(), opts)
			}
			switch {
			case (opts.bundle == "") == (opts.catalog == ""):
				return option.Errorf("Missing option: --bundle or --catalog, one of them")
			case opts.endpoint == "" && opts.response == "":
				return option.Errorf("Missing option: --endpoint or --response")
			case opts.endpoint != "" && opts.response != "":
				return option.Errorf("Options that exclude each other: --endpoint and --response")
			case opts.IsNamed() && opts.output != option.FormatJSON:
				return option.Errorf("Option without --output json: --sign-receipt or --signer-command")
			case opts.File != "" && opts.Command != "":
				return option.Errorf("Options that exclude each other: --sign-receipt and --signer-command")
			case opts.response != "" && (opts.refs != nil || opts.access != access.Files{}):
				return option.Errorf("Options for questions, beside --response, which asks nobody: --ref, --token-file, " +
					"--header-file, --cert, --ca")
			}
			if now == "" {
				now, _ = timestamp.Format(time.Now())
			}
			var err error
			if opts.function, err = status.New(status.Version(version), now); err != nil {
				return option.Invalid("--now", now, "must not be a leap second, which version "+version+" of the status function "+
					"does not read")
			}
			return run(c.Context(), opts)
		},
	},
		opts.declare(&version, &now)...)
}

// declare declares the options.
func (o *verifyOptions) declare(version, now *string) []option.Option {
	return []option.Option{
		{Name: "bundle", Value: option.Input(&o.bundle), Offer: option.Endings("json"),
			Usage: "`FILE` with the trust bundle that you hold; - is standard input"},
		{Name: "catalog", Value: option.Input(&o.catalog), Offer: option.Endings("json"),
			Usage: "`FILE` with a catalog that must be the current build of its source"},
		{Name: "release", Value: option.Text(&o.release), Offer: option.Endings("gz", "zip", "deb", "rpm", "mcpb"),
			Usage: "`FILE` of a release of svc to check by the attestation beside it, and by nothing else"},
		{Name: "endpoint", Value: endpointOption(&o.endpoint), Offer: option.Nothing, Usage: "`URL` to ask"},
		{Name: "response", Value: option.Input(&o.response), Offer: option.Endings("json"),
			Usage: "`FILE` with an answer; - is standard input"},
		{Name: "key", Value: option.Texts(&o.keys), Many: true, Offer: option.Endings("pem", "pub", "key"),
			Usage: "file with a public key that may have signed, in `PEM`; may be repeated"},
		{Name: "now", Value: option.ExactInstant(now, time.Now), Offer: option.Words("now"),
			Usage: "`TIME` to derive the statuses for: RFC 3339, a date or now (default now)"},
		{Name: "require", Value: option.ChoiceOrNone(&o.require, bundle.Statuses()...),
			Usage: "`STATUS` that every claim must have in the end"},
		{Name: "max-age", Value: maxAgeOption(&o.maxAge), Offer: option.Words("24h", "7d", "any"),
			Usage: "`DURATION`, such as 24h or 7d, that an answer may be old to meet --require; any for no limit (default 24h)"},
		{Name: "keep", Value: option.Text(&o.keep), Offer: option.Folders,
			Usage: "`FOLDER` to keep answers in, so that a later one cannot take back what they say"},
		{Name: "ref", Value: option.Texts(&o.refs), Many: true, Offer: option.Nothing,
			Usage: "`REF` to ask for, such as an integrity ref, instead of the ids of the claims; may be repeated"},
		{Name: "token-file", Value: option.Text(&o.access.Token), Offer: option.Endings("token", "txt"),
			Usage: "`FILE` with a bearer token for the endpoint"},
		{Name: "header-file", Value: option.Text(&o.access.Header), Offer: option.Endings("txt"),
			Usage: "`FILE` with headers for the endpoint, a line each: Name: value"},
		{Name: "cert", Value: option.Text(&o.access.Certificate), Offer: option.Endings("pem"),
			Usage: "file with a client certificate and its private key, in `PEM`"},
		{Name: "ca", Value: option.Text(&o.access.Roots), Offer: option.Endings("pem", "crt"),
			Usage: "file with authorities to trust beside those of the system, in `PEM`"},
		{Name: "sign-receipt", Value: option.Text(&o.File), Offer: option.Endings("pem", "key"),
			Usage: "file with a private key, in `PEM`, that signs the receipt; --output json prints the envelope"},
		o.CommandOption(),
		{Name: "allow-change", Value: option.Bool(&o.change), Usage: "accept that a claim says something else than the one " +
			"that you hold"},
		{Name: "status-function-version", Value: option.Choice(version, statusVersions()...),
			Usage: "`VERSION` of the status function"},
		{Name: "no-nonce", Value: option.Bool(&o.noNonce), Usage: "accept answers without the nonce that was sent"},
		{Name: "allow-fall", Value: option.Bool(&o.fall), Usage: "accept that a claim that was verified no longer is"},
		option.Format(&o.output, option.FormatTable, option.FormatJSON),
	}
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

// maxAgeOption is an option that takes an age.
func maxAgeOption(p *time.Duration) option.Value {
	return option.Func(func(text string) (err error) {
		*p, err = option.ParseAge(text)
		return err
	})
}

// verify asks and prints what came out. What could not be read is an outcome like
// others, so that who reads the JSON need not read stderr.
func (p *program) verify(ctx context.Context, opts verifyOptions) error {
	if opts.release != "" {
		return p.verifyRelease(ctx, opts)
	}
	signer, _, err := opts.Signer(ctx)
	if err != nil {
		return err
	}
	setHeapGrowth(heapOfAnswers)
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
	if signer != nil {
		envelope, err := dsse.Sign(ctx, receipt.Statement(), signer)
		if err != nil {
			return err
		}
		p.PrintJSON(envelope.AppendJSON(nil))
	} else if opts.output == option.FormatJSON {
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
	in := p.newInputs()
	held, about, err := readHeld(ctx, in, &opts)
	if err != nil {
		return unreadable(err)
	}
	options, err := opts.receiver()
	if err != nil {
		return unreadable(err)
	}
	if opts.keep != "" {
		folder, err := memory.Open(ctx, opts.keep)
		if err != nil {
			return unreadable(files.Named(opts.keep, err))
		}
		defer folder.Close()
		options.Memory = folder
	}
	if opts.response == "" {
		receipt, err := ask(ctx, held, about, opts, options)
		if errors.As(err, new(*accessError)) {
			return unreadable(err)
		} else if err != nil {
			code := record.OutcomeUnreachable
			if _, ok := errors.AsType[*receiver.TooLargeError](err); ok {
				code = record.OutcomeUnreadable
			}
			receipt.Add(code, err.Error())
		}
		return receipt, nil
	}
	answer, err := in.ReadFile(ctx, opts.response, receiver.MaxAnswerBytes)
	if err == nil {
		err = files.Expect(answer, verificationAnswer)
	}
	if err != nil {
		return unreadable(err)
	}
	answers := []receiver.Answer{{Text: answer.Text}}
	if about == nil {
		return receiver.Receive(held, answers, options), nil
	}
	return receiver.ReceiveCatalog(*about, answers, options), nil
}

// readHeld reads the trust bundle that is held, or else what a catalog says of itself.
func readHeld(ctx context.Context, in *files.Inputs, opts *verifyOptions) (*bundle.Bundle, *channel.Catalog, error) {
	name := cmp.Or(opts.bundle, opts.catalog)
	source, err := in.ReadFile(ctx, name, files.MaxWhole)
	if err != nil {
		return nil, nil, err
	}
	if opts.catalog == "" {
		held, err := bundle.Read(source)
		return held, nil, files.OtherKind(source, files.TrustBundle, err)
	}
	about, err := describeCatalog(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	opts.refs, opts.require = []string{channel.Ref(about.Digest)}, string(record.StatusVerified)
	return nil, about, nil
}

// receiver returns the options of the receiver.
func (o *verifyOptions) receiver() (receiver.Options, error) {
	options := receiver.Options{
		Function: o.function, Require: record.VerificationStatus(o.require), AllowFall: o.fall, AllowChange: o.change,
		MaxAge: o.maxAge,
	}
	for _, name := range o.keys {
		key, err := signing.ReadPublicKey(name)
		if err != nil {
			return options, err
		}
		options.Keys = append(options.Keys, key)
	}
	return options, nil
}

// verificationAnswer is what an answer is called beside other kinds of files. A trust
// bundle alone is one, too.
var verificationAnswer = files.Kind{Name: "answer", Family: files.TrustBundle.Family}

// ask asks an endpoint for the claims of a bundle, or what became of a catalog. An [accessError] is
// that of a file of the user.
func ask(ctx context.Context, held *bundle.Bundle, about *channel.Catalog, opts verifyOptions,
	options receiver.Options) (*receiver.Receipt, error) {
	none := receiver.NewReceipt(opts.function)
	shown, err := opts.access.Read()
	if err != nil {
		return none, &accessError{err}
	}
	a := asker.New(opts.endpoint, nil, shown)
	defer a.Close()
	questions := receiver.AskOptions{Refs: opts.refs, NoNonce: opts.noNonce}
	if about == nil {
		return receiver.Verify(ctx, held, questions, options, a.Send)
	}
	answers, err := receiver.Ask(ctx, nil, questions, a.Send)
	if err != nil {
		return none, err
	}
	return receiver.ReceiveCatalog(*about, answers, options), nil
}

// accessError is what is wrong with a file that has what an endpoint wants to see.
type accessError struct{ error }

func (e *accessError) Unwrap() error { return e.error }

// describeOutcome says what an outcome is, and about which records.
func describeOutcome(o *record.ReceiptOutcome) string {
	text := string(o.Code) + ": " + o.Message
	if o.Code == record.OutcomeNonceMismatch {
		text += " (--no-nonce accepts it)"
	}
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
		case c.Note != "":
			note = console.Printable(string(c.Note))
		case !c.Answered:
			note = "not in the answer"
		case c.Replaced:
			note = "it is another claim now"
		case c.Changed:
			note = "the claim has changed"
		}
		t.Add(console.Text(console.Printable(c.ID)), console.Text(string(c.Before)),
			console.Cell{Paint: paint, Lines: []string{after}}, console.Cell{Paint: p.Out.Faint, Lines: []string{note}})
	}
	p.Print(t.Fit(p.Width()))
	signature := "no signature checked"
	given := ""
	if len(r.Answers) > 0 {
		if a := &r.Answers[0]; a.KeyID != "" {
			signature = "signed by " + string(a.KeyID)
		}
		given = ", from an answer of " + console.Printable(console.Clip(r.Answers[0].RespondedAt))
	}
	p.Printf("\nStatuses as of %s by version %s of the status function%s, %s.\n", r.Now, r.StatusFunctionVersion, given,
		signature)
	for _, o := range r.Outcomes {
		if receiver.SeverityOf(o.Code) == receiver.Notice && o.Code != record.OutcomeOtherVersion { // which stderr has
			p.Print(console.Printable(describeOutcome(&o)) + "\n")
		}
	}
}

// A file of a release of svc is checked by the attestation beside it.

// provenanceName is the file of a release that says what its files were built of.
const provenanceName = "provenance.dsse.json"

// checkRelease refuses what does not go together with a file of a release.
func (o *verifyOptions) checkRelease() error {
	switch {
	case o.bundle+o.catalog+o.endpoint+o.response+o.require+o.keep != "" || o.refs != nil || o.IsNamed():
		return option.Errorf("Options that exclude each other: --release and those about claims")
	case o.keys == nil:
		return option.Errorf("Missing option: --key")
	}
	return nil
}

// verifyRelease says whether a key has signed a file of a release.
func (p *program) verifyRelease(ctx context.Context, opts verifyOptions) error {
	var keys []*dsse.PublicKey
	for _, name := range opts.keys {
		key, err := signing.ReadPublicKey(name)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	sum, err := sumFile(ctx, opts.release)
	if err != nil {
		return files.Named(opts.release, err)
	}
	attestation := filepath.Join(filepath.Dir(opts.release), provenanceName)
	text, err := disk.Read(attestation, files.MaxWhole)
	if err != nil {
		return files.Named(attestation, err)
	}
	envelope, err := dsse.ReadEnvelope(text)
	if err != nil {
		return files.Named(attestation, err)
	}
	refuse := func(text string) error {
		p.Problem(text)
		return exitError(exitNo)
	}
	key := envelope.SignedBy(keys)
	if key == nil {
		return refuse(attestation + ": no key that you gave has signed it")
	}
	name := filepath.Base(opts.release)
	isSigned := slices.Contains(envelope.About().Subjects, dsse.Subject{Name: name, SHA256: sum})
	if !isSigned {
		return refuse(fmt.Sprintf("%s: is not a file of that release: its SHA-256 is %s", console.Printable(opts.release),
			sum))
	}
	p.Printf("%s is as %s has signed it\n", console.Printable(opts.release), key.ID())
	return nil
}

// sumFile returns the SHA-256 of a file, in hexadecimal digits.
func sumFile(ctx context.Context, name string) (string, error) {
	f, _, err := disk.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	stop := context.AfterFunc(ctx, func() { f.Close() })
	defer stop()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", errors.Join(ctx.Err(), err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
