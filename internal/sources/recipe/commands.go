package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/service/record"
)

// Commands returns the plain commands that a build of a recipe amounts to, for a shell.
func Commands(r *record.Recipe) string {
	var b strings.Builder
	var lists []string
	for i := range r.Sources {
		s := &r.Sources[i]
		if s.Files != "" {
			continue
		}
		fmt.Fprintf(&b, "%s=$(svc sources fetch %s%s%s -o files)\n", variable(s.ID), s.ID,
			optional("--revision", Revision(s)), optional("--folders", strings.Join(Folders(s), ",")))
		if s.ID == "models-dev" || s.ID == "openrouter-models" {
			lists = append(lists, "$"+variable(s.ID))
		}
	}
	var inputs []string
	for i := range r.Sources {
		s := &r.Sources[i]
		if s.ID == Observations {
			inputs = append(inputs, s.Files)
			continue
		}
		files, mapping := "$"+variable(s.ID), s.Mapping
		if s.Files != "" {
			files = s.Files
		} else if isLeaderboard(s.ID) && !s.MappedOnly {
			mapping = s.ID + ".mapping.json"
			fmt.Fprintf(
				&b, "svc sources propose %s %s --against %s%s --accept all --runtime %s --valid-until 2030-01-01 -o %s\n",
				s.ID, files, strings.Join(lists, " "), optional("--existing", s.Mapping), Runtime(s.ID), mapping)
		}
		fmt.Fprintf(&b, "svc import %s %s%s%s -o %s.jsonl\n", s.ID, files, optional("--map", s.Map),
			optional("--mapping", mapping), s.ID)
		inputs = append(inputs, s.ID+".jsonl")
	}
	last := strings.Join(inputs, " ")
	if prefer := slices.DeleteFunc(slices.Clone(r.Prefer),
		func(name string) bool { return name == "" }); len(prefer) > 0 || r.Rulings != "" {
		fmt.Fprintf(&b, "svc settle %s%s%s -o settled.jsonl\n", last, optional("--prefer", strings.Join(prefer, ",")),
			optional("--rulings", r.Rulings))
		last = "settled.jsonl"
	}
	fmt.Fprintf(&b, "svc compile %s --as-of now --dedupe -o %s\n", last, Catalog)
	for _, q := range r.Questions {
		fmt.Fprintf(&b, "svc rank --catalog %s %s\n", Catalog, q)
	}
	return b.String()
}

// isLeaderboard reports whether a source has labels that are to be identified.
func isLeaderboard(id string) bool {
	return slices.Contains([]string{"aider-polyglot", "every-eval-ever", "livebench", "lmarena", "swe-bench"}, id)
}

// variable is the name of a shell's variable for a source.
func variable(id string) string { return strings.ReplaceAll(id, "-", "_") }

// optional is an option with its value, "" without one.
func optional(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + " " + value
}
