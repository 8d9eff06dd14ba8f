package cmd

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/catalog"
	disk "github.com/model-catalog-service/svc/internal/files"
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

// judge says what became of catalogs, by a policy.
type judge struct {
	standing.Policy
	folder string   // that keeps answers; empty for none
	kept   []string // answers, where there is no folder
}

// findJudge returns the judge of a catalog: by the policy of the recipe beside it, or else by that
// of the configuration. It is nil where neither has one, and of what comes with svc or through a
// pipe.
func (p *program) findJudge(name string) (*judge, error) {
	if name == files.Sample || name == option.Stdin {
		return nil, nil
	}
	folder := filepath.Dir(name)
	if registry.IsName(name) {
		folder = "."
	}
	trust, err := readTrust(folder)
	if err != nil {
		return nil, err
	}
	j := &judge{folder: filepath.Join(folder, store.Folder, "answers")}
	if trust == nil {
		own := p.config.Trust
		if own.Key == "" {
			return nil, nil
		}
		age, _ := option.ParseAge(own.MaxAge) // which was checked
		trust, j.folder = &record.RecipeTrust{Key: own.Key, Endpoint: own.Endpoint, MaxAge: age}, ""
	} else {
		trust.Key = filepath.Join(folder, filepath.FromSlash(trust.Key))
	}
	key, err := readPublicKey(trust.Key)
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

// readTrust returns what the recipe of a folder says of trust, nil if there is none or it says
// nothing.
func readTrust(folder string) (*record.RecipeTrust, error) {
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
	_, r, err := readRecipe(name)
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

// refusedError is why a catalog is refused by a policy.
type refusedError struct{ error }

// readTrusted reads a catalog, and says what became of it. One that a policy refuses is a no.
func (p *program) readTrusted(ctx context.Context, in files.Input) (*catalog.Catalog, standing.Standing, error) {
	c, s, err := p.readJudged(ctx, in)
	if refused, ok := errors.AsType[*refusedError](err); ok {
		p.Fail(refused.error)
		return nil, s, exitError(exitNo)
	}
	if err == nil && s.State != "" && s.State != standing.Verified {
		p.Warn("%s: %s", in.Name, s.Sentence)
	}
	return c, s, err
}

// readJudged reads a catalog, and judges it by its policy. An error may be a [refusedError].
func (p *program) readJudged(ctx context.Context, in files.Input) (*catalog.Catalog, standing.Standing, error) {
	source, c, err := p.readSnapshot(ctx, in)
	if err != nil {
		return nil, standing.Standing{}, err
	}
	j, err := p.findJudge(in.Name)
	if err != nil || j == nil {
		return c, standing.Standing{}, err
	}
	about := describe(source.Text, c)
	envelopes, err := p.envelopesOf(ctx, in.Name)
	if err != nil {
		return nil, standing.Standing{}, err
	}
	s, err := j.of(ctx, about, envelopes)
	if err != nil {
		return nil, s, err
	}
	if err := j.refuse(in.Name, s, j.SignedBy(about, envelopes)); err != nil {
		return nil, s, &refusedError{err}
	}
	return c, s, nil
}
