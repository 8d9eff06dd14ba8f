// Package trust finds whom to believe about a catalog, and says what became of it by that: by the
// policy of the recipe beside it, or else by that of the configuration.
package trust

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/signing"
	disk "github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/registry"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/asker"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/memory"
	"github.com/model-catalog-service/svc/internal/verify/standing"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// ErrUnsigned is why what comes from a registry is refused.
var ErrUnsigned = errors.New("no attestation of it is signed by the key of the policy")

// RefusedError is why a policy refuses a catalog.
type RefusedError struct{ error }

func (e *RefusedError) Unwrap() error { return e.error }

// Policies are where a policy may stand besides the recipe of a catalog, and what recipes may name.
type Policies struct {
	Own     config.Trust
	Sources func() []string
}

// Catalog is a catalog that is judged.
type Catalog struct {
	Name      string // of its file, or in a registry
	About     channel.Catalog
	Envelopes func() ([]string, error) // about it
}

// Verdict is what became of a catalog by a policy. Without a policy it is zero.
type Verdict struct {
	standing.Standing
	about channel.Catalog
	judge *judge
}

// Judge says what became of a catalog. The error is a [RefusedError] if the policy refuses it.
func (p Policies) Judge(ctx context.Context, c Catalog) (Verdict, error) {
	j, err := p.find(c.Name)
	if err != nil || j == nil {
		return Verdict{}, err
	}
	envelopes, err := c.Envelopes()
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{about: c.About, judge: j}
	if v.Standing, err = j.of(ctx, c.About, envelopes); err != nil {
		return v, err
	}
	switch {
	case registry.IsName(c.Name) && j.SignedBy(c.About, envelopes) == "":
		err = ErrUnsigned // whoever can write there could put anything in its place
	case v.State == standing.Withdrawn:
		err = errors.New(cmp.Or(v.Sentence, "it was withdrawn"))
	default:
		return v, nil
	}
	return v, &RefusedError{files.Named(c.Name, err)}
}

// MayChange reports whether another verdict may come: the policy has a source to ask.
func (v Verdict) MayChange() bool { return v.judge != nil && v.judge.Ask != nil }

// MaxAge is how old an answer may be that a verdict rests on.
func (v Verdict) MaxAge() time.Duration { return v.judge.MaxAge }

// Again judges the catalog again, which [Verdict.MayChange]. It refuses nothing.
func (v Verdict) Again(ctx context.Context) (Verdict, error) {
	s, err := v.judge.of(ctx, v.about, nil)
	return Verdict{s, v.about, v.judge}, err
}

// judge says what became of catalogs, by a policy.
type judge struct {
	standing.Policy
	folder string   // that keeps answers; empty for none
	kept   []string // answers, where there is no folder
}

// find returns the judge of a catalog, nil where there is no policy, and for what comes with svc or
// through a pipe.
func (p Policies) find(name string) (*judge, error) {
	if name == files.Sample || name == option.Stdin {
		return nil, nil
	}
	folder := filepath.Dir(name)
	if registry.IsName(name) {
		folder = "."
	}
	trust, err := p.read(folder)
	if err != nil {
		return nil, err
	}
	j := &judge{folder: filepath.Join(folder, store.Folder, "answers")}
	if trust == nil {
		if p.Own.Key == "" {
			return nil, nil
		}
		age, _ := option.ParseAge(p.Own.MaxAge) // which was checked
		trust, j.folder = &record.RecipeTrust{Key: p.Own.Key, Endpoint: p.Own.Endpoint, MaxAge: age}, ""
	} else {
		trust.Key = filepath.Join(folder, filepath.FromSlash(trust.Key))
	}
	key, err := signing.ReadPublicKey(trust.Key)
	if err != nil {
		return nil, err
	}
	j.Policy = standing.Policy{Keys: []*dsse.PublicKey{key}, MaxAge: trust.MaxAge}
	if trust.Endpoint != "" {
		endpoint, err := asker.ParseEndpoint(trust.Endpoint)
		if err != nil {
			return nil, err
		}
		j.Ask = asker.New(endpoint, nil, asker.Access{}).Send
	}
	return j, nil
}

// read returns what the recipe of a folder says of trust, nil if there is none or it says nothing.
func (p Policies) read(folder string) (*record.RecipeTrust, error) {
	name := filepath.Join(folder, recipe.FileName)
	text, err := disk.Read(name, recipe.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil: // what cannot be read may have a policy
		return nil, files.Named(name, err)
	case !strings.Contains(text, "trust"): // which is soon told
		return nil, nil
	}
	r, err := recipe.Read(problem.Source{Name: name, Text: text}, p.Sources())
	if err != nil {
		return nil, err
	}
	return r.Trust, nil
}

// Recall and Keep keep answers in the judge itself.
func (j *judge) Recall(string) ([]string, error) { return j.kept, nil }
func (j *judge) Keep(_ string, answers []string) error {
	j.kept = answers
	return nil
}

// of says what became of a catalog, about which there are envelopes.
func (j *judge) of(ctx context.Context, about channel.Catalog, envelopes []string) (standing.Standing, error) {
	const patience = 10 * time.Second
	now, _ := timestamp.Format(time.Now()) // the clock is in years that there are
	function, err := status.New(status.DefaultVersion, now)
	if err != nil {
		return standing.Standing{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	policy := j.Policy
	policy.Memory, policy.Known = j, j.kept
	if policy.Ask != nil && j.folder != "" {
		kept, err := memory.Open(ctx, j.folder)
		if err != nil {
			return standing.Standing{}, files.Named(j.folder, err)
		}
		defer kept.Close()
		if policy.Known, err = kept.All(); err != nil {
			return standing.Standing{}, err
		}
		policy.Memory = kept
	}
	return policy.Of(ctx, about, envelopes, function), nil
}
