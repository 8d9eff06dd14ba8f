package sources

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
)

// SnapshotSchema is the schema version of an envelope.
const SnapshotSchema = "service.source.snapshot/v1"

// Envelope says where the bytes of a body came from. It lies beside the body,
// under the body's name and [EnvelopeSuffix].
type Envelope struct {
	SourceID   string // of the resource; see [Resource]
	URL        string
	Status     uint64 // of the HTTP answer
	FetchedAt  string // timestamp
	MediaType  string
	Redirects  []string // the URLs that the answer came by, in order
	ETag       string   // "" is null
	BodySHA256 string
	BodyBytes  uint64
	Reference  string // see [Envelope.Bind]
}

// EnvelopeSuffix is what the name of an envelope adds to that of its body.
const EnvelopeSuffix = ".snapshot.json"

// Bind returns the reference that commits to the body and to all that the
// envelope says of it:
//
//	service-snapshot:<sourceId>?url=...&sha256=...&fetchedAt=...&snapshotSha256=...
//
// with every value form-urlencoded. The last is the SHA-256 of the canonical
// JSON of the envelope without its reference.
func (e *Envelope) Bind() string {
	return "service-snapshot:" + formEncode(e.SourceID) +
		"?url=" + formEncode(e.URL) +
		"&sha256=" + formEncode(e.BodySHA256) +
		"&fetchedAt=" + formEncode(e.FetchedAt) +
		"&snapshotSha256=" + canonical.Sum(e.appendJSON(nil, false))
}

// JSON is the envelope as canonical JSON.
func (e *Envelope) JSON() []byte { return e.appendJSON(nil, true) }

func (e *Envelope) appendJSON(dst []byte, withReference bool) []byte {
	enc := canonical.Encoder{Buf: dst}
	enc.Raw(`{"bodyBytes":`)
	enc.Uint(e.BodyBytes)
	enc.Raw(`,"bodySha256":`)
	enc.Text(e.BodySHA256)
	enc.Raw(`,"etag":`)
	enc.TextOrNull(e.ETag)
	enc.Raw(`,"fetchedAt":`)
	enc.Text(e.FetchedAt)
	enc.Raw(`,"mediaType":`)
	enc.Text(e.MediaType)
	enc.Raw(`,"redirects":`)
	enc.Texts(e.Redirects)
	if withReference {
		enc.Raw(`,"reference":`)
		enc.Text(e.Reference)
	}
	enc.Raw(`,"schemaVersion":"` + SnapshotSchema + `","sourceId":`)
	enc.Text(e.SourceID)
	enc.Raw(`,"status":`)
	enc.Uint(e.Status)
	enc.Raw(`,"url":`)
	enc.Text(e.URL)
	enc.Raw(`}`)
	return enc.Buf
}

// formEncode encodes a value as application/x-www-form-urlencoded, as the URL
// Standard serializes it. The encoding of package net/url differs in ~ and *.
func formEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '*', c == '-', c == '.', c == '_':
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// The members of an envelope, in the order in which faults are reported.
const (
	envelopeSchema = iota
	envelopeSourceID
	envelopeURL
	envelopeStatus
	envelopeFetchedAt
	envelopeMediaType
	envelopeRedirects
	envelopeETag
	envelopeBodySHA256
	envelopeBodyBytes
	envelopeReference
	envelopeMembers
)

var envelopeNames = [envelopeMembers]string{"schemaVersion", "sourceId", "url", "status", "fetchedAt", "mediaType",
	"redirects", "etag", "bodySha256", "bodyBytes", "reference"}

var envelopeFields = ijson.NewFields(envelopeNames[:]...)

// envelopeReader reads an envelope and remembers where its members stand.
type envelopeReader struct {
	r  *ijson.Reader
	at [envelopeMembers]int
	Envelope
}

func (er *envelopeReader) read() {
	r, e := er.r, &er.Envelope
	for o := r.Object(envelopeFields); o.Next(); {
		er.at[o.Field()] = r.Offset()
		switch o.Field() {
		case envelopeSchema:
			r.Enum(SnapshotSchema)
		case envelopeSourceID:
			e.SourceID = r.Text()
		case envelopeURL:
			e.URL = r.Text()
		case envelopeStatus:
			e.Status = r.Count()
		case envelopeFetchedAt:
			e.FetchedAt = r.Timestamp()
		case envelopeMediaType:
			e.MediaType = r.Text()
		case envelopeRedirects:
			e.Redirects = []string{}
			for l := r.List(); l.Next(); {
				e.Redirects = append(e.Redirects, r.Text())
			}
		case envelopeETag:
			e.ETag = r.TextOrNull()
		case envelopeBodySHA256:
			e.BodySHA256 = r.Hash()
		case envelopeBodyBytes:
			e.BodyBytes = r.Count()
		case envelopeReference:
			e.Reference = r.Text()
		}
	}
}

// fail notes a fault of a member.
func (er *envelopeReader) fail(member int, format string, args ...any) {
	er.r.Fail(er.at[member], "."+envelopeNames[member], format, args...)
}
