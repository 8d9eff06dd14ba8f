package recipe

import (
	"path"
	"strings"
)

// Matches reports whether the parts of a name match those of a pattern, of which ** stands for any
// parts, also none:
//
//	Matches({"runs", "**", "*.json"}, {"runs", "a", "b.json"})  // true
func Matches(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return Matches(pattern[1:], name) || len(name) > 0 && Matches(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && Matches(pattern[1:], name[1:])
}

// IsNamed reports whether an id is one of those that a list names, in which * stands for any
// characters. An empty list names all.
func IsNamed(list []string, id string) bool {
	for _, pattern := range list {
		if matchesText(pattern, id) {
			return true
		}
	}
	return len(list) == 0
}

// matchesText reports whether a text matches a pattern with stars.
func matchesText(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
