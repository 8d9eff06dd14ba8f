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

// locate returns the URL of the one main bundle that a page runs: that of the
// only script element whose address is that of a main bundle on the origin of
// the page.
func locate(page string, s *sources.Source, m *sources.Manifest) (string, *problem.Error) {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", refuse("$.index.body", "is not HTML that can be read: %s", err)
	}
	base, err := url.Parse(s.Resolver.Entrypoint.URL)
	if err != nil { // the manifest has only such that can be
		return "", refuse("$.index.url", "is not a URL: %s", err)
	}
	var found []string
	hasBase := false
	for n := range live(doc) {
		switch {
		case n.DataAtom == atom.Base && !hasBase:
			// The first base element with an address counts, as in browsers.
			if to, ok := resolve(base, attribute(n, "href")); ok {
				base, hasBase = to, true
			}
		case n.DataAtom == atom.Script && isJavaScript(attribute(n, "type")):
			if to, ok := resolve(base, attribute(n, "src")); ok && isBundle(to.String(), s, m) {
				found = append(found, to.String())
			}
		}
	}
	if len(found) != 1 {
		return "", refuse("$.index.body", "has %d scripts that are a main bundle of %s, must have one", len(found), s.CanonicalOrigin)
	}
	return found[0], nil
}

// isBundle reports whether the manifest approves a URL as a bundle.
func isBundle(u string, s *sources.Source, m *sources.Manifest) bool {
	r, reason := m.Resource(s.ID, u)
	return reason == "" && r.Artifact == "" && u != s.Resolver.Entrypoint.URL
}

// live yields the elements of a page that count, in their order. What is in a
// template or in a drawing does not.
func live(doc *html.Node) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := doc; n != nil; {
			isElement := n.Type == html.ElementNode
			if isElement && n.Namespace == "" && !yield(n) {
				return
			}
			if n.FirstChild != nil && !(isElement && n.DataAtom == atom.Template) {
				n = n.FirstChild
				continue
			}
			for n != nil && n.NextSibling == nil {
				n = n.Parent
			}
			if n != nil {
				n = n.NextSibling
			}
		}
	}
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

// resolve returns what an address leads to from a page.
func resolve(base *url.URL, address string) (*url.URL, bool) {
	if address == "" {
		return nil, false
	}
	to, err := base.Parse(address)
	return to, err == nil
}

var (
	assetFields = ijson.NewOpenFields("files")
	fileFields  = ijson.NewOpenFields("main.js")
)

// AssetManifestURL is where a site's asset manifest is. It says what the build
// is made of, and tells the main bundle where the page names one that is gone.
func AssetManifestURL(s *sources.Source) string { return s.CanonicalOrigin + "/asset-manifest.json" }

// BundleOfAssets returns the URL of the main bundle that a site's asset manifest
// names, under files["main.js"]. Faults have code INVALID_SOURCE_DISCOVERY and
// paths that begin with $.assetManifest.
func BundleOfAssets(src problem.Source, source string, m *sources.Manifest) (string, error) {
	s, err := discoverable(source, m)
	if err != nil {
		return "", err
	}
	r := ijson.NewReader(src.Text, problem.InvalidSourceDiscovery)
	address, at := "", 0
	for o := r.Object(assetFields); o.Next(); {
		for files := r.Object(fileFields); files.Next(); {
			at = r.Offset()
			address = r.Text()
		}
	}
	faults := r.End()
	if faults == nil {
		root, err := url.Parse(AssetManifestURL(s))
		if to, ok := resolve(root, address); err == nil && ok && isBundle(to.String(), s, m) {
			return to.String(), nil
		}
		e := refuse(`$.files.main.js`, "must be the address of a main bundle of %s", s.CanonicalOrigin)
		e.Offset = at
		faults = problem.List{e}
	}
	return "", rebase(faults.Locate(src.Text, problem.Start(src.Name)).Err(), "$.assetManifest")
}
