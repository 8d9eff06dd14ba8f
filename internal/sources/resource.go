package sources

import (
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// The sources that no manifest approves, because nothing of them is fetched: the result files of a
// team's own runs. They are named by a URN, which begins with urn: and the source.
const (
	TeamSource  = "lm-eval"
	TeamInspect = "inspect"
	TeamTable   = "table"
)

// EveryEvalEver is a source that is approved, of which single records are files of one's own, too.
const EveryEvalEver = "every-eval-ever"

// IsTeam reports whether a source is of a team's own runs.
func IsTeam(source string) bool {
	return source == TeamSource || source == TeamInspect || source == TeamTable
}

// TeamURN is the beginning of the names of the files of a team's own runs.
func TeamURN(source string) string { return "urn:" + source + ":" }

// Resource is something that may be taken from a source: the entrypoint, an
// artifact of a revision, a bundle that the entrypoint names, or a file of the
// team's own. Which one a URL is, the manifest says:
//
//	https://livebench.ai/                            the entrypoint, livebench-index
//	https://livebench.ai/table_2026_01_08.csv        livebench-2026-01-08-table
//	https://livebench.ai/static/js/main.b0448181.js  livebench-bundle-<24 hex>
type Resource struct {
	SourceID   string // how envelopes call it
	Artifact   string // the id of the artifact; "" for what is none
	Revision   string // of the artifact
	URL        string
	Origin     string // where redirects may lead; "" if nothing is fetched
	MediaTypes []string
	MaxBytes   uint64
	IsCommit   bool // the revisions of the source are commits
	IsDaily    bool // they are days
	// Folders are those of a tree that are taken, nil for the whole tree; see [TakeFolders].
	Folders []string
}

// MediaTar is the media type of a tree of files.
const MediaTar = "application/x-tar"

// IsText reports whether the bytes are text.
func (r *Resource) IsText() bool { return !slices.Contains(r.MediaTypes, MediaTar) }

// Accepts reports whether an answer of the media type may be the resource. It may
// say that it is UTF-8, and nothing else.
func (r *Resource) Accepts(mediaType string) bool {
	essence, parameter, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch strings.TrimSpace(parameter) {
	case "", "charset=utf-8", `charset="utf-8"`:
	default:
		return false
	}
	return slices.Contains(r.MediaTypes, strings.TrimSpace(essence))
}

// Resource returns which resource of a source a URL is. For one that is none,
// reason says what is wrong with it.
func (m *Manifest) Resource(source, u string) (resource Resource, reason string) {
	if IsTeam(source) || source == EveryEvalEver && strings.HasPrefix(u, TeamURN(source)) {
		return teamResource(source, u)
	}
	s := m.Source(source)
	if s == nil {
		return Resource{}, "is of no approved source: the manifest has no " + source
	}
	if r, ok := s.resource(u); ok {
		return r, ""
	}
	reason = "is not a URL that the manifest approves for " + source
	for _, other := range m.Sources() {
		if _, ok := other.resource(u); ok {
			return Resource{}, reason + ", but one of " + other.ID
		}
	}
	return Resource{}, reason
}

// resource returns which resource of the source a URL is, or folders of which; ok is false if it
// is none.
func (s *Source) resource(u string) (r Resource, ok bool) {
	whole, fragment, isPart := strings.Cut(u, "#")
	r, ok = s.whole(whole)
	if isPart {
		r.URL, r.Folders = u, foldersOf(fragment)
		ok = ok && !r.IsText() && r.Folders != nil
	}
	return r, ok
}

// whole returns which resource a URL is that names no folders.
func (s *Source) whole(u string) (r Resource, ok bool) {
	r = Resource{URL: u, Origin: s.CanonicalOrigin, IsCommit: s.Revision.Kind == KindCommit, IsDaily: s.IsDaily()}
	if entry := &s.Resolver.Entrypoint; u == entry.URL {
		r.SourceID, r.MediaTypes, r.MaxBytes = entry.SourceID, []string{entry.MediaType}, entry.MaxBytes
		return r, true
	}
	for i := range s.Artifacts.Items {
		item := &s.Artifacts.Items[i]
		t, _ := cutTemplate(item.URLTemplate)
		if revision, ok := t.match(u, s.Revision.Grammar); ok {
			r.SourceID, r.Artifact, r.Revision = ArtifactSourceID(s.ID, revision, item.ID), item.ID, revision
			r.MediaTypes, r.MaxBytes = []string{item.MediaType}, item.MaxBytes
			return r, true
		}
	}
	if s.Resolver.DerivedResourcePolicy == PolicyMainBundle && isMainBundle(u, s.CanonicalOrigin) {
		hash := canonical.Sum(canonical.MustMarshal(map[string]string{"url": u}))
		r.SourceID = s.ID + "-bundle-" + hash[:24]
		r.MediaTypes, r.MaxBytes = []string{"application/javascript", "text/javascript"}, s.Resolver.MaxBytes
		return r, true
	}
	return Resource{}, false
}

// anyResource is [Manifest.Resource] for a URL of whatever source.
func (m *Manifest) anyResource(u string) (Resource, string) {
	for _, s := range append(m.Sources(), Source{ID: TeamSource}, Source{ID: TeamInspect}, Source{ID: TeamTable}) {
		if r, reason := m.Resource(s.ID, u); reason == "" {
			return r, ""
		}
	}
	return Resource{}, "is a URL of no approved source"
}

// ArtifactSourceID is how envelopes call an artifact of a revision.
func ArtifactSourceID(source, revision, artifact string) string {
	return source + "-" + revision + "-" + artifact
}

// isMainBundle reports whether a URL is that of a site's main bundle:
// /static/js/main.<8 hex>.js on its origin.
func isMainBundle(u, origin string) bool {
	name, ok := strings.CutPrefix(u, origin+"/static/js/main.")
	hash, isScript := strings.CutSuffix(name, ".js")
	return ok && isScript && isLowerHex(hash, 8)
}

// teamResource is a result file of a team's own run, or a tar of records of Every Eval Ever.
func teamResource(source, u string) (Resource, string) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:/~@=+"
	name, ok := strings.CutPrefix(u, TeamURN(source))
	if !ok || name == "" || strings.Trim(name, allowed) != "" {
		return Resource{}, "must be a URN that names the run: " + TeamURN(source) +
			" and letters, digits and . - _ : / ~ @ = +"
	}
	media := "application/json"
	if source == EveryEvalEver && strings.HasSuffix(name, ".tar") {
		media = MediaTar
	}
	return Resource{SourceID: source, URL: u, MediaTypes: []string{media}, MaxBytes: MaxBodyBytes}, ""
}

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
	return map[string]string{
		KindRelease:  GrammarDate,
		KindCommit:   GrammarSHA,
		KindOpaque:   GrammarToken,
		KindSnapshot: GrammarHash,
	}[kind]
}

// IsRevision reports whether s is a revision by a grammar.
func IsRevision(grammar, s string) bool {
	switch grammar {
	case GrammarDate:
		return IsDate(s)
	case GrammarSHA:
		return isLowerHex(s, 40)
	case GrammarHash:
		return canonical.IsHash(s)
	case GrammarToken:
		return isToken(s)
	}
	return false
}

// IsDate reports whether s is a date like 2026-01-08.
func IsDate(s string) bool { return timestamp.Valid(Midnight(s)) }

// Midnight is the timestamp of the first instant of a date, UTC.
func Midnight(date string) string { return date + "T00:00:00.000Z" }

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

// checkTemplate says what is wrong with a URL template, "" if nothing.
func checkTemplate(s, origin string) string {
	t, ok := cutTemplate(s)
	if !ok {
		return "must hold exactly one of " + slotRevision + " and " + slotUnderscore
	}
	if !strings.HasPrefix(t.before, origin+"/") {
		return "must be on the origin " + origin + ", which no revision may change"
	}
	return checkURL(t.expand("0"), origin)
}

// checkURL says what is wrong with a URL of a source, "" if nothing: it must be
// absolute, HTTPS, without credentials and fragment, written as URLs are
// serialized, and on the origin unless that is "".
func checkURL(s, origin string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return "must be an absolute URL with https"
	case u.User != nil:
		return "must not hold credentials"
	case strings.Contains(s, "#"):
		return "must not have a fragment"
	case !isPlainURL(s, u):
		return "must be written in normal form: host in lower case, no spaces, no . or .. segments"
	case origin != "" && originOf(s) != origin:
		return "must be on the origin " + origin
	}
	return ""
}

// isPlainURL reports whether a URL is written as it is serialized, so that two
// that differ as texts differ as resources.
func isPlainURL(s string, u *url.URL) bool {
	if u.String() != s || u.Host != strings.ToLower(u.Host) || strings.HasSuffix(u.Host, ":") || u.Port() == "443" {
		return false
	}
	for _, c := range s {
		if c <= ' ' || c >= 0x7F || c == '\\' {
			return false
		}
	}
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return false
		}
	}
	return strings.HasPrefix(u.Path, "/")
}

// originOf returns the scheme and host of an absolute URL.
func originOf(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// checkOrigin says what is wrong with an origin, "" if nothing.
func checkOrigin(s string) string {
	if reason := checkURL(s+"/", ""); reason != "" || originOf(s) != s {
		return "must be an origin: https, a host in lower case and nothing else"
	}
	return ""
}

// ReduceFile returns the body to pin of a file with a name, which faults then have as their place.
// The adapter has a reducer.
func ReduceFile(a Adapter, name string, file io.ReaderAt, size int64) (problem.Source, error) {
	text, err := a.Reducer()(file, size)
	for _, e := range problem.All(err) {
		e.Place.File = path.Join(name, e.Place.File) // which is the part of an archive
	}
	return problem.Source{Name: name, Text: text}, err
}
