package sources

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// TeamSource is the one source that no manifest approves, because nothing of it
// is fetched: the result files of a team's own runs. They are named by a URN,
// which begins with TeamURN.
const (
	TeamSource = "lm-eval"
	TeamURN    = "urn:lm-eval:"
)

// Resource is something that may be taken from a source.
type Resource struct {
	SourceID   string // how envelopes call it
	Artifact   string // the id of the artifact; "" for what is none
	Revision   string // of the artifact
	URL        string
	Origin     string // where redirects may lead; "" if nothing is fetched
	MediaTypes []string
	MaxBytes   uint64
}

// Accepts reports whether an answer of the media type may be the resource. It may
// say that it is UTF-8, and nothing else.
func (r *Resource) Accepts(mediaType string) bool { return isMediaType(mediaType, r.MediaTypes) }

// Resource returns which resource of a source a URL is: its entrypoint, an
// artifact of some revision or, where the manifest lets one be derived, its main
// bundle. For any other URL reason says what is wrong with it.
func (m *Manifest) Resource(source, u string) (resource Resource, reason string) {
	if source == TeamSource {
		return teamResource(u)
	}
	s := m.Source(source)
	if s == nil {
		return Resource{}, "is of no approved source: the manifest has no " + source
	}
	r := Resource{URL: u, Origin: s.CanonicalOrigin}
	if entry := &s.Resolver.Entrypoint; u == entry.URL {
		r.SourceID, r.MediaTypes, r.MaxBytes = entry.SourceID, []string{entry.MediaType}, entry.MaxBytes
		return r, ""
	}
	for i := range s.Artifacts.Items {
		item := &s.Artifacts.Items[i]
		t, _ := cutTemplate(item.URLTemplate)
		if revision, ok := t.match(u, s.Revision.Grammar); ok {
			r.SourceID, r.Artifact, r.Revision = source+"-"+revision+"-"+item.ID, item.ID, revision
			r.MediaTypes, r.MaxBytes = []string{item.MediaType}, item.MaxBytes
			return r, ""
		}
	}
	if s.Resolver.DerivedResourcePolicy == PolicyMainBundle && isMainBundle(u, s.CanonicalOrigin) {
		r.SourceID = source + "-bundle-" + hashOfURL(u)[:24]
		r.MediaTypes, r.MaxBytes = []string{"application/javascript", "text/javascript"}, s.Resolver.MaxBytes
		return r, ""
	}
	return Resource{}, "is no URL that the manifest approves for " + source
}

// isMainBundle reports whether a URL is that of a site's main bundle:
// /static/js/main.<8 hex>.js on its origin.
func isMainBundle(u, origin string) bool {
	name, ok := strings.CutPrefix(u, origin+"/static/js/main.")
	hash, isScript := strings.CutSuffix(name, ".js")
	return ok && isScript && isLowerHex(hash, 8)
}

// hashOfURL is the SHA-256 of { url }.
func hashOfURL(u string) string {
	e := canonical.Encoder{}
	e.Raw(`{"url":`)
	e.Text(u)
	e.Raw(`}`)
	return canonical.Sum(e.Buf)
}

// teamResource is a result file of a team's own run.
func teamResource(u string) (Resource, string) {
	name, ok := strings.CutPrefix(u, TeamURN)
	if !ok || name == "" || strings.Trim(name, urnCharacters) != "" {
		return Resource{}, "must be a URN that names the run: " + TeamURN + " and letters, digits and . - _ : / ~ @ = +"
	}
	return Resource{SourceID: TeamSource, URL: u, MediaTypes: []string{"application/json"}, MaxBytes: MaxBodyBytes}, ""
}

const urnCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:/~@=+"
