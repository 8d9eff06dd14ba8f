package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/server"
	"github.com/model-catalog-service/svc/internal/canonical"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/store"
)

type verifyServeOptions struct {
	store  store.Address
	source string
	server.Address
	signing // answers, if anybody is named
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
		option.Option{Name: "signing-key", Value: option.Text(&opts.key), Offer: option.Endings("pem", "key"),
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
	if opts.key == "" { // what is given as an option counts
		opts.command = p.config.VerifyServe.SignerCommand
	}
	signer, keyID, err := opts.signerAndID(ctx)
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
	if opts.isNamed() {
		defer s.OnHangup(func() {
			signer, keyID, err := opts.signerAndID(ctx)
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

// maxKey is the most bytes of a file with a key, far beyond any.
const maxKey = 64 << 10

// readSigningKey reads the private key that signs answers. One that every user of the
// machine can read is no secret. Messages say nothing of its content.
func readSigningKey(name string) (dsse.Signer, error) {
	f, info, err := disk.Open(name)
	if err != nil {
		return nil, files.Named(name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	defer clear(text)
	if len(text) > maxKey {
		err = disk.TooLarge(maxKey)
	}
	if err != nil {
		return nil, files.Named(name, err)
	}
	const readByOthers = 0o004
	if runtime.GOOS != "windows" && dsse.IsPrivate(text) && info.Mode().Perm()&readByOthers != 0 {
		return nil, files.Named(name, errors.New("others can read this key: take that from them (chmod o-r), and make a "+
			"new one if somebody may have"))
	}
	signer, err := dsse.ReadSigner(text)
	if err != nil {
		return nil, cmp.Or(files.Expect(problem.Source{Name: name, Text: string(text)}, files.Kind{Name: "private key"}),
			files.Named(name, err))
	}
	return signer, nil
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

// A private key in a file signs, or a program that has it, such as one that asks a key
// management service. The program is called with one more word:
//
//	PROGRAM public-key    prints the public key in PEM
//	PROGRAM sign          reads what is to be signed, and prints the signature, raw or in base64

// signing is a private key as people name it, or the program that has it.
type signing struct{ key, command string }

// commandOption is the option for the program.
func (s *signing) commandOption() option.Option {
	return option.Option{Name: "signer-command", Value: option.Text(&s.command), Offer: option.Nothing,
		Usage: "`PROGRAM` that signs in the place of a key file, with its arguments after blanks"}
}

// signer returns who signs, nil if nobody is named.
func (s signing) signer(ctx context.Context) (dsse.Signer, error) {
	switch {
	case s.command != "":
		return newProgramSigner(ctx, s.command)
	case s.key != "":
		return readSigningKey(s.key)
	}
	return nil, nil
}

// signerAndID is signer with the id of its key, "" if there is none.
func (s signing) signerAndID(ctx context.Context) (dsse.Signer, string, error) {
	signer, err := s.signer(ctx)
	if signer == nil {
		return nil, "", err
	}
	return signer, signer.KeyID(), nil
}

// isNamed reports whether somebody is named to sign.
func (s signing) isNamed() bool { return s.key+s.command != "" }

// programSigner is a signer that is another program. It hands on no signature that the public key
// does not verify.
type programSigner struct {
	command []string
	public  *dsse.PublicKey
}

func newProgramSigner(ctx context.Context, command string) (dsse.Signer, error) {
	s := &programSigner{command: strings.Fields(command)}
	if len(s.command) == 0 {
		return nil, errors.New("the signer command is empty")
	}
	text, err := s.run(ctx, "public-key", nil)
	if err != nil {
		return nil, err
	}
	if s.public, err = dsse.ReadPublicKey(text); err != nil {
		return nil, s.failure("public-key", err)
	}
	return s, nil
}

// KeyID implements dsse.Signer.
func (s *programSigner) KeyID() string { return s.public.ID() }

// Sign implements dsse.Signer.
func (s *programSigner) Sign(ctx context.Context, pae []byte) ([]byte, error) {
	signature, err := s.run(ctx, "sign", pae)
	if err != nil {
		return nil, err
	}
	if s.public.Verify(pae, signature) {
		return signature, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(signature)), ""))
	if err == nil && s.public.Verify(pae, decoded) {
		return decoded, nil
	}
	return nil, s.failure("sign", errors.New("its public key does not verify what it printed"))
}

func (s *programSigner) failure(word string, err error) error {
	return fmt.Errorf("signer command %s %s: %w", console.Printable(s.command[0]), word, err)
}

// run runs the program with a word, and returns what it prints.
func (s *programSigner) run(ctx context.Context, word string, in []byte) ([]byte, error) {
	const longest, patience = 30 * time.Second, time.Second
	const mostSaid = 500
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	c := exec.CommandContext(ctx, s.command[0], append(s.command[1:len(s.command):len(s.command)], word)...)
	out, said := &bounded{room: maxKey + 1, full: errors.New("it prints too much")}, &bounded{room: mostSaid}
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(in), out, said, patience
	err := c.Run()
	if len(out.text) > maxKey {
		err = out.full
	}
	if err != nil {
		if text := strings.TrimSpace(string(said.text)); text != "" {
			err = fmt.Errorf("%w: %s", err, console.Printable(strings.Join(strings.Fields(text), " ")))
		}
		return nil, s.failure(word, cmp.Or(context.Cause(ctx), err))
	}
	return out.text, nil
}

// bounded keeps the beginning of what is written to it. Where there is an error for that, nothing
// more is taken.
type bounded struct {
	text []byte
	room int
	full error
}

func (b *bounded) Write(p []byte) (int, error) {
	kept := p[:min(len(p), b.room-len(b.text))]
	b.text = append(b.text, kept...)
	if len(kept) < len(p) {
		return len(p), b.full
	}
	return len(p), nil
}
