package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
)

// This file checks a file of a release of svc by the attestation beside it.

// provenanceName is the file of a release that says what its files were built of.
const provenanceName = "provenance.dsse.json"

// checkRelease refuses what does not go together with a file of a release.
func (o *verifyOptions) checkRelease() error {
	switch {
	case o.bundle+o.catalog+o.endpoint+o.response+o.require+o.keep != "" || o.refs != nil || o.isNamed():
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
		key, err := readPublicKey(name)
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
