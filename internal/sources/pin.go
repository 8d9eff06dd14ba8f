package sources

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Fetched is what is known of bytes that were downloaded.
type Fetched struct {
	URL       string
	FetchedAt string // timestamp
	MediaType string // "" for the one that is approved
	Redirects []string
	ETag      string // "" if there was none
}

// Pin writes the envelope of a body that was the answer, with status 200, to a
// request for a resource of a source. What the manifest does not approve is
// refused with code INVALID_SOURCE_SNAPSHOT.
func Pin(source string, f Fetched, body problem.Source, m *Manifest) (*Envelope, error) {
	resource, reason := m.Resource(source, f.URL)
	if reason != "" {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.url", "%s", reason)
	}
	e := &Envelope{
		SourceID:   resource.SourceID,
		URL:        f.URL,
		Status:     200,
		FetchedAt:  f.FetchedAt,
		MediaType:  f.MediaType,
		Redirects:  f.Redirects,
		ETag:       f.ETag,
		BodySHA256: canonical.Sum([]byte(body.Text)),
		BodyBytes:  uint64(len(body.Text)),
	}
	if e.MediaType == "" {
		e.MediaType = resource.MediaTypes[0]
	}
	if e.Redirects == nil {
		e.Redirects = []string{}
	}
	e.Reference = e.Bind()
	// What was written must be what is accepted.
	if _, err := Open(File{Body: body, Envelope: problem.Source{Text: string(e.JSON())}}, source, m); err != nil {
		return nil, err
	}
	return e, nil
}
