// Package registry keeps catalogs in registries of the Open Container Initiative, of which every
// cloud has one. A name is that of a tag, of a digest or of both:
//
//	oci://registry.example/models/catalog:latest
//	oci://registry.example/models/catalog@sha256:9f86d08188...
//
// A catalog is a manifest with these layers, of which the first must be there:
//
//	application/vnd.svc.catalog.content.v1+zstd   the file of the catalog, compressed
//	application/vnd.svc.catalog.build.v1+json     the record of its build
//	application/vnd.svc.catalog.lock.v1+json      its lock
//
// Its artifact type is application/vnd.svc.catalog.v1. Equal files make equal manifests: nothing in
// them depends on the clock. An attestation is a manifest of its own that refers to that of the
// catalog, with a DSSE envelope as its layer: registries list it as a referrer, or keep it below a
// tag that the digest names.
//
// Digests and sizes of all that comes are checked, and everything is bounded. Who the caller is,
// Docker's configuration says, with its helpers: no secret is an argument here.
package registry

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/model-catalog-service/svc/internal/files"
)

// The types of what is in a registry.
const (
	ArtifactType     = "application/vnd.svc.catalog.v1"
	CatalogType      = "application/vnd.svc.catalog.content.v1+zstd"
	BuildType        = "application/vnd.svc.catalog.build.v1+json"
	LockType         = "application/vnd.svc.catalog.lock.v1+json"
	AttestationType  = "application/vnd.dsse.envelope.v1+json"
	digestAnnotation = "svc.catalog.digest"
)

// The most bytes of what is in a registry, and the most attestations that are looked at.
const (
	MaxCatalog      = 1 << 30  // the file of a catalog, compressed or not
	MaxRecord       = 64 << 20 // a build record, a lock or an attestation
	maxManifest     = 4 << 20
	MaxAttestations = 16
)

// Scheme is how names begin.
const Scheme = "oci://"

// IsName reports whether a name is one of a registry.
func IsName(name string) bool { return strings.HasPrefix(name, Scheme) }

// ErrName is what is wrong with a name.
var ErrName = errors.New("must be oci://HOST/REPOSITORY with :TAG, @sha256:DIGEST or both")

// IsTag reports whether a name is that of a tag alone, which may move.
func IsTag(name string) bool {
	ref, err := parse(name)
	return err == nil && ref.ValidateReferenceAsDigest() != nil
}

// parse reads a name. Of a tag with a digest, the digest counts.
func parse(name string) (registry.Reference, error) {
	ref, err := registry.ParseReference(strings.TrimPrefix(name, Scheme))
	if err != nil || ref.Reference == "" || !IsName(name) {
		return ref, ErrName
	}
	return ref, nil
}

// Catalog is what belongs to a catalog. Texts that are not there are empty.
type Catalog struct {
	Text         string // the file
	Digest, AsOf string // of its content; only for [Client.Push]
	Build, Lock  string
	Attestations []string // DSSE envelopes
	Name         string   // by the digest of the manifest; only of [Client.Pull]
}

// Client talks to registries. It is safe for concurrent use.
type Client struct{ auth *auth.Client }

// New returns a client that trusts roots, nil for those of the system.
func New(roots *x509.CertPool) (*Client, error) {
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport
	if t, ok := transport.(*http.Transport); ok {
		own := t.Clone()
		own.TLSClientConfig = &tls.Config{RootCAs: roots}
		transport = own
	}
	return &Client{&auth.Client{
		Client: &http.Client{Transport: retry.NewTransport(transport)}, Cache: auth.NewCache(),
		Credential: credentials.Credential(store), Header: http.Header{"User-Agent": {"svc"}},
	}}, nil
}

// open returns the repository of a name. A registry on this machine may do without TLS.
func (c *Client) open(ctx context.Context, name string) (*remote.Repository, error) {
	ref, err := parse(name)
	if err != nil {
		return nil, err
	}
	repo := &remote.Repository{Client: c.auth, Reference: ref, SkipReferrersGC: true,
		ReferrerListMaxPages: MaxAttestations}
	host, _, err := net.SplitHostPort(ref.Host())
	if err != nil {
		host = ref.Host()
	}
	if host == "localhost" || net.ParseIP(host).IsLoopback() {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+ref.Host()+"/v2/", nil)
		if err != nil {
			return nil, err
		}
		response, err := c.auth.Client.Do(request)
		if repo.PlainHTTP = errors.Is(err, http.ErrSchemeMismatch); err == nil {
			response.Body.Close()
		}
	}
	return repo, nil
}

// Resolve returns the name by digest of what a name stands for now.
func (c *Client) Resolve(ctx context.Context, name string) (string, error) {
	repo, err := c.open(ctx, name)
	if err != nil {
		return "", err
	}
	d, err := repo.Manifests().Resolve(ctx, repo.Reference.Reference)
	if err != nil {
		return "", err
	}
	return byDigest(repo, d.Digest), nil
}

func byDigest(repo *remote.Repository, d digest.Digest) string {
	return fmt.Sprintf("%s%s/%s@%s", Scheme, repo.Reference.Registry, repo.Reference.Repository, d)
}

// Pull returns what is in a registry by a name.
func (c *Client) Pull(ctx context.Context, name string) (*Catalog, error) {
	repo, err := c.open(ctx, name)
	if err != nil {
		return nil, err
	}
	d, err := repo.Manifests().Resolve(ctx, repo.Reference.Reference)
	if err != nil {
		return nil, err
	}
	text, err := read(ctx, repo.Manifests(), d, maxManifest)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil || m.ArtifactType != ArtifactType {
		return nil, fmt.Errorf("holds no catalog: its artifact type is %q, not %s", m.ArtifactType, ArtifactType)
	}
	out := &Catalog{Name: byDigest(repo, d.Digest)}
	for _, layer := range m.Layers {
		switch layer.MediaType {
		case CatalogType:
			out.Text, err = readCatalog(ctx, repo, layer)
		case BuildType:
			out.Build, err = readText(ctx, repo, layer)
		case LockType:
			out.Lock, err = readText(ctx, repo, layer)
		}
		if err != nil {
			return nil, err
		}
	}
	if out.Text == "" {
		return nil, errors.New("holds no catalog: it has no layer of type " + CatalogType)
	}
	out.Attestations, err = attestations(ctx, repo, d)
	return out, err
}

// readCatalog reads the file of a catalog, which a layer has compressed.
func readCatalog(ctx context.Context, repo *remote.Repository, d ocispec.Descriptor) (string, error) {
	packed, err := read(ctx, repo.Blobs(), d, MaxCatalog)
	if err != nil {
		return "", err
	}
	r, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(MaxCatalog))
	if err != nil {
		return "", err
	}
	defer r.Close()
	return files.ReadAll(r, MaxCatalog, 0)
}

func readText(ctx context.Context, repo *remote.Repository, d ocispec.Descriptor) (string, error) {
	text, err := read(ctx, repo.Blobs(), d, MaxRecord)
	return string(text), err
}

// read reads what a descriptor names, and demands its size and digest. What breaks off is continued
// where the registry can.
func read(ctx context.Context, from content.Fetcher, d ocispec.Descriptor, most int64) ([]byte, error) {
	const tries = 4
	if d.Size > most || d.Size < 0 {
		return nil, fmt.Errorf("%s %w", d.MediaType, files.TooLarge(most))
	}
	var got bytes.Buffer
	for try := 1; ; try++ {
		err := readOn(ctx, from, d, &got)
		if err == nil {
			break
		} else if try == tries || ctx.Err() != nil {
			return nil, err
		}
	}
	if int64(got.Len()) != d.Size || d.Digest.Validate() != nil ||
		d.Digest.Algorithm().FromBytes(got.Bytes()) != d.Digest {
		return nil, fmt.Errorf("the registry sent other bytes than %s", d.Digest)
	}
	return got.Bytes(), nil
}

// readOn reads what is missing of a descriptor's bytes.
func readOn(ctx context.Context, from content.Fetcher, d ocispec.Descriptor, got *bytes.Buffer) error {
	r, err := from.Fetch(ctx, d)
	if err != nil {
		return err
	}
	defer r.Close()
	if s, ok := r.(io.Seeker); ok && got.Len() > 0 {
		_, err = s.Seek(int64(got.Len()), io.SeekStart)
	} else {
		got.Reset()
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(got, io.LimitReader(r, d.Size-int64(got.Len())))
	return err
}

// Attestations returns the envelopes that refer to what a name stands for.
func (c *Client) Attestations(ctx context.Context, name string) ([]string, error) {
	repo, err := c.open(ctx, name)
	if err != nil {
		return nil, err
	}
	d, err := repo.Manifests().Resolve(ctx, repo.Reference.Reference)
	if err != nil {
		return nil, err
	}
	return attestations(ctx, repo, d)
}

func attestations(ctx context.Context, repo *remote.Repository, about ocispec.Descriptor) (all []string, err error) {
	var found []ocispec.Descriptor
	err = repo.Referrers(ctx, about, AttestationType, func(page []ocispec.Descriptor) error {
		found = append(found, page...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, d := range found[max(0, len(found)-MaxAttestations):] { // the newest, where it appends
		text, err := read(ctx, repo.Manifests(), d, maxManifest)
		if err != nil {
			return nil, err
		}
		var m ocispec.Manifest
		if json.Unmarshal(text, &m) != nil || len(m.Layers) != 1 || m.Layers[0].MediaType != AttestationType {
			continue
		}
		envelope, err := readText(ctx, repo, m.Layers[0])
		if err != nil {
			return nil, err
		}
		all = append(all, envelope)
	}
	return all, nil
}

// Push puts a catalog below a tag, and returns its name by digest.
func (c *Client) Push(ctx context.Context, name string, what *Catalog) (string, error) {
	repo, err := c.open(ctx, name)
	if err != nil {
		return "", err
	}
	if repo.Reference.ValidateReferenceAsTag() != nil {
		return "", errors.New("must name a tag, under which to put the catalog")
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return "", err
	}
	layers := []layer{{CatalogType, "catalog.json.zst", encoder.EncodeAll([]byte(what.Text), nil)},
		{BuildType, "catalog.build.json", []byte(what.Build)}, {LockType, "catalog.lock.json", []byte(what.Lock)}}
	notes := map[string]string{ocispec.AnnotationCreated: what.AsOf, digestAnnotation: what.Digest}
	d, err := push(ctx, repo, repo.Reference.Reference, ocispec.Manifest{ArtifactType: ArtifactType, Annotations: notes},
		layers)
	if err != nil {
		return "", err
	}
	for _, envelope := range what.Attestations {
		_, err := push(ctx, repo, "", ocispec.Manifest{ArtifactType: AttestationType, Subject: &d},
			[]layer{{AttestationType, "catalog.attestation.json", []byte(envelope)}})
		if err != nil {
			return "", err
		}
	}
	return byDigest(repo, d.Digest), nil
}

// layer is a file of a manifest.
type layer struct {
	mediaType, title string
	bytes            []byte
}

// push puts a manifest with its layers, without those that are empty, into a repository: below a
// tag, or else by its digest.
func push(ctx context.Context, repo *remote.Repository, tag string, m ocispec.Manifest,
	layers []layer) (ocispec.Descriptor, error) {
	m.Versioned, m.MediaType = specs.Versioned{SchemaVersion: 2}, ocispec.MediaTypeImageManifest
	m.Config, m.Layers = ocispec.DescriptorEmptyJSON, []ocispec.Descriptor{}
	layers = append(layers, layer{m.Config.MediaType, "", m.Config.Data})
	for _, l := range layers {
		if len(l.bytes) == 0 {
			continue
		}
		d := content.NewDescriptorFromBytes(l.mediaType, l.bytes)
		there, err := repo.Blobs().Exists(ctx, d)
		if err == nil && !there {
			err = repo.Blobs().Push(ctx, d, bytes.NewReader(l.bytes))
		}
		if err != nil {
			return d, err
		}
		if l.title != "" {
			d.Annotations = map[string]string{ocispec.AnnotationTitle: l.title}
			m.Layers = append(m.Layers, d)
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	d := content.NewDescriptorFromBytes(m.MediaType, text)
	d.ArtifactType = m.ArtifactType
	if tag == "" {
		return d, repo.Manifests().Push(ctx, d, bytes.NewReader(text))
	}
	return d, repo.Manifests().PushReference(ctx, d, bytes.NewReader(text), tag)
}
