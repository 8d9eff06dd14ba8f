package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/service/verify"
)

// A release is attested by a key that the environment has: an envelope (DSSE) with an in-toto
// statement of what the files were built of, and one for each list of what is in a binary. The
// bytes follow from the release and the key, if that is one for Ed25519, whose signatures are the
// same each time. Without a key a file says that nobody has signed.

// keyVariable has the private key in PEM: PKCS #8, Ed25519 or ECDSA P-256.
const keyVariable = "SVC_RELEASE_KEY"

const (
	provenanceName = "provenance.dsse.json"
	unsignedName   = "UNSIGNED"
	unsigned       = "Nobody has signed this release: SHA256SUMS tells whole files from damaged ones, " +
		"and not who made them.\n"
)

// releaseSigner returns the signer of the environment, nil if there is no key.
func releaseSigner() (verify.Signer, error) {
	text := os.Getenv(keyVariable)
	if text == "" {
		return nil, nil
	}
	s, err := verify.NewKeySigner(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyVariable, err)
	}
	return s, nil
}

// subject is a file that a statement is about.
type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

func newSubject(f file) subject { return subject{f.name, map[string]string{"sha256": hexSum(f.text)}} }

// attest returns the attestations of the files of a release.
func (r *release) attest(ctx context.Context, signer verify.Signer, targets []platform, made []file) (files []file,
	err error) {
	if signer == nil {
		return []file{{name: unsignedName, text: []byte(unsigned)}}, nil
	}
	sign := func(name, predicateType string, predicate any, subjects ...subject) error {
		text, err := json.Marshal(map[string]any{"_type": "https://in-toto.io/Statement/v1", "subject": subjects,
			"predicateType": predicateType, "predicate": predicate})
		if err != nil {
			return err
		}
		envelope, err := verify.Sign(ctx, text, signer)
		if err != nil {
			return err
		}
		text, err = json.Marshal(envelope)
		files = append(files, file{name: name, text: append(text, '\n')})
		return err
	}
	var all []subject
	for _, f := range made {
		all = append(all, newSubject(f))
	}
	if err := sign(provenanceName, "https://slsa.dev/provenance/v1", r.provenance(targets), all...); err != nil {
		return nil, err
	}
	for _, bill := range made {
		stem, isBill := strings.CutSuffix(bill.name, ".cdx.json")
		if !isBill {
			continue
		}
		isArchive := func(f file) bool { return f.name == stem+".tar.gz" || f.name == stem+".zip" }
		archive := made[slices.IndexFunc(made, isArchive)]
		if err := sign(stem+".cdx.dsse.json", "https://cyclonedx.org/bom", json.RawMessage(bill.text),
			newSubject(archive)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// provenance says what a release is built of, and how: SLSA v1.
func (r *release) provenance(targets []platform) any {
	var platforms []string
	for _, p := range targets {
		platforms = append(platforms, p.String())
	}
	const at = "https://" + module
	return map[string]any{
		"buildDefinition": map[string]any{
			"buildType": at + "/release/v1",
			"externalParameters": map[string]any{
				"version": string(r.version), "maintainer": r.maintainer, "platforms": platforms,
			},
			"resolvedDependencies": []any{
				map[string]any{"uri": "git+" + at + "@refs/tags/" + string(r.version),
					"digest": map[string]string{"gitCommit": r.origin.commit}},
				map[string]any{"name": "go", "uri": "https://go.dev/dl/" + r.toolchain},
			},
		},
		"runDetails": map[string]any{"builder": map[string]string{"id": at + "/release"}},
	}
}
