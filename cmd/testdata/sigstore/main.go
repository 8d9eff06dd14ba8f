// Command sigstore checks a bundle of Sigstore by a public key, as sigstore-go does it:
//
//	sigstore BUNDLE PUBLIC-KEY FILE
package main

import (
	"bytes"
	"crypto"
	"fmt"
	"os"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

func main() {
	if err := check(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(bundleFile, keyFile, file string) error {
	read, err := bundle.LoadJSONFromPath(bundleFile)
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(pem)
	if err != nil {
		return err
	}
	trusted, err := signature.LoadVerifier(key, crypto.SHA256)
	if err != nil {
		return err
	}
	material := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return root.NewExpiringKey(trusted, time.Time{}, time.Time{}), nil
	})
	verifier, err := verify.NewVerifier(material, verify.WithCurrentTime())
	if err != nil {
		return err
	}
	artifact, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	policy := verify.NewPolicy(verify.WithArtifact(bytes.NewReader(artifact)), verify.WithKey())
	result, err := verifier.Verify(read, policy)
	if err != nil {
		return err
	}
	fmt.Println(result.Statement.GetPredicateType())
	return nil
}
