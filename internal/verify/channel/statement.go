package channel

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
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

// IsAbout reports whether what an envelope holds is a statement about the file of a catalog and its
// content. Who signed it is not asked.
func IsAbout(e *dsse.Envelope, catalog Catalog) bool {
	about := e.About()
	has := func(hash string) bool {
		return slices.ContainsFunc(about.Subjects, func(s dsse.Subject) bool { return s.SHA256 == hash })
	}
	return about.PredicateType == PredicateType && has(catalog.File) && has(catalog.Digest)
}
