package identity

import "slices"

// Without returns a crosswalk without the entries that stand for one of the models.
func (c *Crosswalk) Without(models []string) *Crosswalk {
	rest := *c
	rest.entries = slices.DeleteFunc(slices.Clone(c.entries), func(e entry) bool { return slices.Contains(models, e.model) })
	return &rest
}
