package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/internal/verify"
)

// kind is a kind of file, told by its schemaVersion.
type kind struct {
	name   string
	family string // the schemaVersion without its version number
	// check reads a file of the kind and returns its digest, if the kind has one.
	check func(context.Context, problem.Source) (digest string, err error)
}

// indefinite is the name as it follows a verb.
func (k *kind) indefinite() string {
	switch {
	case k.family == observationFamily:
		return k.name
	case strings.ContainsRune("aeiou", rune(k.name[0])):
		return "an " + k.name
	}
	return "a " + k.name
}

// kinds are all that there are.
func kinds() []kind {
	return []kind{
		{"observations", observationFamily, checkObservations},
		{"catalog", "service.catalog", checkCatalog},
		{"rank request", requestFamily, checkRankRequest},
		{"rank result", "service.rank.result", checkRankResults},
		{"approved-source manifest", "service.approved-source-manifest", checkManifest},
		{"mapping", "service.source-mapping", checkMapping},
		{"snapshot envelope", "service.source.snapshot", checkEnvelope},
		{"revision proposal", "service.source-revision-proposal", checkProposal},
		{"acquisition record", "service.source.acquisition", checkAcquisition},
		{"trust bundle", numberFamily, checkTrustBundle},
	}
}

// otherKind returns err, which is what is wrong with a file as one of the wanted
// family. A file of another kind would break most rules of that: for it the error
// says just which.
func otherKind(source problem.Source, wanted string, err error) error {
	family, at := findFamily(source)
	if at < 0 || family == wanted || family == numberFamily || !slices.ContainsFunc(problem.All(err), blamesSchema) {
		return err
	}
	var is, not string
	for _, k := range kinds() {
		switch k.family {
		case family:
			is = k.indefinite()
		case wanted:
			not = k.indefinite()
		}
	}
	if is == "" {
		return err
	}
	return fileError(source.Name, fmt.Errorf("holds %s, not %s", is, not))
}

// blamesSchema reports whether a fault is that of the schemaVersion of a document.
func blamesSchema(e *problem.Error) bool { return e.Path == "$.schemaVersion" }

func kindNames() (names []string) {
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

func checkObservations(ctx context.Context, source problem.Source) (string, error) {
	_, err := catalog.ValidateSource(ctx, catalog.Source{Name: source.Name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(source.Text)), nil
	}})
	return "", err
}

func checkCatalog(ctx context.Context, source problem.Source) (string, error) {
	c, err := catalog.Parse(ctx, source)
	if err != nil {
		return "", err
	}
	return c.Digest(), nil
}

func checkRankRequest(_ context.Context, source problem.Source) (string, error) {
	_, err := rank.ReadRequest(source)
	return "", err
}

func checkRankResults(_ context.Context, source problem.Source) (string, error) {
	return "", rank.CheckResults(source)
}

func checkManifest(_ context.Context, source problem.Source) (string, error) {
	m, err := sources.ParseManifest(source, sources.DefaultRegistry())
	if err != nil {
		return "", err
	}
	return m.Digest(), nil
}

func checkMapping(_ context.Context, source problem.Source) (string, error) {
	return "", sources.CheckMapping(source, adapters())
}

func checkEnvelope(_ context.Context, source problem.Source) (string, error) {
	m, err := sources.PackagedManifest()
	if err != nil {
		return "", err
	}
	return "", sources.CheckEnvelope(source, m)
}

func checkProposal(_ context.Context, source problem.Source) (string, error) {
	proposal, err := discovery.ReadProposal(source)
	if err != nil {
		return "", err
	}
	return proposal.ID, nil
}

func checkAcquisition(_ context.Context, source problem.Source) (string, error) {
	return "", sources.CheckAcquisition(source)
}

func checkTrustBundle(_ context.Context, source problem.Source) (string, error) {
	_, err := verify.ReadBundle(source)
	return "", err
}

// inspect finds out what is in a file and what is wrong with it. The error is
// one of doing so.
func inspect(ctx context.Context, source problem.Source) (verdict, error) {
	v := verdict{file: source.Name}
	family, at := findFamily(source)
	for _, k := range kinds() {
		if k.family == family {
			var err error
			v.kind = k.name
			v.digest, err = k.check(ctx, source)
			if v.faults = problem.All(err); v.faults != nil {
				err = nil
			}
			return v, err
		}
	}
	v.faults = unknownKind(source, at)
	return v, nil
}

// unknownKind says why a file is of no kind: it is no JSON, or its
// schemaVersion, which stands at the offset if there is one, is not known.
func unknownKind(source problem.Source, at int) problem.List {
	r := ijson.NewReader(source.Text, "")
	r.Skip()
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name))
	}
	reason := "missing member"
	if at >= 0 {
		r := ijson.NewPartReader("")
		r.Reset(source.Text[at:])
		reason = "is " + clip(string(r.Value().AppendCanonical(nil)))
	}
	e := problem.New("", "$.schemaVersion", "%s, must be that of one of: %s", reason, strings.Join(kindNames(), ", "))
	e.Offset = max(at, 0)
	return problem.List{e}.Locate(source.Text, problem.Start(source.Name))
}
