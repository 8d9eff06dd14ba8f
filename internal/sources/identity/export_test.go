package identity

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/sources/resolver"
)

// Without returns a crosswalk without the entries that are one of the models.
func (c *Crosswalk) Without(r *resolver.Resolver, models []string) *Crosswalk {
	rest := *c
	rest.entries = slices.DeleteFunc(slices.Clone(c.entries), func(e entry) bool {
		return slices.Contains(models, r.Resolve(resolver.Name{Seller: e.seller, ID: e.names[0]}).Model.ID)
	})
	return &rest
}
