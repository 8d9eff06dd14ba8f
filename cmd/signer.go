package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
)

// This file finds who signs: a private key in a file, or a program that has it, such as one that
// asks a key management service. The program is called with one more word:
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
