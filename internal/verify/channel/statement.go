package channel

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/service/record"
)

// PredicateType is that of the statement about a catalog: the predicate is the record of its build.
const PredicateType = "https://github.com/model-catalog-service/svc/catalog-build/v1"

// Statement returns an in-toto statement about the file of a catalog and its content. The record of
// its build may be nil.
func Statement(file string, catalog Catalog, build *record.CatalogBuild) []byte {
	subject := func(name, hash string) map[string]any {
		return map[string]any{"name": name, "digest": map[string]any{"sha256": hash}}
	}
	return canonical.MustMarshal(map[string]any{
		"_type": dsse.StatementType, "predicateType": PredicateType, "predicate": build,
		"subject": []any{subject(file, catalog.File), subject(Ref(catalog.Digest), catalog.Digest)},
	})
}

// attested is what a statement about a catalog says.
type attested struct {
	predicateType string
	hashes        []string
}

var (
	attestedShape = ijson.NewOpenShape(
		ijson.Required("predicateType", func(r *ijson.Reader, a *attested) { a.predicateType = r.String() }),
		ijson.Required("subject", func(r *ijson.Reader, a *attested) {
			for l := r.List(); l.Next(); {
				attestedSubject.Read(r, a)
			}
		}),
	)
	attestedSubject = ijson.NewOpenShape(
		ijson.Required("digest", func(r *ijson.Reader, a *attested) { attestedDigest.Read(r, a) }))
	attestedDigest = ijson.NewOpenShape(
		ijson.Required("sha256", func(r *ijson.Reader, a *attested) { a.hashes = append(a.hashes, r.String()) }))
)

// IsAbout reports whether what an envelope holds is a statement about the file of a catalog and its
// content. Who signed it is not asked.
func IsAbout(e *dsse.Envelope, catalog Catalog) bool {
	r, a := ijson.NewReader(string(e.Payload), problem.InvalidJSON), &attested{}
	attestedShape.Read(r, a)
	return r.End() == nil && e.PayloadType == dsse.PayloadType && a.predicateType == PredicateType &&
		slices.Contains(a.hashes, catalog.File) && slices.Contains(a.hashes, catalog.Digest)
}
