// Package discovery finds out which releases LiveBench has published.
//
// The site has no list of its releases but in the text of its program. So two
// snapshots are read, by parsers and never by patterns:
//
//   - the index page, which names the one main bundle ([Bundle]);
//   - that bundle, which holds the releases as a list of dates, or as a chain of
//     conditionals whose outcomes are dates.
//
// A list counts if it begins with the releases that were reviewed. What is in
// comments, in texts or in code that cannot be reached does not; a function that
// nobody calls does. Every list that counts must hold nothing but dates, rise
// strictly and be the same as the others, and the date that the site shows by
// default must be the last. No list may have a date added as the program runs.
// Else nothing is discovered.
//
// What comes out is a [Proposal], for a person to review. It approves nothing.
//
// Nothing here knows a clock, a file or a network. Faults have code
// INVALID_SOURCE_DISCOVERY and paths that begin with $.index, $.bundle or
// $.assetManifest. What is read is refused before it costs more than a second or two.
package discovery

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// Request is what releases are discovered from.
type Request struct {
	Manifest *sources.Manifest
	Source   string
	Index    sources.File
	Bundle   sources.File
	// AssetManifest is the asset manifest of the site, for when the bundle that the
	// index names is gone. Its Text is empty if there is none.
	AssetManifest problem.Source
}

// Bundle returns the URL of the bundle that an index page names.
func Bundle(index sources.File, source string, m *sources.Manifest) (string, error) {
	s, err := discoverable(source, m)
	if err != nil {
		return "", err
	}
	_, u, err := openIndex(index, s, m)
	return u, err
}

// Propose discovers the releases.
func Propose(req Request) (*Proposal, error) {
	m := req.Manifest
	s, err := discoverable(req.Source, m)
	if err != nil {
		return nil, err
	}
	index, named, err := openIndex(req.Index, s, m)
	if err != nil {
		return nil, err
	}
	bundle, err := sources.Open(req.Bundle, s.ID, m)
	if err != nil {
		return nil, rebase(err, "$.bundle")
	}
	allowed := []string{named}
	if req.AssetManifest.Text != "" {
		other, err := BundleOfAssets(req.AssetManifest, s.ID, m)
		if err != nil {
			return nil, err
		}
		allowed = append(allowed, other)
	}
	if !slices.Contains(allowed, bundle.Envelope().URL) {
		return nil, refuse(req.Bundle.Envelope, "$.bundle.url", "must be %s, which the site names",
			strings.Join(allowed, " or "))
	}
	dates, err := releases(bundle.Body())
	if err != nil {
		return nil, refuse(req.Bundle.Body, "$.bundle.body", "%s", err)
	}
	return newProposal(s, m, index, bundle, dates), nil
}

// discoverable returns the source if its releases can be discovered.
func discoverable(source string, m *sources.Manifest) (*sources.Source, error) {
	s := m.Source(source)
	switch {
	case s == nil:
		return nil, refuse(problem.Source{}, "$.source", "is of no approved source: the manifest has no %s", source)
	case s.Resolver.DerivedResourcePolicy != sources.PolicyMainBundle || s.Revision.Grammar != sources.GrammarDate:
		return nil, refuse(problem.Source{}, "$.source", "must be a source whose releases are in its main bundle, and "+
			"those of %s are not", source)
	}
	return s, nil
}

// openIndex verifies an index page and returns the URL of the bundle it names.
func openIndex(f sources.File, s *sources.Source, m *sources.Manifest) (*sources.Snapshot, string, error) {
	index, err := sources.Open(f, s.ID, m)
	if err != nil {
		return nil, "", rebase(err, "$.index")
	}
	if entry := s.Resolver.Entrypoint.URL; index.Envelope().URL != entry {
		return nil, "", refuse(f.Envelope, "$.index.url", "must be %s", entry)
	}
	u, err := bundleOfPage(f.Body, s, m)
	return index, u, err
}

// refuse returns a fault that is somewhere in a file.
func refuse(file problem.Source, path, format string, args ...any) error {
	e := problem.New(problem.InvalidSourceDiscovery, path, format, args...)
	e.Place.File = file.Name
	return e
}

// rebase makes faults of a part of the input those of discovery.
func rebase(err error, root string) error {
	faults := problem.All(err)
	for _, e := range faults {
		e.Code = problem.InvalidSourceDiscovery
	}
	faults.Under(root)
	return err
}
