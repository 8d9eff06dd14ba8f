package resolver

import "slices"

// Line is a line of aliases, and a resolver that has all but it.
type Line struct {
	Name, Row string
	Without   *Resolver
}

// Lines returns the lines of aliases.
func (r *Resolver) Lines() (lines []Line) {
	for i, a := range r.aliases {
		t := *r.tables
		t.aliases = slices.Delete(slices.Clone(t.aliases), i, i+1)
		lines = append(lines, Line{a.Name, a.Row, &Resolver{tables: &t}})
	}
	for i, e := range r.endings {
		t := *r.tables
		t.endings = slices.Delete(slices.Clone(t.endings), i, i+1)
		lines = append(lines, Line{e.Suffix, e.Row, &Resolver{tables: &t}})
	}
	return lines
}
