package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/server"
	"github.com/model-catalog-service/svc/cmd/internal/signing"
	"github.com/model-catalog-service/svc/internal/canonical"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

type verifyServeOptions struct {
	store  store.Address
	source string
	server.Address
	signing.Key // answers, if anybody is named
}

func newVerifyServe(run func(context.Context, verifyServeOptions) error) *cobra.Command {
	opts := verifyServeOptions{Address: server.Address{Host: httpserver.DefaultHost,
		Port: httpserver.DefaultVerificationPort}}
	address := func(text string) (err error) {
		if opts.store, err = store.ParseAddress(text); err != nil {
			return option.Hidden("it " + store.ErrAddress.Error() + ", and " + store.ErrPassword.Error())
		}
		return nil
	}
	source := func(text string) error {
		if opts.source = text; text == "" || !canonical.ValidString(text) {
			return errors.New("must be UTF-8 and not empty")
		}
		return nil
	}
	return option.Strict(option.Declare(&cobra.Command{
		Use:   "verify-serve --store <address> --source <id> [--host <host>] [--port <port>] [--signing-key <file>]",
		Short: "Serve a verification endpoint: the current records of claims",
		RunE:  option.Run(run, &opts),
	},
		option.Option{Name: "store", Value: option.Func(address), Required: true,
			Offer: offerStores("file:", "sqlite:", "postgres://"),
			Usage: "`<address>` of the records; required"},
		option.Option{Name: "source", Value: option.Func(source), Required: true, Offer: option.Nothing,
			Usage: "`<id>` that names you in every answer; required"},
		opts.HostOption(),
		opts.PortOption(),
		option.Option{Name: "signing-key", Value: option.Text(&opts.File), Offer: option.Endings("pem", "key"),
			Usage: "`<file>` with the private key that signs the answers: PEM, PKCS #8, Ed25519 or ECDSA P-256"},
	))
}

// verifyServe runs until a signal comes.
func (p *program) verifyServe(ctx context.Context, opts verifyServeOptions) error {
	s, err := p.newServer(ctx, p.config.VerifyServe.Admin)
	if err != nil {
		return err
	}
	defer s.Close()
	if opts.File == "" { // what is given as an option counts
		opts.Command = p.config.VerifyServe.SignerCommand
	}
	signer, keyID, err := opts.Signer(ctx)
	if err != nil {
		return err
	}
	setHeapGrowth(heapOfRecords)
	records, closeStore, err := store.Open(ctx, opts.store)
	if err != nil {
		return console.First(storeError(otherBundle(err)))
	}
	serveHeap()
	options := producer.ResponderOptions{
		Source:                opts.source,
		StatusFunctionVersion: string(status.DefaultVersion),
		Signer:                signer,
	}
	responder, err := producer.NewResponder(records, options)
	if err != nil {
		return errors.Join(err, closeStore())
	}
	handler := producer.NewHandler(responder, producer.HandlerOptions{Log: s.Log, Observe: s.Observe(),
		Origin: p.config.VerifyServe.Origin, MaxAge: time.Duration(p.config.VerifyServe.MaxAge) * time.Second})
	served := operators.Service{Work: "verify", InFlight: handler.AnswersInFlight, HeldBytes: handler.HeldBytes,
		Check: records.Ready}
	if _, isMemory := records.(*producer.MemoryStore); !isMemory {
		setHeapGrowth(heapOfAnswers) // what a database keeps of its answers comes while it serves
	}
	if err := s.Start(ctx, opts.Address, handler, served, noAuthentication); err != nil {
		return errors.Join(err, closeStore())
	}
	s.Log.Info("serving", "url", s.URL(), "source", opts.source, "keyId", keyID)
	if opts.IsNamed() {
		defer s.OnHangup(func() {
			signer, keyID, err := opts.Signer(ctx)
			if err != nil {
				s.Log.Error("signing key not read again", "error", err)
				return
			}
			next := options
			next.Signer = signer
			if responder, err := producer.NewResponder(records, next); err == nil { // as at the start
				handler.Replace(responder)
			}
			s.Log.Info("signing key read again", "keyId", keyID)
		})()
	}
	if err := s.Run(ctx); err != nil {
		return err // requests may still be in flight: the store is left to the end of the process
	}
	return closeStore()
}

// otherBundle says which kind of file it is that a store of files has instead of a bundle.
func otherBundle(err error) error {
	faults := problem.All(err)
	if len(faults) == 0 || faults[0].Place.File == "" {
		return err
	}
	name := faults[0].Place.File
	text, unread := disk.Read(name, files.MaxWhole)
	if unread != nil {
		return err
	}
	return files.OtherKind(problem.Source{Name: name, Text: text}, files.TrustBundle, err)
}

// storeError says what is wrong with a store, in one line.
func storeError(err error) error {
	if problem.All(err) != nil {
		return err
	}
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return files.Named(e.Path, e)
	}
	return oneLine{err}
}

// oneLine is an error whose message has several lines, put into one.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }
func (e oneLine) Unwrap() error { return e.error }

// offerStores offers how addresses of stores begin, and the paths that file: and
// sqlite: may go on with.
func offerStores(schemes ...string) option.Offer {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		scheme, path, isPath := strings.Cut(word, ":")
		scheme += ":"
		switch {
		case !isPath || !slices.Contains(schemes, scheme):
			return schemes, directive
		case scheme == "file:":
			return pathsLike(scheme, path, ".json"), directive
		}
		return pathsLike(scheme, path, ".db", ".sqlite", ".sqlite3"), directive
	}
}

// pathsLike returns the folders that a path may go on with, and the files with one of
// the extensions.
func pathsLike(scheme, path string, extensions ...string) (paths []string) {
	folder, start := filepath.Split(path)
	entries, _ := os.ReadDir(cmp.Or(folder, "."))
	for _, e := range entries {
		switch {
		case !strings.HasPrefix(e.Name(), start) || start == "" && strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			paths = append(paths, scheme+folder+e.Name()+"/")
		case slices.Contains(extensions, filepath.Ext(e.Name())):
			paths = append(paths, scheme+folder+e.Name())
		}
	}
	return paths
}
