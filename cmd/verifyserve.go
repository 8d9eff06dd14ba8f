package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpapi/server"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

type verifyServeOptions struct {
	store  store.Address
	source string
	host   string
	port   uint64
	key    string // a file, or empty for answers without a signature
}

func newVerifyServe(run func(context.Context, verifyServeOptions) error) *cobra.Command {
	opts := verifyServeOptions{host: "127.0.0.1", port: 4245}
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

A TCP socket that a service manager hands over, as systemd does, is served in
place of --host and --port.

SIGINT or SIGTERM stops it: requests in flight get 10 seconds to end. A second
one stops it at once.`,
		Example: `  svc verify-serve --store sqlite:records.db --source example.org
  svc verify-serve --store postgres://svc@db.example.org/records --source example.org --signing-key key.pem`,
		Annotations: map[string]string{annotationNotes: `Exit codes:
  0  stopped by a signal
  1  failure: "service: <message>" on stderr
  2  usage error

Configuration:
  log.level (debug, info, warn, error) and log.format (text, json) are those of
  the log on stderr. admin.addr opens a second port with /healthz, /readyz,
  /metrics and /debug/pprof/.`},
		DisableFlagParsing: true, // the strict layer judges the whole command line
		ValidArgsFunction:  offerStrict,
	}
	// The options are declared for the usage and for shells.
	c.Flags().String("store", "", "`<address>` of the records; required")
	c.Flags().StringVar(&opts.source, "source", "", "`<id>` that names you in every answer; required")
	c.Flags().StringVar(&opts.host, "host", opts.host, "interface to bind: a `<host>` name or address")
	c.Flags().Uint64Var(&opts.port, "port", opts.port, "`<port>` to bind, 0 picks a free one")
	c.Flags().StringVar(&opts.key, "signing-key", "",
		"`<file>` with the private key that signs the answers: PEM, PKCS #8, Ed25519 or ECDSA P-256")
	source := strictText("--source", &opts.source)
	source.rule = "must be UTF-8 and not empty"
	source.set = func(value string) bool {
		opts.source = value
		return value != "" && canonical.ValidString(value)
	}
	c.Args = func(_ *cobra.Command, words []string) error {
		return judge([]strictOption{
			required(strictStore("--store", &opts.store)),
			required(source),
			strictText("--host", &opts.host),
			strictInteger("--port", &opts.port, 0, math.MaxUint16),
			strictText("--signing-key", &opts.key),
		}, words)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), opts) }
	completeOption(c, "store", offerStores("file:", "sqlite:", "postgres://"))
	completeOption(c, "source", offerNothing)
	completeOption(c, "host", offerHosts)
	completeOption(c, "port", offerNothing)
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
	logger := p.newLogger()
	manager, err := server.FindManager()
	if err != nil {
		return err
	}
	operators, err := p.startAdmin(ctx, logger)
	if err != nil {
		return err
	}
	var observe func(httpapi.Exchange)
	if operators != nil {
		defer operators.close()
		observe = operators.Observe
	}
	var signer verify.Signer
	if opts.key != "" {
		if signer, err = readSigningKey(opts.key); err != nil {
			return err
		}
	}
	records, closeStore, err := store.Open(ctx, opts.store)
	if err != nil {
		return firstFault(storeError(err))
	}
	handler, err := newVerifyHandler(records, opts.source, signer, logger, observe)
	if err != nil {
		return errors.Join(err, closeStore())
	}
	// Before this, while nothing is served, a signal ends the program as usual.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	l, err := manager.Listen(ctx, opts.host, uint16(opts.port))
	if err != nil {
		return errors.Join(err, closeStore())
	}
	running := server.Start(l, handler, server.Options{Logger: logger})
	p.warnOfNeighbours(l.Addr(), running.URL())
	if operators != nil {
		operators.ReadyToVerify()
	}
	keyID := ""
	if signer != nil {
		keyID = signer.KeyID()
	}
	logger.Info("serving", "url", running.URL(), "source", opts.source, "keyId", keyID)
	if err := p.untilSignal(running, manager, operators, logger, signals); err != nil {
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

// firstFault returns the first of the faults that err holds, if it holds any.
func firstFault(err error) error {
	if faults := problem.All(err); faults != nil {
		return faults[0]
	}
	return err
}

// oneLine is an error whose message has several lines, put into one.
type oneLine struct{ error }

func (e oneLine) Error() string { return joinLines(e.error.Error()) }
func (e oneLine) Unwrap() error { return e.error }
