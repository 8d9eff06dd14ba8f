package channel

import (
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
