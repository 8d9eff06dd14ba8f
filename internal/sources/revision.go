package sources

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// The kinds of revisions, each with the one grammar that its revisions have.
const (
	KindRelease  = "release"
	KindCommit   = "commit"
	KindOpaque   = "opaque"
	KindSnapshot = "snapshot"

	GrammarDate  = "calendar-date" // 2026-01-08
	GrammarSHA   = "full-git-sha"  // 40 lower-case hexadecimal digits
	GrammarToken = "opaque-token"  // letters, digits, dots, hyphens and underscores
	GrammarHash  = "sha256"        // 64 lower-case hexadecimal digits
)

// grammarOf returns the grammar that goes with a kind of revision.
func grammarOf(kind string) string {
	switch kind {
	case KindRelease:
		return GrammarDate
	case KindCommit:
		return GrammarSHA
	case KindOpaque:
		return GrammarToken
	case KindSnapshot:
		return GrammarHash
	}
	return ""
}

// IsRevision reports whether s is a revision by a grammar.
func IsRevision(grammar, s string) bool {
	switch grammar {
	case GrammarDate:
		return timestamp.Valid(s + "T00:00:00.000Z")
	case GrammarSHA:
		return isLowerHex(s, 40)
	case GrammarHash:
		return canonical.IsHash(s)
	case GrammarToken:
		return isToken(s)
	}
	return false
}

func isLowerHex(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdef") == ""
}

// isToken reports whether s is a name that needs no escaping anywhere: up to 128
// letters, digits, dots, hyphens and underscores, the first a letter or digit.
func isToken(s string) bool {
	const most = 128
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		c := s[i] | ' '
		isAlnum := c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9'
		if !isAlnum && (i == 0 || s[i] != '.' && s[i] != '-' && s[i] != '_') {
			return false
		}
	}
	return true
}

// The places in a URL template where the revision goes.
const (
	slotRevision   = "{revision}"
	slotUnderscore = "{revision_underscore}" // with _ for -
)

// template is a URL with a place for the revision.
type template struct {
	before, after string
	underscore    bool
}

// cutTemplate takes a URL template apart. It must have exactly one slot.
func cutTemplate(s string) (t template, ok bool) {
	slot := slotRevision
	if strings.Contains(s, slotUnderscore) {
		slot, t.underscore = slotUnderscore, true
	}
	t.before, t.after, ok = strings.Cut(s, slot)
	return t, ok && !strings.ContainsAny(t.before+t.after, "{}")
}

// expand returns the URL of a revision.
func (t template) expand(revision string) string {
	if t.underscore {
		revision = strings.ReplaceAll(revision, "-", "_")
	}
	return t.before + revision + t.after
}

// match returns the revision that a URL is of, if it is of any.
func (t template) match(u, grammar string) (revision string, ok bool) {
	rest, hasBefore := strings.CutPrefix(u, t.before)
	revision, hasAfter := strings.CutSuffix(rest, t.after)
	if t.underscore && grammar == GrammarDate {
		revision = strings.ReplaceAll(revision, "_", "-")
	}
	return revision, hasBefore && hasAfter && IsRevision(grammar, revision) && t.expand(revision) == u
}
