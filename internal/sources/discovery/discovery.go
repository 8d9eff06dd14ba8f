// Package discovery finds out which releases LiveBench has published.
//
// The site has no list of its releases but in the text of its program. So two
// snapshots are read, by parsers and never by patterns:
//
//   - the index page, which names the one main bundle ([Bundle]);
//   - that bundle, which holds the releases as a list of dates, or as a chain of
//     conditionals whose outcomes are dates.
//
// A list counts if it begins with the releases that were reviewed. What stands in
// comments, in texts or in code that cannot be reached does not; a function that
// nobody calls does. Every list that counts must hold nothing but dates, rise
// strictly and be the same as the others, and the date that the site shows by
// default must be the last. Else nothing is discovered.
//
// Back comes a [Proposal], for a person to review. It approves nothing.
//
// Nothing here knows a clock, a file or a network. Faults have code
// INVALID_SOURCE_DISCOVERY and paths that begin with $.index, $.bundle or
// $.assetManifest. What is read is refused before it costs more than about a
// second.
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
	if err := checkNamed(bundle.Envelope().URL, named, req, s); err != nil {
		return nil, err
	}
	dates, err := releases(bundle.Body())
	if err != nil {
		e := refuse("$.bundle.body", "%s", err)
		e.Place = problem.Place{File: req.Bundle.Body.Name}
		return nil, e
	}
	return newProposal(s, m, index, bundle, dates), nil
}

// discoverable returns the source if its releases can be discovered.
func discoverable(source string, m *sources.Manifest) (*sources.Source, error) {
	s := m.Source(source)
	switch {
	case s == nil:
		return nil, refuse("$.source", "is of no approved source: the manifest has no %s", source)
	case s.Resolver.DerivedResourcePolicy != sources.PolicyMainBundle || s.Revision.Grammar != sources.GrammarDate:
		return nil, refuse("$.source", "must be a source whose releases stand in its main bundle, %s is none", source)
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
		e := refuse("$.index.url", "must be %s", entry)
		e.Place = problem.Place{File: f.Envelope.Name}
		return nil, "", e
	}
	u, fault := locate(index.Body(), s, m)
	if fault != nil {
		fault.Place = problem.Place{File: f.Body.Name}
		return nil, "", fault
	}
	return index, u, nil
}

// checkNamed demands that the bundle is the one that the index names, or else
// the asset manifest.
func checkNamed(u, named string, req Request, s *sources.Source) error {
	allowed := []string{named}
	if req.AssetManifest.Text != "" {
		other, err := BundleOfAssets(req.AssetManifest, s.ID, req.Manifest)
		if err != nil {
			return err
		}
		allowed = append(allowed, other)
	}
	if slices.Contains(allowed, u) {
		return nil
	}
	e := refuse("$.bundle.url", "must be %s, which the site names", strings.Join(allowed, " or "))
	e.Place = problem.Place{File: req.Bundle.Envelope.Name}
	return e
}

func refuse(path, format string, args ...any) *problem.Error {
	return problem.New(problem.InvalidSourceDiscovery, path, format, args...)
}

// rebase makes faults of a part of the input those of discovery.
func rebase(err error, root string) error {
	var list problem.List
	for _, e := range problem.All(err) {
		moved := *e
		moved.Code, moved.Path = problem.InvalidSourceDiscovery, root+strings.TrimPrefix(e.Path, "$")
		list = append(list, &moved)
	}
	if list == nil {
		return err
	}
	return list.Err()
}
