package catalog

import (
	"context"

	"github.com/model-catalog-service/svc/internal/problem"
)

// ValidateSource validates the observations in a source without compiling them
// and returns how many there are. It keeps none of them. Every fault is
// reported, with the place where it stands.
func ValidateSource(ctx context.Context, source Source) (count int, err error) {
	n := normalizer{fields: observationFields, discard: true}
	_, err = n.normalize(ctx, func(emit func(*batch) bool) (problem.List, error) {
		return split(source, func(b *batch) bool {
			count += len(b.docs)
			return emit(b)
		})
	})
	return count, err
}
