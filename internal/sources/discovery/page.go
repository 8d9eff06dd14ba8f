package discovery

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// bundleOfPage returns the URL of the one main bundle that a page runs: that of
// the only script element whose address is that of a main bundle on the origin of
// the page.
//
//	<script defer="defer" src="./static/js/main.b0448181.js"></script>
func bundleOfPage(page problem.Source, s *sources.Source, m *sources.Manifest) (string, error) {
	doc, err := html.Parse(strings.NewReader(page.Text))
	if err != nil {
		return "", refuse(page, "$.index.body", "is not HTML that can be read: %s", err)
	}
	base := s.Resolver.Entrypoint.URL
	hasBase := false
	var found []string
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Base && isLive(n) && !hasBase: // the first with an address counts, as in browsers
			base, hasBase = resolve(base, attribute(n, "href"))
		case n.DataAtom == atom.Script && isLive(n) && isJavaScript(attribute(n, "type")):
			if u, ok := resolve(base, attribute(n, "src")); ok && isBundle(u, s, m) {
				found = append(found, u)
			}
		}
	}
	if len(found) != 1 {
		return "", refuse(page, "$.index.body", "has %d scripts that are a main bundle of %s, must have one", len(found),
			s.CanonicalOrigin)
	}
	return found[0], nil
}

// isBundle reports whether the manifest approves a URL as a bundle.
func isBundle(u string, s *sources.Source, m *sources.Manifest) bool {
	r, reason := m.Resource(s.ID, u)
	return reason == "" && r.Artifact == "" && u != s.Resolver.Entrypoint.URL
}

// isLive reports whether an element counts: those of drawings and in templates do
// not.
func isLive(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.DataAtom == atom.Template {
			return false
		}
	}
	return n.Namespace == ""
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return strings.Trim(a.Val, "\t\n\f\r ")
		}
	}
	return ""
}

// isJavaScript reports whether a script element of the type is run.
func isJavaScript(mediaType string) bool {
	switch strings.ToLower(mediaType) {
	case "", "module", "text/javascript", "application/javascript":
		return true
	}
	return false
}

// resolve returns what an address leads to from a page, else the page.
func resolve(page, address string) (string, bool) {
	base, err := url.Parse(page)
	if err != nil || address == "" {
		return page, false
	}
	to, err := base.Parse(address)
	if err != nil {
		return page, false
	}
	return to.String(), true
}

// AssetManifestURL is where a site's asset manifest is. It says what the build
// is made of, and tells the main bundle where the page names one that is gone.
func AssetManifestURL(s *sources.Source) string { return s.CanonicalOrigin + "/asset-manifest.json" }

var assetsShape = ijson.NewOpenShape(ijson.Required("files", func(r *ijson.Reader,
	address *string) {
	assetFilesShape.Read(r, address)
}))

var assetFilesShape = ijson.NewOpenShape(ijson.Required("main.js",
	func(r *ijson.Reader, address *string) { *address = r.Text() }))

// BundleOfAssets returns the URL of the main bundle that a site's asset manifest
// names, under files["main.js"]. Faults have code INVALID_SOURCE_DISCOVERY and
// paths that begin with $.assetManifest.
func BundleOfAssets(src problem.Source, source string, m *sources.Manifest) (string, error) {
	s, err := discoverable(source, m)
	if err != nil {
		return "", err
	}
	r := ijson.NewReader(src.Text, problem.InvalidSourceDiscovery)
	var address string
	o := assetsShape.Read(r, &address)
	u, ok := resolve(AssetManifestURL(s), address)
	if !r.Faulty() && !(ok && isBundle(u, s, m)) {
		at := o.Start() + ijson.Locate(src.Text[o.Start():], "files", "main.js")
		r.Fail(at, ".files.main.js", "must be the address of a main bundle of %s", s.CanonicalOrigin)
	}
	return u, r.End().Under("$.assetManifest").Locate(src.Text, problem.Start(src.Name)).Err()
}
