package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

type verifyServeOptions struct {
	store  store.Address
	source string
	address
	key string // a file, or empty for answers without a signature
}

func newVerifyServe(run func(context.Context, verifyServeOptions) error) *cobra.Command {
	opts := verifyServeOptions{address: address{"127.0.0.1", 4245}}
	c := &cobra.Command{
		Use:   "verify-serve --store <address> --source <id> [--host <host>] [--port <port>] [--signing-key <file>]",
		Short: "Serve a verification endpoint: what became of claims",
		Long: `Serves what a store knows of claims over HTTP and prints the URL, once the port
listens. It authenticates nobody: it belongs behind your own authentication.

  GET, POST  /.well-known/profile/verify
  GET, POST  /.well-known/hachure/verify   the same

Stores:
  file:bundle.json   a trust bundle, or a directory of them, read at the start
  sqlite:records.db  SQLite, which svc verify-load fills
  postgres://...     PostgreSQL, which svc verify-load fills; passwords come from
                     PGPASSWORD, PGPASSFILE or a service file

` + serviceText,
		Example: `  svc verify-serve --store sqlite:records.db --source example.org
  svc verify-serve --store postgres://svc@db.example.org/records --source example.org --signing-key key.pem`,
		Annotations:        map[string]string{annotationNotes: serviceNotes},
		DisableFlagParsing: true, // the strict layer judges the whole command line
		ValidArgsFunction:  offerStrict,
	}
	// The options are declared for the usage and for shells.
	c.Flags().String("store", "", "`<address>` of the records; required")
	c.Flags().StringVar(&opts.source, "source", "", "`<id>` that names you in every answer; required")
	opts.address.declare(c)
	c.Flags().StringVar(&opts.key, "signing-key", "",
		"`<file>` with the private key that signs the answers: PEM, PKCS #8, Ed25519 or ECDSA P-256")
	source := strictText("--source", &opts.source)
	source.rule = "must be UTF-8 and not empty"
	source.set = func(value string) bool {
		opts.source = value
		return value != "" && canonical.ValidString(value)
	}
	c.Args = func(_ *cobra.Command, words []string) error {
		return judge(append(opts.address.options(),
			required(strictStore("--store", &opts.store)),
			required(source),
			strictText("--signing-key", &opts.key),
		), words)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) }
	completeOption(c, "store", offerStores("file:", "sqlite:", "postgres://"))
	completeOption(c, "source", offerNothing)
	completeOption(c, "signing-key", offerFiles("pem", "key"))
	return c
}

// strictStore is an option that takes the address of a store.
func strictStore(name string, into *store.Address) strictOption {
	rule := store.ErrAddress.Error() + ", and " + store.ErrPassword.Error()
	return strictOption{name: name, secret: true, rule: rule, set: func(value string) (ok bool) {
		var err error
		*into, err = store.ParseAddress(value)
		return err == nil
	}}
}

// verifyServe runs until a signal comes.
func (p *program) verifyServe(ctx context.Context, opts verifyServeOptions) error {
	s, err := p.newService(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	var signer verify.Signer
	keyID := ""
	if opts.key != "" {
		if signer, err = readSigningKey(opts.key); err != nil {
			return err
		}
		keyID = signer.KeyID()
	}
	records, closeStore, err := store.Open(ctx, opts.store)
	if err != nil {
		return firstFault(storeError(err))
	}
	handler, err := newVerifyHandler(records, opts.source, signer, s.log, s.observe())
	if err != nil {
		return errors.Join(err, closeStore())
	}
	if err := s.start(ctx, opts.address, handler); err != nil {
		return errors.Join(err, closeStore())
	}
	p.warnOfNeighbours(s.listener.Addr(), s.running.URL())
	if s.operators != nil {
		s.operators.ReadyToVerify()
	}
	s.log.Info("serving", "url", s.running.URL(), "source", opts.source, "keyId", keyID)
	if err := s.untilSignal(); err != nil {
		return err // requests may still be in flight: the store is left to the end of the process
	}
	return closeStore()
}

// newVerifyHandler returns the endpoint over the records of a store.
func newVerifyHandler(records verify.Store, source string, signer verify.Signer, logger *slog.Logger, observe func(httpapi.Exchange)) (http.Handler, error) {
	responder, err := verify.NewResponder(records, verify.ResponderOptions{
		Source:                source,
		StatusFunctionVersion: verify.StatusFunctionVersion,
		Signer:                signer,
	})
	if err != nil {
		return nil, err
	}
	handler := verify.NewHandler(responder, verify.HandlerOptions{Log: logger})
	if observe == nil && !logger.Enabled(context.Background(), slog.LevelDebug) {
		return handler, nil // nobody wants to know
	}
	return httpapi.Watch(handler, logger, observe, verify.ProfilePath, verify.HachurePath), nil
}

// warnOfNeighbours says that others can reach an endpoint which asks nobody who
// they are. It is no part of the log, which may be turned off.
func (p *program) warnOfNeighbours(addr net.Addr, url string) {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return
	}
	fmt.Fprintf(p.stderr, "warning: %s can be reached from other machines and authenticates nobody: "+
		"it must stand behind your own authentication\n", url)
}

// readSigningKey reads the private key that signs answers. One that every user
// of the machine can read is no secret. Messages tell nothing of its content.
func readSigningKey(name string) (verify.Signer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(name, err)
	}
	const readByOthers = 0o004
	if runtime.GOOS != "windows" && info.Mode().Perm()&readByOthers != 0 {
		return nil, fileError(name, errors.New("others can read this key: take that from them (chmod o-r), and make a new one if somebody may have"))
	}
	const longest = 64 << 10 // far beyond any key
	text, err := io.ReadAll(io.LimitReader(f, longest))
	if err != nil {
		return nil, fileError(name, err)
	}
	defer clear(text)
	signer, err := verify.ReadSigner(text)
	if err != nil {
		return nil, fileError(name, err)
	}
	return signer, nil
}

// storeError says what is wrong with a store, in one line.
func storeError(err error) error {
	if faults := problem.All(err); faults != nil {
		return err
	}
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return fileError(e.Path, e)
	}
	return oneLine{err}
}
