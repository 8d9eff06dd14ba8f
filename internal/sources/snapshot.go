package sources

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// File is a body and its envelope, as they were read.
type File struct{ Body, Envelope problem.Source }

// Snapshot is a body whose envelope holds: everything that it says was computed
// again, and the manifest approves of where it says the bytes came from. Only
// [Open] makes one.
type Snapshot struct {
	envelope Envelope
	resource Resource
	body     problem.Source
	index    int // among the snapshots of an import, -1 for one by itself
}

// Envelope returns what is said of the body.
func (s *Snapshot) Envelope() Envelope { return s.envelope }

// Resource returns which of the source's resources the body is.
func (s *Snapshot) Resource() Resource { return s.resource }

// Body returns the bytes.
func (s *Snapshot) Body() string { return s.body.Text }

// Open verifies a body and its envelope as a snapshot of a source. Faults have
// code INVALID_SOURCE_SNAPSHOT and paths from $: members of the envelope, and
// $.body.
func Open(f File, source string, m *Manifest) (*Snapshot, error) {
	envelope, resource, err := readEnvelope(f.Envelope, source, m, &f.Body)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{envelope: envelope, resource: resource, body: f.Body, index: -1}
	if err := s.checkText(); err != nil {
		return nil, err
	}
	return s, nil
}

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
	if len(redirects) > maxRedirects {
		return "must hold at most three"
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
	essence = strings.TrimSpace(essence)
	for _, a := range allowed {
		if essence == a {
			return true
		}
	}
	return false
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

// checkText demands that the body is text as all sources publish it: UTF-8
// without byte order mark and NUL.
func (s *Snapshot) checkText() error {
	body := s.Body()
	switch nul := strings.IndexByte(body, 0); {
	case !utf8.ValidString(body):
		return s.Fault(firstInvalid(body), "", "invalid UTF-8")
	case ijson.LenByteOrderMark(body) > 0:
		return s.Fault(0, "", "begins with a byte order mark")
	case nul >= 0:
		return s.Fault(nul, "", "holds a NUL")
	}
	return nil
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(s string) int {
	for i, c := range s {
		if c == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return len(s)
}

// Fault returns a fault of the body at an offset; path is that inside the body.
func (s *Snapshot) Fault(offset int, path, format string, args ...any) *problem.Error {
	e := problem.New(problem.InvalidSourceSnapshot, s.path()+".body"+path, format, args...)
	e.Offset = offset
	problem.List{e}.Locate(s.body.Text, problem.Start(s.body.Name))
	return e
}

// Reader returns a reader of the body as JSON, whose faults [Snapshot.Refuse]
// makes those of the snapshot.
func (s *Snapshot) Reader() *ijson.Reader {
	return ijson.NewReader(s.body.Text, problem.InvalidSourceSnapshot)
}

// Refuse returns the faults of the body, whose paths begin with $ as yet, as an
// error: nil if there are none.
func (s *Snapshot) Refuse(faults problem.List) error {
	rebase(faults, s.path()+".body")
	return faults.Locate(s.body.Text, problem.Start(s.body.Name)).Err()
}

func (s *Snapshot) path() string {
	if s.index < 0 {
		return "$"
	}
	return snapshotPath(s.index)
}

func snapshotPath(i int) string { return "$.snapshots[" + strconv.Itoa(i) + "]" }

// rebase puts another beginning in the place of the $ of paths.
func rebase(faults problem.List, root string) {
	for _, e := range faults {
		e.Path = root + strings.TrimPrefix(e.Path, "$")
	}
}
