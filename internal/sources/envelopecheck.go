package sources

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// CheckEnvelope verifies an envelope without its body.
func CheckEnvelope(src problem.Source, m *Manifest) error {
	_, _, err := readEnvelope(src, "", m, nil)
	return err
}

// readEnvelope reads an envelope and holds it against the manifest and, if
// given, the body. Without a source any will do.
func readEnvelope(src problem.Source, source string, m *Manifest, body *problem.Source) (Envelope, Resource, error) {
	if len(src.Text) > maxEnvelopeBytes {
		e := problem.New(problem.InvalidSourceSnapshot, "$", "has %d bytes, an envelope has at most %d", len(src.Text), maxEnvelopeBytes)
		e.Place = problem.Start(src.Name)
		return Envelope{}, Resource{}, e
	}
	er := envelopeReader{r: ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)}
	er.read()
	var resource Resource
	if !er.r.Faulty() {
		resource = er.checkOrigin(source, m)
	}
	if body != nil && !er.r.Faulty() {
		er.checkBody(resource, body.Text)
	}
	if faults := er.r.End(); faults != nil {
		return Envelope{}, Resource{}, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	return er.Envelope, resource, nil
}

// checkOrigin holds what the envelope says against what the manifest approves.
func (er *envelopeReader) checkOrigin(source string, m *Manifest) Resource {
	resource, reason := er.approve(source, m)
	if reason != "" {
		er.fail(envelopeURL, "%s", reason)
		return Resource{}
	}
	if er.SourceID != resource.SourceID {
		er.fail(envelopeSourceID, "must be %s, which %s is", resource.SourceID, er.URL)
	}
	const statusOK = 200
	if er.Status != statusOK {
		er.fail(envelopeStatus, "must be %d: another answer is not the resource", statusOK)
	}
	if !isMediaType(er.MediaType, resource.MediaTypes) {
		er.fail(envelopeMediaType, "must be %s", ijson.Alternatives(resource.MediaTypes))
	}
	if reason := checkRedirects(er.Redirects, resource.Origin); reason != "" {
		er.fail(envelopeRedirects, "%s", reason)
	}
	if er.BodyBytes > resource.MaxBytes {
		er.fail(envelopeBodyBytes, "is %d, at most %d are approved", er.BodyBytes, resource.MaxBytes)
	}
	if want := er.Bind(); er.Reference != want {
		er.fail(envelopeReference, "does not bind what the envelope says: must be %s", want)
	}
	return resource
}

// approve finds the resource that the envelope's URL is.
func (er *envelopeReader) approve(source string, m *Manifest) (Resource, string) {
	if source != "" {
		return m.Resource(source, er.URL)
	}
	for _, id := range append(m.ids(), TeamSource) {
		if resource, reason := m.Resource(id, er.URL); reason == "" {
			return resource, ""
		}
	}
	return Resource{}, "is a URL of no approved source"
}

func checkRedirects(redirects []string, origin string) string {
	if len(redirects) > MaxRedirects {
		return "must hold at most " + strconv.Itoa(MaxRedirects)
	}
	for _, u := range redirects {
		if origin == "" {
			return "must be empty: nothing was fetched"
		}
		if reason := checkURL(u, origin); reason != "" {
			return u + " " + reason
		}
	}
	return ""
}

// isMediaType reports whether a media type is one of those allowed, with no
// parameter but that it is UTF-8.
func isMediaType(s string, allowed []string) bool {
	essence, parameter, _ := strings.Cut(strings.ToLower(s), ";")
	switch strings.TrimSpace(parameter) {
	case "", "charset=utf-8", `charset="utf-8"`:
	default:
		return false
	}
	return slices.Contains(allowed, strings.TrimSpace(essence))
}

// checkBody holds the bytes against what the envelope says of them.
func (er *envelopeReader) checkBody(resource Resource, body string) {
	n := uint64(len(body))
	switch {
	case n != er.BodyBytes:
		er.fail(envelopeBodyBytes, "is %d, but the body has %d bytes", er.BodyBytes, n)
	case n > resource.MaxBytes:
		er.fail(envelopeBodyBytes, "is %d, at most %d are approved", er.BodyBytes, resource.MaxBytes)
	default:
		if sum := canonical.Sum([]byte(body)); sum != er.BodySHA256 {
			er.fail(envelopeBodySHA256, "does not fit the body, whose SHA-256 is %s", sum)
		}
	}
}
