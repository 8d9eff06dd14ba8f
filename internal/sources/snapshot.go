package sources

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// SnapshotSchema is the schema version of an envelope.
const SnapshotSchema = "service.source.snapshot/v1"

// SnapshotSchemaV2 is the schema version of an envelope that says when the source
// published the bytes.
const SnapshotSchemaV2 = "service.source.snapshot/v2"

// EnvelopeSuffix is what the name of an envelope adds to that of its body.
const EnvelopeSuffix = ".snapshot.json"

// File is a body and its envelope, as they were read.
type File struct {
	Body, Envelope problem.Source
	// Load reads the body, where Body is not there yet: those of a long succession
	// are read one after another.
	Load func() (problem.Source, error)
}

// loaded returns the file with its body.
func (f File) loaded() (File, error) {
	if f.Load == nil {
		return f, nil
	}
	var err error
	f.Body, err = f.Load()
	f.Load = nil
	return f, err
}

// Envelope says where the bytes of a body came from. It lies beside the body,
// under the body's name and [EnvelopeSuffix].
type Envelope struct {
	SourceID  string `json:"sourceId"` // of the resource; see [Resource]
	URL       string `json:"url"`
	Status    uint64 `json:"status"`    // of the HTTP answer
	FetchedAt string `json:"fetchedAt"` // timestamp
	// PublishedAt is when the source published the bytes, a timestamp, "" if nobody
	// says so. Only sources whose revisions are commits have it.
	PublishedAt string      `json:"publishedAt,omitempty"`
	MediaType   string      `json:"mediaType"`
	Redirects   []string    `json:"redirects"` // the URLs that the answer came by, in order
	ETag        record.Text `json:"etag"`      // "" is null
	BodySHA256  string      `json:"bodySha256"`
	BodyBytes   uint64      `json:"bodyBytes"`
	Reference   string      `json:"reference,omitempty"` // see [Envelope.Bind]

	hasPublishedAt bool // by the schema version
}

// JSON is the envelope as canonical JSON.
func (e *Envelope) JSON() []byte {
	doc := struct {
		SchemaVersion string `json:"schemaVersion"`
		Envelope
	}{SnapshotSchema, *e}
	if e.PublishedAt != "" {
		doc.SchemaVersion = SnapshotSchemaV2
	}
	if e.Redirects == nil {
		doc.Redirects = []string{}
	}
	return canonical.MustMarshal(doc)
}

// Time is when what the bytes say was so: when they were published, if that is
// known, else when they were fetched.
func (e *Envelope) Time() string { return cmp.Or(e.PublishedAt, e.FetchedAt) }

// ReadEnvelope reads an envelope that [Envelope.JSON] wrote. Of any other text it returns what it
// can: [Open] says whether an envelope holds.
func ReadEnvelope(text string) Envelope {
	var e Envelope
	envelopeShape.Read(ijson.NewReader(text, ""), &e)
	return e
}

// Bind returns the reference that commits to the body and to all that the
// envelope says of it:
//
//	service-snapshot:livebench-index?url=https%3A%2F%2Flivebench.ai%2F&sha256=<body>
//	&fetchedAt=2026-11-01T06%3A00%3A00.000Z&snapshotSha256=<envelope>
//
// in one line, with every value form-urlencoded. The last is the SHA-256 of the
// canonical JSON of the envelope without its reference.
func (e *Envelope) Bind() string {
	rest := *e
	rest.Reference = ""
	return "service-snapshot:" + formEncode(e.SourceID) +
		"?url=" + formEncode(e.URL) +
		"&sha256=" + formEncode(e.BodySHA256) +
		"&fetchedAt=" + formEncode(e.FetchedAt) +
		"&snapshotSha256=" + canonical.Sum(rest.JSON())
}

// formEncode encodes a value as application/x-www-form-urlencoded, as the URL
// Standard serializes it. Package net/url differs in these two.
func formEncode(s string) string {
	return strings.NewReplacer("~", "%7E", "%2A", "*").Replace(url.QueryEscape(s))
}

// Download is what is known of bytes that were downloaded.
type Download struct {
	URL       string
	FetchedAt string // timestamp
	// PublishedAt is a timestamp, "" if it is not known.
	PublishedAt string
	MediaType   string // "" for the one that is approved
	Redirects   []string
	ETag        string // "" if there was none
}

const statusOK = 200

// Pin writes the envelope of a body that was the answer, with status 200, to a
// request for a resource of a source. What the manifest does not approve is
// refused with code INVALID_SOURCE_SNAPSHOT.
func Pin(source string, f Download, body problem.Source, m *Manifest) (*Envelope, error) {
	resource, reason := m.Resource(source, f.URL)
	if reason != "" {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.url", "%s", reason)
	}
	for _, text := range append([]string{f.FetchedAt, f.PublishedAt, f.MediaType, f.ETag}, f.Redirects...) {
		if !utf8.ValidString(text) { // which JSON would replace
			return nil, problem.New(problem.InvalidSourceSnapshot, "$", "invalid UTF-8 in %q", text)
		}
	}
	e := &Envelope{
		SourceID:    resource.SourceID,
		URL:         f.URL,
		Status:      statusOK,
		FetchedAt:   f.FetchedAt,
		PublishedAt: f.PublishedAt,
		MediaType:   f.MediaType,
		Redirects:   append([]string{}, f.Redirects...),
		ETag:        record.Text(f.ETag),
		BodySHA256:  canonical.SumText(body.Text),
		BodyBytes:   uint64(len(body.Text)),
	}
	if e.MediaType == "" {
		e.MediaType = resource.MediaTypes[0]
	}
	e.Reference = e.Bind()
	// What was written must be what is accepted.
	if _, err := Open(File{Body: body, Envelope: problem.Source{Text: string(e.JSON())}}, source, m); err != nil {
		return nil, err
	}
	return e, nil
}

// Snapshot is a body whose envelope holds: everything that it says was computed
// again, and the manifest approves of where it says the bytes came from. Only
// [Open] makes one.
type Snapshot struct {
	envelope Envelope
	resource Resource
	body     problem.Source
	path     string  // in what an import is made of, $ for one by itself
	from     *origin // where the bytes are, once that is asked for
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
	s := &Snapshot{envelope: envelope, resource: resource, body: f.Body, path: "$"}
	switch {
	case s.resource.IsText():
		err = s.checkText()
	case s.resource.Folders != nil:
		err = s.checkFolders()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// openAll verifies the snapshots of an import.
func openAll(files []File, source string, m *Manifest) ([]*Snapshot, error) {
	if len(files) == 0 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "must not be empty")
	}
	var snapshots []*Snapshot
	total := 0
	for i, f := range files {
		path := "$.snapshots[" + strconv.Itoa(i) + "]"
		f, err := f.loaded()
		if err != nil {
			return nil, err
		}
		if total += len(f.Body.Text); total > MaxImportBytes {
			return nil, problem.New(problem.InvalidSourceSnapshot, path+".body",
				"makes the bodies more than the %d bytes of an import", MaxImportBytes)
		}
		s, err := Open(f, source, m)
		if err != nil {
			problem.All(err).Under(path)
			return nil, err
		}
		s.path = path
		for _, other := range snapshots {
			if other.envelope.BodySHA256 == s.envelope.BodySHA256 && other.envelope.URL == s.envelope.URL &&
				other.envelope.FetchedAt == s.envelope.FetchedAt {
				return nil, problem.New(problem.InvalidSourceSnapshot, path, "is the same as %s", other.path)
			}
		}
		snapshots = append(snapshots, s)
	}
	return snapshots, nil
}

// Single returns the one snapshot of an import whose source publishes one file,
// which is called what.
func Single(snapshots []*Snapshot, what string) (*Snapshot, error) {
	if len(snapshots) > 1 {
		return nil, problem.New(problem.InvalidSourceSnapshot, snapshots[1].path, "must not be there: %s is one file", what)
	}
	return snapshots[0], nil
}

// checkText demands that the body is text as all sources publish it: UTF-8
// without byte order mark and NUL.
func (s *Snapshot) checkText() error {
	body := s.Body()
	switch nul := strings.IndexByte(body, 0); {
	case !utf8.ValidString(body):
		return s.Fault(ijson.FirstInvalid(body), "", "invalid UTF-8")
	case ijson.LenByteOrderMark(body) > 0:
		return s.Fault(0, "", "begins with a byte order mark")
	case nul >= 0:
		return s.Fault(nul, "", "holds a NUL")
	}
	return nil
}

// checkFolders demands that the body is what is taken of a tree, and nothing else.
func (s *Snapshot) checkFolders() error {
	body, err := TakeFolders(strings.NewReader(s.Body()), s.resource.Folders)
	if err != nil {
		return s.Fault(0, "", "%s", err)
	}
	if body != s.Body() {
		return s.Fault(0, "", "is not the tar that svc makes of %s", strings.Join(s.resource.Folders, ", "))
	}
	return nil
}

// Fault returns a fault of the body at an offset; path is that inside the body.
func (s *Snapshot) Fault(offset int, path, format string, args ...any) error {
	e := problem.New(problem.InvalidSourceSnapshot, "$"+path, format, args...)
	e.Offset = offset
	return s.Refuse(problem.List{e})
}

// Reader returns a reader of the body as JSON, whose faults [Snapshot.Refuse]
// makes those of the snapshot.
func (s *Snapshot) Reader() *ijson.Reader {
	return ijson.NewReader(s.body.Text, problem.InvalidSourceSnapshot)
}

// EnvelopeFault returns a fault of a member of the envelope, which by itself is as
// it must be.
func (s *Snapshot) EnvelopeFault(member, format string, args ...any) error {
	return problem.New(problem.InvalidSourceSnapshot, s.path+"."+member, format, args...)
}

// Refuse returns the faults of the body, whose paths begin with $ as yet, as an
// error: nil if there are none.
func (s *Snapshot) Refuse(faults problem.List) error {
	return faults.Under(s.path+".body").Locate(s.body.Text, problem.Start(s.body.Name)).Err()
}

// CheckEnvelope verifies an envelope without its body.
func CheckEnvelope(src problem.Source, m *Manifest) error {
	_, _, err := readEnvelope(src, "", m, nil)
	return err
}

var envelopeShape = ijson.NewShape(
	ijson.Required("schemaVersion", func(r *ijson.Reader, e *Envelope) {
		e.hasPublishedAt = r.Enum(SnapshotSchema, SnapshotSchemaV2) == SnapshotSchemaV2
	}),
	ijson.Required("sourceId", func(r *ijson.Reader, e *Envelope) { e.SourceID = r.Text() }),
	ijson.Required("url", func(r *ijson.Reader, e *Envelope) { e.URL = r.Text() }),
	ijson.Required("status", func(r *ijson.Reader, e *Envelope) { e.Status = r.Count() }),
	ijson.Required("fetchedAt", func(r *ijson.Reader, e *Envelope) { e.FetchedAt = r.Timestamp() }),
	ijson.Optional("publishedAt", func(r *ijson.Reader, e *Envelope) { e.PublishedAt = r.Timestamp() }),
	ijson.Required("mediaType", func(r *ijson.Reader, e *Envelope) { e.MediaType = r.Text() }),
	ijson.Required("redirects", func(r *ijson.Reader, e *Envelope) { e.Redirects = r.Texts() }),
	ijson.Required("etag", func(r *ijson.Reader, e *Envelope) { e.ETag = record.Text(r.TextOrNull()) }),
	ijson.Required("bodySha256", func(r *ijson.Reader, e *Envelope) { e.BodySHA256 = r.Hash() }),
	ijson.Required("bodyBytes", func(r *ijson.Reader, e *Envelope) { e.BodyBytes = r.Count() }),
	ijson.Required("reference", func(r *ijson.Reader, e *Envelope) { e.Reference = r.Text() }),
)

// readEnvelope reads an envelope and holds it against the manifest and, if
// given, the body. Without a source any will do.
func readEnvelope(src problem.Source, source string, m *Manifest, body *problem.Source) (Envelope, Resource, error) {
	const maxBytes = 64 << 10
	if err := checkSize(src, problem.InvalidSourceSnapshot, "an envelope", maxBytes); err != nil {
		return Envelope{}, Resource{}, err
	}
	c := envelopeCheck{r: ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)}
	o := envelopeShape.Read(c.r, &c.Envelope)
	c.start = o.Start()
	if has := envelopeShape.Has(o, "publishedAt"); !c.r.Faulty() && has != c.hasPublishedAt {
		c.refuse("schemaVersion", "must be %s for an envelope with publishedAt, and only for one", SnapshotSchemaV2)
	}
	var resource Resource
	if !c.r.Faulty() {
		resource = c.checkOrigin(source, m)
	}
	if body != nil && !c.r.Faulty() {
		c.checkBody(body.Text)
	}
	return c.Envelope, resource, c.r.End().Locate(src.Text, problem.Start(src.Name)).Err()
}

// envelopeCheck holds an envelope, of which each member is as it must be by
// itself, against what is known of the resource and the body.
type envelopeCheck struct {
	Envelope
	r     *ijson.Reader
	start int // offset of the envelope
}

func (c *envelopeCheck) refuse(member, format string, args ...any) {
	c.r.FailMember(c.start, member, format, args...)
}

// checkOrigin holds what the envelope says against what the manifest approves.
func (c *envelopeCheck) checkOrigin(source string, m *Manifest) Resource {
	resource, reason := m.Resource(source, c.URL)
	if source == "" {
		resource, reason = m.anyResource(c.URL)
	}
	if reason != "" {
		c.refuse("url", "%s", reason)
		return Resource{}
	}
	if c.SourceID != resource.SourceID {
		c.refuse("sourceId", "must be %s, which %s is", resource.SourceID, c.URL)
	}
	if c.Status != statusOK {
		c.refuse("status", "must be %d: another answer is not the resource", statusOK)
	}
	if !resource.Accepts(c.MediaType) {
		c.refuse("mediaType", "must be %s", ijson.Alternatives(resource.MediaTypes))
	}
	switch {
	case c.PublishedAt == "":
	case !resource.IsCommit && !resource.IsDaily:
		c.refuse("publishedAt", "must not be there: only revisions that are commits or days are published at a known time")
	case c.PublishedAt > c.FetchedAt:
		c.refuse("publishedAt", "must not be later than fetchedAt, %s", c.FetchedAt)
	}
	if reason := checkRedirects(c.Redirects, resource.Origin); reason != "" {
		c.refuse("redirects", "%s", reason)
	}
	if c.BodyBytes > resource.MaxBytes {
		c.refuse("bodyBytes", "is %d, at most %d are approved", c.BodyBytes, resource.MaxBytes)
	}
	if want := c.Bind(); c.Reference != want {
		c.refuse("reference", "does not bind what the envelope says: must be %s", want)
	}
	return resource
}

func checkRedirects(redirects []string, origin string) string {
	if len(redirects) > MaxRedirects {
		return fmt.Sprintf("must hold at most %d", MaxRedirects)
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

// checkBody holds the bytes against what the envelope says of them. That these are
// not too many is known.
func (c *envelopeCheck) checkBody(body string) {
	if n := uint64(len(body)); n != c.BodyBytes {
		c.refuse("bodyBytes", "is %d, but the body has %d bytes", c.BodyBytes, n)
	} else if sum := canonical.SumText(body); sum != c.BodySHA256 {
		c.refuse("bodySha256", "does not fit the body, whose SHA-256 is %s", sum)
	}
}

// checkSize refuses a document of more bytes than such a one has.
func checkSize(src problem.Source, code problem.Code, what string, most int) error {
	if len(src.Text) <= most {
		return nil
	}
	e := problem.New(code, "$", "has %d bytes, %s has at most %d", len(src.Text), what, most)
	e.Place = problem.Start(src.Name)
	return e
}
