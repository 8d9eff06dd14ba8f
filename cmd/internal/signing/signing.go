// Package signing knows the keys of the command line: who signs, and whose signatures are believed.
//
// A private key in a file signs, or a program that has it, such as one that asks a key
// management service. The program is called with one more word:
//
//	PROGRAM public-key    prints the public key in PEM
//	PROGRAM sign          reads what is to be signed, and prints the signature, raw or in base64
package signing

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
)

// Key is a private key as people name it, or the program that has it.
type Key struct{ File, Command string }

// CommandOption is the option for the program.
func (k *Key) CommandOption() option.Option {
	return option.Option{Name: "signer-command", Value: option.Text(&k.Command), Offer: option.Nothing,
		Usage: "`PROGRAM` that signs in the place of a key file, with its arguments after blanks"}
}

// Signer returns who signs, and the id of the key; nil and "" if nobody is named.
func (k Key) Signer(ctx context.Context) (signer dsse.Signer, id string, err error) {
	switch {
	case k.Command != "":
		signer, err = newProgramSigner(ctx, k.Command)
	case k.File != "":
		signer, err = readPrivateKey(k.File)
	}
	if signer == nil || err != nil {
		return nil, "", err
	}
	return signer, signer.KeyID(), nil
}

// IsNamed reports whether somebody is named to sign.
func (k Key) IsNamed() bool { return k != Key{} }

// MaxKey is the most bytes of a file with a key, far beyond any.
const MaxKey = 64 << 10

// readPrivateKey reads the private key that signs answers. One that every user of the
// machine can read is no secret. Messages say nothing of its content.
func readPrivateKey(name string) (dsse.Signer, error) {
	f, info, err := disk.Open(name)
	if err != nil {
		return nil, files.Named(name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxKey+1))
	defer clear(text)
	if len(text) > MaxKey {
		err = disk.TooLarge(MaxKey)
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

// ReadPublicKey reads a public key.
func ReadPublicKey(name string) (*dsse.PublicKey, error) {
	text, err := disk.Read(name, MaxKey)
	if err != nil {
		return nil, files.Named(name, err)
	}
	key, err := dsse.ReadPublicKey([]byte(text))
	if err != nil {
		return nil, cmp.Or(files.Expect(problem.Source{Name: name, Text: text}, files.Kind{Name: "public key"}),
			files.Named(name, err))
	}
	return key, nil
}

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
	out, said := &bounded{room: MaxKey + 1, full: errors.New("it prints too much")}, &bounded{room: mostSaid}
	c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = bytes.NewReader(in), out, said, patience
	err := c.Run()
	if len(out.text) > MaxKey {
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
