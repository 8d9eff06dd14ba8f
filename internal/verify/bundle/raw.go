package bundle

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Raw is a trust bundle as it came: lists of records of which nothing is known but
// that they are JSON objects with an id. It is what merging takes and makes.
type Raw struct {
	SchemaVersion string // its canonical JSON
	Source        string

	Claims, Evidence, Policies, Events []Record

	// What may be left out: nil if the member is not there. Identity links may have
	// no id.
	IdentityLinks, ClaimGroups, AuthorityTrace []Record
}

// List returns the list of a kind.
func (b *Raw) List(k Kind) *[]Record {
	return [...]*[]Record{
		KindClaim: &b.Claims, KindEvidence: &b.Evidence, KindEvent: &b.Events, KindTrace: &b.AuthorityTrace,
		KindPolicy: &b.Policies, KindLink: &b.IdentityLinks, KindGroup: &b.ClaimGroups,
	}[k]
}

// RawKinds are the kinds of records, in the order in which a bundle is written.
var RawKinds = [...]Kind{KindClaim, KindEvidence, KindPolicy, KindEvent, KindLink, KindGroup, KindTrace}

// Optional reports whether a bundle may be without a list of the kind.
func (k Kind) Optional() bool { return k == KindLink || k == KindGroup || k == KindTrace }

var rawShape = ijson.NewOpenShape(
	ijson.Required("schemaVersion", func(d *decoder, b *Raw) { b.SchemaVersion = string(d.AppendCanonical(nil)) }),
	ijson.Required("source", func(d *decoder, b *Raw) { b.Source = d.String() }),
	rawList(KindClaim), rawList(KindEvidence), rawList(KindPolicy), rawList(KindEvent),
	rawList(KindLink), rawList(KindGroup), rawList(KindTrace),
)

func rawList(k Kind) ijson.ShapeMember[*decoder, Raw] {
	return ijson.Optional(k.Collection(), func(d *decoder, b *Raw) {
		list := []Record{}
		for l := d.List(); l.Next(); {
			list = append(list, d.raw(k != KindLink))
		}
		*b.List(k) = list
	})
}

// ReadRaw reads a bundle without looking into its records. Members that merging has
// no use for are left out.
func ReadRaw(source problem.Source) (*Raw, error) {
	text, start := cutMark(source)
	b, _, faults := decode(text, 0, false, rawShape)
	if faults != nil {
		return nil, faults.Locate(text, start).Err()
	}
	return b, nil
}

// raw reads a record of any shape, which must have an id if it is named.
func (d *decoder) raw(named bool) (r Record) {
	start := d.Offset()
	d.object()
	r.JSON = ijson.Compact(d.TextSince(start))
	at := ijson.Locate(r.JSON, "id") // nowhere, if it is not an object
	switch isObject := strings.HasPrefix(r.JSON, "{"); {
	case at >= 0 && r.JSON[at] == '"':
		r.ID = ijson.Unquote(r.JSON[at:ijson.SpanEnd(r.JSON, at)])
	case at >= 0:
		d.FailMember(start, "id", "must be a string")
	case named && isObject:
		d.Fail(start, ".id", "missing field")
	}
	return r
}

// AppendJSON appends the bundle, each record as it came.
func (b *Raw) AppendJSON(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"schemaVersion":` + b.SchemaVersion + `,"source":`)
	e.Text(b.Source)
	for _, k := range RawKinds {
		if list := *b.List(k); list != nil || !k.Optional() {
			e.Raw(`,"` + k.Collection() + `":`)
			e.Buf = AppendRecords(e.Buf, list)
		}
	}
	e.Raw(`}`)
	return e.Buf
}

// AppendRecords appends a list of records, each as it came.
func AppendRecords(dst []byte, list []Record) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, list[i].JSON...)
	}
	return append(dst, ']')
}

// Canonical returns the bundle as canonical JSON.
func (b *Raw) Canonical() ([]byte, error) {
	return ijson.Canonical(string(b.AppendJSON(nil)), problem.InvalidTrustBundle)
}

// StatusInput reads the records as the JSON Schemas of the format say. The error
// holds every fault of them.
func (b *Raw) StatusInput() (*Content, error) {
	content, faults := decodeContent(string(b.AppendJSON(nil)), 0, false, contentShape)
	if faults != nil {
		return nil, faults.Err()
	}
	return content, nil
}
